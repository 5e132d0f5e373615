"""The world as a prompt tells it: read from the text, and planned in by the oracle.

A line of ``Objects`` names an object with its class and facts about it. A fact can also name an object without a line
of its own, one that was not retrieved; its type follows from its name or from the predicate.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.baselines.told_task import NoToldPlanError, ToldTaskError
from pddl2nl.errors import InfrastructureError
from pddl2nl.macros.macro import Conditions
from pddl2nl.nl import Names, Reader, Teller, Wording
from pddl2nl.nl.reading.told import FactReader
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Domain,
    Effect,
    Exists,
    FluentValue,
    Forall,
    GroundAtom,
    Not,
    Or,
    Problem,
    Task,
    TypedName,
    When,
    changed_predicates,
    conjuncts,
    is_variable,
    substitute,
    supertypes,
    write_domain,
    write_problem,
)
from pddl2nl.systems.hvr.prompts import LAYOUT
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import atoms_in, negation_normal, opposite
from pddlval.numeric import UndefinedError
from pddlval.semantics import holds

_OPTIMAL_SECONDS = 20
"""The time limit for a shortest plan of a block; after that any plan will do."""

_OBJECT = re.compile(r"(\S+)(?: \(([^()]*)\))?(?:: (.*))?")
_WORD = re.compile(r"[\w-]+")
_NUMBERED_NAME = re.compile(r"(.*?)[-_]?\d+")
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+(.*\S)\s*")


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class PromptContent:
    """What a prompt tells about the world.

    Attributes:
        objects: by their names in the prompt, with their types; those that only a fact names come last.
        listed: the names of those that have a line of their own.
        atoms: the facts.
        values: the values of numeric fluents.
        sections: the prompt's sections.
    """

    objects: Mapping[str, TypedName]
    listed: tuple[str, ...]
    atoms: tuple[GroundAtom, ...] = ()
    values: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def section(self, name: str) -> str:
        """The text of a section; empty if the prompt does not have it."""
        return self.sections.get(name, "")


def item_lines(text: str) -> list[str]:
    """The items of a list, without dashes or numbers."""
    return [match[1] for line in text.split("\n") if (match := _ITEM.fullmatch(line)) is not None]


class PromptReader:
    """Reads prompts about tasks of one domain in one wording."""

    def __init__(self, domain: Domain, wording: Wording):
        self._facts = FactReader(domain, wording)
        above = supertypes(domain)
        self._types = {_folded(name): name for name in (*above, "object")}
        self._general_first = sorted(above, key=lambda name: (len(above.get(name, ())), name))
        self._constants = {item.name: item for item in domain.constants}
        unary = (item.name for item in domain.predicates if len(item.parameters) == 1)
        self._lasting = {_folded(name): name for name in unary if name not in changed_predicates(domain)}

    def read(self, question: str) -> PromptContent:
        """What the last message of a prompt tells.

        Raises:
            ToldTaskError: no objects, or a fact that cannot be read.
        """
        sections = LAYOUT.read(question)
        lines = [*item_lines(sections.get("Available objects", "")), *item_lines(sections.get("Objects", ""))]
        objects: dict[str, TypedName] = {}
        sentences: list[str] = []
        atoms: dict[GroundAtom, None] = {}
        for line in filter(None, map(_OBJECT.fullmatch, lines)):
            kind, _, properties = (line[2] or "").partition(";")
            if kind:
                objects[line[1]] = TypedName(line[1], (self._types.get(_folded(kind), "object"),))
            lasting = (self._lasting.get(_folded(word)) for word in properties.split(","))
            atoms |= {GroundAtom((predicate, line[1])): None for predicate in lasting if predicate}
            sentences += [text for text in map(str.strip, (line[3] or "").split("; ")) if text]
        scope = {**self._constants, **objects}
        for word in (word for sentence in sentences for word in _WORD.findall(sentence)):
            # Words that are no listed objects but a type's name with a number.
            match = _NUMBERED_NAME.fullmatch(word)
            kind = self._types.get(_folded(match[1]), "") if match else ""
            if kind and word not in scope:
                scope[word] = TypedName(word, (kind,))
        values: dict[GroundAtom, Fraction] = {}
        for sentence in sentences:
            self._take(sentence, scope, atoms, values)
        used = {name for atom in (*atoms, *values) for name in atom[1:]} | objects.keys()
        own = {name: item for name, item in scope.items() if name in used and name not in self._constants}
        return PromptContent(own, tuple(objects), tuple(atoms), values, sections)

    def _take(
        self,
        sentence: str,
        scope: dict[str, TypedName],
        atoms: dict[GroundAtom, None],
        values: dict[GroundAtom, Fraction],
    ) -> None:
        """Adds what a sentence says; objects that it names are added to the scope."""
        literals = self._facts.facts(sentence, scope)
        if len(literals) == 1:
            if isinstance(literals[0], Atom):
                atoms[GroundAtom((literals[0].predicate, *literals[0].args))] = None
            return
        numeric = self._facts.value(sentence, scope) if sentence[-1].isdigit() else []
        if len(numeric) == 1:
            fluent, value = numeric[0]
            values[GroundAtom((fluent.name, *fluent.args))] = value
            return
        if literals or numeric:
            raise ToldTaskError(f"'{sentence}' can be read in two ways")
        for word in dict.fromkeys(_WORD.findall(sentence)):
            for kind in () if word in scope else self._general_first:
                item = TypedName(word, (kind,))
                facts = self._facts.facts(sentence, {**scope, word: item})
                if len(facts) == 1 and isinstance(facts[0], Atom):
                    scope[word] = item
                    atoms[GroundAtom((facts[0].predicate, *facts[0].args))] = None
                    return
        raise ToldTaskError(f"'{sentence}' is no sentence of the wording")


def _folded(name: str) -> str:
    """A type's name for comparison: ``stove-burner`` and ``StoveBurner`` are equal."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


