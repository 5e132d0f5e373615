"""Conjunctive queries compiled to Python: nested loops over indexed tables, one function a query.

Everything that looks for objects is such a query: applicable actions, quantifiers, the rules of derived predicates.
A query is split into parts that share no variable. In each part, the condition with the fewest choices binds its
variables (an atom, an equality, the objects of a type), every condition is tested as soon as its variables are bound,
and what remains is split again. The text of a function holds numbers and generated names only, never a name of the
task.

A compiled condition has the truth value that `semantics.holds` defines if no comparison reads an undefined
fluent. Outside of quantifiers it also raises `UndefinedError` exactly where the definition does. Inside, objects are
tried in another order; but a comparison is only read for objects that satisfy everything before it in its conjunction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from types import CodeType
from typing import Any, NamedTuple, TypeVar

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Not,
    Or,
    conjuncts,
    is_variable,
    substitute,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval.formulas import (
    fluents_in,
    free_variables,
    has_comparison,
    in_order,
    negation_normal,
    opposite,
    predicates_in,
)
from pddlval.numeric import UndefinedError, divide, exact, multiply
from pddlval.semantics import compare
from pddlval.tables import Database, Relation, TableKey, Values

ANYTHING = ""
"""What stands in a pattern for a variable that is quantified elsewhere."""

_MOST_SPLITS = 16
"""How often a query may be split at an ``or``."""

_MOST_BLOCKS = 12
"""Nested loops in one function; Python has room for twenty."""

_MOST_NESTED = 20
"""Nested parentheses in one function; Python has room for two hundred."""

_WORTH_A_LOOK = 8
"""Fewer objects than these are tried, and never looked up."""

_FEW, _MANY = 2.5, 25.0
"""How many true atoms are expected of a predicate of unknown size: with a term bound, and with none."""

_NEVER = float("inf")

Domain = tuple[int, ...]
"""The objects that a variable can take, in the order of their declaration."""

Variables = Mapping[str, Domain]
"""Variables that are still to be bound."""


_Shared = TypeVar("_Shared", bound=Hashable)


class QueryPart(NamedTuple):
    """A conjunct, and the unbound variables that must be bound before it is tested.

    ``test`` is False for a pattern that must hold but does not say everything: it binds variables, and the conjunct
    that it comes from is tested all the same.
    """

    condition: Condition
    needs: frozenset[str]
    test: bool = True


class _Binder(NamedTuple):
    """A way to bind variables: about how many choices it leaves, what it binds, and the part it makes true."""

    choices: float
    variables: tuple[str, ...]
    part: QueryPart | None


@dataclass(frozen=True)
class Finish:
    """What a query does with each solution.

    ``emit`` writes that; ``wanted`` are the variables it reads. A ``distinct`` query has each solution once, and a
    test without a value fails. ``chain`` calls a function that goes on with the query; ``leave`` ends a function.
    """

    emit: Callable[[Code], None]
    wanted: frozenset[str] = frozenset()
    distinct: bool = False
    chain: str = "{}"
    leave: str = "return"


_LOOKED_UP = re.compile(r"T\[(k\d+)\]")


class Code:
    """The text of one function as it is written."""

    def __init__(self, parameters: Sequence[str], leave: str):
        self.parameters = list(parameters)
        self.scope = list(parameters)
        self.loops = 0
        self.blocks = 0
        self.nested = 0
        self._leave = leave
        self._indent = 1
        self._lines: list[str] = []
        self._fetched: dict[str, str] = {}
        self._fetch_at: int | None = None

    @property
    def fail(self) -> str:
        """The statement that gives up the choices made last."""
        return "continue" if self.loops else self._leave

    def emit(self, line: str) -> None:
        """Writes a line."""
        self._lines.append("    " * self._indent + line)

    def open(self, line: str, loop: bool = False) -> None:
        """Begins a block."""
        if loop and self._fetch_at is None:
            # What stands before the first loop is tested once, and most queries fail there.
            self._fetch_at = len(self._lines)
        self.emit(line)
        self._indent += 1
        self.blocks += 1
        self.loops += loop

    def close(self, loop: bool = False) -> None:
        """Ends a block."""
        self._indent -= 1
        self.blocks -= 1
        self.loops -= loop

    def fetch(self, constant: str) -> str:
        """A table of the state, in loops by a local name."""
        if not self.loops:
            return f"T[{constant}]"
        return self._fetched.setdefault(constant, f"t{constant[1:]}")

    def include(self, part: Code) -> None:
        """Writes what stands in another function's text."""
        self._lines += ["    " * (self._indent - 1) + line for line in part.body()]

    def fetch_once(self, tables: Collection[str], often: int) -> None:
        """Looks up at the beginning of the function those of the tables that stand at so many places of it."""
        text = "\n".join(self._lines)
        for constant, places in Counter(_LOOKED_UP.findall(text)).items():
            if constant in tables and places >= often:
                local = f"t{constant[1:]}"
                text = re.sub(rf"\n *{local} = T\[{constant}\](?=\n)", "", text).replace(f"T[{constant}]", local)
                text = f"    {local} = T[{constant}]\n{text}"
        self._lines = text.split("\n")

    def body(self) -> list[str]:
        """The lines of the function below its head."""
        fetched = [f"    {local} = T[{constant}]" for constant, local in self._fetched.items()]
        at = self._fetch_at or 0
        return [*self._lines[:at], *fetched, *self._lines[at:]]

    def text(self, name: str) -> str:
        """The function."""
        return "\n".join([f"def {name}({', '.join(['T', *self.parameters])}):", *self.body(), ""])


