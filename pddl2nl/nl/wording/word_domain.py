"""Wordings by a model: the 2NL-LLM of Stein et al., section 3, with every snippet checked.

One call for each item, in this order: predicates as declared, derived ones among them; functions; actions. The
revisions of a reply follow it directly. So a script (``script:FILE``) holds its replies in this order. A conversation
has one shape (Table 1, appendices A and C):

* system: the instruction, ``prompts/predicate.txt``, ``function.txt`` or ``action.txt``
* user, assistant, …: the few-shot examples as chat history, the same for every domain. They are a domain and a wording
  of their own (``prompts/examples.pddl``, ``examples.json``), told by the functions that tell the questions
* user: what is to be worded
* assistant, user, …: a reply that could not be used, and what was wrong with it

What is to be worded, in the examples as in the domain::

    (on ?x ?y)                          a predicate or a function

    (above ?x ?y)                       a derived predicate, with its rules in the words that there are so far
    it holds whenever (?x is on ?y) or (there is a block A such that …)

    action: drive                       an action; types are said as facts, and facts by the snippets just made
    parameters: (?truck ?from ?to)
    preconditions of drive: ?truck is a truck and … and it is not the case that ?truck is broken
    effects of drive: it becomes true that … and it is not the case anymore that …

Variables keep their names; those that a quantifier binds are letters, so that ``?x`` is always a parameter.

A snippet must hold each parameter in brackets and no other, no PDDL, and nothing that would be read back as something
else (`word_checks`); it must differ from all others of its kind, unless types distinguish them. If the last revision is
still wrong, the template's snippet is used. A snippet that may not mean what its name says is asked for again once, and
marked if the model repeats it (`review`). Order and seed are fixed: the same replies make the same wording, except for
its date. So after a failure the same call continues where the model's cache ends.

A model may raise `ReplyPendingError`, if a batch will bring its replies. Then everything that does not depend on the
missing replies is asked for before the error is raised again: predicates and functions at once; derived predicates and
actions, which are told in other texts, when no reply is missing.

The wording's ``source`` holds ``method`` (``llm``), ``model``, ``date``, ``prompt_sha256`` (of instructions and
examples), ``revisions`` (allowed), ``seed``, ``temperature``, ``max_tokens``, ``negated``, ``fell_back`` (names by
kind), ``without_negated`` (predicates with a usable text and an unusable negation) and ``review`` (snippets that a
person should review).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib import resources

from pddl2nl.errors import InputError
from pddl2nl.llm import Message, Model, ReplyPendingError, Request, Usage
from pddl2nl.nl.telling.domain import compose_domain, effect_groups, is_word, sorted_literals
from pddl2nl.nl.telling.phrases import Phrases, Scope
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.nl.wording.review import Doubt, meaning_doubts, without_type_clashes
from pddl2nl.nl.wording.snippets import Snippet, Wording, check_wording
from pddl2nl.nl.wording.template import template_action, template_function, template_predicate, template_wording
from pddl2nl.nl.wording.word_checks import Draft, Kind, look_alike, read_reply
from pddl2nl.pddl import parse_domain
from pddl2nl.pddl.tree import (
    ActionSchema,
    Domain,
    DurativeAction,
    Equality,
    Not,
    TypedName,
    required,
    untimed,
)

_KINDS: tuple[Kind, ...] = ("predicates", "functions", "actions")
_LONGEST_SHOWN = 4000
_LONGEST_TOLD = 12_000


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


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
        return f"({' '.join((self.name, *self.variables))})"


def label_of(kind: Kind, name: str) -> str:
    """``predicate 'on'``, say."""
    return f"{kind.removesuffix('s')} '{name}'"


def items(domain: Domain) -> tuple[WordedItem, ...]:
    """Everything that a model is asked to word: predicates, functions and actions, each as they are declared."""
    predicates = (
        WordedItem("predicates", item.name, item.parameters, template_predicate(item)) for item in domain.predicates
    )
    functions = (
        WordedItem("functions", item.name, item.parameters, template_function(item)) for item in domain.functions
    )
    actions = (WordedItem("actions", item.name, item.parameters, template_action(item)) for item in domain.steps)
    return (*predicates, *functions, *actions)


# ── conversations ────────────────────────────────────────────────────────────────────────────────


@cache
def opening(kind: Kind, negated: bool = False) -> tuple[Message, ...]:
    """Instruction and examples for one kind; with ``negated`` a predicate's negation is asked for with it."""
    both = negated and kind == "predicates"
    instruction = prompt_text(f"{kind.removesuffix('s')}.txt")
    if both:
        instruction += "\n\n" + prompt_text("predicate_negated.txt")
    shown = [Message("system", instruction)]
    phrases = examples()
    for item in items(phrases.domain):
        if item.kind == kind:
            snippet = getattr(phrases.wording, item.kind)[item.name]
            answer = snippet.text + (f"\nNegated: {snippet.negated}" if both else "")
            shown += [Message("user", question(item, phrases)), Message("assistant", answer)]
    return tuple(shown)


