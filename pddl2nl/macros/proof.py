"""Proves or refutes claimed conditions of a macro-action for the block of actions that carries it out.

In the HVR paper a model guesses preconditions and effects, and one execution shows whether they fit. Here a claim is
decided for all states: for every combination of the ground atoms and fluents that the block or the claim mentions,
whether reachable or not. Static facts are those of the task. A refutation comes with a counterexample state, which the
simulator has replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from pddl2nl.errors import InputError
from pddl2nl.macros.changeable import Changeable
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.solving import Answer, Solver, StateFound
from pddl2nl.macros.symbolic import FALSE, TRUE, Effects, Lit, SymbolicState, Symbols
from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    Comparison,
    Condition,
    Domain,
    Fluent,
    GroundAtom,
    Not,
    Number,
    Task,
    changed_predicates,
    conjuncts,
)
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import negation_normal
from pddlval.unsupported import updated_functions

__all__ = ["Counterexample", "Proof", "States", "claims_of", "prove", "unmet_outcome"]


Part = Literal["proved", "refuted", "undecided"]
"""The result for one claim; ``undecided`` is rare and means nonlinear arithmetic that the solver leaves open."""

Relation = Literal["exact", "stronger", "weaker", "incomparable", "undecided"]
"""How a claimed precondition compares with the weakest one: ``stronger`` asks for more, ``weaker`` for less."""

States = Literal["all", "changeable"]
"""The states for which conditions are decided.

``all``: every combination of facts that actions of the domain can change. ``changeable``: only states in which a fact
that no action of the task can change (`changeable.Changeable`) has its initial value; these include all reachable
states. A precondition need not mention such facts, for example that a faucet is closed if nothing can open it."""

Kind = Literal["does-not-run", "effect-fails", "incomplete", "too-strong"]
"""What a counterexample shows: see `Counterexample`."""


@dataclass(frozen=True)
class Counterexample:
    """A state that refutes a claim; ``Simulator(task).state(state, values)`` makes it a state to replay.

    ``kind`` is one of

    - ``does-not-run``: the precondition holds, but action ``step`` (from 1) is not applicable, because ``unmet`` fails
      before it (empty if its numeric effects conflict).
    - ``effect-fails``: the block runs, but ``unmet``, a part of the claimed effect, does not hold after it.
    - ``incomplete``: the block runs and brings about ``unmet``, which the claim does not mention.
    - ``too-strong``: the block runs although ``unmet``, a part of the precondition, fails.

    Attributes:
        state: all true atoms, static ones included.
        values: all numeric values.
        kind: see above.
        step: the number of the inapplicable action; otherwise 0.
        unmet: ground literals, or other smallest parts of conditions.
        unlike: the differences from the state near which it was searched, as literals of this state.
    """

    state: frozenset[GroundAtom]
    values: Mapping[GroundAtom, Fraction]
    kind: Kind
    step: int
    unmet: tuple[Condition, ...]
    unlike: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Lacking:
    """A condition that a precondition lacks: that of action ``step`` (from 1), which can fail before it."""

    step: int
    condition: Condition


@dataclass(frozen=True)
class Proof:
    """What is proved about claimed conditions for a block of actions.

    Attributes:
        block: the actions.
        proposed: the claimed conditions.
        runs: in every state where the precondition holds (and the numbers that the effect reads have values), the block
            is applicable.
        holds: in every such state the claimed effect holds after the block. Literals are true or false afterwards;
            conditions of conditional effects and amounts are evaluated before; an atom both deleted and added is added.
        complete_effect: the claimed effect leads to the same state as the block.
        precondition: how it compares with the weakest precondition.
        vacuous: the precondition holds in no state, so everything follows from it.
        impossible: the block is applicable in no state.
        states: the states for which this is decided.
        counterexamples: one for each refuted claim, in this order, and for a precondition that is too strong.
        lacking: if ``runs`` is refuted, all conditions that the precondition lacks; empty if the reason is a number
            without a value or with conflicting updates.
        static: the static facts and values of the problem that the proof depends on, as literals and equations. The
            proof holds for these objects in every problem with the same static facts.
    """

    block: tuple[GroundAction, ...]
    proposed: Conditions
    runs: Part
    holds: Part
    complete_effect: Part
    precondition: Relation
    vacuous: bool
    impossible: bool
    states: States = "all"
    counterexamples: tuple[Counterexample, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    static: tuple[Condition, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether it is proved that wherever the precondition holds, the block runs and the effect holds after it."""
        return self.runs == self.holds == "proved"

    @property
    def exact(self) -> bool:
        """Whether the claim is proved to be equivalent to the exact conditions of the block."""
        return self.sound and self.complete_effect == "proved" and self.precondition == "exact"

    def counterexample(self, kind: Kind) -> Counterexample | None:
        """The counterexample of a kind, if there is one."""
        return next((item for item in self.counterexamples if item.kind == kind), None)