@lru_cache(4096)
def _compiled(text: str) -> CodeType:
    """A function's text compiled, once for all simulators: what it names stands in the compiler's namespace."""
    return compile(text, "<query>", "exec")


class Compiler:
    """Compiles the queries of one task. All functions share one namespace; equal texts are compiled once."""

    def __init__(self, database: Database, ask: Callable[[str], Callable[..., bool]]):
        self.database = database
        self.ask = ask
        """Gives what says whether a derived atom is true: a function of the tables and the arguments."""
        self.partial = database.layout.partial
        self._lock = Lock()
        self._names: dict[int, str] = {}
        self._shared: dict[Any, Any] = {}
        self._functions: dict[str, str] = {}
        self.namespace: dict[str, Any] = {
            "E": (),
            "ONCE": (None,),
            "Undefined": UndefinedError,
            "compare": compare,
            "multiply": multiply,
        }

    def constant(self, value: object) -> str:
        """The name of an object in the namespace."""
        with self._lock:
            constant = self._names.get(id(value))
            if constant is None:
                # The namespace keeps the object, so that no other one gets its identity.
                constant = self._names[id(value)] = f"k{len(self._names)}"
                self.namespace[constant] = value
        return constant

    def shared(self, value: _Shared) -> _Shared:
        """An equal object that is always the same, so that it has one name."""
        kept: _Shared = self._shared.setdefault(value, value)
        return kept

    def function(self, code: Code) -> str:
        """The name of a function."""
        text = code.text("f")
        with self._lock:
            name = self._functions.get(text)
            if name is None:
                name = f"f{len(self._functions)}"
                exec(_compiled(text.replace("def f(", f"def {name}(", 1)), self.namespace)
                self._functions[text] = name
        return name

    def condition(self, condition: Condition, parameters: Sequence[str]) -> Callable[..., bool]:
        """The test of a condition: a function of the tables and the objects of its free variables.

        Raises:
            TypeError: no condition of PDDL 2.2.
            KeyError: a free variable is none of the parameters.
        """
        query = Query(self)
        code = Code([query.bind(name) for name in parameters], "return False")
        text = query.test(code, query.prepare(condition))
        code.emit(f"return {text}")
        test: Callable[..., bool] = self.namespace[self.function(code)]
        return test


