"""Reading a statement that there is no plan: "The goal cannot be reached.", "No solution exists", "UNSOLVABLE".

This is asked of replies alone that hold no action; a written plan is meant to be judged, except in a reply that
begins or ends with the line ``[NO PLAN]``. It is conservative: the sentence must say of the whole goal, task or problem
that it cannot be, or that no plan, solution or sequence of actions exists for it. What is hedged or bound to a
condition ("might be", "if", "until", "not directly", "yet") says no such thing, nor does a failure to find one ("I
could not find a plan"), nor a sentence behind which the reply goes on to do something about it ("… So I need to go back
first").

Hidden thoughts (``<think>``) don't count. Other thoughts do where nothing follows them: a turn that ends in the
thought that nothing can be done has said so. Behind ``Action:`` stands what the turn does: unless that is nothing
("none"), a thought before it is not looked at.
"""

from __future__ import annotations

import re

from pddl2nl.nl.markers import NO_PLAN, THOUGHT
from pddl2nl.nl.reading.readings import Reading, Status
from pddl2nl.nl.reading.segments import OBSERVATION, Piece, clean, lay_out, marker_end, peel
from pddl2nl.nl.reading.words import phrases, says

_LOOK = phrases("look", "claims")
_NO_WISH = phrases("no_wish", "claims")
_FINISHED = phrases("finished", "claims")
_CONDITIONAL = phrases("conditional", "claims")
_SPOKEN = re.compile(r"[^.!?;\n]+[.!?;]*")
_CLAUSE = re.compile(r"[\s*_`\"'“({\[>,]*(?P<said>[^,]+(?:,\S[^,]*)*)")
_SO = re.compile(r"(?:so|then|and|therefore)\b", re.IGNORECASE)


def claim_of(text: str, piece: Piece) -> Reading | None:
    """A wish to see the state, or a claim to be done, if a sentence of the piece is one."""
    said = text[piece.start : piece.end]
    status: Status
    for sentence in _SPOKEN.finditer(said, peel(said).start):
        conditional = _CONDITIONAL.search(sentence[0]) is not None
        for clause in _CLAUSE.finditer(said, sentence.start(), sentence.end()):
            begin, stop = clause.span("said")
            look = _LOOK.search(said, begin, sentence.end())
            finished = _FINISHED.match(said, begin, sentence.end())
            if look is not None and look.start() < stop and not _NO_WISH.search(said, begin, look.start()):
                status, rule, claim = "look-around", "look-around", look
            elif finished and not conditional and (clause.start() == sentence.start() or _SO.match(said, begin)):
                status, rule, claim = "claimed-done", "done", finished
            else:
                continue
            start, end = piece.start + begin, piece.start + claim.end()
            return Reading(piece.line, start, end, text[start:end], status, rule=rule)
    return None


# ── that there is no plan ────────────────────────────────────────────────────────────────────────

_CLAIM = phrases("no_plan", "claims")
_ALONE = phrases("alone", "claims")
_HEDGED = phrases("hedged", "claims")
_GOES_ON = phrases("goes_on", "claims")
_NOTHING = phrases("nothing", "claims")
_ISNT = re.compile(r"\b(is|are|was)n['’]t\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]*")
_MARKS = " \t\r\xa0*_`\"'“”>#~=-–—•."
_LONGEST = 400
"""Characters of the longest sentence that is looked at: what goes on for longer says no such thing."""


def no_plan_said(text: str) -> str | None:
    """The sentence of a reply without a plan that says that there is none; None where no sentence does."""
    claim: str | None = None
    for sentence in (sentence for line in _spoken(text) for sentence in _sentences(line)):
        claim = None if claim is None or _GOES_ON.search(sentence) else claim
        claim = sentence if claim is None and _claims(sentence) else claim
    return claim


def gives_none(text: str) -> bool:
    """Whether a reply in which no step was said gives no plan: it says so, or asks back at its end."""
    return bool(no_plan_said(text) or says("refuses", text) or phrases("asks").search(text))


def is_marked_no_plan(text: str) -> bool:
    """Whether a reply begins or ends with the line ``[NO PLAN]``; the rest does not matter."""
    if NO_PLAN not in text.upper():
        return False
    lines = _spoken(text)
    return any(line.strip(_MARKS).upper() == NO_PLAN for line in (*lines[:1], *lines[-1:]))


def no_plan_said_in_turn(text: str) -> str | None:
    """The sentence of a turn without an action that says that there is no plan; None where no sentence does."""
    invented = OBSERVATION.search(text)
    text = text[: invented.start()] if invented else text
    marked = marker_end(text, len(text))
    if marked >= 0:
        said = no_plan_said(text[marked:])
        if said is not None or not _NOTHING.fullmatch(text[marked:].strip(_MARKS)):
            return said
        text = text[:marked].rpartition("\n")[0]
    return no_plan_said(text)


def _spoken(text: str) -> list[str]:
    """The lines of a reply without hidden thoughts."""
    spoken = lay_out(clean(text))
    return [spoken.text[piece.start : piece.end] for piece in spoken.pieces if not piece.hidden]


def _sentences(line: str) -> list[str]:
    bare = line.strip().removeprefix(THOUGHT)
    # The brackets of "[NO PLAN]" are no end of a sentence, and what stands beside it belongs to it.
    return [bare.strip(_MARKS)] if NO_PLAN in bare.upper() else [said[0].strip() for said in _SENTENCE.finditer(bare)]


def _claims(sentence: str) -> bool:
    if len(sentence) > _LONGEST:
        return False
    if _ALONE.fullmatch(sentence.strip(_MARKS + "!:[](){}")):
        return True
    plain = _ISNT.sub(r"\1 not", re.sub(r"[*_`]", "", sentence))
    claimed = NO_PLAN in plain.upper() or _CLAIM.search(plain)
    return bool(claimed) and not _HEDGED.search(plain) and not _GOES_ON.search(plain)
