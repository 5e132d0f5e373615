"""Where each run stands in a report's pages: its anchor, its task, the page, and what the list of runs says of it.

Runs of one task stand on one page, since those are the ones that are compared with each other; a task of very many runs
gets several pages, each with all runs of some seeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pddl2nl.experiments.layout import LayoutRow, Place
from pddl2nl.reports.broken_links import LINKS
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import RunSummary

__all__ = ["RUNS_A_PAGE", "PagePlan", "PageRun", "RunPage", "natural", "plan_pages", "row_label"]

RUNS_A_PAGE = 120
"""How many runs of one task a page of the folder may hold, as far as single seeds have no more than that."""


@dataclass(frozen=True)
class PageRun:
    """A run in its place.

    Attributes:
        summary: what is known of it without its events.
        anchor: its id in the page, unlike any other's of the report.
        column, task: what both are called.
        places: its cells in the layout.
    """

    summary: RunSummary
    anchor: str
    column: str
    task: str
    places: tuple[Place, ...] = ()

    @property
    def tone(self) -> str:
        """``solved``, ``failed``, or ``broken`` by infrastructure: the colour."""
        if self.summary.infrastructure:
            return "broken"
        return "solved" if self.summary.solved else "failed"

    @property
    def link(self) -> str:
        """The first broken link as readers know its kind; empty where the run was solved."""
        link = self.summary.link
        return "" if link is None or self.summary.solved else LINKS.get(link.kind, link.kind)


@dataclass(frozen=True)
class RunPage:
    """The runs of a task, or some of them; ``name`` is the file's, without ``.html``."""

    name: str
    title: str
    runs: tuple[PageRun, ...]


@dataclass(frozen=True)
class PagePlan:
    """All runs in the order of the list, and the pages that they stand on in a report of many files."""

    gathered: Gathered
    runs: tuple[PageRun, ...]
    pages: tuple[RunPage, ...]

    def page_of(self) -> Mapping[str, str]:
        """The page's name by the run's anchor."""
        return {run.anchor: page.name for page in self.pages for run in page.runs}


def plan_pages(gathered: Gathered) -> PagePlan:
    """Puts every finished run into its place; the same for the same runs, whatever their order."""
    places = _places(gathered)
    ordered = sorted(gathered.runs.items(), key=lambda item: _order(item[1], places.get(item[0], ())))
    anchors = _Names("run")
    runs = tuple(
        PageRun(
            summary,
            anchors.of(name),
            _column(gathered, summary, places.get(name, ())),
            f"{summary.suite} {summary.task}".strip(),
            places.get(name, ()),
        )
        for name, summary in ordered
    )
    return PagePlan(gathered, runs, tuple(_pages(runs)))


def row_label(row: LayoutRow, rows: Sequence[LayoutRow]) -> str:
    """A row on one line, with its section where there are several: ``depots (PlanBench), scaled``."""
    variant = f" ({row.variant})" if row.variant else ""
    section = f", {row.section}" if row.section and len({other.section for other in rows}) > 1 else ""
    return f"{row.label}{variant}{section}"


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts p2 before p10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", text)
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts)


def _places(gathered: Gathered) -> dict[str, tuple[Place, ...]]:
    found: dict[str, list[Place]] = {}
    for place in sorted(gathered.cells, key=lambda one: (one.row, one.column)):
        for summary in gathered.cells[place]:
            found.setdefault(summary.name, []).append(place)
    return {name: tuple(places) for name, places in found.items()}


def _order(summary: RunSummary, places: Sequence[Place]) -> tuple[Any, ...]:
    row, column = (places[0].row, places[0].column) if places else (10**6, 0)
    seed = -1 if summary.seed is None else summary.seed
    return (row, natural(summary.suite), natural(summary.task), column, summary.policy, seed, summary.name)


def _column(gathered: Gathered, summary: RunSummary, places: Sequence[Place]) -> str:
    if places:
        return gathered.layout.columns[places[0].column].label
    parts = (summary.policy, summary.model, summary.style, summary.wording, summary.variant)
    return " ".join(part for part in parts if part)


def _pages(runs: Iterable[PageRun]) -> Iterator[RunPage]:
    tasks: dict[str, list[PageRun]] = {}
    for run in runs:
        tasks.setdefault(run.summary.task_id, []).append(run)
    names = _Names("task")
    for found in tasks.values():
        parts = list(_parts(found))
        for number, part in enumerate(parts, 1):
            title = found[0].task + (f", part {number} of {len(parts)}" if len(parts) > 1 else "")
            yield RunPage(names.of(found[0].task), title, part)


def _parts(runs: Sequence[PageRun]) -> Iterator[tuple[PageRun, ...]]:
    """Runs of one seed stay together, as far as a page takes them; those without a seed come first."""
    if len(runs) <= RUNS_A_PAGE:
        yield tuple(runs)
        return
    part: list[PageRun] = []
    for seed in sorted({run.summary.seed for run in runs}, key=lambda seed: (seed is not None, seed or 0)):
        of_seed = [run for run in runs if run.summary.seed == seed]
        for start in range(0, len(of_seed), RUNS_A_PAGE):
            some = of_seed[start : start + RUNS_A_PAGE]
            if part and len(part) + len(some) > RUNS_A_PAGE:
                yield tuple(part)
                part = []
            part += some
    if part:
        yield tuple(part)


class _Names:
    """Names for files and anchors: made of letters, digits and hyphens alone, whatever the texts say, each once."""

    def __init__(self, kind: str):
        self._kind = kind
        self._taken: dict[str, int] = {}

    def of(self, text: str) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80].rstrip("-") or "unnamed"
        stem = name = f"{self._kind}-{slug}"
        while name in self._taken:
            self._taken[stem] += 1
            name = f"{stem}-{self._taken[stem]}"
        self._taken[name] = 1
        return name