# ── the world ────────────────────────────────────────────────────────────────────────────────────


class PromptWorld:
    """The objects and facts of one prompt, under their names in it."""

    def __init__(self, domain: Domain, wording: Wording, seen: PromptContent):
        constants = {item.name for item in domain.constants}
        self._problem = Problem(
            "told",
            domain.name,
            objects=tuple(item for name, item in seen.objects.items() if name not in constants),
            init=seen.atoms,
            init_values=tuple(FluentValue(fluent, value) for fluent, value in seen.values.items()),
        )
        self.task = Task(domain, self._problem)
        names = Names({name: name for name in self.task.objects})
        self.simulator = Simulator(self.task)
        self.teller = Teller(self.task, wording, names)
        self.reader = Reader(self.task, wording, names)
        self._changed = changed_predicates(domain)

    @property
    def initial(self) -> State:
        """The state that the prompt tells."""
        return self.simulator.initial

    def plan(
        self, state: State, goal: Condition, *, shortest: bool, about: Sequence[str] = ()
    ) -> tuple[GroundAction, ...]:
        """A plan from a state.

        Args:
            state: the first state.
            goal: the condition to reach.
            shortest: whether to search for a shortest plan for some seconds first.
            about: the objects that matter; the search first considers only these and related ones, which is fast
                and gives the same plan for prompts that tell more or less.

        Raises:
            ToldTaskError: there is no plan.
            InfrastructureError: the planner failed or reached a limit.
        """
        for name in terms_of(goal):
            if name not in self.task.objects:
                raise ToldTaskError(f"I was not told of {name}")
        if _holds(state, goal):
            return ()
        values = tuple(FluentValue(fluent, value) for fluent, value in sorted(state.values.items()))
        whole = replace(self._problem, init=tuple(sorted(state.atoms)), init_values=values, goal=goal)
        problems = [(whole, shortest)]
        if about:
            # With all objects the search for a shortest plan takes too long, so any plan will do.
            problems = [(_narrowed(whole, {*about, *terms_of(goal)}), shortest), (whole, False)]
        for problem, best in problems:
            plan = _solved(write_domain(self.task.domain), write_problem(problem), best)
            if plan is not None and self.simulator.follow(state, plan).complete:
                return plan
        raise NoToldPlanError("by what I was told, it cannot be done")

    # ── conditions of a block ────────────────────────────────────────────────────────────────────

    def conditions(self, state: State, block: Sequence[GroundAction], *, careful: bool) -> Conditions:
        """The precondition and the effect of a block, by its execution in one state.

        The precondition contains the literals that the execution depends on, except those that earlier actions of
        the block brought about. The effect contains the literals that changed.

        Args:
            state: the state before the block.
            block: its actions, applicable one after the other.
            careful: whether the precondition also excludes other conditional effects, so that the block always has
                the same effect; otherwise the effect omits atoms that such effects could change.
        """
        needed: dict[Condition, None] = {}
        touched: set[GroundAtom] = set()
        doubtful: set[GroundAtom] = set()
        followed = self.simulator.follow(state, block)
        assert followed.complete
        for (at, after), step in zip(pairwise(followed.states), followed.steps, strict=True):
            action = step.action
            needed |= {literal: None for literal in self._read(at, action, careful) if _atom(literal) not in touched}
            touched.update((*step.added, *step.deleted))
            doubtful -= {*step.added}
            if not careful:
                doubtful = self._in_doubt(at, action, after) | (doubtful - {*step.deleted})
        end = followed.state.atoms
        gained = [Atom(atom[0], atom[1:]) for atom in sorted(end - state.atoms - doubtful)]
        lost = [Not(Atom(atom[0], atom[1:])) for atom in sorted(state.atoms - end - doubtful)]
        return Conditions(And(tuple(needed)), And((*gained, *lost)))

    def _in_doubt(self, state: State, action: GroundAction, after: State) -> set[GroundAtom]:
        """The atoms that conditional effects which do not occur here would change."""
        parts = (
            part
            for condition, effect in self._whens(action)
            if not _holds(state, condition)
            for part in conjuncts(effect)
        )
        atoms = ((part, _atom(part)) for part in parts)
        return {atom for part, atom in atoms if atom is not None and isinstance(part, Not) == (atom in after)}

    def _read(self, state: State, action: GroundAction, careful: bool) -> Iterator[Condition]:
        """The changeable literals that an action's execution in a state depends on."""
        decisive = [self.simulator.ground(action).precondition()]
        for condition, _ in self._whens(action):
            occurs = _holds(state, condition)
            if occurs or careful:
                decisive.append(condition if occurs else opposite(condition))
        for condition in decisive:
            for literal in self._support(state, negation_normal(condition)):
                atom = _atom(literal)
                if atom is not None and atom[0] in self._changed:
                    yield literal

    def _whens(self, action: GroundAction) -> Iterator[tuple[Condition, Effect]]:
        """All conditional effects of an action, ground."""
        ground = self.simulator.ground(action)
        queue: list[Effect] = [substitute(ground.schema.node.effect, ground.binding())]
        for effect in queue:
            match effect:
                case And(parts=parts):
                    queue += parts
                case Forall(parameters=parameters, body=body):
                    queue += self._instances(parameters, body)
                case When(condition=condition, effect=then):
                    yield condition, then

    def _support(self, state: State, condition: Condition) -> Iterator[Condition]:
        """Literals true in the state that make a condition in negation normal form true there."""
        match condition:
            case Atom() | Not(Atom()):
                yield condition
            case Forall(parameters, body):
                yield from self._support(state, And(tuple(self._instances(parameters, body))))
            case Exists(parameters, body):
                yield from self._support(state, Or(tuple(self._instances(parameters, body))))
            case And(parts):
                for part in parts:
                    yield from self._support(state, part)
            case Or(parts):
                # One true part decides: a static one if there is any.
                supports = [list(self._support(state, part)) for part in parts if _holds(state, part)]
                yield from min(supports, key=self._weight, default=[])

    def _weight(self, literals: Sequence[Condition]) -> int:
        return sum(atom is not None and atom[0] in self._changed for atom in map(_atom, literals))

    def _instances(self, parameters: Sequence[TypedName], body: Condition) -> Iterator[Condition]:
        names = [item.name for item in parameters]
        for values in product(*(self.task.objects_of(item.types) for item in parameters)):
            yield substitute(body, dict(zip(names, values, strict=True)))


