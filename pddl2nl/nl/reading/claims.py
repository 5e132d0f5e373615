"""Reading a statement that there is no plan: "The goal cannot be reached.", "No solution exists", "UNSOLVABLE".

This is asked of replies alone that hold no action; whoever writes a plan means it to be judged, but for a reply that
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
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import cast

from pddl2nl.nl.markers import DONE, NO_PLAN, THOUGHT
from pddl2nl.nl.reading.readings import Reading, Status
from pddl2nl.nl.reading.segments import OBSERVATION, Piece, clean, lay_out, marker_end, peel

# ── what a turn says instead of an action ────────────────────────────────────────────────────────

_END = (
    r"(?!\W*\?)(?=\W*$|\s*[.,;:!()—–-]|\s+(?:since|because|now|as|and|here|already|successfully)\b"
    r"|\s+with\s+(?:the|my|this|it|all|everything)\b)"
)
_ADVERBS = r"(?:(?:now|all|already|successfully|fully|finally|both|completely|thus)\s+)*"
_WHOLE = (
    r"(?:(?:the|my|your|our|this|that)\s+)?(?:(?:final|desired|given|whole)\s+)?(?:goals?|tasks?|plan|problem|mission|objectives?|job|puzzle)"
    r"(?:\s+(?:states?|conditions?|configuration))?"
)
_LOOK = re.compile(
    r"\blook[\s_-]+around(?:\(\s*\))?(?!\W*\?)"
    r"(?=\W*$|\s*[.,;:!(]|\s+(?:to|again|first|and|now|for|in|so|before|once)\b)",
    re.IGNORECASE,
)
_NO_WISH = re.compile(r"\b(?:not|never|no|if|when|once|without|instead|cannot|already)\b|n['’]t\b", re.IGNORECASE)
"""Behind these words nobody says that they look around."""
_FINISHED = re.compile(
    rf"(?:(?:so|then|thus|therefore|hence|and|yes|great|well|ok|okay|(?:i\s+)?(?:think|believe)|it\s+seems)\b[,\s]*(?:that\s+)?)*"
    rf"(?:(?:(?:i|we|you|it|everything|all)\s*(?:am|have|has|had|are|is|['’](?:m|ve|re|s)|has\s+been)?|am|are|is|have)\s+)?{_ADVERBS}"
    rf"(?:(?:{re.escape(DONE)}|done){_END}"
    rf"|(?:{_WHOLE}|all(?:\s+(?:of\s+)?(?:the\s+)?(?:goals?|conditions|objectives)))\s+(?:(?:is|are|was|were|has\s+been|have\s+been)\s+)?{_ADVERBS}"
    rf"(?:complete|completed|finished|done|reached|achieved|met|satisfied|accomplished|fulfilled|solved){_END}"
    rf"|(?:reached|achieved|completed|accomplished|finished|solved|satisfied|fulfilled)\s+(?:{_WHOLE}|all\s+(?:the\s+)?goals?){_END}"
    rf"|(?:nothing\s+(?:is\s+)?(?:left|more|else|remains)(?:\s+to\s+(?:do|be\s+done))?|(?:there\s+(?:is|are)\s+)?(?:no|nothing)\s+(?:more|further|other)"
    rf"(?:\s+(?:actions?|steps?|moves?))?(?:\s+(?:is|are))?(?:\s+(?:left|needed|required|necessary|to\s+(?:do|take|be\s+done)))?){_END})",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|once|when|until|before|after|not|never|unless|almost|nearly|will|would|should|but)\b|n['’]t\b",
    re.IGNORECASE,
)


def claim_of(text: str, piece: Piece) -> Reading | None:
    """A wish to see the state, or a claim to be done, if a sentence of the piece is one."""
    said = text[piece.start : piece.end]
    at = peel(said).start
    for sentence in _SPOKEN.finditer(said, at):
        conditional = _CONDITIONAL.search(sentence[0]) is not None
        later = [mark.end() for mark in _COMMA.finditer(said, sentence.start(), sentence.end())]
        begins = [_words_begin(said, clause, sentence.end()) for clause in (sentence.start(), *later)]
        looks_from, looks_to = _look(said, sentence, begins)
        for clause, begin in zip((sentence.start(), *later), begins, strict=True):
            if begin == looks_from:
                end, status, rule = looks_to, "look-around", "look-around"
            elif not conditional and (clause not in later or _SO.match(said, begin)) and (
                claim := _FINISHED.match(said, begin)
            ):  # fmt: skip
                end, status, rule = claim.end(), "claimed-done", "done"
            else:
                continue
            start, end = piece.start + begin, piece.start + end
            return Reading(piece.line, start, end, text[start:end], cast(Status, status), rule=rule)
    return None


def _words_begin(said: str, begin: int, stop: int) -> int:
    while begin < stop and said[begin] in " *_`\"'“({[>,":
        begin += 1
    return begin


def _look(said: str, sentence: re.Match[str], begins: Sequence[int]) -> tuple[int, int]:
    """Where the first clause begins that leads to "look around" without a word that takes it back, and where it ends.

    Both are -1 where there is none. Each clause is looked at once: a sentence may have thousands.
    """
    denied = [word.start() for word in _NO_WISH.finditer(said, sentence.start(), sentence.end())]
    for look in _LOOK.finditer(said, sentence.start(), sentence.end()):
        last = denied[bisect_left(denied, look.start()) - 1] if denied and denied[0] < look.start() else -1
        at = bisect_right(begins, last)
        if at < len(begins) and begins[at] <= look.start():
            return begins[at], look.end()
    return -1, -1


_SPOKEN = re.compile(r"[^.!?;\n]+[.!?;]*")
_COMMA = re.compile(r",\s+")
_SO = re.compile(r"(?:so|then|and|therefore)\b")

# ── that there is no plan ────────────────────────────────────────────────────────────────────────

_GOAL = (
    r"(?:(?:the|this|that|these|those|my|your|our|its|all|both|such\s+a|said)\s+)"
    r"(?:(?:\w+\s+){0,3}?)(?<!sub)(?<!sub-)(?<!sub )"
    r"(?:goals?|tasks?|problems?|objectives?|puzzle|instance)\b"
    r"(?:\s+(?:state|states|configuration|condition|conditions|statement))?"
)
_OF_WHICH = (
    r"(?:\s+(?:that\s+)?(?:you|i|we)(?:['’]?ve|\s+have)?\s+\w+(?:\s+me)?|\s+as\s+\w+"
    r"|(?:\s+(?:given|specified|stated|described|above|itself))+|(?<=goal)\s+of\s+(?:[\w-]+\s+){1,20}?)?"
)
_ADVERB = (
    r"(?:\s+(?:\w+ly|therefore|thus|hence|also|just|indeed|in\s+fact|never|even|so|to\s+be|then|still|always|quite"
    r"|already|now|no\s+longer))*"
)
_NOT_POSSIBLE = (
    r"(?:impossible|unreachable|unsolvable|unachievable|unattainable|infeasible|unfeasible|insoluble|unsatisfiable|hopeless"
    r"|(?:not|never|no\s+longer)(?:\s+\w+ly)?\s+(?:possible|reachable|solvable|achievable|attainable|feasible|satisfiable))"
)
_REACH = r"(?:reach|achieve|solve|satisfy|accomplish|complete|fulfill?|attain|meet|realize|realise)"
_REACHED = r"(?:reached|achieved|solved|satisfied|accomplished|completed|fulfilled|attained|met|realized|realised)"
_REACHES = (
    r"(?:reaches|achieves|solves|satisfies|accomplishes|completes|fulfills|attains|meets|leads?\s+to|results?\s+in"
    rf"|(?:can|could|will|would)(?:\s+\w+ly)?\s+(?:ever\s+)?(?:{_REACH}|lead\s+to|result\s+in))"
)
_CANNOT = r"(?:cannot|can\s?not|can['’]t|can\s+never|can\s+no\s+longer|could\s+never|can\s+in\s+no\s+way)"
_PLAN = r"(?:plans?|solutions?|(?:sequence|series|order|combination|set)\s+of\s+(?:\w+\s+)?(?:actions|steps|moves))"
_KIND = r"(?:(?:such|valid|possible|feasible|legal|correct|executable|working|finite|applicable|sequential)\s+)*"
_IS = r"(?:is|are|was|seems?|appears?|remains?|becomes?|(?:has|have)\s+become)"
_FOR_IT = (
    rf"(?=\W*\Z|\s*[.,;:!(–—]|\s+(?:(?:that|which)\s+(?:{_REACHES}\s+{_GOAL}|works)|to\s+(?:{_REACH}\s+)?(?:{_GOAL}|this|it)"
    r"|for\s+(?:this|the|that|my|your|it)|from|given|with|because|since|as|in\s+this|under)\b)"
)
"""What may stand behind "there is no plan": nothing, the goal, or a reason; not what else a plan might do."""

_CLAIM = re.compile(
    "|".join(
        (
            rf"\b{_GOAL}{_OF_WHICH}\s*,?\s*{_IS}{_ADVERB}\s+{_NOT_POSSIBLE}\b",
            rf"\b{_GOAL}{_OF_WHICH}\s*,?\s*{_CANNOT}{_ADVERB}\s+be{_ADVERB}\s+{_REACHED}\b",
            rf"\b{_GOAL}{_OF_WHICH}\s+(?:has|have)\s+no\s+{_KIND}{_PLAN}\b",
            rf"\b{_GOAL}{_OF_WHICH}\s+(?:does\s+not|doesn['’]t|do\s+not)\s+have\s+(?:a|any)\s+{_KIND}{_PLAN}\b",
            rf"\bthere(?:\s+{_IS}|\s+exists?|['’]s){_ADVERB}(?:\s+to\s+be)?\s+no\s+{_KIND}{_PLAN}{_FOR_IT}",
            rf"\bthere(?:\s+{_IS}|\s+exists?|['’]s){_ADVERB}\s+no\s+{_KIND}way\s+(?:to\s+{_REACH}|of\s+\w+ing)\s+{_GOAL}",
            rf"\bno\s+{_KIND}{_PLAN}\s+(?:exists?|is\s+possible|can\s+exist|{_CANNOT}\s+exist)\b",
            rf"\bno\s+{_KIND}{_PLAN}\s+{_REACHES}\s+{_GOAL}",
            rf"\b(?:a|any|the)\s+{_KIND}{_PLAN}\s+(?:does\s+not|doesn['’]t|do\s+not|{_CANNOT})\s+exist\b",
            rf"\bit{_ADVERB}(?:\s+{_IS}|['’]s){_ADVERB}\s+{_NOT_POSSIBLE}{_ADVERB}\s+(?:for\s+\w+\s+)?to\s+{_REACH}\s+{_GOAL}",
            rf"\b(?:i|we|you|one){_ADVERB}\s+{_CANNOT}{_ADVERB}\s+(?:reach|achieve|satisfy|attain|fulfill?)\s+{_GOAL}",
        )
    ),
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:(?:answer|result|verdict|conclusion|plan|solution|status|(?:it|this)\s+is)\s*:?\s*)?"
    r"(?:unsolvable|not\s+solvable|impossible|unreachable|infeasible|no\s+(?:valid\s+)?(?:plan|solution)"
    r"(?:\s+(?:exists|is\s+possible|possible))?)",
    re.IGNORECASE,
)
"""A line with nothing else in it."""

_HEDGED = re.compile(
    r"\?|\b(?:if|unless|while|as\s+long\s+as|currently|in\s+the\s+current|(?:do|does)(?:n['’]t|\s+not)\s+(?:think|believe)"
    r"|doubt|not\s+sure|unsure|unclear|assum\w+|suppos\w+|until|till|yet|directly|immediately|before|whether|might|may|perhaps|maybe|otherwise|right\s+now"
    r"|for\s+now|at\s+once|at\s+the\s+moment|not\s+(?:im|un|in)\w+|shorter|better|optimal|fewer|partially|by\s+itself"
    r"|in\s+(?:one|a\s+single|two|three|\d+|fewer|this\s+step|this\s+turn)|not\s+(?:\w+\s+)?(?:true|the\s+case|mean)"
    r"|without(?!\s+(?:violat|break|ignor|contradict)))\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:(?:i|we)(?:\s+will|['’]ll)(?!\s+be\b)|let['’]s|let\s+us|let\s+me\s+(?:try|first|see|check|look|move|go|start|find"
    r"|think|re)|(?:i|we)\s+(?:need|should|must|have)\s+to|(?:i|we)\s+(?:should|must|could)|(?:try|trying)\s+(?:to|a|another)"
    r"|here\s+is|here['’]s)\b",
    re.IGNORECASE,
)
_ISNT = re.compile(r"\b(is|are|was)n['’]t\b", re.IGNORECASE)
_NOTHING = re.compile(r"(?:|no(?:ne|thing|\s+action)?|n/?a|stop|give\s+up|-+|…|\.+)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]*")
_MARKS = " \t\r\xa0*_`\"'“”>#~=-–—•."
_LONGEST = 400
"""Characters of the longest sentence that is looked at: what goes on for longer says no such thing."""


def no_plan_said(text: str) -> str | None:
    """The sentence of a reply without a plan that says that there is none; None where no sentence does."""
    return _said(_spoken(text))


def is_marked_no_plan(text: str) -> bool:
    """Whether a reply begins or ends with the line ``[NO PLAN]``, whatever else it holds."""
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


def _said(lines: list[str]) -> str | None:
    sentences = [sentence for line in lines for sentence in _sentences(line)]
    claim: str | None = None
    for sentence in sentences:
        if claim is not None and _GOES_ON.search(sentence):
            claim = None
        if claim is None and _claims(sentence):
            claim = sentence
    return claim


def _sentences(line: str) -> Iterator[str]:
    bare = line.strip().removeprefix(THOUGHT)
    if NO_PLAN in bare.upper():
        # Its brackets are no end of a sentence, and what stands beside it belongs to it.
        yield bare.strip(_MARKS)
        return
    for match in _SENTENCE.finditer(bare):
        if sentence := match[0].strip():
            yield sentence


def _claims(sentence: str) -> bool:
    if len(sentence) > _LONGEST:
        return False
    if _ALONE.fullmatch(sentence.strip(_MARKS + "!:[](){}")):
        return True
    plain = _ISNT.sub(r"\1 not", re.sub(r"[*_`]", "", sentence))
    claimed = NO_PLAN in plain.upper() or _CLAIM.search(plain)
    return bool(claimed) and not _HEDGED.search(plain) and not _GOES_ON.search(plain)
