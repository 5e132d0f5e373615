"""HVR and its ablations, played against a model that answers by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pddl2nl.macros.library import Library, Provenance, StoredMacro
from pddl2nl.nl import Reader, Teller, make_names, template_wording
from pddl2nl.pddl import Task, parse_task
from pddl2nl.systems.hvr.blocks import MOST_MACROS, Part, macro_words
from pddl2nl.systems.hvr.events import MacroProved
from pddl2nl.systems.hvr.library import keep_macros, known_blocks
from pddl2nl.systems.hvr.ontology import read_ontology
from pddlval import GroundAction, Simulator, State, validate
from tests.policies.conftest import DOMAIN, PROBLEM, Played
from tests.policies.staged_model import Answer, Staged, block
from tests.systems.hvr.conftest import PRESETS, graph_of, staged

LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"
PLAN = ("(lift red table)", "(put red shelf)")
MACROS = "1. Take the red cup\n2. Put the red cup on the shelf"
TAKEN = (
    "1. precondition: (and (at cup_0 place_1) (free))\n"
    "   effect: (and (held cup_0) (not (at cup_0 place_1)) (not (free)))"
)
CONDITIONS = f"{TAKEN}\n2. precondition: (held cup_0)\n   effect: (and (at cup_0 place_0) (free) (not (held cup_0)))"
RIGHT: dict[str, Answer | Sequence[Answer]] = {
    "retrieval": "cup_0\nplace_0\nplace_1",
    "macro-plan": MACROS,
    "conditions": CONDITIONS,
    "block": [block(LIFT), block(PUT)],
    "plan": block(LIFT, PUT),
}
HIERARCHICAL = ("hvr", "hv", "hr")


class Slippery:
    """A world in which the first actions of some name do nothing."""

    reported = ""

    def __init__(self, simulator: Simulator, name: str, times: int = 1):
        self._simulator = simulator
        self._name = name
        self._left = times

    def execute(self, state: State, action: GroundAction) -> State:
        if action.name == self._name and self._left:
            self._left -= 1
            return state
        return self._simulator.step(state, action).successor or state


@pytest.fixture
def run(play: Any, world: Any) -> Any:
    def _run(policy: str, replies: Mapping[str, Any] | None = None, **options: Any) -> tuple[Played, Staged]:
        model = staged(RIGHT | dict(replies or {}))
        made = {name: options.pop(name) for name in ("executor", "task_text") if name in options}
        chosen = {name: options.pop(name) for name in ("replans", "library") if name in options}
        setting = replace(world.setting(shown=False, policy=policy), **made)
        return play(policy, model=model, setting=setting, steps=None, chosen=chosen, **options), model

    return _run


# ── all goes well ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", PRESETS)
def test_a_task_is_solved(run: Any, policy: str) -> None:
    played, _ = run(policy)
    assert (played.finished.outcome, played.finished.plan) == ("solved", PLAN)
    assert played.finished.proposed == PLAN
    assert played.finished.steps == 2
    (plan,) = played.of("plan-expanded")
    assert (plan.actions, plan.verified, plan.goal) == (PLAN, 2, True)
    assert plan.macros == ((1, 2) if policy in HIERARCHICAL else (0, 0))
    blocks = played.of("block-expanded")
    assert [(item.macro, item.round, item.verified, item.holds) for item in blocks] == (
        [(1, 0, 1, True), (2, 0, 1, True)] if policy in HIERARCHICAL else [(0, 0, 2, True)]
    )
    assert [item.whole for item in played.of("retrieved")] == [policy in ("hv", "llm")] * (
        3 if policy in HIERARCHICAL else 1
    )


def test_only_what_was_retrieved_is_told(run: Any) -> None:
    _, model = run("hvr")
    for question in model.asked("block"):
        assert "cup_0 (Cup" in question["Objects"]
        assert "cup_1" not in question["Objects"]
    _, whole = run("hv")
    assert all("cup_1 is on place_1" in question["Objects"] for question in whole.asked("block"))


# ── verification and correction ──────────────────────────────────────────────────────────────────

TWO_AT_ONCE = f"{TAKEN}\n2. precondition: (held cup_1)\n   effect: (and (at cup_0 place_0) (free) (not (held cup_0)))"


@pytest.mark.parametrize("policy", ["hvr", "hv"])
def test_a_wrong_precondition_is_told_and_corrected(run: Any, policy: str) -> None:
    played, model = run(policy, {"conditions": TWO_AT_ONCE, "conditions-correction": CONDITIONS})
    (asked,) = model.asked("conditions-correction")
    assert "Macro-action 2" in asked["Feedback"]
    assert "(held cup_1)" in asked["Feedback"]
    assert "(cup_0, at, place_1)" in asked["Location triples"]
    checks = [(item.round, item.verified) for item in played.of("macros-verified")]
    assert checks == [(0, 1), (1, 2)]
    assert len(model.conversations("conditions-correction")[0]) == 2, "no example in a correction"
    assert played.finished.outcome == "solved"


def test_conditions_are_corrected_five_times_at_most(run: Any) -> None:
    # Another mistake each time, since the same one is not asked about twice.
    wrong = [TWO_AT_ONCE.replace("(held cup_1)", f"(and (held cup_1) (at cup_1 place_{item % 2}))") for item in (0, 1)]
    more = [TWO_AT_ONCE.replace("cup_1)", "cup_1) (free)").replace("2. pre", "2. pre")]
    wrong += [TWO_AT_ONCE.replace("(held cup_1)", f"(and (held cup_{item}) (at cup_0 place_0))") for item in (0, 1)]
    wrong += [TWO_AT_ONCE.replace("(held cup_1)", f"(and (free) (at cup_{item} place_0))") for item in (0, 1)] + more
    played, model = run("hvr", {"conditions": TWO_AT_ONCE, "conditions-correction": wrong})
    assert len(model.asked("conditions-correction")) == 5
    assert [item.round for item in played.of("macros-verified")] == [0, 1, 2, 3, 4, 5]
    # The blocks say what is right, and that is what is executed.
    assert played.finished.outcome == "solved"


def test_without_verification_nothing_is_told_and_all_is_measured(run: Any) -> None:
    played, model = run("hr", {"conditions": TWO_AT_ONCE, "block": [block(PUT), block(LIFT)]})
    assert {*model.stages} == {"retrieval", "macro-plan", "conditions", "block"}
    assert [(item.verified, item.total) for item in played.of("macros-verified")] == [(1, 2)]
    blocks = played.of("block-expanded")
    assert [(item.macro, item.round, item.verified, item.holds) for item in blocks] == [
        (1, 0, 0, False),
        (2, 0, 1, False),
    ]
    assert blocks[0].unmet == ("(held red)",)
    told = [question for stage in model.stages for question in model.asked(stage)]
    assert not any("Feedback" in question or "Its conditions" in question for question in told)
    assert not played.of("macro-proved")
    assert (played.finished.outcome, played.finished.plan) == ("inapplicable", ())
    assert played.finished.fault is not None
    assert played.finished.fault.status == "inapplicable"
    assert played.of("plan-expanded")[0].verified == 0


@pytest.mark.parametrize(
    ("stage", "policy", "replies"),
    [
        ("block-correction", "hvr", {"conditions": "1. precondition: (free)\neffect: (at cup_0 place_0)"}),
        ("plan-correction", "vr", {}),
    ],
)
def test_a_wrong_order_is_told_and_corrected(run: Any, stage: str, policy: str, replies: dict[str, Any]) -> None:
    replies |= {"macro-plan": "Tidy up", "block": block(PUT, LIFT), "plan": block(PUT, LIFT), stage: block(LIFT, PUT)}
    played, model = run(policy, replies)
    (asked,) = model.asked(stage)
    assert asked["Feedback"].startswith(f"Step 1, {PUT}, cannot be done because I do not hold cup_0. Violated:\n- ")
    assert "(held cup_0)" in asked["Feedback"]
    assert asked["Block" if stage.startswith("block") else "Plan"] == f"1. {PUT}\n2. {LIFT}"
    assert [(item.round, item.holds) for item in played.of("block-expanded")] == [(0, False), (1, True)]
    assert len(model.conversations(stage)[0]) == 4, "one example in a correction"
    assert played.finished.outcome == "solved"


def test_a_missing_step_is_told_and_corrected(run: Any) -> None:
    played, model = run("vr", {"plan": block(LIFT), "plan-correction": block(LIFT, PUT)})
    (asked,) = model.asked("plan-correction")
    assert asked["Feedback"].startswith("All steps can be done, but after them the task is not done.")
    assert "(at cup_0 place_0)" in asked["Feedback"]
    assert played.finished.outcome == "solved"


def test_a_block_must_do_what_its_macro_action_claims(run: Any) -> None:
    played, model = run(
        "hvr", {"block": [block("lift cup_1 from place_1"), block(PUT)], "block-correction": block(LIFT)}
    )
    (asked,) = model.asked("block-correction")
    assert "the effect of the macro-action does not hold" in asked["Feedback"]
    assert "(held cup_0)" in asked["Feedback"]
    assert played.finished.plan == PLAN


def test_a_line_that_is_no_action_is_told(run: Any) -> None:
    said = block("fetch(cup_0)", LIFT, "dance(place_0)")
    played, model = run("vr", {"plan": said, "plan-correction": block(LIFT, PUT)})
    assert '"fetch(cup_0)"; "dance(place_0)"' in model.asked("plan-correction")[0]["Feedback"]
    assert played.of("block-expanded")[0].unread == ("fetch(cup_0)", "dance(place_0)")


def _other_mistakes(question: dict[str, str]) -> str:
    """Another wrong block each time: one action more than the one before."""
    mistakes = question["Block"].count("\n") + 1
    return block(*["smash cup_1"] * (mistakes + 1))


def test_a_block_is_corrected_twice_its_length_at_most(run: Any) -> None:
    replies = {"macro-plan": "Tidy up", "conditions": "1. precondition: (and)\neffect: (at cup_0 place_0)"}
    replies |= {"block": block("smash cup_1", "smash cup_0"), "block-correction": block("smash cup_1")}
    played, model = run("hvr", replies, replans=0)
    # From two steps to one: what is left of 2·1 is one try, and that would be asked in the same words.
    assert len(model.asked("block-correction")) == 2
    growing: dict[str, Any] = {**replies, "block-correction": _other_mistakes}
    played, model = run("hvr", growing, replans=0)
    sizes = [len(item.actions) for item in played.of("block-expanded")]
    # It grows by one each time, and with it what is allowed, until no block is longer than 50 and says the same again.
    assert sizes == [2, *range(3, 51), 50]


def test_a_macro_action_that_cannot_be_done_makes_a_new_macro_plan(run: Any) -> None:
    impossible = "1. Fly the cup to the shelf"
    claimed = "1. precondition: (free)\n   effect: (at cup_0 place_0)"
    replies = {
        "macro-plan": [impossible, MACROS],
        "conditions": [claimed, CONDITIONS],
        "block": [block("smash cup_0"), block(LIFT), block(PUT)],
        "block-correction": block("smash cup_0"),
    }
    played, model = run("hvr", replies)
    first, second = model.asked("macro-plan")
    assert "Feedback" not in first
    assert "Objects" not in first
    assert '1 of the plan before, "Fly the cup to the shelf", failed.' in second["Feedback"]
    assert "(held cup_0)" in second["Feedback"]
    assert "cup_0 is on place_1" in second["Objects"]
    assert [item.attempt for item in played.of("macro-planned")] == [1, 2]
    assert [(item.attempt, item.macros) for item in played.of("plan-expanded")] == [(2, (1, 2))]
    assert played.finished.outcome == "solved"


# ── proofs ───────────────────────────────────────────────────────────────────────────────────────


def test_a_claim_that_is_refuted_is_refined(run: Any) -> None:
    lucky = CONDITIONS.replace("(and (at cup_0 place_1) (free))", "(and (at cup_0 place_1))", 1)
    refined = CONDITIONS
    played, model = run("hvr", {"conditions": lucky, "conditions-refinement": refined})
    (asked,) = model.asked("conditions-refinement")
    assert asked["Macro-action"] == "1. Take the red cup"
    assert "my hand is not free" in asked["Feedback"] or "(free)" in asked["Feedback"]
    assert "cup_0 is on place_1" in asked["Objects"], "as it was before the block"
    proofs = [item for item in played.of("macro-proved") if item.macro == 1]
    assert [item.sound for item in proofs] == [False, True]
    assert [(item.round, item.after) for item in played.of("macros-conditioned")] == [(0, 0), (1, 1)]


def test_what_is_refined_into_nonsense_does_not_count(run: Any) -> None:
    lucky = CONDITIONS.replace("(and (at cup_0 place_1) (free))", "(and (at cup_0 place_1))", 1)
    played, _ = run("hvr", {"conditions": lucky, "conditions-refinement": "I do not know."})
    assert played.finished.outcome == "solved"
    assert [item.sound for item in played.of("macro-proved")] == [False, False, True]


# ── the world ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", ["hvr", "vr"])
def test_what_silently_fails_is_repeated_without_asking_the_model(run: Any, world: Any, policy: str) -> None:
    undisturbed, calm = run(policy)
    played, model = run(policy, executor=Slippery(Simulator(world.task), "lift"))
    (found,) = played.of("discrepancy")
    assert (found.step, found.action, found.feedback) == (1, PLAN[0], "")
    assert found.missing == ("(held red)",)
    assert found.surplus == ("(at red table)", "(free)")
    assert found.condition == "(held red)"
    (recovered,) = played.of("recovered")
    assert (recovered.step, recovered.kind, recovered.actions) == (1, "repeated", (PLAN[0],))
    assert model.stages == calm.stages
    assert undisturbed.finished.plan == PLAN
    assert played.finished.plan == (PLAN[0], *PLAN)
    assert played.finished.outcome == "solved"
    acted = played.of("acted")
    assert (acted[0].added, acted[0].deleted) == ((), ())
    assert acted[0].observation.startswith(f"I {LIFT}. But ")


# ── the ends of a run ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", PRESETS)
def test_a_model_that_says_nothing(run: Any, policy: str) -> None:
    played, _ = run(policy, dict.fromkeys(RIGHT, ""))
    assert played.finished.outcome == "unreadable"
    assert played.of("plan-expanded")[-1].actions == ()
    assert (played.of("block-expanded") != []) == (policy not in HIERARCHICAL)


@pytest.mark.parametrize("policy", PRESETS)
def test_a_goal_that_holds_already(play: Any, world: Any, policy: str) -> None:
    task = parse_task(DOMAIN, PROBLEM.replace("(at red shelf) (at blue table)", "(at blue table)"))
    teller = world.teller(task, "nl")
    setting = replace(
        world.setting(shown=False),
        simulator=Simulator(task),
        teller=teller,
        reader=Reader(task, world.wording, teller.names),
    )
    played = play(policy, model=staged({"macro-plan": "", "plan": "Actions:"}), setting=setting, steps=None)
    assert (played.finished.outcome, played.finished.plan) == ("solved", ())


REPLY = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            [LIFT, PUT, "smash cup_0", "(lift blue table)", "cup_0", "1. precondition: (held cup_0)", "effect: (free)",
             "Actions:", "1. Tidy up", "put(cup_1, place_0)", "effect: (and (not (held cup_1)))"]
        ),
        max_size=5,
    ).map("\n".join),
)  # fmt: skip


@pytest.mark.parametrize("policy", PRESETS)
@given(data=st.data())
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_said_a_run_ends_and_its_plan_holds(run: Any, world: Any, policy: str, data: st.DataObject) -> None:
    stages = ("retrieval", "macro-plan", "conditions", "conditions-correction", "conditions-refinement", "block")
    stages += ("block-correction", "plan", "plan-correction")
    said = {stage: data.draw(st.lists(REPLY, min_size=1, max_size=2)) for stage in stages}
    played, _ = run(policy, said, replans=1)
    finished = played.finished
    assert played.events[-1] == finished
    assert (finished.fault is None) == (finished.outcome == "solved")
    report = validate(world.task, [GroundAction.parse(action) for action in finished.plan])
    if finished.outcome == "inapplicable":
        # The actions before the inapplicable one may reach the goal by chance.
        assert report.verdict in ("valid", "goal-not-satisfied")
    else:
        assert report.verdict == ("valid" if finished.outcome == "solved" else "goal-not-satisfied")


@pytest.mark.parametrize(("level", "policy"), [("actions", "hvr"), ("format", "vr")])
def test_only_replies_with_actions_are_constrained(play: Any, world: Any, level: str, policy: str) -> None:
    model = staged(RIGHT)
    setting = world.setting(shown=False, policy=policy, constrain=level)
    assert play(policy, model=model, setting=setting, steps=None).finished.outcome == "solved"
    sent = [request.constraint for request in model.requests]
    constrained = {stage for stage, constraint in zip(model.stages, sent, strict=True) if constraint is not None}
    assert constrained == {"block" if policy == "hvr" else "plan"}
    root, *rules = next(constraint for constraint in sent if constraint is not None).grammar().splitlines()
    assert root == r'root ::= ([^\n]+ "\n")* "Actions:\n" (action "\n")*'
    assert any(rule.startswith('action ::= "lift " slot0 " from " slot1') for rule in rules) == (level == "actions")


# ── the library ──────────────────────────────────────────────────────────────────────────────────


def test_macro_actions_are_kept_once_a_task_is_solved(run: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "library")
    library = Library(folder)
    played, model = run("hvr", library=folder)
    assert "Known macro-actions" not in model.asked("macro-plan")[0]
    domain = model.requests and played.episode.setting.simulator.task.domain
    kept = {item.provenance.description: item for item in library.macros(domain)}
    assert {*kept} == {"Take the red cup", "Put the red cup on the shelf"}
    taken = kept["Take the red cup"]
    assert taken.provenance.proof["sound"] is True
    assert taken.provenance.origin == "hvr, tidy"
    ontology = tmp_path / "library" / "cups" / "ontology.ttl"
    first = ontology.read_text(encoding="utf-8")
    assert all(f'rdfs:label "{description}"' in first for description in kept)
    read_ontology(first)
    _, later = run("hvr-noreuse", library=folder)
    assert ontology.read_text(encoding="utf-8") == first
    assert "- Take the red cup" in later.asked("macro-plan")[0]["Known macro-actions"]
    assert later.asked("block")[0]["Known macro-actions"].startswith(
        "- Take the red cup: lift A from B (A is of the kind"
    )


def test_a_proved_macro_action_is_expanded_without_asking(run: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "library")
    first, _ = run("hvr", library=folder)
    again, model = run("hvr", library=folder)
    assert (again.finished.outcome, again.finished.plan) == ("solved", PLAN)
    assert not model.asked("block")
    blocks = again.of("block-expanded")
    assert [(item.known, item.saved, item.holds) for item in blocks] == [
        ("take-the-red-cup", 2, True),
        ("put-the-red-cup-on-the-shelf", 2, True),
    ]
    assert first.finished.calls - again.finished.calls == 4
    asked, _ = run("hvr-noreuse", library=folder)
    assert asked.finished.calls == first.finished.calls
    assert not any(item.saved for item in asked.of("block-expanded"))


def test_a_macro_action_that_is_not_proved_or_does_something_else_is_asked_for(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    run("hvr", library=str(folder))
    for file in (folder / "cups").glob("take-*.pddl"):
        file.write_text(file.read_text(encoding="utf-8").replace('"sound": true', '"sound": false'), encoding="utf-8")
    for file in (folder / "cups").glob("put-*.pddl"):
        file.write_text(
            file.read_text(encoding="utf-8").replace("Put the red cup on the shelf", "Wash up"), encoding="utf-8"
        )
    played, model = run("hvr", library=str(folder))
    assert played.finished.outcome == "solved"
    assert len(model.asked("block")) == 2


@pytest.mark.parametrize("replies", [{"block": block(LIFT), "block-correction": block(LIFT)}, {"macro-plan": ""}])
def test_nothing_is_kept_of_a_task_that_was_not_solved(run: Any, tmp_path: Path, replies: dict[str, Any]) -> None:
    played, _ = run("hvr", replies, library=str(tmp_path / "library"), replans=0)
    assert played.finished.outcome != "solved"
    assert not (tmp_path / "library").exists()


# ── replies of macro plans ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reply", "macros"),
    [
        ("1. Fetch the egg\n2. Fry it", ("Fetch the egg", "Fry it")),
        ("Here is the plan:\n\n1) Fetch the egg.\n2) **Fry it**\n\nThat is all.", ("Fetch the egg", "Fry it")),
        ("- Fetch the egg\n- Fry it", ("Fetch the egg", "Fry it")),
        ("Fetch the egg\nFry it", ("Fetch the egg", "Fry it")),
        ("```\nStep 1: Fetch the egg\nStep 2: Fry it\n```", ("Fetch the egg", "Fry it")),
        ("**1.** Fetch the egg\n**2.** Fry it", ("Fetch the egg", "Fry it")),
        ("# Macro plan\n1. Fetch 2 eggs", ("Fetch 2 eggs",)),
        ("", ()),
        ("1.\n2.", ()),
        ("Stir\n" * 1000, ("Stir",) * MOST_MACROS),
        ("1. " + "a" * 1000, ("a" * 297 + "...",)),
    ],
)
def test_macro_actions_are_lines(reply: str, macros: tuple[str, ...]) -> None:
    assert macro_words(reply) == macros


# ── what is stored of a proof ─────────────────────────────────────────────────────────────────────


_DOMAIN = """
(define (domain lights) (:requirements :typing :negative-preconditions)
  (:types lamp switch - object)
  (:predicates (lit ?l - lamp) (wired ?s - switch ?l - lamp) (broken ?s - switch) (at ?s - switch))
  (:action go :parameters (?a ?b - switch) :precondition (at ?a) :effect (and (at ?b) (not (at ?a))))
  (:action press :parameters (?s - switch ?l - lamp)
    :precondition (and (at ?s) (wired ?s ?l) (not (broken ?s))) :effect (lit ?l)))
