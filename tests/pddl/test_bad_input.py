"""Whatever a file holds, there is a tree or a list of diagnostics; what cannot be opened is an InputError."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput

from pddl2nl.pddl import (
    InputError,
    PDDLError,
    check_domain,
    check_domain_file,
    check_problem,
    load_domain,
    load_problem,
    load_task,
    parse_domain,
    parse_problem,
    parse_task,
)
from pddl2nl.pddl.nesting import (
    MAX_DEPTH,
    Item,
    PlacedList,
    PlacedText,
    UnbalancedError,
    contents,
    is_word,
    prepare,
    read_lists,
    read_placed_lists,
    too_deep,
)


@pytest.mark.parametrize("text", ["", "  \n\t ", "; only a comment\n"])
def test_empty(text: str) -> None:
    for checked in (check_domain(text), check_problem(text)):
        assert [item.message for item in checked.errors] == ["the file is empty"]


def test_a_domain_given_as_a_problem_and_the_other_way_round(blocks: str, tower: str) -> None:
    with pytest.raises(PDDLError, match="this is a domain, where a problem was expected"):
        parse_problem(blocks, parse_domain(blocks))
    with pytest.raises(PDDLError, match="this is a problem, where a domain was expected"):
        parse_domain(tower)


def test_two_in_one_file(blocks: str, tower: str) -> None:
    with pytest.raises(PDDLError, match="more behind the end of the domain"):
        parse_domain(blocks + tower)


def test_a_problem_for_another_domain(blocks: str, tower: str) -> None:
    renamed = tower.replace("(:domain blocks)", "(:domain bricks)")
    checked = check_problem(renamed, parse_domain(blocks))
    assert checked.ok
    assert "is for domain 'bricks'" in checked.warnings[0].message
    other = parse_domain("(define (domain bricks) (:predicates (on ?x)))")
    with pytest.raises(PDDLError, match="is for domain 'blocks', and this is domain 'bricks'"):
        parse_problem(tower, other)


def test_line_ends_tabs_and_marks_change_nothing(blocks: str, tower: str, tmp_path: Path) -> None:
    plain = parse_task(blocks, tower)
    for name, change in {"crlf": ("\n", "\r\n"), "tabs": (" ", "\t"), "cr": ("\n", "\r")}.items():
        domain, problem = tmp_path / f"{name}-domain.pddl", tmp_path / f"{name}-problem.pddl"
        domain.write_bytes(b"\xef\xbb\xbf; a comment \xc3\xa9\n" + blocks.replace(*change).encode())
        problem.write_bytes(tower.replace(*change).encode())
        assert load_task(domain, problem) == plain
    assert parse_domain("\ufeff" + blocks) == plain.domain


def test_positions_with_carriage_returns_and_tabs(blocks: str) -> None:
    error = check_domain(blocks.replace("(clear ?y)", "\t(claer ?y)").replace("\n", "\r\n")).errors[0]
    assert (error.line, error.column) == (10, 38)
    assert "\t" not in error.render()
    assert "\r" not in error.render()


def test_bytes_that_are_not_utf8(blocks: str, tmp_path: Path) -> None:
    path = tmp_path / "domain.pddl"
    path.write_bytes(b"; Universit\xe4t\n" + blocks.encode())
    checked = check_domain_file(path)
    assert checked.ok
    assert "not UTF-8 (byte 0xe4 at offset 11): read as Latin-1" in checked.warnings[0].message
    assert load_domain(path) == parse_domain(blocks)


def test_names_beyond_ascii() -> None:
    domain = parse_domain("(define (domain Über) (:predicates (größer ?x) (İ ?x) (日本 ?x)))")
    assert domain.name == "über"
    assert [item.name for item in domain.predicates] == ["größer", "İ", "日本"]


def test_nul_characters(blocks: str, tmp_path: Path) -> None:
    error = check_domain(blocks.replace("clear", "cl\0ar", 1)).errors[0]
    assert (error.line, error.column) == (3, 30)
    assert "NUL" in error.message
    path = tmp_path / "utf16.pddl"
    path.write_bytes(blocks.encode("utf-16"))
    assert not check_domain_file(path).ok


def test_files_that_cannot_be_read(tmp_path: Path, blocks: str) -> None:
    missing = tmp_path / "missing.pddl"
    with pytest.raises(InputError, match=r"missing\.pddl: no such file"):
        load_domain(missing)
    with pytest.raises(InputError, match="a directory, where a PDDL file was expected"):
        load_problem(tmp_path, parse_domain(blocks))
    with pytest.raises(InputError, match="cannot be read"):
        load_domain("a\0b")


@pytest.mark.parametrize("name", ["and", "not", "forall", "=", "?x", ":init", "-"])
def test_keywords_as_names(name: str) -> None:
    checked = check_domain(f"(define (domain d) (:predicates ({name} ?x)))")
    assert checked.diagnostics


@pytest.mark.parametrize("name", ["define", "domain", "action", "init", "at", "over", "always", "start", "object", "1"])
def test_words_that_are_names_all_the_same(name: str) -> None:
    action = f"(:action {name} :parameters (?{name}) :effect ({name} ?{name}))"
    domain = parse_domain(f"(define (domain {name}) (:predicates ({name} ?x)) {action})")
    problem = (
        f"(define (problem {name}) (:domain {name}) (:objects {name}) (:init ({name} {name})) (:goal ({name} {name})))"
    )
    assert parse_problem(problem, domain).init == ((name, name),)


@pytest.mark.parametrize(
    "number", ["1e999999999", "1e-999999999", "9" * 5000, "1/3", "--1", "1.2.3", "inf", "nan", "0x10", "٣"]
)
def test_what_is_no_number(number: str) -> None:
    domain = parse_domain("(define (domain d) (:functions (f)))")
    text = f"(define (problem p) (:domain d) (:init (= (f) {number})) (:goal ()))"
    assert check_problem(text, domain).errors


WORDS = """( ) () (and (or (not (when (forall (exists (imply (preference = (= < (>= ?x ?y - t object either (either
    (define (domain d) (problem p) (:requirements :strips :typing) (:types (:constants (:predicates (:functions
    (:action a :parameters :precondition :effect (:derived (:durative-action :duration :condition (:process
    (:event (:constraints (:objects (:init (:goal (:metric minimize (:length (p) (q ?x) (p a) (at start (at 5 over all
    (increase (total-cost) 1) 1.5 -2 1e9 #t ?duration always (always (within ? : - é İ"""
SNIPPETS = st.sampled_from([*WORDS.split(), ";", "\n", "\t", "\0", "\ufeff", "\r"])


@given(st.text())
def test_any_text(text: str) -> None:
    for checked in (check_domain(text), check_problem(text)):
        assert checked.value is not None or checked.errors


@settings(max_examples=300)
@given(st.lists(SNIPPETS, max_size=40))
def test_any_text_that_looks_like_pddl(words: list[str]) -> None:
    body = " ".join(words)
    domain = parse_domain("(define (domain d) (:predicates (p) (q ?x)) (:functions (total-cost)))")
    for text in (body, f"(define (domain d) {body})", f"(define (domain d) (:predicates (p)) (:action a {body}))"):
        checked = check_domain(text)
        assert checked.value is not None or checked.errors
        assert all(item.render() for item in checked.diagnostics)
    for text in (
        body,
        f"(define (problem p) (:domain d) {body})",
        f"(define (problem p) (:init {body}) (:goal {body}))",
    ):
        found = check_problem(text, domain)
        assert found.value is not None or found.errors
        assert all(item.render() for item in found.diagnostics)


@given(st.binary())
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.pddl"
    path.write_bytes(data)
    checked = check_domain_file(path)
    assert checked.value is not None or checked.errors


# ── text to nested lists ──────────────────────────────────────────────────────────────────────────


TEXTS = st.text("(())) ab?;\n", max_size=60)


class _Nested(Transformer):  # type: ignore[type-arg]
    start = list = lambda self, children: list(children)
    WORD = str


GRAMMAR = Lark(resources.files("pddl2nl.pddl").joinpath("grammar.lark").read_text("utf-8"), parser="lalr")


def by_the_grammar(text: str) -> Any:
    try:
        return _Nested().transform(GRAMMAR.parse(prepare(text)))
    except UnexpectedInput:
        return None


def plain(items: list[Item]) -> list[Any]:
    return [str(item) if is_word(item) else plain(contents(item)) for item in items]


@given(TEXTS)
@example("(a b (c?d ?e ?) f (g)) h?")
@example("((a)(b()))")
def test_both_readings_give_what_the_grammar_says(text: str) -> None:
    expected = by_the_grammar(text)
    for read in (lambda: read_lists(text), lambda: read_placed_lists(prepare(text))):
        if expected is None:
            with pytest.raises(UnbalancedError):
                read()
        else:
            assert plain(read()) == expected


@given(TEXTS)
def test_places_are_where_the_text_stands(text: str) -> None:
    def check(item: Item) -> None:
        assert isinstance(item, PlacedText | PlacedList)
        there = prepared[item.start : item.end]
        if is_word(item):
            assert there == item
        else:
            assert (there[0], there[-1]) == ("(", ")")
            for inner in contents(item):
                check(inner)

    prepared = prepare(text)
    try:
        roots = read_placed_lists(prepared)
    except UnbalancedError:
        return
    for root in roots:
        check(root)


def test_the_depth_is_limited() -> None:
    allowed, too_much = (("(a " * depth) + ")" * depth for depth in (MAX_DEPTH, MAX_DEPTH + 1))
    assert read_lists(allowed)
    with pytest.raises(UnbalancedError):
        read_lists(too_much)
    assert too_deep(allowed) is None
    assert too_deep(too_much) == 3 * MAX_DEPTH
