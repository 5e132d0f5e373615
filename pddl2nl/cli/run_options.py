"""Options of a run and of the models that it asks, and what they stand for.

Options of a run are declared in `pddl2nl.policies.spec.RUN_OPTIONS`; how models are reached is declared here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import one_of, option, read_time, switch
from pddl2nl.cli.output import print_warnings, warn
from pddl2nl.errors import InputError
from pddl2nl.policies.spec import GROUPS, RUN_OPTIONS, Option

if TYPE_CHECKING:
    from pddl2nl.experiments.models import Access
    from pddl2nl.experiments.runs import Observe
    from pddl2nl.nl import Names, Wording
    from pddl2nl.pddl import Domain, Task
    from pddl2nl.policies.budget import Limits


def from_run(name: str, **changes: Any) -> Any:
    """The option ``name`` of a run, for another command.

    Args:
        name: a key of `RUN_OPTIONS`.
        changes: attributes of its `Option` that differ in this command.
    """
    return _declared(replace(RUN_OPTIONS[name], **changes))


_WIDEST = 12
"""Characters of a metavar that leave room for help beside it; longer choices stand in the help."""


def _with_choices(option: Option) -> str:
    """The help, with the choices that neither it nor the metavar names."""
    if len(option.shown) <= _WIDEST or all(choice in option.help for choice in option.choices):
        return option.help
    return f"{option.help} One of {', '.join(option.choices)}."


def _declared(option: Option) -> Any:
    if option.kind is dict:
        option = replace(option, default_text=option.default_text or "none")
    return typer.Option(
        option.flag,
        help=_with_choices(option),
        metavar=option.shown if len(option.shown) <= _WIDEST else option.name.upper(),
        min=option.at_least,
        parser=read_time if option.time else one_of(option.choices, option.accepts) if option.choices else None,
        show_default=option.default_text or True,
        rich_help_panel=option.group,
        autocompletion=_COMPLETED.get(option.name),
    )


_COMPLETED = {"policy": completion.policies, "model": completion.models}

# Commands that ask no model word nothing by a model.
WordingOption = Annotated[
    str | None,
    from_run("wording", metavar="default|template|FILE", help=RUN_OPTIONS["wording"].help.partition(" llm: ")[0]),
]
NamesOption = Annotated[str, from_run("names")]
NamesSeedOption = Annotated[int | None, from_run("names_seed")]
SeedOption = Annotated[int, from_run("seed")]
ModelsFile = Annotated[
    Path | None,
    option("FILE", "Settings and prices of models, TOML (pddl2nl models).", "PDDL2NL_MODELS", "Model", flag="--models"),
]


def _access(
    models_file: ModelsFile = None,
    cache: Annotated[
        str | None, option("FILE|none", "Where paid replies are stored.", "PDDL2NL_CACHE", "Model")
    ] = None,
    requests_per_minute: Annotated[
        float | None, option("N", "The most calls a minute.", "none", "Model", min=0)
    ] = None,
    tokens_per_minute: Annotated[float | None, option("N", "The most tokens a minute.", "none", "Model", min=0)] = None,
    provider_batch: Annotated[
        bool,
        switch("--provider-batch", "Use the provider's batch endpoint: cheaper, slower.", "Model"),
    ] = False,
    poll_seconds: Annotated[float, option("S", "Seconds between checks of a batch.", group="Model", min=0)] = 30.0,
) -> None:
    """How models are reached, as parameters of a command."""


_TRACKERS = ("wandb", "mlflow", "tensorboard")
LogOption = Annotated[
    str | None,
    option("TRACKER", "Report to wandb, mlflow or tensorboard.", "none", "Output", parser=one_of(_TRACKERS)),
]


def observer(tracker: str | None, project: str, folder: Path, *, batch: bool = False, cluster: bool = False) -> Observe:
    """What ``--log`` asks for; raises `InputError` with batches, where a run begins several times, or on a cluster."""
    from pddl2nl.experiments.runs import unobserved

    if tracker is None:
        return unobserved
    if batch or cluster:
        raise InputError(f"--log {tracker} follows runs of this process: leave out --provider-batch and --cluster")
    from pddl2nl.interop.trackers import tracked

    return tracked(tracker, project, folder)


_ACCESS = inspect.signature(_access, eval_str=True).parameters
ACCESS = tuple(_ACCESS)
BUDGET = ("budget_usd", "budget_calls", "budget_tokens")


def with_options(command: Callable[..., None], *names: str, **changed: Option) -> Callable[..., None]:
    """The command with options of a run and of `ACCESS` as parameters where it takes ``**options``.

    Its positional parameters come first, then these options, by group, and last its keyword-only parameters. Those
    that are ``changed`` replace those of `RUN_OPTIONS`.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    first = [item for item in own if item.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    last = [item for item in own if item.kind is inspect.Parameter.KEYWORD_ONLY]
    of_run = sorted(
        (changed.get(name, RUN_OPTIONS[name]) for name in names if name in RUN_OPTIONS),
        key=lambda each: GROUPS.index(each.group),
    )
    made = [_run_parameter(each) for each in of_run]
    keyword = inspect.Parameter.KEYWORD_ONLY
    made += [_ACCESS[name].replace(kind=keyword) for name in names if name in _ACCESS]

    def run(**values: Any) -> None:
        command(**values)

    run.__doc__ = command.__doc__
    parameters = [*(item.replace(kind=keyword) for item in first), *made, *last]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _run_parameter(option: Option) -> inspect.Parameter:
    if option.kind is dict:
        many: Any = list[str] | None
        repeated = Annotated[many, _declared(option)]
        return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=repeated)
    kind: Any = option.kind if option.default is not None else option.kind | None
    annotation = Annotated[kind, _declared(option)]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=annotation)


