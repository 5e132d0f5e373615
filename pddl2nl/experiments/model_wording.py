"""A wording by a model, and its review by one, outside of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pddl2nl.experiments.models import Access, ModelContext, calls_of
from pddl2nl.files import check_writable, replaced_file
from pddl2nl.llm import Model, ReplyPendingError
from pddl2nl.nl import Wording, template_wording, word_domain, wording_warnings
from pddl2nl.nl.wording.back_translation import BackTranslation, back_translate
from pddl2nl.nl.wording.review import marked
from pddl2nl.pddl import Domain
from pddl2nl.policies.budget import Account, Limits

OnSpent = Callable[[str, Account], None]


def _no_report(name: str, account: Account) -> None:
    pass


@contextmanager
def _asked(
    model: str, domain: Domain, access: Access, limits: Limits, base_url: str | None, on_spent: OnSpent
) -> Iterator[Model]:
    """The model of the role wording; its costs are told at the end."""
    context = ModelContext(domain, template_wording(domain), base_url=base_url, access=access)
    made, calls = calls_of("wording", model, context, limits)

    def tell_costs() -> None:
        account = calls.spent.get("wording")
        if made.base_url is not None and account is not None:
            on_spent(made.model.name, account)

    try:
        yield calls.model("wording")
    except ReplyPendingError:
        raise
    except BaseException:
        tell_costs()
        if made.base_url is not None and access.cache is not None:
            access.warn("the replies so far are in the cache; the same command continues from there")
        raise
    tell_costs()


def word_with_model(
    domain: Domain,
    model: str,
    access: Access,
    limits: Limits,
    *,
    base_url: str | None = None,
    file: Path | None = None,
    on_spent: OnSpent = _no_report,
    verify: bool = False,
    **options: Any,
) -> Wording:
    """The wording of a domain by a model.

    Args:
        domain: the domain.
        model: as for ``--model``; ``access`` and ``base_url`` say how it is reached. Warnings go to ``access.warn``.
        limits: of calls, tokens and money.
        file: where the caller will save it; checked before anything is paid for, and named in warnings.
        on_spent: told at the end what a model behind an endpoint cost.
        verify: have the model read its own snippets back (`pddl2nl.nl.wording.back_translation`).
        options: of `pddl2nl.nl.word_domain`.

    Raises:
        InputError: a model that cannot word.
        InfrastructureError: the endpoint failed, or the file cannot be written.
        LimitReachedError: a limit is reached.
        ReplyPendingError: a batch will bring the replies; to be called again then.
    """
    with _asked(model, domain, access, limits, base_url, on_spent) as asked:
        if file is not None:
            check_writable(file)
        worded = word_domain(domain, asked, **options)
        wording = worded.wording
        if verify:
            shared = {
                name: options[name] for name in ("seed", "temperature", "max_tokens", "on_progress") if name in options
            }
            back = back_translate(wording, domain, asked, **shared)
            wording = back.marked(wording, marked(wording))
    review = "" if file is None else f" (pddl2nl word review {file})"
    for warning in (*worded.warnings(), *wording_warnings(wording, domain)):
        access.warn(warning)
    for item in marked(wording):
        kind, reasons = item.kind.removesuffix("s"), "; it ".join(item.reasons)
        access.warn(f"the {kind} '{item.name}' is said '{item.text}', which should be reviewed: it {reasons}{review}")
    return wording


def read_back_with_model(
    wording: Wording,
    domain: Domain,
    model: str,
    access: Access,
    limits: Limits,
    *,
    base_url: str | None = None,
    file: Path | None = None,
    on_spent: OnSpent = _no_report,
    **options: Any,
) -> BackTranslation:
    """How a model understands the snippets of a wording; arguments and errors are those of `word_with_model`.

    ``options`` are those of `pddl2nl.nl.wording.back_translation.back_translate`.
    """
    with _asked(model, domain, access, limits, base_url, on_spent) as asked:
        if file is not None:
            check_writable(file)
        return back_translate(wording, domain, asked, **options)


def save_whole(wording: Wording, file: Path) -> None:
    """Writes a wording file whole or not at all."""
    with replaced_file(file) as stream:
        stream.write(json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n")
