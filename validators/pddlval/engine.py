"""Questions about one state: whether conditions hold in it, and which derived atoms are true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from pddl2nl.pddl import (
    Atom,
    Condition,
    DerivedPredicate,
    Exists,
    GroundAtom,
    Not,
    Or,
    Task,
    TypedName,
    stratify,
    substitute,
)
from pddlval.formulas import LITERAL, atoms_in, depth_of, free_variables, predicates_in
from pddlval.queries import Code, Compiler, Finish, Query, Variables
from pddlval.semantics import holds
from pddlval.state import State, StateLayout
from pddlval.tables import Database, Index, Memo, Relation, Row, TableKey, Tables

_MOST_CASES = 64
"""A rule is split into so many at most; the rest of its ``or`` is then tested as a whole each time."""

_STEP = 120
"""Rules are answered one out of the other up to about this height, which takes less than half of Python's stack."""

Answer = Callable[..., bool]
"""Whether an atom is true, given the tables of a state and its arguments."""


class Axioms:
    """A task's rules, compiled as they are needed. Thread-safe: what two threads derive at once, both derive."""

    def __init__(self, task: Task, database: Database):
        self._database = database
        self.compiler = Compiler(database, self.answer)
        self._rules: dict[str, list[DerivedPredicate]] = {}
        for rule in task.domain.derived:
            self._rules.setdefault(rule.name, []).append(rule)
        strata = stratify(task.domain)
        self._recursive = strata.recursive
        self._component = {name: layer for layer in strata.layers for name in layer}
        self._answers: dict[str, Answer] = {}
        self._fixpoints: dict[tuple[frozenset[str], bool], Fixpoint] = {}
        # Long chains of rules would overflow the stack: some predicates are computed as a whole, before those that
        # depend on them.
        self._height, self._stage_order = _stages(strata.layers, self._rules)
        self._stages = frozenset(self._stage_order)
        self.relations: dict[str, Relation] = {}
        """The relations of the derived predicates, each after those that it rests on."""
        for name in self._component:
            rules = self._rules[name]
            relation = self.relations[name] = database.relation(name, len(rules[0].parameters))
            relation.derive = partial(self._extension, name)

    def answer(self, name: str) -> Answer:
        """What says whether an atom of a derived predicate is true.

        The answer raises `UndefinedError` where a comparison in a rule reads a fluent without a value.
        """
        answer = self._answers.get(name)
        if answer is None:
            relation = self.relations[name]
            if name in self._stages:
                answer = _from_table(relation)
            elif name in self._recursive:
                fixpoint = self._fixpoint(self._component[name], bound=True)
                answer = _from_bound(relation, fixpoint) if fixpoint.bound else _from_table(relation)
            else:
                answer = self._formula(name, relation.arity)
            self._answers[name] = answer
        return answer

    def _formula(self, name: str, arity: int) -> Answer:
        """The rules of a predicate as one formula, whose answers are kept."""
        query = Query(self.compiler)
        head = [f"?{place} " for place in range(arity)]
        texts = [query.bind(variable) for variable in head]
        code = Code(texts, "return False")
        row = query.row(head)
        code.emit(f"known = T[{self.compiler.constant(Memo())}]")
        code.emit(f"found = known.get({row})")
        code.emit("if found is not None: return found")
        cases = []
        for rule in self._rules[name]:
            tests = []
            for parameter, text in zip(rule.parameters, texts, strict=True):
                members = query.members(self._database.objects(parameter.types))
                if members is not None:
                    tests.append(f"{text} in {self.compiler.constant(members)}")
            binding = {item.name: variable for item, variable in zip(rule.parameters, head, strict=True)}
            tests.append(query.test(code, query.prepare(substitute(rule.condition, binding))))
            cases.append(" and ".join(tests))
        code.emit(f"found = known[{row}] = {' or '.join(cases)}")
        code.emit("return found")
        answer: Answer = self.compiler.namespace[self.compiler.function(code)]
        return answer

    def _extension(self, name: str, tables: Tables) -> set[Row]:
        for stage in self._stage_order:
            if self._height[stage] >= self._height[name]:
                break
            tables[self.relations[stage]]
        rows = self._fixpoint(self._component[name], bound=False).derive(tables)
        for relation, known_rows in rows.items():
            tables.keep(relation, known_rows)
        return rows[self.relations[name]]

    def _fixpoint(self, component: frozenset[str], *, bound: bool) -> Fixpoint:
        fixpoint = self._fixpoints.get((component, bound))
        if fixpoint is None:
            rules = [rule for name in sorted(component) for rule in self._rules[name]]
            # Where whole predicates are wanted, those that they rest on are computed as a whole too.
            tabled = component if bound else component | self._recursive
            fixpoint = Fixpoint(component, rules, self.compiler, tabled, bound=bound)
            self._fixpoints[component, bound] = fixpoint
        return fixpoint


