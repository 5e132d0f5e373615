"""Manifests: a table for each domain, with one line for each instance: its call and the planners' results."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from pddl2nl.errors import InputError
from pddl2nl.files import read_text, write_text_file

Role = Literal["example", "benchmark", "scaled", "unsolvable"]
"""The role of an instance: the solved example of prompts; a benchmark; a benchmark at the size where optimal planners
start to fail; a problem without a plan."""

Proof = Literal["lmcut", "brfs", "blind", "hmax", "upper bound", "unsolvable"]
"""How the length was proved: by A* with LM-cut, by breadth-first search, for authored tasks by A* with the blind or
the h-max heuristic, or not (``upper bound``). ``unsolvable``: an exhaustive search proved that there is no plan."""

SETS: dict[str, tuple[Role, ...]] = {
    "primary": ("example", "benchmark"),
    "scaled": ("scaled",),
    "unsolvable": ("unsolvable",),
}
"""The sets and the roles of their instances."""

Status = Literal["solved", "unsolvable", "timeout", "out-of-memory", "unsupported", "error"]

PLANNERS = ("brfs", "lmcut", "ff")
"""The planners of a manifest: breadth-first search, A* with LM-cut, greedy search with FF."""

OPTIMAL = ("lmcut", "brfs")
"""The planners whose plans are shortest; the first decides the proof."""

_LIMITS = re.compile(r"([0-9]+) s, ([0-9]+) MB")


@dataclass(frozen=True)
class SearchLimits:
    """The limits of each planner on one problem: CPU time, translation included, and memory in MiB."""

    seconds: int = 1800
    memory_mb: int = 8192

    def __str__(self) -> str:
        return f"{self.seconds} s, {self.memory_mb} MB"

    @staticmethod
    def read(text: str) -> SearchLimits:
        """The limits of a text like ``30 s, 4096 MB``; raises `InputError` for another text."""
        found = _LIMITS.fullmatch(text)
        if found is None:
            raise InputError(f"{text!r} is not a pair of limits; expected such as '30 s, 4096 MB'")
        return SearchLimits(int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Measured:
    """The result of one planner on one problem.

    ``status`` is that of `pddl2nl.baselines.PlannerResult`, ``length`` counts the steps of the validated plan,
    ``seconds`` is wall time, and ``expanded`` counts states, if the planner reported them.
    """

    status: Status
    length: int | None = None
    seconds: float = 0.0
    expanded: int | None = None
    message: str = ""

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    @property
    def ran_out(self) -> bool:
        """Whether a limit ended it."""
        return self.status in ("timeout", "out-of-memory")


COLUMNS: dict[str, Any] = {
    "instance": str,
    "file": str,
    "role": Role,
    "call": str,
    "objects": int,
    "optimal_length": int | None,
    "proof": Proof,
    "ff_length": int | None,
    **{
        f"{planner}{what}": kind
        for planner in PLANNERS
        for what, kind in (("", Status), ("_seconds", float), ("_expanded", int | None))
    },
    "limits": str,
    "planner": str,
}
"""The columns, with the types of their cells; an empty cell is None."""


@dataclass(frozen=True)
class Instance:
    """A problem of a set, as in its line of the manifest.

    Attributes:
        name: ``example``, ``p01``, ``s01``, ``u01``.
        file: the problem's path relative to `folder`, with ``/``.
        role: its role.
        call: the command that prints the file; empty if it was written by hand.
        objects: the number of objects that the problem declares; 0 if no manifest describes it.
        optimal_length: steps of a shortest plan, or of the best known one if `proof` is ``upper bound``; None without
            a plan, or if none is known.
        proof: how that was proved.
        ff_length: steps of FF's plan; None if it found none or was not run.
        measured: the result of each of the `PLANNERS`, by name; empty if it was written by hand.
        limits: of each planner.
        planner: the planners' program and its version.
        folder: of the manifest.
    """

    name: str
    file: str
    role: Role
    call: str = ""
    objects: int = 0
    optimal_length: int | None = None
    proof: Proof = "upper bound"
    ff_length: int | None = None
    measured: Mapping[str, Measured] = field(default_factory=dict)
    limits: SearchLimits = field(default_factory=SearchLimits)
    planner: str = ""
    folder: Path = Path()

    @property
    def path(self) -> Path:
        return self.folder / self.file

    @property
    def solvable(self) -> bool:
        return self.proof != "unsolvable"

    @property
    def set(self) -> str:
        return next(name for name, roles in SETS.items() if self.role in roles)

    @property
    def expanded(self) -> int:
        """States expanded by all planners together, a measure of the work to check this line."""
        return sum(each.expanded or 0 for each in self.measured.values())


def read_manifest(path: Path) -> tuple[Instance, ...]:
    """The lines of a manifest, in its order.

    Raises:
        InputError: no such file, or a malformed one: place, what was found, what was expected.
    """
    reader = csv.reader(io.StringIO(read_text(path, "manifest"), newline=""))
    header = tuple(next(reader, ()))
    if header != (*COLUMNS,):
        missing = [name for name in COLUMNS if name not in header]
        fault = f"the columns {', '.join(missing)} are missing" if missing else "they are others"
        raise InputError(f"{path}:1: a manifest's columns are {','.join(COLUMNS)}; {fault}")
    rows = []
    for cells in reader:
        try:
            rows.append(_read_row(cells, path.parent))
        except InputError as error:
            raise InputError(f"{path}:{reader.line_num}: {error}") from None
    names = [row.name for row in rows]
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise InputError(f"{path}: two lines describe the instance '{twice}'")
    return tuple(rows)


def write_manifest(path: Path, rows: Iterable[Instance]) -> None:
    """Writes a manifest, example and benchmarks first, with the folders above it.

    Raises:
        InfrastructureError: the disk refuses.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    roles = get_args(Role)
    for row in sorted(rows, key=lambda row: roles.index(row.role)):
        writer.writerow(_cells(row))
    write_text_file(path, text.getvalue())


