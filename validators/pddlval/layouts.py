"""Tasks taken apart into what no action changes and what states hold: one layout for a task, whoever asks."""

from __future__ import annotations

from fractions import Fraction
from threading import Lock
from weakref import WeakValueDictionary

from pddl2nl.pddl import GroundAtom, Task, changed_predicates
from pddlval.numeric import exact
from pddlval.state import Engine, Layout, Number, Statics
from pddlval.unsupported import updated_functions

__all__ = ["initial_values", "layout_of"]

_layouts: WeakValueDictionary[tuple[int, Fraction], Layout] = WeakValueDictionary()
"""The layouts in use: the states of one task are the same for all of its simulators."""
_layouts_lock = Lock()


def layout_of(task: Task, tolerance: Fraction) -> Layout:
    """The task's layout: the same for everyone who asks while somebody holds it, or a state of it."""
    # By identity, which is safe: a layout holds its task.
    key = (id(task), tolerance)
    with _layouts_lock:
        layout = _layouts.get(key)
        if layout is None:
            layout = _layouts[key] = _new_layout(task, tolerance)
        return layout


def _new_layout(task: Task, tolerance: Fraction) -> Layout:
    functions = updated_functions(task)
    derived = frozenset(rule.name for rule in task.domain.derived)
    changing = changed_predicates(task.domain) - derived
    # A derived atom in the initial state, of which the checks warn, counts for nothing: the rules alone decide.
    atoms = frozenset(atom for atom in task.problem.init if atom[0] not in changing | derived)
    statics = Statics(task, atoms, initial_values(task, functions, changing=False))
    return Layout(statics, changing, functions, derived, tolerance, _engine, layout_of)


def _engine(layout: Layout) -> Engine:
    # Most plans are judged without it, and every start of the command would pay for the import.
    from pddlval.engine import Engine

    return Engine(layout)


def initial_values(task: Task, functions: frozenset[str], *, changing: bool) -> dict[GroundAtom, Number]:
    """The values in the initial state, of the functions that actions change or of the others."""
    return {
        assigned.fluent: exact(assigned.value)
        for assigned in task.problem.init_values
        if isinstance(assigned.value, Fraction) and (assigned.fluent[0] in functions) is changing
    }
