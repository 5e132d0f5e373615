"""Plans of subtasks that are impossible although each of their pairs is an edge of the task graph.

A graph forgets all but the last subtask: it accepts a plan that puts down twice what it picked up once. The automaton
remembers what is true of a few predicates, what is held and which doors are shut, and takes the preconditions and
effects of the actions as far as these are concerned. Its states are therefore an abstraction of the domain's (a
projection, Edelkamp 2001): if each name in a plan stands for one object, it never refuses a plan that can be carried
out from a state in which only the known atoms of the closed predicates are true.

A plan names classes of objects, ``("PutObject", "Apple", "Fridge")``, or single ones, ``fridge-1``. A class counts as
one object for open predicates: opening Drawer twice is refused, opening drawer-1 and drawer-2 is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pddl2nl.errors import did_you_mean
from pddl2nl.macros.macro import MacroStep
from pddl2nl.pddl import Atom, Condition, GroundAtom, Not, conjuncts, supertypes, write_condition
from pddl2nl.systems.taskgraph.graph import AUTOMATON, TaskGraph
from pddl2nl.systems.taskgraph.replies import SubtaskReply
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtask, Subtasks, SubtaskWay

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
    """The true atoms of closed predicates, what is known of open ones, and the classes whose things were made."""

    true: frozenset[GroundAtom]
    seen: frozenset[tuple[GroundAtom, bool]] = frozenset()
    made: frozenset[str] = frozenset()


class TaskAutomaton:
    """Checks plans of subtasks.

    Args:
        subtasks: of a domain, with the predicates that are tracked.
        tell: a condition in words, by default in PDDL; its terms are the names in the plan.
    """

    def __init__(
        self,
        subtasks: Subtasks,
        tell: Callable[[Condition], str] = write_condition,
    ):
        self._subtasks = subtasks
        self._tell = tell
        self._hierarchy = supertypes(subtasks.domain)

    def faults(self, plan: Iterable[Sequence[str]]) -> tuple[PlanFault, ...]:
        """All faults of a plan; behind a fault the step counts as done."""
        states = {_Known(self._subtasks.known)}
        faults: list[PlanFault] = []
        for place, (name, *targets) in enumerate(plan):
            node = self._subtasks.by_name.get(name)
            if node is None:
                text = f"there is no subtask {name}{did_you_mean(name, self._subtasks.by_name)}"
                faults.append(PlanFault(place, "unknown-subtask", text))
                continue
            wrong = [*self._wrong_targets(node, targets)]
            if wrong:
                faults += [PlanFault(place, "wrong-targets", text) for text in wrong]
                continue
            after = {new for state in states for new in self._after(state, node, targets)}
            if not after:
                faults.append(PlanFault(place, "impossible", self._reason(node, targets, states)))
                after = {new for state in states for new in self._after(state, node, targets, forced=True)}
            states = {*sorted(after, key=repr)[:_MOST_STATES]}
        return tuple(faults)

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

    def _after(self, known: _Known, node: Subtask, targets: Sequence[str], *, forced: bool = False) -> set[_Known]:
        """What is known after a step, for each way in which it is possible; if it is forced, for all ways."""
        given = {target.variable: name for target, name in zip(node.targets, targets, strict=True)}
        states = set()
        if forced or not self._missing(known, node, given):
            for way in node.ways:
                if all(self._fits(given[item.name], item.types) for item in way.parameters if item.name in given):
                    states |= {state for state, _ in self._run(known, way.steps, given, way, forced)}
        step = [node.name, *map(self._subtasks.class_of, given.values())]
        made = {name for name, how in self._subtasks.products.items() if [*how] == step}
        return {_Known(state.true, state.seen, state.made | made) for state in states}

    def _missing(self, known: _Known, node: Subtask, given: Mapping[str, str]) -> str:
        """A class among the targets whose things were not made yet."""
        products = self._subtasks.products
        classes = map(self._subtasks.class_of, given.values())
        return next((name for name in classes if name in products and name not in known.made), "")

    def _fits(self, name: str, types: tuple[str, ...]) -> bool:
        kind = self._type(name)
        return kind is not None and self._hierarchy.fits((kind,), types)

    def _run(
        self, known: _Known, steps: Sequence[MacroStep], given: Mapping[str, str], way: SubtaskWay, forced: bool
    ) -> Iterator[tuple[_Known, Mapping[str, str]]]:
        """What is known after some steps, with what their variables stand for."""
        if not steps:
            yield known, given
            return
        schema = self._subtasks.domain.action(steps[0].action)
        assert schema is not None, "the steps were checked when the subtasks were read"
        terms = dict(zip((item.name for item in schema.parameters), steps[0].args, strict=True))
        needs = [part for part in map(_literal, conjuncts(schema.precondition)) if part is not None]
        for sure, bound in self._satisfied(known, needs, terms, given, way, forced):
            after = self._changed(sure, list(conjuncts(schema.effect)), terms, bound)
            yield from self._run(after, steps[1:], bound, way, forced)

    def _satisfied(
        self,
        known: _Known,
        needs: Sequence[tuple[Atom, bool]],
        terms: Mapping[str, str],
        given: Mapping[str, str],
        way: SubtaskWay,
        forced: bool,
    ) -> Iterator[tuple[_Known, Mapping[str, str]]]:
        """What is known, and what variables stand for, if the needs hold."""
        if not needs:
            yield known, given
            return
        (atom, positive), *rest = needs
        ground = self._ground(atom, terms, given)
        args = ground[1:]
        free = [arg for arg in args if arg.startswith("?")]
        if atom.predicate in self._subtasks.closed and positive and free:
            types = {item.name: item.types for item in way.parameters}
            for true in known.true:
                bound = dict(given)
                same = len(true) == len(ground) and true[0] == ground[0]
                for arg, name in zip(args, true[1:], strict=False):
                    fits = self._fits(name, types[arg]) if arg in free else arg == name
                    same = same and fits and bound.setdefault(arg, name) == name
                if same:
                    yield from self._satisfied(known, rest, terms, bound, way, forced)
            if forced:
                yield from self._satisfied(known, rest, terms, given, way, forced)
        elif atom.predicate in self._subtasks.closed and not free:
            if forced or (ground in known.true) is positive:
                yield from self._satisfied(known, rest, terms, given, way, forced)
        elif atom.predicate in self._subtasks.opened and not free:
            if forced or (ground, not positive) not in known.seen:
                sure = _Known(known.true, known.seen | {(ground, positive)}, known.made)
                yield from self._satisfied(sure, rest, terms, given, way, forced)
        else:
            yield from self._satisfied(known, rest, terms, given, way, forced)

    def _changed(
        self, known: _Known, effects: Sequence[Condition], terms: Mapping[str, str], given: Mapping[str, str]
    ) -> _Known:
        """What is known after the unconditional effects of an action."""
        true, seen = {*known.true}, {*known.seen}
        literals = [part for part in map(_literal, effects) if part is not None]
        # Added wins over deleted, as in PDDL.
        for atom, positive in sorted(literals, key=lambda each: each[1]):
            ground = self._ground(atom, terms, given)
            if any(arg.startswith("?") for arg in ground[1:]):
                continue
            if atom.predicate in self._subtasks.closed:
                true.add(ground) if positive else true.discard(ground)
            elif atom.predicate in self._subtasks.opened:
                seen.discard((ground, not positive))
                seen.add((ground, positive))
        return _Known(frozenset(true), frozenset(seen), known.made)

    def _ground(self, atom: Atom, terms: Mapping[str, str], given: Mapping[str, str]) -> GroundAtom:
        """The atom with what its variables stand for: of closed predicates classes, of open ones names as they are."""
        args = [given.get(terms.get(term, term), terms.get(term, term)) for term in atom.args]
        closed = atom.predicate in self._subtasks.closed
        return GroundAtom((atom.predicate, *(map(self._subtasks.class_of, args) if closed else args)))

    # ── reasons ──────────────────────────────────────────────────────────────────────────────────

    def _reason(self, node: Subtask, targets: Sequence[str], states: Iterable[_Known]) -> str:
        known = min(states, key=repr)
        given = {target.variable: name for target, name in zip(node.targets, targets, strict=True)}
        step = f"{node.name}({', '.join(targets)})"
        missing = self._missing(known, node, given)
        if missing:
            made = self._subtasks.products[missing]
            return f"{step} needs {missing}, which {made[0]}({', '.join(made[1:])}) makes"
        needs = [need for way in node.ways for need in self._unmet(known, way, given)]
        told = " or ".join(dict.fromkeys(map(self._tell, needs)))
        holds = " and ".join(self._tell(Atom(atom[0], atom[1:])) for atom in sorted(known.true))
        return f"{step} is not possible there: it needs that {told}{f', but {holds}' if holds else ''}"

    def _unmet(self, known: _Known, way: SubtaskWay, given: Mapping[str, str]) -> Iterator[Condition]:
        """The first condition of a way that fails."""
        if not all(self._fits(given[item.name], item.types) for item in way.parameters if item.name in given):
            return
        types = {item.name: item.types[0] for item in way.parameters}
        for count in range(1, len(way.steps) + 1):
            if not any(self._run(known, way.steps[:count], given, way, False)):
                before = next(self._run(known, way.steps[: count - 1], given, way, False))
                schema = self._subtasks.domain.action(way.steps[count - 1].action)
                assert schema is not None, "the steps were checked when the subtasks were read"
                names = (item.name for item in schema.parameters)
                terms = dict(zip(names, way.steps[count - 1].args, strict=True))
                state, bound = before
                for literal in filter(None, map(_literal, conjuncts(schema.precondition))):
                    if not any(self._satisfied(state, [literal], terms, bound, way, False)):
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


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


def plan_faults(
    subtasks: Subtasks,
    graph: TaskGraph | None,
    plan: Sequence[Sequence[str]],
    tell: Callable[[Condition], str] = write_condition,
) -> tuple[PlanFault, ...]:
    """What the automaton refuses in a plan, and its pairs that are no edges of the graph, in the plan's order.

    Args:
        subtasks: of the domain.
        graph: None: the automaton decides alone.
        plan: the subtasks with their targets.
        tell: a condition in words, by default in PDDL.
    """
    faults = [*TaskAutomaton(subtasks, tell).faults(plan)]
    names = [step[0] for step in plan]
    if graph is not None:
        nodes = {node.name for node in graph.nodes}
        for place, name in enumerate(names):
            before = names[place - 1] if place else ""
            if name in subtasks.by_name and name not in nodes:
                faults.append(PlanFault(place, "no-edge", f"the graph '{graph.name}' has no node {name}"))
            elif {before, name} <= nodes and (before, name) not in graph.edges:
                may = ", ".join(graph.after(before)) or "nothing"
                text = f"{name} may not follow {before} in the graph '{graph.name}'; what may: {may}"
                faults.append(PlanFault(place, "no-edge", text))
    return tuple(sorted(faults, key=lambda fault: fault.place))


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


class PlanChecker:
    """Checks plans against a task graph: by its pairs, or, if it is that of the automaton, by what these cannot see.

    Args:
        subtasks: those of the graph.
        graph: which may follow which.
    """

    def __init__(self, subtasks: Subtasks, graph: TaskGraph):
        self._subtasks = subtasks
        self._graph = graph
        self._exact = graph.name == AUTOMATON

    def check(self, plan: Sequence[PlannedSubtask], done: int) -> tuple[PlanFault, ...]:
        """What is wrong with a plan whose first subtasks are done."""
        faults = plan_faults(self._subtasks, None if self._exact else self._graph, plan)
        ignored = "" if self._exact else "impossible"
        return tuple(fault for fault in faults if fault.place >= done and fault.kind != ignored)

    def read(self, reply: SubtaskReply, done: Sequence[PlannedSubtask]) -> CheckedSubtasks:
        """A reply whose plan goes on after what is done."""
        faults = self.check((*done, *reply.steps), len(done))
        told = {
            wrong: tuple(
                f"step {fault.place - len(done) + 1}: {fault.text}"
                for fault in faults
                if (fault.kind in _TRANSITIONS) is wrong
            )
            for wrong in (False, True)
        }
        return CheckedSubtasks(reply, told[False], told[True])

    def after(self, plan: Sequence[PlannedSubtask]) -> tuple[Subtask, ...]:
        """The subtasks that may follow a plan by the graph's pairs; all at its beginning."""
        names = self._graph.after(plan[-1][0]) if plan else self._subtasks.by_name
        return tuple(self._subtasks.by_name[name] for name in names)
