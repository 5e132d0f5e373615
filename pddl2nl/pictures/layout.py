"""Where the boxes of a picture stand: one layout for all states of a trace.

Each root has the room of its largest form, so that it stays where it is while things go in and out. Maps are laid out
by coordinates in names, by directions, or by stress majorization of their graph (Gansner, Koren and North, "Graph
drawing by stress majorization", 2004); nothing here is random.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from typing import Any, NamedTuple

from pddl2nl.pddl import GroundAtom
from pddl2nl.pictures import hints
from pddl2nl.pictures.roles import Roles, way_of
from pddl2nl.pictures.scene import Badge, Box, Scene, shortened

CHARACTER, TITLE, BADGE = 6.3, 20, 16
"""The width of a badge's character, the height of a title and of a badge; in pixels."""
PAD, GAP = 6, 5
_WIDE = 960
_PIVOTS = 30
_MOST_STRESSED = 260
"""Larger graphs are placed by their distances to some of their places only."""

Point = tuple[float, float]


@lru_cache(maxsize=4096)
def badge_width(badge: Badge) -> float:
    """The width of a badge, with its dot or sign."""
    return (
        ceil(CHARACTER * len(shortened(badge.text)))
        + 10
        + (11 if badge.dot else 0)
        + (11 if badge.look in ("goal", "met", "missing") else 0)
    )


@dataclass
class Placed:
    """A box with its size, and the places of its badges and boxes relative to it."""

    box: Box
    width: float
    height: float
    own: Point
    """Left and top of the frame of the box itself, below its tower."""
    own_size: Point
    badges: list[tuple[Badge, Point]]
    boxes: list[tuple[Placed, Point]]
    room: BoxRoom


class BoxRoom(NamedTuple):
    """What a box that never moves needs in the states of a trace, the most of each."""

    width: float = 0.0
    height: float = 0.0
    inside: float = 0.0
    """The width at which what is in it goes to the next row."""
    badges: float = 0.0
    tower: bool = False
    """Whether something stands on it."""

    def joined(self, other: BoxRoom) -> BoxRoom:
        width, height, inside, badges = map(max, self[:4], other[:4])
        return BoxRoom(width, height, inside, badges, self.tower or other.tower)


def place_boxes(roles: Roles, scenes: Sequence[Scene]) -> list[dict[str, Placed]]:
    """The root boxes of the scenes of a trace, with all in them.

    What never moves stays where it is from state to state: it has the room of its largest form.
    """
    rooms: dict[str, BoxRoom] = {}
    while True:
        placed = [{name: place_box(box, roles.slots, rooms) for name, box in scene.roots.items()} for scene in scenes]
        if len(scenes) == 1:
            return placed
        needed = dict(rooms)
        for roots in placed:
            for root in roots.values():
                for each in _still(root, roles):
                    needed[each.box.name] = needed.get(each.box.name, BoxRoom()).joined(each.room)
        # What is in a box may have become larger, and so the box.
        if needed == rooms:
            return placed
        rooms = needed


def _still(placed: Placed, roles: Roles) -> Iterator[Placed]:
    """A box and those in it that never move; nothing in a box that moves is among them."""
    if placed.box.kind not in roles.slots:
        yield placed
        for each, _ in placed.boxes:
            yield from _still(each, roles)


