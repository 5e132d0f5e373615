"""A TOML file whose errors have a place: file, line, column, key, and what was found.

tomllib gives values without positions, so an error's key is searched for in the text: the first line below the header
of its table that assigns it.

A file may declare variables and use them as ``${name}`` in its texts::

    [variables]
    planbench = { about = "a checkout of PlanBench", path = true }   # set by --define planbench=DIR
    part = { about = "which part", default = "small" }

    [[columns]]
    wording = "${planbench}/configs/blocksworld.yaml"
    optional = true                     # skipped if the variable is not set

Using a variable that is not set is an error, except in columns that are ``optional``. An empty default counts as none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import read_text, unreadable

__all__ = [
    "Kind",
    "TOMLText",
    "VARIABLES",
    "choice",
    "fill_variables",
    "list_of",
    "one_or_many",
    "real",
    "shown",
    "text",
    "truth",
    "unset",
    "whole",
]


_HEADER = re.compile(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^(\s*)((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_SHOWN = 60


@dataclass(frozen=True)
class Kind:
    """The values that a key accepts.

    Attributes:
        expected: a description for messages.
        accepts: the test.
        known: the words to choose from, if there are any.
        of: the kind of a list's members, which `TOMLText.fits` tests one by one.
    """

    expected: str
    accepts: Callable[[Any], bool]
    known: tuple[str, ...] = ()
    of: Kind | None = None


text = Kind("a text", lambda value: isinstance(value, str) and bool(value))
"""Any text but the empty one."""
truth = Kind("true or false", lambda value: isinstance(value, bool))
"""A truth value."""


def whole(least: int) -> Kind:
    """A whole number, at least that."""
    return Kind(f"a whole number, at least {least}", lambda value: _is_int(value) and value >= least)


def real(least: float) -> Kind:
    """A number, at least that."""
    return Kind(
        f"a number, at least {least:g}",
        lambda value: (_is_int(value) or isinstance(value, float)) and least <= value < float("inf"),
    )


def choice(known: Iterable[str]) -> Kind:
    """One of these words."""
    words = tuple(known)
    return Kind(f"one of {', '.join(words)}", lambda value: value in words, words)


def list_of(kind: Kind) -> Kind:
    """A non-empty list whose members are of a kind."""
    return Kind(f"a list, each member {kind.expected}", lambda value: isinstance(value, list) and bool(value), of=kind)


def one_or_many(kind: Kind) -> Kind:
    """A value of a kind, or a list of such that is not empty."""

    def accepts(value: Any) -> bool:
        return kind.accepts(value) or (isinstance(value, list) and bool(value) and all(map(kind.accepts, value)))

    return Kind(f"{kind.expected}, or a list of such", accepts, kind.known)


class TOMLText:
    """A TOML file with the errors noted in it so far.

    A key is the path of tables to it, with an index from 0 for lists: ``("columns", "0", "policy")``.

    Raises:
        InputError: the file cannot be read, or is no TOML.
    """

    def __init__(self, path: Path):
        self.path = path
        self._problems: list[tuple[int, int, str]] = []
        self._text = read_text(path)
        try:
            self.data: dict[str, Any] = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(self._decoding(error)) from None
        except (RecursionError, ValueError) as error:
            raise InputError(f"{path}: this is no TOML: {unreadable(error)}") from None

    def _decoding(self, error: tomllib.TOMLDecodeError) -> str:
        said, _, where = str(error).partition(" (at ")
        place = re.match(r"line (\d+), column (\d+)", where)
        # Otherwise it is the end of the document.
        lines = self._text.rstrip().split("\n")
        line, column = (int(place[1]), int(place[2])) if place is not None else (len(lines), len(lines[-1]) + 1)
        shown = self._text.split("\n")[line - 1].rstrip()
        return f"{self.path}:{line}:{column}: this is no TOML: {said}\n  {shown}\n  {' ' * (column - 1)}^"

    def wrong(self, message: str, *keys: str, value: object = None) -> None:
        """Notes an error at a key, or at a value of it."""
        line, column = self._place(keys, value)
        self._problems.append((line, column, message))

    def check(self) -> None:
        """Raises `InputError` with everything that was noted, in the order of the file."""
        if self._problems:
            lines = []
            for line, column, message in sorted(self._problems):
                place = f":{line}:{column}" if line else ""
                lines.append(f"{self.path}{place}: {message}")
            raise InputError("\n".join(lines))

    @property
    def sound(self) -> bool:
        """Whether nothing was noted yet."""
        return not self._problems

    def table(
        self, kinds: Mapping[str, Kind], *where: str, elsewhere: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The values of a table whose keys and kinds are right; others are noted as errors.

        Args:
            kinds: of the known keys.
            where: the table.
            elsewhere: where keys of other tables belong.
        """
        found: Any = self.data
        for key in where:
            found = found[int(key)] if isinstance(found, list) else found.get(key, {})
        if not isinstance(found, dict):
            self.wrong(f"'{_dotted(where)}' is {shown(found)}; a table [{'.'.join(where)}] was expected", *where)
            return {}
        right = {}
        for key, value in found.items():
            if key not in kinds:
                belongs = (elsewhere or {}).get(key)
                hint = f"; '{key}' belongs {belongs}" if belongs else did_you_mean(key, kinds)
                hint = hint or f"; there are {', '.join(kinds)}"
                self.wrong(f"unknown key '{_dotted((*where, key))}'{hint}", *where, key)
            elif self.fits(value, kinds[key], *where, key):
                right[key] = value
        return right

    def fits(self, value: Any, kind: Kind, *keys: str, member: bool = False) -> bool:
        """Whether a value is of a kind; if not, an error is noted."""
        if kind.accepts(value):
            wrong = [each for each in value if not self.fits(each, kind.of, *keys, member=True)] if kind.of else []
            return not wrong
        members = value if isinstance(value, list) else [value]
        hint = next(
            (said for each in members if each not in kind.known if (said := did_you_mean(str(each), kind.known))), ""
        )
        hint = hint or (f": [{shown(value)}]" if kind.expected.startswith("a list") and isinstance(value, str) else "")
        self.wrong(
            f"'{_dotted(keys)}' {'holds' if member else 'is'} {shown(value)}; {kind.expected} was expected{hint}",
            *keys,
            value=value if member else None,
        )
        return False

    def _place(self, keys: tuple[str, ...], value: object) -> tuple[int, int]:
        """Line and column from 1 of a key, else of the table around it; zeros if neither is found."""
        while keys:
            found = self._key_place(keys, value)
            if found is not None:
                return found
            keys = keys[:-1]
        return 0, 0

    def _key_place(self, keys: tuple[str, ...], value: object) -> tuple[int, int] | None:
        table: tuple[str, ...] = ()
        lists: dict[tuple[str, ...], int] = {}
        first: tuple[int, int] | None = None
        lines = self._text.split("\n")
        for number_, line in enumerate(lines, 1):
            header = _HEADER.match(line)
            if header is not None:
                table = _table_path(_path(header[1]), lists, opens="[[" in line)
                if table == keys:
                    return number_, line.index("[") + 1
                if table[:-1] == keys and keys in lists:
                    # A list of tables: the first that holds the value, else the first of all.
                    first = first or (number_, line.index("[") + 1)
                continue
            if first is not None and table[:-1] == keys and (hit := _hit(line, value)) is not None:
                return number_, hit
            key = _KEY.match(line)
            if key is not None and (*table, *_path(key[2])) == keys:
                return self._value_place(lines, number_, len(key[1]) + 1, value)
            if key is not None and len(keys) > 1 and (*table, *_path(key[2])) == keys[:-1]:
                # An inline table: usd in budgets = {usd = 1}.
                inner = re.search(rf"\b{re.escape(keys[-1])}\s*=", line)
                if inner is not None:
                    return self._value_place(lines, number_, inner.start() + 1, value)
        return first

    def _value_place(self, lines: list[str], number_: int, column: int, value: object) -> tuple[int, int]:
        for further, line in enumerate(lines[number_ - 1 :], number_):
            hit = _hit(line, value, column if further == number_ else 0)
            if hit is not None:
                return further, hit
            if further > number_ and _KEY.match(line):
                break
        return number_, column


