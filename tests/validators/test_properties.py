"""The simulator against the definition, on random tasks: what is applicable succeeds, and everything else fails."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Domain,
    Equality,
    GroundAtom,
    Not,
    Predicate,
    Problem,
    Task,
    TypedName,
)
from validators import GroundAction, Simulator

_TYPES = {"small": ("a", "b"), "large": ("c", "d", "e"), "object": ("a", "b", "c", "d", "e")}
_ARITY = {"p": 2, "q": 1, "r": 0, "s": 2, "t": 3}
"""``s`` and ``t`` are never changed."""

_CONSTANTS = ("a", "c")


def _terms(count: int, parameters: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.tuples(*(st.sampled_from([*parameters, *parameters, *_CONSTANTS]) for _ in range(count)))


@st.composite
def _literal(draw: st.DrawFn, parameters: list[str], predicates: str, *, equality: bool) -> Condition:
    name = draw(st.sampled_from([*predicates, "="] if equality else list(predicates)))
    terms = draw(_terms(_ARITY.get(name, 2), parameters))
    body = Equality(*terms) if name == "=" else Atom(name, terms)
    return Not(body) if draw(st.integers(0, 3)) == 0 else body


@st.composite
def _schema(draw: st.DrawFn, name: str) -> ActionSchema:
    parameters = [f"?x{number}" for number in range(draw(st.integers(0, 3)))]
    typed = tuple(TypedName(parameter, (draw(st.sampled_from(sorted(_TYPES))),)) for parameter in parameters)
    precondition = draw(st.lists(_literal(parameters, "ppqqrst", equality=True), max_size=4))
    if precondition and draw(st.booleans()):
        precondition[0] = And((precondition[0],))
    effect = draw(st.lists(_literal(parameters, "pqr", equality=False), max_size=4))
    return ActionSchema(name, typed, And(tuple(precondition)), And(tuple(effect)))


@st.composite
def _tasks(draw: st.DrawFn) -> Task:
    everything = _TYPES["object"]
    possible = [
        GroundAtom((name, *args))
        for name, arity in _ARITY.items()
        for args in itertools.product(everything, repeat=arity)
    ]
    init = draw(st.lists(st.sampled_from(possible), max_size=40))
    domain = Domain(
        "random",
        types=(TypedName("small"), TypedName("large")),
        constants=(TypedName("a", ("small",)), TypedName("c", ("large",))),
        predicates=tuple(
            Predicate(name, tuple(TypedName(f"?v{number}") for number in range(arity)))
            for name, arity in _ARITY.items()
        ),
        actions=tuple(draw(_schema(f"act{number}")) for number in range(draw(st.integers(1, 3)))),
    )
    objects = (TypedName("b", ("small",)), TypedName("d", ("large",)), TypedName("e", ("large",)))
    return Task(domain, Problem("x", "random", objects=objects, init=tuple(init)))


def _holds(condition: Condition, binding: dict[str, str], atoms: frozenset[GroundAtom]) -> bool:
    if isinstance(condition, And):
        return all(_holds(part, binding, atoms) for part in condition.parts)
    if isinstance(condition, Not):
        return not _holds(condition.body, binding, atoms)
    if isinstance(condition, Equality):
        return binding.get(condition.left, condition.left) == binding.get(condition.right, condition.right)
    assert isinstance(condition, Atom)
    return (condition.predicate, *(binding.get(term, term) for term in condition.args)) in atoms


def _successor(schema: ActionSchema, binding: dict[str, str], atoms: frozenset[GroundAtom]) -> frozenset[GroundAtom]:
    assert isinstance(schema.effect, And)
    added, deleted = set(), set()
    for part in schema.effect.parts:
        node = part.body if isinstance(part, Not) else part
        assert isinstance(node, Atom)
        ground = GroundAtom((node.predicate, *(binding.get(term, term) for term in node.args)))
        (deleted if isinstance(part, Not) else added).add(ground)
    return (atoms - deleted) | added


def _everything(task: Task) -> list[tuple[GroundAction, ActionSchema, dict[str, str]]]:
    return [
        (
            GroundAction(schema.name, args),
            schema,
            dict(zip((parameter.name for parameter in schema.parameters), args, strict=True)),
        )
        for schema in task.domain.actions
        for args in itertools.product(*(_TYPES[parameter.types[0]] for parameter in schema.parameters))
    ]


@settings(max_examples=300, deadline=None)
@given(_tasks(), st.data())
def test_applicable_actions_and_successors_are_those_of_the_definition(task: Task, data: st.DataObject) -> None:
    simulator = Simulator(task)
    state = simulator.initial
    everything = _everything(task)
    for _ in range(3):
        atoms = state.atoms
        found = list(simulator.applicable(state))
        assert len(found) == len(set(found))
        wanted = {action for action, schema, binding in everything if _holds(schema.precondition, binding, atoms)}
        assert set(found) == wanted
        assert found == list(Simulator(task).applicable(state)), "the order depends on nothing but task and state"
        for action, schema, binding in everything:
            result = simulator.step(state, action)
            assert result.applicable == (action in wanted)
            assert simulator.is_applicable(state, action) == result.applicable
            assert bool(result.unmet) != result.applicable
            if result.successor is not None:
                assert result.successor.atoms == _successor(schema, binding, atoms)
                assert frozenset(result.added) == result.successor.atoms - atoms
                assert frozenset(result.deleted) == atoms - result.successor.atoms
        if not found:
            break
        successor = simulator.step(state, data.draw(st.sampled_from(found))).successor
        assert successor is not None
        state = successor


@settings(max_examples=100, deadline=None)
@given(_tasks())
def test_equal_states_have_equal_actions_whatever_led_to_them(task: Task) -> None:
    simulator = Simulator(task)
    copy = simulator.state(sorted(simulator.initial.atoms, reverse=True))
    assert copy == simulator.initial
    assert list(simulator.applicable(copy)) == list(simulator.applicable(simulator.initial))
