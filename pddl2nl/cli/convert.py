"""``pddl2nl convert`` and ``word review``: from PDDL to prompt texts, wordings by a model, and their review."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import (
    CommandMemory,
    CommandSeconds,
    Context,
    DomainFile,
    JsonOption,
    OptionalDomainFile,
    OptionalProblemFile,
    argument,
    given_options,
    option,
    run_within,
    switch,
)
from pddl2nl.cli.output import DONE, FAILED, account_text, print_error, print_result
from pddl2nl.cli.progress import bar_shown, batches
from pddl2nl.cli.run_options import (
    ACCESS,
    BUDGET,
    NamesOption,
    NamesSeedOption,
    SeedOption,
    access_of,
    from_run,
    limits_of,
    with_options,
    wording_of,
)
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.models import Access
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain

_Made = TypeVar("_Made")

_CONVERT = "Example: pddl2nl convert domain.pddl problem.pddl --names typed"
_REVIEW = (
    "Example: pddl2nl word review wording.json domain.pddl  ·  "
    "Exit codes: 0 nothing to review; 1 some snippets should be reviewed; 2 bad input."
)
_MODEL_OPTIONS = (
    "model",
    "base_url",
    "revisions",
    "ask_negated",
    "verify",
    "wording_tokens",
    "seed",
    *BUDGET,
    *ACCESS,
)

"""The options that have no effect unless a model words the domain."""


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    app.command("convert", epilog=_CONVERT)(with_options(_convert, "base_url", *BUDGET, *ACCESS))
    group = typer.Typer(no_args_is_help=True, help="Check wordings.")
    group.command("review", epilog=_REVIEW)(with_options(_review, "base_url", *BUDGET, *ACCESS))
    # Without a callback, typer would drop the name of an only command.
    group.callback()(lambda: None)
    app.add_typer(group, name="word")


def _convert(
    context: Context,
    domain: DomainFile,
    problem: OptionalProblemFile = None,
    wording: Annotated[str | None, from_run("wording")] = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    style: Annotated[str, from_run("style")] = "nl",
    negation: Annotated[str, from_run("negation", default_text="")] = "rules",
    save_wording: Annotated[
        Path | None,
        option("FILE", "Write the wording.", "none"),
    ] = None,
    model: Annotated[
        str | None,
        option("M", "For --wording llm, as for run.", "none", "Model", autocompletion=completion.models),
    ] = None,
    revisions: Annotated[
        int,
        option("N", "Most corrections of a snippet.", group="Model", min=0),
    ] = 1,
    ask_negated: Annotated[bool, switch("--ask-negated", "Ask for negated forms in the same call.", "Model")] = False,
    verify: Annotated[bool, switch("--verify", "Have the model read its snippets back.", "Model")] = False,
    wording_tokens: Annotated[int, option("N", "Tokens of the longest reply.", group="Model", min=1)] = 200,
    seed: SeedOption = 1,
    seconds: CommandSeconds = None,
    memory: CommandMemory = None,
    *,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Turn a domain, and a problem, into prompt texts."""
    run_within(seconds, memory)
    from pddl2nl.experiments.model_wording import save_whole
    from pddl2nl.nl import convert, make_names
    from pddl2nl.nl.wording.negation import with_negations
    from pddl2nl.pddl import Task, load_domain
    from pddl2nl.tasks.shipped import read_problem

    tree = load_domain(domain)
    task = None if problem is None else Task(tree, read_problem(problem, tree))
    if wording == "llm":
        asked: dict[str, Any] = {
            "seed": seed,
            "revisions": revisions,
            "negated": ask_negated,
            "max_tokens": wording_tokens,
        }
        chosen = _worded(tree, model, {**asked, "verify": verify, "file": save_wording}, options)
    else:
        unused = [f"--{name.replace('_', '-')}" for name in _MODEL_OPTIONS if name in given_options(context)]
        if unused:
            verb = "is" if len(unused) == 1 else "are"
            raise InputError(f"{', '.join(unused)} {verb} for --wording llm, which asks a model")
        chosen = wording_of(wording, tree, domain)
    if save_wording is not None:
        # At once, so that a wording that was paid for is kept if a later step fails.
        save_whole(chosen, save_wording)
    negated = with_negations(chosen, tree, negation)
    if save_wording is not None and negated is not chosen:
        save_whole(negated, save_wording)
    named = names if task is None else make_names(task, names, negated, names_seed)
    conversion = convert(task or tree, negated, named, "pddl" if style == "pddl" else "nl")
    text = "\n\n".join(text for text in (conversion.domain_text, conversion.problem_text) if text)
    print_result(conversion.as_json(), text, as_json=as_json)


