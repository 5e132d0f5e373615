"""The shape of a specification's file: its tables, and the values that their keys accept.

msgspec checks each value alone. Whether values fit together is checked where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pddl2nl.baselines import BASELINES, PLANNERS
from pddl2nl.baselines.fast_downward import MAX_MEMORY_MB, MIN_MEMORY_MB
from pddl2nl.experiments.profiles import PROFILES
from pddl2nl.policies.families import FAMILIES
from pddl2nl.policies.paper import autoplanbench
from pddl2nl.policies.spec import RUN_OPTIONS, Option
from pddl2nl.quantities import megabytes, seconds
from pddl2nl.questions.question import ACP_KINDS, FORMS, KINDS, Form
from pddl2nl.tasks.transformations import TRANSFORMATIONS

PAPER_TABLES = tuple(table.paper for table in autoplanbench().tables)
"""The names of AutoPlanBench's numbers, which stand beside coverage and tokens."""
FAMILY_TABLES = {table.kind: table.paper for family in FAMILIES.values() for table in family.paper.tables}
"""The kinds of tables laid out as in a family's paper, and the name of the paper's numbers for each."""
QUESTION_TABLES = ("questions", "question-domains", "question-links", "kind-agreement")
"""The kinds of tables of an experiment that asks questions."""
TABLE_KINDS = ("coverage", "runs", "suites", "families", "tokens", *QUESTION_TABLES, *FAMILY_TABLES)
"""The tables that an experiment may end in; `pddl2nl.reports.tables.TABLES` makes them."""


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
    Planner: TypeAlias = str
    ProfileName: TypeAlias = str
    QuestionKind: TypeAlias = str
    TableKind: TypeAlias = str
    PaperTable: TypeAlias = str
    Transformation: TypeAlias = str
else:
    # Their words come from registries.
    Baseline = Literal[tuple(name for name in BASELINES if name != "random")]
    Planner = Literal[tuple(PLANNERS)]
    ProfileName = Literal[tuple(PROFILES)]
    QuestionKind = Literal[KINDS]
    TableKind = Literal[TABLE_KINDS]
    PaperTable = Literal[(*PAPER_TABLES, *filter(None, FAMILY_TABLES.values()))]
    Transformation = Literal[tuple(TRANSFORMATIONS)]
Planners = Annotated[tuple[Planner, ...], Meta(min_length=1)]


