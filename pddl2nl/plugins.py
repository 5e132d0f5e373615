"""What packages add: systems, policies, models, metrics and domains, by folder, entry point or ``module:Name``.

A *system* is all that one paper's system needs, in one package that says what it brings in one object::

    # my_package/__init__.py
    SYSTEM = System(title="My system", policies={"mine": "policy:Mine"}, presets="presets.toml")

Shipped are the packages of `pddl2nl.systems`, and `pddl2nl.questions`. Another package registers its own, and single
policies, models, metrics and domains, in its ``pyproject.toml``::

    [project.entry-points."pddl2nl.systems"]
    mine = "my_package:SYSTEM"

    [project.entry-points."pddl2nl.policies"]
    careful = "my_package:Careful"        # a class derived from `Policy`

    [project.entry-points."pddl2nl.models"]
    shout = "my_package:shout"            # a `ModelFactory`, for --model shout:ARGUMENT

    [project.entry-points."pddl2nl.metrics"]
    detours = "my_package:DETOURS"        # a `RunMetric`

    [project.entry-points."pddl2nl.domains"]
    warehouse = "my_package.warehouse"    # a package that is a domain's folder (`pddl2nl.tasks.shipped`)

A plug-in that cannot be loaded, or whose metric, plot or note raises, fails alone: it is left out with a warning, and
only what asks for it fails.
"""

from __future__ import annotations

import logging
import signal
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib import import_module, resources
from importlib.metadata import EntryPoint, EntryPoints, entry_points, packages_distributions, version
from importlib.resources.abc import Traversable
from pathlib import Path
from pkgutil import iter_modules
from sysconfig import get_path
from typing import Any, TypeVar

from pddl2nl.errors import InputError, Pddl2nlError

