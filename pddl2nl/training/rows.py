"""Rows for training from the events of runs: prompts with reward columns, and prompts with the planner's reply.

*Prompt rows* are for reinforcement learning (GRPO): the first prompt of a run by Basic, CoT or GraphPlan's policies,
and the columns from which `rewards` and `graph_rewards` judge any reply to it.

*Pair rows* are for supervised fine-tuning. A model visits states that no correct plan visits, so a planner answers each
prompt of a run again, from the state that the conversation has led to and in the form of the prompt: a thought where
one is asked for, and the next action of a plan (DAgger; Ross, Gordon and Bagnell 2011). What the model said stays in
the conversation and is never a label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import msgspec

from pddl2nl.baselines.oracle import OracleModel
from pddl2nl.errors import InputError
from pddl2nl.llm import Message, Request
from pddl2nl.macros.subtasks.building import AUTOMATON, graph_named
from pddl2nl.macros.subtasks.nodes import Subtasks, parse_subtasks
from pddl2nl.nl import template_wording, wording_from_json
from pddl2nl.nl.markers import ACTION, PLAN_START, THOUGHT
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.policies import POLICIES
from pddl2nl.policies.events import Prompted, RunEvent, Started
from pddl2nl.policies.prompting import PromptedPolicy
from pddl2nl.systems.taskgraph.oracle import read_subtask
from pddl2nl.systems.taskgraph.prompts import MECHANISMS, PLAN, role_classes, shipped_subtasks
from pddl2nl.tasks.references import reference_of
from pddl2nl.training.graph_rewards import GraphColumns
from pddlval import validate
from pddlval.semantics import holds


class TrainingRow(msgspec.Struct, frozen=True, kw_only=True):
    """What all rows hold.

    Attributes:
        prompt: the conversation up to the reply.
        domain_name, task: the domain's name, and the problem's or what an experiment calls it.
        policy: whose prompt it is.
    """

    prompt: tuple[Message, ...]
    domain_name: str
    task: str
    policy: str


class PromptRow(TrainingRow, frozen=True, kw_only=True):
    """A prompt with the columns of `rewards.RewardColumns`, and ``graph`` (`graph_rewards`) for plans of subtasks."""

    domain: str
    problem: str
    wording: str = ""
    names: str = ""
    optimum: float | None = None
    graph: str = ""


class PairRow(TrainingRow, frozen=True, kw_only=True):
    """A prompt with the planner's reply.

    ``completion`` is the reply as one message; ``thought`` and ``action`` are its parts, empty for a whole plan.
    """

    completion: tuple[Message, ...]
    thought: str = ""
    action: str = ""


def prompt_rows(events: Sequence[RunEvent], optimum: float | None = None) -> Iterator[PromptRow]:
    """The first prompt of a run; nothing for runs by policies whose first reply is no plan.

    Args:
        events: of the run, finished or not.
        optimum: the cost of an optimal plan, if it is known.
    """
    started, asked = _planner_prompts(events)
    if started is None or not asked:
        return
    mechanism, graph = _mechanism(started.policy), ""
    if mechanism is None:
        graph = _graph_column(started)
    if not (graph or (mechanism is not None and mechanism.one_shot)):
        return
    in_words = started.style == "nl" and started.wording is not None
    yield PromptRow(
        prompt=asked[0],
        domain_name=started.domain,
        task=started.task or started.problem,
        policy=started.policy,
        domain=started.domain_pddl,
        problem=started.problem_pddl,
        wording=json.dumps(started.wording, ensure_ascii=False) if in_words else "",
        names=json.dumps(dict(started.names), ensure_ascii=False) if in_words else "",
        optimum=optimum,
        graph=graph,
    )


def pair_rows(events: Sequence[RunEvent], *, time_limit: int | None = 60) -> Iterator[PairRow]:
    """The prompts of a run by Basic, CoT, Act or ReAct, each with the planner's reply.

    A prompt from whose state no plan reaches the goal has no right answer and is left out.

    Args:
        events: of the run, finished or not.
        time_limit: seconds of the planner for each state; None for no limit.

    Raises:
        InfrastructureError: a prompt cannot be read, or the planner ran into its limit.
        InputError: the recorded domain or wording cannot be read.
        MissingExtraError: Fast Downward is not installed.
    """
    started, asked = _planner_prompts(events)
    if started is None or _mechanism(started.policy) is None:
        return
    domain = parse_domain(started.domain_pddl)
    wording = template_wording(domain)
    if started.wording is not None:
        wording = wording_from_json(started.wording, domain, "the recorded wording")
    oracle = OracleModel(domain, wording, time_limit=time_limit)
    for prompt in asked:
        reply = oracle.complete(Request(prompt)).text
        whole = PLAN_START in reply
        thought, marked, action = reply.partition(ACTION)
        if not whole and not marked:
            continue
        yield PairRow(
            prompt=prompt,
            domain_name=started.domain,
            task=started.task or started.problem,
            policy=started.policy,
            completion=(Message("assistant", reply),),
            thought="" if whole else thought.removeprefix(THOUGHT).strip(),
            action="" if whole else action.strip(),
        )


def _planner_prompts(events: Sequence[RunEvent]) -> tuple[Started | None, list[tuple[Message, ...]]]:
    """How a run began, and the prompts of its policy in full, each once."""
    started = next((event for event in events if isinstance(event, Started)), None)
    asked: dict[tuple[Message, ...], None] = {}
    before: tuple[Message, ...] = ()
    for event in events:
        if isinstance(event, Prompted) and event.purpose == "planner":
            before = (*before[: event.kept], *event.messages)
            asked[before] = None
    return started, [*asked]


def _graph_column(started: Started) -> str:
    """The column ``graph`` of a run by GraphPlan's policies whose first reply is a plan, on a task with a ground truth;
    empty for others."""
    if started.policy not in MECHANISMS or PLAN not in MECHANISMS[started.policy].stages:
        return ""
    domain = parse_domain(started.domain_pddl)
    # The reference of a task of the user's stands in a file beside its problem.
    task = Task(domain, parse_problem(started.problem_pddl, domain, started.problem_file or "<problem>"))
    subtasks, reference = _subtasks(started, domain), reference_of(task)
    if subtasks is None or reference is None:
        return ""
    graph = graph_named(str(started.settings.get("graph", AUTOMATON)), subtasks)
    blocks = reference.ways[0].blocks
    end = validate(task, [action for block in blocks for action in block.actions]).state
    if end is None:
        raise InputError(f"the ground truth of {reference.instance} cannot be carried out on its problem")
    columns = GraphColumns(
        # A target is a class or one of its objects.
        objects={
            role: (*names, *(each for name in names for each in task.objects_of((subtasks.classes[name],))))
            for role, names in role_classes(subtasks).items()
        },
        edges=graph.edges,
        roles={node.name: tuple(target.role for target in node.targets) for node in graph.nodes},
        ground_truth=tuple(read_subtask(block.macro) for block in blocks),
        key=tuple(read_subtask(block.macro) for block in blocks if holds(parse_condition(block.goal), end, {})),
    )
    return msgspec.json.encode(columns).decode()


def _subtasks(started: Started, domain: Domain) -> Subtasks | None:
    """The subtasks of a run; of one whose record does not hold them, the shipped ones."""
    text = started.world.get("subtasks")
    return (
        parse_subtasks(text, domain, "<the recorded subtasks>") if isinstance(text, str) else shipped_subtasks(domain)
    )


def _mechanism(name: str) -> PromptedPolicy | None:
    policy = POLICIES[name]() if name in POLICIES else None
    return policy if isinstance(policy, PromptedPolicy) else None
