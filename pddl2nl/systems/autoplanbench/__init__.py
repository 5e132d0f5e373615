"""AutoPlanBench (Stein et al., ICAPS 2025): the paper's numbers, settings and experiments; its policies are the core's.

Basic, CoT, Act and ReAct, and the baselines beside them, belong to no system.
"""

from pddl2nl.plugins import System

SYSTEM = System(
    title="AutoPlanBench",
    tables={"suites": "tables:suites_table", "families": "tables:families_table", "tokens": "tables:tokens_table"},
    paper="paper.toml",
    profiles="profiles.toml",
)
