"""No prompt tells what its model must not know: nodes of a scene graph that are not expanded, and hidden facts.

The prompts of whole runs are searched as texts. What the model itself has said, right or by chance, is no leak.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pddl2nl.experiments.runs import run_spec
from pddl2nl.pddl import Task, write_domain
from pddl2nl.policies.events import Prompted, Replied, RunEvent
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.brainbody.events import ErrorSignal
from pddl2nl.systems.brainbody.prompts import LAYOUT as BRAINBODY
from pddl2nl.systems.sayplan.plans import read_reply
from pddl2nl.systems.sayplan.sayplan import LAYOUT as SAYPLAN
from pddl2nl.systems.sayplan.scene_graph import SceneRoles, load_roles, scene_graph
from pddl2nl.tasks import ShippedDomain, shipped_domain
from pddl2nl.tasks.shipped import find_task
from tests.systems.sayplan.conftest import BUILDING, ROLES
from tests.systems.sayplan.test_own_scene import GOAL, PAPER

pytestmark = pytest.mark.usefixtures("needs_planner")

HOUSEHOLD, TABLETOP = shipped_domain("household"), shipped_domain("tabletop")
OUT_OF_REACH = re.compile(r"\breach|workspace")


def _played(task: Task, policy: str, model: str = "oracle", **options: object) -> list[RunEvent]:
    return [*run_spec(RunSpec.of(task, policy, model=model, **options)).events]


def _asked(events: Sequence[RunEvent]) -> Iterator[tuple[str, str, list[str]]]:
    """The instructions of each prompt, its question, and what was replied before it; examples are of other tasks."""
    replies: list[str] = []
    for event in events:
        if isinstance(event, Replied):
            replies.append(event.text)
        elif isinstance(event, Prompted) and event.messages:
            # A record has only the messages that the prompt before it does not have.
            instructions = event.messages[0].content if event.messages[0].role == "system" else ""
            yield instructions, event.messages[-1].content, replies


# ── SayPlan: nodes that are not expanded ─────────────────────────────────────────────────────────


def _leaked_nodes(task: Task, roles: SceneRoles, events: Sequence[RunEvent]) -> set[str]:
    """Nodes that a prompt names although no reply has expanded what they are in, or has contracted it again."""
    graph, leaked, prompts = scene_graph(task, roles), set[str](), 0
    for instructions, question, replies in _asked(events):
        expanded: set[str] = set()
        for reply in replies:
            verb, _, node = str(read_reply(reply).get("command", "")).removesuffix(")").partition("(")
            if verb == "expand":
                expanded.add(node)
            elif verb == "contract":
                expanded = {each for each in expanded if node not in (each, *graph.above(each))}
        sections = SAYPLAN.read(question)
        # The task may name a thing, and the plan is what the model wrote.
        text = " ".join(told for name, told in sections.items() if name not in ("Task", "Plan"))
        words = {*re.findall(r"\w+", f"{instructions} {text}")}
        said = {*re.findall(r"\w+", " ".join([*replies, sections["Task"]]))}
        for name in graph.nodes:
            opened = all(each in expanded for each in graph.above(name) if graph.nodes[each].opens)
            if not opened and name in words - said:
                leaked.add(name)
        prompts += 1
    assert prompts
    return leaked


@pytest.mark.parametrize("top", ["room", "floor"])
@pytest.mark.parametrize("model", ["oracle", "oracle:missing-open", "oracle:hallucinated-node", "oracle:no-contract"])
def test_sayplans_prompts_name_no_node_that_is_not_expanded(model: str, top: str) -> None:
    task, roles = BUILDING.task("hs02"), ROLES.shown_from(top)
    assert _leaked_nodes(task, roles, _played(task, "sayplan", model, files={"scene.json": roles})) == set()


def test_the_search_for_leaked_nodes_finds_one() -> None:
    task = BUILDING.task("p02")
    events = _played(task, "sayplan-full")
    assert {"fridge", "orange1"} & _leaked_nodes(task, ROLES, events)


@pytest.mark.heavy  # a minute
@pytest.mark.parametrize("model", ["oracle", "oracle:missing-open"])
def test_sayplans_prompts_in_all_tasks(model: str) -> None:
    instances = [each.instance for each in BUILDING.references if each.role != "example"]
    assert len(instances) >= 90
    leaks = {
        name: _leaked_nodes(task, ROLES, _played(task, "sayplan", model))
        for name in instances
        for task in [BUILDING.task(name)]
    }
    assert {name: nodes for name, nodes in leaks.items() if nodes} == {}


# ── BrainBody-LLM: hidden facts ──────────────────────────────────────────────────────────────────


def _leaks(events: Sequence[RunEvent], hidden: re.Pattern[str], predicates: tuple[str, ...]) -> list[str]:
    """The lines of prompts, without their examples, in which words for hidden facts stand.

    The message of an error may have them if nothing else was wrong.
    """
    found, prompts = list[str](), 0
    signals = {event.text: event for event in events if isinstance(event, ErrorSignal)}
    for instructions, question, replies in _asked(events):
        sections = BRAINBODY.read(question)
        message = sections.pop("Message", "")
        if hidden.search(message):
            unmet = next(signal.unmet for text, signal in signals.items() if text.strip() == message.strip())
            assert unmet
            assert all(literal.startswith(tuple(f"({name}" for name in predicates)) for literal in unmet), unmet
        # The task's own text and the plan are no news.
        texts = [instructions, *(told for name, told in sections.items() if name not in ("Task", "Plan"))]
        said = "\n".join(replies)
        found += [line for text in texts for line in text.splitlines() if hidden.search(line) and line not in said]
        prompts += 1
    assert prompts
    return found


@pytest.mark.parametrize("policy", ["brainbody", "brainbody-open", "base", "progprompt", "huang"])
def test_prompts_about_the_arm_do_not_say_what_it_reaches(policy: str) -> None:
    events = _played(TABLETOP.task("f03"), policy)
    assert _leaks(events, OUT_OF_REACH, ("in-workspace", "reachable")) == []


@pytest.mark.heavy  # up to two minutes
@pytest.mark.parametrize(("shipped", "every"), [(HOUSEHOLD, 2), (TABLETOP, 1)], ids=["household", "tabletop"])
def test_brainbodys_prompts_in_its_tasks(shipped: ShippedDomain, every: int) -> None:
    instances = [each.instance for each in shipped.references if each.role != "example"]
    for instance in instances[::every]:
        for policy in ("brainbody", "progprompt"):
            events = _played(shipped.task(instance), policy)
            assert _leaks(events, OUT_OF_REACH, ("in-workspace", "reachable")) == [], instance


# ── a domain of one's own ────────────────────────────────────────────────────────────────────────

GREENHOUSE = """(define (domain greenhouse)
  (:requirements :strips :typing :negative-preconditions)
  (:types place plant)
  (:predicates (robot-at ?p - place) (path ?a ?b - place) (jammed ?p - place) (grows-in ?x - plant ?p - place)
    (watered ?x - plant))
  (:action go
    :parameters (?a ?b - place)
    :precondition (and (robot-at ?a) (path ?a ?b) (not (jammed ?b)))
    :effect (and (not (robot-at ?a)) (robot-at ?b)))
  (:action water
    :parameters (?x - plant ?p - place)
    :precondition (and (robot-at ?p) (grows-in ?x ?p))
    :effect (watered ?x)))
