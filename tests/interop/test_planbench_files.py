"""Reading PlanBench's files: what is taken from them, and what is refused with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.interop.planbench import PlanBenchFolder, PlanBenchReply
from pddl2nl.pddl import InputError


def test_newer_and_older_entries_read_alike(shelves: Any) -> None:
    path = shelves.results(
        {"llm_raw_response": "a", "extracted_llm_plan": "(drop b1)\n(drop b2)\n"},
        {"llm_raw_response": "b", "extracted_llm_plan": ["(drop b1)", "(drop b2)"], "llm_correct": None, "correct": 1},
        {"llm_raw_response": "c", "extracted_llm_plan": None, "llm_correct": False, "instance_id": "1"},
        {"llm_raw_response": "d", "extracted_llm_plan": "", "llm_correct": False},
    )
    results = PlanBenchFolder(shelves.root).results(path)
    assert results.replies == (
        PlanBenchReply(1, "a", ("(drop b1)", "(drop b2)"), True),
        PlanBenchReply(1, "b", ("(drop b1)", "(drop b2)"), True),
        PlanBenchReply(1, "c", None, False),
        PlanBenchReply(1, "d", (), False),
    )
    assert (results.file, results.config) == ("shelves/some_model/task_1_plan_generation.json", "shelves")


def test_entries_without_reply_or_verdict_are_left_out(shelves: Any) -> None:
    path = shelves.results({}, {"llm_raw_response": ""}, {"llm_correct": None})
    assert len(PlanBenchFolder(shelves.root).results(path).replies) == 1


def test_the_configuration_is_that_of_the_folder_or_of_the_domain_name(shelves: Any) -> None:
    folder = PlanBenchFolder(shelves.root)
    config = folder.config(folder.results(shelves.results({})))
    assert config.domain_path == shelves.root / "instances/shelves/domain.pddl"
    assert config.instance_path(1) == shelves.root / "instances/shelves/basic/instance-1.pddl"
    text = (shelves.root / "configs/shelves.yaml").read_text(encoding="utf-8")
    shelves.write("configs/other.yaml", text.replace("domain_name: shelves", "domain_name: attic"))
    assert folder.config(folder.results(shelves.results({}, config="attic"))).path.name == "other.yaml"
    with pytest.raises(InputError, match=r"no configuration cellar\.yaml, and none whose domain_name is cellar"):
        folder.config(folder.results(shelves.results({}, config="cellar")))


def test_plan_generalization_has_instances_of_its_own(shelves: Any) -> None:
    shelves.write("configs/shelves.yaml", "instance_dir: a\ngeneralized_instance_dir: b\ndomain_file: d.pddl\n")
    folder = PlanBenchFolder(shelves.root)
    config = folder.config(folder.results(shelves.results({}, task="task_5_plan_generalization")))
    assert config.instance_path(7) == shelves.root / "instances/b/instance-7.pddl"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"instance_id": None}, r"instances\[1\]\.instance_id"),
        ({"instance_id": "one"}, "instance_id"),
        ({"llm_raw_response": ["a"]}, "llm_raw_response"),
        ({"llm_correct": "yes"}, "llm_correct"),
        ({"extracted_llm_plan": 3}, "extracted_llm_plan"),
        ({"extracted_llm_plan": [1]}, "extracted_llm_plan"),
    ],
)
def test_a_malformed_entry_is_refused_with_its_place(shelves: Any, entry: dict[str, object], reason: str) -> None:
    path = shelves.results({}, entry)
    with pytest.raises(InputError, match=reason):
        PlanBenchFolder(shelves.root).results(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "expected a table"),
        ("{}", "instances"),
        ('{"instances": [3]}', r"instances\[0\]"),
    ],
)
def test_a_malformed_file_is_refused(shelves: Any, text: str, reason: str) -> None:
    path = shelves.write("results/shelves/some_model/task.json", text)
    with pytest.raises(InputError, match=reason):
        PlanBenchFolder(shelves.root).results(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [", "not YAML"),
        ("- a", "expected a table"),
        ("domain_file: d.pddl", "instance_dir is missing"),
        ("instance_dir: a", "domain_file"),
        ("instance_dir: a\ndomain_file: d\ninstances_template: one.pddl", "instances_template"),
    ],
)
def test_a_malformed_configuration_is_refused(shelves: Any, text: str, reason: str) -> None:
    shelves.write("configs/shelves.yaml", text)
    folder = PlanBenchFolder(shelves.root)
    results = folder.results(shelves.results({}))
    with pytest.raises(InputError, match=reason):
        folder.config(results)


@pytest.mark.parametrize("task", ["task_2_plan_optimality", "task_3_plan_verification", "task_6_replanning"])
def test_verdicts_about_other_things_than_plans_are_refused(shelves: Any, task: str) -> None:
    path = shelves.results({}, task=task)
    with pytest.raises(InputError, match="only verdicts on plans can be judged again"):
        PlanBenchFolder(shelves.root).results(path)


def test_absent_files_are_refused(shelves: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no results/CONFIG/ENGINE/TASK\.json"):
        _ = PlanBenchFolder(tmp_path / "nothing").results_paths
    with pytest.raises(InputError, match="no such file"):
        PlanBenchFolder(tmp_path).results(tmp_path / "absent.json")
    with pytest.raises(InputError, match=r"instance-9\.pddl"):
        shelves.audit({"instance_id": 9})
