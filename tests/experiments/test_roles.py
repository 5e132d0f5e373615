"""What becomes of a run when a model fails or a limit is reached in one of its four roles."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.example import SolvedProblem
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.llm import Completion, ContextWindowError, EndpointError, Purpose, Request, Usage
from pddl2nl.llm.types import Finish
from pddl2nl.pddl import Task, parse_problem, parse_task
from pddlval import GroundAction

DOMAIN = """
(define (domain cups)
  (:requirements :strips)
  (:predicates (at ?c ?p) (held ?c))
  (:action lift
    :parameters (?c ?p)
    :precondition (at ?c ?p)
    :effect (and (held ?c) (not (at ?c ?p))))
  (:action put
    :parameters (?c ?p)
    :precondition (held ?c)
    :effect (and (at ?c ?p) (not (held ?c)))))
"""
PROBLEM = """
(define (problem tidy) (:domain cups)
  (:objects red shelf table) (:init (at red table)) (:goal (at red shelf)))
"""
SNIPPETS = {"(at": "{?c} is at {?p}", "(held": "{?c} is held", "lift": "lift {?c} from {?p}", "put": "put {?c} on {?p}"}
ASKED = {"wording": 4, "thoughts": 1, "planner": 2, "translator": 2}
"""How often each role is asked in a run where nothing fails, in this order."""


class Everybody:
    """Answers well in every role but one."""

    name = "everybody"

    def __init__(self, role: str = "", error: Exception | None = None, finish: Finish = "text"):
        self.role, self.error, self.finish = role, error, finish
        self.asked = Counter[Purpose]()

    def complete(self, request: Request) -> Completion:
        self.asked[request.purpose] += 1
        bad = request.purpose == self.role
        if bad and self.error is not None:
            raise self.error
        finish = self.finish if bad else "text"
        return Completion("" if finish == "empty" else self._said(request), finish, Usage(100, 10))

    def _said(self, request: Request) -> str:
        last = request.messages[-1].content
        if request.purpose == "wording":
            return next(text for start, text in SNIPPETS.items() if start in last)
        if request.purpose == "thoughts":
            return "[THOUGHT 1] It must leave the sink.\n[THOUGHT 2] At the door my goal is reached."
        if request.purpose == "translator":
            return "(lift red table)" if "lift" in last else "(put red shelf)"
        objects = ("object_0", "object_2") if "lift" not in last else ("object_0", "object_1")
        return f"Thought: On I go.\nAction: {'put' if 'lift' in last else 'lift'} {objects[0]} onto {objects[1]}"


@pytest.fixture(scope="module")
def spec() -> RunSpec:
    task = parse_task(DOMAIN, PROBLEM)
    shown = parse_problem(PROBLEM.replace("red shelf table", "red shelf table sink"), task.domain)
    plan = tuple(map(GroundAction.parse, ("(lift red table)", "(put red shelf)")))
    example = SolvedProblem(Task(task.domain, shown), plan, "file")
    return RunSpec.of(task, "react", wording="llm", translator="lines", thoughts="llm", example=example, steps=3)


def _end(spec: RunSpec, model: Everybody, tmp_path: Path, **limits: int) -> tuple[str, str | None, dict[Purpose, int]]:
    record = tmp_path / "run.jsonl"
    result = run_spec(replace(spec, model=model, record=record, **limits))
    replayed = replay_record(record)
    assert replayed.identical, replayed.difference
    return result.outcome, result.fault and result.fault.status, dict(model.asked)


def _until(role: str) -> dict[str, int]:
    """What was asked when a role failed at once."""
    roles = list(ASKED)
    before = {each: ASKED[each] for each in roles[: roles.index(role)]}
    return {**before, **({"planner": 1} if role == "translator" else {}), role: 1}


def test_every_role_is_asked_on_one_account(spec: RunSpec, tmp_path: Path) -> None:
    assert _end(spec, Everybody(), tmp_path) == ("solved", None, ASKED)


@pytest.mark.parametrize("role", ASKED)
def test_an_endpoint_that_fails_in_any_role_is_no_verdict(role: str, spec: RunSpec, tmp_path: Path) -> None:
    outcome = _end(spec, Everybody(role, EndpointError("HTTP 503")), tmp_path)
    assert outcome == ("infrastructure-error", "infrastructure-error", _until(role))


@pytest.mark.parametrize("role", ASKED)
def test_a_prompt_that_is_too_long_is_the_models_limit(role: str, spec: RunSpec, tmp_path: Path) -> None:
    outcome = _end(spec, Everybody(role, ContextWindowError("8192 tokens")), tmp_path)
    if role == "thoughts":
        # Those of the template stand in.
        assert outcome == ("solved", None, ASKED)
    elif role == "wording":
        assert outcome == ("infrastructure-error", "infrastructure-error", {"wording": 1})
    else:
        assert outcome == ("context", "context-window", _until(role))


@pytest.mark.parametrize("finish", ["length", "empty"])
@pytest.mark.parametrize("role", ["wording", "thoughts"])
def test_what_stands_in_for_words_and_thoughts_is_marked(
    role: str, finish: Finish, spec: RunSpec, tmp_path: Path
) -> None:
    model = Everybody(role, finish=finish)
    result = run_spec(replace(spec, model=model))
    started = result.started
    assert started.example is not None
    assert started.wording is not None
    # Once more each, and no more than that.
    assert model.asked == {**ASKED, role: 2 * ASKED[role]}
    assert result.solved
    assert started.example["thoughts"] == ("template" if role == "thoughts" else "llm")
    assert bool(started.example["thoughts_note"]) == (role == "thoughts")


@pytest.mark.parametrize("calls", [0, 3, 4, 6, 8])
def test_a_limit_stops_a_run_in_any_role(calls: int, spec: RunSpec, tmp_path: Path) -> None:
    outcome, status, asked = _end(spec, Everybody(), tmp_path, budget_calls=calls)
    order = [*["wording"] * 4, "thoughts", "planner", "translator", "planner", "translator"]
    assert (outcome, status) == ("budget", "budget")
    assert asked == Counter(order[:calls])
