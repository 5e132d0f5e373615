"""The options of ``pddl2nl run``, made from their one declaration, `pddl2nl.experiments.spec.RUN_OPTIONS`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from pddl2nl.cli.limits import read_time
from pddl2nl.experiments.spec import GROUPS, RUN_OPTIONS, Option

__all__ = ["GroupedCommand", "with_run_options"]

_HERE = {"out": replace(RUN_OPTIONS["out"], default=Path("runs"), default_text="")}
"""Options whose default on the command line is another than from Python."""


def with_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of a run as parameters where it takes ``**options``.

    Its parameters before ``**options`` come first, then one for each option of a run, by group, and last those after
    (Python writes them before: keyword-only parameters stand between ``*`` and ``**``).
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    first = [item for item in own if item.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    more = [item for item in own if item.kind is inspect.Parameter.KEYWORD_ONLY]
    options = sorted(RUN_OPTIONS.values(), key=lambda option: GROUPS.index(option.group))
    made = [_parameter(_HERE.get(option.name, option)) for option in options]
    parameters = [item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in first] + made + more

    def run(**values: Any) -> None:
        command(**values)

    run.__doc__ = command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameter(option: Option) -> inspect.Parameter:
    declared = typer.Option(
        option.flag,
        help=option.help,
        metavar=option.shown or None,
        min=option.at_least,
        parser=read_time if option.time else None,
        show_default=option.default_text or True,
        rich_help_panel=option.group,
    )
    kind: Any = option.kind if option.default is not None else option.kind | None
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[kind, declared]
    )


class GroupedCommand(TyperCommand):
    """A command whose help shows options by group also where it is plain text; rich groups them by itself."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments, then the options of each group under its name."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{name: [] for name in GROUPS}}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                other = "Arguments" if parameter.param_type_name == "argument" else "Other"
                group = getattr(parameter, "rich_help_panel", None) or other
                sections.setdefault(group, []).append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)
