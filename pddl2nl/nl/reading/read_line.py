"""Reading one line: the rules, from the exact one to the loosest, that turn words into an action."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from pddl2nl.nl.reading.match import RULES, Loose, Matched, Matcher, NamedObjects, Pattern
from pddl2nl.nl.reading.match_ending import Endings
from pddl2nl.nl.reading.match_exact import ExactForm, FormIndex
from pddl2nl.nl.reading.match_objects import KnownObject, Lexicon
from pddl2nl.nl.reading.match_static import StaticTypes
from pddl2nl.nl.reading.match_words import Word, fold, is_judged, is_mere_aside, refuses, words_of
from pddl2nl.nl.reading.read_pddl import PDDLGrammar
from pddl2nl.nl.reading.read_peel import peel
from pddl2nl.nl.reading.verdicts import TRAILING, Verdict, verdict_of
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Domain
from pddlval import GroundAction

__all__ = ["BREAKS", "ActionGrammar"]

_RULES_OF_FLAGS = tuple(tuple(name for flag, name in RULES.items() if flags & flag) for flags in range(2 * max(RULES)))
BREAKS = (
    r"\s*;\s*|\.\s+|\s*(?:->|→|=>|\|)\s*|\s*,?\s*followed\s+by\s+|\s*,?\s*(?:and\s+)?\bthen\b,?\s+|,\s*(?:and\s+)?"
    r"|\s+(?:and|&|\+|/)\s+|\s+(?=\(?\d{1,3}[.)]\s)|\s+(?=(?:step|action)\s+\d+\s*[.:)])"
)
"""What may stand between two actions of a line."""

_BREAK = re.compile(BREAKS, re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
# Counted in words, so that how long names are makes no difference.
_HEAD = re.compile(r"\S*(?:\s+\S+){0,7}")
_TITLE_WORDS = 12
_FRONT = 1000
_QUESTION = re.compile(r"[^.;!?()]*\?(?=[\s\"'*_`)”’]|$)")


class ActionGrammar:
    """The grammar of a task's actions, derived from the wording's snippets and the task's objects."""

    def __init__(self, domain: Domain, wording: Wording, lexicon: Lexicon, task: Task | None = None):
        """What never changes in a ``task``, where there is one, settles what types alone leave open."""
        self.lexicon = lexicon
        self.pddl = PDDLGrammar(domain, lexicon)
        self.statics = None if task is None else StaticTypes(task)
        self._snippets = {name: wording.actions[name] for name in (action.name for action in domain.actions)}
        self.parts = [snippet.parts for snippet in self._snippets.values()]
        self.patterns: list[Pattern] = []
        forms: list[ExactForm[Pattern]] = []
        for action in domain.actions:
            pattern = Pattern(
                self._snippets[action.name], [parameter.types for parameter in action.parameters], lexicon
            )
            self.patterns.append(pattern)
            parts = [fold(part) if isinstance(part, str) else part for part in self._snippets[action.name].parts]
            forms.append(ExactForm(pattern, parts, pattern.arity))
        self.matcher = Matcher(self.patterns, lexicon)
        self._forms = FormIndex(forms)
        self.endings = None if task is None else Endings(task, self.patterns, lexicon)

    def said(self, content: str) -> list[Verdict]:
        """What a text says from its first letter on, by the strictest rule that reads it.

        The rules of an exact reading begin with ``markup`` where marks behind it had to be overlooked.
        """
        tried = ""
        for kept in (content, content.rstrip(" .!,;"), content.rstrip(TRAILING)):
            if kept != tried and (verdict := self.exact(kept)):
                return [verdict if kept == content else verdict.moved(0, "markup")]
            tried = kept
        if "?" in content and _QUESTION.match(content):
            return []
        found = self._cells(content) if "|" in content else []
        return found or self._words(content)

    def _words(self, content: str) -> list[Verdict]:
        verdicts = self.pddl.read(content) if content[0] == "(" else []
        if verdicts and not any(item.status == "read" for item in verdicts):
            inner = self.loose(content[1:].rstrip(f") {TRAILING}"))
            if inner and all(item.status == "read" for item in inner):
                return [item.moved(1) for item in inner]
        if verdicts:
            return verdicts
        verdicts = self.loose(content)
        if not verdicts or verdicts[0].status in ("unreadable", "unknown-object"):
            verdicts = self.pddl.read(content) or verdicts
        if not any(item.status == "read" for item in verdicts):
            return self._behind_colon(content) or verdicts
        return verdicts

    # ── letter by letter ─────────────────────────────────────────────────────────────────────────

    def exact(self, text: str) -> Verdict | None:
        """The text as a snippet filled with objects, letter case and hyphens aside."""
        folded = fold(text)
        if len(folded) != len(text):
            return None
        verbatim: dict[GroundAction, None] = {}
        found: dict[GroundAction, None] = {}
        for form, args in self._forms.read(folded, self.lexicon.folded.__contains__):
            for objects in self._resolve(form.meaning, args):
                action = GroundAction(form.meaning.name, tuple([item.pddl for item in objects]))
                found[action] = None
                if self._snippets[action.name].fill([item.nl for item in objects]) == text:
                    verbatim[action] = None
        if verbatim:
            return self._decided(0, len(text), tuple(verbatim), ())
        return self._decided(0, len(text), tuple(found), ("case",)) if found else None

    def _resolve(self, pattern: Pattern, args: tuple[str, ...]) -> Iterator[tuple[KnownObject, ...]]:
        choices: list[tuple[KnownObject, ...]] = []
        for name, types in zip(args, pattern.types, strict=True):
            objects = self.lexicon.folded.get(name)
            if objects is None:
                return
            choices.append(tuple([item for item in objects if item.fits(types)]))
        yield from product(*choices)

    def _decided(self, start: int, end: int, actions: tuple[GroundAction, ...], rules: tuple[str, ...]) -> Verdict:
        """The action; of several, the one that static unary predicates allow, if they allow just one."""
        if len(actions) > 1 and self.statics is not None:
            only = self.statics.only(actions)
            if only is not None:
                return verdict_of(start, end, (only,), (*rules, "static-types"))
        return verdict_of(start, end, actions, rules)

    # ── word by word ─────────────────────────────────────────────────────────────────────────────

    def begins_like_one(self, text: str) -> bool:
        """Whether a text begins with the leading words of an action."""
        head = _HEAD.match(text)
        return bool(self.matcher.candidates(words_of(text if head is None else head[0])))

    def loose(self, text: str) -> list[Verdict]:
        """What the words of a text say: nothing, one action, or several actions joined in a line."""
        words = words_of(text)
        patterns = self.matcher.candidates(words)
        if not patterns:
            return []
        matched = self.matcher.match(words, patterns)
        if not matched.candidates:
            matched = self._without_asides(text, words) or matched
        if not matched.candidates or "loose-tail" in _rules(matched):
            parts = self._parts(text)
            if len(parts) > 1:
                return _all_or_none([item for start, end in parts for item in self._part(text[start:end], start)], text)
        if not matched.candidates and self.endings is not None:
            actions = self.endings.complete(words, patterns)
            if actions:
                return [verdict_of(words[0].start, words[-1].end, actions, ("loose-ending", "static"))]
        return [self._judge(words, patterns, matched)]

    def _without_asides(self, text: str, words: list[Word]) -> Matched | None:
        """The same words without what stands in round brackets: "stack red (with blue on it) on green"."""
        asides = [match.span() for match in _ASIDE.finditer(text) if is_mere_aside(words_of(match[0]))]
        starts = [start for start, _ in asides]
        kept = [word for word in words if not _lies_in(word.start, starts, asides)]
        if not asides or len(kept) == len(words):
            return None
        matched = self.matcher.match(kept, self.matcher.candidates(kept))
        return replace(matched, flags=matched.flags | Loose.TAIL) if matched.candidates else None

    def _part(self, text: str, start: int) -> list[Verdict]:
        kept = text.rstrip(TRAILING)
        verdict = self.exact(kept)
        if verdict is None:
            words = words_of(kept)
            patterns = self.matcher.candidates(words)
            if not patterns:
                return []
            verdict = self._judge(words, patterns, self.matcher.match(words, patterns))
        return [verdict.moved(start, "several")]

    def _parts(self, text: str) -> list[tuple[int, int]]:
        """Where a line that begins with an action goes on with others: only breaks before leading words count."""
        parts: list[tuple[int, int]] = []
        start = 0
        for match in _BREAK.finditer(text):
            if match.start() <= start:
                continue
            # Only the front is looked at, so that a line of thousands of actions takes no quadratic time.
            peeled = peel(text[match.end() : match.end() + _FRONT])
            following = match.end() + peeled.start
            if peeled.label != "thought" and self.begins_like_one(text[following : following + _FRONT]):
                parts.append((start, match.start()))
                start = following
        parts.append((start, len(text)))
        return parts

    def _judge(self, words: list[Word], patterns: list[Pattern], matched: Matched) -> Verdict:
        start = words[0].start
        if matched.candidates:
            actions = tuple(dict.fromkeys(_ground(item) for item in matched.candidates))
            # Where only words were compared, nothing was overlooked but marks and blanks between them.
            return self._decided(start, matched.end, actions, _rules(matched) or ("markup",))
        unknown = matched.unknown
        return Verdict(
            start,
            words[-1].end,
            "unknown-object" if unknown else "unreadable",
            candidates=() if matched.mistyped is None else (_ground(matched.mistyped),),
            reason=matched.reason,
            unknown=unknown,
            suggestions=self.lexicon.near_all(unknown),
            names_object=any(self.lexicon.names(word) and word.text not in ("a", "i") for word in words),
            excess=len(words) - max(len(pattern.elements) for pattern in patterns),
        )

    # ── the action behind or beside something else ───────────────────────────────────────────────

    def _behind_colon(self, content: str) -> list[Verdict]:
        """The action behind a title of its own: "**Unstack red**: unstack the red block from …"."""
        colon = content.find(":")
        if colon < 0 or content.count(" ", 0, colon) > _TITLE_WORDS:
            return []
        rest = content[colon + 1 :]
        start = colon + 1 + peel(rest.lstrip()).start + len(rest) - len(rest.lstrip())
        if not content[start:].strip() or not self.loose(content[:colon]):
            return []
        return [
            item.moved(start, "prefix")
            for item in self.loose(content[start:])
            if item.status == "read" and "loose-tail" not in item.rules
        ]

    def _cells(self, content: str) -> list[Verdict]:
        """The actions in the cells of a table's row; a cell that says the same as the one before counts once."""
        found: list[Verdict] = []
        ruled_out = False
        at = 0
        for cell in content.split("|"):
            start = at + len(cell) - len(cell.lstrip())
            at += len(cell) + 1
            peeled = peel(cell.strip())
            said = cell.strip()[peeled.start :]
            if not said or peeled.label == "thought":
                continue
            ruled_out = ruled_out or refuses(words_of(said))
            for item in self.said(said):
                if item.status == "read" and not (found and set(found[-1].candidates).intersection(item.candidates)):
                    found.append(item.moved(start + peeled.start))
        if ruled_out:
            return [_refused(item) for item in found]
        if len(found) > 1:
            return [item.moved(0, "several") for item in found]
        return found


def _lies_in(offset: int, starts: list[int], spans: list[tuple[int, int]]) -> bool:
    """Whether an offset lies in one of some spans, given in order with their starts."""
    index = bisect_right(starts, offset) - 1
    return index >= 0 and offset < spans[index][1]


def _all_or_none(verdicts: list[Verdict], text: str) -> list[Verdict]:
    """Several actions of a line; none of them where a sentence about them ends it: "a and b are impossible"."""
    last = verdicts[-1] if verdicts else None
    if last is None or last.status != "unreadable" or not is_judged(words_of(text[last.start : last.end])):
        return verdicts
    return [_refused(item) for item in verdicts]


def _refused(verdict: Verdict) -> Verdict:
    """An action that its own line rules out."""
    return verdict._replace(status="unreadable", candidates=(), rules=(), reason="the line says that it is not done")


def _ground(named: NamedObjects) -> GroundAction:
    return GroundAction(named.action, tuple([item.pddl for item in named.objects]))


def _rules(matched: Matched) -> tuple[str, ...]:
    return _RULES_OF_FLAGS[matched.flags]
