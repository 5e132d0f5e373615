"""The T-LLM: which lines it is asked about, what becomes of its answers, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pddl2nl.llm import Completion, Message, Price, Request, ScriptedReply, Usage
from pddl2nl.policies import Limits
from pddl2nl.policies.budget import PricedModel
from pddl2nl.policies.translating import NO_ACTION
from pddlval import GroundAction, validate
from tests.answering import Answering

LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"
FREE_LIFT, FREE_PUT = "grab cup_0 off place_1", "set cup_0 down beneath place_0"
ANSWERS = {
    LIFT: "(lift cup_0 place_1)",
    PUT: "(put cup_0 place_0)",
    FREE_LIFT: "(lift cup_0 place_1)",
    FREE_PUT: "(put cup_0 place_0)",
}
GOAL = ("(lift red table)", "(put red shelf)")


class Translating:
    """A T-LLM that knows some lines by heart, and says of all others what it is told to."""

    name = "translating"

    def __init__(self, answers: dict[str, str | ScriptedReply] | None = None, other: str = NO_ACTION):
        self._answers: dict[str, str | ScriptedReply] = {**ANSWERS, **(answers or {})}
        self._other = other
        self.requests: list[Request] = []

    @property
    def lines(self) -> list[str]:
        return [request.messages[-1].content for request in self.requests]

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        answer = self._answers.get(request.messages[-1].content, self._other)
        reply = ScriptedReply(answer) if isinstance(answer, str) else answer
        return Completion(reply.reply, reply.finish, Usage(100, 10), self.name)


Translated = Callable[..., tuple[Any, Translating]]


@pytest.fixture
def translated(play: Any, world: Any) -> Translated:
    """Plays a policy whose replies a T-LLM translates."""

    def _translated(
        policy: str, replies: Sequence[str | ScriptedReply], model: Translating | None = None, **options: Any
    ) -> tuple[Any, Translating]:
        model = model or Translating(options.pop("answers", None))
        mode = options.pop("mode", "lines")
        setting = world.translated(mode, **options.pop("changed", {}))
        options.setdefault("others", {"translator": PricedModel(model)})
        return play(policy, replies, setting=setting, **options), model

    return _translated


def _plan(*lines: str) -> str:
    return "\n".join(["[PLAN]", *lines, "[PLAN END]"])


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("policy", "replies"),
    [
        ("basic", [_plan(FREE_LIFT, FREE_PUT)]),
        ("basic", [_plan(LIFT, PUT)]),
        ("basic", [_plan(f"1. **{FREE_LIFT}**", f"2. {FREE_PUT}")]),
        ("basic", [f"Here it is:\n\n1. {FREE_LIFT}\n2. {FREE_PUT}\n\nThis plan first takes the red cup off its place "
                   "and then, as the hand is full by then, puts it where it should be in the end."]),
        ("basic", [f"{FREE_LIFT}\n{FREE_PUT}"]),
        ("basic", [_plan(FREE_LIFT, FREE_PUT) + "\nAll of it stands between [PLAN] and [PLAN END]."]),
        ("cot", [_plan("Thought: It must go.", f"Action: {FREE_LIFT}", "Thought: Down.", f"Action: {FREE_PUT}")]),
        ("cot", [_plan("Thought: I could smash cup_0.", f"**Action:** {LIFT}", f"Action: {PUT}", "Action: finished")]),
        ("act", [f"Action: {FREE_LIFT}", f"Action: {FREE_PUT}"]),
        ("act", [FREE_LIFT, FREE_PUT]),
        ("act", [f"Action: {FREE_LIFT}\nObservation: I smash it.\nAction: smash cup_0", f"Action:\n{PUT}"]),
        ("react", [f"Thought: I could smash cup_0.\nAction: {FREE_LIFT}", f"Thought: Now.\nAction: {FREE_PUT}"]),
        ("react", [f"Thought: first\n\n{FREE_LIFT}", f"Thought: Now. Action: {PUT}"]),
    ],
)  # fmt: skip
def test_each_action_line_is_asked_about_and_nothing_else(
    translated: Translated, policy: str, replies: list[str]
) -> None:
    played, model = translated(policy, replies)
    assert [ANSWERS.get(line) for line in model.lines] == ["(lift cup_0 place_1)", "(put cup_0 place_0)"]
    assert played.finished.outcome == "solved", played.finished
    assert played.finished.plan == GOAL
    assert [event.rule for event in played.of("read")] == ["llm", "llm"]
    for event in played.of("read"):
        reply = next(text for text in replies if text[event.start : event.end] == event.text)
        assert reply.count("\n", 0, event.start) + 1 == event.line
        assert event.text in model.lines


def test_every_call_is_stateless_deterministic_and_short(translated: Translated, world: Any) -> None:
    _, model = translated("basic", [_plan(FREE_LIFT, FREE_PUT)])
    opening = world.translated().translator.opening
    for request in model.requests:
        assert request.messages[:-1] == opening
        assert request.messages[-1] == Message("user", request.messages[-1].content)
        assert (request.purpose, request.temperature, request.max_tokens) == ("translator", 0.0, 750)


@pytest.mark.parametrize("mode", ["lines", "reader+llm"])
def test_looking_around_and_claims_are_no_actions_and_cost_no_call(translated: Translated, mode: str) -> None:
    turns = ["Action: look around", f"Action: {LIFT}", "Action: finished", f"Action: {PUT}"]
    played, model = translated("act", turns, mode=mode)
    assert played.finished.outcome == "solved"
    assert model.lines == ([LIFT, PUT] if mode == "lines" else [])


def test_a_turn_of_thoughts_alone_asks_nothing(translated: Translated) -> None:
    played, model = translated("react", ["Thought: I lift cup_0 from place_1.", "", f"Action: {LIFT}"], steps=3)
    assert played.finished.turns == {"executed": 1, "unreadable": 2}
    assert model.lines == [LIFT]


# ── reader+llm ───────────────────────────────────────────────────────────────────────────────────


def test_the_reader_asks_only_for_what_it_cannot_read(translated: Translated) -> None:
    odd = "lift the old thing from place_1"
    played, model = translated("basic", [_plan(odd, PUT)], answers={odd: "(lift cup_0 place_1)"}, mode="reader+llm")
    assert model.lines == [odd]
    assert played.finished.outcome == "solved"
    assert [event.rule for event in played.of("read")] == ["unreadable+llm", "exact"]


@pytest.mark.parametrize("fixed", [True, False])
def test_every_failed_attempt_of_a_reply_is_asked_about(translated: Translated, fixed: bool) -> None:
    """Also outside of the plan that the reader alone would choose, which then may be another one."""
    odd = "lift the old thing from place_1"
    reply = f"I change my mind:\n\n1. {LIFT}\n2. {PUT}\n\nNo, better:\n\n1. {odd}\n2. lift cup_7 from place_0"
    answers = {odd: "(lift cup_1 place_1)", "lift cup_7 from place_0": "(put cup_1 place_0)" if fixed else NO_ACTION}
    played, model = translated("basic", [reply], answers=answers, mode="reader+llm")
    assert model.lines == [odd, "lift cup_7 from place_0"]
    assert [event.rule for event in played.of("read")] == ["unreadable+llm", "unknown-object+llm"]
    assert played.finished.plan == (("(lift blue table)", "(put blue shelf)") if fixed else ("(lift blue table)",))


def test_where_both_fail_the_readers_reasons_are_told(translated: Translated) -> None:
    turn = "Action: lift cup_7 from place_1"
    alone, _ = translated("act", [turn], mode="reader+llm", steps=1, changed={"translator": None})
    both, model = translated("act", [turn], mode="reader+llm", steps=1)
    assert model.lines == ["lift cup_7 from place_1"]
    assert both.of("rejected") == alone.of("rejected")
    assert both.of("read")[0].rule == "unknown-object+llm"


# ── a T-LLM that lies ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", ["lines", "reader+llm"])
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("(lift cup_9 place_1)", "unknown-object"),
        ("(lift red table)(put red shelf)", "unreadable"),
        ("(lift cup_0 place_1)\n(put cup_0 place_0)", "unreadable"),
        ("lift cup_0 from place_1", "unreadable"),
        ("The action is (lift cup_0 place_1).", "unreadable"),
        ("(lift cup_0 place_1) ; (:goal (and))", "unreadable"),
        ("(lift cup_0 place_1))(:action cheat :effect (at red shelf)", "unreadable"),
        ("(and (lift cup_0 place_1))", "unreadable"),
        ("(lift cup_0)", "unreadable"),
        ("(lift place_1 cup_0)", "unreadable"),
        ("(teleport cup_0 place_0)", "unreadable"),
        ("(lift ?c ?p)", "unknown-object"),
        ("()", "unreadable"),
        ("```pddl\n(lift cup_0 place_1)\n(put cup_0 place_0)\n```", "unreadable"),
        (ScriptedReply("(lift cup_0 place_1)", finish="length"), "unreadable"),
        (ScriptedReply("I must not.", finish="refused"), "unreadable"),
        (ScriptedReply("", finish="empty"), "unreadable"),
    ],
)
def test_an_answer_that_is_not_one_action_of_the_task_is_a_failed_reading(
    translated: Translated, mode: str, answer: str | ScriptedReply, status: str
) -> None:
    answers = {FREE_LIFT: answer}
    played, _ = translated("act", [f"Action: {FREE_LIFT}"], answers=answers, mode=mode, steps=1)
    assert played.of("rejected")[0].status == status
    assert played.finished.plan == ()
    assert "red" not in played.of("rejected")[0].observation, "PDDL's own names are never told"
    plan, _ = translated("basic", [_plan(FREE_LIFT, PUT)], answers=answers)
    assert plan.finished.outcome == "unreadable"
    assert plan.finished.fault.status == status


@pytest.mark.parametrize(
    "answer", ["```pddl\n(lift cup_0 place_1)\n```", "`(lift cup_0 place_1)`", "( LIFT Cup_0 place-1 )"]
)
def test_code_fences_and_letter_case_are_no_lie(translated: Translated, answer: str) -> None:
    played, _ = translated("act", [f"Action: {FREE_LIFT}", f"Action: {PUT}"], answers={FREE_LIFT: answer})
    assert played.finished.plan == GOAL


def test_prose_in_a_plan_is_left_out_but_what_was_meant_as_an_action_breaks_it(translated: Translated) -> None:
    prose = "First I should take the cup because it is in the way"
    played, model = translated("basic", [_plan(prose, FREE_LIFT, FREE_PUT)])
    assert model.lines == [prose, FREE_LIFT, FREE_PUT]
    assert played.finished.outcome == "solved"
    assert [event.step for event in played.of("read")] == [1, 2]
    for meant in ("dance with cup_0", "lift cup_1 from place_1"):
        played, _ = translated("basic", [_plan(FREE_LIFT, meant, FREE_PUT)])
        assert played.finished.outcome == "unreadable", meant
        assert (played.finished.fault.step, played.finished.fault.text) == (2, meant)
        assert played.finished.mistakes == 1


# ── what it costs ────────────────────────────────────────────────────────────────────────────────


def test_calls_tokens_and_money_are_on_one_account(translated: Translated) -> None:
    model = Translating()
    asked = PricedModel(model, lambda completion: Price(1.0, 0.5, 10.0))
    played, _ = translated("basic", [_plan(FREE_LIFT, FREE_PUT)], model, others={"translator": asked})
    finished = played.finished
    assert (finished.calls, finished.prompt_tokens, finished.completion_tokens) == (3, 200, 20)
    assert finished.usd == pytest.approx(2 * asked.price_of(Completion("")).usd(Usage(100, 10)))
    assert [event.purpose for event in played.of("prompted")] == ["planner", "translator", "translator"]


def test_without_a_model_of_its_own_the_runs_model_translates(play: Any, world: Any) -> None:
    replies = [f"Action: {FREE_LIFT}", ANSWERS[LIFT], f"Action: {FREE_PUT}", ANSWERS[PUT]]
    played = play("act", replies, setting=world.translated())
    assert played.finished.plan == GOAL
    assert [request.purpose for request in played.requests] == ["planner", "translator"] * 2


def test_the_budget_stops_it_in_the_middle_of_a_plan(translated: Translated) -> None:
    played, model = translated("basic", [_plan(FREE_LIFT, FREE_PUT)], limits=Limits(calls=2))
    finished = played.finished
    assert (finished.outcome, finished.calls, finished.steps) == ("budget", 2, 0)
    assert finished.proposed == ("(lift red table)",)
    assert model.lines == [FREE_LIFT]
    assert [event.event for event in played.events] == [
        "prompted",
        "replied",
        "prompted",
        "replied",
        "read",
        "finished",
    ]
    assert "2 calls" in finished.message


def test_a_reply_that_was_cut_off_stays_so_whatever_the_translator_answers(translated: Translated) -> None:
    reply = ScriptedReply(f"[PLAN]\n{FREE_LIFT}\nset cup_0 do", finish="length")
    played, model = translated("basic", [reply])
    assert model.lines == [FREE_LIFT]
    assert (played.finished.outcome, played.finished.fault.status) == ("budget", "length")


# ── the state settles what is ambiguous ──────────────────────────────────────────────────────────


class Doubtful:
    """A reader for which some lines mean two actions."""

    def __init__(self, reader: Any):
        self._reader = reader

    def _doubted(self, reading: Any) -> Any:
        if reading.action is None or reading.action.name != "lift":
            return reading
        other = GroundAction("smash", reading.action.args[:1])
        return reading._replace(status="ambiguous", action=None, candidates=(reading.action, other))

    def read_turn(self, text: str) -> Any:
        return self._doubted(self._reader.read_turn(text))

    def read(self, text: str, policy: str = "default") -> Any:
        readings = self._reader.read(text, policy)
        return replace(readings, chosen=tuple(map(self._doubted, readings.chosen)))


@pytest.mark.parametrize(
    ("policy", "replies"), [("act", [f"Action: {LIFT}", f"Action: {PUT}"]), ("basic", [_plan(LIFT, PUT)])]
)
@pytest.mark.parametrize("on_ambiguous", ["refuse", "state"])
def test_the_state_may_choose_the_only_applicable_action(
    play: Any, world: Any, policy: str, replies: list[str], on_ambiguous: str
) -> None:
    setting = world.setting()
    setting = replace(setting, reader=Doubtful(setting.reader), spec=replace(setting.spec, on_ambiguous=on_ambiguous))
    played = play(policy, replies, setting=setting, steps=2)
    if on_ambiguous == "state":
        assert played.finished.plan == GOAL
        assert played.of("read")[0].rule.endswith("+on-ambiguous-state")
    else:
        assert played.of("rejected")[0].status == "ambiguous"


def test_behind_a_broken_link_the_state_chooses_nothing(play: Any, world: Any) -> None:
    setting = world.setting()
    setting = replace(setting, reader=Doubtful(setting.reader), spec=replace(setting.spec, on_ambiguous="state"))
    played = play("basic", [_plan(PUT, LIFT)], setting=setting)
    assert [event.status for event in played.of("read")] == ["read", "ambiguous"]
    assert played.finished.outcome == "inapplicable"


def test_what_the_state_settles_needs_no_translation(play: Any, world: Any) -> None:
    setting = world.translated("reader+llm", on_ambiguous="state")
    model = Translating()
    setting = replace(setting, reader=Doubtful(setting.reader))
    others = {"translator": PricedModel(model)}
    played = play("act", [f"Action: {LIFT}", f"Action: {FREE_PUT}"], setting=setting, others=others)
    assert played.finished.plan == GOAL
    assert model.lines == [FREE_PUT]


# ── whatever is said ─────────────────────────────────────────────────────────────────────────────

LINE = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [*ANSWERS, *ANSWERS.values(), "Action: look around", "Thought: so", "[PLAN]", "[PLAN END]", NO_ACTION]
    ),
)


@pytest.mark.parametrize("mode", ["lines", "reader+llm"])
@pytest.mark.parametrize("policy", ["basic", "react"])
@given(lines=st.lists(LINE, max_size=6), answers=st.lists(LINE, min_size=1, max_size=6))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_said_and_answered_a_run_ends_and_its_plan_holds(
    play: Any, world: Any, policy: str, mode: str, lines: list[str], answers: list[str]
) -> None:
    translator = Answering(lambda request: answers[len(request.messages[-1].content) % len(answers)])

    replies = ["\n".join(lines)] + ["…"] * 3
    others = {"translator": PricedModel(translator)}
    played = play(policy, replies, setting=world.translated(mode), steps=3, others=others)
    finished = played.finished
    assert played.events[-1] == finished
    report = validate(world.task, [GroundAction.parse(action) for action in finished.plan])
    # A plan given at once may break behind the actions that reach the goal.
    assert report.valid if finished.outcome == "solved" else report.verdict in ("valid", "goal-not-satisfied")
    for event in played.of("read"):
        assert any(text[event.start : event.end] == event.text for text in replies)


# ── a whole reply in one call ────────────────────────────────────────────────────────────────────


def _whole(reply: str, answer: str | ScriptedReply) -> dict[str, Any]:
    return {"mode": "llm", "answers": {reply: answer}}


@pytest.mark.parametrize(
    "reply",
    [
        _plan(LIFT, PUT),
        "The red one comes off its place, and then it finds its home on the other one.",
        # The reader takes the second of these for a plan that is only explained.
        f"Wrong plan:\n1. {LIFT}\n2. {PUT}",
    ],
)
def test_the_whole_reply_is_asked_about_in_one_call_whatever_the_reader_saw(
    translated: Translated, world: Any, reply: str
) -> None:
    played, model = translated("basic", [reply], **_whole(reply, "(lift cup_0 place_1)\n(put cup_0 place_0)"))
    assert played.finished.plan == GOAL
    assert played.finished.outcome == "solved"
    (request,) = model.requests
    assert request.messages == (*world.translated("llm").translator.opening, Message("user", reply))
    assert (request.purpose, request.temperature) == ("translator", 0.0)
    # Short replies have short translations; a small model would go on without end.
    assert 100 < (request.max_tokens or 0) < 200
    assert [(event.rule, event.text, event.line) for event in played.of("read")] == [
        ("llm", "(lift cup_0 place_1)", 0),
        ("llm", "(put cup_0 place_0)", 0),
    ]


def test_the_answer_is_held_to_the_tasks_actions_where_the_endpoint_can(translated: Translated) -> None:
    _, model = translated("basic", [_plan(LIFT, PUT)], mode="llm")
    constraint = model.requests[0].constraint
    assert constraint.optional
    grammar = constraint.grammar().splitlines()
    assert grammar[0] == r'root ::= action ("\n" action)* | "no action"'
    assert any('"(lift"' in line for line in grammar), grammar


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("(lift cup_0 place_1)\nI would add a step.", "unreadable"),
        ("(lift cup_0 place_1)\n(put cup_0 place_77)", "unknown-object"),
        ("(lift cup_0 place_1)\n(put place_0 cup_0)", "unreadable"),
        (ScriptedReply("(lift cup_0 place_1)\n(put cup", "length"), "unreadable"),
    ],
)
def test_what_is_no_action_of_the_task_in_the_answer_breaks_the_plan(
    translated: Translated, answer: str | ScriptedReply, status: str
) -> None:
    reply = _plan(LIFT, PUT)
    played, _ = translated("basic", [reply], **_whole(reply, answer))
    assert [event.status for event in played.of("read")] == ["read", status]
    assert played.finished.outcome == "unreadable"


def test_a_reply_in_which_the_model_finds_no_action_has_no_plan(translated: Translated) -> None:
    played, _ = translated("basic", [_plan(LIFT, PUT)], mode="llm")
    assert played.of("read") == []
    played, _ = translated("basic", ["The goal cannot be reached."], mode="llm")
    assert played.finished.outcome == "gave-up"


def test_a_whole_turn_is_an_action_a_claim_or_a_look_around(translated: Translated) -> None:
    turns = {
        "Let me see how things are.": "look around",
        "Off with the red one!": "(lift cup_0 place_1)",
        "All is well now.": "finished",
        "And down it goes.": "(put cup_0 place_0)",
    }
    played, model = translated("act", [*turns], mode="llm", answers=turns)
    assert model.lines == [*turns]
    assert [event.status for event in played.of("read")] == ["look-around", "read", "claimed-done", "read"]
    assert played.finished.outcome == "solved"
