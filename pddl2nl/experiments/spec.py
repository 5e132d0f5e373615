"""The specification of one run: every option is declared once, here.

The command ``pddl2nl run`` with its help, the tables ``[options]`` and ``[[columns]]`` of an experiment's file, the
arguments of `pddl2nl.run` and its documentation are made from the fields of `RunSpec`. The module imports only the
standard library, so that a command line can be built without loading what runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pddl2nl.experiments.example import SolvedProblem
    from pddl2nl.llm import Model
    from pddl2nl.macros.subtasks.nodes import Subtasks
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Task
    from pddl2nl.policies import Policy
    from pddl2nl.policies.brainbody.primitives import Robot
    from pddl2nl.worlds.faults import Faults
    from pddl2nl.worlds.ontology import Ontology
    from pddl2nl.worlds.scene_graph import SceneRoles

GROUPS = ("Task", "Policy", "Model", "Budget", "Output")
"""The groups of options, in the order in which help shows them."""

Users = Literal["", "models", "turns", "interactive", "plans", "one-shot", "thoughts", "flat", "families"]
"""The policies that an option has an effect on: all (``""``); those that ask a model; those that act one action at a
time, and the ones of them that ask a model; those that ask a model for a whole plan, and the ones of them without a
family; those that show thoughts; those that ask a model and have no family; those of the families
(`pddl2nl.policies.families`) that take it. `pddl2nl.experiments.choices.unused_options` applies this."""


@dataclass(frozen=True)
class Option:
    """One option of a run.

    Attributes:
        name: the field of `RunSpec`, and the key in a specification file.
        kind: its type on the command line and in a file.
        group: one of `GROUPS`.
        default: the value where none is given.
        help: one or two sentences.
        default_text: what help shows as the default where it is not the value itself.
        metavar: what stands for the value in help.
        choices: the words it accepts; empty for any value.
        at_least: the smallest number it accepts.
        users: the policies it has an effect on.
        language: whether it has an effect in style nl only.
        refused: whether policies on which it has no effect refuse it; the others ignore it.
        model: whether it names a model.
        time: whether it is a time in seconds, which may be written as 90s, 10m or 1h30m.
        in_file: whether ``[options]`` in a specification file accepts it; other keys of the file give the rest.
    """

    name: str
    kind: type
    group: str
    default: Any
    help: str
    default_text: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    at_least: float | None = None
    users: Users = ""
    language: bool = False
    refused: bool = False
    model: bool = False
    time: bool = False
    in_file: bool = True

    @property
    def flag(self) -> str:
        """The option on the command line: ``--names-seed``."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def shown(self) -> str:
        """What stands for the value in help: the metavar, the choices, or a letter for the kind of value."""
        letter = "M" if self.model else {int: "N", float: "X"}.get(self.kind, "")
        return self.metavar or "|".join(self.choices) or letter


def _option(group: str, default: Any, help: str, **more: Any) -> Any:
    """A field of `RunSpec` with its `Option`."""
    return field(default=default, metadata={"group": group, "default": default, "help": help, **more})


