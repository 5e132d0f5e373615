"""What a domain's description says of actions and derived facts, read back by a reader of its own, is what PDDL says.

Neither the reader of English nor the reader of PDDL here shares code with `pddl2nl`: a sentence that drops a condition,
turns a sign, exchanges two arguments or gives one letter two meanings differs. Domains with numbers are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.nl import convert, template_wording
from pddl2nl.pddl import load_domain

DOMAINS = [
    "autoplanbench/logistics", "autoplanbench/rovers", "ipc/assembly/prob02", "ipc/miconic-fulladl/f1-0",
    "ipc/philosophers/p01-phil2", "ipc/psr-large/p01-s29-n2-l5-f30", "ipc/schedule", "ipc/tpp", "ipc/airport",
    "ipc/mystery", "ipc/agricola-opt18-strips/p01", "ipc/grid", "ipc/snake-opt18-strips",
]  # fmt: skip
NOT = "it is not the case that "
FACT = (
    r"(?P<{0}names>\S+(?:(?:, \S+)*,? and \S+))"
    r" are (?:in relation '(?P<{0}many>[^']+)'|(?P<{0}eq>the same object|different objects))"
    r"|(?P<{0}name>\S+) is '(?P<{0}one>[^']+)'|'(?P<{0}none>[^']+)' holds"
)
LITERAL = re.compile(f"(?P<sign>{NOT})?(?:{FACT.format('')})")
Formula = Any
"""("atom", name, args), ("=", one, other), or ("not" | "and" | "or" | "imply" | "all" | "some", …)."""


# ── PDDL ─────────────────────────────────────────────────────────────────────────────────────────


def expressions(text: str) -> Any:
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(token)
    return stack[0][0]


def typed(tokens: Sequence[Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    for at, token in enumerate(tokens):
        if token == "-" or (at and tokens[at - 1] == "-"):
            if token != "-":
                kind = " or ".join(token[1:]) if isinstance(token, list) else token
                found += [(name, kind) for name in waiting]
                waiting = []
        else:
            waiting.append(token)
    return [*found, *((name, "object") for name in waiting)]


def meant(tree: Any, names: dict[str, str], depth: int = 0) -> Formula:
    """A condition of PDDL with its bound variables numbered by their depth."""
    if not tree:
        return ("and", ())
    head, *rest = tree
    if head in ("and", "or"):
        return joined(head, [meant(part, names, depth) for part in rest])
    if head == "not":
        return denied(meant(rest[0], names, depth))
    if head == "imply":
        return ("imply", meant(rest[0], names, depth), meant(rest[1], names, depth))
    if head in ("forall", "exists"):
        bound = typed(rest[0])
        inner = names | {name: f"#{depth + at}" for at, (name, _) in enumerate(bound)}
        return quantified("all" if head == "forall" else "some", [kind for _, kind in bound],
                          meant(rest[1], inner, depth + len(bound)))  # fmt: skip
    args = tuple(names.get(term, term) for term in rest)
    return ("=", *sorted(args)) if head == "=" else ("atom", head, args)


def joined(kind: str, parts: Sequence[Formula]) -> Formula:
    flat = [item for part in parts for item in (part[1] if part[0] == kind == "and" else (part,))]
    return flat[0] if len(flat) == 1 else (kind, tuple(sorted(flat, key=repr)))


def denied(part: Formula) -> Formula:
    return part[1] if part[0] == "not" and part[1][0] == "not" else ("not", part)


def quantified(kind: str, kinds: list[str], body: Formula) -> Formula:
    if body[0] == kind:
        kinds, body = [*kinds, *body[1]], body[2]
    return (kind, tuple(kinds), body) if kinds else body


# ── English ──────────────────────────────────────────────────────────────────────────────────────


def groups(text: str, joiner: str) -> list[str]:
    """The insides of "(…) joiner (…)", or nothing."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == ")":
            if text[start] != "(":
                return []
            found.append(text[start + 1 : at])
            if not text.startswith(joiner, at + 1):
                return found if at + 1 == len(text) else []
            start = at + 1 + len(joiner)
    return []


