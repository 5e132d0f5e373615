"""Planning tasks in Inspect, with its mock model, and records as its logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pddl2nl
from pddl2nl.errors import InputError
from pddl2nl.llm import Completion, EndpointError, Request, ScriptedModel
from tests.records import rewrite

# Importing Inspect takes several seconds of CPU.
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("needs_planner")]
pytest.importorskip("inspect_ai", reason="inspect_ai is absent: pip install 'pddl2nl[inspect]'")

PLAN = (
    "Action: load car_0 onto the ferry at location_0",
    "Action: sail the ferry from location_0 to location_3",
    "Action: unload car_0 from the ferry at location_3",
)


def evaluated(tmp_path: Path, replies: tuple[str, ...], solver: Any = None, **options: Any) -> Any:
    """The log of an evaluation of ferry's p01 with a mock model that says these replies."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from pddl2nl.interop.inspect_task import planning

    outputs = [ModelOutput.from_content("mockllm/model", reply) for reply in replies]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    model = get_model("mockllm/model", custom_outputs=outputs)
    task = planning("ferry", "p01", example="none", **options)
    [log] = inspect_eval(task, model=model, solver=solver, log_dir=str(tmp_path), display="none")
    return log


def test_a_policy_asks_the_model_of_an_evaluation_and_its_plan_is_scored(tmp_path: Path) -> None:
    log = evaluated(tmp_path, PLAN, policy="act")
    [sample] = log.samples
    score = sample.scores["plan_judged"]
    assert (score.value, score.answer.splitlines()) == ("C", ["(board c0 l0)", "(sail l0 l3)", "(debark c0 l3)"])
    assert [message.role for message in sample.messages] == ["system", *("user", "assistant") * 3]
    assert sample.messages[-1].text == PLAN[-1]
    assert sample.model_usage["mockllm/model"].total_tokens == 30
    assert sample.store["pddl2nl"]["prompt_tokens"] == 21
    assert log.results.scores[0].metrics["accuracy"].value == 1


def test_a_policy_calls_tools_through_inspect(tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from pddl2nl.interop.inspect_task import planning

    called = [
        ("board", {"car": "car_0", "loc": "location_0"}),
        ("sail", {"from": "location_0", "to": "location_3"}),
        ("debark", {"car": "car_0", "loc": "location_3"}),
    ]
    outputs = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in called]
    for output in outputs:
        # Inspect would load a tokenizer to count them.
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    task = planning("ferry", "p01", example="none", policy="tools")
    [log] = inspect_eval(
        task, model=get_model("mockllm/model", custom_outputs=outputs), log_dir=str(tmp_path), display="none"
    )
    [sample] = log.samples
    assert sample.scores["plan_judged"].value == "C"
    assert [message.role for message in sample.messages] == ["system", "user", *("assistant", "tool") * 2, "assistant"]
    assert sample.messages[2].tool_calls[0].function == "board"


def test_a_plan_that_fails_is_incorrect(tmp_path: Path) -> None:
    log = evaluated(tmp_path, PLAN[:1] * 4, policy="act", steps=4)
    assert log.samples[0].scores["plan_judged"].value == "I"
    assert log.samples[0].store["pddl2nl"]["mistakes"] == 3


def test_the_scorer_reads_the_reply_of_another_solver(tmp_path: Path) -> None:
    from inspect_ai.solver import generate

    for lines, value in ((PLAN, "C"), (PLAN[:2], "I")):
        log = evaluated(tmp_path, ("\n".join(lines),), generate())
        assert log.samples[0].scores["plan_judged"].value == value


def test_a_failure_of_the_policy_is_an_error_and_no_score(tmp_path: Path) -> None:
    log = evaluated(tmp_path, PLAN, policy="reakt")
    assert log.status == "error"
    assert "did you mean 'react'" in log.error.message


class Refusing:
    name = "refusing"

    def complete(self, request: Request) -> Completion:
        raise EndpointError("503")


def test_records_become_logs_that_the_viewer_lists(tmp_path: Path) -> None:
    from inspect_ai.log import bundle_log_dir, list_eval_logs, read_eval_log

    from pddl2nl.interop.inspect_logs import export_inspect

    task = pddl2nl.shipped_task("ferry", "p01")
    for seed, replies in ((1, [*PLAN]), (2, [*PLAN[:1], "dance", "sing"])):
        model = ScriptedModel(replies, name="scripted")
        pddl2nl.run(task, "act", model, seed=seed, steps=3, example="none", record=tmp_path / f"runs/{seed}.jsonl")
    pddl2nl.run(task, "act", Refusing(), steps=3, example="none", record=tmp_path / "runs/3.jsonl")
    paths = export_inspect(tmp_path / "runs", tmp_path / "logs")
    assert [info.task for info in list_eval_logs(str(tmp_path / "logs"))] == ["act", "act"]
    refused, scripted = sorted(map(read_eval_log, map(str, paths)), key=lambda log: log.eval.model)
    assert scripted.results.scores[0].metrics["accuracy"].value == 0.5
    solved, failed = scripted.samples
    assert (solved.id, solved.epoch, failed.epoch) == ("ferry/ferry-p01", 1, 2)
    assert solved.messages[-1].text == PLAN[-1]
    assert [message.role for message in solved.messages] == ["system", *("user", "assistant") * 3]
    assert failed.scores["plan_judged"].metadata == {"outcome": "budget", "steps": 3, "mistakes": 2}
    [broken] = refused.samples
    assert (broken.scores, broken.error.message) == (None, "503")
    bundle_log_dir(log_dir=str(tmp_path / "logs"), output_dir=str(tmp_path / "view"))
    assert (tmp_path / "view/index.html").is_file()
    assert {path.name for path in paths} <= {path.name for path in (tmp_path / "view/logs").iterdir()}


def test_an_odd_time_is_named_and_names_no_file(tmp_path: Path) -> None:
    from pddl2nl.interop.inspect_logs import export_inspect

    record = tmp_path / "runs/one.jsonl"
    pddl2nl.run(pddl2nl.shipped_task("ferry", "p01"), "random", record=record)
    rewrite(record, lambda events: events[0].update(time="../../escaped"))
    with pytest.raises(InputError, match=r"one\.jsonl: 'time' is '\.\./\.\./escaped'; expected a time such as"):
        export_inspect(tmp_path / "runs", tmp_path / "logs")
    rewrite(record, lambda events: events[0].update(time="2026-01-31/12:00:00"))
    (path,) = export_inspect(tmp_path / "runs", tmp_path / "logs")
    assert path.parent == tmp_path / "logs"


def test_a_list_of_problems_is_what_the_command_line_gives() -> None:
    # `inspect eval pddl2nl/planning -T problem=p01,p02` gives a list.
    from pddl2nl.interop.inspect_task import planning

    for given in ("p01,p02", ["p01", "p02"]):
        assert [sample.id for sample in planning("ferry", given).dataset] == ["p01", "p02"]
