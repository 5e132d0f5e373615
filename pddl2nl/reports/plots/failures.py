"""What runs ended with: solved, or the first link that broke."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pddl2nl.reports.broken_links import LINKS
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots.style import WIDTH, NoDataError, new_figure, shown

__all__ = ["failure_composition"]

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
    """A bar a column over its scored runs: those that were solved, then the others by their first broken link."""
    layout = gathered.layout
    counts = [_counted(gathered, column) for column in range(len(layout.columns))]
    columns = [index for index, count in enumerate(counts) if count]
    if not any(kind != _SOLVED for index in columns for kind in counts[index]):
        raise NoDataError("no scored run failed, so there is no broken link to draw" if columns else "no run is scored")
    order = [_SOLVED, *dict.fromkeys(LINKS.values())]
    others = {kind for index in columns for kind in counts[index]} - set(order)
    # A kind keeps its look whether or not the others occur.
    fills = {kind: _FILLS[number % len(_FILLS)] for number, kind in enumerate([*order[1:], *sorted(others)])}
    fills[_SOLVED] = ("#ededed", "")
    kinds = [kind for kind in (*order, *sorted(others)) if any(counts[index][kind] for index in columns)]
    figure = new_figure(len(columns) * 0.2 + 0.85, WIDTH * 0.86)
    axis = figure.subplots()
    left = [0.0] * len(columns)
    for kind in kinds:
        shares = [counts[index][kind] / counts[index].total() for index in columns]
        color, hatch = fills[kind]
        axis.barh(
            range(len(columns)), shares, left=left, height=0.74, color=color, hatch=hatch, edgecolor="white",
            linewidth=0.3, label=shown(kind),
        )  # fmt: skip
        left = [before + share for before, share in zip(left, shares, strict=True)]
    axis.set_yticks(range(len(columns)), [shown(layout.columns[index].label) for index in columns])
    axis.set_ylim(len(columns) - 0.45, -0.55)
    axis.set_xlim(0, 1)
    axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axis.set_xlabel("scored runs (%)")
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)
    for place, index in enumerate(columns):
        count = counts[index]
        axis.text(1.01, place, f"{count.total() - count[_SOLVED]} of {count.total()}", va="center", fontsize=6)
    axis.text(1.01, -0.62, "failed", va="bottom", fontsize=6.5, color="#333333")
    figure.legend(loc="outside right upper", handlelength=1.6, handleheight=1.0)
    return figure


def _counted(gathered: Gathered, column: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for row, each in enumerate(gathered.layout.rows):
        if not each.variant:
            for run in gathered.cell(row, column):
                if not run.infrastructure:
                    kind = run.outcome if run.link is None else run.link.kind
                    found[_SOLVED if run.solved else LINKS.get(kind, kind)] += 1
    return found
