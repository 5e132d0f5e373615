"""Problems of Beluga: parts arrive by plane, wait on racks and go to the factory; empty jigs go back.

A day is simulated first, with random moves, restricted to useful ones on a long day. The order of unloading, delivering
and sending back gives the schedules of the problem. So the day is a plan, though seldom a shortest one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

_MOVES = 15
"""Moves for each piece of work after which a simulated day is given up."""
_LARGE = 12
"""The most pieces of work for purely random moves; a longer day would not end."""

_Moves = list[tuple[int, Callable[[], None]]]
"""Moves with weights."""

_KINDS = ("kind-a", "kind-b", "kind-c")


@dataclass(frozen=True)
class _Jig:
    """A jig; the first kind has length 1, the second length 2, and so on."""

    name: str
    length: int
    full: bool


@dataclass
class _Day:
    """A day, move by move.

    Attributes:
        planes: the jigs still to be unloaded, in order.
        racks: the jigs on each rack, from the Beluga side to the factory side.
        length: of every rack.
        trailers: the number on each side.
        deliveries, returns: the numbers left.
        sides: the jigs on the trailers of the Beluga side, and of the factory side.
        standing: the jigs in hangars.
        flights: in order, the jigs unloaded (False) and sent back (True).
    """

    planes: list[_Jig]
    racks: list[list[_Jig]]
    length: int
    trailers: int
    hangars: int
    deliveries: int
    returns: int
    sides: tuple[list[_Jig], list[_Jig]] = field(default_factory=lambda: ([], []))
    standing: list[_Jig] = field(default_factory=list)
    delivered: list[_Jig] = field(default_factory=list)
    flights: list[tuple[_Jig, bool]] = field(default_factory=list)

    def pass_by(self, draw: Draw) -> bool:
        """Simulates random moves; returns whether all work was done."""
        pieces = len(self.planes) + self.deliveries + self.returns
        for _ in range(_MOVES * (2 + pieces)):
            if not (self.planes or self.deliveries or self.returns):
                return True
            moves = self._sensible(draw) if pieces > _LARGE else [*self._work(), *self._storing()]
            if not moves:
                return False
            draw.pick([move for weight, move in moves for _ in range(weight)])()
        return False

    # With equal weights a day would end late, after much carrying back and forth.

    def _work(self) -> _Moves:
        moves: _Moves = []
        beluga, factory = self.sides
        if self.planes and len(beluga) < self.trailers:
            moves.append((4, self._unload))
        if self.returns:
            moves += [(8, partial(self._load, jig)) for jig in beluga if self._empty(jig)]
        if self.deliveries and len(self.standing) < self.hangars:
            moves += [(4, partial(self._deliver, jig)) for jig in factory if not self._empty(jig)]
        if len(factory) < self.trailers:
            moves += [(2, partial(self._fetch, jig)) for jig in self.standing]
        return moves

    def _storing(self, *, useful: bool = False) -> _Moves:
        """Moves onto racks and off them; the useful ones: full jigs from planes and empty ones from the factory onto
        racks, and off them on the other side.
        """
        moves: _Moves = []
        for side, jigs in enumerate(self.sides):
            needed = self.deliveries if side else self.returns
            for row in self.racks:
                space = self._space(row)
                moves += [
                    (2, partial(self._put, side, jig, row))
                    for jig in jigs
                    if jig.length <= space and (not useful or self._empty(jig) == bool(side))
                ]
                takes = not useful or (needed > 0 and bool(row) and self._empty(row[-side]) != bool(side))
                if row and takes and len(jigs) < self.trailers:
                    moves.append((1, partial(self._take, side, row)))
        return moves

    def _sensible(self, draw: Draw) -> _Moves:
        """The moves to choose from on a long day: mostly work, or moving jigs to where they are needed."""
        work, storing, wanted = self._work(), self._storing(), self._storing(useful=True)
        if len(self.sides[0]) == self.trailers - 1 and not self._can_wait():
            # The last trailer would be blocked, and no jig could go back by plane.
            work = [(weight, move) for weight, move in work if move != self._unload]
        if work and draw.chance(80):
            return work
        return wanted if wanted and draw.chance(97) else [*work, *storing]

    def _can_wait(self) -> bool:
        """Whether at least two racks have room for the next arriving jig, or none arrives."""
        return not self.planes or sum(self._space(row) >= self.planes[0].length for row in self.racks) >= 2

    def _space(self, row: Sequence[_Jig]) -> int:
        return self.length - sum(jig.length for jig in row)

    def _empty(self, jig: _Jig) -> bool:
        return not jig.full or jig in self.delivered

    def _unload(self) -> None:
        jig = self.planes.pop(0)
        self.sides[0].append(jig)
        self.flights.append((jig, False))

    def _load(self, jig: _Jig) -> None:
        self.sides[0].remove(jig)
        self.flights.append((jig, True))
        self.returns -= 1

    def _deliver(self, jig: _Jig) -> None:
        self.sides[1].remove(jig)
        self.standing.append(jig)
        self.delivered.append(jig)
        self.deliveries -= 1

    def _fetch(self, jig: _Jig) -> None:
        self.standing.remove(jig)
        self.sides[1].append(jig)

    def _put(self, side: int, jig: _Jig, row: list[_Jig]) -> None:
        self.sides[side].remove(jig)
        row.insert(len(row) if side else 0, jig)

    def _take(self, side: int, row: list[_Jig]) -> None:
        self.sides[side].append(row.pop() if side else row.pop(0))


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    counts = [values[name] for name in ("arrivals", "stored", "empties")]
    jigs = [
        _Jig(f"jig{number}", draw.between(1, values["kinds"]), number <= counts[0] + counts[1])
        for number in range(1, sum(counts) + 1)
    ]
    planes, waiting = jigs[: counts[0]], jigs[counts[0] :]
    racks: list[list[_Jig]] = [[] for _ in range(values["racks"])]
    for jig in draw.shuffled(waiting):
        room = [row for row in racks if sum(each.length for each in row) + jig.length <= values["length"]]
        if not room:
            return None
        draw.pick(room).append(jig)
    day = _Day(
        planes=[*planes],
        racks=[[*row] for row in racks],
        length=values["length"],
        trailers=values["trailers"],
        hangars=values["hangars"],
        deliveries=values["deliveries"],
        returns=values["returns"],
    )
    if not day.pass_by(draw):
        return None
    schedules = [_flights(day), *_lines(day, values["lines"], draw)]
    return _sketch(values, jigs, planes, racks, [each for each in schedules if each])


# ── schedules ────────────────────────────────────────────────────────────────────────────────────

_Schedule = list[tuple[str, Fact]]
"""The steps of a schedule in order: the step's name, and its fact without the step."""


