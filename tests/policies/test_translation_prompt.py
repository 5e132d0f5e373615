"""The T-LLM's prompt: golden, the same for every problem but for its objects, and with objects that no task has."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Message
from pddl2nl.nl import Reader, make_names, template_wording
from pddl2nl.nl.reading.words import words_of
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies.translation_prompt import (
    EXAMPLES,
    REPLY_PROMPT,
    TRANSLATOR_PROMPT,
    pddl_lines,
    reply_opening,
    translation_opening,
)
from pddl2nl.tasks import shipped_domain, shipped_domains

GOLDEN = Path(__file__).parent / "golden" / TRANSLATOR_PROMPT
UNTYPED = """(define (domain haul) (:predicates (truck ?t) (place ?p) (at ?t ?p) (idle))
  (:action drive :parameters (?t ?a ?b) :precondition (and (truck ?t) (place ?a) (place ?b) (at ?t ?a))
    :effect (and (at ?t ?b) (not (at ?t ?a))))
  (:action rest :parameters () :precondition (and) :effect (idle)))"""
HAUL = "(define (problem p) (:domain haul) (:objects {0}) (:init (truck t) (place x) (place y)) (:goal (idle)))"


def _parts(opening: tuple[Message, ...]) -> tuple[str, list[str], list[str]]:
    """The prompt without its objects, the invented objects, and all objects in it."""
    head, _, listed = opening[0].content.rpartition("\n")
    objects = listed.split(", ")
    used = {word.strip("()") for message in opening[1:] for word in message.content.split()}
    return head, [name for name in objects if name in used], objects


def test_the_prompt_reads_as_the_golden_file(world: Any) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    names = make_names(world.task)
    opening = translation_opening(world.task, world.wording, names, 1)
    text = "".join(f"────── {message.role}\n{message.content}\n" for message in opening)
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_prompt_for_a_whole_reply_reads_as_the_golden_file(world: Any) -> None:
    (message,) = reply_opening(world.task, world.wording, make_names(world.task))
    golden = GOLDEN.with_name(REPLY_PROMPT)
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        golden.write_text(f"{message.content}\n", encoding="utf-8")
    assert f"{message.content}\n" == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("domain", shipped_domains())
def test_the_actions_that_an_answer_may_hold_are_those_of_the_task(domain: str) -> None:
    shipped = shipped_domain(domain)
    task = shipped.task("p01")
    names = make_names(task)
    told = {line[0].removeprefix("(").strip(") ") for line in pddl_lines(task, names) if isinstance(line[0], str)}
    possible = {item.name for item in task.domain.actions if all(task.objects_of(one.types) for one in item.parameters)}
    assert told == possible


@pytest.mark.parametrize("domain", shipped_domains())
@pytest.mark.parametrize("scheme", ["typed", "original", "inferred"])
def test_but_for_the_objects_it_is_the_same_for_every_problem_of_a_domain(domain: str, scheme: str) -> None:
    shipped = shipped_domain(domain)
    wording = template_wording(shipped.domain)
    seen = set()
    for instance in shipped.instances[:4]:
        task = shipped.task(instance.name)
        names = make_names(task, scheme)
        opening = translation_opening(task, wording, names, 3)
        head, invented, objects = _parts(opening)
        seen.add((head, opening[1:]))
        assert objects == [*invented, *(names.to_nl[name] for name in task.objects)]
        assert head.count("\n") > len(task.domain.actions)
    assert len(seen) == 1


@pytest.mark.parametrize("domain", shipped_domains())
def test_the_examples_differ_in_their_parameters_and_answer_to_the_seed(domain: str) -> None:
    task = shipped_domain(domain).task("p02")
    wording = template_wording(task.domain)
    names = make_names(task)
    openings = [translation_opening(task, wording, names, seed) for seed in range(6)]
    arities = {len(schema.parameters) for schema in task.domain.actions}
    for opening in openings:
        assert [message.role for message in opening] == ["system", *["user", "assistant"] * (len(opening) // 2)]
        shown = [message.content for message in opening if message.role == "assistant"]
        assert len(shown) == min(EXAMPLES, len(task.domain.actions))
        assert {answer.count(" ") for answer in shown} == arities
        for said, answer in zip(opening[1::2], opening[2::2], strict=True):
            name, *args = answer.content.strip("()").split()
            assert said.content == wording.actions[name].fill(args)
            assert len(set(args)) == len(args)
    assert len({opening[1:] for opening in openings}) > 1
    assert openings[1] == translation_opening(task, wording, names, 1)


def test_invented_objects_collide_with_no_name_and_no_spelling_of_one(world: Any) -> None:
    """Objects are added that are called as the invented ones are, in one spelling after the other."""
    task, taken = world.task, ""
    _, invented, _ = _parts(translation_opening(task, world.wording, make_names(task, "original"), 1))
    first = next(name for name in invented if name.startswith("cup_"))
    number = first.removeprefix("cup_")
    for spelling in (first, first.upper(), first.replace("_", "-"), first.replace("_", ""), number):
        problem = task.problem
        added = replace(problem.objects[0], name=spelling)
        other = Task(task.domain, replace(problem, objects=(*problem.objects, added)))
        names = make_names(other, "original")
        _, found, objects = _parts(translation_opening(other, world.wording, names, 1))
        assert first not in found, spelling
        assert spelling in objects
        lexicon = Reader(other, world.wording, names).lexicon
        assert not any(lexicon.at(words_of(name), 0)[0] for name in found)
        taken += spelling
    assert taken


def test_an_invented_object_is_called_as_objects_are() -> None:
    task = parse_task(UNTYPED, HAUL.format("t x y"))
    wording = template_wording(task.domain)
    stems = {
        scheme: sorted({re.sub(r"_\d+", "", name) for name in _parts(opening)[1]})
        for scheme in ("typed", "inferred")
        for opening in [translation_opening(task, wording, make_names(task, scheme), 1)]
    }
    assert stems == {"typed": ["object"], "inferred": ["place", "truck"]}


def test_types_name_an_invented_object_before_static_predicates_do() -> None:
    """Names are inferred from predicates only where a domain has no types of its own."""
    domain = """(define (domain d) (:types vehicle) (:predicates (truck ?t - vehicle) (gone ?t - vehicle))
      (:action leave :parameters (?t - vehicle) :precondition (truck ?t) :effect (gone ?t)))"""
    problem = "(define (problem p) (:domain d) (:objects t - vehicle) (:init (truck t)) (:goal (gone t)))"
    task = parse_task(domain, problem)
    opening = translation_opening(task, template_wording(task.domain), make_names(task, "inferred"), 1)
    assert [re.sub(r"_\d+", "", name) for name in _parts(opening)[1]] == ["vehicle"]


def test_a_problem_without_objects_has_a_prompt() -> None:
    domain = "(define (domain d) (:predicates (p)) (:action go :parameters () :precondition (and) :effect (p)))"
    task = parse_task(domain, "(define (problem x) (:domain d) (:init) (:goal (p)))")
    opening = translation_opening(task, template_wording(task.domain), make_names(task), 1)
    assert opening[0].content.endswith("objects:\nnone")
    assert [message.content for message in opening[1:]] == ["apply the action 'go'", "(go)"]
