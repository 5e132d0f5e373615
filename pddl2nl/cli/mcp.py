"""``pddl2nl mcp``: tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import select
import signal
import sys
import termios
import threading
import time
from array import array
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pddl2nl.cli.options import argument, option, read_memory
from pddl2nl.limits import LIMITS

_LAST_LINE = 0.2
"""Seconds between the looks at what is left in the pipe: an answer to the last line may be under way."""

_EPILOG = "Example, in the configuration of an agent: command pddl2nl, arguments mcp /path/to/tasks"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("mcp", epilog=_EPILOG)(_mcp)


def _mcp(
    folder: Annotated[Path, argument("FOLDER", "Files are read below this folder only.")],
    seconds: Annotated[int, option("SECONDS", "The longest time of a call.", min=1, max=3600)] = LIMITS.tool_seconds,
    memory: Annotated[
        int, option("MEMORY", "Memory of the process that answers calls: MB, or 500m, 8g.", parser=read_memory)
    ] = LIMITS.tool_mib,
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

    server = make_server(folder, seconds, memory)
    if http is not None:
        server.run("streamable-http", host="127.0.0.1", port=http)
        return
    # As SIGTERM does, and not as asyncio does, which waits for all threads first.
    signal.signal(signal.SIGINT, lambda number, frame: sys.exit(128 + number))
    # A second name of the pipe: the SDK takes the standard streams for itself.
    threading.Thread(target=_end_with_input, args=(os.dup(0),), daemon=True).start()
    code = 0
    try:
        server.run()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    _end(code)


def _end_with_input(pipe: int) -> None:
    """Ends the server when the agent has closed the pipe: the SDK would wait for a call whose answer it drops."""
    closed = select.poll()
    closed.register(pipe, 0)  # an end that hangs up is told in any case
    if closed.poll()[0][1] & select.POLLHUP:
        waiting = array("i", [1])
        while waiting[0]:
            fcntl.ioctl(pipe, termios.FIONREAD, waiting)
            time.sleep(_LAST_LINE)
        _end(0)


def _end(code: int) -> NoReturn:
    # Not by the usual end of Python: it waits for a thread of the SDK that reads standard input, and for processes.
    for process in multiprocessing.active_children():
        process.terminate()
    os._exit(code)
