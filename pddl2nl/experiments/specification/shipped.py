"""The shipped specifications: the papers' experiments, run by name."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from pddl2nl.errors import InputError, did_you_mean

_FOLDER = "specifications"


@dataclass(frozen=True)
class ShippedSpec:
    """A specification that comes with the package; ``about`` is its first line, a sentence."""

    name: str
    path: Path
    about: str


def shipped_specs() -> tuple[ShippedSpec, ...]:
    """All shipped specifications, sorted by name."""
    folder = Path(str(resources.files("pddl2nl.experiments"))) / _FOLDER
    return tuple(
        ShippedSpec(path.stem, path, path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "))
        for path in sorted(folder.glob("*.toml"))
    )


def find_specification(name: str | Path) -> Path:
    """The path of a file, else of the shipped specification of that name.

    Raises:
        InputError: there is neither.
    """
    path = Path(name)
    known = {each.name: each.path for each in shipped_specs()}
    # A folder of that name may be where its records are.
    if path.exists() and not (path.is_dir() and str(name) in known):
        return path
    if str(name) in known:
        return known[str(name)]
    if path.suffix or path.name != str(name):
        raise InputError(f"{path}: no such file")
    hint = did_you_mean(str(name), known) or f"; shipped are {', '.join(known)}"
    raise InputError(f"{name}: there is no such file, and no specification of that name is shipped{hint}")
