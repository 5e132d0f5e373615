"""The command ``pddl2nl``: its groups, and the one place where exceptions become exit codes."""

from __future__ import annotations

import gc
import inspect
import shutil
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from pddl2nl.cli import (
    audit,
    baselines,
    cache,
    check,
    convert,
    costs,
    experiment,
    generate,
    macro,
    manifest,
    models,
    obfuscate,
    plan,
    quickstart,
    replay,
    report,
    run,
    tasks,
    tell,
    validate,
)
from pddl2nl.cli.output import INFRASTRUCTURE, exit_code_of
from pddl2nl.errors import InputError, Pddl2nlError

__all__ = ["app", "entry_point", "main"]

_ROOM = 100
"""Columns below which rich's help would cut the names of options; click's own does not."""


def _in_colour() -> bool:
    """Whether help and usage errors go through rich; what is no terminal gets plain text."""
    return sys.stdout is not None and sys.stdout.isatty() and shutil.get_terminal_size().columns >= _ROOM


app = typer.Typer(
    name="pddl2nl",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="PDDL to natural language and back: tell a task, let a language model act on it, judge every step.",
    epilog="Exit codes: 0 done; 1 judged and found wanting; 2 bad input or usage; 3 infrastructure failed; 130 Ctrl-C.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("pddl2nl")
        except PackageNotFoundError:
            number = "(not installed)"
        typer.echo(f"pddl2nl {number}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


for _group in (
    quickstart,
    check,
    validate,
    plan,
    convert,
    tell,
    run,
    experiment,
    report,
    baselines,
    replay,
    models,
    cache,
    tasks,
    generate,
    manifest,
    obfuscate,
    macro,
    costs,
    audit,
):
    _group.register(app)


def _unwrap(group: typer.Typer) -> None:
    """Makes a line of each paragraph of the commands' help, which is else broken where its source is."""
    for command in group.registered_commands:
        text = inspect.getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            _unwrap(inner.typer_instance)


_unwrap(app)


_RENAMED = {"--max-usd": "--budget-usd", "--max-calls": "--budget-calls"}
"""Old names of options, and the new ones."""


def _check_renamed(arguments: Sequence[str]) -> None:
    for argument in arguments:
        if (new := _RENAMED.get(argument.partition("=")[0])) is not None:
            raise InputError(f"{argument.partition('=')[0]} is called {new} now")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; the error of a failure stands on standard error.

    Args:
        arguments: what follows ``pddl2nl``; by default the arguments of this process.
    """
    app.rich_markup_mode = "rich" if _in_colour() else None
    try:
        _check_renamed(sys.argv[1:] if arguments is None else arguments)
        app(args=None if arguments is None else list(arguments), prog_name="pddl2nl")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            # typer exits with 1, which would be a verdict.
            return _reader_gone()
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except Pddl2nlError as error:
        sys.stderr.write(f"error: {error}\n")
        return exit_code_of(error)
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        return _failed(error)
    except Exception:  # noqa: BLE001 — a fault of ours: shown whole, and never with the exit code of a verdict
        traceback.print_exc()
        return INFRASTRUCTURE
    return 0


def _reader_gone() -> int:
    from pddlval.streams import READER_GONE, drop_output

    drop_output()
    return READER_GONE


def _failed(error: OSError) -> int:
    from pddlval.streams import drop_output

    # It may be the output itself that found no room: what is left of it must not fail once more at exit.
    drop_output()
    sys.stderr.write(f"error: {error}\n")
    return INFRASTRUCTURE


def entry_point() -> None:
    """What the console command calls: `main`, and out with its exit code."""
    from pddlval.streams import utf8_streams

    utf8_streams()
    # Starting up and reading a task make many objects and hardly any garbage: with Python's own threshold of 700,
    # looking for it took a seventh of the time of a small `validate`.
    gc.set_threshold(100_000)
    # As with Ctrl-C, so that a planner is stopped and its folder removed when a scheduler ends us.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())
