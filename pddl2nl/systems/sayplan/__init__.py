"""SayPlan: search in a scene graph, completed ways and iterative replanning, and its ablations (`sayplan.SayPlan`)."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="SayPlan and its ablations",
    policies={"sayplan": "sayplan:SayPlan"},
    presets="presets.toml",
    files={"scene.json": "scene_graph:read_roles"},
    problems={".json": "scene_graph:problem_of_scene"},
    events="events:EVENTS",
    metrics="metrics:METRICS",
    plots="plots:PLOTS",
    paper="paper.toml",
    experiments="experiments",
    generators={"building": "building:GENERATOR"},
    commands={"scene": "command:register"},
)
