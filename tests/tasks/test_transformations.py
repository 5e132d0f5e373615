"""Transformations by name: every one on one task, several after each other, plans and wordings with them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.nl import Names, Wording, check_wording, convert, load_wording, template_wording
from pddl2nl.nl.wording.snippets import own_name
from pddl2nl.pddl import Task, load_task, parse_domain, parse_problem, parse_task, write_domain, write_problem
from pddl2nl.tasks.obfuscation import SCHEMES, obfuscation
from pddl2nl.tasks.shipped import shipped_domain
from pddl2nl.tasks.transformations import TRANSFORMATIONS, changes_of
from pddlval import read_plan, validate
from tests.tasks.renamed_tasks import renamed, symbols_of, words

DOMAIN = parse_domain(
    "(define (domain roads) (:requirements :strips :action-costs) (:predicates (at ?p) (road ?a ?b))"
    " (:functions (length ?a ?b) (total-cost))"
    " (:action drive :parameters (?from ?to) :precondition (and (at ?from) (road ?from ?to))"
    " :effect (and (at ?to) (not (at ?from)) (increase (total-cost) (length ?from ?to)))))"
)
PLAN = read_plan("(drive home shop)\n(drive shop work)")


def problem_of(name: str, second: int) -> Task:
    """Two roads, of which the first is 4 long."""
    text = (
        f"(define (problem {name}) (:domain roads) (:objects home shop work) (:init (at home) (road home shop)"
        f" (road shop work) (= (length home shop) 4) (= (length shop work) {second}) (= (total-cost) 0))"
        " (:goal (at work)) (:metric minimize (total-cost)))"
    )
    return Task(DOMAIN, parse_problem(text, DOMAIN))


@pytest.mark.parametrize("names", [*((name,) for name in TRANSFORMATIONS), ("strip-costs", "obfuscate:mystery")])
def test_task_plan_and_wording_go_along(names: tuple[str, ...]) -> None:
    task, plan, wording = problem_of("one", 5), PLAN, template_wording(DOMAIN)
    for change in changes_of(DOMAIN, [task.problem], names, 3):
        task, plan, wording = change.task(task), change.plan(plan), change.wording(wording)
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task
    report = validate(task, plan)
    assert report.valid
    assert report.cost == (2 if any("strip-costs" in name for name in names) else 9)
    assert check_wording(wording, task.domain) == wording


def test_all_instances_of_a_domain_get_the_same_one() -> None:
    alike, other = problem_of("alike", 4), problem_of("other", 5)
    problems = [alike.problem, other.problem]
    for names in (*((name,) for name in TRANSFORMATIONS), ("strip-costs", "obfuscate:random")):
        one, two = alike, other
        for change in changes_of(DOMAIN, problems, names, 2):
            one, two = change.task(one), change.task(two)
        assert one.domain == two.domain
    (change,) = changes_of(DOMAIN, problems[:1], ["strip-costs"], 1)
    assert change.task(alike) == alike
    (change,) = changes_of(DOMAIN, problems, ["strip-costs"], 1)
    assert change.task(alike).problem.metric is None


# ── wordings under a renaming: the same sentences for other names, and back ───────────────────────


def _texts(task: Task, wording: Wording, called: dict[str, str]) -> tuple[str, ...]:
    """All that is told of a task, with objects called so."""
    told = convert(task, wording, Names(called))
    return (told.domain_text, told.goal_text, told.objects_text, told.init_text)


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "grippers", "logistics", "visitall"])
def test_a_carried_wording_says_the_same_sentences(name: str) -> None:
    shipped = shipped_domain(name)
    task = shipped.task(shipped.example.name)
    for wording in (load_wording(shipped.wording_path, task.domain), template_wording(task.domain)):
        renaming = obfuscation(task.domain, [task.problem], scheme="mystery", objects=True, wordings=[wording])
        changed, carried = renaming.task(task), renaming.wording(wording)
        assert check_wording(carried, changed.domain) == carried
        # Of itself the toolkit calls objects by their types in PDDL, `truck_0`, and so otherwise than before.
        called = {name: f"thing_{number}" for number, name in enumerate(task.objects)}
        again = {renaming.objects[name]: word for name, word in called.items()}
        assert _texts(changed, carried, again) == _texts(task, wording, called)
        back = renaming.inverse.wording(carried)
        # A word for a type that is the type's own name says nothing, and is left out.
        types = {key: word for key, word in wording.types.items() if key != word}
        assert back == replace(wording, types=types)


@pytest.mark.parametrize("name", ["blocksworld", "logistics"])
def test_planbench_tasks_and_its_wordings(shared: Path, name: str) -> None:
    folder = shared / "planbench" / "instances" / name
    first = sorted((folder / "generated_basic").glob("*.pddl"))[0]
    task = load_task(folder / "generated_domain.pddl", first)
    wording = load_wording(shared / "planbench" / "configs" / f"{name}.yaml", task.domain)
    for scheme in SCHEMES:
        renaming = obfuscation(task.domain, [task.problem], scheme=scheme, objects=True, wordings=[wording])
        changed, carried = renaming.task(task), renaming.wording(wording)
        assert renaming.inverse.task(changed) == task
        assert not words(changed) & symbols_of(task)
        assert check_wording(carried, changed.domain) == carried
        called = {name: f"thing_{number}" for number, name in enumerate(task.objects)}
        again = {renaming.objects[name]: word for name, word in called.items()}
        assert _texts(changed, carried, again) == _texts(task, wording, called)
        assert renaming.inverse.wording(carried).actions == wording.actions


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
