"""Records made by hand: small, with every kind of event, and with text that tries to be markup."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, Place, TableLayout
from pddl2nl.experiments.planned import Planned
from pddl2nl.llm.types import Message
from pddl2nl.policies.events import (
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
    event_to_json,
)
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import BrokenLink, RunSummary
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, DeadEndProved, ErrorSignal
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    Discrepancy,
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Retrieved,
)
from pddl2nl.tasks import shipped_domain

HOSTILE = '<script>alert(1)</script> </script><img src=x onerror=alert(2)> & "quoted" {{ 7 * 7 }}'


def _texts() -> tuple[str, str]:
    """Domain and problem of Blocksworld p01: a on the table, to be built on others."""
    shipped = shipped_domain("blocksworld")
    problem = """(define (problem tiny) (:domain blocksworld-4ops) (:objects a b)
      (:init (handempty) (ontable a) (ontable b) (clear a) (clear b)) (:goal (and (on a b))))"""
    return shipped.domain_path.read_text(encoding="utf-8"), problem


def _started(policy: str = "act", model: str = "m") -> Started:
    domain, problem = _texts()
    return Started(policy, model, 1, "blocksworld-4ops", "tiny", domain, problem, "d" * 8, "p" * 8)


def _prompted(call: int, text: str, kept: int = 0) -> Prompted:
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
        _started(),
        _prompted(1, f"the task {hostile}"),
        Replied(1, "Action: look around", prompt_tokens=10, completion_tokens=2),
        Read(1, "look-around", "look around", rule="markers", start=8, end=19),
        LookedAround(1, "look around", "Currently, a is clear."),
        _prompted(2, "Currently, a is clear.", kept=2),
        Replied(2, "Action: stack a on b", prompt_tokens=20, completion_tokens=3),
        Read(2, "read", "stack a on b", "(stack a b)", rule="snippet", start=8, end=20),
        Rejected(2, "inapplicable", "stack a on b", "(stack a b)", ("(holding a)",), "I cannot stack a on b …"),
        _prompted(3, "I cannot stack a on b …", kept=4),
        Replied(3, hostile, prompt_tokens=30, completion_tokens=4),
        Read(3, "unreadable", hostile, start=0, end=len(hostile)),
        Rejected(3, "unreadable", hostile, observation="I did not understand."),
        _prompted(4, "I did not understand.", kept=6),
        Replied(4, f"Action: {good}", prompt_tokens=40, completion_tokens=5),
        Read(4, "read", good, "(pick-up a)", rule="snippet", start=8, end=8 + len(good)),
        Acted(4, "(pick-up a)", good, "I pick up a.", ("(holding a)",), ("(handempty)", "(clear a)", "(ontable a)")),
        _prompted(5, "I pick up a.", kept=8),
        Replied(5, "Action: stack a on b", prompt_tokens=50, completion_tokens=6),
        Read(5, "read", "stack a on b", "(stack a b)", rule="snippet", start=8, end=20),
        Acted(5, "(stack a b)", "stack a on b", "", ("(on a b)", "(handempty)", "(clear a)"), ("(clear b)",)),
        GoalReached(5),
        Finished(
            "solved",
            Fault(2, "inapplicable", "stack a on b"),
            ("(pick-up a)", "(stack a b)"),
            steps=5,
            mistakes=2,
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
        _started("basic"),
        _prompted(1, "the task"),
        Replied(1, text, prompt_tokens=7, completion_tokens=8),
        Read(1, "read", first, "(stack a b)", start=text.index(first), end=text.index(first) + len(first)),
        Read(2, "read", second, "(pick-up a)", start=text.index(second), end=text.index(second) + len(second)),
        Rejected(1, "inapplicable", first, "(stack a b)", ("(holding a)",)),
        Finished("inapplicable", Fault(1, "inapplicable", first), proposed=("(stack a b)", "(pick-up a)"), steps=1),
    ]


@pytest.fixture(scope="session")
def tower() -> dict[str, Any]:
    """The reference of the task: one way, in two blocks."""
    return {
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


@pytest.fixture(scope="session")
def hvr_events(hostile: str, tower: dict[str, Any]) -> list[RunEvent]:
    """A hierarchical run: conditions and a block are corrected, the world surprises, a macro is refuted; solved."""
    take = {"precondition": "(clear a)", "effect": "(holding a)", "problem": ""}
    put = {"precondition": "(holding a)", "effect": "(on a b)", "problem": ""}
    read = {"precondition": "", "effect": "", "problem": f"no condition {hostile}"}
    plan, unmet = ("(pick-up a)", "(stack a b)"), ("(holding a)",)
    return [
        structs.replace(_started("hvr"), reference=tower, world={"faults": "fail (stack a b) at 2"}),
        _prompted(1, "Which objects?"),
        Replied(1, "a\nb", prompt_tokens=10, completion_tokens=2),
        Retrieved("macro-plan", ("a", hostile), ("a", "b"), ("table",)),
        _prompted(2, "Plan."),
        Replied(2, f"1. Take a\n2. Put a on b {hostile}", prompt_tokens=10, completion_tokens=2),
        MacroPlanned(1, ("Take a", f"Put a on b {hostile}")),
        _prompted(3, "Conditions."),
        Replied(3, "…", prompt_tokens=10, completion_tokens=2),
        MacrosConditioned(1, 0, (take, read)),
        MacrosVerified(1, 0, 1, 2, unmet, f"a is not held {hostile}"),
        _prompted(4, "Correct the conditions."),
        Replied(4, "…", prompt_tokens=10, completion_tokens=2),
        MacrosConditioned(1, 1, (take, put)),
        MacrosVerified(1, 1, 2, 2),
        Retrieved("block", whole=True),
        BlockExpanded(1, 1, 0, ("(pick-up a)",), (), 1, True),
        MacroProved(1, 1, False, "weaker", "(:action take-a)", f"where b lies on a it cannot be taken {hostile}"),
        BlockExpanded(
            1, 2, 0, ("(put-down a)", "(stack a b)"), (0,), 1, False, unmet, f"a is not held {hostile}", ("?",)
        ),
        _prompted(5, "Correct the block."),
        Replied(5, "stack a on b", prompt_tokens=10, completion_tokens=2),
        BlockExpanded(1, 2, 1, ("(stack a b)",), (), 1, True),
        PlanExpanded(1, plan, (1, 2), 2, True),
        Acted(1, "(pick-up a)", added=("(holding a)",), deleted=("(handempty)", "(clear a)", "(ontable a)")),
        Acted(2, "(stack a b)"),
        Discrepancy(2, "(stack a b)", ("(on a b)",), ("(holding a)",), "(on a b)", f"a is not on b {hostile}"),
        _prompted(6, "Plan anew."),
        Replied(6, "1. Put a on b", prompt_tokens=10, completion_tokens=2),
        MacroPlanned(2, ("Put a on b",)),
        MacrosConditioned(2, 0, (put,)),
        MacrosVerified(2, 0, 1, 1),
        BlockExpanded(2, 1, 0, ("(stack a b)",), (), 1, True),
        PlanExpanded(2, ("(stack a b)",), (1,), 1, True),
        Acted(3, "(stack a b)", added=("(on a b)", "(handempty)", "(clear a)"), deleted=("(holding a)", "(clear b)")),
        GoalReached(3),
        Finished(
            "solved",
            plan=(*plan, "(stack a b)"),
            proposed=(*plan, "(stack a b)"),
            steps=3,
            calls=6,
            prompt_tokens=60,
            completion_tokens=12,
            seconds=2.5,
        ),
    ]


@pytest.fixture(scope="session")
def brainbody_events(hostile: str, tower: dict[str, Any]) -> list[RunEvent]:
    """A planning and an acting model: a step is passed, one fails and is corrected; solved."""
    plan, unmet = ("Stack a on b", f"Admire it {hostile}"), ("(holding a)",)
    new = ("Pick up a", *plan)
    return [
        structs.replace(_started("brainbody"), reference=tower),
        _prompted(1, "Plan."),
        Replied(1, f"0: Stack a on b\n1: Admire it {hostile}", prompt_tokens=10, completion_tokens=2),
        BrainPlanned(0, 0, plan),
        BodyActed(0, plan[0], f"<char0> [stack] <a> <b> {hostile}", "action", "(stack a b)"),
        Rejected(1, "inapplicable", plan[0], "(stack a b)", unmet, "I do not hold a."),
        ErrorSignal(0, "(stack a b)", "reason", "inapplicable", f"I do not hold a. {hostile}", unmet, 1),
        DeadEndProved(0, "(stack a b)"),
        _prompted(2, "Correct the plan."),
        Replied(2, "Explanation: a must be held.\n0: Pick up a", prompt_tokens=10, completion_tokens=2),
        BrainPlanned(1, 0, new, f"a must be held {hostile}", (f"-1: {hostile}",)),
        BodyActed(0, new[0], "<char0> [pick] <a>", "action", "(pick-up a)"),
        Acted(2, "(pick-up a)", added=("(holding a)",), deleted=("(handempty)", "(clear a)", "(ontable a)")),
        BodyActed(1, new[1], "<char0> [stack] <a> <b>", "action", "(stack a b)"),
        Acted(3, "(stack a b)", added=("(on a b)", "(handempty)", "(clear a)"), deleted=("(holding a)", "(clear b)")),
        BodyActed(2, new[2], "<pass>", "pass"),
        GoalReached(3),
        Finished("solved", plan=("(pick-up a)", "(stack a b)"), steps=3, calls=2, seconds=1.0),
    ]


@pytest.fixture(scope="session")
def planned() -> Planned:
    """A planner's solved run."""
    domain, problem = _texts()
    plan = ("(pick-up a)", "(stack a b)")
    return Planned("lmcut", "blocksworld-4ops", "tiny", domain, problem, "solved", plan, 2, 3)


