"""Policies in which a language model and a planner work together: repair, guidance and translation.

The AutoPlanBench paper (Stein et al., ICAPS 2025) ends with the ideas of repair, preferred operators and heuristics
from a model's plans; LLM+P (Liu et al., 2023) and Planetarium (Zuo et al., 2024) have the model write the problem.
"""

from pddl2nl.plugins import System

SYSTEM = System(
    title="models and planners together",
    policies={
        "repair": "repair:Repair",
        "guided": "guided:Guided",
        "landmarks": "landmarks:Landmarks",
        "tree": "tree:Tree",
        "llm+p": "llm_p:LLMPlusP",
    },
    presets="presets.toml",
    events="events:EVENTS",
    metrics="metrics:METRICS",
    paper="paper.toml",
    experiments="experiments",
)