def _kind(jig: _Jig) -> str:
    return _KINDS[jig.length - 1]


def _flights(day: _Day) -> _Schedule:
    """The planes' schedules: each brings some jigs, then takes others, until the next one comes."""
    steps: _Schedule = []
    flight, brought, taken = 1, 0, 0
    for jig, back in day.flights:
        if taken and not back:
            flight, brought, taken = flight + 1, 0, 0
        if back:
            taken += 1
            steps.append((f"flight{flight}-out{taken}", ("returns", _kind(jig))))
        else:
            brought += 1
            steps.append((f"flight{flight}-in{brought}", ("arrives", jig.name)))
    return steps


def _lines(day: _Day, count: int, draw: Draw) -> list[_Schedule]:
    """The production lines' schedules: each gets some of the parts, in the order of their delivery."""
    lines: list[_Schedule] = [[] for _ in range(count)]
    for jig in day.delivered:
        number = draw.below(count)
        lines[number].append((f"line{number + 1}-part{len(lines[number]) + 1}", ("needed", jig.name)))
    return lines


def _end(schedule: _Schedule) -> str:
    name = schedule[0][0]
    return "flights-end" if name.startswith("flight") else f"{name.partition('-')[0]}-end"


# ── the problem ──────────────────────────────────────────────────────────────────────────────────


def _sketch(
    values: ParameterValues,
    jigs: Sequence[_Jig],
    planes: Sequence[_Jig],
    racks: Sequence[Sequence[_Jig]],
    schedules: Sequence[_Schedule],
) -> Sketch:
    longest = values["length"]
    lengths = [f"length{number}" for number in range(longest + 1)]
    named = {f"rack{number}": row for number, row in enumerate(racks, start=1)}
    sides = {side: _numbered(f"{side}-trailer", values["trailers"]) for side in ("beluga", "factory")}
    hangars = _numbered("hangar", values["hangars"])
    return Sketch(
        objects=(
            ("jig", tuple(jig.name for jig in jigs)),
            ("kind", _KINDS[: values["kinds"]]),
            ("rack", tuple(named)),
            ("length", tuple(lengths)),
            *((f"{side}-trailer", trailers) for side, trailers in sides.items()),
            ("hangar", hangars),
            *(("step", (*(step for step, _ in schedule), _end(schedule))) for schedule in schedules),
        ),
        init=(
            *(_facts_of(schedule) for schedule in schedules),
            *(
                (
                    ("is-of-kind", jig.name, _kind(jig)),
                    ("full" if jig.full else "empty", jig.name),
                    *((("in-plane", jig.name),) if jig in planes else ()),
                    *(
                        ("leaves", jig.name, lengths[length], lengths[length - jig.length])
                        for length in range(jig.length, longest + 1)
                    ),
                )
                for jig in jigs
            ),
            *(
                (
                    ("space", rack, lengths[longest - sum(jig.length for jig in row)]),
                    *_ring([rack, *(jig.name for jig in row)]),
                )
                for rack, row in named.items()
            ),
            tuple(("free", trailer) for trailers in sides.values() for trailer in trailers),
            tuple(("vacant", hangar) for hangar in hangars),
        ),
        goal=tuple(("done", step) for schedule in schedules for step, _ in schedule),
        summary=f"{plural(len(jigs), 'jig')}, {plural(len(racks), 'rack')}, "
        f"{plural(sum(len(schedule) for schedule in schedules), 'step')} to do",
    )


