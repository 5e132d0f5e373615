"""Wordings by a model: the 2NL-LLM of Stein et al., section 3, with every snippet checked.

One call for each item, in this order: predicates as declared, derived ones among them; ``=`` and its negation, if an
action or a derived predicate compares objects; functions; actions. The revisions of a reply follow it directly. So a
script (``script:FILE``) holds its replies in this order. A conversation has one shape (Table 1, appendices A and C):

* system: the instruction, ``prompts/predicate.txt``, ``function.txt`` or ``action.txt``
* user, assistant, …: the few-shot examples as chat history, the same for every domain: seven predicates of arity 0 to
  2, three functions, or four actions, one of them with reordered arguments. They are a domain and a wording of their
  own (``prompts/examples.pddl``, ``examples.json``), told by the functions that tell the questions
* user: what is to be worded
* assistant, user, …: a reply that could not be used, and what was wrong with it

What is to be worded, in the examples as in the domain::

    (on ?x ?y)                          a predicate, or a function; (= ?x1 ?x2) and (not (= ?x1 ?x2)) for equality

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
its date.

A model may raise `ReplyPendingError`, if a batch will bring its replies. Then everything that does not depend on the
missing replies is asked for before the error is raised again: predicates, equality and functions at once; derived
predicates and actions, which are told in other texts, when no reply is missing. Called again with the replies,
`word_domain` makes the same wording.

The wording's ``source`` holds ``method`` (``llm``), ``model``, ``date``, ``prompt_sha256`` (of instructions and
examples), ``revisions`` (allowed), ``seed``, ``temperature``, ``max_tokens``, ``negated``, ``fell_back`` (names by
kind), ``without_negated`` (predicates with a usable text and an unusable negation), ``review`` (snippets that a person
should review), ``equality`` (the model's texts for ``=`` and its negation, which only its own prompts use), and, if the
wording was interrupted, ``unfinished`` (names by kind).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from pddl2nl.nl.wording.review import Doubt, marked, meaning_doubts, without_type_clashes
from pddl2nl.nl.wording.snippets import Snippet, Wording, check_wording
from pddl2nl.nl.wording.template import template_action, template_function, template_predicate, template_wording
from pddl2nl.nl.wording.word_checks import Draft, Kind, look_alike, read_reply, text_faults
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

_KINDS: tuple[Kind, ...] = ("predicates", "equality", "functions", "actions")
_LONGEST_SHOWN = 4000
_X1, _X2 = TypedName("?x1"), TypedName("?x2")
EQUALITY: Mapping[str, Snippet] = {
    "=": Snippet("=", (_X1.name, _X2.name), "{?x1} and {?x2} are the same object"),
    "!=": Snippet("!=", (_X1.name, _X2.name), "{?x1} and {?x2} are different objects"),
}
"""How equality and its negation are told; questions to a model use the model's own texts."""
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
    """Warnings about snippets that fell back to the template or that have not been asked for yet.

    Snippets that were changed by hand since then are not named.
    """
    found = []
    for key, why in (("fell_back", "no text of the model's could be used"), ("unfinished", "it is not finished")):
        listed = _listed(wording.source.get(key))
        names = [
            f"the {item.label}"
            for item in items(domain)
            if item.name in listed.get(item.kind, ())
            and wording.snippets.get(item.kind, {}).get(item.name, item.template).text == item.template.text
        ]
        if names:
            found.append(f"the wording has the template's text for {enumerate_words(names)}: {why}")
    return tuple(found)


