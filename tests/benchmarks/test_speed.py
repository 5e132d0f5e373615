"""Speed beside peers, in one run: ``pytest -m benchmark tests/benchmarks``, by hand, on a quiet machine.

Every measurement is a row of the table that is printed in the end; the README's is one of these. The peers come with
``pip install -e '.[all,test,benchmark]'``; where one is not installed, its rows are skipped, and pytest says so.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pddl2nl.pddl import GroundAtom, Task, load_task, parse_task
from pddlval import GroundAction, Simulator, State, load_plan, validate
from pddlval.command import judge_batch

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

PARSED = ("logistics98-28", "rovers-40", "airport-p36", "nomystery-sat11-p09", "psr-small-p25", "visitall-gen150")
STEPPED = ("gripper-20", "logistics98-20", "rovers-40", "schedule-51-0", "miconic-fulladl-f10-1")


def speed_task(shared: Path, name: str) -> Task:
    return load_task(shared / "speed" / name / "domain.pddl", shared / "speed" / name / "problem.pddl")


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def their_parser(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], object]:
    """Fast Downward's parser; its options module reads the command line when it is imported."""
    pytest.importorskip("fast_downward")
    monkeypatch.setattr(sys, "argv", ["translate", "domain.pddl", "problem.pddl"])
    parser = importlib.import_module("fast_downward.translate.pddl_parser")

    def parse(domain: str, problem: str) -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return parser.open(domain, problem)

    return parse


@pytest.mark.parametrize("name", PARSED)
def test_reading_with_all_checks(
    name: str, shared: Path, bench: Bench, their_parser: Callable[[str, str], object]
) -> None:
    domain, problem = (str(shared / "speed" / name / file) for file in ("domain.pddl", "problem.pddl"))
    load_task(domain, problem)
    ours = bench.seconds(lambda: load_task(domain, problem))
    theirs = bench.seconds(lambda: their_parser(domain, problem))
    assert bench.ratio(f"reading {name}", ours, "Fast Downward's parser", theirs) > 0.9


@pytest.mark.parametrize("name", PARSED)
def test_reading_beside_the_pddl_library(name: str, shared: Path, bench: Bench) -> None:
    library = pytest.importorskip("pddl", reason="pip install pddl")
    domain, problem = (str(shared / "speed" / name / file) for file in ("domain.pddl", "problem.pddl"))

    def theirs() -> None:
        library.parse_domain(domain)
        library.parse_problem(problem)

    try:
        library.parse_domain(domain)
    except Exception as error:  # noqa: BLE001 (whatever it is, the peer cannot read the task)
        pytest.skip(f"the pddl library does not read {name}: {error}"[:200])
    ours = bench.seconds(lambda: load_task(domain, problem))
    assert bench.ratio(f"reading {name}", ours, "the pddl library", bench.seconds(theirs, 1)) > 5


# ── stepping ─────────────────────────────────────────────────────────────────────────────────────


def walk(simulator: Simulator, plan: Sequence[GroundAction]) -> State:
    followed = simulator.follow(simulator.initial, plan)
    assert followed.complete, followed.failed
    return followed.state


def unified_planning(shared: Path, name: str) -> tuple[Any, list[Any]]:
    """A problem and its plan as unified-planning reads them."""
    pytest.importorskip("unified_planning")
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import get_environment

    get_environment().credits_stream = None
    home = shared / "speed" / name
    reader = PDDLReader()
    problem = reader.parse_problem(str(home / "domain.pddl"), str(home / "problem.pddl"))
    return problem, reader.parse_plan(problem, str(home / "plan.txt")).actions