def _hit(line: str, value: object, start: int = 0) -> int | None:
    """The column, from 1, at which a line holds a value as TOML writes it."""
    if value is None or isinstance(value, list | dict):
        return None
    said = re.escape(str(value).lower() if isinstance(value, bool) else str(value))
    wanted = re.compile(rf"""["']{said}["']""" if isinstance(value, str) else rf"(?<![\w.]){said}(?![\w.])")
    found = wanted.search(line, start)
    return None if found is None else found.start() + 1


def _table_path(path: tuple[str, ...], lists: dict[tuple[str, ...], int], *, opens: bool) -> tuple[str, ...]:
    """The path of a header with its indices in lists of tables; ``opens`` if it begins a new member."""
    found: tuple[str, ...] = ()
    for number_, part in enumerate(path, 1):
        found = (*found, part)
        if opens and number_ == len(path):
            lists[found] = lists.get(found, -1) + 1
        if found in lists:
            found = (*found, str(lists[found]))
    return found


def _dotted(keys: tuple[str, ...]) -> str:
    """The key as a message calls it: ``columns[1].policy`` for that of the first column."""
    return "".join(f"[{int(key) + 1}]" if key.isdigit() else f".{key}" for key in keys).removeprefix(".")


def _path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def shown(value: object) -> str:
    """A value as the file writes it, shortened."""
    said = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return said if len(said) <= _SHOWN else said[:_SHOWN] + "…"


