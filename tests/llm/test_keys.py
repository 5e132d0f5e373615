"""Keys: what is hashed piece by piece has the key of the whole."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.llm import Message, Request, request_key
from pddl2nl.llm.keys import canonical_json, identity_json, request_to_json, sha256

# With halves of surrogate pairs, control characters, and what looks like the JSON around it.
TEXT = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=()), max_size=12),
    st.just('"messages":[]'),
    st.just("\x7f\x00/\u2028\\"),
)
MESSAGES = st.lists(st.builds(Message, st.sampled_from(("system", "user", "assistant")), TEXT), max_size=6)


def whole_key(request: Request) -> str:
    return sha256(canonical_json(request_to_json(request)))


@given(first=MESSAGES, more=MESSAGES, others=MESSAGES, stop=st.lists(TEXT, max_size=1))
def test_a_key_is_that_of_the_whole_request_whatever_was_asked_before(
    first: list[Message], more: list[Message], others: list[Message], stop: list[str]
) -> None:
    for messages in (first, others, [*first, *more], [*first, *others], more, first):
        request = Request(tuple(messages), temperature=0.7, seed=3, stop=tuple(stop))
        assert request_key(request) == whole_key(request)
        # Equal messages that are other objects.
        copied = Request(tuple(Message(one.role, one.content) for one in messages), temperature=0.7, seed=4)
        assert request_key(copied) == whole_key(copied) != request_key(request)


def test_a_long_conversation_is_hashed_once(steps: Any) -> None:
    messages = tuple(Message("user", f"{number} " * 50) for number in range(400))
    # The first key of a thread hashes all 300 messages.
    long = steps(lambda: [request_key(Request(messages[:length])) for length in range(300, 400)])
    short = steps(lambda: [request_key(Request(messages[:length])) for length in range(100)])
    assert long < 1.5 * short + 4000


@given(messages=MESSAGES, name=TEXT)
def test_the_json_of_an_identity_is_canonical(messages: list[Message], name: str) -> None:
    told = [{"role": message.role, "content": message.content} for message in messages]
    chat = {"kind": "chat", "endpoint": name, "body": {"model": name, "messages": told, "seed": 1}, "sample": 0}
    vector = {"kind": "embedding", "endpoint": name, "body": {"model": name, "input": name}}
    assert identity_json(chat) == canonical_json(chat)
    assert identity_json(vector) == canonical_json(vector)
