"""What stands above every table: the runs that are in none of its cells, and why."""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.reports.gathering import Gathered

__all__ = ["ALARMS_LISTED", "alarms_of"]

ALARMS_LISTED = 20
"""How many runs are named before the rest is counted."""


def alarms_of(gathered: Gathered) -> tuple[str, ...]:
    """What a reader has to know before the numbers, a line each: infrastructure errors, missing runs, stray records."""
    broken = gathered.broken
    alarms = []
    if broken:
        alarms.append(f"Infrastructure errors: {_runs(len(broken))} in no cell of the tables")
        alarms += _listed([f"{run.name}: {run.message}" if run.message else run.name for run in broken])
    if gathered.missing:
        of = len(gathered.layout.runs)
        alarms.append(f"Not run yet: {len(gathered.missing)} of {of} runs; no cell counts them")
        alarms += _listed(gathered.missing)
    if gathered.unfinished:
        alarms.append(f"Not ended, or cut off: {_runs(len(gathered.unfinished))} in no cell of the tables")
        alarms += _listed([path.name for path in gathered.unfinished])
    if gathered.strangers:
        number = len(gathered.strangers)
        said = "record is no run" if number == 1 else "records are no runs"
        alarms.append(f"Strangers: {number} {said} of this experiment, and in no cell of the tables")
        alarms += _listed(gathered.strangers)
    return (*alarms, *gathered.notes)


def _runs(number: int) -> str:
    return f"{number} run is" if number == 1 else f"{number} runs are"


def _listed(names: Sequence[str]) -> list[str]:
    rest = len(names) - ALARMS_LISTED
    return [*(f"  {name}" for name in names[:ALARMS_LISTED]), *([f"  … and {rest} more"] if rest > 0 else [])]
