"""Faults: how the world in which a plan is carried out differs from the model of it (``--faults SPEC``).

A specification is a text of statements, one a line or with ``;`` between them; what stands behind ``#`` is a remark::

    fail (pick-up egg-1)                the first time that this is carried out, silently nothing happens
    fail (toggle-on *) twice            the first two times; also "3 times", "always"
    fail (pick-up *) at 7               where it is the 7th action that is carried out; also "at 3, 7"
    fail at 7                           whatever the 7th action is
    fail 10%                            each action, with this probability
    fail 25% (pick-up *)                each of these actions, likewise
    move (inside egg-1 fridge-1) -> (on egg-1 table-1) before 5
                                        just before the 5th action: the first is undone and the second is so;
                                        where the first does not hold then, nothing moves
    set (dirty pan-1) (not (clean pan-1)) after 3
                                        just after the 3rd action these hold, whatever held
    initially (dirty pan-1)             from the beginning, which the agent does not know
    set (= (fuel car) 3) before 2       numbers likewise
    seed 7                              of the probabilities; else that of the run

``*`` in a pattern stands for any name, or for a part of one (``egg-*``); as the last argument for any further ones.
Actions are counted from 1, those that turn out to be inapplicable too. A fault can change what actions can change, and
nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.pddl import NOWHERE, Diagnostic, GroundAtom, Source, Span, Task, changed_predicates, write_number
from pddlval import GroundAction
from pddlval.actions import near_name

__all__ = [
    "Change",
    "Fact",
    "Failure",
    "Faults",
    "Pattern",
    "check_faults",
    "default_times",
    "parse_faults",
    "read_faults",
]

_ORDINAL_TIMES = {1: "once", 2: "twice", None: "always"}
_LONGEST = 200
_LIKE_STATEMENTS = re.compile(r"[()%;]|->")


def _number_text(value: Fraction) -> str:
    """A number as it stands in a specification, where a third is ``1/3``."""
    text = write_number(value)
    return f"{value.numerator}/{value.denominator}" if text.startswith("(") else text


@dataclass(frozen=True)
class Pattern:
    """Which actions are meant: a name and arguments, each of which may hold ``*``."""

    parts: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"({' '.join(self.parts)})"

    def matches(self, action: GroundAction) -> bool:
        """Whether an action is one of those that are meant."""
        return self._shape.fullmatch(" ".join((action.name, *action.args))) is not None

    @cached_property
    def _shape(self) -> re.Pattern[str]:
        *first, last = (re.escape(part).replace(r"\*", r"[^ ]*") for part in self.parts)
        if self.parts[-1] == "*" and first:
            return re.compile(" ".join(first) + r"( [^ ]+)*")
        return re.compile(" ".join((*first, last)) if first or last != "[^ ]*" else r".*")


@dataclass(frozen=True)
class Failure:
    """Actions that silently do nothing.

    Attributes:
        pattern: which ones; None for any.
        steps: only as these actions in the order of execution, from 1; empty for all.
        times: how often at most; None for always.
        chance: with which probability, each time.
    """

    pattern: Pattern | None = None
    steps: tuple[int, ...] = ()
    times: int | None = 1
    chance: Fraction = Fraction(1)

    def __str__(self) -> str:
        parts = ["fail"]
        if self.chance != 1:
            parts.append(f"{_number_text(self.chance * 100)}%")
        if self.pattern is not None:
            parts.append(str(self.pattern))
        if self.steps:
            parts.append(f"at {', '.join(map(str, self.steps))}")
        if self.times != default_times(self):
            parts.append(_ORDINAL_TIMES.get(self.times, f"{self.times} times"))
        return " ".join(parts)


def default_times(failure: Failure) -> int | None:
    """How often a failure occurs where nothing is said: once, but always where steps or a probability are given."""
    return None if failure.steps or failure.chance != 1 else 1


@dataclass(frozen=True)
class Fact:
    """Something that is made so: an atom true or false, or a fluent of that value."""

    atom: GroundAtom
    positive: bool = True
    value: Fraction | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        if self.value is not None:
            return f"(= {self.atom} {_number_text(self.value)})"
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True)
class Change:
    """Something that happens by itself, just before or after an action.

    ``step`` is the action's number, ``after`` says on which side. Where ``undone`` is not empty, these atoms must all
    hold for anything to happen, and no longer do then. ``facts`` hold then.
    """

    step: int
    after: bool
    facts: tuple[Fact, ...]
    undone: tuple[Fact, ...] = ()

    def __str__(self) -> str:
        facts = " ".join(map(str, self.facts))
        moment = f"{'after' if self.after else 'before'} {self.step}"
        if self.undone:
            return f"move {' '.join(map(str, self.undone))} -> {facts} {moment}"
        return f"initially {facts}" if (self.step, self.after) == (1, False) else f"set {facts} {moment}"


@dataclass(frozen=True)
class Faults:
    """All faults of a world, in the order of their text; ``seed`` is None for the run's own."""

    failures: tuple[Failure, ...] = ()
    changes: tuple[Change, ...] = ()
    seed: int | None = None
    source: Source = field(default=Source("<faults>", ""), compare=False, repr=False)

    @property
    def text(self) -> str:
        """The faults as a specification that reads back as the same; statements with ``;`` between them."""
        seed = () if self.seed is None else (f"seed {self.seed}",)
        return "; ".join((*map(str, self.failures), *map(str, self.changes), *seed))

    def __str__(self) -> str:
        return self.text

    def refuse(self, span: Span, said: str, suggestion: str = "", expected: str = "") -> InputError:
        """An error at a place of the text."""
        at = Diagnostic.at(self.source, span.start, said, suggestion=suggestion, expected=expected)
        return InputError(at.render())


