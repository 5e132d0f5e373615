"""Files of macros: written, read back, and refused with the place."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.macros.compose import compose
from pddl2nl.macros.library import (
    Provenance,
    StoredMacro,
    domain_hash,
    read_macro_file,
    steps_of,
    with_objects,
    write_macro_file,
)
from pddl2nl.pddl import PDDLError, Task, parse_domain, write_domain

_MOVE = "(:action move\n  :parameters (?x ?y)\n  :precondition (clear ?y)\n  :effect (on ?x ?y)\n)\n"


def _stored(task: Task, **known: object) -> StoredMacro:
    macro = compose(task.domain, steps_of(["(pick-up ?x)", "(stack ?x ?y)"]), name="move")
    return StoredMacro(macro, Provenance(**known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words",
    [
        "put a block on another",
        'say "(:action x)" ; and more\n(:action evil)',
        "a\u2028b\x85c \\ ü 🍳",
        "",
        ";;; )))((",
    ],
)
def test_what_is_written_is_read_back(blocks: Task, words: str) -> None:
    stored = _stored(
        blocks,
        descriptions=(words, "second") if words else (),
        domain="d",
        domain_sha256="ab",
        origin=words,
        uses=2,
        distinct=True,
        proof={"sound": True, "said": words},
    )
    text = write_macro_file(stored)
    assert read_macro_file(text, blocks.domain) == stored
    assert text.isascii()
    assert text.count("(:action") - text.split("\n(:action")[0].count("(:action") == 1


def test_errors_name_the_place_in_the_file(blocks: Task) -> None:
    with pytest.raises(PDDLError, match=r"m\.pddl:4:17: error: undeclared predicate 'claer'"):
        read_macro_file("\n" + _MOVE.replace("clear", "claer"), blocks.domain, "m.pddl")
    with pytest.raises(PDDLError, match=r"m\.pddl:4:\d+: error: predicate 'on' takes 2 arguments"):
        read_macro_file(_MOVE.replace("(on ?x ?y)", "(on ?x)"), blocks.domain, "m.pddl")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found 0"),
        (_MOVE + _MOVE.replace("move", "again"), "found 2"),
        ("; steps: pick-up\n" + _MOVE, ":1: what stands behind 'steps:' is no JSON"),
        ("; steps: [3]\n" + _MOVE, r"steps\[0\] is 3; expected a text"),
        ('; steps: ["(a b"]\n' + _MOVE, "in 'steps': not an action"),
        ('; uses: "many"\n' + _MOVE, "uses is 'many'; expected a whole number"),
        ("; proof: []\n" + _MOVE, r"proof is \[\]; expected a table"),
        (_MOVE + ")", "too many"),
        ("(:action move", "closed"),
        ('; domain: "other"\n' + _MOVE.replace("clear", "open"), "a macro of the domain 'other'"),
    ],
)
def test_what_is_no_macro_is_refused(blocks: Task, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_macro_file(text, blocks.domain, "m.pddl")


def test_objects_can_be_spoken_of_where_the_task_is_given(blocks: Task) -> None:
    ground = "(:action take :parameters () :precondition (clear c) :effect (holding c))"
    with pytest.raises(PDDLError, match="undeclared object 'c'"):
        read_macro_file(ground, blocks.domain)
    assert read_macro_file(ground, with_objects(blocks)).macro.parameters == ()


def test_the_hash_is_of_what_a_domain_says(blocks: Task) -> None:
    again = parse_domain("; a comment\n" + write_domain(blocks.domain).upper())
    assert domain_hash(again) == domain_hash(blocks.domain)
    other = parse_domain(write_domain(blocks.domain).replace("(handempty)\n  )", "(handempty)\n (wet ?x)\n  )", 1))
    assert domain_hash(other) == domain_hash(blocks.domain) or len(other.predicates) != len(blocks.domain.predicates)
