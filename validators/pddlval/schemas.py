"""Action schemas and ground actions, compiled.

A ground action is met again and again (in the plans of a batch, in the walks of an agent), so what does not depend
on the state is computed once for each: static preconditions, equalities, constant costs, and the bits of its atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from operator import itemgetter

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Equality,
    GroundAtom,
    Not,
    conjuncts,
    is_variable,
    substitute,
)
from pddlval.effects import EffectBlock, GroundEffect, Instances, Outcome, changed_chunks, outcome_of, updated_levels
from pddlval.formulas import fluents_in, has_comparison, names_in, negation_normal, updates_in
from pddlval.numeric import UndefinedError
from pddlval.plans import GroundAction
from pddlval.semantics import unmet
from pddlval.state import BIT, BITS, Chunks, State, StateLayout

_FULL = (1 << BITS) - 1

_MOST_PARTS = 10_000
"""Of an action with more conditional effects the parts are made anew each time: they would fill the memory."""

Pick = Callable[[Sequence[str]], tuple[str, ...]]
"""Picks the names of an atom out of a schema's constants and a ground action's arguments."""

Masks = tuple[tuple[int, int], ...]
"""Bits of a state: which of its integers, and which bits of that one."""


class Schema:
    """An action schema, compiled.

    Attributes:
        needed, forbidden: the atoms that actions change among the literals of the precondition.
        static_checks: the static ones, and whether they must be true.
        equalities: the places of two names, and whether they must be equal.
        others: all else in the precondition; None if there is nothing else.
        may_fail: whether the effects may have no value, or contradict each other: the precondition does not tell.
        constant: whether the effects are the same in every state.
    """

    def __init__(self, node: ActionSchema, layout: StateLayout):
        self.node = node
        self.name = node.name
        self.layout = layout
        self.parameters = tuple(parameter.name for parameter in node.parameters)
        precondition = negation_normal(node.precondition)
        names = dict.fromkeys((*names_in(precondition), *names_in(node.effect)))
        self.constants = tuple(name for name in names if not is_variable(name))
        self._slots = {name: slot for slot, name in enumerate((*self.constants, *self.parameters))}
        self.static_checks: list[tuple[Pick, bool]] = []
        self.equalities: list[tuple[int, int, bool]] = []
        changing: dict[bool, list[Atom]] = {True: [], False: []}
        others: list[Condition] = []
        for part in conjuncts(precondition):
            positive, body = (False, part.body) if isinstance(part, Not) else (True, part)
            if isinstance(body, Equality):
                self.equalities.append((self._slots[body.left], self._slots[body.right], positive))
            elif not isinstance(body, Atom) or body.predicate in layout.derived:
                others.append(part)
            elif body.predicate in layout.changing:
                changing[positive].append(body)
            else:
                self.static_checks.append((self._pick(body), positive))
        self.needed, self.forbidden = self._picks(changing[True]), self._picks(changing[False])
        self.others = And(tuple(others)) if others else None
        self.effect = EffectBlock.of(node.effect, layout)
        self.added, self.deleted = self._picks(self.effect.adds), self._picks(self.effect.deletes)
        updates = list(updates_in(node.effect))
        self.may_fail = bool(updates) or has_comparison(node.effect, layout.statics.partial)
        read = {fluent.name for update in updates for fluent in fluents_in(update.value)}
        self.constant = not self.effect.conditional and read.isdisjoint(layout.functions)

    def _pick(self, atom: Atom) -> Pick:
        names = (atom.predicate, *atom.args)
        return itemgetter(*[self._slots[name] for name in names]) if atom.args else lambda _: names

    def _picks(self, atoms: Iterable[Atom]) -> tuple[Pick, ...]:
        return tuple(map(self._pick, dict.fromkeys(atoms)))

    @cached_property
    def test(self) -> Callable[..., bool]:
        """The test of the `others`: a function of the tables of a state and the numbers of the arguments."""
        assert self.others is not None
        return self.layout.engine.test(self.others, self.parameters)


class Ground:
    """A ground action of a task, compiled.

    ``possible`` is false where a static precondition or an equality fails: then it is applicable in no state.
    """

    __slots__ = (
        "_fixed",
        "_last",
        "_operations",
        "_parts",
        "_simple",
        "action",
        "forbidden",
        "needed",
        "possible",
        "schema",
    )

    def __init__(self, schema: Schema, action: GroundAction):
        self.schema = schema
        self.action = action
        layout = schema.layout
        slots = (*schema.constants, *action.args)
        self.possible = _possible(schema, slots)
        self.needed = _masks(layout, schema.needed, slots)
        self.forbidden = _masks(layout, schema.forbidden, slots)
        # Of an atom both deleted and added the add wins (Fox and Long 2003, definition 6): what is kept comes first.
        kept, added = dict(_masks(layout, schema.deleted, slots)), dict(_masks(layout, schema.added, slots))
        self._operations = tuple([(at, _FULL & ~kept.get(at, 0), added.get(at, 0)) for at in {**kept, **added}])
        self._last: tuple[State, Outcome] | None = None
        self._parts: tuple[GroundEffect, ...] | None = None
        """The parts of the effect for all states; empty if they are too many to keep."""
        self._fixed: Outcome | None = None
        self._simple = not (schema.others or schema.may_fail)
        if schema.constant:
            self._fix()

    def _fix(self) -> None:
        try:
            self._fixed = outcome_of(self._made_parts(), self.schema.layout.empty)
        except UndefinedError:
            return
        scales = any(change.operator == "scale-down" for change in self._fixed.updates)
        self._simple = not (self.schema.others or scales or self._fixed.conflict())

    def applicable(self, state: State) -> bool:
        """Whether the action can be executed in a state."""
        return self._literals_hold(state) and (self._simple or self._after(state) is not None)

    def _literals_hold(self, state: State) -> bool:
        if not self.possible:
            return False
        chunks = state.chunks
        count = len(chunks)
        for chunk, mask in self.needed:
            if chunk >= count or chunks[chunk] & mask != mask:
                return False
        for chunk, mask in self.forbidden:  # noqa: SIM110 (a generator costs more than the checks)
            if chunk < count and chunks[chunk] & mask:
                return False
        return True

    def successor(self, state: State) -> State | None:
        """The state after the action; None where it is not applicable."""
        if not self._literals_hold(state):
            return None
        if self._simple and self._fixed is not None:
            # All that it does is known: nearly all actions of nearly all tasks are so.
            updates = self._fixed.updates
            levels = updated_levels(state, updates) if updates else state.levels
            return State(state.layout, self.applied(state.chunks), levels)
        return self._after(state)

    def _after(self, state: State) -> State | None:
        """The state after the action, whose literals hold; None where something else does not."""
        schema, layout = self.schema, state.layout
        try:
            if schema.others is not None:
                numbers = layout.engine.numbered(self.action.args)
                if not layout.engine.ask(state, schema.test, *numbers):
                    return None
            outcome = self.outcome(state)
            if outcome.conflict() is not None:
                return None
            levels = updated_levels(state, outcome.updates) if outcome.updates else state.levels
        except UndefinedError:
            return None
        conditional = schema.effect.conditional
        return State(layout, changed_chunks(state, (outcome,)) if conditional else self.applied(state.chunks), levels)

    def outcome(self, state: State) -> Outcome:
        """The effects that happen in a state.

        Raises:
            UndefinedError: a numeric effect, or the condition of an effect, reads a fluent that has no value.
            UnsupportedError: quantified effects have too many instances.
        """
        if self._fixed is not None:
            return self._fixed
        if self._last is None:
            # Most actions are met in one state: only what happens there is computed.
            self._last = state, outcome_of(self._made_parts(state), state)
        elif self._last[0] is not state and self._last[0] != state:
            if self._parts is None:
                parts = tuple(islice(self._made_parts(), _MOST_PARTS + 1))
                self._parts = parts if len(parts) <= _MOST_PARTS else ()
            self._last = state, outcome_of(self._parts or self._made_parts(state), state)
        return self._last[1]

    def _made_parts(self, state: State | None = None) -> Iterator[GroundEffect]:
        return Instances(self.schema.layout, self.action, state).parts(self.schema.effect, self.binding())

    def applied(self, chunks: Chunks) -> Chunks:
        """A state's integers after the action, whose effects on atoms are the same in every state."""
        operations = self._operations
        if len(operations) == len(chunks) == 1 and operations[0][0] == 0:
            # Small tasks have but this one.
            _, kept, added = operations[0]
            alone = chunks[0] & kept | added
            return (alone,) if alone else ()
        after = list(chunks)
        for chunk, kept, added in operations:
            if chunk >= len(after):
                after.extend([0] * (chunk + 1 - len(after)))
            after[chunk] = after[chunk] & kept | added
        while after and not after[-1]:
            after.pop()
        return tuple(after)

    def precondition(self) -> Condition:
        """The ground precondition, nested as in the file."""
        return substitute(self.schema.node.precondition, self.binding())

    def unmet(self, state: State) -> tuple[Condition, ...]:
        """The smallest parts of the precondition that fail; where none does, what has no value, as ``(= (f) (f))``."""
        failing = unmet(self.schema.node.precondition, state, self.binding(), state.layout.holds)
        if failing or (self.possible and self._simple):
            return failing
        try:
            updated_levels(state, self.outcome(state).updates)
        except UndefinedError as error:
            return (error.condition,)
        return ()

    def conflict(self, state: State) -> GroundAtom | None:
        """The fluent that the numeric effects contradict each other about in a state; None is the rule."""
        try:
            return self.outcome(state).conflict() if self.schema.may_fail else None
        except UndefinedError:
            return None

    def binding(self) -> dict[str, str]:
        """The arguments by the names of the parameters."""
        return dict(zip(self.schema.parameters, self.action.args, strict=True))