@pytest.mark.parametrize("name", STEPPED)
def test_stepping_through_a_plan(name: str, shared: Path, bench: Bench) -> None:
    from_up = pytest.importorskip("unified_planning.engines.sequential_simulator")
    problem, their_plan = unified_planning(shared, name)
    their_simulator = from_up.UPSequentialSimulator(problem, error_on_failed_checks=False)
    first = their_simulator.get_initial_state()

    def theirs() -> None:
        state = first
        for action in their_plan:
            state = their_simulator.apply(state, action)
            assert state is not None

    simulator = Simulator(speed_task(shared, name))
    plan = load_plan(shared / "speed" / name / "plan.txt").actions
    # Both keep what they once worked out about a ground action; what that costs is measured below.
    walk(simulator, plan)
    theirs()
    # Many walks at once: a single one of ours takes less than filling the processor's caches.
    ours = bench.seconds(lambda: [walk(simulator, plan) for _ in range(50)]) / 50
    what = f"{len(plan)} steps of {name}"
    assert bench.ratio(what, ours, "unified-planning's SequentialSimulator", bench.seconds(theirs)) > 100


@pytest.mark.parametrize("name", STEPPED[:3])
def test_stepping_through_a_plan_for_the_first_time(name: str, shared: Path, bench: Bench) -> None:
    from_up = pytest.importorskip("unified_planning.engines.sequential_simulator")
    task = speed_task(shared, name)
    plan = load_plan(shared / "speed" / name / "plan.txt").actions
    ours = bench.seconds(lambda: walk(Simulator(task), plan))
    problem, their_plan = unified_planning(shared, name)

    def theirs() -> None:
        simulator = from_up.UPSequentialSimulator(problem, error_on_failed_checks=False)
        state = simulator.get_initial_state()
        for action in their_plan:
            state = simulator.apply(state, action)

    what = f"{len(plan)} steps of {name}, simulator made"
    assert bench.ratio(what, ours, "unified-planning's SequentialSimulator", bench.seconds(theirs, 1)) > 10


LAMPS = """
(define (domain lamps) (:requirements :negative-preconditions)
  (:predicates (on ?l) (lamp ?l))
  (:action light :parameters (?l) :precondition (and (lamp ?l) (not (on ?l))) :effect (on ?l))
  (:action quench :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))
"""


@pytest.mark.parametrize(("objects", "lit"), [(5_000, 2_500), (50_000, 50_000)])
def test_three_hundred_steps_in_a_large_state(objects: int, lit: int, bench: Bench) -> None:
    names = [f"l{number}" for number in range(objects)]
    init = "".join(f"(lamp {name})" for name in names) + "".join(f"(on {name})" for name in names[:lit])
    problem = f"(define (problem p) (:domain lamps) (:objects {' '.join(names)}) (:init {init}) (:goal (on l0)))"
    task = parse_task(LAMPS, problem)
    plan = [GroundAction("quench", (name,)) for name in names[:300]]

    def copying() -> None:
        state = frozenset(task.problem.init)
        for action in plan:
            atom = GroundAtom(("on", *action.args))
            assert atom in state
            state = state - {atom}

    simulators = [Simulator(task) for _ in range(3)]
    ours = bench.seconds(lambda: walk(simulators.pop(), plan))
    what = f"300 steps, {objects:,} objects, {lit:,} changing atoms true, each action new"
    assert bench.ratio(what, ours, "copying a frozenset", bench.seconds(copying)) > 1
    assert ours < 0.01 * 3, "seconds; 0.01 on a quiet machine"


# ── applicable actions ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("name", "expected"), [("logistics98-28", 1524), ("satellite-33", 3860)])
def test_applicable_actions_of_large_initial_states(name: str, expected: int, shared: Path, bench: Bench) -> None:
    task = speed_task(shared, name)
    assert sum(1 for _ in Simulator(task).applicable(Simulator(task).initial)) == expected

    def ours() -> None:
        simulator = Simulator(task)
        assert sum(1 for _ in simulator.applicable(simulator.initial)) == expected

    reading = bench.seconds(lambda: speed_task(shared, name))
    what = f"{expected:,} applicable actions of {name}, simulator made"
    assert bench.ratio(what, bench.seconds(ours), "reading the task", reading) > 0.3


SLOW_IN_PLADO = ("nomystery-sat11-p09", "visitall-gen150")
"""plado takes minutes for the walks in these."""