def prove(
    task: Task,
    block: Sequence[GroundAction],
    proposed: Conditions,
    *,
    near: State | None = None,
    states: States = "all",
) -> Proof:
    """Decides claimed conditions for a block of actions.

    A fluent with an initial value has a value in every state, because no action removes one; the others may have none.
    Undefined conditions fail as in the simulator.

    Args:
        task: the task with its actions, objects and static facts.
        block: the actions.
        proposed: ground conditions.
        near: counterexamples are as similar to this state as possible; default: the initial state.
        states: the states for which the conditions are decided.

    Raises:
        BadActionError: an action is not one of the task's.
        InputError: the effect claims to change what no action changes, or the conditions have free variables.
        UnsupportedError: a recursive derived predicate is involved, or the proof is too large.
        MissingExtraError: z3 is needed and not installed.
    """
    return _Proving(task, tuple(block), proposed, near, states).proof()


class _Proving:
    """One proof."""

    def __init__(
        self, task: Task, block: tuple[GroundAction, ...], proposed: Conditions, near: State | None, states: States
    ):
        self.task = task
        self.block = block
        self.proposed = proposed
        names = {action.name for action in task.domain.actions}
        self._claim = GroundAction(_unused("proposed", names))
        claim = ActionSchema(self._claim.name, (), proposed.precondition, proposed.effect)
        self.simulator = claims_of(task, [claim])
        for action in block:
            self.simulator.check(action)
        start = self.simulator.initial if near is None else self.simulator.state(near.atoms, near.values)
        self._near_state = start
        self._near = StateFound(dict.fromkeys(start.atoms, True), dict(start.values))
        self._states: States = states
        self.symbols = Symbols(task) if states == "all" else Symbols(task, self._fixed(task, start))
        self._solver = Solver(self.symbols.circuit)
        self._found: list[Counterexample] = []

    def _fixed(self, task: Task, near: State) -> Callable[[GroundAtom], bool]:
        changeable = Changeable(task)
        initial = self.simulator.initial

        def fixed(atom: GroundAtom) -> bool:
            # The state of a world that differs from the task may violate this.
            return not changeable.can_change(atom) and near.true(atom) == initial.true(atom)

        return fixed

    def proof(self) -> Proof:
        """The complete result."""
        symbols, circuit = self.symbols, self.symbols.circuit
        before = SymbolicState()
        asked = symbols.condition(self.proposed.precondition, before, {}).true
        claimed = symbols.effects(self.proposed.effect, before, {})
        meaningful, claimed_after = symbols.applied(claimed, before)
        # Like any action, it is not applicable if its effects are undefined or conflict.
        asked = circuit.both(asked, meaningful)
        runs, after = TRUE, before
        points: list[tuple[Lit, SymbolicState]] = []
        for action in self.block:
            points.append((runs, after))
            held, after = symbols.step(action, after)
            runs = circuit.both(runs, held)
        here = circuit.both(asked, runs)
        kept = self._kept(claimed, claimed_after, after)
        same = self._same(claimed_after, after)
        run_part = self._always(circuit.implies(asked, runs), self._does_not_run)
        hold_part = self._always(circuit.implies(here, kept), self._effect_fails)
        same_part = self._always(circuit.implies(here, same), self._incomplete)
        needed = self._always(circuit.implies(runs, asked), self._too_strong)
        return Proof(
            self.block,
            self.proposed,
            run_part,
            hold_part,
            same_part,
            _relation(run_part, needed),
            self._never(asked),
            self._never(runs),
            self._states,
            tuple(self._found),
            self._lacking(asked, points) if run_part == "refuted" else (),
            self._static(),
        )

    def _static(self) -> tuple[Condition, ...]:
        found: list[Condition] = []
        for fact, value in sorted(self.symbols.static_used.items()):
            if isinstance(value, bool):
                atom = Atom(fact[0], fact[1:])
                found.append(atom if value else Not(atom))
            elif value is not None:
                found.append(Comparison("=", Fluent(fact[0], fact[1:]), Number(value)))
        return tuple(found)

    def _lacking(self, asked: Lit, points: Sequence[tuple[Lit, SymbolicState]]) -> tuple[Lacking, ...]:
        circuit = self.symbols.circuit
        found: list[Lacking] = []
        for step, (action, (reached, state)) in enumerate(zip(self.block, points, strict=True), start=1):
            here = circuit.both(asked, reached)
            condition = self.simulator.ground(action).precondition()
            for part in dict.fromkeys(conjuncts(negation_normal(condition))):
                held = self.symbols.condition(part, state, {}).true
                if self._solver.can_be(circuit.both(here, held ^ 1))[0] == "yes":
                    found.append(Lacking(step, part))
        return tuple(found)

    def _never(self, formula: Lit) -> bool:
        return self._solver.can_be(formula)[0] == "no"

    def _always(self, formula: Lit, shown: Callable[[State], Counterexample]) -> Part:
        answer: Answer
        answer, found = self._solver.can_be(formula ^ 1, self._near)
        if answer == "no":
            return "proved"
        if found is None:
            return "undecided"
        self._found.append(shown(self._state(found)))
        return "refuted"

    def _state(self, found: StateFound) -> State:
        near = self._near_state
        atoms = (near.atoms - {atom for atom, held in found.atoms.items() if not held}) | {
            atom for atom, held in found.atoms.items() if held
        }
        values = {**near.values, **{fluent: value for fluent, value in found.values.items() if value is not None}}
        for fluent, value in found.values.items():
            if value is None:
                values.pop(fluent, None)
        return self.simulator.state(atoms, values)

    # ── what is claimed, as circuits ─────────────────────────────────────────────────────────────

    def _kept(self, claimed: Effects, claimed_after: SymbolicState, after: SymbolicState) -> Lit:
        """Whether the claimed changes hold after the block."""
        circuit, symbols = self.symbols.circuit, self.symbols
        parts: list[Lit] = []
        for atom in dict.fromkeys((*claimed.adds, *claimed.deletes)):
            true = symbols.true(atom, after).true
            added = claimed.adds.get(atom, FALSE)
            deleted = circuit.both(claimed.deletes.get(atom, FALSE), added ^ 1)
            parts += [circuit.implies(added, true), circuit.implies(deleted, true ^ 1)]
        for fluent, updates in claimed.updates.items():
            happens = circuit.any(guard for guard, _, _ in updates)
            parts.append(circuit.implies(happens, self._same_level(fluent, claimed_after, after)))
        return circuit.all(parts)

    def _same(self, claimed_after: SymbolicState, after: SymbolicState) -> Lit:
        """Whether the claim and the block lead to the same state."""
        circuit, symbols = self.symbols.circuit, self.symbols
        atoms = dict.fromkeys((*claimed_after.atoms, *after.atoms))
        fluents = dict.fromkeys((*claimed_after.levels, *after.levels))
        parts = [circuit.same(symbols.true(a, claimed_after).true, symbols.true(a, after).true) for a in atoms]
        parts += [self._same_level(fluent, claimed_after, after) for fluent in fluents]
        return circuit.all(parts)

    def _same_level(self, fluent: GroundAtom, one: SymbolicState, other: SymbolicState) -> Lit:
        circuit = self.symbols.circuit
        first, second = self.symbols.level(fluent, one), self.symbols.level(fluent, other)
        equal = circuit.implies(first.defined, circuit.compare("=", first.term, second.term))
        return circuit.both(circuit.same(first.defined, second.defined), equal)

    # ── what the simulator says of a counterexample ──────────────────────────────────────────────

    def _run(self, state: State) -> tuple[State, int, tuple[Condition, ...]]:
        """The state after the block; or the state before the inapplicable action, its number, and the reason."""
        for number, action in enumerate(self.block, start=1):
            step = self.simulator.step(state, action)
            if step.successor is None:
                return state, number, step.unmet
            state = step.successor
        return state, 0, ()

    def _counterexample(self, state: State, kind: Kind, step: int, unmet: tuple[Condition, ...]) -> Counterexample:
        unlike = _differences(self._near_state, state)
        return Counterexample(state.atoms, dict(state.values), kind, step, unmet, unlike)

    def _asked(self, state: State) -> bool:
        return self.simulator.is_applicable(state, self._claim)

    def _does_not_run(self, state: State) -> Counterexample:
        _, step, unmet = self._run(state)
        _agreed(self._asked(state) and step > 0)
        return self._counterexample(state, "does-not-run", step, unmet)

    def _effect_fails(self, state: State) -> Counterexample:
        after, step, _ = self._run(state)
        unmet = unmet_outcome(self.simulator, self._claim, state, after)
        _agreed(self._asked(state) and not step and bool(unmet))
        return self._counterexample(state, "effect-fails", 0, unmet)

    def _incomplete(self, state: State) -> Counterexample:
        after, step, _ = self._run(state)
        claimed = self.simulator.step(state, self._claim).successor
        _agreed(self._asked(state) and not step and claimed != after)
        return self._counterexample(state, "incomplete", 0, _differences(claimed, after))

    def _too_strong(self, state: State) -> Counterexample:
        _, step, _ = self._run(state)
        _agreed(not step and not self._asked(state))
        refused = self.simulator.step(state, self._claim)
        unmet = refused.unmet or (() if refused.conflict is None else (valued(refused.conflict),))
        return self._counterexample(state, "too-strong", 0, unmet)


