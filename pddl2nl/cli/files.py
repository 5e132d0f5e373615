"""Arguments that name a domain, a problem or both: paths, or names of shipped domains and their instances."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.errors import InputError

__all__ = [
    "DomainFile",
    "OptionalProblemFile",
    "ProblemFile",
    "check_order",
    "domain_file",
    "problem_file",
    "problem_files",
]

_HEAD = 4096
_DEFINES = re.compile(rb"\(\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)


def domain_file(name: str) -> str:
    """The path of a domain: `name` itself, or the file of the shipped domain with that name.

    Raises:
        InputError: a plain name that is neither a file nor a shipped domain.
    """
    if os.path.isfile(name) or not _is_plain(name):
        return name
    from pddl2nl.tasks.shipped import find_domain

    return str(find_domain(name))


def problem_file(name: str, domain: str) -> str:
    """The path of a problem: `name` itself, or the file of a shipped domain's instance with that name.

    Args:
        name: a path, or the name of an instance.
        domain: the path of the domain, from `domain_file`.

    Raises:
        InputError: a plain name that is neither a file nor an instance of the shipped domain.
    """
    if os.path.exists(name) or not _is_plain(name):
        return name
    from pddl2nl.tasks.shipped import find_instance

    return str(find_instance(name, Path(domain)))


def _is_plain(name: str) -> bool:
    """Whether a text can be a name: no folders and no ending, as ``blocksworld`` and ``p01``."""
    return name != "-" and not os.path.dirname(name) and not os.path.splitext(name)[1]


def check_order(domain: str, problem: str) -> None:
    """Raises `InputError` if the domain argument is a problem file and the problem argument a domain file."""
    if _defines(domain) == b"problem" and _defines(problem) == b"domain":
        raise InputError(f"{domain} is a problem file and {problem} is a domain file; swap them?")


def _defines(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return b""
    found = _DEFINES.search(re.sub(rb";[^\n]*", b"", head))
    return found[1].lower() if found is not None else b""


def _domain(value: Path) -> Path:
    return Path(domain_file(str(value)))


def _problem(context: typer.Context, value: Path | None) -> Path | None:
    domain = context.params.get("domain")
    if value is None or domain is None:
        return value
    found = problem_file(str(value), str(domain))
    check_order(str(domain), found)
    return Path(found)


def problem_files(context: typer.Context, value: list[Path] | None) -> list[Path] | None:
    """The callback of an argument with several problems; the domain is the argument ``domain``."""
    domain = context.params.get("domain")
    return value if value is None or domain is None else [Path(problem_file(str(each), str(domain))) for each in value]


_PROBLEM_HELP = "The problem file, or the name of a shipped domain's instance."
DomainFile = Annotated[
    Path,
    typer.Argument(metavar="DOMAIN", help="The domain file, or the name of a shipped domain.", callback=_domain),
]
ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM", help=_PROBLEM_HELP, callback=_problem)]
OptionalProblemFile = Annotated[Path | None, typer.Argument(metavar="PROBLEM", help=_PROBLEM_HELP, callback=_problem)]
