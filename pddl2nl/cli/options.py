"""Arguments and options that several commands share, each declared once.

Options of a run and of models are in `pddl2nl.cli.run_options`: this module is imported at every start.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from pddl2nl.cli import completion
from pddl2nl.cli.output import log_to_stderr, set_verbosity
from pddl2nl.cli.panels import PANELS, SYSTEMS, UNLISTED
from pddl2nl.errors import InputError, did_you_mean

Context = typer.Context


def option(value: str, help: str, default: str = "", group: str = "", *, flag: str = "", **more: Any) -> Any:
    """An option with a value, for which ``value`` stands in help: ``DIR``, ``a|b``; empty for a Literal.

    ``default`` is what help shows as the default where that is not the value itself, and ``group`` the heading under
    which it does; the flag is by default made of the parameter's name.
    """
    return typer.Option(
        *([flag] if flag else []),
        metavar=value or None,
        help=help,
        show_default=default or True,
        rich_help_panel=group or None,
        **more,
    )


def one_of(choices: Collection[str], accepts: Callable[[str], bool] | None = None) -> Callable[[str], str]:
    """A parser of an option whose value is one of some words, or is accepted."""

    def read(value: str) -> str:
        if not (value in choices if accepts is None else accepts(value)):
            raise typer.BadParameter(f"'{value}': expected {', '.join(choices)}{did_you_mean(value, choices)}")
        return value

    return read


def switch(flags: str, help: str, group: str = "") -> Any:
    """An option without a value, off by default: ``-q --quiet``."""
    return typer.Option(*flags.split(), help=help, rich_help_panel=group or None)


def argument(name: str, help: str, default: str = "", **more: Any) -> Any:
    """An argument; ``default`` is what help shows as its default."""
    return typer.Argument(metavar=name, help=help, show_default=default or False, **more)


def given_options(context: Context) -> frozenset[str]:
    """The options on the command line, by the names of their parameters."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE")


# ── domains and problems ─────────────────────────────────────────────────────────────────────────

