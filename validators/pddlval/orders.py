"""In which order a query binds its variables: a plan of lookups, each followed by the tests that are ready then.

A plan depends on the task and on the rough sizes of the relations alone, never on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from pddl2nl.pddl import is_variable
from pddlval.indices import NOTHING, Index
from pddlval.numeric import UndefinedError
from pddlval.places import Slots
from pddlval.queries import ANYTHING, Bit, Branch, Formula, LiftedTest, Lookup, Pair, Pattern
from pddlval.relations import Relations, StateRelations
from pddlval.state import BIT, BITS, Row, State

__all__ = ["BoundTests", "Domains", "JoinOrder", "JoinPlan", "Step", "Tests", "reduced_domains"]

Domains = Mapping[str, frozenset[str]]
"""The objects that each variable can take."""

_NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Tests:
    """What is tested at one place of a plan, by how it is done; ``variables`` are all that is read."""

    variables: frozenset[str]
    pairs: tuple[Pair, ...]
    lookups: tuple[Lookup, ...]
    bits: tuple[Bit, ...]
    formulas: tuple[Formula, ...]

    @classmethod
    def of(cls, tests: Sequence[LiftedTest]) -> Tests:
        """The tests, sorted by kind."""
        return cls(
            frozenset().union(*(test.variables for test in tests)),
            tuple(test for test in tests if isinstance(test, Pair)),
            tuple(test for test in tests if isinstance(test, Lookup)),
            tuple(test for test in tests if isinstance(test, Bit)),
            tuple(test for test in tests if isinstance(test, Formula)),
        )

    @property
    def formula_variables(self) -> frozenset[str]:
        """What the formulas read."""
        return frozenset().union(*(test.variables for test in self.formulas))


class BoundTests:
    """Tests against one state."""

    __slots__ = ("_bits", "_formulas", "_integers", "_lookups", "_numbers", "_pairs", "_state", "any", "any_formula")

    def __init__(self, tests: Tests, relations: StateRelations):
        self._pairs = [(*test.slots, test.wanted) for test in tests.pairs]
        self._lookups = [(test.pick, test.table, test.wanted) for test in tests.lookups]
        self._bits = [(test.pick, test.wanted) for test in tests.bits]
        self._formulas = [test.test for test in tests.formulas]
        self._state: State = relations.state
        self._numbers: Callable[[Any], int | None] = relations.state.layout.numbers.get
        self._integers = relations.bits
        self.any = bool(self._pairs or self._lookups or self._bits)
        self.any_formula = bool(self._formulas)

    def quick(self, slots: Slots) -> bool:
        """Whether all but the formulas hold."""
        for first, second, wanted in self._pairs:
            if (slots[first] == slots[second]) is not wanted:
                return False
        for pick, table, wanted in self._lookups:
            if (pick(slots) in table) is not wanted:
                return False
        for pick, wanted in self._bits:
            number = self._numbers(pick(slots))
            true = number is not None and self._integers[number // BITS] & BIT[number % BITS] != 0
            if true is not wanted:
                return False
        return True

    def formulas(self, slots: Slots) -> bool:
        """Whether the formulas hold; one that reads an undefined fluent does not."""
        state = self._state
        try:
            for test in self._formulas:
                if not test(slots, state):
                    return False
        except UndefinedError:
            return False
        return True

    def all(self, slots: Slots) -> bool:
        """Whether everything holds."""
        return self.quick(slots) and self.formulas(slots)

    def test(self) -> Callable[[Slots], bool] | None:
        """The fastest way to find out whether everything holds; None where nothing is tested."""
        if self.any_formula:
            return self.all if self.any else self.formulas
        if not self.any:
            return None
        if self._lookups or self._bits or len(self._pairs) > 2 or any(wanted for _, _, wanted in self._pairs):
            return self.quick
        # The most frequent tests by far: two objects, or two pairs of them, must differ.
        (a, b, _), (c, d, _) = self._pairs[0], self._pairs[-1]
        return (
            (lambda slots: slots[a] != slots[b])
            if len(self._pairs) == 1
            else (lambda slots: slots[a] != slots[b] and slots[c] != slots[d])
        )


@dataclass(frozen=True, slots=True)
class Step:
    """Binding one or more variables: a lookup in an index, and the tests that are ready then.

    ``reads`` are the variables bound before that the lookup's key and the tests read.
    """

    index: Index
    key: Callable[[Sequence[str]], Any]
    new: tuple[int, ...]
    tests: Tests
    names: tuple[str, ...]
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """The tests that need no variable, then the steps in order.

    ``contexts`` say for every depth, the one after the last step included, which slots decide what can follow: those
    that the later steps read, and the formulas of the step before.
    """

    before: Tests
    steps: tuple[Step, ...]
    contexts: tuple[Callable[[Sequence[str]], Any], ...]


class JoinOrder:
    """Chooses the order in which a branch's variables are bound.

    Args:
        branch: the query.
        places: the slots of names.
        domains: the objects that each of the schema's parameters can take.
        relations: the task's relations.
        sizes: about how many atoms of each changing predicate of the query are true.
        partial: the derived predicates whose extension may be undefined, and which so are never looked up.
    """

    def __init__(
        self,
        branch: Branch,
        place: Callable[[str], int],
        domains: Domains,
        relations: Relations,
        sizes: Mapping[str, int],
        partial: frozenset[str],
    ):
        self._place = place
        self._domains = domains
        self._relations = relations
        self._sizes = sizes
        self._partial = partial
        self._bound: set[str] = set()
        self._patterns = list(branch.patterns)
        self._tests = list(branch.tests)

    def plan(self) -> JoinPlan:
        """The cheapest next step again and again; parts of the query that share no variable are put in order last."""
        moves = _in_order(self._moves(), self._links())
        self._bound.clear()
        before = self._ready()
        steps = tuple([self._step(move) for move in moves])
        return JoinPlan(before, steps, tuple([self._context(steps, depth) for depth in range(len(steps) + 1)]))

    def _moves(self) -> list[_Move]:
        """Always the next step with the fewest rows expected; ties go to the file's order."""
        moves = []
        left = list(self._patterns)
        while len(self._bound) < len(self._domains):
            left = [pattern for pattern in left if not pattern.variables <= self._bound]
            chosen: Pattern | None = None
            fewest = _NEVER
            for pattern in left:
                rows = self._expected_rows(pattern)
                if rows < fewest:
                    chosen, fewest = pattern, rows
            unbound = [name for name in self._domains if name not in self._bound]
            smallest = min(unbound, key=lambda name: len(self._domains[name]))
            if chosen is None or len(self._domains[smallest]) < fewest:
                chosen, fewest = None, len(self._domains[smallest])
                names = frozenset((smallest,))
            else:
                names = chosen.variables - self._bound
            moves.append(_Move(chosen, names, fewest))
            self._bound.update(names)
        return moves

    def _links(self) -> list[frozenset[str]]:
        """The sets of variables that should be bound one soon after the other, since few choices go together."""
        formulas = [test.variables for test in self._tests if isinstance(test, Formula)]
        return [pattern.variables for pattern in self._patterns] + formulas

    def _ready(self) -> Tests:
        """The tests whose variables are bound; a pattern whose variables are bound becomes one."""
        ready = [test for test in self._tests if test.variables <= self._bound]
        self._tests = [test for test in self._tests if not test.variables <= self._bound]
        done = [pattern for pattern in self._patterns if pattern.variables <= self._bound]
        self._patterns = [pattern for pattern in self._patterns if not pattern.variables <= self._bound]
        return Tests.of([*ready, *(pattern.test for pattern in done if pattern.test is not None)])

    def _expected_rows(self, pattern: Pattern) -> float:
        """How many rows fit a pattern on average: its size by the column among those bound that tells most apart."""
        bound = [(place, term) for place, term in enumerate(pattern.terms) if self._is_bound(term)]
        most = 1.0
        for name in pattern.variables - self._bound:
            most *= len(self._domains[name])
        match pattern.kind:
            case "equality":
                return 0.5 if bound else _NEVER
            case "derived":
                # Looking up costs all that can be derived: better than trying all objects, worse than testing few.
                if bound or pattern.predicate in self._partial:
                    return _NEVER
                return min([len(self._domains[name]) for name in pattern.variables]) / 2
            case "static":
                size = len(self._relations.statics.rows(pattern.predicate))
            case _:
                size = self._sizes[pattern.predicate]
        best = 1
        for place, term in bound:
            if pattern.kind == "static":
                best = max(best, len(self._relations.column(pattern.predicate, place)))
            else:
                best = max(best, min(size, len(self._domains[term]) if is_variable(term) else size))
        return min(size / best, most)

    def _is_bound(self, term: str) -> bool:
        return term != ANYTHING and (not is_variable(term) or term in self._bound)

    def _step(self, move: _Move) -> Step:
        before = frozenset(self._bound)
        if move.pattern is None:
            (name,) = move.names
            fresh: tuple[str, ...] = (name,)
            index, read = self._objects(name), frozenset[str]()
            key: Callable[[Sequence[str]], Any] = _no_key
        else:
            terms = move.pattern.terms
            places = tuple(place for place, term in enumerate(terms) if self._is_bound(term))
            fresh = tuple(term for term in dict.fromkeys(terms) if term in move.names)
            index = self._lookup(move.pattern, places, fresh)
            key = itemgetter(*(self._place(terms[place]) for place in places)) if places else _no_key
            read = frozenset(terms[place] for place in places if is_variable(terms[place]))
            self._patterns.remove(move.pattern)
        self._bound.update(fresh)
        tests = self._ready()
        return Step(index, key, tuple(map(self._place, fresh)), tests, fresh, (read | tests.variables) & before)

    def _context(self, steps: Sequence[Step], depth: int) -> Callable[[Sequence[str]], Any]:
        bound = {name for step in steps[:depth] for name in step.names}
        read: frozenset[str] = frozenset().union(*(step.reads for step in steps[depth:]))
        if depth:
            read |= steps[depth - 1].tests.formula_variables
        slots = sorted(self._place(name) for name in read & bound)
        return itemgetter(*slots) if slots else _no_key

    def _objects(self, name: str) -> Index:
        return self._relations.index("objects", "", (), (0,), (self._domains[name],))

    def _lookup(self, pattern: Pattern, keys: tuple[int, ...], fresh: tuple[str, ...]) -> Index:
        terms = pattern.terms
        domains = tuple(self._domains[name] for name in fresh)
        if pattern.kind == "equality":
            # The objects by their own names: the side that is bound gives the other.
            return self._relations.index("objects", "", (0,), (0,), domains)
        columns = tuple(terms.index(term) for term in fresh)
        same = tuple((terms.index(term), place) for place, term in enumerate(terms) if term in fresh)
        repeats = tuple((first, place) for first, place in same if first != place)
        return self._relations.index(
            pattern.kind, pattern.predicate, keys, columns, domains, repeats, projection=ANYTHING in terms
        )


