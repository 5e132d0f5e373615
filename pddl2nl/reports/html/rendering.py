"""Rendering of pages by Jinja2 templates.

Jinja2 escapes all text from models and files. In addition, the content security policy of a page allows only its own
script, by hash, and no connection.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pddl2nl.reports.html.overview import Overview
from pddl2nl.reports.html.plan import RunPage
from pddl2nl.reports.html.run import OUTCOME_MEANINGS, RunView, counted
from pddl2nl.reports.html.steps import status_label

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["MARK", "Files", "run_html", "runs_page_html", "whole_page_html"]

MARK = "<!-- pddl2nl report -->"
"""Every page of a report begins with this comment, which identifies it as ours."""

_SCRIPTS = ("runs.js", "against.js", "viewer.js", "compare.js", "keys.js")


class Files:
    """The PDDL texts of a page, each stored once: ``texts`` maps anchors to headings and texts."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, str]] = {}
        self._anchors: dict[str, str] = {}

    def anchor(self, heading: str, text: str) -> str:
        """Stores a text and returns its anchor."""
        if text not in self._anchors:
            self._anchors[text] = f"file-{len(self._anchors) + 1}"
            self.texts[self._anchors[text]] = (heading, text)
        return self._anchors[text]


def run_html(view: RunView, files: Files) -> Markup:
    """One run, step by step."""
    from markupsafe import Markup

    record = view.record
    problem = files.anchor(f"Problem {record.problem}, in PDDL", record.problem_pddl)
    domain = files.anchor(f"Domain {record.domain}, in PDDL", record.domain_pddl)
    return Markup(_environment().get_template("run.html.j2").render(run=view, problem=problem, domain=domain))


def runs_page_html(page: RunPage, articles: Iterable[Markup], files: Files, data: Any, home: str) -> str:
    """A page of the folder: the runs of one task; ``home`` is the relative address of the index."""
    return (
        _environment()
        .get_template("runs_page.html.j2")
        .render(title=page.title, page=page, articles=articles, files=files.texts, data=data, home=home, whole=False)
    )


def whole_page_html(overview: Overview, articles: Iterable[Markup], files: Files) -> str:
    """The index of a folder, or with ``articles`` everything in one file."""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=overview.title,
            overview=overview,
            articles=tuple(articles),
            files=files.texts,
            data=overview.data,
            home="",
            whole=True,
        )
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pddl2nl.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = "\n".join(map(_own_text, _SCRIPTS))
    environment.globals |= {
        "generator": Markup(MARK),
        "status_label": status_label,
        "meanings": OUTCOME_MEANINGS,
        "counted": counted,
        "style": Markup(_own_text("report.css")),
        "script": Markup(script),
        "script_hash": Markup(_csp_hash(script)),
    }
    return environment


def _own_text(name: str) -> str:
    return (resources.files("pddl2nl.reports.html") / "templates" / name).read_text(encoding="utf-8")


def _csp_hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
