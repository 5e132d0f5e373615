"""Pictures of a trace as SVG, and as data that a page shows step by step.

Elements that steps share are stored once, so that a page with twenty steps stays small. All texts are escaped; nothing
depends on a clock, a font file or a hash seed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from importlib import resources
from math import ceil, hypot, sqrt

from pddl2nl.pddl import Condition, Task
from pddl2nl.pictures.layout import (
    BADGE,
    PictureLayout,
    Placed,
    Point,
    badge_width,
    flow,
    lay_out,
    place_boxes,
)
from pddl2nl.pictures.roles import Roles
from pddl2nl.pictures.scene import MOST_CHARACTERS, Badge, Fact, Scene, SceneMaker, fact_text, shortened
from pddl2nl.pictures.settings import COLOURS, PictureSettings, icons, settings_of
from pddlval import VAL_TIME_TOLERANCE, Plan, Simulator, State, acting_simulator
from pddlval.plans import PlanLike, as_plan
from pddlval.simulator import plain_simulator_of

_SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "star", "plus", "drop", "bar", "ring")
_SIGNS = {"goal": "⚑", "met": "✓", "missing": "✗"}
_HEAD = 46
_LEAST = 400.0
"""The width of a small picture."""
_TOLD_LINE = 16
MOST_TOLD = 40
"""Facts of one predicate that are told one by one below a picture; of the others the number is told."""


@dataclass(frozen=True)
class PictureFrame:
    """A state of a trace: what led to it. After an action that ``failed`` it is the state before, with the conditions
    that the action lacked."""

    state: State
    title: str = ""
    unmet: tuple[Condition, ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class _Element:
    """A piece of SVG, its place, and its level: lines are 0, boxes above, boxes in boxes above these."""

    level: float
    markup: str
    x: float
    y: float


def _plain_frames(simulator: Simulator, plan: Plan) -> list[PictureFrame]:
    followed = simulator.follow(simulator.initial, [step.action for step in plan.steps])
    titles = ["initial state", *map(str, followed.actions)]
    frames = [PictureFrame(state, title) for state, title in zip(followed.states, titles, strict=True)]
    if followed.failed is not None:
        reason = "not applicable" if followed.error is None else "no action of this task"
        frames.append(PictureFrame(followed.state, f"{followed.failed.action}: {reason}", followed.unmet, failed=True))
    return frames


def _timed_frames(task: Task, plan: Plan) -> list[PictureFrame]:
    """The states after the happenings of a plan with time."""
    from pddlval.temporal.execution import TimedRun
    from pddlval.temporal.lowering import timed_task_of

    run = TimedRun(timed_task_of(task, VAL_TIME_TOLERANCE), plan, VAL_TIME_TOLERANCE).run()
    frames = [PictureFrame(run.simulator.initial, "initial state")]
    for happening, executed in zip(run.happenings, run.performed, strict=False):
        names = [str(plan.steps[number - 1].action) for number in executed.numbers if 0 < number <= len(plan.steps)]
        time = f"{float(happening.time):.3f}".rstrip("0").rstrip(".")
        frames.append(PictureFrame(executed.state, f"{time}: {' '.join(dict.fromkeys(names)) or 'timed facts'}"))
    if run.report.verdict == "inapplicable":
        title = f"{run.report.action}: not applicable"
        frames.append(PictureFrame(frames[-1].state, title, run.report.unmet, failed=True))
    return frames


class Pictures:
    """The pictures of a trace: of one task, for one state or many, in one layout.

    Args:
        task: the task.
        frames: the states to show; by default the initial state.
        settings: what a ``picture.json`` says; by default that beside the domain's file.
    """

    def __init__(self, task: Task, frames: Sequence[PictureFrame] = (), settings: PictureSettings | None = None):
        self.task = task
        self.frames = tuple(frames) or (PictureFrame(acting_simulator(task).initial, "initial state"),)
        self.roles = Roles(task, settings_of(task.domain) if settings is None else settings)
        self.maker = SceneMaker(self.roles, self.frames[0].state)
        before = [None, *(frame.state for frame in self.frames)]
        self.scenes = tuple(
            self.maker.scene(frame.state, old, frame.unmet) for frame, old in zip(self.frames, before, strict=False)
        )
        self._placed = place_boxes(self.roles, self.scenes)
        head = _HEAD + max(self._status(scene, _LEAST - 24)[1] for scene in self.scenes)
        self.layout: PictureLayout = lay_out(self.roles, self.scenes, self._placed, head, _LEAST)
        self._notes = max(len(_told_lines(scene, self.layout.width)) for scene in self.scenes)
        self.height = self.layout.height + _TOLD_LINE * self._notes

    @classmethod
    def of_plan(cls, task: Task, plan: PlanLike, settings: PictureSettings | None = None) -> Pictures:
        """The pictures of a plan's states, up to the first action that cannot be executed.

        Args:
            plan: a plan, the text of a plan file, or ground actions in order; with times where the task has time.

        Raises:
            PDDLError: the text is no plan.
        """
        plan = as_plan(plan, "<plan>")
        simulator = plain_simulator_of(task)
        frames = _timed_frames(task, plan) if simulator is None else _plain_frames(simulator, plan)
        return cls(task, frames, settings)

    # ── one picture ──────────────────────────────────────────────────────────────────────────────

    def svg(self, number: int = 0) -> str:
        """One picture as an SVG file."""
        body = "".join(
            f'<g transform="translate({_n(e.x)} {_n(e.y)})">{e.markup}</g>' if e.x or e.y else e.markup
            for e in sorted(self._elements[number], key=lambda element: element.level)
        )
        about = f"<title>{escape(self.title(number))}, {self.goal(number)}</title>"
        return _svg(self.layout.width, self.height, f"{about}<desc>{escape(self.words(number))}</desc>", body)

    def strip(self) -> str:
        """All pictures in one SVG file, as the panels of a comic."""
        if len(self.frames) == 1:
            return self.svg()
        width, height = self.layout.width + 12, self.height + 12
        across = max(1, min(len(self.frames), round(sqrt(1.4 * len(self.frames) * height / width))))
        panels = []
        for number in range(len(self.frames)):
            place = f'x="{_n(number % across * width)}" y="{_n(number // across * height)}"'
            panels.append(
                self.svg(number).replace("<svg ", f"<svg {place} ", 1).replace(f"<style>{style()}</style>", "", 1)
            )
        rows = ceil(len(self.frames) / across)
        about = f"<title>{escape(repr(self.task)[1:-1])}: {len(self.frames)} states</title>"
        return _svg(across * width - 12, rows * height - 12, about, "".join(panels))

    def title(self, number: int) -> str:
        """What a picture shows, in a line."""
        frame = self.frames[number]
        step = f"{number}. " if len(self.frames) > 1 else ""
        return f"{step}{frame.title}"

    def goal(self, number: int) -> str:
        """How much of the goal holds: ``goal 1 of 3``."""
        goals = self.scenes[number].goals
        return f"goal {sum(goals)} of {len(goals)}" + (" ★" if all(goals) else "")

    def words(self, number: int) -> str:
        """A picture's facts in text, for readers who do not see it."""
        scene = self.scenes[number]
        parts = [
            " ".join(map(fact_text, [*box.facts, *(fact for badge in box.badges for fact in badge.holding)]))
            for box in scene.boxes
        ]
        said = [f"{box.name}: {text}" for box, text in zip(scene.boxes, parts, strict=True) if text]
        status = " ".join(fact_text(fact) for badge in scene.status for fact in badge.holding)
        lines = " ".join(fact_text(fact) for facts in scene.lines.values() for fact in facts)
        empty = " ".join(map(fact_text, scene.implied))
        missing = ", ".join(self._missing(number))
        found = [f"Missing: {missing}" if missing else "", *said, status, empty, lines]
        return ". ".join(filter(None, [*found, *self.told(number)]))

    def told(self, number: int) -> tuple[str, ...]:
        """What is not drawn, a text for each predicate: its facts, or how many there are."""
        return tuple(_told(name, facts) for name, facts in self.scenes[number].told.items())

    def _missing(self, number: int) -> list[str]:
        """What the failed action of a picture lacked, in PDDL."""
        scene = self.scenes[number]
        badges = [badge for box in scene.boxes for badge in box.badges] + scene.status
        return [badge.facts[0][0] for badge in badges if badge.look == "missing"]

    @staticmethod
    def _status(scene: Scene, room: float) -> tuple[list[Point], float]:
        """The places of the facts that are about no drawn object, and the height that they take."""
        spots, _, height = flow([(badge_width(badge), BADGE - 2) for badge in scene.status], room, 4)
        return spots, height + 8 if spots else 0.0

    # ── elements ─────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _elements(self) -> list[list[_Element]]:
        return [self._frame(number) for number in range(len(self.frames))]

    def _frame(self, number: int) -> list[_Element]:
        scene, placed, found = self.scenes[number], self._placed[number], list[_Element]()
        spots: dict[str, Point] = {}
        for name, each in placed.items():
            left, top, width, height = self.layout.rooms[name]
            if each.box.tower:
                # Towers grow upwards from where they stand.
                spots[name] = left, top + height - each.height
            else:
                # The frame of a root does not grow and shrink with what is in it.
                spots[name], each.width, each.height, each.own_size = (left, top), width, height, (width, height)
        for name, each in placed.items():
            self._box(each, *spots[name], 1, found)
        self._lines(
            scene, {name: spot for root, each in placed.items() for name, spot in _middles(each, *spots[root])}, found
        )
        self._head(number, scene, found)
        return found

    def _lines(self, scene: Scene, middles: Mapping[str, tuple[float, float, int]], found: list[_Element]) -> None:
        """The lines of maps, below the boxes that they join; with an arrow where all facts of a line go one way."""
        paths: dict[float, list[str]] = defaultdict(list)
        arrows: dict[float, list[str]] = defaultdict(list)
        for facts in scene.lines.values():
            (x1, y1, level), (x2, y2, other) = middles[facts[0][1]], middles[facts[0][2]]
            below = min(level, other) - 0.5
            paths[below].append(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}")
            if len({fact[1] for fact in facts}) == 1:
                arrows[below].append(_arrow(x1, y1, x2, y2))
        for look, pieces in (("e", paths), ("a", arrows)):
            for below, parts in pieces.items():
                found.append(_Element(below, f'<path class="{look}" d="{"".join(parts)}"/>', 0, 0))

    def _box(self, placed: Placed, x: float, y: float, level: int, found: list[_Element]) -> None:
        box = placed.box
        (left, top), (width, height) = placed.own, placed.own_size
        look = f"k{self._colour(box.kind)}" if box.kind else "l"
        round_ = 3 if box.kind in self.roles.containers else 8
        mark = " m" if box.moved else ""
        about = f"<title>{escape(f'{box.name} ({box.kind})' if box.kind else box.name)}</title>"
        icon = f'<path class="i" transform="translate(5 4) scale(.8)" d="{self._icon(box.kind)}"/>' if box.kind else ""
        found.append(
            _Element(
                level,
                f'<rect class="b {look}{mark}" width="{_n(width)}" height="{_n(height)}" rx="{round_}">{about}</rect>'
                f'{icon}<text class="h" x="{22 if box.kind else 7}" y="14">{escape(shortened(box.title))}</text>',
                x + left,
                y + top,
            )
        )
        for badge, (across, down) in placed.badges:
            found.append(_Element(level, _badge(badge), x + across, y + down))
        for each, (across, down) in placed.boxes:
            self._box(each, x + across, y + down, level + 1, found)

    def _colour(self, kind: str) -> int:
        given = self.roles.settings.colours.get(kind)
        return COLOURS.index(given) if given else self.roles.number[kind] % len(COLOURS)

    def _icon(self, kind: str) -> str:
        given = self.roles.settings.icons.get(kind)
        return icons()[given or _SHAPES[self.roles.number[kind] % len(_SHAPES)]]

    def _head(self, number: int, scene: Scene, found: list[_Element]) -> None:
        most = int(self.layout.width / 8.2)
        found.append(
            _Element(0, f'<text class="t" x="12" y="17">{escape(shortened(self.title(number), most))}</text>', 0, 0)
        )
        goal = self.goal(number)
        found.append(_Element(0, f'<text class="n" x="12" y="35">{goal}</text>', 0, 0))
        for badge, (x, y) in zip(scene.status, self._status(scene, _LEAST - 24)[0], strict=True):
            found.append(_Element(0, _badge(badge), 12 + x, 42 + y))
        for line, text in enumerate(_told_lines(scene, self.layout.width)):
            y = self.layout.height + _TOLD_LINE * line + 6
            found.append(_Element(0, f'<text class="n" x="12" y="{_n(y)}">{escape(text)}</text>', 0, 0))

    # ── a trace ──────────────────────────────────────────────────────────────────────────────────

    def data(self) -> dict[str, object]:
        """The trace for the player: elements once, and for each state those that appear and disappear.

        An element is ``[markup, x, y]`` with a number for its markup; elements are numbered as they are painted.
        """
        order = {each: place for place, each in enumerate(dict.fromkeys(e for frame in self._elements for e in frame))}
        numbered = sorted(order, key=lambda each: (each.level, order[each]))
        number = {each: place for place, each in enumerate(numbered)}
        markups: dict[str, int] = {}
        elements = [[markups.setdefault(each.markup, len(markups)), round(each.x), round(each.y)] for each in numbered]
        frames = []
        before: set[int] = set()
        for place, frame in enumerate(self._elements):
            now = {number[each] for each in frame}
            frames.append({"on": sorted(now - before), "off": sorted(before - now), "is": self.caption(place)})
            before = now
        return {
            "width": round(self.layout.width),
            "height": round(self.height),
            "markups": list(markups),
            "elements": elements,
            "frames": frames,
            "goals": list(self.maker.goals),
            "met": ["".join("1" if met else "0" for met in scene.goals) for scene in self.scenes],
        }

    def caption(self, number: int) -> str:
        """What a step changed, or what it lacked, in text."""
        frame = self.frames[number]
        if frame.failed:
            missing = self._missing(number)
            return f"{frame.title}{'; missing: ' if missing else ''}{' '.join(missing)}"
        if not number:
            return frame.title
        now, old = (set(self.maker.facts(self.frames[each].state)) for each in (number, number - 1))
        gained = [f"+ {fact_text(fact)}" for fact in sorted(now - old)]
        lost = [f"− {fact_text(fact)}" for fact in sorted(old - now)]
        return f"{frame.title}; {' '.join(gained + lost) or 'changed nothing'}"

    def figure(self, shown: int = 0, steps: Mapping[int, int] | None = None) -> str:
        """The trace as HTML: a figure with a picture, buttons and a slider; the player's script brings it to life.

        Args:
            shown: the state to show first.
            steps: what a page calls the states: the state's number by the number of its step there.
        """
        data = json.dumps(self.data() | {"steps": steps or {}}, ensure_ascii=False, separators=(",", ":"))
        # In single quotes JSON stays readable and small.
        data = data.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;")
        last = len(self.frames) - 1
        told = "".join(f"<li>{escape(text)}</li>" for text in self.told(shown))
        goals = "".join(f"<li>{escape(goal)}</li>" for goal in self.maker.goals)
        controls = (
            '<p class="pic-bar"><button type="button" aria-label="previous state">◀</button>'
            '<button type="button" aria-label="play">▶ play</button>'
            '<button type="button" aria-label="next state">▶</button>'
            f'<input type="range" min="0" max="{last}" value="{shown}" aria-label="state"><output></output></p>'
        )
        return (
            f"<figure class='picture' data-shown='{shown}' data-trace='{data}'>{controls if last else ''}"
            f'<div class="pic-room" tabindex="0" role="group" aria-label="picture of the state">'
            f'<svg class="pic" role="img" viewBox="0 0 {round(self.layout.width)} {round(self.height)}" '
            f'width="{round(self.layout.width)}"></svg></div><figcaption aria-live="polite"></figcaption>'
            f'<details class="pic-told"><summary>goal and what is not drawn</summary><ul class="pic-goals">{goals}</ul>'
            f"<ul>{told}</ul></details>"
            "</figure>"
        )

    def page(self, shown: int | None = None) -> str:
        """A page of its own with the trace; it opens at a state, by default at the first, or at a failed action."""
        if shown is None:
            shown = len(self.frames) - 1 if self.frames[-1].failed else 0
        title = escape(f"{self.task.problem.name} of {self.task.domain.name}")
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{figure_style()}{_text('page.css')}</style></head><body><h1>{title}</h1>\n"
            f"{self.figure(shown)}\n<script>{script()}</script></body></html>\n"
        )


