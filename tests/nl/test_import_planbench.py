from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pddl2nl.nl import Reader, Teller, Wording, make_names
from pddl2nl.nl.telling.convert import choose_wording
from pddl2nl.nl.wording.files import load_wording, parse_yaml, save_wording
from pddl2nl.nl.wording.review import wording_warnings
from pddl2nl.nl.wording.snippets import WordingError
from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    Domain,
    GroundAtom,
    Predicate,
    Problem,
    Task,
    TypedName,
    conjuncts,
    load_domain,
    load_problem,
)
from pddlval import GroundAction

X, Y = TypedName("?x"), TypedName("?y")
DOMAIN = Domain(
    "cups-4",
    predicates=(Predicate("on", (X, Y)), Predicate("cup", (X,)), Predicate("held", (X,)), Predicate("free")),
    actions=(ActionSchema("put", (X, Y), effect=Atom("on", ("?x", "?y"))), ActionSchema("wait")),
)
CONFIG = """\
# a comment
domain_name: cups_3
n_instances: 7
domain_intro: |
   I have cups.

   Put a cup   on another.

actions:
  {put: "put the {} onto the {}", wait: wait}
predicates: {
   "on": "the {} is on the {}", # on is no truth value
   cup: "",
   HELD: "the hand holds {}",
   free: "the hand is free",
  }
encoded_objects:
  {"a": "red cup", "b": "blue cup", "c": "dark green cup"}
callbacks:
   - one
"""


def wording(text: str, tmp_path: Path, domain: Domain = DOMAIN) -> Wording:
    path = tmp_path / "cups.yaml"
    path.write_text(text, encoding="utf-8")
    return load_wording(path, domain)


def changed(old: str, new: str) -> str:
    assert CONFIG.count(old) == 1
    return CONFIG.replace(old, new)


def test_a_configuration_is_a_wording(tmp_path: Path) -> None:
    found = wording(CONFIG, tmp_path)
    assert found.domain_text == "I have cups.\n\nPut a cup   on another."
    assert {name: item.text for name, item in found.actions.items()} == {
        "put": "put the {?x} cup onto the {?y} cup", "wait": "wait",
    }  # fmt: skip
    assert {name: item.text for name, item in found.predicates.items()} == {
        "on": "the {?x} cup is on the {?y} cup", "cup": None, "held": "the hand holds {?x} cup",
        "free": "the hand is free",
    }  # fmt: skip
    assert found.objects == {"a": "red", "b": "blue", "c": "dark_green"}
    assert found.types == {"object": "cup"}
    assert found.source["domain_name"] == "cups_3"
    assert wording_warnings(found, DOMAIN) == (
        "names of objects are told with underscores for their blanks: dark green",
    )
    save_wording(found, tmp_path / "saved.json")
    assert load_wording(tmp_path / "saved.json", DOMAIN) == found


def test_objects_are_told_and_read_by_the_files_names(tmp_path: Path) -> None:
    found = wording(CONFIG, tmp_path)
    objects = tuple(TypedName(name) for name in ("a", "b", "z"))
    atoms = (GroundAtom(("on", "a", "b")), GroundAtom(("cup", "a")))
    task = Task(DOMAIN, Problem("p", "cups-4", objects=objects, init=atoms, goal=Atom("on", ("b", "z"))))
    names = make_names(task, "typed", found)
    teller = Teller(task, found, names)
    assert names.to_nl == {"a": "red", "b": "blue", "z": "cup_0"}
    assert teller.init_text() == "Currently, the red cup is on the blue cup."
    assert teller.goal_text() == "My goal is that in the end the blue cup is on the cup_0 cup."
    action = GroundAction("put", ("b", "a"))
    assert teller.action(action) == "put the blue cup onto the red cup"
    assert Reader(task, found, names).read("put the blue cup onto the red cup").plan == (action,)


@pytest.mark.parametrize(
    ("objects", "texts", "names"),
    [
        ('{"a": "object a", "b": "object b"}', "put the object {?x} onto the object {?y}", {"a": "a", "b": "b"}),
        ('{"a": "x red cup", "b": "x tin cup"}', "put the x {?x} cup onto the x {?y} cup", {"a": "red", "b": "tin"}),
        ('{"a": "red cup", "b": "left hand"}', "put the {?x} onto the {?y}", {"a": "red_cup", "b": "left_hand"}),
        ('{"a": "cup", "b": "cup top"}', "put the {?x} onto the {?y}", {"a": "cup", "b": "cup_top"}),
        ('{"a": "red", "b": "blue"}', "put the {?x} onto the {?y}", {"a": "red", "b": "blue"}),
        ('{"a": "red cup"}', "put the {?x} onto the {?y}", {"a": "red_cup"}),
        ('{"P": "package_{}", "l": "location {} {}"}', "put the {?x} onto the {?y}",
         {"p": "package_{}", "l": "location_{}_{}"}),
        ("{}", "put the {?x} onto the {?y}", {}),
    ],
)  # fmt: skip
def test_words_that_all_names_share_go_into_the_snippets(
    objects: str, texts: str, names: dict[str, str], tmp_path: Path
) -> None:
    old = '{"a": "red cup", "b": "blue cup", "c": "dark green cup"}'
    found = wording(changed(old, objects), tmp_path)
    assert found.actions["put"].text == texts
    assert found.objects == names


