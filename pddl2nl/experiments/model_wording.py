"""A wording by a model, outside of a run: saved in a file while it is made, and continued from there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.models import Access, ModelContext, calls_of
from pddl2nl.files import check_writable, replaced_file
from pddl2nl.llm import ReplyPendingError
from pddl2nl.nl import Wording, load_wording, template_wording, word_domain, wording_warnings
from pddl2nl.nl.wording.review import marked
from pddl2nl.pddl import Domain
from pddl2nl.policies.budget import Account, Limits

_SECONDS_BETWEEN_WRITES = 1.0


def word_with_model(
    domain: Domain,
    model: str,
    access: Access,
    limits: Limits,
    *,
    base_url: str | None = None,
    file: Path | None = None,
    on_spent: Callable[[str, Account], None] = lambda name, account: None,
    **options: Any,
) -> Wording:
    """The wording of a domain by a model.

    Args:
        domain: the domain.
        model: as for ``--model``; ``access`` and ``base_url`` say how it is reached. Warnings go to ``access.warn``.
        limits: of calls, tokens and money.
        file: where finished snippets are saved when something ends the call early, Ctrl-C included; an unfinished
            wording there is continued.
        on_spent: told at the end what a model behind an endpoint cost.
        options: of `pddl2nl.nl.word_domain`.

    Raises:
        InputError: a model that cannot word, or an unfinished wording of another model in the file.
        InfrastructureError: the endpoint failed, or the file cannot be written.
        LimitReachedError: a limit is reached.
        ReplyPendingError: a batch will bring the replies; to be called again then.
    """
    context = ModelContext(domain, template_wording(domain), base_url=base_url, access=access)
    made, calls = calls_of("wording", model, context, limits)
    unfinished = None if file is None else _Unfinished(file, domain)
    start = None if unfinished is None else unfinished.load()

    def tell_costs() -> None:
        account = calls.spent.get("wording")
        if made.base_url is not None and account is not None:
            on_spent(made.model.name, account)

    try:
        worded = word_domain(domain, calls.model("wording"), keep=unfinished, start_from=start, **options)
    except BaseException as error:
        if not isinstance(error, ReplyPendingError):
            if unfinished is not None and unfinished.save():
                access.warn(f"what is finished is kept in {file}; the same command continues from there")
            tell_costs()
        raise
    tell_costs()
    review = "" if file is None else f" (pddl2nl word review {file})"
    for warning in (*worded.warnings(), *wording_warnings(worded.wording, domain)):
        access.warn(warning)
    for item in marked(worded.wording):
        kind, reasons = item.kind.removesuffix("s"), "; it ".join(item.reasons)
        access.warn(f"the {kind} '{item.name}' is said '{item.text}', which should be reviewed: it {reasons}{review}")
    return worded.wording


class _Unfinished:
    """The file of an unfinished wording.

    It is written every second at most, since the wording of a grounded domain has thousands of snippets.

    Raises:
        InputError, InfrastructureError: nothing can be written there; found before anything is paid for.
    """

    def __init__(self, file: Path, domain: Domain):
        self._file, self._domain = file, domain
        self._so_far: Callable[[], Wording] | None = None
        self._written = time.monotonic()
        check_writable(file)

    def load(self) -> Wording | None:
        try:
            wording = load_wording(self._file, self._domain)
        except InputError:
            # No file, or another one, which the wording replaces.
            return None
        return wording if wording.source.get("method") == "llm" and wording.source.get("unfinished") else None

    def __call__(self, so_far: Callable[[], Wording]) -> None:
        self._so_far = so_far
        if time.monotonic() - self._written >= _SECONDS_BETWEEN_WRITES:
            self.save()

    def save(self) -> bool:
        """Writes the wording so far; returns whether there is one."""
        if self._so_far is None:
            return False
        save_whole(self._so_far(), self._file)
        self._written = time.monotonic()
        return True


def save_whole(wording: Wording, file: Path) -> None:
    """Writes a wording file whole or not at all."""
    with replaced_file(file) as stream:
        stream.write(json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n")
