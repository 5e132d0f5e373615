"""The audit of PlanBench's recorded replies: agreement, and a hand-checked sample."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.interop.planbench import Audited, AuditRow, PlanBenchAudit, audit_csv, audit_rows

HERE = Path(__file__).parent
GOLDEN = HERE / "golden" / "planbench_agreement.csv"
HAND_CHECKED: list[dict[str, Any]] = json.loads((HERE / "hand_checked.json").read_text(encoding="utf-8"))
CONFIGS = ("blocksworld", "blocksworld_3", "logistics", "mystery_blocksworld_3")


@pytest.fixture
def totals(planbench: PlanBenchAudit, audited: Callable[[Path], Audited]) -> dict[str, AuditRow]:
    """The sums of all files by reading policy."""
    rows = audit_rows([audited(path) for path in planbench.folder.results_paths])
    return {row.policy: row for row in rows if row.file == "all files"}


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


def test_raw_replies_read_as_planbench_does_agree(totals: dict[str, AuditRow]) -> None:
    assert totals["planbench"].replies >= 2400
    assert totals["planbench"].agreement >= 0.97


def test_no_plan_judged_correct_is_lost_by_the_default_policy(totals: dict[str, AuditRow]) -> None:
    assert totals["default"].recorded_only <= 0.005 * totals["default"].replies


def test_the_sample_is_large_and_spread() -> None:
    assert len(HAND_CHECKED) >= 40
    assert len({(item["file"], item["instance_id"], item["policy"]) for item in HAND_CHECKED}) == len(HAND_CHECKED)
    assert len({item["file"] for item in HAND_CHECKED}) >= 8
    assert {item["policy"] for item in HAND_CHECKED} == {"default", "planbench"}
    assert {item["who_is_right"] for item in HAND_CHECKED} <= {"ours", "recorded", "neither"}
    assert all(item["why"].endswith(".") for item in HAND_CHECKED)


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
