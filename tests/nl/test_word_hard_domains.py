"""Domains with very many parameters, on which the paper's conversion failed, under a model that errs first.

The model's first answer about everything is wrong, in a way that changes from one to the next; told what is wrong,
it answers. Nothing may then fall back to the template.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pddl2nl.llm import Completion, Finish, Request
from pddl2nl.nl import Reader, Teller, make_names
from pddl2nl.nl.wording.review import wording_warnings
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.nl.wording.word_domain import items, provenance_warnings, word_domain
from pddl2nl.pddl import Task, load_domain, parse_domain, parse_problem
from pddl2nl.pddl.tree import Domain
from pddlval import GroundAction

TIDYBOT = """
(define (domain room-keeper)
  (:requirements :typing)
  (:types robot cart thing xc yc xrel yrel)
  (:predicates (base ?r - robot ?x - xc ?y - yc) (hand ?r - robot ?x - xrel ?y - yrel)
    (thing-at ?t - thing ?x - xc ?y - yc) (holding ?r - robot ?t - thing) (empty-hand ?r - robot)
    (sum-x ?x - xc ?d - xrel ?s - xc) (blocked ?x - xc ?y - yc) (sum-y ?y - yc ?d - yrel ?s - yc)
    (left-of ?a ?b - xc) (above ?a ?b - yc) (on-cart ?t - thing ?c - cart))
""" + "".join(
    f"""
  (:action {verb}-{way}
    :parameters (?robot - robot ?cart - cart ?thing - thing ?base-x ?cart-x ?thing-x ?new-x - xc
      ?base-y ?cart-y ?thing-y ?new-y - yc ?hand-x ?reach-x - xrel ?hand-y ?reach-y - yrel)
    :precondition (and (base ?robot ?base-x ?base-y) (hand ?robot ?hand-x ?hand-y) (sum-x ?base-x ?reach-x ?thing-x)
      (sum-y ?base-y ?reach-y ?thing-y) (thing-at ?thing ?thing-x ?thing-y) (left-of ?cart-x ?new-x)
      (above ?cart-y ?new-y))
    :effect (and (base ?robot ?new-x ?new-y) (not (base ?robot ?base-x ?base-y)) (blocked ?cart-x ?cart-y)
      (on-cart ?thing ?cart)))"""
    for verb in ("grasp", "push", "release", "park")
    for way in ("left", "right", "up", "down")
) + ")"  # fmt: skip
SHARED = ["agricola-opt18-strips", "parking-opt11-strips", "sokoban-opt11-strips", "tetris-opt14-strips"]


class ErrsFirst:
    """Answers everything wrongly first, and rightly once it is told what is wrong."""

    name = "errs-first"

    def __init__(self, domain: Domain):
        self._items = {item.pddl if item.kind != "actions" else item.name: item for item in items(domain)}
        self._before = ""
        self.first = 0
        self.second = 0

    def complete(self, request: Request) -> Completion:
        """A wrong answer to a question, a right one to a message that names what is wrong."""
        asked = request.messages[-1].content
        action = re.search(r"^action: (\S+)$", asked, re.MULTILINE)
        key = action[1] if action else next(line for line in asked.splitlines() if line in self._items)
        item = self._items[key]
        words = item.name.replace("-", " ").replace("_", " ")
        good = f"{words} " + ", ".join(
            f"the {parameter.types[0]} {{{name}}}"
            for parameter, name in zip(item.declared, item.variables, strict=True)
        )
        if item.kind == "functions":
            good = f"the {good}"
        if asked.startswith("This answer cannot be used:"):
            self.second += 1
            self._before = good.strip()
            return Completion(good)
        self.first += 1
        reply, finish = self._wrong(good, item.variables)
        return Completion(reply, finish)

    def _wrong(self, good: str, variables: tuple[str, ...]) -> tuple[str, Finish]:
        last = variables[-1] if variables else "?nothing"
        ways: list[tuple[str, Finish]] = [
            (good.replace(f"{{{last}}}", "it") if variables else f"{good} {{?nothing}}", "text"),
            (good.replace(f"{{{last}}}", f"{{{last[1:]}}}") if variables else f"{good} {{}}", "text"),
            (good.replace(f"{{{last}}}", last) if variables else f"{good} ?", "text"),
            (f"({good})", "text"),
            (good[: len(good) // 2] + " {?", "length"),
            (f"{good}\nThis says all that is needed.", "text"),
            (f"(:action {good} :parameters ({' '.join(variables)}))", "text"),
            (self._before if self._before and variables else "", "text"),
            ("I am sorry, I cannot do that.", "refused"),
            (f"{good} with {{?other}}", "text"),
        ]
        return ways[self.first % len(ways)]


def come_through(domain: Domain) -> Wording:
    model = ErrsFirst(domain)
    worded = word_domain(domain, model)
    assert worded.fell_back == ()
    assert worded.warnings() == ()
    assert provenance_warnings(worded.wording, domain) == ()
    assert wording_warnings(worded.wording, domain) == ()
    assert model.first == len(items(domain))
    assert model.second == worded.calls - model.first > model.first // 2
    return worded.wording


@pytest.mark.parametrize("name", SHARED)
def test_the_domains_on_which_the_paper_failed_come_through(shared: Path, name: str) -> None:
    paths = sorted((shared / "ipc" / name).glob("*/domain.pddl"))
    assert paths
    for path in paths:
        assert come_through(load_domain(path)).source["fell_back"] == {}


def test_what_was_worded_is_told_and_read_back() -> None:
    domain = parse_domain(TIDYBOT)
    objects = " ".join(f"{kind.name}-a {kind.name}-b - {kind.name}" for kind in domain.types)
    problem = f"(define (problem p) (:domain {domain.name}) (:objects {objects}) (:init) (:goal (and)))"
    task = Task(domain, parse_problem(problem, domain))
    wording = come_through(domain)
    names = make_names(task, "typed", wording)
    teller, reader = Teller(task, wording, names), Reader(task, wording, names)
    plan = tuple(
        GroundAction(
            action.name, tuple(f"{item.types[0]}-{'ab'[index % 2]}" for index, item in enumerate(action.parameters))
        )
        for action in domain.actions
    )
    assert reader.read("\n".join(teller.action(action) for action in plan)).plan == plan
