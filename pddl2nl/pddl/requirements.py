"""Requirement flags: which are known, which imply which, and which a text uses without declaring them."""

from __future__ import annotations

from collections.abc import Iterable

from pddl2nl.pddl.diagnostics import Log, Near

_ADL = (
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":equality",
    ":quantified-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":conditional-effects",
)
_IMPLIED = {
    ":adl": _ADL,
    ":ucpop": (*_ADL, ":derived-predicates"),
    ":quantified-preconditions": (":existential-preconditions", ":universal-preconditions"),
    ":fluents": (":numeric-fluents", ":object-fluents", ":action-costs"),
    ":numeric-fluents": (":fluents", ":action-costs"),
    ":domain-axioms": (":derived-predicates",),
    ":timed-initial-literals": (":durative-actions",),
    ":duration-inequalities": (":durative-actions",),
    ":continuous-effects": (":durative-actions",),
    ":preferences": (":constraints",),
    ":time": (":numeric-fluents", ":fluents", ":action-costs", ":continuous-effects"),
}
_PLAIN = (
    ":object-fluents",
    ":action-costs",
    ":goal-utilities",
    ":constraints",
    ":durative-actions",
    ":derived-predicates",
)
KNOWN = frozenset((*_ADL, *_IMPLIED, *_PLAIN))
"""Every flag of PDDL 1.2 to 3.1 and of PDDL+ whose constructs are read."""

Used = dict[str, tuple[int, str]]
"""For a flag that something needs, where it is first needed and by what."""


def check_requirements(log: Log, text: str, flags: Iterable[str], start: int) -> None:
    """Warns of unknown flags; the file may not need what they mean."""
    place = start
    for flag in flags:
        place = max(place, text.find(flag, place))
        if flag not in KNOWN:
            log.warning(place, f"unknown requirement '{flag}'", suggestion=Near(flag, KNOWN))


def _closure(flags: Iterable[str]) -> set[str]:
    found: set[str] = set()
    todo = list(flags)
    while todo:
        flag = todo.pop()
        if flag not in found:
            found.add(flag)
            todo.extend(_IMPLIED.get(flag, ()))
    return found


def report_undeclared(log: Log, flags: Iterable[str], used: Used) -> None:
    """Warns of what is used without its flag. Only a warning: real files often do so."""
    declared = _closure(flags)
    for flag, (start, what) in used.items():
        if flag not in declared:
            log.warning(start, f"{what} without the requirement '{flag}'", expected=f"(:requirements … {flag})")
