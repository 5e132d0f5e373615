"""The stance of words: whether they do the action that they name, or reject, suppose, want, explain or remember it.

Only what is asserted is a step. A stance is a text such as ``rejected (cannot)``, with the word that says it, and empty
for what is asserted. The words before the verb decide (`stance_of`), then those behind the action (`tail_stance`), a
label or a heading above (`label_stance`), and what other lines say of a whole plan (`rejects_before` and so on).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pddl2nl.nl.reading.words import ARTICLES, FILLERS, PREPOSITIONS, PRONOUNS, Word, phrases, word_set

_CLASSES = ("asserted", "explained", "done", "goal", "hypothetical", "supposed", "rejected")
# A word of two classes is of the later one.
_CLASS_OF = {word: stance for stance in _CLASSES for word in word_set(stance, "stance")}
CORRECTIONS = word_set("corrections")
_PERSONS = word_set("persons")
_SUBJECTS = word_set("subjects")
_BEFORE_TO = word_set("before_to")
_SUBORDINATE = word_set("subordinate")
_BE = word_set("be")
_CONTINUES = word_set("continues")
_JOINING = word_set("joining")
_MORE = word_set("more")
_NO_DEEDS = word_set("no_deeds")


def stance_of(lead: Sequence[Word], form: str, *, listed: bool, passive: bool, subject: bool) -> str:
    """The stance that the words before the verb give.

    ``form`` is the verb's (``base``, ``s``, ``ing``, ``past``); ``listed``: the clause begins a list item, where a bare
    form of the verb is a step ("1. Moving b to c"); ``subject``: an object stands before the verb as one.
    """
    # "To make room, R should …": a purpose or reason before a comma says nothing of what follows it.
    # "Instead of stacking a on b I put it down": nor does what is not done.
    begins = [index for index, word in enumerate(lead) if word.parted == ","]
    if lead and lead[0].text in ("instead", "rather"):
        begins += [index for index, word in enumerate(lead) if index > 2 and word.text in _SUBJECTS]
    if begins and lead[0].text in (*_SUBORDINATE, "instead", "rather"):
        lead = lead[begins[-1] :]
    said = [word.text for word in lead if word.text not in ARTICLES or word.text in ("that", "this")]
    said = said[1:] if said and said[0] in CORRECTIONS and said[1:2] not in (["of"], ["than"]) else said
    person = any(word in _PERSONS or word.startswith(("i'", "we'")) for word in said)
    acting = not {"i", "you", "we"}.isdisjoint(said)
    verdict = ""
    for index, word in enumerate(said):
        before, behind = said[index - 1] if index else "", said[index + 1] if index + 1 < len(said) else ""
        if (
            ("after" in (word, before) and {word, before, behind} & {"that", "this", "which"})
            or (word in ("have", "has", "had") and behind in ("to", "decided", "chosen"))
            # "I'll have robot_0 pick up a"
            or (word == "have" and form == "base" and subject)
            or (word == "once" and behind in ("again", "more"))
            or (word in ("instead", "rather") and behind not in ("of", "than"))
            or (word == "should" and (listed or acting))
            # "I would then stack a on b", "The next action would be to stack a on b"
            or (word == "would" and behind == "be" and "to" in said[index:])
            or (word == "would" and behind not in ("have", "need", "not") and acting)
            # "From there the robot moves from a to b.", "There I load a."
            or (word in ("there", "here") and (before in ("from", "at") or behind in _PERSONS))
            or (word in _BE and (form == "ing" or passive))
            or (word == "to" and before in _BEFORE_TO)
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
        continuous = listed or not _CONTINUES.isdisjoint(said)
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
    return word in _CLASS_OF or word in _NO_DEEDS | PREPOSITIONS | FILLERS | PRONOUNS or not word.isalpha()


# ── behind an action ─────────────────────────────────────────────────────────────────────────────

_REASONS = word_set("reasons")
_HARMLESS = word_set("harmless")
_DESCRIBING = word_set("describing")
_CONDITIONS = word_set("conditions")
_REFUSALS = word_set("refusals")
_REFUSED_WITH_NOT = word_set("refused_with_not")
_FAILURES = word_set("failures")
_DEEDS = word_set("deeds")


def rejects(tail: Sequence[Word]) -> bool:
    """Whether the first words behind an action rule it out: ": not possible", "(this would be wrong)"."""
    said = [word.text for word in tail[:8]]
    return not _FAILURES.isdisjoint(said[:3]) or any(
        word in _REFUSALS
        or (word in _REFUSED_WITH_NOT and "not" in said[max(index - 2, 0) : index])
        or (word in ("cannot", "can't") and said[index + 1 : index + 2] == ["be"] and
            not _DEEDS.isdisjoint(said[index + 2 : index + 3]))
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
    phrase = _phrase(tail)
    if rejects(tail):
        return f"rejected ({first.text})"
    if not is_reason(first) and phrases("vague", whole=True).search(" ".join(word.raw for word in phrase)):
        return "goal (put off)"
    if first.text == "but" and phrases("doubted", whole=True).search(" ".join(word.raw for word in tail)):
        return "unclear (but)"
    if not _MORE.isdisjoint(said[: 4 if said[0] in ("and", "then") else 2]):
        return "unclear (more)"
    if first.parted == "(" and said[0] == "not" and said[1:2] and said[1] in PREPOSITIONS:
        return ""
    if first.text in _CONDITIONS or first.parted == "?" or said[:2] in (["as", "soon"], ["as", "long"]):
        return f"hypothetical ({first.text})"
    if first.parted in (".", "(", ">", ":") or first.text in _REASONS or first.text in ("instead", "rather"):
        return ""
    content = [word for word in tail[:5] if word.text not in _JOINING]
    if not content or first.parted or first.text == "and":
        listed = any(map(is_object, content[: 1 + (content[0].text in ("from", "to"))])) if content else False
        # "… – robot_0 already holds b"
        further = content[1:2] if first.parted == "-" else []
        listed = listed and not (further and not is_object(further[0]) and further[0].text not in PREPOSITIONS)
        return (
            f"unclear (… {first.text})" if listed and not any(word.text in _DESCRIBING for word in content[1:3]) else ""
        )
    if first.text == "to" and len(phrase) > 2 and not any(map(is_object, tail[:2])):
        return ""
    harmless = first.text in _HARMLESS and not any(is_object(word) or word.text in _CONDITIONS for word in phrase)
    return "" if harmless else f"unclear (… {first.text})"


def is_reason(word: Word) -> bool:
    """Whether a word begins a reason, or stands behind a mark that parts it from the words before."""
    return bool(word.parted) or word.text in _REASONS


def is_reason_word(word: Word) -> bool:
    """Whether a word begins a reason ("since", "because")."""
    return word.text in _REASONS


def _phrase(tail: Sequence[Word]) -> Sequence[Word]:
    """A tail up to its first break or reason."""
    for index, word in enumerate(tail):
        aim = word.text == "to" and tail[index + 1 : index + 2] and tail[index + 1].text not in ("the", "a", "an")
        if index and (aim or is_reason(word)):
            return tail[:index]
    return tail


# ── what prose says of the actions before it ─────────────────────────────────────────────────────


def rejects_before(text: str) -> bool:
    """Whether prose says that the plan before it is wrong: "This is wrong.", "Let me correct this."."""
    return phrases("rejects", whole=True).search(text) is not None


def corrects(between: str) -> bool:
    """Whether words between two actions of a turn say that the second takes the place of the first."""
    return phrases("corrects", whole=True).search(between) is not None or rejects_before(between.strip())


def leaves_unsaid(text: str) -> bool:
    """Whether a text stands for steps without saying them ("Repeat step 1"), or changes one ("Step 2 is dropped.")."""
    return phrases("unsaid", whole=True).search(text) is not None or bool(amended(text) or inserted(text))


def amended(text: str) -> tuple[int, ...]:
    """The numbers of the steps that a text changes: "Step 2 must be replaced by …, and step 3 is dropped."."""
    if not any(map(text.__contains__, ("tep", "ction", "ine"))):
        return ()
    change = phrases("change").search(text)
    said = phrases("amends", whole=True).search(text) or (change if change and _MARK.search(change[0]) else None)
    if said is None:
        return ()
    # "Step 4 is unnecessary, so the plan is steps 1 to 3" changes step 4.
    behind = _CLAUSE_ENDS.search(text, said.end())
    changed = text[said.start() : behind.start() if behind else None]
    return tuple(
        dict.fromkeys(int(number) for steps in _STEPS.findall(changed) for number in re.findall(r"\d+", steps))
    )


def inserted(text: str) -> int:
    """The number of the step behind which a text puts another one: "Insert it between steps 3 and 4."; else 0."""
    where = _WHERE.search(text) if "step" in text and phrases("inserts", whole=True).search(text) else None
    return int(where[2]) - (where[1] == "before") if where else 0


_WHERE = re.compile(r"\b(between|before|after|behind) (?:steps? |actions? )?#?(\d+)\b")
_MARK = re.compile(r"[:\"'`]\W*\Z")
_CLAUSE_ENDS = re.compile(r"[.:;,](?!\d)(?! and\b)")
_STEPS = re.compile(r"\b(?:steps?|actions?|line)\s+((?:(?:no\.?|#|,|and|&|to|-)?\s*\d+\s*)+)", re.IGNORECASE)
