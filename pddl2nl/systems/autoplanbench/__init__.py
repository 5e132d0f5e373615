"""AutoPlanBench (Stein, Fišer, Hoffmann and Koller, ICAPS 2025): its settings and experiments.

Its policies are those of the core: Basic, CoT, Act, ReAct and the random walk.
"""

from pddl2nl.plugins import System

SYSTEM = System(title="AutoPlanBench", profiles="profiles.toml", experiments="experiments")
