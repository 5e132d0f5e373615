"""Records as rows for other tools: one row per run, one row per step, as CSV, JSON Lines, Parquet or pandas frames."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError
from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.files import replaced_file, write_text_file
from pddl2nl.policies.events import Acted, LookedAround, Rejected
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.reports.summaries import RunSummary

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]

ROW_FORMATS = (".csv", ".jsonl", ".parquet")
"""The endings of the files that `write_rows` writes."""

MOST_COLUMNS = 60
"""The most columns of the rows of runs, unless all are asked for."""

STEP_COLUMNS = ("run", "domain", "problem", "policy", "model", "seed", "step", "status", "action", "text", "unmet")


@dataclass(frozen=True)
class Records:
    """The finished records of a folder: ``runs`` are their summaries, by name."""

    runs: tuple[RunSummary, ...]

    def run_rows(self) -> list[Row]:
        """One row per run. Metrics stand under their names (`pddl2nl.reports.all_metrics`); a missing value is None."""
        return [_run_row(run) for run in self.runs]

    def step_rows(self) -> Iterator[Row]:
        """One row per step: a turn, or a line of a one-shot plan. Planners have no steps.

        If a one-shot mechanism proposed several plans, only the one that counts has rows. ``status`` is ``executed``,
        ``look-around`` or the reason why the step was not executed.

        Raises:
            RecordError: a record changed since it was summarized and is no longer valid.
        """
        for run in self.runs:
            if run.kind != "planner":
                yield from _step_rows(run)

    def __repr__(self) -> str:
        return f"<Records of {len(self.runs)} runs>"

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_table

        outcomes = Counter(run.outcome for run in self.runs)
        return html_table(repr(self)[1:-1], [(outcome, str(count)) for outcome, count in outcomes.most_common()])

    def to_frame(self) -> pandas.DataFrame:
        """`run_rows` as a pandas frame.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        return _pandas().DataFrame(self.run_rows())

    def steps_to_frame(self) -> pandas.DataFrame:
        """`step_rows` as a pandas frame; raises as `to_frame` does."""
        return _pandas().DataFrame(list(self.step_rows()), columns=list(STEP_COLUMNS))


def load_records(folder: str | Path) -> Records:
    """The finished records in a folder and below it.

    Raises:
        RecordError: there is no such folder, or a record is damaged; the message names file and line.
    """
    runs = gather(Path(folder)).runs
    return Records(tuple(run for _, run in sorted(runs.items())))


def write_rows(records: Records, path: Path, *, wide: bool = False) -> tuple[Path, Path]:
    """Writes the rows of runs to `path`, and those of steps beside it, ``runs-steps.csv``; returns both paths.

    The ending of the path is the format, one of `ROW_FORMATS`. The rows of runs have the columns that are not empty, at
    most `MOST_COLUMNS`: the description of the run, the general metrics, then the others; or, if ``wide``, all.

    Raises:
        InputError: another ending.
        MissingExtraError: Parquet without pandas and pyarrow.
        InfrastructureError: a file cannot be written.
    """
    if path.suffix not in ROW_FORMATS:
        raise InputError(f"{path}: rows are written as {', '.join(ROW_FORMATS)}; found the ending '{path.suffix}'")
    beside = path.with_name(f"{path.stem}-steps{path.suffix}")
    empty = RunSummary("", Path(), "", "", "", "", "", 0, "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        rows, columns = records.run_rows(), tuple(_run_row(empty))
        if not wide:
            filled = [name for name in columns if any(row[name] not in (None, "") for row in rows)]
            columns = tuple(filled[:MOST_COLUMNS])
            rows = [{name: row[name] for name in columns} for row in rows]
        _write(path, rows, columns)
        _write(beside, list(records.step_rows()), STEP_COLUMNS)
    except OSError as error:
        raise InfrastructureError(f"cannot write {error.filename or path}: {error.strerror}") from error
    return path, beside


def _write(path: Path, rows: Sequence[Row], columns: Sequence[str]) -> None:
    if path.suffix == ".parquet":
        try:
            _pandas().DataFrame(rows, columns=list(columns)).to_parquet(path)
        except ImportError as error:
            raise MissingExtraError("pyarrow", "frames", "a Parquet file") from error
    elif path.suffix == ".jsonl":
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        write_text_file(path, "".join(lines))
    else:
        with replaced_file(path) as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: _csv_cell(value) for name, value in row.items()} for row in rows)


def _csv_cell(value: object) -> object:
    """An apostrophe precedes text that a spreadsheet would take for a formula."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError("pandas", "frames", "a data frame or a Parquet file") from error
    return pandas


def _run_row(run: RunSummary) -> Row:
    link = run.link
    return {
        "run": run.name,
        "suite": run.suite,
        "task": run.task,
        "domain": run.domain,
        "problem": run.problem,
        "policy": run.policy,
        "model": run.model,
        "style": run.style,
        "wording": run.wording,
        "wording_sha256": run.wording_id,
        "settings": run.variant,
        "seed": run.seed,
        "outcome": run.outcome,
        "solved": run.solved,
        "fault": link.kind if link else None,
        "fault_step": link.step if link else None,
        "fault_text": link.text if link else None,
        "message": run.message,
        **{name: run.values.get(name) for name in all_metrics()},
    }


def _step_rows(run: RunSummary) -> Iterator[Row]:
    record = read_record(run.path)
    if not isinstance(record, RunRecord):
        return
    for event in record.counted:
        if not isinstance(event, Acted | Rejected | LookedAround):
            continue
        status = "executed" if isinstance(event, Acted) else "look-around"
        yield {
            "run": run.name,
            "domain": run.domain,
            "problem": run.problem,
            "policy": run.policy,
            "model": run.model,
            "seed": run.seed,
            "step": event.step,
            "status": event.status if isinstance(event, Rejected) else status,
            "action": None if isinstance(event, LookedAround) else event.action,
            "text": event.text,
            "unmet": list(event.unmet) if isinstance(event, Rejected) else [],
        }
