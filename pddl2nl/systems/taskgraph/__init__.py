"""GraphPlan: plans of subtasks along a task graph, and revisions after events (`policy.GraphPlan`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="GraphPlan and its ablations",
    policies={"taskgraph": "policy:GraphPlan"},
    presets="presets.toml",
    files={"subtasks.json": "subtasks:parse_subtasks"},
    roles={"replanner": "revises plans after events"},
    events="events:EVENTS",
    metrics="metrics:METRICS",
    paper="paper.toml",
    experiments="specifications",
    generators={"alfred": "alfred.tasks:GENERATOR"},
    training="rewards:FORM",
    commands={"taskgraph": "command:register"},
)
