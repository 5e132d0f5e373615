"""Tasks taken apart into what no action changes and what states hold: one layout for a task, whoever asks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from threading import Lock
from weakref import WeakValueDictionary

from pddl2nl.pddl import GroundAtom, Task, changed_predicates
from pddlval.numeric import exact
from pddlval.state import Layout, Number, State, Statics, changed_levels
from pddlval.unsupported import updated_functions

__all__ = ["initial_values", "layout_of", "restored_state", "state_of"]

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
    if not derived:
        return Layout(statics, changing, functions, tolerance=tolerance)
    # Few domains have rules, and every start of the command would pay for this import.
    from pddlval.axioms import Axioms

    return Layout(statics, changing, functions, Axioms(task, statics), tolerance)


def initial_values(task: Task, functions: frozenset[str], *, changing: bool) -> dict[GroundAtom, Number]:
    """The values in the initial state, of the functions that actions change or of the others."""
    return {
        assigned.fluent: exact(assigned.value)
        for assigned in task.problem.init_values
        if isinstance(assigned.value, Fraction) and (assigned.fluent[0] in functions) is changing
    }


def state_of(layout: Layout, fluents: Collection[GroundAtom], levels: Mapping[GroundAtom, Number]) -> State:
    """The state with these atoms, all of changing predicates, and values, all of changing functions."""
    values = changed_levels((), {layout.place(fluent): value for fluent, value in levels.items()})
    # In the order of the file: numbers must not depend on the order of a set.
    ordered = [atom for atom in layout.statics.task.problem.init if atom in fluents]
    ordered += sorted(set(fluents) - set(ordered))
    return State(layout, layout.chunks(ordered), values)


def restored_state(
    task: Task, tolerance: Fraction, fluents: Iterable[GroundAtom], levels: Iterable[tuple[GroundAtom, Number]]
) -> State:
    """A state that was pickled."""
    return state_of(layout_of(task, tolerance), frozenset(fluents), dict(levels))
