"""Servers of the Model Context Protocol, by its official SDK: of the tools of `mcp_tools`, and of an `AgentSession`.

The tools of `mcp_tools` run in a process of their own, with a limit on its memory, which is stopped when a call takes
too long. Its planners end with it, and it ends with the server, however that ends: the worker leads a group that a
watchdog kills.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import partial, wraps
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any

from pddl2nl.baselines.watchdog import watched_group
from pddl2nl.errors import InputError, MissingExtraError, Pddl2nlError
from pddl2nl.interop.agent_session import TAKING_BACK, AgentSession, CallAnswer
from pddl2nl.interop.mcp_tools import Answer, PlanningTools
from pddl2nl.limits import LIMITS

try:
    from anyio import to_thread
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations
    from pydantic import TypeAdapter, ValidationError
except ImportError as error:
    raise MissingExtraError("mcp", "mcp", "a server of the Model Context Protocol") from error

_GRACE = 5
"""Seconds in which a process that is stopped removes its files."""
_ABOUT: dict[str, Any] = {"name": "pddl2nl", "version": version("pddl2nl"), "log_level": "WARNING"}
_hints = partial(ToolAnnotations, idempotent_hint=False, open_world_hint=False)
_READS = _hints(read_only_hint=True, destructive_hint=False)
_TASK, _TASK_TOLD = (
    "task",
    "Tell the task: what can be done, the goal, the objects and the initial state. Costs nothing.",
)
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_INSTRUCTIONS = (
    "Tools for planning tasks in PDDL. Domains and problems are given as PDDL text, as paths of files, or by the names "
    "of shipped ones, such as blocksworld and p01. Nothing is kept between calls: a state is named by the actions that "
    "were executed so far (after)."
)


def make_server(
    folder: str | Path, seconds: int = LIMITS.tool_seconds, memory_mb: int = LIMITS.tool_mib
) -> MCPServer[Any]:
    """A server whose tools read files below a folder.

    Args:
        folder: the folder; symbolic links that lead out of it are refused.
        seconds: the longest time of a call.
        memory_mb: the most memory, in MiB, of the process that answers calls; planners have their own limit.

    Raises:
        InputError: there is no such folder.
    """
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: no such folder")
    worker = _Worker(Path(folder), seconds, memory_mb)
    server = _ToolServer(instructions=_INSTRUCTIONS, **_ABOUT)
    for tool in PlanningTools(Path(folder), seconds).tools:
        server.add_tool(_served(tool, worker), structured_output=False, annotations=_READS)
    return server


class _ToolServer(MCPServer[Any]):
    """Says in plain words what is wrong with arguments."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """As the SDK's."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.__cause__.errors()]
            raise ToolError(f"Error executing tool {name}: {'; '.join(wrong)}") from None


class SessionServer(MCPServer[Any]):
    """The tools of an agent's session, and ``task``, which tells the task and costs nothing."""

    def __init__(self, session: AgentSession):
        super().__init__(instructions=session.task, **_ABOUT)
        self._session = session
        self._answer = TypeAdapter(CallAnswer).json_schema()

    async def list_tools(self) -> list[Tool]:
        """The tools that can be called now."""
        known: list[Tool] = [Tool(name=_TASK, description=_TASK_TOLD, input_schema=_NOTHING, annotations=_READS)]
        for tool in self._session.tools:
            takes_back = tool.name in TAKING_BACK
            hints = _READS if tool.reads else _hints(read_only_hint=False, destructive_hint=takes_back)
            schemas: dict[str, Any] = {"input_schema": dict(tool.parameters), "output_schema": self._answer}
            known.append(Tool(name=tool.name, description=tool.description, annotations=hints, **schemas))
        return known

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        """The answer to a call; an error of the call where it cannot be read, or the task has ended."""
        if name == _TASK:
            return _said(self._session.task)
        try:
            answer = await to_thread.run_sync(partial(self._session.call, name, arguments))
        except Pddl2nlError as error:
            return _said(str(error), is_error=True)
        return _said(answer.told, structured_content=asdict(answer), is_error=answer.status == "unreadable")


def _said(text: str, **more: Any) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], **more)


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

    def __init__(self, folder: Path, seconds: int, memory_mb: int):
        self._folder = folder
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._watched = ExitStack()
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
                reason = f"the process of the call ended, perhaps for lack of memory ({self._memory_mb} MiB)"
            self._watched.close()
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
            arguments = (other, self._folder, self._seconds, self._memory_mb)
            self._process = context.Process(target=_work, args=arguments, daemon=True)
            self._process.start()
            other.close()
            # Its imports are not part of the call.
            self._pipe.recv()
            self._watched.close()
            self._watched.enter_context(watched_group(self._process.pid))
        return self._pipe


def _work(pipe: Connection, folder: Path, seconds: int, memory_mb: int) -> None:
    os.setsid()
    # Not every system has this limit.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
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
                fits = len(answer) <= LIMITS.answer_characters
                long = f"the answer has more than {LIMITS.answer_characters:,} characters"
                pipe.send((fits, answer if fits else long))
            except MemoryError:
                pipe.send((False, f"the call needs more memory than {memory_mb} MiB"))
            except (Pddl2nlError, RecursionError) as error:
                pipe.send((False, str(error) or type(error).__name__))
