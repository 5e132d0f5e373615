"""Obfuscation: the same domain, problems and plans under names without meaning.

Three schemes: ``generic`` as in the AutoPlanBench paper (Stein et al., section 5: ``predicate1`` … ``predicateN`` and
``action1`` … ``actionM``, in the order of the file), ``mystery`` (words with another meaning, as in PlanBench's Mystery
Blocksworld, from our own lists) and ``random`` (letters and digits, as in PlanBench's randomised form). The paper
renames predicates and actions only; we also rename types, functions, preferences, variables, and the names of the
domain and its problems, which tell as much. Objects are renamed on request.

A domain's new names depend only on the domain, the scheme and the seed, not on the problems that are renamed with it.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

from pddl2nl.errors import InputError
from pddl2nl.pddl.rewriting import preference_names, variables
from pddl2nl.pddl.tree import Domain, Problem, Special, walk
from pddl2nl.tasks.formulas import in_domain, in_problem, schemas
from pddl2nl.tasks.generators.generator import Draw
from pddl2nl.tasks.renaming import BUILT_IN, TaskRenaming

if TYPE_CHECKING:
    from pddl2nl.nl import Wording

Scheme = Literal["generic", "mystery", "random"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_LENGTH = 12
"""Letters and digits of a random name: enough that no two are equal and none is a word."""
_RELATED = 4
"""Words are related if one starts with the other and has at least this many letters."""


def obfuscation(
    domain: Domain,
    problems: Sequence[Problem] = (),
    *,
    scheme: str = "generic",
    seed: int = 1,
    objects: bool = False,
    wordings: Iterable[Wording] = (),
) -> TaskRenaming:
    """New names for everything that a domain and these problems of it name.

    Args:
        domain: the domain.
        problems: its problems; a name that several share gets one new name.
        scheme: one of `SCHEMES`.
        seed: for ``mystery`` and ``random``.
        objects: whether objects and constants are renamed too.
        wordings: wordings of the domain that will be renamed, for the variables of their snippets.

    Raises:
        InputError: no such scheme.
    """
    if scheme not in SCHEMES:
        raise InputError(f"no scheme '{scheme}'; there are {', '.join(SCHEMES)}")
    namer = _NAMERS[scheme](seed)
    namer.avoid(_domain_names(domain))
    relations = {item.name for item in domain.predicates if len(item.parameters) > 1}
    predicates = _unique(chain(_names(domain.predicates), _names(domain.derived)))
    tables = {
        "types": _table("types", _types(domain), namer),
        "predicates": {
            name: namer.name("predicate", "relations" if name in relations else "properties") for name in predicates
        },
        "functions": _table("functions", _names(domain.functions), namer),
        "actions": _table("actions", _actions(domain), namer),
    }
    # Names of problems come last: names of the domain must not depend on its problems.
    things = _unique(_names(chain(domain.constants, *(problem.objects for problem in problems))))
    if objects:
        namer.avoid(things)
    plain = _Namer(seed)
    domains = (domain.name, *(problem.domain_name for problem in problems))
    return TaskRenaming(
        **tables,
        objects=_table("objects", things if objects else (), namer),
        preferences=_table("preferences", _preferences(domain, problems), plain),
        domains=_table("domains", domains, plain),
        problems=_table("problems", _names(problems), plain),
        variables=_variables(chain(_variable_names(domain), _variables_beside(problems, wordings))),
        scheme=scheme,
        seed=seed,
    )


# ── what is named ────────────────────────────────────────────────────────────────────────────────


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _names(items: Iterable[Any]) -> Iterator[str]:
    return (item.name for item in items)


def _table(kind: str, names: Iterable[str], namer: _Namer) -> dict[str, str]:
    built_in = BUILT_IN.get(kind, frozenset())
    return {name: namer.name(kind[:-1], kind) for name in _unique(names) if name not in built_in}


def _types(domain: Domain) -> Iterator[str]:
    # Supertypes need not be declared.
    yield from _names(domain.types)
    yield from chain.from_iterable(item.types for item in domain.types)


def _actions(domain: Domain) -> Iterator[str]:
    yield from _names(schemas(domain))


def _preferences(domain: Domain, problems: Iterable[Problem]) -> Iterator[str]:
    formulas = chain(in_domain(domain), chain.from_iterable(map(in_problem, problems)))
    yield from chain.from_iterable(map(preference_names, formulas))
    for problem in problems:
        # (is-violated name) may name a preference that does not exist.
        for node in () if problem.metric is None else walk(problem.metric.expression):
            if isinstance(node, Special):
                yield from node.args


def _variable_names(domain: Domain) -> Iterator[str]:
    for item in (*domain.predicates, *domain.functions, *schemas(domain), *domain.derived):
        yield from _names(item.parameters)
    yield from chain.from_iterable(map(variables, in_domain(domain)))


def _domain_names(domain: Domain) -> tuple[str, ...]:
    named = (_names(domain.predicates), _names(domain.derived), _names(domain.functions), _names(domain.constants))
    return _unique(chain(_types(domain), _actions(domain), *named, _variable_names(domain), (domain.name,)))


def _variables_beside(problems: Iterable[Problem], wordings: Iterable[Wording]) -> Iterator[str]:
    for problem in problems:
        yield from chain.from_iterable(map(variables, in_problem(problem)))
    for wording in wordings:
        for snippets in (wording.predicates, wording.functions, wording.actions):
            yield from chain.from_iterable(snippet.parameters for snippet in snippets.values())


def _variables(names: Iterable[str]) -> dict[str, str]:
    return {name: f"?x{number}" for number, name in enumerate(_unique(names), start=1)}


# ── new names ────────────────────────────────────────────────────────────────────────────────────


class _Namer:
    """Names without meaning: ``action1``, ``action2``, … in order."""

    def __init__(self, seed: int):
        self._counts: Counter[str] = Counter()

    def avoid(self, names: Iterable[str]) -> None:
        """Excludes the words of these names from new names that have a meaning."""

    def name(self, word: str, kind: str) -> str:
        """A new name; ``word`` is the kind of thing in the singular, ``kind`` the list to draw from."""
        self._counts[word] += 1
        return f"{word}{self._counts[word]}"


class _Random(_Namer):
    """Letters and digits, a letter first, as PDDL requires."""

    def __init__(self, seed: int):
        self._draw = Draw(f"obfuscate random {seed}")
        self._taken: set[str] = set()

    def avoid(self, names: Iterable[str]) -> None:
        self._taken.update(names)

    def name(self, word: str, kind: str) -> str:
        while True:
            rest = (self._draw.pick(string.ascii_lowercase + string.digits) for _ in range(_LENGTH - 1))
            found = self._draw.pick(string.ascii_lowercase) + "".join(rest)
            if found not in self._taken:
                self._taken.add(found)
                return found


@lru_cache(maxsize=1)
def mystery_words() -> Mapping[str, tuple[str, ...]]:
    """Ordinary English words that say nothing of planning tasks, by the kind of name."""
    text = files("pddl2nl.tasks").joinpath("mystery_words.toml").read_text(encoding="utf-8")
    return {kind: tuple(words.split()) for kind, words in tomllib.loads(text).items()}


class _Mystery(_Namer):
    """Words from the lists, each in one name at most; when a list is used up, several words joined."""

    def __init__(self, seed: int):
        self._draws = {kind: Draw(f"obfuscate mystery {kind} {seed}") for kind in mystery_words()}
        self._decks = {kind: draw.shuffled(mystery_words()[kind]) for kind, draw in self._draws.items()}
        self._taken: set[str] = set()
        self._avoided: set[str] = set()

    def avoid(self, names: Iterable[str]) -> None:
        self._avoided.update(part for name in names for part in re.split(r"[^a-z]+", name) if len(part) > 2)

    def name(self, word: str, kind: str) -> str:
        deck = self._decks[kind]
        while deck:
            found = deck.pop()
            if found not in self._taken and not self._related(found):
                self._taken.add(found)
                return found
        words = [item for item in mystery_words()[kind] if not self._related(item)]
        count = 2
        while True:
            for _ in range(len(words)):
                found = "-".join(self._draws[kind].sample(words, count))
                if found not in self._taken:
                    self._taken.add(found)
                    return found
            count += 1

    def _related(self, word: str) -> bool:
        return word in self._avoided or any(
            len(other) >= _RELATED and (word.startswith(other) or other.startswith(word)) for other in self._avoided
        )


_NAMERS: Mapping[Scheme, type[_Namer]] = {"generic": _Namer, "mystery": _Mystery, "random": _Random}
