"""What chat windows, web pages and typesetters leave in a reply, taken out before it is read.

Invisible characters, HTML tags and entities, LaTeX commands, escaped punctuation, emoji, full-width and CJK
punctuation say nothing about actions, and what is struck out is no longer said. All this is replaced by what it
stands for (a line break, a bullet, a full stop) or dropped, and every character that is kept remembers where it
came from, so that readings point into the reply as it was.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple

from pddl2nl.nl.reading.readings import Reading

__all__ = ["Cleaned", "Original", "clean", "noise_in"]


class Cleaned(NamedTuple):
    """A text without noise; character ``i`` of it came from ``starts[i]`` to ``ends[i]`` of the original.

    Both are empty where nothing was changed.
    """

    text: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the clean text stands in the original."""
        if not self.starts:
            return start, end
        return (self.starts[start], self.ends[end - 1]) if start < end else (self.starts[start], self.starts[start])


_BLOCKS = "p|ol|ul|tr|div|table|thead|tbody|h[1-6]|dl|dt|dd|blockquote|pre|section|body|html"
_INLINE = "b|i|u|s|em|strong|code|kbd|samp|tt|var|span|small|big|font|mark|sub|sup|q|cite|center"
# "❌ stack a on b" is a move ruled out: crosses are kept, and make prose of their line.
_CROSSES = "❌❎✖✗✘"
_NOISE = re.compile(
    r"(?P<hidden>[\xad\u200b-\u200f\u2060\ufe0e\ufe0f\u202a-\u202e\ufeff]+)"
    r"|(?P<blank>[\xa0\u2000-\u200a\u202f\u205f\u3000])"
    r"|(?P<line>\r(?!\n)|[\x0b\x0c\x85\u2028\u2029]|<br\s*/?>)"
    r"|(?P<entity>&(?:#\d{1,6}|#x[\da-f]{1,5}|[a-z]{2,8});)"
    r"|(?P<item><li(?:\s[^<>]*)?>)|(?P<cell></?t[dh](?:\s[^<>]*)?>)|(?P<action><action[\w -]*>)"
    rf"|(?P<block></?(?:{_BLOCKS}|answer|final[ _-]?answer|step|move|command|output|response)"
    r"(?:[\s_-][^<>]*)?>|</(?:li|action)[\w -]*>)"
    rf"|(?P<inline><(?P<closing>/?)(?P<name>{_INLINE})(?:\s[^<>]*)?>)"
    r"|(?P<environment>\\(?:begin|end)\s*\{[^{}\n]*\})|(?P<listed>\\item\b(?:\[[^\[\]\n]*\])?[ \t]*)"
    r"|(?P<command>\\(?:text(?:bf|it|tt|rm|sf|sc)?|math(?:bf|it|tt|rm|sf)|boxed|fbox|emph|underline|operatorname|mbox)"
    r"\s*\{|\\checkmark\b|\$)"
    r"|(?P<arrow>\\(?:(?:long)?rightarrow|Rightarrow|to|implies)\b|[\u21d2\u21e8\u27a1\u2794\u279c-\u279e\u27f6\u27f9])"
    r"|(?P<gap>\\(?:q?quad\b|[,;:! \\]))|(?P<escaped>\\[_*#&%$().\[\]{}|`~>+-])"
    r"|(?P<newline>\\n(?!(?:e|eq|u|ot|abla|ewline)\b))"
    r"|(?P<struck>~~[^~\n]+~~)|(?P<emphasis>\b_{1,3}(?=\w)|(?<=\w)_{1,3}\b)"
    r"|(?P<digit>[\u2460-\u2473\u2776-\u2793]\s*|\u20e3\s*)|(?P<wide>[\uff01-\uff5e\u3001\u3002\u3008-\u3011])"
    r"|(?P<hyphen>[\u2010\u2011\u2212])|(?P<quote>[\u201a\u201e\u2039\u203a])"
    r"|(?P<bullet>[\u2043\u2219\u25a0\u25a1\u25aa\u25ab\u25b6\u25b8\u25b9\u25ba\u25c6\u25c7\u25cb\u25cf\u27a2\u27a4])"
    rf"|(?P<emoji>(?:(?![{_CROSSES}])[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f6aa"
    r"\U0001f6ac-\U0001faff])+)",
    re.IGNORECASE,
)
_BRACES = re.compile(_NOISE.pattern + r"|(?P<brace>[{}])", re.IGNORECASE)
_SIGNS = ("<", "&", "\\", "$", "~~", "\x0b", "\x0c")
_EDGE = re.compile(r"_(?:(?!\w)|(?<!\w_))")
_CLOSER = re.compile(r"</(\w+)")
_COMMAND = re.compile(r"\\(?:text|math|boxed|fbox|emph|underline|operatorname|mbox)[a-z]*\s*\{")
_SAYS = {
    "blank": " ", "line": "\n", "item": "\n- ", "cell": " | ", "action": "\nAction: ", "block": "\n", "listed": "- ",
    "arrow": " → ", "gap": " ", "newline": " ; ", "hyphen": "-", "quote": '"', "bullet": "• ", "emoji": " ",
}  # fmt: skip
_WIDE = {
    "\u3001": ", ", "\u3002": ". ", "\u3008": '"', "\u3009": '"', "\u300a": '"', "\u300b": '"', "\u300c": '"',
    "\u300d": '"', "\u300e": '"', "\u300f": '"', "\u3010": "[", "\u3011": "]",
}  # fmt: skip


