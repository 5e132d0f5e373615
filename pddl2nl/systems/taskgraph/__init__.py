"""GraphPlan: plans of subtasks along a task graph, and revisions after events (`taskgraph.TaskGraphPolicy`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="GraphPlan and its ablations",
    events="events:EVENTS",
    metrics="metrics:METRICS",
    notes="notes:NOTES",
    paper="paper.toml",
)
