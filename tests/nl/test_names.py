from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.nl.names import SCHEMES, make_names
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import ActionSchema, And, Atom, Domain, GroundAtom, Not, Predicate, Problem, TypedName, When

X = (TypedName("?x"),)


def task(objects: list[tuple[str, str]], constants: list[tuple[str, str]] = [], **rest: object) -> Task:  # noqa: B006
    kinds = dict.fromkeys(kind for _, kind in objects + constants if kind != "object")
    domain = Domain(
        name="d",
        types=tuple(TypedName(kind) for kind in kinds),
        constants=tuple(TypedName(name, (kind,)) for name, kind in constants),
    )
    return Task(domain, Problem("p", "d", objects=tuple(TypedName(name, (kind,)) for name, kind in objects)))


def test_typed_names_count_a_type_in_declaration_order() -> None:
    names = make_names(task([("t0", "truck"), ("p", "package"), ("t7", "truck"), ("x", "object")]), "typed")
    assert dict(names.to_nl) == {"t0": "truck_0", "p": "package_0", "t7": "truck_1", "x": "object_0"}
    assert names.to_pddl["truck_1"] == "t7"


def test_constants_keep_their_names_and_no_object_gets_one() -> None:
    names = make_names(task([("a", "truck"), ("b", "truck")], [("truck_0", "truck"), ("home", "depot")]), "typed")
    assert dict(names.to_nl) == {"truck_0": "truck_0", "home": "home", "a": "truck_1", "b": "truck_2"}


def test_of_several_types_the_first_counts() -> None:
    problem = Problem("p", "d", objects=(TypedName("v", ("truck", "plane")),))
    assert make_names(Task(Domain("d"), problem)).to_nl["v"] == "truck_0"


def test_original_names() -> None:
    names = make_names(task([("a", "truck")], [("home", "depot")]), "original")
    assert dict(names.to_nl) == {"home": "home", "a": "a"}


def untyped() -> Task:
    hot = Atom("hot", ("?x",))
    domain = Domain(
        "d",
        predicates=tuple(Predicate(name, X) for name in ("thing", "location", "airport", "hot", "wet", "lone")),
        actions=(
            ActionSchema(
                "heat", X, effect=And((Atom("hot", ("?x",)), When(Atom("hot", ("?x",)), Atom("wet", ("?x",)))))
            ),
            ActionSchema("cool", X, effect=Not(hot)),
        ),
    )
    init = ["thing a", "thing b", "thing c", "thing d", "location a", "location b", "airport b", "hot d", "wet c"]
    atoms = tuple(GroundAtom(tuple(fact.split())) for fact in init)
    return Task(domain, Problem("p", "d", objects=tuple(TypedName(name) for name in "abcde"), init=atoms))


def test_inferred_names_take_the_most_specific_static_predicate() -> None:
    names = make_names(untyped(), "inferred")
    assert dict(names.to_nl) == {"a": "location_0", "b": "airport_0", "c": "thing_0", "d": "thing_1", "e": "object_0"}


def test_inferred_is_typed_where_there_are_types() -> None:
    some = task([("a", "truck")])
    assert make_names(some, "inferred").to_nl == make_names(some, "typed").to_nl


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(InputError, match="--names tyed: no such scheme; there are typed, original, inferred"):
        make_names(untyped(), "tyed")


word = st.from_regex(r"[a-c]{1,2}(_[0-2])?", fullmatch=True)


@given(
    objects=st.lists(st.tuples(word, word), unique_by=lambda pair: pair[0], max_size=12),
    constants=st.lists(st.tuples(word, word), unique_by=lambda pair: pair[0], max_size=4),
    scheme=st.sampled_from(sorted(SCHEMES)),
)
def test_names_are_bijections(objects: list[tuple[str, str]], constants: list[tuple[str, str]], scheme: str) -> None:
    some = task(objects, constants)
    names = make_names(some, scheme)
    assert list(names.to_nl) == list(some.objects)
    assert len(set(names.to_nl.values())) == len(some.objects)
    assert {names.to_pddl[told]: told for told in names.to_nl.values()} == dict(names.to_nl)
    assert all(names.to_nl[name] == name for name, _ in constants)
    assert not any(" " in told for told in names.to_nl.values())
    assert make_names(some, scheme) == names


def test_the_wordings_noun_stands_for_the_type_of_all_objects() -> None:
    some = task([("x", "object"), ("t", "truck")])
    assert make_names(some, "typed", {"object": "Wooden block", "truck": "lorry"}).to_nl == {
        "x": "wooden_block_0",
        "t": "truck_0",
    }
    assert make_names(some, "typed", {}).to_nl == {"x": "object_0", "t": "truck_0"}
