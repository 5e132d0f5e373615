"""The tables of the HVR paper: all metrics by what plans (its Table 2), and each metric task by task (5 to 16).

Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification". Lines are what is compared, as in the paper: HVR and its ablations. Of the runs of a task, which differ
in their seeds, stands the mean; averages are over tasks, without those that are variants of others (T5bis).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import HVR_TABLES, LayoutTable
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import task_means
from pddl2nl.reports.paper.hvr import PaperSummary, paper_source, paper_summaries
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import Grid, best_of, lacking, show_runs
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell

__all__ = ["POLICY_TITLES", "hvr_grid", "hvr_table", "metric_notes", "paper_notes", "percent", "sections_by_group"]

POLICY_TITLES = {"hvr": "HVR", "hv": "HV", "hr": "HR", "vr": "VR", "r": "R", "llm": "LLM"}
"""What the paper calls the policies, in its order."""

PC, PREFIX = "plan-correctness", "plan-correctness-prefix"
LD, ABSOLUTE = "length-discrepancy", "length-discrepancy-absolute"
EPV, MPV, AABV = "expanded-plan-verified", "macro-plan-verified", "blocks-verified"

ORACLE_KNOWS = (
    "Of a shipped task in words the oracle is given what it stands for, and the ground truth's sub-goals; actions it "
    "plans from what the prompts tell. A PC of 100 % says that nothing was lost from prompt to record, and nothing of "
    "anybody's planning."
)
"""What a reader has to know of the oracle's numbers."""

_SAID = {
    "PC": "steps in line with a ground-truth plan up to the first wrong one, of its steps; the greatest over its "
    "linearizations and, where a goal can be reached in several ways, over these. Superfluous steps are skipped; by "
    "prefix they are wrong. The paper does not say which of the two is its own",
    "ES": "of plans whose PC is 100 %, the ground truth's steps that were executed up to the first failure, of its "
    "steps",
    "LD": "how much longer a plan is than the ground-truth plan it comes nearest to, of the latter's steps",
    "EPV": "steps of the expanded plan that are applicable one after the other, of its steps, after all corrections",
    "MPV": "macro-actions that can be carried out on paper by their conditions, of all; (before) and after correction",
    "AABV": "macro-actions whose block is applicable and brings about what the macro-action claims, of all; (before) "
    "and after correction",
}


Together = Callable[[Sequence[float]], float]
"""Puts the tasks together."""


@dataclass(frozen=True)
class _Column:
    """A column of the table: its heading, what of our runs stands in it, and what of the paper's line.

    ``better`` is None where no value is better than another.
    """

    heading: Heading
    ours: Callable[[Sequence[RunSummary]], TableCell]
    paper: Callable[[PaperSummary], TableCell]
    better: str | None = "higher"


