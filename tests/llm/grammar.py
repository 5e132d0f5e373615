"""Replies drawn from a grammar, as a server that obeys it may write them."""

from __future__ import annotations

import json
import random
import re
from collections import deque
from collections.abc import Callable
from functools import partial

__all__ = ["drawn"]

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[\^(?:\\.|[^\]\\])+\]\+|\w+|[()|*?]')
_WORDS = ("so it is", "5", "the (blue) one")
_Draw = Callable[[], str]


def drawn(grammar: str, rng: random.Random) -> str:
    """A text of a grammar in GBNF, each repetition at most three times; what may be any text is one of a few."""
    rules: dict[str, _Draw] = {}
    for line in grammar.splitlines():
        name, rule = line.split(" ::= ", 1)
        rules[name] = _read(deque(_TOKEN.findall(rule)), rules, rng)
    return rules["root"]()


def _read(tokens: deque[str], rules: dict[str, _Draw], rng: random.Random) -> _Draw:
    choices: list[list[_Draw]] = [[]]
    while tokens and tokens[0] != ")":
        token = tokens.popleft()
        if token == "|":
            choices.append([])
            continue
        if token == "(":
            item = _read(tokens, rules, rng)
            tokens.popleft()
        elif token[0] == '"':
            item = partial(json.loads, token)
        else:
            item = partial(rng.choice, _WORDS) if token[0] == "[" else partial(_follow, rules, token)
        if tokens and tokens[0] in "*?":
            item = partial(_repeat, item, 1 if tokens.popleft() == "?" else 3, rng)
        choices[-1].append(item)
    return lambda: "".join(item() for item in rng.choice(choices))


def _follow(rules: dict[str, _Draw], name: str) -> str:
    return rules[name]()


def _repeat(item: _Draw, most: int, rng: random.Random) -> str:
    return "".join(item() for _ in range(rng.randint(0, most)))
