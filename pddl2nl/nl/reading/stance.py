"""The stance of words: whether they do the action that they name, or reject, suppose, want, explain or remember it.

Only what is asserted is a step. A stance is a text such as ``rejected (cannot)``, with the word that says it, and empty
for what is asserted. The words before the verb decide (`stance_of`), then those behind the action (`tail_stance`), a
label or a heading above, and what other lines say of a whole plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pddl2nl.nl.reading.words import (
    ARTICLES,
    FILLERS,
    LEXICON,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    WORDS,
    Word,
    phrases,
    says,
)

_WAYS = frozenset(("from", "to", "left", "right"))
_POSSIBLE = frozenset(("possibility", "fallback", "suggestion", "option", "alternative", "idea", "backup"))
_CLASSES = ("asserted", "explained", "done", "goal", "hypothetical", "supposed", "rejected")
# A word of two classes is of the later one.
_CLASS_OF = {word: stance for stance in _CLASSES for word in LEXICON["stance"][stance]["say"].split()}


def stance_of(lead: Sequence[Word], form: str, *, listed: bool, passive: bool, subject: bool) -> str:
    """The stance that the words before the verb give.

    ``form`` is the verb's (``base``, ``s``, ``ing``, ``past``); ``listed``: the clause begins a list item, where a bare
    form of the verb is a step ("1. Moving b to c"); ``subject``: an object stands before the verb as one.
    """
    # "To make room, R should …": a purpose or reason before a comma says nothing of what follows it.
    # "Instead of stacking a on b I put it down": nor does what is not done.
    begins = [index for index, word in enumerate(lead) if word.parted == ","]
    if lead and lead[0].text in ("instead", "rather", "to"):
        begins += [index for index, word in enumerate(lead) if index > 2 and word.text in WORDS.subjects]
    if begins and lead[0].text in (*WORDS.subordinate, "instead", "rather", "to"):
        lead = lead[begins[-1] :]
    said = [word.text for word in lead if word.text not in ARTICLES or word.text in ("that", "this")]
    if said[:1] == ["what"] and said[-2:] == ["is", "to"]:
        # "What is left is to move a to b."
        return ""
    named = [word for word in said if word not in WORDS.copula]
    copula = len(named) < len(said) and (said[-1:] == ["is"] or said[-2:] == ["is", "to"])
    if copula and all(is_plain_lead(word) or word in ("do", "this", "it") for word in named):
        # "The way to do it is to move a to b.", but not "The most tempting move is to …"
        return ""
    person = any(word in WORDS.persons or word.startswith(("i'", "we'")) for word in said)
    acting = not {"i", "you", "we"}.isdisjoint(said)
    verdict = ""
    for index, word in enumerate(said):
        before, behind = said[index - 1] if index else "", said[index + 1] if index + 1 < len(said) else ""
        if (
            # "pick up c, after which I stack c on a"
            ("after" in (word, before) and {word, behind} & {"that", "this", "which"})
            or (word in ("have", "has", "had") and behind in ("to", "decided", "chosen"))
            # "I'll have robot_0 pick up a"
            or (word == "have" and form == "base" and subject)
            or (word in ("instead", "rather") and behind not in ("of", "than"))
            or (word == "should" and (listed or acting))
            or (word == "once" and behind in ("more", "again"))
            # "I would then stack a on b", "The next action would be to stack a on b"
            or (word == "would" and behind == "be" and "to" in said[index:])
            or (word == "would" and behind not in ("have", "need", "not") and acting)
            # "From there the robot moves from a to b.", "There I load a."
            # "… and there load a"
            or (
                word in ("there", "here")
                and (before in ("from", "at") or behind in WORDS.persons or (form == "base" and behind in ("", "use")))
            )
            or (word in WORDS.be and (form == "ing" or passive))
            or (word == "to" and (before in WORDS.before_to or "use" in said[:index]))
        ):
            continue
        stance = "goal" if word == "to" else _CLASS_OF.get(word, "unclear")
        if stance != "asserted" and (not verdict or (stance == "rejected" and not verdict.startswith(stance))):
            verdict = f"{stance} ({word})"
    if verdict:
        return verdict
    if form == "s":
        return "" if person or subject or listed else NO_SUBJECT
    if form == "ing":
        continuous = listed or not WORDS.continues.isdisjoint(said)
        return "" if continuous else "unclear (-ing)" if said else "hypothetical (-ing)"
    return "" if form == "base" or passive or person or listed else "done (past tense)"


NO_SUBJECT = "unclear (no subject)"
EXCUSED = ("rejected", "hypothetical", "question", "offered", "restated", "corrects")
"""Stances of what a turn does not do; a turn that says anything else of objects is reported."""


def is_open(stance: str) -> bool:
    """Whether a stance leaves open that the action is a step: it is reported where no step is known that it says.

    "Next comes moving b to c" and "now we can stack a on b" are often steps.
    """
    return bool(stance) and not stance.startswith(("rejected", "question", "offered", "restated", "corrects", "state"))


def is_plain_lead(word: str) -> bool:
    """Whether a word before a verb leaves its action asserted."""
    return _CLASS_OF.get(word) == "asserted" or word in ARTICLES or word == "to"


def rules_out(word: str) -> bool:
    """Whether a word before a verb says that its action is not done, or perhaps."""
    return _CLASS_OF.get(word) in ("rejected", "supposed", "hypothetical", "goal")


def is_known(word: str) -> bool:
    """Whether a word cannot be the verb of an action that is not the domain's."""
    return word in _CLASS_OF or word in WORDS.no_deeds | PREPOSITIONS | FILLERS | PRONOUNS or not word.isalpha()


