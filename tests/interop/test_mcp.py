"""The server of the Model Context Protocol, asked by the SDK's own client, and what its tools may read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from pddl2nl.errors import InputError, Pddl2nlError
from pddl2nl.interop.mcp_tools import PlanningTools
from pddl2nl.limits import LIMITS
from tests.cli.one_command import refused

anyio = pytest.importorskip("anyio", reason="the SDK is absent: pip install 'pddl2nl[mcp]'")
mcp = pytest.importorskip("mcp", reason="the SDK is absent: pip install 'pddl2nl[mcp]'")

TASK = {"domain": "blocksworld", "problem": "p01"}
PLAN = "(unstack c b)\n(put-down c)\n(unstack b a)\n(stack b c)"
DOMAIN = "(define (domain d) (:predicates (on ?x)) (:action go :parameters (?x) :effect (on ?x)))"
PROBLEM = "(define (problem p) (:domain d) (:objects a) (:init) (:goal (on a)))"


def ask(server: Any, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    """Whether each call failed, and the text of its answer, by the SDK's client."""

    async def talk() -> list[tuple[bool, str]]:
        async with mcp.Client(server) as client:
            results = [await client.call_tool(tool, arguments) for tool, arguments in calls]
            return [(bool(result.is_error), result.content[0].text) for result in results]

    answers: list[tuple[bool, str]] = anyio.run(talk)
    return answers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from pddl2nl.interop.mcp_server import make_server

    folder = tmp_path_factory.mktemp("tasks")
    (folder / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (folder / "problem.pddl").write_text(PROBLEM, encoding="utf-8")
    return make_server(folder, seconds=20)


def one(server: Any, tool: str, **arguments: Any) -> Any:
    [(failed, text)] = ask(server, (tool, arguments))
    assert not failed, text
    return json.loads(text)


def test_every_tool_and_every_parameter_is_described(server: Any) -> None:
    async def listed() -> Any:
        async with mcp.Client(server) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(listed)}
    names = ["check", "validate", "applicable_actions", "step", "state", "read_reply", "plan", "repair"]
    assert list(tools) == names
    for tool in tools.values():
        assert tool.description
        assert all(item.get("description") for item in tool.input_schema["properties"].values()), tool.name


def test_validate_explains(server: Any) -> None:
    answer = one(server, "validate", **TASK, plan="(unstack c b)\n(stack b a)")
    assert (answer["verdict"], answer["failed_step"]) == ("inapplicable", 2)
    assert answer["unmet"] == ["(clear a)", "(holding b)"]
    assert "because block_0 is not clear and I am not holding block_1" in answer["told"][0]
    assert one(server, "validate", **TASK, plan=PLAN)["verdict"] == "valid"


def test_files_below_the_folder_and_texts_are_read(server: Any) -> None:
    assert one(server, "validate", domain="domain.pddl", problem="problem.pddl", plan="(go a)")["verdict"] == "valid"
    assert one(server, "validate", domain=DOMAIN, problem=PROBLEM, plan="(go a)")["verdict"] == "valid"


def test_a_state_is_named_by_the_actions_before_it(server: Any) -> None:
    listed = one(server, "applicable_actions", **TASK, after="(unstack c b)", limit=1)
    assert listed == {"actions": [{"action": "(put-down c)", "told": "put down block_2 on the table"}], "more": True}
    stepped = one(server, "step", **TASK, action="(put-down c)", after="(unstack c b)")
    assert stepped["applicable"]
    assert set(stepped["added"]) == {"(clear c)", "(handempty)", "(ontable c)"}
    refused = one(server, "step", **TASK, action="(pick-up a)")
    assert refused["told"] == "I cannot pick up block_0 from the table because block_0 is not clear."
    state = one(server, "state", **TASK, after=PLAN)
    assert state["goal_reached"]
    assert "(on b c)" in state["atoms"]
    assert state["goal_told"] == "My goal is that in the end block_1 is on block_2."


