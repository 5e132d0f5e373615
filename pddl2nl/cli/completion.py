"""What the shell completes as values: domains and instances, policies, models, specifications.

Each function is for ``autocompletion=`` of an option or argument. Where none of its names fits, the shell completes
files. Values are looked up only when the shell asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer


def _completer(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _domains() -> Iterable[str]:
    from pddl2nl.tasks.shipped import domain_names

    return domain_names()


def _generators() -> Iterable[str]:
    from pddl2nl.tasks.generators import generators

    return generators()


def _policies() -> Iterable[str]:
    from pddl2nl.policies.policy import policy_names

    return policy_names()


def _models() -> Iterable[str]:
    from pddl2nl.experiments.models import MODELS

    return ["oracle", *(f"{name}:" for name in MODELS)]


def _specifications() -> Iterable[str]:
    from pddl2nl.experiments.specification.shipped import shipped_specs

    return [each.name for each in shipped_specs()]


domains = _completer(_domains)
generated_domains = _completer(_generators)
policies = _completer(_policies)
models = _completer(_models)
specifications = _completer(_specifications)


def task_files(context: typer.Context, incomplete: str) -> list[str]:
    """Completes the instances of the domain that is given already; a domain where none is."""
    given = context.params.get("domain") or next(iter(context.params.get("files") or ()), None)
    if given is None:
        return domains(incomplete)
    from pddl2nl.tasks.shipped import domain_names, shipped_domain

    # A shipped name may have become the path of its file.
    name = Path(given).parent.name or str(given)
    return _completer(lambda: [each.name for each in shipped_domain(name).instances] if name in domain_names() else [])(
        incomplete
    )
