"""Fuzzing of the reader, by hand: ``pip install atheris``, then ``python tests/pddl/fuzz.py FOLDER [OPTIONS]``.

Whatever bytes come, there is a tree or an error, every diagnostic can be shown, and what is right is the same when it
is written and read again. FOLDER keeps what was found interesting, so that a later run goes on from there; further
folders may hold files to begin with. Options are libFuzzer's, for example::

    python tests/pddl/fuzz.py /tmp/fuzz domains/blocksworld -max_total_time=600 -timeout=10 -max_len=4000
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
with atheris.instrument_imports(include=["pddl2nl"]):
    from pddl2nl.files import decode
    from pddl2nl.pddl import check_domain, check_problem, parse_domain, parse_problem, write_domain, write_problem

_WORDS = """( ) () ; (and (or (not (when (forall (exists (imply (preference = (= < (>= ?x ?y ?z - t u object (either
    (define (domain d) (problem p) (:domain (:requirements :adl :typing :fluents) (:types (:constants (:predicates
    (:functions (:action a b :parameters (?x) :precondition :effect (:derived (q ?x) (:durative-action :duration
    (= ?duration 1) :condition (:process (:event (:constraints (:objects (:init (:goal (:metric minimize maximize
    (:length (:serial 5) (p) (r ?x ?y) (q a) (r a b) (at start (at end (at 5 (over all (increase (f) (assign (scale-up
    (decrease (h ?x) (total-cost) 1.5 -2 1e9 0 #t ?duration total-time (is-violated n (always (within (sometime-after
    (hold-during ? : é İ (+ (* (- (/ (f) (o a) (s b) number undefined :vars (:axiom"""
WORDS = [*_WORDS.split(), "\n", "\t", "\r", "\ufeff"]
DOMAIN = """(define (domain d) (:requirements :adl :fluents) (:types t u - t) (:constants a - t)
  (:predicates (p) (q ?x - t) (r ?x ?y) (s ?x - u)) (:functions (f) (h ?x - t) (o ?x - t) - t)
  (:derived (s ?x) (q ?x)) {})"""
PROBLEM = "(define (problem n) (:domain d) (:objects b - u c) (:init {}) (:goal {}) {})"
KNOWN = parse_domain(DOMAIN.format(""))


def text_of(data: bytes) -> str:
    """Bytes as words of PDDL, a byte a word."""
    return " ".join(WORDS[byte % len(WORDS)] for byte in data)


def judge_domain(text: str) -> None:
    """Checks a text as a domain."""
    checked = check_domain(text)
    assert checked.value is not None or checked.errors
    assert all(item.render() for item in checked.diagnostics)
    assert len(checked.diagnostics) <= 202
    if checked.ok:
        written = write_domain(checked.require())
        assert parse_domain(written) == checked.value, written


def judge_problem(text: str) -> None:
    """Checks a text as a problem, with and without its domain."""
    check_problem(text)
    checked = check_problem(text, KNOWN)
    assert checked.value is not None or checked.errors
    assert all(item.render() for item in checked.diagnostics)
    assert len(checked.diagnostics) <= 202
    if checked.ok:
        written = write_problem(checked.require())
        assert parse_problem(written, KNOWN) == checked.value, written


def judge(data: bytes) -> None:
    """One input: its first byte says what is made of the rest."""
    kind, rest = data[:1], data[1:]
    if kind < b"\x40":
        text = decode(rest).text
        judge_domain(text)
        judge_problem(text)
    elif kind < b"\x80":
        judge_domain(DOMAIN.format(text_of(rest)))
    elif kind < b"\xa0":
        judge_domain(DOMAIN.format(f"(:action a :parameters (?x - t ?y) {text_of(rest)})"))
    else:
        third = len(rest) // 3
        parts = (rest[:third], rest[third : 2 * third], rest[2 * third :])
        judge_problem(PROBLEM.format(*map(text_of, parts)))


if __name__ == "__main__":
    atheris.Setup(sys.argv, judge)
    atheris.Fuzz()