@pytest.mark.usefixtures("needs_planner")
def test_plans_are_found_from_a_state_and_repaired(server: Any) -> None:
    plan = one(server, "plan", **TASK, after="(unstack c b)\n(put-down c)", planner="lmcut")
    assert (plan["status"], plan["plan"]) == ("solved", ["(unstack b a)", "(stack b c)"])
    # The third action is missing.
    repaired = one(server, "repair", **TASK, plan="(unstack c b)\n(put-down c)\n(stack b c)")
    assert repaired["plan"] == PLAN.splitlines()
    assert (repaired["added"], repaired["removed"], repaired["executable_steps"]) == (["(unstack b a)"], [], 2)


def test_errors_reach_the_agent_as_errors_of_the_call(server: Any) -> None:
    answers = ask(
        server,
        ("step", {**TASK, "action": "(fly a)"}),
        ("step", {**TASK, "action": "(put-down c)", "after": "(stack a b)"}),
        ("validate", {"domain": "(define (domain", "problem": "p01", "plan": ""}),
        ("applicable_actions", {**TASK, "limit": 0}),
        ("check", {"domain": "../../etc/passwd"}),
    )
    said = (
        "the domain has no action 'fly'",
        "after: step 1 cannot be executed: I cannot stack block_0 on block_1 because",
        "<text>:1",
        "greater than or equal to 1",
        "outside of the folder",
    )
    assert [(failed, part in text) for (failed, text), part in zip(answers, said, strict=True)] == [(True, True)] * 5
    limit = "Input should be greater than or equal to 1"
    assert answers[3][1] == f"Error executing tool applicable_actions: limit: {limit}"


@pytest.mark.heavy
def test_a_call_that_takes_too_long_is_stopped_and_the_next_one_answered(tmp_path: Path) -> None:
    from pddl2nl.interop.mcp_server import make_server

    slow = ("validate", slow_call())
    answers = ask(make_server(tmp_path, seconds=1), slow, ("check", {"domain": DOMAIN}))
    assert answers[0] == (True, "Error executing tool validate: the call took longer than 1 s")
    assert not answers[1][0]


def slow_call() -> dict[str, Any]:
    # A transitive closure of two million pairs.
    domain = """(define (domain d) (:predicates (next ?x ?y) (reach ?x ?y) (done))
      (:derived (reach ?x ?y) (or (next ?x ?y) (exists (?z) (and (reach ?x ?z) (reach ?z ?y)))))
      (:action go :precondition (forall (?x ?y) (reach ?x ?y)) :effect (done)))"""
    names = [f"o{number}" for number in range(2000)]
    chain = " ".join(f"(next {one} {other})" for one, other in pairwise(names))
    problem = f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init {chain}) (:goal (done)))"
    return {"domain": domain, "problem": problem, "plan": "(go)"}


def slow_search() -> dict[str, Any]:
    domain = """(define (domain d) (:predicates (at ?a ?b)) (:action m :parameters (?a ?x ?y)
      :precondition (at ?a ?x) :effect (and (at ?a ?y) (not (at ?a ?x)))))"""
    names = [f"b{number}" for number in range(12)]
    init = " ".join(f"(at {name} b0)" for name in names)
    goal = " ".join(f"(at {one} {other})" for one, other in zip(names, [*names[1:], "b0"], strict=True))
    problem = f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init {init}) (:goal (and {goal})))"
    return {"domain": domain, "problem": problem, "planner": "brfs"}