"""
_PROBLEM = """
(define (problem two) (:domain lights) (:objects s1 s2 - switch l1 - lamp)
  (:init (at s1) (wired s2 l1)) (:goal (lit l1)))
"""
_BLOCK = (GroundAction("go", ("s1", "s2")), GroundAction("press", ("s2", "l1")))
_WORDS = "Switch the lamp on"


@pytest.fixture
def task() -> Task:
    return parse_task(_DOMAIN, _PROBLEM)


def _teller(task: Task) -> Teller:
    wording = template_wording(task.domain)
    return Teller(task, wording, make_names(task, "original", wording))


def _kept(task: Task, folder: Path) -> StoredMacro:
    from pddl2nl.macros.compose import compose_block
    from pddl2nl.macros.proof import prove

    exact = compose_block(task, _BLOCK).conditions
    proof = prove(task, _BLOCK, exact)
    proved = {(1, 1): (MacroProved(1, 1, proof.sound, proof.precondition, ""), proof.static)}
    part = Part(1, 1, _WORDS, _BLOCK, Simulator(task).initial)
    keep_macros(Library(folder), _teller(task), _BLOCK, [part], proved, "hvr", graph_of(task))
    (stored,) = Library(folder).macros(task.domain)
    return stored


def test_a_macro_is_stored_with_the_static_facts_that_its_proof_used(task: Task, tmp_path: Path) -> None:
    proof = _kept(task, tmp_path).provenance.proof
    assert proof["sound"] is True
    assert proof["scope"] == "static facts"
    assert proof["static"] == ["(not (broken ?b))", "(wired ?b ?l)"]


@pytest.mark.parametrize(
    ("init", "told"),
    [
        ("(at s1) (wired s2 l1)", True),
        ("(at s1) (wired s1 l1) (broken s2)", True),
        ("(at s1) (wired s2 l1) (broken s2)", False),
        ("(at s1)", False),
    ],
)
def test_a_macro_is_told_where_its_static_facts_hold_for_some_objects(
    task: Task, tmp_path: Path, init: str, told: bool
) -> None:
    _kept(task, tmp_path)
    other = parse_task(_DOMAIN, _PROBLEM.replace("(at s1) (wired s2 l1)", init))
    assert bool(known_blocks(Library(tmp_path), _teller(other), _WORDS)) is told


def test_a_macro_without_a_proof_is_told_everywhere(task: Task, tmp_path: Path) -> None:
    from pddl2nl.macros.compose import lift

    macro: Any = lift(task, _BLOCK)
    Library(tmp_path).put(task.domain, StoredMacro(macro, Provenance((_WORDS,))))
    other = parse_task(_DOMAIN, _PROBLEM.replace("(wired s2 l1)", ""))
    assert known_blocks(Library(tmp_path), _teller(other), _WORDS)
