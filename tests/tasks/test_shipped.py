"""The shipped domains and instances: found, well-formed, and as their manifests say."""

from __future__ import annotations

import csv
import json
import re
import shutil

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import And, Atom, Not, check_domain, check_problem, conjuncts, parse_domain
from pddl2nl.tasks import match_shipped, shipped_domain, shipped_domains, shipped_task
from pddl2nl.tasks import shipped as module

NAMES = ("blocksworld", "ferry", "grippers", "logistics", "visitall")
INSTANCES = [(name, instance) for name in NAMES for instance in shipped_domain(name).instances]
IDS = [f"{name}-{instance.name}" for name, instance in INSTANCES]

by_domain = pytest.mark.parametrize("name", NAMES)
by_instance = pytest.mark.parametrize(("name", "instance"), INSTANCES, ids=IDS)


def test_the_five_domains_are_there():
    assert shipped_domains() == NAMES


@by_domain
def test_a_domain_parses_without_any_diagnostic(name):
    path = shipped_domain(name).domain_path
    checked = check_domain(path.read_text(encoding="utf-8"), str(path))
    assert checked.diagnostics == ()
    assert checked.value == shipped_domain(name).domain


@by_instance
def test_an_instance_parses_without_any_diagnostic(name, instance):
    checked = check_problem(instance.path.read_text(encoding="utf-8"), shipped_domain(name).domain, str(instance.path))
    assert checked.diagnostics == ()
    assert checked.value is not None
    assert len(checked.value.objects) == instance.objects
    assert checked.value.name == f"{name}-{instance.name}"


@by_domain
def test_a_domain_is_strips_with_and_and_not_alone(name):
    domain = shipped_domain(name).domain
    assert set(domain.requirements) <= {":strips", ":typing"}
    assert not domain.functions
    for action in domain.actions:
        assert isinstance(action.precondition, And)
        assert isinstance(action.effect, And)
        assert all(isinstance(part, Atom) for part in conjuncts(action.precondition))
        for part in conjuncts(action.effect):
            assert isinstance(part.body if isinstance(part, Not) else part, Atom)


@by_domain
def test_a_folder_is_complete_and_its_manifest_describes_every_file(name):
    shipped = shipped_domain(name)
    assert {path.name for path in shipped.folder.iterdir()} == {"domain.pddl", "wording.json", "README.md"}
    instances = shipped.instances[0].path.parent
    assert {path.name for path in instances.glob("*.pddl")} == {instance.path.name for instance in shipped.instances}
    assert [instance.role for instance in shipped.instances].count("example") == 1
    assert len(shipped.benchmarks) >= 5
    with (instances / "manifest.csv").open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    assert header == ["instance", "file", "role", "objects", "optimal_length", "proof", "ff_length"]


@by_domain
def test_no_two_instances_are_isomorphic(name):
    lengths = [instance.optimal_length for instance in shipped_domain(name).instances]
    # Isomorphic tasks have shortest plans of one length.
    assert len(set(lengths)) == len(lengths)
    assert all(3 <= length <= 16 for length in lengths)


@by_domain
def test_the_example_is_as_near_to_five_steps_as_the_domain_allows(name):
    nearest = {"blocksworld": 6, "ferry": 6}.get(name, 5)
    assert shipped_domain(name).example.optimal_length == nearest


@by_instance
@pytest.mark.usefixtures("needs_planner")
def test_the_optimal_length_is_proved_again(name, instance):
    from pddl2nl.baselines import solve

    result = solve(shipped_task(name, instance.name), "lmcut")
    assert result.plan is not None
    assert len(result.plan) == instance.optimal_length
    assert instance.ff_length >= instance.optimal_length


