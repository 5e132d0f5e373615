"""The one style of all plots: what a column looks like, the same in each of them, and how a figure becomes a file.

Columns are told apart twice, by colour and by hatch, marker or dashes, so that prints in grey and colour-blind readers
lose nothing: the colour says what a column is called (``Act``), hatch and dashes in which group it stands (``PDDL``).
The colours are those of Okabe and Ito (2008) that show on white; what asks no model is grey. Files come out the same
byte for byte, whenever and wherever one version of matplotlib writes them.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.experiments.layout import LayoutColumn

__all__ = [
    "COLORS",
    "HATCHES",
    "WIDTH",
    "Look",
    "NoDataError",
    "embedded",
    "legend_rows",
    "line_legend",
    "looks",
    "new_figure",
    "panel_width",
    "saved",
    "shown",
]

WIDTH = 7.2
"""Inches: the text width of a page in two columns."""

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#882255")
_GREYS = ("#a3a3a3", "#6b6b6b", "#3d3d3d", "#c6c6c6")
HATCHES = ("", "//////", "||||||", "xxxxxx", "------", "\\\\\\\\\\\\", "++++++")
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (4, 1, 1, 1)), (0, (6, 2, 1, 2)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")

_STYLE: Mapping[str, Any] = MappingProxyType(
    {
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
        # Names of columns and domains are text, whatever stands in them.
        "text.parse_math": False,
        "axes.formatter.use_mathtext": False,
        "text.usetex": False,
        "svg.hashsalt": "pddl2nl",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "pdf.compression": 6,
        "figure.dpi": 100,
        "savefig.dpi": 150,
        "savefig.bbox": None,
        "savefig.facecolor": "white",
    }
)
_DARK: Mapping[str, str] = MappingProxyType(
    {
        "#000000": "#e4e2dc",
        "#333333": "#cfd2d5",
        "#555555": "#9ba2a9",
        "#777777": "#9ba2a9",
        "#e3e3e3": "#32373c",
        "#ededed": "#343a40",
        "#4d4d4d": "#c2c6ca",
        "#ffffff": "#1d2125",
        "#0072b2": "#4aa8e0",
        "#882255": "#c9679b",
        "#a3a3a3": "#8a8f94",
        "#6b6b6b": "#b2b6ba",
        "#3d3d3d": "#dadcde",
        "#c6c6c6": "#6a6f74",
    }
)
"""What colours become in dark mode; those that show on both stay."""
_COLOR = re.compile("|".join(_DARK), re.IGNORECASE)
_SHOWN = 30
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"


class NoDataError(InputError):
    """A plot that the records have nothing for; the message says what is missing."""


@dataclass(frozen=True)
class Look:
    """How a column is drawn: ``color``, ``hatch`` of its bars, ``marker`` of its points, ``dashes`` of its line."""

    color: str
    hatch: str
    marker: str
    dashes: Any

    @property
    def size(self) -> float:
        """Points that its marker takes to look as large as a circle of 4."""
        return {"o": 4.0, "s": 3.8, "P": 5.2, "X": 5.0, "*": 6.0, "D": 3.7}.get(self.marker, 4.6)


def looks(columns: Sequence[LayoutColumn]) -> tuple[Look, ...]:
    """The looks of the columns, in their order; no two alike up to 49 models and 28 others."""
    models = [column for column in columns if column.kind == "model"]
    names = list(dict.fromkeys(column.name for column in models))
    groups = list(dict.fromkeys(column.group for column in models))
    found = []
    taken: set[tuple[str, int]] = set()
    greys = 0
    for index, column in enumerate(columns):
        if column.kind == "model":
            color, kind = COLORS[names.index(column.name) % len(COLORS)], groups.index(column.group)
        else:
            color, kind = _GREYS[greys % len(_GREYS)], 0
            greys += 1
        # More names than colours: the next hatch that is free.
        kind = next(
            (at % len(HATCHES) for at in range(kind, kind + len(HATCHES)) if (color, at % len(HATCHES)) not in taken),
            kind,
        )
        taken.add((color, kind % len(HATCHES)))
        dashes = _DASHES[(kind if column.kind == "model" else greys - 1) % len(_DASHES)]
        found.append(Look(color, HATCHES[kind % len(HATCHES)], _MARKERS[index % len(_MARKERS)], dashes))
    return tuple(found)


def shown(text: str, limit: int = _SHOWN) -> str:
    """A name as a plot can show it: on one line, its middle left out where it is long."""
    plain = "".join(character if character.isprintable() else " " for character in text).strip()
    if len(plain) > limit:
        plain = f"{plain[: limit * 2 // 3]}…{plain[-(limit - limit * 2 // 3 - 1) :]}"
    # A legend leaves out what begins with an underscore.
    return f" {plain}" if plain.startswith("_") else plain


def line_legend(figure: Any, style: Sequence[Look], labels: Sequence[str], *, points: int = 0, rules: int = 0) -> None:
    """A legend below the axes, as many entries side by side as there is room for.

    An entry is a line with markers; the first ``points`` have markers alone, the last ``rules`` lines alone.
    """
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=look.color,
            linestyle="" if number < points else look.dashes,
            marker="" if number >= len(style) - rules else look.marker,
            markersize=look.size,
            markeredgecolor="white",
            markeredgewidth=0.3,
        )
        for number, look in enumerate(style)
    ]
    figure.legend(
        handles,
        [shown(label) for label in labels],
        loc="outside lower center",
        ncols=_across(labels, figure.get_figwidth()),
    )


def legend_rows(labels: Sequence[str], width: float = WIDTH) -> int:
    """How many rows a legend of these labels takes below a figure of that width."""
    return math.ceil(len(labels) / _across(labels, width))


def panel_width(panels: int) -> float:
    """How wide a figure of so many panels side by side is: a single one does not fill the page."""
    return min(WIDTH, 1.4 + 2.3 * panels)


def _across(labels: Sequence[str], width: float) -> int:
    longest = max(len(shown(label)) for label in labels)
    most = max(1, min(len(labels), int(width * 14 // (longest + 7))))
    # As even as it gets: two rows of six rather than one of seven and one of five.
    return math.ceil(len(labels) / math.ceil(len(labels) / most))


def new_figure(height: float, width: float = WIDTH) -> Any:
    """An empty matplotlib figure; sizes in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots", "Drawing plots") from error
    return Figure(figsize=(width, height), layout="constrained")


