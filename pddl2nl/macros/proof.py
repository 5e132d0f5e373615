"""Proves or refutes proposed conditions of a macro-action for the block of actions that carries it out.

In the HVR paper a model guesses preconditions and effects, and one run shows whether they fit. Here a guess is decided
for all states at once: of all ground atoms and fluents that the block or the guess mentions every combination counts,
also those that no plan reaches; what no action changes is as it is in the task. What is refuted comes with a state
that shows it, and the simulator has replayed it.
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
from pddlval.normal_form import negation_normal
from pddlval.unsupported import updated_functions

__all__ = [
    "Counterexample",
    "Kind",
    "Lacking",
    "Part",
    "Proof",
    "Relation",
    "States",
    "claims_of",
    "prove",
    "unmet_outcome",
]


Part = Literal["proved", "refuted", "undecided"]
"""What has come of one claim; ``undecided`` is rare: nonlinear arithmetic that the solver leaves open."""

Relation = Literal["exact", "stronger", "weaker", "incomparable", "undecided"]
"""How a proposed precondition stands to the weakest one with which the block runs.

``stronger``: it asks for more than is needed; ``weaker``: for less.
"""

States = Literal["all", "changeable"]
"""In which states conditions are decided.

``all``: every combination of the facts that actions of the domain change. ``changeable``: those in which a fact that
no action of the task can change (`changeable.Changeable`) is as at the beginning; all that can be reached are among
them. Somebody who writes conditions for a task sees to no others: that a faucet is not open, where nothing opens one.
"""

Kind = Literal["does-not-run", "effect-fails", "incomplete", "too-strong"]
"""What a counterexample shows: see `Counterexample`."""


@dataclass(frozen=True)
class Counterexample:
    """A state that refutes a claim; ``Simulator(task).state(state, values)`` makes it one to replay.

    ``kind`` says what it shows:

    - ``does-not-run``: the precondition holds, and the block cannot be carried out: action ``step`` (from 1) is not
      applicable, since ``unmet`` fails before it (nothing, where its numeric effects contradict each other).
    - ``effect-fails``: the block runs, and ``unmet``, of what is claimed, is not so after it.
    - ``incomplete``: the block runs and brings about ``unmet``, which the claim does not say.
    - ``too-strong``: the block runs, though ``unmet`` of the precondition fails.

    Attributes:
        state: all atoms that are true, static ones included.
        values: all numeric values.
        kind: what it shows.
        step: the number of the action that is not applicable; else 0.
        unmet: ground literals, or other smallest parts of conditions.
        unlike: in what the state differs from the one that it was sought near, as literals of this state.
    """

    state: frozenset[GroundAtom]
    values: Mapping[GroundAtom, Fraction]
    kind: Kind
    step: int
    unmet: tuple[Condition, ...]
    unlike: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Lacking:
    """A condition of an action of the block that a precondition does not see to.

    The precondition can hold, the actions before number ``step`` (from 1) can be carried out, and ``condition``, of
    that one's own precondition, fails.
    """

    step: int
    condition: Condition


@dataclass(frozen=True)
class Proof:
    """What is known about proposed conditions for a block of actions.

    Attributes:
        block: the actions.
        proposed: the conditions.
        runs: wherever the precondition holds (and the numbers that the effect reads have values, without which no
            action is applicable), the block can be carried out.
        holds: wherever it holds and the block can be, what the effect claims is so after it. Literals are true or
            false afterwards; of ``(when c e)``, c is read in the state before; an update gives the value that it
            says, computed in the state before; of an atom both deleted and added the add wins.
        complete_effect: there, the effect as an action leads to the very state that the block leads to.
        precondition: how it stands to the weakest one with which the block can be carried out.
        vacuous: the precondition holds in no state, so that everything follows from it.
        impossible: the block can be carried out in no state.
        states: in which states all this is so.
        counterexamples: one for each of these that is refuted, in this order, and for a precondition that asks for
            more than is needed.
        lacking: where ``runs`` is refuted, all that the precondition would have to see to; empty where that is no
            condition of an action, but a number without a value or changed in two ways at once.
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

    @property
    def sound(self) -> bool:
        """Whether it is proved that wherever the precondition holds, the block runs and the effect holds after it."""
        return self.runs == self.holds == "proved"

    @property
    def exact(self) -> bool:
        """Whether the conditions are proved to be those of the block: they differ from the exact ones in words only."""
        return self.sound and self.complete_effect == "proved" and self.precondition == "exact"

    def counterexample(self, kind: Kind) -> Counterexample | None:
        """The counterexample of a kind; None where there is none."""
        return next((item for item in self.counterexamples if item.kind == kind), None)


def prove(
    task: Task,
    block: Sequence[GroundAction],
    proposed: Conditions,
    *,
    near: State | None = None,
    states: States = "all",
) -> Proof:
    """Decides proposed conditions for a block of actions.

    A fluent that has a value at the beginning of the task has one in every state, since no action takes one away; of
    the others, that they have none is a case too. Conditions without a value fail as in the simulator.

    Args:
        task: whose actions, objects and static facts these are.
        block: the actions.
        proposed: ground conditions.
        near: counterexamples are as like this state as can be found; the initial state where none is given.
        states: in which states they are to be right.

    Raises:
        BadActionError: an action is none of the task's.
        InputError: the effect claims to change what no action changes, or the conditions have free variables.
        UnsupportedError: something here rests on a predicate that is derived from itself, or is too large.
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
            # In a world that does not keep to the task, even that may be otherwise.
            return not changeable.can_change(atom) and near.true(atom) == initial.true(atom)

        return fixed

    def proof(self) -> Proof:
        """All of it."""
        symbols, circuit = self.symbols, self.symbols.circuit
        before = SymbolicState()
        asked = symbols.condition(self.proposed.precondition, before, {}).true
        claimed = symbols.effects(self.proposed.effect, before, {})
        meaningful, claimed_after = symbols.applied(claimed, before)
        # As of any action: where its effects have no value, or contradict each other, it is not applicable.
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
        )

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
        """Whether what the claim changes is so after the block."""
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
        """The state after the block; or the one before the action that is not applicable, its number, and why."""
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
    """A counterexample that the simulator does not bear out would be a mistake here, and never an answer."""
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
    """What is so in a state and not in another one, as literals; that a fluent has no value is none."""
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
    """A simulator of a task that has these actions too.

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
    for name in sorted(_changed_by(schemas) & {rule.name for rule in domain.derived}):
        raise InputError(f"'{name}' is derived: an effect cannot claim to change it")
    return Simulator(extended)


def _changed_by(schemas: Sequence[ActionSchema]) -> frozenset[str]:
    return changed_predicates(Domain("", actions=tuple(schemas)))


def unmet_outcome(claims: Simulator, claim: GroundAction, before: State, after: State) -> tuple[Condition, ...]:
    """What an action's effects, as they happen in one state, say and is not so in another; empty where all of it is.

    Where the effects are undefined or contradict each other, the fluent that is to blame, as ``(= (f) (f))``.
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
    """What a fluent's having a value, and one value only, is as a condition: ``(= (f a) (f a))``."""
    expression = Fluent(fluent[0], fluent[1:])
    return Comparison("=", expression, expression)
