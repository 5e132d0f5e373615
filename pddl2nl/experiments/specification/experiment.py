"""An experiment that can be prepared, estimated and run: a specification (`ExperimentSpec`) put to use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.experiments.access import Access, reach
from pddl2nl.experiments.checks import check_models
from pddl2nl.experiments.records.reader import is_broken, read_end
from pddl2nl.experiments.specification.content import ExperimentSpec, Overrides
from pddl2nl.experiments.specification.file import SpecFile

if TYPE_CHECKING:
    from pddl2nl.experiments.sweep import SweepSummary


def load_experiment(path: str | Path, overrides: Overrides | None = None) -> Experiment:
    """The experiment that a file specifies.

    Args:
        path: the file.
        overrides: values that replace those of the file.

    Raises:
        InputError: the file cannot be read, or has an error; the message has its place.
    """
    file = SpecFile(Path(path))
    return Experiment(file=file, overrides=overrides, **file.data)


class Experiment(ExperimentSpec):
    """Columns on tasks, to be run: see `ExperimentSpec` for its arguments and attributes."""

    def prepare(
        self,
        folder: Path,
        access: Access | None = None,
        *,
        dry_run: bool = False,
        asked_here: bool = True,
        on_questions: Callable[[int, int], None] = lambda done, of: None,
    ) -> None:
        """Checks the models, and makes the questions of an experiment that asks some.

        Args:
            folder: of its records.
            access: how models are reached.
            dry_run: whether nothing is written.
            asked_here: whether models are asked by this machine, which then needs their keys.
            on_questions: called while questions are made, with the sets that are made, and of how many.

        Raises:
            InputError: a model cannot be asked, or there is nothing to run.
        """
        self.prices = check_models(self, access or Access(), asked_here=asked_here)
        if self.questions is not None:
            from pddl2nl.experiments.specification.questions import placed_questions

            # In place of the cached property of an experiment that runs policies.
            self.__dict__["placed"], self._question_columns = placed_questions(
                self, folder, keep=not dry_run, on_progress=on_questions
            )
        if not self.placed:
            raise self.file.error("there is nothing to ask: no question of these kinds and forms was made", "questions")

    def run(self, out: str | Path | None = None, *, workers: int = 4, cache: str | Path | None = None) -> SweepSummary:
        """Runs what is missing in a folder; `pddl2nl.load_records` reads the result.

        Args:
            out: the folder of the records; by default ``runs/NAME``.
            workers: runs at a time.
            cache: as in `pddl2nl.run`.

        Raises:
            InputError: a model cannot be asked, or there is nothing to run.
            InfrastructureError: the folder cannot be made or read.
        """
        from pddl2nl.experiments.sweep import run_all

        folder, top = Path(out or self.folder), self.top.access
        access = reach(cache, self.models_file, top.requests_per_minute, top.tokens_per_minute)
        self.prepare(folder, access)
        self.write_down(folder)
        return run_all([*self.jobs.values()], folder, workers=workers, access=access, budget=self.budget)

    def dry_run(self, folder: Path) -> dict[str, Any]:
        """What is left to be run in a folder, and an estimate of its cost by column, as ``--dry-run --json`` prints it.

        A run of several columns counts in one.
        """
        from pddl2nl.experiments.estimate import HOW, QUESTIONS_HOW, Estimate, estimated_columns

        finished = {name for name in self.jobs if self._is_finished(folder, name)}
        columns = estimated_columns(self, finished)
        total = sum((one for _, one in columns.values()), Estimate())
        how = "; ".join((QUESTIONS_HOW if self.questions is not None else HOW, *total.assumed))
        policies = {column.label: column.policy for column in self._layout_columns()}
        kinds = Counter(
            policies[heading] for heading in {job.name: heading for job, _, heading in self.placed}.values()
        )
        return {
            "name": self.name,
            "runs": len(self.jobs),
            "kinds": dict(kinds),
            "finished": len(finished),
            "left_out": [*self._left_out()],
            "notes": self.notes,
            "estimate": {**total.as_json(), "how": how},
            "columns": [{"column": label, "runs": runs, **one.as_json()} for label, (runs, one) in columns.items()],
            "records": str(folder),
        }

    def _is_finished(self, folder: Path, name: str) -> bool:
        end = read_end(folder / f"{name}.jsonl")
        return end is not None and not is_broken(end)
