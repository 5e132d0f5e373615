"""Records made by hand: small, with every kind of event, and with text that tries to be markup."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout
from pddl2nl.experiments.planners import Planned
from pddl2nl.experiments.records.writer import RecordWriter, Seal
from pddl2nl.llm.types import Message
from pddl2nl.policies import make_policy, policy_names
from pddl2nl.policies.events import (
    FORMAT,
    Acted,
    Fault,
    Finished,
    GoalReached,
    LookedAround,
    Prompted,
    Read,
    Rejected,
    Replied,
    RunEvent,
    Started,
)
from pddl2nl.policies.reporting import Reference
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import BrokenLink, RunSummary
from pddl2nl.reports.tables import Table
from pddl2nl.reports.tables.model import TableLine
from pddl2nl.tasks import shipped_domain

NAMES = ("typed", "original", "inferred")
_IN_SPEC = {"domain_pddl": "domain", "problem_pddl": "problem", "task": "task_name"}


def begun(policy: str, domain_pddl: str = "", problem_pddl: str = "", **fields: Any) -> Started:
    """The start of a run of a policy with a model ``m``; ``fields`` are those of the event or of the run's spec.

    Options that are not given have the policy's defaults, if there is such a policy.
    """
    spec = {"domain": domain_pddl, "problem": problem_pddl}
    start = Started(spec, "d", "p", FORMAT, models={"planner": "m"})
    return changed(start, policy=policy, **fields)


def changed(started: Started, **fields: Any) -> Started:
    """The event with other fields, or with other entries of the run's spec."""
    known = {*asdict(started)} - {"spec"}
    # The names of objects are a mapping, and how they are named is an option.
    own = {name: value for name, value in fields.items() if name in known and not (name == "names" and value in NAMES)}
    spec = {_IN_SPEC.get(name, name): value for name, value in fields.items() if name not in own}
    if {"policy", "options"} & {*spec}:
        policy = spec.get("policy", started.policy)
        usual = to_builtins(make_policy(policy)) if policy in policy_names() else {}
        spec["options"] = {**usual, **spec.get("options", {})}
    return replace(started, **own, spec={**started.spec, **spec})


HOSTILE = '<script>alert(1)</script> </script><img src=x onerror=alert(2)> & "quoted" {{ 7 * 7 }}'


def tiny_texts() -> tuple[str, str]:
    """Domain and problem of Blocksworld p01: a on the table, to be built on others."""
    shipped = shipped_domain("blocksworld")
    problem = """(define (problem tiny) (:domain blocksworld-4ops) (:objects a b)
      (:init (handempty) (ontable a) (ontable b) (clear a) (clear b)) (:goal (and (on a b))))"""
    return shipped.domain_path.read_text(encoding="utf-8"), problem


def tiny_start(policy: str = "act", **fields: Any) -> Started:
    """The start of a run on the tiny task; ``fields`` as for `begun`."""
    return begun(policy, *tiny_texts(), **{"domain": "blocksworld-4ops", "problem": "tiny", **fields})


def prompted(call: int, text: str, kept: int = 0) -> Prompted:
    """The event of a call of the planner."""
    return Prompted(call, "planner", kept, (Message("user", text),), f"sha{call}")


@pytest.fixture(scope="session")
def hostile() -> str:
    """Text that tries to be markup, a script's end and a template."""
    return HOSTILE


