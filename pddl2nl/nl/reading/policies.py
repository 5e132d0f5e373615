"""Reading policies: which of a reply's action lines are its plan.

A policy is a named, documented, versioned object, so that a record can say under which rule a plan was taken
out of a reply. Whatever a policy leaves out stays in the readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pddl2nl.nl.reading.readings import AMENDED, PlacedReading
from pddl2nl.nl.reading.segments import Block
from pddl2nl.nl.reading.stance import announces_plan, chosen_option, rejects_after, rejects_before, takes_back
from pddlval import GroundAction

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
    """The plan that the reply ends on or says that it takes, with what is reported in the prose of it."""
    return _with_doubts(_last_plan([_as_prose(item) if item.doubt else item for item in placed], blocks), placed)


def _as_prose(item: PlacedReading) -> PlacedReading:
    return item._replace(reading=item.reading._replace(status="not-an-action", rule="prose"))


def _with_doubts(chosen: Placed, placed: Placed) -> Placed:
    """The chosen readings and the doubtful ones among them, or on a line beside them; all doubtful ones without any."""
    if not any(item.doubt for item in placed):
        return chosen
    if not _holds_action(chosen):
        return [*chosen, *(item for item in placed if item.doubt)]
    kept = {item.reading.start for item in chosen}
    # What stands below a step, further in, explains it.
    deep = min(item.indent for item in chosen) + 2
    first, last = chosen[0].reading.line - 1, chosen[-1].reading.line
    # Behind a blank line another paragraph begins.
    last += all(not item.gap for item in placed if item.reading.line == last + 1)
    first += any(item.gap for item in placed if item.reading.line == first + 1)

    def belongs(item: PlacedReading) -> bool:
        near = first <= item.reading.line <= last and item.block == chosen[0].block and item.indent < deep
        return near or (item.reading.reason == AMENDED and item.reading.start > chosen[0].reading.start)

    return [item for item in placed if (belongs(item) if item.doubt else item.reading.start in kept)]


def _last_plan(placed: Placed, blocks: Sequence[Block]) -> Placed:
    runs = [run for run in _runs(_without_restatements(placed), blocks) if run.items and not run.bad]
    best = _option(runs, placed)
    for run in runs if best is None else ():
        if run.rejected or (
            best and not best.holds_action and not run.holds_action and len(run.items) < len(best.items)
        ):
            continue
        if best is None or (run.holds_action, run.rank) >= (best.holds_action, best.rank):
            best = _follow(best, run)
    if best is None:
        return ()
    return best.items if _rank(blocks[best.items[0].block]) == 3 else _trimmed(best.items)


def _option(runs: Sequence[_Run], placed: Placed) -> _Run | None:
    """Of several plans the one that prose behind the last says is taken: "I choose option 2."."""
    plans = [run for run in runs if run.anew and run.holds_action]
    if len(plans) < 2:
        return None
    end = plans[-1].items[-1].reading.end
    behind = [item.reading.text for item in placed if item.reading.action is None and item.reading.start >= end]
    index = chosen_option(". ".join(behind), len(plans))
    return None if index is None else plans[index]


def _all(placed: Placed, blocks: Sequence[Block]) -> Placed:
    """The readings of the last stretch between plan tags that holds an action, or of the whole reply.

    A stretch with both tags comes before one that only ends in a tag (its start tag may be the prompt's last word),
    and that before one that only begins with a tag.
    """
    plain = [item for item in placed if not item.doubt]
    stretches = [[item for item in plain if item.block == index] for index in range(len(blocks))]
    marked = [(_rank(blocks[index]), index) for index, items in enumerate(stretches) if _holds_action(items)]
    rank, index = max(marked, default=(0, 0))
    inside = stretches[index] if rank else plain
    return _with_doubts(_trimmed([item for item in _without_restatements(inside) if item.reading.is_attempt]), placed)


def _planbench(placed: Placed, blocks: Sequence[Block]) -> Placed:
    kept: list[PlacedReading] = []
    for item in placed:
        # PlanBench splits lines at blanks and knows an action's first word only where no mark but a star clings to
        # it: of a step in bold and, under it, the same in code marks it counts one.
        again = kept and item.coded and _restates(item, kept[-1])
        worded = "reworded" not in item.reading.rule.split("+")
        if item.reading.status in ("read", "ambiguous", "unknown-object") and worded and not again:
            kept.append(item)
    return kept


def _rank(block: Block) -> int:
    return 3 if block.opened and block.closed else 2 if block.closed else 1 if block.opened else 0


def _holds_action(placed: Placed) -> bool:
    return any(item.reading.status in ("read", "ambiguous") for item in placed)


# ── restatements ─────────────────────────────────────────────────────────────────────────────────


def _without_restatements(placed: Placed) -> list[PlacedReading]:
    """The readings without those that only explain a step: the same action again under its title, or behind it.

    The title is the first action of a list item. What follows in the item, in sentences or lines of its own, counts if
    it says another action; a failed attempt on an indented line is part of the explanation.
    """
    kept: list[PlacedReading] = []
    title: PlacedReading | None = None
    for item in placed:
        reading = item.reading
        same_line = title is not None and reading.line == title.reading.line
        below = title is not None and item.indent > title.indent
        if item.item != "" and not same_line and not below:
            title = item if reading.status == "read" else None
        elif reading.rule in ("prose", "label") and item.indent < 2:
            if takes_back(reading.text) or announces_plan(reading.text):
                title = None
        elif reading.is_attempt and title is not None:
            read = reading.status == "read"
            aside = item.apart if same_line else item.item == "" or below
            again = reading.action == title.reading.action if read else same_line or below
            if aside and again and item.block == title.block:
                continue
            title = title if same_line else None
        kept.append(item)
    return kept


def _restates(item: PlacedReading, above: PlacedReading) -> bool:
    """Whether a line is the second telling of a step: "1. **Stack a on b**" and under it "- Action: stack a on b"."""
    return item.indent > above.indent and item.reading.status == "read" and item.reading.action == above.reading.action


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Run:
    """Attempts that may be one plan.

    ``rank`` says which plan tags are around it; ``anew``: whether words or numbers say that a plan begins here;
    ``bad``, ``rejected``: whether the reply says before it, or behind it, that it is wrong.
    """

    rank: int
    anew: bool
    bad: bool = False
    rejected: bool = False
    items: list[PlacedReading] = field(default_factory=list)

    @property
    def holds_action(self) -> bool:
        return _holds_action(self.items)

    @property
    def actions(self) -> list[GroundAction]:
        return [item.reading.action for item in self.items if item.reading.action is not None]

    @property
    def numbered(self) -> bool:
        return all(item.number is not None for item in self.items)


def _follow(best: _Run | None, run: _Run) -> _Run:
    """What counts of a plan and a run behind it: the run, the plan that it only explains, or both as one."""
    if best is None or run.rank > best.rank or not best.holds_action:
        return run
    said, again = best.actions, run.actions
    explains = best.numbered and not run.numbered and set(again) <= set(said) and not run.anew
    if (len(again) < len(said) and _is_part(again, said)) or not run.holds_action:
        return best
    if run.anew or _is_part(said, again) or (run.numbered and not best.numbered):
        return run
    return best if explains else _Run(best.rank, best.anew, items=[*best.items, *run.items])


def _is_part(some: Sequence[GroundAction], of: Sequence[GroundAction]) -> bool:
    """Whether actions come in the same order in another sequence."""
    rest = iter(of)
    return all(action in rest for action in some)


def _runs(placed: Placed, blocks: Sequence[Block]) -> list[_Run]:
    """The attempts, cut where a list restarts, where plan tags stand, and where prose parts two plans."""
    run = _Run(0, True)
    runs = [run]
    block, last_line = -1, 0
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    pending: tuple[int, ...] = ()
    parted = anew = bad = taken_back = False
    for item in placed:
        reading = item.reading
        inside = _rank(blocks[item.block]) == 3
        if not reading.is_attempt:
            if item.number is not None and reading.rule in ("label", "prose") and item.item != "option":
                pending = (*item.outer, item.number)
            bad = bad and reading.rule != "offered"
            spoken = item.item in ("", "option") and (item.indent < 2 or takes_back(reading.text))
            if not spoken or reading.rule not in ("prose", "claim", "label"):
                continue
            if takes_back(reading.text) and run.items:
                taken_back = True
                run.rejected = run.rejected or (rejects_before(reading.text) and not rejects_after(reading.text))
            if not inside:
                announced = announces_plan(reading.text)
                bad = rejects_after(reading.text) or (bad and not announced)
                anew = anew or announced
                parted = parted or item.gap
            continue
        option = item.item == "option"
        number = pending if item.number is None or option else (*item.outer, item.number)
        same_line = reading.line == last_line
        parted = parted or (item.gap and not same_line and not number and last_line > 0 and bool(last))
        restarts = (option and not same_line) or bool(
            number and last and not same_line and (number < last or number == last != first)
        )
        if reading.stance == "corrects" and run.items and run.items[-1].block == item.block:
            run.items.pop()
        elif restarts and (taken_back or number == last) and len(number) == 1 and number[0] > 1 and block == item.block:
            # "3. … Wait, that fails. 3. …": the plan is mended from there on.
            run.rejected = False
            run.items = [other for other in run.items if other.number is None or (other.number,) < number]
        elif (
            item.block != block
            or (not inside and (restarts or anew or (parted and not _follows(number, last))))
            or run.rejected
        ):
            run = _Run(_rank(blocks[item.block]), item.block != block or restarts or anew or taken_back, bad)
            runs.append(run)
            last = ()
        run.items.append(item)
        parted = anew = taken_back = bad = False
        block, last_line = item.block, reading.line
        if number:
            first, last, pending = (first if last else number), number, ()
    return runs


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a list number is the next one: 4 behind 3, 1.2 behind 1.1, 2.1 behind 1.2."""
    if not number or len(number) != len(last):
        return False
    if number[:-1] == last[:-1]:
        return number[-1] == last[-1] + 1
    return number[-1] <= 1 and _follows(number[:-1], last[:-1])


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
                8,
                "The last [PLAN] … [PLAN END] that holds an action (without one, the last stretch that ends in [PLAN "
                "END], then the last that begins with [PLAN]); without any, the plan that the reply ends on. A plan "
                "that the reply rejects does not count, and what only explains a plan adds nothing to it. A step said "
                "again below its title counts once.",
                _default,
            ),
            ReadingPolicy(
                "all",
                6,
                "Every action line of the marked plan (as in default); without one, of the whole reply. A step "
                "said again on an indented line below it counts once.",
                _all,
            ),
            ReadingPolicy(
                "planbench",
                6,
                "Every line that says an action, anywhere in the reply, PDDL lines too; tags are ignored, and lines in "
                "which no action can be made out are skipped, as PlanBench's own extraction does. A step said again in "
                "code marks on an indented line below it counts once.",
                _planbench,
            ),
        )
    }
)
"""The reading policies by name."""