class _Move(NamedTuple):
    """A step to come: its pattern (None: all objects are tried), what it binds, how many rows are expected."""

    pattern: Pattern | None
    names: frozenset[str]
    rows: float


class _Run(NamedTuple):
    """Moves that stay together: how many bindings come out for one that goes in, and how many are looked at."""

    moves: tuple[_Move, ...]
    solutions: float
    visits: float

    @property
    def rank(self) -> float:
        """What decides which of two independent runs comes first, the lower one."""
        return (self.solutions - 1) / self.visits

    def then(self, other: _Run) -> _Run:
        """Both, one after the other."""
        visits = self.visits + self.solutions * other.visits
        return _Run(self.moves + other.moves, self.solutions * other.solutions, visits)


def _in_order(moves: Sequence[_Move], links: Sequence[frozenset[str]]) -> list[_Move]:
    """The moves, those of parts that have no link with each other in the cheapest order (Ibaraki and Kameda 1984).

    What multiplies most comes last: then the steps after it, which are done once for each of its rows, are few.
    """
    chains: list[tuple[frozenset[str], list[_Move]]] = []
    for move in moves:
        names = move.names.union(*(link for link in links if not link.isdisjoint(move.names)))
        joined = [chain for chain in chains if not chain[0].isdisjoint(names)]
        chains = [chain for chain in chains if chain[0].isdisjoint(names)]
        members = [member for _, chain in joined for member in chain]
        # The moves of a chain stay in the order in which they were chosen.
        chains.append((names.union(*(chain[0] for chain in joined)), [*sorted(members, key=moves.index), move]))
    runs: list[_Run] = []
    for _, chain in chains:
        own: list[_Run] = []
        for move in chain:
            run = _Run((move,), move.rows, 1 + move.rows)
            while own and own[-1].rank > run.rank:
                run = own.pop().then(run)
            own.append(run)
        runs += own
    # Within a chain the ranks ascend: sorting keeps its order.
    return [move for run in sorted(runs, key=lambda run: (run.rank, moves.index(run.moves[0]))) for move in run.moves]


