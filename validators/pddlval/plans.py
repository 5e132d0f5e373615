"""Ground actions, what can be wrong with one, and plan files as VAL reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pddl2nl.errors import near_name
from pddl2nl.files import read_text
from pddl2nl.lean import dataclass
from pddl2nl.pddl import Diagnostic, InputError, PDDLError, Source, Task
from pddl2nl.pddl.tree import ActionSchema, GroundAtom, StepSchema

_ACTION = re.compile(r"\s*(?:\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)|([^\s()]+(?:\s+[^\s()]+)*))\s*\Z")
_NUMBER = r"-?[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300}"
"""No longer than a float can hold, which VAL's comparison of times needs."""
_NAME = r"[^\s();]+"
"""As in a domain: each name that a domain can declare can stand in a plan."""
_STEP = re.compile(
    rf"(?:(?P<time>{_NUMBER})\s*:\s*)?"
    # Possessive: for each word that it could give back, the search would keep 200 bytes.
    rf"\(\s*(?P<action>{_NAME}+(?:\s++{_NAME}+)*+)\s*\)"
    rf"(?:\s*\[\s*(?P<duration>{_NUMBER})\s*\])?\s*"
)
_COMMENT = re.compile(r";[^\r\n]*")
_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"[()\[\]:]|[^\s()\[\]:]+")
_LONGEST = 100_000
"""Characters of an action: the limits on files allow a line of 16 MiB, and one that long is no action."""
_MOST_PROBLEMS = 100
"""Problems reported of one text: what is no plan at all needs no report of every line."""


class GroundAction(NamedTuple):
    """An action applied to objects, ``GroundAction("stack", ("a", "b"))``; its text is ``(stack a b)``."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"

    @classmethod
    def parse(cls, text: str) -> GroundAction:
        """Reads ``(stack a b)``, upper or lower case, the parentheses optional.

        Raises:
            InputError: the text is not one action.
        """
        match = _ACTION.match(text)
        if match is None:
            raise InputError(f"not an action: {text!r}; expected '(name argument …)'")
        name, *args = (match[1] or match[2]).lower().split()
        return cls(name, tuple(args))


class BadActionError(InputError):
    """A ground action that its task cannot have: unknown name or object, wrong arity, wrong type.

    ``action`` is the action, ``reason`` says what is wrong, ``suggestion`` is the nearest right name or empty.
    """

    def __init__(self, action: GroundAction, reason: str, suggestion: str = ""):
        self.action = action
        self.reason = reason
        self.suggestion = suggestion
        hint = f"; did you mean '{suggestion}'?" if suggestion else ""
        super().__init__(f"{action}: {reason}{hint}")


def why_bad(task: Task, schema: StepSchema | None, action: GroundAction) -> BadActionError | None:
    """What is wrong with an action of that schema in any state, or None."""
    if schema is None:
        names = [known.name for known in task.domain.steps]
        return BadActionError(action, f"the domain has no action '{action.name}'", near_name(action.name, names))
    expected = len(schema.parameters)
    if len(action.args) != expected:
        arguments = "1 argument" if expected == 1 else f"{expected} arguments"
        return BadActionError(action, f"'{action.name}' takes {arguments}, found {len(action.args)}")
    for number, (parameter, name) in enumerate(zip(schema.parameters, action.args, strict=True), start=1):
        item = task.objects.get(name)
        if item is None:
            hint = near_name(name, task.objects_of(parameter.types))
            return BadActionError(action, f"argument {number}, '{name}', is no object of the task", hint)
        if not task.is_a(name, parameter.types):
            wanted, actual = " or ".join(parameter.types), " or ".join(item.types)
            reason = f"argument {number}, '{name}', is of type {actual}, expected {wanted} ({parameter.name})"
            return BadActionError(action, reason)
    return None


def why_bad_atom(task: Task, atom: GroundAtom, *, numeric: bool = False) -> BadActionError | None:
    """What is wrong with an atom, or with the fluent of a number; None where nothing is."""
    kind, declared = ("function", task.domain.functions) if numeric else ("predicate", task.domain.predicates)
    known = {item.name: ActionSchema(item.name, item.parameters) for item in declared}
    called = GroundAction(atom.predicate, atom.args)
    if atom.predicate in known:
        return why_bad(task, known[atom.predicate], called)
    return BadActionError(called, f"the domain has no {kind} '{atom.predicate}'", near_name(atom.predicate, known))


class PlanStep(NamedTuple):
    """One action of a plan; ``line`` and ``column`` (from 1) are where it stands, 0 where it comes from no text."""

    action: GroundAction
    time: Fraction | None = None
    duration: Fraction | None = None
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A sequence of steps, in the order of the file; ``name`` is what its source is called."""

    steps: tuple[PlanStep, ...] = ()
    name: str = "<plan>"

    @property
    def actions(self) -> tuple[GroundAction, ...]:
        """The actions alone."""
        return tuple(step.action for step in self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "".join(f"{step.action}\n" for step in self.steps)


PlanLike: TypeAlias = "Plan | str | Iterable[GroundAction | str]"
"""A plan, the text of a plan file, or ground actions in order, which may be texts, ``(pick-up a)``."""


def plan_of(actions: Iterable[GroundAction]) -> Plan:
    """The plan of these actions, one after the other."""
    return Plan(tuple(PlanStep(action) for action in actions))


def as_plan(plan: PlanLike, name: str = "<plan>") -> Plan:
    """A plan, the text of one, or ground actions, which may be texts; raises `PDDLError` if a text is no plan."""
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str):
        return read_plan(plan, name)
    actions = list(plan)
    if any(isinstance(action, str) for action in actions):
        return read_plan("\n".join(map(str, actions)), name)
    return plan_of(action for action in actions if not isinstance(action, str))


