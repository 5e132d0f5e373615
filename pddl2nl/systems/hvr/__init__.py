"""HVR: hierarchical planning with verification and retrieval from a knowledge graph, and its ablations (`hvr.HVR`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="HVR and its ablations",
    policies={"hvr": "hvr:HVR"},
    presets="presets.toml",
    files={"ontology.ttl": "ontology:read_ontology"},
    roles={"embedding": "gives vectors, by which names in replies are compared with those of the task"},
    events="events:EVENTS",
    metrics="metrics:METRICS",
    paper="paper.toml",
    experiments="experiments",
    commands={"macro": "command:register"},
)
