"""The description of one run: every option that all runs have is declared once, here.

The command ``pddl2nl run`` with its help, the tables ``options`` and ``[[columns]]`` of an experiment's file, the
arguments of `pddl2nl.run` and its documentation are made from the fields of `RunSpec`. Options of one policy are fields
of its class (`pddl2nl.policies.policy.Policy`) and stand in ``options``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pddl2nl.llm import Model
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Task
    from pddlval import GroundAction

GROUPS = ("Task", "Policy", "Model", "Budget", "Output")
"""The groups of options, in the order in which help shows them."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Option:
    """One option of a run: the field of `RunSpec` of its name, and the key in a specification file.

    Attributes:
        kind: its type on the command line and in a file; ``dict`` for a repeatable ``NAME=VALUE``.
        group: one of `GROUPS`.
        flag: the option on the command line.
        default_text: what help shows as the default where it is not the value itself; ``metavar`` as the value.
        choices: the words it accepts; empty for any value. The N of a choice ``last:N`` is a number from 1.
        optional: whether only policies use it that say so (`Policy.uses`); the others refuse it.
        models: whether only policies that ask a model use it.
        language: whether it has an effect in style nl only.
        time: whether it is a time in seconds, which may be written as 90s, 10m or 1h30m.
        in_file: whether ``[options]`` in a specification file accepts it; other keys of the file give the rest.
    """

    name: str
    kind: type
    group: str
    default: Any
    help: str
    flag: str = ""
    default_text: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    at_least: float | None = None
    optional: bool = False
    models: bool = False
    language: bool = False
    time: bool = False
    in_file: bool = True

    @property
    def shown(self) -> str:
        """What stands for the value in help: the metavar, the choices, or a letter for the kind of value."""
        return self.metavar or "|".join(self.choices) or {int: "N", float: "X"}.get(self.kind, "")

    @property
    def pattern(self) -> str:
        """The regular expression of all `choices`."""
        return rf"^({'|'.join(re.escape(choice).replace(':N', ':[1-9][0-9]{0,5}') for choice in self.choices)})$"

    def accepts(self, value: str) -> bool:
        """Whether a value is one of the `choices`; True without choices."""
        return not self.choices or re.fullmatch(self.pattern, value) is not None


def _option(group: str, default: Any, help: str, **more: Any) -> Any:
    """A field of `RunSpec` with its `Option`."""
    given = {"default_factory": dict} if default is NOTHING else {"default": default}
    return field(**given, metadata={"group": group, "default": default, "help": help, **more})


_task, _policy, _model, _budget = (partial(_option, group) for group in GROUPS[:4])
_limit = partial(_budget, default_text="none", at_least=0, models=True, in_file=False)


class Acting(Protocol):
    """What can be played: a `pddl2nl.policies.Policy`."""

    def run(self, episode: Any) -> None: ...