def word_domain(
    domain: Domain,
    model: Model,
    *,
    revisions: int = 1,
    negated: bool = False,
    seed: int | None = 1,
    temperature: float | None = 0.0,
    max_tokens: int = 200,
    on_progress: Callable[[str, int, int], None] | None = None,
    keep: Callable[[Callable[[], Wording]], None] | None = None,
    start_from: Wording | None = None,
) -> WordedDomain:
    """Has a model word a domain.

    Args:
        domain: the domain.
        model: the model.
        revisions: how often the model is told what is wrong with a snippet and asked again.
        negated: ask for each predicate's negation in the same call.
        seed, temperature, max_tokens: of every call; the paper's by default.
        on_progress: called before each snippet with its name, the number done and the number of all.
        keep: given, after each snippet, what makes the wording so far, with templates for the rest: should the
            endpoint fail, nothing that was paid for need be lost.
        start_from: such a wording; only what is missing in it, or fell back, is asked for.

    Raises:
        UnsupportedError: the domain holds a construct that has no words; found before the first call.
        InputError: ``start_from`` was made by another model or with other prompts.
        InfrastructureError: the model gave no reply at all; never counted against a snippet.
        ReplyPendingError: the model raised it at least once; to be called again when the replies are there.
    """
    if revisions < 0:
        raise InputError(f"--revisions {revisions}: a number of at least 0 was expected")
    compose_domain(Phrases(template_wording(domain), domain))
    asked = Request((), "wording", temperature, seed, max_tokens)
    book = _Book(domain, model, asked, revisions, negated, items(domain))
    if start_from is not None:
        book.take_over(start_from)
    for item in book.wanted:
        if on_progress is not None:
            on_progress(item.label, len(book.made), len(book.wanted))
        if not book.has(item):
            book.ask(item)
            if keep is not None and book.has(item):
                keep(book.wording)
    if book.pending:
        raise ReplyPendingError(f"{enumerate_words([item.label for item in book.pending])}: no reply yet")
    if on_progress is not None:
        on_progress("done", len(book.made), len(book.wanted))
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
    made: set[tuple[Kind, str]] = field(default_factory=set)
    fell_back: list[FellBack] = field(default_factory=list)
    without_negated: list[FellBack] = field(default_factory=list)
    review: list[Doubt] = field(default_factory=list)
    pending: list[WordedItem] = field(default_factory=list)
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        self.words = {kind: {i.name: i.template for i in self.wanted if i.kind == kind} for kind in _KINDS}
        self.declared = {kind: {i.name: i.declared for i in self.wanted if i.kind == kind} for kind in _KINDS}

    def has(self, item: WordedItem) -> bool:
        return (item.kind, item.name) in self.made

    def write(self, item: WordedItem, snippet: Snippet, doubts: tuple[str, ...] = ()) -> None:
        """Notes the snippet that an item has from now on, and what a person should review in it."""
        if doubts:
            self.review.append(Doubt(item.kind, item.name, snippet.text or "", doubts))
        self.words[item.kind][item.name] = snippet
        self.made.add((item.kind, item.name))

    def ask(self, item: WordedItem) -> None:
        """Asks for one snippet, with its revisions, and notes the result, or that the reply is pending."""
        try:
            self._ask(item)
        except ReplyPendingError:
            self.pending.append(item)

    def _ask(self, item: WordedItem) -> None:
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
                    self.write(item, _snippet(item, draft), faults)
                    return
                doubted = draft
            elif draft.text is not None:
                usable = draft
            if left:
                messages += [_shown(reply), Message("user", feedback(item, faults, negated=both))]
        if doubted is not None:
            snippet = _snippet(item, doubted)
            self.write(item, snippet, meaning_doubts(item.kind, snippet, self.domain))
        elif usable is None:
            self.write(item, item.template)
            self.fell_back.append(FellBack(item.kind, item.name, draft.faults))
        else:
            self.write(item, _snippet(item, replace(usable, negated=None)))
            self.without_negated.append(FellBack(item.kind, item.name, usable.faults))

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
        return question(
            item, ToldPhrases(_worded(self.domain, self.words), self.domain, self.words["equality"] or EQUALITY)
        )

    def wording(self) -> Wording:
        source: dict[str, object] = {
            **self._made_by(),
            "date": datetime.now(UTC).date().isoformat(),
            "revisions": self.revisions,
            "seed": self.asked.seed,
            "temperature": self.asked.temperature,
            "max_tokens": self.asked.max_tokens,
            "fell_back": _by_kind((item.kind, item.name) for item in self.fell_back),
        }
        if self.negated:
            fallen = {item.name for item in self.fell_back if item.kind == "predicates"}
            source["without_negated"] = [
                name
                for name, snippet in self.words["predicates"].items()
                if ("predicates", name) in self.made and snippet.negated is None and name not in fallen
            ]
        equality = {name: item for name, item in self.words["equality"].items() if ("equality", name) in self.made}
        if equality:
            source["equality"] = {
                name: {"parameters": list(item.parameters), "text": item.text} for name, item in equality.items()
            }
        if self.review:
            source["review"] = [item.as_json() for item in self.review]
        missing = [(item.kind, item.name) for item in self.wanted if not self.has(item)]
        if missing:
            source["unfinished"] = _by_kind(missing)
        # Copies, since the texts still change.
        words = {kind: dict(words) for kind, words in self.words.items()}
        return replace(_worded(self.domain, words), source=source)

    def _made_by(self) -> dict[str, object]:
        prompts = prompts_hash(self.negated)
        return {"method": "llm", "model": self.model.name, "prompt_sha256": prompts, "negated": self.negated}

    def finished(self) -> WordedDomain:
        wording = without_type_clashes(check_wording(self.wording(), self.domain), self.domain)
        return WordedDomain(wording, tuple(self.fell_back), tuple(self.without_negated), self.calls, self.usage)

    def take_over(self, start: Wording) -> None:
        check_wording(start, self.domain, "the wording to start from")
        for key, ours in self._made_by().items():
            if ours != (theirs := start.source.get(key)):
                raise InputError(
                    f"the unfinished wording to start from has the {key} {theirs!r} and this run {ours!r}: go on with "
                    "the same, or begin anew in another file"
                )
        left = {key: _listed(start.source.get(key)) for key in ("fell_back", "unfinished")}
        found = {**start.snippets, "equality": _stored_equality(start)}
        marks = {(mark.kind, mark.name): mark.reasons for mark in marked(start)}
        for item in self.wanted:
            snippet = found[item.kind].get(item.name)
            named = any(item.name in listed.get(item.kind, ()) for listed in left.values())
            if snippet is not None and not (named and snippet.text == item.template.text):
                self.write(item, snippet, marks.get((item.kind, item.name), ()))


