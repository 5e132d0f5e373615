"""The canonical form of a problem: the same for two problems exactly where renaming objects turns one into the other.

Colour refinement with individualisation, as in the programs for graph isomorphism (McKay and Piperno, *Practical graph
isomorphism, II*, 2014), on the facts themselves instead of a graph: objects begin with the colours of their types, and
facts of the initial state and of the goal split the colours until no more is told apart. Where objects of one colour
remain, each of them in turn is given a colour of its own; the smallest text found is the form. Two things keep that
short: objects that may be swapped and nothing is changed are numbered at once, and an automorphism that was found
spares what is the image of something already seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import Atom, Condition, Not, Problem, Task, conjuncts

__all__ = ["canonical_form", "isomorphic"]

_Colours = tuple[int, ...]
_Signature = tuple[int, tuple[tuple[int, int, tuple[int, ...]], ...]]
_Text = tuple[tuple[int, ...], ...]


def canonical_form(task: Task) -> str:
    """The problem's text under names that depend on its shape alone.

    Two tasks of one domain have the same form exactly where a renaming of objects makes their problems equal: the
    same objects by type, the same initial state, the same goal. The domain's constants keep their names, and the
    problem's own name and the order of its lines are nothing.

    Raises:
        UnsupportedError: a problem beyond facts: a goal that is no conjunction of literals, timed facts, constraints,
            a metric.
    """
    structure = _structure(task)
    order = _Canon(structure).order()
    return structure.text(order)


def isomorphic(one: Task, other: Task) -> bool:
    """Whether the problems of two tasks of one domain are the same but for the names of objects.

    Raises:
        UnsupportedError: see `canonical_form`.
    """
    return canonical_form(one) == canonical_form(other)


# ── a problem as numbered facts ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Structure:
    """Objects 0, 1, …, each with a colour that its name does not decide, and facts about them.

    ``kinds`` says what each colour of ``colours`` is, ``labels`` what each first number of a fact is.
    """

    colours: _Colours
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    facts: frozenset[tuple[int, ...]]
    about: tuple[tuple[tuple[int, ...], ...], ...] = field(repr=False)
    """For every object the facts that name it, one of them as often as it does."""

    def renamed(self, numbers: Sequence[int]) -> _Text:
        """The facts, sorted, with other numbers for the objects."""
        return tuple(sorted((fact[0], *(numbers[each] for each in fact[1:])) for fact in self.facts))

    def text(self, numbers: Sequence[int]) -> str:
        kinds = sorted((numbers[each], self.kinds[colour]) for each, colour in enumerate(self.colours))
        objects = [f"{number}: {kind}" for number, kind in kinds]
        facts = [f"{self.labels[fact[0]]} {' '.join(map(str, fact[1:]))}".strip() for fact in self.renamed(numbers)]
        return "\n".join([*objects, *facts])


def _structure(task: Task) -> _Structure:
    names = {name: number for number, name in enumerate(task.objects)}
    constants = {constant.name for constant in task.domain.constants}
    kind_of = [
        f"constant {name}" if name in constants else " ".join(sorted(item.types)) for name, item in task.objects.items()
    ]
    kinds = sorted(set(kind_of))
    said = sorted(set(_facts(task.problem)))
    labels = sorted({label for label, _ in said})
    facts = [(labels.index(label), *(names[name] for name in args)) for label, args in said]
    about: list[list[tuple[int, ...]]] = [[] for _ in names]
    for fact in facts:
        for each in fact[1:]:
            about[each].append(fact)
    return _Structure(
        colours=tuple(kinds.index(kind) for kind in kind_of),
        kinds=tuple(kinds),
        labels=tuple(labels),
        facts=frozenset(facts),
        about=tuple(tuple(each) for each in about),
    )


def _facts(problem: Problem) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the problem says, as labels with the objects that they are said of."""
    if problem.init_timed or problem.constraints is not None or problem.metric is not None:
        raise UnsupportedError(f"problem '{problem.name}' has timed facts, constraints or a metric: no canonical form")
    for atom in problem.init:
        yield f"init {atom.predicate}", atom.args
    for value in problem.init_values:
        if isinstance(value.value, str):
            yield f"init = {value.fluent.predicate}", (*value.fluent.args, value.value)
        else:
            yield f"init {value.value} = {value.fluent.predicate}", value.fluent.args
    for part in conjuncts(problem.goal):
        yield _goal(part, problem.name)


def _goal(part: Condition, name: str) -> tuple[str, tuple[str, ...]]:
    if isinstance(part, Atom):
        return f"goal {part.predicate}", part.args
    if isinstance(part, Not) and isinstance(part.body, Atom):
        return f"goal not {part.body.predicate}", part.body.args
    raise UnsupportedError(f"the goal of problem '{name}' is no conjunction of literals: no canonical form")


# ── the search for the smallest text ─────────────────────────────────────────────────────────────


