"""Plans with time, preferences and trajectory constraints: PDDL 2.1 levels 3 and 4 (linear), 2.2 and 3.

Imported only for tasks that have such constructs; `validate` comes here by itself. The modules, in the order of their
imports: `lowering` (durative actions as pairs of ordinary ones), `trajectory`
(what PDDL 3 says about the states of a plan), `execution` (a plan is executed and judged).
"""

from __future__ import annotations

from pddlval.temporal.execution import judge

__all__ = ["judge"]
