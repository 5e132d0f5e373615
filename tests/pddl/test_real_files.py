"""What the competitions' files are like: odd, and accepted; where they break the letter, with a warning."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from pddl2nl.pddl import (
    Checked,
    Diagnostic,
    Domain,
    check_domain,
    check_domain_file,
    check_problem,
    check_problem_file,
    conjuncts,
    load_task,
    parse_domain,
    parse_problem,
    write_domain,
)
from pddl2nl.pddl import write_problem as write


def accepted(text: str) -> Checked[Domain]:
    """A domain's text without errors, and the same once more when it is written and read."""
    checked = check_domain(text)
    assert checked.errors == (), "\n".join(item.render() for item in checked.errors)
    domain = checked.require()
    assert parse_domain(write_domain(domain)) == domain
    return checked


@pytest.mark.parametrize(
    "body",
    [
        "(:requirements) (:types) (:constants) (:predicates) (:functions)",
        "(:predicates (p ?x - t)) (:constants k - t) (:types t) (:requirements :typing)",
        "(:action a) (:action b :parameters () :precondition () :effect ()) (:action c :effect(and):parameters())",
        "(:predicates (p ?x)) (:action a :effect (not (p ?x)) :precondition (p ?x) :parameters (?x))",
        "(:predicates (a%b ?x) (+p ?y) (p_1-2 ?z) (3rd ?a) (p.q ?x) (p/q ?x) (p! ?x) (p') (p@x) (p:q) (#p) ([p]) (_))",
        "(:constants 1 2 3d +1 % a:b x-1-)",
        "(:predicates (at?x ?y?z)) (:action a :parameters(?x?y?z):precondition(at?x?y ?z):effect(and(at?x?y?z)))",
        "(:requirements :typing) (:types city_a-b number t - object b - (either t c) c) (:predicates (q ?x - b))",
        "(:requirements :typing) (:types a b) (:predicates (p ?x - (either a b) ?y ?z - (either b a)))",
        "(:requirements :typing) (:types t) (:functions (d ?x ?y - t) - number (total-cost)- number (f))",
        "(:requirements :typing) (:types t) (:constants t - t) (:predicates (t ?t - t))"
        " (:action t :parameters (?t - t) :precondition (t ?t) :effect (not (t t)))",
        "(:requirements :adl) (:predicates (p) (q)) (:action a :precondition (or)"
        " :effect (and (p) (not (q)) (when (and) (q)) (forall (?x) (when (not (p)) (and (q) (not (p)))))))",
        "(:requirements :adl) (:types t) (:predicates (p ?x - t) (o)) (:action a :parameters (?x ?y - t) :precondition"
        " (and (forall (?z - t) (imply (p ?z) (or (= ?z ?x) (exists (?w - t ?v) (and (p ?w) (not (= ?v ?w))))))) (o)))",
        "(:requirements :typing :derived-predicates :adl) (:types t) (:predicates (p ?x ?y - t) (q ?x - t))"
        " (:derived (q ?a) (p ?a ?a)) (:derived (q ?b - t) (exists (?c - t) (and (p ?b ?c) (q ?c))))",
        "(:requirements :action-costs) (:functions (total-cost) - number (c ?x) - number)"
        " (:action a :parameters (?x) :effect (increase (total-cost) (c ?x)))",
        "(:requirements :fluents) (:functions (x) (max_int)) (:action inc :precondition (<= (+ (x) 1) (max_int))"
        " :effect (and (increase (x) (/ (* 2 (x)) (- 3 -1.5))) (decrease (max_int) 1e-2)))",
    ],
    ids=lambda body: body[:40],
)
def test_without_any_warning(body: str) -> None:
    assert accepted(f"(define (domain d) {body})").warnings == ()


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ("(:requirements strips)", "a requirement without a colon: 'strips'"),
        ("(:requirements :true-negation)", "unknown requirement ':true-negation'"),
        ("(:types t)", "types without the requirement ':typing'"),
        ("(:requirements :typing) (:types a - a b)", "type 'a' is declared as its own supertype"),
        ("(:requirements :typing) (:types a b - c)", "type 'c' is declared only as a supertype"),
        ("(:requirements :typing) (:types a) (:predicates (p ?x -a))", "no blank between '-' and the type"),
        ("(:functions (f) -number)", "no blank between '-' and the type"),
        ("(:predicates (p ?x) (p ?y))", "predicate 'p' is declared twice"),
        ("(:predicates (= ?x ?y) (p))", "'=' is built in and need not be declared"),
        ("(:constants a b a)", "constant 'a' is declared twice"),
        ("(:predicates (p)) (:action a :precondition (not (p)))", "a negated condition without the requirement"),
        ("(:predicates (p)) (:derived (p) (or))", "a derived predicate without the requirement"),
        ("(:functions (f)) (:action a :effect (assign (f) 1))", "'assign' without the requirement ':numeric-fluents'"),
        ("(:predicates (p)) (:predicates (q))", "a second ':predicates' in this domain; both count"),
        ("(:action a :parameters :effect ())", "nothing behind ':parameters'"),
        ("(:functions (f)) (:action a :effect (increase f 1))", "function 'f' without parentheses"),
    ],
)
def test_with_a_warning(body: str, warning: str) -> None:
    assert any(item.message.startswith(warning) for item in accepted(f"(define (domain d) {body})").warnings)


