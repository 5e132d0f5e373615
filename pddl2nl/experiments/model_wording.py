"""A wording by a model, outside of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pddl2nl.experiments.models import Access, ModelContext, calls_of
from pddl2nl.files import check_writable, replaced_file
from pddl2nl.llm import ReplyPendingError
from pddl2nl.nl import Wording, template_wording, word_domain, wording_warnings
from pddl2nl.nl.wording.review import marked
from pddl2nl.pddl import Domain
from pddl2nl.policies.budget import Account, Limits


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
        file: where the caller will save it; checked before anything is paid for, and named in warnings.
        on_spent: told at the end what a model behind an endpoint cost.
        options: of `pddl2nl.nl.word_domain`.

    Raises:
        InputError: a model that cannot word.
        InfrastructureError: the endpoint failed, or the file cannot be written.
        LimitReachedError: a limit is reached.
        ReplyPendingError: a batch will bring the replies; to be called again then.
    """
    context = ModelContext(domain, template_wording(domain), base_url=base_url, access=access)
    made, calls = calls_of("wording", model, context, limits)
    if file is not None:
        check_writable(file)

    def tell_costs() -> None:
        account = calls.spent.get("wording")
        if made.base_url is not None and account is not None:
            on_spent(made.model.name, account)

    try:
        worded = word_domain(domain, calls.model("wording"), **options)
    except ReplyPendingError:
        raise
    except BaseException:
        tell_costs()
        if made.base_url is not None and access.cache is not None:
            access.warn("the replies so far are in the cache; the same command continues from there")
        raise
    tell_costs()
    review = "" if file is None else f" (pddl2nl word review {file})"
    for warning in (*worded.warnings(), *wording_warnings(worded.wording, domain)):
        access.warn(warning)
    for item in marked(worded.wording):
        kind, reasons = item.kind.removesuffix("s"), "; it ".join(item.reasons)
        access.warn(f"the {kind} '{item.name}' is said '{item.text}', which should be reviewed: it {reasons}{review}")
    return worded.wording


def save_whole(wording: Wording, file: Path) -> None:
    """Writes a wording file whole or not at all."""
    with replaced_file(file) as stream:
        stream.write(json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n")
