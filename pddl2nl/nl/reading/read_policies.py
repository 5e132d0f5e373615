"""Reading policies: which of a reply's action lines are its plan.

A policy is a named, documented, versioned object, so that a record can say under which rule a plan was taken
out of a reply. Whatever a policy leaves out stays in the readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pddl2nl.nl.reading.read_layout import Block
from pddl2nl.nl.reading.readings import PlacedReading

__all__ = ["READING_POLICIES", "ReadingPolicy"]

Placed = Sequence[PlacedReading]


@dataclass(frozen=True)
class ReadingPolicy:
    """A rule that chooses a reply's plan; ``version`` grows whenever its choice can change.

    ``choose`` takes all readings with their layout, and the blocks between plan tags, and gives the chosen
    readings in order.
    """

    name: str
    version: int
    description: str
    choose: Callable[[Placed, Sequence[Block]], Placed]


def _default(placed: Placed, blocks: Sequence[Block]) -> Placed:
    block, inside = _marked(placed, blocks)
    if block is not None and block.opened and block.closed:
        return _attempts(inside)
    return _longest_run(inside)


def _all(placed: Placed, blocks: Sequence[Block]) -> Placed:
    _, inside = _marked(placed, blocks)
    return _trimmed(_attempts(inside))


def _planbench(placed: Placed, blocks: Sequence[Block]) -> Placed:
    kept: list[PlacedReading] = []
    for item in placed:
        # PlanBench splits lines at blanks and knows an action's first word only where no mark but a star clings to
        # it: of a step in bold and, under it, the same in code marks it counts one.
        again = kept and item.coded and _restates(item, kept[-1])
        if item.reading.status in _SAYS_AN_ACTION and not again:
            kept.append(item)
    return kept


_SAYS_AN_ACTION = frozenset(("read", "ambiguous", "unknown-object"))


def _marked(placed: Placed, blocks: Sequence[Block]) -> tuple[Block | None, Placed]:
    """The marked plan: the last stretch between plan tags that holds an action, or else all.

    A stretch with both tags comes before one that only ends in a tag (its start tag may be the prompt's last
    word), and that before one that only begins with a tag.
    """
    ranks = ([block.opened and block.closed for block in blocks], [block.closed for block in blocks])
    for counts in (*ranks, [block.opened for block in blocks]):
        for index in range(len(blocks) - 1, -1, -1):
            inside = [item for item in placed if item.block == index] if counts[index] else []
            if _holds_action(inside):
                return blocks[index], inside
    return None, placed


def _holds_action(placed: Placed) -> bool:
    return any(item.reading.status in ("read", "ambiguous") for item in placed)


def _longest_run(placed: Placed) -> Placed:
    """The longest run that holds an action; where none does, the longest that says one of unknown objects."""
    longest: Placed = ()
    best = (False, 1)
    for run in _runs(placed):
        trimmed = _trimmed(run)
        score = (_holds_action(trimmed), sum(item.reading.status != "unreadable" for item in trimmed))
        if score >= best:
            longest, best = trimmed, score
    return longest


def _runs(placed: Placed) -> list[list[PlacedReading]]:
    """Action lines that belong together.

    A restart of the numbering ends a run, and so does a paragraph of prose or a line that announces a list,
    unless the numbering goes on behind it. A list that has one number for all of its items, as Markdown allows,
    does not restart.
    """
    runs: list[list[PlacedReading]] = [[]]
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    last_line = 0
    ends = _paragraphs_of_prose(placed)
    parted = False
    for index, item in enumerate(placed):
        if not item.reading.is_attempt:
            parted = parted or index in ends
            continue
        if runs[-1] and _restates(item, runs[-1][-1]):
            continue
        number = () if item.number is None else (*item.outer, item.number)
        same_line = item.reading.line == last_line
        restarts = number and last and not same_line and (number < last or number == last != first)
        if restarts or (parted and not _follows(number, last)):
            runs.append([])
            last = ()
        runs[-1].append(item)
        parted = False
        last_line = item.reading.line
        if number:
            first, last = (first if last else number), number
    return runs


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a list number is the next one: 4 behind 3, 1.2 behind 1.1, 2.1 behind 1.2."""
    if not number or len(number) != len(last):
        return False
    if number[:-1] == last[:-1]:
        return number[-1] == last[-1] + 1
    return number[-1] <= 1 and _follows(number[:-1], last[:-1])


def _attempts(placed: Placed) -> list[PlacedReading]:
    """The attempts, without indented lines that say the action above them again."""
    kept: list[PlacedReading] = []
    for item in placed:
        if item.reading.is_attempt and not (kept and _restates(item, kept[-1])):
            kept.append(item)
    return kept


def _restates(item: PlacedReading, above: PlacedReading) -> bool:
    """Whether a line is the second telling of a step: "1. **Stack a on b**" and under it "- Action: stack a on b"."""
    return item.indent > above.indent and item.reading.status == "read" and item.reading.action == above.reading.action


def _paragraphs_of_prose(placed: Placed) -> frozenset[int]:
    """Indices of readings that end a run: in paragraphs without an action, or announcing what follows."""
    ends: set[int] = set()
    paragraph: list[int] = []

    def close() -> None:
        if not any(placed[index].reading.is_attempt for index in paragraph):
            ends.update(index for index in paragraph if not placed[index].neutral)
        paragraph.clear()

    for index, item in enumerate(placed):
        if item.gap:
            close()
        paragraph.append(index)
        announces = item.reading.text.rstrip("*_` ").endswith(":") and item.item == "" and item.indent == 0
        if not item.reading.is_attempt and not item.neutral and announces:
            ends.add(index)
    close()
    return frozenset(ends)


def _trimmed(run: Placed) -> Placed:
    """A run without unreadable lines at its ends that don't look like its actions: sentences around a list.

    Between actions nothing is ever dropped.
    """
    items = {item.item for item in run if item.reading.status == "read"}
    first, last = 0, len(run)
    while first < last and _is_stray(run[first], items):
        first += 1
    while last > first and _is_stray(run[last - 1], items):
        last -= 1
    return run[first:last]


def _is_stray(item: PlacedReading, items: set[str]) -> bool:
    return item.reading.status in ("unreadable", "unknown-object") and bool(items) and item.item not in items


READING_POLICIES: Mapping[str, ReadingPolicy] = MappingProxyType(
    {
        policy.name: policy
        for policy in (
            ReadingPolicy(
                "default",
                3,
                "The last [PLAN] … [PLAN END] that holds an action (without one, the last stretch that ends in [PLAN "
                "END], then the last that begins with [PLAN]); without any, the longest run of action lines. A restart "
                "of the numbering or a paragraph of prose ends a run; the last one on ties. A step said again on an "
                "indented line below it counts once.",
                _default,
            ),
            ReadingPolicy(
                "all",
                2,
                "Every action line of the marked plan (found as in default); without one, of the whole reply. A step "
                "said again on an indented line below it counts once.",
                _all,
            ),
            ReadingPolicy(
                "planbench",
                2,
                "Every line that says an action, anywhere in the reply, PDDL lines too; tags are ignored, and lines in "
                "which no action can be made out are skipped, as PlanBench's own extraction does. A step said again in "
                "code marks on an indented line below it counts once.",
                _planbench,
            ),
        )
    }
)
"""The reading policies by name."""
