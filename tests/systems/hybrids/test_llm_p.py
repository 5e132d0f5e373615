"""LLM+P: the problem that a model writes, its correction, and the plan for it on the true task."""

from __future__ import annotations

import pytest

from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.experiments.runs import run_spec
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.hybrids.events import ProblemWritten
from pddl2nl.systems.hybrids.llm_p import problem_in
from pddl2nl.systems.hybrids.prompting import LAYOUT
from pddl2nl.tasks import shipped_task
from tests.policies.conftest import Play

pytestmark = pytest.mark.usefixtures("needs_planner")

WRITTEN = """(define (problem written) (:domain cups)
  (:objects cup_0 cup_1 - cup place_0 place_1 - place)
  (:init (at cup_0 place_1) (at cup_1 place_1) (free))
  (:goal (and (at cup_0 place_0) (at cup_1 place_1))))"""
PLAN = ("(lift red table)", "(put red shelf)")


@pytest.mark.parametrize("reply", [WRITTEN, f"Here it is:\n```pddl\n{WRITTEN}\n```\nThat is all (really)."])
def test_the_problem_is_solved_under_the_true_names(play: Play, reply: str) -> None:
    played = play("llm+p", [reply])
    [written], [solved] = played.of("problem-written"), played.of("problem-solved")
    assert (played.finished.outcome, played.finished.plan) == ("solved", PLAN)
    assert (written.equivalent, written.missing, written.invented) == (True, (), ())
    assert (solved.planner, solved.status, solved.plan) == ("lama", "solved", PLAN)


def test_a_wrong_problem_has_a_plan_that_misses_the_true_goal(play: Play) -> None:
    played = play("llm+p", [WRITTEN.replace("(at cup_0 place_0)", "(at cup_0 place_1)")])
    [written] = played.of("problem-written")
    assert played.finished.outcome == "goal-missed"
    assert written.equivalent is False
    assert written.missing == ("goal (at red shelf)",)
    assert written.invented == ("goal (at red table)",)


def test_an_object_that_does_not_exist_fails_on_the_true_task(play: Play) -> None:
    played = play("llm+p", [WRITTEN.replace("cup_0", "mug")])
    assert played.finished.outcome == "unreadable"
    assert played.of("problem-written")[0].equivalent is True, "it has another name and is the same problem"


def test_without_rounds_a_problem_that_cannot_be_read_ends_the_run(play: Play) -> None:
    played = play("llm+p", ["(define (problem x) (:domain cups) (:init (magic)) (:goal (free)))"])
    assert played.finished.outcome == "gave-up"
    assert "'magic' is not declared" in played.finished.message
    assert played.of("problem-written")[0].equivalent is None


def test_the_readers_diagnostics_go_back_to_the_model(play: Play) -> None:
    played = play("llm+p", ["I refuse.", WRITTEN.replace("(free)", "(fre)"), WRITTEN], chosen={"rounds": 2})
    assert played.finished.outcome == "solved"
    assert [event.round for event in played.of("problem-written")] == [0, 1, 2]
    first, second, third = (LAYOUT.read(request.messages[-1].content) for request in played.requests)
    assert "Feedback" not in first
    assert second["Feedback"] == "the reply has no (define (problem ...) ...)"
    assert "predicate 'fre' is not declared" in third["Feedback"]
    assert "(fre)" in third["Problem"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(:domain cups)", "(:domain crockery)"),
        ("(:objects cup_0", "(:objects cup_0 - cup cup_0"),
        ("(:objects", "(:requirements :fluents :timed-initial-literals) (:objects"),
    ],
)
def test_what_the_reader_accepts_is_written_anew_for_the_planner(play: Play, old: str, new: str) -> None:
    played = play("llm+p", [WRITTEN.replace(old, new)])
    assert (played.finished.outcome, played.finished.plan, played.finished.calls) == ("solved", PLAN, 1)
    assert played.of("problem-written")[0].equivalent is True


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(:objects cup_0", "(:objects cup_0 - place cup_0", "object 'cup_0' is declared twice, with different types"),
        ("(:init", "(:init (at 5 (free))", "timed initial literal"),
        ("(:goal", "(:constraints (always (free))) (:goal", "trajectory constraint"),
    ],
)
def test_what_cannot_be_planned_is_told_to_the_model(play: Play, old: str, new: str, reason: str) -> None:
    played = play("llm+p", [WRITTEN.replace(old, new), WRITTEN], chosen={"rounds": 1})
    assert (played.finished.outcome, played.finished.calls) == ("solved", 2)
    assert reason in LAYOUT.read(played.requests[1].messages[-1].content)["Feedback"]


def test_the_example_is_a_problem_under_its_told_names(play: Play) -> None:
    [request] = play("llm+p", [WRITTEN]).requests
    system, question, answer, _ = request.messages
    assert "(:action lift" in system.content
    assert "cup_0 is on place_0" in question.content
    assert "(at cup_0 place_0)" in answer.content


def test_an_unsolvable_problem_has_no_plan(play: Play) -> None:
    played = play("llm+p", [WRITTEN.replace("(free))", ")", 1)])
    assert (played.finished.outcome, played.finished.fault.status) == ("gave-up", "dead-end")
    assert played.of("problem-solved")[0].status == "unsolvable"


def test_a_problem_ends_with_its_own_parenthesis() -> None:
    assert problem_in("a (b) (define (x) ; (\n) c)") == "(define (x) ; (\n)"
    assert problem_in("(DEFINE (x)") == "(DEFINE (x)"
    assert problem_in("no problem") == ""


@pytest.mark.parametrize(
    "mistake",
    [
        MISTAKES[0],
        "swapped-objects",
        *(pytest.param(m, marks=pytest.mark.heavy) for m in (None, *MISTAKES[1:]) if m != "swapped-objects"),
    ],
)
def test_the_problem_with_each_mistake(mistake: str | None) -> None:
    task = shipped_task("blocksworld", "p05")
    run = run_spec(RunSpec(task, "llm+p", {"rounds": 1}, f"oracle:{mistake}" if mistake else "oracle"))
    *_, written = [event for event in run.events if isinstance(event, ProblemWritten)]
    # What cannot be read is corrected; a fact that is wrong or missing is not noticed.
    unnoticed = mistake in ("swapped-objects", "missing-init")
    assert (run.solved, written.equivalent) == (not unnoticed, not unnoticed)
    assert written.round == (1 if mistake == "invented-action" else 0)
    assert bool(written.missing) == unnoticed
