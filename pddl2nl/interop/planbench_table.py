"""The table of an audit of PlanBench's replies: a row for each file and reading policy, and one for all files."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.interop.planbench_audit import Audited
from pddl2nl.interop.planbench_causes import Cause

__all__ = ["AuditRow", "audit_csv", "audit_rows", "audit_text"]

TOTAL = "all files"


@dataclass(frozen=True)
class AuditRow:
    """The counts of one file under one reading policy.

    ``recorded_agrees``: replies whose recorded extraction we judge as PlanBench did; ``agrees``: replies that we
    judge so when we read them ourselves; ``recorded_only``: recorded correct and ours not; ``ours_only``: the
    other way round; ``causes``: the disagreements by cause.
    """

    file: str
    policy: str
    replies: int
    recorded_agrees: int
    agrees: int
    recorded_only: int
    ours_only: int
    causes: Mapping[Cause, int]

    @property
    def agreement(self) -> float:
        """The share of replies that we judge as PlanBench did."""
        return self.agrees / self.replies if self.replies else 1.0


def audit_rows(audited: Sequence[Audited]) -> tuple[AuditRow, ...]:
    """The rows of all files, in the order given, and a sum for each policy."""
    rows = [row for file in audited for row in _file_rows(file)]
    policies = dict.fromkeys(row.policy for row in rows)
    return (*rows, *(_sum([row for row in rows if row.policy == policy], policy) for policy in policies))


def audit_csv(rows: Sequence[AuditRow]) -> str:
    """The rows as CSV, a column for each cause."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "file",
            "policy",
            "replies",
            "recorded plan agrees",
            "reply agrees",
            "recorded correct, ours not",
            "ours correct, recorded not",
            *(cause.value for cause in Cause),
        ]
    )
    for row in rows:
        counts = [row.causes.get(cause, 0) for cause in Cause]
        writer.writerow(
            [
                row.file,
                row.policy,
                row.replies,
                row.recorded_agrees,
                row.agrees,
                row.recorded_only,
                row.ours_only,
                *counts,
            ]
        )
    return out.getvalue()


def audit_text(rows: Sequence[AuditRow]) -> str:
    """The rows as a table to look at, with the causes of each in words, most frequent first."""
    head = ("file", "policy", "replies", "recorded", "reply", "agreement", "rec. only", "ours only")
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = []
    for line, row in zip(cells, (None, *rows), strict=True):
        left = [text.ljust(width) for text, width in zip(line[:2], widths[:2], strict=True)]
        right = [text.rjust(width) for text, width in zip(line[2:], widths[2:], strict=True)]
        lines.append("  ".join([*left, *right, "causes" if row is None else _causes(row)]).rstrip())
    return "\n".join(lines) + "\n"


def _file_rows(file: Audited) -> list[AuditRow]:
    rows = []
    for policy in file.policies:
        own = [item for item in file.disagreements if item.policy == policy]
        rows.append(
            AuditRow(
                file.file,
                policy,
                file.replies,
                file.replies - len(file.recorded_differs),
                file.replies - len(own),
                sum(item.recorded for item in own),
                sum(item.ours for item in own),
                Counter(item.cause for item in own),
            )
        )
    return rows


def _sum(rows: Sequence[AuditRow], policy: str) -> AuditRow:
    causes: Counter[Cause] = Counter()
    for row in rows:
        causes.update(row.causes)
    return AuditRow(
        TOTAL,
        policy,
        sum(row.replies for row in rows),
        sum(row.recorded_agrees for row in rows),
        sum(row.agrees for row in rows),
        sum(row.recorded_only for row in rows),
        sum(row.ours_only for row in rows),
        causes,
    )


def _cells(row: AuditRow) -> tuple[str, ...]:
    counts = (row.replies, row.recorded_agrees, row.agrees)
    return (
        row.file,
        row.policy,
        *map(str, counts),
        f"{100 * row.agreement:.1f} %",
        str(row.recorded_only),
        str(row.ours_only),
    )


def _causes(row: AuditRow) -> str:
    order = list(Cause)
    ranked = sorted(row.causes.items(), key=lambda pair: (-pair[1], order.index(pair[0])))
    return "; ".join(f"{cause.value}: {count}" for cause, count in ranked if count)