class Solved(Protocol):
    """A problem with a plan: a `pddl2nl.policies.setting.SolvedProblem`."""

    @property
    def task(self) -> Task: ...
    @property
    def plan(self) -> tuple[GroundAction, ...]: ...


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines a run.

    The fields that users set are described by their `Option` in `RUN_OPTIONS` (`help(pddl2nl.run)` prints them). The
    others are ``task``, the task to be solved; ``profile``, the name of the settings that values were taken from;
    ``suite`` and ``task_name``, what an experiment calls the task; and ``record``, the file to write, which replaces
    an older one.

    From Python, ``policy`` also takes a `Policy`, options that name a model a model object, ``wording`` a `Wording`,
    ``example`` a `SolvedProblem`, and ``files`` the objects that the files hold.
    """

    task: Task
    policy: str | Acting = _policy(
        "react", "How actions are chosen; pddl2nl policies lists them.", metavar="P", in_file=False
    )
    options: Mapping[str, Any] = _policy(
        NOTHING,
        "An option of the policy; pddl2nl policies NAME lists them.",
        flag="-P",
        metavar="NAME=VALUE",
        in_file=False,
    )
    model: str | Model = _model(
        "oracle",
        "A model's name for the openai client (key: OPENAI_API_KEY), gguf:PATH, transformers:PATH, litellm:NAME, "
        "oracle (plans, needs no key), oracle:MISTAKE, script:FILE, replay:DIR or python:MODULE:CLASS.",
        metavar="M",
        models=True,
        in_file=False,
    )
    models: Mapping[str, str | Model] = _model(
        NOTHING,
        "The model of another role: translator, wording, thoughts, or one of the policy's.",
        flag="--model-for",
        metavar="ROLE=M",
        default_text="the run's own model",
        models=True,
        in_file=False,
    )
    wording: str | Wording | None = _task(
        None,
        "The words: default (wording.json beside DOMAIN, else template), template, llm (a model words the domain "
        "first), or a file: a wording, AutoPlanBench's JSON or PlanBench's YAML.",
        metavar="W",
        default_text="default",
        language=True,
        in_file=False,
    )
    style: str = _task("nl", "Prompts in English or in PDDL.", choices=("nl", "pddl"), in_file=False)
    negation: str = _task(
        "rules",
        "How a text without a negated form is negated: by rules, also by stanza's parse, or auto: by the parse where "
        "stanza is installed.",
        choices=("rules", "stanza", "auto"),
        language=True,
    )
    names: str = _task(
        "typed",
        "Objects' names: typed (truck_0), original, or inferred from static unary predicates.",
        choices=("typed", "original", "inferred"),
        language=True,
    )
    names_seed: int | None = _task(
        None,
        "Seed that shuffles the numbers in typed names (truck_0).",
        default_text="as declared",
        at_least=0,
        language=True,
    )
    exceptions: str = _task(
        "tell",
        'When a deleted fact still holds ("unless B and C are the same object"): tell it in the domain\'s description, '
        "or omit it.",
        choices=("tell", "omit"),
        language=True,
    )
    files: Mapping[str, Any] = _task(
        NOTHING,
        "A file that the policy reads beside a domain.",
        flag="--file",
        metavar="NAME=PATH",
        default_text="the one beside DOMAIN",
        in_file=False,
    )
    example: str | Path | Solved | None = _task(
        None,
        "A problem whose solution is shown, or a folder to choose one from.",
        metavar="P|none",
        default_text="a shipped one, else one beside the task, else made",
        optional=True,
    )
    example_plan: str | Path | None = _task(
        None, "A plan for that problem.", metavar="FILE", default_text="LM-cut's, else FF's", optional=True
    )
    thoughts: str = _policy(
        "auto",
        "Who writes the example's thoughts: llm, template, or auto (a model behind an endpoint, else the template).",
        choices=("auto", "llm", "template"),
        optional=True,
    )
    translator: str = _policy(
        "reader",
        "What reads actions in replies: reader, llm (a model, the whole reply), lines (a model, each line), or "
        "reader+llm (a model, what the reader cannot read).",
        choices=("reader", "llm", "lines", "reader+llm"),
        optional=True,
        language=True,
    )
    reading: str = _policy(
        "default",
        "Which lines are the plan (pddl2nl read --help): default, planbench or all.",
        choices=("default", "planbench", "all"),
        optional=True,
        language=True,
    )
    on_ambiguous: str = _policy(
        "refuse",
        "A line that fits several actions: refuse it, or take the only applicable one.",
        choices=("refuse", "state"),
        models=True,
        language=True,
    )
    history: str = _policy(
        "all",
        "Turns in the prompt: all, last:N and the state, or none but the state.",
        choices=("all", "last:N", "none"),
        optional=True,
    )
    constrain: str = _policy(
        "off",
        "What the endpoint lets the model write: any text, the form of replies, only actions of the task, or only "
        "applicable ones.",
        choices=("off", "format", "actions", "applicable"),
        optional=True,
    )
    prompts: Mapping[str, str | Path] = _policy(
        NOTHING,
        "A text file in place of the policy's prompt NAME.",
        flag="--prompt",
        metavar="NAME=PATH",
        default_text="the policy's own",
        models=True,
        in_file=False,
    )
    temperature: float | None = _model(0.0, "Sampling temperature.", at_least=0, models=True)
    max_tokens: int | None = _model(
        None,
        "The longest reply, in tokens. Its own limits have what is asked for besides: an example's thoughts 2,000, a "
        "wording 200, a translated line 750.",
        default_text="the model's",
        at_least=1,
        models=True,
    )
    timeout: float | None = _model(
        None,
        "The longest wait for a reply: seconds, or 90s, 10m.",
        metavar="TIME",
        default_text="the model's, else 600",
        models=True,
        time=True,
    )
    stream: bool = _model(False, "Stream replies; a turn ends with its first complete action.", models=True)
    no_system: bool = _model(False, "Put the system prompt into the first user message.", models=True)
    base_url: str | None = _model(
        None,
        "An OpenAI-compatible endpoint.",
        metavar="URL",
        default_text="OPENAI_BASE_URL",
        models=True,
        in_file=False,
    )
    seed: int = _policy(1, "Seed of all random choices.", in_file=False)
    steps: int | None = _budget(
        None,
        "The most turns of an interactive policy.",
        default_text="twice FF's plan; 40 if proved unsolvable",
        at_least=1,
    )
    context: int | None = _budget(
        None,
        "The most tokens of a prompt, estimated from its characters; a longer one ends the run as context.",
        metavar="TOKENS",
        default_text="the model's own",
        at_least=1,
        models=True,
    )
    budget_usd: float | None = _limit(None, "The most USD to spend.")
    budget_calls: int | None = _limit(None, "The most calls.")
    budget_tokens: int | None = _limit(None, "The most tokens to spend.")
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

    @classmethod
    def of(cls, task: Task, policy: str | Acting = "react", **options: Any) -> RunSpec:
        """The description of a run from options: those that are no fields are of its policy, and checked later."""
        names = {item.name for item in fields(cls)}
        own = {name: value for name, value in options.items() if name not in names}
        given = {name: value for name, value in options.items() if name in names}
        return cls(task, policy, **{**given, "options": {**given.get("options", NOTHING), **own}})

    @property
    def turns_kept(self) -> int | None:
        """How many turns ``history`` keeps; None for all."""
        return None if self.history == "all" else int(self.history.partition(":")[2] or 0)

    @property
    def policy_name(self) -> str:
        """The policy's name; that of an object is ``module:Class``."""
        return self.policy if isinstance(self.policy, str) else name_of(type(self.policy))


def name_of(kind: type) -> str:
    """A class as ``module:Class``."""
    return f"{kind.__module__}:{kind.__qualname__}"


_KINDS = {"bool": bool, "str": str, "int": int, "float": float, "Path": Path}
RUN_OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        item.name: Option(
            item.name,
            _KINDS.get(str(item.type).partition(" |")[0], dict),
            **{"flag": f"--{item.name.replace('_', '-')}", **item.metadata},
        )
        for item in fields(RunSpec)
        if item.metadata
    }
)
"""Every option of a run by the name of its field."""

OPTIONAL = frozenset(name for name, option in RUN_OPTIONS.items() if option.optional)
"""The options that only policies use that say so."""


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
