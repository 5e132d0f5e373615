"""The shape of a specification: its tables, and the values that their keys accept.

msgspec checks each value alone. Whether values fit together is checked where they are used.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pddl2nl.baselines import PLANNERS
from pddl2nl.baselines.fast_downward import MAX_MEMORY_MB, MIN_MEMORY_MB
from pddl2nl.conversion import Key, WrongValueError, convert, dotted
from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import ColumnKind, LayoutTable
from pddl2nl.experiments.preparing import profiles
from pddl2nl.files import parse_toml, read_text
from pddl2nl.plugins import provided
from pddl2nl.policies.spec import RUN_OPTIONS, Option
from pddl2nl.quantities import megabytes, seconds
from pddl2nl.tasks.transformations import TRANSFORMATIONS

TABLES = ("coverage", "runs")
"""The kinds of tables that belong to no system; `pddl2nl.reports.tables.table_kinds` makes them."""


class Seconds(int):
    """A time in whole seconds; a file may write ``30m`` or ``1h30m``."""


class Megabytes(int):
    """An amount of memory in MiB; a file may write ``8g``."""


def quantity(kind: type, value: Any) -> object:
    """The `Seconds` or `Megabytes` of a value in a file; raises `ValueError` for others."""
    if kind is Seconds:
        time = seconds(value)
        if time != int(time):
            raise ValueError("whole seconds are expected")
        return Seconds(time)
    memory = megabytes(value)
    if not MIN_MEMORY_MB <= memory <= MAX_MEMORY_MB:
        raise ValueError(f"an amount of memory from {MIN_MEMORY_MB} to {MAX_MEMORY_MB} MB is expected")
    return Megabytes(memory)


Text = Annotated[str, Meta(min_length=1)]
Natural = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]
Rate = Annotated[float, Meta(gt=0, le=1e12)]
Texts = Annotated[tuple[Text, ...], Meta(min_length=1)]
Seeds = Annotated[tuple[Natural, ...], Meta(min_length=1)]
Style = Literal["nl", "pddl"]
if TYPE_CHECKING:
    Baseline: TypeAlias = str
    ProfileName: TypeAlias = str
    Transformation: TypeAlias = str
else:
    # Their words come from registries.
    Baseline = Literal[tuple(PLANNERS)]
    ProfileName = Literal[tuple(profiles()) or ("",)]
    Transformation = Literal[tuple(TRANSFORMATIONS)]


def many(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """The values of a key that accepts one or several, each once."""
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


class Keys(Struct, forbid_unknown_fields=True):
    """A table without other keys than these."""


# ── domains ──────────────────────────────────────────────────────────────────────────────────────


class DomainEntry(Keys, rename="kebab", kw_only=True):
    """An entry of ``domains``: filters, transformations, and its place in tables."""

    instances: Text | Texts = ()
    excluded: Text | Texts = msgspec.field(name="except", default=())
    max_objects: Natural | None = None
    max_optimal_length: Natural | None = None
    transform: Transformation | tuple[Transformation, ...] = ()
    section: str | None = None
    row: Text | None = None


class ShippedEntry(DomainEntry, kw_only=True):
    """Shipped domains, with the tasks of one of their sets."""

    shipped: Text | Texts
    set: Literal["primary", "scaled", "unsolvable"] | None = None


class FilesEntry(DomainEntry, kw_only=True):
    """A domain's file and files or patterns of its problems."""

    domain: Text
    problems: Texts


class SuiteEntry(DomainEntry, kw_only=True):
    """The suites of a folder; ``only`` holds names or patterns of some."""

    suite: Text
    only: Text | Texts = ()


DOMAIN_ENTRIES: Mapping[str, type[DomainEntry]] = {"suite": SuiteEntry, "shipped": ShippedEntry, "domain": FilesEntry}
"""The kinds of entries by the key that tells them apart."""

# ── options ──────────────────────────────────────────────────────────────────────────────────────