def said(text: str, names: dict[str, str], items: Sequence[str] = (), depth: int = 0) -> Formula:
    """A condition in English; ``items`` are the lines of the list behind it."""
    text = text.removeprefix("it is the case that ")
    if text.endswith(":"):
        head = re.search(r"(all of these hold|at least one of these holds|if the first of these holds, .*):$", text)
        assert head
        if head.start() == 0:
            parts = [said(item, names, below, depth) for item, below in listed(items)]
            if text.startswith("if"):
                return ("imply", *parts)
            return joined("and" if text.startswith("all") else "or", parts)
    if match := re.match(rf"{NOT}(?=\(|all of|at least|if the|there is|for every)", text):
        inside = groups(text[match.end() :], "\0")
        return denied(said(inside[0] if len(inside) == 1 else text[match.end() :], names, items, depth))
    if match := re.match(
        r"(?P<all>for )?(?P<some>there is )?((?:and )?(?:every|an?|one of the) .+? [A-Z]\d*(?:,? ))+", text
    ):
        bound: list[tuple[str, str]] = []
        rest = text.removeprefix("for ").removeprefix("there is ")
        while one := re.match(r"(?:and )?(?:every|an?|one of the) ([^()]+?) ([A-Z]\d*)(?:, | such that | )", rest):
            bound.append((one[2], one[1]))
            rest = rest[one.end() :]
            if one[0].endswith((", ", " such that ")):
                break
        inner = names | {letter: f"#{depth + at}" for at, (letter, _) in enumerate(bound)}
        assert not set(names) & {letter for letter, _ in bound}, f"a letter with two meanings: {text}"
        inside = groups(rest, "\0")
        body = said(inside[0] if len(inside) == 1 else rest, inner, items, depth + len(bound))
        return quantified("all" if match["all"] else "some", [kind for _, kind in bound], body)
    if text.startswith("if (") and not text.endswith(":"):
        left, right = groups(text[3:], " then ")
        return ("imply", said(left, names, (), depth), said(right, names, (), depth))
    for kind in ("and", "or"):
        parts = groups(text, f" {kind} ")
        if len(parts) > 1:
            return joined(kind, [said(part, names, (), depth) for part in parts])
    inside = groups(text, "\0")
    if len(inside) == 1:
        return said(inside[0], names, (), depth)
    if text == "nothing is asked for":
        return ("and", ())
    return literals(text, names)


def literals(text: str, names: dict[str, str]) -> Formula:
    """Literals joined by "and", without brackets."""
    found: list[Formula] = []
    while text:
        match = LITERAL.match(text)
        rest = text[match.end() :] if match else ""
        assert match is not None, f"no literal: {text}"
        assert rest == "" or rest.startswith(" and "), f"no literal: {text}"
        if match["eq"] or match["many"]:
            args = tuple(names.get(name, name) for name in re.split(r",? and |, ", match["names"]))
            atom = ("=", *sorted(args)) if match["eq"] else ("atom", match["many"], args)
        elif match["one"]:
            atom = ("atom", match["one"], (names.get(match["name"], match["name"]),))
        else:
            atom = ("atom", match["none"], ())
        found.append(("not", atom) if match["sign"] or match["eq"] == "different objects" else atom)
        text = rest.removeprefix(" and ")
    return joined("and", found)


