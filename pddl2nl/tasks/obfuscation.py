"""Obfuscation: the same domain, problems and plans under names that do not tell what things are.

Three schemes: ``generic`` as in the paper on AutoPlanBench (Stein et al., section 5: ``predicate1`` … ``predicateN``
and ``action1`` … ``actionM``, in the order of the file), ``mystery`` (ordinary words that mean something else, as in
PlanBench's Mystery Blocksworld, from lists of our own) and ``random`` (strings of letters and digits, as in PlanBench's
randomised form). Beyond the paper, which renames predicates and actions alone, types, functions, preferences, all
variables and the names of the domain and its problems are renamed too, since they tell as much; objects on demand.

The names of a domain depend on the domain, the scheme and the seed alone: with whatever problems it is renamed, an
example and a benchmark among them, it comes out the same.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from pddl2nl.errors import InputError
from pddl2nl.pddl.tree import Domain, Problem, Special
from pddl2nl.tasks.generators.draws import Draw
from pddl2nl.tasks.mystery_words import MYSTERY_WORDS
from pddl2nl.tasks.rename_formulas import nodes, preference_names, variables
from pddl2nl.tasks.renaming import BUILT_IN, Places, Renaming

if TYPE_CHECKING:
    from pddl2nl.nl import Wording

__all__ = ["SCHEMES", "Scheme", "obfuscation"]

Scheme = Literal["generic", "mystery", "random"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_LENGTH = 12
"""Letters and digits of a random name: two that are alike, or a word, will never be met."""
_RELATED = 4
"""Words of which one begins with the other are taken for kin from so many letters on."""


def obfuscation(
    domain: Domain,
    problems: Sequence[Problem] = (),
    *,
    scheme: str = "generic",
    seed: int = 1,
    objects: bool = False,
    wordings: Iterable[Wording] = (),
) -> Renaming:
    """New names for all that a domain and these problems of it name.

    Args:
        domain: the domain.
        problems: its problems; a name that two of them share becomes one name.
        scheme: one of `SCHEMES`.
        seed: what ``mystery`` and ``random`` draw is drawn by it; ``generic`` draws nothing.
        objects: whether objects and constants are renamed too.
        wordings: wordings of the domain that are to be renamed, for the sake of their snippets' own variables.

    Raises:
        InputError: there is no such scheme.
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
    # Objects and what else problems name come last: names of the domain must not depend on its problems.
    things = _unique(_names(chain(domain.constants, *(problem.objects for problem in problems))))
    if objects:
        namer.avoid(things)
    plain = _Generic(seed)
    domains = (domain.name, *(problem.domain_name for problem in problems))
    return Renaming(
        **tables,
        objects=_table("objects", things if objects else (), namer),
        preferences=_table("preferences", _preferences(domain, problems), plain),
        domains=_table("domains", domains, plain),
        problems=_table("problems", _names(problems), plain),
        variables=_places(domain, problems, tuple(wordings)),
        scheme=scheme,
        seed=seed,
    )


# ── what is named ────────────────────────────────────────────────────────────────────────────────


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def _names(items: Iterable[_Named]) -> Iterator[str]:
    return (item.name for item in items)


def _table(kind: str, names: Iterable[str], namer: _Namer) -> dict[str, str]:
    built_in = BUILT_IN.get(kind, frozenset())
    return {name: namer.name(kind[:-1], kind) for name in _unique(names) if name not in built_in}


def _types(domain: Domain) -> Iterator[str]:
    # Supertypes need not be declared.
    yield from _names(domain.types)
    yield from chain.from_iterable(item.types for item in domain.types)


def _actions(domain: Domain) -> Iterator[str]:
    for items in (domain.actions, domain.durative_actions, domain.processes, domain.events):
        yield from _names(items)


def _preferences(domain: Domain, problems: Iterable[Problem]) -> Iterator[str]:
    yield from preference_names(domain)
    for problem in problems:
        yield from preference_names(problem.goal, problem.constraints)
        # (is-violated name) may ask after one that there is not.
        for node in nodes(problem.metric):
            if isinstance(node, Special):
                yield from node.args


def _domain_names(domain: Domain) -> tuple[str, ...]:
    named = (_names(domain.predicates), _names(domain.derived), _names(domain.functions), _names(domain.constants))
    return _unique(chain(_types(domain), _actions(domain), *named, variables(domain), (domain.name,)))


