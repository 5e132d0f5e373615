"""Records as logs of Inspect (https://inspect.aisi.org.uk): a log for each policy and model, a sample for each run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import mean

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.experiments.records.writer import record_name
from pddl2nl.interop.inspect_task import chat
from pddl2nl.llm.keys import sha256
from pddl2nl.policies.events import Prompted
from pddl2nl.reports.rows import load_records
from pddl2nl.reports.summaries import RunSummary

# After `inspect_task`, whose error names the extra.
from inspect_ai.log import (  # isort: skip
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ModelOutput, ModelUsage  # isort: skip
from inspect_ai.scorer import CORRECT, INCORRECT, Score  # isort: skip

_SCORER = "plan_judged"


def export_inspect(folder: Path, out: Path) -> list[Path]:
    """Writes the records in a folder as logs, ``.eval`` files, which ``inspect view`` shows.

    A log has the runs of one policy, model and setting. A sample is a run: its task, the last conversation with the
    planning model, the verdict as its score, or the error of an endpoint or planner, which is not scored. The seeds of
    a task are its epochs. The runs of planners have no conversation and are left out.

    Raises:
        RecordError: there is no such folder, or a record is damaged.
        InputError: it holds no run of a policy.
        InfrastructureError: a log cannot be written.
    """
    groups: dict[tuple[str, ...], list[RunSummary]] = defaultdict(list)
    for run in load_records(folder).runs:
        if run.kind != "planner":
            groups[run.policy, run.model, run.style, run.wording, run.variant].append(run)
    if not groups:
        raise InputError(f"{folder} holds no finished run of a policy")
    try:
        out.mkdir(parents=True, exist_ok=True)
        return [_write(runs, "/".join(filter(None, group)), out) for group, runs in sorted(groups.items())]
    except OSError as error:
        raise InfrastructureError(f"cannot write a log in {out}: {error.strerror}") from error


def _time(record: RunRecord) -> str:
    """When a run began; a record may be a stranger's, and the time becomes part of a file's name."""
    time = record.started.time
    try:
        return datetime.fromisoformat(time).isoformat()
    except ValueError:
        expected = "expected a time such as 2026-01-31T12:00:00+00:00"
        raise InputError(f"{record.path}: 'time' is {time!r}; {expected}") from None


def _write(runs: Sequence[RunSummary], name: str, out: Path) -> Path:
    records = [record for run in runs if isinstance(record := read_record(run.path), RunRecord)]
    epochs: dict[str, int] = defaultdict(int)
    samples = []
    for run, record in zip(runs, records, strict=True):
        task = f"{run.suite or run.domain}/{run.task or run.problem}"
        epochs[task] += 1
        samples.append(_sample(record, task, epochs[task], run.message))
    started = records[0].started
    identity = sha256(name + "".join(run.name for run in runs))[:22]
    time = min(map(_time, records))
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=identity,
            run_id=identity,
            task_id=identity,
            created=time,
            task=name,
            solver=started.policy,
            dataset=EvalDataset(name="pddl2nl", samples=len(epochs), sample_ids=sorted(epochs)),
            model=started.model,
            model_base_url=started.base_url,
            config=EvalConfig(epochs=max(epochs.values())),
            packages=dict(started.versions),
            metadata={"options": dict(started.options), "temperature": started.spec.get("temperature")},
        ),
        results=_results(samples),
        stats=EvalStats(started_at=time, completed_at=time),
        samples=samples,
    )
    # The viewer reads time, task and identity from a file's name.
    path = out / f"{time.replace(':', '-')}_{record_name(started.policy).replace('_', '-')}_{identity}.eval"
    write_eval_log(log, str(path))
    return path


def _results(samples: Sequence[EvalSample]) -> EvalResults:
    """The accuracy: the mean over tasks of the mean over their scored runs."""
    solved: dict[int | str, list[bool]] = defaultdict(list)
    for sample in samples:
        if sample.scores is not None:
            solved[sample.id].append(sample.scores[_SCORER].value == CORRECT)
    metrics = {"accuracy": EvalMetric(name="accuracy", value=mean(map(mean, solved.values())))} if solved else {}
    return EvalResults(
        total_samples=len(samples),
        completed_samples=sum(map(len, solved.values())),
        scores=[EvalScore(name=_SCORER, scorer=_SCORER, metrics=metrics)],
    )


def _sample(record: RunRecord, task: str, epoch: int, why: str) -> EvalSample:
    messages = record.conversation
    asked = [event.messages[-1].content for event in record.events if isinstance(event, Prompted)]
    finished, started = record.finished, record.started
    answered = bool(messages) and messages[-1].role == "assistant"
    output = ModelOutput.from_content(started.model, messages[-1].content if answered else "")
    usage = ModelUsage(
        input_tokens=finished.prompt_tokens,
        output_tokens=finished.completion_tokens,
        total_tokens=finished.prompt_tokens + finished.completion_tokens,
        input_tokens_cache_read=finished.cached_tokens,
        reasoning_tokens=finished.reasoning_tokens,
        total_cost=finished.usd,
    )
    score = Score(
        value=CORRECT if record.solved else INCORRECT,
        answer="\n".join(finished.proposed or finished.plan),
        explanation=why,
        metadata={"outcome": record.outcome, "steps": finished.steps, "mistakes": finished.mistakes},
    )
    return EvalSample(
        id=task,
        epoch=epoch,
        input=asked[0] if asked else started.problem_pddl,
        target="",
        messages=chat(messages),
        output=output,
        scores=None if record.infrastructure else {_SCORER: score},
        error=EvalError(message=why, traceback="", traceback_ansi="") if record.infrastructure else None,
        metadata={"record": f"{record.id}.jsonl", "seed": started.seed},
        model_usage={started.model: usage},
        total_time=finished.seconds,
    )
