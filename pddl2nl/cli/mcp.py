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
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from pddl2nl.cli.options import argument, option, read_memory
from pddl2nl.cli.run_options import from_run
from pddl2nl.errors import InputError
from pddl2nl.limits import LIMITS

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

_LAST_LINE = 0.2
"""Seconds between the looks at what is left in the pipe: an answer to the last line may be under way."""

_EPILOG = "Example, in the configuration of an agent: command pddl2nl, arguments mcp /path/to/tasks"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("mcp", epilog=_EPILOG)(_mcp)


def _mcp(
    folder: Annotated[
        Path | None, argument("FOLDER", "Files are read below this folder only; not with --task.", "none")
    ] = None,
    task: Annotated[
        str | None,
        option(
            "DOMAIN:PROBLEM",
            "Serve a session on one task: a shipped domain and its instance, or two files. The run is recorded.",
            "none",
        ),
    ] = None,
    policy: Annotated[
        str, from_run("policy", help="With --task, which tools there are: tools, or one of its presets.", metavar="P")
    ] = "tools-search",
    name: Annotated[str, option("NAME", "With --task, the agent's name, as reports show it.")] = "agent",
    steps: Annotated[int | None, from_run("steps")] = None,
    constrain: Annotated[str, from_run("constrain")] = "off",
    out: Annotated[Path, option("DIR", "With --task, the folder of the record.")] = Path("runs"),
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

    With --task it serves a session instead: the agent acts on one task by the tools of the policy, each call is judged,
    and the run is recorded in DIR under the agent's name, so that `pddl2nl report` shows it beside other runs.

    It needs the extra mcp. Tools read files below FOLDER and shipped tasks, and write none.
    """
    from pddl2nl.interop.agent_session import AgentSession
    from pddl2nl.interop.mcp_server import SessionServer, make_server

    if (folder is None) == (task is None):
        raise InputError("either a FOLDER with PDDL files or --task DOMAIN:PROBLEM is needed")
    from pddl2nl.policies.spec import RunSpec
    from pddl2nl.tasks.shipped import find_task

    session = None
    server: MCPServer[Any]
    if task is not None:
        domain, colon, problem = task.rpartition(":")
        if not colon:
            raise InputError(f"--task {task}: DOMAIN:PROBLEM was expected, such as blocksworld:p01")
        given = {"steps": steps, "constrain": constrain, "out": out}
        session = AgentSession(RunSpec.of(find_task(domain, problem), policy, model=name, **given))
        server = SessionServer(session)
    else:
        assert folder is not None
        server = make_server(folder, seconds, memory)
    close = _nothing if session is None else session.close
    if http is None:
        _serve_pipe(server, close)
    try:
        server.run("streamable-http", host="127.0.0.1", port=http)
    finally:
        close()


def _nothing() -> None:
    """What is to be closed where there is no session."""


def _serve_pipe(server: MCPServer[Any], close: Callable[[], object]) -> NoReturn:
    # As SIGTERM does, and not as asyncio does, which waits for all threads first.
    signal.signal(signal.SIGINT, lambda number, frame: sys.exit(128 + number))
    # A second name of the pipe: the SDK takes the standard streams for itself.
    threading.Thread(target=_end_with_input, args=(os.dup(0), close), daemon=True).start()
    code = 0
    try:
        server.run()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    _end(code, close)


def _end_with_input(pipe: int, close: Callable[[], object]) -> None:
    """Ends the server when the agent has closed the pipe: the SDK would wait for a call whose answer it drops."""
    closed = select.poll()
    closed.register(pipe, 0)  # an end that hangs up is told in any case
    if closed.poll()[0][1] & select.POLLHUP:
        waiting = array("i", [1])
        while waiting[0]:
            fcntl.ioctl(pipe, termios.FIONREAD, waiting)
            time.sleep(_LAST_LINE)
        _end(0, close)


def _end(code: int, close: Callable[[], object]) -> NoReturn:
    close()
    # Not by the usual end of Python: it waits for a thread of the SDK that reads standard input, and for processes.
    for process in multiprocessing.active_children():
        process.terminate()
    os._exit(code)
