"""``pddl2nl tasks obfuscate`` and ``strip-costs``: a domain and its problems renamed, or without action costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFiles, option, switch
from pddl2nl.cli.output import print_result, print_warnings, warn, write_folder
from pddl2nl.errors import InputError
from pddl2nl.files import read_text

if TYPE_CHECKING:
    from pddl2nl.tasks.costs import StrippedCosts

_PLANS = "plans need no change: what was valid stays valid, and costs as much as it has steps"


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    obfuscate = (
        "Example: pddl2nl tasks obfuscate domain.pddl p01.pddl --plan p01.plan --scheme mystery --seed 7 --out mystery"
    )
    strip = "Example: pddl2nl tasks strip-costs domain.pddl p01.pddl p02.pddl --out no-costs"
    app.command("obfuscate", epilog=obfuscate)(_obfuscate)
    app.command("strip-costs", epilog=strip)(_strip_costs)


# ── obfuscate ────────────────────────────────────────────────────────────────────────────────────


def _obfuscate(
    domain: DomainFile,
    problems: ProblemFiles = None,
    plan: Annotated[list[Path] | None, option("PLAN", "A plan file to rename too; can be repeated.", "none")] = None,
    wording: Annotated[
        str | None,
        option(
            "default|template|FILE",
            "Convert this wording, whose sentences stay and tell what things are.",
            "the template's, of the new names",
        ),
    ] = None,
    scheme: Annotated[
        Literal["generic", "mystery", "random"] | None,
        option("", "New names: action1, words with another meaning, or letters and digits.", "generic"),
    ] = None,
    seed: Annotated[int, option("N", "Seed of the schemes mystery and random.")] = 1,
    objects: Annotated[bool, switch("--objects", "Rename objects and constants too.")] = False,
    reverse: Annotated[
        Path | None, option("MAPPING", "Restore the old names by the mapping.json written with the new ones.", "none")
    ] = None,
    out: Annotated[
        Path | None,
        option("DIR", "Folder for the files, wording.json and mapping.json.", "standard output", file_okay=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rename everything that a domain and its problems name, so that names have no meaning.

    Predicates, actions, types, functions, preferences, variables and the names of domain and problems are renamed,
    objects with --objects; comments are dropped. Verdicts on plans, and costs, stay the same. total-cost keeps its
    name, which planners know.

    --reverse mapping.json restores the old names, also in plans with the new names. Without --out, the texts and the
    mapping are printed.
    """
    from pddl2nl.nl import choose_wording
    from pddl2nl.pddl import load_domain, load_problem
    from pddl2nl.tasks.obfuscation import obfuscation
    from pddl2nl.tasks.renaming import RenamedFiles, read_mapping
    from pddlval import load_plan

    if reverse is not None and (scheme is not None or objects):
        raise typer.BadParameter("--reverse takes its names from the mapping: leave --scheme and --objects out")
    tree = load_domain(domain)
    trees = [load_problem(path, tree) for path in problems or ()]
    plans = [load_plan(path) for path in plan or ()]
    words = None if wording is None else choose_wording(wording, tree, domain)
    paths = [domain, *(problems or ()), *(plan or ())]
    if reverse is None:
        wordings = () if words is None else (words,)
        renaming = obfuscation(tree, trees, scheme=scheme or "generic", seed=seed, objects=objects, wordings=wordings)
        old_names = None
    else:
        renaming, old_names = read_mapping(reverse)
    renamed = RenamedFiles(paths, tree, trees, plans, words, renaming, old_names)
    if reverse is None and not objects and (names := renamed.telling_names):
        warn(f"objects keep their names ({', '.join(names[:3])}, …), which may tell; see --objects")
    texts = renamed.all_files()
    print_warnings(renamed.warnings)
    written = [] if out is None else write_folder(out, texts, paths)
    text = "\n".join(map(str, written)) if out is not None else renamed.as_text()
    print_result(renamed.as_json(out), text, as_json=as_json)


# ── strip-costs ──────────────────────────────────────────────────────────────────────────────────


def _strip_costs(
    domain: DomainFile,
    problems: ProblemFiles = None,
    every: Annotated[bool, switch("--all", "Remove uniform costs too.")] = False,
    wording: Annotated[
        str | None, option("default|template|FILE", "A wording to remove the functions from.", "none")
    ] = None,
    out: Annotated[
        Path | None, option("DIR", "Folder for all files under their own names.", "nothing is written", file_okay=False)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Remove action costs where they are not uniform: effects on total-cost, the metric, functions of costs alone.

    Costs are uniform where every action costs the same constant in every problem given; so give all problems that will
    be used. Other metrics, and a total-cost in conditions, are left as they are; the reason is printed. Plans need no
    change.
    """
    from pddl2nl.nl import choose_wording
    from pddl2nl.pddl import load_domain, load_problem
    from pddl2nl.tasks.costs import strip_costs

    tree = load_domain(domain)
    paths = [domain, *(problems or ())]
    stripped = strip_costs(tree, [load_problem(path, tree) for path in paths[1:]], every=every)
    words = None if wording is None else stripped.wording(choose_wording(wording, tree, domain)).to_json()
    print_warnings(stripped.warnings)
    written = [] if out is None else write_folder(out, _stripped_files(paths, stripped, words), paths)
    files = [{"file": str(path), "out": None if out is None else str(out / path.name)} for path in paths]
    data = {"domain": files[0], "problems": files[1:], **stripped.as_json(), "plans": _PLANS, "wording": words}
    print_result(data, "\n".join([_stripped_text(tree.name, stripped), *map(str, written)]), as_json=as_json)


def _stripped_text(name: str, stripped: StrippedCosts) -> str:
    if stripped.removed:
        gone = ", ".join(stripped.functions)
        return f"{name}: action costs removed, and with them {gone}: {stripped.reason}; {_PLANS}"
    what = {"none": "nothing to remove", "uniform": "uniform costs left (--all removes them)", "kept": "left as it is"}
    return f"{name}: {what[stripped.status]}: {stripped.reason}"


def _stripped_files(paths: Sequence[Path], stripped: StrippedCosts, words: dict[str, object] | None) -> dict[str, str]:
    """The texts by the names of their files, unchanged byte for byte where nothing was removed."""
    from pddl2nl.pddl import write_domain, write_problem

    if stripped.removed:
        texts = [write_domain(stripped.domain), *map(write_problem, stripped.problems)]
    else:
        texts = [read_text(path, errors="replace") for path in paths]
    names = [path.name for path in paths]
    if words is not None:
        names.append("wording.json")
        texts.append(json.dumps(words, indent=2, ensure_ascii=False) + "\n")
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise InputError(f"two files are called '{twice}', and --out can hold only one; rename one of them")
    return dict(zip(names, texts, strict=True))