def _from_table(relation: Relation) -> Answer:
    def answer(tables: Tables, *row: int) -> bool:
        return (row[0] if len(row) == 1 else row) in tables[relation]

    return answer


def _from_bound(relation: Relation, fixpoint: Fixpoint) -> Answer:
    memo = Memo()

    def answer(tables: Tables, *row: int) -> bool:
        if relation in tables:
            return (row[0] if len(row) == 1 else row) in tables[relation]
        known = tables[memo]
        key = tuple([row[column] for column in fixpoint.bound])
        matches = known.get(key)
        if matches is None:
            matches = known[key] = fixpoint.derive(tables, key)[relation]
        return (row[0] if len(row) == 1 else row) in matches

    return answer


def _stages(
    layers: Sequence[frozenset[str]], rules: Mapping[str, Sequence[DerivedPredicate]]
) -> tuple[dict[str, int], list[str]]:
    """The height of every predicate, and those to be computed as a whole, lowest first.

    A height is about how many calls it takes to answer for a predicate through all that it rests on. Whatever rests
    on something that is a step or more below it, in steps counted from the ground, is computed as a whole.
    """
    height: dict[str, int] = {}
    stages: list[str] = []
    for layer in layers:
        own = [rule.condition for name in layer for rule in rules[name]]
        below = [height[name] for condition in own for name in predicates_in(condition) if name in height]
        top = max(below, default=0) + max(4 + 2 * depth_of(condition) for condition in own)
        if below and top // _STEP > min(below) // _STEP:
            stages += sorted(layer)
        height.update(dict.fromkeys(sorted(layer), top))
    return height, sorted(stages, key=height.__getitem__)


