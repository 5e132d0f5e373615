"""The planning events of SayPlan: steps of the search, its end, and each round of planning.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.sayplan.metrics`
are computed from them. Calls are as the model wrote them, ``pickup(apple)``; actions and conditions are PDDL.
"""

from __future__ import annotations

from typing import Literal

from pddl2nl.policies.events import Count, RunEvent

Cause = Literal["", "missing-action", "missing-pose", "wrong-action", "incomplete-search", "hallucinated-node"]
"""Why a plan cannot be executed, by the types of errors in the paper's Table 3; empty if it can."""


class SceneSearched(RunEvent, frozen=True):
    """One step of the search.

    Attributes:
        step: its number, from 1.
        command: ``expand(kitchen)``; empty if the reply could not be read.
        node: the name that was given.
        done: whether the command was possible.
        message: why it was not.
        tokens: of the view after the step.
        expanded: the nodes that are expanded after it.
        memory: the nodes that were ever expanded.
        reasoning: the model's.
        answer: what a query gave.
    """

    step: Count
    command: str
    node: str
    done: bool
    message: str
    tokens: Count
    expanded: tuple[str, ...]
    memory: tuple[str, ...]
    reasoning: str = ""
    answer: str = ""


class SearchEnded(RunEvent, frozen=True):
    """The search ended.

    Attributes:
        by: the ``model``; a bound: ``limit``, ``unreadable`` (replies), ``stuck`` (the same impossible command); or no
            model searched: ``exact``, ``whole``.
        shown: the assets and objects that are shown.
        expanded: the nodes that are expanded.
        memory: the nodes that were ever expanded.
        tokens: of the view; ``collapsed`` and ``full``: of the collapsed and the whole graph.
        counts: the nodes of each kind in the whole graph, and its ``links``; ``top``: those of the collapsed graph.
        kind_tokens: the tokens of the nodes of each kind in the whole graph, and of its ``links``.
        tokenizer: which counted the tokens; empty if they are estimated.
        answer: what the model answers to the task: nodes or numbers, none if there is no such thing; null if it gave
            no answer.
    """

    by: str
    shown: tuple[str, ...]
    expanded: tuple[str, ...]
    memory: tuple[str, ...]
    tokens: Count
    collapsed: Count
    full: Count
    counts: tuple[tuple[str, int], ...] = ()
    top: tuple[tuple[str, int], ...] = ()
    kind_tokens: tuple[tuple[str, int], ...] = ()
    tokenizer: str = ""
    answer: tuple[str, ...] | None = None


class PlanChecked(RunEvent, frozen=True):
    """A plan was completed and simulated.

    Attributes:
        round: 0 for the first plan; counts corrections.
        calls: the plan with completed ways.
        inserted: the indices of the calls that were inserted.
        verified: how many calls can be executed one after the other.
        executable: whether all can.
        goal: whether the goal holds at the end; of a plan that is not executable, if failing calls are skipped.
        cause: the kind of the first error.
        unmet: the conditions that the failing action lacks.
        feedback: what the model is told.
        unread: the lines among ``calls`` that cannot be read as calls.
    """

    round: Count
    calls: tuple[str, ...]
    inserted: tuple[int, ...]
    verified: Count
    executable: bool
    goal: bool
    cause: str = ""
    unmet: tuple[str, ...] = ()
    feedback: str = ""
    unread: tuple[str, ...] = ()


EVENTS: tuple[type[RunEvent], ...] = (SceneSearched, SearchEnded, PlanChecked)
"""The events of SayPlan."""
