"""Runs in experiment trackers while they run: Weights & Biases, MLflow, TensorBoard.

A tracker is one function of a run's name and an event (`Observe`), as `pddl2nl.experiments.sweep.run_all` takes it.
Each run of a policy becomes a run of the tracker: its settings from the first event, its counts after each step, and
its outcome from the last one. Runs that were finished before, and planners' runs, are not sent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from pddl2nl.errors import InfrastructureError, MissingExtraError
from pddl2nl.experiments.runs import Observe
from pddl2nl.llm.endpoint.redaction import Redactor, secrets_of_url
from pddl2nl.policies import RunEvent
from pddl2nl.policies.events import SOLVED, Acted, Finished, LookedAround, Rejected, Replied, Started

_LONG = ("domain_pddl", "problem_pddl", "wording", "names", "example", "prompts", "reference", "time")
"""Fields of the first event that are too long for a tracker; the record has them."""


class TrackedRun(Protocol):
    """One run of a tracker."""

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Sends the values after a step."""

    def end(self, values: Mapping[str, float | str], failed: bool) -> None:
        """Sends the final values; ``failed`` for an infrastructure error."""


Begin = Callable[[str, Mapping[str, str | float]], TrackedRun]
"""Begins a run with a name and its settings."""


# ── the trackers ─────────────────────────────────────────────────────────────────────────────────


def _wandb(project: str, folder: Path) -> Begin:
    try:
        import wandb
    except ImportError as error:
        raise MissingExtraError("wandb", "wandb", "--log wandb") from error

    class WandbRun:
        def __init__(self, name: str, settings: Mapping[str, str | float]):
            # Runs of an experiment run at the same time, in threads.
            self._run = wandb.init(project=project, name=name, dir=folder, config=dict(settings), reinit="create_new")

        def log(self, step: int, values: Mapping[str, float]) -> None:
            self._run.log(dict(values), step=step)

        def end(self, values: Mapping[str, float | str], failed: bool) -> None:
            self._run.summary.update(dict(values))
            self._run.finish(exit_code=int(failed))

    return WandbRun


def _mlflow(project: str, folder: Path) -> Begin:
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError as error:
        raise MissingExtraError("mlflow-skinny", "mlflow", "--log mlflow") from error

    # A server that does not answer is found before the first run, and not after minutes of retries.
    for name, most in (("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2"), ("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")):
        os.environ.setdefault(name, most)
    try:
        client = MlflowClient()
        existing = client.get_experiment_by_name(project)
        experiment = client.create_experiment(project) if existing is None else existing.experiment_id
    except MlflowException as error:
        uri = os.environ.get("MLFLOW_TRACKING_URI", "")
        reason = Redactor(secrets_of_url(uri)).strike(str(error).strip().partition("\n")[0])
        raise InfrastructureError(
            f"--log mlflow cannot be used: {reason[:300]}\nStart a server and "
            "set MLFLOW_TRACKING_URI to its address, or keep the runs in a folder: MLFLOW_ALLOW_FILE_STORE=true "
            f"MLFLOW_TRACKING_URI={(folder / 'mlruns').absolute().as_uri()}"
        ) from None

    class MLflowRun:
        def __init__(self, name: str, settings: Mapping[str, str | float]):
            self._id = client.create_run(experiment, run_name=name).info.run_id
            for key, value in settings.items():
                client.log_param(self._id, key, value)

        def log(self, step: int, values: Mapping[str, float]) -> None:
            for key, value in values.items():
                client.log_metric(self._id, key, value, step=step)

        def end(self, values: Mapping[str, float | str], failed: bool) -> None:
            for key, value in values.items():
                if isinstance(value, str):
                    client.set_tag(self._id, key, value)
                else:
                    client.log_metric(self._id, key, value)
            client.set_terminated(self._id, "FAILED" if failed else "FINISHED")

    return MLflowRun


def _tensorboard(project: str, folder: Path) -> Begin:
    try:
        from tensorboardX import SummaryWriter
    except ImportError as error:
        raise MissingExtraError("tensorboardX", "tensorboard", "--log tensorboard") from error

    class TensorBoardRun:
        def __init__(self, name: str, settings: Mapping[str, str | float]):
            self._writer = SummaryWriter(str(folder / "tensorboard" / name))
            self._last = 0
            self._writer.add_text("settings", "\n".join(f"    {key}: {value}" for key, value in settings.items()))

        def log(self, step: int, values: Mapping[str, float]) -> None:
            self._last = step
            for key, value in values.items():
                self._writer.add_scalar(key, value, step)

        def end(self, values: Mapping[str, float | str], failed: bool) -> None:
            for key, value in values.items():
                if isinstance(value, str):
                    self._writer.add_text(key, value, self._last)
                else:
                    self._writer.add_scalar(f"end/{key}", value, self._last)
            self._writer.close()

    return TensorBoardRun


TRACKERS: dict[str, Callable[[str, Path], Begin]] = {
    "wandb": _wandb,
    "mlflow": _mlflow,
    "tensorboard": _tensorboard,
}
"""Every tracker by its name, made from the name of a project and a folder for its files."""


# ── from events ──────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Counts:
    end: str
    run: TrackedRun
    values: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(
            ("executed", "refused", "calls", "prompt_tokens", "completion_tokens", "usd"), 0.0
        )
    )


def tracked(tracker: str, project: str, folder: Path) -> Observe:
    """What sends the events of runs to a tracker.

    Args:
        tracker: a name in `TRACKERS`.
        project: what the tracker calls these runs together.
        folder: for its files.

    Raises:
        MissingExtraError: its package is not installed.
    """
    begin = TRACKERS[tracker](project, folder)
    running: dict[str, _Counts] = {}

    def observe(run: str, event: RunEvent) -> None:
        if event.last:
            running[run] = _Counts(event.last, begin(run, dict(_settings(cast(Started, event)))))
            return
        counts = running[run]
        values = counts.values
        if isinstance(event, Replied):
            values["calls"] += 1
            if event.tool_calls:
                values["tool_calls"] = values.get("tool_calls", 0.0) + len(event.tool_calls)
            values["prompt_tokens"] += event.prompt_tokens
            values["completion_tokens"] += event.completion_tokens
            values["usd"] += event.usd or 0.0
        elif isinstance(event, Acted | Rejected | LookedAround):
            values["executed"] += isinstance(event, Acted)
            values["refused"] += isinstance(event, Rejected)
            counts.run.log(event.step, values)
        elif event.event == counts.end:
            end = cast(Finished, event)
            told: dict[str, float | str] = {"outcome": end.outcome, "solved": float(end.outcome in SOLVED)}
            if isinstance(event, Finished):
                told |= {"steps": end.steps, "mistakes": end.mistakes, "plan_length": len(end.plan)}
            told["seconds"] = end.seconds
            running.pop(run).run.end({**values, **told}, end.outcome == "infrastructure-error")

    return observe


def _settings(started: Started) -> Iterator[tuple[str, str | float]]:
    """The settings of a run, flat: ``temperature``, ``model_settings.top_p``; those that are not set are left out."""
    fields: dict[str, Any] = {
        **{name: value for name, value in started.spec.items() if name not in _LONG},
        "model_settings": started.model_settings,
        "versions": started.versions,
    }
    for name, value in fields.items():
        for key, each in value.items() if isinstance(value, Mapping) else (("", value),):
            if isinstance(each, str | int | float) and each != "":
                yield f"{name}.{key}".rstrip("."), each
