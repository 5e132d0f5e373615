"""What one line says: its sentences and clauses, and the action, the stance or the failure of each.

The rules, from the exact one to the loosest: letter by letter as told; PDDL; the words of each clause
(`pddl2nl.nl.reading.frames`), with the stance that the words around the action give it. A clause that speaks of an
action or names an object always ends in a `ClauseReading`: read, ambiguous, unreadable, unknown-object, or no action,
with the stance that makes it none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, pairwise, product
from math import prod
from typing import Literal, NamedTuple

from pddl2nl.nl.reading.formal import A_LIST, TRAILING, UNKNOWN_VERB, ClauseReading, PDDLGrammar, verdict_of
from pddl2nl.nl.reading.frames import Fit, Frame, Frames, Mention, StaticFacts, inside
from pddl2nl.nl.reading.lexicon import KnownObject, Lexicon
from pddl2nl.nl.reading.natural import name_words, natural_snippet
from pddl2nl.nl.reading.readings import REFUSED, TAILED
from pddl2nl.nl.reading.segments import peel
from pddl2nl.nl.reading.stance import (
    NO_SUBJECT,
    is_known,
    is_open,
    is_plain_lead,
    is_reason,
    rejects,
    rules_out,
    stance_of,
    tail_stance,
)
from pddl2nl.nl.reading.words import (
    ARTICLES,
    FILLERS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    WORDS,
    ExactForm,
    FormIndex,
    Word,
    fold,
    phrases,
    reduced_prepositions,
    says,
    word_table,
    words_of,
)
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.nl.wording.template import template_action
from pddl2nl.pddl.task import Task, effect_literals
from pddl2nl.pddl.tree import StepSchema
from pddlval import GroundAction

Steps = tuple[GroundAction, ...]
"""The steps before a clause, the last one last."""

_LEAD = 14
"""Words before a verb that are looked at."""

_REACH = 40
"""Words behind a verb that can belong to its action."""

_REMEMBERED = 3
"""Steps before a clause whose objects it can mean by "it" or "the truck"."""

_MOST_MEANT = 32
"""Objects that a pronoun or a definite noun may mean at most, the nearest first."""

_NEAREST = 8
"""Objects that are tried, the nearest first, in the place of one that a step leaves out."""

_MOST_WAYS = 4096
"""Ways to complete a step that are tried at most: a step that leaves so much out says too little."""

_QUOTES = tuple("'\"`*’”")
_STOPS = (".", ";", "?")
_ENDS = (*_STOPS, ">")
_RULED_OUT = WORDS.refusals | WORDS.refused_with_not | WORDS.failures | {"not", "work", "works"}
_AT = frozenset(("at", "in", "on"))
_PLACING = _AT | {"from", "to"}
_OPENERS = WORDS.corrections | WORDS.openers
_SUBJECTLESS = _OPENERS | WORDS.passives | {"it", "they"}
_BINDING = WORDS.refusals | WORDS.failures | WORDS.conditions | WORDS.binding
_SUPPOSED = ("(would)", "(could)", "(might)", "(may)")
_MEANT = phrases("meant", whole=True)
# "Move to b. *a goes on later.*"
_ITALIC = re.compile(r"([.;:)] )\*([^*\s][^*]*)\*(?=\s*\Z)")
_AIM = re.compile(r"(?:in order )?to\b", re.IGNORECASE)
_CODE_REMARK = re.compile(r"(?<=[\w)`*]) +(?:#|//)\s.*\Z")
# "stack(a, b), then pick up c", "unstack a b; put down a"
_LINKED = re.compile(r";|[\s)\]`*]*[,.;]?\s+(?:and|then)\b", re.IGNORECASE)
_CALL_MARKS = str.maketrans("()=", "   ")
_UNCHANGED = {verb for verb, forms in word_table("irregular").items() if verb in forms}
_PHRASAL = [(verb, said.split("_")) for verb, forms in word_table("phrasal").items() for said in forms]


class Antecedents(NamedTuple):
    """The objects that a line or a step names; of a step the places stand apart, the one where it ends first."""

    things: Sequence[KnownObject]
    places: Sequence[KnownObject] = ()
    step: GroundAction | None = None

    def meant(self, *, subject: bool = False, place: bool = False) -> Sequence[KnownObject]:
        """What "it" can mean, as a subject as well, or "there": a place does not act."""
        if self.step is None:
            return self.things
        return self.places[:1] if place else self.things if subject else [*self.things, *self.places]


class Context(NamedTuple):
    """What a clause may speak of: the objects named before it, the nearest first.

    ``open``: by what it leaves out as well, and not by pronouns and definite nouns alone; ``again``: the verb of the
    first step named is said again, of what goes "on" from it or is done "instead".
    """

    named: Sequence[Antecedents]
    open: bool = False
    again: Literal["", "on", "instead"] = ""


class ActionGrammar:
    """The grammar of a task's actions, derived from the wording's snippets and the task's objects."""

    def __init__(self, task: Task, wording: Wording, lexicon: Lexicon):
        domain = task.domain
        self.lexicon = lexicon
        self.statics = StaticFacts(task)
        self._snippets = {action.name: wording.actions[action.name] for action in domain.steps}
        order = {
            name: [*dict.fromkeys(part for part in item.parts if isinstance(part, int))]
            for name, item in self._snippets.items()
        }
        self.pddl = PDDLGrammar(domain, lexicon, order)
        frames: list[Frame] = []
        forms: list[ExactForm[Frame]] = []
        for action in domain.steps:
            snippet = self._snippets[action.name]
            types = [parameter.types for parameter in action.parameters]
            frame = Frame.of(snippet, types, lexicon)
            # "Switch on a on b" puts nothing on b: a goal is where something comes to be.
            gained = {term for atom, added in effect_literals(action.effect) if added for term in atom.args}
            goals = frozenset(at for at in frame.goals if action.parameters[at].name in gained)
            called = tuple([fold(parameter.name.strip("?")) for parameter in action.parameters])
            frame = replace(frame, goals=goals, parameters=called)
            frames.append(frame)
            if snippet.text == template_action(action).text:
                natural = Frame.of(natural_snippet(action, lexicon.type_words), types, lexicon, natural=True)
                frames.append(replace(natural, parameters=called))
            parts = [fold(part) if isinstance(part, str) else part for part in snippet.parts]
            forms.append(ExactForm(frame, parts, len(frame.types)))
        self.frames = Frames(frames, lexicon, self.statics)
        self._forms = FormIndex(forms)
        told = [(name, item.parts[0]) for name, item in self._snippets.items() if isinstance(item.parts[0], str)]
        heads = [(name, self._head(words_of(text))) for name, text in told]
        heads += [(item.name, tuple(name_words(item.name))) for item in domain.steps]
        # "Move tray {?t} …" is called "move" as well, where no other action is.
        whole = {head for _, head in heads}
        heads += [(name, short) for name, head in heads if (short := self._called_by(head)) not in whole]
        own = Counter(head for _, head in dict.fromkeys(heads))
        self._heads = {head: name for name, head in heads if own[head] == 1}
        facts = (part for snippet in wording.predicates.values() for part in snippet.parts[:2])
        begun = {fold(part.split()[0]) for part in facts if isinstance(part, str) and part.split()}
        others = ARTICLES | PREPOSITIONS | PRONOUNS | self.frames.verbs.keys() | {"i", "you", "we", "and"}
        self._told_states = begun.union(WORDS.states) - others
        # "Now a craves b", where PDDL says (craves a b); "carry a to b" may be an order.
        named = {fold(predicate.name) for predicate in domain.predicates} - lexicon.type_words - PARTICLES
        self._states = self._told_states | (named - others)
        told_facts = (words_of(snippet.text or "") for snippet in wording.predicates.values())
        self._facts = named.union(word.text for words in told_facts for word in words)

    # ── a whole line ─────────────────────────────────────────────────────────────────────────────

    def exact(self, text: str) -> ClauseReading | None:
        """The text as a snippet filled with objects, letter case and hyphens aside."""
        folded = fold(text)
        if len(folded) != len(text):
            return None
        actions: dict[GroundAction, bool] = {}
        for form, args in self._forms.read(folded):
            choices = [
                [item for item in self.lexicon.folded.get(name, ()) if item.fits(types)]
                for name, types in zip(args, form.meaning.types, strict=True)
            ]
            for objects in product(*choices):
                action = GroundAction(form.meaning.action, tuple([item.pddl for item in objects]))
                actions[action] = self._snippets[action.name].fill([item.nl for item in objects]) == text
        if not actions:
            return None
        verbatim = tuple([action for action, same in actions.items() if same])
        return self._decided(0, len(text), verbatim or tuple(actions), () if verbatim else ("case",))

    def _decided(
        self, start: int, end: int, actions: tuple[GroundAction, ...], rules: tuple[str, ...]
    ) -> ClauseReading:
        """The action; of several, the one whose static preconditions hold, if there is just one."""
        only = self.statics.only(actions) if len(actions) > 1 else None
        if only is not None:
            return verdict_of(start, end, (only,), (*rules, "static-types"))
        return verdict_of(start, end, actions, rules)

    def said(self, content: str, *, listed: bool = False, before: Steps = ()) -> list[ClauseReading]:
        """What a line says behind its marks and labels: a verdict for each clause about actions or objects.

        ``before``: the steps on the lines before it, of which it may go on: "Pick up the laser there.", "Then to c".
        """
        if content.startswith("(:"):
            return []
        if "*" in content:
            # "Move a to b. *This only makes room; a goes on later.*"
            content = _ITALIC.sub(lambda match: f"{match[1]}({match[2]})", content)
        remark = _CODE_REMARK.search(content) if listed else None
        told = {word.text for word in words_of(remark[0])} if remark is not None else _BINDING
        if remark is not None and _BINDING.isdisjoint(told) and "?" not in remark[0]:
            # "sail a b  # cross over", but not "# not needed"
            content = content[: remark.start()].ljust(len(content))
        tried = ""
        for kept in (content, content.rstrip(" .!,;"), content.rstrip(TRAILING)):
            if kept != tried and (verdict := self.exact(kept)):
                return [verdict if kept == content else verdict.moved(0, "markup")]
            tried = kept
        if "|" in content and (cells := self._cells(content, listed)):
            return cells
        formal = self.pddl.read(content)
        if formal and any(item.status == "read" for item in formal):
            end = formal[-1].end
            further = self.clauses(content[end:], listed) if _LINKED.match(content, end) else []
            return [
                *formal[:-1],
                self._unless_corrected(formal[-1], content[end:]),
                *(item.moved(end) for item in further),
            ]
        # "(unstack a from b)", "drive(truck=t, from=a, to=b)"
        spoken = formal and (content[0] == "(" or "=" in content)
        loose = self.clauses(content.translate(_CALL_MARKS) if spoken else content, listed, before)
        read = [item.status == "read" for item in loose]
        return loose if not formal or (read and (all if spoken else any)(read)) else formal

    def _unless_corrected(self, formal: ClauseReading, tail: str) -> ClauseReading:
        """An action that PDDL writes; refused where a remark behind it rules it out or corrects it."""
        words = words_of(tail)
        names = any(word.text in self.lexicon.by_pddl for word in words) or self._names(words)
        # "(stack a b) - not possible", "stack a b – correction, the block is d", but not "(actually the only choice)"
        return _refused(formal) if rejects(words) or (names and says("corrects", tail)) else formal

    def _cells(self, content: str, listed: bool) -> list[ClauseReading]:
        """The actions in the cells of a table's row; a cell that says the same as the one before counts once."""
        clauses: list[ClauseReading] = []
        refused = False
        at = 0
        cells = content.split("|")
        bare = [cell.strip(" *`'\"") for cell in cells if cell.strip()]
        schema = self.pddl.schema(bare[0]) if len(bare) > 2 else None
        for args in (bare[1:], *([cell] for cell in bare[1:])) if schema else ():
            # "up | a | b", "up | b | a, b": a call whose name may be a small word
            call = self.pddl.read(f"({bare[0]} {' '.join(args).replace(',', ' ')})")
            if [item.status for item in call] == ["read"]:
                return [call[0]._replace(start=0, end=len(content.rstrip(" |")))]
        for cell in cells:
            start = at + len(cell) - len(cell.lstrip())
            at += len(cell) + 1
            peeled = peel(cell.strip())
            said = cell.strip()[peeled.start :]
            if not said or peeled.label in ("thought", "offered"):
                continue
            refused = refused or rejects(words_of(said))
            for item in self.said(said, listed=True):
                again = bool(clauses) and not set(clauses[-1].candidates).isdisjoint(item.candidates)
                if item.status == "read" and not again:
                    clauses.append(item.moved(start + peeled.start))
        if refused:
            return [_refused(item) for item in clauses]
        # "| 3 | a | b | yes |"
        row = [word for word in words_of(content) if word.text not in ("yes", "no")] if listed else []
        row = [word._replace(parted=">" if word.parted else "") for word in row]
        alone = len(inside(self.frames.mentions(row))) == len(row)
        if not clauses and alone and (way := self._with_ways(row)) != row:
            # "| 1 | place_2 | place_5 |", below "From" and "To"
            return self._sentence(content, way, listed)
        if not clauses:
            # "| 0 | – | block_2 | block_0, block_1 |" tells a state, cell by cell.
            told = [item for cell in cells for item in self.clauses(cell)]
            if told and all(item.stance.startswith("state") for item in told):
                return [told[0]._replace(start=0, end=len(content))]
        return [item.moved(0, "several") for item in clauses] if len(clauses) > 1 else clauses

    def restates(self, text: str, stance: str, done: Collection[GroundAction]) -> bool:
        """Whether one of the actions done has a verb of the text and all its objects, so that it says nothing new."""
        words = words_of(text)
        names = {frame.action for word in words for frame, _, _ in self.frames.verbs.get(word.text, ())}
        known = [{item.pddl for item in mention.objects} for mention in self.frames.mentions(words)]
        # "Moving a …" or "you can move it" speaks of the step with some of its objects; else all must be named.
        pronoun = any(word.text in ("it", "them") for word in words)
        partly = pronoun or stance.endswith(("(-ing)", "(past tense)", "(after)", "(once)"))
        anew = bool(known) and any(word.text in WORDS.anew for word in words)
        return not anew and any(
            action.name in names
            and (known or stance.startswith("supposed"))
            and not any(objects.isdisjoint(action.args) for objects in known)
            and (partly or all(any(arg in objects for objects in known) for arg in action.args))
            for action in done
        )

    # ── sentences ────────────────────────────────────────────────────────────────────────────────

    def clauses(self, text: str, listed: bool = False, before: Steps = ()) -> list[ClauseReading]:
        """What the sentences and clauses of a text say about actions, in order; ``before``: the steps before it."""
        words = self._addressed(self._named(words_of(text)))
        arrows = [0 if word.aside else word.start for word in words if word.parted == ">"]
        called = self._called(text, words) if arrows else None
        # "Get dip d → start the movie": the arrow parts two steps.
        if called and ("|" in text or called.end > arrows[-1]):
            return [called]
        if "|" in text:
            words = [word._replace(parted="" if word.parted == ">" else word.parted) for word in words]
        words = self._with_ways(words)
        known = ClauseReading(0, 0, "read", before[-1:], names_object=True) if before else None
        steps = before
        clauses: list[ClauseReading] = []
        corrects = False
        for index, sentence in enumerate(self._sentences(text, words)):
            start, end = sentence[0].start, sentence[-1].end
            last = clauses[-1] if clauses else None
            follows = last is not None and last.status == "read"
            if "?" in text[end : end + 3]:
                clauses += self._ended(sentence, "question")
                continue
            behind = _behind_correction(text, sentence)
            corrects = corrects or len(behind) < len(sentence)
            refused = says("rejects", text[start:end]) or (sentence[0].parted == ">" and rejects(sentence))
            if last is not None and follows and not corrects and refused:
                clauses[-1] = _refused(last)
                continue
            if not behind:
                continue
            heard = (None, ()) if corrects else (last or known, steps)
            verdicts = self._sentence(text, behind, listed and index == 0, *heard)
            if corrects and last is not None and follows:
                reason = bool(verdicts) and all(item.tells_state for item in verdicts)
                verdicts = [] if reason else self._corrected(text, behind, last, verdicts)
                corrects = not verdicts
                if verdicts:
                    clauses[-1] = last.refused("rejected (corrected)")
                elif reason or says("rejects", text[start:end]):
                    # "Pick up a. Wait, gripper_0 is full. So rather: …"
                    clauses[-1] = _refused(last)
            elif corrects and last is not None and last.is_failure and any(item.status == "read" for item in verdicts):
                # "Load car_0 onto – no, first the ferry must get there: sail …"
                clauses.pop()
                corrects = False
            elif corrects and last is None and verdicts and verdicts[0].status == "read":
                verdicts[0] = verdicts[0]._replace(stance="corrects")
            clauses += verdicts
            steps = _steps(steps, verdicts)
        read = [item for item in clauses if item.status in ("read", "ambiguous")]
        if len(read) == 1 and words[-1].start >= read[0].end and "loose-tail" not in read[0].rules:
            rules = (*(rule for rule in read[0].rules if rule != "markup"), "loose-tail")
            clauses[clauses.index(read[0])] = read[0]._replace(rules=rules)
        if read:
            # What is said beside an action of how things stand explains it.
            clauses = [item for item in clauses if not item.stance.startswith("state")]
            # "Stack a on b: not possible, so put it down."
            ruled_out = [item for item in clauses[:-1] if item.is_failure and item.stance == "rejected"]
            clauses = [item.refused("rejected") if item in ruled_out else item for item in clauses]
            # "To bring a to c, load it onto t": what begins so is what for.
            aims = [item for item in clauses[:-1] if item.is_failure and _AIM.match(text, item.start)]
            clauses = [item.refused("state (an aim)") if item in aims else item for item in clauses]
        if len(read) > 1:
            clauses = [item if item.status == "not-an-action" else item.moved(0, "several") for item in clauses]
        return clauses

    def _names(self, words: Sequence[Word]) -> set[str]:
        return {item.pddl for mention in self.frames.mentions(words) for item in mention.objects}

    def _corrected(
        self, text: str, words: Sequence[Word], last: ClauseReading, verdicts: list[ClauseReading]
    ) -> list[ClauseReading]:
        """What takes the place of an action behind a word that corrects it: "no, on z", "sorry, put down a"."""
        if any(item.status == "read" for item in verdicts):
            return verdicts
        again = self._again(text, last, words, goes_on=False)
        if again is not None:
            return [again._replace(start=last.start)]
        if self.frames.mentions(words):
            return [_unreadable(words, "it corrects the action before it, but does not say one that can be read")]
        return []

    def _again(
        self, text: str, last: ClauseReading, words: Sequence[Word], goes_on: bool = True
    ) -> ClauseReading | None:
        """The verb of the action before, said of other objects: "then to c", "and b from c", "no, on z".

        What is left out is as before, but for a way that goes on: it begins where the one before ended.
        """
        begin = self._behind_joints(words, 0)
        # "no, on z": here "on" opens no clause.
        named = inside(self.frames.mentions(words)) | {at for at, word in enumerate(words) if word.text in ARTICLES}
        begin -= not goes_on and begin in named and begin > 0 and words[begin - 1].text in PREPOSITIONS
        words = _before_relative(words)[begin:]
        # "and from there to c"
        begin = next((at + 1 for at, word in enumerate(words[:2]) if word.text in WORDS.places), 0)
        words = words[begin:]
        frame = self.frames.frames[last.candidates[0].name]
        rivals = [rival for rival, _, _ in self.frames.verbs.get(frame.verb, ())]
        mentions = self.frames.mentions(words)
        named = inside(mentions)
        small = (ARTICLES | FILLERS | PARTICLES | self.lexicon.type_words | WORDS.joined).union(
            *(rival.content - PREPOSITIONS for rival in rivals),
            *(PREPOSITIONS if rival.natural else role.prepositions for rival in rivals for role in rival.roles),
        )
        others = reduced_prepositions([word.text for at, word in enumerate(words) if at not in named])
        keyed = goes_on and any(words[item.first].parted == ":" for item in mentions)
        if not mentions or keyed or not (small - {"once"}).issuperset(others):
            return None
        joints = WORDS.joined - PREPOSITIONS
        if any(word.parted or word.text in joints for word in words[mentions[0].last : mentions[-1].first + 1]):
            # "To c, then d" are two.
            return None
        step = self.named_by(last.candidates[0])
        said: list[str] = [frame.verb]
        if not any(words[0].text in rival.particles for rival in rivals):
            # "… right from a to b and then up from b to c" is another action.
            said += frame.particles
        if len(mentions) == 1 and PREPOSITIONS.isdisjoint(word.text for word in words):
            several = sum(self.suits(frame, place, mentions[0].objects[0]) for place in frame.slots) > 1
            if not goes_on and several:
                # "stack a on b, sorry, c" does not say which object it corrects.
                return None
            if goes_on and any("to" in role.prepositions for role in frame.roles if not frame.natural):
                said.append("to")
            elif several or (goes_on and len(words) > 1):
                return None
        verb = words[0]._replace(end=words[0].start, parted="")
        row = [*(verb._replace(text=each, raw=each) for each in said), words[0]._replace(parted=""), *words[1:]]
        context = Context([step], open=True, again="on" if goes_on else "instead")
        verdict = _preferred(self._clause(text, row, True, context))
        if verdict is None or verdict.candidates == last.candidates:
            return None
        used = self._names(words) <= {*verdict.candidates[0].args}
        return verdict._replace(reason="").moved(0, "reworded") if used else None

    def _further(self, text: str, last: ClauseReading, words: Sequence[Word]) -> list[ClauseReading]:
        """The steps of words with the verb of the action before: "and b from c", "then to b, c and finally d"."""
        if again := self._again(text, last, words):
            return [again]
        cuts = (
            at for at, word in enumerate(words) if at and (word.parted == "," or word.text in WORDS.joined | {"to"})
        )
        for cut in islice(cuts, 3):
            again = self._again(text, last, words[:cut])
            if again is None or self._could_use(again, words[:cut], words[cut:]):
                continue
            if rest := self._further(text, again, words[cut:]):
                return [again, *rest]
        return []

    def _could_use(self, step: ClauseReading, words: Sequence[Word], behind: Sequence[Word]) -> bool:
        """Whether what a step leaves out may be said behind it: "sandwich_1 using bread_3 and content_5"."""
        action, said = step.candidates[0], self._names(words)
        frame = self.frames.frames[action.name]
        objects = [item for mention in self.frames.mentions(behind)[:1] for item in mention.objects]
        return any(
            self.suits(frame, place, item)
            for place, role in zip(frame.slots, frame.roles, strict=True) for item in objects
            if action.args[place] not in said and "from" not in role.prepositions
        )  # fmt: skip

    def suits(self, frame: Frame, place: int, known: KnownObject) -> bool:
        """Whether an object is of the types of an action's parameter, and of its kinds in a domain without types."""
        return known.fits(frame.types[place]) and self.statics.suits(frame.action, place, known.pddl)

    def _addressed(self, words: list[Word]) -> list[Word]:
        """The words with "from a, to b" for "a (from), b (to)"."""
        for item in reversed(self.frames.mentions(words)):
            first, (gloss, *behind) = words[item.first], words[item.last : item.last + 2] or [words[0]]
            glossed = gloss.text in ("from", "to") and gloss.aside and gloss.parted == "("
            beside = words[max(0, item.first - 1) : item.first] if gloss.text == "to" else behind
            if glossed and [word.text for word in beside] == ["and"]:
                # "Apply 'move' to a (from) and b (to)"
                words[item.last : item.last + 2] = [word._replace(parted="") for word in behind]
            elif glossed and all(word.parted for word in behind):
                before = gloss._replace(start=first.start, end=first.start, parted=first.parted, aside=False)
                own = [first._replace(parted=""), *words[item.first + 1 : item.last]]
                words[item.first : item.last + 1] = [before, *own]
        return words

    def _ended(self, words: Sequence[Word], stance: str) -> list[ClauseReading]:
        """Words that name an object or an action, as no action of this stance."""
        named = bool(self.frames.mentions(words))
        if not named and not any(word.text in self.frames.verbs for word in words):
            return []
        return [ClauseReading(words[0].start, words[-1].end, "not-an-action", stance=stance, names_object=named)]

    def _named(self, words: list[Word]) -> list[Word]:
        """The words with the parts of an action's own name ("move-up-slow b"), and "to" for an arrow in brackets."""
        named: list[Word] = []
        for at, word in enumerate(words):
            # "apply the action 'move-up-slow' to" is how the template wording says it.
            told = at > 0 and words[at - 1].text in ("action", "apply")
            own = word.text not in self.lexicon.folded and not told
            parts = (name_words(word.text) if own and self.pddl.schema(word.text) else []) or [word.text]
            if own and self.frames.names.issuperset(word.text.split("_")):
                # "The boat goes south-west."
                parts = word.text.split("_")
            denied = {"no", *(each.text for each in words[at + 1 : at + 2])} - self.frames.names
            if word.text == "without" and not denied and word.text not in self.frames.vocabulary:
                # "make a without gluten" of an action make-no-gluten
                parts = ["no"]
            if word.aside and at and words[at - 1].aside and word.parted == ">":
                # "(free space: length_2 → length_3)" is no way.
                parts, word = ["to", word.text], word._replace(parted="")
            for part in parts:
                named.append(word if part == word.text else word._replace(text=part, raw=part))
                word = word._replace(parted="")
        for at in range(len(named) - 2, -1, -1):
            # "buy all needed" of an action buy-allneeded
            joined = named[at].text + named[at + 1].text
            if joined in self.frames.names and named[at].text not in self.frames.verbs:
                named[at : at + 2] = [named[at]._replace(text=joined, raw=joined, end=named[at + 1].end)]
            # "let go of a" is "release a"
            for verb, said in _PHRASAL:
                if [word.text for word in named[at : at + len(said)]] == said:
                    named[at : at + len(said)] = [named[at]._replace(text=verb, raw=verb)]
        return named

    def _with_ways(self, words: list[Word]) -> list[Word]:
        """The words with "to" for an arrow between two objects."""
        if not any(word.parted == ">" for word in words):
            return words
        words, mentions = [*words], self.frames.mentions(words)
        ends = {item.first: item.last for item in mentions}
        # "move a → b, update c → d", but not "pick up a in b → a"
        verbs = self.frames.verbs.keys() | self.frames.vocabulary - PREPOSITIONS - self.lexicon.type_words | {"from"}
        way: list[Mention] = []
        for item in reversed(mentions):
            first, at = item.first, item.last
            arrow = at in ends and words[at].parted == ">"
            # "… a and b → b is built" tells what comes of it.
            behind = words[ends[at]].parted if arrow and len(way) < 2 and ends[at] < len(words) else "."
            way = [item, *way] if arrow and behind in (".", ";", "(", ",") else [item]
            if len(way) < 2 or words[first].parted == ">":
                continue
            beside = first in ends.values() and not words[first].parted
            # "It moves back, a → b"
            lead = next((word for word in reversed(words[:first]) if word.text not in PARTICLES), None)
            told = beside or (lead is not None and lead.text in verbs)
            verb = () if told else self._way_verb(words[:first], way, words[first].parted == ":")
            for other in way[:0:-1] if told or verb else ():
                to = words[other.first]._replace(text="to", raw="to", end=words[other.first].start, parted="")
                words[other.first : other.first + 1] = [to, words[other.first]._replace(parted="")]
            said = [words[first]._replace(text=each, raw=each, end=words[first].start) for each in verb]
            words[first : first + 1] = [
                word._replace(parted="" if number else word.parted) for number, word in enumerate([*said, words[first]])
            ]
        return words

    def _way_verb(self, lead: Sequence[Word], way: Sequence[Mention], apart: bool) -> tuple[str, ...]:
        """The verb of the only action that leads along a way without one: "East side: a → b → c"; else nothing."""
        if any(word.text in WORDS.thoughts or rules_out(word.text) for word in lead):
            return ()
        verbs = [{frame.action for frame, _, _ in self.frames.verbs.get(word.text, ())} for word in lead]
        if any(verbs) and not apart:
            # Only a colon parts a verb from its way: "Go along the corridor: a → b → c".
            return ()
        fitting = [
            (frame.verb, *frame.particles)
            for frame in self.frames.frames.values()
            if len(frame.slots) == 2
            and all(frame.action in actions for actions in verbs if actions)
            and "from" in frame.roles[0].prepositions
            and "to" in frame.roles[1].prepositions
            and all(
                self.suits(frame, slot, item.objects[0])
                for pair in pairwise(way)
                for item, slot in zip(pair, frame.slots, strict=True)
            )
        ]
        return fitting[0] if len(fitting) == 1 else ()

    def _sentences(self, text: str, words: Sequence[Word]) -> Iterator[Sequence[Word]]:
        """Sentences without the list numbers that part them; a dash or a colon parts where a correction follows it."""
        sentence: list[Word] = []
        named = inside(self.frames.mentions(words))
        ended = False
        for index, word in enumerate(words):
            if word.text.isdigit() and index not in named and words[index + 1 : index + 2] and (
                words[index + 1].parted in (".", ":", "(")
            ):  # fmt: skip
                # "stack a on b 2. pick up c", "… Step 2: pick up c"
                sentence = sentence[:-1] if sentence and sentence[-1].text in ("step", "action") else sentence
                ended = True
                continue
            corrects = word.parted in ("-", ":") and word.text in WORDS.corrections
            # "(sorry, this should read: …)", ", no, on z"
            behind = words[index + 1 : index + 2]
            corrects = corrects or (
                word.parted in ("(", ",") and word.text in WORDS.interjections and bool(behind and behind[0].parted)
            )
            # "stack a on b, I mean c"
            corrects = corrects or (word.parted != "" and _MEANT.match(text, word.start) is not None)
            if sentence and (ended or word.parted in _ENDS or corrects):
                yield sentence
                sentence = []
            sentence.append(word)
            ended = False
        if sentence:
            yield sentence

    def _sentence(
        self, text: str, words: Sequence[Word], listed: bool, before: ClauseReading | None = None, steps: Steps = ()
    ) -> list[ClauseReading]:
        """The verdicts of a sentence's clauses.

        ``before``: what the sentence before it says last; ``steps``: the steps before it.
        """
        # "If the calibration fails, navigate to b and try again.": what depends on a condition is no step.
        # "Should a be full, you would unload it first."
        inverted = words[0].text in ("should", "had", "were") and "would" in (word.text for word in words)
        depends = (inverted or words[0].text in WORDS.depends) and any(word.parted == "," for word in words)
        if depends and (said := self._ended(words, f"conditional ({words[0].text})")):
            return said
        whole = self._clause_or_typo(text, words, listed, [*map(self.named_by, steps[::-1])])
        read = whole is not None and whole.status in ("read", "ambiguous")
        if whole is not None and whole.is_failure and (each := self._for_each(text, words, listed)):
            return each
        # "Once there, walk to a, and then pick up b": the first verb with objects of its own is no part of the lead.
        lead = [word for word in words if whole and word.start < whole.start] if read else []
        verb = next((at for at, word in enumerate(lead) if word.text in self.frames.verbs), len(lead))
        swallowed = bool(self._names(lead[verb + 1 :])) and lead[0].text in WORDS.places | {"once"}
        done = whole is not None and read and "loose-tail" not in whole.rules and not swallowed
        parts = [] if done else self._split(words, whole if read and not swallowed else None)
        clauses: list[ClauseReading] = []
        passive = False
        unread: Sequence[Word] = ()
        for part in parts if len(parts) > 1 or whole is None else ():
            last = clauses[-1] if clauses else before
            known = last if last is not None and last.status == "read" else None
            if words[0].parted == ">" and part[0].parted != ">":
                # "→ a, b at c" tells what comes of the step before, in all its parts.
                part = [part[0]._replace(parted=">"), *part[1:]]
            # "Now that a is clear, pick it up"
            named = [*self._stated(unread), *map(self.named_by, steps[::-1])]
            # "- b is clear, and a is stacked on b" tells a state in all its clauses.
            orders = listed and (not clauses or clauses[-1].status != "not-an-action")
            verdict = self._clause_or_typo(text, part, orders, named)
            if verdict is not None and verdict.is_failure and (row := self._chain(text, part, listed)):
                # "East side: a → b → c", "Go along the corridor: a → b → c"
                clauses = clauses[:-1] if part[0].parted == ":" and clauses and clauses[-1].is_failure else clauses
                clauses, steps = [*clauses, *row], _steps(steps, row)
                continue
            unread = part if verdict is None or verdict.status != "read" else ()
            # Across lines only a way goes on: "Then to c".
            at = self._behind_joints(part, 0)
            ways = part[at : at + 1] != [] and part[at].text in ("to", "from")
            # "Move from a to b. ✓ b": in a sentence of its own an object alone is no step.
            linked = bool(clauses) or at > 0 or part[0].text in PREPOSITIONS
            goes_on = known is not None and linked and (known.end > 0 or ways)
            if verdict is None and known is not None and goes_on and (
                further := self._further(text, known, part)
            ):  # fmt: skip
                clauses += further
                steps = _steps(steps, further)
                continue
            ing = known is not None and text[known.start :].split(maxsplit=1)[0].endswith("ing")
            if ing and verdict is not None and verdict.stance.endswith("(-ing)"):
                # "We begin by sailing from a to b, loading c and …"
                verdict = self._clause(text, part, True)
            forms = self.frames.verbs.get(part[at].text, ()) if passive and at < len(part) else ()
            if (verdict is None or verdict.candidates == ()) and any(form == "past" for _, form, _ in forms):
                # "a is picked up from the table and stacked on b"
                be = [part[at]._replace(text=said, raw=said, end=part[at].start) for said in ("it", "is")]
                verdict = self._leaning(text, [*be, *part[at:]], True, named) or verdict
            passive = passive or any(word.text in WORDS.passives for word in part)
            verdict = verdict or self._without_verb(part)
            # "Because a has to get to b, …"
            reason = verdict is not None and verdict.reason == UNKNOWN_VERB and part[0].text in WORDS.because
            if verdict is None or (reason and len(parts) > 1):
                continue
            stance = clauses[-1].stance if clauses else ""
            leans = part[self._behind_joints(part, 0)].text in self.frames.verbs
            joined = leans and (part[0].text in ("and", "or") or stance.endswith(_SUPPOSED))
            # "This plan unstacks a, making sure to pick up clear blocks": what explains the plan does no step.
            plain = is_open(stance) and not stance.startswith(("done", "explained"))
            settled = stance and not stance.startswith("state") and not plain
            if settled and part[0].text not in WORDS.main and (joined or verdict.is_failure or is_open(verdict.stance)):
                # "It makes no sense to stack a on b and pick up c."
                verdict = verdict.refused(stance)
            if verdict.status == "read" and clauses and self._introduces(words, clauses[-1], part):
                clauses.pop()
            said = self._with_tail(text, part, verdict)
            clauses += said
            steps = _steps(steps, said)
        if any(item.status != "not-an-action" for item in clauses) or len(clauses) > 1:
            last = clauses[-1]
            heard = {word.text for word in words if last.start <= word.start < last.end}
            judged = not heard.isdisjoint(WORDS.judges) and not heard.isdisjoint(_RULED_OUT)
            if last.status == "unreadable" and judged and "'" not in last.reason and last.reason != UNKNOWN_VERB:
                # "Stack a on b and pick up c are impossible."
                return [_refused(item) for item in clauses]
            return clauses
        if whole is not None and whole.is_failure and (row := self._chain(text, words, listed)):
            return row
        whole = whole or self._without_verb(words)
        return self._with_tail(text, words, whole) if whole is not None else []

    def _introduces(self, words: Sequence[Word], last: ClauseReading, part: Sequence[Word]) -> bool:
        """Whether what stands before a step only introduces it, and says none.

        "**Load it**: load a onto b", "**Getting the key**: go to a", "Carrying a, go to b"
        """
        mark = part[0].parted
        if mark == ":" and last.status == "not-an-action":
            named = self._names([word for word in words if word.start < part[0].start])
            return named <= self._names(part) and not last.stance.startswith("rejected")
        carries = words[0].text in WORDS.participles
        return last.is_failure and (mark == ":" or (mark == "," and carries))

    def _for_each(self, text: str, words: Sequence[Word], listed: bool) -> list[ClauseReading]:
        """A step for each object behind the verb: "load packages a and then b into c"; empty where it is none."""
        verb = next((at for at, word in enumerate(words) if word.text in self.frames.verbs), len(words))
        nouns = ARTICLES | PARTICLES | self.lexicon.type_words | (self.frames.vocabulary - PREPOSITIONS)
        small = nouns.union((f"{noun}s" for noun in nouns), ("and", "both", "then"))
        mentions = [item for item in self.frames.mentions(words) if item.first > verb]
        group: list[Mention] = []
        at = verb + 1
        while mentions[len(group) :] and small.issuperset(word.text for word in words[at : mentions[len(group)].first]):
            group.append(mentions[len(group)])
            at = group[-1].last
        if len(group) in (0, 1, len(mentions)) or "and" not in (word.text for word in words[group[-2].last : at]):
            return []
        # "packages a and b" are each a package.
        lead = [
            word if word.text in nouns else word._replace(text=word.text.removesuffix("s"))
            for word in words[verb + 1 : group[0].first]
            if word.text != "both"
        ]
        steps: list[ClauseReading] = []
        for item in group:
            own = [word._replace(parted="") for word in words[item.first : item.last]]
            step = self._clause(text, [*words[: verb + 1], *lead, *own, *words[at:]], listed)
            if step is None or step.status != "read" or "static" in step.rules:
                return []
            start = own[0].start if steps else step.start
            steps.append(step._replace(start=start, end=step.end if item is group[-1] else own[-1].end))
        alike = len({step.candidates[0].name for step in steps}) == 1
        return [step.moved(0, "several") for step in steps] if alike else []

    def _chain(self, text: str, words: Sequence[Word], listed: bool) -> list[ClauseReading]:
        """Steps of one verb: "drive t from a to b to c", "r moves left from a to b, up from b to c"; else nothing."""
        words = [word for word in words if not word.aside]
        for cut, word in enumerate(words):
            if cut > 2 and (word.parted == "," or word.text in WORDS.joined | {"to"}):
                first = self._clause(text, words[:cut], listed)
                if first is not None and first.status == "read" and "static" not in first.rules and (
                    further := self._further(text, first, words[cut:])
                ):  # fmt: skip
                    return [first, *further]
        return []

    def _clause_or_typo(
        self, text: str, words: Sequence[Word], listed: bool, named: Sequence[Antecedents]
    ) -> ClauseReading | None:
        """A clause as it stands; else with what the steps before it leave unsaid; else without typos of one letter."""
        said = text[words[0].start : words[-1].end]
        formal = self.pddl.read(said) if not {*"'\"`"}.isdisjoint(said) else []
        if len(formal) == 1 and formal[0].status == "read" and words[0].start + formal[0].end == words[-1].end:
            # "…, then 'load' to hoist_1, crate_0 and truck_1"
            return formal[0].moved(words[0].start)
        verdict = self._clause(text, words, listed)
        # "'queue-write' to p": a word of the name stands before the verb in it.
        stuck = verdict is None or verdict.is_failure or verdict.status == "ambiguous"
        if (stuck or (verdict and verdict.stance == f"unclear ({words[0].text})")) and (
            called := self._called(text, words)
        ):
            return called
        if verdict is None or verdict.is_failure or verdict.stance == NO_SUBJECT:
            # What follows depends on the steps before.
            self.statics.particular = True
        if verdict is not None and verdict.stance == NO_SUBJECT and any(item.step for item in named):
            # "robot_0 picks up a, then moves from b to c": the subject is the one before, and so is that of "It moves".
            spoken_of = any(word.text == "it" for word in words)
            listed = listed or spoken_of or words[0].text in WORDS.joined or words[0].parted == ","
            verdict = self._clause(text, words, listed)
        if verdict is not None and (not verdict.is_failure or verdict.stance):
            return verdict
        if verdict is not None and (spoken := self._leaning(text, words, listed, named)):
            return spoken
        mended = self.frames.mended(words)
        again = self._clause(text, mended, listed) if mended else None
        if again is not None and again.status == "read":
            return again.moved(0, "typo")
        return verdict

    def _head(self, words: Sequence[Word]) -> tuple[str, ...]:
        """Words without articles, and compounds of a snippet's words in their parts ("no-gluten")."""
        return tuple(part for word in words if word.text not in ARTICLES for part in self.frames.parts(word.text))

    def _called_by(self, head: tuple[str, ...]) -> tuple[str, ...]:
        """A head without words that announce its first object: "communicate data" of "communicate data of rover"."""
        while len(head) > 1 and head[-1] in PREPOSITIONS | self.lexicon.type_words:
            head = head[:-1]
        return head

    def _sure_name(self, text: str, word: Word) -> StepSchema | None:
        """The action of a name that is no other word or stands in quotes: "load-truck a into t", "'load' a into t"."""
        said = text[word.start : word.end]
        return self.pddl.schema(said) if text[word.end : word.end + 1] in _QUOTES or not said.isalpha() else None

    def _called(self, text: str, words: Sequence[Word]) -> ClauseReading | None:
        """An action behind its own name, with all objects: "Board: p1 enters e0 on f0", "'drive' t, a → b (5 km)"."""
        mentions = self.frames.mentions(words)
        if not mentions:
            return None
        first = mentions[0].first
        if at := next((at for at, word in enumerate(words) if word.text not in WORDS.joined | WORDS.followed), 0):
            return self._called(text, words[at:]) if at < first and not words[at].aside else None
        end = next((at for at, word in enumerate(words[: first + 1]) if at and word.parted == ":"), first)
        schema = self._sure_name(text, words[0])
        end = sum(word.start == words[0].start for word in words) if schema else end
        loose, head = schema is not None, self._head(words[:end])
        name = schema.name if schema else self._heads.get(head)
        if name is None:
            # "Up from a to b"
            short = self._called_by(head)
            name, end = self._heads.get(short), end - (len(head) - len(short))
        if name is None:
            return None
        named, behind = inside(mentions), words[mentions[-1].last :]
        if any(word.parted and word.text in WORDS.relatives for word in words[mentions[0].last : mentions[-1].first]):
            # "'walk' a, b, c, where d is up"
            behind = []
        body = [*enumerate(words)][end : mentions[-1].last]
        arrow = any(word.parted == ">" for _, word in body)
        # "drop a at b: c, d"
        whole = arrow or len(mentions) == len(self.frames.frames[name].slots)
        loose = loose or any(word.parted == ":" for word in words[1 : mentions[-1 if whole else 0].last + 1])
        if arrow:
            # "Load a → t with h (at l)", but not "load a → t is full"
            loose = loose or not any(word.text in self._states for at, word in body if at not in named)
        kept = _without_remarks(words, 0)
        if rejects(words[end:]) or (behind and tail_stance(behind, lambda _: False)) or any(
            rules_out(word.text)
            or (at > end and (word.parted in _STOPS or not (loose or at in named or word.text in WORDS.applied)))
            for at, word in body if at not in named or word.parted in _STOPS
        ):  # fmt: skip
            # "navigate r: a → b (b can be seen from there)"
            return self._called(text, kept) if len(kept) < len(words) else None
        own = partial(self.frames.says_parameter, self.frames.frames[name])
        said = [words[0], *(word for at, word in body if at in named or word.text in PREPOSITIONS or own(word.text))]
        actions = self.frames.called(name, said, self.frames.mentions(said))
        start, stop = words[0].start, words[mentions[-1].last - 1].end
        if not actions and len(kept) < len(words):
            # "'taxi' to plane_1 (turns south)"
            return self._called(text, kept)
        return verdict_of(start, stop, tuple(actions), ("called",)) if actions else None

    def _leaning(
        self, text: str, words: Sequence[Word], listed: bool, named: Sequence[Antecedents]
    ) -> ClauseReading | None:
        """A clause with the nearest objects named before it that fit for "it", "there" and "the truck".

        "It" may also be what the snippet names by itself: "move the robot from a to b, then move it from b to c".
        """
        words = self._spelled_out(_before_relative(words))
        cut = max((at for at, word in enumerate(words) if word.parted == ","), default=0)
        context = Context([*self._stated(words[:cut]), *named])
        if self._says_another(words[self._behind_joints(words, 0) :]):
            return None
        meant = self._mentions(words, context)[len(self.frames.mentions(words)) :]
        rivals = [frame for word in words for frame, _, _ in self.frames.verbs.get(word.text, ())]
        own = any(self._own_words(frame) or not frame.slots for frame in rivals)
        without = [word for word in words if word.text != "it"] if own else words
        for said in [words] * bool(meant) + [without] * (len(without) < len(words)):
            verdict = _preferred(self._clause(text, said, listed, context))
            # Of two trucks "the truck" is none.
            sure = verdict is not None and (
                not verdict.reason or all(words[item.first].text not in WORDS.definite for item in meant)
            )
            if verdict is not None and sure and "static" not in verdict.rules:
                return verdict._replace(reason="").moved(0, "reference")
        return None

    def _stated(self, words: Sequence[Word]) -> list[Antecedents]:
        """The one object of which words tell a state: "Now that a is clear, pick it up"."""
        spoken_of = [item.objects[0] for item in self.frames.mentions(words)]
        return (
            [Antecedents(spoken_of)] if len(spoken_of) == 1 and any(word.text in self._states for word in words) else []
        )

    def _spelled_out(self, words: Sequence[Word]) -> list[Word]:
        """The words with "it" for a subject that is not said, and with "at there" for "there" and "…, where"."""
        spelled: list[Word] = []
        where = [word for word in words[:1] if word.text == "where"]
        words = words[len(where) :]
        at = self._behind_joints(words, 0)
        forms = self.frames.verbs.get(words[at].text, ()) if at < len(words) else ()
        acts = any(form == "s" for _, form, _ in forms) and all(word.text != "it" for word in words)
        for index, word in enumerate(words):
            if acts and index == at:
                # "robot_0 drives to b and drops a there": who acted before acts again.
                spelled.append(word._replace(text="it", raw="it", end=word.start))
                word = word._replace(parted="")
            if word.text in WORDS.places and (not index or words[index - 1].text not in PREPOSITIONS):
                spelled.append(word._replace(text="at", raw="at", end=word.start))
                word = word._replace(parted="")
            spelled.append(word)
        if where and spelled:
            behind = spelled[-1]._replace(start=spelled[-1].end, parted="")
            spelled += [behind._replace(text=said, raw=said) for said in ("at", "there")]
        return spelled

    def _mentions(self, words: Sequence[Word], context: Context | None) -> list[Mention]:
        """The mentions of objects by their names and, behind these, by a pronoun or a definite noun in a context."""
        mentions = self.frames.mentions(words)
        if context is None:
            return mentions
        names = inside(mentions)
        for at, word in enumerate(words):
            begun = any(other.text in self.frames.verbs for other in words[:at])
            if begun and word.text in WORDS.reasons:
                break
            taken, noun = 1, ""
            if at not in names and self._is_definite(words, at):
                taken = 2 + (words[at + 1].text == "same")
                noun = words[at + taken - 1].text
            elif at in names or word.text not in WORDS.places | {"it"} or (
                # "Put a into it", where the snippet says so itself
                word.text in self.frames.vocabulary and (word.text != "it" or words[at - 1].text in PREPOSITIONS)
            ):  # fmt: skip
                continue
            items = [
                item
                for named in context.named
                for item in named.meant(subject=not (begun or noun or context.open), place=word.text in WORDS.places)
                if not noun or noun in self.lexicon.words_for(item)
            ]
            if noun and not items:
                items = [item for item in self.lexicon.by_pddl.values() if noun in self.lexicon.words_for(item)]
                items = items if len(items) == 1 else []
            if items:
                mentions.append(Mention(at, at + taken, tuple(dict.fromkeys(items))[:_MOST_MEANT]))
        return mentions

    def _is_definite(self, words: Sequence[Word], index: int) -> bool:
        """Whether "the truck" or "the same hoist" begins there without a name behind or before it."""
        if words[index].text not in WORDS.definite:
            return False
        at = index + 1 + (words[index + 1 : index + 2] != [] and words[index + 1].text == "same")
        if at >= len(words) or words[at].text not in self.lexicon.type_words:
            return False
        return not inside(self.frames.mentions(words[max(index - 1, 0) : at + 2]))

    def named_by(self, step: GroundAction) -> Antecedents:
        """What a step names; its places are where it ends, is done and begins, and the last one told stands first."""
        frame = self.frames.frames[step.name]
        told = [
            (item, role.prepositions)
            for slot, role in zip(frame.slots, frame.roles, strict=True)
            if (item := self.lexicon.by_pddl.get(step.args[slot])) is not None
        ]
        places = [
            item for way in ({"to"}, _AT, {"from"}) for item, announced in told[::-1] if not announced.isdisjoint(way)
        ]
        if all("from" in announced or announced.isdisjoint(_PLACING) for _, announced in told):
            # What is unstacked from a block is at no place.
            places = []
        return Antecedents([item for item, _ in told if item not in places], [*dict.fromkeys(places)], step)

    def _own_words(self, frame: Frame) -> frozenset[str]:
        """The nouns that a snippet itself names: the ferry of "sail the ferry from {?a} to {?b}"."""
        return frame.content - PREPOSITIONS - ARTICLES - PARTICLES - {frame.verb} - self.lexicon.type_words

    def objects_in(self, text: str) -> list[KnownObject]:
        """The objects that a text names."""
        return [item for mention in self.frames.mentions(words_of(text)) for item in mention.objects]

    def orders(self, text: str, *, bare: bool = False) -> bool:
        """Whether a text begins with a verb that gives an order, or may do so: "Pick up a", "Grab the key".

        ``bare``: a verb of no action only in its bare form.
        """
        words = words_of(text)
        at = self._behind_joints(words, 0)
        if at < len(words) and words[at].text in ("there", "they", "it", "it's", "here"):
            return False
        named = next((item.first for item in self.frames.mentions(words)), len(words) - 1)
        forms = self.frames.verbs.get(words[at].text, ()) if at < len(words) else ()
        forms = () if forms and self._is_noun(words, at) else forms
        begins = self._order(words, named, bare=bare) if not forms and named > 0 else -1
        # "So the robot can take it."
        supposed = any(word.text in ("can", "could", "may", "might") for word in words[:begins])
        return any(form == "base" for _, form, _ in forms) or (begins >= 0 and not supposed)

    def completed(self, text: str, named: Sequence[Antecedents], listed: bool) -> Sequence[GroundAction]:
        """The ways to complete a step that leaves objects out: by what the reply names before it, the nearest first.

        "It", "the truck" and what is left out are each an object of the nearest line that names a fitting one; a
        destination that is left out is none, and "move to b" may begin anywhere.
        """
        words = words_of(text)
        at = self._behind_joints(words, 0)
        listed, words = listed or at > 0, self._spelled_out(words[at:])
        if not words or words[-1].text in PREPOSITIONS or self._says_another(words):
            return ()
        context = Context(named, open=True)
        verbs = [word.text for word in words if word.text in self.frames.verbs]
        # "Change its color": the verb of another action may be a noun of this one.
        if not self.frames.vocabulary.issuperset(verbs[1:]):
            return ()
        own = {noun for verb in verbs for frame, _, _ in self.frames.verbs[verb] for noun in self._own_words(frame)}
        known = self._names(words)
        # "It moves to b": what acts may be the snippet's own robot.
        for said in (words, [word for word in words if word.text != "it"]) if own else (words,):
            verdict = self._clause(text, said, listed, context)
            ways = verdict.candidates if verdict is not None and verdict.status in ("read", "ambiguous") else ()
            if ways := tuple([way for way in ways if not known.issuperset(way.args)]):
                return ways
        return ()

    def _says_another(self, tail: Sequence[Word]) -> bool:
        """Whether words behind an action say one more with a verb of none: "sail back to b, and let the car off"."""
        verbs = [two.text for one, two in pairwise(tail) if one.text in ("and", "then")]
        known = self.frames.vocabulary | self.lexicon.nouns
        return any(verb in WORDS.has_done or not (is_known(verb) or verb in known) for verb in verbs)

    def _ways(self, fits: Sequence[Fit], context: Context) -> tuple[GroundAction, ...]:
        """The ground actions of fits with open objects that the nearest lines name, as they are preferred."""
        far: dict[str, int] = {}
        for distance, named in enumerate(context.named):
            for item in named.meant():
                far.setdefault(item.pddl, distance)
        ways: dict[GroundAction, int] = {}
        for fit in fits:
            options = [said or self._left_out(fit, place, context) for place, said in enumerate(fit.objects)]
            for way in product(*options) if prod(map(len, options)) <= _MOST_WAYS else ():
                action = GroundAction(fit.frame.action, tuple([item.pddl for item in way]))
                # What is filled in is none of the other objects.
                if len({*way}) == len(way):
                    ways[action] = 0 if fit.lacks_start else sum(far.get(arg, 0) for arg in action.args)
        allowed = [action for action in ways if self.statics.allows(action)]
        ways = {action: ways[action] for action in allowed or (ways if len(ways) == 1 else ())}
        return tuple([action for action, distance in ways.items() if distance == min(ways.values())])

    def _left_out(self, fit: Fit, place: int, context: Context) -> Sequence[KnownObject]:
        """The objects that a fit may mean where it names none, as they are preferred."""
        frame, before = fit.frame, context.named[0].step if context.again else None
        announced = frame.roles[frame.slots.index(place)].prepositions
        way = context.again != "instead" and any("from" in role.prepositions for role in frame.roles)
        if not context.open or (place in frame.goals and (before is None or (way and not frame.natural))):
            return ()
        fitting = [item for item in self.lexicon.by_pddl.values() if item.fits(frame.types[place])]
        if len(fitting) == 1 or (before is None and (fit.lacks_start or not any(fit.objects))):
            return fitting
        if before is not None and before.name == frame.action:
            # A way goes on from where it ended.
            ended = context.named[0].places[:1] if way and "from" in announced else []
            return [
                item for item in (*ended, self.lexicon.by_pddl[before.args[place]]) if self.suits(frame, place, item)
            ][:1]
        # "**robot_1**" or "satellite_0 does all of this:", but no step before, says what "moves up" is about.
        known = (named.meant() for named in context.named if announced or before or named.step is None)
        return [item for item in dict.fromkeys(chain.from_iterable(known)) if item in fitting][:_NEAREST]

    def _with_tail(self, text: str, words: Sequence[Word], verdict: ClauseReading) -> list[ClauseReading]:
        """A verdict, and the step that the words behind an action say: "pick up c, after which I stack c on a"."""
        tail = [word for word in words if word.start >= verdict.end] if verdict.status == "read" else []
        own = [word for word in tail[self._behind_joints(tail, 0) :] if word.text not in (*ARTICLES, "action", "apply")]
        name = self._heads.get(tuple(part for word in own for part in name_words(word.text)), "") if own else ""
        if name and not self.frames.frames[name].types:
            # "Apply 'rewind-movie' and next the action 'reset-counter'": it takes no object.
            return [verdict, verdict_of(own[0].start, own[-1].end, (GroundAction(name, ()),), ("called",))]
        if any(word.text in self.frames.verbs for word in tail[1:]):
            further = self._clause(text, tail, False)
            if tail[0].text == "where" and (further is None or further.status != "read"):
                # "…, where it picks up a"
                further = self._leaning(text, tail, False, [self.named_by(verdict.candidates[0])]) or further
            # "…, from where it sends the data of a" says a step; what stands behind a dash explains this one.
            lost = further is not None and (further.is_failure or further.stance == "unclear (where)")
            # "…, and end by unloading a from b": another action, of which it is not clear that it is done
            said = further is not None and further.status in ("read", "ambiguous")
            if further is not None and is_open(further.stance):
                left = self._names(tail) - {*verdict.candidates[0].args} if further.stance.startswith("unclear") else ()
                said = bool({*further.candidates} - {*verdict.candidates} or left)
            if further is not None and (said or (lost and tail[0].parted != "-")):
                return [verdict, *self._with_tail(text, tail, further)]
        elif tail and tail[0].text == "and":
            told = any(word.text in self._states for word in tail) or self._names(tail) <= {*verdict.candidates[0].args}
            if not told:
                reason = "it names an object that the action before it does not use"
                return [verdict, *(self._further(text, verdict, tail) or [_unreadable(tail, reason)])]
        return [verdict]

    # ── where clauses begin ──────────────────────────────────────────────────────────────────────

    def _split(self, words: Sequence[Word], read: ClauseReading | None) -> list[Sequence[Word]]:
        """A sentence cut before "and", "then" or a comma where another clause begins, behind one that is read."""
        starts = [0]
        mentions = self.frames.mentions(words)
        named = inside(mentions)
        for index, word in enumerate(words[1:], 1):
            # "… cannot be sent from there, so …"
            # "Pick up a there, and go to b"
            ends = word.text == "there" and words[index + 1 : index + 2] and words[index + 1].parted
            inner = ends or (word.text == "there" and words[index - 1].text in PREPOSITIONS)
            joint = word.parted in (",", "-", ":", "(", ">") or (word.text in WORDS.joints and not inner)
            joined = words[index - 1].text in WORDS.joints and not word.parted and index - 1 > starts[-1]
            before = words[starts[-1] : index]
            # "It is then moved": what stands before is the subject.
            subject = word.text in WORDS.joints and all(item.text in _SUBJECTLESS for item in before)
            parts = joint and not joined and (read is None or word.start >= read.end)
            if parts and not subject:
                begins = self._begins_clause(words, index, named) or self._begins_chain(words, index, mentions)
                starts += [index] if begins or self._begins_other(words, index, named, read is None) else []
        return [words[start:end] for start, end in pairwise((*starts, len(words)))]

    def _begins_other(self, words: Sequence[Word], index: int, named: frozenset[int], unread: bool) -> bool:
        """Whether a clause with a verb of no action begins: ", then grabs a", ", then I ship a to b".

        ``unread``: the whole is no action, so that ", take the lift to a" may begin one.
        """
        at = index
        while at < min(len(words), index + 6) and words[at].text in _OPENERS:
            at += 1
        said = "then" in (word.text for word in words[index:at])
        said = said or (
            unread and words[index].parted == "," and not words[min(at, len(words) - 1)].text.endswith("ing")
        )
        first = next((place for place in range(at + 1, at + 6) if place in named), 0) if said else 0
        return first > 0 and self._order(words[at : first + 1], first - at) >= 0

    def _begins_clause(self, words: Sequence[Word], index: int, named: frozenset[int]) -> bool:
        """Whether a verb stands behind words that may open a clause, or behind a subject: ", the ferry is sailed"."""
        nouns = ARTICLES | self.lexicon.type_words | {"it", "they"} | (self.frames.vocabulary - PREPOSITIONS)
        nouns -= _SUBJECTLESS - {"it", "they", "robot", "agent"}
        subject = passive = False
        for at, word in enumerate(words[index : index + 14], index):
            forms = self.frames.verbs.get(word.text, ()) if at not in named else ()
            if words[at - 1].text == "action" and self.pddl.schema(word.text):
                # "…, and then the action 'clean' to a"
                return True
            if forms and not (at == index and word.text in PREPOSITIONS):
                return not subject or any(form == "s" or (form in ("past", "base") and passive) for _, form, _ in forms)
            # "…, then I let robot_0 paint …"
            passive = passive or word.text in WORDS.passives or word.text == "let"
            # "…, then I let robot_97 paint …", of which there is none
            if at in named or word.text in nouns or ("_" in word.text and word.text[-1].isdigit()):
                subject = True
            elif word.text not in _SUBJECTLESS and not word.text.isdigit():
                return False
        return False

    def _begins_chain(self, words: Sequence[Word], index: int, mentions: Sequence[Mention]) -> bool:
        """Whether a clause without a verb goes on with the action before: ", then to place_0", "and b from c"."""
        at = self._behind_joints(words, index)
        behind = [item for item in mentions if item.first >= at][:2]
        beside = ARTICLES | self.lexicon.type_words | PREPOSITIONS | WORDS.places
        # "… and drops a there from b"
        opened = (at > index and words[index].text != "there") or words[index].parted == ","
        if not opened or not behind or any(word.text not in beside for word in words[at : behind[0].first]):
            return False
        announced = len(behind) > 1 and words[behind[0].last].text in PREPOSITIONS
        frames = (frame for word in words[:index] for frame, _, _ in self.frames.verbs.get(word.text, ()))
        if words[index].text == "and" and any(frame.joins for frame in frames):
            return False
        # "first in mode_0 and then in mode_1"
        again = words[at].text in PREPOSITIONS and any(word.text == "then" for word in words[index:at])
        return announced or again or words[at].text in ("to", "from")

    def _behind_joints(self, words: Sequence[Word], index: int) -> int:
        while index < len(words) and words[index].text in WORDS.joined:
            index += 1
        return index

    # ── one clause ───────────────────────────────────────────────────────────────────────────────

    def _clause(
        self, text: str, words: Sequence[Word], listed: bool, context: Context | None = None
    ) -> ClauseReading | None:
        """The action of a clause, its stance, or why it is none; None where it speaks of no action and no object.

        ``context``: what it may mean by pronouns and by what it leaves out; then it is ambiguous where several fit.
        """
        failed: ClauseReading | None = None
        tried = 0
        for at, word in enumerate(words[: _LEAD + _REACH]):
            if word.text not in self.frames.verbs or tried > 3:
                continue
            if at and words[at - 1].text in ARTICLES and words[at + 1 : at + 2] and (
                words[at + 1].text in WORDS.passives | {"action"}
            ):  # fmt: skip
                # "The head is now at c.", "The 'roll' action does this."
                continue
            if self._is_adjective(words, at) or (word.text == "go" and at > 1 and words[at - 2].text == "here"):
                # "Here you go!"
                continue
            behind = words[at + 1].text if at + 1 < len(words) else ""
            bare = all(form == "base" for _, form, _ in self.frames.verbs[word.text])
            if self._is_noun(words, at) or (word.text in WORDS.passives and behind.endswith("ed")) or (
                bare and at and words[at - 1].text in WORDS.before_nouns
            ):  # fmt: skip
                # "a gets filled with b", "a is out of place"
                continue
            tried += 1
            verdict = self._at_verb(text, words, at, listed, context)
            if verdict is not None and verdict.status in ("read", "ambiguous"):
                return verdict
            refused = failed is not None and failed.stance.startswith("rejected")
            failed = verdict if refused and verdict is not None and verdict.is_failure else failed or verdict
        return failed

    def _is_noun(self, words: Sequence[Word], at: int) -> bool:
        """Whether a word is the name of a parameter: "the head starts at a", "Head: a", but not "head to a"."""
        text = words[at].text
        noun = (at > 0 and words[at - 1].text in ARTICLES) or [word.parted for word in words[at + 1 : at + 2]] == [":"]
        named = noun and any(text in frame.parameters for frame in self.frames.frames.values())
        return named and all(price for _, _, price in self.frames.verbs[text])

    def _is_adjective(self, words: Sequence[Word], at: int) -> bool:
        """Whether a form of a verb tells a state: "object_2 is open", "a is now loaded"."""
        bare = all(form == "base" for _, form, _ in self.frames.verbs[words[at].text])
        before = next((word.text for word in reversed(words[:at]) if word.text not in FILLERS or word.parted), "")
        ends = not words[at + 1 : at + 2] or words[at + 1].parted != ""
        bare = (bare and words[at].text not in _UNCHANGED) or (at > 1 and words[at - 1].text == "now")
        return bare and ends and before in WORDS.passives | WORDS.remains

    def _without_verb(self, words: Sequence[Word]) -> ClauseReading | None:
        """The end of a clause with no verb of an action: a state, or unclear; None where it names no object."""
        if not self.frames.mentions(words):
            return None
        before = _before_relative(words) if words[0].text in WORDS.joints else words
        words = before if self.frames.mentions(before) else words
        mentions = self.frames.mentions(words)
        used = inside(mentions)
        # "Then it paints b" is no state, even if a predicate uses the verb.
        states = WORDS.states if "then" in (word.text for word in words[:2]) else self._states
        obliged = {index for index, word in enumerate(words[1:]) if word.text == "to"}
        holds = [word.text for index, word in enumerate(words) if word.text in states and index not in obliged]
        plain = ARTICLES | self.lexicon.type_words | FILLERS
        aside_only = all(word.aside for word in words)
        keyed = len(mentions) > 1 and all(words[item.first].parted == ":" for item in mentions)
        if (
            # "Head: a · Tail: b"
            keyed
            or (holds and self._order(words, mentions[0].first) < 0)
            or self._explains(words)
            # "(target: level_2)", "→ carries a", but not "(Then bring a to b.)", "→ bring a to b"
            or (aside_only and self._order(words, mentions[0].first, bare=True) < 1)
            or (words[0].parted == ">" and self._order(words, mentions[0].first, bare=True) < 0)
            # "child_3 (not allergic)"
            or (not aside_only and all(at in used or word.text in plain or word.aside for at, word in enumerate(words)))
        ):
            stance = f"state ({holds[0]})" if holds else A_LIST
            return ClauseReading(words[0].start, words[-1].end, "not-an-action", stance=stance, names_object=True)
        return _unreadable(words, UNKNOWN_VERB)

    def _explains(self, words: Sequence[Word]) -> bool:
        """Whether it says what the step before does: "This clears a", "That way, b is free"."""
        at = self._behind_joints(words, 0)
        if [word.text for word in words[at : at + 2]] == ["it", "now"]:
            # "It now covers a."
            return True
        return words[at : at + 1] != [] and words[at].text in WORDS.demonstratives and (
            len(words) < at + 2 or words[at + 1].text not in self.lexicon.nouns
        )  # fmt: skip

    def _order(self, words: Sequence[Word], named: int, *, bare: bool = False) -> int:
        """Where a word stands before the first object that begins no description ("grab a, which is on b"), or -1.

        ``bare``: and that can be an order by its ending ("grab a", but not "carries a").
        """
        at = 0
        while at < named and words[at].text in _SUBJECTLESS:
            if words[at].text in WORDS.passives and at and words[at - 1].text == "there":
                # "There are bombs at a."
                return -1
            at += 1
        said = words[at].text
        subjects = self.lexicon.nouns | self.frames.vocabulary | self._told_states | WORDS.relatives
        beside = ARTICLES | PARTICLES | PREPOSITIONS | self.lexicon.nouns | self.frames.vocabulary
        # "The rate of a on b" is no order.
        known = is_known(said) or said in subjects or (at > 0 and words[at - 1].text in ARTICLES)
        tells = bare and len(said) > 5 and said.endswith(("s", "ed", "ing")) and not said.endswith("ss")
        begins = at < named and not known and not tells and words[named].parted != ":" and all(
            word.text in beside and not word.parted for word in words[at + 1 : named]
        )  # fmt: skip
        return at if begins else -1

    def _at_verb(
        self, text: str, words: Sequence[Word], at: int, listed: bool, context: Context | None
    ) -> ClauseReading | None:
        begin = max(0, at - _LEAD)
        row = list(words[begin : at + _REACH])
        fits, row, verb, aside = self._fitted(row, at - begin, context)
        # "Pick up a and put it on b": what "it" means has to be said first.
        unsaid = {"it", "them"} if context is None else {"them"}
        pronouns = {item.text for item in row[verb : fits[0].last]} & unsaid if fits else set[str]()
        fits = [fit for fit in fits if pronouns <= {*fit.frame.told}]
        ways = self._ways(fits, context) if context is not None else ()
        if not fits or (context is not None and not ways):
            return self._failed(words, at, listed, self.frames.verbs[words[at].text][0][1])
        fit = fits[0]
        form = next(form for frame, form, _ in self.frames.verbs[words[at].text] if frame is fit.frame)
        passive = form == "past" and any(word.text in WORDS.passives for word in row[:verb])
        # "After that it moves from a to b", but "so it must move" is no order.
        lead, subject = self._unspoken(row, verb, fit, None if context is None or context.open else context)
        stance = stance_of(lead, form, listed=listed and at < 4, passive=passive, subject=subject)
        if not stance and begin:
            stance = "unclear (…)"
        # "Is moved from", "is then stacked on": only something that happens.
        said = {word.text for word in row[: fit.last]}
        if not stance and passive and not listed and "from" not in said and WORDS.events.isdisjoint(said):
            stance = "unclear (a state)"
        tail = [word for word in words if word.start > row[fit.last - 1].start]
        behind = ""
        if tail and not stance:
            stance = behind = tail_stance(tail, lambda word: word.text in self.lexicon.folded)
            stance = behind = stance or self._aim(tail, fits[0])
        # What stands before the verb belongs to the action where one of its objects does.
        start = row[fit.first if fit.first < verb and not stance else verb].start
        end = row[fit.last - 1].end
        actions = ways or tuple(dict.fromkeys(action for item in fits for action in item.actions))
        if stance:
            joints = all(word.text in WORDS.joined for word in lead)
            refused = stance.startswith("rejected") and tail and rejects(tail)
            if refused or behind.startswith("unclear") or (behind.startswith("hypothetical") and joints):
                reason = REFUSED if refused else TAILED
                verdict = ClauseReading(start, words[-1].end, "unreadable", reason=reason, names_object=True)
                return verdict._replace(stance="rejected" if refused else "")
            return ClauseReading(start, end, "not-an-action", actions, stance=stance, names_object=True)
        overlooked = {"prefix": lead, fit.rule: fit.rule, "loose-tail": tail or aside}
        overlooked |= {"static": fit.omitted >= 0}
        rules = tuple(rule for rule, holds in overlooked.items() if holds)
        if not rules and any(map(str.isalpha, text[: words[0].start])):
            rules = ("prefix",)
        if rules in ((), ("prefix",)) and text[end:].strip():
            rules = ("markup", *rules)
        return self._decided(start, end, actions, rules or ("markup",))

    def _aim(self, tail: Sequence[Word], fit: Fit) -> str:
        """The stance of an action whose tail aims it at an object of its own: "calibrate a on b, pointing at c"."""
        ends = next((index for index, word in enumerate(tail) if index and is_reason(word)), len(tail))
        done = {arg for action in fit.actions for arg in action.args}
        named = self.frames.mentions(tail[:ends]) if tail[0].text in WORDS.aims else []
        further = any(done.isdisjoint(item.pddl for item in mention.objects) for mention in named)
        return f"unclear (… {tail[0].text})" if further else ""

    def _unspoken(self, row: Sequence[Word], verb: int, fit: Fit, context: Context | None) -> tuple[list[Word], bool]:
        """The words before the verb that are no part of the action, and whether a subject stands among the others."""
        used = inside(self._mentions(row[:verb], context))
        nouns = self.lexicon.type_words
        # "The ferry sails …": what the snippet itself names can be who acts.
        named = fit.frame.content - PREPOSITIONS - ARTICLES
        lead: list[Word] = []
        acting = fit.first < verb
        for index, word in enumerate(row[:verb]):
            actor = word.text in named and not is_known(word.text)
            acting = acting or actor
            beside = fit.first < verb and (
                word.text in nouns
                or (index >= fit.first and index in used)
                # "From a the ferry sails to b"
                or (word.text in PREPOSITIONS and (index + 1 == fit.first or (index > fit.first and word.text != "to")))
            )
            if not actor and not beside and word.raw:
                lead.append(word)
        at = self._behind_joints(lead, 0)
        if verb > 1 and lead[at:] == row[verb - 2 : verb] and lead[at].text == "the" and not is_known(lead[-1].text):
            # "The lift goes up from a to b"
            return lead[:at], True
        # "Now it closes a", but not "so it must move"
        at = len(lead) - 1 if all(is_plain_lead(word.text) for word in lead[:-1]) else at
        if lead[at : at + 1] and lead[at].text in ("it", "they"):
            # Who acted before acts again: "Finally, it sails from a to b".
            return [*lead[:at], *lead[at + 1 :]], True
        return lead, acting

    def _fitted(self, row: list[Word], verb: int, context: Context | None) -> tuple[list[Fit], list[Word], int, bool]:
        """The fits of a clause: as it stands, or without what stands in brackets and clauses about an object."""

        def fits_of(words: list[Word], at: int) -> list[Fit]:
            mentions = sorted(item for item in self._mentions(words, context) if item.first != at)
            fits = self.frames.fits(words, at, mentions[: self.frames.most + 1])
            return fits or (self.frames.partial(words, at, mentions) if context and context.open else [])

        as_said = fits_of(row, verb)
        if as_said and as_said[0].omitted < 0:
            return as_said, row, verb, False
        kept = _without_remarks(row, verb)
        if len(kept) < len(row) and row[verb] in kept:
            at = kept.index(row[verb])
            if fits := fits_of(kept, at):
                return fits, kept, at, True
        return as_said, row, verb, False

    # ── what is wrong with a clause ──────────────────────────────────────────────────────────────

    def _failed(self, words: Sequence[Word], at: int, listed: bool, form: str) -> ClauseReading:
        """What a clause lacks that speaks of an action and says none: an object, its type, or the action's shape."""
        mentions = [item for item in self.frames.mentions(words[: at + _REACH]) if item.first != at]
        pronoun = any(word.text in ("it", "them") for word in words[at + 1 :])
        names = pronoun or any(words[item.first].text not in ("a", "i") for item in mentions)
        be = at - 1 if at and words[at - 1].text in WORDS.passives else at
        acting = next((item for item in mentions if item.last == be), None)
        begin = acting.first if acting else at
        lead = [word for word in words[max(0, at - _LEAD) : begin] if word.text not in ("it", "they")]
        stance = stance_of(lead, form, listed=listed, passive=False, subject=acting is not None)
        start, end = words[at].start, words[-1].end
        # "… and there drops the ball"
        done = not stance or stance.startswith(("unclear", "explained"))
        made = not WORDS.demonstratives.isdisjoint(item.text for item in lead[:2]) and stance.startswith("explained")
        tells = words[at].text in self._facts and "then" not in (item.text for item in lead)
        past = (tells and acting) or all(word.aside for word in words)
        if form == "past" and (made or past):
            # "This makes a boarded.", "instrument_0 calibrated", "(served: person_0)"
            return ClauseReading(start, end, "not-an-action", stance=f"state ({words[at].text})", names_object=names)
        if form == "s" and made:
            # "This puts a on b."
            return ClauseReading(start, end, "not-an-action", stance=f"restated ({lead[0].text})", names_object=names)
        names = names or (done and any(self._is_definite(words, place) for place in range(at, len(words))))
        if stance or form not in ("base", "s"):
            stance = (stance or "unclear (no action)") if names else "unclear (a state)"
            return ClauseReading(start, end, "not-an-action", stance=stance, names_object=names)
        frames = [frame for frame, _, _ in self.frames.verbs[words[at].text]]
        failed = ClauseReading(start, end, "unreadable", names_object=names)
        stop = next((index for index in range(at + 2, len(words)) if is_reason(words[index])), len(words))
        row = words[at + 1 : stop]
        named = self.frames.mentions(row)
        unknown = self._unknown(row, named)
        if unknown and any(len(named) + len(unknown) == len(frame.slots) for frame in frames):
            if pronouns := [name for name in unknown if fold(name) in PRONOUNS]:
                return failed._replace(reason=f"'{pronouns[0]}' names no object")
            kinds = [name for name in unknown if fold(name) in self.lexicon.type_words]
            if not kinds:
                return failed.of_unknown(unknown, self.lexicon)
            if any(frame.verb == words[at].text for frame in frames):
                return failed._replace(reason=f"'{kinds[0]}' is a kind of object; which one is not said")
        frame = next((frame for frame in frames if len(frame.slots) == len(named)), None)
        if frame is None or unknown or any(len(item.objects) > 1 for item in named):
            return failed._replace(reason="it begins like an action, but does not go on like it")
        said = dict(zip(frame.slots, (item.objects[0] for item in named), strict=True))
        nearest = GroundAction(frame.action, tuple(said[place].pddl for place in range(len(frame.types))))
        return failed._replace(candidates=(nearest,), reason=self._mistyped(frame, said))

    def _unknown(self, row: Sequence[Word], mentions: Sequence[Mention]) -> tuple[str, ...]:
        """The words of a clause that stand where a name should and name no object: pronouns, kinds, unknown names."""
        used = inside(mentions)
        types = self.lexicon.type_words
        known = PREPOSITIONS | FILLERS | PARTICLES | (ARTICLES - PRONOUNS) | (self.frames.vocabulary - types)
        names: list[str] = []
        for index, word in enumerate(row):
            behind = row[index + 1 : index + 2]
            beside = {index - 1, index + 1} & used or (behind and behind[0].text not in known)
            if index in used or (word.text in types | ARTICLES and beside):
                continue
            # "unstack b from a": at the end of a phrase this is no article.
            if word.text in known and not (word.text == "a" and (not behind or behind[0].text in PREPOSITIONS)):
                continue
            number = word.text.isdigit() and index and row[index - 1].text in types
            names.append(f"{row[index - 1].raw} {word.raw}" if number else word.raw)
        return tuple(names)

    def _mistyped(self, frame: Frame, said: dict[int, KnownObject]) -> str:
        # Models are told this: it speaks of kinds as the wording does, and of no name of the PDDL domain.
        for place, wanted in enumerate(frame.types):
            if not said[place].fits(wanted):
                kinds = " or ".join(self.lexicon.noun(kind) for kind in wanted)
                return f"'{said[place].nl}' is no {kinds}, and one is needed there"
        return "its words do not fit the objects that it names"