def _numbered(noun: str, count: int) -> tuple[str, ...]:
    return tuple(f"{noun}{number}" for number in range(1, count + 1))


def _facts_of(schedule: _Schedule) -> tuple[Fact, ...]:
    steps = [*(step for step, _ in schedule), _end(schedule)]
    return (
        ("due", steps[0]),
        *(("then", step, after) for step, after in pairwise(steps)),
        *((*work, step) for step, work in schedule),
    )


def _ring(row: Sequence[str]) -> list[Fact]:
    return [("before", here, there) for here, there in zip(row, [*row[1:], row[0]], strict=True)]


def _small(draw: Draw) -> Mapping[str, int | str]:
    # Jigs in each other's way make a problem hard, not the number of steps: there are more jigs than are needed.
    trailers = draw.between(1, 2)
    arrivals, stored, empties = draw.between(0, 3), draw.between(1, 5), draw.between(0, 2)
    stored = min(stored, 8 - trailers - arrivals - empties)
    deliveries = draw.between(1, min(3, arrivals + stored))
    return {
        "arrivals": arrivals,
        "stored": stored,
        "empties": empties,
        "deliveries": deliveries,
        "returns": draw.between(0, min(2, empties + deliveries)),
        "racks": draw.between(2, 3),
        "length": draw.between(4, 5),
        "kinds": draw.between(2, 3),
        "trailers": trailers,
        "lines": draw.between(1, 2),
    }


GENERATOR = Generator(
    domain="beluga",
    pddl_name="beluga",
    summary="jigs, racks and schedules, the schedules being those of a day that was simulated, so every problem has a "
    "plan",
    parameters=(
        Parameter("arrivals", "how many jigs arrive by plane, each with its part", 2, 0, 40),
        Parameter("stored", "how many jigs with their parts are on racks at first", 1, 0, 40),
        Parameter("empties", "how many empty jigs are on racks at first", 1, 0, 40),
        Parameter("deliveries", "how many parts have to be delivered to production lines", 2, 0, 80),
        Parameter("returns", "how many empty jigs have to go back by plane", 1, 0, 80),
        Parameter("racks", "how many racks there are", 2, 1, 20),
        Parameter("length", "how long each of them is", 4, 1, 40),
        Parameter("kinds", "how many kinds of jigs there are, of length 1, 2 and 3", 2, 1, len(_KINDS)),
        Parameter("trailers", "how many trailers there are on either side, each of which holds one jig", 1, 1, 10),
        Parameter("hangars", "how many hangars there are, each of which holds one jig", 1, 1, 10),
        Parameter("lines", "how many production lines there are, each with a schedule of its own", 1, 1, 10),
    ),
    rules={
        "deliveries ≤ arrivals + stored (there are no other parts)": lambda v: (
            v["deliveries"] <= v["arrivals"] + v["stored"]
        ),
        "returns ≤ empties + deliveries (only empty jigs go back)": lambda v: (
            v["returns"] <= v["empties"] + v["deliveries"]
        ),
        "arrivals + deliveries + returns > 0 (something to do)": lambda v: (
            v["arrivals"] + v["deliveries"] + v["returns"] > 0
        ),
        "kinds ≤ length (a jig of the last kind fits on a rack)": lambda v: v["kinds"] <= v["length"],
        "stored + empties ≤ racks × length (they are on racks at first)": lambda v: (
            v["stored"] + v["empties"] <= v["racks"] * v["length"]
        ),
        "arrivals + stored + empties ≤ racks × length + 2 × trailers + hangars + returns (a place each)": lambda v: (
            v["arrivals"] + v["stored"] + v["empties"]
            <= v["racks"] * v["length"] + 2 * v["trailers"] + v["hangars"] + v["returns"]
        ),
    },
    make=_make,
    small=_small,
)