def test_obfuscated_domains_have_numbered_objects(tmp_path: Path) -> None:
    found = wording(changed("domain_name: cups_3", "domain_name: obfuscated_cups"), tmp_path)
    assert (found.objects, found.actions["put"].text) == ({"o": "object_{}"}, "put the {?x} onto the {?y}")


def test_depots_keeps_the_marks_in_its_objects_names(tmp_path: Path) -> None:
    domain = Domain("d", types=(TypedName("truck"), TypedName("crate")), actions=DOMAIN.actions)
    text = "domain_name: depots\nactions: {put: 'put {} on {}', wait: wait}\npredicates: {}\n"
    own = ("truck3", "crate_1", "crate1", "crate_0")
    objects = tuple(TypedName(name, (name.rstrip("_0123456789"),)) for name in own)
    names = make_names(Task(domain, Problem("p", "d", objects=objects)), "typed", wording(text, tmp_path, domain))
    assert tuple(names.to_nl.values()) == own


@pytest.mark.parametrize("nothing", ["", "~", "null"])
def test_what_a_file_says_that_it_lacks_is_no_text(nothing: str, tmp_path: Path) -> None:
    text = (
        f"domain_name: {nothing}\ndomain_intro: {nothing}\nencoded_objects: {nothing}\naction_obfuscation: {nothing}\n"
        "actions: {put: 'put {} on {}', wait: wait}\npredicates: {on: '', cup: '', held: '', free: ''}\n"
    )
    found = wording(text, tmp_path)
    assert (found.domain_text, found.objects, found.source) == (None, {}, {"method": "planbench", "file": "cups.yaml"})


def test_names_of_obfuscated_twins_are_known(tmp_path: Path) -> None:
    twins = "action_obfuscation: {put: attack, wait: ponder}\npredicate_obfuscation: {on: craves}\n"
    text = CONFIG.replace("{put:", "{attack:").replace(", wait: wait", ", ponder: wait").replace('"on":', '"craves":')
    assert wording(text + twins, tmp_path).actions == wording(CONFIG, tmp_path).actions
    plain = Domain("plain", actions=(ActionSchema("attack", (X, Y)), ActionSchema("ponder")))
    told = wording(CONFIG + twins, tmp_path, plain)
    assert told.actions["attack"].text == "put the {?x} cup onto the {?y} cup"


def test_a_predicate_without_text_is_never_told_and_warned_of(tmp_path: Path) -> None:
    found = wording(changed('   HELD: "the hand holds {}",\n', ""), tmp_path)
    assert found.predicates["held"].text is None
    assert "the predicate 'held' has no text: it is never told" in wording_warnings(found, DOMAIN)


def test_texts_of_what_the_domain_lacks_are_passed_over_where_all_is_covered(tmp_path: Path) -> None:
    found = wording(changed('   cup: "",', '   cup: "", truck: "", box: "{} is a box",'), tmp_path)
    assert set(found.predicates) == {"on", "cup", "held", "free"}
    assert "the text of 'box' is unused: the domain has none of this name" in wording_warnings(found, DOMAIN)


REFUSALS = {
    "misspelt predicate": (
        ("HELD:", "holds:"),
        "cups.yaml → predicates → holds: the domain has none of this name, and has 'held' without text; "
        "did you mean 'held'?",
    ),
    "misspelt action": (("{put:", "{pit:"), "actions → pit: the domain has none of this name, and has 'put'"),
    "another domain": (
        ('{put: "put the {} onto the {}", wait: wait}', "{stack: 'stack {} on {}'}"),
        "cups.yaml: is of another domain: it has none of cups-4's actions, put, wait",
    ),
    "action without text": (("wait: wait", "wait: "), "cups.yaml → actions: lacks a text for 'wait'"),
    "arity": (
        ("the hand holds {}", "the hand holds something"),
        "cups.yaml → predicates → HELD: 'the hand holds something' has 0 {}, the domain declares 1 parameters",
    ),
    "too many holes": (("put the {} onto the {}", "put {} on {} by {}"), "put: 'put {} on {} by {}' has 3 {}"),
    "numbered holes": (("put the {} onto the {}", "put {0} on {1}"), "put: 'put {0} on {1}' has 0 {}"),
    "no actions": (("actions:", "acts:"), "cups.yaml: is no PlanBench configuration with texts: it lacks 'actions'"),
    "text of another kind": (("free: \"the hand is free\"", "free: [a]"), "free: must be a text, found a list"),
    "names of another kind": (
        ('{"a": "red cup", "b": "blue cup", "c": "dark green cup"}', "[red, blue]"),
        "encoded_objects: must be an object in braces, found a list",
    ),
    "one name twice": (("blue cup", "red cup"), "objects → b: is called 'red', as is 'a'"),
    "key twice": (("wait: wait", "wait: wait, put: x"), "cups.yaml → put: stands twice"),
    "name twice": (("wait: wait", "wait: wait, Wait: wait"), "actions → Wait: stands twice, for 'wait'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_what_does_not_fit_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    (old, new), message = REFUSALS[name]
    with pytest.raises(WordingError) as caught:
        wording(changed(old, new), tmp_path)
    assert message in str(caught.value)
    assert str(caught.value).startswith("cups.yaml")


# ── YAML as plain data ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &x {b: *x}", "recursive"),
        ("a: {b: 1, b: 2}", "→ b: stands twice"),
        ("a: [1", "line 1, column .*: is no YAML"),
        ("? [a]\n: b", "the key .* is no text"),
        ("a: *x", "is no YAML: found undefined alias"),
        ("[" * 3000, "nested too deeply|is no YAML"),
    ],
)
def test_what_is_no_plain_data_is_refused(text: str, message: str) -> None:
    with pytest.raises(WordingError, match=message):
        parse_yaml(text, "c.yaml")


