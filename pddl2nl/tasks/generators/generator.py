"""What all generators of problems share: random choices, parameters and sketches.

One module for each domain makes a `Generator` (`pddl2nl.tasks.generators` has them all). A generator draws a `Sketch`:
objects, initial state and goal as plain names. This module writes its text, refuses unknown parameters and values out
of range, draws again if the goal holds in the initial state, and gives the call that makes the same problem again.

Problems are the same on every machine: Python guarantees that ``random.Random(seed).random()`` gives the same numbers
in all versions, but guarantees this for no other method, so `Draw` computes all choices from these numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, TypeVar

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.pddl import Condition, GroundAtom
from pddl2nl.pddl.writer import pretty
from pddlval.semantics import holds

T = TypeVar("T")

Fact = tuple[str, ...]
"""A ground atom: the names of its predicate and objects."""

ATTEMPTS = 1000
"""Draws after which parameters are refused as impossible; possible ones need a few."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class Draw:
    """A seeded source of random choices.

    Args:
        seed: a whole number or a text; the same seed gives the same choices in every process.
    """

    def __init__(self, seed: int | str):
        self._random = Random(seed)

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count - 1``; ``count`` is at least 1."""
        if count < 1:
            raise ValueError(f"nothing can be drawn from {count}")
        # random() is below 1, but its product with a large number may round up to that number.
        return min(int(self._random.random() * count), count - 1)

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: float) -> bool:
        """True with a probability in percent."""
        return self._random.random() * 100 < percent

    def pick(self, members: Sequence[T]) -> T:
        return members[self.below(len(members))]

    def shuffled(self, members: Sequence[T]) -> list[T]:
        """All members in a random order."""
        rest = list(members)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest

    def sample(self, members: Sequence[T], count: int) -> list[T]:
        """`count` different members in random order; ``count`` is at most their number."""
        if count > len(members):
            raise ValueError(f"{count} cannot be drawn from {len(members)}")
        return self.shuffled(members)[:count]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a generator: a whole number within bounds, both included, or one of some words, ``choices``.

    ``meaning`` is its description for ``--help``.
    """

    name: str
    meaning: str
    default: int | str
    minimum: int = 0
    maximum: int = 200
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        if self.choices:
            return " or ".join(self.choices)
        return f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, value: int | str) -> int | str:
        """The value; raises `InputError` if it is impossible."""
        if self.choices:
            if value in self.choices:
                return value
        elif re.fullmatch(r"-?[0-9]{1,9}", str(value)) and self.minimum <= int(value) <= self.maximum:
            return int(value)
        raise InputError(f"parameter '{self.name}' is {value!r}; {self.expected} was expected ({self.meaning})")


class ParameterValues(dict[str, Any]):
    """The values of all parameters by name: whole numbers and words."""

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.items())


@dataclass(frozen=True)
class Sketch:
    """A problem without a name.

    Attributes:
        objects: groups of objects, each with its type; the type is empty in an untyped domain.
        init: groups of facts; a group is one line of the text, wrapped if it is long.
        goal: the parts of the goal, atoms or other conditions.
        summary: a short description: ``3 cities, 2 packages``.
    """

    objects: tuple[tuple[str, tuple[str, ...]], ...]
    init: tuple[tuple[Fact, ...], ...]
    goal: tuple[Fact | Condition, ...]
    summary: str
    solvable: bool = True

    @property
    def trivial(self) -> bool:
        """Whether the goal holds in the initial state."""
        state = _InitialState(self)
        return all(state.true(part) if isinstance(part, tuple) else holds(part, state) for part in self.goal)


class _InitialState:
    """The initial state of a sketch, in which conditions are read."""

    tolerance = Fraction(0)

    def __init__(self, sketch: Sketch):
        self._facts = {fact for group in sketch.init for fact in group}
        self._objects = sketch.objects

    def true(self, atom: Fact) -> bool:
        return tuple(atom) in self._facts

    def level(self, fluent: GroundAtom) -> None:
        """Sketches have no numeric fluents."""

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for kind, names in self._objects if kind in types for name in names)


