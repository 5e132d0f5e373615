"""Runs of the hierarchical policies: the whole chain with the oracle, its mistakes found and mended, its options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run, run_spec
from pddl2nl.llm import Completion, Request
from pddl2nl.pddl import Task
from pddl2nl.policies.events import Prompted, Rejected, Started
from pddl2nl.policies.prompts import stage_of
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.hvr.events import BlockExpanded, Discrepancy, MacroProved, MacrosVerified, PlanExpanded
from pddl2nl.systems.hvr.metrics import METRICS
from pddl2nl.systems.hvr.prompting import LAYOUT
from pddl2nl.tasks import shipped_task
from pddl2nl.tasks.references import reference_of
from pddlval import GroundAction, validate
from pddlval.plans import plan_of
from tests.systems.hvr.conftest import MISTAKES, PRESETS

pytestmark = pytest.mark.usefixtures("needs_planner")

KITCHEN = (*(f"t{number:02}" for number in range(1, 13)), "t05bis")
VERIFYING = ("hvr", "hv", "vr")


def kitchen(name: str) -> Task:
    return shipped_task("kitchen", name)


def of(kind: type[Any], result: RunRecord) -> list[Any]:
    return [event for event in result.events if isinstance(event, kind)]


def planned(result: RunRecord) -> tuple[str, ...]:
    plan: tuple[str, ...] = of(PlanExpanded, result)[-1].actions
    return plan


def validates(task: Task, plan: Sequence[str]) -> bool:
    return validate(task, plan_of(map(GroundAction.parse, plan))).valid


def assert_ground_truth(task: Task, result: RunRecord) -> None:
    """Plan correctness of 100 %: solved by a plan that is one of the ground truths."""
    reference = reference_of(task)
    assert reference is not None
    assert result.outcome == "solved", result.message
    assert planned(result) in {way.plan for way in reference.ways}


def violations(result: RunRecord) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What a validator found violated, with the place of the event."""
    for place, event in enumerate(result.events):
        if isinstance(event, BlockExpanded | MacrosVerified) and event.unmet and event.feedback:
            yield place, event.unmet


def reached(result: RunRecord, place: int, unmet: Sequence[str]) -> bool:
    """Whether violated conditions stand, under their told names, in the feedback of the next prompt."""
    names = result.events[0].names  # type: ignore[union-attr]
    told = unmet[0]
    for name in sorted(names, key=len, reverse=True):
        told = told.replace(f" {name})", f" {names[name]})").replace(f" {name} ", f" {names[name]} ")
    later = next(event for event in result.events[place:] if isinstance(event, Prompted))
    return told in LAYOUT.read(later.messages[-1].content).get("Feedback", "")


# ── the oracle plans as it should ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", ["vr", "r", "llm"])
def test_the_oracle_serves_wine_by_every_policy(policy: str) -> None:
    task = kitchen("t01")
    result = run(task, policy, "oracle")
    assert_ground_truth(task, result)
    assert not of(Rejected, result)


def test_hvr_asks_in_stages_and_proves_what_it_is_told() -> None:
    task = kitchen("t01")
    result = run(task, "hvr", "oracle")
    assert_ground_truth(task, result)
    stages = [stage_of(event.messages) for event in of(Prompted, result) if event.kept == 0]
    assert set(stages) == {"retrieval", "macro-plan", "conditions", "block"}
    assert set(stages) <= set(LAYOUT.stages)
    proofs = of(MacroProved, result)
    assert len(proofs) == len(of(BlockExpanded, result)) > 1
    assert all(proof.sound and proof.precondition in ("exact", "stronger") for proof in proofs)


@pytest.mark.parametrize(("domain", "instance"), [("blocksworld", "p05"), ("rovers", "p01")])
def test_a_task_without_words_of_its_own_is_told_by_its_goal(domain: str, instance: str) -> None:
    result = run(shipped_task(domain, instance), "hvr", "oracle")
    assert result.solved
    started = result.events[0]
    assert isinstance(started, Started)
    assert (started.reference, started.options["task_text"]) == ({}, None)
    assert LAYOUT.read(of(Prompted, result)[0].messages[-1].content)["Task"].startswith("My goal is that")


