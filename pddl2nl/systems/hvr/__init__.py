"""HVR: hierarchical planning with verification and retrieval from a knowledge graph, and its ablations (`hvr.HVR`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="HVR and its ablations",
    events="events:EVENTS",
    metrics="metrics:METRICS",
    notes="notes:NOTES",
    paper="paper.toml",
)