def load_plan(path: str | Path) -> Plan:
    """Reads a plan file.

    Raises:
        PDDLError: the text is no plan.
        InputError: there is no such file, or it cannot be read.
    """
    return read_plan(read_text(path, "plan", errors="replace", long_lines=False), str(path))


def read_plan(text: str, name: str = "<plan>") -> Plan:
    """Reads the text of a plan: actions ``(name arg …)``, any number on a line, in upper or lower case.

    ``;`` begins a comment that ends with the line; ``12.5:`` before an action is the time at which it happens,
    ``[3]`` after it a duration (read, and of no meaning for actions without one).

    Raises:
        PDDLError: the text is no plan; all places where it is not are reported.
    """
    source = Source(name, text)
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    clean = _lower_case(_COMMENT.sub(lambda match: " " * len(match[0]), text) if ";" in text else text)
    steps: list[PlanStep] = []
    problems: list[Diagnostic] = []
    line, line_start, counted = 1, 0, 0
    offset = _skip(clean, 0)
    while offset < len(clean):
        match = _STEP.match(clean, offset)
        if match is None or match.end("action") - offset > _LONGEST:
            problems.append(_problem(source, clean, offset))
            end = clean.find("\n", offset)
            offset = len(clean) if end < 0 or len(problems) == _MOST_PROBLEMS else _skip(clean, end)
            continue
        newlines = clean.count("\n", counted, offset)
        if newlines:
            line += newlines
            line_start = clean.rfind("\n", counted, offset) + 1
        counted = offset
        action, *args = match["action"].split()
        steps.append(
            PlanStep(
                GroundAction(action, tuple(args)),
                _number(match["time"]),
                _number(match["duration"]),
                line,
                offset - line_start + 1,
            )
        )
        offset = match.end()
    if problems:
        raise PDDLError(problems)
    return Plan(tuple(steps), name)


def _skip(text: str, offset: int) -> int:
    match = _BLANK.match(text, offset)
    return match.end() if match else offset


@lru_cache(10_000)
def _number(text: str | None) -> Fraction | None:
    # A plan has few durations, and the plans of a batch often have the same times.
    return None if text is None else Fraction(f"0{text}" if text.startswith(".") else text.rstrip("."))


def _lower_case(text: str) -> str:
    """Lower case, character by character where the whole would change its length: offsets stay those of the text."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _problem(source: Source, text: str, offset: int) -> Diagnostic:
    """What is wrong at an offset where no step could be read."""
    end = text.find("\n", offset)
    rest = text[offset : len(text) if end < 0 else end]
    opened = rest.find("(")
    if opened >= 0 and ")" not in rest[opened:]:
        return Diagnostic.at(source, offset + opened, "the action is never closed", expected="')'")
    if len(rest) > _LONGEST:
        return Diagnostic.at(source, offset, f"an action of more than {_LONGEST:,} characters is not read")
    found = _WORD.match(rest)
    return Diagnostic.at(
        source, offset, "not an action", expected="an action, '(name argument …)'", found=found[0] if found else ""
    )