@pytest.mark.heavy
@pytest.mark.parametrize("name", KITCHEN[::4])
def test_the_oracle_plans_every_task_by_every_policy_as_the_ground_truth(name: str) -> None:
    task = kitchen(name)
    for policy in PRESETS:
        result = run(task, policy, "oracle")
        assert_ground_truth(task, result)
        for verified in of(MacrosVerified, result):
            assert verified.verified == verified.total
        assert all(block.holds and block.round == 0 for block in of(BlockExpanded, result))
        assert all(proof.sound for proof in of(MacroProved, result))


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────


def test_a_mistake_in_the_whole_plan_reaches_the_prompt_and_is_mended() -> None:
    task = kitchen("t02")
    mended = run(task, "vr", "oracle:wrong-order")
    assert [reached(mended, place, unmet) for place, unmet in violations(mended)] == [True]
    assert_ground_truth(task, mended)
    left = run(task, "llm", "oracle:wrong-order")
    assert left.outcome == "inapplicable"
    assert not of(BlockExpanded, left)[0].holds
    assert not validates(task, planned(left))


@pytest.mark.heavy
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_reaches_the_prompt_and_the_final_plan_validates(mistake: str) -> None:
    task = kitchen("t02")
    for policy in ("hvr", "hv"):
        result = run(task, policy, f"oracle:{mistake}")
        found = list(violations(result))
        assert found, policy
        assert all(reached(result, place, unmet) for place, unmet in found)
        assert_ground_truth(task, result)


@pytest.mark.heavy
def test_a_missing_navigation_alone_is_put_in_by_the_repair_before_anything_is_asked() -> None:
    result = run(kitchen("t04"), "hvr", "oracle:missing-navigation")
    blocks = of(BlockExpanded, result)
    assert any(block.inserted and block.holds and block.round == 0 for block in blocks)


def test_there_is_no_other_mistake() -> None:
    with pytest.raises(InputError, match=r"there is no such mistake"):
        run(kitchen("t01"), "llm", "oracle:forgetful")


# ── a world that differs ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "faults",
    [
        "fail (pick-up egg-1)",
        "initially (dirty pan-1)",
        "move (inside egg-cracked-1 pan-1) -> (on egg-cracked-1 countertop-1) before 9",
    ],
)
@pytest.mark.heavy
def test_a_world_that_differs_is_found_out_and_planned_for(faults: str) -> None:
    for policy in VERIFYING:
        result = run(kitchen("t03"), policy, "oracle", options={"faults": faults})
        assert result.solved, (policy, result.message)
        seen = of(Discrepancy, result)
        assert seen
        assert all(each.action and (each.missing or each.surplus or each.condition) for each in seen)
    assert of(Started, result)[0].options["faults"] == faults


def test_without_verification_a_fault_ends_the_run_and_is_measured_but_told_to_nobody() -> None:
    result = run(kitchen("t01"), "r", "oracle", options={"faults": "fail (pick-up wine-bottle-1)"})
    assert result.outcome == "inapplicable"
    first = of(Discrepancy, result)[0]
    assert (first.step, first.action, first.feedback) == (2, "(pick-up wine-bottle-1)", "")
    assert "(holding wine-bottle-1)" in first.missing
    assert all("Feedback" not in LAYOUT.read(event.messages[-1].content) for event in of(Prompted, result))
    # Of the eight steps of the ground truth, the way to the bottle is all that went as expected.
    (measured,) = (metric.of for metric in METRICS if metric.name == "execution-success")
    assert measured(RunRecord.of(Path("run.jsonl"), result.events)) == 100 / 8


# ── options and records ──────────────────────────────────────────────────────────────────────────


