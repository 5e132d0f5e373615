"""Wordings by batches: few of them, the same wording as live, and nothing asked for that a live run does not ask."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Completion, OpenAIModel, ReplyPendingError, Request, Usage
from pddl2nl.llm.batch import BatchRunner
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.nl.wording.word_domain import WordedDomain, word_domain
from pddl2nl.pddl import load_domain, parse_domain
from pddl2nl.pddl.tree import Domain
from tests.llm.chat_server import ChatServer

HARBOUR = parse_domain("""
(define (domain harbour)
  (:requirements :typing :equality :derived-predicates :action-costs :negative-preconditions)
  (:types ship berth)
  (:predicates (moored ?s - ship ?b - berth) (near ?b ?c - berth) (idle ?s - ship) (reachable ?b ?c - berth))
  (:functions (total-cost) (draught ?s - ship))
  (:derived (reachable ?b ?c - berth)
    (or (near ?b ?c) (exists (?m - berth) (and (near ?b ?m) (reachable ?m ?c)))))
  (:action shift :parameters (?s - ship ?b ?c - berth)
    :precondition (and (moored ?s ?b) (reachable ?b ?c) (not (= ?b ?c)))
    :effect (and (not (moored ?s ?b)) (moored ?s ?c) (increase (total-cost) 1)))
  (:action rest :parameters (?s - ship) :precondition (not (idle ?s)) :effect (idle ?s))
  (:action wave :parameters (?b ?c - berth) :precondition (near ?b ?c) :effect (increase (total-cost) 2)))
""")


class Writer:
    """Words whatever it is asked for by its name, having said first what ``wrong`` has for that, in turn."""

    name = "writer"

    def __init__(self, wrong: Mapping[str, list[str]] | None = None):
        self.wrong = wrong or {}

    def complete(self, request: Request) -> Completion:
        """The snippet; a refusal or a cut where ``wrong`` says so."""
        asked = [m.content for m in request.messages if m.role == "user"]
        starts = [index for index, text in enumerate(asked) if text.startswith(("(", "action: "))]
        question, turn = asked[starts[-1]], len(asked) - starts[-1] - 1
        name = re.findall(r"[\w=-]+", question.removeprefix("action: "))[0]
        said = self.wrong.get(name, [])
        if turn < len(said):
            return Completion(
                "" if said[turn] == "length" else said[turn], "length" if said[turn] == "length" else "text"
            )
        where = re.search(r"parameters: \((.*)\)", question) if question.startswith("action: ") else None
        variables = re.findall(r"\?[\w-]+", where[1] if where else question.splitlines()[0])
        told = " and ".join(f"{{{variable}}}" for variable in dict.fromkeys(variables))
        if where:
            return Completion(f"{name} with {told}" if told else name, usage=Usage(50, 5))
        return Completion(f"the {name} is with {told}" if told else f"the {name} is so", usage=Usage(50, 5))


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "replies.sqlite") as opened:
        yield opened


def live(domain: Domain, wrong: Mapping[str, list[str]], **options: Any) -> tuple[WordedDomain, list[str]]:
    """The wording of a live run, and the bodies that were sent."""
    with ChatServer(Writer(wrong)) as server:
        model = OpenAIModel("m", server.base_url)
        worded = word_domain(domain, model, **options)
        return worded, sorted(json.dumps(call.body) for call in server.calls)


def batched(
    domain: Domain, wrong: Mapping[str, list[str]], cache: Cache, **options: Any
) -> tuple[WordedDomain, list[str], int]:
    """The wording of a run by batches, the bodies that were sent, and the number of batches."""
    with ChatServer(Writer(wrong)) as server:
        runner = BatchRunner(cache, poll_seconds=0.001)
        model = CachedModel(OpenAIModel("m", server.base_url), cache, collect=runner.collect)
        while True:
            try:
                worded = word_domain(domain, model, **options)
                break
            except ReplyPendingError:
                runner.run()
        sent = sorted(json.dumps(line["body"]) for batch in server.desk.batches for line in batch.lines)
        assert not any(call.path.endswith("/chat/completions") for call in server.calls)
        return worded, sent, len(server.desk.batches)


def compare(domain: Domain, wrong: Mapping[str, list[str]], cache: Cache, **options: Any) -> tuple[WordedDomain, int]:
    worded, sent, batches = batched(domain, wrong, cache, **options)
    expected, expected_sent = live(domain, wrong, **options)
    assert (worded.wording, worded.fell_back, worded.without_negated) == (
        expected.wording,
        expected.fell_back,
        expected.without_negated,
    )
    assert sent == expected_sent
    return worded, batches


def test_blocksworld_takes_two_batches(cache: Cache, root: Path) -> None:
    domain = load_domain(root / "domains" / "blocksworld" / "domain.pddl")
    worded, batches = compare(domain, {}, cache)
    assert batches == 2
    assert not worded.fell_back
    # What came by batch was paid for there, and is no call of this run.
    assert (worded.calls, worded.usage) == (0, Usage())


def test_all_that_does_not_wait_is_asked_for_at_once(cache: Cache) -> None:
    """The derived predicate is told in the words of others, and so are the actions, one of them by "idle" alone."""
    _, batches = compare(HARBOUR, {}, cache)
    assert batches == 3
    with ChatServer(Writer()) as server:
        seen: list[str] = []
        runner = BatchRunner(cache)
        model = CachedModel(OpenAIModel("other", server.base_url), cache, collect=runner.collect)

        class Seen:
            name = "m"

            def complete(self, request: Request) -> Completion:
                seen.append(request.messages[-1].content.splitlines()[0])
                return model.complete(request)

        with pytest.raises(ReplyPendingError, match="predicate 'moored'"):
            word_domain(HARBOUR, Seen())
    assert seen == ["(moored ?s ?b)", "(near ?b ?c)", "(idle ?s)", "(total-cost)", "(draught ?s)"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"moored": ["nobody"]},
        {"moored": ["length"], "near": ["{?b} is {?c} (or so)"]},
        {"near": ["nobody", "nobody"]},
        {"moored": ["nobody"], "shift": ["length", "length"]},
        {"draught": ["the draught"]},
        {"idle": ["nobody", "nobody"], "reachable": ["length"]},
    ],
)
@pytest.mark.parametrize("revisions", [0, 2])
def test_whatever_goes_wrong_the_wording_is_the_live_one(
    cache: Cache, wrong: dict[str, list[str]], revisions: int
) -> None:
    _, batches = compare(HARBOUR, wrong, cache, revisions=revisions)
    assert batches <= 3 + 2 * revisions + 2
