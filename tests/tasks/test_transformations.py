"""Transformations of tasks: names changed and back, costs removed, several after each other; verdicts stay."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.nl import Names, Wording, check_wording, convert, load_wording, template_wording
from pddl2nl.nl.wording.snippets import own_name
from pddl2nl.pddl import (
    Condition,
    Task,
    load_task,
    parse_domain,
    parse_problem,
    parse_task,
    write_condition,
    write_domain,
    write_problem,
)
from pddl2nl.pddl.symbols import Symbols
from pddl2nl.tasks.costs import StrippedCosts, strip_costs
from pddl2nl.tasks.obfuscation import SCHEMES, obfuscation
from pddl2nl.tasks.renaming import TaskRenaming, plan_text, renaming_from_json
from pddl2nl.tasks.shipped import shipped_domain
from pddl2nl.tasks.transformations import TRANSFORMATIONS, changes_of
from pddlval import Report, Simulator, read_plan, validate
from tests.validators import random_tasks

BUILT_IN = {"object", "total-cost", "number"}


def renamed(task: Task, scheme: str, seed: int = 1, *, objects: bool = True) -> tuple[TaskRenaming, Task]:
    """The renaming of a task, and the task renamed."""
    renaming = obfuscation(task.domain, [task.problem], scheme=scheme, seed=seed, objects=objects)
    return renaming, renaming.task(task)


def text(task: Task) -> str:
    """Both files."""
    return write_domain(task.domain) + write_problem(task.problem)


def words(task: Task) -> set[str]:
    """All words of both files, variables without their question mark."""
    return {word.lstrip("?") for word in re.findall(r"[^\s()]+", text(task)) if word[0] != ":"}


def symbols_of(task: Task) -> set[str]:
    """All names that the domain and the problem declare, longer than two letters."""
    domain, problem = task.domain, task.problem
    declared = Symbols.of(domain, problem)
    actions = [*domain.actions, *domain.durative_actions, *domain.processes, *domain.events]
    names = {*declared.predicates, *declared.functions, *declared.objects, *declared.above}
    names |= {item.name for item in (*actions, domain, problem)}
    names |= {word[1:] for word in re.findall(r"\?[^\s()]+", text(task))}
    return {name for name in names - BUILT_IN if len(name) > 2}


# ── obfuscation ───────────────────────────────────────────────────────────────────────────────────


CLASHES = """
(define (domain Clashes)
  (:requirements :adl :fluents :derived-predicates)
  (:types truck place - thing crate box-a box_a - (either thing other))
  (:constants place-1 - place PLACE_1 - place action1 - crate)
  (:predicates (truck ?truck - truck) (at-place ?what - thing ?where - place) (at_place ?what - thing ?where - place)
    (reached ?where - place) (either-way) (predicate1 ?c - crate))
  (:functions (distance ?from ?to - place) (total-cost) - number (truck))
  (:derived (reached ?here - place) (exists (?truck - truck) (or (at-place ?truck ?here) (reached ?here))))
  (:action drive-to
    :parameters (?truck - truck ?from - place ?to - (either place crate))
    :precondition (and (at-place ?truck ?from) (forall (?truck - truck) (imply (truck ?truck) (either-way))))
    :effect (and (not (at-place ?truck ?from)) (when (either-way) (at_place ?truck place-1))
      (forall (?from - place) (when (reached ?from) (at-place ?truck ?from)))
      (increase (total-cost) (+ 1 (distance ?from place_1))) (assign (truck) 2)))
  (:action drive_to
    :parameters (?c - crate)
    :precondition (or (predicate1 ?c) (= ?c action1) (> (truck) 1))
    :effect (predicate1 ?c)))
"""
CLASHING = """
(define (problem Clash-1) (:domain clashes)
  (:objects truck - truck crate - crate drive-to - truck)
  (:init (at-place truck place-1) (truck truck) (= (distance place-1 place_1) 2) (= (truck) 0.5) (= (total-cost) 0))
  (:goal (and (preference p-likes-it (at-place truck place_1)) (predicate1 crate)))
  (:metric minimize (+ (total-cost) (is-violated p-likes-it))))