def terms_of(condition: Condition) -> Iterator[str]:
    """The objects in a condition."""
    return (term for atom in atoms_in(condition) for term in atom.args if not is_variable(term))


def _holds(state: State, condition: Condition) -> bool:
    """Whether a condition holds; an undefined one does not."""
    try:
        return holds(condition, state)
    except UndefinedError:
        return False


def _atom(literal: Condition) -> GroundAtom | None:
    body = literal.body if isinstance(literal, Not) else literal
    return GroundAtom((body.predicate, *body.args)) if isinstance(body, Atom) else None


def _narrowed(problem: Problem, about: Collection[str]) -> Problem:
    """The problem restricted to facts about some objects and the objects in them, in alphabetical order."""
    atoms = [atom for atom in problem.init if len(atom) == 1 or any(name in about for name in atom[1:])]
    values = [item for item in problem.init_values if all(name in about for name in item.fluent[1:])]
    kept = {*about, *(name for atom in atoms for name in atom[1:])}
    objects = sorted((item for item in problem.objects if item.name in kept), key=lambda item: item.name)
    return replace(problem, objects=tuple(objects), init=tuple(atoms), init_values=tuple(values))


@lru_cache(maxsize=4096)
def _solved(domain: str, problem: str, shortest: bool) -> tuple[GroundAction, ...] | None:
    """A plan, or None; cached, because many prompts ask for the same block."""
    texts = TaskTexts(domain, problem)
    result = solve(texts, "brfs", time_limit=_OPTIMAL_SECONDS) if shortest else None
    if result is None or result.status not in ("solved", "unsolvable"):
        result = solve(texts, "lama")
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(
            f"the oracle has no plan: {result.planner} ended with {result.status}: {result.message}"
        )
    return result.plan
