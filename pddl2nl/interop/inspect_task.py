"""Planning tasks as tasks of Inspect (https://inspect.aisi.org.uk), with our policies as solvers.

`planning` is an Inspect task: its samples are planning tasks, its solver is a policy, which asks the model that Inspect
was given, and its scorer judges the plan::

    inspect eval pddl2nl/planning -T domain=ferry -T policy=act --model openai/gpt-4o
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from pddl2nl.errors import InfrastructureError, MissingExtraError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Message, Request, ToolCall, Usage
from pddl2nl.llm.types import Finish
from pddl2nl.nl import Reader, choose_wording, convert, make_names
from pddl2nl.nl.telling.tools import CallError, read_arguments
from pddl2nl.pddl import Task
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks.shipped import find_task, shipped_domain
from pddlval import validate

try:
    import inspect_ai
    from anyio import from_thread, to_thread
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        GenerateConfig,
        Model,
        get_model,
    )
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolChoice, ToolInfo, ToolParams
except ImportError as error:
    raise MissingExtraError("inspect-ai", "inspect", "a task or a log of Inspect") from error

_FINISH: dict[str, Finish] = {"max_tokens": "length", "model_length": "length", "content_filter": "filtered"}


def chat(messages: Sequence[Message]) -> list[ChatMessage]:
    """Messages of ours as messages of Inspect."""
    return [*map(_chat_message, messages)]


def _chat_message(message: Message) -> ChatMessage:
    if message.role == "tool":
        return ChatMessageTool(content=message.content, tool_call_id=message.answers)
    if message.role == "assistant":
        calls = [_inspect_call(call) for call in message.tool_calls]
        return ChatMessageAssistant(content=message.content, tool_calls=calls or None)
    return (ChatMessageSystem if message.role == "system" else ChatMessageUser)(content=message.content)


def _inspect_call(call: ToolCall) -> inspect_ai.tool.ToolCall:
    try:
        arguments = read_arguments(call.arguments)
    except CallError:
        arguments = {}
    return inspect_ai.tool.ToolCall(id=call.id, function=call.name, arguments=arguments)


def _our_call(call: inspect_ai.tool.ToolCall) -> ToolCall:
    """A call as the model wrote it; of arguments that Inspect could not read it keeps none."""
    return ToolCall(call.id, call.function, json.dumps(call.arguments, ensure_ascii=False))


class _InspectModel:
    """The model of an evaluation, asked from the thread in which a policy runs."""

    def __init__(self, model: Model):
        self.name = str(model)
        self.messages: list[ChatMessage] = []
        self._model = model

    def complete(self, request: Request) -> Completion:
        config = GenerateConfig(
            temperature=request.temperature,
            seed=request.seed,
            max_tokens=request.max_tokens,
            stop_seqs=list(request.stop) or None,
        )
        asked = chat(request.messages)
        tools = [
            ToolInfo(name=tool.name, description=tool.description, parameters=ToolParams(**tool.parameters))
            for tool in request.tools
        ]
        choice: ToolChoice = "any" if request.tool_choice == "required" and tools else "auto"
        generate = partial(self._model.generate, asked, tools=tools, tool_choice=choice, config=config)
        output = from_thread.run(generate)
        calls = tuple(map(_our_call, output.message.tool_calls or ())) if output.choices else ()
        if request.purpose == "planner":
            self.messages = [*asked, output.message]
        usage = output.usage
        return Completion(
            output.completion,
            _FINISH.get(output.stop_reason, "text" if output.completion.strip() or calls else "empty"),
            Usage() if usage is None else Usage(usage.input_tokens, usage.output_tokens),
            model=output.model,
            seconds=output.time or 0.0,
            tool_calls=calls,
        )


@solver
def policy_solver(policy: str = "react", seed: int = 1, **options: Any) -> Solver:
    """A policy as a solver; the second epoch of a sample has the second seed, and so on.

    Args:
        policy: a policy's name, or ``module:Class``.
        seed: of the first epoch.
        options: the options of a run (`help(pddl2nl.run)`). They take precedence over ``--temperature`` and other
            options of Inspect.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = _InspectModel(get_model())
        spec = RunSpec.of(_task(state), policy, model=model, seed=seed + state.epoch - 1, **options)
        result = await to_thread.run_sync(partial(run_spec, spec))
        if result.outcome == "infrastructure-error":
            # An error of the sample, which Inspect does not score.
            raise InfrastructureError(result.message)
        state.messages = model.messages or state.messages
        state.store.set("pddl2nl", {**result.as_json(), "message": result.message})
        state.completed = True
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def plan_judged() -> Scorer:
    """Whether the plan reaches the goal: that of `policy_solver`, else the one that is read from the last reply.

    With another solver, an agent for example, the reply's action lines are read as ``pddl2nl read`` does, in the words
    in which the sample's input is told.
    """

    async def score(state: TaskState, target: Target) -> Score:
        result = state.store.get("pddl2nl")
        if result is not None:
            plan, solved, why = result["plan"], result["outcome"] == "solved", result["message"]
        else:
            task = _task(state)
            wording = choose_wording(None, task.domain)
            readings = Reader(task, wording, make_names(task, "typed", wording)).read(state.output.completion)
            report = validate(task, readings.plan)
            plan, solved, why = list(map(str, readings.plan)), report.verdict == "valid", report.verdict
        return Score(value=CORRECT if solved else INCORRECT, answer="\n".join(plan), explanation=why)

    return score


@inspect_ai.task
def planning(
    domain: str, problem: str | list[str] = "", policy: str = "react", seed: int = 1, **options: Any
) -> inspect_ai.Task:
    """Planning tasks, acted on by a policy and judged by our simulator.

    Args:
        domain: a shipped domain, or a file.
        problem: names of instances or files, as a list or separated by commas, of which Inspect's -T makes a list; by
            default the primary set of a shipped domain.
        policy, seed, options: as in `policy_solver`.
    """
    given = problem.split(",") if isinstance(problem, str) else problem
    names = [name.strip() for name in given if name.strip()]
    names = names or [each.name for each in shipped_domain(domain).benchmarks]
    samples = []
    for name in names:
        told = convert(find_task(domain, name))
        texts = "\n\n".join(filter(None, (told.domain_text, told.goal_text, told.init_text)))
        samples.append(Sample(texts, id=name, metadata={"domain": domain, "problem": name}))
    return inspect_ai.Task(
        dataset=MemoryDataset(samples, name=domain),
        solver=policy_solver(policy, seed, **options),
        scorer=plan_judged(),
    )


def _task(state: TaskState) -> Task:
    return find_task(state.metadata["domain"], state.metadata["problem"])
