"""``pddl2nl convert``: from PDDL to prompt texts, and wordings made by a model."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import console, print_json, print_text, print_warnings, write_text_file
from pddl2nl.cli.wording import (
    OWN_WORDING,
    WORDING_HELP,
    DomainFile,
    JsonOption,
    NamesOption,
    NamesSeedOption,
    check_names,
    chosen_wording,
    named,
)
from pddl2nl.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from pddl2nl.llm import Model
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain

__all__ = ["register"]

_SECONDS_BETWEEN_WRITES = 1.0

_EPILOG = (
    "Example: pddl2nl convert domain.pddl problem.pddl --names typed. "
    "With a model, once for all runs: pddl2nl convert domain.pddl --wording llm --model gpt-4o-2024-08-06 "
    "--save-wording wording.json"
)

MadeWording = Annotated[
    str | None,
    typer.Option(
        "--wording",
        metavar="template|llm|FILE",
        help=f"{WORDING_HELP} llm: a model words each predicate and action (--model).",
        show_default=OWN_WORDING,
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help="For --wording llm: a model's name for the openai client (key in OPENAI_API_KEY), script:FILE or "
        "replay:DIR.",
        show_default="none",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="An OpenAI-compatible endpoint.", show_default="OPENAI_BASE_URL, else OpenAI"),
]
Revisions = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="How often the model is told what is wrong with a snippet and asked again, before the template stands in.",
    ),
]
AskNegated = Annotated[
    bool, typer.Option("--ask-negated", help="Ask the model for each predicate's negated form in the same call.")
]
WordingTokens = Annotated[
    int, typer.Option(min=1, metavar="N", help="Tokens of a reply, at most; more for models that think first.")
]
Seed = Annotated[int, typer.Option(help="Seed of the model's sampling.")]
Negation = Annotated[
    str,
    typer.Option(
        metavar="rules|stanza",
        help="Where the wording has no negated form and the rules know none: leave it to 'it is not the case that …', "
        "or find it by stanza's dependency parse (extra 'stanza') and put it in the wording.",
    ),
]
SaveWording = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the wording to a file, to be edited and used again. With --wording llm, what is finished is kept "
        "there should the endpoint fail, and the same command goes on from it.",
        show_default="not written",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("convert", epilog=_EPILOG)(_convert)


def _convert(
    domain: DomainFile,
    problem: Annotated[Path | None, typer.Argument(metavar="PROBLEM", help="The problem file.")] = None,
    wording: MadeWording = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    revisions: Revisions = 1,
    ask_negated: AskNegated = False,
    wording_tokens: WordingTokens = 200,
    seed: Seed = 1,
    negation: Negation = "rules",
    save_wording: SaveWording = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    style: Annotated[str, typer.Option(metavar="nl|pddl", help="Language, or PDDL texts for PDDL prompts.")] = "nl",
    as_json: JsonOption = False,
) -> None:
    """Turn a domain, and a problem, into prompt texts: the domain's description, objects, initial state, goal."""
    from pddl2nl.nl import convert
    from pddl2nl.pddl import Task, load_domain, load_problem

    check_names(names)
    if style not in ("nl", "pddl"):
        raise InputError(f"--style {style}: no such style; there are nl, pddl")
    if negation not in ("rules", "stanza"):
        raise InputError(f"--negation {negation}: there are rules and stanza")
    if wording != "llm":
        _refuse_for_models(
            {
                "--model": model is not None,
                "--base-url": base_url is not None,
                "--revisions": revisions != 1,
                "--ask-negated": ask_negated,
                "--wording-tokens": wording_tokens != 200,
                "--seed": seed != 1,
            }
        )
    read_domain = load_domain(domain)
    task = None if problem is None else Task(read_domain, load_problem(problem, read_domain))
    if wording == "llm":
        asked = _Asked(_model(model, base_url, read_domain), revisions, ask_negated, seed, wording_tokens, save_wording)
        chosen = _worded(read_domain, asked)
    else:
        chosen = chosen_wording(wording, read_domain, domain)
    if save_wording is not None:
        # At once: what a model was paid for is kept, whatever fails from here on.
        _save(chosen, save_wording)
    if negation == "stanza":
        chosen = _with_parsed_negations(chosen, read_domain)
        if save_wording is not None:
            _save(chosen, save_wording)
    said = names if task is None else named(task, names, chosen, names_seed)
    conversion = convert(task or read_domain, chosen, said, "pddl" if style == "pddl" else "nl")
    if as_json:
        print_json(conversion.as_json())
    else:
        print_text("\n\n".join(text for text in (conversion.domain_text, conversion.problem_text) if text))


# ── wordings by a model ──────────────────────────────────────────────────────────────────────────