class _Canon:
    """The search through the ways to give objects that look alike numbers of their own."""

    def __init__(self, structure: _Structure):
        self._structure = structure
        self._traces: list[tuple[_Signature, ...]] = []
        self._best: tuple[_Text, _Colours, tuple[int, ...]] | None = None
        self._automorphisms: list[tuple[int, ...]] = []

    def order(self) -> _Colours:
        """The number of every object in the canonical form."""
        colours, _ = self._refine(self._structure.colours)
        self._visit(colours, ())
        assert self._best is not None
        return self._best[1]

    def _visit(self, colours: _Colours, path: tuple[int, ...]) -> int:
        """Goes through everything below a node; gives the depth of the node where the search goes on."""
        cell = _smallest_cell(colours)
        if not cell:
            return self._leaf(colours, path)
        depth = len(path)
        seen: list[int] = []
        for first, *twins in self._twins(cell):
            if seen and self._image_of_seen(first, seen, path):
                continue
            seen.append(first)
            # Swapping them changes nothing, so in whatever order they are numbered, all come to the same.
            alike = [first, *twins] if len(twins) + 1 == len(cell) else [first]
            child, trace = self._refine(_individualised(colours, alike))
            if not self._tied(trace, depth):
                continue
            back = self._visit(child, (*path, first))
            if back < depth:
                return back
        return depth

    def _tied(self, trace: tuple[_Signature, ...], depth: int) -> bool:
        """Whether a node may still lead to the smallest text: nodes are compared by what refinement saw."""
        if len(self._traces) > depth:
            if trace > self._traces[depth]:
                return False
            if trace < self._traces[depth]:
                del self._traces[depth:]
                self._best = None
        if len(self._traces) == depth:
            self._traces.append(trace)
        return True

    def _leaf(self, numbers: _Colours, path: tuple[int, ...]) -> int:
        text = self._structure.renamed(numbers)
        if self._best is None or text < self._best[0]:
            self._best = (text, numbers, path)
        elif text == self._best[0]:
            back = {number: each for each, number in enumerate(numbers)}
            self._automorphisms.append(tuple(back[number] for number in self._best[1]))
            # What hangs on the branch that brought us here is the image of what hung on the best one's.
            return next(depth for depth, pair in enumerate(zip(path, self._best[2], strict=True)) if pair[0] != pair[1])
        return len(path)

    def _image_of_seen(self, each: int, seen: list[int], path: tuple[int, ...]) -> bool:
        """Whether known automorphisms that leave the path alone turn an object already tried into this one."""
        fitting = [move for move in self._automorphisms if all(move[fixed] == fixed for fixed in path)]
        reached, frontier = set(seen), list(seen)
        while frontier:
            now = frontier.pop()
            for move in fitting:
                if move[now] not in reached:
                    reached.add(move[now])
                    frontier.append(move[now])
        return each in reached

    def _twins(self, cell: list[int]) -> list[list[int]]:
        """The objects of a cell in groups of those that may be swapped with each other."""
        groups: list[list[int]] = []
        for each in cell:
            for group in groups:
                if self._swappable(group[0], each):
                    group.append(each)
                    break
            else:
                groups.append([each])
        return groups

    def _swappable(self, one: int, other: int) -> bool:
        swap = {one: other, other: one}
        return all(
            (fact[0], *(swap.get(each, each) for each in fact[1:])) in self._structure.facts
            for number in (one, other)
            for fact in self._structure.about[number]
        )

    def _refine(self, colours: _Colours) -> tuple[_Colours, tuple[_Signature, ...]]:
        """The coarsest finer colouring in which objects of one colour stand in the same facts, colour for colour.

        New colours keep the order of the old ones. With it goes what was seen, sorted: equal for isomorphic nodes.
        """
        about, count = self._structure.about, len(set(colours))
        while True:
            signatures = [
                (
                    colours[each],
                    tuple(
                        sorted((fact[0], fact.index(each, 1), tuple(colours[it] for it in fact[1:])) for fact in facts)
                    ),
                )
                for each, facts in enumerate(about)
            ]
            ordered = sorted(set(signatures))
            number = {signature: place for place, signature in enumerate(ordered)}
            colours = tuple(number[signature] for signature in signatures)
            if len(ordered) == count:
                return colours, tuple(sorted(signatures))
            count = len(ordered)


def _smallest_cell(colours: _Colours) -> list[int]:
    """The objects of the colour that the fewest share, single ones apart, the first of such colours."""
    cells: dict[int, list[int]] = {}
    for each, colour in enumerate(colours):
        cells.setdefault(colour, []).append(each)
    shared = [(len(cell), colour) for colour, cell in cells.items() if len(cell) > 1]
    return cells[min(shared)[1]] if shared else []


def _individualised(colours: _Colours, chosen: list[int]) -> _Colours:
    """Every chosen object with a colour of its own, just before the colour that they have."""
    found = [colour * (len(colours) + 1) for colour in colours]
    for place, each in enumerate(chosen):
        found[each] -= len(chosen) - place
    return tuple(found)