@pytest.fixture(scope="module")
def walks() -> dict[str, Any]:
    """What was measured beside plado, for both orders."""
    return {}


class PladoWalk:
    """plado's applicable actions along a walk; raises where it does not take the task."""

    def __init__(self, domain: str, problem: str):
        parser = pytest.importorskip("plado.parser", reason="pip install plado")
        applicable = importlib.import_module("plado.semantics.applicable_actions_generator")
        successors = importlib.import_module("plado.semantics.successor_generator")
        task = importlib.import_module("plado.semantics.task").Task(*parser.parse_and_normalize(domain, problem))
        self.applicable = applicable.ApplicableActionsGenerator(task)
        self._successors = successors.SuccessorGenerator(task)
        self._objects = {getattr(item, "name", item): number for number, item in enumerate(task.objects)}
        self._actions: dict[str, int] = {}
        for number, action in enumerate(task.actions):
            self._actions.setdefault(action.name, number)
        self.state = task.initial_state

    def step(self, action: GroundAction) -> None:
        """Goes on to the next state."""
        args = tuple(self._objects[name] for name in action.args)
        self.state = self._successors(self.state, (self._actions[action.name], args))[0][0]


def plado_times(home: Path, steps: int = 40) -> dict[str, tuple[float, float]] | None:
    """The median time of listing the applicable actions of a state of a random walk, ours and plado's.

    Once in the order of the walk, once in random order with everything made anew; the two take turns state by state.
    None where plado does not take the task or finds other actions: it lacks derived predicates and some negation.
    """
    files = str(home / "domain.pddl"), str(home / "problem.pddl")
    try:
        theirs = PladoWalk(*files)
    except Exception:  # noqa: BLE001 (whatever it is, the peer cannot read the task)
        return None
    simulator, rng = Simulator(load_task(*files)), random.Random(1)
    states, their_states = [simulator.initial], [theirs.state]
    for _ in range(steps):
        action = simulator.sample(states[-1], rng)
        if action is None:
            break
        try:
            theirs.step(action)
        except IndexError:
            return None
        states.append(simulator.step(states[-1], action).successor or states[-1])
        their_states.append(theirs.state)
    places = list(range(len(states)))
    times: dict[str, tuple[float, float]] = {}
    for order in ("cold", "random"):
        if order == "random":
            random.Random(2).shuffle(places)
        both = []
        for _ in range(3):
            fresh = Simulator(load_task(*files))
            own = [fresh.state(state.atoms, state.values) for state in states]
            measured = []
            for place in places:
                began = time.perf_counter()
                actions = list(fresh.applicable(own[place]))
                between = time.perf_counter()
                others = list(theirs.applicable(their_states[place]))
                measured.append((between - began, time.perf_counter() - between))
                if len(actions) != len(others):
                    return None
            both.append([statistics.median(column) for column in zip(*(measured[1:] or measured), strict=True)])
        ours, other = (min(column) for column in zip(*both, strict=True))
        times[order] = ours, other
    return times


@pytest.mark.parametrize("order", ["cold", "random"])
def test_applicable_actions_beside_plado(order: str, shared: Path, bench: Bench, walks: dict[str, Any]) -> None:
    pytest.importorskip("plado", reason="pip install plado")
    if not walks:
        for corpus, pattern in (("ipc", "*/*/domain.pddl"), ("speed", "*/domain.pddl")):
            for domain in sorted((shared / corpus).glob(pattern)):
                measured = None if domain.parent.name in SLOW_IN_PLADO else plado_times(domain.parent)
                if measured is not None:
                    walks[str(domain.parent.relative_to(shared / corpus))] = measured
    assert len(walks) > 60
    ratios = sorted((their / own, task, own, their) for task, both in walks.items() for own, their in [both[order]])
    for _, task, ours, theirs in ratios[:5]:
        bench.ratio(f"applicable actions of a state, {order}, {task} (of the slowest)", ours, "plado", theirs)
    mean = statistics.geometric_mean([ratio for ratio, *_ in ratios])
    bench.ratio(f"applicable actions, {order}, geometric mean of {len(ratios)} tasks", 1e-5, "plado", 1e-5 * mean)
    # 0.95 and 3 on a quiet machine.
    assert ratios[0][0] > 0.5, ratios[0][1]
    assert mean > 2


