"""``pddl2nl mcp``: tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli.options import argument, option

_EPILOG = "Example, in the configuration of an agent: command pddl2nl, arguments mcp /path/to/tasks"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("mcp", epilog=_EPILOG)(_mcp)


def _mcp(
    folder: Annotated[Path, argument("FOLDER", "Files are read below this folder only.")],
    seconds: Annotated[int, option("SECONDS", "The longest time of a call.", min=1, max=3600)] = 60,
    http: Annotated[
        int | None,
        option("PORT", "Serve at http://127.0.0.1:PORT/mcp.", "standard input and output", min=1, max=65535),
    ] = None,
) -> None:
    """Serve planning tools to agents that speak the Model Context Protocol, on standard input and output: check,
    validate, applicable_actions, step, state, read_reply, plan, repair.

    It needs the extra mcp. Tools read files below FOLDER and shipped tasks, and write none.
    """
    from pddl2nl.interop.mcp_server import make_server

    server = make_server(folder, seconds)
    if http is not None:
        server.run("streamable-http", host="127.0.0.1", port=http)
        return
    # As SIGTERM does, and not as asyncio does, which waits for all threads first.
    signal.signal(signal.SIGINT, lambda number, frame: sys.exit(128 + number))
    code = 0
    try:
        server.run()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    # Not by the usual end of Python: it waits for a thread of the SDK that reads standard input, and for processes.
    for process in multiprocessing.active_children():
        process.terminate()
    os._exit(code)