SYSTEM_GROUP, POLICY_GROUP, MODEL_GROUP, METRIC_GROUP, DOMAIN_GROUP = _GROUPS = (
    "pddl2nl.systems",
    "pddl2nl.policies",
    "pddl2nl.models",
    "pddl2nl.metrics",
    "pddl2nl.domains",
)
T = TypeVar("T")
_OURS = ("pddl2nl", "pddlval")
_SHIPPED = "pddl2nl.systems"
_QUESTIONS = "pddl2nl.questions"
"""What is no paper's system and brings what a system does."""
_HERE = Path(__file__).parent
_NOT_THEIRS = (str(_HERE), str(_HERE.parent / "validators"), *map(get_path, ("stdlib", "purelib", "platlib")))
"""Where our code, Python's and that of libraries lies."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class System:
    """What a system brings. Each part is ``module:NAME`` within its package, imported on first use, or a file in it.

    Attributes:
        title: what tables and lists call it.
        policies: the class of each policy by the policy's name.
        presets: a TOML file of names for values of options: ``[NAME]`` with ``policy``, ``options``, ``title`` and
            ``summary``. A table without ``options`` gives a policy its title.
        files: what it reads beside a domain: for a file's name, a function of its text, the domain and a name for
            messages, that returns an object with the attribute ``text``.
        problems: other forms of problems: for the ending of a file's name, a function of its text, the domain and the
            file's name, that returns the problem in PDDL.
        roles: what other models its policies ask, by role (``body``), in a few words.
        events: a tuple of the classes of its events (`pddl2nl.policies.events.RunEvent`), whose `note` pages show.
        records: the classes of its own records (`pddl2nl.experiments.records.stored.Record`) by their first event's.
        asks: what an experiment may ask models instead of running policies
            (`pddl2nl.experiments.specification.experiment.Asking`); its key in a specification is the system's name.
        metrics: a tuple of `pddl2nl.policies.reporting.RunMetric`.
        tables: the kinds of tables it adds to reports beside those that ``paper`` lays out: a function by name
            (`pddl2nl.reports.tables.TableKind`).
        plots: a tuple of `pddl2nl.reports.plots.Plot`.
        paper: a TOML file of the paper's numbers (`pddl2nl.policies.paper`).
        profiles: a TOML file of named settings, ``[NAME]`` with options of a run.
        experiments: a folder of specifications.
        generators: generators of tasks by the domain's name (`pddl2nl.tasks.generators`).
        training: rows and rewards of replies that are plans of another form (`pddl2nl.training.rows.PlanForm`).
        commands: groups of commands by name: a function that adds them to a typer application, or to the group
            ``macro``.
        name: the folder's or entry point's name; set where the system is found.
        package: the package that holds it; set where it is found.
    """

    title: str
    policies: Mapping[str, str] = field(default_factory=dict)
    presets: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    events: str = ""
    records: str = ""
    asks: str = ""
    metrics: str = ""
    tables: Mapping[str, str] = field(default_factory=dict)
    plots: str = ""
    paper: str = ""
    profiles: str = ""
    experiments: str = ""
    generators: Mapping[str, str] = field(default_factory=dict)
    training: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    package: str = ""

    def load(self, part: str | Mapping[str, str]) -> Any:
        """The object that ``module:NAME`` names in the package, or those of a mapping.

        Raises:
            InputError: the package is not ours, and its module cannot be imported or has no such name.
        """
        if isinstance(part, Mapping):
            return {name: self.load(where) for name, where in part.items()}
        path = f"{self.package}.{part}"
        if not is_ours(self.package):
            return load_object(path)
        module, _, name = path.partition(":")
        return getattr(import_module(module), name)

    def file(self, name: str) -> Traversable:
        """A file or folder of the package."""
        return resources.files(self.package) / name

    def toml(self, name: str) -> dict[str, Any]:
        """The tables of a TOML file of the package; none without a name."""
        return tomllib.loads(self.file(name).read_text(encoding="utf-8")) if name else {}


@lru_cache(maxsize=1)
def systems() -> Mapping[str, System]:
    """Every system by its name: the shipped ones, then those of installed packages."""
    found: dict[str, System] = {}
    modules = (module.name for module in iter_modules(import_module(_SHIPPED).__path__, f"{_SHIPPED}."))
    for module in (*modules, _QUESTIONS):
        name = module.rpartition(".")[2]
        found[name] = replace(import_module(module).SYSTEM, name=name, package=module)
    for system in loadable(SYSTEM_GROUP, _system):
        found.setdefault(system.name, system)
    return found


def _system(entry: EntryPoint) -> System:
    system = load_object(entry.value)
    if not isinstance(system, System):
        raise InputError(f"{entry.value}: expected a pddl2nl.plugins.System, found a {type(system).__name__}")
    for each in fields(system):
        kind = Mapping if each.type.startswith("Mapping") else str
        if not isinstance(value := getattr(system, each.name), kind):
            raise InputError(f"{entry.value}: {each.name}: expected a {kind.__name__}, found {value!r}")
    system = replace(system, name=entry.name, package=entry.module)
    for name in ("__init__.py", system.presets, system.paper, system.profiles):
        try:
            # A module that is no package has no files.
            _ = system.file(name).read_bytes() if name.endswith(".py") else system.toml(name)
        except (OSError, TypeError, ValueError) as error:
            raise InputError(f"{entry.value}: {name}: {error}") from None
    for name, preset in system.toml(system.presets).items():
        if not isinstance(preset, dict) or preset.get("policy", name) not in system.policies:
            raise InputError(f"{entry.value}: {system.presets}: [{name}]: 'policy' names none of its policies")
    return system


@lru_cache
def installed(group: str) -> EntryPoints:
    """The entry points of installed packages in a group."""
    return entry_points(group=group)


@contextmanager
def fails_alone(what: str, *, asked: bool = False) -> Iterator[None]:
    """Runs a plug-in's code; what it raises becomes a warning with its file and line, once.

    With ``asked``, the user asked for this plug-in, and it becomes an `InputError`.
    """
    try:
        yield
    except BaseException as error:
        if ends_all(error) or (asked and isinstance(error, Pddl2nlError)):
            raise
        reason = str(error) if isinstance(error, Pddl2nlError) else f"{their_place(error)}{said(error)}"
        if asked:
            raise InputError(f"{what}: {reason}") from error
        _warn_once(f"{what} is left out: {reason}")


def ends_all(error: BaseException) -> bool:
    """Whether it may end the process: Ctrl-C and signals, but no ``sys.exit`` of a plug-in: 0 would be a verdict."""
    if isinstance(error, SystemExit):
        return error.code in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    return isinstance(error, KeyboardInterrupt | GeneratorExit)


@lru_cache(maxsize=1024)
def _warn_once(message: str) -> None:
    _LOG.warning("%s", message)


def loadable(group: str, take: Callable[[EntryPoint], T]) -> Iterator[T]:
    """What ``take`` makes of a group's entry points; those with which it fails are left out with a warning."""
    for entry in installed(group):
        with fails_alone(f"{group}: '{entry.name}'"):
            yield take(entry)


