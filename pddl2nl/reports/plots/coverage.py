"""Coverage by domain, and against the size of scaled tasks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pddl2nl.experiments.layout import Layout
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots.style import (
    Look,
    NoDataError,
    legend_rows,
    line_legend,
    looks,
    new_figure,
    panel_width,
    shown,
)
from pddl2nl.reports.summaries import RunSummary

__all__ = ["coverage_by_domain", "coverage_by_size"]

_BAR = 0.115  # inches a bar takes, with the space above it
_SIZES = 8  # more sizes than these are put together


def coverage_by_domain(gathered: Gathered) -> Any:
    """One panel per domain and one per section for all its domains; one bar per column with its intervals.

    The thin whisker is the interval over tasks, the thick one the interval over seeds.
    """
    layout = gathered.layout
    panels = list(_panels(gathered))
    columns = [index for index in range(len(layout.columns)) if any(cells[index].tasks for _, cells in panels)]
    if not columns:
        raise NoDataError("no run is scored, so there is no coverage to draw")
    # Five panels side by side leave room for short titles alone.
    short = max(len(title) for title, _ in panels) <= 20
    across = min(len(panels), 5 if len(panels) > 8 and short else 4)
    down = math.ceil(len(panels) / across)
    figure = new_figure(down * (_BAR * len(columns) + 0.3) + 0.25, panel_width(across))
    axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02)
    style = looks(layout.columns)
    for number, axis in enumerate(axes.flat):
        if number >= len(panels):
            axis.set_visible(False)
            continue
        title, cells = panels[number]
        _bars(axis, [cells[index] for index in columns], [style[index] for index in columns])
        axis.set_title(title, loc="left", pad=2.5, fontweight="bold" if title.startswith("all") else "normal")
        axis.grid(visible=False, axis="y")
        axis.tick_params(axis="y", length=0)
        # The lowest panel of a column of panels names the axis, also where the last row is not full.
        if number + across >= len(panels):
            axis.tick_params(labelbottom=True)
    shared = axes[0][0]
    shared.set_yticks(range(len(columns)), [shown(layout.columns[index].label) for index in columns])
    shared.set_ylim(len(columns) - 0.4, -0.6)
    shared.set_xlim(0, 1.24)
    shared.set_xticks([0, 0.5, 1], ["0", "50", "100"])
    figure.supxlabel("solved tasks (%)", fontsize=7.5)
    return figure


def _panels(gathered: Gathered) -> Sequence[tuple[str, list[Coverage]]]:
    """Title and coverage by column of each panel."""
    layout = gathered.layout
    rows = [index for index, row in enumerate(layout.rows) if not row.variant]
    repeated = _repeated(layout)
    first = layout.rows[rows[0]].section if rows else ""
    panels = []
    for section in dict.fromkeys(layout.rows[index].section for index in rows):
        own = [index for index in rows if layout.rows[index].section == section]
        for index in own:
            row = layout.rows[index]
            cells = [coverage_of(gathered.cell(index, column)) for column in range(len(layout.columns))]
            title = f"{row.label}, {section}" if row.label in repeated and section != first else row.label
            panels.append((f"{shown(title, 24)} ({_tasks(cells)})", cells))
        if len(own) > 1:
            cells = [
                coverage_of(run for index in own for run in gathered.cell(index, column))
                for column in range(len(layout.columns))
            ]
            panels.append((f"{shown(f'all {section}'.strip(), 24)} ({_tasks(cells)})", cells))
    return [panel for panel in panels if any(cell.tasks for cell in panel[1])]


def _repeated(layout: Layout) -> set[str]:
    labels = [row.label for row in layout.rows if not row.variant]
    return {label for label in labels if labels.count(label) > 1}


def _tasks(cells: Sequence[Coverage]) -> int:
    return max(cell.tasks for cell in cells)


def _bars(axis: Any, cells: Sequence[Coverage], style: Sequence[Look]) -> None:
    most = _tasks(cells)
    for place, (cell, look) in enumerate(zip(cells, style, strict=True)):
        share = cell.share
        if share is None:
            axis.text(0.02, place, "–", va="center", fontsize=5.5, color="#777777")
            continue
        axis.barh(
            place, share, height=0.78, color=look.color, hatch=look.hatch, edgecolor="white", linewidth=0.0, zorder=2
        )
        end = share
        if cell.over_tasks is not None:
            ends = [cell.over_tasks.low, cell.over_tasks.high]
            axis.plot(ends, [place, place], color="black", linewidth=0.5, solid_capstyle="butt", zorder=3)
            end = max(end, ends[1])
        if cell.interval is not None and cell.interval.high > cell.interval.low:
            ends = [cell.interval.low / cell.tasks, cell.interval.high / cell.tasks]
            axis.plot(ends, [place, place], color="black", linewidth=1.8, solid_capstyle="butt", zorder=3)
            end = max(end, ends[1])
        # A column with fewer tasks than others, as one that is not finished, says of how many.
        amount = _amount(cell.solved) if cell.tasks == most else f"{_amount(cell.solved)} of {cell.tasks}"
        axis.text(end + 0.02, place, amount, va="center", fontsize=5.2, color="#333333")


def _amount(solved: float) -> str:
    return f"{solved:.1f}".removesuffix(".0")


def coverage_by_size(gathered: Gathered) -> Any:
    """A panel a domain of the scaled sets, or one of all tasks where none is called so: share solved by objects."""
    layout = gathered.layout
    rows = [index for index, row in enumerate(layout.rows) if not row.variant]
    scaled = [index for index in rows if "scaled" in f"{layout.rows[index].section} {layout.rows[index].label}".lower()]
    drawn = [(layout.rows[index].label, _lines(gathered, [index])) for index in scaled]
    panels = [
        (label, lines) for label, lines in drawn or [("all tasks", _lines(gathered, rows))] if len(_sizes(lines)) > 1
    ]
    if not panels:
        raise NoDataError("no domain has scored tasks of different sizes (numbers of objects)")
    across = min(len(panels), 4 if len(panels) > 6 or len(panels) == 4 else 3)
    down = math.ceil(len(panels) / across)
    used = sorted({column for _, lines in panels for column in lines})
    labels = [layout.columns[column].label for column in used]
    width = panel_width(across)
    figure = new_figure(down * 1.75 + 0.3 + 0.17 * legend_rows(labels, width), width)
    axes = figure.subplots(down, across, sharey=True, squeeze=False)
    style = looks(layout.columns)
    for number, axis in enumerate(axes.flat):
        if number >= len(panels):
            axis.set_visible(False)
            continue
        title, lines = panels[number]
        _size_lines(axis, lines, style)
        axis.set_title(shown(title), loc="left", pad=3)
        axis.set_ylim(-0.06, 1.06)
        axis.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
        if number + across >= len(panels):
            axis.set_xlabel("objects of a task, n tasks")
    figure.supylabel("solved tasks (%)", fontsize=7.5)
    line_legend(figure, [style[column] for column in used], labels)
    return figure


def _lines(gathered: Gathered, rows: Sequence[int]) -> Mapping[int, Mapping[float, Coverage]]:
    """The coverage of each column on these rows' tasks, by size."""
    runs = {
        column: [run for row in rows for run in gathered.cell(row, column) if not run.infrastructure]
        for column in range(len(gathered.layout.columns))
    }
    place = _places(sorted({run.objects for each in runs.values() for run in each}))
    found = {}
    for column, each in runs.items():
        by_size: dict[float, list[RunSummary]] = defaultdict(list)
        for run in each:
            by_size[place[run.objects]].append(run)
        if by_size:
            found[column] = {size: coverage_of(by_size[size]) for size in sorted(by_size)}
    return found


