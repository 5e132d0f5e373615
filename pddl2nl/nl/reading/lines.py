"""What one line says: its sentences and clauses, and the action, the stance or the failure of each.

The rules, from the exact one to the loosest: letter by letter as told; PDDL; JSON; the words of each clause
(`pddl2nl.nl.reading.actions`), with the stance that the words around the action give it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from pddl2nl.nl.reading.actions import PARTICLES, RULES, Fit, Frame, Frames, Mention, StaticFacts
from pddl2nl.nl.reading.exact import ExactForm, FormIndex
from pddl2nl.nl.reading.formal import PDDLGrammar
from pddl2nl.nl.reading.labels import peel
from pddl2nl.nl.reading.lexicon import Lexicon
from pddl2nl.nl.reading.references import REFERS, References, follow
from pddl2nl.nl.reading.stance import CORRECTIONS, Judged, is_open, is_vague, label_stance, rejects_before, stance_of
from pddl2nl.nl.reading.verdicts import TRAILING, Verdict, verdict_of
from pddl2nl.nl.reading.words import (
    ARTICLES,
    FILLERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    Word,
    fold,
    is_judged,
    is_mere_aside,
    is_reason,
    refuses,
    tail_is_harmless,
    word_set,
    words_of,
)
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Domain
from pddlval import GroundAction

__all__ = ["ActionGrammar"]

_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_EXCLUSION = re.compile(r"\(not (?:on|in|to|from|at|with|the|behind|into|onto)\b[^()]*\)")
_TOKEN = re.compile(r"(\w+(?:-\w+)*)")
_REGULAR = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*[_-][0-9]+")
_BY_FACTS = frozenset(("static", "static-types", "loose-ending", "reference"))
_MOST_HOLES = 50
_MOST_SHAPES = 5000
_UNKNOWN = "it begins like none of the actions"
_LEAD = 14
"""Words before a verb that are looked at."""

_REACH = 40
"""Words behind a verb that can belong to its action."""

_PASSIVES = word_set("is are was be been being get gets getting 's")
_EVENTS = word_set(
    "then next now first second third finally lastly afterwards subsequently after be being get gets getting"
)
"""Words beside a passive that make it something that happens, and no state."""
_ENDS = (".", ";", "?", ">")
_JOINTS = word_set("and then finally next afterwards & + so but plus before after followed")
_OPENERS = word_set(
    "i i'll i’ll i'd we we'll we’ll let's let’s and then finally next now first second third last lastly afterwards "
    "so therefore also again please the robot agent you by to back on from step & + no wait actually instead rather "
    "followed will shall can must should need going am i'm i’m proceed just that after but would"
)

_SUBJECTLESS = _OPENERS | _PASSIVES | {"it", "they"}


class ActionGrammar:
    """The grammar of a task's actions, derived from the wording's snippets and the task's objects."""

    def __init__(self, domain: Domain, wording: Wording, lexicon: Lexicon, task: Task | None = None):
        """What never changes in a ``task``, where there is one, settles what types alone leave open."""
        self.lexicon = lexicon
        self.pddl = PDDLGrammar(domain, lexicon)
        self.statics = None if task is None else StaticFacts(task)
        self._snippets = {name: wording.actions[name] for name in (action.name for action in domain.actions)}
        self.parts = [snippet.parts for snippet in self._snippets.values()]
        frames: list[Frame] = []
        forms: list[ExactForm[Frame]] = []
        for action in domain.actions:
            snippet = self._snippets[action.name]
            frame = Frame.of(snippet, [parameter.types for parameter in action.parameters], lexicon)
            frames.append(frame)
            parts = [fold(part) if isinstance(part, str) else part for part in snippet.parts]
            forms.append(ExactForm(frame, parts, len(frame.types)))
        self.frames = Frames(frames, lexicon, self.statics)
        self.references = References(self.frames)
        nouns = "|".join(map(re.escape, sorted(lexicon.type_words)))
        self._refers = re.compile(
            REFERS + (rf"|\b(?:the|that|this|said|same|its)\s+(?:{nouns})\b(?!\s+\w+[_-]\d)" if nouns else ""),
            re.IGNORECASE,
        ).search
        self._forms = FormIndex(forms)
        self._longest = max((len(frame.slots) for frame in frames), default=0)
        self._holes = self._classes()
        self._kept: dict[tuple[str, bool, tuple[int, ...]], tuple[_Template, ...]] = {}

    def _classes(self) -> dict[str, str]:
        """By told name a mark for all objects that every rule treats alike, for names that can be nothing else."""
        found: dict[str, str] = {}
        marks: dict[tuple[frozenset[str], frozenset[str], str], str] = {}
        for name, item in self.lexicon.by_nl.items():
            if _REGULAR.fullmatch(name) and len(self.lexicon.folded[fold(name)]) == 1:
                facts = frozenset() if self.statics is None else self.statics.unary(item.pddl)
                mark = marks.setdefault((item.types, facts, name.rstrip("0123456789")), f"\0{len(marks)}\0")
                found[name] = mark
        return found

    # ── letter by letter ─────────────────────────────────────────────────────────────────────────

    def exact(self, text: str) -> Verdict | None:
        """The text as a snippet filled with objects, letter case and hyphens aside."""
        folded = fold(text)
        if len(folded) != len(text):
            return None
        verbatim: dict[GroundAction, None] = {}
        found: dict[GroundAction, None] = {}
        for form, args in self._forms.read(folded, self.lexicon.folded.__contains__):
            choices = [
                [item for item in self.lexicon.folded.get(name, ()) if item.fits(types)]
                for name, types in zip(args, form.meaning.types, strict=True)
            ]
            for objects in product(*choices):
                action = GroundAction(form.meaning.action, tuple([item.pddl for item in objects]))
                found[action] = None
                if self._snippets[action.name].fill([item.nl for item in objects]) == text:
                    verbatim[action] = None
        if verbatim:
            return self._decided(0, len(text), tuple(verbatim), ())
        return self._decided(0, len(text), tuple(found), ("case",)) if found else None

    def _decided(self, start: int, end: int, actions: tuple[GroundAction, ...], rules: tuple[str, ...]) -> Verdict:
        """The action; of several, the one whose static preconditions hold, if there is just one."""
        if len(actions) > 1 and self.statics is not None:
            only = self.statics.only(actions)
            if only is not None:
                return verdict_of(start, end, (only,), (*rules, "static-types"))
        return verdict_of(start, end, actions, rules)

    # ── a whole line ─────────────────────────────────────────────────────────────────────────────

    def said(self, content: str, *, listed: bool = False, before: Sequence[GroundAction] = ()) -> list[Verdict]:
        """What a line says behind its marks and labels: a verdict for each clause about an action.

        ``before``: the actions read before it, the latest last, to which its pronouns may refer.
        Lines that differ only in objects that cannot be told apart by their names, types and static unary facts are
        read once: what the first says, with holes in the places of its objects, is kept.
        """
        parts = _TOKEN.split(content)
        held = list(filter(self._holes.__contains__, parts))
        if not held or len(held) > _MOST_HOLES:
            return self._said(content, listed, before)
        shape = "".join(map(self._holes.get, parts, parts))
        key = (shape, listed, tuple([held.index(name) for name in held]) if len(set(held)) < len(held) else ())
        templates = self._kept.get(key)
        if templates is not None:
            return [_filled(template, held, self.lexicon) for template in templates]
        verdicts = self._said(content, listed, before)
        # What its pronouns stand for may be another object the next time.
        settled = all(item.status == "read" for item in verdicts) or not self._refers(content)
        kept = self._with_holes(verdicts, parts, held) if settled else None
        if kept is not None:
            if len(self._kept) >= _MOST_SHAPES:
                self._kept.clear()
            self._kept[key] = kept
        return verdicts

    def _with_holes(
        self, verdicts: Sequence[Verdict], parts: Sequence[str], held: Sequence[str]
    ) -> tuple[_Template, ...] | None:
        """Verdicts as templates; None where other objects of the same kinds could make another reading."""
        rest = [part for part in parts if part not in self._holes]
        named = any(part in self.lexicon.by_pddl or part.lower() in self.lexicon.folded for part in rest)
        if named or self.frames.mentions(words_of("".join(part if part not in self._holes else ";" for part in parts))):
            return None
        spans: list[tuple[int, int]] = []
        at = 0
        for part in parts:
            if part in self._holes:
                spans.append((at, at + len(part)))
            at += len(part)
        places = {self.lexicon.by_nl[name].pddl: index for index, name in reversed(list(enumerate(held)))}
        found: list[_Template] = []
        for verdict in verdicts:
            plain = verdict.status in ("read", "not-an-action") and not _BY_FACTS.intersection(verdict.rules)
            start, end = _place(verdict.start, spans), _place(verdict.end, spans)
            if not plain or start is None or end is None or any(name in verdict.stance for name in held):
                return None
            actions = tuple(
                (action.name, tuple(places.get(arg, arg) for arg in action.args)) for action in verdict.candidates
            )
            found.append(_Template(start, end, actions, verdict))
        return tuple(found)

    def _said(self, content: str, listed: bool, before: Sequence[GroundAction] = ()) -> list[Verdict]:
        if content.startswith("(:"):
            return []
        tried = ""
        for kept in (content, content.rstrip(" .!,;"), content.rstrip(TRAILING)):
            if kept != tried and (verdict := self.exact(kept)):
                return [verdict if kept == content else verdict.moved(0, "markup")]
            tried = kept
        found = self._cells(content, listed) if "|" in content else []
        return found or self._words(content, listed, before)

    def _words(self, content: str, listed: bool, before: Sequence[GroundAction]) -> list[Verdict]:
        verdicts = self.pddl.read(content)
        if verdicts and not any(item.status == "read" for item in verdicts):
            inner = self.clauses(content.strip("( ").rstrip(f") {TRAILING}"), listed) if content[0] == "(" else []
            if inner and all(item.status == "read" for item in inner):
                return [item.moved(content.index(content.strip("( ")[0])) for item in inner]
            loose = [] if content[0] == "(" else self.clauses(content, listed, before)
            return loose if any(item.status == "read" for item in loose) else verdicts
        return verdicts or self.clauses(content, listed, before)

    def _cells(self, content: str, listed: bool) -> list[Verdict]:
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
            for item in self.said(said, listed=True):
                if item.status == "read" and not (found and set(found[-1].candidates).intersection(item.candidates)):
                    found.append(item.moved(start + peeled.start))
        if ruled_out:
            return [_refused(item) for item in found]
        if len(found) > 1:
            return [item.moved(0, "several") for item in found]
        return found

    def restates(self, text: str, done: Collection[GroundAction]) -> bool:
        """Whether one of the actions done has a verb of the text, and all objects of the text are such an action's."""
        words = words_of(text)
        names = {frame.action for word in words for frame, _, _ in self.frames.verbs.get(word.text, ())}
        same = [action for action in done if action.name in names]
        args = {arg for action in same for arg in action.args}
        mentions = [item for item in self.frames.mentions(words) if item.objects]
        return bool(same) and all(any(known.pddl in args for known in item.objects) for item in mentions)

    # ── clauses ──────────────────────────────────────────────────────────────────────────────────

    def clauses(self, text: str, listed: bool = False, before: Sequence[GroundAction] = ()) -> list[Verdict]:
        """What the sentences and clauses of a text say about actions, in order."""
        words = words_of(text)
        if "|" in text:
            words = [word._replace(parted="" if word.parted == ">" else word.parted) for word in words]
        words = self._with_arrows_said(_without_exclusions(text, words))
        context = list(before)
        found: list[Verdict] = []
        sentences = list(self._sentences(words))
        label: Sequence[Word] = ()
        for index, sentence in enumerate(sentences):
            if "?" in text[sentence[-1].end : sentence[-1].end + 3]:
                continue
            said = text[sentence[0].start : sentence[-1].end]
            if found and found[-1].status == "read" and rejects_before(said):
                found[-1] = _refused(found[-1])
                continue
            if label and text[label[-1].end : sentence[0].start].strip(' *_`"') == ":" and label_stance(label):
                label = sentence
                continue
            verdicts = self._sentence(text, sentence, listed and index == 0, context)
            if verdicts and found and found[-1].status in ("unreadable", "unknown-object"):
                titled = text[found[-1].end : sentence[0].start].strip(' *_`"') == ":"
                if titled and verdicts[0].status == "read":
                    found.pop()
                    verdicts[0] = verdicts[0].moved(0, "prefix")
            label = sentence
            if verdicts and verdicts[0].status == "read" and _takes_back(sentence):
                if found and found[-1].status == "read":
                    found[-1] = found[-1]._replace(status="not-an-action", stance="rejected (corrected)")
                elif not found:
                    verdicts[0] = verdicts[0]._replace(stance="corrects")
            found += verdicts
        read = [item for item in found if item.status in ("read", "ambiguous")]
        if len(read) == 1 and words and words[-1].start >= read[0].end and "loose-tail" not in read[0].rules:
            found[found.index(read[0])] = read[0]._replace(
                rules=(*(rule for rule in read[0].rules if rule != "markup"), "loose-tail")
            )
        if len(read) > 1:
            found = [
                item.moved(0, "several")
                if item.status in ("read", "ambiguous", "unreadable", "unknown-object")
                else item
                for item in found
            ]
        return found

    def _sentences(self, words: Sequence[Word]) -> Iterator[Sequence[Word]]:
        """Sentences. A dash or a colon parts them where an action follows it."""
        start = 0
        named = self._named(words)
        for index, word in enumerate(words):
            numbered = (
                index > start and word.parted == "(" and words[index - 1].text.isdigit() and index - 1 not in named
            )
            cut = word.parted in _ENDS or (
                (word.parted in ("-", ":") or numbered)
                and (word.text in CORRECTIONS or self._begins_action(words, index))
            )
            if index > start and cut:
                # "… 2. pick up c": the number belongs to what follows.
                counts = words[index - 1].text.isdigit() and index - 1 not in named
                end = index - 1 if word.parted in ".:(" and counts else index
                end -= end < index and end - 1 > start and words[end - 1].text in ("step", "action")
                if end > start:
                    yield words[start:end]
                start = index
        if start < len(words):
            yield words[start:]

    def _named(self, words: Sequence[Word]) -> frozenset[int]:
        """Where words of object names stand: "location 0" holds no number of a list."""
        return frozenset(index for item in self.frames.mentions(words) for index in range(item.first, item.last))

    def _begins_clause(self, words: Sequence[Word], index: int) -> bool:
        """Whether a clause with a subject of its own begins at an index: ", the ferry is sailed", "and it is put"."""
        start = at = self._behind_joints(words, index)
        row = words[at : at + 12]
        stop = next((place for place, word in enumerate(row) if self._acts(word)), 0)
        if not stop:
            return False
        named = self._named(row[:stop])
        nouns = ARTICLES | self.lexicon.type_words | {"it", "they"}
        while at - start < stop:
            word = words[at]
            if (at > start and word.parted) or not (
                at - start in named
                or word.text in nouns
                or (word.text in self.frames.vocabulary and word.text not in PREPOSITIONS)
            ):
                break
            at += 1
        subject = at > start
        while at < len(words) and words[at].text in _SUBJECTLESS and words[at].text not in self.frames.verbs:
            at += 1
        forms = self.frames.verbs.get(words[at].text, ()) if at < len(words) else ()
        passive = any(word.text in _PASSIVES for word in words[start:at])
        return subject and any(form == "s" or (form == "past" and passive) for _, form, _ in forms)

    def _acts(self, word: Word) -> bool:
        return word.text in self.frames.verbs or word.text in _PASSIVES

    def _begins_action(self, words: Sequence[Word], index: int) -> bool:
        """Whether an action's verb stands at an index, behind words that may open a clause."""
        for at in range(index, min(index + 6, len(words))):
            text = words[at].text
            if at > index and words[at].parted in _ENDS:
                return False
            if text in self.frames.verbs and not (at == index and text in PREPOSITIONS):
                return True
            if text not in _OPENERS and not text.isdigit():
                return False
        return False

    def _sentence(self, text: str, words: Sequence[Word], listed: bool, context: list[GroundAction]) -> list[Verdict]:
        """The verdicts of a sentence's clauses; ``context`` holds the actions read so far, and takes its own."""
        whole = self._clause(text, words, listed, context)
        if whole is not None and whole.status in ("read", "ambiguous") and "loose-tail" not in whole.rules:
            follow(context, whole.status, whole.candidates, whole.stance)
            return [whole]
        parts = self._split(words, whole.end if whole is not None and whole.status in ("read", "ambiguous") else 0)
        if len(parts) > 1:
            found: list[Verdict] = []
            verb: Word | None = None
            lead: Sequence[Word] = ()
            for part in parts:
                verdict = self._clause(text, part, listed, context)
                if lead and (verdict is None or verdict.status != "read"):
                    verdict = self._shared(text, lead, part, listed, context) or verdict
                if own := self._lead(part):
                    lead = own
                if (
                    verdict is not None
                    and found
                    and part[0].text in ("and", "or")
                    and found[-1].stance
                    and (part[1].text in self.frames.verbs)
                ):
                    # "It makes no sense to stack a on b and pick up c."
                    verdict = verdict._replace(status="not-an-action", candidates=(), stance=found[-1].stance)
                verb = next((word for word in part if word.text in self.frames.verbs), verb)
                if verdict is None and found and verb is not None:
                    verdict = self._chained(text, verb, part, found[-1])
                if verdict is not None:
                    found.append(verdict)
                    follow(context, verdict.status, verdict.candidates, verdict.stance)
                    if found[0].stance and (
                        verdict.status in ("unreadable", "unknown-object") or is_open(verdict.stance)
                    ):
                        # The sentence is no step, so what it joins to its first verb is none either.
                        found[-1] = verdict._replace(status="not-an-action", stance=found[0].stance, reason="")
                elif self._bids(part):
                    # An action of two verbs, said the other way round, or a verb of no action.
                    start, end = part[0].start, part[-1].end
                    found.append(Verdict(start, end, "unreadable", reason=_UNKNOWN, names_object=True))
            if any(item.reason == _UNKNOWN for item in found) and any(
                part[0].text in self.frames.vocabulary for part in parts
            ):
                start, end = words[0].start, words[-1].end
                return [Verdict(start, end, "unreadable", reason=_UNKNOWN, names_object=True)]
            if found and (len(found) > 1 or found[0].status in ("read", "ambiguous")):
                return _all_or_none(found, text)
        if whole is not None:
            follow(context, whole.status, whole.candidates, whole.stance)
        return [] if whole is None else [whole]

    def _lead(self, part: Sequence[Word]) -> Sequence[Word]:
        """The words before a clause's verb, with its subject; none where it has no subject of its own."""
        at = next((index for index, word in enumerate(part) if word.text in self.frames.verbs), 0)
        start = self._behind_joints(part, 0)
        return part[start:at] if at - start > 0 else ()

    def _shared(
        self, text: str, lead: Sequence[Word], part: Sequence[Word], listed: bool, context: Sequence[GroundAction]
    ) -> Verdict | None:
        """A clause read with the subject of the clause before: "the robot drives to b *and loads c*"."""
        at = self._behind_joints(part, 0)
        if at == len(part) or part[at].text not in self.frames.verbs:
            return None
        words = [*(word._replace(parted="") for word in lead), part[at]._replace(parted=""), *part[at + 1 :]]
        verdict = self._clause(text, words, listed, context)
        if verdict is None or verdict.status not in ("read", "ambiguous"):
            return None
        return verdict._replace(start=part[at].start)

    def _with_arrows_said(self, words: list[Word]) -> list[Word]:
        """The words with "from" and "to" where an arrow between two objects stands for them: "sail a -> b"."""
        if not any(word.parted == ">" for word in words):
            return words
        mentions = self.frames.mentions(words)
        found = list(words)
        for one, other in reversed(list(pairwise(mentions))):
            announced = one.first > 0 and words[one.first - 1].text in PREPOSITIONS - {"from"}
            if announced or one.last != other.first or words[other.first].parted != ">":
                continue
            target, source = words[other.first], words[one.first]
            found[other.first : other.first + 1] = [_inserted("to", target.start), target._replace(parted="")]
            if one.first and words[one.first - 1].text not in PREPOSITIONS:
                found[one.first : one.first + 1] = [_inserted("from", source.start), source._replace(parted="")]
        return found

    def _bids(self, words: Sequence[Word]) -> bool:
        """Whether words begin with a verb of no action, followed by an object: "drop key_9"."""
        first = words[0]
        mentions = self.frames.mentions(words[:6])
        if not first.text.isalpha() or not mentions or mentions[0].first == 0:
            return False
        plain = first.text in PREPOSITIONS | ARTICLES | FILLERS | PRONOUNS | _OPENERS | self.lexicon.type_words
        beside = ARTICLES | self.lexicon.type_words
        return not plain and all(word.text in beside for word in words[1 : mentions[0].first])

    def _split(self, words: Sequence[Word], behind: int) -> list[Sequence[Word]]:
        """A sentence cut before "and", "then" or a comma where another action begins, behind an offset."""
        parts: list[Sequence[Word]] = []
        start = 0
        named = self._named(words)
        for index in range(1, len(words)):
            word = words[index]
            counts = word.text.isdigit() and index not in named
            joint = word.parted in (",", "-", ":", "(", ">") or word.text in _JOINTS or counts
            inside = words[index - 1].text in _JOINTS and not word.parted and index - 1 > start
            if not joint or inside or index <= start or word.start < behind:
                continue
            if word.text in _JOINTS and all(item.text in _SUBJECTLESS for item in words[start:index]):
                # "It is then moved": what stands before is the subject.
                continue
            if word.parted in ("(", ":") and not any(item.text in self.frames.verbs for item in words[start:index]):
                # A label's words say how the action behind it is meant: "[Thought] …".
                continue
            begins = self._begins_action(words, index) or self._begins_chain(words, index)
            if begins or self._begins_clause(words, index):
                parts.append(words[start:index])
                start = index
        parts.append(words[start:])
        return parts

    def _begins_chain(self, words: Sequence[Word], index: int) -> bool:
        """Whether a clause without a verb goes on with the action before: ", then to place_0", "and b from c"."""
        at = self._behind_joints(words, index)
        if at == index and words[index].parted != ",":
            return False
        moving = at < len(words) and words[at].text in ("to", "from")
        mentions = self.frames.mentions(words[at : at + 12])
        beside = ARTICLES | self.lexicon.type_words | PREPOSITIONS
        if not mentions or any(word.text not in beside for word in words[at : at + mentions[0].first]):
            return False
        behind = words[at + mentions[0].last : at + mentions[0].last + 1]
        return moving or bool(behind and behind[0].text in PREPOSITIONS and len(mentions) > 1)

    def _behind_joints(self, words: Sequence[Word], index: int) -> int:
        while index < len(words) and words[index].text in ("and", "then", "finally", "back", "next", "again", "on"):
            index += 1
        return index

    def _chained(self, text: str, verb: Word, words: Sequence[Word], before: Verdict) -> Verdict | None:
        """An action without its verb, or said by its target alone: it starts from where the one before it ended."""
        if before.status != "read" or not self._begins_chain([verb, *words], 1):
            return None
        words = words[self._behind_joints(words, 0) :]
        start, end = words[0].start, words[-1].end
        again = self._clause(text, [verb, *words], True, ())
        if again is not None and again.status == "read":
            return again._replace(start=start)
        action = before.candidates[0]
        frame = next(frame for frame in self.frames.frames if frame.action == action.name)
        mentions = self.frames.mentions(words)
        sources = [frame.slots[i] for i, role in enumerate(frame.roles) if "from" in role.prepositions]
        targets = [frame.slots[i] for i, role in enumerate(frame.roles) if "to" in role.prepositions]
        failed = Verdict(start, end, "unreadable", reason="it goes on with the action before it", names_object=True)
        if (
            words[0].text != "to"
            or [len(item.objects) for item in mentions] != [1]
            or len(sources) != 1 != len(targets)
        ):
            return failed
        item = mentions[0].objects[0]
        if (
            len(targets) != 1
            or frame.types[sources[0]] != frame.types[targets[0]]
            or not item.fits(frame.types[targets[0]])
        ):
            return failed
        args = list(action.args)
        args[sources[0]], args[targets[0]] = args[targets[0]], item.pddl
        if self.statics is not None and not self.statics.allows(GroundAction(action.name, tuple(args))):
            return failed
        return verdict_of(
            start, words[mentions[0].last - 1].end, (GroundAction(action.name, tuple(args)),), ("loose-ending",)
        )

    # ── one clause ───────────────────────────────────────────────────────────────────────────────

    def _clause(
        self, text: str, words: Sequence[Word], listed: bool, context: Sequence[GroundAction]
    ) -> Verdict | None:
        """The action of a clause with its stance, or why it is none; None where nothing speaks of an action."""
        failed: Verdict | None = None
        tried = 0
        for at, word in enumerate(words[: _LEAD + _REACH]):
            if word.text not in self.frames.verbs or tried > 3:
                continue
            if word.text in ("going", "go", "continue", "proceed") and any(
                item.text in self.frames.verbs and item.text not in self.lexicon.type_words
                for item in words[at + 2 : at + 3] if words[at + 1].text == "to"
            ):  # fmt: skip
                # "I am going to move …"
                continue
            tried += 1
            verdict = self._at_verb(text, words, at, listed, context)
            if verdict is not None and verdict.status in ("read", "ambiguous"):
                return verdict
            if failed is None or (verdict is not None and not failed.stance and failed.status == "not-an-action"):
                failed = verdict or failed
        return failed

    def _at_verb(
        self, text: str, words: Sequence[Word], at: int, listed: bool, context: Sequence[GroundAction]
    ) -> Verdict | None:
        begin = max(0, at - _LEAD)
        row = list(words[begin : at + _REACH])
        verb = at - begin
        cut = begin > 0
        fits, row, verb, aside, meant = self._fitted(text, row, verb, context)
        form = next((form for _, form, _ in self.frames.verbs[words[at].text]), "base")
        if not fits:
            return self._failed(words, at, listed, form)
        fit = fits[0]
        form = next(f for frame, f, _ in self.frames.verbs[words[at].text] if frame is fit.frame)
        passive = form == "past" and any(word.text in _PASSIVES for word in row[:verb])
        lead = [word for index, word in enumerate(row[:verb]) if not _lies_in(index, fit.first, verb, self, row)]
        # "The ferry sails …": what the snippet itself names can be who acts.
        named = fit.frame.content - PREPOSITIONS - ARTICLES
        actor = [word for before, word in pairwise(lead) if before.text in ARTICLES and word.text in named]
        lead = [word for word in lead if word not in actor and word.start not in meant and word.raw]
        if context and lead and lead[0].text in ("it", "they"):
            # Who acted before acts again.
            lead = lead[1:]
        if fit.first < verb:
            lead = [word for word in lead if word.text not in self.lexicon.type_words]
        subject = bool(actor) or fit.first < verb
        judged = stance_of(lead, form, listed=listed and at < 4, passive=passive, subject=subject)
        if cut and judged.stance == "asserted":
            judged = Judged("unclear", "…")
        if passive and judged.stance == "asserted" and not (listed or _is_event(fit.frame, row[:verb])):
            judged = Judged("unclear", "a state")
        tail = [word for word in words if word.start > row[fit.last - 1].start]
        rules = tuple(f"loose-{name}" for name in RULES if name in fit.loose and name not in ("form", "order", "words"))
        rules += tuple(f"loose-{name}" for name in ("order", "words", "form") if name in fit.loose)
        harmless = True
        if tail:
            harmless = tail_is_harmless(tail, self.lexicon.names)
            if judged.stance == "asserted" and is_vague(text[tail[0].start : tail[-1].end]):
                judged = Judged("goal", "put off")
        if tail or aside:
            rules += ("loose-tail",)
        start, end = row[min(fit.first, verb)].start, row[fit.last - 1].end
        if fit.first < verb and judged.stance == "asserted":
            start = row[fit.first].start
        elif fit.first >= verb or not fit.loose & {"order"}:
            start = row[verb].start
        if judged.stance != "asserted":
            return Verdict(start, end, "not-an-action", stance=str(judged), names_object=True)
        if not harmless:
            reason = (
                "the line says that it is not done"
                if refuses(tail)
                else "what follows takes it back or does not belong to it"
            )
            return Verdict(
                start, words[-1].end, "unreadable", reason=reason, names_object=True, excess=len(tail),
                stance="rejected" if refuses(tail) else "",
            )  # fmt: skip
        actions = tuple(dict.fromkeys(action for item in fits for action in item.actions))
        if lead:
            rules = ("prefix", *rules)
        if fit.omitted >= 0:
            rules += ("static",)
        if meant:
            rules += ("reference",)
        return self._decided(start, end, actions, rules or ("markup",))

    def _fitted(
        self, text: str, row: list[Word], verb: int, context: Sequence[GroundAction]
    ) -> tuple[list[Fit], list[Word], int, bool, frozenset[int]]:
        """The fits of a clause: as it stands, without what stands in brackets, without clauses about an object.

        Then with the objects of ``context`` that its pronouns stand for, whose offsets come last.
        """
        passive = any(word.text in _PASSIVES for word in row[:verb])
        mentions = self._core(row, verb)
        fits = self.frames.fits(row, verb, mentions, passive)
        if fits and fits[0].omitted < 0:
            return fits, row, verb, False, frozenset()
        omitting = fits, row, verb, False, frozenset[int]()
        for kept in (_without_asides(text, row), _without_relatives(row, verb)):
            if kept is not None and row[verb] in kept:
                at = kept.index(row[verb])
                fits = self.frames.fits(kept, at, self._core(kept, at), passive)
                if fits:
                    return fits, kept, at, True, frozenset()
        for kept, mentions, meant in self.references.resolved(row, verb, context):
            at = kept.index(row[verb])
            fits = self.frames.fits(kept, at, mentions[: self._longest + 1], passive)
            # What is not said and not meant by a pronoun is not made up.
            fits = [fit for fit in fits if fit.omitted < 0 and all(len(items) == 1 for items in fit.objects)]
            if fits:
                return fits, kept, at, False, meant
        return omitting

    def _core(self, row: Sequence[Word], verb: int) -> list[Mention]:
        """The mentions up to the end of the action's own words."""
        mentions = self.frames.mentions(row)
        return [item for item in mentions if item.first != verb][: self._longest + 1]

    def _failed(self, words: Sequence[Word], at: int, listed: bool, form: str) -> Verdict | None:
        """What a clause lacks that speaks of an action and says none: an object, its type, or the action's shape."""
        mentions = [item for item in self.frames.mentions(words[: at + _REACH]) if item.first != at]
        judged = stance_of(words[max(0, at - _LEAD) : at], form, listed=listed, passive=False, subject=False)
        start, end = words[at].start, words[-1].end
        names = bool([m for m in mentions if words[m.first].text not in ("a", "i")])
        if judged.stance != "asserted" or form not in ("base", "s"):
            return Verdict(start, end, "not-an-action", stance=str(judged) if names else "unclear", names_object=names)
        excess = len(words) - at - max(len(frame.content) + len(frame.slots) + 3 for frame in self.frames.frames)
        base = Verdict(start, end, "unreadable", names_object=names, excess=excess)
        row = list(words[at : at + _REACH])
        stop = next((index for index, word in enumerate(row) if index and is_reason(word)), len(row))
        row = row[: max(stop, 2)]
        fits = [fit for fit in self.frames.fits(row, 0, self._wild(row), False, wild=True) if fit.cost < 30]
        if not fits:
            return base._replace(reason="it begins like an action, but does not go on like it")
        fit = min(fits, key=lambda item: (len(item.unknown), item.cost))
        pronouns = [name for name in fit.unknown if name.lower() in PRONOUNS]
        nouns = [name for name in fit.unknown if fold(name) in self.lexicon.type_words]
        if pronouns:
            return base._replace(reason=f"'{pronouns[0]}' names no object")
        if nouns:
            return base._replace(reason=f"'{nouns[0]}' is a kind of object; which one is not said")
        if fit.unknown:
            quoted = ", ".join(f"'{name}'" for name in fit.unknown)
            return base._replace(
                status="unknown-object", unknown=fit.unknown, suggestions=self.lexicon.near_all(fit.unknown),
                reason=f"no object is called {quoted}",
            )  # fmt: skip
        meant = tuple(fit.actions) if all(len(items) == 1 for items in fit.objects) else ()
        return base._replace(candidates=meant, reason=self._mistyped(fit))

    def _wild(self, row: Sequence[Word]) -> list[Mention]:
        """The mentions of a clause, with words that stand where a name should: pronouns, kinds, unknown names."""
        found = {item.first: item for item in self.frames.mentions(row) if item.first > 0}
        used = {index for item in found.values() for index in range(item.first, item.last)}
        for index in range(1, len(row)):
            word = row[index]
            # "unstack b from a": at the end of a phrase this is no article.
            ends = index + 1 == len(row) or row[index + 1].parted or row[index + 1].text in PREPOSITIONS
            if index in used or (word.text in ARTICLES - {"that", "this", "these", "those"} and not ends):
                continue
            if word.text in PRONOUNS:
                found[index] = Mention(index, index + 1, (), name=word.raw)
                continue
            known = word.text in PREPOSITIONS | PARTICLES | FILLERS | self.frames.vocabulary
            if word.text in self.lexicon.type_words:
                beside = (
                    index + 1 in used
                    or index - 1 in used
                    or (index + 1 < len(row) and not _is_plain(row[index + 1], self))
                )
                if beside or (index + 1 < len(row) and row[index + 1].text in self.lexicon.type_words):
                    continue
            elif known:
                continue
            name = word.raw
            if word.raw.isdigit() and row[index - 1].text in self.lexicon.type_words:
                name = f"{row[index - 1].raw} {word.raw}"
            found[index] = Mention(index, index + 1, (), name=name)
        return [found[index] for index in sorted(found)]

    def _mistyped(self, fit: Fit) -> str:
        # Models are told this: it speaks of kinds as the wording does, and of no name of the PDDL domain.
        for wanted, objects in zip(fit.frame.types, fit.objects, strict=True):
            if objects and not any(item.fits(wanted) for item in objects):
                kinds = " or ".join(self.lexicon.noun(kind) for kind in wanted)
                return f"'{objects[0].nl}' is no {kinds}, and one is needed there"
        return "it names two objects where one is needed, or says that an object is what it is not"


