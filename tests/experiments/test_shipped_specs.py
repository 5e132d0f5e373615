"""Experiments by name: shipped ones, files, and functions of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.ready import small_model
from pddl2nl.experiments.specification.shipped import find_specification, shipped_specs
from pddl2nl.policies import make_policy
from pddl2nl.policies.policy import CORE


def test_each_has_a_name_and_a_sentence() -> None:
    shipped = shipped_specs()
    names = [each.name for each in shipped]
    assert names == sorted(names)
    assert {"acpbench", "planbench-tasks", "quickstart", "small-model"} <= {*names}
    assert all(len(each.about) > 40 for each in shipped)
    with pytest.raises(InputError, match="no specification of that name is shipped; did you mean 'quickstart'"):
        find_specification("quikstart")
    with pytest.raises(InputError, match=r"absent.toml: no such file"):
        find_specification("absent.toml")


def test_a_file_stands_before_a_shipped_one_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quickstart").mkdir()
    assert find_specification("quickstart").path != Path("quickstart"), "a folder of its records is not meant"
    Path("quickstart").rmdir()
    Path("quickstart").write_text("")
    assert find_specification("quickstart").path == Path("quickstart")


def test_a_small_model_plays_the_cores_policies_at_every_level_of_constraint() -> None:
    said = small_model()
    levels: dict[str, set[str]] = {}
    for column in said.columns:
        if column.kind == "model":
            levels.setdefault(column.policy, set()).add(column.options.get("constrain", "off"))
    asking = {name: made for name in CORE if (made := make_policy(name)).needs_model}
    assert levels == {name: {"off", *made.levels} for name, made in asking.items()}
    assert len(said.domains) == 5
