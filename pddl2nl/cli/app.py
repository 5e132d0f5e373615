"""The command ``pddl2nl``: its groups, and the one place where exceptions become exit codes."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from pddl2nl.cli.panels import COMMANDS, UNLISTED
from pddl2nl.errors import Pddl2nlError

if TYPE_CHECKING:
    import typer

    from pddl2nl.plugins import System

_INFRASTRUCTURE = 3
_WIDE = 100
"""Columns below which rich's help would cut the names of options; plain help does not."""


def _in_colour() -> bool:
    """Whether help and usage errors go through rich: on wide terminals."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    import shutil

    return shutil.get_terminal_size().columns >= _WIDE


def make_app(command: str = "") -> typer.Typer:
    """The application with the commands of one command's module; with all commands if there is no such command."""
    # Imported here, so that `entry_point` can slow down garbage collection before these many imports.
    import typer

    from pddl2nl.cli.options import PanelGroup, top_options
    from pddl2nl.cli.output import clean_rich

    in_colour = _in_colour()
    if in_colour:
        clean_rich()
    app = typer.Typer(
        name="pddl2nl",
        cls=PanelGroup,
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if in_colour else None,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="PDDL to natural language and back: tell a task, let a language model act on it, judge every step.",
        epilog=f"More commands: {', '.join(UNLISTED)}; each has --help.\n\n"
        "Exit codes: 0 done; 1 the check failed; 2 bad input or usage; 3 infrastructure failed; 130 Ctrl-C.",
    )
    app.callback()(top_options)
    if command in COMMANDS:
        import_module(f"pddl2nl.cli.{COMMANDS[command]}").register(app)
    else:
        from pddl2nl.plugins import fails_alone

        brought = _brought()
        if command not in brought:
            for module in dict.fromkeys(COMMANDS.values()):
                import_module(f"pddl2nl.cli.{module}").register(app)
        for name, (system, where) in brought.items():
            if command in (name, "") or command not in brought:
                with fails_alone(f"the command '{name}' of system '{system.name}'", asked=command == name):
                    system.load(where)(app)
    _prepare(app)
    return app


def _brought() -> dict[str, tuple[System, str]]:
    """The commands of systems by name; those of a group of ours are added by its module."""
    from pddl2nl.plugins import systems

    found = ((name, (system, where)) for system in systems().values() for name, where in system.commands.items())
    return {name: part for name, part in found if name not in COMMANDS}


def _prepare(group: typer.Typer) -> None:
    """Joins the lines of each paragraph of the commands' help, groups their options, and adds ``-q`` and ``-v``."""
    from pddl2nl.cli.options import GroupedCommand, with_verbosity

    for command in group.registered_commands:
        text = inspect.getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
        command.cls = GroupedCommand
        if command.callback is not None:
            command.callback = with_verbosity(command.callback)
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            _prepare(inner.typer_instance)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; the error of a failure stands on standard error.

    Args:
        arguments: what follows ``pddl2nl``; by default the arguments of this process.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        make_app(arguments[0] if arguments else "")(args=arguments, prog_name="pddl2nl")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            # typer exits with 1, which would be a verdict.
            return _reader_gone()
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except Pddl2nlError as error:
        sys.stderr.write(f"error: {error}\n")
        from pddl2nl.cli.output import exit_code_of

        return exit_code_of(error)
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except MemoryError:
        # What filled it is kept by the exception until this clause ends.
        pass
    except Exception as error:  # noqa: BLE001 — never with the exit code of a verdict
        return _fault(error)
    else:
        return 0
    sys.stderr.write("error: there is not enough memory for this\n")
    return _INFRASTRUCTURE


def _reader_gone() -> int:
    from pddlval.streams import READER_GONE, drop_output

    drop_output()
    return READER_GONE


def _fault(error: Exception) -> int:
    """A fault of ours is shown whole; of one in the user's own code its place, and all of it with ``-v``."""
    from pddl2nl.cli.output import is_verbose
    from pddl2nl.plugins import said, their_place

    place = their_place(error)
    if not place or is_verbose():
        import traceback

        traceback.print_exc()
    if place:
        sys.stderr.write(f"error: {place}{said(error)} (-v shows the traceback)\n")
    return _INFRASTRUCTURE


def _failed(error: OSError) -> int:
    from pddlval.streams import drop_output

    # It may be the output itself that found no room: its rest must not fail again at exit.
    drop_output()
    sys.stderr.write(f"error: {error}\n")
    return _INFRASTRUCTURE


def _terminated(number: int, frame: object) -> NoReturn:
    # Not by the stream, which may be writing.
    os.write(2, b"SIGTERM: stopping; what was written is kept\n")
    sys.exit(128 + number)


def entry_point() -> None:
    """What the console command calls: runs `main` and exits with its code."""
    # First of all: imports and reading a task make many objects and hardly any garbage. With Python's own threshold
    # of 700, looking for it takes a tenth of the time of a small `validate`.
    gc.set_threshold(100_000)
    from pddlval.streams import set_streams

    set_streams()
    # As with Ctrl-C, so that a planner is stopped and its folder removed when a scheduler ends this process.
    signal.signal(signal.SIGTERM, _terminated)
    code = main()
    # At its end Python looks for garbage among all objects, a fifth of the time of a small `validate`; frozen ones are
    # left out, and the system takes the memory back anyway.
    gc.freeze()
    sys.exit(code)
