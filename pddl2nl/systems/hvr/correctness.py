"""Plan correctness: how far a plan agrees with a ground truth (`pddl2nl.policies.reporting.Way`).

The HVR paper (section 4.1 and appendix B) has one way for tasks with a specific goal and several for open goals. It
counts the correct steps before the first wrong one, as a share of the ground truth's steps, and takes the maximum over
all linearizations. It does not say whether a superfluous step is wrong, so there are two variants:

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

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from pddl2nl.policies.reporting import Way, plain_action


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
    places: dict[str, list[int]] = {}
    for number, action in enumerate(map(plain_action, plan)):
        places.setdefault(action, []).append(number)
    best = 0
    layer = {0: 0}
    while layer:
        later: dict[int, int] = {}
        for done, end in layer.items():
            steps = sum(len(block) for place, block in enumerate(way.blocks) if done >> place & 1)
            best = max(best, steps)
            for block in way.ready(done):
                count, ends = _found_behind(end, way.blocks[block], places)
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
