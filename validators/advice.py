"""Advice on how to make a condition true, as VAL's verbose text gives it."""

from __future__ import annotations

from dataclasses import dataclass

from pddl2nl.pddl import And, Condition, Not, write_condition
from validators.semantics import Truth, holds

__all__ = ["advice_lines"]

_INDENT = "    "


@dataclass(frozen=True, slots=True)
class _Setting:
    """An atom or equality to be made true or false; what it is already needs no advice."""

    condition: Condition
    value: bool
    needed: bool

    def lines(self, indent: str) -> list[str]:
        if not self.needed:
            return ["(No advice for literal!)"]
        return [f"(Set {write_condition(self.condition)} to {'true' if self.value else 'false'})"]


@dataclass(frozen=True, slots=True)
class _Group:
    """Several pieces of advice, of which all (``and``) or one (``or``) must be followed."""

    word: str
    parts: tuple[_Setting | _Group, ...]

    def lines(self, indent: str) -> list[str]:
        if len(self.parts) == 1:
            return self.parts[0].lines(indent)
        if not self.parts:
            return [f"(No advice for {'conjunction' if self.word == 'and' else 'disjunction'}!)"]
        deeper = indent + _INDENT
        lines = [f"(Follow {'each' if self.word == 'and' else 'one'} of:"]
        for number, part in enumerate(self.parts):
            first, *rest = part.lines(deeper)
            if number == 0:
                lines.append(deeper + first)
            elif isinstance(part, _Group):
                lines += [f"{deeper}{self.word} ", deeper + first]
            else:
                lines.append(f"{deeper}{self.word} {first}")
            lines += rest
        lines.append(f"{indent})")
        return lines


def advice_lines(condition: Condition, true: Truth) -> list[str]:
    """What to change so that a ground condition holds: the unmet members of its conjunctions."""
    return _advice(condition, true, wanted=True).lines("")


def _advice(condition: Condition, true: Truth, *, wanted: bool) -> _Setting | _Group:
    match condition:
        case Not(body):
            return _advice(body, true, wanted=not wanted)
        case And(parts) if wanted:
            unmet = (part for part in parts if not holds(part, true))
            return _Group("and", tuple(_advice(part, true, wanted=True) for part in unmet))
        case And(parts):
            return _Group("or", tuple(_advice(part, true, wanted=False) for part in parts))
    return _Setting(condition, wanted, holds(condition, true) is not wanted)
