"""The tools of `mcp_tools` as a server of the Model Context Protocol, by its official SDK.

The tools run in a process of their own, which is stopped when a call takes too long; its planners end with it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any

from pddl2nl.errors import InputError, MissingExtraError, Pddl2nlError
from pddl2nl.interop.mcp_tools import Answer, PlanningTools

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as error:
    raise MissingExtraError("mcp", "mcp", "a server of the Model Context Protocol") from error

MAX_ANSWER = 200_000
"""Characters of an answer, as JSON."""
_GRACE = 5
"""Seconds in which a process that is stopped removes its files."""
_INSTRUCTIONS = (
    "Tools for planning tasks in PDDL. Domains and problems are given as PDDL text, as paths of files, or by the names "
    "of shipped ones, such as blocksworld and p01. Nothing is kept between calls: a state is named by the actions that "
    "were executed so far (after)."
)


def make_server(folder: str | Path, seconds: int = 60) -> MCPServer[Any]:
    """A server whose tools read files below a folder.

    Args:
        folder: the folder; symbolic links that lead out of it are refused.
        seconds: the longest time of a call.

    Raises:
        InputError: there is no such folder.
    """
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: no such folder")
    worker = _Worker(Path(folder), seconds)
    server: MCPServer[Any] = MCPServer("pddl2nl", instructions=_INSTRUCTIONS, log_level="WARNING")
    for tool in PlanningTools(Path(folder), seconds).tools:
        server.add_tool(_served(tool, worker), structured_output=False)
    return server


def _served(tool: Callable[..., Answer], worker: _Worker) -> Callable[..., str]:
    """A tool with the same parameters, run by the worker; it gives JSON."""

    @wraps(tool)
    def run(**arguments: Any) -> str:
        try:
            return worker.call(tool.__name__, arguments)
        except InputError as error:
            raise ToolError(str(error)) from None

    return run


class _Worker:
    """A process that runs tools one after the other, and is replaced when one takes too long."""

    def __init__(self, folder: Path, seconds: int):
        self._folder = folder
        self._seconds = seconds
        self._lock = Lock()
        self._process: Any = None
        self._pipe: Connection | None = None

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The tool's answer; raises `InputError` with its error, or if it takes too long."""
        with self._lock:
            try:
                pipe = self._started()
                pipe.send((tool, arguments))
                if pipe.poll(self._seconds):
                    done, text = pipe.recv()
                    if done:
                        return str(text)
                    raise InputError(text)
                reason = f"the call took longer than {self._seconds} s"
            except (EOFError, OSError):
                reason = "the process of the call ended, perhaps for lack of memory"
            self._process.terminate()
            self._process.join(_GRACE)
            self._process.kill()
            self._pipe = None
            raise InputError(reason)

    def _started(self) -> Connection:
        if self._pipe is None or not self._process.is_alive():
            # A new interpreter: a fork of a process with threads can hang.
            context = multiprocessing.get_context("spawn")
            self._pipe, other = context.Pipe()
            self._process = context.Process(target=_work, args=(other, self._folder, self._seconds), daemon=True)
            self._process.start()
            other.close()
            # Its imports are not part of the call.
            self._pipe.recv()
        return self._pipe


def _work(pipe: Connection, folder: Path, seconds: int) -> None:
    # Standard output belongs to the protocol.
    os.dup2(2, 1)
    # An exception stops a planner and removes its files.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    tools = {tool.__name__: tool for tool in PlanningTools(folder, seconds).tools}
    with suppress(EOFError, KeyboardInterrupt):
        pipe.send("ready")
        while True:
            name, arguments = pipe.recv()
            try:
                answer = json.dumps(tools[name](**arguments), ensure_ascii=False)
                fits = len(answer) <= MAX_ANSWER
                pipe.send((fits, answer if fits else f"the answer has more than {MAX_ANSWER:,} characters"))
            except (Pddl2nlError, RecursionError, MemoryError) as error:
                pipe.send((False, str(error) or type(error).__name__))