def _type_of(option: Option) -> Any:
    """The values that a file may give for an option of a run."""
    if option.choices:
        if any(choice.endswith(":N") for choice in option.choices):
            told = f"one of {', '.join(option.choices)}, where N is a whole number from 1"
            return Annotated[str, Meta(pattern=option.pattern, extra={"expected": told})]
        return Literal[option.choices]
    if option.time:
        return Seconds
    if option.kind in (str, bool):
        return Text if option.kind is str else bool
    return Annotated[option.kind, Meta(ge=option.at_least or 0, le=1e12 if option.kind is float else None)]


_OPTIONAL: dict[str, Any] = {
    **{name: _type_of(option) for name, option in RUN_OPTIONS.items() if option.in_file},
    "planner_seconds": Seconds,
    "planner_memory": Megabytes,
}
PLANNER_OPTIONS = ("planner_seconds", "planner_memory")
"""The options of baselines."""
OPTIONS = msgspec.defstruct(
    "Options",
    [(key, kind | UnsetType, UNSET) for key, kind in _OPTIONAL.items()],
    forbid_unknown_fields=True,
    frozen=True,
)
"""``options``, but for those of policies, which are the fields of their classes."""
RUN_KEYS: tuple[str, ...] = OPTIONS.__struct_fields__
"""Their names."""


def given(values: Struct) -> dict[str, Any]:
    """The keys that a file gives, of a table whose keys are all optional."""
    present = {key: value for key, value in msgspec.structs.asdict(values).items() if value is not UNSET}
    return {key: int(value) if isinstance(value, Seconds | Megabytes) else value for key, value in present.items()}


# ── the other tables ─────────────────────────────────────────────────────────────────────────────


class Column(Keys, rename={"models_for": "models-for"}):
    """What is compared: a policy or planner with a model, a wording, a style and options, run on every task.

    In a file, lists in place of ``policy``, ``model``, ``style`` and ``wording`` make a column of each of their values.

    Attributes:
        policy: of `pddl2nl.policies.policies`, ``module:Class``, or a planner.
        name: its heading, unique in its group except for other variants or other domains; by default its title.
        group: the heading above it; by default ``Symb.`` where no model is asked.
        model: by default those of the experiment, a column for each; ``none`` where no model is asked.
        style: ``nl`` or ``pddl``.
        wording: by default those of the experiment, a column for each; empty in style ``pddl``.
        options: options of runs and of the policy, which replace the experiment's.
        models_for: other models by role.
        files: files that the policy reads beside a domain, by name.
        seeds: by default the experiment's; a run for each.
        domains: names or patterns of its domains; empty for all. ``sections`` likewise.
        variant: puts its runs in an extra row of this name below each domain's own.
    """

    policy: Text
    name: Text = ""
    group: str | None = None
    model: Text = ""
    style: Style = "nl"
    wording: Text = ""
    options: dict[str, Any] = {}
    models_for: dict[str, Text] = {}
    files: dict[str, Text] = {}
    seeds: Seeds = ()
    domains: Text | Texts = ()
    sections: Text | Texts = ()
    variant: Text = ""

    @property
    def kind(self) -> ColumnKind:
        """Who chooses the actions, where all values are filled in."""
        if self.policy in PLANNERS:
            return "planner"
        return "walk" if self.model == NO_MODEL else "model"

    @property
    def heading(self) -> str:
        """Group and name, as `LayoutColumn.label`."""
        return f"{self.group or ''} {self.name}".strip()

    @property
    def label(self) -> str:
        """The column on one line, with its variant."""
        return f"{self.heading} {self.variant}".strip()


MULTIPLIED = ("policy", "model", "style", "wording")
"""The keys of a column that accept lists in a file."""
NO_MODEL = "none"
"""The model of columns that ask none."""


class Budgets(Keys):
    """``[budgets]``: limits of the whole experiment."""

    usd: Amount | None = None
    calls: Natural | None = None
    tokens: Natural | None = None


class AccessTable(Keys):
    """``[access]``: how models are reached."""

    workers: Annotated[int, Meta(ge=1)] | None = None
    requests_per_minute: Rate | None = None
    tokens_per_minute: Rate | None = None
    models: Text | None = None


