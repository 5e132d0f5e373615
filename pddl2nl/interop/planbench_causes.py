"""Why a reply is judged otherwise than PlanBench judged it: one cause from a closed list, computed from evidence.

The evidence: where in the reply each action of our plan stands (the readings), where each line of the recorded
plan must come from (the next line of the reply that says its action), and the best alignment of the two. What
stands in one plan and not in the other is then looked up in the reply: was it said again, or a sentence, or behind
the plan's end, did more words stand behind it? Nothing depends on the file or the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pddl2nl.interop.planbench_places import Placed, aligned, places_of
from pddl2nl.nl import Names, Wording
from pddl2nl.nl.reading.read_layout import Block
from pddl2nl.nl.reading.readings import PlacedReading, Reading
from pddlval import GroundAction

__all__ = ["Cause", "Evidence", "cause_of"]


class Cause(StrEnum):
    """Why two readings of one reply are judged differently; each holds for either side."""

    PROSE_BEFORE = "prose before the plan read as actions"
    PROSE_WITHIN = "prose within the plan read as actions"
    PROSE_AFTER = "prose after the end read as actions"
    RESTATED = "plan restated and concatenated"
    REVISED = "several plans concatenated"
    STEP_TWICE = "step and its title both counted"
    MARKED_ONLY = "recorded extraction took the marked plan alone"
    TAIL_CLAUSE = "tail clause confused the object finder"
    WRONG_OBJECT = "recorded extraction took another object"
    WRONG_ACTION = "recorded extraction took another action"
    INCOMPLETE = "recorded extraction incomplete"
    EMPTY = "recorded extraction empty"
    PDDL = "reply in PDDL"
    OURS_AMBIGUOUS = "our reading is ambiguous"
    OURS_UNKNOWN = "our reading names an unknown object"
    OURS_UNREADABLE = "our reading has an unreadable line"
    OURS_EMPTY = "our reading is empty"
    SAME_PLAN = "same plan judged differently"
    OTHER = "other"


@dataclass(frozen=True)
class Evidence:
    """All that a cause is computed from.

    ``readings`` are all readings of the reply with their layout, ``blocks`` its stretches between plan tags,
    ``chosen`` what the policy took for the plan; ``recorded`` is the plan that PlanBench extracted, None where it
    extracted none.
    """

    reply: str
    readings: Sequence[PlacedReading]
    blocks: Sequence[Block]
    chosen: Sequence[PlacedReading]
    recorded: Sequence[GroundAction] | None
    ours_correct: bool
    wording: Wording
    names: Names


def cause_of(evidence: Evidence) -> Cause:
    """The cause of a disagreement between the recorded verdict and ours."""
    chosen = [item.reading for item in evidence.chosen]
    failed = next((item for item in chosen if item.status != "read"), None)
    if failed is not None:
        return _FAILED.get(failed.status, Cause.OURS_UNREADABLE)
    if not evidence.recorded:
        return Cause.PDDL if chosen and all("pddl" in _rules(item) for item in chosen) else Cause.EMPTY
    if not chosen:
        return Cause.OURS_EMPTY
    if [item.action for item in chosen] == list(evidence.recorded):
        return Cause.SAME_PLAN
    return _Comparison(evidence).cause()


_FAILED = {"ambiguous": Cause.OURS_AMBIGUOUS, "unknown-object": Cause.OURS_UNKNOWN}


_WORDS = re.compile(r"[^\W\d_]{2}")
_LINKS = re.compile(r"\b(?:and|then|next|finally)\b", re.IGNORECASE)


class _Comparison:
    """Two plans of one reply that differ, aligned; every difference votes for a cause."""

    def __init__(self, evidence: Evidence):
        self._evidence = evidence
        self._chosen = evidence.chosen
        self._ours = [Placed(item.reading.action, item.reading.line) for item in evidence.chosen if item.reading.action]
        self._recorded = places_of(evidence.recorded or (), evidence.reply, evidence.wording, evidence.names)
        self._pairs = aligned(self._ours, self._recorded)
        self._items = {
            Placed(item.reading.action, item.reading.line): item for item in evidence.readings if item.reading.action
        }

    def cause(self) -> Cause:
        """The cause of most differences; on ties the one that stands first in `Cause`."""
        if self._marked_only():
            return Cause.MARKED_ONLY
        votes: Counter[Cause] = Counter()
        exchanged = self._exchanged()
        for ours, recorded in exchanged:
            votes[self._exchange(ours, recorded)] += 1
        missing = [index for ours, _ in self._gaps() for index in ours if index not in dict(exchanged)]
        extra = [index for _, other in self._gaps() for index in other if index not in dict(exchanged).values()]
        for index in missing:
            votes[self._left_out(index)] += 1
        for index in extra:
            votes[self._added(self._recorded, index, self._ours)] += 1
        if votes[Cause.REVISED]:
            # Plans that differ have steps in common.
            votes[Cause.REVISED] += votes.pop(Cause.RESTATED, 0)
        most = max(votes.values(), default=0)
        return next((cause for cause in Cause if votes[cause] == most), Cause.OTHER)

    def _exchanged(self) -> list[tuple[int, int]]:
        """Indices of actions, ours and recorded, that stand for each other.

        They were read out of the same line; or no line says the recorded one, and between their neighbours, which
        both plans have, stands nothing else.
        """
        found: list[tuple[int, int]] = []
        for missing, extra in self._gaps():
            lines = {self._ours[index].line: index for index in missing}
            same = [
                (lines[self._recorded[index].line], index) for index in extra if self._recorded[index].line in lines
            ]
            alone = len(missing) == len(extra) == 1 and not self._recorded[extra[0]].line
            found += [(missing[0], extra[0])] if alone else same
        return found

    def _gaps(self) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """What only one plan has, ours and recorded, from each action that both have to the next."""
        before = (-1, -1)
        for pair in (*self._pairs, (len(self._ours), len(self._recorded))):
            yield range(before[0] + 1, pair[0]), range(before[1] + 1, pair[1])
            before = pair

    def _exchange(self, ours: int, recorded: int) -> Cause:
        if self._has_tail(self._chosen[ours]):
            return Cause.TAIL_CLAUSE
        alike = self._ours[ours].action.name == self._recorded[recorded].action.name
        return Cause.WRONG_OBJECT if alike else Cause.WRONG_ACTION

    def _marked_only(self) -> bool:
        """Whether the recorded plan is what stands between tags, and ours goes beyond it."""
        marked = {item.reading.line for item in self._chosen if self._evidence.blocks[item.block].opened}
        kept = [action for action, line in self._ours if line in marked]
        return len(kept) < len(self._ours) and kept == [action for action, _ in self._recorded]

    def _left_out(self, index: int) -> Cause:
        """Why an action of ours is not in the recorded plan."""
        item = self._chosen[index]
        if not self._evidence.ours_correct:
            return self._added(self._ours, index, self._recorded)
        if "pddl" in _rules(item.reading):
            return Cause.PDDL
        return Cause.TAIL_CLAUSE if self._has_tail(item) else Cause.INCOMPLETE

    def _added(self, plan: Sequence[Placed], index: int, other: Sequence[Placed]) -> Cause:
        """Why an action of one plan is too much, seen from the other."""
        placed = plan[index]
        item = self._items.get(placed)
        if item is None:
            return self._prose(placed.line, other)
        if any(beside.action == placed.action for beside in plan[max(index - 1, 0) : index + 2] if beside != placed):
            return Cause.STEP_TWICE
        # Behind the end a step with more words behind it explains the plan; before it, it may well be a plan's.
        behind = placed.line > max(line for _, line in other)
        if self._has_tail(item) and (behind or not item.item) and not self._evidence.blocks[item.block].opened:
            return self._prose(placed.line, other)
        return Cause.RESTATED if any(placed.action == action for action, _ in other) else Cause.REVISED

    def _has_tail(self, item: PlacedReading) -> bool:
        """Whether more words stand behind the action, up to the next one or the end of its line."""
        reply, start = self._evidence.reply, item.reading.end
        end = reply.find("\n", start)
        ends = [len(reply) if end < 0 else end]
        ends += [other.reading.start for other in self._items.values() if start <= other.reading.start < ends[0]]
        return bool(_WORDS.search(_LINKS.sub(" ", reply[start : min(ends)])))

    def _prose(self, line: int, plan: Sequence[Placed]) -> Cause:
        """Where a sentence stands, seen from a plan."""
        lines = [placed.line for placed in plan if placed.line]
        if not line or not lines:
            return Cause.OTHER
        if line < min(lines):
            return Cause.PROSE_BEFORE
        return Cause.PROSE_AFTER if line > max(lines) else Cause.PROSE_WITHIN


def _rules(reading: Reading) -> list[str]:
    return reading.rule.split("+")
