"""One run: a policy on a task with a model, from its specification to its result and record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.access import Access, reach
from pddl2nl.experiments.preparing import prepare_run
from pddl2nl.experiments.records.writer import RecordWriter, free_record_path, partial_path, record_name
from pddl2nl.llm import Model, ReplyPendingError
from pddl2nl.pddl import Task
from pddl2nl.policies import Policy, RunEvent
from pddl2nl.policies.budget import total
from pddl2nl.policies.events import Fault, Outcome, Started
from pddl2nl.policies.spec import RunSpec, options_text


@dataclass(frozen=True)
class RunResult:
    """The result of a run.

    ``plan`` holds PDDL actions: those read out of a one-shot reply, else those executed. ``fault`` is the first broken
    link of a run that was not solved. ``mistakes`` are turns, or lines of a plan, meant as actions
    and not executed. ``record`` is None where none was written. ``events`` are those of the record.

    Calls, tokens and ``usd`` (None where a price is unknown) are what was spent on this run; ``cache_hits`` is how many
    more replies our cache had, which cost nothing. ``accounts`` holds the same for each role: wording, thoughts,
    planner, translator.
    """

    outcome: Outcome
    fault: Fault | None
    plan: tuple[str, ...]
    steps: int
    mistakes: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float | None
    seconds: float
    record: Path | None
    message: str = ""
    cache_hits: int = 0
    accounts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    events: tuple[RunEvent, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"<RunResult: {self.outcome}, {self.steps} steps, {self.mistakes} mistakes, {self.calls} calls>"

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_table

        fault = "" if self.fault is None else f"step {self.fault.step}, {self.fault.status}: {self.fault.text}"
        counts = f"{self.steps} steps, {self.mistakes} mistakes, {self.calls} calls"
        return html_table(f"Run: {self.outcome}", (("", counts), ("first fault", fault), ("plan", self.plan)))

    @property
    def solved(self) -> bool:
        """Whether the goal was reached."""
        return self.outcome == "solved"

    def as_json(self) -> dict[str, Any]:
        """The fields as ``pddl2nl run --json`` prints them."""
        shown = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("message", "events")}
        return shown | {
            "fault": msgspec.to_builtins(self.fault),
            "plan": list(self.plan),
            "usd": None if self.usd is None else round(self.usd, 6),
            "seconds": round(self.seconds, 3),
            "record": None if self.record is None else str(self.record),
            "accounts": {
                role: {key: round(value, 6) if isinstance(value, float) else value for key, value in account.items()}
                for role, account in self.accounts.items()
            },
        }


def run(
    task: Task,
    policy: str | Policy = "react",
    model: str | Model = "oracle",
    *,
    record: str | Path | None = None,
    cache: str | Path | None = None,
    models_file: str | Path | None = None,
    **options: Any,
) -> RunResult:
    """Runs a policy on a task. Needs no file and writes none unless ``record`` or ``out`` names one.

    Failures on the way (an endpoint, a planner in the model) are an outcome, ``infrastructure-error``. Wrong arguments
    raise.

    Args:
        task: the task to be solved.
        policy: a policy's name, ``module:Class``, or a `pddl2nl.policies.Policy`.
        model: a model's name, or a model.
        record: the file to write; an older one is replaced.
        cache: where replies of models behind an endpoint are kept; None for the usual file, ``none`` for nowhere.
        models_file: settings and prices by model, TOML.
        options: the options of a run, listed below, and those of the policy; the command line has the same.

    Raises:
        InputError: an unknown option or a wrong value, a task that cannot be executed, or no planner where one is
            needed.
        InfrastructureError: the planner that sets the step limit failed, or the record cannot be written.
    """
    path = None if record is None else Path(record)
    spec = RunSpec.of(task, policy, model=model, record=path, **options)
    return run_spec(spec, reach(cache, models_file))


run.__doc__ = f"{run.__doc__}\n    Options:\n{options_text()}\n    "


class _RecordLostError(Exception):
    """No `InfrastructureError`, which an episode would take for a failing model and go on to its end."""


def run_spec(
    spec: RunSpec, access: Access | None = None, observe: Callable[[RunEvent], None] = lambda event: None
) -> RunResult:
    """Runs what a specification says; see `run`.

    Args:
        spec: the run.
        access: how its models are reached.
        observe: is given every event as it happens.
    """
    events: list[RunEvent] = []
    path: Path | None = None
    try:
        with ExitStack() as stack:

            def begin(started: Started) -> Callable[[RunEvent], None]:
                nonlocal path
                path = _record_path(spec, started)
                writer = stack.enter_context(RecordWriter(path)) if path is not None else None

                def emit(event: RunEvent) -> None:
                    events.append(event)
                    observe(event)
                    try:
                        if writer is not None:
                            writer.write(event)
                    except InfrastructureError as error:
                        raise _RecordLostError(str(error)) from error

                emit(started)
                return emit

            finished = prepare_run(spec, access, begin).play()
    except ReplyPendingError:
        if path is not None and spec.record is None:
            # The name was reserved for this attempt, and is free for the next one.
            partial_path(path).unlink(missing_ok=True)
        raise
    except _RecordLostError as lost:
        raise InfrastructureError(str(lost)) from lost
    spent = total(finished.spent.values())
    return RunResult(
        outcome=finished.outcome,
        fault=finished.fault,
        plan=finished.proposed or finished.plan,
        steps=finished.steps,
        mistakes=finished.mistakes,
        calls=spent.calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cached_tokens=spent.cached_tokens,
        usd=spent.usd,
        seconds=finished.seconds,
        record=path,
        message=finished.message,
        cache_hits=spent.cache_hits,
        accounts=finished.spent,
        events=tuple(events),
    )


def _record_path(spec: RunSpec, started: Started) -> Path | None:
    if spec.record is not None or spec.out is None:
        return spec.record
    name = record_name(started.domain, started.problem, started.policy, started.model, started.style, str(started.seed))
    return free_record_path(spec.out, name)
