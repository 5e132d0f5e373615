"""``pddl2nl experiment --dry-run``: what is left to be run, and what it would take, as a whole and by column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.cli.output import print_json, print_text

if TYPE_CHECKING:
    from pddl2nl.experiments.estimate import Estimate
    from pddl2nl.experiments.jobs import Job
    from pddl2nl.experiments.specification.experiment import ExperimentSpec
    from pddl2nl.experiments.specification.product import Cell, Placed
    from pddl2nl.llm import Price

__all__ = ["DryRun"]


@dataclass(frozen=True)
class DryRun:
    """An experiment that is not run.

    Attributes:
        said: the experiment.
        folder: of its records.
        table: its cells; ``placed`` their runs and those of planners.
        prices: what tokens cost, by model.
    """

    said: ExperimentSpec
    folder: Path
    table: Sequence[Cell]
    placed: Sequence[Placed]
    prices: Mapping[str, Price | None]

    def show(self, *, as_json: bool) -> None:
        """Prints runs, and calls, tokens and money for those that are not finished."""
        from pddl2nl.experiments.estimate import HOW, Estimate
        from pddl2nl.experiments.specification.product import left_out

        said = self.said
        jobs = {each.job.name: each.job for each in self.placed}
        missing = self._missing(jobs)
        columns = self._columns(missing)
        expected = Estimate()
        for _, one in columns.values():
            expected = expected.plus(one)
        finished = len(jobs) - len(missing)
        if as_json:
            print_json(
                {
                    "name": said.name,
                    "runs": len(jobs),
                    "finished": finished,
                    "left_out": [*left_out(said)],
                    "notes": [*said.notes],
                    "estimate": expected.as_json(),
                    "columns": [_column_json(label, runs, one) for label, (runs, one) in columns.items()],
                    "records": str(self.folder),
                }
            )
            return
        kinds = Counter(_kind(job) for job in jobs.values())
        print_text(
            f"{said.name}: {len(jobs)} runs ({', '.join(f'{count} {kind}' for kind, count in kinds.items())}), "
            f"of which {finished} are finished in {self.folder}\n"
            f"Estimated for the rest: {expected.calls} calls, {expected.prompt_tokens} + "
            f"{expected.completion_tokens} tokens, {_money(expected)}\n"
            f"{_by_column(columns)}An estimate only: {HOW}."
        )

    def _missing(self, jobs: Mapping[str, Job]) -> set[str]:
        """The names of the runs that are to be done."""
        from pddl2nl.experiments.records.reader import read_end

        ends = {name: read_end(self.folder / f"{name}.jsonl") for name in jobs}
        return {name for name, end in ends.items() if end is None or end.broken}

    def _columns(self, missing: set[str]) -> dict[str, tuple[int, Estimate]]:
        """The runs of each column that are to be done, and their estimate; one of several columns is the first's."""
        from pddl2nl.experiments.estimate import Estimate, estimates
        from pddl2nl.experiments.specification.columns import SYMBOLIC, TITLES

        left = set(missing)
        todo: dict[int, str] = {}
        found: dict[str, tuple[int, Estimate]] = {}
        for each in self.placed:
            label = f"{SYMBOLIC} {TITLES[each.column]}" if isinstance(each.column, str) else each.column.label
            runs, none = found.get(label, (0, Estimate()))
            found[label] = (runs + (each.job.name in left), none)
            if each.job.name in left:
                left.discard(each.job.name)
                todo[id(each.job.spec)] = label
        cells = (replace(cell, runs=tuple(run for run in cell.runs if id(run) in todo)) for cell in self.table)
        for cell, one in estimates((cell for cell in cells if cell.runs), self.prices):
            runs, before = found[cell.column.label]
            found[cell.column.label] = (runs, before.plus(one))
        return found


def _kind(job: Job) -> str:
    from pddl2nl.experiments.jobs import PlannerSpec

    return job.spec.planner if isinstance(job.spec, PlannerSpec) else job.spec.policy


def _money(one: Estimate) -> str:
    return "price unknown" if one.usd is None else f"about {one.usd:.2f} USD"


def _column_json(label: str, runs: int, one: Estimate) -> dict[str, Any]:
    said = one.as_json()
    del said["how"]
    return {"column": label, "runs": runs, **said}


def _by_column(columns: Mapping[str, tuple[int, Estimate]]) -> str:
    """A line for each column, where there are several."""
    if len(columns) < 2:
        return ""
    rows = [("column", "runs", "calls", "tokens in", "tokens out", "USD")]
    for label, (runs, one) in columns.items():
        usd = "unknown" if one.usd is None else f"{one.usd:.2f}"
        rows.append((label, str(runs), str(one.calls), str(one.prompt_tokens), str(one.completion_tokens), usd))
    widths = [max(map(len, parts)) for parts in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            [parts[0].ljust(widths[0]), *(part.rjust(width) for part, width in zip(parts[1:], widths[1:], strict=True))]
        )
        for parts in rows
    ]
    return "".join(f"  {line}\n" for line in lines)
