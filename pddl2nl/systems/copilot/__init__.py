"""Planning copilots: a model that writes a problem in PDDL and plans on it with tools, after Benyamin et al., 2025."""

from pddl2nl.plugins import System

SYSTEM = System(
    title="planning copilots",
    policies={"tools-copilot": "copilot:Copilot"},
    presets="presets.toml",
    experiments="experiments",
)
