"""Plans of subtasks that are impossible although each of their pairs is an edge of the task graph.

A graph forgets all but the last subtask: it accepts a plan that puts down twice what it picked up once. The automaton
remembers what is true of a few predicates, what is held and which doors are shut, and takes the preconditions and
effects of the actions as far as these are concerned. Its states are therefore an abstraction of the domain's (a
projection, Edelkamp 2001): if each name in a plan stands for one object, it never refuses a plan that can be carried
out from the state that it begins with. Without a task this is one in which only the known atoms of the closed
predicates are true.

One mistake is one fault: a plan is not blamed for what follows from its first mistake. Behind an impossible step the
plan may go on as if the step had been possible, had been left out, or had left what was true before. Behind a misspelt
step nothing is known but the effects of later steps. If every action makes as many atoms of closed predicates true as
it makes false, as a hand does that is empty or holds one thing, all are known again once their number is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from pddl2nl.errors import UnsupportedError, did_you_mean
from pddl2nl.macros.macro import MacroStep
from pddl2nl.nl import Wording
from pddl2nl.nl.telling.phrases import Phrases, Scope
from pddl2nl.pddl import (
    ActionSchema,
    Atom,
    Condition,
    Domain,
    GroundAtom,
    Not,
    Task,
    conjuncts,
    supertypes,
    write_condition,
)
from pddl2nl.systems.taskgraph.graph import AUTOMATON, TaskGraph
from pddl2nl.systems.taskgraph.replies import SubtaskReply
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtask, Subtasks, SubtaskWay, subtask_text
from pddlval import State

_MOST_STATES = 64
"""The most states that are remembered at once; a plan has few, because ways differ in doors alone."""


@dataclass(frozen=True)
class PlanFault:
    """What is wrong with a step of a plan: its place, from 0, the kind of fault, and the reason in words."""

    place: int
    kind: Literal["unknown-subtask", "wrong-targets", "impossible", "no-edge"]
    text: str


@dataclass(frozen=True)
class _Known:
    """What is known at a step.

    All `true` atoms of closed predicates; None after a mistake, when they are known only as open ones are: what was
    `seen` of them, beside the state of the beginning, as long as this still tells what was not changed (`begun`). The
    classes whose things were made are None after a mistake, when any may be.
    """

    true: frozenset[GroundAtom] | None
    seen: frozenset[tuple[GroundAtom, bool]] = frozenset()
    made: frozenset[str] | None = frozenset()
    begun: bool = True


_LOST = _Known(None, made=None, begun=False)


class TaskAutomaton:
    """Checks plans of subtasks; `tell` puts a condition in words, whose terms are the names in the plan.

    Plans begin with states of the task; without one with the known atoms alone.
    """

    def __init__(
        self, subtasks: Subtasks, tell: Callable[[Condition], str] = write_condition, task: Task | None = None
    ):
        self._subtasks = subtasks
        self._tell = tell
        self._hierarchy = supertypes(subtasks.domain)
        self._task = task
        self._state: State | None = None
        self._count = 0
        self._keeps_count = all(map(self._is_balanced, subtasks.domain.actions))
        objects: dict[str, tuple[str, ...]] = {}
        if task is not None:
            own = subtasks.names_objects
            objects = {name: (name,) if own else task.objects_of((kind,)) for name, kind in subtasks.classes.items()}
        # A class with one object is this object.
        self._only = {names[0]: name for name, names in objects.items() if len(names) == 1}
        self._objects = {self._only.get(each, each): each for names in objects.values() for each in names}

    def faults(
        self,
        plan: Sequence[Sequence[str]],
        state: State | None = None,
        graph: TaskGraph | None = None,
        previous: str = "",
    ) -> tuple[PlanFault, ...]:
        """All faults of a plan that begins in a state of the task, with its pairs that are no edges of a graph.

        `previous` is the subtask before the plan, if it counts.
        """
        self._state = state
        begin = self._begin(state)
        self._count = len(begin.true or ())
        states = {begin}
        faults: list[PlanFault] = []
        for place, (name, *targets) in enumerate(plan):
            node = self._subtasks.by_name.get(name)
            if node is None:
                text = f"there is no subtask {name}{did_you_mean(name, self._subtasks.by_name)}"
                faults.append(PlanFault(place, "unknown-subtask", text))
                states = {_LOST}
                continue
            wrong = [*self._wrong_targets(node, targets)]
            if wrong:
                faults += [PlanFault(place, "wrong-targets", text) for text in wrong]
                states = {_LOST}
                continue
            after = {new for state in states for new in self._after(state, node, targets)}
            if not after:
                faults.append(PlanFault(place, "impossible", self._reason(node, targets, states)))
                after = self._behind(states, node, targets)
            states = {*sorted(after, key=repr)[:_MOST_STATES]}
        faults += () if graph is None else self._pairs(plan, graph, previous)
        return tuple(sorted(faults, key=lambda fault: fault.place))

    def _pairs(self, plan: Sequence[Sequence[str]], graph: TaskGraph, previous: str) -> Iterator[PlanFault]:
        """The nodes that a graph does not have, and the pairs that are no edges."""
        nodes = {node.name for node in graph.nodes}
        for place, (before, name) in enumerate(pairwise((previous, *(step[0] for step in plan)))):
            if name in self._subtasks.by_name and name not in nodes:
                yield PlanFault(place, "no-edge", f"the graph '{graph.name}' has no node {name}")
            elif {before, name} <= nodes and (before, name) not in graph.edges:
                may = ", ".join(graph.after(before)) or "nothing"
                text = f"{name} may not follow {before} in the graph '{graph.name}'; what may: {may}"
                yield PlanFault(place, "no-edge", text)

    def _begin(self, state: State | None) -> _Known:
        """What is known in a state: all that is true of closed predicates, and what was made."""
        if state is None or self._task is None:
            return _Known(self._subtasks.known)
        class_of = self._subtasks.class_of
        true = (atom for atom in state.atoms if atom[0] in self._subtasks.closed)
        # Things that are not made yet have no place, and nothing else that changes.
        named = {class_of(name) for atom in state.changing() for name in atom[1:]} if self._subtasks.products else set()
        return _Known(
            frozenset(GroundAtom((atom[0], *map(class_of, atom[1:]))) for atom in true),
            made=frozenset(named & self._subtasks.products.keys()),
        )

    def _wrong_targets(self, node: Subtask, targets: Sequence[str]) -> Iterator[str]:
        if len(targets) != len(node.targets):
            yield f"{node} names {len(node.targets)} targets, and {len(targets)} are given"
            return
        for target, given in zip(node.targets, targets, strict=True):
            kinds = [item.types for way in node.ways for item in way.parameters if item.name == target.variable]
            kind = self._type(given)
            if kind is None:
                yield f"there is no {given}{did_you_mean(given, self._subtasks.classes)}"
            elif not any(self._hierarchy.meets((kind,), own) and self._hierarchy.fits((kind,), own) for own in kinds):
                yield f"{given} cannot be the {target.role} of {node.name}"

    def _type(self, name: str) -> str | None:
        return self._subtasks.classes.get(self._subtasks.class_of(name))

    # ── one step ─────────────────────────────────────────────────────────────────────────────────

    def _after(self, known: _Known, node: Subtask, targets: Sequence[str]) -> set[_Known]:
        """What is known after a step, for each way in which it is possible."""
        given = {target.variable: name for target, name in zip(node.targets, targets, strict=True)}
        states = set()
        if not self._missing(known, node, given):
            for way in node.ways:
                if all(self._fits(given[item.name], item.types) for item in way.parameters if item.name in given):
                    states |= {state for state, _ in self._run(known, way.steps, given, way)}
        step = [node.name, *map(self._subtasks.class_of, given.values())]
        made = {name for name, how in self._subtasks.products.items() if [*how] == step}
        return {
            self._settled(state if state.made is None else replace(state, made=state.made | made)) for state in states
        }

    def _behind(self, states: Collection[_Known], node: Subtask, targets: Sequence[str]) -> set[_Known]:
        """What may be known after a step that is not possible."""
        given = {target.variable: name for target, name in zip(node.targets, targets, strict=True)}
        found = {*states}
        for done in (known for way in node.ways for known, _ in self._run(_LOST, way.steps, given, way)):
            settled = self._settled(done)
            gone = {atom for atom, positive in done.seen if not positive}
            changed = {atom for atom, _ in settled.seen}
            for known in states:
                kept = frozenset(each for each in known.seen if each[0] not in changed)
                after = replace(settled, seen=settled.seen | kept, begun=known.begun)
                found.add(after)
                if after.true is not None and known.true is not None:
                    found.add(replace(after, true=after.true | (known.true - gone)))
        return found

    def _settled(self, known: _Known) -> _Known:
        """With all atoms of closed predicates, if those that are known to be true are as many as at the beginning."""
        if known.true is not None or not self._keeps_count:
            return known
        closed = {(atom, positive) for atom, positive in known.seen if atom[0] in self._subtasks.closed}
        true = frozenset(atom for atom, positive in closed if positive)
        return replace(known, true=true, seen=known.seen - closed) if len(true) == self._count else known

    def _missing(self, known: _Known, node: Subtask, given: Mapping[str, str]) -> str:
        """A class among the targets whose things were not made yet."""
        products = self._subtasks.products
        classes = map(self._subtasks.class_of, given.values())
        return next(
            (name for name in classes if name in products and not (known.made is None or name in known.made)), ""
        )

    def _fits(self, name: str, types: tuple[str, ...]) -> bool:
        kind = self._type(name)
        return kind is not None and self._hierarchy.fits((kind,), types)

    def _run(
        self, known: _Known, steps: Sequence[MacroStep], given: Mapping[str, str], way: SubtaskWay
    ) -> Iterator[tuple[_Known, Mapping[str, str]]]:
        """What is known after some steps, with what their variables stand for."""
        if not steps:
            yield known, given
            return
        schema = self._subtasks.domain.schema(steps[0].action)
        terms = schema.binding(steps[0].args)
        needs = [part for part in map(_literal, conjuncts(schema.precondition)) if part is not None]
        for sure, bound in self._satisfied(known, needs, terms, given, way):
            after = self._changed(sure, list(conjuncts(schema.effect)), terms, bound)
            yield from self._run(after, steps[1:], bound, way)

    def _satisfied(
        self,
        known: _Known,
        needs: Sequence[tuple[Atom, bool]],
        terms: Mapping[str, str],
        given: Mapping[str, str],
        way: SubtaskWay,
    ) -> Iterator[tuple[_Known, Mapping[str, str]]]:
        """What is known, and what variables stand for, if the needs hold."""
        if not needs:
            yield known, given
            return
        (atom, positive), *rest = needs
        ground = self._ground(atom, terms, given)
        args = ground[1:]
        free = [arg for arg in args if arg.startswith("?")]
        true = known.true if atom.predicate in self._subtasks.closed else None
        if true is not None and positive and free:
            types = {item.name: item.types for item in way.parameters}
            for each in true:
                bound = dict(given)
                same = len(each) == len(ground) and each[0] == ground[0]
                for arg, name in zip(args, each[1:], strict=False):
                    fits = self._fits(name, types[arg]) if arg in free else arg == name
                    same = same and fits and bound.setdefault(arg, name) == name
                if same:
                    yield from self._satisfied(known, rest, terms, bound, way)
        elif free or not self._tracks(atom.predicate):
            yield from self._satisfied(known, rest, terms, given, way)
        elif true is not None:
            if (ground in true) is positive:
                yield from self._satisfied(known, rest, terms, given, way)
        elif self._value(known, ground) is not (not positive):
            sure = replace(known, seen=known.seen | {(ground, positive)})
            yield from self._satisfied(sure, rest, terms, given, way)

    def _tracks(self, predicate: str) -> bool:
        return predicate in self._subtasks.closed or predicate in self._subtasks.opened

    def _value(self, known: _Known, ground: GroundAtom) -> bool | None:
        """Whether an atom that is known as those of open predicates is true; None if it is not known."""
        for value in (True, False):
            if (ground, value) in known.seen:
                return value
        if not known.begun or self._state is None or not self._objects.keys() >= {*ground[1:]}:
            return None
        return GroundAtom((ground[0], *(self._objects[name] for name in ground[1:]))) in self._state.atoms

    def _changed(
        self, known: _Known, effects: Sequence[Condition], terms: Mapping[str, str], given: Mapping[str, str]
    ) -> _Known:
        """What is known after the unconditional effects of an action."""
        true, seen = None if known.true is None else {*known.true}, {*known.seen}
        literals = [part for part in map(_literal, effects) if part is not None]
        # Added wins over deleted, as in PDDL.
        for atom, positive in sorted(literals, key=lambda each: each[1]):
            ground = self._ground(atom, terms, given)
            if any(arg.startswith("?") for arg in ground[1:]) or not self._tracks(atom.predicate):
                continue
            if atom.predicate in self._subtasks.closed and true is not None:
                true.add(ground) if positive else true.discard(ground)
            else:
                seen.discard((ground, not positive))
                seen.add((ground, positive))
        return replace(known, true=None if true is None else frozenset(true), seen=frozenset(seen))

    def _is_balanced(self, action: ActionSchema) -> bool:
        """Whether an action keeps the number of true atoms of closed predicates: it deletes what it needs, and adds
        as many."""
        closed = self._subtasks.closed
        changed = [part for part in map(_literal, conjuncts(action.effect)) if part and part[0].predicate in closed]
        needed = {part[0] for part in map(_literal, conjuncts(action.precondition)) if part and part[1]}
        deleted = [atom for atom, positive in changed if not positive]
        return {*deleted} <= needed and 2 * len(deleted) == len(changed)

    def _ground(self, atom: Atom, terms: Mapping[str, str], given: Mapping[str, str]) -> GroundAtom:
        """The atom with what its variables stand for: of closed predicates classes, of open ones names as they are."""
        args = [given.get(terms.get(term, term), terms.get(term, term)) for term in atom.args]
        closed = atom.predicate in self._subtasks.closed
        return GroundAtom(
            (atom.predicate, *(self._subtasks.class_of(arg) if closed else self._only.get(arg, arg) for arg in args))
        )

    # ── reasons ──────────────────────────────────────────────────────────────────────────────────

    def _reason(self, node: Subtask, targets: Sequence[str], states: Collection[_Known]) -> str:
        # The last of `_behind` may contradict itself.
        known = min(states, key=lambda state: (len(state.true or ()), repr(state)))
        given = {target.variable: name for target, name in zip(node.targets, targets, strict=True)}
        step = f"{node.name}({', '.join(targets)})"
        missing = self._missing(known, node, given)
        if missing:
            made = self._subtasks.products[missing]
            return f"{step} needs {missing}, which {made[0]}({', '.join(made[1:])}) makes"
        needs = [need for way in node.ways for need in self._unmet(known, way, given)]
        told = " or ".join(dict.fromkeys(map(self._tell, needs)))
        seen = {atom for atom, positive in known.seen if positive and atom[0] in self._subtasks.closed}
        true = sorted(seen if known.true is None else known.true)
        holds = " and ".join(self._tell(Atom(atom[0], atom[1:])) for atom in true)
        return f"{step} is not possible there: it needs that {told}{f', but {holds}' if holds else ''}"

    def _unmet(self, known: _Known, way: SubtaskWay, given: Mapping[str, str]) -> Iterator[Condition]:
        """The first condition of a way that fails."""
        if not all(self._fits(given[item.name], item.types) for item in way.parameters if item.name in given):
            return
        types = {item.name: item.types[0] for item in way.parameters}
        for count in range(1, len(way.steps) + 1):
            if not any(self._run(known, way.steps[:count], given, way)):
                before = next(self._run(known, way.steps[: count - 1], given, way))
                schema = self._subtasks.domain.schema(way.steps[count - 1].action)
                terms = schema.binding(way.steps[count - 1].args)
                state, bound = before
                for literal in filter(None, map(_literal, conjuncts(schema.precondition))):
                    if not any(self._satisfied(state, [literal], terms, bound, way)):
                        yield self._named(literal, terms, bound, types)
                return

    def _named(
        self, literal: tuple[Atom, bool], terms: Mapping[str, str], bound: Mapping[str, str], types: Mapping[str, str]
    ) -> Condition:
        args = (bound.get(terms.get(term, term), terms.get(term, term)) for term in literal[0].args)
        atom = Atom(literal[0].predicate, tuple(types.get(arg, arg) for arg in args))
        return atom if literal[1] else Not(atom)


def _literal(condition: Condition) -> tuple[Atom, bool] | None:
    """A literal's atom and its sign; None for other conditions, which the automaton takes to hold."""
    match condition:
        case Atom():
            return condition, True
        case Not(Atom() as atom):
            return atom, False
    return None