@by_domain
def test_a_wording_says_every_parameter_and_negates_every_predicate(name):
    data = json.loads(shipped_domain(name).wording_path.read_text(encoding="utf-8"))
    domain = shipped_domain(name).domain
    assert data["domain"] == domain.name
    declared = {item.name: [parameter.name for parameter in item.parameters] for item in domain.predicates}
    assert {key: value["parameters"] for key, value in data["predicates"].items()} == declared
    declared = {item.name: [parameter.name for parameter in item.parameters] for item in domain.actions}
    assert {key: value["parameters"] for key, value in data["actions"].items()} == declared
    for snippet in [*data["predicates"].values(), *data["actions"].values()]:
        for text in (snippet["text"], snippet.get("negated", snippet["text"])):
            assert sorted(re.findall(r"\{(.*?)\}", text)) == sorted(snippet["parameters"])
    assert all(snippet["negated"] != snippet["text"] for snippet in data["predicates"].values())


@by_domain
def test_no_two_snippets_of_a_wording_can_be_confused(name):
    data = json.loads(shipped_domain(name).wording_path.read_text(encoding="utf-8"))
    for texts in (
        [text for item in data["predicates"].values() for text in (item["text"], item["negated"])],
        [item["text"] for item in data["actions"].values()],
    ):
        patterns = [re.compile(re.sub(r"\\\{.*?\\\}", r"\\S+", re.escape(text))) for text in texts]
        for text in texts:
            said = re.sub(r"\{.*?\}", "object_0", text)
            assert [bool(pattern.fullmatch(said)) for pattern in patterns].count(True) == 1


def test_unknown_names_are_refused_with_a_near_one():
    with pytest.raises(InputError, match="no domain 'blockworld' is shipped; did you mean 'blocksworld'"):
        shipped_domain("blockworld")
    with pytest.raises(InputError, match="there are blocksworld, ferry, grippers, logistics, visitall"):
        shipped_domain("zzz")
    with pytest.raises(InputError, match="no instance 'p1' of ferry is shipped; did you mean 'p01'"):
        shipped_task("ferry", "p1")


def test_a_task_is_found_by_name():
    task = shipped_task("blocksworld", "p01")
    assert task.domain.name == "blocksworld-4ops"
    assert task.problem.name == "blocksworld-p01"


@by_domain
def test_a_domain_is_recognised_wherever_its_text_comes_from(name):
    text = shipped_domain(name).domain_path.read_text(encoding="utf-8")
    moved = text.replace("(:requirements :strips", "; a remark\n(:requirements :strips :negative-preconditions")
    assert match_shipped(parse_domain(moved)) == shipped_domain(name)


def test_a_domain_that_says_something_else_is_not_recognised():
    text = shipped_domain("ferry").domain_path.read_text(encoding="utf-8")
    assert match_shipped(parse_domain(text.replace("(empty-ferry))\n    :effect", ")\n    :effect"))) is None


def test_the_layout_of_a_wheel_is_found_too(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "pddl2nl"
    for kind in ("domains", "instances"):
        shutil.copytree(module._data(kind), package / kind)
    monkeypatch.setattr(module.resources, "files", lambda name: package)
    for cached in (shipped_domains, shipped_domain):
        cached.cache_clear()
    try:
        assert shipped_domains() == NAMES
        assert shipped_domain("ferry").domain_path == package / "domains" / "ferry" / "domain.pddl"
        assert len(shipped_domain("ferry").instances) == 8
    finally:
        monkeypatch.undo()
        for cached in (shipped_domains, shipped_domain):
            cached.cache_clear()


def test_missing_data_is_an_error_that_names_both_places(tmp_path, monkeypatch):
    monkeypatch.setattr(module.resources, "files", lambda name: tmp_path / "pddl2nl")
    with pytest.raises(InputError, match=r"neither .*pddl2nl.domains nor .*domains exists"):
        module._data("domains")


@by_domain
def test_the_wording_is_accepted_by_the_room_that_uses_it(name):
    from pddl2nl.nl import load_wording

    shipped = shipped_domain(name)
    assert set(load_wording(shipped.wording_path, shipped.domain).actions) == {
        action.name for action in shipped.domain.actions
    }
