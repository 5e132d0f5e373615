"""A toy learner that shows what rewards teach: no language model, one table of numbers, seconds on a CPU.

The policy writes a plan subtask by subtask: for each task and each pair of last subtasks it holds a score of every next
subtask, and draws by the softmax of the scores. It knows at first how long the plan is and, vaguely, which subtasks are
needed, but nothing of their order. It learns as GRPO does: for each task a group of plans is drawn, each plan's
advantage is its reward less the group's mean, over the group's deviation, and the scores move along the advantages.
Rewards are computed from a reply's text, as for a language model.

With all rewards of the GraphPlan paper its plans become legal and partly right; without the edge reward they stay
illegal, and without the instruction reward they become legal and wrong: the ablation of the paper's tables 4 and 14.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pddl2nl.policies.taskgraph.replies import PlannedSubtask
from pddl2nl.training.graph_rewards import GraphColumns, GraphRewards, Variant, graph_rewards

GROUP = 12
"""Plans drawn of each task in an update, as in the paper."""
KNOWN = 2.0
"""The first score of the subtasks that a task needs; that of all others is 0."""
RATE = 1.0
DRAWN = 40
"""Plans of each task by which the result is judged."""


@dataclass(frozen=True)
class LearnedPlans:
    """How good the plans of the learned policy are: shares of drawn plans, from 0 to 1.

    Attributes:
        legal: along the graph.
        right: with the full instruction reward.
        same_rewards: groups in training whose plans all had the same reward, and which so taught nothing.
    """

    legal: float
    right: float
    same_rewards: float


class _TablePolicy:
    """Scores by task, the two last subtasks and the next; the last row stands for the beginning."""

    def __init__(self, tasks: Sequence[GraphColumns], seed: int):
        self._tasks = tasks
        self._names = sorted({name for task in tasks for name in task.roles})
        size = len(self._names)
        self._scores = np.zeros((len(tasks), size + 1, size + 1, size))
        self._dice = np.random.default_rng(seed)
        self._steps = [[_step(name, task) for name in self._names] for task in tasks]
        for scores, task in zip(self._scores, tasks, strict=True):
            for name, *_ in task.ground_truth:
                scores[:, :, self._names.index(name)] = KNOWN

    def draw(self, task: int) -> tuple[list[int], str]:
        """A plan of a task: what was chosen, and the reply with it."""
        before = last = len(self._names)
        chosen: list[int] = []
        for _ in self._tasks[task].ground_truth:
            chosen.append(int(self._dice.choice(len(self._names), p=self._odds(task, before, last))))
            before, last = last, chosen[-1]
        return chosen, _reply([self._steps[task][choice] for choice in chosen])

    def reinforce(self, task: int, chosen: Sequence[int], advantage: float) -> None:
        """Moves the scores of what was chosen along the advantage: the gradient of its log-likelihood."""
        before = last = len(self._names)
        for choice in chosen:
            odds = self._odds(task, before, last)
            self._scores[task, before, last] -= RATE * advantage * odds
            self._scores[task, before, last, choice] += RATE * advantage
            before, last = last, choice

    def _odds(self, task: int, before: int, last: int) -> NDArray[np.float64]:
        scores = self._scores[task, before, last]
        weights = np.exp(scores - scores.max())
        odds: NDArray[np.float64] = weights / weights.sum()
        return odds


def learn_plans(
    tasks: Sequence[GraphColumns],
    rewards: Collection[str] = ("format", "node", "edge", "instruction"),
    *,
    updates: int = 150,
    seed: int = 1,
    variant: Variant = "paper",
) -> LearnedPlans:
    """Learns plans by some of the rewards, and judges the learned policy by all of them.

    Args:
        tasks: with graph, objects and ground truth.
        rewards: the names of those that are summed for learning.
        updates: how often each task is learned from.
        seed: of all draws.
        variant: of the rewards that are learned from.
    """
    policy = _TablePolicy(tasks, seed)
    same = 0
    for _ in range(updates):
        for number, task in enumerate(tasks):
            drawn = [policy.draw(number) for _ in range(GROUP)]
            sums = np.array([_sum(graph_rewards(reply, task, variant), rewards) for _, reply in drawn])
            spread = sums.std()
            same += int(spread == 0)
            for (chosen, _), advantage in zip(drawn, (sums - sums.mean()) / (spread + 1e-6), strict=True):
                policy.reinforce(number, chosen, advantage / GROUP)
    judged = [graph_rewards(policy.draw(n)[1], task) for n, task in enumerate(tasks) for _ in range(DRAWN)]
    return LearnedPlans(
        legal=sum(each.edge for each in judged) / len(judged),
        right=sum(each.instruction == 1 for each in judged) / len(judged),
        same_rewards=same / max(updates * len(tasks), 1),
    )


def _sum(rewards: GraphRewards, names: Collection[str]) -> float:
    return float(sum(getattr(rewards, name) for name in names))


def _step(name: str, task: GraphColumns) -> PlannedSubtask:
    """The subtask with the targets that it has in the ground truth, else with the first objects of its classes."""
    shown = (step for step in task.ground_truth if step[0] == name)
    return next(shown, (name, *(task.objects[role][0] for role in task.roles[name])))


def _reply(steps: Sequence[PlannedSubtask]) -> str:
    plan = [[name, targets[0] if len(targets) == 1 else targets] for name, *targets in steps]
    return f"<reasoning></reasoning><answer>{json.dumps({'high_level': plan})}</answer>"