@cache
def prompts_hash(negated: bool = False) -> str:
    """The SHA-256 of all instructions and examples, for the record."""
    said = [[[message.role, message.content] for message in opening(kind, negated)] for kind in _KINDS]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8")).hexdigest()


def question(item: WordedItem, phrases: Phrases) -> str:
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
def prompt_text(name: str) -> str:
    """A prompt file of wordings."""
    return (resources.files("pddl2nl.nl.wording") / "prompts" / name).read_text(encoding="utf-8").strip()


@cache
def examples() -> Phrases:
    """The domain of the few-shot examples and its wording."""
    domain = parse_domain(prompt_text("examples.pddl"), "examples.pddl")
    return Phrases(wording_from_json(json.loads(prompt_text("examples.json")), domain, "examples.json"), domain)


# ── actions, told ────────────────────────────────────────────────────────────────────────────────


def _action(item: WordedItem, schema: ActionSchema, phrases: Phrases) -> str:
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


def _preconditions(schema: ActionSchema, phrases: Phrases, scope: Scope) -> Iterator[str]:
    for parameter in schema.parameters:
        if parameter.types != ("object",):
            yield f"{parameter.name} is {is_word(parameter.types, phrases)}"
    parts = sorted_literals(schema.precondition, phrases, scope)
    for part in parts.positive:
        yield phrases.condition(part, scope)
    for part in parts.negative:
        unequal = isinstance(part, Equality)
        yield phrases.condition(Not(part), scope) if unequal else NOT_SO + phrases.condition(part, scope)
    for _, told in parts.composite:
        yield f"({told.text})"


def _effects(schema: ActionSchema, phrases: Phrases, scope: Scope) -> Iterator[str]:
    for group in effect_groups(schema.effect, phrases, scope):
        for sentence in group.sentences("", phrases, "it becomes true that "):
            text = sentence.removesuffix(".")
            yield f"({text})" if group.lead else text


# ── the result ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class FellBack:
    """A snippet that fell back to the template; ``reasons`` are the faults of the model's last reply."""

    kind: Kind
    name: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class WordedDomain:
    """A wording by a model, what fell back to the template, and what it cost.

    ``usage`` sums the tokens of all ``calls`` of this run; replies from a cache are not counted.
    """

    wording: Wording
    fell_back: tuple[FellBack, ...] = ()
    without_negated: tuple[FellBack, ...] = ()
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def warnings(self) -> tuple[str, ...]:
        """A sentence for each snippet that fell back to the template, and for each negation that was dropped."""
        told = "{} fell back to the template, as the model's text {}"
        dropped = "{} has no negated text of its own, as the model's reply {}"
        pairs = [(told, item) for item in self.fell_back] + [(dropped, item) for item in self.without_negated]
        return tuple(
            text.format(f"the {label_of(item.kind, item.name)}", "; ".join(item.reasons)) for text, item in pairs
        )