# ── behind an action ─────────────────────────────────────────────────────────────────────────────


def rejects(tail: Sequence[Word]) -> bool:
    """Whether the first words behind an action rule it out: ": not possible", "(this would be wrong)"."""
    said = [word.text for word in tail[:8]]
    return not WORDS.failures.isdisjoint(said[:3]) or any(
        word in WORDS.refusals
        # "(Not strictly needed.)" is a step all the same.
        or (word in WORDS.refused_with_not and "not" in (mild := said[max(index - 2, 0) : index]) and (
            WORDS.strictly.isdisjoint(mild)
        ))
        for index, word in enumerate(said)
    )  # fmt: skip


def tail_stance(tail: Sequence[Word], is_object: Callable[[Word], bool]) -> str:
    """The stance that words behind a complete action give it; empty where it stays an action.

    A reason or purpose may follow ("since it is clear", "(…)", ", so that b is free", "to free b"), a new sentence, a
    remark behind a dash or an arrow, and a short phrase that names no object ("on the table"). A condition, a
    judgement, a sentence with the action only as its subject, or more objects may not ("if it is clear", ": not
    possible", "would be wrong", ", b and c"), and a question is no action.
    """
    first, said = tail[0], [word.text for word in tail]
    phrase = _phrase(tail, is_object)
    if rejects(tail):
        return f"rejected ({first.text})"
    if not is_reason(first) and says("vague", " ".join(word.raw for word in phrase)):
        return "goal (put off)"
    if said in (["likewise"], ["too"], ["as", "well"]) or says("carried", " ".join(word.raw for word in phrase)):
        return ""
    if not WORDS.more.isdisjoint(said[: 4 if said[0] in ("and", "then") else 2]):
        return "unclear (more)"
    if first.text == "but" and says("doubted", " ".join(word.raw for word in tail)):
        return "unclear (but)"
    if first.parted == "(" and said[0] == "not" and said[1:2] and said[1] in PREPOSITIONS | WORDS.strictly:
        return ""
    if first.text == "only" and first.parted == "-" and said[1:2] and said[1] in ARTICLES:
        # "– only a stop on the way", but not "– only a possibility"
        return "" if _POSSIBLE.isdisjoint(said[:4]) else f"hypothetical ({first.text})"
    conditions = WORDS.aside_conditions if first.parted == "(" else WORDS.conditions
    if first.text in conditions or first.parted == "?" or said[:2] in (["as", "soon"], ["as", "long"]):
        return f"hypothetical ({first.text})"
    if first.parted in (".", "(", ">", ":") or first.text in WORDS.reasons or first.text in ("instead", "rather"):
        return ""
    content = [word for word in tail[:5] if word.text not in WORDS.joining]
    if not content or first.parted or first.text == "and":
        said_of = next((at for at, word in enumerate(content) if word.text not in PARTICLES | _WAYS), 0)
        listed = bool(content) and is_object(content[said_of])
        # "… – robot_0 already holds b"
        further = [word for word in content[1:] if not is_object(word)] if first.parted == "-" else []
        listed = listed and not (further and further[0].text not in PREPOSITIONS)
        return (
            f"unclear (… {first.text})"
            if listed and not any(word.text in WORDS.describing for word in content[1:3])
            else ""
        )
    if first.text == "to" and len(phrase) > 2 and not any(map(is_object, tail[:2])):
        return ""
    harmless = first.text in WORDS.harmless and not any(
        is_object(word) or word.text in WORDS.conditions for word in phrase
    )
    return "" if harmless else f"unclear (… {first.text})"