def place_box(box: Box, moving: Collection[str], rooms: Mapping[str, BoxRoom]) -> Placed:
    """The sizes and places of a box and of all in it.

    Args:
        moving: the kinds that move.
        rooms: the least room of boxes that never move.
    """
    least = rooms.get(box.name, BoxRoom())
    badges = [(badge_width(badge), BADGE - 2) for badge in box.badges]
    # What moves stands behind what does not, so that it pushes nothing aside.
    inner = [place_box(each, moving, rooms) for each in sorted(box.inner, key=lambda each: each.kind in moving)]
    tower = [place_box(each, moving, rooms) for each in box.tower]
    title = 7.4 * len(shortened(box.title)) + (30 if box.kind else 14)
    sizes = [(each.width, each.height) for each in inner]
    room = max(title, min(_good_width(badges), 240))
    inside = max(room, _good_width(sizes), least.inside)
    inner_spots, inner_width, inner_height = flow(sizes, inside, GAP)
    # Badges are no wider than the boxes below them need: a place keeps the room of its largest form all the time.
    badge_spots, badges_width, badges_height = flow(badges, max(room, inner_width, 90), 3)
    badges_height = max(badges_height, least.badges)
    width = max(title, badges_width + 2 * PAD, inner_width + 2 * PAD)
    height = (
        TITLE
        + (badges_height + 4 if badges_height else 0)
        + (inner_height + PAD if inner else 0)
        + (2 if badges_height or inner else 0)
    )
    towers = sum(each.width for each in tower) + GAP * max(0, len(tower) - 1)
    whole = max(width, towers, least.width)
    # What stands on a box is as wide as the box, where there is only one.
    above = max((each.height for each in tower), default=0.0)
    if least.tower:
        above, width = max(above, least.height - height), whole
    else:
        height, width = max(height, least.height), max(width, least.width)
    left = (whole - width) / 2
    if len(tower) == 1:
        left, width, towers = 0.0, whole, whole
        _widen(tower[0], whole)
    down: float = TITLE + 1
    spots = [(badge, (left + PAD + x, above + down + y)) for badge, (x, y) in zip(box.badges, badge_spots, strict=True)]
    down += badges_height + 4 if badges_height else 0
    found = [(each, (left + PAD + x, above + down + y)) for each, (x, y) in zip(inner, inner_spots, strict=True)]
    across = (whole - towers) / 2
    for each in tower:
        found.append((each, (across, above - each.height)))
        across += each.width + GAP
    room_of_box = BoxRoom(whole, above + height, inside, badges_height, bool(tower) or least.tower)
    return Placed(box, whole, above + height, (left, above), (width, height), spots, found, room_of_box)


def _widen(placed: Placed, width: float) -> None:
    """Makes the frame of a box on another one as wide as that."""
    more = width - placed.width
    placed.width, placed.own_size = width, (placed.own_size[0] + more, placed.own_size[1])
    if len(placed.box.tower) == 1:
        _widen(placed.boxes[-1][0], width)


def _good_width(sizes: Sequence[Point]) -> float:
    """A width at which boxes fill a rectangle that is somewhat wider than high."""
    if not sizes:
        return 0
    area = sum((width + GAP) * (height + GAP) for width, height in sizes)
    return max(*(width for width, _ in sizes), sqrt(1.9 * area))


def flow(sizes: Sequence[Point], room: float, gap: float) -> tuple[list[Point], float, float]:
    """Places rectangles in rows of a width, as words on a page; the places, and the width and height of all."""
    spots: list[Point] = []
    x = y = row = widest = 0.0
    for width, height in sizes:
        if x and x + width > room + 0.5:
            x, y, row = 0.0, y + row + gap, 0.0
        spots.append((x, y))
        x += width + gap
        row, widest = max(row, height), max(widest, x - gap)
    return spots, widest, y + row


@dataclass(frozen=True)
class PictureLayout:
    """The room of each root of a trace: left, top, width and height; and the size of the picture."""

    rooms: Mapping[str, tuple[float, float, float, float]]
    width: float
    height: float
    centred: frozenset[str]