def _before_relative(words: Sequence[Word]) -> Sequence[Word]:
    """Words up to what is said of the object before: "to c, where a is parked"."""
    ends = (at for at, word in enumerate(words) if at > 1 and word.parted == "," and word.text in WORDS.relatives)
    return words[: next(ends, len(words))]


def _steps(before: Steps, clauses: Sequence[ClauseReading]) -> Steps:
    """The last steps with those that clauses say; what was meant as one and cannot be read breaks them off."""
    for item in clauses:
        before = (
            (*before, *item.candidates)[-_REMEMBERED:] if item.status == "read" else () if item.is_failure else before
        )
    return before


def _preferred(verdict: ClauseReading | None) -> ClauseReading | None:
    """A reading with the first of several ways, if all are of one action; ``reason`` says that there are more."""
    if verdict is None or len({way.name for way in verdict.candidates}) != 1 or verdict.stance or verdict.is_failure:
        return None
    return verdict._replace(status="read", candidates=verdict.candidates[:1])


def _unreadable(words: Sequence[Word], reason: str) -> ClauseReading:
    return ClauseReading(words[0].start, words[-1].end, "unreadable", reason=reason, names_object=True)


def _refused(verdict: ClauseReading) -> ClauseReading:
    """An action that its own line rules out."""
    return verdict._replace(status="unreadable", candidates=(), rules=(), reason=REFUSED, stance="rejected")


