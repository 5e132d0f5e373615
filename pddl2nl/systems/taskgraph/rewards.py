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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec
from rapidfuzz.distance import LCSseq

from pddl2nl.conversion import convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.policies.events import Started
from pddl2nl.policies.policy import is_of, make_policy
from pddl2nl.systems.taskgraph.doing import Handled, reaches_goal
from pddl2nl.systems.taskgraph.graph import graph_named
from pddl2nl.systems.taskgraph.policy import FILE, GraphPlan
from pddl2nl.systems.taskgraph.prompting import PLAN, PROMPTS, role_classes, subtask_reply
from pddl2nl.systems.taskgraph.replies import SubtaskReply, read_plan_reply
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtasks, parse_subtasks, read_subtask, shipped_subtasks
from pddl2nl.tasks.references import reference_of
from pddl2nl.training.rows import PlanForm, PromptRow, Variant
from pddl2nl.training.trl import trl_reward
from pddlval import validate
from pddlval.semantics import holds
from pddlval.simulator import simulator_of

ReachesGoal = Callable[[Sequence[PlannedSubtask]], bool]
"""Whether a plan of subtasks, carried out from the initial state, reaches the goal."""


class GraphColumns(msgspec.Struct, frozen=True):
    """What the rewards need to know beside the reply.

    The `objects` of each role of targets, the pairs of subtasks that may follow each other, each subtask's roles, the
    correct plan, the `key` subtasks that the instruction cannot do without, and the names of the paper's `meta`
    classes: ``obj`` holds nothing, ``rec`` stays, ``mov`` is carried with what it holds, and some subtasks need
    ``spec``. Without these the paper's node reward is computed by roles.
    """

    objects: dict[str, tuple[str, ...]]
    edges: frozenset[tuple[str, str]]
    roles: dict[str, tuple[str, ...]]
    ground_truth: tuple[PlannedSubtask, ...]
    key: tuple[PlannedSubtask, ...] = ()
    meta: dict[str, tuple[str, ...]] = {}


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
    """The rewards of a reply, as the paper defines them, or repaired (``sound``).

    Without `reaches_goal` only the ground truth counts as right for the sound instruction reward.
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


def _paper_node(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    """Equations 1 and 2: the mean over the classes in the plan of (its valid objects / all objects of the plan).

    A class is in the plan if one of its objects is.
    """
    objects = {target for _, *targets in steps for target in targets}
    classes = (columns.meta or columns.objects).values()
    shares = [len(objects.intersection(names)) / len(objects) for names in classes if objects]
    used = [share for share in shares if share]
    return sum(used) / len(used) if used else 0.0


def _sound_node(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    valid = mentions = 0
    for name, *targets in steps:
        roles = columns.roles.get(name, ())
        mentions += max(len(targets), len(roles), 1)
        valid += sum(target in columns.objects.get(role, ()) for target, role in zip(targets, roles, strict=False))
    return valid / mentions if mentions else 0.0


def _edge(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    """Equation 3."""
    pairs = pairwise(name for name, *_ in steps)
    return float(all(pair in columns.edges and columns.roles.keys() >= {*pair} for pair in pairs))


def _are_nodes(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> bool:
    return bool(steps) and all(name in columns.roles for name, *_ in steps)


def _paper_instruction(steps: Sequence[PlannedSubtask], columns: GraphColumns) -> float:
    if tuple(steps) == columns.ground_truth:
        return 1.0
    return 0.5 if columns.key and {*columns.key} <= {*steps} else 0.0


def _sound_instruction(steps: Sequence[PlannedSubtask], columns: GraphColumns, right: ReachesGoal) -> float:
    if steps and right(steps):
        return 1.0
    longest = max(len(steps), len(columns.ground_truth))
    return 0.5 * LCSseq.similarity(steps, columns.ground_truth) / longest if longest else 0.0


class GraphRow(PromptRow, frozen=True, kw_only=True):
    """A prompt for a plan of subtasks, with `GraphColumns` as JSON."""

    graph: str


def graph_row(started: Started, row: PromptRow) -> GraphRow | None:
    """The row of a run whose first reply is a plan of subtasks, on a task with a ground truth; None for others.

    Raises:
        InputError: the ground truth cannot be carried out.
    """
    if not is_of(started.policy, __package__):
        return None
    policy = make_policy(started.policy, started.options)
    if not isinstance(policy, GraphPlan) or PLAN not in policy.stages:
        return None
    if FILE not in started.spec["files"]:
        return None
    domain, subtasks = _parsed(started.domain_pddl, started.spec["files"][FILE])
    # The reference of a task of the user's stands in a file beside its problem.
    task = Task(domain, parse_problem(started.problem_pddl, domain, started.spec.get("problem_file") or "<problem>"))
    reference = reference_of(task)
    if reference is None:
        return None
    graph = graph_named(policy.graph, subtasks)
    blocks = reference.ways[0].blocks
    end = validate(task, [action for block in blocks for action in block.actions]).state
    if end is None:
        raise InputError(f"the ground truth of {reference.instance} cannot be carried out on its problem")
    columns = GraphColumns(
        # A target is a class or one of its objects.
        objects={
            role: (*names, *(each for name in names for each in task.objects_of((subtasks.classes[name],))))
            for role, names in _roles(started.domain_pddl, started.spec["files"][FILE]).items()
        },
        edges=graph.edges,
        roles={node.name: tuple(target.role for target in node.targets) for node in graph.nodes},
        ground_truth=tuple(read_subtask(block.macro) for block in blocks),
        key=tuple(read_subtask(block.macro) for block in blocks if holds(parse_condition(block.goal), end, {})),
        meta=dict(subtasks.meta),
    )
    return GraphRow(**msgspec.structs.asdict(row), graph=msgspec.json.encode(columns, order="deterministic").decode())


@lru_cache(maxsize=8)
def _parsed(domain_text: str, subtasks_text: str) -> tuple[Domain, Subtasks]:
    # Cached, because a training set has thousands of tasks of one domain.
    domain = parse_domain(domain_text)
    return domain, parse_subtasks(subtasks_text, domain, f"<the recorded {FILE}>")


@lru_cache(maxsize=8)
def _roles(domain_text: str, subtasks_text: str) -> Mapping[str, tuple[str, ...]]:
    return role_classes(_parsed(domain_text, subtasks_text)[1])


def rewards_of_row(reply: str, row: Mapping[str, Any], variant: Variant = "sound") -> dict[str, float]:
    """The rewards of a reply by name, given the columns of its row.

    Raises:
        InputError: a column cannot be read.
    """
    columns, domain, problem = row["graph"], row.get("domain"), row.get("problem")
    read = _columns(columns) if isinstance(columns, str) else convert(columns, GraphColumns, "graph")
    test = _goal_test(domain, problem) if isinstance(domain, str) and isinstance(problem, str) else None
    return graph_rewards(reply, read, variant, test).as_json()


@lru_cache(maxsize=256)
def _columns(text: str) -> GraphColumns:
    return convert(parse_json(text, "column graph"), GraphColumns, "graph")


@lru_cache(maxsize=256)
def _goal_test(domain: str, problem: str) -> ReachesGoal | None:
    """Whether plans of subtasks reach the goal in the simulator; None if no subtasks are shipped with the domain."""
    read = parse_domain(domain)
    simulator, subtasks = simulator_of(Task(read, parse_problem(problem, read))), shipped_subtasks(read)
    if subtasks is None:
        return None
    return lambda plan: reaches_goal(simulator, subtasks, simulator.initial, plan, Handled())


def right_reply(row: GraphRow) -> str:
    """The ground truth in the form that the prompt asks for."""
    return subtask_reply(PROMPTS.text("example-thought.txt").strip(), _columns(row.graph).ground_truth)


FORM = PlanForm("graph", graph_row, rewards_of_row, right_reply)
"""The rows and rewards of plans of subtasks."""

_NAMES = ("format", "node", "edge", "instruction")
SOUND_REWARDS = tuple(trl_reward("graph", name, ("graph",), ("domain", "problem")) for name in _NAMES)
"""The repaired rewards as TRL's trainers call them: ``graph_format``, ``graph_node``, ``graph_edge`` and so on."""
PAPER_REWARDS = tuple(trl_reward("paper", name, ("graph",), ("domain", "problem"), "paper") for name in _NAMES)
"""The paper's rewards: ``paper_format``, ``paper_node``, ``paper_edge`` and ``paper_instruction``."""
graph_format, graph_node, graph_edge, graph_instruction = SOUND_REWARDS
