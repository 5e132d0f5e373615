"""Back-translation: a model says which predicate or action a snippet expresses, and which object has which role.

It finds what no rule sees: "{?y} is on {?x}" for ``(on ?x ?y)`` is good English with the roles exchanged. One call for
each snippet of a predicate or an action. A conversation has the shape of `word_domain`'s: an instruction, examples of
the domain that all prompts of wordings share, and the question::

    (on ?1 - block ?2 - block)          all predicates, or all actions with their preconditions and effects
    (clear ?1 - block)

    Text: A is on B                     the snippet; letters in the order in which it mentions its parameters

The answer is constrained, where the endpoint can, to a declared name with the text's letters as arguments. An answer
that is another atom than the snippet's own is a doubt (`review.Doubt`), listed with both.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

from pddl2nl.llm import Message, Model, ReplyPendingError, Request
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.replies import split_reasoning
from pddl2nl.nl.wording.review import Doubt
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.nl.wording.word_checks import Kind
from pddl2nl.nl.wording.word_domain import examples, label_of, prompt_text
from pddl2nl.pddl.rewriting import Renaming
from pddl2nl.pddl.tree import SCHEMAS, Domain, TypedName, is_variable, write_typed

_KINDS: tuple[Kind, ...] = ("predicates", "actions")
_SHOWN = {"predicates": ("wears", "understudy"), "actions": ("dress", "carry")}
_LONGEST_TOLD = 12_000
"""The most characters of declarations with preconditions and effects; longer ones are told by their headings."""
_ATOM = re.compile(r"\(\s*([^\s()]+)((?:[\s,]+[^\s(),]+)*)\s*\)")


@dataclass(frozen=True)
class BackTranslation:
    """How a model understood the snippets of a wording.

    Attributes:
        asked: the snippets of predicates and actions that have a text.
        doubts: those that the model understood as something else.
        model, prompt_sha256: what answered, and the SHA-256 of instruction and examples.
    """

    asked: int
    doubts: tuple[Doubt, ...]
    model: str
    prompt_sha256: str

    def as_json(self) -> dict[str, object]:
        """The entry ``back_translation`` in a wording's source; ``agreed`` of ``asked`` is the rate of agreement."""
        return {
            "model": self.model,
            "date": datetime.now(UTC).date().isoformat(),
            "asked": self.asked,
            "agreed": self.asked - len(self.doubts),
            "prompt_sha256": self.prompt_sha256,
        }

    def marked(self, wording: Wording, others: tuple[Doubt, ...]) -> Wording:
        """The wording with the rate of agreement and all doubts, these and ``others``, in its source."""
        review = [doubt.as_json() for doubt in merged(others, self.doubts)]
        return replace(wording, source={**wording.source, "review": review, "back_translation": self.as_json()})


def back_translate(
    wording: Wording,
    domain: Domain,
    model: Model,
    *,
    seed: int | None = 1,
    temperature: float | None = 0.0,
    max_tokens: int = 200,
    on_progress: Callable[[str, int, int], None] = lambda label, done, all_of_them: None,
) -> BackTranslation:
    """Has a model say what each snippet expresses.

    Args:
        wording: the wording.
        domain: its domain.
        model: the model; best another one than the wording's.
        seed, temperature, max_tokens: of every call.
        on_progress: called before each snippet with its name, the number done and the number of all.

    Raises:
        InfrastructureError: the model gave no reply at all.
        ReplyPendingError: a batch will bring replies; to be called again when they are there.
    """
    asked = Request((), "wording", temperature, seed, max_tokens)
    declarations = {kind: _declarations(kind, domain) for kind in _KINDS}
    snippets = [(kind, item) for kind in _KINDS for item in wording.snippets[kind].values() if item.text is not None]
    doubts: list[Doubt] = []
    pending: list[str] = []
    for done, (kind, snippet) in enumerate(snippets):
        on_progress(label_of(kind, snippet.name), done, len(snippets))
        messages = (*_opening(kind), Message("user", _question(snippet, declarations[kind])))
        try:
            reply = model.complete(replace(asked, messages=messages, constraint=_constraint(kind, snippet, domain)))
        except ReplyPendingError:
            pending.append(label_of(kind, snippet.name))
            continue
        if reason := _disagreement(snippet, split_reasoning(reply.text)[1], _declared(kind, domain)):
            doubts.append(Doubt(kind, snippet.name, snippet.text or "", (reason,)))
    if pending:
        raise ReplyPendingError(f"{', '.join(pending)}: no reply yet")
    on_progress("done", len(snippets), len(snippets))
    return BackTranslation(len(snippets), tuple(doubts), model.name, _prompts_hash())