_TRANSITIONS = ("impossible", "no-edge")
"""The faults of a step that could be right elsewhere in the plan."""


@dataclass(frozen=True)
class CheckedSubtasks:
    """A reply with what is wrong with its plan."""

    reply: SubtaskReply
    targets: tuple[str, ...]
    transitions: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """All faults in words, with the number of their steps."""
        return (*self.reply.faults, *self.targets, *self.transitions)


def teller_of(wording: Wording, domain: Domain) -> Callable[[Condition], str]:
    """Conditions in the words of a domain; those that cannot be told are in PDDL."""
    phrases = Phrases(wording, domain)

    def tell(condition: Condition) -> str:
        try:
            return phrases.condition(condition, Scope("a reason", {}))
        except UnsupportedError:
            return write_condition(condition)

    return tell


class PlanChecker:
    """Checks plans against a task graph: by its pairs, or, if it is that of the automaton, by what these cannot see."""

    def __init__(
        self, subtasks: Subtasks, graph: TaskGraph, task: Task, tell: Callable[[Condition], str] = write_condition
    ):
        self._subtasks = subtasks
        self._graph = graph
        self._exact = graph.name == AUTOMATON
        self._automaton = TaskAutomaton(subtasks, tell, task)

    def check(self, plan: Sequence[PlannedSubtask], state: State, previous: str = "") -> tuple[PlanFault, ...]:
        """What is wrong with a plan that begins in an observed state.

        `previous` is the subtask that was done before; empty at the beginning and after an error, which may leave one
        half done.
        """
        if self._exact:
            return self._automaton.faults(plan, state)
        faults = self._automaton.faults(plan, state, self._graph, previous)
        return tuple(fault for fault in faults if fault.kind != "impossible")

    def read(self, reply: SubtaskReply, state: State, previous: str = "") -> CheckedSubtasks:
        """A reply whose plan begins in a state."""
        faults = self.check(reply.steps, state, previous)
        told = {
            wrong: tuple(
                _told(fault, reply.steps[fault.place]) for fault in faults if (fault.kind in _TRANSITIONS) is wrong
            )
            for wrong in (False, True)
        }
        return CheckedSubtasks(reply, told[False], told[True])

    def after(self, plan: Sequence[PlannedSubtask]) -> tuple[Subtask, ...]:
        """The subtasks that may follow a plan by the graph's pairs; all at its beginning."""
        names = self._graph.after(plan[-1][0]) if plan else self._subtasks.by_name
        return tuple(self._subtasks.by_name[name] for name in names)


def _told(fault: PlanFault, step: PlannedSubtask) -> str:
    words = subtask_text(step)
    named = f"step {fault.place + 1}" if fault.text.startswith(words) else f"step {fault.place + 1}, {words}"
    return f"{named}: {fault.text}"