def test_a_record_holds_its_world_and_is_replayed_from_itself_alone(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    library = tmp_path / "library"
    first = run(shipped_task("blocksworld", "p01"), "hvr", "oracle", options={"library": str(library)})
    assert first.solved
    assert list(library.rglob("*.pddl"))
    result = run(
        shipped_task("blocksworld", "p01"),
        "hvr",
        "oracle",
        options={"faults": "fail at 2", "replans": 2, "library": str(library)},
        record=record,
    )
    started = result.events[0]
    assert isinstance(started, Started)
    assert started.options["faults"] == "fail at 2"
    assert len(started.world["library"]) == 1
    assert (started.options["replans"], started.options["form"]) == (2, "goal")
    assert {"block.txt", "conditions.txt", "conditions_refinement.txt"} <= set(started.prompts)
    assert started.example is None
    for path in library.rglob("*.pddl"):
        path.unlink()
    replayed = replay_record(record)
    assert replayed.identical, replayed.difference


def test_the_shipped_ontology_is_taken_and_another_one_where_it_is_named(tmp_path: Path) -> None:
    shipped = run(kitchen("t01"), "llm", "oracle").events[0]
    other = tmp_path / "other.ttl"
    assert isinstance(shipped, Started)
    other.write_text(shipped.spec["files"]["ontology.ttl"] + "\n:Cup :hasProperty :Precious .\n", encoding="utf-8")
    result = run(kitchen("t01"), "llm", "oracle", files={"ontology.ttl": other})
    assert "precious" in of(Prompted, result)[0].messages[-1].content
    assert isinstance(result.events[0], Started)
    assert ":Precious" in result.events[0].spec["files"]["ontology.ttl"]


class _Vectors:
    """A model that embeds texts by their letters, and says nothing."""

    name = "vectors"

    def complete(self, request: Request) -> Completion:
        return Completion("")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0 + text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz0123456789"] for text in texts]


def test_an_embedding_model_is_recorded_and_such_a_run_cannot_be_replayed(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    spec = RunSpec(kitchen("t01"), "r", model="oracle", models={"embedding": _Vectors()}, record=record)
    result = run_spec(spec)
    assert result.solved
    assert isinstance(result.events[0], Started)
    assert result.events[0].models["embedding"] == "vectors"
    with pytest.raises(InputError, match="vectors of 'vectors', which no record holds"):
        replay_record(record)


@pytest.mark.parametrize(
    ("policy", "spec", "message"),
    [
        ("hvr", {"translator": "llm"}, "--translator llm: the policy does not use it"),
        ("hvr", {"style": "pddl"}, "--policy hvr has no twin in style pddl"),
        ("hvr", {"options": {"task_text": "a\n\nb"}}, "task_text: an empty line"),
        ("llm", {"models": {"embedding": "oracle"}}, "embedding=oracle: it gives no vectors"),
        ("llm", {"options": {"faults": "burn everything"}}, "burn"),
        ("llm", {"files": {"ontology.ttl": "nowhere.ttl"}}, "nowhere.ttl"),
        ("llm", {"files": {"scene.json": "nowhere.json"}}, "llm reads ontology.ttl"),
        ("llm", {"prompts": {"block.txt": __file__, "blok.txt": __file__}}, "blok.txt.*block.txt"),
        ("llm", {"options": {"library": __file__}}, "is a file; a folder was expected"),
    ],
)
def test_options_that_cannot_be_are_refused(policy: str, spec: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_spec(RunSpec(kitchen("t01"), policy, model="oracle", **spec))


def test_a_prompt_of_the_users_replaces_ours(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Plan!\n\n$domain", encoding="utf-8")
    result = run(kitchen("t01"), "llm", "oracle", prompts={"plan.txt": own})
    assert result.solved
    assert of(Prompted, result)[0].messages[0].content.startswith("Stage: plan\n\nPlan!\n\n")
