"""Compiled conditions against their definition."""

from __future__ import annotations

import importlib.util
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import Atom, Comparison, Condition, Exists, Fluent, GroundAtom, Not, Preference, TypedName, parse_task
from pddlval import joins, memos
from pddlval.conditions import Places, Reader, compile_condition, compile_expression, negation_normal
from pddlval.numeric import UndefinedError, evaluate
from pddlval.semantics import holds, unmet
from pddlval.state import Statics


def _load(name: str) -> ModuleType:
    # The tests are no package, and pytest imports them by path.
    spec = importlib.util.spec_from_file_location(f"validators_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


formulas: Any = _load("formulas")
FREE = ["?x", "?w"]
EVERYTHING = {**formulas.STATIC, **formulas.CHANGING}
DYNAMIC = frozenset(formulas.CHANGING)


class Setting:
    """A random state, objects for the free variables, and what compiled conditions need."""

    def __init__(self, statics: frozenset[GroundAtom], changing: frozenset[GroundAtom], values: Any, args: Any):
        self.task = formulas.task_with(statics)
        self.statics = Statics(self.task, statics, {})
        self.world = formulas.PlainWorld(self.task, statics | changing, values)
        self.args = args
        self.binding = dict(zip(FREE, args, strict=True))

    def compiled(self, condition: Condition, *, listed: frozenset[str] = frozenset()) -> bool:
        """The condition's truth, compiled."""
        places = Places(("some-constant", *FREE))
        self.world.memo = None
        test = compile_condition(condition, places, self.statics, DYNAMIC, listed)
        first = test(places.slots(self.args), self.world)
        assert test(places.slots(self.args), self.world) is first, "a test does not remember"
        return first

    def __repr__(self) -> str:
        atoms = " ".join(sorted(map(str, self.world.atoms)))
        return f"Setting({atoms}; {self.binding}; {self.world.values})"


class CountingWorld(formulas.PlainWorld):  # type: ignore[name-defined, misc]
    """A plain world that counts what it is asked."""

    asked = 0

    def true(self, atom: GroundAtom) -> bool:
        """Whether the atom is in the set."""
        self.asked += 1
        return atom in self.atoms


LINKS = """(define (domain links) (:requirements :adl :typing) (:types node) (:constants n3 n5 - node)
  (:predicates (link ?x ?y - node) (lit ?x - node) (mark ?x - node))
  (:action look :parameters (?x - node) :precondition CONDITION :effect (lit ?x)))"""


SETTINGS = st.builds(
    Setting,
    formulas.subsets(formulas.STATIC),
    formulas.subsets(formulas.CHANGING),
    formulas.values(),
    st.tuples(st.sampled_from(sorted(formulas.OBJECTS)), st.sampled_from(sorted(formulas.OBJECTS))),
)


@settings(max_examples=500, deadline=None)
@given(formulas.conditions(FREE, EVERYTHING, 4), SETTINGS)
def test_compiled_is_what_is_defined(condition: Condition, setting: Setting) -> None:
    assert setting.compiled(condition) is holds(condition, setting.world, setting.binding)


@pytest.mark.parametrize("worth_a_list", [0, 8, 2000])
def test_with_lists_of_true_atoms(worth_a_list: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memos, "_WORTH_A_LIST", worth_a_list)
    monkeypatch.setattr(joins, "_WORTH_A_LOOK", 0)
    monkeypatch.setattr(joins, "_FEW", 0.1)
    monkeypatch.setattr(joins, "_MANY", 0.2)

    @settings(max_examples=300, deadline=None)
    @given(formulas.conditions(FREE, EVERYTHING, 4), SETTINGS)
    def compiled_is_what_is_defined(condition: Condition, setting: Setting) -> None:
        assert setting.compiled(condition, listed=DYNAMIC) is holds(condition, setting.world, setting.binding)

    compiled_is_what_is_defined()


@settings(max_examples=500, deadline=None)
@given(formulas.conditions(FREE, EVERYTHING, 3, numeric=True), SETTINGS)
def test_with_numbers_too(condition: Condition, setting: Setting) -> None:
    try:
        wanted = holds(condition, setting.world, setting.binding)
        found = setting.compiled(condition)
    except UndefinedError:
        return
    assert found is wanted


@settings(max_examples=300, deadline=None)
@given(formulas.conditions(FREE, EVERYTHING, 4), SETTINGS)
def test_a_reader_reads_what_is_defined(condition: Condition, setting: Setting) -> None:
    reader = Reader(setting.statics, DYNAMIC)
    for _ in range(2):
        found = reader.holds(condition, setting.world, setting.binding)
        assert found is holds(condition, setting.world, setting.binding)
        parts = unmet(condition, setting.world, setting.binding, reader.holds)
        assert parts == unmet(condition, setting.world, setting.binding)


def test_a_reader_finds_unmet_parts_without_trying_all_objects() -> None:
    nodes = " ".join(f"n{number}" for number in range(300) if number not in (3, 5))
    joined = "(link ?x ?y) (link ?y ?z) (lit ?z)"
    condition = f"(and (exists (?y ?z - node) (and {joined})) (forall (?y ?z ?w - node) (not (and (lit ?w) {joined}))))"
    task = parse_task(
        LINKS.replace("CONDITION", condition),
        f"(define (problem x) (:domain links) (:objects {nodes} - node) (:init (link n3 n5)) (:goal (and)))",
    )
    precondition = task.domain.actions[0].precondition
    statics = frozenset(task.problem.init)
    world = CountingWorld(task, statics)
    found = unmet(precondition, world, {"?x": "n3"}, Reader(Statics(task, statics, {}), {"lit"}).holds)
    assert [type(part) for part in found] == [Exists]
    assert world.asked < 300, "for each ?w once at most"


@settings(max_examples=300, deadline=None)
@given(formulas.conditions(FREE, EVERYTHING, 4, numeric=True), SETTINGS)
def test_negation_normal_form(condition: Condition, setting: Setting) -> None:
    normal = negation_normal(condition)
    assert negation_normal(normal) == normal
    text = repr(normal)
    assert "Imply" not in text
    assert not any(f"Not(body={kind}(" in text for kind in ("Not", "And", "Or", "Forall", "Exists"))
    try:
        assert holds(normal, setting.world, setting.binding) is holds(condition, setting.world, setting.binding)
    except UndefinedError:
        with pytest.raises(UndefinedError):
            holds(condition, setting.world, setting.binding)


@settings(max_examples=300, deadline=None)
@given(formulas.expressions(FREE, 3), SETTINGS, st.booleans())
def test_expressions(expression: Any, setting: Setting, defined: bool) -> None:
    if not defined:
        setting.world.values.clear()
    places = Places(FREE)
    value = compile_expression(expression, places)
    try:
        wanted = evaluate(expression, setting.world.level, setting.binding)
    except UndefinedError as error:
        with pytest.raises(UndefinedError) as found:
            value(places.slots(setting.args), setting.world)
        assert found.value.condition == error.condition  # noqa: PT017 - most expressions have a value
        assert "?" not in str(found.value.expression)
    else:
        assert value(places.slots(setting.args), setting.world) == wanted
        assert isinstance(wanted, int) or wanted.denominator > 1


def test_a_comparison_is_guarded_by_what_stands_before_it() -> None:
    setting = Setting(frozenset(), frozenset({GroundAtom(("q", "b"))}), {GroundAtom(("f", "b")): 1}, ("a", "a"))
    positive = Comparison(">", Fluent("f", ("?x",)), Fluent("g"))
    setting.world.values[GroundAtom(("g",))] = Fraction(0)
    guarded = Exists((TypedName("?x"),), formulas.And((Atom("q", ("?x",)), positive)))
    assert holds(guarded, setting.world)
    assert setting.compiled(guarded)
    with pytest.raises(UndefinedError):
        setting.compiled(Exists((TypedName("?x"),), formulas.And((positive, Atom("q", ("?x",))))))


@pytest.mark.parametrize(
    ("condition", "most"),
    [
        ("(exists (?y ?z - node) (and (lit ?y) (link ?y ?z) (link ?x ?y)))", 1),
        ("(not (forall (?y - node) (imply (link ?x ?y) (not (lit ?y)))))", 1),
        ("(exists (?y - node) (and (lit ?y) (= ?y ?x)))", 1),
        ("(exists (?y - node) (and (lit ?y) (or (link ?x ?y) (and (lit ?x) (= ?y n3)))))", 3),
        ("(exists (?y ?z - node) (and (lit ?y) (lit ?z) (link ?x ?y) (link ?z n5)))", 2),
        ("(exists (?y - node) (and (lit ?y) (mark ?y)))", 0),
        ("(forall (?y - node) (exists (?z - node) (or (link ?y ?z) (link ?z ?y))))", 0),
    ],
)
def test_objects_are_looked_up_and_not_tried(condition: str, most: int) -> None:
    nodes = " ".join(f"n{number}" for number in range(200) if number not in (3, 5))
    links = " ".join(f"(link n{number} n{number + 1})" for number in range(199))
    task = parse_task(
        LINKS.replace("CONDITION", condition),
        f"(define (problem x) (:domain links) (:objects {nodes} - node) (:init {links}) (:goal (and)))",
    )
    atoms = frozenset(task.problem.init)
    precondition = task.domain.actions[0].precondition
    places = Places(("?x",))
    test = compile_condition(precondition, places, Statics(task, atoms, {}), {"lit"})
    for lit in ("n4", "n150"):
        world = CountingWorld(task, atoms | {GroundAtom(("lit", lit))})
        found = test(places.slots(("n3",)), world)
        assert world.asked <= most
        assert found is holds(precondition, world, {"?x": "n3"})


def test_true_atoms_are_looked_up_where_objects_are_many() -> None:
    nodes = " ".join(f"n{number}" for number in range(1000) if number not in (3, 5))
    task = parse_task(
        LINKS.replace("CONDITION", "(forall (?y - node) (imply (and (lit ?y) (not (= ?y ?x))) (mark ?y)))"),
        f"(define (problem x) (:domain links) (:objects {nodes} - node) (:init (mark n7)) (:goal (and)))",
    )
    places = Places(("?x",))
    precondition = task.domain.actions[0].precondition
    test = compile_condition(precondition, places, Statics(task, frozenset(task.problem.init), {}), {"lit"}, {"lit"})
    asked = []
    for lit in (("n3", "n7"), ("n5", "n7"), ("n3", "n5")):
        atoms = frozenset({GroundAtom(("lit", name)) for name in lit})
        world = CountingWorld(task, atoms | frozenset(task.problem.init))
        world.changing = atoms.__iter__
        found = [name for name in task.objects if test(places.slots((name,)), world)]
        assert found == [name for name in lit if set(lit) <= {name, "n7"}]
        asked.append(world.asked)
    assert max(asked) <= 2000, "then the true atoms are listed"


def test_places() -> None:
    places = Places(("on", "table", "?x", "?y"))
    assert [places.place(name) for name in ("on", "table", "?x", "?y")] == [0, 1, 2, 3]
    inner = places.within((TypedName("?x"), TypedName("?z")))
    assert (inner.place("?x"), inner.place("?z"), inner.place("?y")) == (4, 5, 3)
    assert places.place("?x") == 2
    assert inner.place("late") == places.place("late") == 6
    assert places.size == inner.size == 7
    assert places.slots(("a", "b")) == ["on", "table", "a", "b", "", "", "late"]
    with pytest.raises(KeyError):
        places.place("?z")


def test_what_is_no_condition_is_refused() -> None:
    setting = Setting(frozenset(), frozenset(), {}, ("a", "a"))
    for bad in (Preference("", Atom("r")), Not(Preference("", Atom("r")))):
        with pytest.raises(TypeError, match="Preference"):
            setting.compiled(bad)
    with pytest.raises(KeyError):
        setting.compiled(Atom("p", ("?x", "?nobody")))
