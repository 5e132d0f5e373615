"""The policies by name.

Here are those that belong to no paper's system, one line each in `CORE`. Systems bring theirs (`pddl2nl.plugins`), as
do packages with an entry point. A *preset* is a name for values of a policy's options, in the TOML file of its system.
A policy's module is imported when the policy is first made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any

import msgspec

from pddl2nl.errors import InputError, did_you_mean, near_name
from pddl2nl.plugins import POLICY_GROUP, System, installed, load_object, loadable, systems
from pddl2nl.policies.policy import Policy, make
from pddl2nl.policies.spec import NOTHING, Acting

CORE = {
    "basic": "basic:Basic",
    "cot": "cot:ChainOfThought",
    "act": "act:Act",
    "react": "react:ReAct",
    "score": "score:Score",
    "random": "random:RandomWalk",
}
"""The policies that belong to no system, and the class of each."""

_TITLES = {"basic": "Basic", "cot": "CoT", "act": "Act", "react": "ReAct", "score": "Score", "random": "rnd"}


@dataclass(frozen=True)
class Entry:
    """A name by which a policy can be asked for.

    Attributes:
        name: the name of a policy or preset, or ``module:Class``.
        kind: the class.
        title: what tables call it.
        system: the system that brings it; None for others.
        preset: the policy of which this is a preset; empty for a policy.
        options: the preset's values.
        summary: one line for people.
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
    yield from map(entry_of, (*CORE, *_of_systems()))
    yield from loadable(POLICY_GROUP, _installed_policy)


def policy_names() -> tuple[str, ...]:
    """The names of all policies and presets, in the order of `policies`."""
    return (*CORE, *_of_systems(), *(entry.name for entry in installed(POLICY_GROUP)))


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
        return Entry(name, getattr(import_module(f"pddl2nl.policies.{module}"), class_name), _TITLES.get(name, name))
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
    if not isinstance(policy, str):
        kind = checked_class(type(policy), type(policy).__name__)
        assert isinstance(policy, Policy), "checked by its class"
        return make(kind, kind.__name__, {**msgspec.structs.asdict(policy), **options}) if options else policy
    name, wrapped = _wrapping(policy)
    entry = entry_of(name)
    return make(entry.kind, policy, entry.kind.wrapped(wrapped, {**entry.options, **options}))


def system_of(policy: str) -> System | None:
    """The system that brings a policy or preset, or the class of ``module:Class``; None for others."""
    name, _ = _wrapping(policy)
    if name in CORE:
        return None
    if name in _of_systems():
        return _of_systems()[name][0]
    return next((system for system in systems().values() if name.startswith(f"{system.package}.")), None)


def checked_class(kind: Any, name: str) -> type[Policy]:
    """The class of a policy; one that cannot be played is refused here and not blamed on a model later.

    Raises:
        InputError: it is not derived from `Policy`, lacks ``run``, or declares an option with the name of a member.
    """
    if not (isinstance(kind, type) and issubclass(kind, Policy)):
        raise InputError(f"{name}: a policy is a class derived from pddl2nl.policies.Policy; found {kind!r}")
    if kind.run is Policy.run:
        near = did_you_mean("run", [each for each in vars(kind) if callable(vars(kind)[each])])
        raise InputError(f"{name}: the policy has no method run(episode){near}")
    taken = [each for each in kind.__struct_fields__ if hasattr(Policy, each)]
    if taken:
        raise InputError(f"{name}: '{taken[0]}' is declared with a type, which makes it an option; leave the type out")
    return kind


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
        for name in (*system.policies, *_presets(system)):
            found.setdefault(name, (system, tables.get(name, {})))
    return found


def _presets(system: System) -> tuple[str, ...]:
    return tuple(name for name in system.toml(system.presets) if name not in system.policies)
