"""A specification's TOML file: its values checked, its errors with line and column."""

from __future__ import annotations

import os.path
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pddl2nl.conversion import Key, WrongValueError, convert, dotted
from pddl2nl.errors import InputError
from pddl2nl.experiments.specification.schema import OPTIONS, given, place_of, quantity
from pddl2nl.files import read_text, unreadable

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
        try:
            self.data: dict[str, Any] = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            reason, _, where = str(error).partition(" (at ")
            place = re.match(r"line (\d+), column (\d+)", where)
            lines = self.text.rstrip().split("\n")
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
