"""Agents of other frameworks: their calls are judged and recorded as those of a model, in Python and over MCP."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.runs import run_spec
from pddl2nl.interop.agent_session import AgentSession
from pddl2nl.llm import ReplayModel
from pddl2nl.policies.setting import spec_of
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.recheck import doubt
from pddl2nl.tasks import shipped_task

PLAN: list[tuple[str, dict[str, Any]]] = [
    ("unstack", {"ob": "block_2", "underob": "block_1"}),
    ("put-down", {"ob": "block_2"}),
    ("unstack", {"ob": "block_1", "underob": "block_0"}),
    ("stack", {"ob": "block_1", "underob": "block_2"}),
]


def begun(folder: Path, policy: str = "tools-search", **options: Any) -> AgentSession:
    return AgentSession(RunSpec.of(shipped_task("blocksworld", "p01"), policy, model="mine", out=folder, **options))


def the_record(folder: Path) -> Any:
    (path,) = folder.glob("*.jsonl")
    return read_record(path)


def replayed(record: Any) -> Any:
    from dataclasses import replace

    return run_spec(replace(spec_of(record.started), model=ReplayModel(record.path)))


def test_the_end_is_told_once(tmp_path: Path) -> None:
    told = begun(tmp_path).call("give_up", {}).told
    assert told == "The task has ended: the model says that there is no plan."


def test_an_agents_calls_are_a_run_like_any_other(tmp_path: Path) -> None:
    session = begun(tmp_path)
    assert "My goal is that in the end block_1 is on block_2." in session.task
    assert {"unstack", "state", "undo", "reset", "give_up"} <= {tool.name for tool in session.tools}
    answers = [session.call(name, arguments) for name, arguments in PLAN]
    assert [answer.told for answer in answers[:2]] == [
        "I unstack block_2 from block_1.",
        "I put down block_2 on the table.",
    ]
    assert [(answer.status, answer.steps, answer.steps_left) for answer in answers] == [
        ("executed", step, 100 - step) for step in (1, 2, 3, 4)
    ]
    assert [answer.ended for answer in answers] == [False, False, False, True]
    assert answers[-1].outcome == "solved"
    assert answers[-1].told.endswith("The task has ended: the goal was reached.")
    assert session.tools == ()
    with pytest.raises(InputError, match="the task has ended: solved"):
        session.call("state", {})
    assert session.close().outcome == "solved"
    record = the_record(tmp_path)
    assert (record.model, record.policy, len(record.plan), doubt(record)) == ("mine", "tools-search", 4, "")
    (run,) = gather(tmp_path).runs.values()
    assert (run.kind, run.model, run.solved) == ("model", "mine", True)
    assert replayed(record).plan == record.plan


def test_an_agent_that_leaves_has_given_up_and_so_has_its_replay(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.call(*PLAN[0])
    record = session.close()
    assert session.close() == record
    assert (record.outcome, record.last.message) == (
        "gave-up",
        "the agent ended the session before the goal was reached",
    )
    assert doubt(the_record(tmp_path)) == ""
    assert replayed(the_record(tmp_path)).outcome == "gave-up"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("fly", {}, 'there is no tool called "fly"'),
        ("unstack", {"ob": "block_2"}, "the argument underob is missing"),
        ("unstack", {"ob": ["block_2"], "underob": {"a": 1}}, ""),
        ("pick-up", {"ob": "block_2", "x" * 200_000: 1}, ""),
        ("pick-up", {"ob": "\ud800\x00"}, ""),
        ("", {}, "there is no tool called"),
    ],
)
def test_a_call_that_cannot_be_read_is_answered_in_words(
    tmp_path: Path, name: str, arguments: dict[str, Any], said: str
) -> None:
    session = begun(tmp_path)
    answer = session.call(name, arguments)
    assert answer.status in ("unreadable", "unknown-object")
    assert said in answer.told
    assert len(answer.told) < 1000
    assert session.call(*PLAN[0]).status == "executed"
    session.close()
    assert doubt(the_record(tmp_path)) == ""


def test_the_limit_of_steps_ends_a_session(tmp_path: Path) -> None:
    session = begun(tmp_path, steps=2)
    assert session.call("state", {}).steps_left == 1
    answer = session.call("state", {})
    assert (answer.steps_left, answer.ended, answer.outcome) == (0, True, "budget")


def test_actions_can_be_texts_and_a_plan_can_be_submitted(tmp_path: Path) -> None:
    session = begun(tmp_path / "act", constrain="applicable")
    assert session.call("act", {"action": "unstack block_2 from block_1"}).status == "executed"
    session.close()
    session = begun(tmp_path / "plan", "tools-plan")
    plan = ["(unstack c b)", "(put-down c)", "(unstack b a)", "(stack b c)"]
    assert session.call("submit_plan", {"plan": plan}).outcome == "solved"


@pytest.mark.usefixtures("needs_planner")
def test_a_modellers_tools_are_served_too(tmp_path: Path) -> None:
    session = begun(tmp_path, "tools-copilot")
    problem = (
        "(define (problem p) (:domain blocksworld-4ops) (:objects a b)"
        " (:init (clear a) (clear b) (ontable a) (ontable b) (handempty)) (:goal (on a b)))"
    )
    assert session.call("write_file", {"file": "mine.pddl", "text": problem}).status == "look-around"
    assert "(stack a b)" in session.call("plan", {"problem": "mine.pddl"}).told
    assert session.call("submit_plan", {"plan": ["(pick-up a)"]}).outcome == "inapplicable"
    assert doubt(the_record(tmp_path)) == ""


def test_a_policy_without_tools_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an agent acts by calls of tools"):
        begun(tmp_path, "act")
    with pytest.raises(InputError, match="--steps 0"):
        begun(tmp_path, steps=0)
    assert not [*tmp_path.iterdir()]


# ── over MCP ─────────────────────────────────────────────────────────────────────────────────────


def test_an_mcp_client_is_told_what_tools_do_and_answered_in_a_schema(tmp_path: Path) -> None:
    anyio = pytest.importorskip("anyio", reason="the SDK is absent: pip install 'pddl2nl[mcp]'")
    mcp = pytest.importorskip("mcp", reason="the SDK is absent: pip install 'pddl2nl[mcp]'")
    from pddl2nl.interop.mcp_server import SessionServer

    session = begun(tmp_path)

    async def talk() -> Any:
        async with mcp.Client(SessionServer(session)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            calls: list[tuple[str, dict[str, Any]]] = [("task", {}), ("unstack", {}), *PLAN, ("state", {})]
            return client.server_info, tools, [await client.call_tool(*call) for call in calls]

    about, tools, (task, missing, *executed, late) = anyio.run(talk)
    assert (about.name, bool(about.version)) == ("pddl2nl", True)
    assert all(tool.description and tool.output_schema for name, tool in tools.items() if name != "task")
    hints = {name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for name, tool in tools.items()}
    assert hints["task"] == hints["state"] == hints["applicable_actions"] == (True, False)
    assert hints["unstack"] == (False, False)
    assert hints["reset"] == hints["undo"] == hints["give_up"] == (False, True)
    assert task.content[0].text == session.task
    assert missing.is_error
    assert "the argument ob is missing" in missing.content[0].text
    assert [result.structured_content["status"] for result in executed] == ["executed"] * 4
    assert executed[-1].structured_content["outcome"] == "solved"
    assert (late.is_error, late.content[0].text) == (True, "the task has ended: solved")


def test_the_command_records_the_run_of_an_agent_that_hangs_up(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the SDK is absent: pip install 'pddl2nl[mcp]'")
    command = [sys.executable, "-m", "pddl2nl", "mcp", "--task", "blocksworld:p01", "--out", str(tmp_path)]
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    said = [
        {"id": 1, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": PLAN[0][0], "arguments": PLAN[0][1]}},
    ]
    lines = "".join(f"{json.dumps({'jsonrpc': '2.0', **each})}\n" for each in said)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write(lines)
        process.stdin.flush()
        while json.loads(process.stdout.readline()).get("id") != 2:
            pass
        process.stdin.close()
        assert process.wait(20) == 0
    until = time.monotonic() + 5
    while not [*tmp_path.glob("*.jsonl")] and time.monotonic() < until:
        time.sleep(0.05)
    record = the_record(tmp_path)
    assert (record.outcome, record.model, len(record.plan)) == ("gave-up", "agent", 1)