def parse_faults(text: str, name: str = "--faults") -> Faults:
    """The faults of a specification.

    Raises:
        InputError: it is none; the message shows the place.
    """
    from pddl2nl.worlds.fault_text import FaultParser

    return FaultParser(Source(name, text)).faults()


def read_faults(text_or_path: str) -> Faults:
    """The faults of a specification, or of the file of that name.

    What begins with a word of the language is a specification; anything else is a file's name, if there is that file.

    Raises:
        InputError: it is no specification, or there is no such file.
    """
    from pddl2nl.worlds.fault_text import is_specification

    if is_specification(text_or_path):
        return parse_faults(text_or_path)
    shown = text_or_path if len(text_or_path) <= _LONGEST else f"{text_or_path[:_LONGEST]}…"
    try:
        text = Path(text_or_path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        if _LIKE_STATEMENTS.search(text_or_path):
            return parse_faults(text_or_path)
        why = getattr(error, "strerror", None) or "no text in UTF-8"
        raise InputError(
            f"--faults {shown}: neither faults nor a file with some ({why}); expected such as "
            "'fail (pick-up egg-1)', 'move (inside egg-1 fridge-1) -> (on egg-1 table-1) before 5', "
            "'initially (dirty pan-1)'"
        ) from error
    return parse_faults(text, text_or_path)


# ── against a task ───────────────────────────────────────────────────────────────────────────────


def check_faults(faults: Faults, task: Task) -> None:
    """Checks that faults speak of a task's own actions, predicates and objects, and of what actions change.

    Raises:
        InputError: they do not; the message shows the place and the nearest right name.
    """
    for failure in faults.failures:
        if failure.pattern is not None:
            _check_pattern(faults, failure.pattern, task)
    for change in faults.changes:
        for fact in (*change.undone, *change.facts):
            _check_fact(faults, fact, task)


def _check_pattern(faults: Faults, pattern: Pattern, task: Task) -> None:
    name, *args = pattern.parts
    shape = Pattern((name,), pattern.span)
    schemas = [schema for schema in task.domain.actions if shape.matches(GroundAction(schema.name))]
    if not schemas:
        names = [schema.name for schema in task.domain.actions]
        said = f"the domain has no action '{name}'"
        raise faults.refuse(pattern.span, said, near_name(name, names), f"one of {', '.join(names)}")
    for arg in args:
        if "*" not in arg and arg not in task.objects:
            said = f"'{arg}' is no object of the task"
            raise faults.refuse(pattern.span, said, near_name(arg, task.objects))
    if args and args[-1] == "*":
        fits = any(len(schema.parameters) >= len(args) - 1 for schema in schemas)
    else:
        fits = name == "*" or any(len(schema.parameters) == len(args) for schema in schemas)
    if not fits:
        takes = len(schemas[0].parameters)
        said = f"'{schemas[0].name}' takes {takes} argument{'' if takes == 1 else 's'}, found {len(args)}"
        raise faults.refuse(pattern.span, said, expected=f"({name} *) for any arguments")


def _check_fact(faults: Faults, fact: Fact, task: Task) -> None:
    domain, (name, *args) = task.domain, fact.atom
    kind, declared = ("predicate", domain.predicates) if fact.value is None else ("function", domain.functions)
    found = next((item for item in declared if item.name == name), None)
    if found is None:
        near = near_name(name, [item.name for item in declared])
        raise faults.refuse(fact.span, f"the domain has no {kind} '{name}'", near)
    if len(args) != len(found.parameters):
        takes = len(found.parameters)
        said = f"'{name}' takes {takes} argument{'' if takes == 1 else 's'}, found {len(args)}"
        raise faults.refuse(fact.span, said)
    for arg, parameter in zip(args, found.parameters, strict=True):
        if not task.is_a(arg, parameter.types):
            said = f"'{arg}' is no object of the task"
            if arg in task.objects:
                said = f"'{arg}' is no {' or '.join(parameter.types)}, and '{name}' takes one there"
            raise faults.refuse(fact.span, said, near_name(arg, task.objects_of(parameter.types)))
    if kind == "predicate":
        if name in {item.name for item in domain.derived}:
            raise faults.refuse(fact.span, f"'{name}' follows from other facts by a rule; set those")
        if name not in changed_predicates(domain):
            said = f"no action changes '{name}', so it is the same in every state of this task"
            raise faults.refuse(fact.span, said)
