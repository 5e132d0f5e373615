"""BrainBody-LLM: a planning model and an acting model in a feedback loop, and its baselines (`brainbody.BrainBody`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="BrainBody-LLM and its baselines",
    policies={"brainbody": "brainbody:BrainBody"},
    presets="presets.toml",
    files={"robot.json": "primitives:parse_robot"},
    roles={"body": "turns steps of a plan into commands", "embedding": "gives vectors, which compare names"},
    events="events:EVENTS",
    metrics="metrics:METRICS",
    tables={"brainbody-steps": "tables:steps_table"},
    plots="plots:PLOTS",
    paper="paper.toml",
    experiments="experiments",
    generators={"household": "household:GENERATOR", "tabletop": "tabletop:GENERATOR"},
)
