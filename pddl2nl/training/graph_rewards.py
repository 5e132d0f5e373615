"""The GraphPlan paper's rewards of plans along a task graph (sections 3.1.3 and B.2), literally and repaired.

=============  ==========================================  ============================================================
reward         ``paper``                                   ``sound``
=============  ==========================================  ============================================================
format         1 for one reasoning, one answer behind it,  the same
               and the plan in JSON; 0.5 without the JSON
node           equations 1 and 2                           the share of targets that are in the list of the class that
                                                           their place in the subtask asks for
edge           equation 3                                  the same, but 0 for an empty plan and for a single step
                                                           that is no node
instruction    1 for the ground truth, 0.5 if it holds     1 if the plan reaches the goal in the simulator, else half
               every key subtask                           the share of the longest common subsequence with the
                                                           ground truth
=============  ==========================================  ============================================================

Why they differ: equation 2 divides the valid objects of every class by all objects of the plan, so that a perfect plan
with objects of two classes that share no name scores 0.5; and it does not ask for which place of a subtask a name
stands. Equation 3 is an empty product for plans of one step, even of an unknown subtask. The instruction reward looks
neither at order nor at repetition for its half, and gives other right plans no more than wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Literal

import msgspec
from rapidfuzz.distance import LCSseq

from pddl2nl.systems.taskgraph.replies import PlannedSubtask, SubtaskReply, read_plan_reply

Variant = Literal["paper", "sound"]
ReachesGoal = Callable[[Sequence[PlannedSubtask]], bool]
"""Whether a plan of subtasks, carried out from the initial state, reaches the goal."""


class GraphColumns(msgspec.Struct, frozen=True):
    """What the rewards need to know beside the reply.

    Attributes:
        objects: the names of each class of targets: the paper's ``obj``, ``rec``, ``mov`` and ``spec``, or roles.
        edges: the pairs of subtasks that may follow each other.
        roles: the subtasks, which are the nodes, each with the class of each of its targets.
        ground_truth: the correct plan.
        key: the subtasks that the instruction cannot do without.
    """

    objects: dict[str, tuple[str, ...]]
    edges: frozenset[tuple[str, str]]
    roles: dict[str, tuple[str, ...]]
    ground_truth: tuple[PlannedSubtask, ...]
    key: tuple[PlannedSubtask, ...] = ()


@dataclass(frozen=True)
class GraphRewards:
    """The rewards of a reply, each from 0 to 1."""

    format: float
    node: float
    edge: float
    instruction: float

    @property
    def total(self) -> float:
        """Their sum, from 0 to 4 (equation 4)."""
        return self.format + self.node + self.edge + self.instruction

    def as_json(self) -> dict[str, float]:
        """The rewards by name, with the total."""
        return {**asdict(self), "total": self.total}


def graph_rewards(
    reply: str, columns: GraphColumns, variant: Variant = "sound", reaches_goal: ReachesGoal | None = None
) -> GraphRewards:
    """The rewards of a reply.

    Args:
        reply: of a model.
        columns: of its task.
        variant: as the paper defines them, or repaired.
        reaches_goal: for the sound instruction reward; None: only the ground truth counts as right.
    """
    read = read_plan_reply(reply)
    if variant == "paper":
        rewards = _paper_node(read.steps, columns), _edge(read.steps, columns), _paper_instruction(read.steps, columns)
    else:
        right = reaches_goal or (lambda steps: tuple(steps) == columns.ground_truth)
        legal = _edge(read.steps, columns) if len(read.steps) > 1 else float(_are_nodes(read.steps, columns))
        rewards = _sound_node(read.steps, columns), legal, _sound_instruction(read.steps, columns, right)
    return GraphRewards(_format(read), *rewards)


def _format(read: SubtaskReply) -> float:
    return 0.0 if not read.tags else 1.0 if read.json else 0.5


# ── nodes ────────────────────────────────────────────────────────────────────────────────────────


def _paper_node(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    """Equations 1 and 2: the mean over the classes in the plan of (its valid objects / all objects of the plan).

    A class is in the plan if one of its objects is.
    """
    objects = {target for _, *targets in steps for target in targets}
    shares = [len(objects.intersection(names)) / len(objects) for names in columns.objects.values() if objects]
    used = [share for share in shares if share]
    return sum(used) / len(used) if used else 0.0


def _sound_node(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    valid = mentions = 0
    for name, *targets in steps:
        roles = columns.roles.get(name, ())
        mentions += max(len(targets), len(roles), 1)
        valid += sum(target in columns.objects.get(role, ()) for target, role in zip(targets, roles, strict=False))
    return valid / mentions if mentions else 0.0


# ── edges ────────────────────────────────────────────────────────────────────────────────────────


def _edge(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    """Equation 3."""
    pairs = pairwise(name for name, *_ in steps)
    return float(all(pair in columns.edges and columns.roles.keys() >= {*pair} for pair in pairs))


def _are_nodes(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> bool:
    return bool(steps) and all(name in columns.roles for name, *_ in steps)


# ── the instruction ──────────────────────────────────────────────────────────────────────────────


def _paper_instruction(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    if tuple(steps) == columns.ground_truth:
        return 1.0
    return 0.5 if columns.key and {*columns.key} <= {*steps} else 0.0


def _sound_instruction(steps: Sequence[PlannedSubtask], columns: GraphColumns, right: ReachesGoal) -> float:
    if steps and right(steps):
        return 1.0
    longest = max(len(steps), len(columns.ground_truth))
    return 0.5 * LCSseq.similarity(steps, columns.ground_truth) / longest if longest else 0.0