def lay_out(
    roles: Roles, scenes: Sequence[Scene], placed: Sequence[Mapping[str, Placed]], head: float, least: float
) -> PictureLayout:
    """One layout for the scenes of a trace."""
    sizes: dict[str, Point] = {}
    for roots in placed:
        for name, each in roots.items():
            width, height = sizes.get(name, (0.0, 0.0))
            sizes[name] = max(width, each.width), max(height, each.height)
    rooms: dict[str, tuple[float, float, float, float]] = {}
    top, widest, on_map = head, 0.0, set()
    left = 12.0
    joined = {kind for kinds in roles.maps for kind in kinds}
    alone: dict[tuple[str, ...], list[GroundAtom]] = {
        (kind,): [] for kind, names in roles.members.items() if kind not in joined and len(names) > 8
    }
    for kinds, atoms in {**roles.maps, **alone}.items():
        if kinds[0] in roles.slots or kinds[0] in roles.values:
            continue
        group = [name for kind in kinds for name in roles.members[kind] if name in sizes]
        if len(group) < 2:
            continue
        spots = _map(roles, group, atoms, sizes)
        if not spots:
            continue
        width = max(x + sizes[name][0] for name, (x, _) in spots.items())
        height = max(y + sizes[name][1] for name, (_, y) in spots.items())
        if left > 12 and left + width > _WIDE:
            left, top = 12.0, max(top, *(y + h + 20 for _, y, _, h in rooms.values()))
        rooms |= {name: (left + x, top + y, *sizes[name]) for name, (x, y) in spots.items()}
        on_map |= set(spots)
        left += width + 28
        widest = max(widest, left - 28)
    top = max([top, *(y + height + 18 for _, y, _, height in rooms.values())])
    rows: dict[str, list[str]] = defaultdict(list)
    for name in sizes:
        if name not in on_map:
            rows[roles.kind.get(name, "")].append(name)
    rest = [sizes[name] for names in rows.values() for name in names]
    wrap = max(widest, min(_WIDE, _good_width(rest)), 560)
    # Kinds that need little room share a row.
    across, row = 12.0, 0.0
    for names in sorted(rows.values(), key=lambda names: (roles.kind.get(names[0]) is None, _first(roles, names[0]))):
        chained = roles.chains.get(roles.kind.get(names[0], ""), ())
        if chained:
            names = sorted(names, key=lambda name: chained.index(name) if name in chained else -1)
        corners, width, height = flow([sizes[name] for name in names], wrap, 10)
        if across > 12 and across + width > wrap + 12:
            across, top, row = 12.0, top + row + 16, 0.0
        rooms |= {name: (across + x, top + y, *sizes[name]) for name, (x, y) in zip(names, corners, strict=True)}
        across, row = across + width + 20, max(row, height)
        widest = max(widest, across - 20)
    bottom = max([head, *(y + height for _, y, _, height in rooms.values())])
    return PictureLayout(rooms, max(least, widest + 12), bottom + 12, frozenset(on_map))


def _first(roles: Roles, name: str) -> int:
    return roles.number.get(roles.kind.get(name, ""), -1)


# ── maps ─────────────────────────────────────────────────────────────────────────────────────────


def _map(roles: Roles, group: Sequence[str], atoms: Sequence[GroundAtom], sizes: dict[str, Point]) -> dict[str, Point]:
    """The places of the boxes of a map, from 0."""
    inside = set(group)
    pairs = list(dict.fromkeys((atom[1], atom[2]) for atom in atoms if {atom[1], atom[2]} <= inside))
    cells = _given(roles, group) or _numbered(group, pairs, atoms, roles) or _directed(group, atoms, roles)
    if cells:
        full = len({x for x, _ in cells.values()}) * len({y for _, y in cells.values()})
        # Without lines, two numbers in names are a grid only if they fill one.
        if pairs or (full <= 2 * len(group) and full > 2 * len({x for x, _ in cells.values()}) > 4):
            return _grid(cells, sizes)
    spots = _graph(group, pairs, sizes) if pairs else {}
    across = max((x + sizes[name][0] for name, (x, _) in spots.items()), default=0.0)
    down = max((y + sizes[name][1] for name, (_, y) in spots.items()), default=0.0)
    return spots if across < max(1.5 * _WIDE, 3 * down) else _folded(spots, sizes)


def _folded(spots: Mapping[str, Point], sizes: Mapping[str, Point]) -> dict[str, Point]:
    """A long row of places as lines of text, every second one from right to left."""
    names = sorted(spots, key=lambda name: spots[name])
    corners, width, _ = flow([sizes[name] for name in names], _WIDE, 14)
    rows = {y: place % 2 for place, y in enumerate(dict.fromkeys(y for _, y in corners))}
    return {
        name: (width - x - sizes[name][0] if rows[y] else x, y) for name, (x, y) in zip(names, corners, strict=True)
    }


def _given(roles: Roles, group: Sequence[str]) -> dict[str, Point]:
    given = roles.settings.coordinates
    return {name: given[name] for name in group} if all(name in given for name in group) else {}


