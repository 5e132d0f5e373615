"""The library of macros and its files: what comes in, is found again, is written, and refused with the place."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.macros.compose import compose, lift
from pddl2nl.macros.library import (
    Library,
    Provenance,
    StoredMacro,
    domain_hash,
    free_name,
    load_macro_file,
    read_macro_file,
    recomposed,
    steps_of,
    with_objects,
    write_macro_file,
)
from pddl2nl.macros.macro import Conditions
from pddl2nl.pddl import And, Atom, PDDLError, Task, parse_domain, parse_problem, write_domain
from pddlval import read_plan

_SOLVES = read_plan("(unstack c b)\n(put-down c)\n(unstack b a)\n(stack b c)\n").actions


def _stored(task: Task, *steps: str, name: str = "move", says: str = "", distinct: bool = False) -> StoredMacro:
    macro = compose(task.domain, steps_of(steps), name=name)
    return StoredMacro(macro, Provenance((says,) if says else (), distinct=distinct))


def _pick_and_stack(task: Task, **kwargs: str) -> StoredMacro:
    return _stored(task, "(pick-up ?x)", "(stack ?x ?y)", **kwargs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Put the egg on a plate", "put-the-egg-on-a-plate"),
        ("../../etc/passwd", "etc-passwd"),
        ("(:action evil)", "action-evil"),
        ("3 eggs", "macro-3-eggs"),
        ("", "macro"),
        ("…", "macro"),
        ("Fry " * 40, ("fry-" * 15).strip("-")),
        ("Öl", "l"),
    ],
)
def test_names_are_made_safe(words: str, name: str) -> None:
    assert free_name(words) == name


def test_macros_of_a_solved_task_are_kept(blocks: Task, tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    block = lift(blocks, _SOLVES[:2], name="Take c off; put it down")
    kept = library.keep(_with_goal(blocks), _SOLVES, [StoredMacro(block, Provenance(("take it off",), origin="hvr"))])
    assert [item.macro.name for item in kept] == ["take-c-off-put-it-down"]
    assert kept[0].path == tmp_path / "library" / "blocksworld-4ops" / "take-c-off-put-it-down.pddl"
    again = library.macros(blocks.domain)
    assert [item.macro for item in again] == [item.macro for item in kept]
    known = again[0].provenance
    assert (known.domain, known.origin, known.uses, known.description) == ("blocksworld-4ops", "hvr", 1, "take it off")


def _with_goal(task: Task) -> Task:
    return replace(task, problem=replace(task.problem, goal=And((Atom("on", ("b", "c")),))))


def test_nothing_is_kept_of_a_task_that_was_not_solved(blocks: Task, tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    with pytest.raises(InputError, match=r"macros are kept once their task is solved; this plan of .* is goal-not"):
        library.keep(_with_goal(blocks), _SOLVES[:2], [_pick_and_stack(blocks)])
    assert not (tmp_path / "library").exists()


def test_the_same_macro_is_noted_and_not_kept_twice(blocks: Task, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.put(blocks.domain, _pick_and_stack(blocks, says="put one on another"))
    noted = library.put(
        blocks.domain, _stored(blocks, "(pick-up ?b)", "(stack ?b ?c)", name="other", says="build a tower")
    )
    assert noted.macro.name == "move"
    assert noted.provenance.descriptions == ("put one on another", "build a tower")
    assert noted.provenance.uses == 2
    assert len(library.macros(blocks.domain)) == 1
    library.put(blocks.domain, _stored(blocks, "(pick-up ?b)", "(put-down ?b)", name="move"))
    library.put(blocks.domain, _stored(blocks, "(pick-up ?x)", "(stack ?x ?y)", distinct=True))
    assert [item.macro.name for item in library.macros(blocks.domain)] == ["move-2", "move-3", "move"]


def test_what_rests_on_values_that_all_objects_have_is_read_back(tmp_path: Path) -> None:
    domain = parse_domain(
        "(define (domain tank) (:requirements :fluents) (:functions (level ?t))"
        " (:action double :parameters (?t) :effect (scale-up (level ?t) 2)))"
    )
    problem = parse_problem(
        "(define (problem p) (:domain tank) (:objects a b) (:init (= (level a) 1) (= (level b) 1))"
        " (:goal (= (level a) 2)))",
        domain,
    )
    task, plan = Task(domain, problem), read_plan("(double a)\n(double b)\n").actions
    library = Library(tmp_path)
    (kept,) = library.keep(task, plan, [StoredMacro(lift(task, plan, name="both"))])
    assert kept.provenance.total == ("level",)
    assert [item.macro for item in library.macros(domain)] == [kept.macro]


def test_macros_are_found_by_what_they_do(blocks: Task, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.put(blocks.domain, _pick_and_stack(blocks, says="pick a block up and stack it on another"))
    library.put(blocks.domain, _stored(blocks, "(unstack ?x ?y)", "(put-down ?x)", name="b", says="clear a block"))
    library.put(blocks.domain, _stored(blocks, "(put-down ?x)", "(pick-up ?y)", name="c"))
    found = library.retrieve(blocks.domain, "Stack a block on another, pick it up", limit=3, least=0.7)
    assert [match.stored.macro.name for match in found] == ["move"]
    assert found[0].likeness > 0.8
    assert library.retrieve(blocks.domain, "boil an egg", limit=3, least=0.7) == ()

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "clear" in text or "egg" in text else [0.6, 0.8] for text in texts]

    by_meaning = library.retrieve(blocks.domain, "boil an egg", embed=embed, limit=2, least=0.5)
    assert [(match.stored.macro.name, round(match.likeness, 3)) for match in by_meaning] == [("b", 1.0), ("move", 0.6)]


def test_a_domain_that_has_changed_gets_conditions_of_its_own(blocks: Task, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.put(blocks.domain, _pick_and_stack(blocks))
    wet = parse_domain(write_domain(blocks.domain).replace("(holding ?ob) (not (clear ?ob))", "(holding ?ob)"))
    text = str(library.macros(wet)[0].macro.conditions)
    assert text != str(library.macros(blocks.domain)[0].macro.conditions)
    gone = parse_domain(
        write_domain(blocks.domain).replace("(:action stack", "(:action pile").replace("blocksworld-4OPS", "x")
    )
    assert library.macros(gone) == ()


def test_conditions_that_somebody_edited_are_not_believed(blocks: Task, tmp_path: Path) -> None:
    stored = _pick_and_stack(blocks)
    wrong = replace(stored, macro=replace(stored.macro, conditions=Conditions(And(), And())))
    (tmp_path / "m.pddl").write_text(write_macro_file(wrong), encoding="utf-8")
    read = load_macro_file(tmp_path / "m.pddl", blocks.domain)
    assert read.macro.conditions.precondition == And()
    assert recomposed(read, blocks.domain).macro == stored.macro
    with pytest.raises(InputError, match="says what 'move' stands for"):
        recomposed(replace(read, macro=replace(read.macro, steps=())), blocks.domain)


def test_broken_files_do_no_harm(blocks: Task, tmp_path: Path) -> None:
    library = Library(tmp_path)
    kept = library.put(blocks.domain, _pick_and_stack(blocks))
    assert kept.path is not None
    (kept.path.parent / "broken.pddl").write_text("(:action", encoding="utf-8")
    assert len(library.macros(blocks.domain)) == 1
    library.put(blocks.domain, _pick_and_stack(blocks))
    assert sorted(path.name for path in kept.path.parent.iterdir()) == ["broken.pddl", "move.pddl"]


def test_many_at_a_time_lose_nothing(blocks: Task, tmp_path: Path) -> None:
    pairs = [("(pick-up ?x)", "(stack ?x ?y)"), ("(unstack ?x ?y)", "(put-down ?x)"), ("(pick-up ?x)", "(put-down ?x)")]
    stored = [_stored(blocks, *pair) for pair in pairs]
    threads = [
        threading.Thread(target=lambda item=item: Library(tmp_path).put(blocks.domain, item))
        for item in stored
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    macros = Library(tmp_path).macros(blocks.domain)
    assert sorted(item.macro.name for item in macros) == ["move", "move-2", "move-3"]
    assert [item.provenance.uses for item in macros] == [4, 4, 4]
    assert not list(tmp_path.rglob("*.partial"))


# ── files ─────────────────────────────────────────────────────────────────────────────────────────


_MOVE = "(:action move\n  :parameters (?x ?y)\n  :precondition (clear ?y)\n  :effect (on ?x ?y)\n)\n"


def _move_macro(task: Task, **known: object) -> StoredMacro:
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
    stored = _move_macro(
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
    assert domain_hash(replace(blocks.domain, name="other")) != domain_hash(blocks.domain)
