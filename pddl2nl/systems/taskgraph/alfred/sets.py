"""The sets of ALFRED's tasks as folders: problems, instructions and ground truths, and the calls that make them again.

A set is a folder of the domain's files, the problems, and ``tasks.json``, which holds each task with its instruction
and its plans in subtasks and actions, which the simulator has checked; several where the knife and its place are free.
``manifest.csv`` has of each problem its type, the length of its plan in subtasks, its seed, the call that makes it
again, and the SHA-256 of its file.

The sizes are the paper's: for validation 820 seen and 815 unseen tasks (all percentages that it prints of the second
fit 815 and few fit the 821 of its text), for tests 1,533 and 1,529; 1,396 long ones; and 400 with other skills. It
tells the accuracy of the long tasks by length, from which their numbers follow: 315, 315, 381, 105, 140 and 140 of 7 to
12 subtasks.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, product
from pathlib import Path
from types import MappingProxyType

import msgspec

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import write_text_file
from pddl2nl.pddl import And, Atom, Condition, GroundAtom, Not, Task, parse_problem, write_condition
from pddl2nl.systems.taskgraph.alfred.tasks import RESTS, AlfredTask, task_of_seed
from pddl2nl.systems.taskgraph.alfred.types import KNIVES, TASK_TYPES, Step, TaskType, plan_of
from pddl2nl.systems.taskgraph.doing import Handled, carry_out
from pddl2nl.systems.taskgraph.subtasks import Subtasks, shipped_subtasks, subtask_text
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.reference_files import ReferenceBlock, ReferenceWay, TaskReference
from pddlval import Simulator, State

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
    """The seed and the parameters of each task of a set, in an order in which any beginning has all types; by default
    as many tasks as in the paper.
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


_LONG = 7
"""From this number of subtasks on a task counts as complex, as in the paper's long set."""
_COLUMNS = ("instance", "type", "length", "seed", "call", "sha256")


class SetTask(msgspec.Struct, frozen=True):
    """A task of a set: the text of its problem, its ground truth, and what made it."""

    text: str
    reference: TaskReference
    seed: int
    call: str

    @property
    def row(self) -> tuple[str, ...]:
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        length = str(len(self.reference.ways[0].blocks))
        return self.reference.instance, self.reference.title, length, str(self.seed), self.call, digest


def set_tasks(name: str, size: int | None = None) -> Iterator[SetTask]:
    """The tasks of a set, by default as many as in the paper; raises `InputError` for an unknown set."""
    if name not in SUITE_SIZES:
        raise InputError(
            f"there is no set '{name}'{did_you_mean(name, SUITE_SIZES)}; there are {', '.join(SUITE_SIZES)}"
        )
    subtasks = shipped_subtasks(shipped_domain("alfred").domain)
    assert subtasks is not None, "they are shipped"
    for number, (seed, values) in enumerate(suite_calls(name, size), start=1):
        yield _task(subtasks, f"{name}-{number:04}", name.removeprefix("test-"), seed, values)


def _task(subtasks: Subtasks, instance: str, category: str, seed: int, values: Mapping[str, str]) -> SetTask:
    drawn = task_of_seed(seed, values)
    made = generate("alfred", seed, name=instance, **values)
    simulator = Simulator(Task(subtasks.domain, parse_problem(made.text, subtasks.domain)))
    ways = tuple(_way(subtasks, simulator, name, plan) for name, plan in _plans(drawn))
    reference = TaskReference(
        task=instance,
        instance=instance,
        role="benchmark",
        title=drawn.kind.name,
        complexity="high" if drawn.kind.length >= _LONG else "moderate",
        objects=made.objects,
        texts={"goal": drawn.text},
        ways=ways,
        length_counted=False,
        category=category,
    )
    return SetTask(made.text, reference, seed, made.call)


def _plans(drawn: AlfredTask) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The task's plan, and those with the other knife or another place for it, which no instruction names."""
    yield "the shown way", drawn.plan
    sliced = any(errand.sliced for errand in drawn.errands)
    for knife, rest in product(KNIVES, RESTS) if sliced else ():
        errands = [replace(each, knife=knife, rest=rest) if each.sliced else each for each in drawn.errands]
        plan = tuple(step for errand in errands for step in plan_of(errand))
        if plan != drawn.plan:
            yield f"with {knife}, put on {rest}", plan


def _way(subtasks: Subtasks, simulator: Simulator, name: str, plan: Sequence[Step]) -> ReferenceWay:
    carried = carry_out(simulator, subtasks, simulator.initial, plan, Handled())
    assert carried is not None, f"{plan} cannot be carried out"
    assert simulator.is_goal(carried[-1].state), f"{plan} misses the goal"
    states = [simulator.initial, *(done.state for done in carried)]
    blocks = []
    for step, done, before in zip(plan, carried, states, strict=False):
        targets = {done.objects[target.variable] for target in subtasks.by_name[step[0]].targets}
        goal = write_condition(_change(targets, before, done.state))
        blocks.append(ReferenceBlock(subtask_text(step), goal, tuple(map(str, done.actions))))
    return ReferenceWay(name, tuple(blocks), tuple(pairwise(range(len(blocks)))))


def _change(targets: set[str], before: State, after: State) -> Condition:
    """What a subtask makes true of its targets, or else what it ends."""

    def about(atoms: frozenset[GroundAtom]) -> list[Atom]:
        return [Atom(atom[0], atom[1:]) for atom in sorted(atoms) if targets & {*atom[1:]} and atom[0] != "at"]

    added, ended = about(after.atoms - before.atoms), about(before.atoms - after.atoms)
    parts: tuple[Condition, ...] = (*added,) or tuple(Not(atom) for atom in ended)
    return parts[0] if len(parts) == 1 else And(parts)


def write_set(
    folder: Path,
    name: str,
    size: int | None = None,
    on_task: Callable[[str, int, int | None], None] = lambda name, done, total: None,
) -> int:
    """Writes a set into a folder of its name, calling `on_task` after each task; returns the number of its tasks.

    Raises:
        InputError: there is no such set, or the folder cannot be written.
    """
    own = folder / name
    rows, references = [], []
    for number, task in enumerate(set_tasks(name, size), start=1):
        write_text_file(own / f"{task.reference.instance}.pddl", task.text)
        rows.append(task.row)
        references.append(task.reference)
        on_task(name, number, SUITE_SIZES[name] if size is None else size)
    shipped = shipped_domain("alfred")
    for file in ("domain.pddl", "wording.json", "subtasks.json"):
        write_text_file(own / file, (shipped.folder / file).read_text(encoding="utf-8"))
    data = msgspec.json.encode({"format": 1, "domain": "alfred", "tasks": references})
    write_text_file(own / "tasks.json", msgspec.json.format(data, indent=1).decode() + "\n")
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *rows])
    write_text_file(own / "manifest.csv", text.getvalue())
    return len(rows)