def merged(*groups: tuple[Doubt, ...]) -> tuple[Doubt, ...]:
    """All doubts, those of one snippet as one; each reason once."""
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    for doubt in (doubt for group in groups for doubt in group):
        found.setdefault((doubt.kind, doubt.name, doubt.text), {}).update(dict.fromkeys(doubt.reasons))
    return tuple(Doubt(*key, tuple(reasons)) for key, reasons in found.items())


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


@cache
def _opening(kind: Kind) -> tuple[Message, ...]:
    messages = [Message("system", prompt_text("back_translation.txt"))]
    told = examples()
    for name in _SHOWN[kind]:
        snippet = told.wording.snippets[kind][name]
        messages.append(Message("user", _question(snippet, _declarations(kind, told.domain))))
        messages.append(Message("assistant", _atom(snippet.name, _own_letters(snippet))))
    return tuple(messages)


@cache
def _prompts_hash() -> str:
    said = [[[message.role, message.content] for message in _opening(kind)] for kind in _KINDS]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8")).hexdigest()


def _question(snippet: Snippet, declarations: str) -> str:
    letters = _letters(snippet)
    text = snippet.fill([letters[name] for name in snippet.parameters])
    return f"{declarations}\n\nText: {text}"


def _letters(snippet: Snippet) -> Mapping[str, str]:
    """A letter for each parameter, in the order in which the text mentions them: PDDL's order does not show."""
    mentioned = dict.fromkeys(snippet.parameters[part] for part in snippet.parts if isinstance(part, int))
    return {name: chr(65 + index % 26) + str(index // 26 or "") for index, name in enumerate(mentioned)}


def _own_letters(snippet: Snippet) -> tuple[str, ...]:
    letters = _letters(snippet)
    return tuple(letters[name] for name in snippet.parameters)


def _atom(name: str, args: tuple[str, ...]) -> str:
    return f"({' '.join((name, *args))})"


def _declared(kind: Kind, domain: Domain) -> Mapping[str, tuple[TypedName, ...]]:
    return {item.name: item.parameters for item in (domain.predicates if kind == "predicates" else domain.steps)}


def _declarations(kind: Kind, domain: Domain) -> str:
    declared = _declared(kind, domain)
    headings = [
        f"({f'{name} {write_typed(_neutral(items).typed(items))}'.rstrip()})" for name, items in declared.items()
    ]
    if kind == "predicates":
        return "\n".join(headings)
    whole = "\n".join(_definitions(domain))
    return whole if len(whole) <= _LONGEST_TOLD else "\n".join(headings)


def _neutral(parameters: tuple[TypedName, ...]) -> Renaming:
    """Numbers as the names of variables, in the order of the declaration; bound ones follow."""
    numbers: dict[str, str] = {}

    def term(name: str) -> str:
        return numbers.setdefault(name, f"?{len(numbers) + 1}") if is_variable(name) else name

    for parameter in parameters:
        term(parameter.name)
    return Renaming(term=term)


def _definitions(domain: Domain) -> Iterator[str]:
    for form in SCHEMAS.values():
        for item in getattr(domain, form.field):
            neutral = _neutral(item.parameters)
            yield f"({f'{item.name} {write_typed(neutral.typed(item.parameters))}'.rstrip()})"
            for key in form.formulas:
                yield f"  {key} {neutral.formula(getattr(item, key[1:]))}"


def _constraint(kind: Kind, snippet: Snippet, domain: Domain) -> Constraint:
    letters = tuple(_letters(snippet).values())
    lines = []
    for name, parameters in _declared(kind, domain).items():
        slots = tuple(part for _ in parameters for part in (" ", letters)) if letters else ()
        lines.append((f"({name}", *slots, ")"))
    return Constraint(tuple(lines))


# ── what is answered ─────────────────────────────────────────────────────────────────────────────


def _disagreement(snippet: Snippet, reply: str, declared: Mapping[str, tuple[TypedName, ...]]) -> str:
    """Why a snippet is doubted, as a predicate of "it"; empty where the reply is the snippet's own atom."""
    own = _atom(snippet.name, _own_letters(snippet))
    text = snippet.fill(_own_letters(snippet))
    atoms = [(name.casefold(), args.replace(",", " ").split()) for name, args in _ATOM.findall(reply)]
    known = [_atom(name, tuple(arg.upper() for arg in args)) for name, args in atoms if name in declared]
    if not known:
        return f"could not be read back: '{text}' is {own}, and the model's answer names nothing that is declared"
    if known[-1] == own:
        return ""
    return f"was read back as {known[-1]} and not as {own}, from '{text}'"
