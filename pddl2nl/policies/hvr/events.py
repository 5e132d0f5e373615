"""What happens while a hierarchical policy plans (HVR): retrieval, macro plans, conditions, blocks, discrepancies.

They stand among the events of a run (`pddl2nl.policies.events`) wherever the policy is at it, and cost no step. All
metrics of the HVR paper are computed from them (`pddl2nl.reports`). ``attempt`` counts macro plans from 1: a new one
begins where a block could not be mended or the world turned out other than expected. Macros count from 1 within their
attempt; a policy without hierarchy has one block, of macro 0. ``round`` is 0 for what the model said first, and counts
corrections from 1. Actions, literals and conditions are PDDL; texts are in the wording of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pddl2nl.policies.events import Count, Event

__all__ = [
    "EVENTS",
    "BlockExpanded",
    "Discrepancy",
    "Hierarchical",
    "MacroPlanned",
    "MacroProved",
    "MacrosConditioned",
    "MacrosVerified",
    "PlanExpanded",
    "Retrieved",
]


class Hierarchical(Event, frozen=True):
    """The base class of what happens while a hierarchical policy plans."""


class Retrieved(Hierarchical, frozen=True):
    """Objects were looked up in the knowledge graph for the next prompt.

    ``said`` is what the model named, ``chosen`` the objects that were taken for it, ``around`` those that came along
    since a chosen one is in or on them. ``whole`` says that nothing was selected: the whole graph is in the prompt.
    ``stage`` is ``macro-plan``, ``block``, or ``plan`` where there is no hierarchy.
    """

    stage: str
    said: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    whole: bool = False


class MacroPlanned(Hierarchical, frozen=True):
    """The model gave a macro plan: macro-actions in natural language, in order."""

    attempt: Count
    macros: tuple[str, ...]


class MacrosConditioned(Hierarchical, frozen=True):
    """The model gave precondition and effect of macro-actions.

    ``conditions`` has an object for each macro: ``precondition``, ``effect`` (PDDL; empty where it could not be read)
    and ``problem`` (why not, else empty). ``after`` is the macro whose block had run when they were refined, 0 for
    those given before any block.
    """

    attempt: Count
    round: Count
    conditions: tuple[Mapping[str, Any], ...]
    after: Count = 0


class MacrosVerified(Hierarchical, frozen=True):
    """The macro plan was carried out on paper, each macro as the one action that its conditions make it.

    The first ``verified`` of ``total`` could be; ``unmet`` is what failed then (conditions of the next macro, or goals
    where all could), ``feedback`` what is told about it.
    """

    attempt: Count
    round: Count
    verified: Count
    total: Count
    unmet: tuple[str, ...] = ()
    feedback: str = ""


class BlockExpanded(Hierarchical, frozen=True):
    """A macro-action was expanded into a block of atomic actions (of macro 0: the task into the whole plan).

    ``actions`` stand as they are after the deterministic repair, which put in those at the places ``inserted`` (from
    0). The first ``verified`` of them are applicable one after the other. ``holds`` says that all are, and that what
    the macro claims to bring about (of macro 0: the goal) holds then; else ``unmet`` is what failed and ``feedback``
    what is told about it. ``unread`` are lines that no action could be read from.
    """

    attempt: Count
    macro: Count
    round: Count
    actions: tuple[str, ...]
    inserted: tuple[int, ...] = ()
    verified: Count = 0
    holds: bool = False
    unmet: tuple[str, ...] = ()
    feedback: str = ""
    unread: tuple[str, ...] = ()


class PlanExpanded(Hierarchical, frozen=True):
    """The expanded plan of an attempt is complete: all blocks, one after the other.

    ``macros`` is the macro of each action; the first ``verified`` actions are applicable one after the other from the
    state in which the attempt began, and ``goal`` says that the goal holds after all of them.
    """

    attempt: Count
    actions: tuple[str, ...]
    macros: tuple[int, ...]
    verified: Count
    goal: bool


class Discrepancy(Hierarchical, frozen=True):
    """After an action the observed state differs from the expected one.

    ``missing`` are expected atoms that were not observed, ``surplus`` observed ones that were not expected, and
    ``condition`` the first condition that fails by it: of the action's effect, or of what comes next in the plan.
    ``feedback`` is what the policy is told; empty for one without verification, which is told nothing.
    """

    step: Count
    action: str
    missing: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    condition: str = ""
    feedback: str = ""


class MacroProved(Hierarchical, frozen=True):
    """The conditions of a macro-action were proved or refuted for its block (`pddl2nl.macros.proof`).

    ``sound``: wherever the precondition holds the block runs and the effect holds. ``precondition`` says how it stands
    to the exact one: exact, stronger, weaker or incomparable. ``pddl`` is the macro as claimed, ``feedback`` what was
    told about it.
    """

    attempt: Count
    macro: Count
    sound: bool
    precondition: str
    pddl: str = ""
    feedback: str = ""


EVENTS: tuple[type[Hierarchical], ...] = (
    Retrieved,
    MacroPlanned,
    MacrosConditioned,
    MacrosVerified,
    BlockExpanded,
    PlanExpanded,
    Discrepancy,
    MacroProved,
)
"""The events of HVR."""
