"""Which subtask can follow which, proved for all problems of a domain at once.

A question is about two subtasks, one directly after the other, with any objects. Objects and the initial
state are unknown, so preconditions become formulas over an uninterpreted sort of objects; what earlier steps change is
substituted, as in regression. Without functions of objects such formulas have finite models (Bernays and Schönfinkel
1928), and z3 decides them: an edge is

===========  ========================================================================================================
possible     some state of some problem allows both; z3's model is the *witness*, and the simulator has replayed it
certain      possible, and after the first subtask the second is possible in every state, with the same targets where
             both have some of one role and any others of the fitting type
refuted      no state allows both; z3's unsat core says which preconditions contradict each other
===========  ========================================================================================================

The states are those that satisfy the invariants of the subtasks, which hold in all reachable states if every action
keeps them (`broken_invariants`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count, product
from typing import Any, Literal

from pddl2nl.errors import MissingExtraError, UnsupportedError
from pddl2nl.macros.macro import MacroStep
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Domain,
    Effect,
    Equality,
    Exists,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Or,
    Problem,
    Task,
    TypedName,
    When,
    changed_predicates,
    conjuncts,
    supertypes,
    write_condition,
)
from pddl2nl.systems.taskgraph.subtasks import Subtask, Subtasks, SubtaskWay
from pddlval import GroundAction, Simulator
from pddlval.formulas import subformulas

_BUDGET = 20_000_000
"""The limit for one question in z3's units of work."""

_Binding = Mapping[str, Any]


@dataclass(frozen=True)
class EdgeNeed:
    """A precondition in an unsat core: which subtask (0 or 1) needs it for which of its steps."""

    subtask: int
    step: MacroStep
    condition: Condition


@dataclass(frozen=True)
class EdgeWitness:
    """A task in whose initial state two subtasks can be carried out one after the other.

    The ``plan`` has first the ``split`` actions of the first subtask.
    """

    task: Task
    plan: tuple[GroundAction, ...]
    split: int


@dataclass(frozen=True)
class EdgeProof:
    """What was proved of an edge between two subtasks; see the module. ``undecided``: z3 reached its limit.

    A possible edge has a witness; a refuted one, for each pair of ways, the preconditions that contradict each other.
    """

    first: str
    second: str
    kind: Literal["possible", "certain", "refuted", "undecided"]
    witness: EdgeWitness | None = None
    core: tuple[tuple[EdgeNeed, ...], ...] = ()

    def reasons(self, tell: Callable[[Condition], str] = write_condition) -> tuple[str, ...]:
        """Why a refuted edge is impossible; ``tell`` puts a condition in words, by default in PDDL."""
        return tuple(dict.fromkeys(self._reason(needs, tell) for needs in self.core))

    def _reason(self, needs: Sequence[EdgeNeed], tell: Callable[[Condition], str]) -> str:
        names = (self.first, self.second)
        told = [f"{names[need.subtask]} needs that {tell(need.condition)} for {need.step}" for need in needs]
        if len(needs) == 1 and needs[0].subtask:
            return f"{told[0]}, which cannot be after {self.first}"
        return f"{' and '.join(told) or 'no objects have the types of both'}: this is impossible together"