class FileTables(Keys):
    """A whole specification, but for what systems may ask instead of running policies (`file_tables`)."""

    name: Text = ""
    domains: Annotated[tuple[Text | dict[str, Any], ...], Meta(min_length=1)] = ()
    instances: Texts = ()
    policies: Texts = ()
    models: Texts = ()
    wordings: Texts = ()
    styles: Annotated[tuple[Style, ...], Meta(min_length=1)] = ()
    seeds: Seeds = ()
    baselines: Annotated[tuple[Baseline, ...], Meta(min_length=1)] = ()
    profile: ProfileName | None = None
    base_url: Text | None = None
    columns: Annotated[tuple[Any, ...], Meta(min_length=1)] = ()
    tables: Annotated[tuple[LayoutTable, ...], Meta(min_length=1)] = ()
    options: dict[str, Any] = {}
    budgets: Budgets = msgspec.field(default_factory=Budgets)
    access: AccessTable = msgspec.field(default_factory=AccessTable)
    cluster: dict[str, Any] = {}


@lru_cache(maxsize=1)
def file_tables() -> type[FileTables]:
    """A whole specification, with a key for what each system may ask (`pddl2nl.plugins.System.asks`)."""
    asked = [(system.name, asking.table | None, None) for system, asking in provided("asks")]
    kind = msgspec.defstruct("FileTables", asked, bases=(FileTables,), forbid_unknown_fields=True)
    return cast("type[FileTables]", kind)


def place_of(key: str, table: type) -> str:
    """Where a key belongs that a table does not have, or what it is called there; empty for an unknown key."""
    known = getattr(table, "__struct_fields__", ())
    # policy in a file is policies, and in an entry of columns the other way round.
    twins = (f"{key}s", f"{key[:-1]}ies", key[:-1], f"{key[:-3]}y")
    if own := next((twin for twin in twins if twin in known), ""):
        return f"did you mean '{own}'?"
    if key in ("max_usd", "max_calls"):
        return f"it belongs in [budgets], where it is called {key.removeprefix('max_')}"
    places: dict[str, type[Struct]] = {
        "at the top, above all tables": file_tables(),
        "in [options]": OPTIONS,
        "in [budgets]": Budgets,
        "in [access]": AccessTable,
        "in an entry [[columns]]": Column,
        **{f"in [{system.name}]": asking.table for system, asking in provided("asks")},
    }
    place = next((place for place, table in places.items() if key in table.__struct_encode_fields__), "")
    return place and f"it belongs {place}"


# ── the file, and errors with their place ────────────────────────────────────────────────────────