class Fixpoint:
    """Predicates that depend on each other, with their rules.

    Args:
        predicates: a strongly connected component of the dependency graph.
        rules: the rules of these predicates.
        compiler: the task's compiler.
        tabled: the derived predicates whose rows are looked up in tables; of others each atom is asked for.
        bound: whether to bind the arguments that all rules hand on unchanged.
    """

    def __init__(
        self,
        predicates: frozenset[str],
        rules: Sequence[DerivedPredicate],
        compiler: Compiler,
        tabled: frozenset[str],
        *,
        bound: bool,
    ):
        self._predicates = predicates
        self._compiler = compiler
        self._relations = {rule.name: compiler.database.relation(rule.name, len(rule.parameters)) for rule in rules}
        ready = [_Rule(rule, compiler, tabled) for rule in rules]
        self.bound = _handed_on(predicates, ready) if bound else ()
        """The columns that `derive` binds."""
        self._first: list[tuple[str, Any]] = []
        self._again: list[tuple[str, Any]] = []
        self._matches: dict[str, list[tuple[str, Any]]] = {name: [] for name in predicates}
        for rule in ready:
            for variables, conditions in rule.cases(predicates):
                self._take_up(rule, variables, conditions)

    def derive(self, tables: Tables, key: Sequence[int] = ()) -> dict[Relation, set[Row]]:
        """The rows of the predicates: all of them, or those with ``key`` in the bound columns.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        rows: dict[str, set[Row]] = {name: set() for name in self._predicates}
        growing = _Growing(tables, {relation: rows[name] for name, relation in self._relations.items()})
        new: dict[str, set[Row]] = {name: set() for name in self._predicates}
        for name, run in self._first:
            run(growing, *key, (), rows[name], new[name].add)
        again = True
        while again:
            while any(new.values()):
                delta, new = new, {name: set() for name in self._predicates}
                for name, new_rows in delta.items():
                    if new_rows:
                        growing.extend(self._relations[name], new_rows)
                for name, new_rows in delta.items():
                    if new_rows:
                        for head, run in self._matches[name]:
                            run(growing, *key, new_rows, rows[head], new[head].add)
            for name, run in self._again:
                run(growing, *key, (), rows[name], new[name].add)
            again = any(new.values())
        return {relation: rows[name] for name, relation in self._relations.items()}

    def _take_up(self, rule: _Rule, variables: Variables, conditions: list[Condition]) -> None:
        """Compiles one conjunction of a rule: a query to begin with, or one for every atom that sets it off."""
        inside = [_names(part, self._predicates) for part in conditions]
        if not any(inside):
            self._first.append((rule.name, rule.query(variables, conditions, self.bound)))
        elif any(within and not isinstance(part, Atom) for part, within in zip(conditions, inside, strict=True)):
            self._again.append((rule.name, rule.query(variables, conditions, self.bound)))
        else:
            for place, part in enumerate(conditions):
                if inside[place]:
                    assert isinstance(part, Atom)
                    others = conditions[:place] + conditions[place + 1 :]
                    query = rule.query(variables, others, self.bound, part)
                    self._matches[part.predicate].append((rule.name, query))


class _Growing(dict[Any, Any]):
    """The tables of a state in which some derived predicates are being computed."""

    def __init__(self, tables: Tables, rows: Mapping[Relation, set[Row]]):
        super().__init__(rows)
        self._tables = tables
        self._rows = rows
        self._indices: dict[Relation, list[Index]] = {relation: [] for relation in rows}

    def __missing__(self, table: TableKey) -> Any:
        if isinstance(table, Index) and table.relation in self._rows:
            rows = table.build(self._rows[table.relation])
            self._indices[table.relation].append(table)
        else:
            rows = self._tables[table]
        self[table] = rows
        return rows

    def extend(self, relation: Relation, rows: Iterable[Row]) -> None:
        self._rows[relation].update(rows)
        for index in self._indices[relation]:
            index.extend(self[index], rows)


class _Rule:
    """A rule made ready: its body in negation normal form, no two of its variables with one name."""

    def __init__(self, rule: DerivedPredicate, compiler: Compiler, tabled: frozenset[str]):
        self.name = rule.name
        self._compiler = compiler
        self._query = Query(compiler, tabled=tabled)
        prepared = self._query.prepare(Exists(rule.parameters, rule.condition))
        assert isinstance(prepared, Exists)
        self.head = tuple(parameter.name for parameter in prepared.parameters)
        self.domains = {item.name: compiler.database.objects(item.types) for item in prepared.parameters}
        self.body = prepared.body

    def cases(self, predicates: frozenset[str]) -> list[tuple[Variables, list[Condition]]]:
        """The conjunctions whose disjunction the body is, each with its variables, those of ``exists`` included.

        An ``or`` that names none of the predicates stays whole.
        """
        todo: list[tuple[Variables, list[Condition]]] = [(self.domains, [self.body])]
        done: list[tuple[Variables, list[Condition]]] = []
        while todo:
            variables, parts = self._query.flattened(*todo.pop())
            conditions = [part.condition for part in parts]
            choice = next((part for part in conditions if isinstance(part, Or) and _names(part, predicates)), None)
            if choice is None or len(todo) + len(done) + len(choice.parts) > _MOST_CASES:
                done.append((variables, conditions))
                continue
            for member in reversed(choice.parts):
                todo.append((variables, [member if part is choice else part for part in conditions]))
        return done

    def query(
        self, variables: Variables, conditions: Sequence[Condition], bound: Sequence[int], match: Atom | None = None
    ) -> Any:
        """The function that adds the rows of the head, for each new row that matches an atom if there is one.

        Its parameters are the tables, the objects in the bound columns, the new rows, the rows of the head, and what
        takes a row.
        """
        query = self._query
        fixed = [self.head[column] for column in bound]
        code = Code([*map(query.bind, fixed), "D", "R", "N"], "return")
        for name in fixed:
            members = query.members(self.domains[name])
            if members is not None:
                code.emit(f"if {query.bind(name)} not in {self._compiler.constant(members)}: {code.fail}")
        free = {name: domain for name, domain in variables.items() if name not in fixed}
        if match is not None:
            query.open_match(code, match, free)
        free = {name: domain for name, domain in free.items() if match is None or name not in match.args}

        def add(inner: Code) -> None:
            inner.emit(f"h = {query.row(self.head)}")
            inner.emit("if h not in R: N(h)")

        all_variables, parts = query.flattened(free, conditions)
        finish = Finish(add, wanted=frozenset(self.head) & all_variables.keys())
        query.write(code, all_variables, parts, finish)
        return self._compiler.namespace[self._compiler.function(code)]


def _handed_on(predicates: frozenset[str], rules: Sequence[_Rule]) -> tuple[int, ...]:
    """The columns of a predicate that all its rules hand on unchanged to the atoms that they need of it."""
    if len(predicates) > 1:
        return ()
    needed = [(rule, atom) for rule in rules for atom in atoms_in(rule.body) if atom.predicate in predicates]
    columns = range(len(rules[0].head))
    return tuple(column for column in columns if all(atom.args[column] == rule.head[column] for rule, atom in needed))


def _names(condition: Condition, predicates: frozenset[str]) -> bool:
    return any(atom.predicate in predicates for atom in atoms_in(condition))


_MOST_READ = 10_000
"""So many compiled conditions are remembered at most."""


class Engine:
    """Answers questions about the states of one task; the queries behind them are compiled when first needed."""

    def __init__(self, layout: StateLayout):
        self.database = Database(layout)
        self.axioms = Axioms(layout.task, self.database)
        self.compiler = self.axioms.compiler
        self._known: dict[int, tuple[Condition, tuple[str, ...], Callable[..., bool]]] = {}
        self._enumerated: dict[int, tuple[Condition, tuple[str, ...], Callable[..., Iterator[Row]]]] = {}

    def holds(self, condition: Condition, state: State, binding: Mapping[str, str] = MappingProxyType({})) -> bool:
        """Whether a condition holds in a state, as `semantics.holds` says, with these objects for its free variables.

        Conditions are known by identity: ask about the same one with another binding, not about a ground copy.

        Raises:
            UndefinedError: a comparison reads a fluent without a value, or divides by zero.
            TypeError: no condition of PDDL 2.2.
        """
        if isinstance(condition.body if isinstance(condition, Not) else condition, LITERAL):
            return holds(condition, state, binding)
        compiled = self._known.get(id(condition))
        if compiled is None:
            names = tuple(sorted(free_variables(condition)))
            if len(self._known) >= _MOST_READ:
                self._known.clear()
            # With the condition itself, so that no other one gets its identity.
            compiled = self._known[id(condition)] = (condition, names, self.compiler.condition(condition, names))
        _, names, test = compiled
        return self.ask(state, test, *self.numbered(tuple([binding[name] for name in names])))

    def solutions(
        self, condition: Condition, parameters: tuple[TypedName, ...], binding: Mapping[str, str]
    ) -> Iterator[tuple[str, ...]]:
        """The objects with which a condition about static atoms holds, each choice once, in no particular order.

        The condition is known by identity, as in `holds`; the binding is for variables that are no parameters.
        """
        compiled = self._enumerated.get(id(condition))
        if compiled is None:
            outer = tuple(sorted(free_variables(condition) - {item.name for item in parameters}))
            rows = self._enumerator(condition, outer, parameters)
            compiled = self._enumerated[id(condition)] = (condition, outer, rows)
        _, outer, rows = compiled
        names = self.database.names
        for row in rows(None, *self.numbered(tuple([binding[name] for name in outer]))):
            yield tuple([names[number] for number in row])

    def _enumerator(
        self, condition: Condition, outer: Sequence[str], parameters: Sequence[TypedName]
    ) -> Callable[..., Iterator[Row]]:
        query = Query(self.compiler)
        code = Code([query.bind(name) for name in outer], "return")
        variables = {item.name: self.database.objects(item.types) for item in parameters}
        row = "".join(f"{query.bind(name)}, " for name in variables)
        finish = Finish(lambda inner: inner.emit(f"yield ({row})"), frozenset(variables), True, "yield from {}")
        query.write(code, *query.conjuncts(variables, [query.prepare(condition)]), finish)
        code.emit("return")
        code.emit("yield")
        enumerate_rows: Callable[..., Iterator[Row]] = self.compiler.namespace[self.compiler.function(code)]
        return enumerate_rows

    def test(self, condition: Condition, parameters: tuple[str, ...]) -> Callable[..., bool]:
        """A condition compiled, for `ask`."""
        return self.compiler.condition(condition, parameters)

    def numbered(self, objects: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers of objects."""
        numbers = self.database.numbers
        return tuple([numbers[name] for name in objects])

    def ask(self, state: State, test: Callable[..., bool], *arguments: int) -> bool:
        """What a compiled test says about a state and these objects."""
        tables = self.database.acquire(state)
        try:
            return test(tables, *arguments)
        finally:
            self.database.release(tables)

    def true(self, atom: GroundAtom, state: State) -> bool:
        """Whether a derived atom is true; raises `UndefinedError`."""
        numbers = self.database.numbers
        row: list[Any] = [numbers.get(name) for name in atom[1:]]
        return None not in row and self.ask(state, self.axioms.answer(atom[0]), *row)

    def derived(self, state: State) -> frozenset[GroundAtom]:
        """All derived atoms that are true; raises `UndefinedError`."""
        names = self.database.names
        tables = self.database.acquire(state)
        try:
            atoms: list[GroundAtom] = []
            for predicate, relation in self.axioms.relations.items():
                rows: set[Row] = tables[relation]
                if relation.arity == 1:
                    atoms += [GroundAtom((predicate, names[row])) for row in rows]
                else:
                    atoms += [GroundAtom((predicate, *[names[number] for number in row])) for row in rows]
            return frozenset(atoms)
        finally:
            self.database.release(tables)