Writer = Callable[[str, "list[RunEvent] | Planned"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Writes a record of events, or of a planner, as ``NAME.jsonl`` into the test's folder."""

    def _write(name: str, content: list[RunEvent] | Planned) -> Path:
        path = tmp_path / f"{name}.jsonl"
        objects = [event_to_json(content)] if isinstance(content, Planned) else [event_to_json(e) for e in content]
        path.write_text("".join(json.dumps(item) + "\n" for item in objects), encoding="utf-8")
        return path

    return _write


@pytest.fixture(scope="session")
def experiment_of() -> Callable[..., Gathered]:
    """Makes a gathered experiment from results alone.

    ``experiment_of(columns, rows, result, tasks=4, seeds=(1,))`` calls ``result(row, column, task, seed)`` for every
    run (task counts from 0; a planner's seed is None) and takes a bool, the metrics' values (``coverage`` says whether
    it was solved), ``"absent"`` for a run that is not of the experiment, ``"missing"`` for one that has not finished,
    ``"broken"`` or the kind of its first broken link.
    """

    def made(
        columns: Sequence[LayoutColumn],
        rows: Sequence[LayoutRow],
        result: Callable[[LayoutRow, LayoutColumn, int, int | None], Any],
        tasks: int = 4,
        seeds: Sequence[int] = (1,),
    ) -> Gathered:
        cells: dict[Place, list[RunSummary]] = {}
        runs: dict[str, tuple[Place, ...]] = {}
        for (i, row), (j, column), task in product(enumerate(rows), enumerate(columns), range(tasks)):
            for seed in [None] if column.kind == "planner" else seeds:
                found = result(row, column, task, seed)
                if found == "absent":
                    continue
                name = f"{row.label}-{row.section}-{row.variant}-p{task}-{column.label}-{seed}"
                runs[name] = (Place(i, j),)
                if found != "missing":
                    cells.setdefault(Place(i, j), []).append(_summary(name, row, column, task, seed, found))
        layout = TableLayout("made", tuple(columns), tuple(rows), runs)
        finished = {run.name: run for each in cells.values() for run in each}
        missing = tuple(name for name in runs if name not in finished)
        return Gathered(None, layout, finished, missing, cells={place: tuple(each) for place, each in cells.items()})

    return made


def _summary(name: str, row: LayoutRow, column: LayoutColumn, task: int, seed: int | None, found: Any) -> RunSummary:
    kind = found if isinstance(found, str) else "budget"
    values = {"coverage": float(found)} if isinstance(found, bool) else dict(found) if isinstance(found, dict) else {}
    if found != "broken":
        values.setdefault("coverage", 0.0)
    solved = bool(values.get("coverage"))
    outcome = "infrastructure-error" if found == "broken" else "solved" if solved else kind
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
        outcome=outcome,
        link=None if solved else BrokenLink(outcome if outcome == "infrastructure-error" else kind),
        values=values,
    )
