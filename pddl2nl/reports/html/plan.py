"""The place of each run in a report's pages: its anchor, its page, and its entry in the list of runs.

All runs of a task are on one page, because they are compared with each other; a task of very many runs gets several
pages, each with all runs of some seeds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pddl2nl.experiments.layout import LayoutRow, Place, TableLayout
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.html.run import PageRun
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.tasks.suites import natural

RUNS_A_PAGE = 120
"""The most runs of one task on one page, unless a single seed has more."""


@dataclass(frozen=True)
class RunPage:
    """The runs of a task, or some of them; ``name`` is the file's, without ``.html``."""

    name: str
    title: str
    runs: tuple[PageRun, ...]


@dataclass(frozen=True)
class PagePlan:
    """All runs in the order of the list, and their pages in a report of many files."""

    gathered: Gathered
    runs: tuple[PageRun, ...]
    pages: tuple[RunPage, ...]

    def page_of(self) -> Mapping[str, str]:
        """The page's name by the run's anchor."""
        return {run.anchor: page.name for page in self.pages for run in page.runs}


def plan_pages(gathered: Gathered) -> PagePlan:
    """The place of every finished run, independent of the order of the runs."""
    places: dict[str, list[Place]] = {}
    for place in sorted(gathered.cells):
        for summary in gathered.cells[place]:
            places.setdefault(summary.name, []).append(place)

    def order(item: tuple[str, RunSummary]) -> tuple[Any, ...]:
        name, run = item
        row, column = places.get(name, [(10**6, 0)])[0]
        seed = -1 if run.seed is None else run.seed
        return (row, natural(run.suite), natural(run.task), column, run.policy, seed, run.name)

    names = _PlanNames("run")
    runs = tuple(
        PageRun(
            run,
            names.of(name),
            _column(gathered, run, places.get(name, ())),
            f"{run.suite} {run.task}".strip(),
            tuple(places.get(name, ())),
        )
        for name, run in sorted(gathered.runs.items(), key=order)
    )
    return PagePlan(gathered, runs, tuple(_pages(runs)))


def row_label(row: LayoutRow, rows: Sequence[LayoutRow]) -> str:
    """A row on one line, with its section if there are several: ``depots (PlanBench), scaled``."""
    variant = f" ({row.variant})" if row.variant else ""
    section = f", {row.section}" if row.section and len({other.section for other in rows}) > 1 else ""
    return f"{row.label}{variant}{section}"


def _column(gathered: Gathered, run: RunSummary, places: Sequence[Place]) -> str:
    if places:
        return gathered.layout.columns[places[0].column].label
    return " ".join(filter(None, (run.policy, run.model, run.style, run.wording, run.variant)))


def _pages(runs: Iterable[PageRun]) -> Iterator[RunPage]:
    tasks: dict[str, list[PageRun]] = {}
    for run in runs:
        tasks.setdefault(run.summary.task_id, []).append(run)
    names = _PlanNames("task")
    for found in tasks.values():
        parts = list(_parts(found))
        for number, part in enumerate(parts, 1):
            title = found[0].task + (f", part {number} of {len(parts)}" if len(parts) > 1 else "")
            yield RunPage(names.of(found[0].task), title, tuple(part))


def _parts(runs: Sequence[PageRun]) -> Iterator[Sequence[PageRun]]:
    """Runs of one seed stay together if a page has room for them; those without a seed come first."""
    if len(runs) <= RUNS_A_PAGE:
        yield runs
        return
    part: list[PageRun] = []
    for seed in sorted({run.summary.seed for run in runs}, key=lambda seed: (seed is not None, seed or 0)):
        of_seed = [run for run in runs if run.summary.seed == seed]
        for start in range(0, len(of_seed), RUNS_A_PAGE):
            some = of_seed[start : start + RUNS_A_PAGE]
            if part and len(part) + len(some) > RUNS_A_PAGE:
                yield part
                part = []
            part += some
    if part:
        yield part


class _PlanNames:
    """Unique names for files and anchors, of letters, digits and hyphens only, whatever the texts contain."""

    def __init__(self, kind: str):
        self._kind = kind
        self._taken: Counter[str] = Counter()

    def of(self, text: str) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80].rstrip("-") or "unnamed"
        stem = name = f"{self._kind}-{slug}"
        while name in self._taken:
            self._taken[stem] += 1
            name = f"{stem}-{self._taken[stem]}"
        self._taken[name] = 1
        return name


def list_data(layout: TableLayout, runs: Sequence[PageRun], pages: Mapping[str, str]) -> dict[str, Any]:
    """The list of runs as a page's script reads it: texts once, runs as arrays of indices into them.

    A run is ``[anchor, page, task, column, places, seed, outcome, link, predicates, step, gist, actions]``, with
    ``places`` a flat list of row, column, row, column, …; -1 stands for a missing value. ``pages`` names the page by
    the run's anchor if it is another one.
    """
    kinds = ("pages", "tasks", "names", "outcomes", "links", "predicates")
    known: dict[str, dict[str, int]] = {kind: {"": 0} if kind == "pages" else {} for kind in kinds}

    def index(kind: str, text: str) -> int:
        return known[kind].setdefault(text, len(known[kind]))

    entries = []
    for run in runs:
        summary, link = run.summary, run.summary.link if run.summary.failure else None
        entries.append(
            [
                run.anchor,
                index("pages", f"runs/{pages[run.anchor]}.html" if run.anchor in pages else ""),
                index("tasks", run.task),
                index("names", run.column),
                [number for place in run.places for number in place],
                -1 if summary.seed is None else summary.seed,
                index("outcomes", summary.outcome),
                index("links", summary.failure) if link else -1,
                [index("predicates", name) for name in link.predicates] if link else [],
                link.step if link else 0,
                run.gist,
                int(summary.values.get("plan-length", -1)),
            ]
        )
    return {
        **{kind: list(texts) for kind, texts in known.items()},
        "columns": [column.label for column in layout.columns],
        "rows": [row_label(row, layout.rows) for row in layout.rows],
        "sections": [None if row.variant else row.section for row in layout.rows],
        "runs": entries,
    }
