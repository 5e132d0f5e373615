"""Thin edges to other people's tools and files; never the core model.

`planbench_files` reads PlanBench's configurations, instances and recorded replies; `planbench_audit` judges those
replies again; `planbench_causes` says why a verdict differs; `planbench_table` tabulates it::

    from pddl2nl.interop import PlanBenchAudit, audit_rows, audit_text

    audit = PlanBenchAudit("plan-bench")
    print(audit_text(audit_rows(list(audit.files()))))
"""

from __future__ import annotations

from pddl2nl.interop.planbench_audit import Audited, Disagreement, Judgement, PlanBenchAudit
from pddl2nl.interop.planbench_causes import Cause, Evidence, cause_of
from pddl2nl.interop.planbench_files import PlanBenchConfig, PlanBenchFolder, PlanBenchReply, PlanBenchResults
from pddl2nl.interop.planbench_table import AuditRow, audit_csv, audit_rows, audit_text

__all__ = [
    "AuditRow",
    "Audited",
    "Cause",
    "Disagreement",
    "Evidence",
    "Judgement",
    "PlanBenchAudit",
    "PlanBenchConfig",
    "PlanBenchFolder",
    "PlanBenchReply",
    "PlanBenchResults",
    "audit_csv",
    "audit_rows",
    "audit_text",
    "cause_of",
]
