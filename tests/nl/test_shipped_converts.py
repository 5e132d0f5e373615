"""Every shipped instance, of every set: told whole, under its reviewed wording and the template, and read back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pddl2nl.nl import Reader, Teller, Wording, choose_wording, load_wording, make_names, template_wording
from pddl2nl.nl.reading.told import read_problem
from pddl2nl.nl.telling.domain import action_lines
from pddl2nl.nl.telling.phrases import Phrases
from pddl2nl.nl.wording.english import article
from pddl2nl.pddl import Problem, Task, load_domain, load_task
from pddl2nl.tasks import ShippedDomain, authored_domains, shipped_domain, shipped_domains
from pddlval import GroundAction, Simulator

DOMAINS = (*shipped_domains(), *authored_domains())
WALK = 12
"""Actions of a walk: as many as a middling plan has."""


def _wording(shipped: ShippedDomain, name: str) -> Wording:
    if name == "shipped":
        return load_wording(shipped.wording_path, shipped.domain)
    return choose_wording(name, shipped.domain, shipped.domain_path)


def _tasks(shipped: ShippedDomain) -> Iterator[tuple[str, Task]]:
    for each in shipped.instances:
        yield each.name, shipped.task(each.name)


def _said(problem: Problem) -> tuple[object, ...]:
    return {item.name for item in problem.objects}, set(problem.init)


@pytest.mark.parametrize("wording", ["shipped", "template"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_instance_is_told_whole(domain: str, wording: str) -> None:
    shipped = shipped_domain(domain)
    assert shipped.instances
    chosen = _wording(shipped, wording)
    told = Teller(shipped.task("example"), chosen, make_names(shipped.task("example"), "typed", chosen)).domain_text()
    for action in shipped.domain.actions:
        assert chosen.actions[action.name].text, action.name
    for name, task in _tasks(shipped):
        teller = Teller(task, chosen, make_names(task, "typed", chosen))
        for text in (teller.goal_text(), teller.objects_text(), teller.init_text()):
            assert text.strip(), name
            assert not set("{}?") & set(text), (name, text)
        # What can be done is said alike for all of them.
        assert teller.domain_text() == told


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_walk_is_read_as_it_was_told(domain: str) -> None:
    shipped = shipped_domain(domain)
    chosen = _wording(shipped, "shipped")
    for name in ("example", shipped.benchmarks[-1].name):
        task = shipped.task(name)
        names = make_names(task, "typed", chosen)
        walk = _walk(task)
        assert walk
        told = "\n".join(map(Teller(task, chosen, names).action, walk))
        readings = Reader(task, chosen, names).read(told)
        assert readings.plan == tuple(walk), name
        assert {reading.rule for reading in readings.chosen} == {"exact"}


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_problem_is_read_as_it_was_told(domain: str) -> None:
    shipped = shipped_domain(domain)
    chosen = _wording(shipped, "shipped")
    task = shipped.task("example")
    # Under names that are told as they are, what is read can be compared with what was told.
    teller = Teller(task, chosen, make_names(task, "original", chosen))
    text = "\n\n".join((teller.goal_text(), teller.objects_text(), teller.init_text()))
    read = read_problem(text, shipped.domain, chosen)
    assert _said(read) == _said(task.problem)
    # Bound variables have no names in words, so goals are compared told.
    again = Task(shipped.domain, read)
    assert Teller(again, chosen, make_names(again, "original", chosen)).goal_text() == teller.goal_text()


def _walk(task: Task) -> list[GroundAction]:
    """The actions of a walk that repeats none as long as there is another."""
    simulator = Simulator(task)
    state, walk = simulator.initial, list[GroundAction]()
    while len(walk) < WALK:
        applicable = list(simulator.applicable(state))
        if not applicable:
            break
        action = next((each for each in applicable if each not in walk), applicable[0])
        walk.append(action)
        state = simulator.step(state, action).successor or state
    return walk


# ── headings ──────────────────────────────────────────────────────────────────────────────────────


DIGESTS = {
    "blocksworld": "cce61e499f4e66fa",
    "data-network18": "7cd731b17a8f8c77",
    "depot": "1f0d72e82806f9c2",
    "ferry": "0013117a4afa4eb0",
    "goldminer": "214fca8557bd482d",
    "gripper98": "fb002d9c6e451e31",
    "hiking14": "cd0545aa2359b246",
    "logistics": "516d97b9cc8b16f4",
    "movie-complex": "2d24f9b029fa2171",
    "rovers": "f8d94a8384afb7eb",
    "snake18-bfs": "3617850acdbdb31e",
    "visitall": "6999c87232d18668",
}
WRONG = {
    "an article behind a variable stands before a participle": re.compile(r"\b[A-Z]\d*,? an? \w+ing\b"),
    "two articles": re.compile(r"\ban? (?:an?|the)\b"),
    "a noun twice": re.compile(r"\b([\w-]+) \1\b"),
    "an article before a verb": re.compile(r"\b(?:start|stop|keep|begin|finish|by|while) an? \w+ing\b"),
}


def headings(domain: Path, wordings: Iterator[Path]) -> Iterator[str]:
    tree = load_domain(domain)
    for file in sorted(wordings):
        yield from action_lines(Phrases(load_wording(file, tree), tree))


def check(lines: list[str]) -> None:
    faults = [f"{name}: {line}" for line in lines for name, pattern in WRONG.items() if pattern.search(line)]
    assert not faults, "\n".join(faults)


def test_articles_of_the_shipped_wordings(root: Path) -> None:
    lines = [
        line
        for file in sorted(root.glob("domains/*/wording.json"))
        for line in headings(file.with_name("domain.pddl"), iter([file]))
    ]
    assert len(lines) > 100
    check(lines)


def test_articles_of_autoplanbench_s_wordings(shared: Path) -> None:
    changed = []
    for domain in sorted(shared.glob("autoplanbench/*/domain.pddl")):
        lines = list(headings(domain, domain.parent.glob("domain_description_seed*.json")))
        check(lines)
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
        if digest != DIGESTS.get(domain.parent.name, digest):
            changed.append((domain.parent.name, digest))
    # Read the headings of these domains before their digests are changed.
    assert not changed


# ── every task of the reference set is told, and every sentence of it is whole ────────────────────


_BEFORE_A_NAME = re.compile(r"(?<![\w'])(?:an?|every|no) (?=[A-Z]\d*(?!\w))")


def faults(text: str, names: frozenset[str]) -> Iterator[str]:
    """What no told line may have: an open bracket, a brace, a wrong article, two blanks, a lost full stop."""
    for line in text.split("\n"):
        if line.count("(") != line.count(")"):
            yield f"brackets: {line}"
        if "{" in line or "}" in line or "  " in line or " ," in line or " ." in line:
            yield f"form: {line}"
        if _BEFORE_A_NAME.search(line):
            yield f"an article before a letter: {line}"
        for said, word in re.findall(r"(?<![\w'-])(an?) ('?[A-Za-z][\w-]*)", line):
            if said != article(word):
                yield f"'{said} {word}': {line}"
            if word in names:
                yield f"an article before a name, '{said} {word}': {line}"


@pytest.mark.parametrize("folder", ["ipc/*/*", "numeric/*/*", "speed/*"])
def test_every_task_is_told_in_whole_sentences(shared: Path, folder: str) -> None:
    count = 0
    for path in sorted(shared.glob(f"{folder}/domain.pddl")):
        # The largest tasks take seconds to read and have the domains of smaller ones.
        if path.with_name("problem.pddl").stat().st_size > 1_000_000:
            continue
        task = load_task(path, path.with_name("problem.pddl"))
        teller = Teller(task, template_wording(task.domain), make_names(task))
        names = frozenset(teller.names.to_nl.values())
        # A long condition is a list, whose items belong to the sentence above them.
        domain = re.sub(r"\n +", " ", teller.domain_text())
        texts = (domain, teller.objects_text(), teller.init_text(), teller.goal_text())
        found = [fault for text in texts for fault in faults(text, names)]
        assert not found, f"{path}: {found[:3]}"
        told = [line for line in domain.split("\n") if line.startswith(("I can ", "Once I ", "For every ", "It is "))]
        assert all(line.endswith(".") for line in told), path
        assert sum(line.startswith("I can ") for line in told) >= len(task.domain.actions), path
        assert sum(line.startswith("Once I ") for line in told) >= len(task.domain.actions), path
        count += 1
    assert count >= 9
