"""What reading a text gives: one `Reading` a line or action, and `Readings` for a whole reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

from pddlval import GroundAction, Simulator, State

Status = Literal[
    "read",
    "ambiguous",
    "unreadable",
    "unknown-object",
    "not-an-action",
    "look-around",
    "claimed-done",
    "claimed-unsolvable",
]
"""The last three are found in turns alone (`pddl2nl.nl.reading.reader`, `pddl2nl.nl.reading.claims`)."""

ATTEMPTS = frozenset(("read", "ambiguous", "unreadable", "unknown-object"))
"""The statuses of lines that were meant as actions, whether or not they could be read."""

UNSAID = "it stands for steps, or changes one, without saying them"
"""The reason of a line that is reported for that."""

OFFERED = "the reply says that this is not its plan"
UNDECIDED = "the reply gives several plans and does not choose one"
REFUSED = "the line says that it is not done"
TAILED = "what follows does not belong to it"
"""The reason of a step with words behind it that may change it."""
ARROWS = ("→", "->")
"""List marks that may as well begin a remark on the step above."""
DOUBTED = "it speaks of an action, but does not say it as a step that can be read"
"""The reason of what may be a step, where nothing more is known."""
SETTLED = frozenset((UNSAID, OFFERED, UNDECIDED, REFUSED))
"""Reasons of lines that are no step, whatever they name."""


class Reading(NamedTuple):
    """One stretch of text and what it says.

    ``line`` counts from 1; ``input[start:end]`` is ``text``, the stretch that was read. ``rule`` names what
    read it: ``exact`` (letter by letter as told), or what had to be overlooked, joined by ``+``: ``case``,
    ``markup`` (numbering, bullets, emphasis, quotes, a full stop), ``prefix`` ("Action:", "I will"), ``loose``
    (articles, words for types, prepositions, spelled names, last words left out), ``reworded`` (another form of the
    verb, another order, other words), ``loose-tail`` (words behind the action), ``several`` (one of several in a line),
    ``json``, ``pddl`` (an s-expression, or a call), ``static`` (the one object that fits what never changes was
    left out), ``reference`` ("it", "there" or "the truck" stands for an object of the steps before), ``named``
    (what was left out is named before, and the state allows it), ``called`` (all objects stand behind the action's
    own name), ``static-types`` (of several actions only one has its static preconditions), ``on-ambiguous-state``
    (only one is applicable, `settle`), ``typo`` (a wrong letter in a verb). For
    what is no action it is ``prose``, ``thought``, ``label``, ``offered`` or ``claim``. A failed attempt has no rule.

    ``candidates`` holds the actions that fit equally well where the status is ambiguous, and the action that was meant
    where the status is unreadable since the task cannot have it (its types forbid it); ``unknown`` the words
    that name no object and ``suggestions`` told names near to them; ``reason`` says why nothing was read.
    """

    line: int
    start: int
    end: int
    text: str
    status: Status
    action: GroundAction | None = None
    candidates: tuple[GroundAction, ...] = ()
    rule: str = ""
    reason: str = ""
    unknown: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    stance: str = ""

    @property
    def is_attempt(self) -> bool:
        """Whether the text was meant as an action."""
        return self.status in ATTEMPTS

    @property
    def changes_steps(self) -> bool:
        """Whether it changes steps by their numbers, or stands for some without saying them."""
        return self.reason == UNSAID or self.stance.startswith("change")

    def as_prose(self, stance: str, rule: str = "prose") -> Reading:
        """The same as no action, for the given stance."""
        told = self._replace(status="not-an-action", action=None, candidates=(), unknown=(), reason="")
        return told._replace(rule=rule, stance=stance)

    def named(self, action: GroundAction) -> Reading:
        """The same as an action of which something was left out."""
        return self._replace(status="read", action=action, candidates=(), rule="named", reason="")

    def as_json(self) -> dict[str, object]:
        """The reading as the command line prints it; suggestions for an unknown object stand in ``candidates``.

        ``stance`` is there where the text does not assert the action.
        """
        said: dict[str, object] = {
            "line": self.line,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "status": self.status,
            "action": None if self.action is None else str(self.action),
            "candidates": [*map(str, self.candidates), *self.suggestions],
            "rule": self.rule,
        }
        return {**said, "stance": self.stance} if self.stance else said


def reported(doubt: Reading) -> Reading:
    """What may be a step and is not read, as an attempt that failed."""
    reason = doubt.reason or DOUBTED
    return doubt._replace(status="unreadable", rule="", reason=reason, stance="")


class PlacedReading(NamedTuple):
    """A reading with the layout around it, by which a reading policy chooses.

    ``number``: the list number before it; ``outer``: the numbers that this one is counted under (1 of "1.2");
    ``item``: the kind of list mark; ``indent``: blanks before the line; ``block``: the stretch between plan tags
    that it lies in; ``gap``: whether a blank line stands before it; ``coded``: whether it stands in code marks;
    ``apart``: whether it begins a sentence of its own behind another reading of its line;
    ``mark``: the kind of list that it stands in; ``tries``: the objects and unknown names of an attempt that failed;
    ``doubt``: whether it stands in prose, is reported, and begins or ends no plan.
    """

    reading: Reading
    number: int | None
    item: str
    indent: int
    block: int
    gap: bool
    coded: bool = False
    outer: tuple[int, ...] = ()
    apart: bool = False
    mark: str = ""
    tries: frozenset[str] = frozenset()
    doubt: bool = False

    @property
    def place(self) -> tuple[int, ...]:
        """Its number with the outer ones; empty without a number, and for an option's."""
        return () if self.number is None or self.item == "option" else (*self.outer, self.number)