def _numbered(
    group: Sequence[str], pairs: Sequence[tuple[str, str]], atoms: Sequence[GroundAtom], roles: Roles
) -> dict[str, Point]:
    """Cells from two numbers in each name, if most lines then join neighbours; turned as directions say."""
    cells: dict[str, Point] = {}
    for name in group:
        found = hints.numbers(name)
        if len(found) > 1:
            cells[name] = float(found[-2]), float(found[-1])
    near = sum(_apart(cells[one], cells[other]) <= 2 for one, other in pairs if one in cells and other in cells)
    if len(set(cells.values())) < len(cells) or len(cells) < 0.8 * len(group) or near < 0.6 * len(pairs):
        return {}
    ways = [(atom[1], atom[2], way) for atom in atoms if (way := way_of(atom, roles.kind)) is not None][:200]
    ways = [(one, other, way) for one, other, way in ways if one in cells and other in cells]
    best, top = cells, -1
    for turn in range(8):
        turned = {name: _turned(point, turn) for name, point in cells.items()}
        fits = sum(
            (turned[one][0] - turned[other][0], turned[one][1] - turned[other][1]) == way for one, other, way in ways
        )
        if fits > top:
            best, top = turned, fits
    # A place without numbers, such as the end of a belt, stands in a row below.
    bottom = max(y for _, y in best.values()) + 1
    left = min(x for x, _ in best.values())
    return best | {name: (left + place, bottom) for place, name in enumerate(n for n in group if n not in best)}


def _turned(point: Point, turn: int) -> Point:
    x, y = point if turn & 1 else (point[1], point[0])
    return (-x if turn & 2 else x), (-y if turn & 4 else y)


def _apart(one: Point, other: Point) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _directed(group: Sequence[str], atoms: Sequence[GroundAtom], roles: Roles) -> dict[str, Point]:
    """Cells from relations with directions, if these agree with each other."""
    steps: dict[str, list[tuple[str, Point]]] = defaultdict(list)
    for atom in atoms:
        way = way_of(atom, roles.kind)
        if way is not None:
            steps[atom[2]].append((atom[1], way))
            steps[atom[1]].append((atom[2], (-way[0], -way[1])))
    cells: dict[str, Point] = {}
    for start in group:
        if start in cells or start not in steps:
            continue
        right = max((x + 2 for x, _ in cells.values()), default=0.0)
        part = {start: (0.0, 0.0)}
        queue = deque([start])
        while queue:
            name = queue.popleft()
            for other, (x, y) in steps[name]:
                if other not in part:
                    part[other] = part[name][0] + x, part[name][1] + y
                    queue.append(other)
        left = min(x for x, _ in part.values())
        cells |= {name: (x - left + right, y) for name, (x, y) in part.items()}
    return cells if len(cells) == len(group) and len(set(cells.values())) == len(cells) else {}


def _grid(cells: Mapping[str, Point], sizes: dict[str, Point]) -> dict[str, Point]:
    columns: dict[float, float] = defaultdict(float)
    rows: dict[float, float] = defaultdict(float)
    for name, (x, y) in cells.items():
        columns[x], rows[y] = max(columns[x], sizes[name][0]), max(rows[y], sizes[name][1])
    # Cells of one size look like a grid; the largest room is reserved where something can be.
    across = _starts(columns, 14)
    down = _starts(rows, 14)
    for name, (x, y) in cells.items():
        sizes[name] = columns[x], rows[y]
    return {name: (across[x], down[y]) for name, (x, y) in cells.items()}


def _starts(widths: Mapping[float, float], gap: float) -> dict[float, float]:
    found, at = {}, 0.0
    for number in sorted(widths):
        found[number] = at
        at += widths[number] + gap
    return found


def _graph(group: Sequence[str], pairs: Sequence[tuple[str, str]], sizes: Mapping[str, Point]) -> dict[str, Point]:
    """Places of a graph's boxes, one connected part beside the other, without overlaps."""
    beside: dict[str, dict[str, None]] = {name: {} for name in group}
    for one, other in pairs:
        beside[one][other] = beside[other][one] = None
    parts: list[list[str]] = []
    seen: set[str] = set()
    for name in group:
        if name not in seen:
            part = list(_distances(name, beside))
            seen |= set(part)
            parts.append([each for each in group if each in set(part)] if len(part) > 1 else part)
    parts.sort(key=len, reverse=True)
    found: list[dict[str, Point]] = [_connected(part, beside, sizes) for part in parts]
    extents = [
        (max(x + sizes[n][0] for n, (x, _) in spots.items()), max(y + sizes[n][1] for n, (_, y) in spots.items()))
        for spots in found
    ]
    corners, _, _ = flow(extents, max(_WIDE * 0.9, _good_width(extents)) if len(extents) > 1 else 0, 18)
    return {
        name: (x + left, y + top)
        for spots, (left, top) in zip(found, corners, strict=True)
        for name, (x, y) in spots.items()
    }