def _worded(domain: Domain, words: Mapping[Kind, Mapping[str, Snippet]]) -> Wording:
    predicates, actions, functions = words["predicates"], words["actions"], words["functions"]
    return Wording(domain=domain.name, predicates=predicates, actions=actions, functions=functions)


def _snippet(item: WordedItem, draft: Draft) -> Snippet:
    return Snippet(item.name, item.variables, draft.text, draft.negated)


def _shown(reply: str) -> Message:
    """The reply for the history; an empty one becomes dots, as endpoints refuse empty messages."""
    text = reply.encode("utf-8", "replace").decode("utf-8").strip()
    return Message("assistant", text[:_LONGEST_SHOWN] or "…")


# ── provenance ───────────────────────────────────────────────────────────────────────────────────


def _by_kind(pairs: Iterable[tuple[Kind, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, name in pairs:
        found.setdefault(kind, []).append(name)
    return found


def _listed(data: object) -> dict[str, list[str]]:
    """Names by kind, as a wording's source lists them; other entries are ignored."""
    if not isinstance(data, Mapping):
        return {}
    return {str(kind): [str(name) for name in names] for kind, names in data.items() if isinstance(names, list)}


def _stored_equality(wording: Wording) -> dict[str, Snippet]:
    data = wording.source.get("equality")
    found = {}
    for name, item in EQUALITY.items():
        entry = data.get(name) if isinstance(data, Mapping) else None
        text = entry.get("text") if isinstance(entry, Mapping) else None
        if isinstance(text, str) and not text_faults(text, "equality", item.parameters):
            found[name] = replace(item, text=text)
    return found
