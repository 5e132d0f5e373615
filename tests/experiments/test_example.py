"""Few-shot examples: which problem is shown, and which of its plans; planners run once, and not too many at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.baselines.result import PlannerResult
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments import RunSpec, run, run_spec
from pddl2nl.experiments.example import SolvedProblem, find_example, gives_away, same_problem, tell_example
from pddl2nl.experiments.planners import MOST_EXPANDED, _search, ff_plan, optimal_plan, quick_plan
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.limits import processors
from pddl2nl.llm import ScriptedModel
from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Atom, Not, Task, load_task, parse_problem, parse_task
from pddl2nl.tasks import shipped_domain, shipped_task
from pddlval import GroundAction, Simulator

DOMAIN = """
(define (domain hall)
  (:requirements :strips :typing)
  (:types room)
  (:predicates (in ?r - room) (next ?a ?b - room) (swept ?r - room))
  (:action go :parameters (?a ?b - room)
    :precondition (and (in ?a) (next ?a ?b))
    :effect (and (in ?b) (not (in ?a))))
  (:action sweep :parameters (?r - room)
    :precondition (in ?r)
    :effect (swept ?r)))
"""


# Of the first FF's plan has more steps than there need be, of the second it has not.
DETOUR = """(define (problem detour) (:domain blocksworld-4ops) (:objects a b c d e)
  (:init (handempty) (ontable c) (clear c) (ontable d) (on a d) (clear a) (ontable b) (clear b) (ontable e) (clear e))
  (:goal (and (on b d) (on a c) (on c e))))"""
TOWER = """(define (problem tower) (:domain blocksworld-4ops) (:objects a b c d e)
  (:init (handempty) (ontable e) (on d e) (on c d) (on b c) (on a b) (clear a)) (:goal (on d a)))"""


def _hall(steps: int, *, name: str = "p", rooms: str = "r", sweep: bool = False) -> str:
    """A row of rooms, the last of which is as many steps away; sweeping it is the last of them."""
    moves = steps - 1 if sweep else steps
    names = [f"{rooms}{number}" for number in range(moves + 1)]
    links = " ".join(f"(next {one} {other})" for one, other in pairwise(names))
    goal = f"(swept {names[-1]})" if sweep else f"(in {names[-1]})"
    return (
        f"(define (problem {name}) (:domain hall) (:objects {' '.join(names)} - room) "
        f"(:init (in {names[0]}) {links}) (:goal {goal}))\n"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "p01.pddl").write_text(_hall(8, name="target", rooms="target-"), encoding="utf-8")
    return tmp_path


def _add(folder: Path, **problems: str) -> None:
    for name, text in problems.items():
        (folder / f"{name}.pddl").write_text(text, encoding="utf-8")


def _task(folder: Path) -> Task:
    return load_task(folder / "domain.pddl", folder / "p01.pddl")


def _shown(folder: Path, **options: Any) -> tuple[str, int, str]:
    found = find_example(_task(folder), **options)
    return found.task.problem.name, len(found.plan), found.source


CUP = """(define (domain cup) (:requirements :strips) (:predicates (held))
  (:action lift :parameters () :precondition (and) :effect (held)))"""
LIFT = "(define (problem one) (:domain cup) (:init) (:goal (held)))"


@pytest.mark.usefixtures("needs_planner")
def test_a_run_for_which_no_example_can_be_made_shows_none_and_says_so(tmp_path: Path) -> None:
    task = parse_task(CUP, LIFT)
    assert find_example(task) is None
    with pytest.warns(UserWarning, match="no few-shot example could be made from one "):
        result = run(task, "react", "oracle", record=tmp_path / "run.jsonl")
    assert result.outcome == "solved"
    assert result.started.example is None
    assert result.started.spec["example"] == "none (none could be made)"
    replayed = replay_record(tmp_path / "run.jsonl")
    assert replayed.identical, replayed.difference


# ── beside the task's own file ───────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
def test_the_problem_beside_whose_plan_is_nearest_to_five_is_shown(folder: Path) -> None:
    _add(folder, a=_hall(3, name="three"), b=_hall(5, name="five"), c=_hall(6, name="six"), d=_hall(9, name="nine"))
    assert _shown(folder) == ("five", 5, "beside")
    (folder / "b.pddl").unlink()
    assert _shown(folder) == ("six", 6, "beside")
    (folder / "c.pddl").unlink()
    assert _shown(folder) == ("three", 3, "beside")


@pytest.mark.usefixtures("needs_planner")
def test_what_is_no_other_problem_of_the_domain_is_passed_over(folder: Path) -> None:
    text = (folder / "p01.pddl").read_text(encoding="utf-8")
    five = _hall(5, name="five")
    _add(
        folder,
        copy=text.replace("target)", "copied)"),
        shorter=_hall(5, rooms="target-"),
        domain2=DOMAIN,
        broken=five[:-9],
        foreign=five.replace("(:domain hall)", "(:domain house)"),
        solved=_hall(5).replace("(in r5)))", "(in r0)))"),
        unsolvable=_hall(5).replace("(next r1 r2)", ""),
    )
    (folder / "notes.txt").write_text(five, encoding="utf-8")
    (folder / "binary.pddl").write_bytes(b"\xff\xfe(:domain hall)\x00")
    (folder / "five.pddl").mkdir()
    # All that is left of them: a row that begins as the task's own, whose plan goes some way in the task.
    assert _shown(folder) == ("p", 5, "beside")
    (folder / "shorter.pddl").unlink()
    assert _shown(folder)[2] == "made"


@pytest.mark.usefixtures("needs_planner")
def test_no_plan_that_solves_the_task_as_it_stands_is_shown(folder: Path) -> None:
    longer = (folder / "p01.pddl").read_text(encoding="utf-8").replace("(in target-8)))", "(swept target-8)))")
    _add(folder, longer=longer, seven=_hall(11, name="eleven"))
    target = _task(folder)
    assert gives_away(target, optimal_plan(load_task(folder / "domain.pddl", folder / "longer.pddl")) or ())
    assert _shown(folder) == ("eleven", 11, "beside")


@pytest.mark.usefixtures("needs_planner")
def test_a_task_without_a_file_looks_nowhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    _add(folder, five=_hall(5))
    text = (folder / "p01.pddl").read_text(encoding="utf-8")
    assert find_example(parse_task(DOMAIN, text)).source == "made"
    assert find_example(load_task("domain.pddl", "p01.pddl")).source == "beside"


@pytest.mark.usefixtures("needs_planner")
def test_a_shipped_domain_shows_its_example_before_what_lies_beside() -> None:
    example = find_example(shipped_task("grippers", "p02"))
    assert (example.source, example.task.problem.name) == ("shipped", "grippers-example")
    itself = find_example(shipped_task("grippers", "example"))
    assert itself.source == "beside"
    assert not same_problem(itself.task.problem, example.task.problem)


def test_after_ten_without_a_plan_the_search_ends_the_smallest_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def quick(task: Task) -> tuple[GroundAction, ...] | None:
        tried.append(task.problem.name)
        return None

    monkeypatch.setattr("pddl2nl.experiments.example.quick_plan", quick)
    _add(folder, **{f"x{length}": _hall(length, name=f"n{length}") for length in range(30, 9, -1)})
    with pytest.raises(InputError, match="none of the"):
        find_example(_task(folder), given=folder)
    assert tried == [f"n{length}" for length in range(10, 20)]


# ── what the user names ──────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
def test_of_a_folder_the_best_problem_is_shown(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("examples")
    with pytest.raises(InputError, match="none of the"):
        find_example(_task(folder), given=other)
    _add(other, a=_hall(2, name="two"), b=_hall(6, name="six"), c=(folder / "p01.pddl").read_text(encoding="utf-8"))
    _add(folder, five=_hall(5))
    assert _shown(folder, given=other) == ("six", 6, "file")
    assert _shown(folder, given=str(other)) == ("six", 6, "file")
    result = run(_task(folder), "basic", ScriptedModel(["x"]), example=other)
    started = result.started
    assert (started.example["source"], len(started.example["plan"])) == ("file", 6)


def test_a_plan_needs_the_one_problem_that_it_solves(folder: Path) -> None:
    plan = folder / "x.plan"
    plan.write_text("(sweep r0)\n", encoding="utf-8")
    for given in (folder, None):
        with pytest.raises(InputError, match="--example PROBLEM"):
            find_example(_task(folder), given=given, plan_path=plan)


def test_a_plan_of_the_users_stands_as_it_is(folder: Path) -> None:
    _add(folder, shown=_hall(2, sweep=True))
    plan = folder / "x.plan"
    plan.write_text("(sweep r0)\n(go r0 r1)\n(sweep r1)\n", encoding="utf-8")
    found = find_example(_task(folder), given=folder / "shown.pddl", plan_path=plan)
    assert [str(action) for action in found.plan] == ["(sweep r0)", "(go r0 r1)", "(sweep r1)"]


def test_an_example_whose_plan_has_no_step_is_refused(folder: Path) -> None:
    _add(folder, shown=_hall(2).replace("(:goal (in r2))", "(:goal (in r0))"))
    plan = folder / "x.plan"
    plan.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="shows nothing"):
        find_example(_task(folder), given=folder / "shown.pddl", plan_path=plan)


def test_a_solved_problem_is_shown_as_it_is_and_survives_a_record(folder: Path) -> None:
    task = _task(folder)
    shown = Task(task.domain, parse_problem(_hall(2, sweep=True), task.domain))
    plan = (GroundAction("go", ("r0", "r1")), GroundAction("sweep", ("r1",)))
    given = SolvedProblem(shown, plan, "beside")
    assert find_example(task, given=given) is given
    teller = Teller(shown, template_wording(task.domain), make_names(shown))
    data = json.loads(json.dumps(tell_example(given, teller, thoughts=False).to_json()))
    again = SolvedProblem.from_json(data, task.domain)
    assert again == given
    result = run_spec(RunSpec.of(task, "basic", model=ScriptedModel(["x"]), example=again))
    started = result.started
    assert started.example == data
    for broken in ({}, {**data, "plan": None}, {**data, "problem": None}, {**data, "plan": [3]}):
        with pytest.raises(InputError):
            SolvedProblem.from_json(broken, task.domain)


# ── which plan ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
def test_the_plan_that_is_shown_is_optimal(folder: Path) -> None:
    shipped = shipped_domain("blocksworld")
    of_the_shipped = find_example(shipped.task("p02"))
    assert (of_the_shipped.source, len(of_the_shipped.plan)) == ("shipped", shipped.example.optimal_length)
    _add(folder, mine=DETOUR)
    of_the_users = find_example(shipped.task("p02"), given=folder / "mine.pddl")
    assert (of_the_users.source, len(of_the_users.plan)) == ("file", 6)
    assert len(ff_plan(of_the_users.task, "")) > 6


@pytest.mark.usefixtures("needs_planner")
def test_a_problem_is_as_good_as_the_better_of_its_two_plans(folder: Path) -> None:
    blocksworld = shipped_domain("blocksworld")
    home = folder / "blocks"
    home.mkdir()
    _add(home, detour=DETOUR, tower=TOWER)
    # FF needs 10 steps and 8, LM-cut 6 and 8.
    found = find_example(blocksworld.task("p02"), given=home)
    assert (found.task.problem.name, len(found.plan)) == ("detour", 6)


@pytest.mark.usefixtures("needs_planner")
def test_an_example_that_is_made_shows_an_optimal_plan_that_meets_no_goal_of_the_task() -> None:
    shipped = shipped_task("logistics", "p05")
    task = Task(
        replace(shipped.domain, name="other", actions=shipped.domain.actions[::-1]),
        replace(shipped.problem, domain_name="other", source=None),
    )
    for seed in (1, 2, 3):
        found = find_example(task, seed=seed)
        assert found.source == "made"
        assert not gives_away(task, found.plan)
        best = optimal_plan(found.task)
        assert len(found.plan) == len(best)
        simulator = Simulator(found.task)
        assert simulator.is_goal(simulator.follow(simulator.initial, found.plan).state)


_CHILD = """
import json, sys
from pddl2nl.experiments.example import find_example
from pddl2nl.pddl import load_task
task = load_task(sys.argv[1] + "/domain.pddl", sys.argv[1] + "/p01.pddl")
found = [find_example(task), find_example(load_task(sys.argv[2] + "/domain.pddl", sys.argv[2] + "/p01.pddl"), seed=3)]
print(json.dumps([[item.source, item.task.problem.name, list(map(str, item.plan))] for item in found]))
"""


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_same_example_is_found_in_every_process(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    _add(folder, a=_hall(4, name="a"), b=_hall(6, name="b"))
    alone = tmp_path_factory.mktemp("alone")
    shipped = shipped_task("grippers", "p03")
    domain = shipped_domain("grippers").domain_path.read_text(encoding="utf-8")
    (alone / "domain.pddl").write_text(domain.replace(shipped.domain.name, "other"), encoding="utf-8")
    problem = shipped_domain("grippers").instance("p03").path.read_text(encoding="utf-8")
    (alone / "p01.pddl").write_text(problem.replace(f"(:domain {shipped.domain.name})", "(:domain other)"), "utf-8")

    def found(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _CHILD, str(folder), str(alone)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor(2) as pool:
        said = [*pool.map(found, ("1", "77"))]
    beside, made = json.loads(said[0])
    assert (beside[0], beside[1], made[0]) == ("beside", "a", "made")
    assert len(set(said)) == 1


# ── planners, many threads at once ───────────────────────────────────────────────────────────────


class Planners:
    """Stands in for `solve`: slow, and counts how many run and how many run at once."""

    def __init__(self, result: PlannerResult | Exception):
        self.result = result
        self.runs = 0
        self.now = 0
        self.most = 0
        self._lock = threading.Lock()

    def __call__(self, texts: Any, planner: str, *, time_limit: int) -> PlannerResult:
        with self._lock:
            self.runs += 1
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.05)
        with self._lock:
            self.now -= 1
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def _result(**fields: Any) -> PlannerResult:
    values = {"planner": "ff", "status": "solved", "plan": None, "cost": None, "seconds": 0.0, **fields}
    return PlannerResult(**{"expanded": None, "search": "", **values})


@pytest.fixture
def planners(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(result: PlannerResult | Exception) -> Planners:
        stand_in = Planners(result)
        monkeypatch.setattr("pddl2nl.baselines.solve", stand_in)
        _search.forget()
        return stand_in

    yield put
    _search.forget()


def _halls(number: int) -> list[Task]:
    return [parse_task(DOMAIN, _hall(2, name=f"n{each}")) for each in range(number)]


def test_a_plan_is_made_once_however_many_ask_at_once(planners: Any) -> None:
    plan = (GroundAction("go", ("r0", "r1")),)
    stand_in = planners(_result(plan=plan))
    (task,) = _halls(1)
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: ff_plan(task, ""), range(16))) == {plan}
    assert stand_in.runs == 1
    assert optimal_plan(task) == plan
    assert stand_in.runs == 2


def test_no_more_planners_run_at_once_than_there_are_processors(planners: Any) -> None:
    stand_in = planners(_result(plan=(GroundAction("go", ("r0", "r1")),)))
    tasks = _halls(12)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda task: ff_plan(task, ""), tasks))
    assert stand_in.runs == 12
    assert stand_in.most <= processors()


def test_a_plan_that_took_a_long_search_is_not_used_as_a_machines_speed_must_not_decide(planners: Any) -> None:
    plan = (GroundAction("go", ("r0", "r1")),)
    (task,) = _halls(1)
    for expanded, found in ((MOST_EXPANDED, plan), (MOST_EXPANDED + 1, None)):
        planners(_result(plan=plan, expanded=expanded))
        assert (quick_plan(task), optimal_plan(task)) == (found, found)
        assert ff_plan(task, "") == plan


def test_that_there_is_no_plan_is_remembered_and_that_a_planner_broke_is_not(planners: Any) -> None:
    (task,) = _halls(1)
    stand_in = planners(_result(status="unsolvable", message="proved"))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: quick_plan(task), range(8))) == [None] * 8
    assert stand_in.runs == 1
    with pytest.raises(InputError, match="give another"):
        ff_plan(task, "another")
    stand_in = planners(InfrastructureError("it broke"))
    for _ in range(2):
        with pytest.raises(InfrastructureError, match="it broke"):
            quick_plan(task)
    assert stand_in.runs == 2


# ── template thoughts ────────────────────────────────────────────────────────────────────────────

KINDS = """
(define (domain kinds)
  (:requirements :strips :negative-preconditions :numeric-fluents :derived-predicates :disjunctive-preconditions)
  (:predicates (dirty) (lit) (left) (right) (bright) (done) (free))
  (:functions (coins))
  (:derived (bright) (or (lit) (right)))
  (:action clean :parameters () :precondition (dirty) :effect (not (dirty)))
  (:action earn :parameters () :precondition () :effect (increase (coins) 2))
  (:action light :parameters () :precondition () :effect (lit))
  (:action turn :parameters () :precondition () :effect (left))
  (:action work :parameters ()
    :precondition (and (not (dirty)) (>= (coins) 2) (bright) (or (left) (right)))
    :effect (done))
  (:action idle :parameters () :precondition () :effect (free)))
"""


def test_template_thoughts_name_conditions_of_every_kind() -> None:
    problem = "(define (problem k) (:domain kinds) (:init (dirty) (= (coins) 0)) (:goal (done)))"
    task = parse_task(KINDS, problem)
    names = ("clean", "earn", "light", "turn", "idle", "work")
    solved = SolvedProblem(task, tuple(GroundAction(name, ()) for name in names), "file")
    teller = Teller(task, template_wording(task.domain), make_names(task))
    thoughts = dict(zip(names, (s.thought for s in tell_example(solved, teller, thoughts=True).steps), strict=True))
    served = {name: text.partition(" I need that ")[2] for name, text in thoughts.items()}
    assert served["clean"] == teller.literal(Not(Atom("dirty", ()))) + "."
    assert "is at least 2" in served["earn"]
    assert served["light"] == teller.literal(Atom("bright", ())) + "."
    assert "'left'" in served["turn"]
    assert thoughts["idle"] == "This makes room for the actions that follow."
    assert thoughts["work"] == "My goal asks that 'done' holds. I can bring this about now."