def write_set(folder: Path, name: str, rows: Iterable[Instance], texts: Mapping[str, str]) -> None:
    """Writes a set's problems and its lines of the manifest, in place of that set's earlier ones.

    Args:
        folder: of the domain's instances.
        name: of the set, see `SETS`.
        rows: the set's.
        texts: the problems' PDDL by instance.

    Raises:
        InputError: the folder's manifest is malformed.
        InfrastructureError: the disk refuses.
    """
    manifest = folder / "manifest.csv"
    before = read_manifest(manifest) if manifest.exists() else ()
    rows = tuple(rows)
    for row in rows:
        write_text_file(folder / row.file, texts[row.name])
    kept = {row.file for row in rows}
    for row in before:
        if row.set == name and row.file not in kept:
            (folder / row.file).unlink(missing_ok=True)
    write_manifest(manifest, [*(row for row in before if row.set != name), *rows])


def _read_row(cells: list[str], folder: Path) -> Instance:
    # Imported here, because every command that takes a domain's name imports this module.
    from pddl2nl.conversion import convert

    if len(cells) != len(COLUMNS):
        raise InputError(f"{len(cells)} cells were found, {len(COLUMNS)} were expected")
    row: dict[str, Any] = {
        column: cell if kind is str else convert(cell or None, kind, column, strict=False)
        for (column, kind), cell in zip(COLUMNS.items(), cells, strict=True)
    }
    if not row["instance"] or not row["file"]:
        raise InputError("a line needs an instance and a file")
    if Path(row["file"]).is_absolute() or ".." in Path(row["file"]).parts:
        raise InputError(f"the file {row['file']!r} lies outside the manifest's folder")
    if (row["optimal_length"] is None) != (row["proof"] == "unsolvable"):
        raise InputError(f"the proof '{row['proof']}' contradicts the optimal_length {row['optimal_length']}")
    measured = {}
    for planner in PLANNERS:
        length = row["ff_length" if planner == "ff" else "optimal_length"] if row[planner] == "solved" else None
        measured[planner] = Measured(row[planner], length, row[f"{planner}_seconds"], row[f"{planner}_expanded"])
    own = ("file", "role", "call", "objects", "optimal_length", "proof", "ff_length", "planner")
    return Instance(
        row["instance"],
        **{name: row[name] for name in own},
        measured=measured,
        limits=SearchLimits.read(row["limits"]),
        folder=folder,
    )


def _cells(row: Instance) -> list[object]:
    """The cells of a line; None becomes an empty one."""
    results = (row.measured[planner] for planner in PLANNERS)
    measured = [cell for each in results for cell in (each.status, f"{each.seconds:.2f}", each.expanded)]
    length = (row.optimal_length, row.proof, row.ff_length)
    return [row.name, row.file, row.role, row.call, row.objects, *length, *measured, row.limits, row.planner]
