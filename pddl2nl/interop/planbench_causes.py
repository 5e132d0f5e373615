"""Why our verdict on a reply differs from PlanBench's: one cause from a closed list, computed from the reply.

Our plan gives the line of each of its actions; an action of the recorded plan comes from the next line that names it.
The two plans are aligned, and each action that only one of them has votes for a cause by its place in the reply: it
repeats an action, stands in a sentence, or after the plan's end. Nothing depends on the file or the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from pddl2nl.nl import Names, Wording
from pddl2nl.nl.reading.readings import PlacedReading, Reading
from pddl2nl.nl.reading.segments import Block
from pddlval import GroundAction


class DisagreementCause(StrEnum):
    """Why two readings of one reply are judged differently; each may apply to either reading."""

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
    """The input for finding a cause.

    ``readings`` are all readings of the reply with their layout, ``blocks`` its parts between plan tags, ``chosen`` the
    readings that the policy took as the plan; ``recorded`` is the plan that PlanBench extracted, or None.
    """

    reply: str
    readings: Sequence[PlacedReading]
    blocks: Sequence[Block]
    chosen: Sequence[PlacedReading]
    recorded: Sequence[GroundAction] | None
    ours_correct: bool
    wording: Wording
    names: Names


def cause_of(evidence: Evidence) -> DisagreementCause:
    """The cause of a disagreement between the recorded verdict and ours."""
    chosen = [item.reading for item in evidence.chosen]
    failed = next((item for item in chosen if item.status != "read"), None)
    if failed is not None:
        return _FAILED.get(failed.status, DisagreementCause.OURS_UNREADABLE)
    if not evidence.recorded:
        return (
            DisagreementCause.PDDL
            if chosen and all("pddl" in _rules(item) for item in chosen)
            else DisagreementCause.EMPTY
        )
    if not chosen:
        return DisagreementCause.OURS_EMPTY
    if [item.action for item in chosen] == list(evidence.recorded):
        return DisagreementCause.SAME_PLAN
    # What a pronoun says is no line that the recorded extraction could have taken.
    plain = tuple(item for item in evidence.readings if "reference" not in _rules(item.reading))
    return _PlanComparison(replace(evidence, readings=plain)).cause()


_FAILED = {"ambiguous": DisagreementCause.OURS_AMBIGUOUS, "unknown-object": DisagreementCause.OURS_UNKNOWN}


_WORDS = re.compile(r"[^\W\d_]{2}")
_LINKS = re.compile(r"\b(?:and|then|next|finally)\b", re.IGNORECASE)


class _PlanComparison:
    """Two different plans of one reply, aligned; every difference votes for a cause."""

    def __init__(self, evidence: Evidence):
        self._evidence = evidence
        self._chosen = evidence.chosen
        self._ours = [
            PlacedAction(item.reading.action, item.reading.line) for item in evidence.chosen if item.reading.action
        ]
        self._recorded = places_of(evidence.recorded or (), evidence.reply, evidence.wording, evidence.names)
        self._pairs = aligned(self._ours, self._recorded)
        self._items = {
            PlacedAction(item.reading.action, item.reading.line): item
            for item in evidence.readings
            if item.reading.action
        }

    def cause(self) -> DisagreementCause:
        """The cause with most votes; on ties the first in `DisagreementCause`."""
        if self._marked_only():
            return DisagreementCause.MARKED_ONLY
        votes: Counter[DisagreementCause] = Counter()
        exchanged = self._exchanged()
        for ours, recorded in exchanged:
            votes[self._exchange(ours, recorded)] += 1
        missing = [index for ours, _ in self._gaps() for index in ours if index not in dict(exchanged)]
        extra = [index for _, other in self._gaps() for index in other if index not in dict(exchanged).values()]
        for index in missing:
            votes[self._left_out(index)] += 1
        for index in extra:
            votes[self._added(self._recorded, index, self._ours)] += 1
        if votes[DisagreementCause.REVISED]:
            # Plans that differ have steps in common.
            votes[DisagreementCause.REVISED] += votes.pop(DisagreementCause.RESTATED, 0)
        most = max(votes.values(), default=0)
        return next((cause for cause in DisagreementCause if votes[cause] == most), DisagreementCause.OTHER)

    def _exchanged(self) -> list[tuple[int, int]]:
        """Pairs of indices, ours and recorded, of actions read from the same text.

        Both come from the same line; or no line names the recorded one, and both are the only actions between two that
        the plans share.
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
        """The indices that only our plan or only the recorded plan has, between shared actions."""
        before = (-1, -1)
        for pair in (*self._pairs, (len(self._ours), len(self._recorded))):
            yield range(before[0] + 1, pair[0]), range(before[1] + 1, pair[1])
            before = pair

    def _exchange(self, ours: int, recorded: int) -> DisagreementCause:
        if self._has_tail(self._chosen[ours]):
            return DisagreementCause.TAIL_CLAUSE
        alike = self._ours[ours].action.name == self._recorded[recorded].action.name
        return DisagreementCause.WRONG_OBJECT if alike else DisagreementCause.WRONG_ACTION

    def _marked_only(self) -> bool:
        """Whether the recorded plan is the text between tags, and ours has more actions."""
        marked = {item.reading.line for item in self._chosen if self._evidence.blocks[item.block].opened}
        kept = [action for action, line in self._ours if line in marked]
        return len(kept) < len(self._ours) and kept == [action for action, _ in self._recorded]

    def _left_out(self, index: int) -> DisagreementCause:
        """Why an action of ours is not in the recorded plan."""
        item = self._chosen[index]
        if not self._evidence.ours_correct:
            return self._added(self._ours, index, self._recorded)
        if "pddl" in _rules(item.reading):
            return DisagreementCause.PDDL
        return DisagreementCause.TAIL_CLAUSE if self._has_tail(item) else DisagreementCause.INCOMPLETE

    def _added(self, plan: Sequence[PlacedAction], index: int, other: Sequence[PlacedAction]) -> DisagreementCause:
        """Why one plan has an action that the other lacks."""
        placed = plan[index]
        item = self._items.get(placed)
        if item is None:
            return self._prose(placed.line, other)
        if any(beside.action == placed.action for beside in plan[max(index - 1, 0) : index + 2] if beside != placed):
            return DisagreementCause.STEP_TWICE
        # After the end of the plan, a step followed by more words is an explanation; before it, it may be a step.
        behind = placed.line > max(line for _, line in other)
        if self._has_tail(item) and (behind or not item.item) and not self._evidence.blocks[item.block].opened:
            return self._prose(placed.line, other)
        return (
            DisagreementCause.RESTATED
            if any(placed.action == action for action, _ in other)
            else DisagreementCause.REVISED
        )

    def _has_tail(self, item: PlacedReading) -> bool:
        """Whether words follow the action, before the next one or the end of its line."""
        reply, start = self._evidence.reply, item.reading.end
        end = reply.find("\n", start)
        ends = [len(reply) if end < 0 else end]
        ends += [other.reading.start for other in self._items.values() if start <= other.reading.start < ends[0]]
        return bool(_WORDS.search(_LINKS.sub(" ", reply[start : min(ends)])))

    def _prose(self, line: int, plan: Sequence[PlacedAction]) -> DisagreementCause:
        """Where a sentence stands relative to a plan."""
        lines = [placed.line for placed in plan if placed.line]
        if not line or not lines:
            return DisagreementCause.OTHER
        if line < min(lines):
            return DisagreementCause.PROSE_BEFORE
        return DisagreementCause.PROSE_AFTER if line > max(lines) else DisagreementCause.PROSE_WITHIN