def provided(part: str, kind: type | None = None) -> Iterator[tuple[System, Any]]:
    """The systems that bring a part (``events``, ``metrics``, …), each with its object, imported now.

    A part of another package that cannot be imported, or does not hold objects or classes of ``kind`` alone, is left
    out with a warning.
    """
    for system in systems().values():
        if where := getattr(system, part):
            if is_ours(system.package):
                yield system, system.load(where)
                continue
            with fails_alone(f"the part '{part}' of system '{system.name}'"):
                brought = system.load(where)
                if kind is not None and not _holds(kind, brought, tuple if isinstance(where, str) else dict):
                    raise InputError(f"expected several of {kind.__name__}, found {brought!r}")
                yield system, brought


def by_name(kind: str, named: Iterable[tuple[str, T]]) -> dict[str, T]:
    """The first of each name, ours before those of plug-ins; others of its name are left out with a warning."""
    found: dict[str, T] = {}
    for name, each in named:
        if found.setdefault(name, each) is not each:
            _warn_once(f"the {kind} '{name}' of a plug-in is left out: there is another one of this name")
    return found


def _holds(kind: type, brought: Any, container: type) -> bool:
    """Whether a tuple, or the values of a dictionary, are of a kind or classes of it."""
    if not isinstance(brought, container):
        return False
    values: Any = brought.values() if isinstance(brought, dict) else brought
    return all(issubclass(each, kind) if isinstance(each, type) else isinstance(each, kind) for each in values)


def is_ours(module: str) -> bool:
    """Whether a module belongs to this toolkit."""
    return module.partition(".")[0] in _OURS


def load_object(path: str) -> Any:
    """What ``module:Name`` names; modules in the current folder are found too.

    Importing a module runs its code, so a path comes from the user, never from a record or a model.

    Raises:
        InputError: there is no such module, it cannot be imported, or it has no such name.
    """
    module, _, name = path.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        value: Any = import_module(module)
        for part in filter(None, name.split(".")):
            value = getattr(value, part)
    except AttributeError as error:
        raise InputError(f"{path}: {error}") from error
    except BaseException as error:
        if ends_all(error):
            raise
        raise InputError(f"{path}: cannot import {module}: {their_place(error)}{said(error)}") from error
    return value


def said(error: BaseException) -> str:
    """The kind and the text of an error, even if its class cannot give one."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 — a plug-in's own class
        return type(error).__name__


def their_place(error: BaseException) -> str:
    """The last line of a user's or a plug-in's file that led to an error, ``mine.py:8: ``; empty without one."""
    plug_ins = {entry.module.partition(".")[0] for group in _GROUPS for entry in installed(group)}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        # Python names its import system and generated code by "<frozen importlib…>" and "<string>".
        parts = Path(frame.filename).parts
        theirs = not frame.filename.startswith(("<", *_NOT_THEIRS)) and "site-packages" not in parts
        if theirs or plug_ins.intersection(parts):
            path = Path(frame.filename)
            name = f"{path.parent.name}/{path.name}" if path.name == "__init__.py" else path.name
            return f"{name}:{frame.lineno}: "
    return ""


@lru_cache
def origin(module: str) -> Mapping[str, str]:
    """The distribution that a module belongs to, with its version; empty for the modules of this toolkit.

    A module of no distribution, such as a notebook's ``__main__``, has its own name as its distribution.
    """
    if is_ours(module):
        return {}
    package = module.partition(".")[0]
    for entry in (entry for group in _GROUPS for entry in installed(group)):
        if entry.dist is not None and entry.module.partition(".")[0] == package:
            return {entry.dist.name: entry.dist.version}
    names = packages_distributions().get(package, ())
    return {name: version(name) for name in names} or {package: "no distribution"}
