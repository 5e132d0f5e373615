"""The conversations in which a model words a domain (Stein et al., section 3, Table 1, appendices A and C).

A conversation has one shape for everything that is worded:

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                the instruction: ``prompts/predicate.txt``, ``function.txt`` or ``action.txt``
user, assistant, …    the few-shot examples as chat history, the same for every domain: seven predicates of arity
                      0 to 2, three functions, or four actions, one of them with reordered arguments
user                  what is to be worded
assistant, user, …    a reply that could not be used, and what was wrong with it
====================  ==========================================================================================

What is to be worded, in the examples as in the domain::

    (on ?x ?y)                          a predicate, or a function; (= ?x1 ?x2) and (not (= ?x1 ?x2)) for equality

    (above ?x ?y)                       a derived predicate, with its rules in the words that there are so far
    it holds whenever (?x is on ?y) or (there is a block A such that …)

    action: drive                       an action; types are said as facts, and facts by the snippets just made
    parameters: (?truck ?from ?to)
    preconditions of drive: ?truck is a truck and … and it is not the case that ?truck is broken
    effects of drive: it becomes true that … and it is not the case anymore that …

Variables keep their names; those that a quantifier binds are letters, so that ``?x`` is always a parameter. The
examples are a domain and a wording of their own (``prompts/examples.pddl``, ``examples.json``), told by the same
functions, so that examples and questions cannot come apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from pddl2nl.llm import Message
from pddl2nl.nl.telling.domain import effect_groups, is_word, sorted_literals
from pddl2nl.nl.telling.phrases import Phrases, Scope
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.nl.wording.template import template_action, template_function, template_predicate
from pddl2nl.nl.wording.word_checks import Kind
from pddl2nl.pddl import parse_domain
from pddl2nl.pddl.tree import (
    ActionSchema,
    Condition,
    Domain,
    DurativeAction,
    Equality,
    Not,
    TypedName,
    required,
    untimed,
    walk,
)

_X1, _X2 = TypedName("?x1"), TypedName("?x2")
EQUALITY: Mapping[str, Snippet] = {
    "=": Snippet("=", (_X1.name, _X2.name), "{?x1} and {?x2} are the same object"),
    "!=": Snippet("!=", (_X1.name, _X2.name), "{?x1} and {?x2} are different objects"),
}
"""How equality and its negation are told; questions to a model use the model's own texts."""


_LONGEST_TOLD = 12_000


@dataclass(frozen=True)
class WordedItem:
    """One predicate, function or action to be worded; ``template`` is its fallback."""

    kind: Kind
    name: str
    declared: tuple[TypedName, ...]
    template: Snippet

    @property
    def variables(self) -> tuple[str, ...]:
        """Its variables, each once, in PDDL's order."""
        return self.template.parameters

    @property
    def label(self) -> str:
        """``predicate 'on'``, say."""
        return label_of(self.kind, self.name)

    @property
    def pddl(self) -> str:
        """``(on ?x ?y)``."""
        said = f"({' '.join(('=' if self.kind == 'equality' else self.name, *self.variables))})"
        return f"(not {said})" if self.name == "!=" and self.kind == "equality" else said


def label_of(kind: Kind, name: str) -> str:
    """``predicate 'on'``, say; equality counts as a predicate."""
    return f"{'predicate' if kind == 'equality' else kind.removesuffix('s')} '{name}'"


def items(domain: Domain) -> tuple[WordedItem, ...]:
    """Everything that a model is asked to word, in this order.

    Predicates as they are declared, derived ones among them; equality and its negation, where an action or a
    derived predicate compares objects; functions and actions as they are declared.
    """
    found = [
        WordedItem("predicates", item.name, item.parameters, template_predicate(item)) for item in domain.predicates
    ]
    if _compares(domain):
        found += [WordedItem("equality", name, (_X1, _X2), snippet) for name, snippet in EQUALITY.items()]
    found += [WordedItem("functions", item.name, item.parameters, template_function(item)) for item in domain.functions]
    found += [WordedItem("actions", item.name, item.parameters, template_action(item)) for item in domain.steps]
    return tuple(found)


def _compares(domain: Domain) -> bool:
    conditions = [part for action in domain.actions for part in (action.precondition, action.effect)]
    conditions += [item.condition for item in domain.derived]
    return any(isinstance(node, Equality) for condition in conditions for node in walk(condition))


# ── conversations ────────────────────────────────────────────────────────────────────────────────


@cache
def opening(kind: Kind, negated: bool = False) -> tuple[Message, ...]:
    """Instruction and examples for one kind; with ``negated`` a predicate's negation is asked for with it."""
    file = {"predicates": "predicate", "equality": "predicate", "functions": "function", "actions": "action"}[kind]
    both = negated and kind == "predicates"
    instruction = _text(f"{file}.txt")
    if both:
        instruction += "\n\n" + _text("predicate_negated.txt")
    shown = [Message("system", instruction)]
    phrases = _examples()
    for item in items(phrases.domain):
        if item.kind == ("predicates" if kind == "equality" else kind):
            snippet = getattr(phrases.wording, item.kind)[item.name]
            answer = snippet.text + (f"\nNegated: {snippet.negated}" if both else "")
            shown += [Message("user", question(item, phrases)), Message("assistant", answer)]
    return tuple(shown)


