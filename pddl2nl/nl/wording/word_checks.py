"""Checks of a model's reply before it becomes a snippet, and the faults that the model is told.

A reply is untrusted text. Wrapping is removed without asking again: code fences and code
marks, marks of bold or slanted letters, quotation marks around the whole, a bullet or number, a label such as
"Output:", a line of introduction that ends in a colon, thoughts in tags (``<think>``), a full stop or comma at the
end, "I" or "to" before an action's verb, a capital at the start, blanks or capitals within the brackets
(``{ ?X }``). Everything else that is wrong is a fault. A fault is a sentence without its subject, which is the
reply: "lacks {?to}".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pddl2nl.llm import Completion
from pddl2nl.llm.replies import split_reasoning
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.nl.wording.review import confused_pairs, is_tag
from pddl2nl.nl.wording.snippets import Snippet, snippet_faults
from pddl2nl.pddl.tree import Domain, TypedName

Kind = Literal["predicates", "functions", "actions"]
"""What is worded, named as a wording file names it."""

LONGEST = 1500
"""The most characters that a snippet may have: more than 200 tokens hold, with any tokenizer."""

_LABEL = re.compile(
    r"(?:(?:the |my )?(?:corrected |revised |english |natural[- ]language )*"
    r"(?:output|out|answer|snippet|text|result|description|sentence|phrase|translation|reply|model|positive|nl)"
    r"|action|predicate|function)\s*:\s+",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\W{0,4}(?:negated|negation|negative)(?: form| text| sentence)?\W{0,3}:[*_`]{0,3}\s*", re.IGNORECASE
)
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"), ("*", "*"), ("_", "_"))
"""What may stand around the whole of a text: quotation marks, and the stars and strokes of slanted letters."""
_BEFORE_VERB = re.compile(r"(?:[Tt]o |I (?:can |will )?)(?!am |have |was |had |do |did |must |should |would )(?=[a-z])")
_CAPITAL = re.compile(r"(?!I )[A-Z][a-z]*(?:[-_][a-z]+)*(?=[\s,])")
_BRACES = re.compile(r"\{([^{}]*)\}")
_OTHER_BRACKETS = re.compile(r"[()\[\]<>]")
_KEYWORD = re.compile(r"(?<!\w):[a-z][\w-]*", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.!;](?=\s)")
_CUT_WORDS = 25
_SAME = {"{} and {} are the same object", "{} and {} are different objects"}


@dataclass(frozen=True)
class Draft:
    """A reply as it was read: the text, its negation if one was asked for, and their faults.

    ``text`` and ``negated`` are None if they cannot be used; ``faults`` tells why.
    """

    text: str | None
    negated: str | None = None
    faults: tuple[str, ...] = ()


def read_reply(reply: Completion, kind: Kind, parameters: Sequence[str], max_tokens: int, *, negated: bool) -> Draft:
    """What a reply says, checked.

    Args:
        reply: as the model gave it.
        kind: what was asked for.
        parameters: its variables.
        max_tokens: the limit of the call, named in the fault of a cut-off reply.
        negated: whether a second line with the negation was asked for.
    """
    if reply.finish == "length":
        tokens = reply.usage.completion_tokens or max_tokens
        wanted = f"write one line of at most {_CUT_WORDS} words beside the brackets, with each variable once and no"
        return Draft(None, faults=(f"was cut off at {tokens} tokens; {wanted} explanation",))
    if reply.finish == "refused":
        return Draft(None, faults=("is a refusal; nothing is to be done here, only said in English",))
    if reply.finish == "filtered":
        return Draft(None, faults=("was withheld by a filter; choose other words",))
    said, opposite = _two_texts(reply.text) if negated else (_lines(reply.text), [])
    text, faults = _checked(said, kind, parameters)
    if not negated or (reply.finish == "empty" or not said):
        return Draft(text, faults=faults)
    if not opposite:
        return Draft(text, None, (*faults, 'lacks the second line, "Negated: …"'))
    # A negation may begin as negations do, which the faults of functions do not forbid.
    other, more = _checked(opposite, "functions", parameters)
    if other is not None and other == text:
        other, more = None, ("says the same as the first line",)
    return Draft(text, other, (*faults, *(f"is wrong in its negation, which {fault}" for fault in more)))


def look_alike(
    snippet: Snippet, others: Mapping[str, Snippet], parameters: Mapping[str, Sequence[TypedName]], domain: Domain
) -> Snippet | None:
    """Another snippet that could not be distinguished from this one when it is read back, or None."""
    shape = snippet.shape
    near = {name: other for name, other in others.items() if other.shape == shape}
    near[snippet.name] = snippet
    for one, other in confused_pairs(near, parameters, domain):
        if snippet.name in (one.name, other.name):
            return other if one.name == snippet.name else one
    return None


# ── taking the wrapping off ──────────────────────────────────────────────────────────────────────


def _lines(reply: str) -> list[str]:
    lines = [" ".join(line.split()) for line in re.split(r"[\n\r]+", split_reasoning(reply)[1])]
    lines = [line for line in lines if line and not line.startswith("```")]
    if len(lines) > 1 and lines[0].endswith(":") and "{" not in lines[0]:
        lines = lines[1:]
    return lines


def _two_texts(reply: str) -> tuple[list[str], list[str]]:
    lines = _lines(reply)
    for index, line in enumerate(lines):
        match = _NEGATED.match(line)
        if match:
            return lines[:index], [line for line in (line[match.end() :], *lines[index + 1 :]) if line]
    return lines[:1], lines[1:]


def _checked(lines: Sequence[str], kind: Kind, parameters: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    if not any(lines):
        return None, ("is empty",)
    if len(lines) > 1:
        return None, (f"has {len(lines)} lines; one line with the text alone is wanted",)
    if len(lines[0]) > 2 * LONGEST:
        return None, (_too_long(lines[0]),)
    text = _tidied(lines[0], kind, parameters)
    faults = text_faults(text, kind, parameters)
    return (None if faults else text), faults


def _tidied(line: str, kind: Kind, parameters: Sequence[str]) -> str:
    # A mark that stood alone leaves two blanks.
    text = " ".join(line.replace("`", "").replace("**", "").split())
    before = ""
    while before != text:
        before = text
        text = _without_start(_LABEL, _without_start(_BULLET, text.strip())).rstrip(" .,;!")
        for first, last in _QUOTES:
            inner = text[1:-1]
            if len(text) > 1 and text[0] == first and text[-1] == last and not {first, last} & set(inner):
                text = inner
    if kind == "actions":
        text = _without_start(_BEFORE_VERB, text)
    capital = _CAPITAL.match(text)
    if capital:
        text = capital[0].lower() + text[capital.end() :]

    def in_braces(braced: re.Match[str]) -> str:
        name = braced[1].strip().lower()
        return f"{{{name}}}" if name in parameters else braced[0]

    return _BRACES.sub(in_braces, text)


def _without_start(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return text[match.end() :] if match else text


# ── what is wrong ────────────────────────────────────────────────────────────────────────────────


def text_faults(text: str, kind: Kind, parameters: Sequence[str]) -> tuple[str, ...]:
    """All faults of a text of one line; empty if it may become a snippet."""
    if len(text) > LONGEST:
        return (_too_long(text),)
    faults = dict.fromkeys((*snippet_faults(text, parameters), *_syntax_faults(text)))
    return tuple(faults or _meaning_faults(text, kind))


def _too_long(text: str) -> str:
    return f"has {len(text):,} characters; at most {LONGEST:,} are taken"


def _syntax_faults(text: str) -> Iterator[str]:
    rest = _BRACES.sub("", text)
    if re.search(r"\?(?![A-Za-z])|[\w']\?", rest):
        yield "has a question mark outside braces"
    brackets = dict.fromkeys(_OTHER_BRACKETS.findall(text))
    if brackets:
        yield f"has {' '.join(brackets)}; no brackets but the curly ones around variables, and no PDDL, may stand in it"
    keyword = _KEYWORD.search(text)
    if keyword:
        yield f"has {keyword[0]}, which is PDDL"
    if _CLAUSE_END.search(text):
        yield "is more than one sentence; one phrase is wanted"
    if text.strip() and not re.search(r"[^\W\d_]", rest):
        yield "has no words of its own"


def _meaning_faults(text: str, kind: Kind) -> Iterator[str]:
    """Texts that would be read back as something else: as a tag, a negation or an equality."""
    low = text.casefold()
    if kind in ("actions", "predicates") and is_tag(text):
        yield "has another meaning in replies; choose other words"
    if kind == "actions" and text.startswith("I "):
        yield 'begins with "I"; it must begin with the verb'
    if kind == "predicates":
        if low.startswith(NOT_SO):
            yield f'begins with "{NOT_SO.strip()}", which is how its negation is told; choose other words'
        if _BRACES.sub("{}", low) in _SAME:
            yield "is how equality is told; choose other words"