def test_tags_make_no_objects() -> None:
    text = "a: !!python/object/apply:os.system [echo]\nb: !own c\nd: !!int 1"
    assert parse_yaml(text) == {"a": ["echo"], "b": "c", "d": "1"}


def test_content_and_not_the_suffix_tells_what_a_file_is(tmp_path: Path) -> None:
    found = wording(CONFIG, tmp_path)
    for suffix, text in (("json", json.dumps(parse_yaml(CONFIG))), ("conf", CONFIG)):
        path = tmp_path / f"cups.{suffix}"
        path.write_text(text, encoding="utf-8")
        other = choose_wording(str(path), DOMAIN)
        assert (other.actions, other.predicates, other.objects) == (found.actions, found.predicates, found.objects)
    (tmp_path / "own.yaml").write_text(json.dumps({**found.to_json(), "format": 1}), encoding="utf-8")
    with pytest.raises(WordingError, match=r"own\.yaml → format: is '1'"):
        choose_wording(str(tmp_path / "own.yaml"), DOMAIN)


# ── the recorded prompts ─────────────────────────────────────────────────────────────────────────


def _facts(text: str) -> list[str]:
    return sorted(fact for part in text.split(", ") for fact in part.split(" and "))


def _squeezed(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize("name", ["blocksworld", "blocksworld_3", "logistics", "mystery_blocksworld_3"])
def test_what_is_told_stands_in_the_recorded_prompts(shared: Path, name: str) -> None:
    """Every fact of the initial state and the goal, the domain's text and the example's plan, letter by letter."""
    base = shared / "planbench"
    path = base / "configs" / f"{name}.yaml"
    config = parse_yaml(path.read_text(encoding="utf-8"))
    assert isinstance(config, dict)
    domain = load_domain(base / "instances" / config["domain_file"])
    found = choose_wording(str(path), domain)
    assert found.domain_text is not None
    problem = str(base / "instances" / config["instance_dir"] / config["instances_template"])
    results = sorted((base / "results" / name).glob("*/*.json"))[0]
    entries = json.loads(results.read_text(encoding="utf-8"))["instances"][:100]
    for entry in entries:
        task = Task(domain, load_problem(problem.format(entry["instance_id"]), domain))
        teller = Teller(task, found, make_names(task, "typed", found))
        query = entry["query"]
        assert _squeezed(query).startswith(_squeezed(found.domain_text))
        statement = re.search(
            r"I have that, (.*?)\.\n.*?have that (.*?)\.\n", query[query.rindex("[STATEMENT]") :], re.S
        )
        assert statement is not None
        told = [teller.fact(atom) for atom in task.problem.init if found.predicates[atom[0]].text is not None]
        assert sorted(told) == _facts(statement[1])
        assert sorted(teller.literal(part) for part in conjuncts(task.problem.goal)) == _facts(statement[2])
        example = entry.get("example_instance_id") or entry["example_instance_ids"][-1]
        plan = re.search(r"\[PLAN\]\n(.*?)\n\[PLAN END\]", query, re.S)
        assert plan is not None
        solved = Task(domain, load_problem(problem.format(example), domain))
        names = make_names(solved, "typed", found)
        read = Reader(solved, found, names).read(plan[1], "all").readings
        retold = Teller(solved, found, names)
        for line in read:
            assert line.action is not None or line.status == "ambiguous"
            for action in (line.action,) if line.action is not None else line.candidates:
                assert retold.action(action) == line.text
    assert len(entries) == 100


def test_two_actions_with_one_text_are_warned_of(shared: Path) -> None:
    base = shared / "planbench"
    domain = load_domain(base / "instances" / "logistics" / "generated_domain.pddl")
    warnings = wording_warnings(load_wording(base / "configs" / "logistics.yaml", domain), domain)
    assert [re.findall(r"'([\w-]+)'", warning)[:2] for warning in warnings] == [
        ["load-truck", "load-airplane"],
        ["unload-truck", "unload-airplane"],
    ]