def plural(count: int, noun: str) -> str:
    """A count for summaries: ``1 car``, ``2 cars``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True)
class Generated:
    """A generated problem.

    ``call`` is the command that makes exactly this problem again, with all parameters, ``objects`` the number of
    objects, and ``solvable`` says whether it was made to have a plan.
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
        pddl_name: the domain's name in PDDL.
        summary: one line: what it makes and why each problem is solvable.
        parameters: in the order of ``--help``.
        make: draws a sketch; None if a draw failed and should be repeated.
        small: draws parameters of a small problem for the primary set; the others have their defaults, by default all.
        rules: conditions on several parameters: a text for people, which names them, and the test.
    """

    domain: str
    pddl_name: str
    summary: str
    parameters: tuple[Parameter, ...]
    make: Callable[[ParameterValues, Draw], Sketch | None] = field(repr=False)
    small: Callable[[Draw], Mapping[str, int | str]] = field(default=lambda draw: {}, repr=False)
    rules: Mapping[str, Callable[[ParameterValues], bool]] = field(default_factory=dict)

    def values(self, given: Mapping[str, int | str]) -> ParameterValues:
        """The values of all parameters, by default their defaults.

        Raises:
            InputError: an unknown parameter, with a suggestion, an impossible value, or a broken rule.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known, f"; there are {', '.join(known)}")
                raise InputError(f"the generator of {self.domain} has no parameter '{name}'{hint}")
        values = ParameterValues({name: each.read(given.get(name, each.default)) for name, each in known.items()})
        for rule, met in self.rules.items():
            if not met(values):
                named = re.findall(r"[a-z]+", rule.partition(" (")[0])
                found = " ".join(f"{each}={values[each]}" for each in known if each in named)
                raise InputError(f"the generator of {self.domain} needs {rule}; found {found}")
        return values

    def generate(self, seed: int, given: Mapping[str, int | str], name: str | None = None) -> Generated:
        """A problem: the same for the same seed and values, on every machine.

        Parameters that are not given have their defaults; the name is by default the domain's and the seed.

        Raises:
            InputError: impossible parameters, or a malformed name or seed.
        """
        values = self.values(given)
        if seed < 0:
            raise InputError(f"a seed is a whole number, 0 or more; found {seed}")
        title = f"{self.domain}-{seed}" if name is None else name
        if not _NAME.fullmatch(title):
            raise InputError(f"{title!r} is no name of a problem: lower-case letters, digits, - and _ were expected")
        draw = Draw(seed)
        for _ in range(ATTEMPTS):
            sketch = self.make(values, draw)
            if sketch is not None and not sketch.trivial:
                break
        else:
            raise InputError(
                f"{ATTEMPTS} draws with {values} gave no valid problem of {self.domain}. Try other values, or another "
                "seed."
            )
        call = f"pddl2nl tasks generate {self.domain} --seed {seed} --name {title} {values}"
        count = sum(len(names) for _, names in sketch.objects)
        return Generated(self.domain, title, _text(self, sketch, title), call, count, sketch.solvable)


# ── the text ─────────────────────────────────────────────────────────────────────────────────────

_WIDTH = 100


def _text(generator: Generator, sketch: Sketch, name: str) -> str:
    objects = "\n".join(_lines(names, f" - {kind}" if kind else "") for kind, names in sketch.objects if names)
    init = "\n".join(_lines(map(_atom, group)) for group in sketch.init if group)
    goal = "\n".join(f"    {_atom(part) if isinstance(part, tuple) else pretty(part, 4)}" for part in sketch.goal)
    return (
        f"; {generator.domain.capitalize()}: {sketch.summary}.\n"
        f"(define (problem {name})\n"
        f"  (:domain {generator.pddl_name})\n\n"
        f"  (:objects\n{objects})\n\n"
        f"  (:init\n{init})\n\n"
        f"  (:goal (and\n{goal})))\n"
    )


def _atom(fact: Fact) -> str:
    return f"({' '.join(fact)})"


def _lines(words: Iterable[str], ending: str = "") -> str:
    lines, line = [], "   "
    for word in words:
        if len(line) + 1 + len(word) > _WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {word}"
    return "\n".join([*lines, line + ending])
