"""What a policy is: a class whose typed fields are its options.

The command line (``-P NAME=VALUE``), specification files, records, replays and help follow from the fields::

    class Careful(Policy):
        summary = "acts, but looks around first"

        looks: Annotated[int, Meta(description="How often it looks around.", ge=0)] = 1

        def run(self, episode: Episode) -> None: ...

The policies by name.

Here are those that belong to no paper's system, one line each in `CORE`. Systems bring theirs (`pddl2nl.plugins`), as
do packages with an entry point. A *preset* is a name for values of a policy's options, in the TOML file of its system.
A policy's module is imported when the policy is first made.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, cast

import msgspec
from msgspec import Meta

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError, did_you_mean, near_name
from pddl2nl.plugins import POLICY_GROUP, System, fails_alone, installed, is_ours, load_object, loadable, systems
from pddl2nl.policies.prompts import Prompts
from pddl2nl.policies.spec import NOTHING, Acting

if TYPE_CHECKING:
    from pddl2nl.pddl import Task
    from pddl2nl.policies.episode import Episode
    from pddl2nl.tasks.reference_files import TaskReference
    from pddl2nl.worlds.executor import Executor
    from pddlval import Simulator

LEVELS = ("format", "actions", "applicable")
"""What ``--constrain`` can ask of replies, from the loosest to the strictest."""

P = TypeVar("P", bound="Policy")


@dataclass(frozen=True)
class Effort:
    """The expected calls of a run before it is made, for cost estimates.

    Attributes:
        opening: calls with the first prompt of the run, or one as long.
        later: calls with later prompts, which are longer by ``growth`` tokens.
        replies: tokens of all replies.
        how: what is assumed, in a few words.
    """

    opening: int
    later: int
    growth: int
    replies: float
    how: str = ""


class Policy(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A way of choosing actions. Subclasses declare their options as typed fields, and need only `run`.

    The members below describe a policy; a subclass sets them without a type, as a type would make them options.

    Attributes:
        summary: one line for people.
        prompts: its prompt files.
        works_on: of a policy that works on the plan of another one, asked for as ``NAME:OTHER``: which one, where the
            name does not say it. It has the options ``proposer`` and ``proposer_options``.
    """

    summary: ClassVar[str] = ""
    prompts: ClassVar[Prompts] = Prompts("pddl2nl.policies")
    works_on: ClassVar[str] = ""

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles of prompts it has, ``nl`` and ``pddl``."""
        return ("nl",)

    @property
    def one_shot(self) -> bool:
        """Whether it gives a whole plan at once, so that no step limit applies."""
        return False

    @property
    def own_steps(self) -> int | None:
        """Its limit of steps where the user names none; None for that of all policies."""
        return None

    @property
    def original_names(self) -> bool:
        """Whether its prompts name objects as the problem does, so that the trace does too."""
        return False

    @property
    def thoughts(self) -> bool:
        """Whether its example shows thoughts."""
        return False

    @property
    def needs_model(self) -> bool:
        """Whether it asks a model."""
        return True

    @property
    def uses(self) -> frozenset[str]:
        """The optional options of a run that it uses (`pddl2nl.policies.spec.OPTIONAL`)."""
        return frozenset()

    @property
    def levels(self) -> tuple[str, ...]:
        """What ``--constrain`` can ask of its replies, of `LEVELS`; nothing if it does not use the option."""
        return () if "constrain" not in self.uses else LEVELS[:-1] if self.one_shot else LEVELS

    @property
    def constrains_decoding(self) -> bool:
        """Whether ``--constrain`` needs a model that decodes under a constraint, and so one behind an endpoint."""
        return True

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in which it asks other models, if they are named by ``--model-for``."""
        return ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it reads beside a domain (`pddl2nl.plugins.System.files`)."""
        return ()

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The mistakes that the oracle can make with it on purpose."""
        return ()

    @property
    def prompt_names(self) -> tuple[str, ...]:
        """The prompt files that it uses; a record holds their hashes."""
        return self.prompts.names()

    @property
    def proposing(self) -> Policy:
        """The policy that is told the task: this one, or that on whose plan it works."""
        return self

    def told_task(self, reference: TaskReference | None) -> str:
        """The task in words, for policies that are told it, given what is known of it; empty for its goal."""
        return ""

    def in_world(self: P, simulator: Simulator, seed: int) -> tuple[P, Executor | None]:
        """The policy as it is recorded, and what executes its actions; None for the simulator."""
        return self, None

    def shows_example(self, task: Task) -> bool:
        """Whether an example is looked for where the user names none; not if it shows other examples of the domain."""
        return "example" in self.uses

    def run(self, episode: Episode) -> None:
        """Acts until ``episode.done``, or submits a plan once."""
        raise NotImplementedError

    def effort(self, actions: int) -> Effort | None:
        """The expected effort for a plan of so many actions; None for that of the four mechanisms."""
        return None

    def snapshot(self, task: Task) -> Mapping[str, Any]:
        """What a record must hold beside the options to repeat the run, such as a library's content, as JSON."""
        return {}

    def restored(self: P, snapshot: Mapping[str, Any], task: Task, folder: Path) -> P:
        """The policy that repeats a run with this snapshot; ``folder`` is empty and is removed afterwards."""
        return self