def _places(sizes: Sequence[int]) -> Mapping[int, float]:
    """Where a size is drawn: at itself, or at the middle of its neighbours where there are many."""
    if len(sizes) <= _SIZES:
        return {size: float(size) for size in sizes}
    bins = [sizes[len(sizes) * number // _SIZES : len(sizes) * (number + 1) // _SIZES] for number in range(_SIZES)]
    return {size: sum(each) / len(each) for each in bins for size in each}


def _sizes(lines: Mapping[int, Mapping[float, Coverage]]) -> list[float]:
    return sorted({size for points in lines.values() for size in points})


def _size_lines(axis: Any, lines: Mapping[int, Mapping[float, Coverage]], style: Sequence[Look]) -> None:
    sizes = _sizes(lines)
    gap = min(after - before for before, after in pairwise(sizes))
    for number, (column, points) in enumerate(lines.items()):
        # A little beside one another, or equal shares would hide each other's marks.
        aside = gap * 0.5 * ((number + 0.5) / len(lines) - 0.5)
        look = style[column]
        axis.plot(
            [size + aside for size in points],
            [cell.share or 0.0 for cell in points.values()],
            color=look.color,
            linestyle=look.dashes,
            marker=look.marker,
            markersize=look.size * 0.85,
            markeredgecolor="white",
            markeredgewidth=0.3,
            linewidth=0.9,
        )
    # How many tasks are behind a point: a fall to 0 % on a single task says little.
    tasks = {size: max(points[size].tasks for points in lines.values() if size in points) for size in sizes}
    axis.set_xticks(sizes, [f"{size:.0f}\nn={tasks[size]}" for size in sizes])
    axis.set_xlim(sizes[0] - gap * 0.6, sizes[-1] + gap * 0.6)