def _behind_correction(text: str, sentence: Sequence[Word]) -> Sequence[Word]:
    """A sentence without the words by which it corrects the one before it: "no, …", "no wait, I meant …"."""
    at = 0
    while at < len(sentence) and sentence[at].text in WORDS.corrections:
        at += 1
    # "Actually, that place is taken, so make that d"
    starts = sentence[at:] if at else sentence[:1]
    meant = next((match for word in starts if (match := _MEANT.match(text, word.start))), None)
    if meant is not None:
        return [word for word in sentence[at:] if word.start >= meant.end()]
    # "Hmm, actually the laser is better": the last word that a mark parts from the rest.
    while 0 < at < len(sentence) and not sentence[at].parted:
        at -= 1
    return sentence[at:]


def _without_remarks(row: Sequence[Word], verb: int) -> list[Word]:
    """The words without remarks in brackets and clauses between commas that only describe ("…, which was on b, …").

    What stands in brackets stays where it rules the action out or is a condition.
    """
    aside = [word for word in row if word.aside]
    binds = rejects(aside) or any(word.text in WORDS.aside_conditions for word in aside[:1])
    kept: list[Word] = []
    describes = False
    for index, word in enumerate(row):
        if index > verb and word.parted == ",":
            # ", which was on b," ", one of the two trucks at c,"
            describes = word.text in WORDS.relatives or [item.text for item in row[index : index + 2]] == ["one", "of"]
        if not describes and (binds or not word.aside):
            kept.append(word)
    return kept