def run_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `RunSpec` that the options of a command give.

    Raises:
        InputError: a repeatable option without ``=``, or one that gives a name twice.
    """
    declared = {name: each for name, each in RUN_OPTIONS.items() if name in options}
    return {
        name: named_values(each.flag, options[name]) if each.kind is dict else options[name]
        for name, each in declared.items()
    }


def named_values(flag: str, given: Iterable[str] | None) -> dict[str, str]:
    """The values of a repeatable option by name: ``-P corrections=2 -P memory=false``.

    Raises:
        InputError: a text without ``=``, or a name that is given twice.
    """
    values: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{flag} {text}: expected NAME=VALUE, such as {flag} name=value")
        if name.strip() in values:
            raise InputError(f"{flag} {name.strip()} is given twice")
        values[name.strip()] = value
    return values


def access_of(options: Mapping[str, Any]) -> Access:
    """The way to the models that the options of `ACCESS` describe."""
    from pddl2nl.experiments.models import reach

    names = ("models_file", "requests_per_minute", "tokens_per_minute")
    return reach(options["cache"], *(options.get(name) for name in names), warn=warn)


def limits_of(options: Mapping[str, Any]) -> Limits:
    """The limits that the options of `BUDGET` set."""
    from pddl2nl.policies.budget import Limits

    return Limits(**{name.removeprefix("budget_"): options[name] for name in BUDGET})


def wording_of(spec: str | None, domain: Domain, path: Path) -> Wording:
    """The wording that ``--wording`` asks for; texts that cannot be told apart are warned of."""
    from pddl2nl.nl import choose_wording, provenance_warnings, wording_warnings

    chosen = choose_wording(spec, domain, path)
    print_warnings((*wording_warnings(chosen, domain), *provenance_warnings(chosen, domain)))
    return chosen


def words_of(
    task: Task, domain: Path, wording: str | None, names: str, names_seed: int | None
) -> tuple[Wording, Names]:
    """The wording of a task, and the names of its objects, that the options ask for."""
    from pddl2nl.nl import make_names

    chosen = wording_of(wording, task.domain, domain)
    return chosen, make_names(task, names, chosen, names_seed)
