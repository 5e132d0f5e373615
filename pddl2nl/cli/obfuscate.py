"""``pddl2nl obfuscate``: a domain, problems, plans and a wording under names that tell nothing, and back again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.files import DomainFile, problem_files
from pddl2nl.cli.folder import write_folder
from pddl2nl.cli.output import print_json, print_text, print_warnings, read_text_argument
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError
from pddl2nl.files import unreadable

if TYPE_CHECKING:
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain, Problem
    from pddl2nl.tasks.renaming import TaskRenaming
    from pddlval import Plan

__all__ = ["register"]

_EPILOG = "Example: pddl2nl obfuscate domain.pddl p01.pddl --plan p01.plan --scheme mystery --seed 7 --out mystery"
_SCHEMES = "generic (action1, predicate1, …), mystery (words that mean something else) or random (letters and digits)"
_TELLING = re.compile(r"[^\W\d_]{3}")
_APART = re.compile(r'[/\\:*?"<>|]')
_LONG = 100


@dataclass(frozen=True)
class _Inputs:
    """What was read, and from where."""

    domain_path: Path
    domain: Domain
    problem_paths: Sequence[Path]
    problems: Sequence[Problem]
    plan_paths: Sequence[Path]
    plans: Sequence[Plan]
    wording: Wording | None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files of tasks and plans."""
        return (self.domain_path, *self.problem_paths, *self.plan_paths)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("obfuscate", epilog=_EPILOG)(_obfuscate)


