"""Every construct gives the node that stands for it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Fluent,
    FluentValue,
    Forall,
    GroundAtom,
    Imply,
    Modal,
    Not,
    Number,
    Or,
    Preference,
    Problem,
    Special,
    Timed,
    TimedLiteral,
    TypedName,
    Update,
    When,
    check_domain,
    check_problem,
    conjuncts,
    parse_domain,
    parse_problem,
    parse_task,
    substitute,
    write_condition,
    write_problem,
)
from pddl2nl.pddl.reader import with_places
from pddl2nl.pddl.rewriting import Renaming, preference_names, variables


def one_action(body: str, declarations: str = "") -> ActionSchema:
    """The only action of a domain with a few predicates and functions."""
    text = f"""(define (domain d)
      (:requirements :adl :numeric-fluents)
      (:types t)
      (:constants k - t)
      (:predicates (p) (q ?x - t) (r ?x ?y - t))
      (:functions (f ?x - t) (cost))
      {declarations}
      (:action act :parameters (?x ?y - t) {body}))"""
    return parse_domain(text).actions[0]


def precondition(text: str) -> Condition:
    return one_action(f":precondition {text} :effect (p)").precondition


def effect(text: str) -> Condition:
    return one_action(f":effect {text}").effect


T = (TypedName("?z", ("t",)),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(p)", Atom("p")),
        ("()", And()),
        ("(and)", And()),
        ("(or)", Or()),
        ("(and (p) (q k))", And((Atom("p"), Atom("q", ("k",))))),
        ("(not (p))", Not(Atom("p"))),
        ("(not (not (p)))", Not(Not(Atom("p")))),
        ("(not (and (p) (q ?x)))", Not(And((Atom("p"), Atom("q", ("?x",)))))),
        ("(and (not (= ?x ?y)) (p))", And((Not(Equality("?x", "?y")), Atom("p")))),
        ("(= ?x k)", Equality("?x", "k")),
        ("(or (p) (not (q ?x)))", Or((Atom("p"), Not(Atom("q", ("?x",)))))),
        ("(imply (p) (q ?x))", Imply(Atom("p"), Atom("q", ("?x",)))),
        ("(forall (?z - t) (q ?z))", Forall(T, Atom("q", ("?z",)))),
        ("(exists (?z - t) (and (q ?z) (p)))", Exists(T, And((Atom("q", ("?z",)), Atom("p"))))),
        ("(preference n (p))", Preference("n", Atom("p"))),
        ("(preference (p))", Preference("", Atom("p"))),
        ("(>= (f ?x) 3)", Comparison(">=", Fluent("f", ("?x",)), Number(Fraction(3)))),
        ("(= (f ?x) -0.5)", Comparison("=", Fluent("f", ("?x",)), Number(Fraction(-1, 2)))),
        ("(< cost 1)", Comparison("<", Fluent("cost"), Number(Fraction(1)))),
        (
            "(<= (+ (f ?x) (f ?y) 1) (- (cost)))",
            Comparison(
                "<=",
                Arithmetic("+", (Fluent("f", ("?x",)), Fluent("f", ("?y",)), Number(Fraction(1)))),
                Arithmetic("-", (Fluent("cost"),)),
            ),
        ),
    ],
)
def test_conditions(text: str, expected: Condition) -> None:
    assert precondition(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(p)", Atom("p")),
        ("()", And()),
        ("(and (p) (not (q ?x)))", And((Atom("p"), Not(Atom("q", ("?x",)))))),
        ("(when (p) (not (p)))", When(Atom("p"), Not(Atom("p")))),
        ("(when (not (p)) (and (p) (q ?x)))", When(Not(Atom("p")), And((Atom("p"), Atom("q", ("?x",)))))),
        ("(forall (?z - t) (when (q ?z) (r ?z ?x)))", Forall(T, When(Atom("q", ("?z",)), Atom("r", ("?z", "?x"))))),
        ("(increase (cost) 2)", Update("increase", Fluent("cost"), Number(Fraction(2)))),
        ("(and (increase cost 2))", And((Update("increase", Fluent("cost"), Number(Fraction(2))),))),
        ("(assign (f ?x) (f k))", Update("assign", Fluent("f", ("?x",)), Fluent("f", ("k",)))),
        ("(scale-up (f ?x) 2)", Update("scale-up", Fluent("f", ("?x",)), Number(Fraction(2)))),
    ],
)
def test_effects(text: str, expected: Condition) -> None:
    assert effect(text) == expected


def test_a_predicate_may_be_called_like_an_update_or_a_time() -> None:
    text = """(define (domain d) (:predicates (assign ?x ?y) (at ?x) (start))
      (:action a :parameters (?x ?y) :precondition (and (at ?x)) :effect (and (assign ?x ?y) (not (at ?x)))))"""
    action = parse_domain(text).actions[0]
    assert list(conjuncts(action.effect)) == [Atom("assign", ("?x", "?y")), Not(Atom("at", ("?x",)))]


def test_case_is_ignored_and_comments_are_blank() -> None:
    text = "; (a comment\n(DEFINE (Domain D) (:PREDICATES (P ?X)) ; another )\n)"
    domain = parse_domain(text)
    assert domain.name == "d"
    assert domain.predicates[0].parameters[0].name == "?x"


def test_a_question_mark_begins_a_token() -> None:
    text = "(define (domain d) (:predicates (p ?x?y)) (:action a :parameters (?x?y) :precondition (p?x?y)))"
    domain = parse_domain(text)
    assert [item.name for item in domain.predicates[0].parameters] == ["?x", "?y"]
    assert domain.actions[0].precondition == Atom("p", ("?x", "?y"))


def test_types(everything: str) -> None:
    domain = parse_domain(everything)
    assert domain.types == (
        TypedName("truck", ("vehicle",)),
        TypedName("place"),
        TypedName("vehicle"),
        TypedName("cargo", ("vehicle", "place")),
    )
    assert domain.actions[0].parameters[1] == TypedName("?p", ("place", "cargo"))


def test_sections_of_a_domain(everything: str) -> None:
    domain = parse_domain(everything)
    assert check_domain(everything).diagnostics == ()
    assert [item.name for item in domain.derived] == ["near"]
    assert [item.types for item in domain.functions] == [("number",), ("number",), ("place",), ("number",)]
    assert isinstance(domain.constraints, And)
    assert domain.constraints.parts[2:] == (
        Modal("within", (Fraction(11, 2),), (Atom("open", ("depot",)),)),
        Modal("hold-during", (Fraction(1), Fraction(2)), (Atom("open", ("depot",)),)),
        Timed("at end", Atom("open", ("depot",))),
    )
    drive = domain.durative_actions[0]
    assert next(conjuncts(drive.condition)) == Timed("at start", Atom("at", ("?t", "?a")))
    assert next(conjuncts(drive.duration)) == Comparison(
        ">=", Special("?duration"), Arithmetic("/", (Fluent("dist", ("?a", "?b")), Number(Fraction(2))))
    )
    assert (domain.processes[0].name, domain.events[0].name) == ("leak", "stop")


def test_sections_of_a_problem(everything: str, all_of_it: str) -> None:
    domain = parse_domain(everything)
    checked = check_problem(all_of_it, domain)
    assert checked.diagnostics == ()
    problem = parse_problem(all_of_it, domain)
    assert problem == checked.value
    assert problem.init == (GroundAtom(("at", "t1", "a")), GroundAtom(("tired",)))
    assert problem.init_negative == (GroundAtom(("busy", "t1")),)
    assert problem.init_values == (
        FluentValue(GroundAtom(("fuel", "t1")), Fraction(100)),
        FluentValue(GroundAtom(("dist", "a", "b")), Fraction(5, 2)),
        FluentValue(GroundAtom(("home", "t1")), "a"),
    )
    opened = GroundAtom(("open", "a"))
    assert problem.init_timed == (
        TimedLiteral(Fraction(5), opened),
        TimedLiteral(Fraction(15, 2), opened, positive=False),
    )
    assert problem.metric is not None
    assert problem.metric.direction == "minimize"


def test_spans_point_into_the_text(blocks: str) -> None:
    domain = parse_domain(blocks)
    placed, _ = with_places(domain, Problem("p", "blocks"))
    assert placed == domain
    action = placed.actions[1]
    start, end = action.span
    assert blocks[start:end].startswith("(:action stack")
    assert blocks[start:end].endswith("(not (holding ?x))))")
    for part in conjuncts(action.effect):
        assert blocks[part.span.start : part.span.end] == write_condition(part)
    assert blocks[action.parameters[1].span.start :].startswith("?y")


def test_a_task_knows_its_objects(everything: str, all_of_it: str) -> None:
    task = parse_task(everything, all_of_it)
    assert list(task.objects) == ["depot", "t1", "a", "b"]
    assert task.objects_of(("place",)) == ("depot", "a", "b")
    assert task.objects_of(("vehicle",)) == ("t1",)


def test_without_its_domain_a_problem_is_only_read(tower: str) -> None:
    checked = check_problem(tower)
    assert checked.ok
    assert isinstance(checked.value, Problem)
    assert not check_problem(tower.replace("(:goal", "(:gaol")).ok


def test_a_timed_value() -> None:
    domain = parse_domain("(define (domain d) (:requirements :fluents :timed-initial-literals) (:functions (price)))")
    text = "(define (problem x) (:domain d) (:init (= (price) 1) (at 9 (= (price) 2.5))) (:goal (and)))"
    problem = parse_problem(text, domain)
    timed = TimedLiteral(Fraction(9), GroundAtom(("price",)), value=Fraction(5, 2))
    assert (problem.init_timed, len(problem.init_values)) == ((timed,), 1)
    assert parse_problem(write_problem(problem), domain) == problem
    checked = check_problem(text.replace("2.5", "2.5))(at 9 (= (cost) 2"), domain)
    assert [item.message for item in checked.errors] == ["function 'cost' is not declared"]


# ── objects in place of variables, and other names ────────────────────────────────────────────────


BINDING = {"?t": "t1", "?p": "a", "?q": "b", "?x": "c"}


@pytest.fixture
def bound(everything: str) -> tuple[list[str], list[str]]:
    """Precondition and effect of an action with nearly every construct, bound."""
    action = parse_domain(everything).actions[0]
    before, after = substitute(action.precondition, BINDING), substitute(action.effect, BINDING)
    return [write_condition(part) for part in conjuncts(before)], [write_condition(part) for part in conjuncts(after)]


def test_a_precondition(bound: tuple[list[str], list[str]]) -> None:
    assert bound[0] == [
        "(not (= a b))",
        "(imply (busy t1) (tired))",
        "(forall (?x - place) (open ?x))",
        "(= (home t1) a)",
    ]


def test_an_effect(bound: tuple[list[str], list[str]]) -> None:
    assert bound[1] == [
        "(when (tired) (and (not (tired)) (open depot)))",
        "(forall (?x - place) (not (open ?x)))",
        "(increase (total-cost) 1.5)",
        "(assign (fuel t1) (- (* 2 (fuel t1)) (/ 1 4)))",
        "(assign (home t1) depot)",
    ]


def test_the_rest_stays(everything: str) -> None:
    drive = parse_domain(everything).durative_actions[0]
    assert substitute(drive.effect, {}) == drive.effect
    told = write_condition(substitute(drive.condition, {"?t": "t1", "?p": "z"}))
    assert "(at start (at t1 ?a))" in told
    assert "(forall (?p - place) (at start (open ?p)))" in told


def test_every_kind_of_name_is_renamed(everything: str) -> None:
    action = parse_domain(everything).actions[0]
    new = Renaming(
        type=lambda name: f"t-{name}",
        predicate=lambda name: f"p-{name}",
        function=lambda name: f"f-{name}",
        term=lambda name: f"?v-{name[1:]}" if name.startswith("?") else f"o-{name}",
    )
    text = write_condition(new.formula(action.effect))
    assert "(when (p-tired) (and (not (p-tired)) (p-open o-depot)))" in text
    assert "(forall (?v-x - t-place) (not (p-open ?v-x)))" in text
    assert "(assign (f-fuel ?v-t) (- (* 2 (f-fuel ?v-t)) (/ 1 4)))" in text
    assert "(assign (f-home ?v-t) o-depot)" in text


def test_names_that_stay_give_an_equal_formula(everything: str) -> None:
    domain = parse_domain(everything)
    action, drive = domain.actions[0], domain.durative_actions[0]
    for formula in (action.effect, drive.condition, drive.duration):
        assert Renaming().formula(formula) == formula


def test_variables_and_preferences_in_the_order_of_the_text() -> None:
    formula = And(
        (
            Preference("late", Atom("at", ("?x", "a"))),
            Forall((TypedName("?y"),), Or((Equality("?y", "?x"), Preference("", Atom("on", ("?z",)))))),
            Comparison("<", Special("?duration"), Fluent("fuel", ("?w",))),
        )
    )
    assert variables(formula) == ("?x", "?y", "?z", "?w")
    assert preference_names(formula) == ("late",)
