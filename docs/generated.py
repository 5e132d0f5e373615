"""A hook of mkdocs: writes the pages of the reference that follow from the code, so that they cannot go stale.

``reference/commands.md`` comes from the command line itself, ``reference/run-options.md`` from the one declaration of
a run's options, ``reference/json.md`` from the types in `json_answers`, the table in ``reference/metrics.md`` from the
registry of metrics, and the drawing in ``explanation/architecture.md`` from the contract of import-linter in
pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that consist of generated text alone."""
    from mkdocs.structure.files import File

    pages = {"commands": commands, "run-options": run_options, "json": answers}
    for path, text in ((f"reference/{name}.md", page()) for name, page in pages.items()):
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fills ``<!-- generated: NAME -->`` in a page."""
    parts = {"metrics": metrics, "architecture": architecture}
    return re.sub(r"<!-- generated: (\w+) -->", lambda match: parts[match[1]](), markdown)


def cell(text: Any) -> str:
    """A text for a cell of a table."""
    return " ".join(escape(str(text or "")).replace("|", "\\|").split())


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


def commands() -> str:
    """One section for each command: usage, what it does, its options with their defaults."""
    import typer

    from pddl2nl.cli.app import make_app

    app = typer.main.get_command(make_app())
    context = app.make_context("pddl2nl", ["--help"], resilient_parsing=True)
    about = (
        "# Commands\n\nMade from the command line itself; `pddl2nl COMMAND --help` prints the same.\n\n"
        "Every command ends with one of these exit codes: 0 done, and everything that was judged is valid or solved; "
        "1 the check failed: a plan is invalid, a run is not solved, a line could not be read; 2 bad input or usage, "
        "or a missing extra, with the `pip install` that helps; 3 infrastructure failed: an endpoint, a planner, the "
        "disk; 130 Ctrl-C, with all records of finished work kept.\n"
    )
    return "\n".join((about, *_sections(app, context)))


def _sections(group: Any, context: Any) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = type(context)(command, info_name=name, parent=context)
        if hasattr(command, "list_commands"):
            yield from _sections(command, inner)
        else:
            yield _section(command, inner)


def _section(command: Any, context: Any) -> str:
    lines = [f"## {context.command_path}\n", "```text", " ".join(command.get_usage(context).split()), "```\n"]
    lines += [f"{escape(paragraph)}\n" for paragraph in (command.help or "").split("\n\n")]
    panels: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            panels[getattr(parameter, "rich_help_panel", None) or _panel(parameter)].append(record)
    for panel, records in panels.items():
        lines += [f"| {panel} | |", "|---|---|"]
        lines += [f"| `{cell_code(name)}` | {cell(text)} |" for name, text in records]
        lines.append("")
    if command.epilog:
        lines.append(f"{escape(command.epilog)}\n")
    return "\n".join(lines)


def cell_code(text: str) -> str:
    """Code in a cell of a table, where a ``|`` between backticks needs no escape."""
    return " ".join(text.split())


def _panel(parameter: Any) -> str:
    return "Arguments" if parameter.param_type_name == "argument" else "Options"


# ── options and metrics ──────────────────────────────────────────────────────────────────────────


def run_options() -> str:
    """A table for each group of the options of a run."""
    from pddl2nl.policies.spec import GROUPS, RUN_OPTIONS

    lines = [
        "# Options of a run\n",
        "Each option is declared once, in `pddl2nl/policies/spec.py`. It has the same name on the command line "
        "(`--names-seed`), in the table `[options]` of an [experiment file](experiment-files.md) (`names_seed`) and as "
        "an argument of [`pddl2nl.run`](python.md). Every record holds the values of its run.\n",
    ]
    for group in GROUPS:
        options = [option for option in RUN_OPTIONS.values() if option.group == group]
        if not options:
            continue
        lines += [f"## {group}\n", "| option | values | default | what it does |", "|---|---|---|---|"]
        for option in options:
            values = option.shown or option.kind.__name__
            default = f"({option.default_text})" if option.default_text else f"`{option.default}`"
            values = f"`{cell_code(values)}`"
            lines.append(f"| `{option.flag}` | {values} | {cell(default)} | {cell(option.help)} |")
        lines.append("")
    return "\n".join(lines)


def answers() -> str:
    """For each command a table of the keys that it prints with ``--json``."""
    described: dict[str, Any] = run_path(str(ROOT / "docs" / "json_answers.py"))["ANSWERS"]
    lines = [
        "# Answers in JSON\n",
        "With `--json` standard output holds JSON alone, one value a line. A key below another one is written with a "
        "dot; `[]` is each item of a list, `*` each key of an object whose keys are names; `?` marks a key that can be "
        "absent. The types in `docs/json_answers.py` are what this page is made from, and a test compares them with "
        "what the commands print. The events of a record are in [File formats](file-formats.md).\n",
    ]
    for name, kind in described.items():
        lines += [f"## {name}\n", "| key | type | meaning |", "|---|---|---|"]
        lines += [f"| `{key}` | {cell(shown)} | {cell(meaning)} |" for key, shown, meaning in _keys(kind, "")]
        lines.append("")
    return "\n".join(lines)


def _keys(kind: Any, place: str, meaning: str = "") -> Iterator[tuple[str, str, str]]:
    """The keys below a place: each with its type and meaning."""
    if hasattr(kind, "meaning"):
        kind, meaning = kind.kind, kind.meaning
    if place not in ("", "[]"):
        yield place, _type(kind), meaning
    for part in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(part, list) and (place == "" or isinstance(part[0], dict)):
            part, place = part[0], f"{place}[]"
        if not isinstance(part, dict):
            continue
        for key, inner in part.items():
            # What a table of names and plain values holds needs no line of its own, unless it is the whole answer.
            if key != "*" or place == "" or isinstance(inner, dict):
                below = list(_keys(inner, f"{place}.{key}".removeprefix(".")))
                yield from below[1:] if key == "*" and isinstance(inner, dict) else below


def _type(kind: Any) -> str:
    """A type in a few words: list of str, object, str or null."""
    kind = getattr(kind, "kind", kind)
    if isinstance(kind, dict):
        return "object"
    if isinstance(kind, list):
        return f"list of {_type(kind[0])}"
    if isinstance(kind, tuple) or get_origin(kind) is UnionType:
        return " or ".join(map(_type, kind if isinstance(kind, tuple) else get_args(kind)))
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    return {None: "null", NoneType: "null", Any: "any"}.get(kind) or str(kind.__name__)


def metrics() -> str:
    """The table of all metrics."""
    from pddl2nl.reports import all_metrics

    lines = ["| metric | what it measures | unit | better | over tasks |", "|---|---|---|---|---|"]
    for metric in all_metrics().values():
        row = (f"`{metric.name}`", cell(metric.summary), cell(metric.unit), metric.better, metric.together)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


# ── the drawing of the packages ──────────────────────────────────────────────────────────────────

PURPOSES = {
    "cli": "commands: parse, call one function, print",
    "interop": "adapters to other tools",
    "reports": "metrics, tables, plots, pages from stored events",
    "experiments": "one run, many runs, records, resume, clusters",
    "policies": "Episode, events, one mechanism per file or folder",
    "questions": "questions with exact answers, scored",
    "macros": "macro-actions: composed, proved, stored",
    "baselines": "planners, random walk, oracle",
    "tasks": "shipped sets, generators, suites",
    "worlds": "faults, knowledge graph",
    "nl": "PDDL to English and back",
    "pddlval": "states, successors, verdicts, VAL's text",
    "pddl": "text and syntax tree",
    "llm": "one chat call: client, cache, replay",
    "conversion": "checked data",
    "files": "reading files",
    "notebook": "tables for notebooks",
    "lean": "light dataclasses",
    "errors": "shared exceptions",
}


def architecture() -> str:
    """The packages as an SVG drawing: every layer may import what stands below it."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    layers = [[name.strip(" ()").removeprefix("pddl2nl.") for name in layer.split("|")] for layer in contract["layers"]]
    width, height, gap = 760, 46, 12
    drawing = [
        f'<svg viewBox="0 0 {width} {len(layers) * (height + gap)}" role="img" aria-label="The layers of the packages" '
        'style="width:100%;height:auto;font-family:sans-serif">'
    ]
    for row, layer in enumerate(layers):
        box = (width - gap * (len(layer) - 1)) / len(layer)
        for column, name in enumerate(layer):
            x, y = column * (box + gap), row * (height + gap)
            middle = f'x="{x + box / 2:.0f}" text-anchor="middle" fill="currentColor"'
            drawing += [
                f'<rect x="{x:.0f}" y="{y}" width="{box:.0f}" height="{height}" rx="6" fill="none" '
                'stroke="currentColor"/>',
                f'<text {middle} y="{y + 19}" font-weight="bold" font-size="14">{escape(name)}</text>',
                f'<text {middle} y="{y + 36}" font-size="11.5">{escape(PURPOSES.get(name, ""))}</text>',
            ]
    drawing.append("</svg>")
    return "\n".join(drawing)
