"""SayPlan: search in a scene graph, completed ways and iterative replanning, and its ablations (`sayplan.SayPlan`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="SayPlan and its ablations",
    events="events:EVENTS",
    metrics="metrics:METRICS",
    notes="notes:NOTES",
    paper="paper.toml",
    generators={"building": "building:GENERATOR"},
)