@cache
def prompts_hash(negated: bool = False) -> str:
    """The SHA-256 of all instructions and examples, for the record."""
    kinds: tuple[Kind, ...] = ("predicates", "equality", "functions", "actions")
    said = [[[message.role, message.content] for message in opening(kind, negated)] for kind in kinds]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8")).hexdigest()


def question(item: WordedItem, phrases: ToldPhrases) -> str:
    """The question about one item, told in the texts made so far."""
    if item.kind == "actions":
        schema = phrases.domain.step(item.name)
        assert schema is not None
        if isinstance(schema, DurativeAction):
            # For its words it does not matter when what is needed and when what happens.
            condition, effect = untimed(required(schema.condition)), untimed(schema.effect)
            schema = ActionSchema(schema.name, schema.parameters, condition, effect)
        return _action(item, schema, phrases)
    rules = [rule for rule in phrases.domain.derived if item.kind == "predicates" and rule.name == item.name]
    lines = [item.pddl]
    for rule in rules:
        own = {bound.name: name for bound, name in zip(rule.parameters, item.variables, strict=False)}
        scope = Scope(f"derived predicate '{item.name}'", own, phrases.constants)
        lines.append(f"it holds whenever {phrases.condition(rule.condition, scope)}")
    return "\n".join(lines)


def feedback(item: WordedItem, faults: Sequence[str], *, negated: bool = False) -> str:
    """All faults of a reply, and the question again."""
    named = [f"action: {item.name}", f"parameters: ({' '.join(item.variables)})"]
    wanted = " ".join(f"{{{name}}}" for name in item.variables) or "no variable"
    asked = "two lines, the text and its negation after 'Negated:'" if negated else "one line"
    return "\n".join(
        [
            "This answer cannot be used:",
            *(f"- It {fault}{'' if fault.endswith('?') else '.'}" for fault in faults),
            "Answer again, for",
            *(named if item.kind == "actions" else [item.pddl]),
            f"with {asked}. These variables, and no others, stand in the text: {wanted}",
        ]
    )


@cache
def _text(name: str) -> str:
    return (resources.files("pddl2nl.nl.wording") / "prompts" / name).read_text(encoding="utf-8").strip()


@cache
def _examples() -> ToldPhrases:
    domain = parse_domain(_text("examples.pddl"), "examples.pddl")
    return ToldPhrases(wording_from_json(json.loads(_text("examples.json")), domain, "examples.json"), domain)


# ── actions, told ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ToldPhrases(Phrases):
    """Phrases that tell equality in a model's words; only for questions, which are never read back."""

    equality: Mapping[str, Snippet] = field(default_factory=lambda: EQUALITY)

    def condition(self, condition: Condition, scope: Scope) -> str:
        """As `Phrases.condition`, with this object's words for equality."""
        match condition:
            case Equality(left=left, right=right):
                return self.equality["="].fill([scope.said(left), scope.said(right)])
            case Not(body=Equality(left=left, right=right)):
                return self.equality["!="].fill([scope.said(left), scope.said(right)])
        return super().condition(condition, scope)


def _action(item: WordedItem, schema: ActionSchema, phrases: ToldPhrases) -> str:
    scope = Scope(f"action '{schema.name}'", {}, phrases.constants)
    conditions = _joined(_preconditions(schema, phrases, scope))
    effects = _joined(_effects(schema, phrases, scope))
    return "\n".join(
        [
            f"action: {item.name}",
            f"parameters: ({' '.join(item.variables)})",
            f"preconditions of {item.name}: {conditions or 'none, it is always possible'}",
            f"effects of {item.name}: {effects or 'nothing changes'}",
        ]
    )


def _joined(texts: Iterator[str]) -> str:
    """The texts joined by "and"; of a grounded domain's many texts only the first ones."""
    text = " and ".join(texts)
    if len(text) <= _LONGEST_TOLD:
        return text
    return f"{text[:_LONGEST_TOLD].rpartition(' and ')[0]} and more of this sort"


def _preconditions(schema: ActionSchema, phrases: ToldPhrases, scope: Scope) -> Iterator[str]:
    for parameter in schema.parameters:
        if parameter.types != ("object",):
            yield f"{parameter.name} is {is_word(parameter.types, phrases)}"
    parts = sorted_literals(schema.precondition, phrases)
    for part in parts.positive:
        yield phrases.condition(part, scope)
    for part in parts.negative:
        unequal = isinstance(part, Equality)
        yield phrases.condition(Not(part), scope) if unequal else NOT_SO + phrases.condition(part, scope)
    for part in parts.composite:
        yield f"({phrases.condition(part, scope)})"


def _effects(schema: ActionSchema, phrases: ToldPhrases, scope: Scope) -> Iterator[str]:
    for group in effect_groups(schema.effect, phrases, scope):
        for sentence in group.sentences("", phrases, "it becomes true that "):
            text = sentence.removesuffix(".")
            yield f"({text})" if group.lead else text