def _svg(width: float, height: float, about: str, body: str) -> str:
    size = f'viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pic" role="img" {size}>{about}<style>{style()}</style>'
        f'<rect class="bg" width="100%" height="100%"/>{body}</svg>\n'
    )


def _middles(placed: Placed, x: float, y: float, level: int = 1) -> Iterator[tuple[str, tuple[float, float, int]]]:
    """The middle and the level of a box's own frame, and of all boxes in it."""
    (left, top), (width, height) = placed.own, placed.own_size
    yield placed.box.name, (x + left + width / 2, y + top + height / 2, level)
    for each, (across, down) in placed.boxes:
        yield from _middles(each, x + across, y + down, level + 1)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A small arrow in the middle of a line."""
    length = hypot(x2 - x1, y2 - y1) or 1.0
    x, y = (x2 - x1) / length, (y2 - y1) / length
    tip, back = ((x1 + x2) / 2 + 6 * x, (y1 + y2) / 2 + 6 * y), ((x1 + x2) / 2 - 4 * x, (y1 + y2) / 2 - 4 * y)
    corners = (tip, (back[0] - 5 * y, back[1] + 5 * x), (back[0] + 5 * y, back[1] - 5 * x))
    return "M" + "L".join(f"{_n(across)} {_n(down)}" for across, down in corners) + "z"


def _n(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.0f}"


@lru_cache(maxsize=4096)
def _badge(badge: Badge) -> str:
    width, x = badge_width(badge), 5
    sign = _SIGNS.get(badge.look, "")
    inner = ""
    if sign:
        inner = f'<text class="s" x="{x}" y="11">{sign}</text>'
        x += 11
    if badge.dot:
        inner += f'<circle cx="{x + 4}" cy="7" r="4" fill="{badge.dot}" stroke="#888"/>'
        x += 11
    about = (
        f"<title>{escape(' '.join(map(fact_text, badge.facts)))}</title>" if len(badge.text) >= MOST_CHARACTERS else ""
    )
    return (
        f'<g class="{badge.look}"><rect width="{_n(width)}" height="{BADGE - 2}" rx="7">{about}</rect>{inner}'
        f'<text x="{x}" y="11">{escape(shortened(badge.text))}</text></g>'
    )


def _told(name: str, facts: Sequence[Fact]) -> str:
    listed = " ".join(map(fact_text, facts[:MOST_TOLD]))
    rest = f" and {len(facts) - MOST_TOLD} more" if len(facts) > MOST_TOLD else ""
    return f"{name}, {len(facts)} {'fact' if len(facts) == 1 else 'facts'}: {listed}{rest}"


def _told_lines(scene: Scene, width: float) -> list[str]:
    """What is not drawn, in numbers, in lines that fit below the picture."""
    if not scene.told:
        return []
    most, lines = int(width / 5.6), [""]
    pieces = [f"{len(facts)} {name}" for name, facts in scene.told.items()]
    for piece in [f"Not drawn: {pieces[0]}", *pieces[1:]]:
        joined = f"{lines[-1]}, {piece}" if lines[-1] else piece
        if len(joined) > most and lines[-1]:
            lines.append(piece)
        else:
            lines[-1] = joined
    return lines


@lru_cache(maxsize=1)
def style() -> str:
    """The style of the pictures themselves, light and dark."""
    return _text("picture.css")


def figure_style() -> str:
    """The style of figures: pictures and their controls."""
    return style() + _text("player.css")


@lru_cache(maxsize=1)
def script() -> str:
    """The script that plays all figures of a page."""
    return _text("player.js")


def _text(name: str) -> str:
    return (resources.files("pddl2nl.pictures") / name).read_text(encoding="utf-8")