def hvr_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Every metric by what plans: a line for each of our columns, below them the paper's lines, marked.

    Raises:
        InputError: it names numbers of a paper's table that do not stand in this one.
    """
    grid = hvr_grid(gathered, wanted, HVR_TABLES[0])
    columns = [*_columns()]
    sections = sections_by_group(grid, [_line(grid, column, columns) for column in grid.columns])
    sections = tuple(replace(each, lines=_marked(each.lines, columns)) for each in sections)
    papers = _paper_sections(columns) if paper and wanted.paper else ()
    headings = (Heading("tasks"), *(column.heading for column in columns))
    title = wanted.title or "HVR and its ablations: all metrics, in %"
    notes = (*metric_notes(grid, ("PC", "LD", "EPV", "MPV", "AABV")), *(paper_notes(whole=False) if papers else ()))
    return Table("hvr", title, "", headings, (*sections, *papers), notes)


def hvr_grid(gathered: Gathered, wanted: LayoutTable, known: str) -> Grid:
    """The experiment as such a table sees it; raises `InputError` where it names other numbers than ``known``."""
    if wanted.paper not in ("", known):
        raise InputError(
            f"the numbers of '{wanted.paper}' do not stand in a table of the kind '{wanted.kind}': those of '{known}'"
        )
    grid = Grid.of(gathered, replace(wanted, paper=""), paper=False)
    # Planners' records hold no reference, and nothing that could be verified step by step.
    return replace(grid, columns=tuple(column for column in grid.columns if grid.column(column).kind != "planner"))


def _columns() -> Iterator[_Column]:
    for group, name in (("PC", PC), ("PC by prefix", PREFIX)):
        for place, said in enumerate(("all", "moderate", "high")):
            printed = partial(_printed, key="pc", place=place) if name == PC else _blank
            complexity = "" if said == "all" else said
            yield _Column(Heading(said, group), partial(_mean, name=name, complexity=complexity), printed)
    together: tuple[tuple[str, str, Together], ...] = (
        ("min", LD, min),
        ("max", LD, max),
        ("avg.", LD, _average),
        ("abs. avg.", ABSOLUTE, _average),
    )
    for place, (said, name, of) in enumerate(together):
        better = "lower" if name == ABSOLUTE else None
        printed = partial(_printed, key="ld", place=place)
        yield _Column(Heading(said, "LD"), partial(_mean, name=name, of=of), printed, better)
    yield _Column(Heading("EPV", "verification"), partial(_mean, name=EPV), partial(_printed, key="epv"))
    for said, name in (("MPV", MPV), ("AABV", AABV)):
        yield _Column(
            Heading(said, "verification"), partial(_ours_of_both, name=name), partial(_theirs_of_both, key=said.lower())
        )


def _ours_of_both(runs: Sequence[RunSummary], name: str) -> TableCell:
    return _both(_mean(runs, f"{name}-before"), _mean(runs, name))


def _theirs_of_both(line: PaperSummary, key: str) -> TableCell:
    return _both(_printed(line, f"{key}_before"), _printed(line, f"{key}_after"))


def _printed(line: PaperSummary, key: str, place: int | None = None) -> TableCell:
    found = getattr(line, key)
    return percent(found if place is None else found[place])


def _blank(line: PaperSummary) -> TableCell:
    """The paper has one variant of correctness."""
    return TableCell("")


# ── our lines ────────────────────────────────────────────────────────────────────────────────────


def _line(grid: Grid, column: int, columns: Sequence[_Column]) -> Line:
    rows = grid.rows
    runs = [run for run in grid.runs(rows, column) if run.measured is None or run.measured.averaged]
    show = show_runs(rows, column)
    link = (rows[0], column) if len(rows) == 1 and grid.gathered.cell(rows[0], column) else None
    cells = [replace(cell, show=show) if cell.value is not None else cell for cell in (c.ours(runs) for c in columns)]
    scored = len({(run.suite, run.task, run.task_id) for run in runs if not run.infrastructure})
    lacks = lacking(sum(run.infrastructure for run in runs), grid.lacks(rows, column))
    told = f"{len(runs)} runs{lacks}"
    tasks = TableCell(f"{scored}{lacks}", float(scored), told, link=link, show=() if link else show)
    return Line(_label(grid, column), (tasks, *cells))


def _label(grid: Grid, column: int) -> str:
    said = grid.column(column)
    return said.name or POLICY_TITLES.get(said.policy, said.policy)


def sections_by_group(grid: Grid, lines: Sequence[Line]) -> tuple[Section, ...]:
    """The lines of our columns, those of one group together; the groups are named where there are several."""
    groups: dict[str, list[Line]] = {}
    for column, line in zip(grid.columns, lines, strict=True):
        groups.setdefault(grid.column(column).group, []).append(line)
    return tuple(Section(tuple(each), name if len(groups) > 1 else "") for name, each in groups.items())


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _mean(runs: Iterable[RunSummary], name: str, complexity: str = "", of: Together = _average) -> TableCell:
    """A metric over the tasks of a complexity, or over all: of each the mean of its runs."""
    kept = [run for run in runs if not complexity or (run.measured and run.measured.complexity == complexity)]
    means = [*task_means(name, kept).values()]
    if not means:
        return TableCell()
    return replace(percent(of(means)), detail=f"over {len(means)} {'task' if len(means) == 1 else 'tasks'}")


def percent(value: float | None) -> TableCell:
    """A number in %, with two decimals as in the paper; a dash for None."""
    return TableCell() if value is None else TableCell(f"{value:.2f}", value)


def _both(before: TableCell, after: TableCell) -> TableCell:
    """``(47.03) 74.20``: before correction, and after; its number is that after."""
    if before.value is None:
        return after
    said = "; ".join(filter(None, (f"before correction {before.text}", after.detail or before.detail)))
    return replace(after, text=f"({before.text}) {after.text}", detail=said)


def _marked(lines: Sequence[Line], columns: Sequence[_Column]) -> tuple[Line, ...]:
    """The best of each column marked, where the lines are not all alike and none of them lacks runs."""
    tasks = {line.cells[0].text for line in lines}
    if len(tasks) > 1 or any("(" in text for text in tasks):
        return tuple(lines)
    best = {}
    for place, column in enumerate(columns, 1):
        values = [line.cells[place].value for line in lines]
        found = frozenset[int]() if column.better is None else best_of(values, column.better)
        best[place] = found if len(found) < sum(value is not None for value in values) else frozenset()
    return tuple(
        replace(line, cells=tuple(replace(cell, best=at in best.get(n, ())) for n, cell in enumerate(line.cells)))
        for at, line in enumerate(lines)
    )


# ── the paper's ──────────────────────────────────────────────────────────────────────────────────


def _paper_sections(columns: Sequence[_Column]) -> tuple[Section, ...]:
    return tuple(
        Section(
            tuple(
                Line(POLICY_TITLES[said.policy], (TableCell("12", 12.0), *(c.paper(said) for c in columns)), paper=True)
                for said in paper_summaries()
                if said.model == model
            ),
            f"paper: {model}",
        )
        for model in paper_source().models
    )


def metric_notes(grid: Grid, names: Iterable[str]) -> tuple[str, ...]:
    """What the metrics are, and how they are put together."""
    notes = [f"{name}: {_SAID[name]}." for name in names]
    notes.append(
        "Of several seeds a task has the mean; averages, minimum and maximum are over tasks, without those that are "
        "variants of others (T5bis), and LD without those whose goal is too open to compare lengths (T12)."
    )
    runs = [run for column in grid.columns for run in grid.runs(grid.rows, column)]
    if runs and not any(run.measured for run in runs):
        notes.append("No task here has a ground-truth plan, so that there is no PC and no LD.")
    if any(grid.column(column).model.startswith("oracle") for column in grid.columns):
        notes.append(ORACLE_KNOWS)
    return (*notes, *grid.notes())


def paper_notes(*, whole: bool) -> tuple[str, ...]:
    """Where the paper's numbers come from, and what they are of; the ``whole`` of them also where they do not agree."""
    source = paper_source()
    models = " and ".join(f"{model} ({name})" for model, name in source.models.items())
    return (
        f"paper: {source.short}, “{source.title}”, with {models}; of its own tasks, kitchen and ground-truth plans, "
        "from which ours are made again.",
        *(source.disagreements if whole else ("Where its own tables differ is said below its results by task.",)),
    )
