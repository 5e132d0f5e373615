"""``pddl2nl obfuscate`` and ``strip-costs``: a domain with its problems under other names, or without action costs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFiles, option, switch
from pddl2nl.cli.output import print_json, print_result, print_text, print_warnings, write_folder
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text

if TYPE_CHECKING:
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Problem
    from pddl2nl.tasks.costs import StrippedCosts
    from pddl2nl.tasks.renaming import TaskRenaming
    from pddlval import Plan

__all__ = ["register"]

_TELLING = re.compile(r"[^\W\d_]{3}")
_APART = re.compile(r'[/\\:*?"<>|]')
_LONGEST_NAME = 100
_PLANS = "plans need no change: what was valid stays valid, and costs as much as it has steps"

Files = dict[str, str]
"""Texts by the names of their files."""


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    obfuscate = (
        "Example: pddl2nl obfuscate domain.pddl p01.pddl --plan p01.plan --scheme mystery --seed 7 --out mystery"
    )
    strip = "Example: pddl2nl strip-costs domain.pddl p01.pddl p02.pddl --out no-costs"
    app.command("obfuscate", epilog=obfuscate)(_obfuscate)
    app.command("strip-costs", epilog=strip)(_strip_costs)


# ── obfuscate ────────────────────────────────────────────────────────────────────────────────────


def _obfuscate(
    domain: DomainFile,
    problems: ProblemFiles = None,
    plan: Annotated[
        list[Path] | None, option("--plan", "PLAN", "A plan file to rename too; can be repeated.", "none")
    ] = None,
    wording: Annotated[
        str | None,
        option(
            "--wording",
            "default|template|FILE",
            "Convert this wording to the new names. Its sentences stay, and still tell what things are.",
            "the template's wording of the new names",
        ),
    ] = None,
    scheme: Annotated[
        Literal["generic", "mystery", "random"] | None,
        option(
            "--scheme",
            "generic|mystery|random",
            "New names: generic (action1, predicate1, …), mystery (words with another meaning) or random (letters and "
            "digits).",
            "generic",
        ),
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Seed of the schemes mystery and random.")] = 1,
    objects: Annotated[bool, switch("--objects", "Rename objects and constants too.")] = False,
    reverse: Annotated[
        Path | None,
        option("--reverse", "MAPPING", "Restore the old names by the mapping.json written with the new ones.", "none"),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "--out",
            "DIR",
            "Write domain.pddl, problem1.pddl, …, plan1.plan, …, wording.json and mapping.json here.",
            "standard output",
            file_okay=False,
        ),
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
    from pddl2nl.nl import check_wording, choose_wording, template_wording
    from pddl2nl.pddl import load_domain, load_problem, write_domain, write_problem
    from pddl2nl.tasks.obfuscation import obfuscation
    from pddl2nl.tasks.renaming import plan_text
    from pddlval import load_plan

    if reverse is not None and (scheme is not None or objects):
        raise typer.BadParameter("--reverse takes its names from the mapping: leave --scheme and --objects out")
    tree = load_domain(domain)
    trees = [load_problem(path, tree) for path in problems or ()]
    plans = [load_plan(path) for path in plan or ()]
    given = None if wording is None else choose_wording(wording, tree, domain)
    old_names: Files = {}
    if reverse is None:
        options: dict[str, Any] = {"scheme": scheme or "generic", "seed": seed, "objects": objects}
        renaming = obfuscation(tree, trees, wordings=() if given is None else (given,), **options)
        if not objects:
            print_warnings(_telling([*(item.name for item in tree.constants), *_objects(trees)]))
    else:
        renaming, old_names = _read_mapping(reverse)
    print_warnings(_unknown(plan or (), plans, renaming))

    renamed = renaming.domain(tree)
    texts = [write_domain(renamed), *(write_problem(renaming.problem(each)) for each in trees)]
    texts += [plan_text(renaming.plan(each)) for each in plans]
    paths = [domain, *(problems or ()), *(plan or ())]
    files = dict(zip(_names(paths, len(trees), old_names), texts, strict=True))
    words: Wording | None = None
    if given is not None:
        words = check_wording(renaming.wording(given), renamed)
    elif reverse is None:
        words = template_wording(renamed)
    mapping = {**renaming.as_json(), "files": {new: old.name for new, old in zip(files, paths, strict=True)}}
    all_files = dict(files)
    if words is not None:
        all_files["wording.json"] = _json_text(words.to_json())
    if reverse is None:
        all_files["mapping.json"] = _json_text(mapping)
    written = [] if out is None else write_folder(out, all_files, paths)
    if as_json:
        entries = [
            {"file": str(path), "out": None if out is None else str(out / name), "text": text}
            for path, (name, text) in zip(paths, files.items(), strict=True)
        ]
        print_json(
            {
                "reversed": reverse is not None,
                "scheme": renaming.scheme,
                "seed": renaming.seed,
                "domain": entries[0],
                "problems": entries[1 : 1 + len(trees)],
                "plans": entries[1 + len(trees) :],
                "wording": None if words is None else words.to_json(),
                "mapping": mapping,
            }
        )
    elif out is not None:
        print_text("\n".join(map(str, written)))
    else:
        shown = files if given is None else {**files, "wording.json": all_files["wording.json"]}
        print_text("".join(f"; {name}\n{text}\n" for name, text in shown.items()) + _mapping_text(renaming))


def _read_mapping(path: Path) -> tuple[TaskRenaming, Files]:
    """The inverse of the renaming that a mapping.json holds, and the old names of the files."""
    from pddl2nl.tasks.renaming import renaming_from_json

    data = parse_json(read_text(path), str(path))
    renaming = renaming_from_json(data, str(path))
    files = data.get("files")
    named = files.items() if isinstance(files, dict) else ()
    # Plain file names only: a mapping must not write outside of --out.
    return renaming.inverse, {new: old for new, old in named if isinstance(old, str) and _is_file_name(old)}


def _is_file_name(name: str) -> bool:
    """Whether every system takes this for the name of a file in the folder itself."""
    return (
        name.isprintable() and name.strip(". ") == name != "" and not _APART.search(name) and len(name) < _LONGEST_NAME
    )


def _names(paths: Sequence[Path], problems: int, old: Files) -> list[str]:
    """The names of the files to write: the old ones if all are known and different."""
    plain = ["domain.pddl", *(f"problem{number}.pddl" for number in range(1, problems + 1))]
    plain += [f"plan{number}.plan" for number in range(1, len(paths) - problems)]
    before = [old.get(path.name, name) for path, name in zip(paths, plain, strict=True)]
    return before if len({*before, "wording.json", "mapping.json"}) == len(before) + 2 else plain


def _objects(problems: Sequence[Problem]) -> Iterator[str]:
    return (item.name for problem in problems for item in problem.objects)


def _telling(objects: Sequence[str]) -> Iterator[str]:
    names = [name for name in dict.fromkeys(objects) if _TELLING.search(name)]
    if names:
        yield f"objects keep their names ({', '.join(names[:3])}, …), which may tell; see --objects"


def _unknown(paths: Sequence[Path], plans: Sequence[Plan], renaming: TaskRenaming) -> Iterator[str]:
    for path, plan in zip(paths, plans, strict=True):
        if unknown := renaming.unknown(plan):
            yield f"{path}: {', '.join(unknown)}: not in the domain or problems given; such names stay"


def _mapping_text(renaming: TaskRenaming) -> str:
    tables = renaming.tables()
    lines = [f"; {kind}: {old} -> {new}" for kind, table in tables.items() for old, new in table.items()]
    return "\n".join(["; the mapping (variables: see --json or --out)", *lines]) + "\n"


def _json_text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


# ── strip-costs ──────────────────────────────────────────────────────────────────────────────────


def _strip_costs(
    domain: DomainFile,
    problems: ProblemFiles = None,
    every: Annotated[bool, switch("--all", "Remove uniform costs too.")] = False,
    wording: Annotated[
        str | None,
        option(
            "--wording", "default|template|FILE", "A wording of the domain, to remove the same functions from.", "none"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "--out",
            "DIR",
            "Write the files here under their own names, unchanged ones too.",
            "only say what would be done",
            file_okay=False,
        ),
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


def _stripped_files(paths: Sequence[Path], stripped: StrippedCosts, words: dict[str, object] | None) -> Files:
    """The texts by the names of their files, unchanged byte for byte where nothing was removed."""
    from pddl2nl.pddl import write_domain, write_problem

    if stripped.removed:
        texts = [write_domain(stripped.domain), *map(write_problem, stripped.problems)]
    else:
        texts = [read_text(path, errors="replace") for path in paths]
    names = [path.name for path in paths]
    if words is not None:
        names.append("wording.json")
        texts.append(_json_text(words))
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise InputError(f"two files are called '{twice}', and --out can hold only one; rename one of them")
    return dict(zip(names, texts, strict=True))
