"""The lean dataclass decorator behaves as the standard one."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from pddl2nl.lean import dataclass


def classes(decorate: Any, slots: bool) -> Any:
    """The same class by either decorator."""

    @decorate(frozen=True, slots=slots)
    class Thing:
        """A thing."""

        name: str
        size: int = 2
        tags: list[str] = dataclasses.field(default_factory=list, compare=False)
        place: int = dataclasses.field(default=-1, compare=False, repr=False)

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("negative")

        @property
        def double(self) -> int:
            return 2 * self.size

    return Thing


@dataclass(frozen=True, slots=True)
class Slotted:
    """At the top of a module, so that it can be pickled."""

    name: str
    size: int = 2


@dataclass(frozen=True)
class Plain:
    """The same without slots."""

    name: str
    size: int = 2


@pytest.mark.parametrize("slots", [True, False])
def test_as_the_standard_decorator(slots: bool) -> None:
    standard, lean = classes(dataclasses.dataclass, slots), classes(dataclass, slots)
    for kind in (standard, lean):
        thing = kind("a", place=7)
        assert repr(thing).endswith("Thing(name='a', size=2, tags=[])")
        assert thing == kind("a", 2, ["x"], 8) != kind("b")
        assert thing != ("a", 2)
        assert len({thing, kind("a"), kind("b")}) == 2
        assert hash(thing) == hash(standard("a"))
        assert thing.double == 4
        assert kind("a").tags is not thing.tags
        assert dataclasses.replace(thing, size=5) == kind("a", 5)
        assert dataclasses.replace(thing, size=5).place == 7
        assert dataclasses.asdict(thing) == {"name": "a", "size": 2, "tags": [], "place": 7}
        assert [item.name for item in dataclasses.fields(kind)] == ["name", "size", "tags", "place"]
        assert hasattr(thing, "__dict__") is not slots
        match thing:
            case kind(name, size):
                assert (name, size) == ("a", 2)
        with pytest.raises(dataclasses.FrozenInstanceError):
            thing.size = 3
        with pytest.raises(dataclasses.FrozenInstanceError):
            del thing.size
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
            kind()
        with pytest.raises(ValueError, match="negative"):
            kind("a", -1)


@pytest.mark.parametrize("thing", [Slotted("a"), Plain("a", 3)])
def test_copies(thing: object) -> None:
    assert pickle.loads(pickle.dumps(thing)) == thing
    assert copy.copy(thing) == copy.deepcopy(thing) == thing
