"""Profiles: a paper's whole setting in one option."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.preparing import apply_profile
from pddl2nl.llm import Completion, Request, ScriptedModel
from pddl2nl.nl.markers import PLAN_END, PLAN_START
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies.events import Prompted, Replied, Started
from tests.llm.chat_server import ChatServer

DOMAIN = """(define (domain cups)
  (:requirements :strips :typing)
  (:types cup place)
  (:predicates (at ?c - cup ?p - place) (held ?c - cup))
  (:action lift :parameters (?c - cup ?p - place) :precondition (at ?c ?p)
    :effect (and (held ?c) (not (at ?c ?p))))
  (:action put :parameters (?c - cup ?p - place) :precondition (held ?c)
    :effect (and (at ?c ?p) (not (held ?c)))))
"""
PROBLEM = """(define (problem tidy) (:domain cups) (:objects red - cup shelf table - place)
  (:init (at red table)) (:goal (at red shelf)))
"""
WORDS = {
    "(at ?c ?p)": "{?c} stands at {?p}",
    "(held ?c)": "{?c} is held",
    "lift": "lift cup {?c} from {?p}",
    "put": "put cup {?c} on {?p}",
}


class Everything:
    """A model that can play every role of this one task, by what it is asked."""

    name = "everything"

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        return Completion(self._reply(request))

    def _reply(self, request: Request) -> str:
        said = request.messages[-1].content
        if request.max_tokens == 200:
            return next(text for key, text in WORDS.items() if key in said.split("preconditions")[0])
        if request.max_tokens == 750:
            return {"lift the red": "(lift red table)", "lay it down": "(put red shelf)"}[said]
        if request.max_tokens == 2000:
            return "nothing that could be used"
        return f"{PLAN_START}\nlift the red\nlay it down\n{PLAN_END}"


@pytest.fixture(scope="module")
def task() -> Task:
    return parse_task(DOMAIN, PROBLEM)


def test_one_option_is_the_whole_setting_of_the_paper(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    model = Everything()
    with ChatServer(model) as server:
        spec = RunSpec.of(task, "basic", example="none", negation="rules", seed=3, base_url=server.base_url)
        result = run_spec(apply_profile(spec, "autoplanbench"), Access())
        names = {call.body["model"] for call in server.calls}
    assert result.solved
    assert names == {"gpt-4o-2024-08-06"}
    started = result.events[0]
    assert isinstance(started, Started)
    assert (started.spec["profile"], started.spec["translator"]) == ("autoplanbench", "lines")
    assert started.models["translator"] == "gpt-4o-2024-08-06"
    assert started.wording is not None
    assert started.wording["actions"]["lift"]["text"] == "lift cup {?c} from {?p}"
    assert "date" not in started.wording["source"]
    limits = {"wording": 200, "planner": None, "translator": 750}
    prompted = [event for event in result.events if isinstance(event, Prompted)]
    assert {event.purpose: event.max_tokens for event in prompted} == limits
    assert {(event.temperature, event.seed) for event in prompted} == {(0.0, 3)}
    # What was asked before the run began stands right behind its first event.
    assert [event.purpose for event in prompted] == ["wording"] * 4 + ["planner"] + ["translator"] * 2
    assert [event.call for event in prompted] == list(range(1, 8))
    replied = [event for event in result.events if isinstance(event, Replied)]
    assert all(event.usd is not None and event.usd > 0 for event in replied)
    assert {role: account["calls"] for role, account in result.accounts.items()} == {
        "planner": 1,
        "translator": 2,
        "wording": 4,
    }
    assert result.spent.calls == 7
    assert result.spent.usd == pytest.approx(sum(event.usd or 0 for event in replied))


def test_what_is_given_beside_a_profile_stands(task: Task) -> None:
    spec = RunSpec.of(task, "react", model="mine", translator="reader", temperature=1.0)
    changed = apply_profile(spec, "autoplanbench", given={"model", "temperature"})
    assert (changed.model, changed.temperature) == ("mine", 1.0)
    assert (changed.translator, changed.wording, changed.thoughts) == ("lines", "llm", "llm")


@pytest.mark.parametrize(("policy", "style"), [("basic", "pddl"), ("act", "pddl"), ("random", "nl")])
def test_what_speaks_no_language_is_not_worded_or_translated(task: Task, policy: str, style: str) -> None:
    changed = apply_profile(RunSpec.of(task, policy, model="m", style=style), "autoplanbench")
    assert (changed.wording, changed.translator) == (None, "reader")
    assert changed.model == ("m" if policy == "random" else "gpt-4o-2024-08-06")


FAILS, LOOKS, CLAIMS = "Action: dance", "Action: look around", "Action: finished"


@pytest.mark.parametrize(
    ("turns", "steps"),
    [
        ([FAILS], 11),
        ([FAILS, LOOKS], 11),
        # A claim neither counts nor ends the run, however often it comes in a row.
        ([CLAIMS], 40),
        ([FAILS, CLAIMS, CLAIMS], 31),
        # An action that is executed begins the count anew.
        ([*[FAILS] * 10, "Action: apply the action 'lift' to cup_0 and place_1", *[LOOKS] * 11], 22),
    ],
)
def test_interactive_runs_stop_as_in_the_authors_code(task: Task, turns: list[str], steps: int) -> None:
    spec = RunSpec.of(task, "act", model=ScriptedModel(turns * 40), wording="template", steps=40, example="none")
    given = {"model", "wording", "translator", "negation"}
    finished = run_spec(apply_profile(spec, "autoplanbench", given), Access()).finished
    assert finished is not None
    assert (finished.outcome, finished.steps) == ("budget", steps)


def test_the_limits_of_a_profile_are_those_of_policies_that_have_them(task: Task) -> None:
    authors = {"stop_after": 11, "false_claims": 0}
    for policy, limits in {"act": authors, "react": authors, "basic": {}, "random": {}}.items():
        assert apply_profile(RunSpec.of(task, policy), "autoplanbench").options == limits
    own = apply_profile(RunSpec.of(task, "act", stop_after=2), "autoplanbench")
    assert own.options == {**authors, "stop_after": 2}


DRIVE = """(define (domain roads) (:requirements :strips) (:predicates (in ?city))
  (:action drive :parameters (?from ?to) :precondition (in ?from) :effect (and (in ?to) (not (in ?from)))))
"""


def test_delete_sentences_name_no_exceptions_as_in_the_paper() -> None:
    task = parse_task(DRIVE, "(define (problem go) (:domain roads) (:objects a b) (:init (in a)) (:goal (in b)))")
    asked = {}
    for profile in (None, "autoplanbench"):
        spec = RunSpec.of(task, "basic", model=ScriptedModel(["no plan"]), wording="template", example="none")
        given = {"model", "wording", "translator", "negation"}
        events = run_spec(apply_profile(spec, profile, given) if profile else spec, Access()).events
        asked[profile] = "".join(
            one.content for event in events if isinstance(event, Prompted) for one in event.messages
        )
    exception = ", unless A and B are the same object"
    assert exception in asked[None]
    assert asked["autoplanbench"] == asked[None].replace(exception, "")


def test_an_unknown_profile_is_refused_by_name(task: Task) -> None:
    with pytest.raises(InputError, match=r"--profile icaps: no such profile; there are autoplanbench"):
        apply_profile(RunSpec.of(task), "icaps")
