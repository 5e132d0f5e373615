"""Plots of a report, as SVG and PDF: coverage, its fall with size, costs, failures, and feedback.

matplotlib (extra ``plots``) is imported when a plot is drawn, and not before. Each figure raises `NoDataError` if there
is nothing to draw.

Columns differ in colour and in hatch, marker or dashes, so that prints in grey and colour-blind readers lose nothing:
the colour shows a column's name (``Act``), hatch and dashes its group (``PDDL``). The colours are those of Okabe and
Ito (2008) that show on white; columns without a model are grey. One version of matplotlib writes the same bytes
everywhere.
"""

from __future__ import annotations

import io
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import cycle, pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple, TypeVar

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.experiments.layout import LayoutColumn
from pddl2nl.files import replaced_file
from pddl2nl.plugins import by_name, fails_alone, is_ours, provided
from pddl2nl.policies import system_of
from pddl2nl.reports.coverage import Coverage, aggregate, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.reports.summaries import LINKS, RunSummary

WIDTH = 7.2
"""Inches: the text width of a page in two columns."""

_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#882255")
_GREYS = ("#a3a3a3", "#6b6b6b", "#3d3d3d", "#c6c6c6")
_HATCHES = ("", "//////", "||||||", "xxxxxx", "------", "\\\\\\\\\\\\", "++++++")
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (4, 1, 1, 1)), (0, (6, 2, 1, 2)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")

_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same everywhere
    "font.size": 7.5,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 7.0,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "hatch.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.0,
    # Names of columns and domains are plain text, with any characters.
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "text.usetex": False,
    "svg.hashsalt": "pddl2nl",
    "pdf.fonttype": 42,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "savefig.facecolor": "white",
}


class NoDataError(InputError):
    """The records have no data for a plot; the message says what is missing."""


@dataclass(frozen=True)
class Look:
    """How a column is drawn: ``color``, ``hatch`` of its bars, ``marker`` of its points, ``dashes`` of its line."""

    color: str
    hatch: str
    marker: str
    dashes: Any

    def line(self, scale: float = 1.0) -> dict[str, Any]:
        """The matplotlib options of a line with markers; markers of all shapes look equally large."""
        size = {"o": 4.0, "s": 3.8, "P": 5.2, "X": 5.0, "*": 6.0, "D": 3.7}.get(self.marker, 4.6)
        return {
            "color": self.color,
            "linestyle": self.dashes,
            "marker": self.marker,
            "markersize": size * scale,
            "markeredgecolor": "white",
            "markeredgewidth": 0.4,
        }


def looks(columns: Sequence[LayoutColumn]) -> tuple[Look, ...]:
    """The looks of the columns, in their order; all different for up to 49 models and 28 others."""
    models = [column for column in columns if column.kind == "model"]
    names = list(dict.fromkeys(column.name for column in models))
    groups = list(dict.fromkeys(column.group for column in models))
    greys = enumerate(cycle(_GREYS))
    found = []
    taken: set[tuple[str, int]] = set()
    for index, column in enumerate(columns):
        if column.kind == "model":
            color, kind = _COLORS[names.index(column.name) % len(_COLORS)], groups.index(column.group)
            dash = None
        else:
            (dash, color), kind = next(greys), 0
        # More names than colours: the next free hatch.
        for number in range(kind, kind + len(_HATCHES)):
            if (color, number % len(_HATCHES)) not in taken:
                kind = number
                break
        taken.add((color, kind % len(_HATCHES)))
        dashes = _DASHES[(kind if dash is None else dash) % len(_DASHES)]
        found.append(Look(color, _HATCHES[kind % len(_HATCHES)], _MARKERS[index % len(_MARKERS)], dashes))
    return tuple(found)


def shown(text: str, limit: int = 30) -> str:
    """A name as a plot can show it: on one line, its middle left out if it is long."""
    plain = "".join(character if character.isprintable() else " " for character in text).strip()
    if len(plain) > limit:
        plain = f"{plain[: limit * 2 // 3]}…{plain[-(limit - limit * 2 // 3 - 1) :]}"
    # A legend leaves out labels that begin with an underscore.
    return f" {plain}" if plain.startswith("_") else plain


