"""Ground-truth plans in a record, and how far a plan agrees with them (plan correctness).

A *way* is a plan in blocks, one for each macro-action; some blocks may be exchanged, so its order is partial. The HVR
paper (Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification", section 4.1 and appendix B) has one way for tasks with a specific goal and several for open goals.

It counts the correct steps before the first wrong one, as a share of the ground truth's steps, and takes the maximum
over all linearizations. It does not say whether a superfluous step is wrong, so there are two variants:

*prefix*
    The count ends at the first step that is not the next one of the ground truth.
*skipping*
    Superfluous steps are skipped: the longest beginning of the ground truth that is a subsequence of the plan.

The paper's example in appendix B.1 scores 2 of 16 by prefix and 5 of 16 by skipping: its sixth step, ``pick_up Pan``,
never comes after ``put_in EggCracked Pan``. The paper reports 100 %, which needs a linearization that is no plan by
itself (one arm cannot fetch the pan while it holds the egg). Our linearizations are plans.

Both counts avoid enumerating linearizations: what can come next depends only on the *set* of finished blocks. By
prefix, it is enough to keep the pairs of such a set and a position in the next block. By skipping, it is enough to keep
for each set the smallest number of plan steps that contain its blocks, because anything found after a later step is
also found after an earlier one.
"""

from __future__ import annotations

import reprlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pddl2nl.policies.events import RecordError

__all__ = ["MOST_SETS", "Reference", "Way", "plain_action", "prefix_steps", "reference_of", "skipping_steps"]

MOST_SETS = 1 << 14
"""The most sets of finished blocks of a way (fourteen independent blocks); both counts iterate over them."""


@dataclass(frozen=True)
class Way:
    """One ground-truth plan.

    Attributes:
        name: its name.
        blocks: the actions of each block, none empty.
        before: for each block, the blocks that must come before it as bits of a number, transitively closed.
    """

    name: str
    blocks: tuple[tuple[str, ...], ...]
    before: tuple[int, ...]

    @staticmethod
    def of(name: str, blocks: Sequence[Sequence[str]], order: Sequence[tuple[int, int]]) -> Way:
        """The way with these blocks; ``order`` has pairs of block indices, the first before the second.

        Raises:
            ValueError: the order has an unknown block or a cycle, or allows more than `MOST_SETS` sets of finished
                blocks.
        """
        for pair in order:
            if not all(0 <= place < len(blocks) for place in pair):
                raise ValueError(
                    f"the order {list(pair)} names a block that there is not; blocks are 0 to {len(blocks) - 1}"
                )
        closed = [{first for first, then in order if then == place} for place in range(len(blocks))]
        for middle in range(len(closed)):
            for each in closed:
                if middle in each:
                    each |= closed[middle]
        if any(place in each for place, each in enumerate(closed)):
            raise ValueError("its order goes in a circle: a block would come before itself")
        kept = [place for place, block in enumerate(blocks) if block]
        before = tuple(sum(1 << kept.index(other) for other in sorted(closed[place] & {*kept})) for place in kept)
        way = Way(name, tuple(tuple(map(plain_action, blocks[place])) for place in kept), before)
        if way._has_too_many_sets():
            raise ValueError(
                f"its blocks may change places in too many ways: over {MOST_SETS:,} sets of them may be done first"
            )
        return way

    @cached_property
    def length(self) -> int:
        """Its number of actions."""
        return sum(map(len, self.blocks))

    def ready(self, done: int) -> Iterator[int]:
        """The blocks that may come next, given the finished blocks as bits."""
        for place, before in enumerate(self.before):
            if not done >> place & 1 and before & ~done == 0:
                yield place

    def _has_too_many_sets(self) -> bool:
        if len(self.blocks) < MOST_SETS.bit_length():
            return False
        layer, found = {0}, 1
        while layer:
            later: set[int] = set()
            for done in layer:
                later.update(done | 1 << place for place in self.ready(done))
                if found + len(later) > MOST_SETS:
                    return True
            layer, found = later, found + len(later)
        return False


@dataclass(frozen=True)
class Reference:
    """A task whose ground-truth plans are known.

    Attributes:
        task: its identifier, ``T3``.
        title: its name, "Fry egg in a pan".
        complexity: ``moderate`` or ``high``.
        ways: at least one.
        averaged: whether averages include it; the paper's T5bis, a variant of T5, is excluded.
        length_counted: whether plan lengths are compared; not for the paper's T12, whose goal is open.
        form: the form of the task's text, ``goal`` or ``constructive``.
        text: the task's text.
    """

    task: str
    title: str
    complexity: str
    ways: tuple[Way, ...]
    averaged: bool = True
    length_counted: bool = True
    form: str = ""
    text: str = ""


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def plain_action(action: str) -> str:
    """An action in the form in which actions are compared: lower case, single spaces, ``(pick-up egg-1)``."""
    return (
        " ".join(action.replace("(", " ( ").replace(")", " ) ").lower().split()).replace("( ", "(").replace(" )", ")")
    )


