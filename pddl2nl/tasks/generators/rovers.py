"""Problems of Rovers: rovers sample soil and rock, take images, and send all of it to a lander."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

_MODES = ("colour", "high_res", "low_res")
_LANDER = "general"
_JOBS = {"soil": "equipped_for_soil_analysis", "rock": "equipped_for_rock_analysis", "images": "equipped_for_imaging"}
"""The jobs of rovers by the parameter for their number, with the equipment."""


@dataclass(frozen=True)
class _Rover:
    """A rover.

    Attributes:
        name: its name.
        jobs: the keys of ``_JOBS`` it is equipped for.
        roads: pairs of waypoints between which it drives, in both directions.
        region: the waypoints it can reach; the roads connect them.
        start: its first waypoint.
        sends: whether the lander is visible from a waypoint of its region.
    """

    name: str
    jobs: tuple[str, ...]
    roads: tuple[tuple[str, str], ...]
    region: tuple[str, ...]
    start: str
    sends: bool


@dataclass(frozen=True)
class _Camera:
    """A camera: the rover that has it, the modes it supports and the objective it is calibrated on."""

    name: str
    rover: _Rover
    modes: tuple[str, ...]
    target: str


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    waypoints = tuple(f"waypoint{number}" for number in range(values["waypoints"]))
    objectives = tuple(f"objective{number}" for number in range(values["objectives"]))
    sights = _draw_sights(waypoints, draw)
    lander = draw.pick(waypoints)
    rovers = _draw_rovers(values, sights, lander, draw)
    cameras = _draw_cameras(values, rovers, objectives, draw)
    seen = _draw_views(objectives, cameras, waypoints, draw)
    goals: list[Fact] = []
    samples: list[Fact] = []
    for job in ("soil", "rock"):
        reached = [place for place in waypoints if any(place in r.region for r in rovers if r.sends and job in r.jobs)]
        wanted = draw.sample(reached, values[job]) if values[job] else []
        there = [place for place in waypoints if place in wanted or draw.chance(25)]
        samples += [(f"at_{job}_sample", place) for place in there]
        goals += [(f"communicated_{job}_data", place) for place in waypoints if place in wanted]
    possible = _images(cameras, seen)
    goals += [("communicated_image_data", *each) for each in draw.sample(possible, values["images"])]
    return Sketch(
        objects=(
            ("lander", (_LANDER,)),
            ("mode", _MODES),
            ("rover", tuple(rover.name for rover in rovers)),
            ("store", tuple(f"{rover.name}store" for rover in rovers)),
            ("waypoint", waypoints),
            ("camera", tuple(camera.name for camera in cameras)),
            ("objective", objectives),
        ),
        init=(
            *(tuple(("visible", one, other) for other in waypoints if other in sights[one]) for one in waypoints),
            tuple(samples),
            (("at_lander", _LANDER, lander), ("channel_free", _LANDER)),
            *(group for rover in rovers for group in _rover_facts(rover)),
            *(_camera_facts(camera) for camera in cameras),
            *(tuple(("visible_from", objective, place) for place in seen[objective]) for objective in objectives),
        ),
        goal=tuple(goals),
        summary=f"{plural(len(rovers), 'rover')}, {plural(len(waypoints), 'waypoint')}, "
        f"{plural(len(cameras), 'camera')}, {plural(len(objectives), 'objective')}, {plural(len(goals), 'goal')}",
    )


# ── the planet ───────────────────────────────────────────────────────────────────────────────────


def _draw_sights(waypoints: Sequence[str], draw: Draw) -> Mapping[str, set[str]]:
    """The pairs of waypoints that see each other: a random tree, which connects all, and some more."""
    sights: dict[str, set[str]] = {place: set() for place in waypoints}
    order = draw.shuffled(waypoints)
    for number, place in enumerate(order):
        earlier = order[:number]
        tree = draw.pick(earlier) if earlier else None
        for other in earlier:
            if other == tree or draw.chance(30):
                sights[place].add(other)
                sights[other].add(place)
    return sights


def _draw_rovers(values: ParameterValues, sights: Mapping[str, set[str]], lander: str, draw: Draw) -> list[_Rover]:
    """The rovers; for every job in the goal, one rover can do it as often as needed and send the results."""
    names = [f"rover{number}" for number in range(values["rovers"])]
    bearers = {job: draw.pick(names) for job in _JOBS if values[job]}
    waypoints = list(sights)
    rovers = []
    for name in names:
        chosen = draw.pick(list(_JOBS))
        jobs = tuple(job for job in _JOBS if bearers.get(job) == name or job == chosen or draw.chance(40))
        needed = [job for job, bearer in bearers.items() if bearer == name]
        # The region of a rover with a job grows from a waypoint that sees the lander, large enough for its work.
        seed = draw.pick([place for place in waypoints if lander in sights[place]] if needed else waypoints)
        least = max([1, *(values[job] for job in needed if job != "images")])
        size = draw.between(least, len(waypoints))
        roads = _grown(seed, size, sights, draw)
        region = (seed, *(new for _, new in roads))
        sends = any(lander in sights[place] for place in region)
        rovers.append(_Rover(name, jobs, tuple(roads), region, draw.pick(region), sends))
    return rovers


def _grown(seed: str, size: int, sights: Mapping[str, set[str]], draw: Draw) -> list[tuple[str, str]]:
    """The roads of a random tree of waypoints, each from a waypoint in the tree to a new one."""
    inside = {seed}
    roads: list[tuple[str, str]] = []
    border = [(seed, place) for place in sights if place in sights[seed]]
    while len(inside) < size:
        step = border.pop(draw.below(len(border)))
        if step[1] not in inside:
            roads.append(step)
            inside.add(step[1])
            border += [(step[1], place) for place in sights if place in sights[step[1]] and place not in inside]
    return roads


# ── cameras and images ───────────────────────────────────────────────────────────────────────────


def _draw_cameras(
    values: ParameterValues, rovers: Sequence[_Rover], objectives: Sequence[str], draw: Draw
) -> list[_Camera]:
    """The cameras; the first is on a rover that sends images, and supports enough modes for the goal."""
    imaging = [rover for rover in rovers if "images" in rover.jobs] or list(rovers)
    able = [rover for rover in imaging if rover.sends] or imaging
    least = max(1, -(-values["images"] // len(objectives)))
    cameras = []
    for number in range(values["cameras"]):
        modes = draw.sample(_MODES, draw.between(1 if number else least, len(_MODES)))
        rover = draw.pick(imaging if number else able)
        ordered = tuple(mode for mode in _MODES if mode in modes)
        cameras.append(_Camera(f"camera{number}", rover, ordered, draw.pick(objectives)))
    return cameras


def _draw_views(
    objectives: Sequence[str], cameras: Sequence[_Camera], waypoints: Sequence[str], draw: Draw
) -> Mapping[str, tuple[str, ...]]:
    """The waypoints from which each objective is visible; the first camera's rover can reach one for each."""
    views = {}
    for objective in objectives:
        needed = draw.pick(cameras[0].rover.region if cameras else waypoints)
        views[objective] = tuple(place for place in waypoints if place == needed or draw.chance(25))
    return views