def marked(mark: str) -> list[int]:
    """The processes with this text in their environment, which children inherit."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if mark.encode() in (entry / "environ").read_bytes() and (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


@pytest.mark.heavy
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, "closed input"])
@pytest.mark.parametrize(("tool", "arguments", "least"), [("validate", slow_call(), 3), ("plan", slow_search(), 5)])
def test_worker_and_planner_end_with_the_server(
    tool: str, arguments: dict[str, Any], least: int, end: signal.Signals | str, tmp_path: Path
) -> None:
    mark = f"PDDL2NL_TEST={uuid4().hex}"
    environment = {**os.environ, "PDDL2NL_TEST": mark.partition("=")[2]}
    command = [sys.executable, "-m", "pddl2nl", "mcp", str(tmp_path)]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

    def heed() -> None:
        # Under nohup, children ignore the signal.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, preexec_fn=heed, **pipes) as process:
        assert process.stdin is not None
        for message in (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
        deadline = time.monotonic() + 60
        while len(marked(mark)) < least and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(marked(mark)) >= least
        time.sleep(0.5)
        if isinstance(end, str):
            process.stdin.close()
        else:
            process.send_signal(end)
        process.wait(timeout=30)
    deadline = time.monotonic() + 10
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not marked(mark)


@pytest.mark.heavy
def test_the_worker_has_a_memory_limit(tmp_path: Path) -> None:
    from pddl2nl.interop.mcp_server import make_server

    answers = ask(
        make_server(tmp_path, seconds=300, memory_mb=200), ("validate", slow_call()), ("check", {"domain": DOMAIN})
    )
    assert answers[0][0]
    assert "200 MiB" in answers[0][1]
    assert not answers[1][0]


@pytest.mark.heavy
def test_a_process_over_standard_input_and_output(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    from mcp.client.stdio import StdioServerParameters, stdio_client

    arguments = ["-m", "pddl2nl", "mcp", str(tmp_path)]
    process = stdio_client(StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ)))
    ours, outside = ask(process, ("check", {"domain": "domain.pddl"}), ("check", {"domain": "/etc/passwd"}))
    assert json.loads(ours[1])["ok"]
    assert outside == (True, "Error executing tool check: /etc/passwd: outside of the folder that this server reads")


@pytest.mark.heavy
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_server_whose_standard_input_stays_open(number: int, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pddl2nl", "mcp", str(tmp_path)]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        assert "planning tasks in PDDL" in process.stdout.readline()
        process.send_signal(number)
        assert process.wait(timeout=60) == code


# ── what may be read ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The folder of a server, and one beside it with a file that it must not read."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (inside / "link.pddl").symlink_to(outside / "domain.pddl")
    (inside / "folder").symlink_to(outside)
    (inside / "loop.pddl").symlink_to(inside / "loop.pddl")
    (inside / "own.pddl").symlink_to(inside / "domain.pddl")
    os.mkfifo(inside / "pipe.pddl")
    (inside / "large.pddl").write_text(" " * (LIMITS.tool_characters + 1), encoding="utf-8")
    return inside, outside


@pytest.mark.parametrize(
    "path",
    [
        "../outside/domain.pddl",
        "{outside}/domain.pddl",
        "link.pddl",
        "folder/domain.pddl",
        "loop.pddl",
        "pipe.pddl",
        "large.pddl",
        "missing.pddl",
        ".",
        "",
        "domain.pddl\0",
        "x" * 5000,
        "~/domain.pddl",
        "nosuchdomain",
    ],
)
def test_what_is_not_a_file_of_the_folder_is_not_read(path: str, folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    with pytest.raises(Pddl2nlError) as error:
        PlanningTools(inside, 10).check(path.format(outside=outside))
    assert len(str(error.value)) < 500
    assert "(:action" not in str(error.value)


def test_a_wording_that_lies_elsewhere_is_not_read(folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    (outside / "secret.json").write_text("secret", encoding="utf-8")
    (inside / "wording.json").symlink_to(outside / "secret.json")
    assert PlanningTools(inside, 10).state("domain.pddl", PROBLEM)["goal_told"].startswith("My goal")


@pytest.mark.parametrize(("tool", "argument"), [("check", "domain"), ("validate", "plan"), ("state", "after")])
def test_long_texts_are_refused(tool: str, argument: str) -> None:
    arguments = {"domain": DOMAIN, "problem": PROBLEM, argument: f"; {'x' * LIMITS.tool_characters} ("}
    with pytest.raises(InputError, match="characters, more than 1,000,000"):
        getattr(PlanningTools(Path(), 10), tool)(**arguments)


def test_the_command_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nowhere: no such folder" in refused("mcp", str(tmp_path / "nowhere"))
    monkeypatch.delitem(sys.modules, "pddl2nl.interop.mcp_server")
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert "pip install 'pddl2nl[mcp]'" in refused("mcp", str(tmp_path))
