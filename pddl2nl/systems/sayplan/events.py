"""The planning events of SayPlan: steps of the search, its end, and each round of planning.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.sayplan.metrics`
are computed from them. Calls are as the model wrote them, ``pickup(apple)``; actions and conditions are PDDL.
"""

from __future__ import annotations

from typing import Literal

from pddl2nl.policies.events import Count, RunEvent
from pddl2nl.policies.notes import Item, Note, Tone

Cause = Literal["", "missing-action", "missing-pose", "wrong-action", "incomplete-search", "hallucinated-node"]
"""Why a plan cannot be executed, by the types of errors in the paper's Table 3; empty if it can."""

_ENDS = {
    "model": "the model ended it",
    "limit": "too many steps",
    "unreadable": "too many unreadable replies",
    "stuck": "the same impossible command again and again",
    "exact": "searched without a model",
    "whole": "the whole graph is shown",
}


def _items(**texts: tuple[str, ...]) -> tuple[Item, ...]:
    return tuple(Item(", ".join(names), label) for label, names in texts.items() if names)


class SceneSearched(RunEvent, frozen=True):
    """One step of the search, from 1, with the model's reasoning.

    The command is ``expand(kitchen)``, about a node, and empty if the reply could not be read; `message` tells why it
    was not `done`, `answer` what a query gave. `tokens` and `expanded` are those of the view after the step; `memory`
    has the nodes that were ever expanded.
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

    def note(self) -> Note:
        title = f"Search, step {self.step}: {self.command or 'unreadable'}"
        verdict = f"{self.tokens} tokens shown" if self.done else "refused"
        items = (
            *_items(expanded=self.expanded, memory=self.memory),
            *([Item(self.answer, "answer")] if self.answer else []),
            *([Item(self.reasoning, "reasoning")] if self.reasoning else []),
        )
        return Note(self.event, title, verdict, "" if self.done else "bad", items=items, feedback=self.message)


class SearchEnded(RunEvent, frozen=True):
    """The search ended.

    Attributes: by: the ``model``; a bound: ``limit``, ``unreadable`` (replies), ``stuck`` (the same impossible
    command); or no model searched: ``exact``, ``whole``. shown: the assets and objects that are shown. expanded,
    memory: the nodes that are expanded, and that ever were. tokens, collapsed, full: of the view, of the collapsed
    and of the whole graph, by the `tokenizer`, else estimated. counts, top: the nodes of each kind, and the
    ``links``, of the whole and of the collapsed graph. kind_tokens: the tokens of the nodes of each kind in the
    whole graph, and of its ``links``. answer: nodes or numbers, none if there is no such thing; null if the model
    gave no answer.
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

    def note(self) -> Note:
        title = f"Search ended: {_ENDS.get(self.by, self.by)}"
        verdict = f"{self.tokens} tokens shown, {self.collapsed} when collapsed, {self.full} in all"
        tone: Tone = "bad" if self.by in ("limit", "unreadable", "stuck") else "good"
        answer = () if self.answer is None else (Item(", ".join(self.answer) or "there is none", "answer"),)
        items = (*answer, *_items(expanded=self.expanded, shown=self.shown))
        return Note(self.event, title, verdict, tone, items=items)


class PlanChecked(RunEvent, frozen=True):
    """A plan with completed ways was simulated, in round 0 or in a correction.

    `inserted` are the indices of inserted calls, `unread` the lines that are none. The first `verified` calls can be
    executed; else `cause` is the kind of the first error, with the `unmet` conditions and the feedback. `goal` holds at
    the end, where failing calls of a plan that is not executable are skipped.
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

    def note(self) -> Note:
        number = f"correction {self.round}" if self.round else "as first given"
        verdict = "executable" if self.executable else f"{self.verified} of {len(self.calls)} actions possible"
        failing = None if self.executable else self.verified
        lines = tuple(
            Item(call, "on the way" if place in self.inserted else "", tone="bad" if place == failing else "")
            for place, call in enumerate(self.calls)
        )
        items = _items(error=(self.cause,) if self.cause else (), unread=self.unread)
        items += (Item(label="unmet", codes=self.unmet, tone="bad"),) if self.unmet else ()
        goal = "the goal holds at its end" if self.goal else "the goal does not hold at its end"
        tone: Tone = "good" if self.executable else "bad"
        return Note(self.event, f"Plan, {number}", f"{verdict}; {goal}", tone, lines, items, self.feedback)


EVENTS: tuple[type[RunEvent], ...] = (SceneSearched, SearchEnded, PlanChecked)
"""The events of SayPlan."""
