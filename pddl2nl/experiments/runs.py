"""One run: a policy on a task with a model, from its specification to its result and record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.access import Access, reach
from pddl2nl.experiments.record import RecordWriter, free_record_path, partial_path, record_name
from pddl2nl.experiments.setup import Prepared, prepare
from pddl2nl.experiments.spec import REPLANS, RunSpec
from pddl2nl.llm import Model, ReplyPendingError
from pddl2nl.nl import Wording
from pddl2nl.pddl import Task
from pddl2nl.policies import Episode, Event
from pddl2nl.policies.budget import total
from pddl2nl.policies.events import Fault, Finished, Outcome

if TYPE_CHECKING:
    from pddl2nl.worlds.faults import Faults
    from pddl2nl.worlds.ontology import Ontology

__all__ = ["RunResult", "RunSpec", "run", "run_spec"]


@dataclass(frozen=True)
class RunResult:
    """What came of a run.

    ``plan`` holds PDDL actions: those executed by an interactive policy, those read out of a one-shot reply.
    ``fault`` is the first broken link of a run that was not solved. ``mistakes`` are turns, or lines of a plan,
    meant as actions and not executed. ``usd`` is None where a price is unknown, ``record`` where none was
    written. ``events`` is all that happened, as it stands in the record.

    Calls, tokens and ``usd`` are what was spent on this run; ``cache_hits`` is how many more replies our cache had,
    which cost nothing. ``accounts`` holds the same for each role: wording, thoughts, planner, translator.
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
    events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def solved(self) -> bool:
        """Whether the goal was reached."""
        return self.outcome == "solved"

    def as_json(self) -> dict[str, Any]:
        """The fields as ``pddl2nl run --json`` prints them."""
        return {
            "outcome": self.outcome,
            "fault": msgspec.to_builtins(self.fault),
            "plan": list(self.plan),
            "steps": self.steps,
            "mistakes": self.mistakes,
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
            "usd": None if self.usd is None else round(self.usd, 6),
            "seconds": round(self.seconds, 3),
            "record": None if self.record is None else str(self.record),
            "cache_hits": self.cache_hits,
            "accounts": {
                role: {key: _rounded(value) for key, value in account.items()}
                for role, account in self.accounts.items()
            },
        }


def _rounded(value: float | None) -> float | None:
    return round(value, 6) if isinstance(value, float) else value


def run(
    task: Task,
    policy: str = "react",
    model: str | Model = "oracle",
    *,
    wording: str | Wording | None = None,
    wording_model: str | Model | None = None,
    style: str = "nl",
    names: str = "typed",
    names_seed: int | None = None,
    translator: str = "reader",
    translator_model: str | Model | None = None,
    reading: str = "default",
    on_ambiguous: str = "refuse",
    example: str | Path | None = None,
    example_plan: str | Path | None = None,
    thoughts: str = "auto",
    thoughts_model: str | Model | None = None,
    history: str = "full",
    feedback: str = "reason",
    samples: int = 1,
    rounds: int = 0,
    unsolvable: str = "silent",
    task_text: str | None = None,
    form: str = "goal",
    faults: str | Faults | None = None,
    ontology: str | Path | Ontology | None = None,
    library: str | Path | None = None,
    embedding_model: str | Model | None = None,
    replans: int = REPLANS,
    temperature: float | None = 0.0,
    steps: int | None = None,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_usd: float | None = None,
    seed: int = 1,
    base_url: str | None = None,
    record: str | Path | None = None,
    cache: str | Path | None = None,
    models_file: str | Path | None = None,
) -> RunResult:
    """Lets a policy act on a task; needs no file and writes none unless ``record`` names one.

    The arguments are the fields of `RunSpec`, and ``cache`` and ``models_file`` of `pddl2nl.experiments.access.reach`:
    replies of models behind an endpoint are kept in the usual cache unless it is ``none``. What fails on the way (an
    endpoint, a planner in the model) is an outcome, ``infrastructure-error``; what is wrong with the arguments is
    raised.

    Raises:
        InputError: an argument that cannot be, a task that cannot be executed, or no planner where one is needed.
        InfrastructureError: the planner that sets the step limit failed, or the record cannot be written.
    """
    return run_spec(
        RunSpec(
            task=task,
            policy=policy,
            model=model,
            wording=wording,
            wording_model=wording_model,
            style=style,
            names=names,
            names_seed=names_seed,
            translator=translator,
            translator_model=translator_model,
            reading=reading,
            on_ambiguous=on_ambiguous,
            example=example,
            example_plan=example_plan,
            thoughts=thoughts,
            thoughts_model=thoughts_model,
            history=history,
            feedback=feedback,
            samples=samples,
            rounds=rounds,
            unsolvable=unsolvable,
            task_text=task_text,
            form=form,
            faults=faults,
            ontology=ontology,
            library=library,
            embedding_model=embedding_model,
            replans=replans,
            temperature=temperature,
            steps=steps,
            max_calls=max_calls,
            max_tokens=max_tokens,
            max_usd=max_usd,
            seed=seed,
            base_url=base_url,
            record=None if record is None else Path(record),
        ),
        reach(cache, models_file),
    )


def run_spec(spec: RunSpec, access: Access | None = None) -> RunResult:
    """Runs what a specification says, its models reached as ``access`` says; see `run`."""
    prepared = prepare(spec, access)
    events: list[Event] = []
    path = _record_path(spec, prepared)
    try:
        with ExitStack() as stack:
            writer = stack.enter_context(RecordWriter(path)) if path is not None else None

            def emit(event: Event) -> None:
                events.append(event)
                if writer is not None:
                    _write(writer, event)

            finished = _play(prepared, spec.seed, emit)
    except ReplyPendingError:
        if path is not None and spec.record is None:
            # The name was reserved for this try, and the next one shall have it.
            partial_path(path).unlink(missing_ok=True)
        raise
    except _RecordLostError as lost:
        raise InfrastructureError(str(lost)) from lost
    return _result(finished, prepared, path, events)


class _RecordLostError(Exception):
    """No `InfrastructureError`, which an episode would take for a failing model and go on to its end."""


def _write(writer: RecordWriter, event: Event) -> None:
    try:
        writer.write(event)
    except InfrastructureError as error:
        raise _RecordLostError(str(error)) from error


def _play(prepared: Prepared, seed: int, emit: Callable[[Event], None]) -> Finished:
    emit(prepared.started)
    episode = Episode(
        prepared.setting,
        limits=prepared.limits,
        seed=seed,
        request=prepared.request,
        asking=prepared.asking,
        emit=emit,
    )
    return episode.play(prepared.policy)


def _record_path(spec: RunSpec, prepared: Prepared) -> Path | None:
    if spec.record is not None or spec.out is None:
        return spec.record
    started = prepared.started
    name = record_name(started.domain, started.problem, started.policy, started.model, started.style, str(started.seed))
    return free_record_path(spec.out, name)


def _result(finished: Finished, prepared: Prepared, path: Path | None, events: list[Event]) -> RunResult:
    spent = total(finished.spent.values())
    return RunResult(
        outcome=finished.outcome,
        fault=finished.fault,
        plan=finished.proposed if prepared.policy.one_shot else finished.plan,
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