"""
FERN = """(define (problem fern)
  (:domain greenhouse)
  (:objects porch hall yard lawn shed - place fern - plant)
  (:init (robot-at porch) (path porch hall) (path hall shed) (path porch yard) (path yard lawn) (path lawn shed)
    (jammed hall) (grows-in fern shed))
  (:goal (watered fern)))
"""
ROBOT = {
    "format": 1,
    "hidden": ["jammed"],
    "primitives": [
        {"name": "go", "slots": ["place"], "actions": [{"action": "go", "slots": {"place": "?b"}}]},
        {"name": "water", "slots": ["plant"], "actions": [{"action": "water", "slots": {"plant": "?x"}}]},
    ],
}


def test_a_robot_file_beside_ones_own_domain_hides_its_facts(tmp_path: Path) -> None:
    for name, text in (("domain.pddl", GREENHOUSE), ("fern.pddl", FERN), ("robot.json", json.dumps(ROBOT))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    task = find_task(tmp_path / "domain.pddl", tmp_path / "fern.pddl")
    events = _played(task, "brainbody", names="original")
    assert events[-1].outcome == "solved"  # type: ignore[attr-defined]
    errors = [event for event in events if isinstance(event, ErrorSignal)]
    assert [error.unmet for error in errors] == [("(not (jammed hall))",)]
    assert _leaks(events, re.compile("jammed"), ("not (jammed",)) == []


def test_ones_own_scene_is_told_as_far_as_it_is_expanded(tmp_path: Path) -> None:
    text = write_domain(BUILDING.domain).replace("(domain building)", "(domain mine)")
    (tmp_path / "domain.pddl").write_text(text, encoding="utf-8")
    (tmp_path / "flat.json").write_text(json.dumps(PAPER | {"goal": GOAL}), encoding="utf-8")
    (tmp_path / "scene.json").write_bytes((BUILDING.folder / "scene.json").read_bytes())
    task = find_task(tmp_path / "domain.pddl", tmp_path / "flat.json")
    events = _played(task, "sayplan")
    assert events[-1].outcome == "solved"  # type: ignore[attr-defined]
    assert _leaked_nodes(task, load_roles(tmp_path / "scene.json"), events) == set()
