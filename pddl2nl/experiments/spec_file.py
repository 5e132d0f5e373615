"""The specification of an experiment: a TOML file, read and checked as a whole before anything runs.

::

    name = "small"
    domains = ["blocksworld", {suite = "benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m"}]
    instances = ["p01", "p02"]          # of the shipped domains; all but the example by default
    models = ["gpt-4o-2024-08-06"]
    wordings = ["default", "template"]  # default, template, llm, or a file
    seeds = [1, 2, 3, 4, 5]
    baselines = ["ff", "lmcut"]
    profile = "autoplanbench"           # named values for what is not given here
    base_url = "http://localhost:8000/v1"
    policies = ["basic", "react", "random"]     # these and
    styles = ["nl", "pddl"]                     # these multiply; or else columns are named:

    [[columns]]
    name = "Act"                        # see pddl2nl.experiments.spec_columns
    policy = "act"

    [[tables]]
    kind = "coverage"                   # what the experiment ends in: coverage, suites, families, tokens, hvr, …

    [options]                           # as of pddl2nl run: names, translator, example, steps, …
    [budgets]                           # of the whole experiment: usd, calls, tokens
    [access]                            # workers, requests_per_minute, tokens_per_minute, models
    [variables]                         # see pddl2nl.experiments.spec_variables
    [cluster]                           # workers, and arguments of Dask's deployments

What may stand in ``domains``: `pddl2nl.experiments.spec_domains`. Paths are relative to the file. Columns are run on
domains (`pddl2nl.experiments.product`), once what needs a planner is decided (`pddl2nl.experiments.solved_by`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pddl2nl.baselines import BASELINES
from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.experiments.profiles import PROFILES, SEEDS, WALK_SEEDS, profile
from pddl2nl.experiments.spec_columns import (
    COLUMN,
    SYMBOLIC,
    TITLES,
    ColumnEntries,
    Defaults,
    SpecColumn,
    among,
    zipped,
)
from pddl2nl.experiments.spec_domains import DomainEntries
from pddl2nl.experiments.spec_headings import headed
from pddl2nl.experiments.spec_options import OPTIONS, PLANNER_OPTIONS, References
from pddl2nl.experiments.spec_overrides import Overrides, fallen_back, fewer_seeds, fewer_tasks
from pddl2nl.experiments.spec_parts import SpecDomain, SpecTask
from pddl2nl.experiments.spec_tables import layout_tables
from pddl2nl.experiments.spec_variables import VARIABLES, fill_variables
from pddl2nl.experiments.spec_wordings import worded
from pddl2nl.experiments.toml_places import Kind, TOMLText, choice, list_of, near, number, shown, text, whole
from pddl2nl.llm import public_url
from pddl2nl.llm.urls import host_of
from pddl2nl.policies import POLICIES
from pddl2nl.policies.budget import Limits
from pddl2nl.tasks import shipped_domains

__all__ = ["ExperimentSpec", "Overrides", "SpecColumn", "SpecDomain", "SpecTask", "load_experiment"]

PLANNER_SECONDS = 1800
"""The time limit of a baseline unless the file says another: that of the planning competitions."""

_TOP: dict[str, Kind] = {
    "name": text,
    "domains": list_of(
        Kind("a shipped domain's name, {domain = FILE, problems = [FILES]} or {suite = FOLDER}", lambda value: True)
    ),
    "instances": list_of(text),
    "policies": list_of(choice(POLICIES)),
    "models": list_of(text),
    "wordings": list_of(Kind("default, template, llm or a file", text.accepts)),
    "styles": list_of(choice(("nl", "pddl"))),
    "seeds": list_of(whole(0)),
    "baselines": list_of(choice(name for name in BASELINES if name != "random")),
    "profile": choice(PROFILES),
    "base_url": text,
    **{
        key: list_of(Kind(f"a table [[{key}]]", lambda value: isinstance(value, dict))) for key in ("columns", "tables")
    },
    "zip": Kind(
        "a table such as zip = { seed = [1, 2], wording = [FILE, FILE] }", lambda value: isinstance(value, dict)
    ),
    **{
        table: Kind(f"a table [{table}]", lambda value: True)
        for table in ("options", "budgets", "access", "cluster", VARIABLES)
    },
}
_MEMBERS: dict[str, Kind] = {
    "instances": text,
    "policies": choice(POLICIES),
    "models": text,
    "wordings": text,
    "styles": choice(("nl", "pddl")),
    "seeds": whole(0),
    "baselines": choice(name for name in BASELINES if name != "random"),
}
_BUDGETS: dict[str, Kind] = {"usd": number(0), "calls": whole(0), "tokens": whole(0)}
_ABOVE_ZERO = Kind("a number above 0", lambda value: number(0).accepts(value) and value > 0)
_ACCESS: dict[str, Kind] = {
    "workers": whole(1),
    "requests_per_minute": _ABOVE_ZERO,
    "tokens_per_minute": _ABOVE_ZERO,
    "models": text,
}
_TABLES = {"options": {**OPTIONS, **PLANNER_OPTIONS}, "budgets": _BUDGETS, "access": _ACCESS}
_ELSEWHERE = {
    **dict.fromkeys(COLUMN, "in an entry [[columns]]"),
    **{key: f"in the table [{table}]" for table, kinds in _TABLES.items() for key in kinds},
    **dict.fromkeys(_TOP, "at the top, above all tables"),
    # The names of budgets before they were told apart from the length of a reply.
    "max_usd": "in the table [budgets], where it is called usd",
    "max_calls": "in the table [budgets], where it is called calls",
    "max_tokens": "in the table [options], as the longest reply; the budget of tokens is [budgets] tokens",
}


@dataclass(frozen=True)
class ExperimentSpec:
    """What the file says, checked, with its defaults filled in.

    Attributes:
        columns: of policies, in the order of the file; those of ``baselines`` follow them in tables.
        policies, models, wordings, styles: those of all columns.
        walk_seeds: those of policies that ask no model; others only where the file gives none and a profile has them.
        options: fields of `RunSpec` that were given, ``planner_seconds`` and ``planner_memory`` (MB).
        given: which fields of `RunSpec` the file decides, so that no profile does.
        workers: how many runs at once; None where the file does not say.
        file: the file itself, in which whatever is found wrong later is pointed at.
        named: the key under which the file names a model, and what it calls it there.
        left_out: combinations that there are not, and tasks that are not run, each as a sentence.
        notes: what a person should look at, each as a sentence: pairings of files that are guesses.
        tables: what the experiment ends in.
        cluster: what the file says of a cluster, for Dask.
        overrides: what the command line said in the file's place.
    """

    name: str
    path: Path
    domains: tuple[SpecDomain, ...]
    columns: tuple[SpecColumn, ...]
    policies: tuple[str, ...]
    models: tuple[str, ...]
    wordings: tuple[str, ...]
    styles: tuple[str, ...]
    seeds: tuple[int, ...]
    walk_seeds: tuple[int, ...]
    baselines: tuple[str, ...]
    profile: str | None
    base_url: str | None
    options: Mapping[str, Any]
    given: frozenset[str]
    budget: Limits
    workers: int | None
    requests_per_minute: float | None
    tokens_per_minute: float | None
    models_file: Path | None
    file: TOMLText = field(repr=False, compare=False)
    named: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[LayoutTable, ...] = ()
    cluster: Mapping[str, Any] = field(default_factory=dict)
    overrides: Overrides = field(default_factory=Overrides)

    def wrong_model(self, model: str, message: str) -> None:
        """Notes an error in the file where it names the model; where it does not, the profile has done so."""
        if model == self.overrides.model:
            self.file.wrong(f"--model {model}: {message}")
            return
        keys, value = self.named.get(model, (("profile",), None))
        self.file.wrong(f"model '{value or model}': {message}", *keys, value=value)


def load_experiment(path: str | Path, overrides: Overrides | None = None) -> ExperimentSpec:
    """The experiment that a file specifies.

    Args:
        path: the file.
        overrides: what stands in the place of what the file says.

    Raises:
        InputError: the file cannot be read, or something in it is wrong: everything that is, with its place.
    """
    return _Reading(TOMLText(Path(path)), overrides or Overrides()).spec()


class _Reading:
    """A file on its way to an experiment."""

    def __init__(self, file: TOMLText, overrides: Overrides):
        self._file = file
        self._overrides = overrides
        self._missing = fill_variables(file, overrides.defines)
        self._top = file.table(_TOP, elsewhere=_ELSEWHERE)
        self._tables = {
            name: file.table(kinds, name, elsewhere=_ELSEWHERE) for name, kinds in _TABLES.items() if name in self._top
        }
        for key, kind in _MEMBERS.items():
            members = self._top.get(key, [])
            right = [value for value in members if file.fits(value, kind, key, member=True)]
            self._top[key] = tuple(dict.fromkeys(right))
        self._references = References(file)
        self._profile = profile(self._top["profile"]) if "profile" in self._top else None
        self._models = tuple(self._references.model(name, "models") for name in self._top["models"])
        self._wordings: tuple[str, ...] = self._top["wordings"] or ("default",)
        if self._profile is not None:
            self._models = self._models or (self._profile.values["model"],)
            self._wordings = self._top["wordings"] or (self._profile.language.get("wording", "default"),)
        self._options = self._references.options(self._tables.get("options", {}), "options")
        self._left_out: list[str] = []
        self._notes: list[str] = []

    def spec(self) -> ExperimentSpec:
        """The experiment; raises `InputError` with everything that is wrong."""
        file, top, chosen = self._file, self._top, self._profile
        combinations: list[str] = []
        columns = self._columns(combinations)
        entries = DomainEntries(file, top["instances"], self._references.path("."), self._left_out, self._notes)
        domains = fewer_tasks(entries.read(top.get("domains", ())), self._overrides, file)
        columns = self._named(self._overridden(columns, domains), domains)
        asked = {label for column in columns for label in column.wordings}
        of_all = None
        if "columns" not in file.data:
            of_all = tuple(label for label in self._wordings if label != "llm" or label in asked)
        tables = self._layout_tables(columns)
        columns, domains = worded(columns, domains, of_all, self._references, file, self._left_out, self._notes)
        self._check(columns, domains)
        budgets, access = self._tables.get("budgets", {}), self._tables.get("access", {})
        models_file = self._references.file_at(access.get("models"), "access", "models")
        cluster = self._cluster()
        file.check()
        return ExperimentSpec(
            name=top.get("name", file.path.stem),
            path=file.path,
            domains=domains,
            columns=columns,
            policies=tuple(dict.fromkeys(column.policy for column in columns)),
            models=tuple(dict.fromkeys(model for column in columns for model in column.models)) or self._models,
            wordings=of_all or tuple(dict.fromkeys(each for column in columns for each in column.wordings)),
            styles=tuple(dict.fromkeys(column.style for column in columns if column.kind == "model")) or ("nl",),
            seeds=top["seeds"] or (chosen.seeds if chosen is not None else SEEDS),
            walk_seeds=top["seeds"] or (chosen.walk_seeds if chosen is not None else WALK_SEEDS),
            baselines=top["baselines"],
            profile=top.get("profile"),
            base_url=top.get("base_url"),
            options=self._options,
            given=frozenset({*self._options, "model", "wording"}),
            budget=Limits(None, budgets.get("calls"), budgets.get("tokens"), budgets.get("usd")),
            workers=access.get("workers"),
            requests_per_minute=access.get("requests_per_minute"),
            tokens_per_minute=access.get("tokens_per_minute"),
            models_file=models_file,
            file=file,
            named=self._references.named,
            left_out=(*self._left_out, *combinations),
            notes=tuple(self._notes),
            tables=tables,
            cluster=cluster,
            overrides=self._overrides,
        )

    # ── columns ──────────────────────────────────────────────────────────────────────────────────

    def _columns(self, left_out: list[str]) -> tuple[SpecColumn, ...]:
        """The columns with the model of the command line as the one that is asked, not yet named."""
        top, file, chosen = self._top, self._file, self._profile
        rows = zipped(file, self._references, "zip") if "zip" in top else ()
        if rows and "seed" in rows[0] and "seeds" in file.data:
            file.wrong("'seed' stands in 'zip', and 'seeds' beside it; leave one of them out", "seeds")
        models = (self._overrides.model,) if self._overrides.model else self._models
        seeds = top["seeds"] or (chosen.seeds if chosen is not None else SEEDS)
        walk_seeds = top["seeds"] or (chosen.walk_seeds if chosen is not None else WALK_SEEDS)
        reading = ColumnEntries(
            file, self._references, Defaults(models, self._wordings, seeds, walk_seeds, rows), left_out
        )
        found: list[SpecColumn] = []
        if "columns" in file.data:
            for key in ("policies", "styles"):
                if key in file.data:
                    file.wrong(f"'{key}' multiplies, and 'columns' names what is run: leave one of them out", key)
            for number, _ in enumerate(top.get("columns", ())):
                if number in self._missing:
                    left_out.append(f"column {self._called(number)}: {self._missing[number]}")
                else:
                    found += reading.read(number)
        else:
            said = {"policy": top["policies"], "style": top["styles"] or ("nl",)}
            if top["wordings"]:
                said["wording"] = top["wordings"]
            found += reading.columns(said, {}, ())
        return tuple(found)

    def _overridden(self, columns: tuple[SpecColumn, ...], domains: Sequence[SpecDomain]) -> tuple[SpecColumn, ...]:
        """The columns with the model and the seeds of the command line."""
        said = self._overrides
        columns = fallen_back(columns, domains, said, self._options, self._top.get("profile"), self._notes)
        return fewer_seeds(columns, said.seeds, self._file) if said.seeds else columns

    def _headings(self, number: int) -> list[str]:
        """The headings of an entry that was not read."""
        entry = self._file.data["columns"][number]
        zipped_names = entry.get("zip", {}).get("name", []) if isinstance(entry.get("zip"), dict) else []
        names = [entry["name"]] if "name" in entry else zipped_names
        return [f"{entry.get('group', '')} {name}".strip() for name in names]

    def _called(self, number: int) -> str:
        """How a message calls an entry that was not read."""
        entry = self._file.data["columns"][number]
        policy = entry.get("policy")
        name = entry.get("name", TITLES.get(policy) if isinstance(policy, str) else None)
        said = [part for part in (entry.get("group"), name, entry.get("variant")) if isinstance(part, str) and part]
        domains = entry.get("domains", ())
        of = f" ({', '.join(map(str, domains))})" if isinstance(domains, list) and domains else ""
        return (" ".join(said) or str(number + 1)) + of

    def _named(self, columns: tuple[SpecColumn, ...], domains: Sequence[SpecDomain]) -> tuple[SpecColumn, ...]:
        fewer = self._overrides.domains or self._overrides.sections
        names = {
            "domains": dict.fromkeys(name for one in domains for name in (one.row or one.label, one.label)),
            "sections": dict.fromkeys(one.part for one in domains),
        }
        for column in columns:
            for key, patterns in (("domains", column.domains), ("sections", column.sections)):
                known = [*names[key]]
                for pattern in patterns:
                    if domains and not fewer and not among(known, (pattern,)):
                        said = f"no {key.removesuffix('s')} here is called '{pattern}'"
                        hint = near(pattern, known) or f"; there are {', '.join(filter(None, known)) or 'none'}"
                        self._file.wrong(said + hint, *column.where, key, value=pattern)
        return headed(columns, domains, self._file)

    # ── the rest ─────────────────────────────────────────────────────────────────────────────────

    def _layout_tables(self, columns: Sequence[SpecColumn]) -> tuple[LayoutTable, ...]:
        labels = dict.fromkeys(f"{column.group} {column.name}".strip() for column in columns)
        planners = (f"{SYMBOLIC} {TITLES[planner]}" for planner in self._top["baselines"])
        # An optional column that is left out may be asked for all the same.
        known = [*labels, *planners, *(label for number_ in self._missing for label in self._headings(number_))]
        return layout_tables(self._file, len(self._top.get("tables", ())), known)

    def _cluster(self) -> Mapping[str, Any]:
        said = self._file.data.get("cluster", {})
        if not isinstance(said, dict):
            self._file.wrong(f"'cluster' is {shown(said)}; a table [cluster] was expected", "cluster")
            return {}
        if "workers" in said:
            # All else is for Dask to judge.
            self._file.fits(said["workers"], whole(1), "cluster", "workers")
        return said

    def _check(self, columns: Sequence[SpecColumn], domains: Sequence[SpecDomain]) -> None:
        """Notes what is missing, and what does not go together."""
        file, top = self._file, self._top
        if (url := top.get("base_url")) is not None and host_of(url) is None:
            said = shown(public_url(url))
            file.wrong(f"'base_url' is {said}; an address such as http://localhost:8000/v1 was expected", "base_url")
        if "domains" not in top and "domains" not in file.data:
            known = ", ".join(shipped_domains())
            file.wrong(f"'domains' is missing: domains = [NAMES], of which {known} are shipped, or files")
        if not {"policies", "baselines", "columns"} & file.data.keys():
            file.wrong(
                f"nothing is to be run: policies = [{', '.join(POLICIES)}], [[columns]] or baselines are missing"
            )
        planners = {f"{SYMBOLIC} {TITLES[planner]}" for planner in top["baselines"]}
        for column in columns:
            if f"{column.group} {column.name}".strip() in planners:
                file.wrong(
                    f"the column '{column.label}' has the name of a baseline; give it another one", *column.where
                )
        examples: list[tuple[Mapping[str, Any], tuple[str, ...]]] = [(self._options, ("options", "example"))]
        examples += [(column.options, (*column.where, "options", "example")) for column in columns]
        for options, keys in examples:
            if options.get("example", "none") != "none" and any(one.changes for one in domains):
                file.wrong(
                    f"'{'.'.join(keys)}' is a problem of a domain as it is before its transformation, and one in "
                    "'domains' is transformed; leave it out: examples of shipped domains are transformed along with "
                    "these",
                    *keys,
                )
