"""Things that have to be at other places: cars, balls, packages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.tasks.generators.generator import Draw


@dataclass(frozen=True)
class Journey:
    """A thing with its start and its end.

    Attributes:
        thing: its name.
        start: its place in the initial state.
        end: its place in the goal, possibly the same; None if it is not in the goal.
    """

    thing: str
    start: str
    end: str | None

    @property
    def moves(self) -> bool:
        return self.end is not None and self.end != self.start


def draw_journeys(things: Sequence[str], places: Sequence[str], percent: int, draw: Draw) -> list[Journey]:
    """Places every thing at random; at least `percent` of them, and at least one, get another place as end.

    Half of the others, on average, are in the goal at their place.

    Args:
        things: at least one.
        places: at least two.
        percent: of all things, rounded up.
        draw: the source of chance.
    """
    least = max(1, -(-len(things) * percent // 100))
    movers = set(draw.sample(things, draw.between(least, len(things))))
    journeys = []
    for thing in things:
        start = draw.pick(places)
        if thing in movers:
            end = draw.pick([place for place in places if place != start])
            journeys.append(Journey(thing, start, end))
        else:
            journeys.append(Journey(thing, start, start if draw.chance(50) else None))
    return journeys


def counted(journeys: Sequence[Journey], noun: str) -> str:
    """How many things there are and how many of them have to move: ``3 cars, 2 of which must move``."""
    moving = sum(each.moves for each in journeys)
    if len(journeys) == 1:
        return f"1 {noun}, which must move"
    return f"{len(journeys)} {noun}s, {'all' if moving == len(journeys) else moving} of which must move"
