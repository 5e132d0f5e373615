"""PlanBench's files, the audit of its recorded replies with a hand-checked sample, and the table."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.interop.planbench import (
    Audited,
    AuditRow,
    Disagreement,
    PlanBenchAudit,
    PlanBenchFolder,
    PlanBenchReply,
    audit_csv,
    audit_rows,
)
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
    [("{", "not JSON"), ("[]", "expected a table"), ("{}", "instances"), ('{"instances": [3]}', r"instances\[0\]")],
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


ONE = Audited(
    "a/m/t.json",
    10,
    (3,),
    ("planbench", "default"),
    (
        Disagreement("a/m/t.json", 1, "planbench", True, False),
        Disagreement("a/m/t.json", 2, "default", False, True),
        Disagreement("a/m/t.json", 3, "default", False, True),
        Disagreement("a/m/t.json", 4, "default", False, True),
    ),
)
TWO = Audited("b/m/t.json", 0, (), ("planbench", "default"), ())


def test_rows_count_and_sum() -> None:
    rows = audit_rows([ONE, TWO])
    assert [(row.file, row.policy) for row in rows] == [
        ("a/m/t.json", "planbench"),
        ("a/m/t.json", "default"),
        ("b/m/t.json", "planbench"),
        ("b/m/t.json", "default"),
        ("all files", "planbench"),
        ("all files", "default"),
    ]
    last = rows[-1]
    assert (last.replies, last.recorded_agrees, last.agrees, last.recorded_only, last.ours_only) == (10, 9, 7, 0, 3)
    assert [row.agreement for row in rows] == [0.9, 0.7, 1.0, 1.0, 0.9, 0.7]


HERE = Path(__file__).parent
GOLDEN = HERE / "golden" / "planbench_agreement.csv"
HAND_CHECKED: list[dict[str, Any]] = json.loads((HERE / "hand_checked.json").read_text(encoding="utf-8"))
CONFIGS = ("blocksworld", "blocksworld_3", "logistics", "mystery_blocksworld_3")


@pytest.fixture
def totals(planbench: PlanBenchAudit, audited: Callable[[Path], Audited]) -> dict[str, AuditRow]:
    """The sums of all files by reading policy."""
    rows = audit_rows([audited(path) for path in planbench.folder.results_paths])
    return {row.policy: row for row in rows if row.file == "all files"}


@pytest.mark.heavy
@pytest.mark.parametrize("config", CONFIGS)
def test_recorded_plans_have_the_recorded_verdict(
    planbench: PlanBenchAudit, audited: Callable[[Path], Audited], config: str
) -> None:
    paths = [path for path in planbench.folder.results_paths if path.parent.parent.name == config]
    assert paths
    for path in paths:
        found = audited(path)
        assert found.recorded_differs == (), found.file
        assert found.replies >= 100


@pytest.mark.heavy
def test_the_table_is_as_it_was(planbench: PlanBenchAudit, audited: Callable[[Path], Audited]) -> None:
    """Where a change is meant, ``PDDL2NL_WRITE_GOLDEN=1 pytest tests/interop`` writes the table anew for review."""
    table = audit_csv(audit_rows([audited(path) for path in planbench.folder.results_paths]))
    if os.environ.get("PDDL2NL_WRITE_GOLDEN"):
        GOLDEN.write_text(table, encoding="utf-8")
        pytest.skip("written, not compared")
    found = list(csv.DictReader(io.StringIO(table)))
    golden = list(csv.DictReader(io.StringIO(GOLDEN.read_text(encoding="utf-8"))))
    for now, before in zip(found, golden, strict=True):
        assert now == before


@pytest.mark.heavy
def test_raw_replies_read_as_planbench_does_agree(totals: dict[str, AuditRow]) -> None:
    assert totals["planbench"].replies >= 2400
    assert totals["planbench"].agreement >= 0.97


@pytest.mark.heavy
def test_no_plan_judged_correct_is_lost_by_the_default_policy(totals: dict[str, AuditRow]) -> None:
    assert totals["default"].recorded_only <= 0.005 * totals["default"].replies


def test_the_sample_is_large_and_spread() -> None:
    assert len(HAND_CHECKED) >= 40
    assert len({(item["file"], item["instance_id"], item["policy"]) for item in HAND_CHECKED}) == len(HAND_CHECKED)
    assert len({item["file"] for item in HAND_CHECKED}) >= 8
    assert {item["policy"] for item in HAND_CHECKED} == {"default", "planbench"}
    assert {item["who_is_right"] for item in HAND_CHECKED} <= {"ours", "recorded", "neither"}
    assert all(item["why"].endswith(".") for item in HAND_CHECKED)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "item", HAND_CHECKED, ids=lambda item: f"{item['file']}-{item['instance_id']}-{item['policy']}"
)
def test_the_verdicts_are_those_found_by_hand(
    planbench: PlanBenchAudit, audited: Callable[[Path], Audited], item: dict[str, Any]
) -> None:
    path = planbench.folder.root / "results" / item["file"]
    found = {(one.instance, one.policy): one for one in audited(path).disagreements}
    disagreement = found[item["instance_id"], item["policy"]]
    assert disagreement.ours is item["ours_correct"]
    assert disagreement.recorded is not item["ours_correct"]


def test_one_reply_can_be_judged_alone(shelves: Any) -> None:
    audit = PlanBenchAudit(shelves.root)
    results = audit.folder.results(
        shelves.results(
            {"llm_raw_response": "take box_2 off shelf_2"},
            {"llm_raw_response": "take box_9 off shelf_2"},
            {"extracted_llm_plan": None},
            {"extracted_llm_plan": "(take-off b2, s2)"},
            {"extracted_llm_plan": "(TAKE-OFF B2 S2)\n(put-onto b2 s3)\n(take-off b1 s1)\n(put-onto b1 s2)"},
        )
    )
    config = audit.folder.config(results)
    assert not any(audit.judge_reply(config, reply) for reply in results.replies[:2])
    assert [audit.judge_recorded(config, reply) for reply in results.replies[2:]] == [False, False, True]
