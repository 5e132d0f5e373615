"""Records as datasets of Hugging Face: the runs with their conversations, and their steps."""

from __future__ import annotations

from pathlib import Path

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.reports.rows import STEP_COLUMNS, load_records


def export_hf(folder: Path, out: Path) -> tuple[Path, Path]:
    """Writes the records in a folder as two datasets, ``OUT/runs`` and ``OUT/steps``, for ``load_from_disk``.

    A run has the columns of `pddl2nl.reports.rows.Records.run_rows`, its PDDL texts, its plan, and ``messages``: the
    last conversation with the planning model, with roles and contents as chat templates expect them.

    Raises:
        RecordError: there is no such folder, or a record is damaged.
        InputError: it holds no finished record.
        MissingExtraError: the package is not installed.
    """
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingExtraError("datasets", "hf", "export hf") from error

    records = load_records(folder)
    if not records.runs:
        raise InputError(f"{folder} holds no finished record")
    rows = records.run_rows()
    for row, run in zip(rows, records.runs, strict=True):
        record = read_record(run.path)
        messages = record.conversation if isinstance(record, RunRecord) else ()
        row["domain_pddl"], row["problem_pddl"] = record.first.domain_pddl, record.first.problem_pddl
        row["plan"] = list(record.plan)
        row["messages"] = [{"role": message.role, "content": message.content} for message in messages]
    of_steps = list(records.step_rows())
    steps = {column: [row[column] for row in of_steps] for column in STEP_COLUMNS}
    paths = out / "runs", out / "steps"
    Dataset.from_list(rows).save_to_disk(str(paths[0]))
    Dataset.from_dict(steps).save_to_disk(str(paths[1]))
    return paths
