"""The shipped domains and instances: found, well-formed, and as their manifests say."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import check_domain, check_problem, parse_domain
from pddl2nl.tasks import authored_domains, match_shipped, shipped_domain, shipped_domains, shipped_task
from pddl2nl.tasks import shipped as module
from pddl2nl.tasks.generators import generators

NAMES = tuple(name for name in generators() if name not in authored_domains())

by_domain = pytest.mark.parametrize("name", NAMES)
with_authored = pytest.mark.parametrize("name", [*NAMES, "alfred", "kitchen", "building", "tabletop"])


def test_authored_domains_stand_beside_them():
    assert authored_domains() == ("alfred", "building", "household", "kitchen", "tabletop")
    assert shipped_domain("kitchen").references
    assert not any(shipped_domain(name).references for name in NAMES)


@with_authored
def test_a_domain_parses_without_any_diagnostic(name):
    path = shipped_domain(name).domain_path
    checked = check_domain(path.read_text(encoding="utf-8"), str(path))
    assert checked.diagnostics == ()
    assert checked.value == shipped_domain(name).domain


@with_authored
def test_instances_parse_without_any_diagnostic(name):
    shipped = shipped_domain(name)
    for instance in (shipped.example, *shipped.benchmarks[::4], *shipped.scaled[::10], *shipped.unsolvable[::10]):
        checked = check_problem(instance.path.read_text(encoding="utf-8"), shipped.domain, str(instance.path))
        assert checked.diagnostics == ()
        assert checked.value is not None
        assert len(checked.value.objects) == instance.objects
        assert checked.value.name == f"{name}-{instance.name}"


@by_domain
def test_a_folder_is_complete_and_its_manifest_describes_every_file(name):
    shipped = shipped_domain(name)
    files = {path.name for path in shipped.folder.iterdir()}
    assert files - {"scene.json"} == {"domain.pddl", "wording.json", "picture.json", "README.md"}
    described = {instance.path for instance in shipped.instances}
    assert {path for path in shipped.instances_folder.rglob("*") if path.is_file()} == {
        *described,
        shipped.instances_folder / "manifest.csv",
    }
    assert len(described) == len(shipped.instances)


def test_a_domain_without_instances_says_so():
    without = replace(shipped_domain("ferry"), instances=())
    assert (without.benchmarks, without.scaled, without.unsolvable) == ((), (), ())
    with pytest.raises(InputError, match=r"no example of ferry is shipped: .*ferry has none"):
        assert without.example


@with_authored
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


@with_authored
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
    with pytest.raises(InputError, match="there are alfred, beluga, blocksworld, building, depots, ferry, floortile, "):
        shipped_domain("zzz")
    with pytest.raises(InputError, match="no instance 'p1' of ferry is shipped; did you mean 'p01'"):
        shipped_task("ferry", "p1")


@with_authored
def test_a_domain_is_recognised_wherever_its_text_comes_from(name):
    text = shipped_domain(name).domain_path.read_text(encoding="utf-8")
    moved = text.replace("(:requirements ", "; a remark\n(:requirements :action-costs ")
    assert moved != text
    assert match_shipped(parse_domain(moved)) == shipped_domain(name)


def test_the_layout_of_a_wheel_is_found_too(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "pddl2nl"
    instances = [instance.name for instance in shipped_domain("ferry").instances]
    for kind in ("domains", "instances"):
        shutil.copytree(module._data(kind), package / kind)
    monkeypatch.setattr(module.resources, "files", lambda name: package)
    for cached in (shipped_domains, authored_domains, shipped_domain):
        cached.cache_clear()
    try:
        assert shipped_domains() == NAMES
        assert shipped_domain("ferry").domain_path == package / "domains" / "ferry" / "domain.pddl"
        assert [instance.name for instance in shipped_domain("ferry").instances] == instances
    finally:
        monkeypatch.undo()
        for cached in (shipped_domains, authored_domains, shipped_domain):
            cached.cache_clear()


def test_missing_data_is_an_error_that_names_both_places(tmp_path, monkeypatch):
    monkeypatch.setattr(module.resources, "files", lambda name: tmp_path / "pddl2nl")
    with pytest.raises(InputError, match=r"neither .*pddl2nl.domains nor .*domains exists"):
        module._data("domains")
