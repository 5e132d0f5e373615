"""What plans are measured against: the ways of doing a task that are known to be right, as a record holds them.

A *way* is a plan in blocks, one for each macro-action, of which some may change places: its order is partial. The HVR
paper (Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification", appendix B) has one such ground truth for tasks whose goal is specific, and several for open goals.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pddl2nl.policies.events import RecordError

__all__ = ["MOST_SETS", "Reference", "Way", "plain_action", "reference_of"]

MOST_SETS = 1 << 14
"""How many sets of finished blocks a way may have: fourteen blocks that may all change places. What is measured goes
over them, and nobody's file shall keep a report busy for ever."""


@dataclass(frozen=True)
class Way:
    """One ground-truth plan.

    Attributes:
        name: what it is called.
        blocks: the actions of each block, in order, none empty.
        before: of each block the blocks that come before it, as the bits of a number; closed: what comes before one
            that comes before it is among them.
    """

    name: str
    blocks: tuple[tuple[str, ...], ...]
    before: tuple[int, ...]

    @staticmethod
    def of(name: str, blocks: Sequence[Sequence[str]], order: Sequence[tuple[int, int]]) -> Way:
        """The way with these blocks, of which ``order`` says pairwise, from 0, which comes before which.

        Raises:
            ValueError: the order names no block, or goes in a circle, or leaves more than `MOST_SETS` sets of blocks
                with which a plan can begin.
        """
        for pair in order:
            if not all(0 <= place < len(blocks) for place in pair):
                raise ValueError(
                    f"the order {list(pair)} names a block that there is not; blocks are 0 to {len(blocks) - 1}"
                )
        earlier = [{first for first, then in order if then == place} for place in range(len(blocks))]
        closed = _closed(earlier)
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
        """The blocks that may come next when those of these bits are done."""
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


def _closed(earlier: Sequence[set[int]]) -> list[set[int]]:
    """With all that comes before through others."""
    closed = [set(each) for each in earlier]
    for middle in range(len(closed)):
        for each in closed:
            if middle in each:
                each |= closed[middle]
    return closed


@dataclass(frozen=True)
class Reference:
    """A task of which ground-truth plans are known.

    Attributes:
        task: its identifier: ``T3``.
        title: its name: "Fry egg in a pan".
        complexity: ``moderate`` or ``high``.
        ways: at least one.
        averaged: whether it counts in averages: the paper's T5bis does not, a variant of T5.
        length_counted: whether lengths are compared: they are not of the paper's T12, whose goal is open.
        form: of the task's text: ``goal`` or ``constructive``; ``text`` is that text.
    """

    task: str
    title: str
    complexity: str
    ways: tuple[Way, ...]
    averaged: bool = True
    length_counted: bool = True
    form: str = ""
    text: str = ""


def plain_action(action: str) -> str:
    """An action as it is compared: ``(pick-up egg-1)``, whatever case and blanks it was written in."""
    return (
        " ".join(action.replace("(", " ( ").replace(")", " ) ").lower().split()).replace("( ", "(").replace(" )", ")")
    )


def reference_of(said: Mapping[str, Any]) -> Reference | None:
    """The reference in a record's first event (`pddl2nl.policies.events.Started`); None where there is none.

    Raises:
        RecordError: it is not what it is declared to be, or no plan can be in its order.
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