"""


@pytest.fixture(scope="module")
def clashes() -> Task:
    """A task in which names of different kinds are alike, or differ in a hyphen only."""
    return parse_task(CLASHES, CLASHING)


def assert_same_report(before: Report, after: Report, renaming: TaskRenaming, task: Task) -> None:
    """The reports say the same under a renaming."""
    assert (after.verdict, after.steps, after.cost, after.failed_step) == (
        before.verdict,
        before.steps,
        before.cost,
        before.failed_step,
    )
    assert after.action == (None if before.action is None else renaming.action(before.action))

    def told(conditions: tuple[Condition, ...]) -> list[str]:
        return [write_condition(renaming.formulas.formula(condition)) for condition in conditions]

    assert list(map(write_condition, after.unmet)) == told(before.unmet)
    assert list(map(write_condition, after.unmet_goals)) == told(before.unmet_goals)


# ── trees and texts ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_there_and_back_and_through_text(clashes: Task, scheme: str, objects: bool) -> None:
    renaming, task = renamed(clashes, scheme, objects=objects)
    assert renaming.inverse.task(task) == clashes
    assert renaming.inverse.inverse == renaming
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task
    again = renaming_from_json(json.loads(json.dumps(renaming.as_json())))
    assert again == renaming


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_of_the_old_words_is_left(clashes: Task, scheme: str) -> None:
    _, task = renamed(clashes, scheme)
    # Names such as predicate1 stand in this domain already, and say nothing.
    assert words(task) & symbols_of(clashes) <= {"action1", "predicate1"}
    assert not [word for word in words(task) if "truck" in word or "place" in word or "clash" in word]


def test_generic_names_follow_the_file_as_in_the_paper() -> None:
    task = shipped_domain("blocksworld").task("p01")
    renaming, _ = renamed(task, "generic", objects=False)
    domain = task.domain
    assert renaming.predicates == {item.name: f"predicate{n}" for n, item in enumerate(domain.predicates, start=1)}
    assert renaming.actions == {item.name: f"action{n}" for n, item in enumerate(domain.actions, start=1)}
    assert renaming.objects == {}
    assert renaming.problem(task.problem).objects == task.problem.objects


def test_mystery_avoids_the_words_of_the_domain_and_does_not_run_out() -> None:
    predicates = " ".join(f"(fame-{n} ?x)" for n in range(400))
    task = parse_task(
        f"(define (domain loves-harmony) (:predicates {predicates}) (:functions (warmths)))",
        "(define (problem p) (:domain loves-harmony) (:init) (:goal (and)))",
    )
    renaming, changed = renamed(task, "mystery")
    assert len(set(renaming.predicates.values())) == 400
    assert not [word for word in words(changed) if re.search("fame|harmony|warmth", word)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "'format' is 2"),
        ({"actions": {"a": "x", "b": "x"}}, "actions: 'a' and 'b' both become 'x'"),
        ({"types": {"a": 3}}, "expected a text"),
        ({"actions": {"a": "b) (c"}}, "actions → a: expected a name, found 'b) (c'"),
        ({"actions": {"?a": "b"}}, "actions → ?a: expected a name, found '?a'"),
        ({"variables": {"?a": "b"}}, "variables → ?a: expected a variable, found 'b'"),
        ({"variables": []}, "variables is []; expected a table"),
    ],
)
def test_a_mapping_that_cannot_be_reversed_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        renaming_from_json({**TaskRenaming().as_json(), **change})


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


@given(st.data())
@settings(max_examples=25)
def test_any_task_comes_back_and_verdicts_on_random_plans_are_the_same(data: st.DataObject) -> None:
    task, dice = data.draw(random_tasks.cases())
    simulator, steps = Simulator(task), []
    state = simulator.initial
    for _ in range(5):
        # Mostly what can be done, at times something else.
        able = list(simulator.applicable(state))
        if not able:
            break
        steps.append(dice.choice(able))
        state = simulator.step(state, steps[-1]).successor or state
    if dice.random() < 0.5 and steps:
        dice.shuffle(steps)
    scheme, objects = data.draw(st.sampled_from(SCHEMES)), data.draw(st.booleans())
    renaming, changed = renamed(task, scheme, data.draw(st.integers(0, 3)), objects=objects)
    # Trees are compared, because the task that was drawn is of a kind that shows itself.
    assert renaming.inverse.task(changed) == Task(task.domain, task.problem)
    assert parse_task(write_domain(changed.domain), write_problem(changed.problem)) == changed
    plan = read_plan("\n".join(map(str, steps)))
    assert_same_report(validate(task, plan), validate(changed, renaming.plan(plan)), renaming, task)


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["drive-to", "action1", "action2", "action3", "fly"]), min_size=1, max_size=5))
def test_unknown_names_stay_unknown_and_come_back(names: list[str]) -> None:
    task = parse_task(CLASHES, CLASHING)
    renaming, changed = renamed(task, "generic")
    plan = read_plan("".join(f"({name} {other})" for name, other in zip(names, reversed(names), strict=True)))
    after = renaming.plan(plan)
    assert renaming.inverse.plan(after).actions == plan.actions
    known = {action.name for action in task.domain.actions}
    assert [action.name in known for action in plan.actions] == [
        changed.domain.action(action.name) is not None for action in after.actions
    ]
    assert set(renaming.unknown(plan)) >= {name for name in names if name not in known and name not in task.objects}


def _shared_tasks(shared: Path, folders: tuple[str, ...]) -> list[Path]:
    return [path.parent for name in folders for path in sorted((shared / name).glob("*/*/domain.pddl"))]


def _check_folder(folder: Path, limit: int, schemes: tuple[str, ...] = SCHEMES) -> int:
    """Round trips and verdicts of one real task; the number of plans judged."""
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    records = folder / "verdicts.jsonl"
    lines = records.read_text(encoding="utf-8").splitlines() if records.is_file() else []
    dice = random.Random(str(folder.name))
    judged = 0
    for scheme in schemes:
        renaming, changed = renamed(task, scheme)
        assert renaming.inverse.task(changed) == task
        assert parse_task(write_domain(changed.domain), write_problem(changed.problem)) == changed
        assert not words(changed) & symbols_of(task), folder
        for line in dice.sample(lines, min(limit, len(lines))):
            try:
                plan = read_plan(json.loads(line)["plan"])
            except InputError:
                continue
            after = read_plan(plan_text(renaming.plan(plan)))
            assert renaming.inverse.plan(after).actions == plan.actions
            assert_same_report(validate(task, plan), validate(changed, after), renaming, task)
            judged += 1
    return judged


def test_real_tasks_and_their_verdicts(shared: Path) -> None:
    folders = _shared_tasks(shared, ("ipc", "numeric"))
    assert sum(_check_folder(folder, 3, (SCHEMES[n % 3],)) for n, folder in enumerate(folders[::15])) >= 9


# ── transformations by name ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("names", [*((name,) for name in TRANSFORMATIONS), ("strip-costs", "obfuscate:mystery")])
def test_task_plan_and_wording_go_along(names: tuple[str, ...]) -> None:
    changed, plan = task(), read_plan("(drive a b)\n(drive b c)")
    wording = template_wording(changed.domain)
    for change in changes_of(changed.domain, [changed.problem], names, 3):
        changed, plan, wording = change.task(changed), change.plan(plan), change.wording(wording)
    assert parse_task(write_domain(changed.domain), write_problem(changed.problem)) == changed
    report = validate(changed, plan)
    assert report.valid
    assert report.cost == (2 if any("strip-costs" in name for name in names) else 9)
    assert check_wording(wording, changed.domain) == wording


def test_all_instances_of_a_domain_get_the_same_one() -> None:
    alike, other = (task(rest="(increase (total-cost) 4)", values=values) for values in (ALIKE, LENGTHS))
    domain, problems = alike.domain, [alike.problem, other.problem]
    for names in (*((name,) for name in TRANSFORMATIONS), ("strip-costs", "obfuscate:random")):
        one, two = alike, other
        for change in changes_of(domain, problems, names, 2):
            one, two = change.task(one), change.task(two)
        assert one.domain == two.domain
    (change,) = changes_of(domain, problems[:1], ["strip-costs"], 1)
    assert change.task(alike) == alike
    (change,) = changes_of(domain, problems, ["strip-costs"], 1)
    assert change.task(alike).problem.metric is None


# ── wordings under a renaming: the same sentences for other names, and back ───────────────────────


def _texts(task: Task, wording: Wording, called: dict[str, str]) -> tuple[str, ...]:
    """All that is told of a task, with objects called so."""
    told = convert(task, wording, Names(called))
    return (told.domain_text, told.goal_text, told.objects_text, told.init_text)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["ferry", "visitall", "planbench blocksworld", "planbench logistics"])
def test_a_carried_wording_says_the_same_sentences(shared: Path, name: str, scheme: str) -> None:
    source, _, name = name.rpartition(" ")
    if source:
        folder = shared / "planbench" / "instances" / name
        worded = load_task(folder / "generated_domain.pddl", sorted((folder / "generated_basic").glob("*.pddl"))[0])
        own = load_wording(shared / "planbench" / "configs" / f"{name}.yaml", worded.domain)
    else:
        worded = shipped_domain(name).task("example")
        own = load_wording(shipped_domain(name).wording_path, worded.domain)
    for wording in (own, template_wording(worded.domain)):
        renaming = obfuscation(worded.domain, [worded.problem], scheme=scheme, objects=True, wordings=[wording])
        changed, carried = renaming.task(worded), renaming.wording(wording)
        assert check_wording(carried, changed.domain) == carried
        # Of itself the toolkit calls objects by their types in PDDL, `truck_0`, and so otherwise than before.
        called = {name: f"thing_{number}" for number, name in enumerate(worded.objects)}
        again = {renaming.objects[name]: word for name, word in called.items()}
        assert _texts(changed, carried, again) == _texts(worded, wording, called)
        back = renaming.inverse.wording(carried)
        assert (back.predicates, back.actions) == (wording.predicates, wording.actions)
        # A word for a type that is the type's own name says nothing, and is left out.
        assert back.types == {key: word for key, word in wording.types.items() if key != word}


def test_the_words_of_a_snippets_own_variables_and_objects_go_too() -> None:
    task = shipped_domain("blocksworld").task("p01")
    wording = load_wording(shipped_domain("blocksworld").wording_path, task.domain)
    snippet = replace(wording.actions["stack"], parameters=("?x1", "?ob"), text="stack {?x1} on {?ob}")
    wording = replace(wording, actions={**wording.actions, "stack": snippet}, objects={"a": "red", "b": "green"})
    known = obfuscation(task.domain, [task.problem], objects=True, wordings=[wording])
    assert known.wording(wording).actions["action3"].text == "stack {?x5} on {?x3}"
    assert known.inverse.wording(known.wording(wording)).actions == wording.actions
    unknown = obfuscation(task.domain, [task.problem], objects=True)
    assert unknown.wording(wording).actions["action3"].text == "stack {?x1} on {?x3}"
    assert own_name(unknown.wording(wording).objects, "object1") == "red"


def test_the_template_of_an_obfuscated_domain_tells_nothing() -> None:
    task = shipped_domain("blocksworld").task("p01")
    _, changed = renamed(task, "generic", objects=False)
    told = convert(changed, template_wording(changed.domain)).domain_text
    assert "apply the action 'action1'" in told
    assert not [name for name in symbols_of(task) if re.search(rf"\b{name}\b", told)]


# ── costs ─────────────────────────────────────────────────────────────────────────────────────────


COSTLY = """
(define (domain roads)
  (:requirements :typing :action-costs)
  (:types place)
  (:predicates (at ?p - place) (road ?a ?b - place))
  (:functions (length ?a ?b - place) (fee) (fuel) (total-cost) - number)
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) {drive})))
  (:action rest :parameters (?a - place) :precondition (at ?a) :effect {rest}))