def _agreed(replayed: bool) -> None:
    """Asserts that the simulator confirms a counterexample; anything else is a bug here."""
    assert replayed, "the simulator does not bear out a counterexample of the proof"


def _unused(name: str, names: set[str]) -> str:
    while name in names:
        name += "-"
    return name


def _relation(runs: Part, needed: Part) -> Relation:
    if "undecided" in (runs, needed):
        return "undecided"
    if runs == "proved":
        return "exact" if needed == "proved" else "stronger"
    return "weaker" if needed == "proved" else "incomparable"


def _differences(other: State | None, state: State) -> tuple[Condition, ...]:
    """The literals of a state that differ from another one; a fluent without a value has none."""
    if other is None:
        return ()
    found: list[Condition] = [Atom(atom[0], atom[1:]) for atom in sorted(state.atoms - other.atoms)]
    found += [Not(Atom(atom[0], atom[1:])) for atom in sorted(other.atoms - state.atoms)]
    for fluent, value in sorted(state.values.items()):
        if other.values.get(fluent) != value:
            found.append(Comparison("=", Fluent(fluent[0], fluent[1:]), Number(value)))
    return tuple(found)


# ── claimed actions ──────────────────────────────────────────────────────────────────────────────


def claims_of(task: Task, schemas: Sequence[ActionSchema]) -> Simulator:
    """A simulator of a task with additional actions.

    Raises:
        InputError: one of them changes what no action of the task changes, or has the name of one.
    """
    names = {action.name for action in task.domain.actions}
    for schema in schemas:
        if schema.name in names:
            raise InputError(f"the domain has an action '{schema.name}' already: another name is needed")
    domain = replace(task.domain, actions=(*task.domain.actions, *schemas))
    extended = replace(task, domain=domain)
    for before, after in (
        (changed_predicates(task.domain), changed_predicates(domain)),
        (updated_functions(task), updated_functions(extended)),
    ):
        for name in sorted(after - before):
            raise InputError(f"no action changes '{name}': an effect cannot claim to")
    for name in sorted(changed_predicates(Domain("", actions=tuple(schemas))) & {rule.name for rule in domain.derived}):
        raise InputError(f"'{name}' is derived: an effect cannot claim to change it")
    return Simulator(extended)