_task, _policy, _model, _budget = (partial(_option, group) for group in GROUPS[:4])
_role = partial(_model, model=True, default_text="the run's own model")
_family_task, _family_policy, _family_model = (
    partial(make, users="families", refused=True) for make in (_task, _policy, _model)
)
_limit = partial(_budget, default_text="no limit", at_least=0, users="models", in_file=False)


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines a run.

    The fields that users set are described by their `Option` in `RUN_OPTIONS` (`help(pddl2nl.run)` prints them). The
    others are ``task``, the task to be solved; ``profile``, the name of the settings that values were taken from;
    ``suite`` and ``task_name``, what an experiment calls the task; and ``record``, the file to write, which replaces
    an older one.

    From Python, ``policy`` also takes a `Policy`, options that name a model a model object, ``wording`` a `Wording`,
    ``example`` a `SolvedProblem`, ``faults`` what `pddl2nl.worlds.faults.read_faults` returns, and ``ontology`` an
    `Ontology`.
    """

    task: Task
    policy: str | Policy = _policy(
        "react",
        "How actions are chosen; pddl2nl policies lists them. repair:P repairs the plan of policy P, and module:Class "
        "names one of your own.",
        metavar="P|MODULE:CLASS",
        in_file=False,
    )
    model: str | Model = _model(
        "oracle",
        "A model's name for the openai client (key in OPENAI_API_KEY), gguf:PATH (a file, run on this machine by "
        "llama.cpp; extra local), transformers:PATH (extra transformers), litellm:NAME (other providers; extra "
        "litellm), oracle (reads the prompt, plans with Fast Downward, needs no key), script:FILE "
        "(replies from a file), replay:DIR (replies from records) or python:MODULE:CLASS (one of your own). "
        "oracle:MISTAKE makes a mistake on purpose: missing-step and others with hvr, forgotten-open and others with "
        "brainbody, and with basic, cot, act, react and hybrids (repair, guided, landmarks, tree, llm+p) wrong-action, "
        "swapped-objects, invented-action or missing-init; an unknown name lists all.",
        users="models",
        model=True,
        in_file=False,
    )
    wording: str | Wording | None = _task(
        None,
        "The words: default (the wording.json beside DOMAIN if there is one, else template), template, or a FILE: a "
        "wording, an AutoPlanBench domain_description_seedN.json or a PlanBench configs/*.yaml. llm: a model words "
        "the domain first; its calls count in the budgets.",
        metavar="default|template|llm|FILE",
        default_text="default",
        language=True,
        in_file=False,
    )
    wording_model: str | Model | None = _role(None, "The model for --wording llm.", users="models", language=True)
    style: str = _task(
        "nl", "Prompts in natural language, or the PDDL twins of basic and act.", choices=("nl", "pddl"), in_file=False
    )
    negation: str = _task(
        "rules",
        "How a fact is negated where the wording has no negated form: by a rule for be, have and can (rules), also "
        "by stanza's dependency parse (stanza), or by the parse if stanza and its English model are installed "
        "(auto).",
        default_text="rules; auto in --profile autoplanbench",
        choices=("rules", "stanza", "auto"),
        language=True,
    )
    names: str = _task(
        "typed",
        "Objects' names: typed (truck_0), original (as in PDDL), inferred (typed, from static unary predicates).",
        choices=("typed", "original", "inferred"),
        language=True,
    )
    names_seed: int | None = _task(
        None,
        "Seed that shuffles the numbers in typed names (truck_0).",
        default_text="in the order of declaration",
        at_least=0,
        language=True,
    )
    example: str | Path | SolvedProblem | None = _task(
        None,
        "A problem of the same domain whose solution is shown; or a folder of problems, of which the one whose plan "
        "is nearest to five steps is shown; none for no example.",
        metavar="PROBLEM|FOLDER|none",
        default_text="a shipped example, else the best problem beside the task's, else one made from the task",
        users="flat",
    )
    example_plan: str | Path | None = _task(
        None, "A plan for that problem.", metavar="FILE", default_text="LM-cut's, else FF's", users="flat"
    )
    thoughts: str = _policy(
        "auto",
        "cot, react: source of the thoughts in the example: one call of a model (llm), or a template that names the "
        "goal or condition that each action serves. auto: llm for models behind an endpoint, else template; in style "
        "pddl always template.",
        choices=("auto", "llm", "template"),
        users="thoughts",
    )
    thoughts_model: str | Model | None = _role(None, "The model for the thoughts in the example.", users="thoughts")
    translator: str = _policy(
        "reader",
        "Translator of replies to PDDL: the reader (no calls), a model (the paper's T-LLM, one call per line), or a "
        "model for lines that the reader cannot read.",
        choices=("reader", "llm", "reader+llm"),
        users="flat",
        language=True,
    )
    translator_model: str | Model | None = _role(
        None,
        "The model that translates, named as for --model; its calls count in every budget.",
        users="flat",
        language=True,
    )
    reading: str = _policy(
        "default",
        "Which lines of a reply form its plan. default: the last [PLAN] … [PLAN END], else the plan at the end of "
        "the reply; all: every action line of the marked plan, else of the reply; planbench: every line of the reply "
        "that names an action, tags ignored.",
        choices=("default", "planbench", "all"),
        users="plans",
        language=True,
    )
    on_ambiguous: str = _policy(
        "refuse",
        "A line that fits several actions: refuse it, or take the only one that is applicable in the state.",
        choices=("refuse", "state"),
        users="models",
        language=True,
    )
    history: str = _policy(
        "full",
        "act, react: all turns in the prompt, or the current state instead of old ones (not in the paper).",
        choices=("full", "compact"),
        users="interactive",
        refused=True,
    )
    feedback: str = _policy(
        "reason",
        "act, react: feedback on an action that is not applicable: the reason (as in the paper); the reason and the "
        "applicable actions; or only that it is not applicable (minimal).",
        choices=("reason", "applicable", "minimal"),
        users="interactive",
        refused=True,
    )
    samples: int = _policy(
        1,
        "basic, cot, landmarks: number of plans to ask for; the first valid one counts (not in the paper).",
        metavar="K",
        at_least=1,
        users="one-shot",
        refused=True,
    )
    rounds: int = _policy(
        0,
        "basic, cot: how often the validator's explanation is sent back to the model, at most; llm+p: how often what "
        "is wrong with its problem file is (not in the paper).",
        metavar="R",
        at_least=0,
        users="one-shot",
        refused=True,
    )
    unsolvable: str = _policy(
        "silent",
        "tell: the prompt asks for [NO PLAN] if there is no plan (not in the paper). A model that says so unasked is "
        "understood as well; its run ends as gave-up, claimed-unsolvable.",
        choices=("silent", "tell"),
        users="flat",
        refused=True,
    )
    constrain: str = _policy(
        "off",
        "what the endpoint lets the model write: the form of a reply (format), and in it only actions of the task "
        "(actions), or only those applicable in the present state (applicable; act, react, guided, tree). llm+p takes "
        "format. It changes what is measured (not in the paper).",
        choices=("off", "format", "actions", "applicable"),
        users="flat",
        refused=True,
    )
    task_text: str | None = _family_task(
        None,
        "hvr, brainbody and ablations: the task in natural language.",
        metavar="TEXT",
        default_text="the task's own text if it has one, else the told goal",
    )
    form: str = _family_task(
        "goal",
        "hvr, brainbody and ablations: the form of the task's text: what is wanted (goal) or how to do it "
        "(constructive).",
        choices=("goal", "constructive"),
    )
    faults: str | Faults | None = _family_task(
        None,
        "hvr, brainbody and ablations: differences of the world from the model, separated by ';', or a file of them: "
        "'fail (pick-up egg-1)', 'fail 10%', 'initially (dirty pan-1)'.",
        metavar="SPEC",
        default_text="none",
    )
    ontology: str | Path | Ontology | None = _family_task(
        None,
        "hvr and ablations: classes and affordances of the domain's objects, in Turtle.",
        metavar="FILE",
        default_text="the shipped domain's own, else made from the domain",
    )
    robot: str | Path | Robot | None = _family_task(
        None,
        "brainbody and baselines: the commands of the robot, the actions that carry them out, and the predicates that "
        "are hidden from the models, in JSON.",
        metavar="FILE",
        default_text="the shipped domain's own, else a command for each action",
    )
    scene: str | Path | SceneRoles | None = _family_task(
        None,
        "sayplan and ablations: what the domain's types and predicates are in a scene graph, in JSON.",
        metavar="FILE",
        default_text="the shipped domain's own",
    )
    subtasks: str | Path | Subtasks | None = _family_task(
        None,
        "taskgraph and ablations: the subtasks of the domain, the actions that carry them out, and task graphs, in "
        "JSON.",
        metavar="FILE",
        default_text="the shipped domain's own",
    )
    library: str | Path | None = _family_policy(
        None,
        "hvr and ablations: folder in which the macro-actions of solved tasks are stored for later tasks.",
        metavar="DIR",
        default_text="none",
    )
    embedding_model: str | Model | None = _family_model(
        None,
        "hvr, brainbody and ablations: the model whose vectors compare words with the names of objects and actions. "
        "Embeddings are not counted: no budget includes them.",
        metavar="M",
        default_text="names are compared by their letters",
    )
    replans: int = _family_policy(
        3,
        "hvr and ablations: the most new plans, after a plan that could not be corrected or that the world differs "
        "from.",
        at_least=0,
    )
    prompts: str = _family_policy(
        "full",
        "hvr and ablations: full prompts, or compact ones for models with a small context window; on the kitchen's "
        "tasks each fits 4,096 tokens with its reply.",
        choices=("full", "compact"),
    )
    feedback_loops: int = _family_policy(
        3, "brainbody: how often the plan may be revised after an error.", metavar="K", at_least=0
    )
    signal: str = _family_policy(
        "reason",
        "brainbody, sayplan: what the planning model is told about an error: that the step failed (raw), also what "
        "kind of failure it was (terse), or why (reason).",
        choices=("raw", "terse", "reason"),
    )
    goal_feedback: str = _family_policy(
        "off",
        "sayplan: whether the model is told that its plan misses the goal, and searches again if nothing that it has "
        "found can reach the goal (not in the paper).",
        choices=("off", "on"),
    )
    body: str = _family_policy(
        "llm",
        "brainbody, brainbody-open: what turns a step of the plan into a command: a model; the reader, by the wording; "
        "the nearest command by its words (embedding); or nothing, and plans are programs (none).",
        choices=("llm", "reader", "embedding", "none"),
    )
    body_model: str | Model | None = _family_model(
        None,
        "brainbody, brainbody-open: the acting model, with an account of its own.",
        model=True,
        default_text="the run's own model",
    )
    replanner_model: str | Model | None = _family_model(
        None,
        "taskgraph and ablations: the model that revises plans after events, with an account of its own.",
        model=True,
        default_text="the run's own model",
    )
    check: str = _family_policy(
        "off",
        "taskgraph and ablations: proved: after a completed subtask the model is not asked about the rest of the plan "
        "if the simulator reaches the goal with it from what was seen (not in the paper).",
        choices=("off", "proved"),
    )
    preview: str = _family_policy(
        "off",
        "brainbody and baselines: a step is tried in the simulator, and in the world only if it succeeds there (not "
        "in the paper).",
        choices=("off", "on"),
    )
    dead_ends: str = _family_policy(
        "ignore",
        "brainbody and baselines: if Fast Downward proves after an error that no plan reaches the goal any more: go "
        "on (ignore), tell the planning model, or end the run as gave-up. With --preview on, no step into a dead end "
        "is carried out (not in the paper).",
        choices=("ignore", "tell", "end"),
    )
    graph: str = _family_policy(
        "automaton",
        "taskgraph and ablations: the task graph in prompts and checks of plans. It is one of the file (of alfred "
        "printed, repaired, traversal, fewshot, compatible, proved), or several united by +; automaton has the proved "
        "edges, and checks also know what is held, open and sliced.",
        metavar="automaton|NAME",
    )
    from_prefix: str = _family_policy(
        "off",
        "repair: keep the longest executable prefix of the proposal and plan on from there, instead of looking for "
        "the nearest valid plan.",
        choices=("off", "on"),
    )
    calls: int = _family_policy(10, "guided, tree: how often the search may ask the model.", at_least=0)
    expansions: int = _family_policy(
        5_000, "guided, landmarks: the most states that the search may expand.", at_least=1
    )
    candidates: int = _family_policy(
        3, "tree: how many actions the model is asked for in a state.", metavar="K", at_least=1
    )
    beam: int = _family_policy(3, "tree: how many states are kept at each depth.", at_least=1)
    ranking: str = _family_policy(
        "both",
        "tree: states are ranked by the FF heuristic, by the values that the model gives its actions, or by both.",
        choices=("hff", "model", "both"),
    )
    temperature: float | None = _model(0.0, "Sampling temperature.", at_least=0, users="models")
    max_tokens: int | None = _model(
        None,
        "The longest reply, in tokens.",
        default_text="the model's setting, else no limit",
        at_least=1,
        users="models",
    )
    timeout: float | None = _model(
        None,
        "The longest wait for a reply before it is asked again: seconds, or 90s, 10m.",
        metavar="TIME",
        default_text="the model's setting, else 600, and longer for an endpoint that was seen to be slow",
        users="models",
        time=True,
    )
    stream: bool = _model(
        False,
        "Stream replies: --timeout then is the longest silence, not the longest reply, and a reply of act or react "
        "ends with its first complete action, which saves what would follow (not in the paper).",
        users="models",
    )
    base_url: str | None = _model(
        None,
        "An OpenAI-compatible endpoint.",
        metavar="URL",
        default_text="OPENAI_BASE_URL, else OpenAI",
        users="models",
        in_file=False,
    )
    seed: int = _policy(1, "Seed of the model's sampling and of all random choices.", in_file=False)
    steps: int | None = _budget(
        None,
        "The most turns of an interactive policy.",
        default_text="twice the length of FF's plan; for a task proved unsolvable 40, twice the longest optimal plan "
        "of the primary set",
        at_least=1,
        users="turns",
    )
    stop_after: int | None = _budget(
        None,
        "act, react: stop after N successive turns that were meant as actions and not executed, with the outcome "
        "budget. Looking around and false claims do not count.",
        default_text="no limit; 10 in --profile autoplanbench, as in the original's code",
        at_least=1,
        users="interactive",
        refused=True,
    )
    budget_usd: float | None = _limit(
        None, "Stop before the next call once this much money is spent. Replies from the cache are free."
    )
    budget_calls: int | None = _limit(None, "Stop after this many calls.")
    budget_tokens: int | None = _limit(
        None, "Stop before the next call once this many tokens, of prompts and replies, are spent."
    )
    out: Path | None = _option(
        "Output",
        None,
        "Folder of the record, a JSON Lines file.",
        metavar="DIR",
        default_text="runs; from Python none",
        in_file=False,
    )
    profile: str | None = None
    record: Path | None = None
    suite: str = ""
    task_name: str = ""

    @property
    def policy_name(self) -> str:
        """The policy's name."""
        return policy_name(self.policy)


def policy_name(policy: str | Policy) -> str:
    """A policy's name; that of an object is its ``name``, else ``module:Class``."""
    if isinstance(policy, str):
        return policy
    return getattr(policy, "name", "") or f"{type(policy).__module__}:{type(policy).__qualname__}"


_KINDS = {"bool": bool, "str": str, "int": int, "float": float, "Path": Path}
RUN_OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        item.name: Option(item.name, _KINDS[str(item.type).partition(" |")[0]], **item.metadata)
        for item in fields(RunSpec)
        if item.metadata
    }
)
"""Every option of a run by the name of its field."""


def options_text(width: int = 110) -> str:
    """All options with their defaults, one paragraph each, for a docstring."""
    from textwrap import fill

    paragraphs = []
    for option in RUN_OPTIONS.values():
        default = option.default_text or repr(option.default)
        choices = f" One of {', '.join(option.choices)}." if option.choices else ""
        text = f"{option.name}: {option.help}{choices} Default: {default}."
        paragraphs.append(fill(text, width, initial_indent=" " * 8, subsequent_indent=" " * 12))
    return "\n".join(paragraphs)