def provenance_warnings(wording: Wording, domain: Domain) -> tuple[str, ...]:
    """A warning about snippets that fell back to the template and were not changed by hand since then."""
    listed = wording.source.get("fell_back")
    fell_back = listed if isinstance(listed, Mapping) else {}
    names = [
        f"the {item.label}"
        for item in items(domain)
        if isinstance(fell_back.get(item.kind), list)
        and item.name in fell_back[item.kind]
        and wording.snippets[item.kind][item.name].text == item.template.text
    ]
    if not names:
        return ()
    return (f"the wording has the template's text for {enumerate_words(names)}: no text of the model's could be used",)


def word_domain(
    domain: Domain,
    model: Model,
    *,
    revisions: int = 1,
    negated: bool = False,
    seed: int | None = 1,
    temperature: float | None = 0.0,
    max_tokens: int = 200,
    on_progress: Callable[[str, int, int], None] = lambda label, done, all_of_them: None,
) -> WordedDomain:
    """Has a model word a domain.

    Args:
        domain: the domain.
        model: the model.
        revisions: how often the model is told what is wrong with a snippet and asked again.
        negated: ask for each predicate's negation in the same call.
        seed, temperature, max_tokens: of every call; the paper's by default.
        on_progress: called before each snippet with its name, the number done and the number of all.

    Raises:
        UnsupportedError: the domain holds a construct that has no words; found before the first call.
        InfrastructureError: the model gave no reply at all; never counted against a snippet.
        ReplyPendingError: the model raised it at least once; to be called again when the replies are there.
    """
    if revisions < 0:
        raise InputError(f"--revisions {revisions}: a number of at least 0 was expected")
    compose_domain(Phrases(template_wording(domain), domain))
    asked = Request((), "wording", temperature, seed, max_tokens)
    book = _Book(domain, model, asked, revisions, negated, items(domain))
    for done, item in enumerate(book.wanted):
        on_progress(item.label, done, len(book.wanted))
        try:
            book.ask(item)
        except ReplyPendingError:
            book.pending.append(item)
    if book.pending:
        raise ReplyPendingError(f"{enumerate_words([item.label for item in book.pending])}: no reply yet")
    on_progress("done", len(book.wanted), len(book.wanted))
    return book.finished()


