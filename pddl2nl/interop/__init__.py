"""Adapters to other tools and their files; never the core model.

PlanBench: `planbench` reads its configurations, instances and recorded replies, judges the replies again and tabulates
the result. On the command line: ``pddl2nl audit planbench FOLDER``.
"""

from __future__ import annotations

from pddl2nl.interop.planbench import (
    Audited,
    AuditRow,
    Disagreement,
    Judgement,
    PlanBenchAudit,
    PlanBenchConfig,
    PlanBenchFolder,
    PlanBenchReply,
    PlanBenchResults,
    audit_csv,
    audit_rows,
)

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
