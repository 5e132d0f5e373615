"""How objects look in a notebook: a picture, and a small table of HTML with all texts escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import import_module
from typing import Any

_LISTED = 50
"""The most values that one row lists."""


def picture(task: Any, state: Any = None) -> str:
    """A state of a task, by default the initial one, as SVG; empty for a task that cannot be executed."""
    from pddl2nl.errors import UnsupportedError

    # By its name: states and tasks know nothing of pictures, and a notebook asks them for one.
    pictures: Any = import_module("pddl2nl.pictures")
    try:
        frames = () if state is None else (pictures.PictureFrame(state, "state"),)
        return str(pictures.Pictures(task, frames).svg())
    except UnsupportedError:
        return ""


def html_picture(svg: str, table: str) -> str:
    """A picture with a table to open below it; only the table where there is no picture."""
    return f"{svg}<details><summary>all facts</summary>{table}</details>" if svg else table


def html_table(title: str, rows: Iterable[tuple[str, Iterable[object] | str]]) -> str:
    """A table with a title: in each row a name and its values, one below the other. Empty rows are left out."""
    body = []
    for name, values in rows:
        texts = [values] if isinstance(values, str) else [str(value) for value in values]
        if len(texts) > _LISTED:
            texts = [*texts[:_LISTED], f"… and {len(texts) - _LISTED} more"]
        if any(texts):
            cell = "<br>".join(map(escape, texts))
            body.append(
                f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{cell}</td></tr>'
            )
    return f"<table><caption>{escape(title)}</caption>{''.join(body)}</table>"