def saved(draw: Any, form: str, *, text: bool = False) -> bytes:
    """The bytes of a figure that ``draw()`` makes, as ``svg``, ``pdf`` or ``png``.

    ``text`` keeps the words of an SVG as text, which is small and can be searched, instead of as outlines.

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
    style: Any = {**_STYLE, "svg.fonttype": "none" if text else "path"}
    # The defaults first: a user's own matplotlibrc must not change a figure.
    with rc_context(), warnings.catch_warnings():
        rcdefaults()
        rcParams.update(style)
        # A name may have letters that the font lacks: boxes are drawn, and nothing is printed.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        draw().savefig(stream, format=form, metadata=metadata)
    return stream.getvalue()


def embedded(svg: bytes, key: str, title: str) -> str:
    """An SVG as part of a page: no prologue, scripts, style sheet or comments; its ids begin with the key.

    It keeps its own size, so that all plots of a page have one size of letters, and shrinks only where there is less
    room. Colours of text, lines and background follow the reader's light or dark mode.
    """
    for prefix, uri in (("", _SVG), ("xlink", _XLINK)):
        ElementTree.register_namespace(prefix, uri)
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}{name}" for name in ("metadata", "style", "script")):
                parent.remove(child)
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == "id":
                element.set(name, f"{key}-{value}")
            elif name == f"{{{_XLINK}}}href":
                element.set(name, value.replace("#", f"#{key}-", 1))
            elif "url(#" in value:
                element.set(name, value.replace("url(#", f"url(#{key}-"))
            if name in ("style", "fill", "stroke"):
                element.set(name, _COLOR.sub(_variable, element.attrib[name]))
    root.set("role", "img")
    root.set("aria-label", title)
    # What matplotlib says in its style sheet, which would hold for the whole page.
    root.set("style", "max-width:100%;height:auto;stroke-linejoin:round;stroke-linecap:butt;fill:var(--c000000)")
    sheet = ElementTree.Element(f"{{{_SVG}}}style")
    sheet.text = _sheet()
    root.insert(0, sheet)
    return ElementTree.tostring(root, encoding="unicode")


def _variable(color: re.Match[str]) -> str:
    return f"var(--c{color[0][1:].lower()})"


def _sheet() -> str:
    """The colours as variables, which an SVG that is shown as an image sets by itself."""
    light = "".join(f"--c{color[1:]}:{color};" for color in _DARK)
    dark = "".join(f"--c{color[1:]}:{other};" for color, other in _DARK.items())
    return f"svg{{{light}}}@media (prefers-color-scheme:dark){{svg{{{dark}}}}}"
