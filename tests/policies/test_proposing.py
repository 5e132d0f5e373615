"""Several plans for one task: samples, rounds of correction, and which of them counts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, Message, ReplyPendingError, ScriptedReply, Usage
from pddl2nl.policies import Episode, Limits
from pddl2nl.policies.events import Acted, Finished, Read, Rejected, counted
from tests.answering import Answering


def _plan(*lines: str) -> str:
    return "\n".join(["[PLAN]", *lines, "[PLAN END]"])


LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"
GOOD = _plan(LIFT, PUT)
EARLY = _plan(PUT, LIFT)
SHORT = _plan(LIFT)
CUT = "This answer was cut off before its end. "
AGAIN = "Write the whole plan once more, corrected, from its first action on and in the same form as before."
UNREAD = _plan(LIFT, "dance with cup_0", PUT)
DONE = ("(lift red table)", "(put red shelf)")


# ── samples ──────────────────────────────────────────────────────────────────────────────────────


def test_the_first_valid_sample_counts_and_nothing_is_asked_behind_it(play: Any, world: Any) -> None:
    played = play("basic", [EARLY, SHORT, GOOD, GOOD], chosen={"samples": 4})
    assert [request.sample for request in played.requests] == [0, 1, 2]
    # An endpoint that obeys seeds would give one reply three times.
    assert [request.seed for request in played.requests] == [1, 1001, 2001]
    assert len({request.messages for request in played.requests}) == 1
    finished = played.finished
    assert (finished.outcome, finished.plan, finished.proposed, finished.counted) == ("solved", DONE, DONE, 3)
    assert (finished.steps, finished.mistakes, finished.turns, finished.calls) == (2, 0, {"executed": 2}, 3)
    assert [(item.number, item.sample, item.round, item.outcome) for item in played.of("judged")] == [
        (1, 0, 0, "inapplicable"),
        (2, 1, 0, "goal-missed"),
        (3, 2, 0, "solved"),
    ]


def test_where_no_sample_is_valid_the_first_ones_verdict_is_the_runs(play: Any, world: Any) -> None:
    finished = play("basic", [EARLY, SHORT, UNREAD], chosen={"samples": 3}).finished
    alone = play("basic", [EARLY]).finished
    for field in ("outcome", "fault", "plan", "proposed", "steps", "mistakes", "turns", "message", "cost"):
        assert getattr(finished, field) == getattr(alone, field), field
    assert (finished.counted, alone.counted) == (1, 0)
    assert (finished.calls, alone.calls) == (3, 1)


def test_each_plan_is_judged_from_the_initial_state(play: Any, world: Any) -> None:
    played = play("basic", [SHORT, SHORT], chosen={"samples": 2})
    assert [(event.step, event.action) for event in played.of("acted")] == [(1, DONE[0])] * 2
    assert [item.plan for item in played.of("judged")] == [DONE[:1]] * 2


def test_samples_that_a_batch_brings_are_all_asked_for_at_once(play: Any, world: Any) -> None:
    model = Answering(lambda request: Completion(GOOD) if request.sample == 1 else ReplyPendingError())

    with pytest.raises(ReplyPendingError):
        play("basic", model=model, chosen={"samples": 3})
    assert [request.sample for request in model.requests] == [0, 1, 2]


# ── rounds ───────────────────────────────────────────────────────────────────────────────────────


def _told(played: Any) -> list[str]:
    """What went back to the model, without the wish for another plan."""
    messages = played.requests[-1].messages[len(played.requests[0].messages) :]
    told = [message.content for message in messages if message.role == "user"]
    assert all(text.endswith(f"\n\n{AGAIN}") for text in told)
    return [text.split("\n\n")[0] for text in told]


def test_the_validators_explanation_goes_back_until_a_plan_is_valid(play: Any, world: Any) -> None:
    played = play("basic", [EARLY, UNREAD, SHORT, GOOD], chosen={"rounds": 5})
    assert played.finished.outcome == "solved"
    assert played.finished.counted == 4
    assert [(item.round, item.outcome) for item in played.of("judged")] == [
        (0, "inapplicable"),
        (1, "unreadable"),
        (2, "goal-missed"),
        (3, "solved"),
    ]
    assert _told(played) == [
        "Step 1, put cup_0 on place_0, cannot be done because I do not hold cup_0. "
        "At no time was it the case that I hold cup_0.",
        'Line 2 of the plan, "dance with cup_0", was not understood, because no action could be read in this '
        "(it begins like none of the actions).",
        "The plan can be executed to its end, but the goal is not reached because cup_0 is not on place_0. "
        "At no time was it the case that cup_0 is on place_0.",
    ]


def test_the_last_rounds_verdict_is_the_runs_though_an_earlier_one_came_further(play: Any, world: Any) -> None:
    finished = play("basic", [SHORT, EARLY], chosen={"rounds": 1}).finished
    assert (finished.outcome, finished.plan, finished.counted) == ("inapplicable", (), 2)
    assert finished.fault == play("basic", [EARLY]).finished.fault


def test_the_twin_is_corrected_in_pddl(play: Any, world: Any) -> None:
    early, good = _plan("(put red shelf)", "(lift red table)"), _plan(*DONE)
    played = play("basic", [early, good], setting=world.setting("pddl"), chosen={"rounds": 1}, style="pddl")
    assert _told(played) == [
        "Step 1, (put red shelf), cannot be done because (held red) is false. "
        "At no time was it the case that (held red)."
    ]
    assert played.finished.outcome == "solved"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("I have no idea.", "No plan was found in this answer."),
        (ScriptedReply("", finish="empty"), "No plan was found in this answer."),
        (ScriptedReply("Let me", finish="length"), f"{CUT}No plan was found in this answer."),
        (
            ScriptedReply(f"[PLAN]\n{PUT}\nput cup_0 on pla", finish="length"),
            f"{CUT}Step 1, put cup_0 on place_0, cannot be done because I do not hold cup_0. "
            "At no time was it the case that I hold cup_0.",
        ),
        (
            _plan(),
            "The plan can be executed to its end, but the goal is not reached because cup_0 is not on place_0. "
            "At no time was it the case that cup_0 is on place_0.",
        ),
        (
            _plan("lift cup_7 from place_1"),
            'Line 1 of the plan, "lift cup_7 from place_1", was not understood, because there is no object called '
            '"cup_7". Did you mean cup_0 or cup_1?',
        ),
    ],
)
def test_every_way_to_fall_short_is_explained(play: Any, world: Any, reply: Any, told: str) -> None:
    played = play("basic", [reply, GOOD], chosen={"rounds": 1})
    assert _told(played)[0] == told
    assert played.finished.outcome == "solved"


def test_a_refusal_is_not_argued_with(play: Any, world: Any) -> None:
    played = play("basic", [ScriptedReply("No.", finish="refused"), GOOD], chosen={"rounds": 3})
    assert (played.finished.outcome, played.finished.calls) == ("gave-up", 1)


def test_rounds_begin_with_the_first_sample_where_none_is_valid(play: Any, world: Any) -> None:
    played = play("basic", [EARLY, SHORT, GOOD], chosen={"samples": 2, "rounds": 2})
    assert [request.sample for request in played.requests] == [0, 1, 0]
    opening = played.requests[0].messages
    assert played.requests[2].messages[: len(opening) + 1] == (*opening, Message("assistant", EARLY))
    assert played.finished.counted == 3
    assert played.finished.outcome == "solved"


# ── ends on the way ──────────────────────────────────────────────────────────────────────────────


def costly(*plans: str) -> Answering:
    """Gives plans one after the other, for 100 tokens each."""
    left = [InfrastructureError("gone"), *(Completion(plan, usage=Usage(90, 10)) for plan in reversed(plans))]
    return Answering(lambda request: left.pop())


def test_a_spent_budget_ends_it_with_what_counts_so_far(play: Any, world: Any) -> None:
    model = costly(SHORT, EARLY, GOOD)
    finished = play("basic", model=model, chosen={"samples": 3}, limits=Limits(calls=2)).finished
    assert (finished.outcome, finished.counted, finished.plan) == ("budget", 1, DONE[:1])
    assert finished.fault.status == "goal-missed"
    assert (finished.calls, finished.prompt_tokens) == (2, 180)
    finished = play("basic", model=costly(SHORT, EARLY), chosen={"rounds": 3}, limits=Limits(calls=2)).finished
    assert (finished.outcome, finished.counted, finished.plan) == ("budget", 2, ())


def test_what_breaks_on_the_way_is_no_verdict(play: Any, world: Any) -> None:
    finished = play("basic", model=costly(SHORT), chosen={"samples": 2}).finished
    assert finished.outcome == "infrastructure-error"
    filtered = play("basic", [EARLY, ScriptedReply("", finish="filtered")], chosen={"samples": 2}).finished
    assert filtered.outcome == "infrastructure-error"


def test_a_policy_that_only_proposes_ends_with_what_counts(world: Any) -> None:
    class Proposing:
        summary, styles, one_shot, thoughts, needs_model, prompt = "", ("nl",), True, False, False, None

        def run(self, episode: Episode) -> None:
            assert not episode.propose(SHORT, sample=0).valid
            assert episode.propose(GOOD, sample=1).valid

    finished = Episode(world.setting()).play(Proposing())
    assert (finished.outcome, finished.plan, finished.counted) == ("solved", DONE, 2)
    assert finished.message == "the goal holds at the end of the plan"


# ── whatever is said ─────────────────────────────────────────────────────────────────────────────

LINE = st.one_of(st.sampled_from([LIFT, PUT, "smash cup_0", "finished", "look around"]), st.text(max_size=10))
REPLY = st.one_of(st.text(max_size=30), st.lists(LINE).map(lambda lines: _plan(*lines)))


@pytest.mark.parametrize("policy", ["basic", "cot"])
@given(replies=st.lists(REPLY, min_size=5, max_size=5), samples=st.integers(1, 3), rounds=st.integers(0, 2))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_prompts_grow_only_at_their_end_and_the_counts_are_those_of_what_counts(
    play: Any, world: Any, policy: str, replies: list[str], samples: int, rounds: int
) -> None:
    played = play(policy, replies, chosen={"samples": samples, "rounds": rounds})
    finished, prompts = played.finished, [request.messages for request in played.requests]
    for before, after in pairwise(prompts):
        assert after[: len(before)] == before
    assert [request.sample for request in played.requests[:samples]] == list(range(len(prompts[:samples])))
    assert all(request.sample == 0 for request in played.requests[samples:])
    judged = played.of("judged")
    assert len(judged) == (len(prompts) if samples > 1 or rounds > 0 else 0)
    if judged:
        mine = judged[finished.counted - 1]
        for field in ("outcome", "fault", "plan", "proposed", "steps", "mistakes", "turns", "message"):
            assert getattr(mine, field) == getattr(finished, field), field
        assert [item.outcome for item in judged].count("solved") == (finished.outcome == "solved")
    _adds_up(counted(played.events), finished)


def _adds_up(events: Any, finished: Finished) -> None:
    """The events of the plan that counts tell the same as the last one says."""
    kinds = [event for event in events if isinstance(event, Acted | Rejected)]
    assert finished.plan == tuple(event.action for event in kinds if isinstance(event, Acted))
    assert finished.steps == len(kinds)
    assert [event.step for event in kinds] == list(range(1, len(kinds) + 1))
    assert finished.proposed == tuple(
        event.action for event in events if isinstance(event, Read) and event.action is not None
    )
