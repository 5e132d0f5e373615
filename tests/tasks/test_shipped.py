"""Shipped domains and instances, found and well-formed, and a domain of another package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

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


# ── a domain of another package, by an entry point ────────────────────────────────────────────────


DOMAIN = """
(define (domain lamps)
  (:requirements :strips)
  (:predicates (lamp ?l) (lit ?l))
  (:action light :parameters (?l) :precondition (lamp ?l) :effect (lit ?l)))
"""
PROBLEM = "(define (problem hall) (:domain lamps) (:objects a b) (:init (lamp a) (lamp b)) (:goal (lit a)))"
WORDING = {
    "format": 1,
    "domain": "lamps",
    "predicates": {
        "lamp": {"parameters": ["?l"], "text": "{?l} is a lamp", "negated": "{?l} is no lamp"},
        "lit": {"parameters": ["?l"], "text": "{?l} shines", "negated": "{?l} is dark"},
    },
    "actions": {"light": {"parameters": ["?l"], "text": "switch {?l} on"}},
}
GENERATOR = """
from pddl2nl.tasks.generators import Generator, Parameter, Sketch

def _make(values, draw):
    lamps = tuple(f"lamp{number}" for number in range(values["lamps"]))
    return Sketch((("", lamps),), (tuple(("lamp", each) for each in lamps),), (("lit", draw.pick(lamps)),), "lamps")

GENERATOR = Generator("lamps", "lamps", "lamps", (Parameter("lamps", "how many", 2, 1, 9),), _make)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which a package with a domain is installed."""
    files = {
        "light/__init__.py": "",
        "light/lamps/__init__.py": GENERATOR,
        "light/lamps/domain.pddl": DOMAIN,
        "light/lamps/wording.json": json.dumps(WORDING),
        "light/lamps/hall.pddl": PROBLEM,
        "light-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: light\nVersion: 1.0\n",
        "light-1.0.dist-info/entry_points.txt": "[pddl2nl.domains]\nlamps = light.lamps\n",
    }
    for name, text in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *sys.path])}


def test_an_installed_domain_works_by_its_name(environment: dict[str, str], tmp_path: Path) -> None:
    def out(*arguments: str) -> str:
        command = [sys.executable, "-m", "pddl2nl", *arguments]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert "a shines" in out("convert", "lamps", "hall", "--names", "original")
    made = out("tasks", "generate", "lamps", "--seed", "3", "lamps=4")
    assert "(define (problem lamps-3)" in made
    assert "lamp3" in made
    out("training", "export", "--domain", "lamps", "--out", "rows")
    [row] = (tmp_path / "rows" / "prompts-train.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(row)["domain_name"] == "lamps"
