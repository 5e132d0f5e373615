"""Lines of one shape are read once; what is read is the same as when every line is read in full."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.read import Reader
from pddl2nl.nl.telling.teller import Teller
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task, parse_task
from pddlval import GroundAction

DOMAIN = """
(define (domain depot) (:requirements :typing)
 (:types truck package - thing place city)
 (:predicates (at ?x - thing ?l - place) (in ?p - package ?t - truck) (part ?l - place ?c - city) (big ?x - package))
 (:action load :parameters (?p - package ?t - truck ?l - place)
  :precondition (and (at ?p ?l) (big ?p)) :effect (in ?p ?t))
 (:action lift :parameters (?p - package ?t - truck ?l - place)
  :precondition (and (at ?p ?l)) :effect (in ?p ?t))
 (:action drive :parameters (?t - truck ?a ?b - place ?c - city)
  :precondition (and (part ?a ?c) (part ?b ?c)) :effect (at ?t ?b))
 (:action swap :parameters (?x ?y - thing) :effect (and (at ?x l1) (at ?y l1)))
 (:constants l1 - place))
"""
PROBLEM = """
(define (problem p) (:domain depot)
 (:objects red blue a t0 no1 step2 truck_0 truck-1 - truck p1 p2 p3 the i xi b p-1 p_2 big - package
           l2 l3 l4 right to-the-left - place c1 c2 - city)
 (:init (part l1 c1) (part l2 c1) (part l3 c2) (part l4 c2) (big p1) (big p2) (at p1 l1))
 (:goal (at p1 l2)))
"""
ODD = (
    *("the", "a", "and", "then", "truck", "package", "it", "not", "if", "is", "because", "to", "1", "0", "i", "step"),
    *(".", ",", ";", ":", "?", "(", ")", "->", "|", "**", "`", '"', "'", "--", "1.", "2)", "Step 3:", "Action:", "I"),
    *("Thought:", "no", "xi)", "b.", "truck 0", "block", "t", "p", "#", "=", "[", "]"),
)


def task() -> Task:
    return parse_task(DOMAIN, PROBLEM)


def wording() -> Wording:
    texts = {
        "load": ("?p ?t ?l", "load {?p} into truck {?t} at {?l}"),
        "lift": ("?p ?t ?l", "load {?p} into truck {?t} at {?l}"),
        "drive": ("?t ?a ?b ?c", "drive {?t} from {?a} to {?b} in {?c}"),
        "swap": ("?x ?y", "swap {?x}'s place with {?y}, please"),
    }
    actions = {name: Snippet(name, tuple(variables.split()), text) for name, (variables, text) in texts.items()}
    return Wording("depot", {}, actions)


def pair(style: Wording, scheme: str) -> tuple[Reader, Reader, Teller]:
    """A reader that remembers shapes and one that reads every line in full."""
    world = task()
    names = make_names(world, scheme)
    quick, slow = Reader(world, style, names), Reader(world, style, names)
    slow._shaped = slow.grammar  # type: ignore[assignment]
    return quick, slow, Teller(world, style, names)


def some_lines(teller: Teller, chooser: random.Random, count: int) -> list[str]:
    """Told actions with words put in, left out and spelt otherwise, each several times with other objects."""
    world = task()
    told = {name: teller.names.to_nl[name] for name in world.objects}
    kin = [[told[name] for name in world.objects_of((kind,))] for kind in ("truck", "package", "place", "city")]
    lines: list[str] = []
    for _ in range(count):
        schema = chooser.choice(world.domain.actions)
        args = tuple(chooser.choice(world.objects_of(item.types)) for item in schema.parameters)
        words = teller.action(GroundAction(schema.name, args)).split(" ")
        for _ in range(chooser.randint(0, 3)):
            at = chooser.randrange(len(words))
            change = chooser.randrange(4)
            if change == 0:
                words.insert(at, chooser.choice((*ODD, *told.values())))
            elif change == 1 and len(words) > 1:
                words.pop(at)
            elif change == 2:
                spelt = (words[at].upper(), words[at].replace("_", "-"), words[at].replace("_", " "), f"({words[at]}")
                words[at] = chooser.choice(spelt)
            else:
                words[at] += chooser.choice((".", ",", ";", ":", "?", ")", "'s", "**", "/b"))
        line = " ".join(words)
        lines.append(line)
        lines += [_with_others(line, kin, chooser) for _ in range(2)]
    chooser.shuffle(lines)
    return lines


def _with_others(line: str, kin: Sequence[Sequence[str]], chooser: random.Random) -> str:
    others: dict[str, str] = {}
    for names in kin:
        others |= dict(zip(names, chooser.sample(names, len(names)), strict=True))
    return re.sub(r"[\w-]+", lambda match: others.get(match[0], match[0]), line)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**40), st.sampled_from(("typed", "original")), st.booleans())
@example(28529, "typed", False)
@example(1001157, "typed", False)
def test_shapes_change_nothing(seed: int, scheme: str, templated: bool) -> None:
    quick, slow, teller = pair(template_wording(task().domain) if templated else wording(), scheme)
    text = "\n".join(some_lines(teller, random.Random(seed), 12))
    assert quick.read(text, "all") == slow.read(text, "all")
    assert quick.read(text, "default") == slow.read(text, "default")


@pytest.mark.parametrize("scheme", ["typed", "original"])
def test_shapes_are_remembered(scheme: str) -> None:
    quick, _, teller = pair(wording(), scheme)
    told = teller.names.to_nl
    lines = [
        f"{number}. **Load the {told[name]} into {told['red']} at {told[at]}**."
        for number, (name, at) in enumerate([("p3", "l2"), ("p1", "l3"), ("p2", "l1")], start=1)
    ]
    readings = quick.read("\n".join(lines)).readings
    # p1 and p2 are big, so that both load and lift may be meant; p3 is not, and its line leaves another hole.
    assert [(item.status, item.rule) for item in readings] == [
        ("read", "markup+loose-articles+loose-types+static-types"),
        ("ambiguous", "markup+loose-articles+loose-types"),
        ("ambiguous", "markup+loose-articles+loose-types"),
    ]
    kept = quick._shaped._said
    assert 1 <= len(kept) <= 3
    assert all(templates is not None for templates in kept.values())


def test_the_number_of_shapes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.nl.reading.read_shapes._MOST", 10)
    quick, slow, _ = pair(wording(), "original")
    text = "\n".join(f"drive red from l2 to l3 in c1 ({number} left)" for number in range(50))
    assert quick.read(text) == slow.read(text)
    assert len(quick._shaped._said) <= 10


def test_reasons_name_the_objects_of_their_own_line() -> None:
    quick, slow, _ = pair(wording(), "original")
    lines = ("load p1 into truck p2 at l2", "load p2 into truck p1 at l3", "drive p1 from l2 to l3 in c1")
    text = "\n".join(lines * 2)
    assert quick.read(text).readings == slow.read(text).readings
    reasons = [item.reason for item in quick.read(text).readings]
    assert reasons[0].startswith("'p2' is no truck")
    assert reasons[1].startswith("'p1' is no truck")


def test_an_ending_left_out_is_never_remembered_for_other_objects() -> None:
    quick, slow, _ = pair(wording(), "original")
    text = "\n".join(("drive red from l2 to l3", "drive red from l1 to l2", "drive blue from l3 to l4"))
    assert quick.read(text).readings == slow.read(text).readings
    assert [item.status for item in quick.read(text).readings] == ["unreadable", "read", "read"]