T = TypeVar("T")
_HEADER = re.compile(r"^[ \t]*(\[\[?)\s*([^\[\]\n]+?)\s*\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
_FILES = ("example", "example_plan")


class SpecFile:
    """A specification's file, and the errors noted in it; without a path, a specification that Python gives.

    Attributes:
        path: the file; paths in it are relative to its folder.
        name: the file, or the experiment's name, for messages.
        text: its text.
        data: its tables.

    Raises:
        InputError: the file cannot be read, or is not TOML.
    """

    def __init__(self, path: Path | None = None, name: str = ""):
        self.path = path or Path("experiment.toml")
        self.name = name or str(path)
        self.text = "" if path is None else read_text(path)
        self._noted: list[tuple[int, str]] = []
        self._written: dict[str, str] = {}
        self.data = parse_toml(self.text, str(path))

    # ── errors and their places ──────────────────────────────────────────────────────────────────

    def error(self, message: str, *keys: Key, value: object = None) -> InputError:
        """An error at a key, or at a value of it; the message names file, line and column."""
        return InputError(self._placed(self._offset(keys, value), message))

    def wrong(self, message: str, *keys: Key, value: object = None) -> None:
        """Notes an error for `check`."""
        self._noted.append((self._offset(keys, value), message))

    def check(self) -> None:
        """Raises `InputError` with all errors that were noted, in the order of the file."""
        if self._noted:
            raise InputError("\n".join(self._placed(*each) for each in sorted(self._noted)))

    def _placed(self, offset: int, message: str) -> str:
        if offset < 0:
            return f"{self.name}: {message}"
        before = self.text[:offset].split("\n")
        return f"{self.path}:{len(before)}:{len(before[-1]) + 1}: {message}"

    def _offset(self, keys: tuple[Key, ...], value: object) -> int:
        """The offset of a key, or of a value after it; -1 if neither is found."""
        start, end, rest = self._table(keys)
        offset = -1 if rest == keys else start
        for key in rest:
            pattern = rf"(?:^|(?<=[\s{{.,\"'])){re.escape(str(key))}[\"']?\s*[.=]"
            if isinstance(key, str) and (match := re.compile(pattern, re.MULTILINE).search(self.text, start, end)):
                start = offset = match.start()
        if isinstance(value, str | int | float):
            word = re.escape(str(value).lower() if isinstance(value, bool) else str(value))
            pattern = rf"[\"']{word}[\"']" if isinstance(value, str) else rf"(?<![\w.]){word}(?![\w.])"
            if match := re.compile(pattern).search(self.text, start, end):
                offset = match.start()
        return offset

    def _table(self, keys: tuple[Key, ...]) -> tuple[int, int, tuple[Key, ...]]:
        """The part of the text that belongs to the innermost header above a key, and the rest of the key's path."""
        headers = [*_HEADER.finditer(self.text)]
        ends = [*(header.start() for header in headers), len(self.text)]
        best = (0, ends[0] if keys else len(self.text), keys)
        counts: dict[str, int] = {}
        for header, end in zip(headers, ends[1:], strict=True):
            name = header[2]
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
            path: tuple[Key, ...] = ()
            for part in name.split("."):
                path = (*path, part.strip(" \"'"))
                whole = ".".join(each for each in path if isinstance(each, str))
                path = (*path, counts[whole]) if whole in counts else path
            inside = keys[: len(path)] == path and len(keys) - len(path) < len(best[2])
            if inside or (best[2] == keys and keys and path[: len(keys)] == keys):
                best = (header.start(1), end, keys[len(path) :])
        return best

    # ── values ───────────────────────────────────────────────────────────────────────────────────

    def convert(self, data: object, kind: type[T], *above: Key) -> T:
        """A part of the file as an object of a type of `pddl2nl.experiments.specification.schema`.

        Raises:
            InputError: a key or a value is wrong; the message has its place.
        """
        try:
            return convert(data, kind, *above, dec_hook=quantity)
        except WrongValueError as error:
            message = str(error)
            table = kind if len(error.keys) == len(above) + 1 else object
            if error.unknown and (place := place_of(str(error.keys[-1]), table)):
                message = f"unknown key {dotted(error.keys)}; {place}"
            raise self.error(message, *error.keys, value=error.value) from None

    def path_of(self, name: str) -> Path:
        """A path relative to the file's folder."""
        return self.path.parent / os.path.expanduser(name)

    def existing(self, name: str, *keys: Key) -> Path:
        """A path that must be a file."""
        path = self.path_of(name)
        if not path.is_file():
            raise self.error(f"{dotted(keys)} is {name!r}, and there is no file {path}", *keys)
        return path

    def model(self, name: str) -> str:
        """A model, with the path in ``gguf:PATH``, ``script:FILE`` and ``replay:DIR`` found."""
        kind, _, argument = name.partition(":")
        model = f"{kind}:{self.path_of(argument)}" if argument and kind in ("gguf", "script", "replay") else name
        self._written[model] = name
        return model

    def wrong_model(self, model: str, message: str) -> None:
        """Notes an error where the file names a model, or the profile that does."""
        name = self._written.get(model, model)
        keys = () if model in self._written else ("profile",)
        self._noted.append((self._offset(keys, name), f"model '{name}': {message}"))

    def options(self, data: Mapping[str, Any], *above: Key) -> tuple[dict[str, Any], dict[str, Any]]:
        """The options of runs in a table of options, their paths found, and the others, which are of policies."""
        known = {key: value for key, value in data.items() if key in OPTIONS.__struct_fields__}
        options = given(self.convert(known, OPTIONS, *above))
        for name in _FILES:
            if options.get(name, "none") != "none":
                options[name] = self.existing(options[name], *above, name)
        return options, {key: value for key, value in data.items() if key not in known}