class TaskTextPolicy(Policy):
    """The options of policies that are told the task in words."""

    task_text: Annotated[
        str | None,
        Meta(description="The task in natural language; by default the task's own text if it has one, else its goal."),
    ] = None
    form: Annotated[
        Literal["goal", "constructive"],
        Meta(description="The form of the task's own text: what is wanted (goal) or how to do it (constructive)."),
    ] = "goal"

    def told_task(self, reference: TaskReference | None) -> str:
        """The user's text, else the task's own, else none.

        Raises:
            InputError: the task has no text in the form that is asked for.
        """
        if self.task_text is not None:
            if "\n\n" in self.task_text.strip():
                raise InputError("option task_text: an empty line ends the task in a prompt; leave it out")
            return " ".join(self.task_text.split("\n")).strip()
        if reference is None and self.form == "goal":
            return ""
        texts = {} if reference is None else reference.texts
        if self.form not in texts:
            has = f"a text in the form {' and '.join(texts)} alone" if texts else "no text and is told by its goal"
            raise InputError(
                f"option form={self.form}: this task has {has}; give a text of that form by task_text=TEXT"
            )
        return texts[self.form]


class WorldPolicy(TaskTextPolicy):
    """The options of policies whose world may differ from its model."""

    faults: Annotated[
        str | None,
        Meta(
            description="Differences of the world from the model, separated by ';', or a file of them: "
            "'fail (pick-up egg-1)', 'fail 10%', 'initially (dirty pan-1)'."
        ),
    ] = None

    def in_world(self: P, simulator: Simulator, seed: int) -> tuple[P, Executor | None]:
        """The policy with its faults as a text, and the world that has them."""
        # The faults of a run may be an object, too.
        given: Any = getattr(self, "faults", None)
        if given is None:
            return self, None
        from pddl2nl.worlds.executor import FaultyExecutor
        from pddl2nl.worlds.faults import read_faults

        faults = read_faults(given) if isinstance(given, str) else given
        return msgspec.structs.replace(self, faults=faults.text), FaultyExecutor(simulator, faults, seed=seed)


# ── options by name ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class PolicyOption:
    """One option of a policy; ``kind`` says in words which values it accepts."""

    name: str
    default: Any
    help: str
    kind: str


@lru_cache
def options_of(kind: type[Policy]) -> Mapping[str, PolicyOption]:
    """The options of a class by name, in the order of its fields."""
    found = {}
    info = cast(msgspec.inspect.StructType, msgspec.inspect.type_info(kind))
    for item in info.fields:
        extra, description = item.type, ""
        if isinstance(extra, msgspec.inspect.Metadata):
            description = (extra.extra_json_schema or {}).get("description", "")
            extra = extra.type
        found[item.name] = PolicyOption(item.name, item.default, description, _in_words(extra))
    return found


def _in_words(kind: msgspec.inspect.Type) -> str:
    if isinstance(kind, msgspec.inspect.UnionType):
        return " or ".join(_in_words(each) for each in kind.types if not isinstance(each, msgspec.inspect.NoneType))
    if isinstance(kind, msgspec.inspect.LiteralType):
        return "|".join(map(str, kind.values))
    if isinstance(kind, msgspec.inspect.IntType | msgspec.inspect.FloatType):
        letter = "N" if isinstance(kind, msgspec.inspect.IntType) else "X"
        return letter if kind.ge is None else f"{letter} ≥ {kind.ge}"
    if isinstance(kind, msgspec.inspect.BoolType):
        return "true|false"
    if isinstance(kind, msgspec.inspect.VarTupleType | msgspec.inspect.ListType):
        return f"[{_in_words(kind.item_type)}, …]"
    return "TEXT"


