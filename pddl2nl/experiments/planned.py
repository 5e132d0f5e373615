"""The record of a planner's run: one line of JSON Lines, beside the records of episodes.

A planner has no episode, so its record is a single event. Like the record of an episode it holds the whole PDDL
texts, so that the plan can be validated again without another file, and it is renamed into place when it is finished.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.files import read_text
from pddl2nl.policies.events import Amount, Count, RunEvent

if TYPE_CHECKING:
    from pddl2nl.baselines import TaskTexts


class Planned(RunEvent, frozen=True):
    """A planner's result on one task.

    ``planner``, ``search``, ``status``, ``plan``, ``cost``, ``expanded`` and ``message`` are those of
    `pddl2nl.baselines.PlannerResult`, actions as PDDL; a planner that broke has the status ``error``.
    ``domain`` and ``problem`` are the names in the PDDL texts; ``suite`` and ``task`` are what an experiment calls the
    task, else empty. ``seconds`` is wall time, the only field that differs between two runs of one task.
    """

    planner: str
    domain: str
    problem: str
    domain_pddl: str
    problem_pddl: str
    status: str
    plan: tuple[str, ...] | None = None
    cost: int | float | None = None
    expanded: Count | None = None
    search: str = ""
    message: str = ""
    domain_file: str = ""
    problem_file: str = ""
    seconds: Amount = 0.0
    format: int = 1
    suite: str = ""
    task: str = ""


def plan_and_record(
    domain: Path,
    problem: Path,
    planner: str,
    record: Path,
    *,
    time_limit: int | None = None,
    memory_limit_mb: int | None = None,
    texts: TaskTexts | None = None,
    called: tuple[str, str] = ("", ""),
) -> Planned:
    """Runs a planner on two files, or on ``texts`` made from them, writes its record and returns it.

    A planner that crashes is recorded with the status ``error`` instead of raising: in a sweep it must cost one cell
    and not the whole table. ``called`` is how an experiment calls suite and task.

    Raises:
        MissingExtraError: the planner is not installed.
        PDDLError: a file cannot be read.
        InfrastructureError: the record cannot be written.
    """
    from pddl2nl.baselines import TaskTexts, solve
    from pddl2nl.pddl import parse_task

    texts = texts or TaskTexts(read_text(domain, "PDDL file"), read_text(problem, "PDDL file"))
    task = parse_task(texts.domain, texts.problem)
    try:
        result = solve(texts, planner, time_limit=time_limit, memory_limit_mb=memory_limit_mb)
        plan = None if result.plan is None else tuple(map(str, result.plan))
        outcome: dict[str, Any] = {**result.as_json(), "plan": plan, "message": result.message}
    except InfrastructureError as error:
        outcome = {"planner": planner, "status": "error", "message": str(error)}
    planned = Planned(
        domain=task.domain.name,
        problem=task.problem.name,
        domain_pddl=texts.domain,
        problem_pddl=texts.problem,
        domain_file=str(domain),
        problem_file=str(problem),
        suite=called[0],
        task=called[1],
        **outcome,
    )
    with RecordWriter(record) as writer:
        writer.write(planned)
    return planned
