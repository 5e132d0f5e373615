"""The components of HVR and its ablations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["MECHANISMS", "Mechanism"]


@dataclass(frozen=True)
class Mechanism:
    """The components that a policy has.

    Attributes:
        hierarchy: plans by macro-actions (H); otherwise the whole plan is requested at once.
        verification: repair, feedback, correction and replanning (V); otherwise plans are verified for the record only.
        retrieval: the model selects the objects that are told (R); otherwise all objects are told.
    """

    hierarchy: bool = False
    verification: bool = False
    retrieval: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of prompts (`pddl2nl.policies.hvr.prompts`) that the policy uses."""
        stages = ["retrieval"] if self.retrieval else []
        stages += ["macro-plan", "block"] if self.hierarchy else ["plan"]
        if self.verification:
            stages += ["block-correction" if self.hierarchy else "plan-correction"]
        if self.hierarchy:
            stages += ["conditions"]
            stages += ["conditions-correction", "conditions-refinement"] if self.verification else []
        return tuple(stages)


MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(
    {
        "hvr": Mechanism(hierarchy=True, verification=True, retrieval=True),
        "hv": Mechanism(hierarchy=True, verification=True),
        "hr": Mechanism(hierarchy=True, retrieval=True),
        "vr": Mechanism(verification=True, retrieval=True),
        "r": Mechanism(retrieval=True),
        "llm": Mechanism(),
    }
)
"""The components of each policy, by the policy's name."""
