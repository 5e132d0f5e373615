"""What stands before an action on its line: list marks, emphasis and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pddl2nl.nl.reading.stance import is_plain_lead, rejecting_word
from pddl2nl.nl.reading.words import word_set

__all__ = ["Peeled", "heading_of", "label_of", "peel"]


class Peeled(NamedTuple):
    """A piece without what stands before its content.

    ``start``: offset of the content in the piece; ``markup``, ``prefix``: what was taken off (list marks and emphasis;
    labels); ``number``, ``item``: its list mark; ``outer``: the numbers before its last one (1 of "1.2"); ``label``:
    what `label_of` says of its label; ``bare``: nothing else stands there.
    """

    start: int
    markup: bool
    prefix: bool
    number: int | None
    item: str
    label: str
    bare: bool
    outer: tuple[int, ...] = ()


_PLANS = word_set("plan plans solution sequence answer attempt version option alternative variant")
_ACTIONS = _PLANS | word_set(
    "action actions step steps move moves command commands output response decision act instruction instructions "
    "operation operations execute do turn task phase stage t time timestep cycle iteration round minute hour day"
)
_KINDS = word_set("chosen selected proposed recommended suggested following current optimal 1 2 3 one two three of no")
_SPEAKERS = word_set("robot agent assistant ai player planner bot me")
_THOUGHTS = word_set(
    "thought thoughts think thinking reasoning reason reasons rationale observation observations obs result results "
    "explanation explanations note notes comment comments precondition preconditions pre_conditions effect effects "
    "postcondition postconditions state states goal goals subgoal subgoals sub_goals condition conditions why check "
    "checks analysis justification before after currently fact facts status outcome warning assumption assumptions "
    "summary objective purpose situation false true question user system tool example"
)
_OFFERS = word_set(
    "possible impossible applicable inapplicable available legal illegal valid invalid allowed disallowed "
    "would could wrong incorrect failed fail fails previous last other avoid never not cannot "
    "can't can’t considered rejected ❌"
)


def label_of(words: Sequence[str]) -> str:
    """What the folded words of a label say of what follows: "action", "thought", "offered" (not chosen), or nothing."""
    said = set(words)
    if said & _PLANS:
        return "offered" if any(map(rejecting_word, words)) else "action"
    if _THOUGHTS.intersection(words[:5]):
        return "thought"
    if said & _OFFERS and not (said & {"last"} and not said & _ACTIONS):
        return "offered"
    nouns = said & (_ACTIONS | _SPEAKERS)
    return "action" if nouns and all(word in nouns | _KINDS or is_plain_lead(word) for word in words) else ""


def heading_of(line: str) -> str:
    """The same for a line that is a heading of what stands below it; "repertoire": a list of all that can be done."""
    bare = re.split(r"[.!?]\s", line.strip(" *_#`"))[-1]
    words = re.findall(r"[\w'’❌]+", bare.lower())
    if not bare.endswith(":") or len(words) > 14:
        return ""
    if "can" in words and "actions" in words:
        return "repertoire"
    return label_of(words)


_DECORATED = r"[*_`\"'”’]*"
# A call around a quoted action: env.step("stack a on b"), but not around a quoted object: stack("a", "b").
_MARKS = re.compile(
    r"(?:[*_`~\"'“”‘’«»]|\[(?=[\w\"'])(?![A-Za-z]+(?: \d+)?\])|\\)+\s*"
    r"|\|\s*|>+\s*|#{1,6}\s+|\[[ xX✓]?\]\s+|\(\s*(?=[\"'`])"
    r"|&\s*|[A-Za-z_][\w.]*\(\s*(?=[\"'][^\"'\n]*[\s(])"
)
_BULLET = re.compile(r"([-*+–—])\s+|-(?=[A-Za-z])|([•‣◦●→])\s*|->\s*|=>\s*|-->?\s+")
_NUMBER = re.compile(
    r"\d+\.\d+\s*:\s*"
    r"|(?P<outer>(?:\d{1,4}\.){1,6})(?P<deep>\d{1,4})[.):]?\s+"
    r"|(?P<part>\d{1,4})\s*/\s*\d{1,4}\s*[.:)\]]+\s*"
    r"|(?P<cell>\d{1,4})\s*,\s*(?=[\"A-Za-z])"
    r"|[(\[]?(?P<plain>\d{1,4})(?:[.):\]º°]+(?=\D|$)|\s+[-–—|>]\s)\s*"
    r"|#(?P<hash>\d+)[.:)]?\s+"
    r"|(?P<bare>\d{1,3})\s+(?=[A-Za-z*`\"(])"
    r"|[(\[]?(?P<roman>(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3}))[.)\]]\s+"
    r"|[(]?[a-z][.)]\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[\[(]?(?P<words>[A-Za-z][A-Za-z0-9 '’]{0,60}?)"
    r"(?P<counted>\s*(?:no\.?|number|#|-|_|=)?\s*[(\[]?(?P<count>\d+)(?:\s*(?:/|of)\s*\d+)?[)\]]?)?"
    r"(?P<more>\s*\([^()\n]{0,40}\)|\s(?:after|before|of|for|at)\s[^:\n]{0,80}?)?"
    rf"(?P<end>{_DECORATED}\s*(?::|=>?|->|→)(?!//){_DECORATED}\s*|\s+[-–—]\s+|(?(counted)(?P<loose>{_DECORATED}\s*[)\].,]*\s*)|(?!)))",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"\[(?P<words>[A-Za-z]+)(?P<counted>\s*(?P<count>\d+))?\]\s*:?\s*")
_ROMAN = {"i": 1, "v": 5, "x": 10}


def peel(text: str) -> Peeled:
    """Takes list marks, emphasis and labels off the front of a line."""
    at = 0
    markup = prefix = False
    number: int | None = None
    item = label = ""
    outer: tuple[int, ...] = ()
    while at < len(text) and label != "thought":
        letter = text[at].isalpha()
        if match := (_BULLET.match(text, at) if not prefix and not letter else None):
            markup, item = True, item or match[1] or match[2] or "->"
        elif match := (_NUMBER.match(text, at) if not prefix or (label and number is None) else None):
            if prefix and match["bare"]:
                break
            markup, item = True, "count" if match["bare"] else "number"
            if number is None:
                number = _number(match)
                outer = tuple([int(count) for count in (match["outer"] or "").split(".") if count])
        elif match := _MARKS.match(text, at):
            markup = True
        elif labelled := _label(text, at):
            match, said = labelled
            prefix, label = True, said or label
            if match["count"]:
                option = not _PLANS.isdisjoint(match["words"].lower().split())
                number, item = (
                    (int(match["count"]) if number is None else number),
                    "option" if option else item or "number",
                )
        else:
            break
        if match.end() == at:
            break
        at = match.end()
    return Peeled(at, markup, prefix, number, item, label, not text[at:].strip(" *_`#-:.\"'"), outer)


def _label(text: str, at: int) -> tuple[re.Match[str], str] | None:
    """The label at an offset and what it says."""
    match = _TAGGED.match(text, at) or _LABEL.match(text, at)
    if match is None:
        return None
    words = re.findall(r"[\w'’]+", match["words"].lower())
    said = label_of(words)
    if "loose" in match.re.groupindex and match["loose"] is not None:
        # "Step 3 stack a on b": without a colon a label is a noun with its number.
        counted = (
            match["counted"]
            and len(words) == 1
            and words[0] in _ACTIONS
            and match.end() > min(match.end("count"), len(text) - 1)
        )
        return (match, said) if said == "action" and counted else None
    more = match.groupdict().get("more")
    if more and said != "thought" and more.lstrip()[0] != "(":
        return None
    return (match, said) if said or all(map(is_plain_lead, words)) else None


def _number(match: re.Match[str]) -> int | None:
    if roman := match["roman"]:
        values = [_ROMAN[letter] for letter in roman.lower()]
        return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
    count = match["plain"] or match["deep"] or match["hash"] or match["bare"] or match["part"] or match["cell"]
    return int(count) if count else None
