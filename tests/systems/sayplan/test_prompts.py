"""The prompts of SayPlan, word for word, and files in their place. The files in ``golden`` are written by this module:

PDDL2NL_GOLDEN=write pytest tests/systems/sayplan/test_prompts.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies import make_policy
from pddl2nl.policies.events import Prompted
from pddl2nl.policies.spec import RunSpec
from tests.systems.sayplan.conftest import BUILDING, PLAN, SEARCH, SceneRun, command, plan, play

GOLDEN = Path(__file__).parent / "golden"
REPLIES = {
    SEARCH: [command("expand(bobs_room)"), command("expand(moon)"), command("count(mug)"), command("terminate")],
    PLAN: [plan("access(wardrobe1)", "pickup(coffee_mug)"), plan("goto(kitchen)")],
}


def prompts(run: SceneRun) -> str:
    """All prompts of a run; examples stand in the first of each stage alone."""
    texts, shown = [], set[str]()
    for request in run.model.requests:
        first, *examples, question = request.messages
        kept = [question] if first.content in shown else [first, *examples, question]
        shown.add(first.content)
        texts += [f"── {message.role}\n{message.content}\n" for message in kept]
    return "\n".join(texts)


@pytest.mark.parametrize(
    ("name", "policy", "options"),
    [
        ("reason", "sayplan", {"signal": "reason"}),
        ("terse", "sayplan", {}),
        ("queries", "sayplan-queries", {}),
        ("flat", "sayplan-flat", {}),
        ("bare", "sayplan", {"contraction": False, "memory": False}),
    ],
)
def test_prompts_are_as_before(name: str, policy: str, options: dict[str, Any]) -> None:
    text, file = prompts(play("example", REPLIES, policy=policy, **options)), GOLDEN / f"{name}.txt"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("policy", "names"),
    [
        ("sayplan", ["search.txt", "contract.txt", "memory.txt", "plan.txt", "completed.txt"]),
        ("sayplan-nomemory", ["search.txt", "contract.txt", "plan.txt", "completed.txt"]),
        ("sayplan-flat", ["search.txt", "contract.txt", "memory.txt", "plan.txt", "stepwise.txt"]),
        ("sayplan-full", ["plan.txt", "completed.txt"]),
        ("sayplan-exact", []),
    ],
)
def test_a_record_names_the_files_that_a_policy_uses(policy: str, names: list[str]) -> None:
    assert [*make_policy(policy).prompt_names] == names


def test_a_file_in_the_place_of_a_prompt_is_sent_and_recorded(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Look around. Commands: expand(node) of $kinds, terminate.", encoding="utf-8")
    spec = RunSpec(BUILDING.task("example"), "sayplan", model=ScriptedModel(['{"command": "terminate"}']))
    result = run_spec(RunSpec(spec.task, spec.policy, model=spec.model, prompts={"search.txt": file}))
    prompted = next(event for event in result.events if isinstance(event, Prompted))
    assert "Look around. Commands: expand(node) of floor, room, terminate." in prompted.messages[0].content
    file.write_text("$nothing", encoding="utf-8")
    with pytest.raises(InputError, match=r"prompt search.txt: 'nothing' cannot be filled; there are \$kinds"):
        run_spec(RunSpec(spec.task, spec.policy, model=spec.model, prompts={"search.txt": file}))