# ── the loop ─────────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Book:
    """The snippets so far, templates for the missing ones, and the costs."""

    domain: Domain
    model: Model
    asked: Request
    revisions: int
    negated: bool
    wanted: tuple[WordedItem, ...]
    words: dict[Kind, dict[str, Snippet]] = field(init=False)
    declared: dict[Kind, dict[str, tuple[TypedName, ...]]] = field(init=False)
    fell_back: list[FellBack] = field(default_factory=list)
    without_negated: list[FellBack] = field(default_factory=list)
    review: list[Doubt] = field(default_factory=list)
    pending: list[WordedItem] = field(default_factory=list)
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        self.words = {kind: {i.name: i.template for i in self.wanted if i.kind == kind} for kind in _KINDS}
        self.declared = {kind: {i.name: i.declared for i in self.wanted if i.kind == kind} for kind in _KINDS}

    def ask(self, item: WordedItem) -> None:
        """Asks for one snippet, with its revisions, and notes the result.

        Raises `ReplyPendingError` where the reply, or a text that the question needs, is pending.
        """
        both = self.negated and item.kind == "predicates"
        messages = [*opening(item.kind, both), Message("user", self._question(item))]
        usable: Draft | None = None
        doubted: Draft | None = None
        for left in range(self.revisions, -1, -1):
            reply, draft = self._reply(item, messages, both)
            faults = draft.faults
            if not faults:
                faults = meaning_doubts(item.kind, _snippet(item, draft), self.domain)
                if not faults or not left or doubted is not None:
                    self._write(_snippet(item, draft), item, faults)
                    return
                doubted = draft
            elif draft.text is not None:
                usable = draft
            if left:
                messages += [_shown(reply), Message("user", feedback(item, faults, negated=both))]
        if doubted is not None:
            snippet = _snippet(item, doubted)
            self._write(snippet, item, meaning_doubts(item.kind, snippet, self.domain))
        elif usable is None:
            self.fell_back.append(FellBack(item.kind, item.name, draft.faults))
        else:
            self._write(_snippet(item, replace(usable, negated=None)), item)
            self.without_negated.append(FellBack(item.kind, item.name, usable.faults))

    def _write(self, snippet: Snippet, item: WordedItem, doubts: tuple[str, ...] = ()) -> None:
        if doubts:
            self.review.append(Doubt(item.kind, item.name, snippet.text or "", doubts))
        self.words[item.kind][item.name] = snippet

    def _reply(self, item: WordedItem, messages: list[Message], both: bool) -> tuple[str, Draft]:
        reply = self.model.complete(replace(self.asked, messages=tuple(messages)))
        if not reply.from_cache:
            self.calls += 1
            self.usage += reply.usage
        draft = read_reply(reply, item.kind, item.variables, self.asked.max_tokens or 0, negated=both)
        if draft.text is not None:
            if any(other.kind == item.kind for other in self.pending):
                # It cannot be compared with texts that are still pending.
                raise ReplyPendingError(f"{item.label}: others before it have no reply yet")
            twin = look_alike(_snippet(item, draft), self.words[item.kind], self.declared[item.kind], self.domain)
            if twin is not None:
                same = (
                    f'says the same as the text of the {label_of(item.kind, twin.name)}, "{twin.text}", so that the '
                    f"two could not be told apart; use words for '{item.name}' that '{twin.name}' does not have"
                )
                draft = Draft(None, None, (same, *draft.faults))
        return reply.text, draft

    def _question(self, item: WordedItem) -> str:
        """The question for the model; raises `ReplyPendingError` while texts that it may use are pending."""
        derived = {rule.name for rule in self.domain.derived}
        told = item.kind == "actions" or item.name in derived
        # Actions are not told in the texts of other actions.
        if told and any(one.kind != "actions" for one in self.pending):
            raise ReplyPendingError(f"{item.label}: words that it is told in are not there yet")
        return question(item, Phrases(self._worded(), self.domain))

    def _worded(self) -> Wording:
        words = self.words
        return Wording(self.domain.name, words["predicates"], words["actions"], functions=words["functions"])

    def finished(self) -> WordedDomain:
        fell_back: dict[Kind, list[str]] = {}
        for one in self.fell_back:
            fell_back.setdefault(one.kind, []).append(one.name)
        source: dict[str, object] = {
            "method": "llm",
            "model": self.model.name,
            "prompt_sha256": prompts_hash(self.negated),
            "negated": self.negated,
            "date": datetime.now(UTC).date().isoformat(),
            "revisions": self.revisions,
            "seed": self.asked.seed,
            "temperature": self.asked.temperature,
            "max_tokens": self.asked.max_tokens,
            "fell_back": fell_back,
        }
        if self.negated:
            fallen = fell_back.get("predicates", ())
            source["without_negated"] = [
                name
                for name, snippet in self.words["predicates"].items()
                if snippet.negated is None and name not in fallen
            ]
        if self.review:
            source["review"] = [item.as_json() for item in self.review]
        wording = check_wording(replace(self._worded(), source=source), self.domain)
        wording = without_type_clashes(wording, self.domain)
        return WordedDomain(wording, tuple(self.fell_back), tuple(self.without_negated), self.calls, self.usage)


def _snippet(item: WordedItem, draft: Draft) -> Snippet:
    return Snippet(item.name, item.variables, draft.text, draft.negated)


def _shown(reply: str) -> Message:
    """The reply for the history; an empty one becomes dots, as endpoints refuse empty messages."""
    text = reply.encode("utf-8", "replace").decode("utf-8").strip()
    return Message("assistant", text[:_LONGEST_SHOWN] or "…")