@dataclass(frozen=True)
class Readings:
    """All that was read in a reply.

    ``readings``: everything, in order, prose included; ``chosen``: the attempts in the stretch that the policy
    took for the plan, in order, failed ones included; ``plan``: the actions of those that were read;
    ``ended``: whether a tag ended the plan; ``policy``: the reading policy in force.
    """

    readings: tuple[Reading, ...]
    chosen: tuple[Reading, ...]
    ended: bool
    policy: str

    @property
    def plan(self) -> tuple[GroundAction, ...]:
        """The actions that were read in the chosen stretch."""
        return tuple(reading.action for reading in self.chosen if reading.action is not None)

    @property
    def left_out(self) -> tuple[Reading, ...]:
        """The attempts that the policy did not choose, in order."""
        chosen = {(reading.start, reading.end) for reading in self.chosen}
        return tuple(item for item in self.readings if item.is_attempt and (item.start, item.end) not in chosen)

    @property
    def complete(self) -> bool:
        """Whether every attempt in the chosen stretch was read."""
        return all(reading.status == "read" for reading in self.chosen)

    def choosing(self, chosen: Sequence[Reading]) -> Readings:
        """The same with this plan, whose readings take the place of others of the same stretches."""
        plan = {(item.start, item.end): item for item in chosen}
        everything = tuple([plan.get((item.start, item.end), item) for item in self.readings])
        return replace(self, readings=everything, chosen=tuple(chosen))

    def as_json(self) -> dict[str, object]:
        """The readings as the command line prints them."""
        return {
            "readings": [reading.as_json() for reading in self.readings],
            "plan": [str(action) for action in self.plan],
            "ended": self.ended,
            "policy": self.policy,
        }


def settle(reading: Reading, applicable: Callable[[GroundAction], bool]) -> Reading:
    """An ambiguous reading settled by a state: the only candidate that is applicable is what was meant.

    The rule then ends in ``on-ambiguous-state``, so that a record says so. Where no candidate or several are
    applicable, the reading stays as it is, and so does every reading that is not ambiguous.
    """
    if reading.status != "ambiguous":
        return reading
    fitting = [candidate for candidate in reading.candidates if applicable(candidate)]
    if len(fitting) != 1:
        return reading
    rule = "+".join(name for name in (reading.rule, "on-ambiguous-state") if name)
    return reading._replace(status="read", action=fitting[0], candidates=(), rule=rule, reason="")


def settle_plan(readings: Readings, simulator: Simulator) -> Readings:
    """The same readings, the plan's ambiguous lines settled: each by the state in which its turn comes.

    The plan is followed from the initial state. Behind the first line that is not read, or not applicable, no
    state is known, so nothing more is settled. Lines that the reading policy left out stay as they are.
    """
    state: State | None = simulator.initial
    chosen: list[Reading] = []
    for reading in readings.chosen:
        if state is not None:
            reading = settle(reading, partial(simulator.is_applicable, state))
            state = None if reading.action is None else simulator.step(state, reading.action).successor
        chosen.append(reading)
    return readings.choosing(chosen)
