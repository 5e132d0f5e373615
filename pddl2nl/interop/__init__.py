"""Adapters to other tools and their files; never the core model.

PlanBench: `planbench_files` reads its configurations, instances and recorded replies; `planbench_audit` judges the
replies again and tabulates the result. On the command line: ``pddl2nl audit planbench FOLDER``.
"""

from __future__ import annotations

from pddl2nl.interop.planbench_audit import (
    Audited,
    AuditRow,
    Disagreement,
    Judgement,
    PlanBenchAudit,
    audit_csv,
    audit_rows,
)
from pddl2nl.interop.planbench_files import PlanBenchConfig, PlanBenchFolder, PlanBenchReply, PlanBenchResults

__all__ = [
    "AuditRow",
    "Audited",
    "Disagreement",
    "Judgement",
    "PlanBenchAudit",
    "PlanBenchConfig",
    "PlanBenchFolder",
    "PlanBenchReply",
    "PlanBenchResults",
    "audit_csv",
    "audit_rows",
]
