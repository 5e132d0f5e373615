"""What the oracle answers in HVR's place: from the task, the state and the plan so far, with one mistake on request.

The macro-actions of a task that is shipped with references (`pddl2nl.tasks.references`) are those of its first
reference, each with its sub-goal and the objects that matter for it: no planner can find them. Any other task is one
macro-action. Fast Downward plans each.

The mistakes are of the kinds that HVR's validator can find; each is made until feedback tells the violated condition:

===================  ==============================================================================================
name                 what is wrong
===================  ==============================================================================================
wrong-precondition   the last macro-action claims the negation of a literal that it needs
missing-navigation   movements (`pddl2nl.systems.hvr.repair`) are missing from each block; from the first block another
                     action as well, because HVR's deterministic repair inserts missing movements
wrong-order          two actions of a block are exchanged
missing-step         an action other than a movement is missing from a block
impossible-macro     the macro plan has a macro-action that no block can carry out
===================  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, islice, pairwise, product

from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.errors import InfrastructureError
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.telling import told_pddl
from pddl2nl.nl import Teller
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Effect,
    Exists,
    FluentValue,
    Forall,
    GroundAtom,
    Not,
    Or,
    Task,
    TypedName,
    When,
    changed_predicates,
    conjuncts,
    is_variable,
    substitute,
)
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.policies.prompts import numbered
from pddl2nl.systems.hvr.blocks import ActionBlock
from pddl2nl.systems.hvr.conditions import ReadConditions, conditions_text
from pddl2nl.systems.hvr.prompting import actions_reply
from pddl2nl.systems.hvr.repair import MovementRepair, movements
from pddl2nl.tasks.references import reference_of, references_of
from pddlval import BadActionError, GroundAction, Simulator, State
from pddlval.formulas import atoms_in, negation_normal
from pddlval.numeric import UndefinedError
from pddlval.semantics import holds, unmet

IMPOSSIBLE = "Do what cannot be done"
"""The macro-action that no block can carry out."""

_WHOLE = "Do all that is wanted"
"""The one macro-action of a task when only the goal is known."""

_MOST_TRIED = 5_000


@dataclass(frozen=True)
class KnownMacro:
    """A macro-action in words, its sub-goal, and the objects that matter for it."""

    words: str
    goal: Condition
    needs: tuple[str, ...] = ()


class MacroAnswers:
    """The answers about one task."""

    def __init__(self, oracle: PlanOracle, simulator: Simulator, teller: Teller):
        self._oracle, self._mistake = oracle, oracle.mistake
        self._simulator, self._teller = simulator, teller
        task = simulator.task
        self._goal = task.problem.goal
        reference = reference_of(task)
        self._known = reference is not None
        self._macros: tuple[KnownMacro, ...] = (KnownMacro(_WHOLE, self._goal, tuple(task.objects)),)
        self._besides: list[str] = []
        if reference is not None:
            self._macros = tuple(
                _known_macro(block.macro, block.goal, block.actions) for block in reference.ways[0].blocks
            )
            # What the domain's example uses may become useful if the world differs.
            examples = (each for each in references_of(task.domain) if each.role == "example")
            self._besides = [name for each in examples for name in _objects_in(each.ways[0].plan)]

    def retrieval(self, available: Sequence[str]) -> str:
        needed = dict.fromkeys(name for macro in self._macros for name in macro.needs)
        named = [name for name in dict.fromkeys((*needed, *self._besides)) if name in available]
        return "\n".join(self._teller.names.to_nl.get(name, name) for name in named)

    def macro_plan(self, done: Sequence[str], feedback: str) -> str:
        """The macro-actions that are left after some are done."""
        words = [macro.words for macro in self._macros]
        last = max((words.index(each) for each in done if each in words), default=-1)
        if feedback and self._known and last >= 0:
            # If the world differed, the last macro-action may be half done.
            words = words[last + (IMPOSSIBLE in feedback) :]
        if self._mistake == "impossible-macro" and IMPOSSIBLE not in feedback:
            words.insert(len(words) - 1, IMPOSSIBLE)
        return numbered(words)

    def conditions(
        self, state: State, macros: Sequence[str], feedback: str, blocks: Sequence[Sequence[GroundAction]] = ()
    ) -> str:
        """The conditions of all macro-actions, by executing each in the state that those before it lead to.

        Their blocks are planned where they are not given.
        """
        found: list[Conditions] = []
        for number, words in enumerate(macros):
            if words == IMPOSSIBLE:
                some = min(state.changing(), default=None)
                found.append(Conditions(And(), And() if some is None else Atom(some[0], some[1:])))
                continue
            block = blocks[number] if blocks else self._block(state, self._macro(words))
            found.append(block_conditions(self._simulator, state, block))
            state = self._simulator.follow(state, block).state
        if self._mistake == "wrong-precondition" and found:
            wrong, literal = wrong_precondition(found[-1])
            if literal is not None and not self._told(feedback, [literal]):
                found[-1] = wrong
        return conditions_text([ReadConditions(each) for each in found], self._teller.names)

    def refinement(
        self, present: Sequence[ReadConditions], number: int, block: Sequence[GroundAction], state: State
    ) -> str:
        """The present conditions, except for the macro-action with a number (from 1), whose block is known."""
        refined = list(present)
        if self._simulator.follow(state, block).complete:
            refined[number - 1] = ReadConditions(block_conditions(self._simulator, state, block))
        return conditions_text(refined, self._teller.names)

    def block(self, words: str, start: State, *, first: bool, failed: ActionBlock | None) -> str:
        """The actions of a macro-action after the answer that failed, if any; `first`: nothing was done before."""
        if words == IMPOSSIBLE:
            return self._reply(impossible_block(self._simulator))
        macro = self._macro(words)
        return self._reply(self._with_mistake(self._block(start, macro), start, macro.goal, first, failed))

    def plan(self, start: State, *, first: bool, failed: ActionBlock | None) -> str:
        """The actions of the whole task, one macro-action after the other; arguments as of `block`."""
        state, plan = start, list[GroundAction]()
        if self._known and unmet(self._goal, state):
            for macro in self._macros:
                block = self._block(state, macro)
                state = self._simulator.follow(state, block).state
                plan += block
        # Nothing is added if the macro-actions reach the goal.
        plan += self._planned(state, self._goal)
        return self._reply(self._with_mistake(plan, start, self._goal, first, failed))

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _macro(self, words: str) -> KnownMacro:
        if not self._known:
            return self._macros[0]
        for macro in self._macros:
            if macro.words.casefold() == words.casefold():
                return macro
        raise InfrastructureError(f"the oracle does not know what '{words}' is for")

    def _block(self, state: State, macro: KnownMacro) -> tuple[GroundAction, ...]:
        """A shortest plan for a macro-action among the objects that matter and related ones, else any plan.

        Among all objects the search for a shortest plan takes too long.
        """
        if self._known and unmet(macro.goal, state):
            narrowed = _narrowed(self._simulator.task, state, {*macro.needs, *_terms(macro.goal)})
            plan = self._oracle.plan(narrowed, Simulator(narrowed).initial, macro.goal, shortest=True)
            if plan is not None and self._simulator.follow(state, plan).complete:
                return plan
        return self._planned(state, macro.goal)

    def _planned(self, state: State, goal: Condition) -> tuple[GroundAction, ...]:
        if not unmet(goal, state):
            return ()
        plan = self._oracle.plan(self._simulator.task, state, goal)
        if plan is None:
            raise InfrastructureError("the oracle finds no plan: from the present state the goal cannot be reached")
        return plan

    def _with_mistake(
        self, right: Sequence[GroundAction], start: State, goal: Condition, first: bool, failed: ActionBlock | None
    ) -> Sequence[GroundAction]:
        """The actions with the mistake, or without it once feedback tells a condition that the last answer violated."""
        if failed is not None and self._told(failed.feedback, failed.unmet):
            return right
        wrong = mistaken_block(self._mistake, self._simulator, start, right, goal, first=first)
        return right if wrong is None else wrong

    def _told(self, feedback: str, conditions: Sequence[Condition]) -> bool:
        return any(told_pddl(condition, self._teller.names) in feedback for condition in conditions)

    def _reply(self, actions: Sequence[GroundAction]) -> str:
        told = [self._teller.action(action) for action in actions]
        return actions_reply([f"Step {number}: I {text}." for number, text in enumerate(told, 1)], told)


def _known_macro(words: str, goal: str, actions: Sequence[str]) -> KnownMacro:
    condition = parse_condition(goal)
    return KnownMacro(words, condition, tuple(dict.fromkeys((*_objects_in(actions), *_terms(condition)))))


def _terms(condition: Condition) -> Iterator[str]:
    return (term for atom in atoms_in(condition) for term in atom.args if not is_variable(term))


def _objects_in(actions: Sequence[str]) -> list[str]:
    return [name for action in actions for name in GroundAction.parse(action).args]


def _narrowed(task: Task, state: State, about: Collection[str]) -> Task:
    """The task from a state, restricted to facts about some objects and the objects in them, in alphabetical order."""
    atoms = tuple(atom for atom in sorted(state.atoms) if len(atom) == 1 or any(name in about for name in atom[1:]))
    values = tuple(
        FluentValue(fluent, value)
        for fluent, value in sorted(state.values.items())
        if all(name in about for name in fluent[1:])
    )
    kept = {*about, *(name for atom in atoms for name in atom[1:])}
    objects = sorted((item for item in task.problem.objects if item.name in kept), key=lambda item: item.name)
    problem = replace(task.problem, objects=tuple(objects), init=atoms, init_values=values, init_negative=())
    return Task(task.domain, replace(problem, goal=And()))


# ── the conditions of a block ────────────────────────────────────────────────────────────────────


def block_conditions(simulator: Simulator, state: State, block: Sequence[GroundAction]) -> Conditions:
    """The precondition and the effect of a block as literals, by its execution in one state; sound in all states.

    The precondition contains the literals that the execution depends on, except those that earlier actions of the block
    brought about. The effect contains the literals that changed, without atoms that conditional effects which do not
    occur here could change.
    """
    changing = changed_predicates(simulator.task.domain)
    needed: dict[Condition, None] = {}
    touched: set[GroundAtom] = set()
    doubtful: set[GroundAtom] = set()
    followed = simulator.follow(state, block)
    if not followed.complete:
        raise InfrastructureError(f"the oracle's block breaks at {followed.failed}")
    for (at, after), step in zip(pairwise(followed.states), followed.steps, strict=True):
        ground = simulator.ground(step.action)
        whens = list(_whens(simulator, step.action))
        decisive = [ground.precondition(), *(condition for condition, _ in whens if _holds(at, condition))]
        for literal in (each for part in decisive for each in _support(simulator, at, negation_normal(part), changing)):
            atom = _atom(literal)
            if atom is not None and atom[0] in changing and atom not in touched:
                needed[literal] = None
        touched.update((*step.added, *step.deleted))
        parts = (part for condition, then in whens if not _holds(at, condition) for part in conjuncts(then))
        absent = {atom for part in parts if (atom := _atom(part)) and isinstance(part, Not) == (atom in after)}
        doubtful = (doubtful - {*step.added, *step.deleted}) | absent
    end = followed.state.atoms
    gained = [Atom(atom[0], atom[1:]) for atom in sorted(end - state.atoms - doubtful)]
    lost = [Not(Atom(atom[0], atom[1:])) for atom in sorted(state.atoms - end - doubtful)]
    return Conditions(And(tuple(needed)), And((*gained, *lost)))


def _whens(simulator: Simulator, action: GroundAction) -> Iterator[tuple[Condition, Effect]]:
    ground = simulator.ground(action)
    queue: list[Effect] = [substitute(ground.schema.node.effect, ground.binding())]
    for effect in queue:
        match effect:
            case And(parts=parts):
                queue += parts
            case Forall(parameters=parameters, body=body):
                queue += _instances(simulator.task, parameters, body)
            case When(condition=condition, effect=then):
                yield condition, then


def _support(
    simulator: Simulator, state: State, condition: Condition, changing: Collection[str]
) -> Iterator[Condition]:
    """Literals true in the state that make a condition in negation normal form true there."""
    match condition:
        case Atom() | Not(Atom()):
            yield condition
        case Forall(parameters, body):
            parts = tuple(_instances(simulator.task, parameters, body))
            yield from _support(simulator, state, And(parts), changing)
        case Exists(parameters, body):
            parts = tuple(_instances(simulator.task, parameters, body))
            yield from _support(simulator, state, Or(parts), changing)
        case And(parts):
            for part in parts:
                yield from _support(simulator, state, part, changing)
        case Or(parts):
            # One true part decides: a static one if there is any.
            supports = [list(_support(simulator, state, part, changing)) for part in parts if _holds(state, part)]
            yield from min(supports, key=lambda each: sum(_predicate(one) in changing for one in each), default=[])


def _instances(task: Task, parameters: Sequence[TypedName], body: Condition) -> Iterator[Condition]:
    names = [item.name for item in parameters]
    for values in product(*(task.objects_of(item.types) for item in parameters)):
        yield substitute(body, dict(zip(names, values, strict=True)))


def _holds(state: State, condition: Condition) -> bool:
    """Whether a condition holds; an undefined one does not."""
    try:
        return holds(condition, state)
    except UndefinedError:
        return False


def _atom(literal: Condition) -> GroundAtom | None:
    body = literal.body if isinstance(literal, Not) else literal
    return GroundAtom((body.predicate, *body.args)) if isinstance(body, Atom) else None


def _predicate(literal: Condition) -> str:
    atom = _atom(literal)
    return "" if atom is None else atom[0]


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────


def wrong_precondition(conditions: Conditions) -> tuple[Conditions, Condition | None]:
    """The conditions with one literal of the precondition negated, and that literal, or None."""
    parts = list(conjuncts(conditions.precondition))
    for place, part in enumerate(parts):
        if isinstance(part, Atom):
            parts[place] = Not(part)
            return replace(conditions, precondition=And(tuple(parts))), parts[place]
    return conditions, None


def impossible_block(simulator: Simulator) -> tuple[GroundAction, ...]:
    """An action that can never be applied, because of static facts."""
    task = simulator.task
    changing = changed_predicates(task.domain)
    for action in islice(_candidates(task), _MOST_TRIED):
        try:
            failing = simulator.step(simulator.initial, action).unmet
        except BadActionError:
            continue
        if any(_predicate(part) not in {"", *changing} for part in failing):
            return (action,)
    return ()


def _candidates(task: Task) -> Iterator[GroundAction]:
    for schema in task.domain.actions:
        for args in product(*(task.objects_of(item.types) for item in schema.parameters)):
            if len(set(args)) == len(args):
                yield GroundAction(schema.name, args)


def mistaken_block(
    mistake: str, simulator: Simulator, start: State, right: Sequence[GroundAction], goal: Condition, *, first: bool
) -> tuple[GroundAction, ...] | None:
    """A block with the mistake, which makes it fail, also after HVR's repair; None if there is no such block.

    It is the `first` if nothing was done before it; later blocks that lack movements may be repaired.
    """
    repair = MovementRepair(simulator)
    repaired = mistake != "missing-navigation" or first
    for wrong in _variants(mistake, right, simulator.task, first):
        followed = simulator.follow(start, repair.repair(wrong, start).actions if repaired else wrong)
        if followed.unmet or unmet(goal, followed.state):
            return wrong
    return None


def _variants(
    mistake: str, right: Sequence[GroundAction], task: Task, first: bool
) -> Iterator[tuple[GroundAction, ...]]:
    moving = frozenset(each.schema.name for each in movements(task.domain))
    if mistake == "missing-navigation":
        runs = [list(places) for _, places in groupby(range(len(right)), lambda place: right[place].name in moving)]
        for places in sorted(runs, key=len, reverse=True):
            if right[places[0]].name in moving:
                still = (*right[: places[0]], *right[places[-1] + 1 :])
                yield from _without_an_action(still, moving) if first else (still,)
    elif mistake == "missing-step":
        yield from _without_an_action(right, moving)
    elif mistake == "wrong-order":
        fixed = [place for place, action in enumerate(right) if action.name not in moving]
        for one, other in sorted(combinations(fixed, 2), key=lambda pair: pair[1] - pair[0]):
            swapped = list(right)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            yield tuple(swapped)


def _without_an_action(block: Sequence[GroundAction], moving: Collection[str]) -> Iterator[tuple[GroundAction, ...]]:
    for place, action in enumerate(block):
        if action.name not in moving:
            yield (*block[:place], *block[place + 1 :])
