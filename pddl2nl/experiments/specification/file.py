"""A specification's TOML file: its variables filled in, its values checked, its errors with line and column.

A file may declare variables and use them as ``${name}`` in its texts::

    [variables]
    planbench = { about = "a checkout of PlanBench", path = true }   # set by --define planbench=DIR
    part = { about = "which part", default = "small" }

Using a variable without a value is an error, except in columns that are ``optional``.
"""

from __future__ import annotations

import os.path
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pddl2nl.conversion import Key, WrongValueError, convert, dotted
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.specification.schema import Variable, place_of, quantity
from pddl2nl.files import read_text, unreadable
from pddl2nl.policies.spec import RUN_OPTIONS

T = TypeVar("T")
_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_HEADER = re.compile(r"^[ \t]*(\[\[?)\s*([^\[\]\n]+?)\s*\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
_FILES = ("example", "example_plan", "ontology")


class _UnsetVariableError(Exception):
    """A text uses a variable without a value."""

    def __init__(self, text: str, message: str):
        super().__init__(message)
        self.text = text


class SpecFile:
    """A specification's file, and the errors noted in it.

    Attributes:
        path: the file; paths in it are relative to its folder.
        data: its tables, with variables filled in by `fill`.

    Raises:
        InputError: the file cannot be read, or is not TOML.
    """

    def __init__(self, path: Path):
        self.path = path
        self._text = read_text(path)
        self._noted: list[tuple[int, str]] = []
        self._written: dict[str, str] = {}
        try:
            self.data: dict[str, Any] = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            reason, _, where = str(error).partition(" (at ")
            place = re.match(r"line (\d+), column (\d+)", where)
            lines = self._text.rstrip().split("\n")
            line, column = (int(place[1]), int(place[2])) if place else (len(lines), len(lines[-1]) + 1)
            shown = f"  {lines[line - 1]}\n  {' ' * (column - 1)}^" if line <= len(lines) else ""
            raise InputError(f"{path}:{line}:{column}: not TOML: {reason}\n{shown}") from None
        except (RecursionError, ValueError) as error:
            raise InputError(f"{path}: not TOML: {unreadable(error)}") from None

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
            return f"{self.path}: {message}"
        before = self._text[:offset].split("\n")
        return f"{self.path}:{len(before)}:{len(before[-1]) + 1}: {message}"

    def _offset(self, keys: tuple[Key, ...], value: object) -> int:
        """The offset of a key, or of a value after it; -1 if neither is found."""
        start, end, rest = self._table(keys)
        offset = -1 if rest == keys else start
        for key in rest:
            pattern = rf"(?:^|(?<=[\s{{.,\"'])){re.escape(str(key))}[\"']?\s*[.=]"
            if isinstance(key, str) and (match := re.compile(pattern, re.MULTILINE).search(self._text, start, end)):
                start = offset = match.start()
        if isinstance(value, str | int | float):
            word = re.escape(str(value).lower() if isinstance(value, bool) else str(value))
            pattern = rf"[\"']{word}[\"']" if isinstance(value, str) else rf"(?<![\w.]){word}(?![\w.])"
            if match := re.compile(pattern).search(self._text, start, end):
                offset = match.start()
        return offset

    def _table(self, keys: tuple[Key, ...]) -> tuple[int, int, tuple[Key, ...]]:
        """The part of the text that belongs to the innermost header above a key, and the rest of the key's path."""
        headers = [*_HEADER.finditer(self._text)]
        ends = [*(header.start() for header in headers), len(self._text)]
        best = (0, ends[0] if keys else len(self._text), keys)
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
            if error.unknown and (place := place_of(str(error.keys[-1]))):
                message = f"unknown key {dotted(error.keys)}; {error.keys[-1]} belongs {place}"
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

    def options(self, given: Mapping[str, Any], *keys: Key) -> dict[str, Any]:
        """Options of runs with their paths and models found."""
        options = dict(given)
        for name, value in given.items():
            if name in RUN_OPTIONS and RUN_OPTIONS[name].model:
                options[name] = self.model(value)
            elif name in _FILES and value != "none":
                options[name] = self.existing(value, *keys, name)
            elif name == "library" or (name == "faults" and os.path.isfile(self.path_of(value))):
                # Otherwise the text itself describes the faults.
                path = self.path_of(value)
                options[name] = path if name == "library" else str(path)
        return options

    # ── variables ────────────────────────────────────────────────────────────────────────────────

    def fill(self, defines: Mapping[str, str]) -> dict[int, str]:
        """Replaces the variables in all texts by their values.

        Args:
            defines: values of the command line, in place of defaults; paths are relative to the working directory.

        Returns:
            The optional columns that use a variable without a value: the index of each, and which variable.
        """
        declared = self.convert(self.data.pop("variables", {}), dict[str, dict[str, Any]], "variables")
        variables = {name: self.convert(each, Variable, "variables", name) for name, each in declared.items()}
        for name in defines:
            if name not in variables:
                known = did_you_mean(name, variables) or (f"; there are {', '.join(variables)}" if variables else "")
                raise self.error(f"--define {name}: this file has no such variable{known}", "variables")
        values = {name: defines.get(name, each.default) for name, each in variables.items()}
        for name in defines:
            if values[name] and variables[name].path:
                values[name] = str(Path(os.path.expanduser(values[name])).absolute())

        def value_of(name: str, text: str) -> str:
            if value := values.get(name):
                return value
            if name not in variables:
                known = did_you_mean(name, variables, f"; declare it: [variables] {name} = {{ about = TEXT }}")
                raise _UnsetVariableError(text, f"the variable '{name}' is not declared{known}")
            about = f" ({variables[name].about})" if variables[name].about else ""
            raise _UnsetVariableError(text, f"the variable '{name}'{about} is not set: --define {name}=VALUE")

        def filled(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: filled(each) for key, each in value.items()}
            if isinstance(value, list):
                return [filled(each) for each in value]
            if isinstance(value, str):
                return _VARIABLE.sub(lambda match: value_of(match[1], value), value)
            return value

        unset: dict[int, str] = {}
        columns = self.data.get("columns")
        columns = columns if isinstance(columns, list) else []
        try:
            for number, column in enumerate(columns):
                try:
                    columns[number] = filled(column)
                except _UnsetVariableError as error:
                    if not (isinstance(column, dict) and column.get("optional") is True):
                        raise
                    unset[number] = str(error)
            self.data.update((key, filled(value)) for key, value in self.data.items() if key != "columns")
        except _UnsetVariableError as error:
            raise self.error(f"'{error.text}': {error}", value=error.text) from None
        return unset
