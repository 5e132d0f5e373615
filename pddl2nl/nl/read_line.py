"""Reading one line: the rules, from the exact one to the loosest, that turn words into an action."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from pddl2nl.nl.match import RULES, Loose, Matched, Matcher, NamedObjects, Pattern
from pddl2nl.nl.match_exact import ExactForm, FormIndex
from pddl2nl.nl.match_objects import KnownObject, Lexicon
from pddl2nl.nl.match_words import Word, fold, words_of
from pddl2nl.nl.readings import Status
from pddl2nl.nl.wording import Wording
from pddl2nl.pddl.tree import ActionSchema, Domain
from validators import GroundAction

__all__ = ["ActionGrammar", "Verdict"]


class Verdict(NamedTuple):
    """What a stretch of text says; offsets count from the beginning of the text that was given."""

    start: int
    end: int
    status: Status
    candidates: tuple[GroundAction, ...] = ()
    rules: tuple[str, ...] = ()
    reason: str = ""
    unknown: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    names_object: bool = False
    excess: int = 0


_RULES_OF_FLAGS = tuple(tuple(name for flag, name in RULES.items() if flags & flag) for flags in range(2 * max(RULES)))
_BREAK = re.compile(
    r"\s*;\s*|\.\s+|\s*(?:->|→|=>|\|)\s*|\s*,?\s*(?:and\s+)?\bthen\b,?\s+|,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE
)
_ASIDE = re.compile(r"\([^()]*\)")
_SEXPR = re.compile(r"\(\s*([^\s()]+)((?:[\s,]+[^\s(),]+)*)\s*\)")
_CALL = re.compile(r"([\w-]+)\s*\(([^()]*)\)")
_TRAILING = " \t.,;:!*_`\"'”’»~\\]|"


class ActionGrammar:
    """The grammar of a task's actions, derived from the wording's snippets and the task's objects."""

    def __init__(self, domain: Domain, wording: Wording, lexicon: Lexicon):
        self.lexicon = lexicon
        self._schemas: Mapping[str, ActionSchema] = {fold(action.name): action for action in domain.actions}
        self._snippets = {name: wording.actions[name] for name in (action.name for action in domain.actions)}
        patterns: list[Pattern] = []
        forms: list[ExactForm[Pattern]] = []
        for action in domain.actions:
            pattern = Pattern(
                self._snippets[action.name], [parameter.types for parameter in action.parameters], lexicon
            )
            patterns.append(pattern)
            parts = [fold(part) if isinstance(part, str) else part for part in self._snippets[action.name].parts]
            forms.append(ExactForm(pattern, parts, pattern.arity))
        self._matcher = Matcher(patterns, lexicon)
        self._forms = FormIndex(forms)

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
            return _verdict(0, len(text), tuple(verbatim), ())
        return _verdict(0, len(text), tuple(found), ("case",)) if found else None

    def _resolve(self, pattern: Pattern, args: tuple[str, ...]) -> Iterator[tuple[KnownObject, ...]]:
        choices: list[tuple[KnownObject, ...]] = []
        for name, types in zip(args, pattern.types, strict=True):
            objects = self.lexicon.folded.get(name)
            if objects is None:
                return
            choices.append(tuple([item for item in objects if item.fits(types)]))
        yield from product(*choices)

    # ── word by word ─────────────────────────────────────────────────────────────────────────────

    def loose(self, text: str) -> list[Verdict]:
        """What the words of a text say: nothing, one action, or several actions joined in a line."""
        words = words_of(text)
        patterns = self._matcher.candidates(words)
        if not patterns:
            return []
        matched = self._matcher.match(words, patterns)
        if not matched.candidates:
            matched = self._without_asides(text, words) or matched
        if not matched.candidates or "loose-tail" in _rules(matched):
            parts = self._parts(text)
            if len(parts) > 1:
                return [verdict for start, end in parts for verdict in self._part(text[start:end], start)]
        return [self._judge(words, patterns, matched)]

    def _without_asides(self, text: str, words: list[Word]) -> Matched | None:
        """The same words without what stands in round brackets: "stack red (with blue on it) on green"."""
        asides = [match.span() for match in _ASIDE.finditer(text)]
        kept = [word for word in words if not any(start <= word.start < end for start, end in asides)]
        if not asides or len(kept) == len(words):
            return None
        matched = self._matcher.match(kept, self._matcher.candidates(kept))
        return replace(matched, flags=matched.flags | Loose.TAIL) if matched.candidates else None

    def _part(self, text: str, start: int) -> list[Verdict]:
        kept = text.rstrip(_TRAILING)
        verdict = self.exact(kept)
        if verdict is None:
            words = words_of(kept)
            patterns = self._matcher.candidates(words)
            if not patterns:
                return []
            verdict = self._judge(words, patterns, self._matcher.match(words, patterns))
        return [
            verdict._replace(start=verdict.start + start, end=verdict.end + start, rules=("several", *verdict.rules))
        ]

    def _parts(self, text: str) -> list[tuple[int, int]]:
        """Where a line that begins with an action goes on with others: only breaks before leading words count."""
        parts: list[tuple[int, int]] = []
        start = 0
        for match in _BREAK.finditer(text):
            following = words_of(text[match.end() : match.end() + 80])
            if following and following[0].text in ("then", "i", "and", "finally", "next"):
                following = following[1:]
            if match.start() > start and self._matcher.candidates(following):
                parts.append((start, match.start()))
                start = match.end() + _skip(text, match.end())
        parts.append((start, len(text)))
        return parts

    def _judge(self, words: list[Word], patterns: list[Pattern], matched: Matched) -> Verdict:
        start = words[0].start
        if matched.candidates:
            actions = tuple(dict.fromkeys(_ground(item) for item in matched.candidates))
            return _verdict(start, matched.end, actions, _rules(matched))
        unknown = matched.unknown
        suggestions = tuple(dict.fromkeys(near for name in unknown for near in self.lexicon.near(name)))
        return Verdict(
            start,
            words[-1].end,
            "unknown-object" if unknown else "unreadable",
            reason=matched.reason,
            unknown=unknown,
            suggestions=suggestions,
            names_object=any(self.lexicon.names(word) and word.text not in ("a", "i") for word in words),
            excess=len(words) - max(len(pattern.elements) for pattern in patterns),
        )

    # ── PDDL among language ──────────────────────────────────────────────────────────────────────

    def pddl(self, text: str) -> list[Verdict]:
        """S-expressions at the beginning of a text (``(stack a b) (pick-up c)``), a call, or a bare action."""
        found: list[Verdict] = []
        at = 0
        for match in _SEXPR.finditer(text):
            if text[at : match.start()].strip(" \t,;.*_`\"'→->[]0123456789:"):
                break
            schema = self._schemas.get(fold(match[1]))
            if schema is None and (found or not match[2]):
                break
            found.append(self._ground(schema, match[1], match[2].replace(",", " ").split(), match.span()))
            at = match.end()
        call = None if found else _CALL.match(text)
        if call is not None and fold(call[1]) in self._schemas:
            schema = self._schemas[fold(call[1])]
            found.append(self._ground(schema, call[1], call[2].replace(",", " ").split(), call.span()))
        if not found:
            words = text.rstrip(_TRAILING).split()
            schema = self._schemas.get(fold(words[0])) if words else None
            if schema is not None and len(words) == len(schema.parameters) + 1:
                verdict = self._ground(schema, words[0], words[1:], (0, len(text.rstrip(_TRAILING))))
                found += [verdict] if verdict.status == "read" else []
        if len(found) > 1:
            return [verdict._replace(rules=("several", *verdict.rules)) for verdict in found]
        return found

    def _ground(self, schema: ActionSchema | None, name: str, args: list[str], span: tuple[int, int]) -> Verdict:
        """An action given by its PDDL name; objects by their told names, or all by their PDDL names."""
        start, end = span
        failed = Verdict(start, end, "unreadable", rules=("pddl",), names_object=True)
        if schema is None:
            known = any(fold(arg) in self.lexicon.folded for arg in args)
            return failed._replace(reason=f"there is no action '{name}'", names_object=known)
        if len(args) != len(schema.parameters):
            expected = len(schema.parameters)
            return failed._replace(reason=f"'{schema.name}' takes {expected} objects, found {len(args)}")
        told = [self.lexicon.by_nl.get(arg) or _only(self.lexicon.folded.get(fold(arg))) for arg in args]
        own = [self.lexicon.by_pddl.get(arg.lower()) for arg in args]
        # In language only told names were ever shown, so they come first; PDDL's own names count where all do.
        for objects in (told, own):
            known_objects = [item for item in objects if item is not None]
            if len(known_objects) == len(args) and _fit(known_objects, schema):
                action = GroundAction(schema.name, tuple([item.pddl for item in known_objects]))
                return _verdict(start, end, (action,), ("pddl",))
        unknown = tuple(
            arg for arg, first, second in zip(args, told, own, strict=True) if first is None and second is None
        )
        if unknown:
            suggestions = tuple(dict.fromkeys(near for item in unknown for near in self.lexicon.near(item)))
            quoted = ", ".join(f"'{item}'" for item in unknown)
            return failed._replace(
                status="unknown-object",
                unknown=unknown,
                suggestions=suggestions,
                reason=f"no object is called {quoted}",
            )
        return failed._replace(reason=f"the objects do not fit the types of '{schema.name}'")


def _fit(objects: Iterable[KnownObject], schema: ActionSchema) -> bool:
    return all(item.fits(parameter.types) for item, parameter in zip(objects, schema.parameters, strict=True))


def _only(objects: tuple[KnownObject, ...] | None) -> KnownObject | None:
    return objects[0] if objects is not None and len(objects) == 1 else None


def _ground(named: NamedObjects) -> GroundAction:
    return GroundAction(named.action, tuple([item.pddl for item in named.objects]))


def _verdict(start: int, end: int, actions: tuple[GroundAction, ...], rules: tuple[str, ...]) -> Verdict:
    if len(actions) == 1:
        return Verdict(start, end, "read", actions, rules, names_object=True)
    return Verdict(start, end, "ambiguous", actions, rules, "fits more than one action", names_object=True)


def _rules(matched: Matched) -> tuple[str, ...]:
    return _RULES_OF_FLAGS[matched.flags]


_OPENING = re.compile(r"(?:(?:and|then|next|finally|i|will|i'll)\b,?\s+)+", re.IGNORECASE)


def _skip(text: str, at: int) -> int:
    """How many characters of "then" and "I will" stand before the next action of a line."""
    match = _OPENING.match(text, at)
    return match.end() - at if match else 0