def _places(domain: Domain, problems: Sequence[Problem], wordings: tuple[Wording, ...]) -> Places:
    """The variables of every place, numbered; those of the wordings' snippets after the domain's own."""
    found: dict[str, dict[str, dict[str, str]]] = {}

    def add(kind: str, place: str, *trees: object) -> None:
        table = found.setdefault(kind, {}).setdefault(place, {})
        for name in variables(*trees):
            table.setdefault(name, f"?x{len(table) + 1}")

    for predicate in domain.predicates:
        add("predicates", predicate.name, predicate.parameters)
    for function in domain.functions:
        add("functions", function.name, function.parameters)
    for schemas in (domain.actions, domain.durative_actions, domain.processes, domain.events):
        for schema in schemas:
            add("actions", schema.name, schema)
    for number, axiom in enumerate(domain.derived, start=1):
        add("axioms", str(number), axiom)
    add("domain", "constraints", domain.constraints)
    for problem in problems:
        add("problem", "goal", problem.goal)
        add("problem", "constraints", problem.constraints)
    for wording in wordings:
        for kind, snippets in (
            ("predicates", wording.predicates),
            ("functions", wording.functions),
            ("actions", wording.actions),
        ):
            for snippet in snippets.values():
                add(kind, snippet.name, snippet.parameters)
    return found


# ── new names ────────────────────────────────────────────────────────────────────────────────────


class _Namer(Protocol):
    def __init__(self, seed: int): ...

    def avoid(self, names: Iterable[str]) -> None:
        """No name that is given from now on will be of the words of these."""

    def name(self, word: str, kind: str) -> str:
        """A new name; ``word`` is what is named, in the singular, and ``kind`` the list to draw from."""


class _Generic:
    """``action1``, ``action2``, … in the order in which they are asked for."""

    def __init__(self, seed: int):
        self._counts: dict[str, int] = {}

    def avoid(self, names: Iterable[str]) -> None:
        """Does nothing: these names say nothing, even where they are met again."""

    def name(self, word: str, kind: str) -> str:
        """The next number."""
        self._counts[word] = self._counts.get(word, 0) + 1
        return f"{word}{self._counts[word]}"


class _Random:
    """Letters and digits, a letter first, as names in PDDL must have it."""

    def __init__(self, seed: int):
        self._draw = Draw(f"obfuscate random {seed}")
        self._taken: set[str] = set()

    def avoid(self, names: Iterable[str]) -> None:
        """Keeps away from these names as they are."""
        self._taken.update(names)

    def name(self, word: str, kind: str) -> str:
        """A name not met before."""
        while True:
            rest = (self._draw.pick(string.ascii_lowercase + string.digits) for _ in range(_LENGTH - 1))
            found = self._draw.pick(string.ascii_lowercase) + "".join(rest)
            if found not in self._taken:
                self._taken.add(found)
                return found


class _Mystery:
    """Words from the lists, each in at most one name; when a list is used up, two of its words and more."""

    def __init__(self, seed: int):
        self._draws = {kind: Draw(f"obfuscate mystery {kind} {seed}") for kind in MYSTERY_WORDS}
        self._decks = {kind: draw.shuffled(MYSTERY_WORDS[kind]) for kind, draw in self._draws.items()}
        self._taken: set[str] = set()
        self._avoided: set[str] = set()

    def avoid(self, names: Iterable[str]) -> None:
        """Keeps away from all words in these names, and from their kin."""
        self._avoided.update(part for name in names for part in re.split(r"[^a-z]+", name) if len(part) > 2)

    def name(self, word: str, kind: str) -> str:
        """The next word of the list, or two words joined where all are in use."""
        deck = self._decks[kind]
        while deck:
            found = deck.pop()
            if self._free(found):
                self._taken.add(found)
                return found
        words = [item for item in MYSTERY_WORDS[kind] if not self._related(item)]
        count = 2
        while True:
            for _ in range(len(words)):
                found = "-".join(self._draws[kind].sample(words, count))
                if found not in self._taken:
                    self._taken.add(found)
                    return found
            count += 1

    def _free(self, word: str) -> bool:
        return word not in self._taken and not self._related(word)

    def _related(self, word: str) -> bool:
        return word in self._avoided or any(
            len(other) >= _RELATED and (word.startswith(other) or other.startswith(word)) for other in self._avoided
        )


_NAMERS: Mapping[Scheme, type[_Namer]] = {"generic": _Generic, "mystery": _Mystery, "random": _Random}
