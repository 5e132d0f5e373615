"""What stands before an action on its line: list marks, emphasis, labels and polite words."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["PEELED_WORDS", "Peeled", "peel"]


class Peeled(NamedTuple):
    """A piece without what stands before its content.

    ``start``: offset of the content in the piece; ``markup``, ``prefix``: what was taken off (list marks and
    emphasis; labels and polite words); ``polite``: the prefix had words of a sentence ("I will");
    ``number``, ``item``: its list mark; ``outer``: the numbers before its last one (1 of "1.2"); ``label``:
    "action" for a label that announces an action, "thought" for one that announces something else, or empty;
    ``bare``: nothing else stands there.
    """

    start: int
    markup: bool
    prefix: bool
    polite: bool
    number: int | None
    item: str
    label: str
    bare: bool
    outer: tuple[int, ...] = ()


_DECORATED = r"[*_`\"'”’]*"
# A call around a quoted action: env.step("stack a on b"), but not around a quoted object: stack("a", "b").
_MARKS = re.compile(
    r"(?:[*_`~\"'“”‘’«»]|\[(?=[\w\"'])(?!(?:[Aa]ction|[Ss]tep|[Mm]ove|[Cc]ommand|[Aa]nswer)\])|\\)+\s*"
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
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|first|last"
_ORDINAL = r"(?:\s*(?:no\.?|number|#|-|_)?\s*[(\[]?(?P<count>\d+)(?:\s*(?:/|of)\s*\d+)?[)\]]?)?"
_ANNOUNCES = "action|step|move|command|answer|plan|output|response|decision|act|instruction|operation|execute|do"
_ACTION_LABEL = re.compile(
    r"(?:(?:my|the|your|our|so|therefore|robot|agent)[, ]\s*)*"
    r"(?:next|final|first|chosen|selected|best|proposed|following)?\s*"
    rf"(?:(?:{_ANNOUNCES})s?{_ORDINAL}"
    rf"(?:\s*\([^()]*\))?(?:{_DECORATED}\s*(?::|=>?|->|→){_DECORATED}\s*|\s+[-–—]\s+)"
    rf"|(?:here(?:['’]s| is)|this is) (?:[\w-]+ ){{1,4}}plan{_DECORATED}\s*:{_DECORATED}\s*"
    r"|(?:action )?(?:plan|solution|sequence)(?: of actions)? (?:is(?: as follows)?|(?:consists of|has) "
    rf"(?:the |these |following )*(?:(?:\d+|{_COUNTS}) )?(?:actions|steps|moves))(?:\s*:\s*|\s+(?=[\"'`(]))"
    r"|\[(?:action|step|move|command|answer)\]\s*:?\s*"
    r"|(?:perform|execute|carry out)\s+(?:the\s+)?(?:(?:following|next)\s+)?(?:action|step|move|command)?\s*"
    r"(?::\s*|(?=[\"'`“]))"
    r"|(?:action|step|move|command)\s+(?:(?:to take|I take|I choose|I will take)\s+)?(?:is|would be|will be)"
    r"(?:\s+to|:)?\s+(?=\S))",
    re.IGNORECASE,
)
_STEP_ONLY = re.compile(
    rf"[(\[]?(?:(?:action|step|move|turn|task|phase|stage)\s*[#-]?\s*(?P<count>\d+){_DECORATED}\s*[)\].:,]*\s*"
    rf"|(?:action|step|move|stage)\s+(?:{_COUNTS}){_DECORATED}\s*[)\].:,]+{_DECORATED}\s*)",
    re.IGNORECASE,
)
_TIME = re.compile(
    rf"[(\[]?(?:t|time(?:[ _-]?step)?|cycle|iteration|round|minute|hour|day)\s*[=_]?\s*(?P<count>\d+){_DECORATED}"
    rf"(?:\s*[)\].:]+|\s+[-–—]\s){_DECORATED}\s*",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    rf"(?:the )?(?:robot|agent|assistant|ai|player|planner|bot|me){_DECORATED}\s*:{_DECORATED}\s*", re.IGNORECASE
)
_OTHER_LABEL = re.compile(
    r"(?:my |the |your |new |current |resulting |initial |final |updated |next |all |key )*"
    r"(?:thoughts?|think|thinking|reasoning|reasons?|rationale|observations?|obs|results?|explanations?|notes?|"
    r"comments?|pre-?conditions?|effects?|post-?conditions?|states?|goals?|sub-?goals?|conditions?|why|checks?|"
    r"analysis|justification|after|before|currently|now|facts?|status|outcome|warning|assumptions?|summary|"
    r"objective|purpose|situation|add effects?|delete effects?|false|true|question|user|system|tool)"
    rf"(?:\s+(?:\d+|after|before|of|for|at)\b(?:\s+[^\s:]+){{0,10}})?{_DECORATED}\s*:{_DECORATED}\s*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:(?:i(?:['’]ll|['’]m going to| will| am going to| shall| then| now)?"
    r"|we(?:['’]ll| will| then| now)?)(?: (?:choose|decide|opt|elect|proceed) to)?"
    r"|let['’]?s|let us|let me|then|next|now|please|first(?:ly)?|second(?:ly)?"
    r"|third(?:ly)?|finally|lastly|and|so|also|again|after that|afterwards|subsequently|go ahead and|proceed to"
    r"|therefore|hence|thus|consequently|eventually|meanwhile|once again|in the end"
    r"|simply|just|ok|okay|sure|alright|to (?:begin|start)(?: with)?)(?:\s*[,:]\s*|\s*\.\.\.\s*|\s+)"
    r"|(?:ok|okay|sure|alright|right|great|good|yes|certainly|understood|fine|got it|of course)\s*[.!,]+\s*",
    re.IGNORECASE,
)
# What stands before most lines, so that they need no search through all that could stand there.
_USUAL = re.compile(r"(?:(?:(\d{1,4})[.)]|([-*•]))\s+)?[*_`\"]*(?=[A-Za-z])")
_ROMAN = {"i": 1, "v": 5, "x": 10}


def peel(text: str) -> Peeled:
    """Takes list marks, emphasis, labels and polite words off the front of a line."""
    if (usual := _USUAL.match(text)) and not _NOTABLE_WORD.match(text, usual.end()):
        at = usual.end()
        count, bullet = usual.groups()
        if count:
            return Peeled(at, True, False, False, int(count), "number", "", False)
        return Peeled(at, at > 0, False, False, None, bullet or "", "", False)
    at = 0
    markup = prefix = polite = False
    number: int | None = None
    item = label = ""
    outer: tuple[int, ...] = ()
    while at < len(text):
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
        elif letter and (match := _OTHER_LABEL.match(text, at)):
            label = "thought"
            at = match.end()
            break
        elif match := _ACTION_LABEL.match(text, at) or _STEP_ONLY.match(text, at) or _TIME.match(text, at):
            prefix, label = True, "action"
            if match["count"]:
                number, item = (int(match["count"]) if number is None else number), item or "number"
        elif letter and (match := _SPEAKER.match(text, at) or _POLITE.match(text, at)):
            prefix = True
            polite = polite or match.re is _POLITE
        else:
            break
        if match.end() == at:
            break
        at = match.end()
    return Peeled(at, markup, prefix, polite, number, item, label, not text[at:].strip(" *_`#-:.\"'"), outer)


def _number(match: re.Match[str]) -> int | None:
    if roman := match["roman"]:
        values = [_ROMAN[letter] for letter in roman.lower()]
        return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
    count = match["plain"] or match["deep"] or match["hash"] or match["bare"] or match["part"] or match["cell"]
    return int(count) if count else None


# Behind marks, a word that begins like none of these is not peeled off.
_NOTABLE_WORD = re.compile(
    r"(?:i|we|let|then|next|now|please|first|second|third|final|last|and|so|also|again|after|subsequently|go |proceed"
    r"|simply|just|ok|sure|alright|here|this is|to |my |the |your |our |therefore|chosen|selected|best"
    r"|proposed|following|action|step|move|command|answer|plan|output|response|decision|act|instruction|operation|execute|perform|carry|sequence|solution|do\b|turn|task|phase|stage"
    r"|thought|think|reason|rationale|obs|result|explanation|note|comment|pre|effect|post|state|goal|sub|condition"
    r"|why|check|analysis|justification|before|current|fact|status|outcome|warning|assumption|summary|objective"
    r"|purpose|situation|add|delete|false|true|question|user|system|tool|new|initial|updated|all |key "
    r"|robot|agent|assistant|ai\b|player|planner|bot\b|me\b|hence|thus|consequent|eventually|meanwhile|once|in the"
    r"|right|great|good|yes|certainly|understood|fine|got it|of course"
    r"|t\s*[=_]?\s*\d|time|cycle|round|minute|hour|day|[ivx]+[.)]|[a-z][.)])|[a-z_][\w.]*\(",
    re.IGNORECASE,
)


def _words(*patterns: re.Pattern[str]) -> frozenset[str]:
    """All words in regular expressions, with and without their optional letters."""
    # Of these an underscore and a number may follow: "step_3:".
    counted = ("t", "time", "cycle", "iteration", "round", "minute", "hour", "day", *_ANNOUNCES.split("|"))
    found: set[str] = {"t", *(f"{word}_" for word in counted), *(f"{word}s_" for word in counted)}
    for pattern in patterns:
        for source in (pattern.pattern, re.sub(r"[a-z]\?", "", pattern.pattern)):
            found.update(re.findall(r"[a-z]{2,}", source.lower()))
    tens, ones = ("", "x", "xx", "xxx"), ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
    return frozenset(found | {ten + one for ten in tens for one in ones} - {""})


PEELED_WORDS = _words(_ACTION_LABEL, _STEP_ONLY, _TIME, _SPEAKER, _OTHER_LABEL, _POLITE)
"""Words that may be peeled off, so that an object of such a name is special; Roman numbers among them."""
