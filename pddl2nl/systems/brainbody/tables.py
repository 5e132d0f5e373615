"""A table of BrainBody-LLM: what acting models make of the steps of a plan, Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.policy import is_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.laid_out import BLANK, LaidOut, printed
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection
from pddl2nl.systems.brainbody.events import BodyActed


def steps_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """What each configuration made of the steps of its plans, a line for each step; read from the records."""
    view = LaidOut.of("brainbody-steps", gathered, wanted, paper=paper)
    grid, laid = view.grid, view.laid
    ours = [_programs(grid.runs(grid.rows, column)) for column in grid.columns]
    theirs = {row.label: row for row in laid.rows} if view.shows_paper else {}
    columns = laid.columns if view.shows_paper else ()
    lines = []
    for step in dict.fromkeys(chain(theirs, *ours)):
        cells = [TableCell(programs.get(step, "–")) for programs in ours]
        cells += [printed(theirs[step].cell(at)) if step in theirs else BLANK for at in range(len(columns))]
        lines.append(TableLine(step, tuple(cells)))
    headings = [Heading(grid.column(column).name, grid.column(column).group) for column in grid.columns]
    headings += [Heading(column.name, column.group, paper=True) for column in columns]
    return view.table(headings, [TableSection(tuple(lines))], corner="step")


def _programs(runs: Iterable[RunSummary]) -> dict[str, str]:
    programs: dict[str, str] = {}
    for run in runs:
        if is_of(run.policy, __package__):
            steps = (event for event in read_record(run.path).events if isinstance(event, BodyActed))
            programs = {**{event.line: event.reply for event in steps}, **programs}
    return programs
