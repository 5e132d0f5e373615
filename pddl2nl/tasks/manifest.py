"""Manifests: a table for each domain, with one line for each instance: its call and the planners' results."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args

from pddl2nl.errors import InputError
from pddl2nl.files import read_text, write_text_file
from pddl2nl.tasks.measuring import PLANNERS, Measured, SearchLimits

T = TypeVar("T")

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

COLUMNS = (
    "instance",
    "file",
    "role",
    "call",
    "objects",
    "optimal_length",
    "proof",
    "ff_length",
    *(f"{planner}{what}" for planner in PLANNERS for what in ("", "_seconds", "_expanded")),
    "limits",
    "planner",
)

_STATUSES = ("solved", "unsolvable", "timeout", "out-of-memory", "unsupported", "error")


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
        """The problem's file."""
        return self.folder / self.file

    @property
    def solvable(self) -> bool:
        """Whether it has a plan."""
        return self.proof != "unsolvable"

    @property
    def set(self) -> str:
        """The set of its role."""
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
    if header != COLUMNS:
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


# ── one line ─────────────────────────────────────────────────────────────────────────────────────


def _read_row(cells: list[str], folder: Path) -> Instance:
    if len(cells) != len(COLUMNS):
        raise InputError(f"{len(cells)} cells were found, {len(COLUMNS)} were expected")
    row = dict(zip(COLUMNS, cells, strict=True))
    role, proof = _one_of(row, "role", get_args(Role)), _one_of(row, "proof", get_args(Proof))
    if not row["instance"] or not row["file"]:
        raise InputError("a line needs an instance and a file")
    if Path(row["file"]).is_absolute() or ".." in Path(row["file"]).parts:
        raise InputError(f"the file {row['file']!r} lies outside the manifest's folder")
    length = _optional(row, "optimal_length", int)
    if (length is None) != (proof == "unsolvable"):
        raise InputError(f"the proof '{proof}' contradicts the optimal_length {row['optimal_length']!r}")
    return Instance(
        name=row["instance"],
        file=row["file"],
        role=cast(Role, role),
        call=row["call"],
        objects=_number(row, "objects", int),
        optimal_length=length,
        proof=cast(Proof, proof),
        ff_length=_optional(row, "ff_length", int),
        measured={planner: _measured(row, planner, length) for planner in PLANNERS},
        limits=SearchLimits.read(row["limits"]),
        planner=row["planner"],
        folder=folder,
    )


def _measured(row: Mapping[str, str], planner: str, optimal: int | None) -> Measured:
    status = _one_of(row, planner, _STATUSES)
    length = _optional(row, "ff_length", int) if planner == "ff" else optimal
    return Measured(
        status=status,
        length=length if status == "solved" else None,
        seconds=_number(row, f"{planner}_seconds", float),
        expanded=_optional(row, f"{planner}_expanded", int),
    )


def _cells(row: Instance) -> list[str]:
    def shown(value: int | None) -> str:
        return "" if value is None else str(value)

    cells = [row.name, row.file, row.role, row.call, str(row.objects), shown(row.optimal_length), row.proof]
    cells.append(shown(row.ff_length))
    for planner in PLANNERS:
        found = row.measured[planner]
        cells += [found.status, f"{found.seconds:.2f}", shown(found.expanded)]
    return [*cells, str(row.limits), row.planner]


def _one_of(row: Mapping[str, str], column: str, known: tuple[str, ...]) -> str:
    if row[column] not in known:
        raise InputError(
            f"instance '{row['instance']}': {column} is {row[column]!r}; one of {', '.join(known)} was expected"
        )
    return row[column]


def _number(row: Mapping[str, str], column: str, kind: Callable[[str], T]) -> T:
    try:
        return kind(row[column])
    except ValueError:
        raise InputError(f"instance '{row['instance']}': {column} is {row[column]!r}; a number was expected") from None


def _optional(row: Mapping[str, str], column: str, kind: Callable[[str], T]) -> T | None:
    return _number(row, column, kind) if row[column] else None
