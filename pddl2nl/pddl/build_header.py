"""Lists to tree: what domains and problems share, `(define (domain name) section …)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pddl2nl.pddl.build_terms import Build, first_word, show
from pddl2nl.pddl.nesting import MAX_DEPTH, Node

__all__ = ["Header", "Kind", "header", "requirements"]

Kind = Literal["domain", "problem"]


@dataclass(frozen=True)
class Header:
    """The name of a domain or a problem, its place, and the sections that follow."""

    name: str
    start: int
    sections: tuple[Node, ...]


def header(build: Build, kind: Kind) -> Header | None:
    """Takes ``(define (domain name) …)`` apart; None, with an error, where the text is none of this kind."""
    log = build.log
    roots = list(build.nest.elements(build.nest.roots))
    lists = [item for item in roots if isinstance(item, Node)]
    if not roots:
        log.error(0, "the file is empty", expected=f"(define ({kind} name) …)")
        return None
    for item in roots:
        if not isinstance(item, Node):
            message = "a word outside of all parentheses"
            log.error(item.start, message, expected=f"(define ({kind} name) …)", found=show(build, item))
            break
    root = next((item for item in lists if first_word(build, item) == "define"), None)
    if root is None:
        if lists:
            log.error(lists[0].start, f"no {kind}", expected=f"(define ({kind} name) …)", found=show(build, lists[0]))
        return None
    for item in lists:
        if item is not root:
            log.error(
                item.start,
                f"more behind the end of the {kind}",
                expected="one (define …) a file",
                found=show(build, item),
            )
    return _take_apart(build, kind, root) if _shallow(build, lists) else None


def _take_apart(build: Build, kind: Kind, root: Node) -> Header | None:
    log = build.log
    sections: list[Node] = []
    for word in build.nest.words(root.head, root.start + 1)[1:]:
        log.error(word.start, "a word where a section was expected", expected="(:keyword …)", found=show(build, word))
    for item in build.nest.elements(root.items):
        if isinstance(item, Node):
            sections.append(item)
        else:
            message = "a word where a section was expected"
            log.error(item.start, message, expected="(:keyword …)", found=show(build, item))
    expected = f"(define ({kind} name) …)"
    words = build.nest.words(sections[0].head, sections[0].start + 1) if sections else []
    if not words or words[0].text not in ("domain", "problem"):
        start = sections[0].start if sections else root.start
        log.error(
            start, f"a {kind} without a name", expected=expected, found=show(build, sections[0] if sections else root)
        )
        return None
    if words[0].text != kind:
        message = f"this is a {words[0].text}, where a {kind} was expected"
        log.error(sections[0].start, message, expected=expected, found=show(build, sections[0]))
        return None
    if len(words) < 2:
        # Generators leave the name out; nothing depends on it.
        log.warning(sections[0].start, f"the {kind} has no name", expected=expected, found=show(build, sections[0]))
    name = " ".join(word.text for word in words[1:])
    if len(words) > 2 or sections[0].items:
        log.error(sections[0].start, f"a {kind}'s name is one word", expected=expected, found=show(build, sections[0]))
    return Header(name, sections[0].start, tuple(sections[1:]))


def _shallow(build: Build, roots: list[Node]) -> bool:
    if max(root.depth for root in roots) <= MAX_DEPTH:
        return True
    depth = 0
    for offset, character in enumerate(build.nest.text):
        if character == "(":
            depth += 1
            if depth > MAX_DEPTH:
                message = f"lists are nested more than {MAX_DEPTH} deep from here on"
                build.log.error(offset, message, expected=f"at most {MAX_DEPTH} levels")
                return False
        elif character == ")":
            depth -= 1
    return True


def requirements(build: Build, section: Node) -> tuple[str, ...]:
    """The flags of a ``:requirements`` section."""
    found: list[str] = []
    for item in build.nest.all(section)[1:]:
        if isinstance(item, Node) or item.text[0] == "?":
            build.log.error(item.start, "no requirement", expected=":flag …", found=show(build, item))
        elif item.text[0] == ":":
            found.append(item.text)
        else:
            message = f"a requirement without a colon: '{item.text}'"
            build.log.warning(item.start, message, expected=f":{item.text}", found=show(build, item))
            found.append(f":{item.text}")
    return tuple(found)
