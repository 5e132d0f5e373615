"""PDDL among language: s-expressions, calls and bare actions where a snippet was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pddl2nl.nl.reading.lexicon import KnownObject, Lexicon
from pddl2nl.nl.reading.verdicts import TRAILING, Verdict, verdict_of
from pddl2nl.nl.reading.words import fold
from pddl2nl.pddl.tree import ActionSchema, Domain
from pddlval import GroundAction

__all__ = ["PDDLGrammar"]

_SEXPR = re.compile(r"\(\s*([^\s()]+)((?:[\s,]+[^\s(),]+)*)\s*\)")
# It begins where a word does: tried at each letter of a long word, it would take quadratic time.
_CALL = re.compile(r"(?:(?<![\w.-])|(?<=\.\.))(?:\w+\.)*([\w-]+(?: [\w-]+){0,2})\s*\(([^()]*)\)")
_BETWEEN = re.compile(
    r"(?:[\s,;.*_`\"'→>\[\]\d:(&+-]|\b(?:and|then|finally|next|lastly|after|that|first|followed|by|step|action)\b)*",
    re.IGNORECASE,
)


class PDDLGrammar:
    """The actions of a domain as PDDL writes them, with told or PDDL's own names of objects."""

    def __init__(self, domain: Domain, lexicon: Lexicon):
        self.lexicon = lexicon
        # Hyphens count as underscores where that makes no action another one.
        folded = {fold(action.name): action for action in domain.actions}
        squeezed = {name.replace("_", ""): action for name, action in folded.items()}
        self.schemas: Mapping[str, ActionSchema] = (
            squeezed | folded | {action.name: action for action in domain.actions}
        )

    def read(self, text: str) -> list[Verdict]:
        """S-expressions at the beginning of a text (``(stack a b) (pick-up c)``), calls, or a bare action."""
        found = self._expressions(text) or self._calls(text)
        if not found:
            words = text.rstrip(TRAILING).replace(",", " ").replace("|", " ").split()
            schema = self.schema(words[0]) if words else None
            if schema is not None and len(words) == len(schema.parameters) + 1:
                verdict = self.ground(schema, words[0], words[1:], (0, len(text.rstrip(TRAILING))))
                found += [verdict] if verdict.status == "read" else []
        if len(found) > 1:
            return [verdict._replace(rules=("several", *verdict.rules)) for verdict in found]
        return found

    def schema(self, name: str) -> ActionSchema | None:
        """The action of that name, or None. Blanks count as hyphens: "put down"."""
        name = name.replace(" ", "_")
        return self.schemas.get(name.lower()) or self.schemas.get(fold(name))

    def _expressions(self, text: str) -> list[Verdict]:
        found: list[Verdict] = []
        at = 0
        for match in _SEXPR.finditer(text):
            if not _BETWEEN.fullmatch(text, at, match.start()):
                break
            schema = self.schema(match[1])
            args = match[2].replace(",", " ").split()
            # "(now the hand holds a)" is a remark: an action that does not exist is one said of objects alone.
            if schema is None and (found or not args or not all(map(self._is_object, args))):
                break
            found.append(self.ground(schema, match[1], args, match.span()))
            at = match.end()
        return found

    def _calls(self, text: str) -> list[Verdict]:
        found: list[Verdict] = []
        at = 0
        for match in _CALL.finditer(text):
            schema = self.schema(match[1])
            if schema is None or not _BETWEEN.fullmatch(text, at, match.start()):
                break
            found.append(self.ground(schema, match[1], _arguments(match[2]), match.span()))
            at = match.end()
        return found

    def _is_object(self, name: str) -> bool:
        return fold(name) in self.lexicon.folded or name.lower() in self.lexicon.by_pddl

    def ground(self, schema: ActionSchema | None, name: str, args: Sequence[str], span: tuple[int, int]) -> Verdict:
        """An action given by its PDDL name; objects by their told names, or all by their PDDL names."""
        start, end = span
        failed = Verdict(start, end, "unreadable", rules=("pddl",), names_object=True)
        if schema is None:
            return failed._replace(reason=f"there is no action '{name}'")
        if len(args) != len(schema.parameters):
            expected = len(schema.parameters)
            return failed._replace(reason=f"'{schema.name}' takes {expected} objects, found {len(args)}")
        told = [self.lexicon.by_nl.get(arg) or _only(self.lexicon.named(arg)) for arg in args]
        own = [self.lexicon.by_pddl.get(arg.lower()) for arg in args]
        # In language only told names were ever shown, so they come first: PDDL's own count where one is not told.
        for objects in (told,) if None not in told else (told, own):
            known_objects = [item for item in objects if item is not None]
            if len(known_objects) == len(args) and _fit(known_objects, schema):
                action = GroundAction(schema.name, tuple([item.pddl for item in known_objects]))
                return verdict_of(start, end, (action,), ("pddl",))
        unknown = tuple(
            arg for arg, first, second in zip(args, told, own, strict=True) if first is None and second is None
        )
        if unknown:
            quoted = ", ".join(f"'{item}'" for item in unknown)
            return failed._replace(
                status="unknown-object",
                unknown=unknown,
                suggestions=self.lexicon.near_all(unknown),
                reason=f"no object is called {quoted}",
            )
        meant = [item for item in (told if None not in told else own) if item is not None]
        forbidden = (
            (GroundAction(schema.name, tuple([item.pddl for item in meant])),) if len(meant) == len(args) else ()
        )
        return failed._replace(candidates=forbidden, reason=f"the objects do not fit the types of '{schema.name}'")


def _arguments(said: str) -> list[str]:
    """The arguments of a call, with or without quotes around them."""
    return [arg.strip("\"'`") for arg in said.replace(",", " ").split()]


def _fit(objects: Iterable[KnownObject], schema: ActionSchema) -> bool:
    return all(item.fits(parameter.types) for item, parameter in zip(objects, schema.parameters, strict=True))


def _only(objects: tuple[KnownObject, ...] | None) -> KnownObject | None:
    return objects[0] if objects is not None and len(objects) == 1 else None
