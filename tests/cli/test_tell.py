from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.one_command import run_command

GOLDEN = Path(__file__).parent.parent / "nl" / "golden"
CRATES = [str(GOLDEN / "crates" / "domain.pddl"), str(GOLDEN / "crates" / "problem.pddl")]


@pytest.fixture
def plan(tmp_path: Path) -> str:
    file = tmp_path / "plan.txt"
    file.write_text("(LOAD c2 t hub)\n; a comment\n(drive t hub market)\n(seal)\n")
    return str(file)


def test_tell_is_a_line_an_action(plan: str) -> None:
    result = run_command("tell", *CRATES, plan)
    assert result.out == (
        "load crate_1 into truck_0 at hub\ndrive the truck truck_0 to shop_0, away from hub\nseal the hub\n"
    )


def test_tell_json_and_standard_input() -> None:
    result = run_command("tell", *CRATES, "-", "--json", "--names", "original", text="(load c2 t hub)\n")
    assert json.loads(result.out) == {"lines": [{"action": "(load c2 t hub)", "text": "load c2 into t at hub"}]}


def test_tell_warns_of_what_read_will_not_take() -> None:
    result = run_command("tell", *CRATES, "-", text="(load t c2 hub)\n")
    assert (result.code, result.out) == (0, "load truck_0 into crate_1 at hub\n")
    assert result.err.startswith("warning: step 1: (load t c2 hub): argument 1, 't', is of type truck, expected")
    assert run_command("read", *CRATES, text=result.out).code == 1


def test_read_json(tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text("seal the hub\n")
    result = run_command("read", *CRATES, str(tmp_path / "reply.txt"), "--json")
    data = json.loads(result.out)
    assert data["plan"] == ["(seal)"]
    assert data["policy"] == "default"
    assert list(data["readings"][0]) == [
        "line", "start", "end", "text", "status", "action", "candidates", "rule",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "status", "plan", "code"),
    [
        ("Thought: first.\nAction: seal the hub", "read", ["(seal)"], 0),
        ("Action: look_around()", "look-around", [], 0),
        ("You are finished.", "claimed-done", [], 0),
        ("The goal cannot be reached.", "claimed-unsolvable", [], 0),
        ("I cannot seal the hub.", "not-an-action", [], 1),
        ("Action: load crate_7 into truck_0 at hub", "unknown-object", [], 1),
    ],
)
def test_read_a_turn(text: str, status: str, plan: list[str], code: int) -> None:
    result = run_command("read", *CRATES, "-", "--turn", "--json", text=text)
    data = json.loads(result.out)
    assert (data["turn"]["status"], data["plan"], result.code) == (status, plan, code)
    assert data["turn"]["action"] == (plan[0] if plan else None)
    assert ("rejected" in data["turn"].get("stance", "")) == ("cannot seal" in text)
    plain = run_command("read", *CRATES, "-", "--turn", text=text)
    assert plain.out.strip() == (plan[0] if plan else status)


def test_read_exits_1_where_a_line_was_not_read() -> None:
    result = run_command("read", *CRATES, "-", text="load crate_7 into truck_0 at hub\nseal the hub\n")
    assert result.code == 1
    assert "line 1: unknown-object" in result.err


def test_read_lists_the_lines_that_name_objects_and_are_no_actions() -> None:
    text = "load crate_0 into truck_0 at hub\nNow crate_0 is in truck_0.\nThought: truck_0 is full.\nWell.\n"
    result = run_command("read", *CRATES, "-", text=text)
    assert result.code == 0
    assert result.err.splitlines() == [
        "line 2: not an action, state (is): Now crate_0 is in truck_0.",
        "line 3: not an action, thought: Thought: truck_0 is full.",
    ]


TWINS = {
    "predicates": {"at": {"parameters": ["?x", "?y"], "text": "{?x} is at {?y}"}},
    "actions": {
        "by-land": {"parameters": ["?x", "?a", "?b"], "text": "move {?x} from {?a} to {?b}"},
        "by-sea": {"parameters": ["?x", "?a", "?b"], "text": "move {?x} from {?a} to {?b}"},
    },
}


@pytest.fixture
def twins(tmp_path: Path) -> list[str]:
    """A task and a wording in which two actions are said alike; by land from the hill, by sea from the port."""
    (tmp_path / "d.pddl").write_text(
        """(define (domain ways) (:predicates (at ?x ?y) (dry ?y))
        (:action by-land :parameters (?x ?a ?b) :precondition (and (at ?x ?a) (dry ?a))
          :effect (and (not (at ?x ?a)) (at ?x ?b)))
        (:action by-sea :parameters (?x ?a ?b) :precondition (and (at ?x ?a) (not (dry ?a)))
          :effect (and (not (at ?x ?a)) (at ?x ?b) (dry ?a))))"""
    )
    (tmp_path / "p.pddl").write_text(
        """(define (problem trip) (:domain ways) (:objects me hill port isle)
        (:init (at me hill) (dry hill)) (:goal (at me isle)))"""
    )
    predicates = {**TWINS["predicates"], "dry": {"parameters": ["?y"], "text": "{?y} is dry"}}
    data = {"format": 1, "domain": "ways", "predicates": predicates, "actions": TWINS["actions"]}
    (tmp_path / "w.json").write_text(json.dumps(data))
    return [str(tmp_path / name) for name in ("d.pddl", "p.pddl")] + ["--wording", str(tmp_path / "w.json")]


REPLY = "1. move me from hill to port\n2. move me from port to isle\n"


def test_on_ambiguous_state_takes_what_is_applicable_there_and_says_so(twins: list[str]) -> None:
    files, options = twins[:2], [*twins[2:], "--names", "original", "--on-ambiguous", "state"]
    result = run_command("read", *files, "-", *options, "--json", text=REPLY)
    assert result.code == 0
    data = json.loads(result.out)
    assert data["plan"] == ["(by-land me hill port)", "(by-sea me port isle)"]
    assert [item["rule"] for item in data["readings"]] == ["markup+on-ambiguous-state"] * 2


def test_what_the_policy_left_out_is_shown() -> None:
    text = "[PLAN]\nload crate_1 into truck_0 at hub\n[PLAN END]\n\nload crate_0 into truck_0 at hub\n"
    result = run_command("read", *CRATES, "-", text=text)
    assert result.out == "(load c2 t hub)\n"
    assert "line 5: left out by --reading default: load crate_0 into truck_0 at hub" in result.err


def test_seeded_names_are_read_back(plan: str) -> None:
    lines = {seed: run_command("tell", *CRATES, plan, "--names-seed", seed).out for seed in ("1", "2", "3", "4")}
    assert len(set(lines.values())) > 1
    for seed, told in lines.items():
        read = run_command("read", *CRATES, "--names-seed", seed, text=told).out
        assert read == "(load c2 t hub)\n(drive t hub market)\n(seal)\n"