class EdgeProver:
    """Proves edges between subtasks.

    Raises:
        MissingExtraError: z3 is not installed.
    """

    def __init__(self, subtasks: Subtasks):
        try:
            import z3
        except ImportError:
            raise MissingExtraError("z3-solver", "macros", "proving edges of task graphs") from None
        self._z3: Any = z3
        self.subtasks = subtasks

    def prove(self, first: str, second: str) -> EdgeProof:
        """What is true of an edge; the subtasks are named by name or label."""
        one, other = self.subtasks.named(first), self.subtasks.named(second)
        return self._proved(one, other, [*product(one.ways, other.ways)], certain=True)

    def compatible(self, first: str, second: str) -> EdgeProof:
        """The same of the last action of one subtask and the first of the other that matter.

        These are the actions that read or change a closed predicate (what is held); in subtasks without such actions,
        all that are no movements. This is the paper's functional compatibility, decided by proof, not judged.
        Movements come between: a movement is an action that subtasks begin with and that changes only what it needs.
        """
        one, other = self.subtasks.named(first), self.subtasks.named(second)
        moves = self._movements()
        ends = [_cut(way, self._mattering(way, moves)[-1:]) for way in one.ways]
        begins = [
            _cut(way, [step for step in way.steps if step.action in moves] + self._mattering(way, moves)[:1])
            for way in other.ways
        ]
        return self._proved(one, other, [*dict.fromkeys(product(ends, begins))], certain=False)

    def broken_invariants(self) -> tuple[tuple[str, Condition], ...]:
        """The invariants that an action does not keep, with the action; none if all are inductive."""
        broken = []
        for action in self.subtasks.domain.actions:
            step = MacroStep(action.name, tuple(item.name for item in action.parameters))
            for invariant in self.subtasks.invariants:
                question = _EdgeQuestion(self._z3, self.subtasks, action.parameters)
                question.add_run([step], 0)
                question.add(question.z3.Not(question.holds(invariant, {}, 1)))
                if question.check() != "no":
                    broken.append((action.name, invariant))
        return tuple(broken)

    def _proved(
        self, one: Subtask, other: Subtask, pairs: Sequence[tuple[SubtaskWay, SubtaskWay]], *, certain: bool
    ) -> EdgeProof:
        cores: list[tuple[EdgeNeed, ...]] = []
        kind: Literal["refuted", "undecided"] = "refuted"
        for before, after in pairs:
            renamed = _apart(after)
            question = _EdgeQuestion(self._z3, self.subtasks, (*before.parameters, *renamed.parameters))
            question.add_run(before.steps, 0)
            question.add_run(renamed.steps, 1)
            answer = question.check()
            if answer == "yes":
                witness = question.witness((*before.steps, *renamed.steps), len(before.steps))
                sure = certain and self._certain(one, other)
                return EdgeProof(one.name, other.name, "certain" if sure else "possible", witness)
            if answer == "unknown":
                kind = "undecided"
            else:
                cores.append(question.core())
        return EdgeProof(one.name, other.name, kind, None, tuple(dict.fromkeys(cores)))

    def _certain(self, one: Subtask, other: Subtask) -> bool:
        """Whether some way of the second is possible after each way of the first, in every state."""
        shared = {item.role: item.variable for item in one.targets}
        for before in one.ways:
            targets = {item.variable: f"{item.variable}'" for item in other.targets}
            own = {targets[item.variable]: shared[item.role] for item in other.targets if item.role in shared}
            fixed = [
                TypedName(targets[item.variable], (item.type,))
                for item in other.targets
                if targets[item.variable] not in own
            ]
            question = _EdgeQuestion(self._z3, self.subtasks, (*before.parameters, *fixed))
            question.add_run(before.steps, 0)
            for after in other.ways:
                renamed = _apart(after, own)
                given = {*(item.name for item in fixed), *own.values()}
                free = [item for item in renamed.parameters if item.name not in given]
                question.add(question.z3.Not(question.runs(renamed, free, len(before.steps))))
            if question.check() != "no":
                return False
        return True

    def _mattering(self, way: SubtaskWay, moves: frozenset[str]) -> list[MacroStep]:
        """The steps that mention a closed predicate, or else those that are no movements."""
        domain, closed = self.subtasks.domain, self.subtasks.closed
        about = {
            action.name
            for action in domain.actions
            for part in (*subformulas(action.precondition), *subformulas(action.effect))
            if isinstance(part, Atom) and part.predicate in closed
        }
        return [s for s in way.steps if s.action in about] or [s for s in way.steps if s.action not in moves]

    def _movements(self) -> frozenset[str]:
        """The actions that some ways begin with and that change nothing but one predicate that they need."""
        first = {way.steps[0].action for node in self.subtasks.nodes for way in node.ways if len(way.steps) > 1}
        moves = set()
        for action in self.subtasks.domain.actions:
            needed = [part.predicate for part in conjuncts(action.precondition) if isinstance(part, Atom)]
            changed = {leaf.atom.predicate for leaf in _leaves(action.effect)}
            if action.name in first and changed == {*needed}:
                moves.add(action.name)
        return frozenset(moves)


