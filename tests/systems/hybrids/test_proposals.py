"""Repair of the plans of other policies: what their proposal is, which options they keep, and which are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies import Episode, Policy, make_policy
from pddl2nl.policies.events import RecordError, Started
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.hybrids.events import PlanRepaired
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, validate
from tests.policies.conftest import Play, World

pytestmark = pytest.mark.usefixtures("needs_planner")

CHEAP = ("cot", "brainbody-open")
GOOD = ("(lift red table)", "(put red shelf)")
MISTAKEN = [
    ("cot", "wrong-action", "blocksworld", "p05"),
    ("brainbody-open", "too-short", "blocksworld", "p05"),
    ("sayplan-open", "missing-access", "building", "example"),
    ("llm", "missing-step", "blocksworld", "p05"),
]


class Mine(Policy):
    """A policy of a user: it executes half a plan, and tries an impossible action."""

    one_shot = True
    needs_model = False

    def run(self, episode: Episode) -> None:
        episode.move(GroundAction.parse("(lift red table)"))
        episode.move(GroundAction.parse("(lift blue table)"))


def repaired(run: RunRecord) -> PlanRepaired:
    [event] = [event for event in run.events if isinstance(event, PlanRepaired)]
    return event


@pytest.mark.parametrize(
    ("policy", "mistake", "domain", "problem"),
    [pytest.param(*case, marks=() if case[0] in CHEAP[:1] else pytest.mark.heavy) for case in MISTAKEN],
)
def test_a_policy_that_fails_by_a_mistake_is_repaired(policy: str, mistake: str, domain: str, problem: str) -> None:
    task = shipped_task(domain, problem)
    assert not run_spec(RunSpec(task, policy, model=f"oracle:{mistake}")).solved
    run = run_spec(RunSpec(task, f"repair:{policy}", model=f"oracle:{mistake}"))
    event = repaired(run)
    assert run.solved
    assert validate(task, [*map(GroundAction.parse, run.plan)]).valid
    assert event.proposal
    assert event.kept
    assert event.distance > 0


def test_the_proposal_of_a_policy_that_moves_is_what_it_tried(play: Play) -> None:
    played = play(f"repair:{__name__}:Mine")
    [event], [judged, _] = played.of("plan-repaired"), played.of("judged")
    assert event.proposal == ("(lift red table)", "(lift blue table)")
    assert (judged.plan, judged.proposed) == (event.proposal[:1], event.proposal)
    assert played.finished.plan == GOOD
    assert (event.prefix, event.distance, event.kept) == (1, 2, (0,))


def test_rounds_come_before_the_repair(play: Play) -> None:
    replies = ["[PLAN]\n(smash red)\n[PLAN END]", "[PLAN]\n(put red shelf)\n[PLAN END]"]
    played = play("repair", replies, style="pddl", chosen={"rounds": 1})
    assert [judged.round for judged in played.of("judged")] == [0, 1, 2]
    assert played.of("plan-repaired")[0].proposal == ("(put red shelf)",)
    assert played.finished.plan == GOOD


def test_an_endpoint_that_fails_ends_the_run_without_a_repair(play: Play) -> None:
    played = play("repair", [])
    assert (played.finished.outcome, played.of("plan-repaired")) == ("infrastructure-error", [])
    assert len(played.of("finished")) == 1


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("repair:act", "act takes its actions one at a time"),
        ("repair:random", "random takes its actions one at a time"),
        ("repair:repair", "repair works on the plan of another policy itself"),
        ("repair:repair:cot", "repair:cot works on the plan of another policy itself"),
        ("repair:cott", "did you mean 'cot'.*no policy 'cott'"),
    ],
)
def test_other_policies_are_refused(policy: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        make_policy(policy)


def test_a_proposing_policy_takes_its_options(world: World) -> None:
    pytest.importorskip("rdflib", reason="rdflib is absent: pip install 'pddl2nl[macros]'")
    spec = RunSpec(world.task, "repair:hvr", {"replans": 1, "from_prefix": True}, ScriptedModel([]))
    [started, *_] = run_spec(spec).events
    assert isinstance(started, Started)
    assert started.options["from_prefix"] is True
    assert started.options["proposer_options"]["replans"] == 1
    with pytest.raises(InputError, match="policy cot has no option 'replans'"):
        run_spec(replace(spec, policy="repair:cot"))
    with pytest.raises(InputError, match="repair:hvr plans for the world as the task describes it"):
        run_spec(replace(spec, options={"faults": "fail 40%"}))
    with pytest.raises(InputError, match="wrong-action"):
        run_spec(replace(spec, model="oracle:wrong-action"))


@pytest.mark.parametrize(
    ("policy", "example"), [("repair:cot", None), pytest.param("repair:base", None, marks=pytest.mark.heavy)]
)
def test_a_run_replays_from_its_record(policy: str, example: str | None, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    spec = RunSpec(
        shipped_task("blocksworld", "p01"),
        policy,
        {"from_prefix": True},
        ScriptedModel(["[PLAN]\nput down block_1\n[PLAN END]"]),
        example=example,
        record=record,
    )
    assert run_spec(spec).solved
    assert replay_record(record).identical


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"policy": "repair:os:getcwd"}, "'repair:os:getcwd', is not registered"),
        ({"options": {"proposer": "os:getcwd"}}, "as repair:os:getcwd"),
    ],
)
def test_a_record_chooses_no_code(changed: dict[str, object], why: str, world: World, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    model = ScriptedModel(["(put red shelf)"])
    run_spec(RunSpec(world.task, "repair", model=model, style="pddl", example="none", record=record))
    first, *rest = record.read_text().splitlines()
    started = json.loads(first)
    record.write_text("\n".join([json.dumps({**started, "spec": {**started["spec"], **changed}}), *rest, ""]))
    with pytest.raises(RecordError, match=why):
        replay_record(record)
