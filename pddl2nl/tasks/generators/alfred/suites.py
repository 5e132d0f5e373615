"""The sets of tasks of ALFRED and of the GraphPlan paper, as calls of the generator.

The sizes are the paper's: for validation 820 seen and 815 unseen tasks (all percentages that it prints of the second
fit 815 and few fit the 821 of its text), for tests 1,533 and 1,529; 1,396 long ones; and 400 with other skills. It
tells the accuracy of the long tasks by length, from which their numbers follow: 315, 315, 381, 105, 140 and 140 of 7 to
12 subtasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from pddl2nl.tasks.generators.alfred.problems import task_of_seed
from pddl2nl.tasks.generators.alfred.tasks import AlfredTask
from pddl2nl.tasks.generators.alfred.types import TASK_TYPES, TaskType

SUITE_SIZES: Mapping[str, int] = MappingProxyType(
    {"train": 98, "seen": 820, "unseen": 815, "test-seen": 1533, "test-unseen": 1529, "long": 1396, "new": 400}
)
"""The number of tasks of each set. The paper trains on 21,023; our training set has as many tasks as its few-shot graph
(table 8) unless more are asked for."""

LONG_LENGTHS: Mapping[int, int] = MappingProxyType({7: 315, 8: 315, 9: 381, 10: 105, 11: 140, 12: 140})
"""The numbers of long tasks by the length of their plans."""

_FIRST_SEED: Mapping[str, int] = MappingProxyType(
    {
        name: 100_000 * place + 1
        for place, name in enumerate(("train", "seen", "unseen", "long", "new", "test-seen", "test-unseen"))
    }
)


def suite_calls(name: str, size: int | None = None) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The seed and the parameters of each task of a set, in an order in which any beginning has all types.

    Args:
        name: of `SUITE_SIZES`.
        size: how many; by default all.
    """
    group = name if name in ("long", "new") else "base"
    kinds = [kind for kind in TASK_TYPES.values() if kind.group == group]
    layout = "unseen" if name.endswith("unseen") else "seen"
    total = SUITE_SIZES[name] if size is None else size
    rounds = _long_rounds(kinds) if group == "long" else _in_turn(kinds)
    for seed, kind in enumerate(islice(rounds, total), start=_FIRST_SEED[name]):
        yield seed, {"task": kind.name.lower().replace("&", "-"), "layout": layout}


def _in_turn(kinds: list[TaskType]) -> Iterator[TaskType]:
    while True:
        yield from kinds


def _long_rounds(kinds: list[TaskType]) -> Iterator[TaskType]:
    """Each type as often as its length and the number of types of this length say."""
    left: dict[str, int] = {}
    for length, number in LONG_LENGTHS.items():
        same = [kind.name for kind in kinds if kind.length == length]
        left |= {each: number // len(same) + (place < number % len(same)) for place, each in enumerate(same)}
    while any(left.values()):
        for kind in kinds:
            if left[kind.name]:
                left[kind.name] -= 1
                yield kind


def suite_tasks(name: str, size: int | None = None) -> Iterator[AlfredTask]:
    """The tasks of a set."""
    return (task_of_seed(seed, values) for seed, values in suite_calls(name, size))
