"""Wordings by a model: asking for one (``convert --wording llm``), keeping unfinished ones, and ``word review``."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.accounts import account_text
from pddl2nl.cli.batches import waiting
from pddl2nl.cli.output import DONE, WANTING, console, print_json, print_text, print_warnings, write_text_file
from pddl2nl.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from pddl2nl.experiments.access import Access
    from pddl2nl.experiments.models import MadeModel
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain
    from pddl2nl.policies.budget import Account, Limits, ModelCalls

__all__ = ["HowToWord", "register", "save", "worded"]

_SECONDS_BETWEEN_WRITES = 1.0


_EPILOG = (
    "Example: pddl2nl word review wording.json domain.pddl  ·  "
    "Exit codes: 0 nothing to review; 1 some snippets should be reviewed; 2 bad input."
)


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    group = typer.Typer(no_args_is_help=True, help="Check wordings.")
    group.command("review", epilog=_EPILOG)(_review)
    # Without a callback, typer would drop the name of an only command.
    group.callback()(lambda: None)
    app.add_typer(group, name="word")


def _review(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The wording file.", show_default=False)],
    domain: Annotated[
        Path | None,
        typer.Argument(metavar="[DOMAIN]", help="Its domain.", show_default="the domain.pddl beside FILE"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the snippets of a wording that a person should review.

    A wording by a model marks the texts that may not mean what their names say, in source.review. A mark goes when the
    text is changed; delete it where the text is right. A wording without this list is checked now. Texts that cannot be
    told apart, and snippets that fell back to the template, are listed too.

    The JSON is one object: review (kind, name, text, reasons) and warnings (sentences).
    """
    from pddl2nl.nl import load_wording, provenance_warnings, wording_warnings
    from pddl2nl.nl.wording.meaning import doubts, marked
    from pddl2nl.pddl import load_domain

    place = file.parent / "domain.pddl" if domain is None else domain
    if domain is None and not place.is_file():
        raise InputError(
            f"{file}: its domain is needed, and no domain.pddl lies beside it: pddl2nl word review FILE DOMAIN"
        )
    read = load_domain(place)
    wording = load_wording(file, read)
    found = marked(wording) if "review" in wording.source else doubts(wording, read)
    warnings = (*wording_warnings(wording, read), *provenance_warnings(wording, read))
    if as_json:
        print_json({"review": [item.as_json() for item in found], "warnings": list(warnings)})
    else:
        for item in found:
            print_text(f"{item.kind.removesuffix('s')} '{item.name}': {item.text}\n  it {'; it '.join(item.reasons)}")
        for warning in warnings:
            print_text(warning)
    raise typer.Exit(WANTING if found or warnings else DONE)


@dataclass(frozen=True)
class HowToWord:
    """The model that words, how it is asked, and what it may cost.

    ``file`` is where its wording is to be saved; ``poll_seconds`` how often the provider's batches are looked at, None
    to ask at once.
    """

    model: str | None
    base_url: str | None
    access: Access
    limits: Limits
    revisions: int
    negated: bool
    seed: int
    max_tokens: int
    file: Path | None
    poll_seconds: float | None = None


def worded(domain: Domain, how: HowToWord) -> Wording:
    """The wording of a domain by a model; what fell back to templates is warned of on standard error.

    Raises:
        InputError: no model, one that cannot word, or a wording to go on from that another model made.
        InfrastructureError: the endpoint failed; what is finished is kept.
        LimitReachedError: a limit is reached; what is finished is kept.
    """
    if how.poll_seconds is not None:
        with waiting(how.access, how.poll_seconds) as batches:
            return batches.until_done(lambda access: _worded(domain, replace(how, access=access)))
    return _worded(domain, how)


def _worded(domain: Domain, how: HowToWord) -> Wording:
    from pddl2nl.llm import ReplyPendingError
    from pddl2nl.nl import word_domain, wording_warnings
    from pddl2nl.policies.budget import ModelCalls, PricedModel

    made = _made(how, domain)
    calls = ModelCalls({"wording": PricedModel(how.access.before(made.model), made.price_of)}, how.limits)
    begun = _begun(domain, how.file)
    kept = None if how.file is None else _Kept(how.file)
    try:
        # Batches show how far they are themselves.
        with _progress(shown=how.poll_seconds is None) as on_progress:
            found = word_domain(
                domain,
                calls.model("wording"),
                revisions=how.revisions,
                negated=how.negated,
                seed=how.seed,
                max_tokens=how.max_tokens,
                on_progress=on_progress,
                keep=kept,
                start_from=begun,
            )
    except ReplyPendingError:
        # Not the end of anything: it is tried again when the batch has come.
        raise
    except BaseException:
        # Whatever ended it, Ctrl-C included: what was paid for is kept.
        if kept is not None and kept.write():
            print_warnings([f"what is finished is kept in {kept.file}; the same command goes on from there"])
        _say_costs(made, calls)
        raise
    _say_costs(made, calls)
    print_warnings((*found.warnings(), *wording_warnings(found.wording, domain), *_to_review(found.wording, how.file)))
    return found.wording


def _to_review(wording: Wording, file: Path | None) -> tuple[str, ...]:
    """Which texts a person should review; they are marked in the wording's source."""
    from pddl2nl.nl.wording.meaning import marked

    command = "" if file is None else f" (pddl2nl word review {file})"
    return tuple(
        f"the {item.kind.removesuffix('s')} '{item.name}' is said '{item.text}', which should be reviewed: "
        f"it {'; it '.join(item.reasons)}{command}"
        for item in marked(wording)
    )


def _made(how: HowToWord, domain: Domain) -> MadeModel:
    from pddl2nl.experiments.models import ModelContext, make_model
    from pddl2nl.nl import template_wording

    name = how.model
    if name is None:
        raise InputError("--wording llm asks a model: --model M (a model's name, script:FILE or replay:DIR)")
    if name.partition(":")[0] == "oracle":
        raise InputError("--model oracle plans and cannot word a domain: a model's name, script:FILE or replay:DIR can")
    made = make_model(name, ModelContext(domain, template_wording(domain), base_url=how.base_url, access=how.access))
    if how.limits.usd is not None and not made.priced:
        raise InputError(
            f"--max-usd needs to know what tokens cost, and for the model '{name}' this is not known; bound it with "
            "--max-tokens or --max-calls, or give its price in a file for --models"
        )
    return made


def _say_costs(made: MadeModel, calls: ModelCalls) -> None:
    account: Account | None = calls.spent.get("wording")
    if made.base_url is None or account is None:
        return
    sys.stderr.write(f"{made.model.name}: {account_text(account)}\n")


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
        save(self._so_far(), self.file)
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
def _progress(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error, where that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    # What rich takes for a terminal may be a file, where the environment asks for colours.
    shown = shown and sys.stderr.isatty()
    columns = (TextColumn("{task.description:<32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not shown) as progress:
        bar = progress.add_task("asking the model", total=None)
        yield lambda name, done, total: progress.update(bar, completed=done, total=total, description=name)


def save(wording: Wording, file: Path) -> None:
    """Writes a wording as JSON, whole or not at all."""
    text = json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n"
    if file.exists() and not file.is_file():
        # /dev/stdout, say.
        write_text_file(file, text)
        return
    # Renamed into place: if the process is killed now, either the old or the new file is there, whole.
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