VARIABLES = "variables"
"""The table that declares them."""
_USED = re.compile(r"\$\{([^{}]*)\}")
_KINDS: dict[str, Kind] = {
    "about": text,
    "default": Kind("a text, which may be empty", lambda value: isinstance(value, str)),
    "path": truth,
}


def fill_variables(file: TOMLText, defines: Mapping[str, str]) -> dict[int, str]:
    """Replaces all variables in the texts of the file; errors are noted.

    Args:
        file: its data are changed.
        defines: values of the command line, which replace those of the file; their paths are relative to the
            working directory.

    Returns:
        For each optional column that needs an unset variable: its index and a sentence that names the variable.
    """
    filling = _Filling(file, defines)
    missing: dict[int, str] = {}
    for key, value in file.data.items():
        if key == VARIABLES:
            continue
        if key == "columns" and isinstance(value, list):
            filled = []
            for number, column in enumerate(value):
                optional = isinstance(column, dict) and column.get("optional") is True
                filled.append(filling.filled(column, (key, str(number)), quiet=optional))
                if optional and filling.unset:
                    missing[number] = filling.unset
            file.data[key] = filled
        else:
            file.data[key] = filling.filled(value, (key,))
    return missing


def unset(value: object) -> bool:
    """Whether a value holds a variable without a value, for which an error was noted already."""
    if isinstance(value, dict):
        return any(map(unset, value.values()))
    if isinstance(value, list):
        return any(map(unset, value))
    return isinstance(value, str) and _USED.search(value) is not None


class _Filling:
    def __init__(self, file: TOMLText, defines: Mapping[str, str]):
        self._file = file
        self._about: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self.unset = ""
        declared = file.data.get(VARIABLES, {})
        if not isinstance(declared, dict):
            file.wrong(f"'{VARIABLES}' is {shown(declared)}; a table [{VARIABLES}] was expected", VARIABLES)
            declared = {}
        for name in declared:
            said = file.table(_KINDS, VARIABLES, name)
            self._about[name] = said.get("about", "")
            value = said.get("default", "")
            if name in defines:
                value = _found(defines[name], said.get("path"))
            if value:
                self._values[name] = value
        for name in defines:
            if name not in declared:
                known = did_you_mean(name, declared) or (f"; there are {', '.join(declared)}" if declared else "")
                file.wrong(f"--define {name}: this file has no such variable{known}", VARIABLES)

    def filled(self, value: Any, keys: tuple[str, ...], *, quiet: bool = False) -> Any:
        """The value with its variables replaced; if ``quiet``, an unset variable is noted in `unset` only."""
        self.unset = ""
        return self._filled(value, keys, quiet)

    def _filled(self, value: Any, keys: tuple[str, ...], quiet: bool) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(one, (*keys, key), quiet) for key, one in value.items()}
        if isinstance(value, list):
            return [self._filled(one, keys, quiet) for one in value]
        if not isinstance(value, str):
            return value
        return _USED.sub(lambda found: self._value(found, value, keys, quiet), value)

    def _value(self, found: re.Match[str], whole: str, keys: tuple[str, ...], quiet: bool) -> str:
        name = found[1]
        if name in self._values:
            return self._values[name]
        if name not in self._about:
            declare = f"; [{VARIABLES}] declares them: {name or 'name'} = {{ about = TEXT }}"
            known = did_you_mean(name, self._about, declare)
            self._file.wrong(f"'{whole}' uses the variable '{name}', which is not declared{known}", *keys, value=whole)
            return found[0]
        about = f" ({self._about[name]})" if self._about[name] else ""
        said = f"the variable '{name}'{about} is not set: --define {name}=VALUE"
        self.unset = self.unset or said
        if not quiet:
            self._file.wrong(f"'{whole}': {said}", *keys, value=whole)
        return found[0]


def _found(value: str, is_path: bool | None) -> str:
    """A value of the command line; a path becomes absolute.

    If the file does not declare what it is, an existing path with a separator counts as a path.
    """
    path = Path(value).expanduser()
    if is_path is None:
        is_path = len(path.parts) > 1 and path.exists()
    return str(path.absolute()) if value and is_path else value
