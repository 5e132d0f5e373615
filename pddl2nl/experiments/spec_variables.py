"""Variables of an experiment's file: ``${name}`` in its texts, for what is elsewhere on every machine.

::

    [variables]
    planbench = { about = "a checkout of PlanBench", path = true }   # set by --define planbench=DIR, from where one is
    part = { about = "which part", default = "small" }

    [[columns]]
    wording = "${planbench}/configs/blocksworld.yaml"
    optional = true                     # left out where the variable is not set

Whatever uses a variable that is not set is an error, but for columns that are ``optional``. A default may be empty,
which is as if there were none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pddl2nl.experiments.toml_places import Kind, TOMLText, near, shown, text, truth

__all__ = ["VARIABLES", "fill_variables", "unset"]

VARIABLES = "variables"
"""The table that declares them."""
_USED = re.compile(r"\$\{([^{}]*)\}")
_KINDS: dict[str, Kind] = {
    "about": text,
    "default": Kind("a text, which may be empty", lambda value: isinstance(value, str)),
    "path": truth,
}


def fill_variables(file: TOMLText, defines: Mapping[str, str]) -> dict[int, str]:
    """Puts values in the place of all variables of the file; whatever is wrong is noted.

    Args:
        file: its data are changed.
        defines: values given on the command line, over those of the file; paths among them are relative to the
            working directory.

    Returns:
        For optional columns that need a variable which is not set: which one, a sentence each, by their place.
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
    """Whether a value holds a variable that could not be filled in, which was noted already."""
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
                known = near(name, declared) or (f"; there are {', '.join(declared)}" if declared else "")
                file.wrong(f"--define {name}: this file has no such variable{known}", VARIABLES)

    def filled(self, value: Any, keys: tuple[str, ...], *, quiet: bool = False) -> Any:
        """The value with those of its variables; where ``quiet``, one that is not set is kept in `unset` alone."""
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
            known = near(name, self._about) or f"; [{VARIABLES}] declares them: {name or 'name'} = {{ about = TEXT }}"
            self._file.wrong(f"'{whole}' uses the variable '{name}', which is not declared{known}", *keys, value=whole)
            return found[0]
        about = f" ({self._about[name]})" if self._about[name] else ""
        said = f"the variable '{name}'{about} is not set: --define {name}=VALUE"
        self.unset = self.unset or said
        if not quiet:
            self._file.wrong(f"'{whole}': {said}", *keys, value=whole)
        return found[0]


def _found(value: str, is_path: bool | None) -> str:
    """A value of the command line; a path is made independent of the folder that the file stands in.

    Where the file does not say whether it is one, what has a separator and is there is.
    """
    path = Path(value).expanduser()
    if is_path is None:
        is_path = len(path.parts) > 1 and path.exists()
    return str(path.absolute()) if value and is_path else value