def test_a_predicate_for_two_types() -> None:
    text = """(define (domain d) (:requirements :typing) (:types a b c) (:predicates (at ?x - a) (at ?x - b))
      (:action go :parameters (?x - a ?y - b) :precondition (at ?x) :effect (at ?y)))"""
    assert "taken to be of both" in accepted(text).warnings[0].message
    wrong = check_domain(text.replace("?y - b)", "?y - c)"))
    assert [item.message for item in wrong.errors] == ["argument 1 of 'at' has the wrong type"]
    assert not check_domain(text.replace("(at ?x - b)", "(at ?x ?y - b)")).ok


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(:axiom :vars (?x) :context (p ?x) :implies (q ?x))", "':axiom' is of PDDL 1.2 only and is not read"),
        ("(:timeless (p))", "':timeless' is of PDDL 1.2 only and is not read"),
        ("(:action a :vars (?y) :effect ())", "':vars' is of PDDL 1.2 only and is not read"),
        ("(:action a :observe (p))", "unknown keyword ':observe'"),
    ],
)
def test_what_is_refused_by_name(text: str, message: str) -> None:
    assert [item.message for item in check_domain(f"(define (domain d) {text})").errors] == [message]


TEMPORAL = """(DEFINE (DOMAIN transport)
  (:requirements :typing :durative-actions :fluents :duration-inequalities :adl :preferences :constraints :time)
  (:types truck place - object)
  (:predicates (at ?t - truck ?p - place) (over ?p - place) (free) (done ?t - truck))
  (:functions (length ?a ?b - place) (fuel ?t - truck) (speed))
  (:durative-action drive :parameters (?t - truck ?a ?b - place)
    :duration (= ?duration (/ (length ?a ?b) (speed)))
    :condition (and (at start (at ?t ?a)) (over all (over ?b)) (at end (and (free) (not (over ?a))))
                    (at start (>= (fuel ?t) (length ?a ?b))) (forall (?p - place) (over all (or (over ?p) (free)))))
    :effect (and (at start (not (at ?t ?a))) (at end (at ?t ?b)) (at end (decrease (fuel ?t) (length ?a ?b)))
                 (forall (?x - truck) (when (and (at start (at ?x ?b)) (at end (free))) (at end (done ?x))))
                 (decrease (fuel ?t) (* #t 0.5))))
  (:durative-action wait :parameters () :duration () :condition () :effect (at end (free)))
  (:durative-action rest :duration (and (>= ?duration 1) (at end (<= ?duration 5.0)))
    :effect (and (at start (and (free) (not (free))))))
  (:process burn :parameters (?t - truck) :precondition (> (fuel ?t) 0)
    :effect (and (decrease (fuel ?t) (* #t (speed)))))
  (:event empty :parameters (?t - truck) :precondition (<= (fuel ?t) 0)
    :effect (and (not (free)) (assign (fuel ?t) 0)))
)"""

PREFERENCES = """(define (problem p) (:domain transport) (:objects t1 t2 - truck a b - place)
  (:init (at t1 a) (over b) (= (length a b) 3.5) (= (fuel t1) 100.) (= (speed) +.5)
    (at 10 (free)) (at 12.5 (not (free))))
  (:goal (and (at t1 b) (preference g1 (done t1)) (forall (?t - truck) (preference g2 (done ?t)))))
  (:constraints (and (preference c1 (always (forall (?t - truck) (or (at ?t a) (at ?t b)))))
    (forall (?t - truck) (preference c2 (sometime-before (at ?t b) (at ?t a)))) (always-within 5 (at t1 a) (at t1 b))
    (preference c3 (and (within 7.5 (at t2 a)) (at-most-once (at t2 b)) (hold-during 1 5 (free)) (hold-after 3 (free))))
    (sometime (and (at t1 a) (sometime-after (at t1 b) (at t2 b)))) (at end (free)) (not (always (free)))))
  (:metric minimize (+ (* 2 (is-violated g1)) (* 0.5 total-time) (- (fuel t1)) (is-violated c1) (/ (speed) 2)))
  (:length (:serial 10) (:parallel 4)))"""


def test_temporal_domains_and_preferences() -> None:
    checked = accepted(TEMPORAL)
    assert [item.message for item in checked.warnings] == []
    domain = checked.require()
    problem = check_problem(PREFERENCES, domain)
    assert [item.render() for item in problem.diagnostics if "timed initial" not in item.message] == []
    assert parse_problem(write(problem.require()), domain) == problem.value


