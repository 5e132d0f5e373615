"""Compiled conditions put together: conjunction, disjunction and negation of tests."""

from __future__ import annotations

from collections.abc import Sequence

from pddlval.places import Slots, Test
from pddlval.semantics import World

__all__ = ["FALSE", "TRUE", "all_of", "any_of", "negated"]


def TRUE(slots: Slots, world: World) -> bool:
    """The test that always holds."""
    return True


def FALSE(slots: Slots, world: World) -> bool:
    """The test that never holds."""
    return False


def negated(test: Test) -> Test:
    """The test that holds where this one does not."""
    if test is TRUE or test is FALSE:
        return FALSE if test is TRUE else TRUE
    return lambda slots, world: not test(slots, world)


def all_of(tests: Sequence[Test]) -> Test:
    """The conjunction of tests, in their order."""
    found: list[Test] = []
    for test in tests:
        if test is not TRUE:
            found.append(test)
        if test is FALSE:
            break
    if not found or found[0] is FALSE:
        return FALSE if found else TRUE
    if len(found) == 1:
        return found[0]
    if len(found) == 2:
        one, other = found
        return lambda slots, world: one(slots, world) and other(slots, world)

    def test_all(slots: Slots, world: World) -> bool:
        for test in found:  # noqa: SIM110 - a generator would cost as much as the tests
            if not test(slots, world):
                return False
        return True

    return test_all


def any_of(tests: Sequence[Test]) -> Test:
    """The disjunction of tests, in their order."""
    found: list[Test] = []
    for test in tests:
        if test is not FALSE:
            found.append(test)
        if test is TRUE:
            break
    if not found or found[0] is TRUE:
        return TRUE if found else FALSE
    if len(found) == 1:
        return found[0]
    if len(found) == 2:
        one, other = found
        return lambda slots, world: one(slots, world) or other(slots, world)

    def test_any(slots: Slots, world: World) -> bool:
        for test in found:  # noqa: SIM110 - a generator would cost as much as the tests
            if test(slots, world):
                return True
        return False

    return test_any
