"""A small world for policies: cups on places, one hand, and a way to break things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Request, ScriptedReply
from pddl2nl.nl import Reader, Teller, Wording, make_names, wording_from_json
from pddl2nl.pddl import Task, load_task, parse_task
from pddl2nl.policies import Episode, Example, ExampleStep, Limits, RequestSettings, RunEvent, Setting, make_policy
from pddl2nl.policies.budget import ModelCalls, PricedModel, free
from pddl2nl.policies.events import Finished
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.spec import RunSpec
from pddl2nl.policies.translating import LineTranslator, ReplyTranslator, Translator
from pddl2nl.policies.translation_prompt import pddl_lines, reply_opening, translation_opening
from pddlval import Simulator
from tests.answering import scripted

DOMAIN = """
(define (domain cups)
  (:requirements :strips :typing)
  (:types cup place)
  (:predicates (at ?c - cup ?p - place) (held ?c - cup) (free))
  (:action lift
    :parameters (?c - cup ?p - place)
    :precondition (and (at ?c ?p) (free))
    :effect (and (held ?c) (not (at ?c ?p)) (not (free))))
  (:action put
    :parameters (?c - cup ?p - place)
    :precondition (held ?c)
    :effect (and (at ?c ?p) (free) (not (held ?c))))
  (:action smash
    :parameters (?c - cup)
    :precondition (held ?c)
    :effect (not (held ?c))))
"""
PROBLEM = """
(define (problem tidy) (:domain cups)
  (:objects red blue - cup shelf table - place)
  (:init (at red table) (at blue table) (free))
  (:goal (and (at red shelf) (at blue table))))
"""
EXAMPLE = """
(define (problem shown) (:domain cups)
  (:objects green - cup sink door - place)
  (:init (at green sink) (free))
  (:goal (at green door)))
"""
WORDING: dict[str, Any] = {
    "format": 1,
    "domain": "cups",
    "predicates": {
        "at": {"parameters": ["?c", "?p"], "text": "{?c} is on {?p}", "negated": "{?c} is not on {?p}"},
        "held": {"parameters": ["?c"], "text": "I hold {?c}", "negated": "I do not hold {?c}"},
        "free": {"parameters": [], "text": "my hand is free", "negated": "my hand is not free"},
    },
    "actions": {
        "lift": {"parameters": ["?c", "?p"], "text": "lift {?c} from {?p}"},
        "put": {"parameters": ["?c", "?p"], "text": "put {?c} on {?p}"},
        "smash": {"parameters": ["?c"], "text": "smash {?c}"},
    },
    "types": {"cup": "cup", "place": "place"},
    "functions": {},
}
THOUGHTS = ("In order to put cup_0 on place_1 I need that I hold cup_0.", "My goal asks that cup_0 is on place_1.")


@dataclass
class Played:
    """An episode that was played: its end, its events, and what the model was asked."""

    finished: Finished
    events: list[RunEvent]
    requests: list[Request]
    episode: Episode = field(repr=False)

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.event == kind]


@dataclass(frozen=True)
class World:
    """The cups, told in one style."""

    task: Task
    wording: Wording

    def teller(self, task: Task, style: str) -> Teller:
        names = make_names(task, "typed" if style == "nl" else "original")
        return Teller(task, self.wording, names, style)

    def example(self, style: str) -> Example:
        task = parse_task(DOMAIN, EXAMPLE)
        teller = self.teller(task, style)
        plan = [("lift", "green", "sink"), ("put", "green", "door")]
        simulator = Simulator(task)
        actions = [simulator.step(simulator.initial, f"({' '.join(step)})").action for step in plan]
        steps = [
            ExampleStep(teller.action(action), teller.executed(action), thought)
            for action, thought in zip(actions, THOUGHTS, strict=True)
        ]
        return Example(teller.goal_text(), teller.objects_text(), teller.init_text(), tuple(steps))

    def setting(self, style: str = "nl", *, shown: bool = True, **options: Any) -> Setting:
        simulator = Simulator(self.task)
        teller = self.teller(self.task, style)
        reader = Reader(self.task, self.wording, teller.names) if style == "nl" else PDDLReader(simulator)
        spec = RunSpec(self.task, style=style, **options)
        return Setting(spec, simulator, teller, reader, example=self.example(style) if shown else None)

    def translated(self, mode: str = "lines", **changed: Any) -> Setting:
        """The setting with a T-LLM."""
        setting = self.setting(shown=False)
        assert isinstance(setting.reader, Reader)
        names, reader = setting.teller.names, setting.reader
        translator: Translator
        if mode == "llm":
            told, actions = reply_opening(self.task, self.wording, names), pddl_lines(self.task, names)
            translator = ReplyTranslator(reader, lambda: told, lambda: actions)
        else:
            opening = translation_opening(self.task, self.wording, names)
            translator = LineTranslator(reader, self.wording, lambda: opening, mode)
        return replace(setting, translator=translator, spec=replace(setting.spec, **changed))


Play = Callable[..., Played]


@pytest.fixture(scope="session")
def world() -> World:
    task = parse_task(DOMAIN, PROBLEM)
    return World(task, wording_from_json(WORDING, task.domain, "the test's wording"))


@pytest.fixture
def play(world: World) -> Play:
    """Plays a policy with the options ``chosen`` against scripted replies."""

    def _play(
        policy: str,
        replies: Sequence[str | ScriptedReply] = (),
        *,
        style: str = "nl",
        steps: int | None = 20,
        setting: Setting | None = None,
        model: Any = None,
        chosen: Mapping[str, Any] = {},
        **options: Any,
    ) -> Played:
        events: list[RunEvent] = []
        limits = options.pop("limits", None) or Limits(steps)
        asked = model or scripted(*replies)
        models = {"planner": PricedModel(asked, options.pop("price_of", free)), **options.pop("others", {})}
        episode = Episode(
            setting or world.setting(style),
            ModelCalls(models, limits),
            limits=limits,
            request=options.pop("request", RequestSettings(0.0, 1)),
            emit=events.append,
            **options,
        )
        finished = episode.play(make_policy(policy, chosen))
        return Played(finished, events, getattr(asked, "requests", []), episode)

    return _play


@pytest.fixture(scope="session")
def blocks(root: Path) -> Task:
    """Three blocks: c on b on a."""
    return load_task(root / "domains/blocksworld/domain.pddl", root / "instances/blocksworld/p01.pddl")