@pytest.fixture(scope="session")
def act_events(hostile: str) -> list[RunEvent]:
    """Five turns: look around, an inapplicable action, nonsense, two good actions."""
    good = "pick up a from the table"
    return [
        tiny_start(),
        prompted(1, f"the task {hostile}"),
        Replied(1, "Action: look around", prompt_tokens=10, completion_tokens=2),
        Read(1, "look-around", "look around", rule="markers", start=8, end=19),
        LookedAround(1, "look around", "Currently, a is clear."),
        prompted(2, "Currently, a is clear.", kept=2),
        Replied(2, "Action: stack a on b", prompt_tokens=20, completion_tokens=3),
        Read(2, "read", "stack a on b", "(stack a b)", rule="snippet", start=8, end=20),
        Rejected(2, "inapplicable", "stack a on b", "(stack a b)", ("(holding a)",), "I cannot stack a on b …"),
        prompted(3, "I cannot stack a on b …", kept=4),
        Replied(3, hostile, prompt_tokens=30, completion_tokens=4),
        Read(3, "unreadable", hostile, start=0, end=len(hostile)),
        Rejected(3, "unreadable", hostile, observation="I did not understand."),
        prompted(4, "I did not understand.", kept=6),
        Replied(4, f"Action: {good}", prompt_tokens=40, completion_tokens=5),
        Read(4, "read", good, "(pick-up a)", rule="snippet", start=8, end=8 + len(good)),
        Acted(4, "(pick-up a)", good, "I pick up a.", ("(holding a)",), ("(handempty)", "(clear a)", "(ontable a)")),
        prompted(5, "I pick up a.", kept=8),
        Replied(5, "Action: stack a on b", prompt_tokens=50, completion_tokens=6),
        Read(5, "read", "stack a on b", "(stack a b)", rule="snippet", start=8, end=20),
        Acted(
            5, "(stack a b)", "stack a on b", "", ("(on a b)", "(handempty)", "(clear a)"), ("(clear b)", "(holding a)")
        ),
        GoalReached(5),
        Finished(
            "solved",
            Fault(2, "inapplicable", "stack a on b"),
            ("(pick-up a)", "(stack a b)"),
            steps=5,
            mistakes=2,
            turns={"executed": 2, "inapplicable": 1, "look-around": 1, "unreadable": 1},
            calls=5,
            prompt_tokens=150,
            completion_tokens=20,
            seconds=1.5,
        ),
    ]


@pytest.fixture(scope="session")
def basic_events() -> list[RunEvent]:
    """A one-shot plan whose first line is not applicable, so that its second is never reached."""
    text = "[PLAN]\nstack a on b\npick up a from the table\n[PLAN END]"
    first, second = "stack a on b", "pick up a from the table"
    return [
        tiny_start("basic"),
        prompted(1, "the task"),
        Replied(1, text, prompt_tokens=7, completion_tokens=8),
        Read(1, "read", first, "(stack a b)", start=text.index(first), end=text.index(first) + len(first)),
        Read(2, "read", second, "(pick-up a)", start=text.index(second), end=text.index(second) + len(second)),
        Rejected(1, "inapplicable", first, "(stack a b)", ("(holding a)",)),
        Finished(
            "inapplicable",
            Fault(1, "inapplicable", first),
            proposed=("(stack a b)", "(pick-up a)"),
            steps=1,
            mistakes=1,
            turns={"inapplicable": 1},
            calls=1,
            prompt_tokens=7,
            completion_tokens=8,
        ),
    ]


TOWER: dict[str, Any] = {
    "task": "T1",
    "title": "Build a tower",
    "complexity": "moderate",
    "form": "goal",
    "text": "I want a on b",
    "ways": [
        {
            "name": "the only one",
            "blocks": [
                {"macro": "Take a", "actions": ["(pick-up a)"]},
                {"macro": "Put a on b", "actions": ["(stack a b)"]},
            ],
            "order": [[0, 1]],
            "proof": "blind",
        }
    ],
    "averaged": True,
    "length_counted": True,
}
"""The reference of the task: one way, in two blocks."""


@pytest.fixture(scope="session")
def tower() -> dict[str, Any]:
    """See `TOWER`."""
    return TOWER


@pytest.fixture(scope="session")
def planned() -> Planned:
    """A planner's solved run."""
    domain, problem = tiny_texts()
    plan = ("(pick-up a)", "(stack a b)")
    return Planned("lmcut", "blocksworld-4ops", "tiny", domain, problem, "solved", plan, 2, 3)


