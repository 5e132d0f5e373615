"""The report's pages: one self-contained file for up to 200 runs, a folder with an index beyond.

Nothing on a page is fetched from a network, and each opens from disk. In a folder every task has its own page with all
its runs, so that any two of them can be compared and each page stays small. Jinja2 escapes all text from models and
files; in addition, the content security policy of a page allows only its own script, by hash, and no connection.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl import pictures
from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments.layout import LayoutRow, Place, TableLayout
from pddl2nl.files import natural, replaced_file
from pddl2nl.policies import is_registered, make_policy
from pddl2nl.reports.comparison import comparison_table, comparisons
from pddl2nl.reports.gathering import Gathered, sorted_by
from pddl2nl.reports.html.picture import run_figure
from pddl2nl.reports.html.run import OUTCOME_MEANINGS, PageRun, RunView, counted, status_label, view_of
from pddl2nl.reports.plots import NoDataError, draw, plots_of
from pddl2nl.reports.reviewing import doubts, how_table
from pddl2nl.reports.summaries import RunSummary, in_processes, kept_once
from pddl2nl.reports.tables import links_table, metrics_tables, tables_of
from pddl2nl.reports.tables.model import latex_text, markdown_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

RUNS_IN_ONE_FILE = 200
"""With more runs a report is a folder of pages."""
RUNS_ON_A_PAGE = 500
"""A task with more runs has several pages: each is made, and loaded by a browser, as a whole, some 10 kB a run."""
MOST_DRAWN = 1_000
"""With more runs the pages draw no states, which take more time than all the rest: `pddl2nl view` draws those of the
run that is open."""
_NOT_DRAWN = (
    f"The pages of more than {MOST_DRAWN:,} runs draw no states; pddl2nl view DIR draws those of the run that is open."
)

_TITLE = "Results, down to every reply"

_MARK = "<!-- pddl2nl report -->"
"""Every page of a report begins with this comment."""

_SCRIPTS = ("common.js", "runs.js", "against.js", "viewer.js", "compare.js", "keys.js")

# ── the place of each run: its anchor, its page, and its entry in the list of runs ────────────────


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
    """The place of every finished run, those that are not counted included, independent of the order of the runs."""
    places: dict[str, tuple[Place, ...]] = {}
    for place in sorted(gathered.cells):
        for run in gathered.cells[place]:
            places[run.name] = kept_once((*places.get(run.name, ()), place))
    key_of = lru_cache(maxsize=None)(natural)
    found = sorted_by(
        (*gathered.runs.values(), *gathered.doubted),
        lambda run: places.get(run.name, _NOWHERE)[0].row,
        lambda run: key_of(run.suite),
        lambda run: key_of(run.task),
        lambda run: places.get(run.name, _NOWHERE)[0].column,
        lambda run: run.policy,
        lambda run: -1 if run.seed is None else run.seed,
        lambda run: run.name,
    )
    names = _PlanNames("run")
    runs = tuple(
        PageRun(
            run,
            names.of(run.name),
            kept_once(_column(gathered, run, places.get(run.name, ()))),
            kept_once(f"{run.suite} {run.task}".strip()),
            places.get(run.name, ()),
        )
        for run in found
    )
    return PagePlan(gathered, runs, tuple(_pages(runs)))


_NOWHERE = (Place(10**6, 0),)


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
        for first in range(0, len(found), RUNS_ON_A_PAGE):
            some, task = tuple(found[first : first + RUNS_ON_A_PAGE]), found[0].task
            title = task if len(some) == len(found) else f"{task}, runs {first + 1:,} to {first + len(some):,}"
            yield RunPage(names.of(task), title, some)


class _PlanNames:
    """Unique names for files and anchors, of letters, digits and hyphens only, for any texts."""

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


def list_data(layout: TableLayout, runs: Sequence[PageRun], pages: Mapping[str, str], **more: object) -> Markup:
    """The list of runs as JSON, as a page's script reads it: texts once, runs as arrays of indices into them.

    A run is ``[anchor, page, task, column, places, seed, outcome, link, predicates, step, gist, actions]``, with
    ``places`` a flat list of row, column, row, column, …; -1 stands for a missing value. ``pages`` names the page by
    the run's anchor if it is another one.
    """
    from jinja2.utils import htmlsafe_json_dumps
    from markupsafe import Markup

    kinds = ("pages", "tasks", "names", "outcomes", "links", "predicates")
    known: dict[str, dict[str, int]] = {kind: {"": 0} if kind == "pages" else {} for kind in kinds}

    def index(kind: str, text: str) -> int:
        return known[kind].setdefault(text, len(known[kind]))

    def entry(run: PageRun) -> tuple[object, ...]:
        summary, link = run.summary, run.summary.link if run.summary.failure else None
        return (
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
        )

    # Some at a time: the entries of twenty thousand runs are four times as large as their JSON.
    parts = [htmlsafe_json_dumps([*map(entry, runs[at : at + 500])])[1:-1] for at in range(0, len(runs), 500)]
    data = {
        **{kind: list(texts) for kind, texts in known.items()},
        "columns": [column.label for column in layout.columns],
        "rows": [row_label(row, layout.rows) for row in layout.rows],
        "sections": [None if row.variant else row.section for row in layout.rows],
        "runs": [],
        **more,
    }
    # No text in it holds this: its quotes would be escaped.
    before, after = htmlsafe_json_dumps(data, sort_keys=True).split('"runs": []')
    return Markup(f'{before}"runs": [{", ".join(parts)}]{after}')


# ── the report ────────────────────────────────────────────────────────────────────────────────────


def write_html(
    gathered: Gathered,
    out: Path,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    paper: bool = True,
    plots: bool = True,
    seeds: bool = False,
    workers: int | None = None,
) -> Path:
    """Writes the report and returns the path of the page to open; records are read again.

    Up to `RUNS_IN_ONE_FILE` runs are one file: ``out`` itself if it ends in ``.html``, else ``index.html`` in the
    folder ``out``. More are a folder, ``out`` without ``.html``, with ``index.html`` and ``runs/``.

    Args:
        title, notes: the first page's heading, by default the experiment's name, and paragraphs below it.
        paper: whether the paper's numbers stand beside ours if there are any.
        seeds: whether tables of coverage have a column for each seed.
        workers: processes for a folder's pages; by default as many as there are processors.

    Raises:
        RecordError: a record was changed since it was gathered, and cannot be read now.
        InfrastructureError: a page cannot be written.
    """
    plan = plan_pages(gathered)
    drawn = len(plan.runs) <= MOST_DRAWN
    notes = notes if drawn else (*notes, _NOT_DRAWN)
    overview = partial(overview_of, plan, title=title, notes=notes, paper=paper, plots=plots, seeds=seeds)
    named = out.suffix.lower() in (".html", ".htm")
    if len(plan.runs) <= RUNS_IN_ONE_FILE:
        path = out if named else out / "index.html"
        articles, files = articles_of(map(view_of, plan.runs))
        _write(path, "report", home="", articles=articles, files=files, **overview())
        return path
    folder = out.with_suffix("") if named else out
    # A page needs no places of other runs, which would be sent to a process with each page.
    layout = replace(gathered.layout, runs={})
    for _ in in_processes(partial(_write_page, layout, folder / "runs", drawn), plan.pages, workers):
        pass
    _write(folder / "index.html", "report", home="", articles=(), files={}, **overview(folder=True))
    return folder / "index.html"


# ── the first page ───────────────────────────────────────────────────────────────────────────────


def overview_of(
    plan: PagePlan,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    folder: bool = False,
    paper: bool = True,
    plots: bool = True,
    seeds: bool = False,
) -> dict[str, Any]:
    """The content of the first page, as its template reads it: tables, comparisons, plots, and the list of runs.

    ``folder`` says that the runs are on other pages, ``paper`` asks for the paper's numbers beside ours, ``seeds`` for
    a column for each seed.
    """
    gathered = plan.gathered
    made, how = comparisons(gathered), how_table(gathered)
    pages = plan.page_of() if folder else {}
    doubted = [run for run in plan.runs if run.summary.doubt]
    broken = [run for run in plan.runs if run.summary.infrastructure]
    return {
        "title": title or gathered.layout.name or _TITLE,
        "notes": (*notes, *gathered.notes),
        "how": how,
        "how_forms": {"LaTeX": latex_text(how), "Markdown": markdown_text(how)},
        "prompt_texts": _prompt_texts(gathered),
        "doubts": doubts(gathered),
        "plan": plan,
        "gathered": gathered,
        "tables": [
            table
            for table in (
                *tables_of(gathered, paper=paper, seeds=seeds),
                *metrics_tables(gathered),
                links_table(gathered),
            )
            if table.sections
        ],
        "comparisons": [table for table in [comparison_table(made)] if table is not None],
        "compared": list(dict.fromkeys(one.columns for one in made if one.a.column != one.b.column)),
        "pictures": _pictures(gathered) if plots else [],
        "doubted": doubted,
        "folder": folder,
        "solved": sum(run.solved for run in gathered.runs.values()),
        "scored": sum(not run.infrastructure for run in gathered.runs.values()),
        "broken": broken,
        "addresses": {
            run.anchor: f"{f'runs/{pages[run.anchor]}.html' if run.anchor in pages else ''}#{run.anchor}"
            for run in (*doubted, *broken)
        },
        "data": list_data(gathered.layout, plan.runs, pages),
    }


def _prompt_texts(gathered: Gathered) -> dict[str, str]:
    """The texts of the prompts of the runs by name and hash, of those that are installed here unchanged."""
    used = {value for run in gathered.runs.values() for topic, value in run.conditions if topic == "prompt"}
    here = {run.policy for run in gathered.runs.values()}
    sets = {make_policy(name).prompts for name in here if is_registered(name)}
    known = {f"{name} {shown.hash(name)[:12]}": shown.text(name) for shown in sets for name in shown.names()}
    return {name: known[name] for name in sorted(used & known.keys())}


def _pictures(gathered: Gathered) -> list[dict[str, str]]:
    """The plots as images, which run no script and keep their style; those without data, with the reason, come last."""
    drawn, missing = [], []
    for key, plot in plots_of(gathered).items():
        picture = {"key": key, "title": plot.title, "caption": plot.caption}
        try:
            svg = base64.b64encode(draw(gathered, key, "svg", text=True)).decode("ascii")
            drawn.append(picture | {"source": f"data:image/svg+xml;base64,{svg}"})
        except NoDataError as error:
            missing.append(picture | {"source": "", "missing": str(error)})
        except MissingExtraError as error:
            return [{"title": "Plots", "source": "", "missing": str(error)}]
    return drawn + missing


# ── the pages of runs ────────────────────────────────────────────────────────────────────────────


_Files = dict[str, tuple[str, str]]
"""The PDDL texts of a page, each once, with their anchors and headings."""


def _write_page(layout: TableLayout, folder: Path, drawn: bool, page: RunPage) -> None:
    articles, files = articles_of(map(view_of, page.runs), drawn=drawn)
    data = list_data(layout, page.runs, {})
    content = {"title": page.title, "page": page, "articles": articles, "files": files, "data": data}
    _write(folder / f"{page.name}.html", "runs_page", home="../index.html", **content)


def articles_of(views: Iterable[RunView], *, drawn: bool = True) -> tuple[list[Markup], _Files]:
    """The runs as HTML, and the PDDL texts to which they refer; ``drawn``: with pictures of their states."""
    from markupsafe import Markup

    files: _Files = {}

    def anchor(heading: str, text: str) -> str:
        return files.setdefault(text, (f"file-{len(files) + 1}", heading))[0]

    articles = []
    for view in views:
        first = view.record.first
        problem = anchor(f"Problem {first.problem}, in PDDL", first.problem_pddl)
        domain = anchor(f"Domain {first.domain}, in PDDL", first.domain_pddl)
        figure = Markup(run_figure(view.record, view.steps) if drawn else "")
        articles.append(Markup(render("run", run=view, problem=problem, domain=domain, figure=figure)))
    return articles, files


def _write(path: Path, template: str, **content: Any) -> None:
    # In pieces: a first page with twenty thousand runs has some megabytes.
    with replaced_file(path) as stream:
        stream.writelines(_environment().get_template(f"{template}.html.j2").generate(**content))


def render(template: str, **content: Any) -> str:
    """A page of a template."""
    return _environment().get_template(f"{template}.html.j2").render(**content)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pddl2nl.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "generator": Markup(_MARK),
        "status_label": status_label,
        "meanings": OUTCOME_MEANINGS,
        "counted": counted,
        "style": Markup(_own_text("report.css") + pictures.figure_style()),
        **script_of(*_SCRIPTS),
    }
    return environment


def script_of(*names: str) -> Mapping[str, Markup]:
    """The script of a page, made of these files and that of pictures, and its hash for the content security policy."""
    from markupsafe import Markup

    script = "\n".join([*map(_own_text, names), pictures.script()])
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return {"script": Markup(script), "script_hash": Markup(f"sha256-{digest}")}


def _own_text(name: str) -> str:
    return (resources.files("pddl2nl.reports.html") / "templates" / name).read_text(encoding="utf-8")
