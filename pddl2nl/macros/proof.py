"""Proves or refutes claimed conditions of a macro-action for the block of actions that carries it out.

A model guesses preconditions and effects, and one execution shows only whether they fit there. Here a claim is decided
for all states: for every combination of the ground atoms and fluents that the block or the claim mentions, whether
reachable or not. Static facts are those of the task. A refutation comes with a counterexample state, which the
simulator has replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from typing import Any, Literal

from pddl2nl.errors import InputError
from pddl2nl.macros.changeable import Changeable
from pddl2nl.macros.macro import Conditions, Macro
from pddl2nl.macros.symbolic import Effects, Formula, Formulas, Solver, StateFound, SymbolicSemantics, SymbolicState
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
    substitute,
    write_condition,
)
from pddlval import GroundAction, Simulator, State, StepResult
from pddlval.formulas import negation_normal
from pddlval.numeric import plain_number
from pddlval.unsupported import updated_functions

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

    def as_json(self) -> dict[str, Any]:
        """The state, the kind, and what is unmet."""
        return {
            "kind": self.kind,
            "state": [str(atom) for atom in sorted(self.state)],
            "values": {str(fluent): plain_number(value) for fluent, value in sorted(self.values.items())},
            "step": self.step,
            "unmet": [write_condition(part) for part in self.unmet],
        }


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
        """Whether it is proved that, if the precondition holds, the block runs and the effect holds after it."""
        return self.runs == self.holds == "proved"

    @property
    def exact(self) -> bool:
        """Whether the claim is proved to be equivalent to the exact conditions of the block."""
        return self.sound and self.complete_effect == "proved" and self.precondition == "exact"

    def counterexample(self, kind: Kind) -> Counterexample | None:
        """The counterexample of a kind, if there is one."""
        return next((item for item in self.counterexamples if item.kind == kind), None)

    def as_json(self) -> dict[str, Any]:
        """The results, the static facts and the counterexamples."""
        names = ("sound", "states", "runs", "holds", "complete_effect", "precondition", "vacuous")
        return {
            **{name: getattr(self, name) for name in names},
            "static": [write_condition(fact) for fact in self.static],
            "counterexamples": [item.as_json() for item in self.counterexamples],
        }


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
    def __init__(
        self, task: Task, block: tuple[GroundAction, ...], proposed: Conditions, near: State | None, states: States
    ):
        self.task = task
        self.block = block
        self.proposed = proposed
        names = {action.name for action in task.domain.actions}
        name = next(name for number in count() if (name := f"proposed{number}") not in names)
        self._claim = GroundAction(name)
        self.simulator = claims_of(task, [ActionSchema(name, (), proposed.precondition, proposed.effect)])
        for action in block:
            self.simulator.check(action)
        self._near = self.simulator.initial if near is None else self.simulator.state(near.atoms, near.values)
        self._states: States = states
        self.formulas = Formulas()
        self.symbols = SymbolicSemantics(task, self.formulas, *([] if states == "all" else [self._fixed()]))
        self._solver = Solver(self.formulas)
        self._found: list[Counterexample] = []

    def _fixed(self) -> Callable[[GroundAtom], bool]:
        changeable = Changeable(self.task)
        initial = self.simulator.initial
        # The state of a world that differs from the task may violate what cannot change.
        return lambda atom: not changeable.can_change(atom) and self._near.true(atom) == initial.true(atom)

    def proof(self) -> Proof:
        symbols, formulas = self.symbols, self.formulas
        before = SymbolicState()
        asked = symbols.condition(self.proposed.precondition, before, {}).true
        claimed = symbols.effects(self.proposed.effect, before, {})
        meaningful, claimed_after = symbols.applied(claimed, before)
        # Like any action, it is not applicable if its effects are undefined or conflict.
        asked = formulas.both(asked, meaningful)
        runs: Formula = True
        after = before
        points: list[tuple[Formula, SymbolicState]] = []
        for action in self.block:
            points.append((runs, after))
            held, after = symbols.step(action, after)
            runs = formulas.both(runs, held)
        here = formulas.both(asked, runs)
        kept = self._kept(claimed, claimed_after, after)
        same = self._same(claimed_after, after)
        run_part = self._always(asked, runs, "does-not-run")
        hold_part = self._always(here, kept, "effect-fails")
        same_part = self._always(here, same, "incomplete")
        needed = self._always(runs, asked, "too-strong")
        return Proof(
            self.block,
            self.proposed,
            run_part,
            hold_part,
            same_part,
            _relation(run_part, needed),
            vacuous=self._solver.can_be(asked)[0] == "no",
            impossible=self._solver.can_be(runs)[0] == "no",
            states=self._states,
            counterexamples=tuple(self._found),
            lacking=self._lacking(asked, points) if run_part == "refuted" else (),
            static=tuple(
                literal(fact, value) if isinstance(value, bool) else has_value(fact, value)
                for fact, value in sorted(symbols.static_used.items())
                if value is not None
            ),
        )

    def _lacking(self, asked: Formula, points: Sequence[tuple[Formula, SymbolicState]]) -> tuple[Lacking, ...]:
        formulas = self.formulas
        lacking: list[Lacking] = []
        for step, (action, (reached, state)) in enumerate(zip(self.block, points, strict=True), start=1):
            here = formulas.both(asked, reached)
            condition = self.simulator.ground(action).precondition()
            for part in dict.fromkeys(conjuncts(negation_normal(condition))):
                fails = formulas.negation(self.symbols.condition(part, state, {}).true)
                if self._solver.can_be(formulas.both(here, fails))[0] == "yes":
                    lacking.append(Lacking(step, part))
        return tuple(lacking)

    def _always(self, premise: Formula, conclusion: Formula, kind: Kind) -> Part:
        near = StateFound(dict.fromkeys(self._near.atoms, True), dict(self._near.values))
        question = self.formulas.both(premise, self.formulas.negation(conclusion))
        answer, example = self._solver.can_be(question, near)
        if example is None:
            return "proved" if answer == "no" else "undecided"
        atoms = {atom for atom in self._near.atoms if example.atoms.get(atom, True)}
        atoms.update(atom for atom, held in example.atoms.items() if held)
        values = {fluent: value for fluent, value in {**near.values, **example.values}.items() if value is not None}
        self._found.append(self._counterexample(self.simulator.state(atoms, values), kind))
        return "refuted"

    # ── what is claimed, as formulas ─────────────────────────────────────────────────────────────

    def _kept(self, claimed: Effects, claimed_after: SymbolicState, after: SymbolicState) -> Formula:
        """Whether the claimed changes hold after the block."""
        formulas = self.formulas
        parts: list[Formula] = []
        for atom in dict.fromkeys((*claimed.adds, *claimed.deletes)):
            true = self.symbols.true(atom, after).true
            added = claimed.adds.get(atom, False)
            deleted = formulas.both(claimed.deletes.get(atom, False), formulas.negation(added))
            parts += [formulas.implies(added, true), formulas.implies(deleted, formulas.negation(true))]
        for fluent, updates in claimed.updates.items():
            same = self._same_level(fluent, claimed_after, after)
            parts += [formulas.implies(guard, same) for guard, _, _ in updates]
        return formulas.all(parts)

    def _same(self, claimed_after: SymbolicState, after: SymbolicState) -> Formula:
        symbols = self.symbols
        atoms = dict.fromkeys((*claimed_after.atoms, *after.atoms))
        fluents = dict.fromkeys((*claimed_after.levels, *after.levels))
        same = self.formulas.same
        parts = [same(symbols.true(atom, claimed_after).true, symbols.true(atom, after).true) for atom in atoms]
        return self.formulas.all((*parts, *(self._same_level(fluent, claimed_after, after) for fluent in fluents)))

    def _same_level(self, fluent: GroundAtom, one: SymbolicState, other: SymbolicState) -> Formula:
        formulas = self.formulas
        first, second = self.symbols.level(fluent, one), self.symbols.level(fluent, other)
        equal = formulas.implies(first.defined, formulas.compare("=", first.term, second.term))
        return formulas.both(formulas.same(first.defined, second.defined), equal)

    # ── what the simulator says of a counterexample ──────────────────────────────────────────────

    def _counterexample(self, state: State, kind: Kind) -> Counterexample:
        asked = self.simulator.step(state, self._claim)
        followed = self.simulator.follow(state, self.block)
        ran, unmet = followed.state, followed.unmet
        failed = 0 if followed.complete else len(followed.actions) + 1
        match kind:
            case "does-not-run":
                confirmed = asked.successor is not None and failed > 0
            case "effect-fails":
                unmet = unmet_outcome(self.simulator, self._claim, state, ran)
                confirmed = asked.successor is not None and not failed and bool(unmet)
            case "incomplete":
                unmet = () if asked.successor is None else _differences(asked.successor, ran)
                confirmed = asked.successor is not None and not failed and asked.successor != ran
            case "too-strong":
                unmet = _refusal(asked)
                confirmed = asked.successor is None and not failed
        assert confirmed, "the simulator does not bear out a counterexample of the proof"
        unlike = _differences(self._near, state)
        return Counterexample(state.atoms, dict(state.values), kind, failed, unmet, unlike)


def _relation(runs: Part, needed: Part) -> Relation:
    if "undecided" in (runs, needed):
        return "undecided"
    if runs == "proved":
        return "exact" if needed == "proved" else "stronger"
    return "weaker" if needed == "proved" else "incomparable"


def literal(atom: GroundAtom, positive: bool) -> Condition:
    """A ground atom or its negation as a condition."""
    condition = Atom(atom[0], atom[1:])
    return condition if positive else Not(condition)


def has_value(fluent: GroundAtom, value: Fraction | None = None) -> Comparison:
    """The condition that a fluent has a value: a given one, or any, as ``(= (f a) (f a))``."""
    expression = Fluent(fluent[0], fluent[1:])
    return Comparison("=", expression, expression if value is None else Number(Fraction(value)))


def _differences(other: State, state: State) -> tuple[Condition, ...]:
    """The literals of a state that differ from another one; a fluent without a value has none."""
    change = state.changes_since(other)
    values = ((fluent, state.value(fluent)) for fluent in sorted(change.fluents))
    return (
        *(literal(atom, True) for atom in sorted(change.added)),
        *(literal(atom, False) for atom in sorted(change.deleted)),
        *(has_value(fluent, value) for fluent, value in values if value is not None),
    )


def _refusal(step: StepResult) -> tuple[Condition, ...]:
    """Why an action is not applicable."""
    return step.unmet or (() if step.conflict is None else (has_value(step.conflict),))


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
        return _refusal(step)
    outcome = claims.ground(claim).outcome(before)
    wanted = dict.fromkeys(outcome.adds, True)
    for atom in outcome.deletes:
        wanted.setdefault(atom, False)
    unmet: list[Condition] = [literal(atom, held) for atom, held in wanted.items() if after.true(atom) is not held]
    for fluent in dict.fromkeys(change.fluent for change in outcome.updates):
        value = step.successor.level(fluent)
        assert value is not None, "what an action updates has a value"
        if after.level(fluent) != value:
            unmet.append(has_value(fluent, Fraction(value)))
    return tuple(unmet)


Block = tuple[GroundAction, ...]


def ground_claim(
    task: Task, macro: Macro, block: Block | None = None, objects: Sequence[str] | None = None
) -> tuple[Block, Conditions]:
    """The actions that a macro stands for, and its conditions for the objects of its parameters.

    Args:
        task: the task.
        macro: the macro as claimed.
        block: the actions; by default the macro's steps.
        objects: for the macro's parameters, in order; by default found by comparing its steps with the block.

    Raises:
        InputError: actions or objects are missing, of a wrong type, or contradict each other.
    """
    names = [item.name for item in macro.parameters]
    if objects is not None and len(objects) != len(names):
        raise InputError(
            f"--args: '{macro.name}' has {len(names)} parameters ({' '.join(names)}); found {len(objects)}"
        )
    if block is None:
        if not macro.steps or (objects is None and names):
            raise InputError("which actions does the macro stand for? --block PLAN, or steps in MACROFILE and --args")
        block = macro.expand(objects or ())
    binding = _matched(macro, block) if objects is None else dict(zip(names, objects, strict=True))
    _check(task, macro, binding, "--block" if objects is None else "--args")
    exact = macro.conditions
    return block, Conditions(substitute(exact.precondition, binding), substitute(exact.effect, binding))


def _check(task: Task, macro: Macro, binding: Mapping[str, str], source: str) -> None:
    for item in macro.parameters:
        name = binding.get(item.name)
        if name is None:
            raise InputError(f"no object is known for {item.name} of '{macro.name}': give all with --args")
        if not task.is_a(name, item.types):
            fit = task.objects_of(item.types)
            known = ", ".join(fit[:20]) + (", …" if len(fit) > 20 else "") if fit else "none"
            kind = " or ".join(item.types)
            raise InputError(f"{source}: '{name}' is no object of type {kind} ({item.name}); there are {known}")


def _matched(macro: Macro, block: Block) -> dict[str, str]:
    """The objects for the macro's parameters if its steps are these actions; otherwise empty."""
    if [step.action for step in macro.steps] != [action.name for action in block]:
        return {}
    binding: dict[str, str] = {}
    for step, action in zip(macro.steps, block, strict=True):
        for term, name in zip(step.args, action.args, strict=False):
            if binding.setdefault(term, name) != name:
                raise InputError(f"the block is not {macro.name}: {term} would be both {binding[term]} and {name}")
    return binding
