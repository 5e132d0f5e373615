"""BrainBody-LLM: a planning model and an acting model in a feedback loop, and its baselines (`brainbody.BrainBody`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="BrainBody-LLM and its baselines",
    events="events:EVENTS",
    metrics="metrics:METRICS",
    notes="notes:NOTES",
    paper="paper.toml",
)
