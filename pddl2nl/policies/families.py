"""The registry of families: one line each. Policies, events, metrics, oracles, mistakes and tables follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from pddl2nl.llm import Message
from pddl2nl.policies.brainbody import FAMILY as BRAINBODY
from pddl2nl.policies.family import Family, Note
from pddl2nl.policies.hvr import FAMILY as HVR
from pddl2nl.policies.hybrids import FAMILY as HYBRIDS
from pddl2nl.policies.sayplan import FAMILY as SAYPLAN
from pddl2nl.policies.taskgraph import FAMILY as TASKGRAPH

if TYPE_CHECKING:
    from pddl2nl.policies.events import RunEvent

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {"hvr": HVR, "brainbody": BRAINBODY, "sayplan": SAYPLAN, "hybrids": HYBRIDS, "taskgraph": TASKGRAPH}
)
"""Every family by its name."""

FAMILY_POLICIES: Mapping[str, Family] = MappingProxyType(
    {policy: family for family in FAMILIES.values() for policy in family.policies}
)
"""The family of each policy that has one."""


REPAIR = "repair"
"""The policy that repairs the plans of others: ``repair:cot`` those of CoT, and ``repair`` those of Basic."""


def asking_policy(policy: str) -> str:
    """The policy that asks the model: for ``repair:cot`` it is ``cot``, for most policies the policy itself."""
    return "basic" if policy == REPAIR else policy.removeprefix(f"{REPAIR}:")


def family_of(policy: str) -> Family | None:
    """The family of a policy; None if it has none."""
    return FAMILY_POLICIES.get(policy if asking_policy(policy) == policy else REPAIR)


def family_of_mistake(name: str) -> Family | None:
    """The family whose oracle can make a mistake; None for an unknown mistake."""
    return next((family for family in FAMILIES.values() if name in family.mistakes), None)


def policies_with(option: str) -> tuple[str, ...]:
    """The policies of families that take an option of runs."""
    return tuple(policy for policy, family in FAMILY_POLICIES.items() if family.takes(policy, option))


def stage_of(messages: Sequence[Message]) -> str | None:
    """The stage of a prompt in its family; None for prompts of other policies."""
    return next(filter(None, (family.layout.stage_of(messages) for family in FAMILIES.values())), None)


def picture_of(stage: str, messages: Sequence[Message]) -> str:
    """What a prompt of a stage shows, as SVG; empty without a picture."""
    family = next((each for each in FAMILIES.values() if stage in each.layout.stages), None)
    return family.picture(messages[-1].content) if family is not None and messages else ""


def note_of(event: RunEvent) -> Note | None:
    """How a report shows a planning event; None for events of every policy."""
    return next(filter(None, (family.note(event) for family in FAMILIES.values())), None)