def _mentioned_types(subtasks: Subtasks) -> tuple[str, ...]:
    """The types of parameters of actions, predicates, subtasks, and in invariants, without ``object``."""
    domain = subtasks.domain
    typed = [item for action in domain.actions for item in action.parameters]
    typed += [item for predicate in domain.predicates for item in predicate.parameters]
    typed += [item for node in subtasks.nodes for way in node.ways for item in way.parameters]
    typed += [item for action in domain.actions for leaf in _leaves(action.effect) for item in leaf.variables]
    typed += [item for condition in subtasks.invariants for item in _quantified(condition)]
    names = dict.fromkeys(
        (*(kind for item in typed for kind in item.types), *(t.type for n in subtasks.nodes for t in n.targets))
    )
    return tuple(name for name in names if name != "object")


def _quantified(condition: Condition) -> Iterator[TypedName]:
    for part in subformulas(condition):
        if isinstance(part, Forall | Exists):
            yield from part.parameters


def _cut(way: SubtaskWay, steps: Sequence[MacroStep]) -> SubtaskWay:
    terms = {term for step in steps for term in step.args}
    return SubtaskWay(tuple(item for item in way.parameters if item.name in terms), tuple(steps))


def _apart(way: SubtaskWay, own: Mapping[str, str] | None = None) -> SubtaskWay:
    """The way with other names for its variables."""
    names = {item.name: f"{item.name}'" for item in way.parameters}
    names = {old: (own or {}).get(new, new) for old, new in names.items()}
    parameters = tuple(TypedName(names[item.name], item.types) for item in way.parameters)
    return SubtaskWay(
        parameters, tuple(MacroStep(step.action, tuple(map(names.__getitem__, step.args))) for step in way.steps)
    )


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _EffectLeaf:
    """An atom that an effect adds or deletes, for all objects of some variables, under some conditions."""

    atom: Atom
    positive: bool
    variables: tuple[TypedName, ...] = ()
    conditions: tuple[Condition, ...] = ()


def _leaves(effect: Effect) -> Iterator[_EffectLeaf]:
    match effect:
        case And(parts):
            for part in parts:
                yield from _leaves(part)
        case Atom():
            yield _EffectLeaf(effect, True)
        case Not(Atom() as atom):
            yield _EffectLeaf(atom, False)
        case When(condition, body):
            for leaf in _leaves(body):
                yield replace(leaf, conditions=(condition, *leaf.conditions))
        case Forall(parameters, body):
            for leaf in _leaves(body):
                yield replace(leaf, variables=(*parameters, *leaf.variables))
        case _:
            raise UnsupportedError("edges between subtasks are proved for domains without numbers only")


