"""``pddl2nl convert`` and ``word review``: from PDDL to prompt texts, wordings by a model, and their review."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import (
    Context,
    DomainFile,
    JsonOption,
    OptionalDomainFile,
    OptionalProblemFile,
    argument,
    given_options,
    option,
    switch,
)
from pddl2nl.cli.output import (
    DONE,
    FAILED,
    account_text,
    check_writable,
    print_error,
    print_result,
    print_warnings,
    replaced_file,
    warn,
)
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
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.models import MadeModel
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain
    from pddl2nl.policies.budget import ModelCalls

__all__ = ["register"]

_CONVERT = (
    "Example: pddl2nl convert domain.pddl problem.pddl --names typed. "
    "With a model, once for all runs: pddl2nl convert domain.pddl --wording llm --model gpt-4o-2024-08-06 "
    "--save-wording wording.json"
)
_REVIEW = (
    "Example: pddl2nl word review wording.json domain.pddl  ·  "
    "Exit codes: 0 nothing to review; 1 some snippets should be reviewed; 2 bad input."
)
_MODEL_OPTIONS = ("model", "base_url", "revisions", "ask_negated", "wording_tokens", "seed", *BUDGET, *ACCESS)
"""The options that have no effect unless a model words the domain."""
_SECONDS_BETWEEN_WRITES = 1.0


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    app.command("convert", epilog=_CONVERT)(with_options(_convert, "base_url", *BUDGET, *ACCESS))
    group = typer.Typer(no_args_is_help=True, help="Check wordings.")
    group.command("review", epilog=_REVIEW)(_review)
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
        option(
            "--save-wording",
            "FILE",
            "Write the wording to a file. With --wording llm, finished snippets are saved there should the endpoint "
            "fail, and the same command continues from it.",
            "not written",
        ),
    ] = None,
    model: Annotated[
        str | None,
        option(
            "--model",
            "M",
            "For --wording llm: a model's name for the openai client (key in OPENAI_API_KEY), script:FILE or "
            "replay:DIR.",
            "none",
            "Model",
        ),
    ] = None,
    revisions: Annotated[
        int,
        option(
            "--revisions",
            "N",
            "How often the model is told what is wrong with a snippet and asked again, before the template replaces "
            "it.",
            group="Model",
            min=0,
        ),
    ] = 1,
    ask_negated: Annotated[
        bool, switch("--ask-negated", "Ask for each predicate's negated form in the same call.", "Model")
    ] = False,
    wording_tokens: Annotated[
        int,
        option(
            "--wording-tokens", "N", "The longest reply, in tokens; more for reasoning models.", group="Model", min=1
        ),
    ] = 200,
    seed: SeedOption = 1,
    *,
    as_json: JsonOption = False,
    **options: Any,
) -> None:
    """Turn a domain, and a problem, into prompt texts: the domain's description, objects, initial state, goal."""
    from pddl2nl.nl import convert, make_names
    from pddl2nl.nl.wording.parsed_negation import with_negations
    from pddl2nl.pddl import Task, load_domain, load_problem

    tree = load_domain(domain)
    task = None if problem is None else Task(tree, load_problem(problem, tree))
    if wording == "llm":
        asked = {"seed": seed, "revisions": revisions, "negated": ask_negated, "max_tokens": wording_tokens}
        chosen = _worded(tree, model, asked, options, save_wording)
    else:
        unused = [f"--{name.replace('_', '-')}" for name in _MODEL_OPTIONS if name in given_options(context)]
        if unused:
            verb = "is" if len(unused) == 1 else "are"
            raise InputError(f"{', '.join(unused)} {verb} for --wording llm, which asks a model")
        chosen = wording_of(wording, tree, domain)
    if save_wording is not None:
        # At once: what a model was paid for is kept, whatever fails from here on.
        _save(chosen, save_wording)
    chosen = with_negations(worded := chosen, tree, negation)
    if save_wording is not None and chosen is not worded:
        _save(chosen, save_wording)
    named = names if task is None else make_names(task, names, chosen, names_seed)
    found = convert(task or tree, chosen, named, "pddl" if style == "pddl" else "nl")
    text = "\n\n".join(text for text in (found.domain_text, found.problem_text) if text)
    print_result(found.as_json(), text, as_json=as_json)


# ── wordings by a model ──────────────────────────────────────────────────────────────────────────


def _worded(
    domain: Domain, model: str | None, asked: Mapping[str, Any], options: Mapping[str, Any], file: Path | None
) -> Wording:
    """The wording of a domain by a model; what is finished is kept in the file, whatever ends this.

    Raises:
        InputError: no model, one that cannot word, or an unfinished wording of another model in the file.
        InfrastructureError: the endpoint failed.
    """
    from pddl2nl.policies.budget import LimitReachedError

    if model is None:
        raise InputError("--wording llm asks a model: --model M (a model's name, script:FILE or replay:DIR)")
    if model.partition(":")[0] == "oracle":
        raise InputError("--model oracle plans and cannot word a domain: a model's name, script:FILE or replay:DIR can")
    access = access_of(options)
    try:
        if not options["provider_batch"]:
            return _ask(domain, model, asked, options, file, access)
        with batches(access, options["poll_seconds"]) as passes:
            return passes.until_done(lambda each: _ask(domain, model, asked, options, file, each))
    except LimitReachedError as reached:
        print_error(f"{reached}, and the wording is not finished")
        raise typer.Exit(FAILED) from None