def _images(cameras: Sequence[_Camera], seen: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The pairs of objective and mode for which an image can be taken and sent."""

    def reaches(camera: _Camera, objective: str) -> bool:
        return any(place in camera.rover.region for place in seen[objective])

    working = [
        camera
        for camera in cameras
        if camera.rover.sends and "images" in camera.rover.jobs and reaches(camera, camera.target)
    ]
    return [
        (objective, mode)
        for objective in seen
        for mode in _MODES
        if any(mode in camera.modes and reaches(camera, objective) for camera in working)
    ]


# ── facts ────────────────────────────────────────────────────────────────────────────────────────


def _rover_facts(rover: _Rover) -> tuple[tuple[Fact, ...], ...]:
    store = f"{rover.name}store"
    return (
        (("at", rover.name, rover.start), ("available", rover.name)),
        (("store_of", store, rover.name), ("empty", store)),
        tuple((_JOBS[job], rover.name) for job in rover.jobs),
        tuple(
            ("can_traverse", rover.name, *road) for one, other in rover.roads for road in ((one, other), (other, one))
        ),
    )


def _camera_facts(camera: _Camera) -> tuple[Fact, ...]:
    return (
        ("on_board", camera.name, camera.rover.name),
        ("calibration_target", camera.name, camera.target),
        *(("supports", camera.name, mode) for mode in camera.modes),
    )


def _small(draw: Draw) -> Mapping[str, int | str]:
    jobs = {"soil": draw.between(0, 2), "rock": draw.between(0, 2), "images": draw.between(0, 2)}
    if not any(jobs.values()):
        jobs[draw.pick(list(jobs))] = 1
    return {
        "rovers": draw.between(1, 2),
        "waypoints": draw.between(3, 6),
        "cameras": draw.between(1, 2),
        "objectives": draw.between(1, 3),
        **jobs,
    }


GENERATOR = Generator(
    domain="rovers",
    pddl_name="rover",
    summary="samples and images to be sent to a lander; for each goal there is a rover with the equipment whose roads "
    "lead to the place and into the lander's sight, so every problem has a plan",
    parameters=(
        Parameter("rovers", "how many rovers there are, each with one store", 1, 1, 50),
        Parameter("waypoints", "how many waypoints there are", 4, 2, 200),
        Parameter("cameras", "how many cameras there are on all rovers", 1, 0, 100),
        Parameter("objectives", "how many objectives there are to take images of", 2, 1, 100),
        Parameter("soil", "at how many waypoints soil has to be analysed", 1, 0, 200),
        Parameter("rock", "at how many waypoints rock has to be analysed", 1, 0, 200),
        Parameter("images", "how many images are to be sent, each of one objective in one of three modes", 1, 0, 200),
    ),
    rules={
        "soil + rock + images > 0 (something to do)": lambda v: any(v[job] for job in _JOBS),
        "soil ≤ waypoints (one sample at each)": lambda v: v["soil"] <= v["waypoints"],
        "rock ≤ waypoints (one sample at each)": lambda v: v["rock"] <= v["waypoints"],
        "images ≤ 3 × objectives (one for each of three modes)": lambda v: v["images"] <= len(_MODES) * v["objectives"],
        "cameras ≥ 1 for images ≥ 1": lambda v: v["cameras"] > 0 or v["images"] == 0,
    },
    make=_make,
    small=_small,
)
