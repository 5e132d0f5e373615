"""Plan correctness: how far a plan is in line with a ground-truth plan whose order is partial.

The HVR paper (section 4.1) counts the steps that are right before the first wrong one, as a part of the ground truth's
steps, and takes the greatest such number over all linearizations (appendix B.3). Whether a superfluous step is a wrong
one it does not say, so there are two variants:

*prefix*
    The first step that is not the ground truth's next one ends it: the length of the longest common beginning.
*skipping*
    Superfluous steps are skipped: the length of the longest beginning of the ground truth whose steps all occur in the
    plan, in their order, with anything between them.

**The paper's own example** (appendix B.1) tells them apart: a plan of 32 steps for "I want a fried egg in a plate on
the countertop" against a ground truth of 16. Its third step goes to the egg once more, so that it scores 2 of 16 by
prefix. By skipping it scores 5 of 16: it puts the egg into the pan only after the pan was put on the burner, so that
behind its step 17, ``put_in EggCracked Pan``, the ground truth's sixth, ``pick_up Pan``, never comes. The paper reports
100 %. That needs a ground truth in which "put the egg into the pan" and "put the pan on the burner and switch it on"
may change places, step by step, and superfluous steps skipped: then all 16 are found. Such a linearization is no plan
by itself, since one arm cannot fetch the pan while it holds the egg: superfluous steps, which set the egg down and
fetch it again, make it one. Ours are linearizations that are plans (`pddl2nl.reports.ground_truth`), against which it
stays at 5.

**Without enumerating them.** Blocks are the units of the order, and a linearization of n blocks that may all change
places is one of n!. But what can come next depends on the *set* of blocks that are done alone, not on their order, and
such sets (ideals of the order) are 2^n at most, n + 1 where the order is total.

By prefix, all beginnings of linearizations that are in line with the first k steps are k steps long, so that it is
enough to keep the pairs of a set and a place within the next block: the plan's next step leads from each to those that
it is in line with, and where none is left, k is the greatest number.

By skipping, let e(S) be the least number of steps of the plan in which the blocks of S can all be found one after the
other, in any order that is allowed. Whatever is found of a further block behind a later place is found behind an
earlier one as well, at the same places or before, hence the least number is all that has to be kept of a set: e(S + b)
is the least, over the last blocks b, of where b's steps end when they are looked for behind e(S), each at the first
place where it occurs. The greatest number is reached by a set that is found whole and the beginning of one more block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from pddl2nl.reports.ground_truth import Way, plain_action

__all__ = ["prefix_steps", "skipping_steps"]


def prefix_steps(plan: Sequence[str], way: Way) -> int:
    """How many steps of a way the plan begins with: the greatest number over all linearizations of the way.

    Example: blocks ``a b`` and ``c d`` that may change places, and the plan ``c d a x b``. Against ``a b c d`` it is
    in line with nothing, against ``c d a b`` with three steps; the fourth, x, ends it: 3, of a length of 4.
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
    """Where a linearization can be one step later: within the block, or at the beginning of any that may come next."""
    if offset + 1 < len(way.blocks[block]):
        yield done, block, offset + 1
    else:
        now = done | 1 << block
        for following in way.ready(now):
            yield now, following, 0


def skipping_steps(plan: Sequence[str], way: Way) -> int:
    """How many steps of a way are found in the plan in order, superfluous steps skipped, up to the first that is not.

    The greatest number over all linearizations of the way.

    Example: blocks ``a b`` and ``c d`` that may change places, and the plan ``c d a x b``: against ``c d a b`` all four
    steps are found, x is skipped: 4. Of the plan ``c a b d`` no block order is whole: behind ``c`` the ``d`` is found
    last, and then neither a nor b; with ``a b`` first, ``c`` is not found behind them: 2 either way.
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
    """How many of a block's steps occur in order from a place on, each as early as it can, and where that ends."""
    for count, action in enumerate(block):
        at = places.get(action, ())
        index = bisect_left(at, start)
        if index == len(at):
            return count, start
        start = at[index] + 1
    return len(block), start
