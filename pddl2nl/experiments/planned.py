"""The record of a planner's run: one line of JSON Lines, beside the records of episodes.

A planner has no episode, so its record is a single event. Like the record of an episode it holds the whole PDDL
texts, so that the plan can be validated again without another file, and it is renamed into place when it is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.records.writer import RecordWriter, job_name
from pddl2nl.files import read_text
from pddl2nl.llm.keys import sha256
from pddl2nl.policies.events import Amount, Count, RunEvent

if TYPE_CHECKING:
    from pddl2nl.baselines import TaskTexts
    from pddl2nl.experiments.access import Access


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

    @property
    def outcome(self) -> str:
        """The planner's status."""
        return self.status

    @property
    def spent(self) -> Mapping[str, Mapping[str, Any]]:
        """A planner costs nothing."""
        return {}


@dataclass(frozen=True)
class PlannerJob:
    """A baseline's run (`pddl2nl.experiments.jobs.Job`).

    Attributes:
        domain, problem: the files.
        planner: of `pddl2nl.baselines.PLANNERS`.
        seconds, memory_mb: its limits; None for none.
        texts: replace what the two files hold, for a task that was transformed.
        suite, task: what an experiment calls the task, for the record.
        parts: the readable parts of its name; by default those of the files.
    """

    domain: Path
    problem: Path
    planner: str
    seconds: int | None = None
    memory_mb: int | None = None
    texts: TaskTexts | None = None
    suite: str = ""
    task: str = ""
    parts: tuple[str, ...] = ()

    asks_model = False
    base_url = None

    @cached_property
    def name(self) -> str:
        """The name of its record without the ending."""
        texts = self._texts(errors="replace")
        identity = {
            "planner": self.planner,
            "seconds": self.seconds,
            "memory_mb": self.memory_mb,
            "domain": sha256(texts.domain),
            "problem": sha256(texts.problem),
        }
        return job_name(self.parts or (self.domain.parent.name, self.problem.stem, self.planner), identity)

    def play(self, record: Path, access: Access, observe: Callable[[RunEvent], None]) -> Planned:
        """Runs the planner, writes its record and returns it.

        A planner that crashes is recorded with the status ``error`` instead of raising: in a sweep it must cost one
        cell and not the whole table.

        Raises:
            MissingExtraError: the planner is not installed.
            PDDLError: a file cannot be read.
            InfrastructureError: the record cannot be written.
        """
        from pddl2nl.baselines import solve
        from pddl2nl.pddl import parse_task

        texts = self._texts()
        task = parse_task(texts.domain, texts.problem)
        try:
            result = solve(texts, self.planner, time_limit=self.seconds, memory_limit_mb=self.memory_mb)
            plan = None if result.plan is None else tuple(map(str, result.plan))
            outcome: dict[str, Any] = {**result.as_json(), "plan": plan, "message": result.message}
        except InfrastructureError as error:
            outcome = {"planner": self.planner, "status": "error", "message": str(error)}
        planned = Planned(
            domain=task.domain.name,
            problem=task.problem.name,
            domain_pddl=texts.domain,
            problem_pddl=texts.problem,
            domain_file=str(self.domain),
            problem_file=str(self.problem),
            suite=self.suite,
            task=self.task,
            **outcome,
        )
        with RecordWriter(record) as writer:
            writer.write(planned)
        return planned

    def _texts(self, errors: Literal["strict", "replace"] = "strict") -> TaskTexts:
        from pddl2nl.baselines import TaskTexts

        files = (self.domain, self.problem)
        return self.texts or TaskTexts(*(read_text(path, "PDDL file", errors=errors) for path in files))
