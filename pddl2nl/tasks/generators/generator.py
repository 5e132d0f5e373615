"""What a generator of problems is: its parameters, and a function from their values and chance to a problem.

One module a domain makes a `Generator`; the registry ``GENERATORS`` has them all, and `generate` runs one by its name.
A generator draws a `Sketch`: objects, initial state and goal as plain names. Its text is written here, alike for all,
and here stands what holds for all: unknown parameters and values out of range are refused, a sketch whose goal holds
at once is drawn again, and the call that makes the very same problem once more goes with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.tasks.generators.draws import Draw

__all__ = ["Fact", "Generated", "Generator", "Parameter", "Sketch", "Values", "plural"]

Fact = tuple[str, ...]
"""A ground atom: its predicate's name and its objects'."""

_ATTEMPTS = 1000
"""Draws before parameters are given up as impossible; a sensible value needs a handful."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a generator: a whole number within bounds, or one of some words.

    Attributes:
        name: as in ``name=value``.
        meaning: what it is, for ``--help``.
        default: the value where none is given.
        minimum, maximum: the bounds of a number, both included.
        choices: the words, for a parameter that is no number.
    """

    name: str
    meaning: str
    default: int | str
    minimum: int = 0
    maximum: int = 200
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What its value must be."""
        if self.choices:
            return " or ".join(self.choices)
        return f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, value: int | str) -> int | str:
        """The value that was given; raises `InputError` where it is none of this parameter's."""
        if self.choices:
            if value in self.choices:
                return value
        elif re.fullmatch(r"-?[0-9]{1,9}", str(value)) and self.minimum <= int(value) <= self.maximum:
            return int(value)
        raise InputError(f"parameter '{self.name}' is {value!r}; {self.expected} was expected ({self.meaning})")


class Values:
    """The values of all parameters, by name."""

    def __init__(self, values: Mapping[str, int | str]):
        self._values = dict(values)

    def number(self, name: str) -> int:
        """A parameter that is a whole number."""
        return int(self._values[name])

    def word(self, name: str) -> str:
        """A parameter that is a word."""
        return str(self._values[name])

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self._values.items())


@dataclass(frozen=True)
class Sketch:
    """A problem without a name.

    Attributes:
        objects: groups of objects, each with its type; the type is empty in an untyped domain.
        init: groups of facts; a group is a line of the text, broken where it is long.
        goal: the atoms that have to hold at the end.
        summary: what there is, in a few words: ``3 cities, 2 packages``.
        solvable: whether it has a plan.
    """

    objects: tuple[tuple[str, tuple[str, ...]], ...]
    init: tuple[tuple[Fact, ...], ...]
    goal: tuple[Fact, ...]
    summary: str
    solvable: bool = True

    @property
    def trivial(self) -> bool:
        """Whether the goal holds in the initial state."""
        facts = {fact for group in self.init for fact in group}
        return all(fact in facts for fact in self.goal)


def plural(count: int, noun: str) -> str:
    """How summaries count: ``1 car``, ``2 cars``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True)
class Generated:
    """A problem that a generator made.

    Attributes:
        domain: the folder's name of its domain.
        name: the problem's.
        text: its PDDL.
        call: the command that makes it again, byte for byte, whatever the defaults are by then.
        objects: how many there are.
        solvable: whether it was made to have a plan.
    """

    domain: str
    name: str
    text: str
    call: str
    objects: int
    solvable: bool


@dataclass(frozen=True)
class Generator:
    """The generator of one shipped domain.

    Attributes:
        domain: the name of the domain's folder.
        pddl_name: what the domain calls itself.
        summary: one line for people: what it makes and why each of its problems is solvable.
        parameters: in the order in which they are explained.
        make: draws a sketch; None where a draw came to nothing and another should be made. Raises `InputError` where
            values contradict each other.
        small: draws parameters of a small problem, from which the primary set is chosen; parameters that it does not
            name have their defaults.
    """

    domain: str
    pddl_name: str
    summary: str
    parameters: tuple[Parameter, ...]
    make: Callable[[Values, Draw], Sketch | None] = field(repr=False)
    small: Callable[[Draw], Mapping[str, int | str]] = field(repr=False)

    def values(self, given: Mapping[str, int | str]) -> Values:
        """All parameters' values, those that were not given by their defaults.

        Raises:
            InputError: an unknown parameter, with a near one where there is one, or a value that cannot be.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known, f"; there are {', '.join(known)}")
                raise InputError(f"the generator of {self.domain} has no parameter '{name}'{hint}")
        return Values({name: each.read(given.get(name, each.default)) for name, each in known.items()})

    def generate(self, seed: int, given: Mapping[str, int | str], name: str | None = None) -> Generated:
        """A problem: the same for the same seed and values, on every machine.

        Args:
            seed: a whole number, 0 or more.
            given: values by the names of parameters; the others have their defaults.
            name: the problem's; by default made of the domain's and the seed.

        Raises:
            InputError: parameters that cannot be, or a name or seed that is none.
        """
        values = self.values(given)
        if seed < 0:
            raise InputError(f"a seed is a whole number, 0 or more; found {seed}")
        title = f"{self.domain}-{seed}" if name is None else name
        if not _NAME.fullmatch(title):
            raise InputError(f"{title!r} is no name of a problem: lower-case letters, digits, - and _ were expected")
        draw = Draw(seed)
        for _ in range(_ATTEMPTS):
            sketch = self.make(values, draw)
            if sketch is not None and not sketch.trivial:
                break
        else:
            raise InputError(
                f"no problem of {self.domain} came of {_ATTEMPTS} draws with {values}: these values leave too little "
                "room for one; give others, or another seed"
            )
        call = f"pddl2nl generate {self.domain} --seed {seed} --name {title} {values}"
        count = sum(len(names) for _, names in sketch.objects)
        return Generated(self.domain, title, _text(self, sketch, title), call, count, sketch.solvable)


# ── the text ─────────────────────────────────────────────────────────────────────────────────────

_WIDTH = 100


def _text(generator: Generator, sketch: Sketch, name: str) -> str:
    objects = [_lines(list(names), f" - {kind}" if kind else "") for kind, names in sketch.objects if names]
    init = [_lines([_atom(fact) for fact in group]) for group in sketch.init if group]
    goal = [_lines([_atom(fact)]) for fact in sketch.goal]
    return (
        f"; {generator.domain.capitalize()}: {sketch.summary}.\n"
        f"(define (problem {name})\n"
        f"  (:domain {generator.pddl_name})\n\n"
        f"  (:objects\n{_joined(objects)})\n\n"
        f"  (:init\n{_joined(init)})\n\n"
        f"  (:goal (and\n{_joined(goal)})))\n"
    )


def _atom(fact: Fact) -> str:
    return f"({' '.join(fact)})"


def _lines(words: list[str], ending: str = "") -> str:
    lines, line = [], "   "
    for word in words:
        if len(line) + 1 + len(word) > _WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {word}"
    return "\n".join([*lines, line + ending])


def _joined(blocks: list[str]) -> str:
    return "\n".join(blocks)
