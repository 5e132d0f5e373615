"""The style of all plots: the look of a column, the same in each of them, and how a figure becomes a file.

Columns differ in colour and in hatch, marker or dashes, so that prints in grey and colour-blind readers lose nothing:
the colour shows a column's name (``Act``), hatch and dashes its group (``PDDL``). The colours are those of Okabe and
Ito (2008) that show on white; columns without a model are grey. One version of matplotlib writes the same bytes
everywhere.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.experiments.layout import LayoutColumn

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
    # Names of columns and domains are text, whatever they contain.
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
