"""What a policy is told where no action was executed; all else is told by `pddl2nl.nl.Teller`."""

from __future__ import annotations

from pddl2nl.nl import Reading, Teller
from pddl2nl.nl.articles import enumerate_words
from validators import BadActionError

__all__ = ["bad_action", "not_read"]


def not_read(status: str, reading: Reading, teller: Teller) -> str:
    """Why a turn was not understood: ``ambiguous``, ``unknown-object`` or ``unreadable``."""
    if status == "ambiguous":
        meanings = "; ".join(teller.action(candidate) for candidate in reading.candidates)
        return f"Nothing was done, because this can mean more than one action: {meanings}."
    if status == "unknown-object":
        unknown = " and ".join(f'"{name}"' for name in reading.unknown)
        near = f" Did you mean {enumerate_words(reading.suggestions, 'or')}?" if reading.suggestions else ""
        return f"Nothing was done, because there is no object called {unknown or 'so'}.{near}"
    reason = f" ({reading.reason})" if reading.reason else ""
    return f"Nothing was done, because no action could be read in this{reason}. Say one action in the form asked for."


def bad_action(error: BadActionError) -> str:
    """Why something that looks like an action is none of this task."""
    return f"Nothing was done: {error.reason}."