def _refuse_for_models(given: Mapping[str, bool]) -> None:
    """Raises `InputError` for options that were given and that nothing but a model has a use for."""
    names = [name for name, was_given in given.items() if was_given]
    if names:
        verb = "is" if len(names) == 1 else "are"
        raise InputError(f"{', '.join(names)} {verb} for --wording llm, which asks a model")


def _model(name: str | None, base_url: str | None, domain: Domain) -> Model:
    from pddl2nl.experiments.models import ModelContext, make_model
    from pddl2nl.nl import template_wording

    if name is None:
        raise InputError("--wording llm asks a model: --model M (a model's name, script:FILE or replay:DIR)")
    if name.partition(":")[0] == "oracle":
        raise InputError("--model oracle plans and cannot word a domain: a model's name, script:FILE or replay:DIR can")
    return make_model(name, ModelContext(domain, template_wording(domain), base_url=base_url)).model


@dataclass(frozen=True)
class _Asked:
    """The model that words, and how it is asked; ``file`` is where its wording is to be saved, if anywhere."""

    model: Model
    revisions: int
    negated: bool
    seed: int
    max_tokens: int
    file: Path | None


def _worded(domain: Domain, asked: _Asked) -> Wording:
    from pddl2nl.nl import word_domain, wording_warnings

    begun = _begun(domain, asked.file)
    kept = None if asked.file is None else _Kept(asked.file)
    try:
        with _progress() as on_progress:
            worded = word_domain(
                domain,
                asked.model,
                revisions=asked.revisions,
                negated=asked.negated,
                seed=asked.seed,
                max_tokens=asked.max_tokens,
                on_progress=on_progress,
                keep=kept,
                start_from=begun,
            )
    except BaseException:
        # Whatever ended it, Ctrl-C included: what was paid for is kept.
        if kept is not None and kept.write():
            print_warnings([f"what is finished is kept in {kept.file}; the same command goes on from there"])
        raise
    print_warnings((*worded.warnings(), *wording_warnings(worded.wording, domain)))
    return worded.wording


class _Kept:
    """The file in which the snippets that are finished are kept while a model is still asked for the others.

    It is written every second at most, since the wording of a grounded domain has thousands of snippets; a process
    that is killed outright loses no more than that.

    Raises:
        InputError: the file is a folder.
        InfrastructureError: nothing can be written there; found before anything is paid for.
    """

    def __init__(self, file: Path):
        self.file = file
        self._so_far: Callable[[], Wording] | None = None
        self._written = time.monotonic()
        if file.is_dir():
            raise InputError(f"--save-wording {file} is a folder; a file was expected")
        try:
            _try_to_write(file)
        except OSError as error:
            raise InfrastructureError(f"cannot write {file}: {error.strerror}") from error

    def __call__(self, so_far: Callable[[], Wording]) -> None:
        """Takes what makes the wording so far."""
        self._so_far = so_far
        if time.monotonic() - self._written >= _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> bool:
        """Writes the wording so far; says whether there is one."""
        if self._so_far is None:
            return False
        _save(self._so_far(), self.file)
        self._written = time.monotonic()
        return True


def _begun(domain: Domain, file: Path | None) -> Wording | None:
    """The wording that an earlier call of the same command left unfinished."""
    from pddl2nl.nl import load_wording

    if file is None or not file.is_file():
        return None
    try:
        begun = load_wording(file, domain)
    except InputError:
        # Something else stands there; --save-wording replaces it, as it does under every other wording.
        return None
    return begun if begun.source.get("method") == "llm" and begun.source.get("unfinished") else None


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error, where that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    # What rich takes for a terminal may be a file, where the environment asks for colours.
    shown = sys.stderr.isatty()
    columns = (TextColumn("{task.description:<32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not shown) as progress:
        bar = progress.add_task("asking the model", total=None)
        yield lambda name, done, total: progress.update(bar, completed=done, total=total, description=name)


def _save(wording: Wording, file: Path) -> None:
    text = json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n"
    if file.exists() and not file.is_file():
        # /dev/stdout, say.
        write_text_file(file, text)
        return
    # Renamed into place, so that whoever ends us now leaves a whole file, the old one or the new one.
    place = file.resolve()
    beside = place.with_name(f"{place.name}.{os.getpid()}.partial")
    try:
        _try_to_write(place)
        beside.write_text(text, encoding="utf-8")
        beside.replace(place)
    except OSError as error:
        raise InfrastructureError(f"cannot write {file}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _try_to_write(file: Path) -> None:
    """Raises `OSError` where no file can be written there; changes nothing but making the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists():
        # A file that was made read-only is not to be replaced.
        with file.open("ab"):
            pass
    else:
        with tempfile.TemporaryFile(dir=file.parent):
            pass


def _with_parsed_negations(wording: Wording, domain: Domain) -> Wording:
    from pddl2nl.nl.negation_parsed import StanzaParser, with_parsed_negations

    return with_parsed_negations(wording, domain, StanzaParser())