class _EdgeQuestion:
    """One question: are there objects and a state in which some steps are possible?"""

    def __init__(self, z3: Any, subtasks: Subtasks, parameters: Sequence[TypedName]):
        self.z3 = z3
        self._domain: Domain = subtasks.domain
        if self._domain.derived:
            raise UnsupportedError("edges between subtasks are proved for domains without derived predicates only")
        self._hierarchy = supertypes(self._domain)
        self._changing = changed_predicates(self._domain)
        self._context = z3.Context()
        self._sort = z3.DeclareSort("object!", self._context)
        self._solver = z3.Solver(ctx=self._context)
        self._solver.set("rlimit", _BUDGET)
        self._solver.set("random_seed", 1)
        self._steps: list[tuple[ActionSchema, _Binding]] = []
        self._needs: dict[str, EdgeNeed] = {}
        self._fresh = count()
        self._types = {item.name: item.types for item in (*self._domain.constants, *parameters)}
        self._terms = {name: z3.Const(name, self._sort) for name in self._types}
        self._kinds = _mentioned_types(subtasks)
        self._constrain()
        for invariant in subtasks.invariants:
            self.add(self.holds(invariant, {}, 0))

    def _constrain(self) -> None:
        z3, hierarchy = self.z3, self._hierarchy
        one = self._variable()
        rules = []
        for kind, other in combinations(self._kinds, 2):
            if not hierarchy.meets((kind,), (other,)):
                rules.append(z3.Not(z3.And(self._is(kind)(one), self._is(other)(one))))
            elif hierarchy.fits((kind,), (other,)):
                rules.append(z3.Implies(self._is(kind)(one), self._is(other)(one)))
            elif hierarchy.fits((other,), (kind,)):
                rules.append(z3.Implies(self._is(other)(one), self._is(kind)(one)))
        if rules:
            self.add(z3.ForAll([one], z3.And(*rules)))
        for name, own in self._types.items():
            self.add(self._fits(self._terms[name], own))
        constants = [self._terms[item.name] for item in self._domain.constants]
        if len(constants) > 1:
            self.add(z3.Distinct(*constants))

    def _is(self, kind: str) -> Any:
        return self.z3.Function(f"is {kind}", self._sort, self.z3.BoolSort(self._context))

    def _truth(self, value: bool) -> Any:
        return self.z3.BoolVal(value, self._context)

    def add(self, formula: Any) -> None:
        self._solver.add(formula)

    def add_run(self, steps: Sequence[MacroStep], subtask: int) -> None:
        """Requires that steps are possible after those before them."""
        for step in steps:
            schema = self._domain.schema(step.action)
            names = schema.binding(step.args)
            binding = {name: self._terms[term] for name, term in names.items()}
            for part in conjuncts(schema.precondition):
                label = f"need{len(self._needs)}"
                self._needs[label] = EdgeNeed(subtask, step, part)
                self.add(self.z3.Implies(self._label(label), self.holds(part, binding, len(self._steps))))
            self._steps.append((schema, binding))

    def runs(self, way: SubtaskWay, free: Sequence[TypedName], start: int) -> Any:
        """That a way is possible with some objects for its free variables; the steps so far end at ``start``."""
        z3, kept = self.z3, self._steps
        self._steps = list(kept)
        fresh = {item.name: self._variable() for item in free}
        terms = {**self._terms, **fresh}
        parts = [self._fits(fresh[item.name], item.types) for item in free]
        for item in way.parameters:
            if item.name not in fresh:
                parts.append(self._fits(terms[item.name], item.types))
        for step in way.steps:
            schema = self._domain.schema(step.action)
            binding = {item.name: terms[term] for item, term in zip(schema.parameters, step.args, strict=True)}
            parts.append(self.holds(schema.precondition, binding, len(self._steps)))
            self._steps.append((schema, binding))
        self._steps = kept
        body = z3.And(*parts)
        return z3.Exists(list(fresh.values()), body) if fresh else body

    def check(self) -> Literal["yes", "no", "unknown"]:
        """Whether all that is required can be true."""
        answers: Mapping[str, Literal["yes", "no"]] = {"sat": "yes", "unsat": "no"}
        return answers.get(str(self._solver.check(*map(self._label, self._needs))), "unknown")

    def _label(self, name: str) -> Any:
        return self.z3.Bool(name, self._context)

    def core(self) -> tuple[EdgeNeed, ...]:
        """Preconditions that contradict each other; leaving out one of them leaves none contradicted."""
        labels = [str(label) for label in self._solver.unsat_core()]
        for label in list(labels):
            fewer = [each for each in labels if each != label]
            if str(self._solver.check(*map(self._label, fewer))) == "unsat":
                labels.remove(label)
        return tuple(self._needs[label] for label in sorted(labels, key=lambda each: int(each[4:])))

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def holds(self, condition: Condition, binding: _Binding, time: int) -> Any:
        """That a condition holds after so many steps."""
        z3 = self.z3
        match condition:
            case Atom(predicate, args):
                return self._value(predicate, tuple(self._term(term, binding) for term in args), time)
            case Equality(left, right):
                return self._term(left, binding) == self._term(right, binding)
            case Not(body):
                return z3.Not(self.holds(body, binding, time))
            case And(parts):
                return z3.And(self._truth(True), *(self.holds(part, binding, time) for part in parts))
            case Or(parts):
                return z3.Or(self._truth(False), *(self.holds(part, binding, time) for part in parts))
            case Imply(before, after):
                return z3.Implies(self.holds(before, binding, time), self.holds(after, binding, time))
            case Forall(parameters, body) | Exists(parameters, body):
                fresh = {item.name: self._variable() for item in parameters}
                typed = z3.And(*(self._fits(fresh[item.name], item.types) for item in parameters))
                inner = self.holds(body, {**binding, **fresh}, time)
                if isinstance(condition, Forall):
                    return z3.ForAll(list(fresh.values()), z3.Implies(typed, inner))
                return z3.Exists(list(fresh.values()), z3.And(typed, inner))
        raise UnsupportedError("edges between subtasks are proved for domains without numbers only")

    def _term(self, name: str, binding: _Binding) -> Any:
        return binding[name] if name in binding else self._terms[name]

    def _variable(self) -> Any:
        return self.z3.Const(f"v{next(self._fresh)}", self._sort)

    def _fits(self, term: Any, types: Sequence[str]) -> Any:
        kinds = [self._is(kind)(term) for kind in types if kind != "object"]
        return self.z3.Or(*kinds) if kinds else self._truth(True)

    def _relation(self, predicate: str, arity: int) -> Any:
        return self.z3.Function(f"{predicate}/{arity}", *[self._sort] * arity, self.z3.BoolSort(self._context))

    def _value(self, predicate: str, args: tuple[Any, ...], time: int) -> Any:
        z3 = self.z3
        if predicate not in self._changing or time == 0:
            return self._relation(predicate, len(args))(*args)
        schema, binding = self._steps[time - 1]
        leaves = [leaf for leaf in _leaves(schema.effect) if leaf.atom.predicate == predicate]
        added = [self._happens(leaf, args, binding, time - 1) for leaf in leaves if leaf.positive]
        deleted = [self._happens(leaf, args, binding, time - 1) for leaf in leaves if not leaf.positive]
        before = self._value(predicate, args, time - 1)
        kept = z3.And(before, *(z3.Not(each) for each in deleted))
        return z3.Or(kept, *added)

    def _happens(self, leaf: _EffectLeaf, args: tuple[Any, ...], binding: _Binding, time: int) -> Any:
        """That an effect concerns the atom with these arguments."""
        z3 = self.z3
        own = {item.name: item.types for item in leaf.variables}
        bound: dict[str, Any] = {}
        parts = []
        for term, arg in zip(leaf.atom.args, args, strict=True):
            if term in own and term not in bound:
                bound[term] = arg
                parts.append(self._fits(arg, own[term]))
            else:
                known = bound[term] if term in bound else self._term(term, binding)
                parts.append(known == arg)
        rest = {name: self._variable() for name in own if name not in bound}
        parts += [self._fits(rest[name], own[name]) for name in rest]
        inner = {**binding, **bound, **rest}
        parts += [self.holds(condition, inner, time) for condition in leaf.conditions]
        body = z3.And(self._truth(True), *parts)
        return z3.Exists(list(rest.values()), body) if rest else body

    # ── the witness ──────────────────────────────────────────────────────────────────────────────

    def witness(self, steps: Sequence[MacroStep], split: int) -> EdgeWitness:
        """The model as a task, in which the simulator has replayed the steps."""
        model = self._solver.model()
        value = {name: str(model.eval(term, model_completion=True)) for name, term in self._terms.items()}
        elements = dict.fromkeys(value.values())
        constants = {value[item.name]: item.name for item in self._domain.constants}
        names = {each: constants.get(each, f"object{number}") for number, each in enumerate(elements, start=1)}
        terms = {value[name]: term for name, term in self._terms.items()}
        objects = []
        for element, name in names.items():
            true = (kind for kind in self._kinds if self.z3.is_true(model.eval(self._is(kind)(terms[element]))))
            best = min(true, key=lambda kind: len(self._hierarchy.below((kind,))), default="object")
            if element not in constants:
                objects.append(TypedName(name, (best,)))
        atoms = []
        for predicate in self._domain.predicates:
            for chosen in product(elements, repeat=len(predicate.parameters)):
                relation = self._relation(predicate.name, len(chosen))
                true = model.eval(relation(*(terms[each] for each in chosen)), model_completion=True)
                fit = all(
                    any(
                        self._hierarchy.fits(item.types, parameter.types)
                        for item in objects
                        if item.name == names[each]
                    )
                    or each in constants
                    for each, parameter in zip(chosen, predicate.parameters, strict=True)
                )
                if self.z3.is_true(true) and fit:
                    atoms.append(GroundAtom((predicate.name, *(names[each] for each in chosen))))
        problem = Problem("witness", self._domain.name, objects=tuple(objects), init=tuple(atoms), goal=And())
        task = Task(self._domain, problem)
        plan = tuple(GroundAction(step.action, tuple(names[value[term]] for term in step.args)) for step in steps)
        simulator = Simulator(task)
        replayed = simulator.follow(simulator.initial, plan)
        assert replayed.complete, "the simulator does not bear out the witness of an edge"
        return EdgeWitness(task, plan, split)