def test_applicable_actions_by_the_million(bench: Bench) -> None:
    names = " ".join(f"o{number}" for number in range(400))
    atoms = "".join(f"(p o{number})" for number in range(400))
    task = parse_task(
        "(define (domain d) (:predicates (p ?x) (q ?x)) (:action a :parameters (?x ?y ?z)"
        " :precondition (and (p ?x) (p ?y) (p ?z)) :effect (q ?x)))",
        f"(define (problem m) (:domain d) (:objects {names}) (:init {atoms}) (:goal (q o0)))",
    )
    simulator = Simulator(task)
    began = time.perf_counter()
    found = simulator.applicable(simulator.initial)
    assert sum(1 for _ in islice(found, 1000)) == 1000
    assert time.perf_counter() - began < 1
    began = time.perf_counter()
    count = sum(1 for _ in islice(found, 1_000_000))
    seconds = time.perf_counter() - began
    rng = random.Random(1)
    drawer = Simulator(task)
    with pytest.warns(RuntimeWarning, match="more than 100,000"):
        sampled = bench.seconds(lambda: drawer.sample(drawer.state(task.problem.init), rng))
    what = "one of the first 100,000 of 64 million applicable actions drawn"
    assert bench.ratio(what, sampled, "listing a million of them", seconds) > 10
    assert count / seconds > 200_000


# ── judging ──────────────────────────────────────────────────────────────────────────────────────


def test_judging_a_plan(shared: Path, bench: Bench) -> None:
    problem, _ = unified_planning(shared, "gripper-20")
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import PlanValidator

    their_plan = PDDLReader().parse_plan(problem, str(shared / "speed" / "gripper-20" / "plan.txt"))

    def theirs() -> None:
        with PlanValidator(problem_kind=problem.kind) as validator:
            assert validator.validate(problem, their_plan)

    task = speed_task(shared, "gripper-20")
    plan = load_plan(shared / "speed" / "gripper-20" / "plan.txt")
    assert validate(task, plan).valid
    ours = bench.seconds(lambda: validate(task, plan))
    assert bench.ratio("judging a plan of gripper-20", ours, "unified-planning's validator", bench.seconds(theirs)) > 10


def test_judging_the_corpus_in_one_process(shared: Path, bench: Bench) -> None:
    lines = []
    for verdicts in sorted((shared / "ipc").glob("*/*/verdicts.jsonl")):
        files = {name: str(verdicts.parent / f"{name}.pddl") for name in ("domain", "problem")}
        for line in verdicts.read_text(encoding="utf-8").splitlines():
            lines.append(json.dumps({**files, "plan_text": json.loads(line)["plan"]}))
    answers: list[str] = []
    seconds = bench.seconds(lambda: judge_batch(lines, answers.append), 1)
    assert len(answers) == len(lines)
    # 150 plans a second were measured for VAL, which needs a process for each.
    bench.ratio(f"judging {len(lines):,} plans of the corpus, tasks read", seconds, "600 a second", len(lines) / 600)
    assert len(lines) / seconds > 600


VAL_PLANS_A_SECOND = 150
"""What was measured for VAL on this corpus, with a process for each plan; it is not part of this run."""


