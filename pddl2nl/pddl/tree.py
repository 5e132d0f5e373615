"""The syntax tree of PDDL: frozen dataclasses.

There is one node for every construct of PDDL 2.1, 2.2 and 3.0 (Fox and Long 2003; Edelkamp and Hoffmann 2004;
Gerevini and Long 2005), so every construct can be read, checked and written back; which constructs can be executed is
decided by `pddlval`. Names are lower-case strings, since PDDL ignores case; a term that begins with ``?`` is a
variable. A node's span is the place of its text, if the reader kept places; it is not compared: two texts with
the same meaning give equal trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar, cast

from pddl2nl.lean import dataclass
from pddl2nl.pddl.diagnostics import NOWHERE, Source, Span


class _Formula:
    """Conditions, effects and expressions, whose text is their PDDL."""

    __slots__ = ()

    def __str__(self) -> str:
        node = cast("Node", self)
        return f"({' '.join([opening(node), *map(str, children(node))])})"


def is_variable(term: str) -> bool:
    """Whether a term is a variable (``?x``) and not an object or constant."""
    return term.startswith("?")


class GroundAtom(tuple[str, ...]):
    """A predicate applied to objects, as a tuple of names: ``GroundAtom(("on", "a", "b"))`` is ``(on a b)``.

    A tuple, so that hashing and comparing run at C speed: a state holds tens of thousands of them.
    """

    __slots__ = ()

    @property
    def predicate(self) -> str:
        """The predicate's name."""
        return self[0]

    @property
    def args(self) -> tuple[str, ...]:
        """The objects it is applied to."""
        return self[1:]

    def __str__(self) -> str:
        return f"({' '.join(self)})"


@dataclass(frozen=True, slots=True)
class TypedName:
    """A name with its types: an object, a constant, a parameter, or a type with its supertypes.

    More than one type means ``(either …)``; no type given means ``object``.
    """

    name: str
    types: tuple[str, ...] = ("object",)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


# ── expressions ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Number(_Formula):
    """A numeric constant, exact."""

    value: Fraction
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return write_number(self.value)


@dataclass(frozen=True, slots=True)
class Fluent(_Formula):
    """A function applied to terms: ``(road-length ?from ?to)``."""

    name: str
    args: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic(_Formula):
    """``(+ e e …)``, ``(- e)``, ``(- e e)``, ``(* e e …)``, ``(/ e e)``."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Special(_Formula):
    """A name with a special meaning: ``?duration``, ``#t``, ``total-time``, ``(is-violated name)``."""

    name: str
    args: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        # A variable or an object that is the value of an object fluent has no parentheses.
        return f"({opening(self)})" if self.args or self.name == "total-time" else self.name


Expression = Number | Fluent | Arithmetic | Special


# ── conditions ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Atom(_Formula):
    """A predicate applied to terms. As an effect: the atom is added."""

    predicate: str
    args: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"({' '.join((self.predicate, *self.args))})"


@dataclass(frozen=True, slots=True)
class Equality(_Formula):
    """``(= s t)`` between terms."""

    left: str
    right: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(= {self.left} {self.right})"