"""
PROBLEM = """
(define (problem {name}) (:domain roads) (:objects a b c - place)
  (:init (at a) (road a b) (road b c) {values} (= (fee) 2) (= (fuel) 9) (= (total-cost) 0))
  (:goal {goal})
  {metric})
"""
COST = "(:metric minimize (total-cost))"
LENGTHS = "(= (length a b) 4) (= (length b c) 5)"
ALIKE = "(= (length a b) 4) (= (length b c) 4)"


def task(
    drive: str = "(length ?a ?b)",
    rest: str = "(increase (total-cost) 1)",
    *,
    values: str = LENGTHS,
    goal: str = "(at c)",
    metric: str = COST,
    name: str = "p",
) -> Task:
    """A task in which driving and resting cost this much."""
    domain = parse_domain(COSTLY.replace("{drive}", drive).replace("{rest}", rest))
    return Task(domain, parse_problem(PROBLEM.format(name=name, values=values, goal=goal, metric=metric), domain))


def strip(task: Task, *, every: bool = False) -> StrippedCosts:
    """What becomes of a task with one problem."""
    return strip_costs(task.domain, [task.problem], every=every)


def test_costs_that_differ_go_with_all_that_is_theirs() -> None:
    before = task()
    stripped = strip(before)
    assert (stripped.status, stripped.functions) == ("removed", ("length", "total-cost"))
    assert stripped.reason == "the cost of the action 'drive' is not constant: (length ?a ?b)"
    after = stripped.task(before)
    assert after == Task(stripped.domain, stripped.problems[0])
    assert "total-cost" not in write_domain(after.domain) + write_problem(after.problem)
    # Functions that nothing asks for at all were not there for the costs.
    assert [function.name for function in after.domain.functions] == ["fee", "fuel"]
    assert [str(value.fluent) for value in after.problem.init_values] == ["(fee)", "(fuel)"]
    assert write_domain(after.domain).count(":effect (and)") == 1
    plan = read_plan("(drive a b)\n(drive b c)")
    assert stripped.plan(plan) is plan
    assert (validate(before, plan).cost, validate(after, plan).cost) == (9, 2)


@pytest.mark.parametrize(
    ("drive", "rest", "values", "cost"),
    [
        ("3", "(increase (total-cost) 3)", LENGTHS, "3"),
        ("(length ?a ?b)", "(increase (total-cost) 4)", ALIKE, "4"),
        ("(fee)", "(and (increase (total-cost) 1.5) (at ?a) (increase (total-cost) (fee)))", LENGTHS, None),
        ("1", "(increase (total-cost) (fee))", LENGTHS, None),
        ("1", "(at ?a)", LENGTHS, None),
        ("0", "(at ?a)", LENGTHS, "0"),
        ("1", "(when (at ?a) (increase (total-cost) 1))", LENGTHS, None),
        ("1", "(forall (?p - place) (increase (total-cost) 1))", LENGTHS, None),
        ("(fee)", "(and (increase (total-cost) 2) (increase (fee) 1))", LENGTHS, None),
    ],
)
def test_uniform_costs_stay_unless_all_are_to_go(drive: str, rest: str, values: str, cost: str | None) -> None:
    before = task(drive, rest, values=values)
    stripped = strip(before)
    if cost is None:
        assert stripped.status == "removed"
        return
    assert (stripped.status, stripped.as_json()["cost"]) == ("uniform", cost)
    assert stripped.task(before) is before
    so = "all plans cost the same" if cost == "0" else "the cost of a plan follows from its length"
    assert stripped.reason == f"every action costs {cost}, so that {so}"
    everything = strip(before, every=True)
    assert everything.removed
    assert everything.as_json()["cost"] == cost


def test_whether_costs_are_uniform_is_a_matter_of_all_instances() -> None:
    one = task(rest="(increase (total-cost) 4)", values=ALIKE)
    other = parse_problem(PROBLEM.format(name="q", values=LENGTHS, goal="(at c)", metric=COST), one.domain)
    assert strip_costs(one.domain, [one.problem]).status == "uniform"
    assert strip_costs(one.domain, [one.problem, other]).status == "removed"
    # Without any problem, nothing shows what the function's values are.
    assert strip_costs(one.domain).status == "removed"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"metric": "(:metric minimize (fuel))"}, "the metric of problem 'p' is 'minimize (fuel)'"),
        ({"metric": "(:metric maximize (total-cost))"}, "the metric of problem 'p' is 'maximize (total-cost)'"),
        ({"metric": "(:metric minimize (+ (total-cost) (fuel)))"}, "is 'minimize (+ (total-cost) (fuel))'"),
        ({"goal": "(< (total-cost) 9)"}, "the goal of problem 'p' uses (total-cost)"),
        ({"rest": "(assign (total-cost) 0)"}, "'rest' uses (total-cost)"),
        ({"rest": "(decrease (total-cost) 1)"}, "'rest' uses (total-cost)"),
        ({"rest": "(increase (fuel) (total-cost))"}, "'rest' uses (total-cost)"),
        ({"rest": "(when (> (total-cost) 3) (at ?a))"}, "'rest' uses (total-cost)"),
    ],
)
def test_what_is_no_action_costs_is_left_with_the_reason(change: dict[str, str], reason: str) -> None:
    before = task(**change)  # type: ignore[arg-type]
    stripped = strip(before, every=True)
    assert stripped.status == "kept"
    assert reason in stripped.reason
    assert (stripped.domain, stripped.problems) == (before.domain, (before.problem,))


def test_requirements_that_nothing_needs_go_too() -> None:
    before = task()
    bare = replace(before.domain, functions=tuple(f for f in before.domain.functions if f.name not in ("fee", "fuel")))
    problem = replace(before.problem, init_values=before.problem.init_values[:2])
    flags = (":typing", ":action-costs", ":numeric-fluents")
    stripped = strip_costs(replace(bare, requirements=flags), [problem])
    assert stripped.domain.requirements == (":typing",)
    kept = strip_costs(replace(before.domain, requirements=flags), [before.problem])
    assert kept.domain.requirements == (":typing", ":numeric-fluents")


def test_an_action_that_failed_for_want_of_a_cost_is_warned_of() -> None:
    before = task(values="(= (length a b) 4)")
    stripped = strip(before)
    assert [warning.split(",")[0] for warning in stripped.warnings] == ["(length b c)"]
    plan = read_plan("(drive a b)\n(drive b c)")
    assert validate(before, plan).verdict == "inapplicable"
    assert validate(stripped.task(before), plan).valid
    assert strip(task()).warnings == ()


def test_a_problem_that_was_not_given_is_stripped_or_refused() -> None:
    stripped = strip(task())
    assert stripped.task(task(name="q")).problem.metric is None
    with pytest.raises(InputError, match="problem 'q' cannot lose its action costs: the metric"):
        stripped.task(task(name="q", metric="(:metric minimize (fuel))"))
    with pytest.raises(InputError, match=r"uses \(length\)"):
        stripped.task(task(name="q", goal="(> (length a b) 2)"))


def test_a_wording_loses_the_functions_and_nothing_else() -> None:
    before = task()
    stripped = strip(before)
    worded = stripped.wording(template_wording(before.domain))
    assert check_wording(worded, stripped.domain) == worded
    assert list(worded.functions) == ["fee", "fuel"]
    assert worded.predicates == template_wording(before.domain).predicates
