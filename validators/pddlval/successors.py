"""The applicable actions of a state: each schema's precondition is a query (`queries`) over the state's tables.

Of a schema whose relations have not changed since the last state the actions of then are given again.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, groupby, islice
from math import prod
from threading import Lock
from typing import Any

from pddl2nl.pddl import ActionSchema, And, Arithmetic, Atom, Comparison, Special, Update, conjuncts, is_variable
from pddlval.engine import Engine
from pddlval.formulas import fluents_in, has_comparison, subformulas, updates_in
from pddlval.plans import GroundAction
from pddlval.queries import Code, Finish, Query
from pddlval.schemas import ADDITIVE, Ground, Schemas
from pddlval.semantics import ground_atom
from pddlval.state import BITS, State
from pddlval.tables import Row, Tables

MOST_DRAWN_FROM = 100_000
"""From so many actions `SuccessorGenerator.sample` draws at most."""

_MOST_LISTED = 10_000
"""States with more actions are listed action by action."""

_BLOCK = 256
"""So many actions are found at once, at most, where they are listed as they are asked for."""

_MOST_KEPT = 20_000
"""Ground actions of one schema that are kept at most."""

_FEW_SCHEMAS = 1_500
"""So few schemas are all compiled, with the first state: that takes 0.2 ms each."""

_FEW_LISTINGS = 3
"""So often the schemas are asked one by one, before one function for all of them is compiled."""

_OFTEN = 15
"""A relation that is looked up at so many places of that function is looked up once."""

Run = Callable[[Tables], Iterator[Row]]
"""Gives the rows of the parameters of the applicable actions."""

Listing = Callable[[Tables, dict[int, list[GroundAction]], int], None]
"""Puts the actions of each schema that reads relations of these bits into the dict."""


class _Actions(dict[Any, GroundAction]):
    """The ground actions of a schema by their rows, made when first asked for."""

    def __init__(self, name: str, arity: int, names: Sequence[str]):
        super().__init__()
        self._name = name
        self._names = names
        self._make, self._make_all = _makers(arity)

    def __missing__(self, row: Row) -> GroundAction:
        action = self._make(row, self._name, self._names)
        if len(self) < _MOST_KEPT:
            self[row] = action
        return action

    def new(self, rows: Iterable[Row]) -> list[GroundAction]:
        """The actions of these rows, which are not kept."""
        return self._make_all(rows, self._name, self._names)


@lru_cache(256)
def _makers(arity: int) -> tuple[Callable[..., GroundAction], Callable[..., list[GroundAction]]]:
    """What makes the action of a row, and the actions of many, from the schema's name and the objects' names."""
    columns = [f"c{place}" for place in range(arity)]
    taken, args = ", ".join(columns) or "_", "".join(f"n[{column}], " for column in columns)
    # What `GroundAction(name, args)` does, in half the time.
    made = f"new(GroundAction, (name, ({args})))"
    namespace: dict[str, Any] = {"new": tuple.__new__, "GroundAction": GroundAction}
    exec(f"def one(row, name, n):\n    {taken} = row\n    return {made}", namespace)
    exec(f"def many(rows, name, n):\n    return [{made} for {taken} in rows]", namespace)
    return namespace["one"], namespace["many"]


class _SchemaQuery:
    """A schema's precondition as a query, planned for the sizes of the relations in the first state.

    Attributes:
        actions: the ground actions by the rows of the parameters.
        relations: what the answer depends on.
        reads: the bits of the relations that decide the answer.
    """

    def __init__(self, node: ActionSchema, place: int, engine: Engine, schemas: Schemas, tables: Tables):
        self.place = place
        self.actions = _Actions(node.name, len(node.parameters), engine.database.names)
        self._node = node
        self._engine = engine
        self._schemas = schemas
        self._layout = engine.database.layout
        self._conditions = [Query(engine.compiler).prepare(node.precondition)]
        self._effect_check = self._check_of_effects()
        parts = [part for one in self._conditions for part in subformulas(one)]
        atoms = [part for part in parts if isinstance(part, Atom)]
        self.relations = dict.fromkeys(engine.database.relation(atom.predicate, len(atom.args)) for atom in atoms)
        # The first bit stands for numbers; without any relation the query is run once, when all bits are set.
        compares = any(isinstance(part, Comparison) for part in parts)
        self.reads = sum(relation.bit for relation in self.relations) | compares or 1
        if self._effect_check or any(relation.kind == "derived" for relation in self.relations):
            # Rules and effects may read anything.
            self.reads = -1
        self._sizes = {one.predicate: len(tables[one]) for one in self.relations if one.kind == "changing"}

    @cached_property
    def run(self) -> Run:
        """Gives the rows of the parameters of the applicable actions."""
        code = Code([], "return")
        self._write(code, "yield {}", "yield from {}")
        code.emit("return")
        code.emit("yield")
        run: Run = self._engine.compiler.namespace[self._engine.compiler.function(code)]
        return run

    def write_listing(self, code: Code) -> None:
        """Writes what puts the applicable actions into the list ``R``, within a loop."""
        part = Code(["R"], "continue")
        self._write(part, f"R.append({self._engine.compiler.constant(self.actions)}[{{}}])", "{}")
        code.include(part)

    def _write(self, code: Code, solution: str, chain: str) -> None:
        engine = self._engine
        query = Query(engine.compiler, self._sizes)
        variables = {item.name: engine.database.objects(item.types) for item in self._node.parameters}
        names = tuple(variables)
        for name in names:
            query.bind(name)

        def give(inner: Code) -> None:
            if self._effect_check is not None:
                check = engine.compiler.constant(self._effect_check)
                inner.emit(f"if not {check}(T, {query.row(names)}): {inner.fail}")
            inner.emit(solution.format(query.row(names)))

        finish = Finish(give, frozenset(names), distinct=True, chain=chain, leave="return")
        query.write(code, *query.conjuncts(variables, self._conditions), finish)

    def _check_of_effects(self) -> Callable[[Tables, Row], bool] | None:
        """What the numeric effects need, to have values that do not conflict (as `Ground.applicable` does).

        Where each of them has a value if the fluents have that it reads, that is added to the conditions.
        """
        effect = self._node.effect
        updates = list(updates_in(effect))
        compares = has_comparison(effect, self._layout.partial)
        always = sum(isinstance(part, Update) for part in conjuncts(effect))
        alike = len(updates) < 2 or all(update.operator in ADDITIVE for update in updates)
        if always < len(updates) or not alike or compares or not all(map(_is_plain, updates)):
            schema, actions = self._schemas[self._node.name], self.actions
            return lambda tables, row: Ground(schema, actions[row]).applicable(tables.state)
        for fluent in dict.fromkeys(fluent for update in updates for fluent in fluents_in(update.value)):
            # Without a value it fails.
            self._conditions.append(Comparison("=", fluent, fluent))
        return None


def _is_plain(update: Update) -> bool:
    """Whether an update has a value if the fluents that it reads have one."""
    todo = [update.value]
    while todo:
        match todo.pop():
            case Arithmetic(operator, operands):
                if operator == "/":
                    return False
                todo += operands
            case Special():
                return False
    return update.operator != "scale-down"


class SuccessorGenerator:
    """Enumerates the applicable actions of a state, always in the same order, and draws from them.

    Schemas come in file order. At every choice the objects come as the atoms of a static relation stand in the file,
    and by their declaration otherwise; what a disjunction leaves to choose comes disjunct by disjunct.
    """

    def __init__(self, nodes: Sequence[ActionSchema], schemas: Schemas, engine: Engine):
        self._nodes = nodes
        self._schemas = schemas
        self._engine = engine
        self._database = engine.database
        self._layout = engine.database.layout
        self._lock = Lock()
        self._queries: dict[int, _SchemaQuery] = {}
        self._list_changed: Listing | None = None
        self._listings = 0
        choices = (prod(len(self._database.objects(item.types)) for item in node.parameters) for node in nodes)
        self._few = len(nodes) <= _FEW_SCHEMAS
        self._small = self._few and sum(choices) <= _MOST_LISTED
        """Whether there are so few actions that all are always listed at once."""
        self._needed: list[int] = []
        """The bits that must be set in a state, with its integers as one, for each schema."""
        self._drawn_from: tuple[State | None, list[tuple[_Actions, list[Row]]]] = (None, [])

    def applicable(self, state: State) -> Iterator[GroundAction]:
        """The applicable actions of a state; lazily, unless those of the last state were few."""
        database = self._database
        tables = database.acquire(state)
        try:
            if self._small or tables.all_listed:
                return iter(self._listed(tables))
        finally:
            database.release(tables)
        return self._one_by_one(state)

    def sample(self, state: State, rng: random.Random) -> GroundAction | None:
        """An applicable action, each with the same probability, or None.

        The first draw lists the actions. Where there are more than `MOST_DRAWN_FROM`, it draws from the first so many
        and warns (`RuntimeWarning`).
        """
        last, drawn = self._drawn_from
        if last is not state:
            drawn = self._rows(state, MOST_DRAWN_FROM + 1)
            self._drawn_from = (state, drawn)
            if sum(len(rows) for _, rows in drawn) > MOST_DRAWN_FROM:
                drawn[-1][1].pop()
                warnings.warn(
                    f"more than {MOST_DRAWN_FROM:,} actions are applicable: one of the first {MOST_DRAWN_FROM:,}"
                    " is drawn",
                    RuntimeWarning,
                    stacklevel=3,
                )
        count = sum(len(rows) for _, rows in drawn)
        number = rng.randrange(count) if count else 0
        for actions, rows in drawn:
            if number < len(rows):
                return actions[rows[number]]
            number -= len(rows)
        return None

    def _rows(self, state: State, most: int) -> list[tuple[_Actions, list[Row]]]:
        tables = self._database.acquire(state)
        try:
            drawn: list[tuple[_Actions, list[Row]]] = []
            for one in self._ready(tables):
                drawn.append((one.actions, list(islice(one.run(tables), most))))
                most -= len(drawn[-1][1])
                if not most:
                    break
            return drawn
        finally:
            self._database.release(tables)

    def _listed(self, tables: Tables) -> list[GroundAction]:
        listed, dirty = tables.listed, tables.dirty
        list_changed = self._list_changed
        if list_changed is None and self._few:
            self._listings += 1
            if self._small or self._listings > _FEW_LISTINGS:
                list_changed = self._list_changed = self._compiled_listing(tables)
        if list_changed is not None:
            list_changed(tables, listed, dirty)
            actions = list(chain.from_iterable(listed.values()))
        else:
            actions = []
            for query in self._ready(tables):
                if query.reads & dirty:
                    listed[query.place] = list(map(query.actions.__getitem__, query.run(tables)))
                actions += listed[query.place]
        tables.dirty = 0
        tables.all_listed = len(actions) <= _MOST_LISTED
        return actions

    def _compiled_listing(self, tables: Tables) -> Listing:
        """One function for all schemas: it lists anew the actions of those that read what has changed."""
        code = Code(["L", "D"], "return")
        # A task may have no action that can ever be applied.
        code.emit("pass")
        queries = self._ready(tables)
        for reads, alike in groupby(queries, lambda query: query.reads):
            code.open(f"if D & {reads}:")
            for query in alike:
                code.emit("R = []")
                # What fails goes on behind this loop.
                code.open("for _ in ONCE:", loop=True)
                query.write_listing(code)
                code.close(loop=True)
                code.emit(f"L[{query.place}] = R")
            code.close()
        compiler = self._engine.compiler
        # Their rows are in tables in any case; those of derived predicates might be computed in vain.
        changing = {compiler.constant(one) for query in queries for one in query.relations if one.kind == "changing"}
        code.fetch_once(changing, _OFTEN)
        listing: Listing = compiler.namespace[compiler.function(code)]
        return listing

    def _one_by_one(self, state: State) -> Iterator[GroundAction]:
        tables = self._database.acquire(state)
        try:
            listed: dict[int, list[GroundAction]] = {}
            count, size = 0, 1
            for query in self._ready(tables):
                kept: list[GroundAction] = []
                rows = query.run(tables)
                # The first comes at once, the others in blocks: that is faster than one by one.
                while block := query.actions.new(islice(rows, size)):
                    size = min(2 * size, _BLOCK)
                    count += len(block)
                    if count <= _MOST_LISTED:
                        kept += block
                    yield from block
                listed[query.place] = kept
            if count <= _MOST_LISTED:
                tables.listed, tables.all_listed = listed, True
                tables.dirty = 0
        finally:
            self._database.release(tables)

    def _ready(self, tables: Tables) -> list[_SchemaQuery]:
        """The queries that may have solutions, in the order of the file."""
        with self._lock:
            if self._few:
                return [self._query(place, tables) for place in range(len(self._nodes))]
            # Some domains have thousands of schemas, whose preconditions name objects: most are never compiled.
            if not self._needed:
                self._needed = [self._needed_bits(node) for node in self._nodes]
            true = sum(bits << BITS * number for number, bits in enumerate(tables.state.chunks))
            return [self._query(place, tables) for place, bits in enumerate(self._needed) if true & bits == bits]

    def _needed_bits(self, node: ActionSchema) -> int:
        """The bits of the ground atoms that a precondition needs to be true, with predicates that actions change."""
        layout = self._layout
        parts = node.precondition.parts if isinstance(node.precondition, And) else (node.precondition,)
        atoms = [part for part in parts if isinstance(part, Atom) and part.predicate in layout.changing]
        ground = [ground_atom(atom) for atom in atoms if not any(map(is_variable, atom.args))]
        return sum({1 << layout.number(atom) for atom in ground})

    def _query(self, place: int, tables: Tables) -> _SchemaQuery:
        query = self._queries.get(place)
        if query is None:
            node = self._nodes[place]
            query = self._queries[place] = _SchemaQuery(node, place, self._engine, self._schemas, tables)
        return query