def _worded(domain: Domain, model: str | None, asked: Mapping[str, Any], options: Mapping[str, Any]) -> Wording:
    """The wording of a domain by a model."""
    from pddl2nl.experiments.model_wording import word_with_model

    if model is None:
        raise InputError("--wording llm asks a model: --model M (a model's name, script:FILE or replay:DIR)")
    return _from_model(model, options, "the wording", partial(word_with_model, domain), asked)


def _from_model(
    model: str, options: Mapping[str, Any], what: str, ask: Callable[..., _Made], asked: Mapping[str, Any]
) -> _Made:
    """What a model is asked for, by ``ask(model, access, limits, …)``, with progress, costs and batches."""
    from pddl2nl.policies.budget import Account, LimitReachedError

    if model.partition(":")[0] == "oracle":
        raise InputError("--model oracle plans and cannot word a domain: a model's name, script:FILE or replay:DIR can")
    access, limits, batch = access_of(options), limits_of(options), options["provider_batch"]

    def print_costs(name: str, account: Account) -> None:
        sys.stderr.write(f"{name}: {account_text(account)}\n")

    def made(access: Access, **more: Any) -> _Made:
        return ask(model, access, limits, base_url=options["base_url"], on_spent=print_costs, **asked, **more)

    try:
        if batch:
            with batches(access, options["poll_seconds"]) as passes:
                return passes.until_done(made)
        with bar_shown("asking the model") as update:
            return made(access, on_progress=update)
    except LimitReachedError as reached:
        print_error(f"{reached}, and {what} is not finished")
        raise typer.Exit(FAILED) from None


# ── review ───────────────────────────────────────────────────────────────────────────────────────


def _review(
    context: Context,
    file: Annotated[Path, argument("FILE", "The wording file.")],
    domain: OptionalDomainFile = None,
    model: Annotated[
        str | None,
        option("M", "Have this model read the snippets back.", "none", "Model", autocompletion=completion.models),
    ] = None,
    wording_tokens: Annotated[int, option("N", "Tokens of the longest reply.", group="Model", min=1)] = 200,
    save_wording: Annotated[Path | None, option("FILE", "Write the wording.", "none")] = None,
    seed: SeedOption = 1,
    *,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """List the snippets of a wording that a person should review.

    A wording by a model marks the texts that may not mean what their names say, in source.review. A changed text loses
    its mark; delete the mark of a text that is right. A wording without this list is checked now. Texts that cannot be
    told apart, and snippets that fell back to the template, are listed too.

    With --model, a model is given each snippet of a predicate or an action and the declarations, and says which one it
    expresses and which object has which role. Where it names another one, both are listed.

    The JSON is one object: review (kind, name, text, reasons) and warnings (sentences); with --model also
    back_translation (model, date, asked, agreed, prompt_sha256).
    """
    from pddl2nl.experiments.model_wording import read_back_with_model, save_whole
    from pddl2nl.nl import load_wording, provenance_warnings, wording_warnings
    from pddl2nl.nl.wording.back_translation import merged
    from pddl2nl.nl.wording.review import doubts, marked
    from pddl2nl.pddl import load_domain

    place = domain or file.parent / "domain.pddl"
    if domain is None and not place.is_file():
        raise InputError(
            f"{file}: its domain is needed, and no domain.pddl lies beside it: pddl2nl word review FILE DOMAIN"
        )
    unused = [f"--{name.replace('_', '-')}" for name in _MODEL_OPTIONS if name in given_options(context)]
    if model is None and (unused or save_wording is not None):
        raise InputError(f"{', '.join(unused) or '--save-wording'} needs --model, which reads the snippets back")
    tree = load_domain(place)
    wording = load_wording(file, tree)
    snippets = marked(wording) if "review" in wording.source else doubts(wording, tree)
    warnings = [*wording_warnings(wording, tree), *provenance_warnings(wording, tree)]
    data: dict[str, object] = {}
    if model is not None:
        asked = {"seed": seed, "max_tokens": wording_tokens, "file": save_wording}
        back = _from_model(model, options, "the review", partial(read_back_with_model, wording, tree), asked)
        if save_wording is not None:
            save_whole(back.marked(wording, snippets), save_wording)
        snippets, data["back_translation"] = merged(snippets, back.doubts), back.as_json()
        text = f"{back.asked - len(back.doubts)} of {back.asked} snippets were read back as themselves by {back.model}"
        sys.stderr.write(f"{text}\n")
    lines = [f"{it.kind.removesuffix('s')} '{it.name}': {it.text}\n  it {'; it '.join(it.reasons)}" for it in snippets]
    data = {"review": [item.as_json() for item in snippets], "warnings": warnings, **data}
    print_result(data, "\n".join([*lines, *warnings]), as_json=as_json)
    raise typer.Exit(FAILED if snippets or warnings else DONE)