def make(kind: type[P], name: str, values: Mapping[str, Any]) -> P:
    """A policy of a class with options, whose values may be texts.

    Raises:
        InputError: an unknown option, or a value that its type or bounds refuse.
    """
    given = {key: [*value] if isinstance(value, tuple) else value for key, value in values.items()}
    for key, value in given.items():
        # Of an option that takes several, ``state,undo`` is a list.
        if isinstance(value, str) and key in options_of(kind) and options_of(kind)[key].kind.startswith("["):
            given[key] = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return convert(given, kind, strict=False)
    except WrongValueError as error:
        if not error.unknown:
            raise InputError(f"policy {name}: option {error}") from None
        unknown, known = str(error.keys[-1]), kind.__struct_fields__
    hint = did_you_mean(unknown, known, f"; it has {', '.join(known) or 'none'}")
    raise InputError(f"policy {name} has no option '{unknown}'{hint}")


# ── policies by name ────────────────────────────────────────────────────────────────────────────────

CORE = {
    "basic": "basic:Basic",
    "cot": "cot:ChainOfThought",
    "act": "act:Act",
    "react": "react:ReAct",
    "tools": "tools:Tools",
    "score": "score:Score",
    "random": "random:RandomWalk",
}
"""The policies that belong to no system, and the class of each."""

_TITLES = {"cot": "CoT", "react": "ReAct", "random": "rnd"}


@dataclass(frozen=True)
class Entry:
    """A name by which a policy can be asked for: a policy's, a preset's, or ``module:Class``.

    ``title`` is what tables call it, ``preset`` the policy that it is a preset of and ``options`` its values, and
    ``summary`` a line for people.
    """

    name: str
    kind: type[Policy]
    title: str
    system: System | None = None
    preset: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""


def policies() -> Iterator[Entry]:
    """Every policy and preset by name: those of no system first, then system by system, and last of other packages."""
    yield from map(entry_of, (*CORE, *core_presets()))
    for name, (system, _) in _of_systems().items():
        if is_ours(system.package):
            yield entry_of(name)
        else:
            with fails_alone(f"policy '{name}' of system '{system.name}'"):
                yield entry_of(name)
    yield from loadable(POLICY_GROUP, _installed_policy)


def policy_names() -> tuple[str, ...]:
    """The names of all policies and presets, in the order of `policies`."""
    return (*CORE, *core_presets(), *_of_systems(), *(entry.name for entry in installed(POLICY_GROUP)))


@lru_cache(maxsize=1)
def core_presets() -> Mapping[str, Mapping[str, Any]]:
    """The presets of the policies that belong to no system, by name."""
    return tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))


def is_core(name: str) -> bool:
    """Whether a name is that of a policy, or preset, that belongs to no system."""
    return name in CORE or name in core_presets()


def is_registered(policy: str) -> bool:
    """Whether a policy, and the one on whose plan it works, is known by its name, so that no other code is imported."""
    name, other = _wrapping(policy)
    return name in policy_names() and (not other or is_registered(other))


def entry_of(name: str) -> Entry:
    """The entry of a policy's name.

    Raises:
        InputError: there is no such policy, or the class is none.
    """
    if name in CORE:
        module, _, class_name = CORE[name].partition(":")
        kind = getattr(import_module(f"pddl2nl.policies.{module}"), class_name)
        return Entry(name, kind, _TITLES.get(name, name.capitalize()))
    if (table := core_presets().get(name)) is not None:
        kind = entry_of(table["policy"]).kind
        return Entry(name, kind, table["title"], None, table["policy"], table["options"], table["summary"])
    if (found := _of_systems().get(name)) is not None:
        system, preset = found
        policy = preset.get("policy", name)
        kind = checked_class(system.load(system.policies[policy]), name)
        options = preset.get("options", {})
        title, summary = preset.get("title", name), preset.get("summary", "")
        return Entry(name, kind, title, system, policy if policy != name else "", options, summary)
    for entry in installed(POLICY_GROUP):
        if entry.name == name:
            return _installed_policy(entry)
    if ":" in name:
        kind = checked_class(load_object(name), name)
        return Entry(name, kind, name.rpartition(":")[2])
    known = policy_names()
    if near := near_name(name, known):
        raise InputError(f"did you mean '{near}'? There is no policy '{name}'")
    raise InputError(f"there is no policy '{name}'; there are {', '.join(known)} and module:Class")


def _installed_policy(entry: EntryPoint) -> Entry:
    return Entry(entry.name, checked_class(load_object(entry.value), entry.name), entry.name)


def make_policy(policy: str | Acting, options: Mapping[str, Any] = NOTHING) -> Policy:
    """A policy by its name, or that of a preset, whose values ``options`` override; values may be texts.

    An object is returned as it is, with other values where there are options.

    Raises:
        InputError: there is no such policy or option, or a value that its type or bounds refuse.
    """
    if isinstance(policy, str):
        name, other = _wrapping(policy)
        entry = entry_of(name)
        values = {**entry.options, **options}
        if entry.kind.works_on:
            values = _with_proposer(entry.kind, name, other or entry.kind.works_on, values)
        elif other:
            raise InputError(f"{name} takes no other policy: leave out ':{other}'")
        return make(entry.kind, policy, values)
    kind = checked_class(type(policy), type(policy).__name__)
    assert isinstance(policy, Policy), "checked by its class"
    return make(kind, kind.__name__, {**msgspec.structs.asdict(policy), **options}) if options else policy