def reference_of(said: Mapping[str, Any]) -> Reference | None:
    """The reference in a record's first event (`pddl2nl.policies.events.Started`); None if there is none.

    Raises:
        RecordError: it does not have the declared form, or no plan can have its order.
    """
    if not said:
        return None
    ways = tuple(_way(number, way) for number, way in enumerate(_of(said, "ways", list, "a list", []), 1))
    if not any(way.length for way in ways):
        raise RecordError("its reference has no way of doing the task: 'ways' holds no action")
    return Reference(
        task=_of(said, "task", str, "a text", ""),
        title=_of(said, "title", str, "a text", ""),
        complexity=_of(said, "complexity", str, "a text", ""),
        ways=tuple(way for way in ways if way.length),
        averaged=_of(said, "averaged", bool, "true or false", True),
        length_counted=_of(said, "length_counted", bool, "true or false", True),
        form=_of(said, "form", str, "a text", ""),
        text=_of(said, "text", str, "a text", ""),
    )


def _way(number: int, said: object) -> Way:
    place = f"way {number}"
    if not isinstance(said, Mapping):
        raise RecordError(f"its reference is wrong: {place} is no object")
    blocks = []
    for block in _of(said, "blocks", list, "a list", [], place):
        if not isinstance(block, Mapping):
            raise RecordError(f"its reference is wrong: a block of {place} is no object")
        actions = _of(block, "actions", list, "a list", [], f"a block of {place}")
        if not all(isinstance(action, str) for action in actions):
            raise RecordError(f"its reference is wrong: 'actions' of a block of {place} hold something else than texts")
        blocks.append(actions)
    order = _of(said, "order", list, "a list", [], place)
    if not all(isinstance(pair, list | tuple) and [*map(type, pair)] == [int, int] for pair in order):
        raise RecordError(f"its reference is wrong: 'order' of {place} is no list of pairs of numbers")
    try:
        return Way.of(_of(said, "name", str, "a text", "", place), blocks, [(pair[0], pair[1]) for pair in order])
    except ValueError as error:
        raise RecordError(f"its reference is wrong: {place}: {error}") from None


def _of(said: Mapping[str, Any], key: str, kind: type, expected: str, usual: Any, place: str = "") -> Any:
    value = said.get(key, usual)
    if kind is list and isinstance(value, tuple):
        value = [*value]
    if not isinstance(value, kind):
        where = f" of {place}" if place else ""
        raise RecordError(f"its reference is wrong: '{key}'{where} is {reprlib.repr(value)}; {expected} was expected")
    return value


# ── plan correctness ─────────────────────────────────────────────────────────────────────────────


def prefix_steps(plan: Sequence[str], way: Way) -> int:
    """How many steps of a way the plan begins with; the maximum over all linearizations of the way.

    Example: blocks ``a b`` and ``c d`` that may be exchanged, and the plan ``c d a x b``. It agrees with no step of
    ``a b c d`` and with three steps of ``c d a b``; the fourth, x, ends the count: 3 of 4.
    """
    steps = 0
    places = {(0, block, 0) for block in way.ready(0)}
    for action in map(plain_action, plan):
        in_line = [place for place in places if way.blocks[place[1]][place[2]] == action]
        if not in_line:
            break
        steps += 1
        places = {later for place in in_line for later in _after(way, *place)}
    return steps


def _after(way: Way, done: int, block: int, offset: int) -> Iterator[tuple[int, int, int]]:
    """The next positions in a linearization: in the same block, or at the beginning of a block that may come next."""
    if offset + 1 < len(way.blocks[block]):
        yield done, block, offset + 1
    else:
        now = done | 1 << block
        for following in way.ready(now):
            yield now, following, 0


def skipping_steps(plan: Sequence[str], way: Way) -> int:
    """How many steps of a way are found in the plan in order, superfluous steps skipped, before the first missing one.

    The maximum over all linearizations of the way.

    Example: blocks ``a b`` and ``c d`` that may be exchanged, and the plan ``c d a x b``: all four steps of ``c d a b``
    are found, x is skipped: 4. In the plan ``c a b d`` nothing is found after ``c d``, and no c after ``a b``: 2.
    """
    found: dict[str, list[int]] = {}
    for number, action in enumerate(map(plain_action, plan)):
        found.setdefault(action, []).append(number)
    best = 0
    layer = {0: 0}
    while layer:
        later: dict[int, int] = {}
        for done, end in layer.items():
            steps = sum(len(block) for place, block in enumerate(way.blocks) if done >> place & 1)
            best = max(best, steps)
            for block in way.ready(done):
                count, ends = _found_behind(end, way.blocks[block], found)
                best = max(best, steps + count)
                if count == len(way.blocks[block]):
                    now = done | 1 << block
                    later[now] = min(ends, later.get(now, ends))
        layer = later
    return best


def _found_behind(start: int, block: Sequence[str], places: Mapping[str, Sequence[int]]) -> tuple[int, int]:
    """How many of a block's steps occur in order from an index on, each as early as possible, and where that ends."""
    for count, action in enumerate(block):
        at = places.get(action, ())
        index = bisect_left(at, start)
        if index == len(at):
            return count, start
        start = at[index] + 1
    return len(block), start
