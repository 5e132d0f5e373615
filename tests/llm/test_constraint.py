"""What a reply may be: grammars and schemas by hand, and how a way of sending them is chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import run
from pddl2nl.llm import EndpointRefusedError, Message, OpenAIModel, Request, request_key
from pddl2nl.llm.constraint import WAYS, Constraint, Way
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.policies.events import Prompted
from pddl2nl.tasks import shipped_task
from tests.answering import Answering
from tests.llm.chat_server import Call, ChatServer, Trouble

STACK = ("stack ", ("a", "b"), " on ", ("a", "b"))
ACT = Constraint((STACK, ("look around",)), action="Action: ")
PLAN = Constraint((("go",),), action="Action: ", thought="Thought: ", begin="[PLAN]\n", end="[PLAN END]")


def test_the_actions_of_a_task_stay_in_slots() -> None:
    assert ACT.grammar().splitlines() == [
        'root ::= "Action: " action',
        'slot0 ::= "a" | "b"',
        'action ::= "stack " slot0 " on " slot0 | "look around"',
    ]


def test_a_plan_has_any_number_of_steps_between_its_tags() -> None:
    assert PLAN.grammar().splitlines() == [
        r'root ::= "[PLAN]\n" ("Thought: " [^\n]+ "\n" "Action: " action "\n")* "[PLAN END]"',
        'action ::= "go"',
    ]


def test_whole_lines_share_their_beginnings() -> None:
    lines = ("drive t1 to x", "drive t1 to y", "drive t2", "drive t2 home")
    grammar = Constraint(tuple((line,) for line in lines)).grammar()
    assert grammar.splitlines()[1] == 'action ::= "drive " ("t1 to " ("x" | "y") | "t2" | "t2 home")'


def test_a_slot_may_hold_lines_with_slots_and_any_text() -> None:
    line = ("assert ", (("(", ("a", "b"), " is clear)"), ("(done)",)), " else ", None)
    constraint = Constraint((line,), action="- ", begin="Plan:\n")
    assert constraint.grammar().splitlines() == [
        r'root ::= "Plan:\n" ("- " action "\n")*',
        'slot1 ::= "a" | "b"',
        'slot0 ::= "(" slot1 " is clear)" | "(done)"',
        r'action ::= "assert " slot0 " else " [^"\\\n]+',
    ]
    pattern = constraint.schema()["properties"]["steps"]["items"]["properties"]["action"]["pattern"]
    allowed = (
        "assert (a is clear) else go",
        "assert (done) else go",
        "assert (a is clear) else ",
        "assert (c) else go",
    )
    assert [bool(re.match(pattern, text)) for text in allowed] == [True, True, False, False]


def test_what_stands_between_steps_stands_behind_none() -> None:
    listed = Constraint((("go",),), action='"', after='"', begin="[", end="]", between=", ")
    assert listed.grammar().splitlines()[0] == r'root ::= "[" "\"" action "\"" (", " "\"" action "\"")* "]"'
    assert listed.text('{"steps": [{"action": "go"}, {"action": "go"}]}') == '["go", "go"]'
    tagged = Constraint((("go",),), begin="</a>\n", words=True, before="<a>\n")
    assert tagged.grammar().splitlines()[0] == r'root ::= "<a>\n" ([^<\n]+ "\n")* "</a>\n" (action "\n")*'
    assert tagged.text('{"words": "So.", "steps": [{"action": "go"}]}') == "<a>\nSo.\n</a>\ngo\n"


def test_quotation_marks_and_line_breaks_in_names_are_escaped() -> None:
    assert '"say \\"hi\\"\\n\\\\"' in Constraint((('say "hi"\n\\',),)).grammar()


def test_a_schema_lists_few_lines_and_describes_many() -> None:
    assert Constraint((("go",), ("stay",))).schema()["properties"]["action"]["enum"] == ["go", "stay"]
    pattern = ACT.schema()["properties"]["action"]["pattern"]
    # As llama.cpp and ECMAScript read it: an escaped blank would mean nothing there.
    assert pattern == "^(stack (a|b) on (a|b)|look around)$"
    allowed = [text for text in ("stack a on b", "look around", "stack a on c", "stack a") if re.match(pattern, text)]
    assert allowed == ["stack a on b", "look around"]


def test_json_becomes_the_text_that_the_grammar_describes() -> None:
    assert ACT.text('{"action": "stack a on b"}') == "Action: stack a on b"
    steps = '{"steps": [{"thought": "one\\ntwo", "action": "go"}]}'
    assert PLAN.text(steps) == "[PLAN]\nThought: one two\nAction: go\n[PLAN END]"
    # Cut off: what there is of it is judged as text.
    assert ACT.text('{"action": "sta') == '{"action": "sta'


def server_for(obeyed: Way | None, refused: bool) -> tuple[ChatServer, Callable[[Call], Trouble | None]]:
    keys = {"json_schema": "response_format"}
    known = ("structured_outputs", "grammar", "guided_grammar", "response_format")

    def fault(call: Call) -> Trouble | None:
        sent = next((key for key in known if key in call.body), None)
        if obeyed is not None and sent == keys.get(obeyed, obeyed):
            said = json.dumps(call.body[sent])
            text = "kiwi 7" if "kiwi 7" in said else "Action: go"
            if obeyed == "json_schema":
                text = json.dumps({"action": text.removeprefix("Action: ")})
            message = {"role": "assistant", "content": text}
            choice = {"finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 5, "completion_tokens": 2}
            return Trouble(200, json.dumps({"choices": [choice], "usage": usage}))
        return Trouble(400) if sent and refused else None

    return ChatServer(Answering("Hello!"), fault=fault), fault


REQUEST = Request((Message("user", "Go."),), constraint=Constraint((("go",),), action="Action: "))


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize("way", ["structured_outputs", "grammar", "guided_grammar", "json_schema"])
def test_auto_tries_the_ways_once_and_remembers_the_one_that_holds(way: Way, refused: bool) -> None:
    with server_for(way, refused)[0] as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings())
        first = model.complete(REQUEST)
        assert first.text == "Action: go"
        tried = len(server.calls)
        again = model.complete(REQUEST)
        assert again.text == "Action: go"
        assert len(server.calls) == tried + 1
    # The tokens are paid once: the first reply has them, and says so.
    tokens = f"its tokens include those of {tried - 1} calls that tried how the endpoint takes constraints"
    assert (first.remark, again.remark) == (tokens, "")
    # Ways that the server ignores are answered as "Say hello." is: two words.
    assert again.usage.prompt_tokens == 5
    assert first.usage.prompt_tokens == 5 + 5 + (0 if refused else 2 * (tried - 2))


def test_an_endpoint_that_obeys_nothing_is_refused_and_not_measured() -> None:
    with server_for(None, refused=False)[0] as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings())
        with pytest.raises(EndpointRefusedError, match="obeys no constraint"):
            model.complete(REQUEST)


def test_an_optional_constraint_leaves_such_an_endpoint_free_and_is_tried_once() -> None:
    free = replace(REQUEST, constraint=Constraint((("go",),), action="Action: ", optional=True))
    with server_for(None, refused=True)[0] as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings())
        assert [model.complete(free).text for _ in range(2)] == ["Hello!", "Hello!"]
        assert len(server.calls) == len(WAYS) + 2
        assert not any("grammar" in call.body for call in server.calls[len(WAYS) :])
    with server_for("grammar", refused=True)[0] as server:
        assert OpenAIModel("m", server.base_url, settings=ModelSettings()).complete(free).text == "Action: go"
    assert request_key(free) == request_key(REQUEST)


def test_a_constraint_is_part_of_what_a_reply_is_kept_under() -> None:
    free = Request(REQUEST.messages)
    assert request_key(free) != request_key(REQUEST)
    recorded = Request(REQUEST.messages, constraint=ACT.key)
    assert request_key(recorded) == request_key(Request(REQUEST.messages, constraint=ACT))


@pytest.mark.parametrize(
    ("policy", "model", "level", "words"),
    [
        ("basic", None, "applicable", "in no state"),
        ("act", None, "aplicable", "did you mean 'applicable'"),
        ("random", None, "format", "the policy does not use it"),
        ("act", "oracle", "format", "behind an endpoint"),
    ],
)
def test_what_cannot_be_constrained_is_refused(policy: str, model: str | None, level: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run(shipped_task("blocksworld", "p01"), policy, model, constrain=level)


def test_each_turn_is_constrained_to_the_state_and_the_record_says_so() -> None:
    sent: list[str] = []

    def fault(call: Call) -> Trouble | None:
        sent.append(call.body["grammar"])
        message = {"role": "assistant", "content": "Action: unstack block_2 from block_1"}
        return Trouble(200, json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}))

    options: dict[str, Any] = {"steps": 2, "example": "none", "cache": "none", "constrain": "applicable"}
    with ChatServer(Answering("Hello!"), fault=fault) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(constrain="grammar"))
        result = run(shipped_task("blocksworld", "p01"), "act", model, **options)
    # One hand: the first state offers what can be lifted, the next what can be done with it.
    assert "unstack" in sent[0]
    assert "put down" not in sent[0]
    assert "put down" in sent[1]
    keys = [event.constraint for event in result.events if isinstance(event, Prompted)]
    assert len(set(keys)) == 2
    assert None not in keys
    assert result.started.spec["constrain"] == "applicable"
