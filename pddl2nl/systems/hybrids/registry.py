"""The hybrids by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pddl2nl.policies.basic import Basic
from pddl2nl.policies.episode import Policy
from pddl2nl.systems.hybrids.guided import Guided
from pddl2nl.systems.hybrids.landmarks import LandmarkPolicy
from pddl2nl.systems.hybrids.llm_p import LLMPlusP
from pddl2nl.systems.hybrids.repair import RepairPolicy
from pddl2nl.systems.hybrids.tree import Tree

_MAKE: Mapping[str, Callable[[str], Policy]] = MappingProxyType(
    {
        "repair": lambda name: RepairPolicy(Basic()),
        "guided": lambda name: Guided(),
        "landmarks": lambda name: LandmarkPolicy(),
        "tree": lambda name: Tree(),
        "llm+p": lambda name: LLMPlusP(),
    }
)


def make_hybrid(name: str) -> Policy:
    """A new policy by its name."""
    return _MAKE[name](name)