def _ask(
    domain: Domain,
    model: str,
    asked: Mapping[str, Any],
    options: Mapping[str, Any],
    file: Path | None,
    access: Access,
) -> Wording:
    from pddl2nl.experiments.models import ModelContext, calls_of
    from pddl2nl.llm import ReplyPendingError
    from pddl2nl.nl import template_wording, word_domain, wording_warnings
    from pddl2nl.nl.wording.meaning import marked

    context = ModelContext(domain, template_wording(domain), base_url=options["base_url"], access=access)
    made, calls = calls_of("wording", model, context, limits_of(options))
    begun = None if file is None else _begun(domain, file)
    kept = None if file is None else _Kept(file)
    try:
        # Batches show their own progress.
        with bar_shown("asking the model", shown=not options["provider_batch"]) as update:
            found = word_domain(
                domain, calls.model("wording"), on_progress=update, keep=kept, start_from=begun, **asked
            )
    except BaseException as error:
        if not isinstance(error, ReplyPendingError):
            # Also after Ctrl-C what was paid for is kept. Pending replies are awaited, and this is tried again.
            if kept is not None and kept.write():
                warn(f"what is finished is kept in {file}; the same command continues from there")
            _print_costs(made, calls)
        raise
    _print_costs(made, calls)
    command = "" if file is None else f" (pddl2nl word review {file})"
    print_warnings((*found.warnings(), *wording_warnings(found.wording, domain)))
    for item in marked(found.wording):
        reasons = "; it ".join(item.reasons)
        kind = item.kind.removesuffix("s")
        warn(f"the {kind} '{item.name}' is said '{item.text}', which should be reviewed: it {reasons}{command}")
    return found.wording


def _print_costs(made: MadeModel, calls: ModelCalls) -> None:
    account = calls.spent.get("wording")
    if made.base_url is not None and account is not None:
        sys.stderr.write(f"{made.model.name}: {account_text(account)}\n")


class _Kept:
    """The file in which finished snippets are kept while a model is still asked for the others.

    It is written every second at most, since the wording of a grounded domain has thousands of snippets.

    Raises:
        InputError, InfrastructureError: nothing can be written there; found before anything is paid for.
    """

    def __init__(self, file: Path):
        self._file = file
        self._so_far: Callable[[], Wording] | None = None
        self._written = time.monotonic()
        check_writable(file)

    def __call__(self, so_far: Callable[[], Wording]) -> None:
        """Takes what makes the wording so far."""
        self._so_far = so_far
        if time.monotonic() - self._written >= _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> bool:
        """Writes the wording so far; says whether there is one."""
        if self._so_far is None:
            return False
        _save(self._so_far(), self._file)
        self._written = time.monotonic()
        return True


def _begun(domain: Domain, file: Path) -> Wording | None:
    """The wording that an earlier call of the same command left unfinished."""
    from pddl2nl.nl import load_wording

    if not file.is_file():
        return None
    try:
        begun = load_wording(file, domain)
    except InputError:
        # Another file: --save-wording replaces it.
        return None
    return begun if begun.source.get("method") == "llm" and begun.source.get("unfinished") else None


def _save(wording: Wording, file: Path) -> None:
    with replaced_file(file) as stream:
        stream.write(json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n")


# ── review ───────────────────────────────────────────────────────────────────────────────────────


def _review(
    file: Annotated[Path, argument("FILE", "The wording file.")],
    domain: OptionalDomainFile = None,
    as_json: JsonOption = False,
) -> None:
    """List the snippets of a wording that a person should review.

    A wording by a model marks the texts that may not mean what their names say, in source.review. A changed text loses
    its mark; delete the mark of a text that is right. A wording without this list is checked now. Texts that cannot be
    told apart, and snippets that fell back to the template, are listed too.

    The JSON is one object: review (kind, name, text, reasons) and warnings (sentences).
    """
    from pddl2nl.nl import load_wording, provenance_warnings, wording_warnings
    from pddl2nl.nl.wording.meaning import doubts, marked
    from pddl2nl.pddl import load_domain

    place = domain or file.parent / "domain.pddl"
    if domain is None and not place.is_file():
        raise InputError(
            f"{file}: its domain is needed, and no domain.pddl lies beside it: pddl2nl word review FILE DOMAIN"
        )
    tree = load_domain(place)
    wording = load_wording(file, tree)
    found = marked(wording) if "review" in wording.source else doubts(wording, tree)
    warnings = [*wording_warnings(wording, tree), *provenance_warnings(wording, tree)]
    lines = [f"{it.kind.removesuffix('s')} '{it.name}': {it.text}\n  it {'; it '.join(it.reasons)}" for it in found]
    data = {"review": [item.as_json() for item in found], "warnings": warnings}
    print_result(data, "\n".join([*lines, *warnings]), as_json=as_json)
    raise typer.Exit(FAILED if found or warnings else DONE)
