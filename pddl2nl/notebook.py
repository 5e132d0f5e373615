"""How objects look in a notebook: a small table of HTML, all texts escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_LISTED = 50
"""The most values that one row lists."""


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
