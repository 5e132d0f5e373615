"""The specification of an experiment: a TOML file, read and checked as a whole before anything runs.

::

    name = "small"
    domains = ["blocksworld", {suite = "benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m"}]
    instances = ["p01", "p02"]          # of the shipped domains; all but the example by default
    policies = ["basic", "react", "random"]
    models = ["gpt-4o-2024-08-06"]
    wordings = ["default", "template"]  # default, template, llm, or a file
    styles = ["nl", "pddl"]
    seeds = [1, 2, 3, 4, 5]
    baselines = ["ff", "lmcut"]
    profile = "autoplanbench"           # named values for what is not given here
    base_url = "http://localhost:8000/v1"

    [options]                           # as of pddl2nl run: names, translator, example, steps, …
    [budgets]                           # of the whole experiment: max_usd, max_calls, max_tokens
    [access]                            # workers, requests_per_minute, tokens_per_minute, models

What may stand in ``domains``: `pddl2nl.experiments.spec_domains`. Paths are relative to the file. The product of it all
is run (`pddl2nl.experiments.product`), once what needs a planner is decided (`pddl2nl.experiments.solved_by`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pddl2nl.baselines import BASELINES
from pddl2nl.errors import InputError
from pddl2nl.experiments.profiles import PROFILES, SEEDS, WALK_SEEDS, profile
from pddl2nl.experiments.spec_domains import DomainEntries, SpecDomain, SpecTask
from pddl2nl.experiments.thoughts import THOUGHTS
from pddl2nl.experiments.toml_places import Kind, TOMLText, choice, list_of, near, number, shown, text, whole
from pddl2nl.llm import public_url
from pddl2nl.llm.urls import host_of
from pddl2nl.nl import READING_POLICIES, Wording, template_wording
from pddl2nl.nl.names import SCHEMES
from pddl2nl.policies import POLICIES
from pddl2nl.policies.budget import Limits
from pddl2nl.policies.history import HISTORIES
from pddl2nl.policies.observations import FEEDBACKS
from pddl2nl.policies.prompting import UNSOLVABLE
from pddl2nl.policies.translating import TRANSLATORS
from pddl2nl.policies.understanding import ON_AMBIGUOUS
from pddl2nl.tasks import shipped_domains

__all__ = ["ExperimentSpec", "SpecDomain", "SpecTask", "load_experiment"]

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
    **{table: Kind(f"a table [{table}]", lambda value: True) for table in ("options", "budgets", "access")},
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
_OPTIONS: dict[str, Kind] = {
    "names": choice(SCHEMES),
    "names_seed": whole(0),
    "translator": choice(TRANSLATORS),
    "translator_model": text,
    "wording_model": text,
    "reading": choice(READING_POLICIES),
    "on_ambiguous": choice(ON_AMBIGUOUS),
    "example": text,
    "example_plan": text,
    "thoughts": choice(THOUGHTS),
    "thoughts_model": text,
    "history": choice(HISTORIES),
    "feedback": choice(FEEDBACKS),
    "unsolvable": choice(UNSOLVABLE),
    "samples": whole(1),
    "rounds": whole(0),
    "steps": whole(1),
    "temperature": number(0),
    "planner_seconds": whole(1),
}
_BUDGETS: dict[str, Kind] = {"max_usd": number(0), "max_calls": whole(0), "max_tokens": whole(0)}
_ABOVE_ZERO = Kind("a number above 0", lambda value: number(0).accepts(value) and value > 0)
_ACCESS: dict[str, Kind] = {
    "workers": whole(1),
    "requests_per_minute": _ABOVE_ZERO,
    "tokens_per_minute": _ABOVE_ZERO,
    "models": text,
}
_TABLES = {"options": _OPTIONS, "budgets": _BUDGETS, "access": _ACCESS}
_ELSEWHERE = {
    **{key: f"in the table [{table}]" for table, kinds in _TABLES.items() for key in kinds},
    **dict.fromkeys(_TOP, "at the top, above all tables"),
}
_WORDS = ("default", "template", "llm")


@dataclass(frozen=True)
class ExperimentSpec:
    """What the file says, checked, with its defaults filled in.

    Attributes:
        walk_seeds: those of policies that ask no model; others only where the file gives none and a profile has them.
        options: fields of `RunSpec` that were given, and ``planner_seconds``.
        given: which fields of `RunSpec` the file decides, so that no profile does.
        workers: how many runs at once; None where the file does not say.
        file: the file itself, in which whatever is found wrong later is pointed at.
        named: the key under which the file names a model, and what it calls it there.
        left_out: combinations that there are not, and tasks that are not run, each as a sentence.
        notes: what a person should look at, each as a sentence: pairings of files that are guesses.
    """

    name: str
    path: Path
    domains: tuple[SpecDomain, ...]
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

    def wrong_model(self, model: str, message: str) -> None:
        """Notes an error in the file where it names the model; where it does not, the profile has done so."""
        keys, value = self.named.get(model, (("profile",), None))
        self.file.wrong(f"model '{value or model}': {message}", *keys, value=value)


def load_experiment(path: str | Path) -> ExperimentSpec:
    """The experiment that a file specifies.

    Raises:
        InputError: the file cannot be read, or something in it is wrong: everything that is, with its place.
    """
    file = TOMLText(Path(path))
    top = file.table(_TOP, elsewhere=_ELSEWHERE)
    tables = {name: file.table(kinds, name, elsewhere=_ELSEWHERE) for name, kinds in _TABLES.items() if name in top}
    for key, kind in _MEMBERS.items():
        members = top.get(key, [])
        top[key] = tuple(dict.fromkeys(value for value in members if file.fits(value, kind, key, member=True)))
    reading = _Reading(file, top, tables.get("options", {}))
    left_out: list[str] = []
    notes: list[str] = []
    domains = tuple(reading.domains(left_out, notes))
    reading.what_is_missing()
    if "example" in reading.options and reading.options["example"] != "none" and any(one.changes for one in domains):
        file.wrong(
            "'options.example' is a problem of a domain as it is before its transformation, and one in 'domains' is "
            "transformed; leave it out: examples of shipped domains are transformed along with these",
            "options",
            "example",
        )
    budgets, access = tables.get("budgets", {}), tables.get("access", {})
    models_file = reading.file_at(access.get("models"), "access", "models")
    file.check()
    chosen = profile(top["profile"]) if "profile" in top else None
    return ExperimentSpec(
        name=top.get("name", file.path.stem),
        path=file.path,
        domains=domains,
        policies=top["policies"],
        models=reading.models,
        wordings=reading.wordings,
        styles=top["styles"] or ("nl",),
        seeds=top["seeds"] or (chosen.seeds if chosen is not None else SEEDS),
        walk_seeds=top["seeds"] or (chosen.walk_seeds if chosen is not None else WALK_SEEDS),
        baselines=top["baselines"],
        profile=top.get("profile"),
        base_url=top.get("base_url"),
        options=reading.options,
        given=frozenset({*reading.options, "model", "wording"}),
        budget=Limits(None, budgets.get("max_calls"), budgets.get("max_tokens"), budgets.get("max_usd")),
        workers=access.get("workers"),
        requests_per_minute=access.get("requests_per_minute"),
        tokens_per_minute=access.get("tokens_per_minute"),
        models_file=models_file,
        file=file,
        named=reading.named,
        left_out=tuple(left_out),
        notes=tuple(notes),
    )


class _Reading:
    """The parts of a file that need more than a look at a value."""

    def __init__(self, file: TOMLText, top: Mapping[str, Any], options: Mapping[str, Any]):
        self._file = file
        self._top = top
        chosen = profile(top["profile"]) if "profile" in top else None
        self.named: dict[str, tuple[tuple[str, ...], str]] = {}
        self.models: tuple[str, ...] = tuple(self._model(name, "models") for name in top["models"])
        self.wordings: tuple[str, ...] = top["wordings"] or ("default",)
        if (url := top.get("base_url")) is not None and host_of(url) is None:
            said = shown(public_url(url))
            file.wrong(f"'base_url' is {said}; an address such as http://localhost:8000/v1 was expected", "base_url")
        if chosen is not None:
            self.models = self.models or (chosen.values["model"],)
            self.wordings = top["wordings"] or (chosen.language.get("wording", "default"),)
        self.options = dict(options)
        for key in ("translator_model", "thoughts_model", "wording_model"):
            if key in options:
                self.options[key] = self._model(options[key], "options", key)
        for key in ("example", "example_plan"):
            if options.get(key, "none") != "none":
                self.options[key] = self.file_at(options[key], "options", key)

    def path(self, name: str) -> Path:
        """A path of the file, which is relative to it."""
        return self._file.path.parent / Path(name).expanduser()

    def file_at(self, name: str | None, *keys: str) -> Path | None:
        """A file that must be there."""
        if name is None:
            return None
        path = self.path(name)
        if not path.is_file():
            self._file.wrong(f"'{'.'.join(keys)}' is {name!r}, and there is no file {path}", *keys)
        return path

    def _model(self, name: str, *keys: str) -> str:
        """The model; the path in ``script:FILE`` and ``replay:DIR`` is relative to the file as well."""
        kind, colon, argument = name.partition(":")
        model = f"{kind}:{self.path(argument)}" if colon and argument and kind in ("script", "replay") else name
        self.named.setdefault(model, (keys, name))
        return model

    def what_is_missing(self) -> None:
        """Notes what an experiment cannot be without."""
        if "domains" not in self._top and "domains" not in self._file.data:
            known = ", ".join(shipped_domains())
            self._file.wrong(f"'domains' is missing: domains = [NAMES], of which {known} are shipped, or files")
        if not {"policies", "baselines"} & self._file.data.keys():
            self._file.wrong(f"nothing is to be run: policies = [{', '.join(POLICIES)}] or baselines are missing")
        asking = [name for name in self._top["policies"] if POLICIES[name]().needs_model]
        if asking and not self.models and "models" not in self._file.data:
            self._file.wrong(
                f"policy '{asking[0]}' asks a model, and 'models' is missing: models = [\"oracle\"] needs no key",
                "policies",
                value=asking[0],
            )

    # ── domains and wordings ─────────────────────────────────────────────────────────────────────

    def domains(self, left_out: list[str], notes: list[str]) -> Iterator[SpecDomain]:
        """The domains with their tasks and wordings."""
        entries = DomainEntries(self._file, self._top["instances"], self.path("."), left_out, notes)
        found = entries.read(self._top.get("domains", ()))
        wordings = self._worded(found, left_out)
        for one in found:
            worded = wordings[one.label].get("default")
            hidden = any(name.startswith("obfuscate") for name in one.origin)
            if hidden and isinstance(worded, Wording) and worded != template_wording(one.domain):
                notes.append(
                    f"{one.label}: its default wording tells what things are, as the domain's own did; "
                    'wordings = ["template"] tells its new names alone'
                )
            yield replace(one, wordings=wordings[one.label])

    def _worded(self, found: list[SpecDomain], left_out: list[str]) -> dict[str, dict[str, Wording | str]]:
        """The wordings of each domain; a file that fits some of them is left out for the others."""
        worded: dict[str, dict[str, Wording | str]] = {one.label: {} for one in found}
        for name in self.wordings:
            misfits: dict[str, str] = {}
            for one in found:
                try:
                    worded[one.label][name] = self._wording(name, one)
                except InputError as error:
                    misfits[one.label] = str(error)
            if found and len(misfits) == len(found):
                self._file.wrong(f"'wordings': {next(iter(misfits.values()))}", "wordings", value=name)
            else:
                left_out += [f"wording {name} for {label}: {reason}" for label, reason in misfits.items()]
        return worded

    def _wording(self, name: str, one: SpecDomain) -> Wording | str:
        if name == "llm":
            return name
        if name in ("default", "template"):
            return one.worded(None if name == "default" else name)
        path = self.path(name)
        if not path.is_file():
            raise InputError(
                f"{name!r} is none of {', '.join(_WORDS)}, and there is no file {path}{near(name, _WORDS)}"
            )
        return one.worded(str(path))
