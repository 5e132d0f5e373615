"""The scene graph of a prompt as a picture (SVG), so that a report shows it grow and shrink step by step.

Places keep their position as long as places and links stay the same: they are laid out by the distances along links
(classical multidimensional scaling, then the forces of Fruchterman and Reingold 1991). What is shown in a place stands
around it. The page's style sheet has the colours, of light and of dark mode; names are titles that appear on hover.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import cos, pi, sin
from typing import Any
from xml.etree import ElementTree

from pddl2nl.systems.sayplan.sayplan import LAYOUT
from pddl2nl.systems.sayplan.scene_graph import AGENT, LINK, POSE

MOST_NODES = 1_000
"""Graphs with more nodes have no picture."""

_WIDTH, _HEIGHT, _MARGIN = 960, 560, 60
_AROUND, _LESS = 30, 0.55
_MOST_LABELS = 60
_LONGEST_LABEL = 24

Point = tuple[float, float]


def picture(question: str) -> str:
    """The SVG of the graph in a prompt; empty if it has none, or too many nodes."""
    try:
        data = json.loads(LAYOUT.read(question).get("Scene graph", ""))
        scene = _Scene.read(data)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # a foreign record may hold anything
        return ""
    if len(scene.kinds) > MOST_NODES:
        return ""
    svg = ElementTree.tostring(_drawn(scene), encoding="unicode", method="html")
    return "".join(each for each in svg if each.isprintable() or each == "\n")


@dataclass
class _Scene:
    """A graph as a prompt shows it."""

    kinds: dict[str, str] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    below: dict[str, list[str]] = field(default_factory=dict)
    agent: str = ""

    @classmethod
    def read(cls, data: Any) -> _Scene:
        """The graph in a prompt's JSON; raises an error of Python for another form."""
        scene = cls()
        top, *_ = data["nodes"]
        for kind, nodes in data["nodes"].items():
            if kind == AGENT:
                scene.agent = str(nodes[0]["location"])
                continue
            names = [str(node["id"]) for node in nodes]
            scene.kinds |= dict.fromkeys(names, kind)
            scene.places += names if kind in (top, POSE) else []
        places = {*scene.places}
        for link in data["links"]:
            one, other = link.split(LINK)
            if other in places:
                scene.links.append((one, other))
            elif scene.kinds.keys() >= {one, other}:
                scene.below.setdefault(one, []).append(other)
        return scene

    @property
    def loose(self) -> list[str]:
        """The nodes that are neither places nor below others: what is held, hands."""
        children = {child for names in self.below.values() for child in names}
        return [name for name in self.kinds if name not in children and name not in {*self.places}]


# ── positions ────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=16)
def _positions(names: tuple[str, ...], links: tuple[tuple[str, str], ...]) -> Mapping[str, Point]:
    """The positions of places."""
    import numpy as np
    from scipy.sparse.csgraph import shortest_path

    count, number = len(names), {name: place for place, name in enumerate(names)}
    linked = np.zeros((count, count))
    for one, other in links:
        if one in number and one != other:
            linked[number[one], number[other]] = linked[number[other], number[one]] = 1
    hops = shortest_path(linked, unweighted=True)
    finite = hops[np.isfinite(hops)].max(initial=1)
    squares = np.where(np.isfinite(hops), hops, finite + 1) ** 2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    spots = vectors[:, [-1, -2]] * np.sqrt(np.abs(values[[-1, -2]])) if count > 1 else np.zeros((1, 2))
    # A place alone at its link has the same distances as its neighbour: chance moves them apart.
    spots = spots / (np.abs(spots).max() or 1) + np.random.default_rng(0).normal(0, 0.02, (count, 2))
    near = 1 / np.sqrt(count)
    for heat in np.linspace(0.05, 0.002, 120):
        apart = spots[:, None] - spots[None]
        length = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)[:, :, None]
        push = (apart * (near / length) ** 2 - apart * length / near * linked[:, :, None]).sum(1)
        spots = spots + push / np.maximum(np.linalg.norm(push, axis=1), 1e-9)[:, None] * heat
    low, high = spots.min(0), spots.max(0)
    size = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN
    fitted = (spots - low) / np.where(high > low, high - low, 1) * size + _MARGIN
    return {name: (round(float(x)), round(float(y))) for name, (x, y) in zip(names, fitted, strict=True)}


def _around(scene: _Scene) -> Mapping[str, Point]:
    """The positions of all nodes: what is below a node stands around it, and loose ones in the last line."""
    at = dict(_positions(tuple(scene.places), tuple(scene.links)))
    loose = scene.loose
    at |= {name: (20 + (_WIDTH - 40) * place / len(loose), _HEIGHT - 12) for place, name in enumerate(loose)}
    waiting = [(name, 0.0, 2 * pi, float(_AROUND)) for name in (*scene.places, *loose)]
    for name, ahead, spread, far in waiting:
        names = [child for child in scene.below.get(name, ()) if child not in at]
        x, y = at[name]
        for place, child in enumerate(names):
            angle = ahead + spread * ((place + 0.5) / len(names) - 0.5)
            at[child] = (x + far * cos(angle), y + far * sin(angle))
            waiting.append((child, angle, pi / 2, far * _LESS))
    return at


# ── drawing ──────────────────────────────────────────────────────────────────────────────────────


def _drawn(scene: _Scene) -> ElementTree.Element:
    at, poses = _around(scene), [name for name in scene.places if scene.kinds[name] == POSE]
    svg = ElementTree.Element("svg", {"class": "scene", "viewBox": f"0 0 {_WIDTH} {_HEIGHT}", "role": "img"})
    told = f", the agent in {scene.agent}" if scene.agent else ""
    ElementTree.SubElement(svg, "title").text = f"The graph shown: {len(scene.kinds)} nodes{told}"
    inner = [(one, child) for one, names in scene.below.items() for child in names]
    for kind, links in (("link", scene.links), ("inside", inner)):
        lines = [f"M{_point(at[one])}L{_point(at[other])}" for one, other in links if {one, other} <= at.keys()]
        ElementTree.SubElement(svg, "path", {"class": kind, "d": "".join(lines)})
    # Poses have no titles of their own, which keeps the page small.
    ElementTree.SubElement(svg, "path", {"class": "pose", "d": "".join(f"M{_point(at[name])}h.1" for name in poses)})
    labelled = {*scene.places} if len(scene.places) - len(poses) <= _MOST_LABELS else {*scene.below}
    for name, spot in at.items():
        if name not in poses:
            place, parent = name in scene.places, name in scene.below
            shape = "place" if place else "holder" if parent else "thing"
            _node(svg, name, spot, f"{shape} open" if place and parent else shape, labelled=name in labelled)
    if scene.agent in at:
        x, y = at[scene.agent]
        ElementTree.SubElement(svg, "circle", {"class": "agent", "cx": f"{x:.0f}", "cy": f"{y:.0f}", "r": "11"})
    return svg


def _node(svg: ElementTree.Element, name: str, spot: Point, shape: str, *, labelled: bool) -> None:
    short = name if len(name) <= _LONGEST_LABEL else f"{name[:_LONGEST_LABEL]}…"
    point = ElementTree.SubElement(svg, "path", {"class": shape, "d": f"M{_point(spot)}h.1"})
    ElementTree.SubElement(point, "title").text = name[:200]
    if labelled:
        label = ElementTree.SubElement(svg, "text", {"x": f"{spot[0]:.0f}", "y": f"{spot[1] - 10:.0f}"})
        label.text = short


def _point(spot: Sequence[float]) -> str:
    return f"{spot[0]:.0f} {spot[1]:.0f}"
