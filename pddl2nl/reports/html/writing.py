"""The report's pages: one self-contained file for up to 200 runs, a folder with an index beyond.

Nothing on a page is fetched from a network, and each opens from disk. In a folder every task has a page of its own with
all its runs, so that any two of them can be looked at side by side, and each page stays small.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.layout import Layout
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.html.overview import Difference, Overview, list_data, overview_of
from pddl2nl.reports.html.plan import PagePlan, PageRun, RunPage, plan_pages
from pddl2nl.reports.html.rendering import MARK, Files, run_html, runs_page_html, whole_page_html
from pddl2nl.reports.html.run import RunView, view_of

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["RUNS_IN_ONE_FILE", "render_report", "write_html"]

RUNS_IN_ONE_FILE = 200
"""With more runs a report is a folder of pages."""

_MOST_WORKERS = 8
_TITLE = "Results, down to every reply"


@dataclass(frozen=True)
class _Judged:
    """What judging the runs of a page again gave."""

    judged: int = 0
    differences: tuple[Difference, ...] = ()


def write_html(
    gathered: Gathered,
    out: Path,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    paper: bool = True,
    plots: bool = True,
    workers: int | None = None,
) -> Path:
    """Writes the report and gives the path of the page to open.

    Up to `RUNS_IN_ONE_FILE` runs are one file: ``out`` itself where it ends in ``.html``, else ``index.html`` in the
    folder ``out``. More are a folder, ``out`` without ``.html``, with ``index.html`` and ``runs/``. Pages of an older
    report in that folder are removed.

    Args:
        gathered: what is shown; its records are opened once more.
        out: a file or folder, made where it is missing.
        title, notes: the first page's heading, by default the experiment's name, and paragraphs below it.
        paper: whether the paper's numbers stand beside ours where there are any.
        plots: whether plots are drawn, which takes a second or two.
        workers: processes for a folder's pages; by default as many as there are processors.

    Raises:
        RecordError: a record was changed since it was gathered, and can't be read now.
        InfrastructureError: the disk refuses.
    """
    plan = plan_pages(gathered)
    named = out.suffix.lower() in (".html", ".htm")
    if len(plan.runs) <= RUNS_IN_ONE_FILE:
        path = out if named else out / "index.html"
        _write(path, _whole(plan, title, notes, paper, plots))
        return path
    folder = out.with_suffix("") if named else out
    _remove_old(folder / "runs", {f"{page.name}.html" for page in plan.pages})
    judged = _together(_write_pages(plan, folder / "runs", workers))
    overview = _overview(plan, title, notes, judged, folder=True, paper=paper, plots=plots)
    _write(folder / "index.html", whole_page_html(overview, (), Files()))
    return folder / "index.html"


def render_report(
    gathered: Gathered, *, title: str = "", notes: Sequence[str] = (), paper: bool = True, plots: bool = True
) -> str:
    """The whole report as one page, however many runs it has; arguments as of `write_html`."""
    return _whole(plan_pages(gathered), title, notes, paper, plots)


def _whole(plan: PagePlan, title: str, notes: Sequence[str], paper: bool, plots: bool) -> str:
    files = Files()
    articles, judged = _articles(plan.runs, files)
    overview = _overview(plan, title, notes, judged, folder=False, paper=paper, plots=plots)
    return whole_page_html(overview, articles, files)


def _overview(
    plan: PagePlan, title: str, notes: Sequence[str], judged: _Judged, *, folder: bool, paper: bool, plots: bool
) -> Overview:
    return overview_of(
        plan,
        title=title or plan.gathered.layout.name or _TITLE,
        notes=notes,
        differences=judged.differences,
        rechecked=judged.judged,
        folder=folder,
        paper=paper,
        plots=plots,
    )


def _together(found: Iterable[_Judged]) -> _Judged:
    each = [*found]
    return _Judged(sum(one.judged for one in each), tuple(differ for one in each for differ in one.differences))


def _articles(runs: Iterable[PageRun], files: Files) -> tuple[tuple[Markup, ...], _Judged]:
    articles = []
    judged = 0
    differences = []
    for run in runs:
        view = view_of(run)
        articles.append(run_html(view, files))
        judged += view.recheck.verdict not in ("not-judged", "no-plan")
        if not view.recheck.agrees and not run.summary.infrastructure:
            differences.append(_difference(view))
    return tuple(articles), _Judged(judged, tuple(differences))


def _difference(view: RunView) -> Difference:
    return Difference(view.place.anchor, view.record.outcome, view.recheck.verdict, view.recheck.note)


# ── a folder ─────────────────────────────────────────────────────────────────────────────────────


def _write_pages(plan: PagePlan, folder: Path, workers: int | None) -> list[_Judged]:
    """The pages of all tasks, by several processes where that is safe: forking needs a single thread."""
    write = partial(_write_page, plan.gathered.layout, folder)
    alone = threading.active_count() > 1 or "fork" not in multiprocessing.get_all_start_methods()
    number = workers or (1 if alone else min(os.cpu_count() or 1, _MOST_WORKERS))
    if number <= 1 or alone:
        return [write(page) for page in plan.pages]
    # What the processes inherit is ten thousand runs, which no collection has to look at again and again.
    with ProcessPoolExecutor(number, multiprocessing.get_context("fork"), initializer=gc.freeze) as pool:
        try:
            return list(pool.map(write, plan.pages, chunksize=max(1, len(plan.pages) // (number * 16))))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _write_page(layout: Layout, folder: Path, page: RunPage) -> _Judged:
    files = Files()
    articles, judged = _articles(page.runs, files)
    data = list_data(layout, page.runs, {})
    _write(folder / f"{page.name}.html", runs_page_html(page, articles, files, data, "../index.html"))
    return judged


def _remove_old(folder: Path, kept: set[str]) -> None:
    """Pages that an older report left: a run that is not there any more shall not be found in its pages."""
    with _disk(folder):
        for path in sorted(folder.glob("task-*.html")):
            if path.name not in kept and MARK in path.read_text(encoding="utf-8", errors="replace")[:200]:
                path.unlink()


def _write(path: Path, html: str) -> None:
    with _disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error