def _no_key(slots: Sequence[str]) -> tuple[()]:
    return NOTHING


def reduced_domains(types: Mapping[str, tuple[str, ...]], branch: Branch, relations: Relations) -> Domains:
    """The objects that each parameter can take: those of its type that static patterns leave, to the fixpoint."""
    domains = {name: frozenset(relations.statics.objects(of)) for name, of in types.items()}
    for pattern in branch.patterns:
        objects = frozenset(term for term in pattern.terms if not is_variable(term))
        if pattern.kind == "equality" and objects:
            for name in pattern.variables:
                domains[name] &= objects
    columns = [_Columns(pattern, relations) for pattern in branch.patterns if pattern.kind == "static"]
    changed = True
    while changed:
        changed = False
        for relation in columns:
            relation.restrict(domains)
            for place, name in relation.variables:
                column = relation.column(place)
                if not domains[name] <= column:
                    domains[name] &= column
                    changed = True
    return domains


class _Columns:
    """A static pattern's rows, as far as they are still possible; copied only where some are not."""

    def __init__(self, pattern: Pattern, relations: Relations):
        self._predicate = pattern.predicate
        self._relations = relations
        self._rows: Sequence[Row] | None = None
        self.variables = [(place, term) for place, term in enumerate(pattern.terms) if is_variable(term)]
        self._constants = [
            (place, frozenset((term,)))
            for place, term in enumerate(pattern.terms)
            if term != ANYTHING and not is_variable(term)
        ]

    def column(self, place: int) -> frozenset[str]:
        """What stands in a column."""
        if self._rows is None:
            return self._relations.column(self._predicate, place)
        return frozenset(map(itemgetter(place), self._rows))

    def restrict(self, domains: Domains) -> None:
        """Drops the rows that the domains, or a constant, make impossible."""
        allowed = [*self._constants, *((place, domains[name]) for place, name in self.variables)]
        for place, objects in allowed:
            if not self.column(place) <= objects:
                rows = self._relations.statics.rows(self._predicate) if self._rows is None else self._rows
                self._rows = [row for row in rows if row[place] in objects]