def is_reason(word: Word) -> bool:
    """Whether a word begins a reason, or stands behind a mark that parts it from the words before."""
    return bool(word.parted) or word.text in WORDS.reasons


def is_reason_word(word: Word) -> bool:
    """Whether a word begins a reason ("since", "because")."""
    return word.text in WORDS.reasons


def _phrase(tail: Sequence[Word], is_object: Callable[[Word], bool]) -> Sequence[Word]:
    """A tail up to its first break or reason."""
    for index, word in enumerate(tail):
        behind = tail[index + 1] if word.text == "to" and index + 1 < len(tail) else None
        aim = behind is not None and behind.text not in ("the", "a", "an") and not is_object(behind)
        if index and (aim or is_reason(word)):
            return tail[:index]
    return tail


# ── what prose says of the steps before it ───────────────────────────────────────────────────────


def amended(text: str) -> tuple[int, ...]:
    """The numbers of the steps that a text changes: "Step 2 must be replaced by …, and step 3 is dropped."."""
    if not any(map(text.__contains__, ("tep", "ction", "ine", "tem"))) or _REPEATS.search(text):
        return ()
    change = phrases("change").search(text)
    said = says("amends", text) or (change if change and _MARK.search(change[0]) else None)
    # "If you do not need a, skip step 1" leaves the step to the user.
    if said is None or _UP_TO_YOU.search(text, 0, said.start()):
        return ()
    # "Step 4 is unnecessary, so the plan is steps 1 to 3" changes step 4.
    behind = _CLAUSE_ENDS.search(text, said.end())
    changed = text[said.start() : behind.start() if behind else None]
    return tuple(
        dict.fromkeys(int(number) for steps in _STEPS.findall(changed) for number in re.findall(r"\d+", steps))
    )


def inserted(text: str) -> int:
    """The number of the step behind which a text puts another one: "Insert it between steps 3 and 4."; else 0."""
    said = says("inserts", text) if "step" in text else None
    where = _WHERE.search(text) if said and not _UP_TO_YOU.search(text, 0, said.start()) else None
    return int(where[2]) - (where[1] == "before") if where else 0


_WHERE = re.compile(r"\b(between|before|after|behind) (?:steps? |actions? )?#?(\d+)\b")
# "The other steps stay the same" repeats none.
_REPEATS = re.compile(r"\brepeat|(?<!stay the )(?<!stays the )(?<!remain the )(?<!remains the )\bsame\b", re.IGNORECASE)
_MARK = re.compile(r"[:\"'`]\W*\Z")
_UP_TO_YOU = re.compile(r"\b(?:(?:if|in case|should) you|would)\b(?:(?!, so\b)[^.!?])*\Z", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.:;,](?!\d)(?! and\b)")
_STEPS = re.compile(r"\b(?:steps?|actions?|line|item)\s+((?:(?:no\.?|#|,|and|&|to|-)?\s*\d+\s*)+)", re.IGNORECASE)