@dataclass(frozen=True, slots=True)
class Comparison(_Formula):
    """``<``, ``<=``, ``=``, ``>=``, ``>`` between numeric expressions."""

    operator: str
    left: Expression
    right: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not(_Formula):
    """Negation. As an effect around an atom: the atom is deleted."""

    body: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And(_Formula):
    """Conjunction of conditions or of effects; an empty one is true, or does nothing."""

    parts: tuple[Condition, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or(_Formula):
    """Disjunction; an empty one is false."""

    parts: tuple[Condition, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Imply(_Formula):
    """``(imply left right)``."""

    left: Condition
    right: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Forall(_Formula):
    """Universal quantification of a condition, or of an effect."""

    parameters: tuple[TypedName, ...]
    body: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists(_Formula):
    """Existential quantification."""

    parameters: tuple[TypedName, ...]
    body: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class When(_Formula):
    """A conditional effect."""

    condition: Condition
    effect: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Update(_Formula):
    """A numeric effect; ``operator`` is assign, increase, decrease, scale-up or scale-down."""

    operator: str
    fluent: Fluent
    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Timed(_Formula):
    """``(at start …)``, ``(at end …)``, ``(over all …)`` in a durative action, or ``(at 3 …)`` in a constraint."""

    when: str
    body: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Preference(_Formula):
    """``(preference name condition)``; the name may be empty."""

    name: str
    body: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Modal(_Formula):
    """A trajectory constraint of PDDL 3: always, sometime, within, at-most-once, sometime-after, …"""

    operator: str
    numbers: tuple[Fraction, ...]
    parts: tuple[Condition, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Condition = (
    Atom | Equality | Comparison | Not | And | Or | Imply | Forall | Exists | When | Update | Timed | Preference | Modal
)
Effect = Condition
"""Effects share the nodes of conditions: `Atom` adds, `Not` deletes, and `When` and `Update` occur only here."""


# ── declarations ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Predicate:
    """A declared predicate."""

    name: str
    parameters: tuple[TypedName, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A declared function; its type is ``number`` unless the file says otherwise."""

    name: str
    parameters: tuple[TypedName, ...] = ()
    types: tuple[str, ...] = ("number",)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """An action with parameters; a missing precondition is the empty conjunction, as is a missing effect.

    The processes and events of PDDL+ look the same: they are held and written back, not executed.
    """

    name: str
    parameters: tuple[TypedName, ...] = ()
    precondition: Condition = And()
    effect: Effect = And()
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def binding(self, args: Iterable[str]) -> dict[str, str]:
        """What the parameters stand for in a step with as many arguments."""
        return dict(zip((parameter.name for parameter in self.parameters), args, strict=True))


@dataclass(frozen=True, slots=True)
class DurativeAction:
    """A durative action; every part of its condition and effect has a time (`Timed`)."""

    name: str
    parameters: tuple[TypedName, ...]
    duration: Condition
    condition: Condition
    effect: Effect
    span: Span = field(default=NOWHERE, compare=False, repr=False)


StepSchema = ActionSchema | DurativeAction
"""What a step of a plan is an instance of. Processes and events have the form of an action, too."""


@dataclass(frozen=True, slots=True)
class DerivedPredicate:
    """``(:derived (p ?x - t) condition)``."""

    name: str
    parameters: tuple[TypedName, ...]
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FluentValue:
    """``(= (f a b) 3)`` in an initial state; the value is a number, or an object for an object fluent."""

    fluent: GroundAtom
    value: Fraction | str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TimedLiteral:
    """``(at 5 (open shop))`` in an initial state; or ``(at 5 (= (price) 3))``, where `atom` is the fluent."""

    time: Fraction
    atom: GroundAtom
    positive: bool = True
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    value: Fraction | None = None

    @property
    def fact(self) -> str:
        """What is so from that time on, as PDDL: an atom, a negation or a value."""
        if self.value is not None:
            return f"(= {self.atom} {write_number(self.value)})"
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True, slots=True)
class Metric:
    """``(:metric minimize expression)``."""

    direction: str
    expression: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class SchemaForm(NamedTuple):
    """How a kind of action is written: its class, the field of `Domain` that holds it, its keywords with formulas.

    The formula behind ``:effect`` is the field ``effect`` of the class, and so on.
    """

    kind: Callable[..., StepSchema]
    field: str
    formulas: tuple[str, ...]


SCHEMAS = {
    ":action": SchemaForm(ActionSchema, "actions", (":precondition", ":effect")),
    ":durative-action": SchemaForm(DurativeAction, "durative_actions", (":duration", ":condition", ":effect")),
    ":process": SchemaForm(ActionSchema, "processes", (":precondition", ":effect")),
    ":event": SchemaForm(ActionSchema, "events", (":precondition", ":effect")),
}
"""The kinds of actions by their keywords, in the order in which they are written."""


@dataclass(frozen=True)
class Domain:
    """A PDDL domain."""

    name: str
    requirements: tuple[str, ...] = ()
    types: tuple[TypedName, ...] = ()
    constants: tuple[TypedName, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    functions: tuple[Function, ...] = ()
    constraints: Condition | None = None
    actions: tuple[ActionSchema, ...] = ()
    durative_actions: tuple[DurativeAction, ...] = ()
    derived: tuple[DerivedPredicate, ...] = ()
    processes: tuple[ActionSchema, ...] = ()
    events: tuple[ActionSchema, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<Domain {self.name}: {len(self.predicates)} predicates, {len(self.steps)} actions>"

    @property
    def steps(self) -> tuple[StepSchema, ...]:
        """What the steps of plans are: the actions, then the durative ones."""
        return (*self.actions, *self.durative_actions)

    def step(self, name: str) -> StepSchema | None:
        """The action or durative action of that name, or None."""
        return next((step for step in self.steps if step.name == name), None)

    def action(self, name: str) -> ActionSchema | None:
        """The action of that name, or None."""
        return next((action for action in self.actions if action.name == name), None)

    def schema(self, name: str) -> ActionSchema:
        """The action of a name that the domain is known to have; raises `KeyError` for others."""
        found = self.action(name)
        if found is None:
            raise KeyError(name)
        return found

    def predicate(self, name: str) -> Predicate | None:
        """The declared predicate of that name, or None."""
        return next((predicate for predicate in self.predicates if predicate.name == name), None)


@dataclass(frozen=True)
class Problem:
    """A PDDL problem; ``init`` holds the atoms in the order of the file, repeated ones included."""

    name: str
    domain_name: str
    requirements: tuple[str, ...] = ()
    objects: tuple[TypedName, ...] = ()
    init: tuple[GroundAtom, ...] = ()
    init_values: tuple[FluentValue, ...] = ()
    init_negative: tuple[GroundAtom, ...] = ()
    init_timed: tuple[TimedLiteral, ...] = ()
    goal: Condition = field(default=And())
    constraints: Condition | None = None
    metric: Metric | None = None
    source: Source | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<Problem {self.name} of {self.domain_name}: {len(self.objects)} objects>"


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """The members of a conjunction, nested ones flattened; a condition that is none is its own only member."""
    if not isinstance(condition, And):
        yield condition
        return
    for part in condition.parts:
        if isinstance(part, And):
            yield from conjuncts(part)
        else:
            yield part


Node = Condition | Expression
"""A node of a formula: a condition, an effect or a numeric expression."""

_NodeT = TypeVar("_NodeT", bound=Node)

# The fields that hold nodes. A field holds one node or a tuple of them; classes that are missing here are leaves.
_CHILD_FIELDS: dict[type, tuple[str, ...]] = {
    Arithmetic: ("operands",),
    Comparison: ("left", "right"),
    Not: ("body",),
    And: ("parts",),
    Or: ("parts",),
    Imply: ("left", "right"),
    Forall: ("body",),
    Exists: ("body",),
    When: ("condition", "effect"),
    Update: ("fluent", "value"),
    Timed: ("body",),
    Preference: ("body",),
    Modal: ("parts",),
}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a condition, effect or expression, in the order of the text."""
    names = _CHILD_FIELDS.get(type(node))
    if names is None:
        return ()
    if len(names) == 1:
        only: Node | tuple[Node, ...] = getattr(node, names[0])
        return only if isinstance(only, tuple) else (only,)
    return tuple([getattr(node, name) for name in names])


def map_children(node: _NodeT, function: Callable[[Any], Any]) -> _NodeT:
    """The node with each direct child replaced by `function(child)`; the same object if no child changes."""
    changes: dict[str, Any] = {}
    for name in _CHILD_FIELDS.get(type(node), ()):
        value = getattr(node, name)
        if isinstance(value, tuple):
            new = tuple([function(item) for item in value])
            if any(one is not other for one, other in zip(new, value, strict=True)):
                changes[name] = new
        elif (new := function(value)) is not value:
            changes[name] = new
    return replace(node, **changes) if changes else node


def untimed(formula: Condition) -> Condition:
    """A durative condition, effect or duration without its times: all that it says of any time."""
    if isinstance(formula, Timed):
        return formula.body
    nested = isinstance(formula, And | Forall | When | Preference)
    return map_children(formula, untimed) if nested else formula


def required(condition: Condition) -> Condition:
    """A condition without its preferences, which are members of conjunctions and of universal quantifications."""
    match condition:
        case Preference():
            return And()
        case And(parts):
            kept = tuple([one for part in parts if (one := required(part)) is part or one != And()])
            return condition if kept == parts else And(kept, condition.span)
        case Forall(body=body):
            inner = required(body)
            return condition if inner is body else And() if inner == And() else replace(condition, body=inner)
    return condition


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, depth first, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk(child)


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def opening(node: Node) -> str:
    """How the text of a node begins before its children: ``forall (?x - block)``, ``at start``, ``on ?x ?y``."""
    match node:
        case Atom(predicate=name, args=args) | Fluent(name=name, args=args) | Special(name=name, args=args):
            return " ".join((name, *args))
        case Arithmetic(operator=operator) | Comparison(operator=operator) | Update(operator=operator):
            return operator
        case Forall(parameters=parameters) | Exists(parameters=parameters):
            return f"{type(node).__name__.lower()} ({write_typed(parameters)})"
        case Timed(when=when):
            return when
        case Preference(name=name):
            return f"preference {name}".rstrip()
        case Modal(operator=operator, numbers=numbers):
            return " ".join((operator, *map(write_number, numbers)))
        case _:
            # Not, And, Or, Imply and When are called as in PDDL.
            return type(node).__name__.lower()


def write_number(value: Fraction) -> str:
    """A number as PDDL has it, exact where it has a finite decimal form; else the quotient ``(/ n d)``."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"(/ {value.numerator} {value.denominator})"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def number_text(value: Fraction) -> str:
    """A number exactly: ``5``, ``-2.5``, and ``1/3`` if it has no finite decimal form."""
    said = write_number(value)
    return f"{value.numerator}/{value.denominator}" if said.startswith("(") else said


def write_types(types: Sequence[str]) -> str:
    """Types as PDDL has them: one, or ``(either …)``."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def typed_groups(items: Sequence[TypedName]) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """The names in a typed list, neighbours of the same types together."""
    names: list[str] = []
    for index, item in enumerate(items):
        names.append(item.name)
        if index + 1 == len(items) or items[index + 1].types != item.types:
            yield names, item.types
            names = []


def write_typed(items: Sequence[TypedName]) -> str:
    """A typed list on one line; where all are objects, types are left out."""
    if all(item.types == ("object",) for item in items):
        return " ".join(item.name for item in items)
    return " ".join(f"{' '.join(names)} - {write_types(types)}" for names, types in typed_groups(items))
