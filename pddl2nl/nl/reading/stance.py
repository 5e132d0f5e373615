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
    PREPOSITIONS,
    PRONOUNS,
    WORDS,
    Word,
    phrases,
    says,
)

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
    aim = bool(lead) and lead[0].text in ("instead", "rather", "to")
    begins = [at for at, word in enumerate(lead) if word.parted == ","]
    begins += [at for at, word in enumerate(lead) if aim and at > 2 and word.text in WORDS.subjects]
    if begins and (aim or lead[0].text in WORDS.subordinate):
        lead = lead[begins[-1] :]
    said = [word.text for word in lead if word.text not in ARTICLES or word.text in ("that", "this")]
    person = any(word in WORDS.persons or word.startswith(("i'", "we'")) for word in said)
    acting = not {"i", "you", "we"}.isdisjoint(said)
    flags = {"listed": listed, "passive": passive, "subject": subject, "acting": acting}
    told = " ".join((*said, "§", form, *(flag for flag, holds in flags.items() if holds)))
    told = phrases("neutral", whole=True).sub(r"\g<kept>", told)
    classed = [
        ("goal" if word == "to" else _CLASS_OF.get(word, "unclear"), word) for word in told.split("§")[0].split()
    ]
    stances = [f"{stance} ({word})" for stance, word in classed if stance != "asserted"]
    if stances:
        return next((stance for stance in stances if stance.startswith("rejected")), stances[0])
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
    """Whether a word before a verb rejects, supposes or only wants its action."""
    return _CLASS_OF.get(word) in ("rejected", "supposed", "hypothetical", "goal")


def is_known(word: str) -> bool:
    """Whether a word cannot be the verb of an action that is not the domain's."""
    return word in _CLASS_OF or word in WORDS.no_deeds | PREPOSITIONS | FILLERS | PRONOUNS or not word.isalpha()


# ── behind an action ─────────────────────────────────────────────────────────────────────────────


def rejects(tail: Sequence[Word]) -> bool:
    """Whether the first words behind an action rule it out: ": not possible", "(this would be wrong)"."""
    return phrases("rejected", "tail").match(_told(tail)) is not None


def tail_stance(tail: Sequence[Word], is_object: Callable[[Word], bool]) -> str:
    """The stance that words behind a complete action give it; empty where it stays an action.

    A reason or purpose may follow ("since it is clear", "(…)", ", so that b is free", "to free b"), a new sentence, a
    remark behind a dash or an arrow, and a short phrase that names no object ("on the table"). A condition, a
    judgement, a sentence with the action only as its subject, or more objects may not ("if it is clear", ": not
    possible", "would be wrong", ", b and c"), and a question is no action.
    """
    told = _told(tail, is_object)
    stance = next((stance for stance in LEXICON["tail"] if phrases(stance, "tail").match(told)), "unclear")
    return "" if stance == "asserted" else f"{stance} ({tail[0].text})"


def _told(tail: Sequence[Word], is_object: Callable[[Word], bool] = lambda _: False) -> str:
    """Words with the marks that part them, and with @ for an object."""
    return " ".join([word.parted + ("@" if is_object(word) else word.text) for word in tail])


def is_reason(word: Word) -> bool:
    """Whether a word begins a reason, or stands behind a mark that parts it from the words before."""
    return bool(word.parted) or word.text in WORDS.reasons


# ── what prose says of the steps before it ───────────────────────────────────────────────────────


def amended(text: str) -> tuple[int, ...]:
    """The numbers of the steps that a text changes: "Step 2 must be replaced by …, and step 3 is dropped."."""
    if not any(map(text.__contains__, ("tep", "ction", "ine", "tem"))) or says("repeats", text):
        return ()
    said = says("amends", text)
    if said is None or _is_up_to_you(text[: said.start()]):
        return ()
    # "Step 4 is unnecessary, so the plan is steps 1 to 3" changes step 4.
    changed = said[0] + _CLAUSE_ENDS.split(text[said.end() :], 1)[0]
    return tuple(
        dict.fromkeys(int(number) for steps in _STEPS.findall(changed) for number in re.findall(r"\d+", steps))
    )


def is_unsaid(text: str) -> bool:
    """Whether a text stands for steps without saying them ("Repeat step 1"), or changes one ("Step 2 is dropped.")."""
    if says("no_repetition", text):
        return False
    inserts = says("inserts", text)
    return (
        says("unsaid", text) is not None
        or (inserts is not None and not _is_up_to_you(text[: inserts.start()]))
        or amended(text) != ()
    )


def _is_up_to_you(text: str) -> bool:
    """Whether words leave what follows to the user: "If you do not need a, skip step 1"."""
    return phrases("up_to_you").search(text) is not None


_CLAUSE_ENDS = re.compile(r"[.:;,](?!\d)(?! and\b)")
_STEPS = re.compile(r"\b(?:steps?|actions?|line|item)\s+((?:(?:no\.?|#|,|and|&|to|-)?\s*\d+\s*)+)", re.IGNORECASE)
