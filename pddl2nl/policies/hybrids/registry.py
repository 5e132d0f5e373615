"""The hybrids by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pddl2nl.policies.episode import Policy
from pddl2nl.policies.hybrids.llm_p import LLMPlusP
from pddl2nl.policies.hybrids.repair import RepairPolicy

__all__ = ["make_hybrid"]

_MAKE: Mapping[str, Callable[[str], Policy]] = MappingProxyType(
    {
        "repair": RepairPolicy,
        "repair-cot": RepairPolicy,
        "llm+p": lambda name: LLMPlusP(),
    }
)


def make_hybrid(name: str) -> Policy:
    """A new policy by its name."""
    return _MAKE[name](name)