def noise_in(text: str) -> frozenset[str]:
    """The kinds of noise in a text: of a wording's own texts they must be kept."""
    return frozenset(match.lastgroup or "" for match in _BRACES.finditer(text))


def clean(text: str, keep: frozenset[str] = frozenset()) -> Cleaned:
    """The text without what has no part in its words, save for kinds to ``keep``; plain text comes back as it is."""
    broken = "\r" in text and text.count("\r") != text.count("\r\n")
    if text.isascii() and not broken and not any(sign in text for sign in _SIGNS) and not _EDGE.search(text):
        return Cleaned(text)
    noise = _BRACES if _COMMAND.search(text) else _NOISE
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    closed = {name.lower() for name in _CLOSER.findall(text)}
    at = 0
    for match in noise.finditer(text):
        # "stack <a> on <b>": a name in angle brackets is no tag.
        if match.lastgroup in keep or (match["inline"] and match["name"].lower() not in closed):
            continue
        begin, end = match.span()
        pieces.append(text[at:begin])
        starts += range(at, begin)
        ends += range(at + 1, begin + 1)
        says = _said(match, text, pieces)
        pieces.append(says)
        starts += [begin] * len(says)
        ends += [end] * len(says)
        at = end
    if not at:
        return Cleaned(text)
    pieces.append(text[at:])
    starts += range(at, len(text) + 1)
    ends += range(at + 1, len(text) + 1)
    return Cleaned("".join(pieces), tuple(starts), tuple(ends))


def _said(match: re.Match[str], text: str, before: list[str]) -> str:
    kind = match.lastgroup or ""
    mark = match[0]
    if kind == "entity":
        return html.unescape(mark).replace("\xa0", " ")
    if kind == "escaped":
        return mark[1]
    if kind == "digit":
        return ". " if mark[0] == "\u20e3" else f"{int(unicodedata.numeric(mark[0]))}. "
    if kind == "wide":
        # "1、" numbers a line.
        if mark == "\u3001" and text[match.start() - 1 : match.start()].isdigit():
            return ". "
        plain = _WIDE.get(mark) or chr(ord(mark) - 0xFEE0)
        return f"{plain} " if plain in ".,;:!?)" else plain
    if kind in ("item", "action", "block") and _begins_line(before):
        return _SAYS[kind][1:]
    return _SAYS.get(kind, "")


def _begins_line(before: list[str]) -> bool:
    """Whether nothing but blanks stands on the line so far, so that a tag need not break it."""
    for piece in reversed(before):
        line = piece.rpartition("\n")
        if line[2].strip():
            return False
        if line[1]:
            return True
    return True


class Original:
    """The text as it was written, in which readings of the clean one find their places."""

    def __init__(self, text: str, cleaned: Cleaned):
        self._text = text
        self._cleaned = cleaned
        self._at = 0
        self._line = 1

    def place(self, reading: Reading) -> Reading:
        """The reading with its place in the original; what noise stood around is no longer exact."""
        if not self._cleaned.starts:
            return reading
        start, end = self._cleaned.span(reading.start, reading.end)
        said = self._text[start:end]
        rule = reading.rule
        if rule == "exact":
            begin, stop = self._text.rfind("\n", 0, start) + 1, self._text.find("\n", end)
            rule = rule if self._text[begin : stop if stop >= 0 else None].strip() == said == reading.text else "markup"
        return reading._replace(line=self._number(start), start=start, end=end, text=said, rule=rule)

    def _number(self, offset: int) -> int:
        # Readings mostly come in order, so lines are counted on from the last one.
        if offset < self._at:
            self._at, self._line = 0, 1
        self._line += self._text.count("\n", self._at, offset)
        self._at = offset
        return self._line