class Query:
    """One query on its way to a function.

    Args:
        compiler: the task's compiler.
        sizes: about how many atoms of changing predicates are true, where that is known.
        tabled: the derived predicates whose rows are looked up in tables; of others each atom is asked for.
    """

    def __init__(self, compiler: Compiler, sizes: Mapping[str, int] | None = None, tabled: Collection[str] = ()):
        self.compiler = compiler
        self.database = compiler.database
        self._layout = compiler.database.layout
        self._sizes = sizes or {}
        self._tabled = tabled
        self._texts: dict[str, str] = {}
        self._domains: dict[str, Domain] = {}
        self._splits = 0
        self._compares: bool | None = None
        """Whether what was prepared compares numbers; None where nothing was."""

    # ── names ────────────────────────────────────────────────────────────────────────────────────

    def bind(self, variable: str) -> str:
        """The name of a variable in the text."""
        return self._texts.setdefault(variable, f"v{len(self._texts)}")

    def _term(self, term: str) -> str:
        return self._texts[term] if is_variable(term) else str(self.database.numbers[term])

    def row(self, terms: Sequence[str]) -> str:
        """The row of these terms."""
        texts = [self._term(term) for term in terms]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def prepare(self, condition: Condition) -> Condition:
        """The condition in negation normal form, every quantified variable with a name of its own."""
        normal = negation_normal(condition)
        self._compares = bool(self._compares) or has_comparison(normal, self.compiler.partial)
        return self._renamed(normal)

    def _renamed(self, condition: Condition) -> Condition:
        if isinstance(condition, Forall | Exists):
            # A name that no PDDL text can hold.
            fresh = tuple(
                replace(item, name=f"?{len(self._texts) + number} ") for number, item in enumerate(condition.parameters)
            )
            for item in fresh:
                self.bind(item.name)
            # Of two parameters of one name the body means the last, but both need an object.
            binding = {item.name: new.name for item, new in zip(condition.parameters, fresh, strict=True)}
            return replace(condition, parameters=fresh, body=self._renamed(substitute(condition.body, binding)))
        if isinstance(condition, And | Or):
            return replace(condition, parts=tuple([self._renamed(part) for part in condition.parts]))
        return condition

    # ── tests ────────────────────────────────────────────────────────────────────────────────────

    def test(self, code: Code, condition: Condition) -> str:
        """A prepared condition as an expression; "True" or "False" where it always is."""
        match condition:
            case Atom():
                return self._atom(code, condition)
            case Equality(left, right):
                if left == right or not (is_variable(left) or is_variable(right)):
                    return str(left == right)
                return f"{self._term(left)} == {self._term(right)}"
            case Comparison():
                return self._comparison(code, condition)
            case Not(body):
                return _negated(self.test(code, body))
            case And() | Or():
                return self._several(code, condition)
            case Exists(parameters, body):
                return self._exists(condition, {item.name: item.types for item in parameters}, body)
            case Forall(parameters, body):
                against = negation_normal(opposite(body))
                return _negated(self._exists(condition, {item.name: item.types for item in parameters}, against))
        raise TypeError(f"not an executable condition: {type(condition).__name__}")

    def _several(self, code: Code, condition: And | Or) -> str:
        if code.nested >= _MOST_NESTED:
            return self._elsewhere(code, free_variables(condition), lambda inner: self.test(inner, condition))
        neutral, decisive, word = (
            ("True", "False", " and ") if isinstance(condition, And) else ("False", "True", " or ")
        )
        parts = tuple(conjuncts(condition)) if isinstance(condition, And) else condition.parts
        code.nested += 1
        texts = []
        for part in self._in_order(parts):
            text = self.test(code, part)
            if text != neutral:
                texts.append(text)
            if text == decisive:
                break
        code.nested -= 1
        if not texts:
            return neutral
        if texts[0] == decisive:
            return decisive
        return texts[0] if len(texts) == 1 else f"({word.join(texts)})"

    def _elsewhere(self, code: Code, variables: Collection[str], write: Callable[[Code], str]) -> str:
        names = sorted([self._texts[name] for name in variables])
        inner = Code(names, "return False")
        inner.emit(f"return {write(inner)}")
        return f"{self.compiler.function(inner)}({', '.join(['T', *names])})"

    def _atom(self, code: Code, atom: Atom) -> str:
        relation = self._relation(atom)
        row = self.row(atom.args)
        if relation.kind == "static":
            if not relation.size:
                return "False"
            if not any(map(is_variable, atom.args)):
                return str(self.database.row(atom.args) in relation.row_set)
            return f"{row} in {self.compiler.constant(relation.row_set)}"
        if relation.kind == "changing":
            return f"{row} in {self._table(code, relation)}"
        if atom.predicate in self._tabled:
            return f"{row} in T[{self.compiler.constant(relation)}]"
        ask = self.compiler.constant(self.compiler.ask(atom.predicate))
        return f"{ask}({', '.join(['T', *map(self._term, atom.args)])})"

    def _relation(self, atom: Atom) -> Relation:
        return self.database.relation(atom.predicate, len(atom.args))

    def _table(self, code: Code, table: TableKey) -> str:
        return code.fetch(self.compiler.constant(table))

    def _comparison(self, code: Code, comparison: Comparison) -> str:
        left, right = self.number(code, comparison.left), self.number(code, comparison.right)
        tolerance = self._layout.tolerance
        if tolerance:
            return f"compare({comparison.operator!r}, {left}, {right}, {self.compiler.constant(tolerance)})"
        return f"{left} {'==' if comparison.operator == '=' else comparison.operator} {right}"

    def number(self, code: Code, expression: Expression) -> str:
        """A numeric expression; its evaluation raises `UndefinedError` where it has no value.

        Raises:
            TypeError: an expression that only durative actions or metrics have.
        """
        match expression:
            case NumberNode(value):
                number = exact(value)
                return f"({number})" if isinstance(number, int) else self.compiler.constant(number)
            case Fluent(name, args):
                return f"{self._values(code, name)}[{self.row(args)}]"
            case Arithmetic(operator, operands):
                if code.nested >= _MOST_NESTED:
                    return self._elsewhere(code, _variables(expression), lambda inner: self.number(inner, expression))
                code.nested += 1
                texts = [self.number(code, operand) for operand in operands]
                code.nested -= 1
                if operator == "-" and len(texts) == 1:
                    return f"(-{texts[0]})"
                if operator in "+-":
                    return f"({f' {operator} '.join(texts)})"
                return self._product(expression, texts)
        raise TypeError(f"not an executable expression: {type(expression).__name__}")

    def _values(self, code: Code, name: str) -> str:
        table = self.database.function(name)
        return self.compiler.constant(table) if isinstance(table, Values) else self._table(code, table)

    def _product(self, expression: Arithmetic, texts: Sequence[str]) -> str:
        text = texts[0]
        if expression.operator == "*":
            for other in texts[1:]:
                text = f"multiply({text}, {other})"
            return text
        variables = sorted(_variables(expression))
        names = self.database.names

        def by_zero(*numbers: int) -> UndefinedError:
            binding = {variable: names[number] for variable, number in zip(variables, numbers, strict=True)}
            return UndefinedError(substitute(expression, binding))

        error = self.compiler.constant(by_zero)
        divider = self.compiler.constant(divide)
        for other in texts[1:]:
            text = f"{divider}({', '.join([text, other, error, *map(self._term, variables)])})"
        return text

    def _exists(self, condition: Condition, types: Mapping[str, tuple[str, ...]], body: Condition) -> str:
        variables = {name: self.database.objects(those) for name, those in types.items()}
        if not all(variables.values()):
            return "False"
        outer = free_variables(condition)
        name, call = self._solvable(outer, *self.flattened(variables, [body]), _EXISTS)
        static = not has_comparison(body) and predicates_in(body).isdisjoint(self._layout.dynamic)
        return str(self.compiler.namespace[name](None)) if static and not outer else call

    def _solvable(
        self, outer: Iterable[str], variables: Variables, parts: Iterable[QueryPart], finish: Finish
    ) -> tuple[str, str]:
        """A function that says whether a query has a solution: its name, and its call."""
        names = sorted([self._texts[name] for name in outer])
        inner = Code(names, "return False")
        splits, self._splits = self._splits, 0
        self.solve(inner, variables, parts, finish)
        self._splits = splits
        inner.emit("return False")
        name = self.compiler.function(inner)
        return name, f"{name}({', '.join(['T', *names])})"

    # ── queries ──────────────────────────────────────────────────────────────────────────────────

    def flattened(self, variables: Variables, conditions: Iterable[Condition]) -> tuple[Variables, list[QueryPart]]:
        """The conjuncts of some conditions, the variables of ``exists`` among them drawn up to the others.

        A comparison, or a derived predicate with one, needs all variables of what stands before it: that may guard
        against an undefined fluent.
        """
        all_variables = dict(variables)
        flat: list[Condition] = []
        todo = list(conditions)[::-1]
        while todo:
            condition = todo.pop()
            if isinstance(condition, And) or (isinstance(condition, Or) and len(condition.parts) == 1):
                todo.extend(reversed(condition.parts))
            elif isinstance(condition, Exists):
                all_variables.update((item.name, self.database.objects(item.types)) for item in condition.parameters)
                todo.append(condition.body)
            else:
                flat.append(condition)
        parts: list[QueryPart] = []
        before: frozenset[str] = frozenset()
        for condition in flat:
            needs = free_variables(condition) & all_variables.keys()
            before |= needs
            parts.append(QueryPart(condition, before if self._may_fail(condition) else needs))
        return all_variables, parts

    def conjuncts(self, variables: Variables, conditions: Iterable[Condition]) -> tuple[Variables, list[QueryPart]]:
        """As `flattened`, for a query whose solutions are all wanted once: quantifiers stay.

        What they cannot do without is joined as a projection.
        """
        parts: list[QueryPart] = []
        for condition in _opened(conditions):
            parts.append(QueryPart(condition, free_variables(condition) & variables.keys()))
            if isinstance(condition, Exists | Forall | Or):
                for atom in dict.fromkeys(self._necessary(condition, frozenset())):
                    needs = variables.keys() & set(atom.args)
                    if needs:
                        parts.append(QueryPart(atom, frozenset(needs), test=False))
        return variables, parts

    def _necessary(self, condition: Condition, hidden: frozenset[str]) -> Iterator[Atom]:
        """The atoms without which a condition cannot hold, with `ANYTHING` for variables quantified in it."""
        match condition:
            case Atom(predicate, args):
                yield Atom(predicate, tuple([ANYTHING if term in hidden else term for term in args]))
            case And(parts) | Or(parts) if isinstance(condition, And) or len(parts) == 1:
                for part in parts:
                    yield from self._necessary(part, hidden)
            case Exists(parameters, body) | Forall(parameters, body):
                # Without any object a `forall` holds with any body.
                if isinstance(condition, Exists) or all(self.database.objects(item.types) for item in parameters):
                    yield from self._necessary(body, hidden | {item.name for item in parameters})

    def _may_fail(self, condition: Condition) -> bool:
        return self._compares is not False and has_comparison(condition, self.compiler.partial)

    def _in_order(self, parts: Sequence[Condition]) -> Sequence[Condition]:
        """The parts of a conjunction or disjunction, cheap tests first; as they are where one may be undefined."""
        if len(parts) < 2 or any(map(self._may_fail, parts)):
            return parts
        return in_order(parts, self._layout.dynamic)

    def write(self, code: Code, variables: Variables, parts: Iterable[QueryPart], finish: Finish) -> None:
        """Writes a whole query, as `solve`."""
        self._splits = 0
        self.solve(code, variables, parts, finish)

    def solve(self, code: Code, variables: Variables, parts: Iterable[QueryPart], finish: Finish) -> None:
        """Writes what finds the solutions: bindings of the variables with which all parts hold.

        All bindings of the wanted variables are found; of the others it is enough that there is one.
        """
        variables, parts = self._narrowed(variables, parts)
        if not all(variables.values()):
            # Nothing is read, not even what has no value.
            code.emit(code.fail)
            return
        ready = [part.condition for part in parts if not part.needs and part.test]
        for condition in self._in_order(ready):
            if not self._check(code, condition, finish):
                return
        asked: list[tuple[Variables, list[QueryPart]]] = []
        others: list[tuple[Variables, list[QueryPart]]] = []
        for some, their in _components(variables, parts):
            (others if finish.wanted.isdisjoint(some) else asked).append((some, their))
        last = others.pop() if others and not finish.wanted else None
        for some, their in others:
            self._require(code, some, their, finish)
        if last is not None:
            self._bind(code, *last, finish)
            return
        if len(asked) > 1:
            asked.sort(key=lambda group: self._solutions(*group))
        for some, their in asked[1:]:
            if len(some) > 1:
                # A part without solution is found out before the others are combined.
                self._require(code, some, their, finish)
        self._each(code, asked, finish)

    def _each(self, code: Code, groups: Sequence[tuple[Variables, list[QueryPart]]], finish: Finish) -> None:
        if not groups:
            finish.emit(code)
            return
        rest = groups[1:]
        after = replace(finish, emit=lambda inner: self._each(inner, rest, finish)) if rest else finish
        self._bind(code, *groups[0], after)

    def _require(self, code: Code, variables: Variables, parts: list[QueryPart], finish: Finish) -> None:
        free = frozenset[str]().union(*(free_variables(part.condition) for part in parts)) - variables.keys()
        _, call = self._solvable(free, variables, parts, replace(_EXISTS, distinct=finish.distinct))
        code.emit(f"if not {call}: {code.fail}")

    def _check(self, code: Code, condition: Condition, finish: Finish) -> bool:
        """Writes a test; False where it never holds."""
        text = self.test(code, condition)
        if text == "True":
            return True
        if text == "False":
            code.emit(code.fail)
            return False
        if finish.distinct and self._may_fail(condition):
            fail = code.fail
            code.open("try:")
            code.emit(f"if not {text}: {fail}")
            code.close()
            code.emit(f"except Undefined: {fail}")
        else:
            code.emit(f"if not {text}: {code.fail}")
        return True

    def _narrowed(self, variables: Variables, parts: Iterable[QueryPart]) -> tuple[Variables, list[QueryPart]]:
        """The query without static atoms of one argument: they narrow the domains."""
        narrowed = dict(variables)
        left = []
        for part in parts:
            atom = part.condition
            if isinstance(atom, Atom) and len(atom.args) == 1 and atom.args[0] in narrowed:
                relation = self._relation(atom)
                if relation.kind == "static":
                    name, true = atom.args[0], relation.column_set(0)
                    narrowed[name] = tuple([number for number in narrowed[name] if number in true])
                    continue
            left.append(part)
        return narrowed, left

    def _bind(self, code: Code, variables: Variables, parts: list[QueryPart], finish: Finish) -> None:
        """Binds the variables of a connected part, beginning with the condition with the fewest choices."""
        if code.blocks >= _MOST_BLOCKS:
            self._bind_elsewhere(code, variables, parts, finish)
            return
        best = min(self._binders(variables, parts), key=lambda binder: binder.choices)
        if self._splits < _MOST_SPLITS:
            for part in parts:
                if isinstance(part.condition, Or) and self._or_choices(variables, part.condition) < best.choices:
                    self._split(code, variables, parts, part, finish)
                    return
        rest = {name: domain for name, domain in variables.items() if name not in best.variables}
        left = [
            QueryPart(part.condition, part.needs.difference(best.variables), part.test)
            for part in parts
            if part is not best.part
        ]
        condition = None if best.part is None else best.part.condition
        scope = len(code.scope)
        for name in best.variables:
            self.bind(name)
            self._domains[name] = variables[name]
        if isinstance(condition, Equality):
            self._bind_equal(code, condition, best.variables[0], variables)
            self.solve(code, rest, left, finish)
        elif isinstance(condition, Atom):
            opened = self._open_rows(code, condition, variables)
            self.solve(code, rest, left, finish)
            if opened:
                code.close(loop=True)
        else:
            (name,) = best.variables
            domain = self.compiler.constant(self.compiler.shared(variables[name]))
            code.open(f"for {self._texts[name]} in {domain}:", loop=True)
            code.scope.append(self._texts[name])
            self.solve(code, rest, left, finish)
            code.close(loop=True)
        del code.scope[scope:]

    def _bind_elsewhere(self, code: Code, variables: Variables, parts: list[QueryPart], finish: Finish) -> None:
        """Goes on in another function."""
        inner = Code(code.scope, finish.leave)
        self._bind(inner, variables, parts, finish)
        if finish.leave == "return False":
            inner.emit(finish.leave)
        code.emit(finish.chain.format(f"{self.compiler.function(inner)}({', '.join(['T', *code.scope])})"))

    def _split(
        self, code: Code, variables: Variables, parts: list[QueryPart], chosen: QueryPart, finish: Finish
    ) -> None:
        """The query with an ``or`` taken apart: one query for each member, which denies those before it."""
        assert isinstance(chosen.condition, Or)
        self._splits += 1
        denied: list[Condition] = []
        for member in chosen.condition.parts:
            instead = [member, *denied] if finish.distinct else [member]
            conditions: list[Condition] = []
            for part in parts:
                conditions += instead if part is chosen else [part.condition] if part.test else []
            # A loop of its own, so that a member without solutions leads to the next one.
            code.open("for _ in ONCE:", loop=True)
            taken_apart = self.conjuncts if finish.distinct else self.flattened
            self.solve(code, *taken_apart(variables, conditions), finish)
            code.close(loop=True)
            if finish.distinct:
                denied.append(negation_normal(opposite(member)))

    # ── what binds ───────────────────────────────────────────────────────────────────────────────

    def _binders(self, variables: Variables, parts: Sequence[QueryPart]) -> Iterator[_Binder]:
        for part in parts:
            choices = self._choices(part.condition, variables)
            if choices < _NEVER:
                names = dict.fromkeys(_terms(part.condition))
                yield _Binder(choices, tuple(name for name in names if name in variables), part)
        for name, domain in variables.items():
            # A variable that makes more parts testable should be bound sooner.
            uses = sum(name in part.needs for part in parts)
            yield _Binder(len(domain) + 1 / (1 + uses), (name,), None)

    def _or_choices(self, variables: Variables, condition: Or) -> float:
        """About how many choices the members of an ``or`` leave, if each binds a variable; else infinitely many."""
        total = 0.0
        for member in condition.parts:
            _, parts = self.flattened(variables, [member])
            total += min([self._choices(part.condition, variables) for part in parts], default=_NEVER)
        return total

    def _solutions(self, variables: Variables, parts: Sequence[QueryPart]) -> float:
        count, left = 1.0, dict(variables)
        while left:
            best = min(self._binders(left, parts), key=lambda binder: binder.choices)
            count *= best.choices
            for name in best.variables:
                del left[name]
        return count

    def _choices(self, condition: Condition, variables: Variables) -> float:
        """About how many choices a conjunct leaves that can bind variables; infinitely many where it cannot."""
        if isinstance(condition, Equality):
            unbound = {condition.left, condition.right} & variables.keys()
            return 0.5 if len(unbound) == 1 and condition.left != condition.right else _NEVER
        if not isinstance(condition, Atom) or variables.keys().isdisjoint(condition.args):
            return _NEVER
        relation, args = self._relation(condition), condition.args
        bound = [place for place, term in enumerate(args) if term != ANYTHING and term not in variables]
        most = 1.0
        for name in variables.keys() & set(args):
            most *= len(variables[name])
        if relation.kind == "static":
            size = float(relation.size)
            widest = max([len(relation.column_set(place)) for place in bound], default=1)
            return min(most, size / widest) if size else 0.0
        known = self._sizes.get(condition.predicate)
        if known is not None:
            tells_apart = [min(known, self._width(args[place], known)) for place in bound]
            return min(most, known / max(1, *tells_apart, 1))
        if relation.kind == "derived" and condition.predicate not in self._tabled:
            # Looking up costs all that can be derived: better than trying all objects, worse than testing few.
            if bound or condition.predicate in self.compiler.partial:
                return _NEVER
            return min(len(variables[name]) for name in variables.keys() & set(args)) / 2
        if most < _WORTH_A_LOOK:
            return _NEVER
        return min(most, _FEW if bound else _MANY)

    def _width(self, term: str, otherwise: int) -> int:
        return max(1, len(self._domains.get(term, ()))) if is_variable(term) and term in self._domains else otherwise

    def _bind_equal(self, code: Code, condition: Equality, name: str, variables: Variables) -> None:
        other = condition.right if condition.left == name else condition.left
        code.emit(f"{self._texts[name]} = {self._term(other)}")
        code.scope.append(self._texts[name])
        members = self.members(variables[name])
        if members is not None:
            code.emit(f"if {self._texts[name]} not in {self.compiler.constant(members)}: {code.fail}")

    def members(self, domain: Domain) -> frozenset[int] | None:
        """A domain as a set, None for all objects."""
        if len(domain) == len(self.database.names):
            return None
        return self.compiler.shared(frozenset(domain))

    def open_match(self, code: Code, atom: Atom, variables: Variables) -> None:
        """Begins the loop over the rows ``D``, each of which binds the variables of an atom."""
        targets: list[str] = []
        checks: list[str] = []
        for place, term in enumerate(atom.args):
            if term in variables and self.bind(term) not in targets:
                targets.append(self.bind(term))
                members = self.members(variables[term])
                if members is not None:
                    checks.append(f"{targets[-1]} not in {self.compiler.constant(members)}")
            else:
                targets.append(f"d{place}")
                checks.append(f"d{place} != {self._term(term)}")
        code.open(f"for {', '.join(targets) or '_'} in D:", loop=True)
        code.scope += targets
        for check in checks:
            code.emit(f"if {check}: continue")

    def _open_rows(self, code: Code, atom: Atom, variables: Variables) -> bool:
        """Begins the loop over the rows that agree with the bound terms of an atom; False where there is but one."""
        args = atom.args
        keys = tuple(place for place, term in enumerate(args) if term != ANYTHING and term not in variables)
        names = list(dict.fromkeys(term for term in args if term in variables))
        values = tuple(args.index(name) for name in names)
        repeats = tuple(
            (args.index(term), place)
            for place, term in enumerate(args)
            if term in variables and args.index(term) != place
        )
        domains = tuple(self.members(variables[name]) for name in names)
        relation = self._relation(atom)
        index = self.database.index(relation, keys, values, domains, repeats, ANYTHING in args)
        key = self.row([args[place] for place in keys]) if keys else ""
        texts = [self._texts[name] for name in names]
        if relation.kind == "static":
            table = self.database.static(index)
            if keys and not any(is_variable(args[place]) for place in keys):
                row = self.database.row([args[place] for place in keys])
                rows = () if row not in table else (table[row],) if index.unique else tuple(table[row])
                table, key = self.compiler.shared(rows), ""
            source = self.compiler.constant(table)
            if key and index.unique:
                found_row = texts[0] if len(texts) == 1 else "r"
                code.emit(f"{found_row} = {source}.get({key})")
                code.emit(f"if {found_row} is None: {code.fail}")
                if len(texts) > 1:
                    code.emit(f"{', '.join(texts)} = r")
                code.scope += texts
                return False
        elif relation.kind == "derived":
            source = f"T[{self.compiler.constant(index)}]"
        else:
            source = self._table(code, index)
        code.open(f"for {', '.join(texts)} in {f'{source}.get({key}, E)' if key else source}:", loop=True)
        code.scope += texts
        return True