def _inserted(text: str, at: int) -> Word:
    return Word(text, "", at, at, "")


class _Template(NamedTuple):
    """A verdict with holes: offsets as characters outside of holes and holes before; arguments as hole or name."""

    start: tuple[int, int]
    end: tuple[int, int]
    actions: tuple[tuple[str, tuple[int | str, ...]], ...]
    verdict: Verdict


def _filled(template: _Template, held: Sequence[str], lexicon: Lexicon) -> Verdict:
    start, before = template.start
    end, behind = template.end
    known = lexicon.by_nl
    return template.verdict._replace(
        start=start + sum(map(len, held[:before])),
        end=end + sum(map(len, held[:behind])),
        candidates=tuple(
            [
                GroundAction(name, tuple([arg if isinstance(arg, str) else known[held[arg]].pddl for arg in args]))
                for name, args in template.actions
            ]
        ),
    )


def _place(offset: int, spans: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """An offset as characters outside of holes and number of holes before it; None within a hole."""
    before = sum(end <= offset for _, end in spans)
    if before < len(spans) and spans[before][0] < offset:
        return None
    return offset - sum(end - start for start, end in spans[:before]), before


def _without_exclusions(text: str, words: list[Word]) -> list[Word]:
    """The words without brackets that say what is not meant: "stack a on b (not on c)"."""
    spans = [match.span() for match in _EXCLUSION.finditer(text)] if "(not " in text else []
    return [word for word in words if not any(start <= word.start < end for start, end in spans)]


def _is_plain(word: Word, grammar: ActionGrammar) -> bool:
    return (
        word.text in PREPOSITIONS or word.text in FILLERS or word.text in grammar.frames.vocabulary
    ) and word.text not in grammar.lexicon.type_words


def _is_event(frame: Frame, lead: Sequence[Word]) -> bool:
    """Whether a passive of a frame can only be something that happens: "is moved from", "is then stacked on"."""
    return "from" in frame.content or any(word.text in _EVENTS for word in lead)


def _lies_in(index: int, first: int, verb: int, grammar: ActionGrammar, row: Sequence[Word]) -> bool:
    """Whether a word before the verb belongs to the objects that stand there as subject."""
    if index >= first:
        text = row[index].text
        if any(item.first <= index < item.last for item in grammar.frames.mentions(row[:verb])):
            return True
        return text in grammar.lexicon.type_words or (text in PREPOSITIONS and text != "to")
    following = row[index + 1 : first]
    rest = all(
        word.text in grammar.lexicon.type_words or word.text in PREPOSITIONS for word in (row[index], *following)
    )
    return rest and first < verb


def _without_asides(text: str, row: Sequence[Word]) -> list[Word] | None:
    """The words that stand in no brackets; None where nothing is left out, or what is there is no mere remark."""
    spans = [
        match.span()
        for match in _ASIDE.finditer(text, row[0].start, row[-1].end + 1)
        if is_mere_aside(words_of(match[0])) or match[0][1:4].lower() == "not"
    ]
    if not spans:
        return None
    kept: list[Word] = []
    index = 0
    for word in row:
        while index < len(spans) and spans[index][1] <= word.start:
            index += 1
        if index == len(spans) or word.start < spans[index][0]:
            kept.append(word)
    return kept if len(kept) < len(row) else None


def _without_relatives(row: Sequence[Word], verb: int) -> list[Word] | None:
    """The words without clauses between commas that only describe: "…, which was on b, …"."""
    kept: list[Word] = []
    inside = False
    for index, word in enumerate(row):
        if index > verb and word.parted == ",":
            inside = word.text in RELATIVES
        if not inside:
            kept.append(word)
    return kept if len(kept) < len(row) else None


def _takes_back(sentence: Sequence[Word]) -> bool:
    """Whether a sentence corrects the one before it: "no, …", "wait, …"."""
    return sentence[0].text in CORRECTIONS and (len(sentence) < 2 or bool(sentence[1].parted))


def _all_or_none(verdicts: list[Verdict], text: str) -> list[Verdict]:
    """Several actions of a line; none of them where a sentence about them ends it: "a and b are impossible"."""
    last = verdicts[-1] if verdicts else None
    if last is None or last.status != "unreadable" or not is_judged(words_of(text[last.start : last.end])):
        return verdicts
    return [_refused(item) for item in verdicts]


def _refused(verdict: Verdict) -> Verdict:
    """An action that its own line rules out."""
    return verdict._replace(
        status="unreadable", candidates=(), rules=(), reason="the line says that it is not done", stance="rejected"
    )
