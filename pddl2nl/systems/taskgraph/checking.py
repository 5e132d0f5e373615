"""What is wrong with a plan of subtasks: its names, its targets, and what follows what in the task graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.macros.subtasks.automaton import PlanFault
from pddl2nl.macros.subtasks.building import AUTOMATON
from pddl2nl.macros.subtasks.checking import plan_faults
from pddl2nl.macros.subtasks.graph import TaskGraph
from pddl2nl.macros.subtasks.nodes import Subtask, Subtasks
from pddl2nl.systems.taskgraph.replies import PlannedSubtask, SubtaskReply

_TRANSITIONS = ("impossible", "no-edge")
"""The faults of a step that could be right elsewhere in the plan."""


@dataclass(frozen=True)
class CheckedSubtasks:
    """A reply with what is wrong with its plan."""

    reply: SubtaskReply
    targets: tuple[str, ...]
    transitions: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """All faults in words, with the number of their steps."""
        return (*self.reply.faults, *self.targets, *self.transitions)


class PlanChecker:
    """Checks plans against a task graph: by its pairs, or, if it is that of the automaton, by what these cannot see.

    Args:
        subtasks: those of the graph.
        graph: which may follow which.
    """

    def __init__(self, subtasks: Subtasks, graph: TaskGraph):
        self._subtasks = subtasks
        self._graph = graph
        self._exact = graph.name == AUTOMATON

    def check(self, plan: Sequence[PlannedSubtask], done: int) -> tuple[PlanFault, ...]:
        """What is wrong with a plan whose first subtasks are done."""
        faults = plan_faults(self._subtasks, None if self._exact else self._graph, plan)
        ignored = "" if self._exact else "impossible"
        return tuple(fault for fault in faults if fault.place >= done and fault.kind != ignored)

    def read(self, reply: SubtaskReply, done: Sequence[PlannedSubtask]) -> CheckedSubtasks:
        """A reply whose plan goes on after what is done."""
        faults = self.check((*done, *reply.steps), len(done))
        told = {
            wrong: tuple(
                f"step {fault.place - len(done) + 1}: {fault.text}"
                for fault in faults
                if (fault.kind in _TRANSITIONS) is wrong
            )
            for wrong in (False, True)
        }
        return CheckedSubtasks(reply, told[False], told[True])

    def after(self, plan: Sequence[PlannedSubtask]) -> tuple[Subtask, ...]:
        """The subtasks that may follow a plan by the graph's pairs; all at its beginning."""
        names = self._graph.after(plan[-1][0]) if plan else self._subtasks.by_name
        return tuple(self._subtasks.by_name[name] for name in names)