def _possible(schema: Schema, slots: Sequence[str]) -> bool:
    for one, other, positive in schema.equalities:
        if (slots[one] == slots[other]) is not positive:
            return False
    atoms = schema.layout.statics.atoms
    for pick, positive in schema.static_checks:  # noqa: SIM110 (a generator costs more than the checks)
        if (pick(slots) in atoms) is not positive:
            return False
    return True


def _masks(layout: StateLayout, picks: Sequence[Pick], slots: Sequence[str]) -> Masks:
    masks: dict[int, int] = {}
    for pick in picks:
        chunk, place = divmod(layout.number(GroundAtom(pick(slots))), BITS)
        masks[chunk] = masks.get(chunk, 0) | BIT[place]
    return tuple(masks.items())


class Schemas:
    """A task's schemas by name; each is compiled when first asked for, since some domains have thousands."""

    def __init__(self, nodes: Iterable[ActionSchema], layout: StateLayout):
        self._layout = layout
        self._nodes = {node.name: node for node in nodes}
        self._compiled: dict[str, Schema] = {}

    def __getitem__(self, name: str) -> Schema:
        schema = self._compiled.get(name)
        if schema is None:
            schema = self._compiled[name] = Schema(self._nodes[name], self._layout)
        return schema

    def node(self, name: str) -> ActionSchema | None:
        """The schema as it was read, or None where there is none of that name."""
        return self._nodes.get(name)
