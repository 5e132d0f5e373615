"""``pddl2nl taskgraph``: graphs shown, plans of subtasks checked, edges proved, and the exit codes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.pddl import Task, load_domain, parse_problem
from pddlval import validate
from tests.cli.one_command import run_command

run = partial(run_command, "taskgraph")


def checked(tmp_path: Path, text: str, *arguments: str) -> tuple[int, list[dict[str, object]]]:
    plan = tmp_path / "plan.txt"
    plan.write_text(text, encoding="utf-8")
    code, out, _ = run("check", "alfred", plan, "--json", *arguments)
    faults: list[dict[str, object]] = json.loads(out)["faults"]
    return code, faults


def test_a_graph_is_shown_with_its_labels() -> None:
    code, out, _ = run("show", "alfred", "--graph", "printed")
    assert code == 0
    assert out.splitlines()[0] == "printed: 12 subtasks, 67 edges"
    assert "D       PutObject(object, receptacle)               A E F K L" in out
    _, data, _ = run("show", "alfred", "--graph", "printed", "--json")
    assert json.loads(data)["edges"]["FindSecond"] == ["PutObject", "PickSecond"]


def test_a_plan_without_faults_is_exit_code_0(tmp_path: Path) -> None:
    text = "; one comment\nPickupObject(Apple)\n\nPutObject(Apple, Fridge) ; and another\n"
    assert checked(tmp_path, text) == (0, [])


def test_faults_have_their_steps_and_lines(tmp_path: Path) -> None:
    # Slicing with a fork is an edge, and refused by the automaton; putting down twice is neither.
    text = "PickupObject(Fork)\n\nSliceObject(Tomato)\nPutObject(Fork, Shelf)\nPutObject(Fork, Shelf)\n"
    code, faults = checked(tmp_path, text)
    assert code == 1
    assert [(each["step"], each["line"], each["kind"]) for each in faults] == [
        (2, 3, "impossible"),
        (4, 5, "impossible"),
        (4, 5, "no-edge"),
    ]
    assert "the robot is holding knife, but the robot is holding Fork" in str(faults[0]["text"])


def test_a_reply_of_a_model_is_checked_with_its_form(tmp_path: Path) -> None:
    code, faults = checked(tmp_path, '{"high_level": [["PickupObject", "Aple"]]}')
    assert code == 1
    assert [each["kind"] for each in faults] == ["form", "wrong-targets"]
    assert (faults[1]["step"], faults[1]["line"]) == (1, None)
    assert "did you mean 'Apple'" in str(faults[1]["text"])


def test_a_refuted_edge_is_told_in_words_and_exit_code_1() -> None:
    pytest.importorskip("z3")
    reason = "unstack needs that my hand is empty for (unstack ?ob' ?underob'), which cannot be after pick-up"
    code, out, _ = run("prove", "blocksworld", "pick-up", "unstack")
    assert (code, out) == (1, f"pick-up → unstack: refuted\n  {reason}\n")


def test_a_witness_is_a_problem_with_a_plan_that_validates(root: Path) -> None:
    pytest.importorskip("z3")
    code, out, _ = run("prove", "blocksworld", "unstack", "put-down", "--json")
    edge = json.loads(out)
    assert (code, edge["kind"], edge["witness"]["of_first"]) == (0, "certain", 1)
    domain = load_domain(root / "domains/blocksworld/domain.pddl")
    task = Task(domain, parse_problem(edge["witness"]["problem"], domain))
    assert validate(task, "\n".join(edge["witness"]["plan"])).verdict == "valid"


def test_all_pairs_of_macro_actions_are_proved(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    macro = tmp_path / "move.pddl"
    domain = "blocksworld"

    steps = ("(unstack ?x ?y)", "(put-down ?x)")
    assert run_command("macro", "compose", domain, *steps, "--name", "down", "--out", macro)[0] == 0
    code, out, _ = run("prove", domain, "--subtasks", macro)
    # What lay on a block was put on the table, and the block below may lie on another one.
    assert (code, out) == (0, "down → down: possible\n1 possible\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "blocksworld"), "no graph comes with these subtasks"),
        (("show", "alfred", "--graph", "prited"), "did you mean 'printed'?"),
        (("prove", "blocksworld", "pickup", "stack"), "there is no subtask 'pickup'; did you mean 'pick-up'"),
        (("prove", "blocksworld", "stack"), "two subtasks are expected, or none for all pairs"),
        (("check", "alfred", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_bad_input_is_exit_code_2(arguments: tuple[str, ...], message: str) -> None:
    pytest.importorskip("z3")
    code, out, error = run(*arguments)
    assert (code, out) == (2, "")
    assert message in error


def test_sets_are_written_into_folders_of_their_names(tmp_path: Path) -> None:
    code, out, _ = run("sets", "long", "--out", tmp_path, "--size", "2", "--json")
    assert (code, json.loads(out)) == (0, {"long": 2})
    assert (tmp_path / "long" / "long-0002.pddl").is_file()
    assert json.loads(run("sets", "--json")[1])["test-seen"] == 1533
    assert run("sets", "long")[0] == 2


def test_a_graph_is_built_from_plans(tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("PickupObject(Apple)\nHeatObject(Apple, Microwave)\nPutObject(Apple, Shelf)\n", encoding="utf-8")
    code, out, _ = run("build", "alfred", plan, "--by", "traversal")
    assert code == 0
    assert out.startswith("traversal: 21 subtasks, 2 edges\n")


def test_the_ground_truths_of_tasks_are_plans(root: Path) -> None:
    _, out, _ = run("build", "alfred", root / "instances/alfred/tasks.json", "--by", "traversal", "--json")
    after = json.loads(out)["edges"]
    assert after["FindSecond"] == ["PutObject"]
    assert after["PushObject"] == ["PullObject"]