@pytest.mark.parametrize(
    "change",
    [
        ("(:init (at t1 a)", "(:init"),
        ("(:objects t1 t2 - truck a b - place)", "(:objects t1 - truck t2 - truck a - place b - place - place)"),
        ("(:length (:serial 10) (:parallel 4))", "(:length :serial 10)"),
        ("(:goal (and (at t1 b)", "(:goal (and (and) (or (and)) (at t1 b)"),
        ("(:init (at t1 a)", "(:init (at t1 a) (at t1 a) (not (at t1 b))"),
        ("(define (problem p) (:domain transport)", "(define (problem) (:domain other)"),
        ("(:metric minimize", "(:METRIC MAXIMIZE"),
        ("(= (speed) +.5)", "(= speed 5E-1)"),
        ("t1 t2 - truck", "t1 t2 - (either truck truck)"),
    ],
    ids=lambda change: change[1][:40],
)
def test_problems_with_oddities(change: tuple[str, str]) -> None:
    domain = parse_domain(TEMPORAL)
    assert change[0] in PREFERENCES
    checked = check_problem(PREFERENCES.replace(*change), domain)
    assert checked.errors == (), "\n".join(item.render() for item in checked.errors)
    assert parse_problem(write(checked.require()), domain) == checked.value


def test_an_object_that_is_a_constant_too() -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :typing) (:types a b) (:constants k - a) (:predicates (p ?x - b)))"
    )
    checked = check_problem("(define (problem x) (:domain d) (:objects k - b) (:init (p k)) (:goal (p k)))", domain)
    assert checked.ok
    assert [item.message for item in checked.warnings] == ["object 'k' is a constant of the domain already"]


def test_a_derived_atom_in_the_initial_state_is_told() -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :derived-predicates) (:predicates (p) (q)) (:derived (p) (q)))"
    )
    checked = check_problem("(define (problem x) (:domain d) (:init (p) (q)) (:goal (p)))", domain)
    assert checked.ok
    assert [item.message for item in checked.warnings] == ["'p' is derived, and stands in the initial state"]


# ── every real task at hand ───────────────────────────────────────────────────────────────────────


def tasks(shared: Path) -> Iterator[tuple[Path, Path]]:
    """Domain and problem of every task in the reference material."""
    for pattern in ("ipc/*/*", "numeric/*/*", "speed/*"):
        for domain in sorted(shared.glob(f"{pattern}/domain.pddl")):
            # The largest takes as long as all others together, and is a plain list of one kind of atom.
            if "visitall-gen150" not in domain.parts:
                yield domain, domain.with_name("problem.pddl")
    for domain in sorted(shared.glob("autoplanbench/*/domain.pddl")):
        for problem in sorted(domain.parent.glob("instances/**/*.pddl")):
            yield domain, problem
    for domain in sorted(shared.glob("planbench/instances/**/generated_domain.pddl")):
        for problem in sorted(domain.parent.glob("generated*/*.pddl")):
            yield domain, problem


@pytest.fixture(scope="module")
def found(shared: Path) -> list[tuple[Path, tuple[Diagnostic, ...]]]:
    """Every file of the reference material and its diagnostics."""
    domains = {path: check_domain_file(path) for path in {domain for domain, _ in tasks(shared)}}
    result = [(path, checked.diagnostics) for path, checked in domains.items()]
    for domain, problem in tasks(shared):
        result.append((problem, check_problem_file(problem, domains[domain].value).diagnostics))
    return result


def test_no_errors(found: list[tuple[Path, tuple[Diagnostic, ...]]]) -> None:
    assert len(found) > 1500
    errors = [item.render() for _, diagnostics in found for item in diagnostics if item.severity == "error"]
    assert errors == []


def test_few_warnings(found: list[tuple[Path, tuple[Diagnostic, ...]]]) -> None:
    warned = [path for path, diagnostics in found if diagnostics]
    assert len(warned) < len(found) / 10


def test_the_same_counts_as_fast_downward(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("fast_downward") is None:
        pytest.skip("Fast Downward's translator is absent: pip install 'pddl2nl[planners]'")
    # Its options read the command line when they are imported.
    monkeypatch.setattr("sys.argv", ["translate", "domain.pddl", "problem.pddl"])
    parser = importlib.import_module("fast_downward.translate.pddl_parser")
    for domain in sorted(shared.glob("ipc/*/*/domain.pddl")):
        problem = domain.with_name("problem.pddl")
        with contextlib.redirect_stdout(io.StringIO()):
            theirs = parser.open(str(domain), str(problem))
        ours = load_task(domain, problem)
        equalities = len({item.name for item in theirs.objects})
        atoms = {str(atom) for atom in theirs.init if "Atom" in str(atom)}
        assert len(ours.objects) == len(theirs.objects), domain
        assert len(set(ours.problem.init)) == len(atoms) - equalities, domain
        assert [action.name for action in ours.domain.actions] == [action.name for action in theirs.actions], domain
        assert [len(action.parameters) for action in ours.domain.actions] == [
            len(action.parameters) for action in theirs.actions
        ], domain
        assert len(ours.domain.derived) == len(theirs.axioms), domain
        goal = getattr(theirs.goal, "parts", ()) or (theirs.goal,)
        assert len(list(conjuncts(ours.problem.goal))) == len(goal), domain
