"""Wordings under a renaming: the same sentences for other names, and back."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.nl import Names, Wording, check_wording, convert, load_wording, template_wording
from pddl2nl.nl.wording.snippets import own_name
from pddl2nl.pddl import Task, load_task
from pddl2nl.tasks.obfuscation import SCHEMES, obfuscation
from pddl2nl.tasks.shipped import shipped_domain
from tests.tasks.renamed_tasks import renamed, symbols_of, words


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
