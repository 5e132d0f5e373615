"""The stance of a sentence: whether it does the action that it names, or rejects, supposes, wants or remembers it.

Only what is asserted is a step. The words before the verb decide: all of them must be known to leave the action one
that is done ("Now I will", "the robot", "I need to"); a word that nothing is known about makes the sentence prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pddl2nl.nl.reading.words import ARTICLES, Word, word_set

__all__ = [
    "CORRECTIONS",
    "Judged",
    "Stance",
    "announces_more",
    "announces_plan",
    "corrects",
    "is_open",
    "is_vague",
    "label_stance",
    "rejects_after",
    "rejects_before",
    "stance_of",
    "takes_back",
]

Stance = Literal["asserted", "rejected", "hypothetical", "goal", "done", "explained", "unclear"]


class Judged(NamedTuple):
    """A stance and the word that says it; empty for what is asserted."""

    stance: Stance
    why: str = ""

    def __str__(self) -> str:
        return "" if self.stance == "asserted" else f"{self.stance} ({self.why})" if self.why else self.stance


_REJECT = word_set(
    "not never cannot can't can’t don't don’t won't won’t doesn't doesn’t isn't isn’t couldn't couldn’t shouldn't "
    "shouldn’t wouldn't wouldn’t didn't didn’t mustn't neither nor without avoid avoiding instead rather refuse skip "
    "skipping wrong impossible no nothing unable fail fails failed mistake undo ❌ ❎ ✖ ✗ ✘"
)
_HYPOTHETICAL = word_set(
    "if would could might may can should suppose supposing assume assuming perhaps maybe whether when whenever once "
    "until unless before after while what why how possible option alternatively alternative consider considering "
    "considered thinking thought thoughts wonder or either ought try trying would've for example since because "
    "although though"
)
_GOAL = word_set("goal goals aim objective want wants wanted purpose order wish hope intend intends")
_DONE = word_set("already have has had did previously earlier was were having been just")
_EXPLAINS = word_set("this that these those it which there plan step result effect ensures means allows")
CORRECTIONS = word_set("no wait actually hmm oops sorry correction rather scratch instead")
"""Words that open a correction of what was just said."""

_SUBJECTS = word_set("i we you robot agent he she they gripper arm hand")
_AUXILIARIES = word_set(
    "will shall i'll i’ll we'll we’ll you'll i'd i’d we'd we’d i'm i’m we're we’re you're let's let’s lets let us "
    "me am are is be being going gonna must choose decide decided choosing proceed continue start begin go ahead opt "
    "elect perform execute do need needs use used using like called named labeled labelled"
)
_FILLERS = word_set(
    "now next then first firstly second secondly third thirdly fourth fifth finally last lastly so therefore thus "
    "hence also again and please ok okay just simply immediately carefully directly here that's afterwards "
    "subsequently meanwhile more step steps action move moves at with by from consequently eventually right away "
    "but sure alright well good followed great time yes turn thing best better only quickly slowly safely gently once"
)
_BEFORE_TO = word_set(
    "going need needs have has choose decide decided proceed continue i'd i’d like ready is was opt elect "
    "able start begin am are be about move action step time use used using ought"
)
_VAGUE = ("sooner or later", "at some point", "later on", "later", "some day", "someday", "eventually", "in the end")


def stance_of(lead: Sequence[Word], form: str, *, listed: bool, passive: bool, subject: bool) -> Judged:
    """The stance that the words before the verb give; ``subject``: an object mention stands among them as one.

    ``form`` is the verb's (``base``, ``s``, ``ing``, ``past``); ``listed``: the sentence begins a list item, where
    a bare form of the verb is a step ("1. Moving b to c").
    """
    words = [word.text for word in lead if word.text not in ARTICLES or word.text in ("that", "this")]
    plain = [word for word in words if word not in CORRECTIONS] if words[:1] and words[0] in CORRECTIONS else words
    person = any(word in _SUBJECTS or word[:2] in ("i'", "i’") or word[:3] in ("we'", "we’") for word in plain)
    for index, word in enumerate(plain):
        before = plain[index - 1] if index else ""
        if (word == "would" and plain[index + 1 : index + 2] == ["rather"]) or (word == "rather" and before == "would"):
            continue
        if word == "instead" and _SUBJECTS.intersection(plain[index + 1 :]):
            continue
        if (word == "after" and plain[index + 1 : index + 2] in (["that"], ["this"])) or (
            word in ("that", "this") and before == "after"
        ):
            continue
        if word in _REJECT:
            return Judged("rejected", word)
        if (word in ("think", "believe") and before in ("i", "")) or (word in ("it", "it's") and "time" in plain):
            continue
        if word in ("have", "has", "had") and plain[index + 1 : index + 2] in (["to"], ["decided"], ["chosen"]):
            continue
        if word == "to":
            if before not in _BEFORE_TO:
                return Judged("goal", "to")
        elif word in _GOAL:
            return Judged("goal", word)
        elif word in ("am", "is", "are", "be", "being", "been", "was", "were", "gets", "get") and (
            form == "ing" or passive
        ):
            continue
        elif word in _HYPOTHETICAL:
            return Judged("hypothetical", word)
        elif word in _DONE:
            return Judged("done", word)
        elif word in _SUBJECTS or word in _AUXILIARIES or word in _FILLERS:
            continue
        elif word in _EXPLAINS:
            return Judged("explained", word)
        else:
            return Judged("unclear", word)
    if form == "base":
        return Judged("asserted")
    if form == "s":
        return Judged("asserted") if person or subject or listed else Judged("unclear", "no subject")
    if form == "ing":
        continuous = any(
            word in ("am", "are", "is", "be", "i'm", "i’m", "we're", "we’re", "start", "begin", "by") for word in plain
        )
        return Judged("asserted") if continuous or listed else Judged("unclear" if plain else "hypothetical", "-ing")
    if passive or person or listed:
        return Judged("asserted")
    return Judged("done", "past tense")


_OPEN = ("unclear", "hypothetical (can)", "done (past tense)")


def is_open(stance: str) -> bool:
    """Whether a stance leaves open that the action is a step: it must be reported where no step is known that it says.

    "Next comes moving b to c" and "now we can stack a on b" are often steps; "b is stacked on c" describes a state.
    """
    return stance.startswith(_OPEN) and stance != "unclear (a state)"


_LABELS = word_set(
    "possible applicable available legal valid allowed option options could would goal goals thought thoughts reason "
    "effect effects precondition preconditions state observation candidates inapplicable invalid illegal wrong failed "
    "previous other avoid never question example before alternatives incorrect"
)


def label_stance(words: Sequence[Word]) -> str:
    """The word of a label before a colon that leaves what follows unsaid: "Applicable actions: …"; or empty."""
    mere = _HYPOTHETICAL if words[-1].text in ("this", "following", "do") else frozenset()
    return next((word.text for word in words[-8:] if word.text in (_LABELS - mere) | _REJECT), "")


def is_vague(tail: str) -> bool:
    """Whether words behind an action put it off: "sooner or later", "at some point"."""
    lowered = tail.lower()
    return any(re.search(rf"\b{words}\b", lowered) for words in _VAGUE)


# ── what a line says of the plan before or after it ──────────────────────────────────────────────

_WRONG = (
    r"(?:wrong|incorrect|invalid|bad|flawed|impossible|infeasible|a\s+mistake|an\s+error"
    r"|not\s+(?:\w+\s+)?(?:valid|correct|right|possible|enough|work(?:ing)?|good|allowed|feasible|executable|applicable))"
)
_REJECTS = re.compile(
    rf"(?:^|[.!:,]\s+|\b(?:but|however|actually|wait|hmm|no|sorry|oops|because|since|unfortunately),?\s+)(?:(?:no|wait|actually|hmm"
    r"|sorry|oops|but|so|unfortunately|however|well)[,.!\s…]+)*(?:(?:that|this|it|the\s+(?:above|first|previous|last|plan|order|sequence)|my|plan)"
    rf"(?:\s+\w+){{0,3}}?(?:\s+(?:is|was|would\s+be|are)|['’]s)\s+(?:\w+\s+)?{_WRONG}"
    r"|(?:that|this|it|the\s+(?:above|first|previous|plan)|my)(?:\s+\w+){0,3}?\s+(?:fails?|failed|does(?:n['’]t|\s+not)\s+work|won['’]t\s+work|will\s+not\s+work|cannot\s+work|leaves\b.*\bstuck)"
    r"|(?:i|we)\s+(?:made\s+(?:a|an)\s+(?:mistake|error)|was\s+wrong|was\s+mistaken|made\s+that\s+wrong)|scratch\s+that|ignore\s+(?:that|the\s+above|this)"
    r"|disregard|start(?:ing)?\s+over|let\s+me\s+(?:correct|fix|redo|revise|try\s+again|start\s+over|reconsider|rethink))",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"^\W*(?:wait|actually|hmm+|oops|no|sorry|correction|on\s+second\s+thought|hold\s+on|instead|rather)\b"
    r"|\b(?:correct(?:ed|ion)|revis(?:ed|ion)|improved|better|shorter|fixed|updated|instead)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:wait|actually|hmm+|oops|sorry|correction|scratch|on\s+second\s+thought|hold\s+on|changed?\s+my\s+mind|let\s+me\s+(?:correct|revise|change))\b"
    r"|(?:^|[.\n(–—-])\s*no\b[,.:!]",
    re.IGNORECASE,
)
_BAD_AHEAD = re.compile(
    r"\b(?:(?:bad|wrong|incorrect|invalid|poor|failed|rejected|naive|faulty|broken|tempting|flawed|non-?working)\s+(?:\w+\s+)?"
    r"(?:plan|attempt|sequence|solution|approach|order|idea|alternative|example)|would\s+(?:be\s+wrong|fail|not\s+work)"
    r"|\((?:wrong|incorrect|invalid|failed|rejected|not\s+\w+|does\s+not\s+work)[^)]*\)|(?:does|do|did|will)(?:n['’]t|\s+not)\s+work|avoid|not\s+do|counter-?example|mistake(?:nly)?|fails?)\b.*:\W*$",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:plan|solution|sequence|answer|again|once\s+more|summary|recap|altogether|steps|attempt|version|options?"
    r"|alternative(?:ly)?|or(?:\s+else)?|corrected|revised)\b",
    re.IGNORECASE,
)


def rejects_before(line: str) -> bool:
    """Whether prose says that the plan before it is wrong: "This is wrong.", "Let me correct this."."""
    return _REJECTS.search(line) is not None


def corrects(between: str) -> bool:
    """Whether words between two actions of a turn say that the second takes the place of the first."""
    return _CORRECTS.search(between) is not None or rejects_before(between.strip())


def takes_back(line: str) -> bool:
    """Whether prose turns away from the plan before it: it is wrong, or a better one may follow."""
    return rejects_before(line) or _TAKES_BACK.search(line) is not None


def announces_more(line: str) -> bool:
    """Whether prose rejects something that it names itself, and not the plan before it."""
    return rejects_after(line)


def rejects_after(line: str) -> bool:
    """Whether prose rejects the plan that follows: "a bad plan would be:"."""
    return _BAD_AHEAD.search(line) is not None


def announces_plan(line: str) -> bool:
    """Whether prose announces a plan as a whole: a title, or a line that ends in a colon."""
    bare = line.strip().rstrip("*_` ")
    title = bare.endswith(":") or bare.startswith(("#", "**")) or len(bare.split()) <= 7
    return title and _ANNOUNCES.search(bare) is not None