def _distances(start: str, beside: Mapping[str, Mapping[str, None]]) -> dict[str, int]:
    found = {start: 0}
    queue = deque([start])
    while queue:
        name = queue.popleft()
        for other in beside[name]:
            if other not in found:
                found[other] = found[name] + 1
                queue.append(other)
    return found


def _connected(
    names: Sequence[str], beside: Mapping[str, Mapping[str, None]], sizes: Mapping[str, Point]
) -> dict[str, Point]:
    if len(names) == 1:
        return {names[0]: (0.0, 0.0)}
    import numpy as np

    count = len(names)
    number = {name: place for place, name in enumerate(names)}
    pivots = names if count <= _MOST_STRESSED else names[:: count // _PIVOTS]
    apart = np.zeros((len(pivots), count))
    for place, name in enumerate(pivots):
        for other, distance in _distances(name, beside).items():
            apart[place, number[other]] = distance
    # Pivot MDS (Brandes and Pich, 2007) is where stress majorization begins.
    squares = apart[:: max(1, len(pivots) // _PIVOTS)] ** 2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    _, vectors = np.linalg.eigh(centred @ centred.T)
    spots = centred.T @ vectors[:, -1:-3:-1]
    for axis in range(spots.shape[1]):
        # An eigenvector's sign is arbitrary: the first place lies left and above.
        largest = spots[np.argmax(np.round(np.abs(spots[:, axis]), 6)), axis]
        spots[:, axis] *= -1 if largest > 0 else 1
    spots = spots / max(1e-9, np.abs(spots).max()) * sqrt(count)
    if spots.shape[1] < 2:
        spots = np.column_stack((spots, np.zeros(count)))
    spots[:, 1] += 1e-3 * np.arange(count) % 0.0137
    if len(pivots) == count:
        spots = _stressed(spots, apart)
    box = np.array([sizes[name] for name in names])
    step = (np.median(box, 0) + box.mean(0)) / 2 + np.array([30, 24])
    edges = np.array([(number[one], number[other]) for one in names for other in beside[one]])
    lengths = np.sqrt(((spots[edges[:, 0]] - spots[edges[:, 1]]) ** 2).sum(1)).mean()
    spots = spots / max(lengths, 1e-9) * step * 1.05
    if spots[:, 1].max() - spots[:, 1].min() > 1.25 * (spots[:, 0].max() - spots[:, 0].min()):
        spots = (spots / step)[:, ::-1] * step
    spots = _separated(spots, box + np.array([16, 14]))
    corners = spots - box / 2
    corners -= corners.min(0)
    return {name: (round(float(x), 1), round(float(y), 1)) for name, (x, y) in zip(names, corners, strict=True)}


def _stressed(spots: Any, apart: Any) -> Any:
    """Stress majorization: distances in the picture as in the graph, near ones above all."""
    import numpy as np

    weights = 1 / np.maximum(apart, 1) ** 2
    np.fill_diagonal(weights, 0)
    total = weights.sum(1)[:, None]
    for _ in range(40):
        between = spots[:, None] - spots[None]
        length = np.maximum(np.sqrt((between**2).sum(2)), 1e-6)
        pull = (weights * apart / length)[:, :, None] * between
        spots = (weights @ spots + pull.sum(1)) / total
    return spots


def _separated(spots: Any, box: Any) -> Any:
    """Pushes overlapping boxes apart, along the side on which they overlap less."""
    import numpy as np

    half = (box[:, None] + box[None]) / 2
    count = len(spots)
    order = np.sign(np.subtract.outer(np.arange(count), np.arange(count)))
    for turn in range(1, 400):
        between = spots[:, None] - spots[None]
        over = half - np.abs(between)
        hit = (over > 0.5).all(2)
        np.fill_diagonal(hit, False)
        if not hit.any():
            break
        if turn % 25 == 0:
            # There is no room to push them apart.
            spots *= 1.15
        axis = over.argmin(2)
        for side in (0, 1):
            sign = np.where(between[..., side] == 0, order, np.sign(between[..., side]))
            spots[:, side] += (sign * over[..., side] * (hit & (axis == side))).sum(1) * 0.3
    return spots
