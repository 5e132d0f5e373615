"""The prompts of hierarchical policies: golden files, the layout, the examples."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.llm import Completion, Message, Request
from pddl2nl.nl import choose_wording
from pddl2nl.nl.reading.told import objects_of, read_state
from pddl2nl.nl.telling.teller import JOINER, STATE_START
from pddl2nl.policies import Episode, Setting, make_policy
from pddl2nl.policies.prompts import stage_of
from pddl2nl.systems import hvr
from pddl2nl.systems.hvr.blocks import macro_words
from pddl2nl.systems.hvr.examples import shown_for
from pddl2nl.systems.hvr.knowledge_graph import ROBOT, KnowledgeGraph
from pddl2nl.systems.hvr.ontology import read_ontology
from pddl2nl.systems.hvr.options import ONTOLOGY_FILE, HVROptions
from pddl2nl.systems.hvr.prompting import LAYOUT, Shots
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.references import reference_of, references_of
from tests.policies.staged_model import block
from tests.settings import plain_setting
from tests.systems.hvr.conftest import staged

GOLDEN = Path(__file__).parent / "golden"
# Read before the fixture that hides such settings from the tests.
WRITE = os.environ.get("PDDL2NL_GOLDEN") == "write"
LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"
CONDITIONS = (
    "1. precondition: (free)\neffect: (held cup_0)\n"
    "2. precondition: (held cup_0)\neffect: (and (free) (at cup_0 place_0))"
)
"""The first precondition is too weak: the cup need not be there."""


@pytest.fixture(scope="module")
def kitchen() -> Any:
    """What an episode of a task of the kitchen is about."""

    def _setting(instance: str, domain: str = "kitchen") -> Setting:
        shipped = shipped_domain(domain)
        task = shipped.task(instance)
        wording = choose_wording(str(shipped.wording_path), task.domain)
        path = shipped.folder / ONTOLOGY_FILE
        files = {ONTOLOGY_FILE: read_ontology(path.read_text(encoding="utf-8"))} if path.is_file() else {}
        return plain_setting(task, wording, files=files)

    return _setting


# ── golden files ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def asked(play: Any, world: Any) -> dict[str, Sequence[Message]]:
    """The last question of each stage, of two runs in which there is something to be mended."""
    replies = {
        "retrieval": "cup_0\nplace_0\nplace_1",
        "macro-plan": "1. Take the red cup\n2. Put it on the shelf",
        "conditions": CONDITIONS.replace("(held cup_0)\neffect: (and", "(held cup_1)\neffect: (and"),
        "conditions-correction": CONDITIONS,
        "conditions-refinement": CONDITIONS,
        "block": [block(LIFT), block("smash cup_0")],
        "block-correction": block(PUT),
        "plan": block(PUT, "jump"),
        "plan-correction": block(LIFT, PUT),
    }
    model = staged(replies)
    setting = replace(world.setting(shown=False), task_text="Put the red cup on the shelf.")
    for policy in ("hvr", "vr"):
        assert play(policy, model=model, setting=setting, steps=None).finished.outcome == "solved"
    return {stage: model.conversations(stage)[-1] for stage in LAYOUT.stages}


def test_the_user_does_not_say_i_as_the_robot_does() -> None:
    told = {
        path.name: path.read_text(encoding="utf-8") for path in (Path(hvr.__file__).parent / "prompts").glob("*.txt")
    }
    told |= {f"task {each.instance}": each.texts["goal"] for each in shipped_domain("kitchen").references}
    said = re.compile(r"\b(?:I|me|my)\b")
    texts = {name: text.replace('it says "I"', "") for name, text in told.items() if "_reply" not in name}
    assert not [name for name, text in texts.items() if said.search(text)]


@pytest.mark.parametrize("stage", LAYOUT.stages)
def test_a_prompt_reads_as_the_golden_file(asked: Any, stage: str) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    text = "".join(f"────── {message.role}\n{message.content}\n" for message in asked[stage])
    path = GOLDEN / f"{stage}.txt"
    if WRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


# ── what is told ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("domain", ["kitchen", "blocksworld", "logistics", "rovers", "ferry", "visitall"])
def test_what_is_told_of_objects_is_the_state(kitchen: Any, domain: str) -> None:
    """Every fact of the initial state stands in a line of the object that it is about, and can be read back."""
    setting = kitchen(shipped_domain(domain).instances[0].name, domain)
    task, teller = setting.simulator.task, setting.teller
    lines = KnowledgeGraph(teller).object_lines()
    told = objects_of(task, teller.names)
    found: list[str] = []
    for line in lines:
        head, _, facts = line.partition(": ")
        assert head == ROBOT or head.split(" (")[0] in told
        found += filter(None, facts.split("; "))
    state = read_state(STATE_START + JOINER.join(found) + ".", task.domain, teller.wording, told)
    hidden = {name for name, snippet in teller.wording.predicates.items() if snippet.text is None}
    initial = setting.simulator.initial
    assert sorted(state.atoms) == sorted(atom for atom in initial.atoms if atom[0] not in hidden)
    assert dict(state.values) == dict(initial.values)


def test_what_is_not_there_yet_is_told_where_it_comes_from(kitchen: Any) -> None:
    setting = kitchen("t03")
    graph = KnowledgeGraph(setting.teller, setting.files[ONTOLOGY_FILE])
    assert not any("egg_cracked" in line for line in graph.available_lines())
    lines = graph.object_lines(["egg-1"])
    assert [line.split(" (")[0] for line in lines] == ["robot: the robot's arm is empty", "egg_1", "egg_cracked_1"]
    assert "egg_cracked_1 comes out of egg_1" in lines[-1]
    assert len(graph.object_lines(["plate-1"])) == 2
    state = setting.simulator.initial
    for action in ("(navigate-to-obj egg-1)", "(pick-up egg-1)", "(crack-obj egg-1)"):
        state = setting.simulator.step(state, action).successor
    graph.update(state)
    assert any(line.startswith("egg_cracked_1 (EggCracked)") for line in graph.available_lines())
    assert not any(line.startswith("egg_1 ") for line in graph.available_lines())


# ── examples ─────────────────────────────────────────────────────────────────────────────────────


def shots(setting: Setting, *, hierarchy: bool) -> Shots:
    """The examples of a policy."""
    return shown_for(HVROptions(hierarchy=hierarchy), setting.teller, setting.files.get(ONTOLOGY_FILE))


@pytest.mark.parametrize("instance", ["example", "t01", "t03", "t05bis", "t12"])
def test_the_examples_are_two_other_tasks_of_the_domain(kitchen: Any, instance: str) -> None:
    setting = kitchen(instance)
    shown = shots(setting, hierarchy=True)
    assert {stage: len(shown.get(stage, ())) for stage in LAYOUT.stages} == {
        "retrieval": 0,
        "macro-plan": 2,
        "conditions": 1,
        "conditions-correction": 0,
        "conditions-refinement": 0,
        "block": 2,
        "block-correction": 1,
        "plan": 0,
        "plan-correction": 0,
    }
    own = next(item for item in references_of(setting.simulator.task.domain) if item.instance == instance)
    texts = [LAYOUT.read(question)["Task"] for question, _ in shown.get("macro-plan", ())]
    assert len({*texts}) == 2
    assert not {*texts} & {*own.texts.values()}
    if instance != "example":
        assert "pot of boiling water" in texts[0]
    flat = shots(setting, hierarchy=False)
    assert [len(flat.get(stage, ())) for stage in ("plan", "plan-correction", "block")] == [2, 1, 0]


@pytest.mark.parametrize("domain", ["kitchen", "blocksworld"])
@pytest.mark.parametrize("hierarchy", [True, False])
def test_examples_answer_their_questions(kitchen: Any, domain: str, hierarchy: bool) -> None:
    setting = kitchen(shipped_domain(domain).instances[-1].name, domain)
    shown = shots(setting, hierarchy=hierarchy)
    for question, reply in shown.get("macro-plan", ()):
        assert len(macro_words(reply)) >= 2
        assert "Objects" not in LAYOUT.read(question), "classes only"
    for stage in ("block", "block-correction", "plan", "plan-correction"):
        for question, reply in shown.get(stage, ()):
            said = LAYOUT.read(question)
            remarks, _, actions = reply.partition("\nActions:\n")
            assert remarks
            assert actions
            if stage.endswith("correction"):
                broken = said["Block" if stage.startswith("block") else "Plan"].splitlines()
                assert len(actions.splitlines()) == len(broken) + 1
                assert "Violated" in said["Feedback"]
            # What an action is about is told.
            names = {line.split(" (")[0].removeprefix("- ") for line in said["Objects"].splitlines()}
            assert all(any(word in names for word in action.split()) for action in actions.splitlines())


# ── compact ───────────────────────────────────────────────────────────────────────────────────────


KITCHEN = shipped_domain("kitchen")
LARGEST = "t12"
WINDOW = 4096
"""Of Phi-3-mini-4k-instruct."""
SHORTEST_REPLY = 200
"""A model may say more than the oracle: so many tokens are left to it in any case."""


class Counting:
    """The oracle, with the most tokens of each stage; without preconditions, claims are refuted after each block."""

    name = "counting"

    def __init__(self, setting: Setting, mistake: str, careless: bool):
        self._oracle = PlanOracle(setting.teller.task.domain, setting.teller.wording, mistake)
        self._careless = careless
        self.most: dict[str, int] = {}

    def complete(self, request: Request) -> Completion:
        stage, reply = stage_of(request.messages), self._oracle.complete(request).text
        assert stage is not None
        count = pytest.importorskip("rs_bpe.bpe").openai.cl100k_base().count
        used = sum(count(message.content) for message in request.messages) + max(count(reply), SHORTEST_REPLY)
        self.most[stage] = max(used, self.most.get(stage, 0))
        if self._careless and stage == "conditions":
            reply = re.sub(r"precondition: .*", "precondition: (and)", reply)
        return Completion(reply)


def setting(instance: str) -> Setting:
    task = KITCHEN.task(instance)
    reference = reference_of(task)
    assert reference is not None
    text = max(reference.texts.values(), key=len)
    ontology = read_ontology((KITCHEN.folder / ONTOLOGY_FILE).read_text(encoding="utf-8"))
    wording = choose_wording(str(KITCHEN.wording_path), task.domain)
    return plain_setting(task, wording, task_text=text, files={ONTOLOGY_FILE: ontology})


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.heavy
@pytest.mark.parametrize("instance", ["t01", "t05bis", "t09", "t12"])
def test_every_stage_fits_the_window(instance: str) -> None:
    most: dict[tuple[str, str], int] = {}
    every = (
        ("hvr", "missing-step", True),
        ("hvr", "wrong-precondition", False),
        ("hv", "missing-step", True),
        ("hv", "wrong-precondition", False),
        ("vr", "missing-step", False),
        ("llm", "", False),
    )
    # The whole system has every stage but that of `llm`; its ablations say less, and are tried on the largest task.
    for policy, mistake, careless in every if instance == LARGEST else (*every[:2], every[-1]):
        here = setting(instance)
        model = Counting(here, mistake, careless)
        finished = Episode(here, model).play(make_policy(policy, {"prompt_size": "compact"}))
        assert finished.outcome == "solved", finished
        for stage, used in model.most.items():
            most[policy, stage] = max(used, most.get((policy, stage), 0))
    assert instance != LARGEST or {stage for _, stage in most} == {*LAYOUT.stages}
    # Without retrieval the largest task's corrections are longer.
    assert {key for key, used in most.items() if used > WINDOW} <= {("hv", "conditions-correction")}