def many(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """The values of a key that accepts one or several, each once."""
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


class Keys(Struct, forbid_unknown_fields=True):
    """A table without other keys than these."""


# ── domains ──────────────────────────────────────────────────────────────────────────────────────


class CostLimit(Keys, rename="kebab", kw_only=True):
    """Of a suite that would cost more than ``than`` USD as model ``as``, only the tasks that a planner solves."""

    than: Amount
    solved_by: Planner
    model: Text = msgspec.field(name="as")


class DomainEntry(Keys, rename="kebab", kw_only=True):
    """An entry of ``domains``: filters, transformations, and its place in tables."""

    instances: Text | Texts = ()
    excluded: Text | Texts = msgspec.field(name="except", default=())
    max_objects: Natural | None = None
    max_optimal_length: Natural | None = None
    solved_by: Planner | Planners = ()
    unsolved_by: Planner | Planners = ()
    within: Seconds | None = None
    memory: Megabytes | None = None
    costlier: CostLimit | None = None
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
        return Literal[option.choices]
    if option.time:
        return Seconds
    if option.kind in (str, bool):
        return Text if option.kind is str else bool
    return Annotated[option.kind, Meta(ge=option.at_least or 0, le=1e12 if option.kind is float else None)]


def _optional_keys(name: str, types: Mapping[str, Any]) -> type[Struct]:
    fields = [(key, kind | UnsetType, UNSET) for key, kind in types.items()]
    return msgspec.defstruct(name, fields, forbid_unknown_fields=True, frozen=True)


def given(values: Struct) -> dict[str, Any]:
    """The keys that a file gives, of a table whose keys are all optional."""
    present = {key: value for key, value in msgspec.structs.asdict(values).items() if value is not UNSET}
    return {key: int(value) if isinstance(value, Seconds | Megabytes) else value for key, value in present.items()}


_RUN = {name: _type_of(option) for name, option in RUN_OPTIONS.items() if option.in_file}
_PLANNER = {"planner_seconds": Seconds, "planner_memory": Megabytes}
PLANNER_OPTIONS = tuple(_PLANNER)
"""The options of baselines."""
OPTIONS = _optional_keys("Options", _RUN)
"""``options`` of a column."""
EXPERIMENT_OPTIONS = _optional_keys("ExperimentOptions", _RUN | _PLANNER)
"""``[options]`` of the whole experiment."""
_TOLD_APART = {"name": Text, "policy": Text, "style": Style}
_VARIED = {"seed": Natural, "model": Text, "wording": Text, **_TOLD_APART, **_RUN}
_LISTS: dict[str, Any] = {
    key: Annotated[tuple[kind, ...], Meta(min_length=1)]  # type: ignore[valid-type]
    for key, kind in _VARIED.items()
}
ZIP = _optional_keys("Zip", _LISTS)
"""``zip`` of a column."""

# ── the other tables ─────────────────────────────────────────────────────────────────────────────


class Column(Keys):
    """``[[columns]]``: what is compared; lists multiply. See `pddl2nl.experiments.specification.columns`."""

    name: Text = ""
    group: str | None = None
    policy: Text | Texts = ()
    model: Text | Texts = ()
    style: Style | tuple[Style, ...] = "nl"
    wording: Text | Texts = ()
    options: dict[str, Any] = {}
    seeds: Seeds = ()
    domains: Text | Texts = ()
    sections: Text | Texts = ()
    variant: Text = ""
    zip: dict[str, Any] = {}
    optional: bool = False


class QuestionsTable(Keys):
    """``[questions]``: questions with exact answers take the place of runs.

    ``count`` questions of each kind and form are made of each task, by searches of ``seconds`` at most; or those of
    ACPBench's own files are asked, in the folder ``data``, of which ``none`` is none.
    """

    kinds: Annotated[tuple[QuestionKind, ...], Meta(min_length=1)] = ACP_KINDS
    forms: Annotated[tuple[Form, ...], Meta(min_length=1)] = FORMS
    count: Annotated[int, Meta(ge=1)] = 5
    seconds: Seconds = Seconds(5)
    data: Text = "none"


class ReportTable(Keys):
    """``[[tables]]``: a table of the report."""

    kind: TableKind
    title: Text = ""
    paper: PaperTable = ""
    columns: Texts = ()


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


class Variable(Keys):
    """A variable of ``[variables]``; ``path``: values of the command line are paths."""

    about: str = ""
    default: str = ""
    path: bool = False


class FileTables(Keys):
    """A whole file."""

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
    columns: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1)] = ()
    questions: QuestionsTable | None = None
    tables: Annotated[tuple[ReportTable, ...], Meta(min_length=1)] = ()
    options: dict[str, Any] = {}
    budgets: Budgets = msgspec.field(default_factory=Budgets)
    access: AccessTable = msgspec.field(default_factory=AccessTable)
    cluster: dict[str, Any] = {}
    variables: dict[str, Variable] = {}


def place_of(key: str) -> str:
    """Where a key belongs, for messages about one in a wrong place; empty for an unknown key.

    A budget's name from before ``max_tokens`` was the longest reply gets the place and the name of today.
    """
    if key in ("max_usd", "max_calls"):
        return f"in [budgets], where it is called {key.removeprefix('max_')}"
    places: dict[str, type[Struct]] = {
        "at the top, above all tables": FileTables,
        "in [options]": EXPERIMENT_OPTIONS,
        "in [budgets]": Budgets,
        "in [access]": AccessTable,
        "in an entry [[columns]]": Column,
        "in [questions]": QuestionsTable,
    }
    return next((place for place, table in places.items() if key in table.__struct_fields__), "")