_EXISTS = Finish(lambda code: code.emit("return True"), chain="if {}: return True", leave="return False")


def _negated(text: str) -> str:
    return {"True": "False", "False": "True"}.get(text) or f"not ({text})"


def _terms(condition: Condition) -> tuple[str, ...]:
    if isinstance(condition, Equality):
        return condition.left, condition.right
    return condition.args if isinstance(condition, Atom) else ()


def _variables(expression: Expression) -> frozenset[str]:
    return frozenset(term for fluent in fluents_in(expression) for term in fluent.args if is_variable(term))


def _opened(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """The members of conjunctions; a disjunction of one disjunct is none."""
    todo = list(conditions)[::-1]
    while todo:
        part = todo.pop()
        if isinstance(part, And) or (isinstance(part, Or) and len(part.parts) == 1):
            todo.extend(reversed(part.parts))
        else:
            yield part


def _components(variables: Variables, parts: Sequence[QueryPart]) -> Iterator[tuple[Variables, list[QueryPart]]]:
    """The variables and parts in groups that share no variable, in the order of their first variables."""
    groups = [{name} for name in variables]
    for part in parts:
        if len(part.needs) > 1:
            together = [group for group in groups if not group.isdisjoint(part.needs)]
            if len(together) > 1:
                together[0].update(*together[1:])
                groups = [group for group in groups if group not in together[1:]]
    for names in groups:
        some = {name: domain for name, domain in variables.items() if name in names}
        yield some, [part for part in parts if part.needs and not part.needs.isdisjoint(names)]