def unmet_outcome(claims: Simulator, claim: GroundAction, before: State, after: State) -> tuple[Condition, ...]:
    """The literals of an action's effect that do not hold in a given state; empty if all hold.

    If the effects are undefined or conflict in the state before, the fluent that is the reason, as ``(= (f) (f))``.
    """
    step = claims.step(before, claim)
    if step.successor is None:
        return step.unmet or (() if step.conflict is None else (valued(step.conflict),))
    outcome = claims.ground(claim).outcome(before)
    adds = tuple(dict.fromkeys(outcome.adds))
    deletes = tuple(atom for atom in dict.fromkeys(outcome.deletes) if atom not in adds)
    found: list[Condition] = [Atom(atom[0], atom[1:]) for atom in adds if not after.true(atom)]
    found += [Not(Atom(atom[0], atom[1:])) for atom in deletes if after.true(atom)]
    for fluent in dict.fromkeys(change.fluent for change in outcome.updates):
        value = step.successor.level(fluent)
        assert value is not None, "what an action updates has a value"
        if after.level(fluent) != value:
            found.append(Comparison("=", Fluent(fluent[0], fluent[1:]), Number(Fraction(value))))
    return tuple(found)


def valued(fluent: GroundAtom) -> Comparison:
    """The condition that a fluent has one value: ``(= (f a) (f a))``."""
    expression = Fluent(fluent[0], fluent[1:])
    return Comparison("=", expression, expression)
