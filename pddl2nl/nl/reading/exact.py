"""Exact forms: snippets matched letter by letter, as they were told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

__all__ = ["ExactForm", "FormIndex"]

T = TypeVar("T")
_REGEX_SLOT = r"(\S+)"


class ExactForm(Generic[T]):
    """One snippet, cut into literal pieces and slots, that answers with ``meaning`` and what stands in its slots."""

    def __init__(self, meaning: T, parts: Sequence[str | int], arity: int):
        self.meaning = meaning
        self.parts = tuple(parts)
        self.arity = arity
        self.slots = tuple(part for part in parts if isinstance(part, int))
        self._simple = len(self.slots) == len(set(self.slots)) == arity and not self._is_tight()
        self.longest = max((part for part in parts if isinstance(part, str)), key=len, default="")
        pattern = "".join(re.escape(part) if isinstance(part, str) else _REGEX_SLOT for part in self.parts)
        self._match = re.compile(pattern).fullmatch
        self._order = tuple(self.slots.index(index) for index in range(arity)) if self._simple else ()

    def _is_tight(self) -> bool:
        """Whether a slot touches something that is no blank, so that its end is not simply the next blank."""
        for index, part in enumerate(self.parts):
            if isinstance(part, int):
                continue
            if index > 0 and not part[0].isspace():
                return True
            if index + 1 < len(self.parts) and not part[-1].isspace():
                return True
        return False

    def read(self, text: str, known: Callable[[str], bool]) -> list[tuple[str, ...]]:
        """All ways to see the text as this form filled, as arguments in the parameters' order.

        A slot holds no blank. Where punctuation touches a slot its end is not certain; ``known`` says which
        names exist, and every split into known names is given (usually one).
        """
        match = self._match(text)
        if match is None:
            return []
        if self._simple:
            matches = match.groups()
            return [tuple([matches[index] for index in self._order])]
        unique = dict.fromkeys(self._splits(text, known))
        return list(unique)

    def _splits(self, text: str, known: Callable[[str], bool]) -> Iterator[tuple[str, ...]]:
        bound: list[str | None] = [None] * self.arity

        def step(index: int, at: int) -> Iterator[tuple[str, ...]]:
            if index == len(self.parts):
                if at == len(text):
                    yield tuple(item or "" for item in bound)
                return
            part = self.parts[index]
            if isinstance(part, str):
                if text.startswith(part, at):
                    yield from step(index + 1, at + len(part))
                return
            before = bound[part]
            for end in self._ends(text, at, index):
                name = text[at:end]
                if (before is None or before == name) and known(name):
                    bound[part] = name
                    yield from step(index + 1, end)
            bound[part] = before

        yield from step(0, 0)

    def _ends(self, text: str, at: int, index: int) -> Iterator[int]:
        """Where the slot at ``index`` may end: before each further place of the literal that follows it."""
        stop = text.find(" ", at)
        stop = len(text) if stop < 0 else stop
        if index + 1 == len(self.parts):
            if stop == len(text):
                yield stop
            return
        literal = self.parts[index + 1]
        end = text.find(str(literal), at + 1)
        while 0 <= end <= stop:
            yield end
            end = text.find(str(literal), end + 1)


class FormIndex(Generic[T]):
    """Forms found quickly: those that begin with a literal by its first word, the others by their longest literal."""

    def __init__(self, forms: Iterable[ExactForm[T]]):
        self._by_word: dict[str, list[ExactForm[T]]] = {}
        self._others: list[ExactForm[T]] = []
        self._complete: dict[str, list[ExactForm[T]]] = {}
        for form in forms:
            first = form.parts[0] if form.parts else 0
            if form.arity == 0:
                self._complete.setdefault(str(first), []).append(form)
            elif isinstance(first, str) and first.find(" ") > 0:
                self._by_word.setdefault(first[: first.index(" ")], []).append(form)
            else:
                self._others.append(form)

    def read(self, text: str, known: Callable[[str], bool]) -> list[tuple[ExactForm[T], tuple[str, ...]]]:
        """Every form that the text fills, with its arguments."""
        matches: list[tuple[ExactForm[T], tuple[str, ...]]] = [(form, ()) for form in self._complete.get(text, ())]
        blank = text.find(" ")
        likely = self._by_word.get(text[:blank], []) if blank > 0 else []
        for form in (*likely, *(form for form in self._others if form.longest in text)):
            matches += [(form, args) for args in form.read(text, known)]
        return matches