def listed(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The items of a list with the lines below each: an item's indent is the smallest."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    item: list[str] = []
    for line in [*lines, " " * indent + "()"]:
        if line.startswith(" " * indent + "(") and item:
            yield re.sub(r"^ *\([\d.]+\) ", "", item[0]), item[1:]
            item = []
        item.append(line)


def sentences(text: str, heading: str) -> Iterator[tuple[str, list[str]]]:
    """The sentences of a section, each with the lines of its list; without full stops."""
    section = next((part for part in text.split("\n\n") if part.startswith(heading)), heading)
    found: list[list[str]] = []
    for line in section.split("\n")[1:]:
        if line.startswith(" "):
            found[-1].append(line)
        else:
            found.append([line])
    for first, *more in found:
        lines = [first, *more]
        lines[-1] = lines[-1].removesuffix(".")
        yield lines[0], lines[1:]


# ── the comparison ───────────────────────────────────────────────────────────────────────────────


def letters_of(parameters: Sequence[str]) -> dict[str, str]:
    """Letters stand in the order of the template's text, which is PDDL's; no I."""
    alphabet = [f"{letter}{number or ''}" for number in range(3) for letter in "ABCDEFGHJKLMNOPQRSTUVWXYZ"]
    return dict(zip(parameters, alphabet, strict=False))


def check_conditions(text: str, tree: Any) -> int:
    checked = 0
    actions = {part[1]: dict(zip(part[2::2], part[3::2], strict=True)) for part in tree if part[0] == ":action"}
    current = ""
    told: dict[str, list[Formula]] = {}
    for sentence, items in sentences(text, "Each action has its conditions"):
        if match := re.search(r"apply the action '([^']+)'", sentence):
            current = match[1]
        told.setdefault(current, [])
        if sentence.startswith("I can only "):
            said_if = sentence.split(" if ", 1)[1]
            names = {letter: letter for letter in letters_of(typed_names(actions[current])).values()}
            told[current].append(said(said_if, names, items))
    assert list(told) == list(actions)
    for name, parts in actions.items():
        names = letters_of(typed_names(parts))
        assert joined("and", told[name]) == joined("and", [meant(parts.get(":precondition"), names)]), name
        checked += 1
    return checked


def typed_names(parts: dict[str, Any]) -> list[str]:
    return [name for name, _ in typed(parts.get(":parameters", []))]


def effects_meant(tree: Any, names: dict[str, str], lead: tuple[Formula, ...] = ()) -> Iterator[tuple[Any, Formula]]:
    """The literals of an effect, each with what it is under."""
    head = tree[0] if tree else "and"
    if head == "and":
        for part in tree[1:]:
            yield from effects_meant(part, names, lead)
    elif head == "forall":
        bound = typed(tree[1])
        depth = sum(len(one[1]) for one in lead if one[0] == "all")
        inner = names | {name: f"#{depth + at}" for at, (name, _) in enumerate(bound)}
        yield from effects_meant(tree[2], inner, (*lead, ("all", tuple(kind for _, kind in bound))))
    elif head == "when":
        depth = sum(len(one[1]) for one in lead if one[0] == "all")
        yield from effects_meant(tree[2], names, (*lead, ("if", meant(tree[1], names, depth))))
    elif head not in ("increase", "decrease", "assign", "scale-up", "scale-down"):
        yield lead, meant(tree, names)


def effects_said(sentence: str, items: list[str], names: dict[str, str]) -> Iterator[tuple[Any, Formula]]:
    lead: tuple[Formula, ...] = ()
    rest = sentence
    while True:
        depth = sum(len(one[1]) for one in lead if one[0] == "all")
        if match := re.match(r"for (every .+?), ", rest):
            bound = re.findall(r"every (.+?) ([A-Z]\d*)(?: and |$)", match[1])
            lead = (*lead, ("all", tuple(kind for kind, _ in bound)))
            names = names | {letter: f"#{depth + at}" for at, (_, letter) in enumerate(bound)}
            rest = rest[match.end() :]
        elif rest.startswith("if ") and rest.endswith(":"):
            condition = said(rest.removeprefix("if just before it was the case that "), names, items[:-1], depth)
            lead, rest = (*lead, ("if", condition)), items[-1].strip().removeprefix("then ")
        elif rest.startswith("if "):
            cut = re.search(r", (?=it is |for every .+?, (?:if|it is)|the value|if )", rest)
            assert cut
            parts = re.split(r" and (?=it was )", rest[3 : cut.start()].replace("just before ", ""))
            read = [
                said(NOT + part[len("it was not the case that ") :], names, (), depth)
                if part.startswith("it was not ")
                else said(part.removeprefix("it was the case that "), names, (), depth)
                for part in parts
            ]
            lead, rest = (*lead, ("if", joined("and", read))), rest[cut.end() :]
        else:
            break
    rest = rest.split(", unless ")[0]
    if rest.startswith("it is the case that "):
        found = literals(rest.removeprefix("it is the case that "), names)
    elif rest.startswith("it is not the case anymore that "):
        found = literals(rest.replace("it is not the case anymore that ", NOT), names)
    else:
        return
    for part in found[1] if found[0] == "and" else (found,):
        yield lead, part


def check_effects(text: str, tree: Any) -> int:
    actions = {part[1]: dict(zip(part[2::2], part[3::2], strict=True)) for part in tree if part[0] == ":action"}
    told: dict[str, list[tuple[Any, Formula]]] = {name: [] for name in actions}
    current = ""
    for sentence, items in sentences(text, "Each action changes this"):
        if match := re.match(r"Once I apply the action '([^']+)'", sentence):
            current = match[1]
        names = {letter: letter for letter in letters_of(typed_names(actions[current])).values()}
        # Behind the heading, which has its own commas: as many as parameters of a list.
        start = re.match(
            rf"Once I (?:have done this|apply the action '{re.escape(current)}'(?: to .+?)??), "
            r"(?=it is|if |for every|the value|nothing)", sentence
        )  # fmt: skip
        assert start, sentence
        told[current] += effects_said(sentence[start.end() :], items, names)
    for name, parts in actions.items():
        found = list(effects_meant(parts.get(":effect") or [], letters_of(typed_names(parts))))
        # A fact that is added and deleted at once holds afterwards, and its end is not told.
        wanted = [one for one in found if one[1][0] != "not" or (one[0], one[1][1]) not in found]
        assert sorted(map(repr, {repr(one): one for one in told[name]})) == sorted(
            map(repr, {repr(one): one for one in wanted})
        ), name
    return len(actions)


def check_derived(text: str, tree: Any) -> int:
    rules = [part for part in tree if part[0] == ":derived"]
    told = list(sentences(text, "Some facts follow from others"))
    assert len(rules) == len(told)
    for (_, head, condition), (sentence, items) in zip(rules, told, strict=True):
        parameters = [name for name, _ in typed(head[1:])]
        names = {letter: letter for letter in letters_of(parameters).values()}
        said_head, said_body = sentence.split("t is the case that ", 1)[1].split(" whenever ", 1)
        assert literals(said_head, names) == ("atom", head[0], tuple(letters_of(parameters).values()))
        assert said(said_body, names, items) == joined("and", [meant(condition, letters_of(parameters))])
    return len(rules)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_literal_of_a_description_is_true(shared: Path, name: str) -> None:
    files = sorted((shared / name).rglob("*domain*.pddl")) if not (shared / name / "domain.pddl").is_file() else []
    file = files[0] if files else shared / name / "domain.pddl"
    if not file.is_file():
        pytest.skip(f"no {name}")
    domain = load_domain(file)
    text = convert(domain, template_wording(domain)).domain_text
    tree = expressions(file.read_text())
    assert check_conditions(text, tree) == check_effects(text, tree) == len(domain.actions)
    assert check_derived(text, tree) == len(domain.derived)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("C and B are in relation 'committed'", "B and C are in relation 'committed'"),
        (" all of these hold:", " at least one of these holds:"),
        ("it is not the case that (there is", "it is the case that (there is"),
        ("(C, A, and B are in", "(C, B, and A are in"),
        ("it is not the case anymore that A is 'available'", "it is the case that A is 'available'"),
        ("for every resource C, (if", "for every assembly C, (if"),
        ("then it is the case that B is 'complete'", "then it is the case that A is 'complete'"),
    ],
)
def test_the_check_sees_an_untrue_literal(shared: Path, true: str, false: str) -> None:
    file = shared / "ipc" / "assembly" / "prob02" / "domain.pddl"
    domain = load_domain(file)
    text = convert(domain, template_wording(domain)).domain_text
    changed, tree = text.replace(true, false, 1), expressions(file.read_text())
    assert changed != text
    with pytest.raises(AssertionError):
        assert check_conditions(changed, tree) < check_effects(changed, tree)