def _rules(reading: Reading) -> list[str]:
    return reading.rule.split("+")


# ── where the plans stand in the reply ───────────────────────────────────────────────────────────


class PlacedAction(NamedTuple):
    """An action of a plan and the line of the reply that it comes from, from 1; 0 if no line names it."""

    action: GroundAction
    line: int


def places_of(plan: Sequence[GroundAction], reply: str, wording: Wording, names: Names) -> list[PlacedAction]:
    """The actions of a plan with their lines: the next line that names the action, from that of the action before.

    A line names an action if it contains the action's first word and all its objects, or all but one if there is no
    such line. Objects that the reply never mentions are ignored: PlanBench adds some itself, such as a city.
    """
    lines = [_words(line) for line in reply.split("\n")]
    mentioned = frozenset[str]().union(*lines)
    placed: list[PlacedAction] = []
    last = 0
    for action in plan:
        verb = _first_words(action, wording)
        objects = {word for name in action.args for word in _object_words(name, names) if word in mentioned}
        left = [(index, len(objects - words)) for index, words in enumerate(lines) if index >= last and verb <= words]
        # An object that the extraction added may be mentioned elsewhere.
        most = 1 if len(objects) > 1 else 0
        line = next((index + 1 for lacks in range(most + 1) for index, count in left if count == lacks), 0)
        placed.append(PlacedAction(action, line))
        last = line or last
    return placed


def aligned(ours: Sequence[PlacedAction], recorded: Sequence[PlacedAction]) -> list[tuple[int, int]]:
    """The longest common subsequence of two plans, as pairs of indices; among several, one with most equal lines."""
    width = len(recorded) + 1
    best = [[0] * width for _ in range(len(ours) + 1)]
    for i in range(len(ours) - 1, -1, -1):
        for j in range(width - 2, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + _score(ours[i], recorded[j]))
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(ours) and j < len(recorded):
        score = _score(ours[i], recorded[j])
        if score and best[i][j] == best[i + 1][j + 1] + score:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


_COMMON_ACTION = 10_000
"""The score of an equal action; larger than any sum of equal lines."""


def _score(one: PlacedAction, other: PlacedAction) -> int:
    if one.action != other.action:
        return 0
    return _COMMON_ACTION + (one.line == other.line)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+(?:[_-][^\W_]+)*", text.casefold()))


def _first_words(action: GroundAction, wording: Wording) -> frozenset[str]:
    """The first word of an action's snippet; the first word of its name without one."""
    snippet = wording.actions.get(action.name)
    text = snippet.text if snippet is not None and snippet.text else action.name.split("-")[0]
    return frozenset(sorted(_words(text.split("{")[0]))[:1]) if text[0] == "{" else _words(text.split()[0])


def _object_words(name: str, names: Names) -> frozenset[str]:
    return _words(names.to_nl.get(name, name))