def _obfuscate(
    domain: DomainFile,
    problems: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PROBLEM]...", show_default=False, help="Its problem files; any number.", callback=problem_files
        ),
    ] = None,
    plan: Annotated[
        list[Path] | None, typer.Option(metavar="PLAN", help="A plan file to rename too; may be given again.")
    ] = None,
    wording: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Carry this wording over to the new names. Its sentences stay, and still tell what things are.",
            show_default="the template's wording of the new names",
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(metavar="generic|mystery|random", help=f"New names: {_SCHEMES}.", show_default="generic"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of mystery and random.")] = 1,
    objects: Annotated[
        bool, typer.Option("--objects", help="Rename objects and constants too.", show_default="they keep their names")
    ] = False,
    reverse: Annotated[
        Path | None,
        typer.Option(metavar="MAPPING", help="Go the way back: the mapping.json that was written with the new names."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            file_okay=False,
            help="Write domain.pddl, problem1.pddl, …, plan1.plan, …, wording.json and mapping.json here.",
            show_default="standard output",
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
    from pddl2nl.tasks.obfuscation import obfuscation

    if reverse is not None and (scheme is not None or objects):
        raise typer.BadParameter("--reverse takes its names from the mapping: leave --scheme and --objects out")
    inputs = _read(domain, problems or [], plan or [], wording)
    wordings = () if inputs.wording is None else (inputs.wording,)
    files: Mapping[str, str] = {}
    if reverse is None:
        renaming = obfuscation(
            inputs.domain,
            inputs.problems,
            scheme=scheme or "generic",
            seed=seed,
            objects=objects,
            wordings=wordings,
        )
        print_warnings(_telling(inputs, objects))
    else:
        renaming, files = _mapping(reverse)
        renaming = renaming.inverse
    print_warnings(_unknown(inputs, renaming))
    _Output(inputs, renaming, reverse is not None, files).give(out, as_json, wording is not None)


def _read(domain_path: Path, problem_paths: list[Path], plan_paths: list[Path], wording: str | None) -> _Inputs:
    from pddl2nl.nl import choose_wording
    from pddl2nl.pddl import load_domain, load_problem
    from pddlval import load_plan

    domain = load_domain(domain_path)
    problems = [load_problem(path, domain) for path in problem_paths]
    plans = [load_plan(path) for path in plan_paths]
    chosen = None if wording is None else choose_wording(wording, domain, domain_path)
    return _Inputs(domain_path, domain, problem_paths, problems, plan_paths, plans, chosen)


def _mapping(path: Path) -> tuple[TaskRenaming, Mapping[str, str]]:
    from pddl2nl.tasks.renaming import renaming_from_json

    try:
        data = json.loads(read_text_argument(str(path)))
    except (ValueError, RecursionError) as error:
        reason = unreadable(error)
        raise InputError(f"{path}: no JSON ({reason}); expected the mapping.json of pddl2nl obfuscate --out") from None
    renaming = renaming_from_json(data, str(path))
    files = data.get("files")
    named = files.items() if isinstance(files, dict) else ()
    # A plain file name only, whatever stands there: a mapping must not write outside of --out.
    return renaming, {new: old for new, old in named if isinstance(old, str) and _is_file_name(old)}


def _is_file_name(name: str) -> bool:
    """Whether every system takes this for the name of a file in the folder itself."""
    return name.isprintable() and name.strip(". ") == name != "" and not _APART.search(name) and len(name) < _LONG


def _telling(inputs: _Inputs, objects: bool) -> list[str]:
    named = [] if objects else [*inputs.domain.constants, *(item for one in inputs.problems for item in one.objects)]
    names = [item.name for item in named if _TELLING.search(item.name)]
    if not names:
        return []
    return [f"objects keep their names ({', '.join(dict.fromkeys(names[:3]))}, …), which may tell; see --objects"]


def _unknown(inputs: _Inputs, renaming: TaskRenaming) -> list[str]:
    return [
        f"{path}: {', '.join(unknown)}: not in the domain or problems given; such names stay"
        for path, plan in zip(inputs.plan_paths, inputs.plans, strict=True)
        if (unknown := renaming.unknown(plan))
    ]


class _Output:
    """All that was renamed, as texts under their file names."""

    def __init__(self, inputs: _Inputs, renaming: TaskRenaming, back: bool, files: Mapping[str, str]):
        from pddl2nl.nl import check_wording, template_wording
        from pddl2nl.pddl import write_domain, write_problem
        from pddl2nl.tasks.renaming import plan_text

        self._inputs, self._renaming, self._back = inputs, renaming, back
        domain = renaming.domain(inputs.domain)
        texts = [
            write_domain(domain),
            *(write_problem(renaming.problem(problem)) for problem in inputs.problems),
            *(plan_text(renaming.plan(plan)) for plan in inputs.plans),
        ]
        self._texts = dict(zip(self._names(files), texts, strict=True))
        self.wording: Wording | None = None
        if inputs.wording is not None:
            self.wording = check_wording(renaming.wording(inputs.wording), domain)
        elif not back:
            self.wording = template_wording(domain)

    def _names(self, files: Mapping[str, str]) -> list[str]:
        problems = [f"problem{number}.pddl" for number in range(1, len(self._inputs.problems) + 1)]
        plans = [f"plan{number}.plan" for number in range(1, len(self._inputs.plans) + 1)]
        plain = ["domain.pddl", *problems, *plans]
        before = [files.get(path.name, name) for path, name in zip(self._inputs.paths, plain, strict=True)]
        taken = {"wording.json", "mapping.json"}
        return before if len({*before, *taken}) == len(before) + len(taken) else plain

    def give(self, out: Path | None, as_json: bool, worded: bool) -> None:
        """Writes or prints it all."""
        paths = [] if out is None else write_folder(out, self._files(), self._inputs.paths)
        if as_json:
            print_json(self._data(out))
        elif out is not None:
            print_text("\n".join(map(str, paths)))
        else:
            shown = {**self._texts, **({"wording.json": self._worded()} if worded else {})}
            print_text("".join(f"; {name}\n{text}\n" for name, text in shown.items()) + self._told_mapping())

    def _files(self) -> dict[str, str]:
        files = dict(self._texts)
        if self.wording is not None:
            files["wording.json"] = self._worded()
        if not self._back:
            files["mapping.json"] = json.dumps(self._mapping_data(), indent=2, ensure_ascii=False) + "\n"
        return files

    def _worded(self) -> str:
        return json.dumps(None if self.wording is None else self.wording.to_json(), indent=2, ensure_ascii=False) + "\n"

    def _mapping_data(self) -> dict[str, object]:
        files = {new: old.name for new, old in zip(self._texts, self._inputs.paths, strict=True)}
        return {**self._renaming.as_json(), "files": files}

    def _data(self, out: Path | None) -> dict[str, object]:
        def entry(number: int) -> dict[str, object]:
            name, text = list(self._texts.items())[number]
            written = None if out is None else str(out / name)
            return {"file": str(self._inputs.paths[number]), "out": written, "text": text}

        problems, plans = len(self._inputs.problems), len(self._inputs.plans)
        return {
            "reversed": self._back,
            "scheme": self._renaming.scheme,
            "seed": self._renaming.seed,
            "domain": entry(0),
            "problems": [entry(number) for number in range(1, 1 + problems)],
            "plans": [entry(number) for number in range(1 + problems, 1 + problems + plans)],
            "wording": None if self.wording is None else self.wording.to_json(),
            "mapping": self._mapping_data(),
        }

    def _told_mapping(self) -> str:
        tables = self._renaming.tables()
        lines = [f"; {kind}: {old} -> {new}" for kind, table in tables.items() for old, new in table.items()]
        return "\n".join(["; the mapping (variables: see --json or --out)", *lines]) + "\n"