def _with_proposer(kind: type[Policy], name: str, other: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a policy that works on another's plan: its own; all others become those of the other one.

    Raises:
        InputError: the other policy gives no whole plan, works on another's itself, is for a world with faults, or
            refuses a value.
    """
    own = {key: value for key, value in values.items() if key in kind.__struct_fields__}
    if own.get("proposer", other) != other:
        # A record names the policy, and never chooses code by an option.
        raise InputError(f"{name}: ask for the plan of another policy as {name}:{own['proposer']}")
    given = {key: value for key, value in values.items() if key not in own}
    made = make_policy(other, {**own.get("proposer_options", {}), **given})
    if made.works_on:
        raise InputError(f"{name}:{other}: {other} works on the plan of another policy itself")
    if not made.one_shot:
        raise InputError(
            f"{name}:{other}: {other} takes its actions one at a time, and {name} works on a whole plan; name a policy "
            "that gives one, such as basic, cot or llm+p"
        )
    if getattr(made, "faults", None) is not None:
        raise InputError(f"{name}:{other} plans for the world as the task describes it: leave out the option faults")
    return {**own, "proposer": other, "proposer_options": msgspec.to_builtins(made)}


def option_text(value: object) -> str:
    """The value of an option as it is written on the command line."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={option_text(each)}" for name, each in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def system_of(policy: str) -> System | None:
    """The system that brings a policy or preset, or the class of ``module:Class``; None for others."""
    name, _ = _wrapping(policy)
    if is_core(name):
        return None
    if name in _of_systems():
        return _of_systems()[name][0]
    return next((system for system in systems().values() if name.startswith(f"{system.package}.")), None)


def is_of(policy: str, package: str) -> bool:
    """Whether the system in a package brings a policy."""
    system = system_of(policy)
    return system is not None and system.package == package


def checked_class(kind: Any, name: str) -> type[Policy]:
    """The class of a policy; one that cannot be played is refused here and not blamed on a model later.

    Raises:
        InputError: it is not derived from `Policy`, lacks ``run``, or declares an option with the name of a member.
    """
    if not (isinstance(kind, type) and issubclass(kind, Policy)):
        raise InputError(f"{name}: a policy is a class derived from pddl2nl.policies.Policy; found {kind!r}")
    if kind.run is Policy.run:
        raise InputError(f"{name}: the policy has no method run(episode)")
    if not is_ours(kind.__module__):
        _check_foreign(kind, name)
    taken = [each for each in kind.__struct_fields__ if hasattr(Policy, each)]
    if taken:
        raise InputError(f"{name}: '{taken[0]}' is declared with a type, which makes it an option; leave the type out")
    return kind


def _check_foreign(kind: type[Policy], name: str) -> None:
    """Refuses what could not act, and would look as if the model had given up."""
    run: Any = kind.run
    if inspect.iscoroutinefunction(run) or inspect.isgeneratorfunction(run) or inspect.isasyncgenfunction(run):
        raise InputError(f"{name}: run(episode) is a coroutine or has a yield, and would do nothing when it is called")
    with fails_alone(f"{name}: run(episode) cannot be called", asked=True):
        inspect.signature(run).bind(None, None)
    for member in ("styles", "levels", "roles", "files", "mistakes"):
        value = getattr(kind, member)
        if not isinstance(value, tuple) and not hasattr(value, "__get__"):
            raise InputError(f"{name}: {member}: expected a tuple, found {value!r}")
    with fails_alone(f"{name}: its options cannot be read", asked=True):
        options_of(kind)


def _wrapping(policy: str) -> tuple[str, str]:
    """A policy that works on another's plan, ``repair:cot``, and that other one; the other is empty in most cases."""
    name, colon, other = policy.partition(":")
    return (name, other) if colon and name in _of_systems() else (policy, "")


@lru_cache(maxsize=1)
def _of_systems() -> Mapping[str, tuple[System, Mapping[str, Any]]]:
    """The systems' policies and presets by name, with the preset's table."""
    found: dict[str, tuple[System, Mapping[str, Any]]] = {}
    for system in systems().values():
        tables = system.toml(system.presets)
        for name in dict.fromkeys((*system.policies, *tables)):
            found.setdefault(name, (system, tables.get(name, {})))
    return found