def line_legend(figure: Any, style: Sequence[Look], labels: Sequence[str], *, points: int = 0, rules: int = 0) -> None:
    """A legend below the axes, as many entries side by side as there is room for.

    An entry is a line with markers; the first ``points`` have only markers, the last ``rules`` only lines.
    """
    from matplotlib.lines import Line2D

    handles = []
    for number, look in enumerate(style):
        options = look.line() | ({"linestyle": ""} if number < points else {})
        handles.append(Line2D([], [], **options | ({"marker": ""} if number >= len(style) - rules else {})))
    columns = _across(labels, figure.get_figwidth())
    figure.legend(handles, list(map(shown, labels)), loc="outside lower center", ncols=columns)


def legend_rows(labels: Sequence[str], width: float = WIDTH) -> int:
    """The number of rows of a legend of these labels below a figure of that width."""
    return math.ceil(len(labels) / _across(labels, width))


def panel_width(panels: int) -> float:
    """The width of a figure with so many panels side by side: a single one does not fill the page."""
    return min(WIDTH, 1.4 + 2.3 * panels)


def _across(labels: Sequence[str], width: float) -> int:
    longest = max(len(shown(label)) for label in labels)
    most = max(1, min(len(labels), int(width * 14 // (longest + 7))))
    # Evenly: two rows of six rather than one of seven and one of five.
    return math.ceil(len(labels) / math.ceil(len(labels) / most))


def new_figure(height: float, width: float = WIDTH) -> Any:
    """An empty matplotlib figure; sizes in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def saved(draw: Any, form: str, *, text: bool = False) -> bytes:
    """The bytes of a figure that ``draw()`` makes, as ``svg``, ``pdf`` or ``png``.

    ``text`` keeps the words of an SVG as text, which is small and searchable, instead of as outlines.

    Raises:
        MissingExtraError: matplotlib is not installed.
        NoDataError: as ``draw`` does.
    """
    try:
        from matplotlib import rc_context, rcdefaults, rcParams
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots", "Drawing plots") from error
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    stream = io.BytesIO()
    # The defaults first: a user's own matplotlibrc must not change a figure.
    with rc_context(), warnings.catch_warnings():
        rcdefaults()
        style: Any = {**_STYLE, "svg.fonttype": "none" if text else "path"}
        rcParams.update(style)
        # A letter that the font lacks is drawn as a box, without a warning.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        draw().savefig(stream, format=form, metadata=metadata)
    return stream.getvalue()


# ── figures ──────────────────────────────────────────────────────────────────────────────────────

_BAR = 0.115  # inches of a bar with the space above it
_SIZES = 8  # more sizes are grouped
_POINTS = 80  # of each column
WIDE = WIDTH * 0.72
_Panel = TypeVar("_Panel")
PERCENT = ([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])


def bases(gathered: Gathered) -> list[int]:
    """The rows that are not variants."""
    return [index for index, row in enumerate(gathered.layout.rows) if not row.variant]


def scored(gathered: Gathered, rows: Sequence[int]) -> dict[int, list[RunSummary]]:
    """The scored runs of each column in these rows."""
    columns = range(len(gathered.layout.columns))
    return {column: [run for run in gathered.runs_in(rows, column) if not run.infrastructure] for column in columns}


def column_labels(gathered: Gathered, columns: Sequence[int]) -> list[str]:
    return [gathered.layout.columns[column].label for column in columns]


# ── coverage ─────────────────────────────────────────────────────────────────────────────────────


def coverage_by_domain(gathered: Gathered) -> Any:
    """One panel per domain and one per section for all its domains; one bar per column with its intervals."""
    layout = gathered.layout
    panels = list(_panels(gathered))
    columns = [index for index in range(len(layout.columns)) if any(cells[index].tasks for _, cells in panels)]
    if not columns:
        raise NoDataError("no run is scored, so there is no coverage to draw")
    # Five panels side by side leave room for short titles only.
    short = max(len(title) for title, _ in panels) <= 20
    across = min(len(panels), 5 if len(panels) > 8 and short else 4)
    down = math.ceil(len(panels) / across)
    figure = new_figure(down * (_BAR * len(columns) + 0.3) + 0.25, panel_width(across))
    axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02)
    style = looks(layout.columns)
    for axis, (title, cells), lowest in _with_axes(panels, axes):
        _bars(axis, [cells[index] for index in columns], [style[index] for index in columns])
        axis.set_title(title, loc="left", pad=2.5, fontweight="bold" if title.startswith("all") else "normal")
        axis.grid(visible=False, axis="y")
        axis.tick_params(axis="y", length=0)
        if lowest:
            axis.tick_params(labelbottom=True)
    shared = axes[0][0]
    shared.set_yticks(range(len(columns)), map(shown, column_labels(gathered, columns)))
    shared.set_ylim(len(columns) - 0.4, -0.6)
    shared.set_xlim(0, 1.24)
    shared.set_xticks([0, 0.5, 1], ["0", "50", "100"])
    figure.supxlabel("solved tasks (%)", fontsize=7.5)
    return figure


def _with_axes(panels: Sequence[_Panel], axes: Any) -> Iterator[tuple[Any, _Panel, bool]]:
    """Each panel with its axes; whether it is the lowest of its column, which labels the axis for those above it."""
    across = axes.shape[1]
    for number, axis in enumerate(axes.flat):
        if number < len(panels):
            yield axis, panels[number], number + across >= len(panels)
        else:
            axis.set_visible(False)


def _panels(gathered: Gathered) -> Iterator[tuple[str, list[Coverage]]]:
    rows = gathered.layout.rows
    sections: dict[str, list[int]] = defaultdict(list)
    for index in bases(gathered):
        sections[rows[index].section].append(index)
    domains = Counter(rows[index].label for index in bases(gathered))
    for number, (section, own) in enumerate(sections.items()):
        panels = [([index], rows[index].label) for index in own]
        panels = [(each, f"{name}, {section}" if number and domains[name] > 1 else name) for each, name in panels]
        if len(own) > 1:
            panels.append((own, f"all {section}".strip()))
        for each, title in panels:
            cells = [coverage_of(gathered.runs_in(each, column)) for column in range(len(gathered.layout.columns))]
            if tasks := max((cell.tasks for cell in cells), default=0):
                yield f"{shown(title, 24)} ({tasks})", cells


def _bars(axis: Any, cells: Sequence[Coverage], style: Sequence[Look]) -> None:
    from matplotlib.patheffects import withStroke

    most = max(cell.tasks for cell in cells)
    for place, (cell, look) in enumerate(zip(cells, style, strict=True)):
        share = cell.share
        if share is None or cell.over_tasks is None:
            axis.text(0.02, place, "–", va="center", fontsize=5.5, color="#777777")
            continue
        bar = {"color": look.color, "hatch": look.hatch, "edgecolor": "white", "linewidth": 0.0}
        axis.barh(place, share, height=0.78, zorder=2, **bar)
        whiskers = [(0.5, cell.over_tasks.low, cell.over_tasks.high)]
        if cell.interval is not None and not cell.agreed:
            whiskers.append((1.8, cell.interval.low / cell.tasks, cell.interval.high / cell.tasks))
        for width, low, high in whiskers:
            # White around them, because a bar may be as dark as they are.
            outline = [withStroke(linewidth=width + 1.0, foreground="white")]
            whisker = {"color": "black", "linewidth": width, "path_effects": outline, "solid_capstyle": "butt"}
            axis.plot([low, high], [place] * 2, **whisker, zorder=3)
        end = max(share, *(high for _, _, high in whiskers))
        # A column with fewer tasks than others says of how many.
        amount = f"{cell.solved:.1f}".removesuffix(".0") + ("" if cell.tasks == most else f" of {cell.tasks}")
        axis.text(end + 0.02, place, amount, va="center", fontsize=5.2, color="#333333")


def coverage_by_size(gathered: Gathered) -> Any:
    """One panel per scaled domain, or one of all tasks if no set is scaled: share solved by number of objects."""
    rows = bases(gathered)
    layout = gathered.layout
    scaled = [index for index in rows if "scaled" in f"{layout.rows[index].section} {layout.rows[index].label}".lower()]
    parts = [(layout.rows[index].label, [index]) for index in scaled] or [("all tasks", rows)]
    panels = [(title, lines) for title, each in parts if len(_sizes(lines := _by_size(gathered, each))) > 1]
    if not panels:
        raise NoDataError("no domain has scored tasks of different sizes (numbers of objects)")
    across = min(len(panels), 4 if len(panels) > 6 or len(panels) == 4 else 3)
    down = math.ceil(len(panels) / across)
    used = sorted({column for _, lines in panels for column in lines})
    labels, width = column_labels(gathered, used), panel_width(across)
    figure = new_figure(down * 1.75 + 0.3 + 0.17 * legend_rows(labels, width), width)
    axes = figure.subplots(down, across, sharey=True, squeeze=False)
    style = looks(layout.columns)
    for axis, (title, lines), lowest in _with_axes(panels, axes):
        _size_lines(axis, lines, style)
        axis.set_title(shown(title), loc="left", pad=3)
        axis.set_ylim(-0.06, 1.06)
        axis.set_yticks(*PERCENT)
        if lowest:
            axis.set_xlabel("objects of a task, n tasks")
    figure.supylabel("solved tasks (%)", fontsize=7.5)
    line_legend(figure, [style[column] for column in used], labels)
    return figure


_BySize = Mapping[int, Mapping[float, Coverage]]
"""The coverage of each column, by the size of the tasks."""


def _by_size(gathered: Gathered, rows: Sequence[int]) -> _BySize:
    """By the number of objects, or by the mean of a group of sizes if there are many."""
    runs = scored(gathered, rows)
    sizes = sorted({run.objects for each in runs.values() for run in each})
    size_of = {size: float(size) for size in sizes}
    if len(sizes) > _SIZES:
        ends = [len(sizes) * number // _SIZES for number in range(_SIZES + 1)]
        size_of = {size: fmean(sizes[low:high]) for low, high in pairwise(ends) for size in sizes[low:high]}
    found = {}
    for column, each in runs.items():
        by_size: dict[float, list[RunSummary]] = defaultdict(list)
        for run in each:
            by_size[size_of[run.objects]].append(run)
        if by_size:
            found[column] = {size: coverage_of(by_size[size]) for size in sorted(by_size)}
    return found


def _sizes(lines: _BySize) -> list[float]:
    return sorted({size for points in lines.values() for size in points})


def _size_lines(axis: Any, lines: _BySize, style: Sequence[Look]) -> None:
    sizes = _sizes(lines)
    gap = min(after - before for before, after in pairwise(sizes))
    for number, (column, points) in enumerate(lines.items()):
        # Shifted a little, because equal shares would hide each other's marks.
        shift = gap * 0.5 * ((number + 0.5) / len(lines) - 0.5)
        shares = [cell.share or 0.0 for cell in points.values()]
        axis.plot([size + shift for size in points], shares, **style[column].line(0.85), linewidth=0.9)
    # The number of tasks behind a point: 0 % of a single task says little.
    tasks = {size: max(points[size].tasks for points in lines.values() if size in points) for size in sizes}
    axis.set_xticks(sizes, [f"{size:.0f}\nn={tasks[size]}" for size in sizes])
    axis.set_xlim(sizes[0] - gap * 0.6, sizes[-1] + gap * 0.6)


# ── failures ─────────────────────────────────────────────────────────────────────────────────────

_SOLVED = "solved"
_FILLS = (
    ("#CC79A7", "||||||"),
    ("#882255", "++++++"),
    ("#56B4E9", "xxxxxx"),
    ("#D55E00", "//////"),
    ("#E69F00", "\\\\\\\\\\\\"),
    ("#0072B2", ""),
    ("#999999", "------"),
    ("#4d4d4d", ""),
)


def failure_composition(gathered: Gathered) -> Any:
    """One bar per column over its scored runs: the solved ones, then the others by their first failure."""
    runs = scored(gathered, bases(gathered))
    counts = {column: Counter(run.failure or _SOLVED for run in each) for column, each in runs.items() if each}
    columns = list(counts)
    found = {kind for count in counts.values() for kind in count}
    if found <= {_SOLVED}:
        raise NoDataError("no scored run failed, so there is no broken link to draw" if columns else "no run is scored")
    known = [*dict.fromkeys(LINKS.values())]
    order = [*known, *sorted(found.difference(known, [_SOLVED]))]
    # A kind looks the same whichever others occur.
    fills = {kind: _FILLS[number % len(_FILLS)] for number, kind in enumerate(order)} | {_SOLVED: ("#ededed", "")}
    figure = new_figure(len(columns) * 0.2 + 0.85, WIDTH * 0.86)
    axis = figure.subplots()
    left = [0.0] * len(columns)
    for kind in [kind for kind in (_SOLVED, *order) if kind in found]:
        shares = [count[kind] / count.total() for count in counts.values()]
        color, hatch = fills[kind]
        bar = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0.3, "label": shown(kind)}
        axis.barh(range(len(columns)), shares, left=left, height=0.74, **bar)
        left = [before + share for before, share in zip(left, shares, strict=True)]
    axis.set_yticks(range(len(columns)), map(shown, column_labels(gathered, columns)))
    axis.set_ylim(len(columns) - 0.45, -0.55)
    axis.set_xlim(0, 1)
    axis.set_xticks(*PERCENT)
    axis.set_xlabel("scored runs (%)")
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)
    for place, count in enumerate(counts.values()):
        axis.text(1.01, place, f"{count.total() - count[_SOLVED]} of {count.total()}", va="center", fontsize=6)
    axis.text(1.01, -0.62, "failed", va="bottom", fontsize=6.5, color="#333333")
    figure.legend(loc="outside right upper", handlelength=1.6, handleheight=1.0)
    return figure


# ── tokens and costs ─────────────────────────────────────────────────────────────────────────────


def tokens_by_steps(gathered: Gathered) -> Any:
    """For each column the median of the tokens of the planner's model in a run, by the run's steps."""
    found = {
        column: pairs
        for column, runs in scored(gathered, bases(gathered)).items()
        if (pairs := sorted(_steps_and_tokens(runs)))
    }
    if not found:
        raise NoDataError("no run has both steps and tokens; runs of planners and walks have none")
    labels = column_labels(gathered, list(found))
    figure = new_figure(3.3 + 0.17 * legend_rows(labels, WIDE), WIDE)
    axis = figure.subplots()
    style = looks(gathered.layout.columns)
    for column, pairs in found.items():
        every = math.ceil(len(pairs) / _POINTS)
        points = style[column].line() | {"linestyle": "", "markersize": 2.2, "markeredgewidth": 0}
        axis.plot(*zip(*pairs[every // 2 :: every], strict=True), **points, alpha=0.28, zorder=2)
    for column, pairs in found.items():
        groups: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for steps, tokens in pairs:
            # Three groups for each doubling; up to four steps, each number is a group.
            groups[round(3 * math.log2(steps))].append((steps, tokens))
        medians = [tuple(map(median, zip(*each, strict=True))) for _, each in sorted(groups.items())]
        axis.plot(*zip(*medians, strict=True), **style[column].line(), zorder=3)
    _logarithmic(axis, "x", [steps for pairs in found.values() for steps, _ in pairs], whole=True)
    _logarithmic(axis, "y", [tokens for pairs in found.values() for _, tokens in pairs])
    axis.set_xlabel("steps of a run")
    axis.set_ylabel("tokens of the planner's model in a run")
    line_legend(figure, [style[column] for column in found], labels)
    return figure


def _steps_and_tokens(runs: Sequence[RunSummary]) -> Iterator[tuple[float, float]]:
    for run in runs:
        steps = run.values.get("steps", 0.0)
        tokens = run.values.get("planner-prompt-tokens", 0.0) + run.values.get("planner-completion-tokens", 0.0)
        if steps >= 1 and tokens > 0:
            yield steps, tokens


def _logarithmic(axis: Any, direction: str, values: Sequence[float], *, whole: bool = False) -> None:
    """A logarithmic axis with ticks as people write them: 500, 1k, 2M; ``whole`` for whole numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    axis.set(**{f"{direction}scale": "log"})
    ticks = axis.xaxis if direction == "x" else axis.yaxis
    low, high = min(values), max(values)
    if high / low < 5:
        ticks.set_major_locator(MaxNLocator(6, integer=whole))
        ticks.set_minor_locator(NullLocator())
    else:
        ticks.set_major_locator(LogLocator(10, subs=(1,) if high / low > 1000 else (1, 2, 5), numticks=12))
    ticks.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    ticks.set_minor_formatter(NullFormatter())


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


class _Spent(NamedTuple):
    cost: float
    share: float
    column: int
    coverage: Coverage


def cost_by_coverage(gathered: Gathered) -> Any:
    """One point per column: the mean cost of a run, in USD or, if a price is unknown, in tokens, and its coverage.

    The thin line joins the columns that no cheaper one surpasses; lines across are columns without a model.
    """
    layout = gathered.layout
    runs = scored(gathered, bases(gathered))
    # In USD only if every column with tokens has a price, so that no column is lost.
    unit, spent, tokens = "USD a run, mean", _spent(runs, "usd"), _spent(runs, "tokens")
    if not spent or len(spent) < len(tokens):
        unit, spent = "tokens a run in all roles, mean", tokens
    if not spent:
        raise NoDataError("no run has a cost: neither USD, where prices are known, nor tokens")
    free = [column for column, each in runs.items() if each and layout.columns[column].kind != "model"]
    labels = column_labels(gathered, [*(one.column for one in spent), *free])
    figure = new_figure(3.1 + 0.17 * legend_rows(labels, WIDE), WIDE)
    axis = figure.subplots()
    style = looks(layout.columns)
    for column in free:
        line = {"color": style[column].color, "linestyle": style[column].dashes}
        axis.axhline(coverage_of(runs[column]).share or 0.0, linewidth=1.0, zorder=1, **line)
    best: list[_Spent] = []
    for one in sorted(spent, key=lambda one: (one.cost, -one.share)):
        if not best or one.share > best[-1].share:
            best.append(one)
    if len(best) > 1:
        steps = {"color": "#999999", "linewidth": 0.7, "drawstyle": "steps-post"}
        axis.plot([one.cost for one in best], [one.share for one in best], **steps, zorder=2)
    for one in spent:
        interval, look = one.coverage.over_tasks, style[one.column]
        if interval is not None:
            axis.plot([one.cost] * 2, [interval.low, interval.high], color=look.color, linewidth=0.9, zorder=3)
        axis.plot([one.cost], [one.share], **(look.line(1.25) | {"linestyle": ""}), zorder=4)
    limits = [min(one.cost for one in spent) / 1.5, max(one.cost for one in spent) * 1.5]
    _logarithmic(axis, "x", limits)
    axis.set_xlim(*limits)
    axis.set_ylim(-0.03, 1.05)
    axis.set_yticks(*PERCENT)
    axis.set_xlabel(unit)
    axis.set_ylabel("solved tasks (%)")
    drawn = [style[one.column] for one in spent] + [style[column] for column in free]
    line_legend(figure, drawn, labels, points=len(spent), rules=len(free))
    return figure


def _spent(runs: Mapping[int, Sequence[RunSummary]], name: str) -> list[_Spent]:
    found = []
    for column, each in runs.items():
        cost = aggregate(all_metrics()[name], each)
        if cost is not None and cost.value > 0:
            coverage = coverage_of(each)
            found.append(_Spent(cost.value, coverage.share or 0.0, column, coverage))
    return found


# ── all plots ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Plot:
    """A plot: its ``key`` for files and anchors, its ``title``, and a ``caption`` that explains its marks.

    ``figure`` returns a matplotlib figure, or raises `NoDataError` if the records have no data for it. ``system`` is
    the name of the system whose policies it is about; empty for all policies.
    """

    key: str
    title: str
    caption: str
    figure: Callable[[Gathered], Any]
    system: str = ""


LEFT_OUT = "Runs with infrastructure errors and rows of a variant (such as PlanBench's text) are left out."

_PLOTS = (
    Plot(
        "coverage-by-domain",
        "Coverage by domain",
        "Solved tasks of each domain (their number in brackets) by column; a task counts with the share of its "
        "runs that solved it. The numbers at the bars are tasks. Thin whiskers: 95 % interval over the tasks "
        f"(Wilson). Thick whiskers: 95 % interval over the seeds (Student's t), if there are several. {LEFT_OUT}",
        coverage_by_domain,
    ),
    Plot(
        "coverage-by-size",
        "Coverage against size",
        "Share of the tasks that are solved, by their number of objects: for each scaled domain, or for all tasks "
        "if no set is scaled. n is the number of tasks of a size. More than eight sizes are grouped. Marks are "
        f"shifted a little, so that equal shares are both visible. {LEFT_OUT}",
        coverage_by_size,
    ),
    Plot(
        "tokens-by-steps",
        "Tokens against steps",
        "Tokens that the planner's model read and wrote in a run, by the steps of the run, on logarithmic axes. "
        "Lines join medians of groups of steps, three groups for each doubling. Faint points are single runs, at "
        "most 80 per column. Tokens that an endpoint did not count are estimated from the text. "
        f"{LEFT_OUT}",
        tokens_by_steps,
    ),
    Plot(
        "failures",
        "Outcomes of runs",
        "Share of the scored runs that solved their task, and of the others by their first failure; the number of "
        f"failed runs is on the right. {LEFT_OUT}",
        failure_composition,
    ),
    Plot(
        "cost-by-coverage",
        "Cost against coverage",
        "Mean cost of a run over all roles, in USD, or in tokens if a column's price is unknown, and the share of "
        "the tasks that are solved. Whiskers: 95 % interval over the tasks (Wilson). The stepped line joins the "
        "columns that no cheaper column surpasses; horizontal lines are columns without a model. "
        f"{LEFT_OUT}",
        cost_by_coverage,
    ),
)


@lru_cache(maxsize=1)
def all_plots() -> Mapping[str, Plot]:
    """Every plot by its key, those of systems included."""
    own = (
        replace(plot, system=system.name, figure=plot.figure if is_ours(system.package) else partial(_foreign, plot))
        for system, plots in provided("plots", Plot)
        for plot in plots
    )
    return by_name("plot", ((plot.key, plot) for plot in (*_PLOTS, *own)))


def _foreign(plot: Plot, gathered: Gathered) -> Any:
    """A figure of another package's plot, which is left out where its function fails."""
    try:
        with fails_alone(f"the plot '{plot.key}'", asked=True):
            return plot.figure(gathered)
    except InputError as error:
        raise NoDataError(str(error)) from error


def plots_of(gathered: Gathered) -> Mapping[str, Plot]:
    """The plots that are about the policies of an experiment."""
    here = {system.name for column in gathered.layout.columns if (system := system_of(column.policy)) is not None}
    return {key: plot for key, plot in all_plots().items() if plot.system in ("", *here)}


def draw(gathered: Gathered, key: str, form: str, *, text: bool = False) -> bytes:
    """A plot as ``svg`` or ``pdf``: the same bytes for the same records.

    ``text`` keeps the words of an SVG as text instead of as outlines.

    Raises:
        NoDataError: the records have no data for it; the message says what is missing.
        MissingExtraError: matplotlib is not installed.
    """
    return saved(lambda: all_plots()[key].figure(gathered), form, text=text)


def write_plots(gathered: Gathered, folder: Path) -> tuple[tuple[Path, ...], Mapping[str, str]]:
    """Writes every plot that there is data for as ``KEY.svg`` and ``KEY.pdf``; returns the files, and why others lack.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InfrastructureError: the folder cannot be written.
    """
    written, missing = [], {}
    for key in plots_of(gathered):
        try:
            contents = {form: draw(gathered, key, form) for form in ("svg", "pdf")}
        except NoDataError as error:
            missing[key] = str(error)
            continue
        for form, content in contents.items():
            path = folder / f"{key}.{form}"
            with replaced_file(path) as file:
                file.buffer.write(content)
            written.append(path)
    return tuple(written), missing
