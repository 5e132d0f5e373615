"""The planning events of HVR: retrieval, macro plans, conditions, blocks, discrepancies.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.hvr.metrics` are
computed from them. ``attempt`` counts macro plans from 1: a new one begins if a block could not be corrected or the
world differed. Macros count from 1 in each attempt; a policy without hierarchy has one block, of macro 0. ``round``
is 0 for the model's first answer and counts corrections from 1. Actions, literals and conditions are PDDL; other texts
are in the wording of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pddl2nl.policies.events import Count, RunEvent


class Hierarchical(RunEvent, frozen=True):
    """The base class of HVR's events."""


class Retrieved(Hierarchical, frozen=True):
    """Objects were selected from the knowledge graph for the next prompt.

    ``said`` are the names in the reply, ``chosen`` the objects they were mapped to, ``around`` those added because a
    chosen one is in or on them. ``whole``: nothing was selected, and the prompt tells the whole graph. ``stage`` is
    ``macro-plan``, ``block``, or ``plan`` without hierarchy.
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
    """The model gave the conditions of macro-actions.

    ``conditions`` has an object for each macro: ``precondition``, ``effect`` (PDDL; empty if unreadable) and
    ``problem`` (the reason, otherwise empty). ``after`` is the macro whose block led to this refinement, 0
    before any block.
    """

    attempt: Count
    round: Count
    conditions: tuple[Mapping[str, Any], ...]
    after: Count = 0


class MacrosVerified(Hierarchical, frozen=True):
    """The macro plan was simulated, each macro as one action with its conditions.

    The first ``verified`` of ``total`` are applicable; ``unmet`` are the conditions that failed then (of the next
    macro, or of the goal after all), ``feedback`` is the feedback about them.
    """

    attempt: Count
    round: Count
    verified: Count
    total: Count
    unmet: tuple[str, ...] = ()
    feedback: str = ""


class BlockExpanded(Hierarchical, frozen=True):
    """A macro-action was expanded into a block of actions (macro 0: the task into the whole plan).

    ``actions`` are those after the deterministic repair, which inserted the ones at the indices ``inserted``. The first
    ``verified`` of them are applicable one after the other. ``holds``: all are, and the claimed effect (of macro 0: the
    goal) holds after them; otherwise ``unmet`` are the failing conditions and ``feedback`` the feedback about them.
    ``unread`` are unreadable lines.
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
    """The expanded plan of an attempt: all blocks, one after the other.

    ``macros`` is the macro of each action; the first ``verified`` actions are applicable one after the other from the
    state in which the attempt began; ``goal``: the goal holds after all of them.
    """

    attempt: Count
    actions: tuple[str, ...]
    macros: tuple[int, ...]
    verified: Count
    goal: bool


class Discrepancy(Hierarchical, frozen=True):
    """After an action the observed state differs from the expected one.

    ``missing`` are expected atoms that were not observed, ``surplus`` observed atoms that were not expected,
    ``condition`` is the first condition that fails because of it: of the action's effect, or of the rest of the plan.
    ``feedback`` is the feedback for the model; empty if the policy continues without asking it.
    """

    step: Count
    action: str
    missing: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    condition: str = ""
    feedback: str = ""


class Recovered(Hierarchical, frozen=True):
    """After a discrepancy the plan goes on without asking the model (`pddl2nl.systems.hvr.recovery`).

    ``kind`` is ``continued``, ``repeated`` or ``repaired``; ``actions`` were inserted before the rest of the plan.
    """

    step: Count
    kind: str
    actions: tuple[str, ...] = ()


class MacroProved(Hierarchical, frozen=True):
    """The conditions of a macro-action were proved or refuted for its block (`pddl2nl.macros.proof`).

    ``sound``: wherever the precondition holds the block runs and the effect holds. ``precondition`` compares it with
    the exact one: exact, stronger, weaker or incomparable. ``pddl`` is the claim, ``feedback`` the feedback about it.
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
    Recovered,
    MacroProved,
)
"""The events of HVR."""
