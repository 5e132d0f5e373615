"""Whether an imported file and its domain mean the same: its sentences hold the domain's conditions and effects.

A wording with two parameters exchanged can be told and read back without fault. But AutoPlanBench's files also
say each action's preconditions and effects, in the letters of its description: told with the imported wording,
the domain's own conditions must stand in them, word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pddl2nl.nl.wording import Wording
from pddl2nl.pddl.tree import ActionSchema, Atom, Condition, Domain, Not, conjuncts

__all__ = ["autoplanbench_doubts"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class _Literal:
    """A fact said in letters, and whether it is negated."""

    text: str
    negated: bool

    def stands_in(self, sentences: str) -> bool:
        """Whether it is said somewhere, and not only with the opposite sign."""
        fact = rf"(?<![\w-]){re.escape(self.text)}(?![\w-])"
        gone = r"(?:it is not the case (?:anymore )?that )"
        plain = rf"(?<!not the case that )(?<!anymore that ){fact}"
        return re.search(gone + fact if self.negated else plain, sentences) is not None


def autoplanbench_doubts(entries: Mapping[str, object], wording: Wording, domain: Domain) -> tuple[str, ...]:
    """A sentence for each condition or effect of the domain that the file's own sentences do not hold.

    ``entries`` are the file's actions by name. An entry without such sentences raises no doubt.
    """
    return tuple(doubt for schema in domain.actions for doubt in _doubts(entries.get(schema.name), schema, wording))


def _doubts(entry: object, schema: ActionSchema, wording: Wording) -> Iterator[str]:
    if not isinstance(entry, dict) or len(schema.parameters) > len(_LETTERS):
        return
    letters = {item.name: _LETTERS[index] for index, item in enumerate(schema.parameters)}
    for kind, condition in (("preconditions", schema.precondition), ("effects", schema.effect)):
        told = entry.get(kind)
        if not isinstance(told, list) or not told:
            continue
        sentences = "\n".join(str(sentence) for sentence in told)
        for literal in _literals(condition, letters, wording):
            if not literal.stands_in(sentences):
                sign = "not: " if literal.negated else ""
                yield f"the file's {kind} of '{schema.name}' do not say, as the domain does, '{sign}{literal.text}'"


def _literals(condition: Condition, letters: Mapping[str, str], wording: Wording) -> Iterator[_Literal]:
    for part in conjuncts(condition):
        atom = part.body if isinstance(part, Not) else part
        if isinstance(atom, Atom):
            snippet = wording.predicates[atom.predicate]
            if snippet.text is not None:
                yield _Literal(snippet.fill([letters.get(arg, arg) for arg in atom.args]), isinstance(part, Not))