def test_judging_plans_with_time_in_one_process(shared: Path, bench: Bench) -> None:
    lines = []
    for verdicts in sorted((shared / "temporal").glob("*/*/verdicts.jsonl")):
        domain = verdicts.parent / "domain.pddl"
        if ":durative-action" in domain.read_text(encoding="utf-8"):
            files = {"domain": str(domain), "problem": str(verdicts.parent / "problem.pddl")}
            for line in verdicts.read_text(encoding="utf-8").splitlines():
                lines.append(json.dumps({**files, "plan_text": json.loads(line)["plan"]}))
    # Those of one task do not stand together: so do the fewest batches, and what is compiled must be kept.
    random.Random(1).shuffle(lines)
    chosen, answers = lines[:700], list[str]()
    # Of this process alone: other programs do not count.
    began = time.process_time()
    judge_batch(chosen, answers.append)
    seconds = time.process_time() - began
    assert len(answers) == len(chosen)
    theirs = len(chosen) / VAL_PLANS_A_SECOND
    ratio = bench.ratio(f"judging {len(chosen)} plans with time, tasks read", seconds, "VAL, 150 a second", theirs)
    assert ratio > 0.75, "1.5 on a quiet machine"


def test_judging_a_plan_of_22499_steps(shared: Path, bench: Bench) -> None:
    home = shared / "speed" / "visitall-gen150"
    files = [str(home / name) for name in ("domain.pddl", "problem.pddl", "plan.txt")]
    program = [sys.executable, "-m", "pddl2nl", "validate", *files]
    seconds = bench.seconds(lambda: subprocess.run(program, check=True, stdout=subprocess.DEVNULL), 1)
    reading = bench.seconds(lambda: speed_task(shared, "visitall-gen150"), 1)
    what = "`pddl2nl validate` on a plan of 22,499 steps (VAL: parser stack exceeded)"
    assert bench.ratio(what, seconds, "reading the task", reading) > 0.1


# ── starting ─────────────────────────────────────────────────────────────────────────────────────


def test_starting_the_command(root: Path, tmp_path: Path, bench: Bench) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(unstack c b)\n(put-down c)\n(unstack b a)\n(stack b c)\n", encoding="utf-8")
    files = (str(root / "domains/blocksworld/domain.pddl"), str(root / "instances/blocksworld/p01.pddl"), str(plan))

    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, cwd=root, stdout=subprocess.DEVNULL)

    bare = bench.seconds(lambda: run("-c", "pass"), 7)
    assert bench.ratio("`import pddlval`", bench.seconds(lambda: run("-c", "import pddlval"), 7), "Python", bare)
    command = bench.seconds(lambda: run("-m", "pddl2nl", "validate", *files), 7)
    assert bench.ratio("`pddl2nl validate` on a small task", command, "`python -c pass`", bare) > 0.03


# ── the knowledge graph ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("things", [3_000, 10_000, 30_000])
def test_a_knowledge_graph_follows_an_action(things: int, bench: Bench) -> None:
    pytest.importorskip("rdflib")
    from pddl2nl.nl import Teller, make_names, template_wording
    from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph

    domain = """(define (domain moving) (:requirements :typing) (:types room thing)
      (:predicates (in ?thing - thing ?room - room))
      (:action move :parameters (?thing - thing ?from ?to - room) :precondition (in ?thing ?from)
       :effect (and (not (in ?thing ?from)) (in ?thing ?to))))"""
    rooms, named = [f"r{number}" for number in range(things // 10)], [f"t{number}" for number in range(things)]
    init = " ".join(f"(in {thing} {rooms[number % len(rooms)]})" for number, thing in enumerate(named))
    objects = f"{' '.join(rooms)} - room {' '.join(named)} - thing"
    task = parse_task(
        domain, f"(define (problem p) (:domain moving) (:objects {objects}) (:init {init}) (:goal (in t0 r1)))"
    )
    simulator, wording = Simulator(task), template_wording(task.domain)
    graph = KnowledgeGraph(Teller(task, wording, make_names(task, "original", wording)))
    there = simulator.step(simulator.initial, "(move t0 r0 r1)").successor
    assert there is not None
    graph.update(there)

    def to_and_fro() -> None:
        graph.update(simulator.initial)
        graph.update(there)

    sets = bench.seconds(lambda: (there.atoms ^ simulator.initial.atoms, simulator.initial.atoms ^ there.atoms))
    ours = bench.seconds(to_and_fro)
    assert bench.ratio(f"knowledge graph of {things:,} objects, two actions", ours, "both sets of atoms", sets) > 1
