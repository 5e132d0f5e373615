"""Watching plans: after every observation the answer is what executing the rest of the plan from there says."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings

from pddl2nl.errors import InputError
from pddl2nl.pddl import FluentValue, GroundAtom, Task, load_task, parse_task
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.tasks import shipped_task
from pddl2nl.worlds.timed_watch import watch_plan
from pddl2nl.worlds.watch import PlanWatch, Watch
from pddlval import GroundAction, Report, Simulator, validate
from pddlval.plans import plan_of
from tests.validators.random_tasks import CHANGED, PARTIAL, PREDICATES, TOTAL, _ground, cases

PLAN = "(unstack c b) (put-down c) (unstack b a) (stack b c)"


def watched(*lines: str) -> PlanWatch:
    watch = PlanWatch(shipped_task("blocksworld", "p01"), PLAN)
    for line in lines:
        watch.read(line)
    return watch


class Seen:
    """The facts that were observed, and what executing the rest of a plan from them says."""

    def __init__(self, task: Task):
        self.domain, self.problem = task.domain, task.problem
        initial = Simulator(task).initial
        self.atoms, self.values = set(initial.atoms), dict(initial.values)

    @property
    def task(self) -> Task:
        values = tuple(FluentValue(fluent, value) for fluent, value in self.values.items())
        return Task(self.domain, replace(self.problem, init=tuple(sorted(self.atoms)), init_values=values))

    def report(self, rest: Iterable[GroundAction]) -> Report:
        return validate(self.task, plan_of(rest))

    def observe(self, line: str) -> None:
        atom = GroundAtom(line.removeprefix("(not ").strip("()").split())
        (self.atoms.discard if line.startswith("(not ") else self.atoms.add)(atom)

    def execute(self, action: GroundAction) -> bool:
        simulator = Simulator(self.task)
        after = simulator.step(simulator.initial, action).successor
        if after is not None:
            self.atoms, self.values = set(after.atoms), dict(after.values)
        return after is not None


def random_plan(task: Task, rng: random.Random) -> list[GroundAction]:
    simulator = Simulator(task)
    return [action for action, _ in islice(simulator.walk(simulator.initial, rng), rng.randint(1, 5))]


def observe_something(watch: PlanWatch, seen: Seen, rng: random.Random, *, numeric: bool) -> None:
    if numeric and rng.randrange(3) == 0:
        name, types = rng.choice([*TOTAL.items(), *PARTIAL.items()])
        fluent, value = rng.choice(_ground(name, types)), Fraction(rng.randint(-2, 6), 2)
        seen.values[fluent] = value
        watch.read(f"(= {fluent} {float(value)})")
    else:
        name = rng.choice([*CHANGED, *PREDICATES])
        atom = rng.choice(_ground(name, PREDICATES[name]))
        line = rng.choice([f"{atom}", f"(not {atom})"])
        seen.observe(line)
        watch.read(line)


def assert_watch_agrees(watch: PlanWatch, report: Report) -> None:
    broken = watch.broken
    if report.valid:
        assert broken is None
        return
    assert broken is not None
    # After `next` steps the first of the rest is number 1; the goal comes after the last.
    failed = report.failed_step or len(watch.actions) - watch.next + 1
    assert broken.number == watch.next + failed
    if report.conflict is not None:
        assert broken.conflict == report.conflict.atom
    assert set(broken.unmet) >= {*report.unmet, *report.unmet_goals}


@settings(max_examples=25)
@given(cases())
def test_the_answer_is_that_of_executing_the_rest(case: tuple[Task, random.Random]) -> None:
    # Random tasks with numbers, quantifiers, conditional effects and derived predicates; facts of all kinds, also
    # static ones, are observed while random plans run.
    task, rng = case
    watch, seen = PlanWatch(task, plan_of(random_plan(task, rng))), Seen(task)
    numeric = bool(task.domain.functions)
    assert_watch_agrees(watch, seen.report(watch.actions))
    for _ in range(8):
        if watch.next < len(watch.actions) and rng.random() < 0.3 and seen.execute(watch.actions[watch.next]):
            watch.read(f"done {watch.actions[watch.next]}")
        else:
            observe_something(watch, seen, rng, numeric=numeric)
        assert_watch_agrees(watch, seen.report(watch.actions[watch.next :]))


@pytest.mark.parametrize("domain", ["blocksworld", "logistics", "household", "rovers"])
def test_the_answer_is_that_of_executing_the_rest_of_a_long_plan(domain: str) -> None:
    # Here nearly all facts are looked up, not simulated.
    task, rng = shipped_task(domain, "example"), random.Random(1)
    simulator = Simulator(task)
    plan, known = [], set(simulator.initial.atoms)
    for action, state in islice(simulator.walk(simulator.initial, rng), 15):
        plan.append(action)
        known |= state.atoms
    watch, seen = PlanWatch(task, plan_of(plan)), Seen(task)
    for _ in range(60):
        if watch.next < len(plan) and rng.random() < 0.2 and seen.execute(plan[watch.next]):
            watch.read("done")
        else:
            atom = rng.choice(sorted(known))
            line = rng.choice([f"{atom}", f"(not {atom})"])
            if watch.broken is not None and rng.random() < 0.7:
                # Mended, so that the plan goes on.
                line = str(watch.broken.unmet[0])
            if not line.startswith("(or"):
                seen.observe(line)
                watch.read(line)
        assert_watch_agrees(watch, seen.report(plan[watch.next :]))
    assert watch.next > 3


def test_a_lost_fact_breaks_the_step_that_needs_it_and_its_return_mends_it() -> None:
    # No step before the fourth changes (clear c), nor does the second need it.
    broken = watched("done", "done", "(not (clear c))").broken
    assert broken is not None
    assert (broken.number, str(broken.action)) == (4, "(stack b c)")
    assert broken.unmet == (parse_condition("(clear c)"),)
    assert str(broken) == "step 4 (stack b c) is broken: (clear c) will not hold"
    assert watched("done", "done", "(not (clear c))", "(clear c)").broken is None


def test_the_steps_behind_one_with_contradicting_effects_are_watched_once_it_is_done() -> None:
    domain = """(define (domain d) (:requirements :fluents :conditional-effects) (:predicates (p) (q) (r))
      (:functions (f)) (:action set :effect (and (when (p) (assign (f) 1)) (when (q) (assign (f) 2))))
      (:action go :precondition (r) :effect (p)))"""
    task = parse_task(domain, "(define (problem p) (:domain d) (:init (p) (r) (= (f) 0)) (:goal (p)))")
    watch = PlanWatch(task, "(set) (go)")
    watch.read("(q)")
    assert str(watch.broken) == "step 1 (set) is broken: its effects contradict each other about (f)"
    watch.read("(not (r))")
    watch.read("done")
    assert str(watch.broken) == "step 2 (go) is broken: (r) will not hold"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("on a b", "expected (on a b), (not (on a b)), (= (fuel r) 2.5) or done"),
        ("(not (not (on a b)))", "expected"),
        ("(oon a b)", "the domain has no predicate 'oon'; did you mean 'on'?"),
        ("(on a)", "'on' takes 2 arguments, found 1"),
        ("(on a z)", "argument 2, 'z', is no object of the task"),
        ("(= (fuel) 2)", "the domain has no function 'fuel'"),
        ("done (stack b c)", "is not the next step of the plan; that is step 1, (unstack c b)"),
        ("done ((", "not an action"),
        (f"({'x' * 2000})", "more than 1,000"),
    ],
)
def test_a_bad_line_is_refused_and_the_watch_goes_on(line: str, message: str) -> None:
    watch = watched()
    with pytest.raises(InputError) as error:
        watch.read(line)
    assert message in str(error.value)
    watch.read("(not (clear c))")
    assert watch.broken is not None
    assert watch.broken.number == 1


def test_derived_facts_are_refused_and_the_facts_that_they_follow_from_are_seen() -> None:
    domain = """(define (domain d) (:requirements :derived-predicates) (:predicates (on ?x) (dark) (won))
      (:derived (dark) (not (exists (?x) (on ?x)))) (:action win :precondition (not (dark)) :effect (won)))"""
    task = parse_task(domain, "(define (problem p) (:domain d) (:objects l) (:init (on l)) (:goal (won)))")
    watch = PlanWatch(task, "(win)")
    with pytest.raises(InputError, match="follows from other facts by the domain's rules"):
        watch.read("(dark)")
    watch.read("(not (on l))")
    assert str(watch.broken) == "step 1 (win) is broken: (not (dark)) will not hold"


def test_what_lasts_while_a_step_runs_is_what_later_steps_need() -> None:
    # Hand-computed: between the steps, what is neither changed nor already used up.
    lasting = [[str(one) for one in conditions] for conditions in watched().lasting()]
    assert lasting == [["(on b a)"], ["(clear b)", "(on b a)"], ["(clear c)"], []]


TIMED = """(define (domain lights) (:requirements :typing :durative-actions :timed-initial-literals :numeric-fluents)
  (:types lamp) (:predicates (lit ?l - lamp) (fuse) (open) (mended) (wired ?l - lamp)) (:functions (oil))
  (:durative-action burn :parameters (?l - lamp) :duration (= ?duration 4)
    :condition (and (at start (wired ?l)) (over all (fuse)))
    :effect (and (at start (lit ?l)) (at start (decrease (oil) 2)) (at end (not (lit ?l)))))
  (:durative-action mend :parameters (?l - lamp) :duration (= ?duration 2)
    :condition (and (over all (lit ?l)) (at end (open)) (at end (> (oil) 0))) :effect (at end (mended))))"""
EVENING = """(define (problem evening) (:domain lights) (:objects a b - lamp)
  (:init (fuse) (wired a) (= (oil) 3) (at 2 (open))) (:goal (mended)))"""
BURN_AND_MEND = "0.5: (burn a) [4]\n1: (mend a) [2]"


def burning(*lines: str, task: str = EVENING, plan: str = BURN_AND_MEND) -> Watch:
    watch = watch_plan(parse_task(TIMED, task), plan)
    for line in lines:
        watch.read(line)
    return watch


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ((), "None"),
        (("(not (fuse))",), "step 1 (burn a) (over all, time 1) is broken: (fuse) will not hold"),
        (("done", "(not (fuse))"), "step 1 (burn a) (over all, time 1) is broken: (fuse) will not hold"),
        # What is over is not asked any more: the lamp burned, whatever its wire is now.
        (("done (burn a)", "(not (wired a))"), "None"),
        (("(not (wired a))",), "step 1 (burn a) (start, time 0.5) is broken: (wired a) will not hold"),
        (("done", "done", "(not (lit a))"), "step 2 (mend a) (over all, time 2) is broken: (lit a) will not hold"),
        (("done", "done", "(not (lit a))", "(lit a)"), "None"),
        # The timed literal opens the box at 2, after what was observed.
        (("done", "done", "(not (open))"), "None"),
        (("done", "(= (oil) 0)"), "step 2 (mend a) (end, time 3) is broken: (> (oil) 0) will not hold"),
        (("done", "done", "done", "(not (mended))"), "the goal is broken: (mended) will not hold"),
        (("done",) * 4, "None"),
    ],
)
def test_a_plan_with_time_is_watched(lines: tuple[str, ...], told: str) -> None:
    assert str(burning(*lines).broken) == told


def test_the_next_happening_of_a_plan_with_time_is_told() -> None:
    watch = burning()
    told = [watch.upcoming]
    for _ in range(4):
        watch.read("done")
        told.append(watch.upcoming)
    ends = ["(burn a), its start", "(mend a), its start", "(mend a), its end", "(burn a), its end", ""]
    assert told == [*zip((1, 2, 2, 1, 3), ends, strict=True)]
    for line, message in (
        ("done", "all steps of the plan are done"),
        ("(glows a)", "the domain has no predicate 'glows'"),
        ("(= (oil a) 1)", "oil"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            watch.read(line)
    with pytest.raises(InputError, match=r"\(burn b\) is not the next step of the plan; that is step 1, \(burn a\)"):
        burning("done (burn b)")
    with pytest.raises(InputError, match="no action 'sing'"):
        burning(plan="0: (sing a) [1]")


def test_a_plan_with_time_that_nothing_disturbs_is_judged_as_ever(shared: Path) -> None:
    for verdicts in sorted(
        (shared / "temporal").glob("ipc-2002-*/*/verdicts.jsonl"), key=lambda path: path.stat().st_size
    )[:4]:
        task = load_task(verdicts.parent / "domain.pddl", verdicts.parent / "problem.pddl")
        for line in verdicts.read_text(encoding="utf-8").splitlines()[:3]:
            plan = json.loads(line)["plan"]
            report = validate(task, plan)
            if report.verdict != "bad-plan":
                watch = watch_plan(task, plan)
                assert (watch.broken is None) == report.valid
                while report.valid and watch.upcoming[1]:
                    watch.read("done")
                    assert watch.broken is None


def test_bad_plans_are_refused() -> None:
    with pytest.raises(InputError, match="the domain has no action 'fly'"):
        PlanWatch(shipped_task("blocksworld", "p01"), "(fly a)")
