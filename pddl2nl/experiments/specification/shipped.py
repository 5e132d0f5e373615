"""Experiments by name: shipped ones, a file's, or that of a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_origin, get_type_hints

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.specification.experiment import Experiment, Overrides, load_experiment
from pddl2nl.files import read_text
from pddl2nl.plugins import fails_alone, load_object, systems
from pddl2nl.policies.spec import NOTHING


@dataclass(frozen=True)
class Specification:
    """What specifies an experiment: a TOML file, or ``module:function`` of Python in one."""

    name: str
    path: Path
    about: str = ""
    function: str = ""

    @property
    def text(self) -> str:
        """The TOML text, or the module of the function."""
        return read_text(self.path, "specification")

    def load(self, arguments: Mapping[str, str] = NOTHING, overrides: Overrides | None = None) -> Experiment:
        """The experiment; raises `InputError` for arguments that the function does not take, and wrong values."""
        if not self.function:
            if arguments:
                raise InputError(f"-A {next(iter(arguments))}: {self.path} is a file and takes no arguments")
            return load_experiment(self.path, overrides)
        made = _called(self.function, arguments)
        if not isinstance(made, Experiment):
            raise InputError(f"{self.function} returned {made!r}; an Experiment was expected")
        return made.overridden(overrides or Overrides())


def shipped_specs() -> tuple[Specification, ...]:
    """All shipped specifications, sorted by name: TOML files, and functions of systems' modules ``experiments``."""
    found = [*_functions(import_module("pddl2nl.experiments.ready"))]
    for system in systems().values():
        with fails_alone(f"a specification of system '{system.name}'"):
            if system.experiments:
                found += _files(Path(str(system.file(system.experiments))))
            if system.file("experiments.py").is_file():
                found += _functions(load_object(f"{system.package}.experiments:"))
    return tuple(sorted(found, key=lambda each: each.name))


def find_specification(name: str | Path) -> Specification:
    """What specifies an experiment: a path, a shipped name, or ``module:function``.

    Raises:
        InputError: none exists.
    """
    path = Path(name)
    known = {each.name: each for each in shipped_specs()}
    # A folder of that name may be where its records are.
    if path.exists() and not (path.is_dir() and str(name) in known):
        return Specification(path.stem, path)
    if str(name) in known:
        return known[str(name)]
    module, colon, function = str(name).partition(":")
    if colon and module and function:
        file = inspect.getsourcefile(inspect.unwrap(load_object(str(name))))
        return Specification(function.replace("_", "-"), Path(file or module), function=str(name))
    if path.suffix or path.name != str(name):
        raise InputError(f"{path}: no such file")
    hint = did_you_mean(str(name), known) or f"; shipped are {', '.join(known)}"
    raise InputError(f"{name}: there is no such file, and no specification of that name is shipped{hint}")


def _files(folder: Path) -> Iterator[Specification]:
    for path in folder.glob("*.toml"):
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        yield Specification(path.stem, path, first.lstrip("# "))


def _functions(module: ModuleType) -> Iterator[Specification]:
    for name, function in inspect.getmembers(module, inspect.isfunction):
        makes = inspect.signature(function).return_annotation in (Experiment, Experiment.__name__)
        if makes and function.__module__ == module.__name__ and not name.startswith("_"):
            about = (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".").replace("`", "")
            path = Path(inspect.getsourcefile(function) or "")
            yield Specification(name.replace("_", "-"), path, about, f"{module.__name__}:{name}")


def _called(path: str, arguments: Mapping[str, str]) -> Any:
    function = load_object(path)
    try:
        known = inspect.signature(function).parameters
    except TypeError as error:
        raise InputError(f"{path}: not a function: {error}") from None
    for name in arguments:
        if name not in known:
            hint = did_you_mean(name, known, f"; it takes {', '.join(known) or 'none'}")
            raise InputError(f"-A {name}: {path} takes no such argument{hint}")
    missing = [each.name for each in known.values() if each.default is each.empty and each.name not in arguments]
    if missing:
        raise InputError(f"{path} needs -A {missing[0]}=VALUE: {_about_argument(function, missing[0])}")
    kinds = get_type_hints(function)
    return function(**{name: _argument(path, name, value, kinds.get(name, str)) for name, value in arguments.items()})


def _argument(path: str, name: str, text: str, kind: Any) -> Any:
    """A text as a value of an argument's type; of one that takes several, separated by commas."""
    several = get_origin(kind) in (list, tuple, Sequence)
    try:
        value = [part.strip() for part in text.split(",") if part.strip()] if several else text
        return convert(value, kind, name, strict=False)
    except WrongValueError as error:
        raise InputError(f"-A {name}={text}: {path}: {error}") from None


def _about_argument(function: Any, name: str) -> str:
    for line in (inspect.getdoc(function) or "").split("\n"):
        if line.strip().startswith(f"{name}: "):
            return line.strip().removeprefix(f"{name}: ").rstrip(".")
    return "it has no default"