Writer = Callable[[str, "list[RunEvent] | Planned"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Writes a record of events, or of a planner, as ``NAME.jsonl`` into the test's folder."""

    def _write(name: str, content: list[RunEvent] | Planned) -> Path:
        path = tmp_path / f"{name}.jsonl"
        with RecordWriter(path) as writer:
            for event in [content] if isinstance(content, Planned) else content:
                writer.write(event)
        return path

    return _write


def rewrite(path: Path, edit: Callable[[list[dict[str, Any]]], object]) -> None:
    """Edits the events of a record and seals it again, as a forger would who knows how."""
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    edit(events)
    seal = Seal()
    events[-1].pop("digest", None)
    *lines, last = [json.dumps(event, ensure_ascii=False).encode() for event in events]
    for line in lines:
        seal.add(line)
    path.write_bytes(b"\n".join([*lines, seal.close(last)]) + b"\n")


@pytest.fixture(scope="session")
def experiment_of() -> Callable[..., Gathered]:
    """See `experiment`."""
    return experiment


def experiment(
    columns: Sequence[LayoutColumn],
    rows: Sequence[LayoutRow],
    result: Callable[[LayoutRow, LayoutColumn, int, int | None], Any],
    tasks: int = 4,
    seeds: Sequence[int] = (1,),
    tables: Sequence[LayoutTable] = (),
) -> Gathered:
    """A gathered experiment made from results alone.

    ``result(row, column, task, seed)`` is called for every run (task counts from 0; a planner's seed is None) and gives
    a bool, the metrics' values (``coverage`` says whether it was solved, ``link`` why not), ``"absent"`` for a run that
    is not of the experiment, ``"missing"`` for one that has not finished, ``"broken"`` or the kind of its first broken
    link. A run is called ``r0c1t02s1`` by its row, column, task and seed.
    """
    runs: dict[str, tuple[Place, RunSummary | None]] = {}
    for (i, row), (j, column), task in product(enumerate(rows), enumerate(columns), range(tasks)):
        for seed in [None] if column.kind == "planner" else seeds:
            found = result(row, column, task, seed)
            if found != "absent":
                name = f"r{i}c{j}t{task:02}s{seed or 1}"
                summary = None if found == "missing" else _summary(name, row, column, task, seed, found)
                runs[name] = (Place(i, j), summary)
    return _gathered(columns, rows, runs, tables)


def _gathered(
    columns: Sequence[LayoutColumn],
    rows: Sequence[LayoutRow],
    runs: Mapping[str, tuple[Place, RunSummary | None]],
    tables: Sequence[LayoutTable] = (),
) -> Gathered:
    layout = TableLayout(
        "made", tuple(columns), tuple(rows), {name: (place,) for name, (place, _) in runs.items()}, tuple(tables)
    )
    cells: dict[Place, tuple[RunSummary, ...]] = {}
    for place, run in runs.values():
        cells[place] = (*cells.get(place, ()), *([] if run is None else [run]))
    finished = {name: run for name, (_, run) in runs.items() if run is not None}
    return Gathered(None, layout, finished, tuple(name for name in runs if name not in finished), cells=cells)


def _summary(name: str, row: LayoutRow, column: LayoutColumn, task: int, seed: int | None, found: Any) -> RunSummary:
    values = {"coverage": float(found)} if isinstance(found, bool) else dict(found) if isinstance(found, dict) else {}
    link = str(values.pop("link", "budget"))
    kind = "infrastructure-error" if found == "broken" else found if isinstance(found, str) else link
    if found != "broken":
        values.setdefault("coverage", 0.0)
    solved = bool(values.get("coverage"))
    return RunSummary(
        name,
        Path(f"{name}.jsonl"),
        row.label,
        f"p{task}",
        f"{row.label}-{row.section}-{task}",
        row.label,
        f"problem-{task}",
        objects=3 + task,
        policy=column.policy or column.name.lower(),
        model="m" if column.kind == "model" else "",
        seed=seed,
        outcome="solved" if solved else kind,
        link=None if solved else BrokenLink(kind, ("clear",) if kind == "inapplicable" else ()),
        message=f"why {name}" if found == "broken" else "",
        values=values,
    )


# ── tables by task ──

Results = Mapping[tuple[str, str, int], Mapping[str, float] | str]


def by_tasks(
    results: Results, columns: tuple[LayoutColumn, ...], reference_of: Callable[[str], Reference] | None = None
) -> Gathered:
    """An experiment on the kitchen: ``results`` by column, task and seed are metrics, ``broken`` or ``missing``."""
    runs: dict[str, tuple[Place, RunSummary | None]] = {}
    row, names = LayoutRow("kitchen"), [column.name for column in columns]
    for (name, task, seed), found in results.items():
        run, column = f"{name}-{task}-{seed}", columns[names.index(name)]
        values = found if isinstance(found, str) else {"coverage": 1.0}
        made = None if found == "missing" else _summary(run, row, column, 0, seed, values)
        if made is not None:
            reference = None if reference_of is None else reference_of(task)
            values = {} if isinstance(found, str) else dict(found)
            made = dataclasses.replace(made, task=task.lower(), task_id=task, values=values, reference=reference)
        runs[run] = (Place(0, names.index(name)), made)
    return _gathered(columns, (row,), runs)


def texts(table: Table, line: TableLine) -> dict[str, str]:
    """The cells of a line by their headings."""
    headings = [f"{heading.group} {heading.name}".strip() for heading in table.headings]
    return dict(zip(headings, (cell.text for cell in line.cells), strict=True))


def lines(table: Table) -> list[TableLine]:
    """The lines of all sections."""
    return [line for section in table.sections for line in section.lines]
