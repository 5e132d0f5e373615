from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.nl.names import SCHEMES, make_names
from pddl2nl.nl.wording.snippets import Wording, own_name
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


word = st.from_regex(r"[a-c]{1,2}(_[0-2])?", fullmatch=True)


@given(
    objects=st.lists(st.tuples(word, word), unique_by=lambda pair: pair[0], max_size=12),
    constants=st.lists(st.tuples(word, word), unique_by=lambda pair: pair[0], max_size=4),
    own=st.dictionaries(word, st.one_of(word, st.sampled_from(("{}", "a_{}", "b-{}", "A", "c_{}_{}"))), max_size=4),
    scheme=st.sampled_from(sorted(SCHEMES)),
    seed=st.none() | st.integers(),
)
def test_names_are_bijections(
    objects: list[tuple[str, str]], constants: list[tuple[str, str]], own: dict[str, str], scheme: str, seed: int | None
) -> None:
    some = task(objects, constants)
    wording = worded(own)
    names = make_names(some, scheme, wording, seed)
    assert list(names.to_nl) == list(some.objects)
    assert len(set(names.to_nl.values())) == len(some.objects)
    assert {names.to_pddl[told]: told for told in names.to_nl.values()} == dict(names.to_nl)
    assert all(names.to_nl[name] == name for name, _ in constants)
    assert not any(" " in told for told in names.to_nl.values())
    assert make_names(some, scheme, wording, seed) == names
    assert scheme != "original" or all(name == told for name, told in names.to_nl.items())
    folded = {told.casefold().replace("-", "_") for told in names.to_nl.values()}
    assert all(alias.casefold().replace("-", "_") not in folded for alias in names.aliases)
    assert len(set(names.aliases.values())) == len(names.aliases)
    assert set(names.aliases.values()) <= set(some.objects)


def worded(objects: dict[str, str], **types: str) -> Wording:
    return Wording("d", {}, {}, types=types, objects=objects)


def test_the_wordings_noun_stands_for_the_type_of_all_objects() -> None:
    some = task([("x", "object"), ("t", "truck")])
    assert make_names(some, "typed", worded({}, object="Wooden block", truck="lorry")).to_nl == {
        "x": "wooden_block_0",
        "t": "truck_0",
    }
    assert make_names(some, "typed", worded({})).to_nl == {"x": "object_0", "t": "truck_0"}


def test_the_wordings_own_names_come_first() -> None:
    some = task([("a", "block"), ("l0-1", "place"), ("l2_13", "place"), ("l3", "place"), ("p", "place")])
    names = make_names(some, "typed", worded({"a": "red", "b": "blue", "l": "location_{}_{}"}))
    assert names.to_nl == {
        "a": "red", "l0-1": "location_0_1", "l2_13": "location_2_13", "l3": "place_0", "p": "place_1",
    }  # fmt: skip
    assert dict(names.aliases) == {}


def test_own_names_that_clash_fall_back_to_numbers() -> None:
    some = task([("l1-2", "place"), ("l1_2", "place"), ("a", "place"), ("b", "place")], [("red", "place")])
    names = make_names(some, "typed", worded({"l": "at_{}_{}", "a": "Red", "b": "place-0"}))
    assert names.to_nl == {"red": "red", "l1-2": "at_1_2", "l1_2": "place_1", "a": "place_2", "b": "place-0"}


def test_unused_own_names_are_aliases_where_they_clash_with_nothing() -> None:
    some = task([("a", "block"), ("b", "block"), ("c", "block"), ("red", "block"), ("x1", "block"), ("x-1", "block")])
    names = make_names(some, "original", worded({"a": "red", "b": "blue", "x": "big_{}", "d": "green"}))
    assert names.to_nl["b"] == "b"
    assert dict(names.aliases) == {"blue": "b"}
    constant = make_names(task([("a", "block")], [("b", "block")]), "typed", worded({"b": "blue"}))
    assert (dict(constant.to_nl), dict(constant.aliases)) == ({"b": "b", "a": "block_0"}, {"blue": "b"})


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("p0", "package_0"),
        ("p-7", "package_7"),
        ("p_12", "package_12"),
        ("l0-1", "location_0_1"),
        ("l0", None),
        ("p0-1", None),
        ("p", None),
        ("pa1", None),
        ("p1a", None),
        ("a", "red"),
        ("7", None),
    ],
)
def test_own_names(name: str, told: str | None) -> None:
    assert own_name({"p": "package_{}", "l": "location_{}_{}", "a": "red"}, name) == told


def test_a_seed_deals_the_numbers_of_each_type() -> None:
    objects = [(f"{kind}{index}", kind) for index in range(9) for kind in ("truck", "crate")]
    some = task(objects)
    plain, one, other = (make_names(some, "typed", seed=seed).to_nl for seed in (None, 1, 2))
    assert len({tuple(names.values()) for names in (plain, one, other)}) == 3
    assert set(one.values()) == set(other.values()) == set(plain.values())
    assert all(told.startswith(name[:-1]) for name, told in one.items())
    assert make_names(some, "typed", seed=1).to_nl == one
    assert make_names(some, "original", seed=1).to_nl == make_names(some, "original").to_nl
    # The numbers of one type do not hang on which other types there are.
    trucks = make_names(task([pair for pair in objects if pair[1] == "truck"]), "typed", seed=1).to_nl
    assert trucks == {name: told for name, told in one.items() if name.startswith("truck")}


def logistics(init: list[str]) -> Task:
    domain = Domain("d", predicates=tuple(Predicate(name, X) for name in ("obj", "truck", "location", "airport")))
    atoms = tuple(GroundAtom(tuple(fact.split())) for fact in init)
    objects = dict.fromkeys(atom[1] for atom in atoms)
    return Task(domain, Problem("p", "d", objects=tuple(TypedName(name) for name in objects), init=atoms))


def test_a_predicate_that_says_object_gives_way_to_any_other() -> None:
    names = make_names(logistics(["obj t", "truck t", "obj p", "obj q", "location l", "airport l"]), "inferred")
    assert names.to_nl == {"t": "truck_0", "p": "obj_0", "q": "obj_1", "l": "location_0"}
    few = make_names(logistics(["obj t", "truck t", "truck u", "truck v"]), "inferred")
    assert few.to_nl == {"t": "truck_0", "u": "truck_1", "v": "truck_2"}