_HEAD = 4096
_DEFINES = re.compile(rb"\(\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)


def domain_file(name: str) -> str:
    """The path of a domain: `name` itself, or the file of the shipped domain with that name.

    Raises:
        InputError: a plain name that is neither a file nor a shipped domain.
    """
    if os.path.isfile(name) or not _is_plain(name):
        return name
    from pddl2nl.tasks.shipped import domain_names, find_domain

    # Reading a folder says what is in it.
    return name if os.path.isdir(name) and name not in domain_names() else str(find_domain(name))


def problem_file(name: str, domain: str) -> str:
    """The path of a problem: `name` itself, or the file of a shipped domain's instance with that name.

    Raises:
        InputError: a plain name that is neither a file nor an instance of the domain at that path.
    """
    if os.path.exists(name) or not _is_plain(name):
        return name
    from pddl2nl.tasks.shipped import find_instance

    return str(find_instance(name, Path(domain)))


def _is_plain(name: str) -> bool:
    """Whether a text can be a name: no folders and no ending, as ``blocksworld`` and ``p01``."""
    return name != "-" and not os.path.dirname(name) and not os.path.splitext(name)[1]


def check_order(domain: str, problem: str) -> None:
    """Raises `InputError` if the domain argument is a problem file and the problem argument a domain file."""
    if _defines(domain) == b"problem" and _defines(problem) == b"domain":
        raise InputError(f"{domain} is a problem file and {problem} is a domain file; swap them?")


def _defines(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return b""
    match = _DEFINES.search(re.sub(rb";[^\n]*", b"", head))
    return match[1].lower() if match is not None else b""


def _domain(value: Path | None) -> Path | None:
    return None if value is None else Path(domain_file(str(value)))


def _problem(context: Context, value: Path | None) -> Path | None:
    domain = context.params.get("domain")
    if value is None or domain is None:
        return value
    path = problem_file(str(value), str(domain))
    check_order(str(domain), path)
    return Path(path)


def _problems(context: Context, value: list[Path] | None) -> list[Path]:
    domain = context.params.get("domain")
    return [path if domain is None else Path(problem_file(str(path), str(domain))) for path in value or ()]


_of_domain = partial(
    argument,
    help="The domain file, or the name of a shipped domain.",
    callback=_domain,
    autocompletion=completion.domains,
)
_of_problem = partial(
    argument,
    help="The problem file, or the name of a shipped domain's instance.",
    callback=_problem,
    autocompletion=completion.task_files,
)
DomainFile = Annotated[Path, _of_domain("DOMAIN")]
OptionalDomainFile = Annotated[Path | None, _of_domain("[DOMAIN]", default="the domain.pddl beside FILE")]
ProblemFile = Annotated[Path, _of_problem("PROBLEM")]
OptionalProblemFile = Annotated[Path | None, _of_problem("[PROBLEM]")]
ProblemFiles = Annotated[
    list[Path] | None,
    _of_problem("[PROBLEM]...", help="Problem files, or names of the shipped domain's instances.", callback=_problems),
]

# ── tolerances, as VAL has them ──────────────────────────────────────────────────────────────────

ValTolerance = Annotated[
    bool, switch("--val-tolerance", "Judge as VAL does, numbers within 0.0001 and times within 0.01, not exactly.")
]
TimeTolerance = Annotated[
    str | None, option("N", "Judge as VAL's -t N does: times within N, numbers within 0.0001.", "none", flag="-t")
]

# ── output, limits, seeds ────────────────────────────────────────────────────────────────────────

JsonOption = Annotated[bool, switch("--json", "Print JSON.", "Output")]

_LEAST_MB, _MOST_MB = 64, 1 << 27


def _parser(read: str, check: Callable[[Any], Any] = lambda value: value) -> Callable[[Any], Any]:
    """Reads a value by a function of `pddl2nl.quantities`; a ValueError becomes a usage error."""

    def parse(value: Any) -> Any:
        from pddl2nl import quantities

        if isinstance(value, tuple):
            return value
        try:
            return check(getattr(quantities, read)(value))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


def _whole(seconds: float) -> int:
    if seconds != int(seconds):
        raise ValueError(f"{seconds} s: the planners take whole seconds")
    return int(seconds)


def _sensible(megabytes: int) -> int:
    if not _LEAST_MB <= megabytes <= _MOST_MB:
        raise ValueError(f"{megabytes} MB: from {_LEAST_MB} to {_MOST_MB} MB were expected")
    return megabytes


read_time = _parser("seconds")
read_seeds = _parser("seeds")
read_memory = _parser("megabytes", _sensible)
_MEMORY_HELP = "Memory of each search: MB, or 500m, 8g."
TimeLimit = Annotated[
    int, option("TIME", "CPU time of each search: seconds, or 90s, 30m, 1h30m.", parser=_parser("seconds", _whole))
]
MemoryLimit = Annotated[int, option("MEMORY", _MEMORY_HELP, parser=read_memory)]
AnyMemoryLimit = Annotated[int | None, option("MEMORY", _MEMORY_HELP, "no limit", parser=read_memory)]

CommandSeconds = Annotated[float | None, option("TIME", "Longest time: 90s, 30m.", "no limit", parser=read_time)]
CommandMemory = Annotated[int | None, option("MEMORY", "Most memory: 500m, 8g.", "no limit", parser=read_memory)]

# ── what every command has ───────────────────────────────────────────────────────────────────────


def run_within(seconds: float | None, memory_mb: int | None) -> None:
    """Sets a command's ``--seconds`` and ``--memory``; called before it does anything."""
    if seconds is not None or memory_mb is not None:
        from pddl2nl.cli.limited import continue_in_child

        continue_in_child(seconds, memory_mb)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("pddl2nl")
        except PackageNotFoundError:
            number = "(not installed)"
        typer.echo(f"pddl2nl {number}")
        raise typer.Exit


def top_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """The options before the command."""


_VERBOSITY: dict[str, Any] = {
    "quiet": switch("-q --quiet", "No progress and no warnings.", "Output"),
    "verbose": switch("-v --verbose", "Tell each call and retry.", "Output"),
}


def with_verbosity(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with ``-q`` and ``-v``; one that has an option ``verbose`` of its own keeps it."""
    own = inspect.signature(command, eval_str=True).parameters
    added = [name for name in _VERBOSITY if name not in own]

    def run(**values: Any) -> Any:
        given = {name: values.pop(name) for name in added}
        set_verbosity(quiet=given["quiet"], verbose=given.get("verbose", False))
        if not any(given.values()):
            return command(**values)
        with log_to_stderr():
            return command(**values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(it, keyword, default=False, annotation=Annotated[bool, _VERBOSITY[it]]) for it in added]
    run.__doc__ = command.__doc__
    parameters = [*(item.replace(kind=keyword) for item in own.values()), *more]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


_NAMES = 26
"""Columns for the names of options in plain help."""


class GroupedCommand(TyperCommand):
    """A command whose help shows options by group also in plain text, as rich does."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments, options without a group, then the options of each group under its name."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                other = "Arguments" if parameter.param_type_name == "argument" else "Options"
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or other, []).append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=_NAMES)


class PanelGroup(TyperGroup):
    """The application, whose help shows the commands under headings, with rich and without."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        given = self.commands
        listed = {name: (panel, text) for panel, commands in PANELS.items() for name, (_, text) in commands.items()}
        brought = {name: (SYSTEMS, "") for name in given if name not in listed}
        ranks = [*PANELS]
        order = sorted({**listed, **brought}.items(), key=lambda item: ranks.index(item[1][0]))
        self.commands = {name: given[name] for name, _ in order if name in given}
        for name, command in self.commands.items():
            panel, text = listed.get(name) or brought[name]
            command.short_help = text or command.short_help
            if isinstance(command, TyperCommand | TyperGroup):
                command.rich_help_panel = panel

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help; commands that it does not list are hidden here only, so that the shell completes them."""
        for name in UNLISTED:
            if name in self.commands:
                self.commands[name].hidden = True
        super().format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes each heading with its commands, none of them cut off."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                row = (name, command.get_short_help_str(formatter.width))
                panels.setdefault(getattr(command, "rich_help_panel", None) or SYSTEMS, []).append(row)
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)
