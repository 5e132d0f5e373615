"""A state as boxes in boxes: every fact is drawn somewhere or told below the picture.

`SceneMaker.scene` gives each fact of a state its one place. `Scene.shown` and `Scene.told` are together the state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from pddl2nl.pddl import Atom, Condition, Not, Preference, conjuncts, write_condition, write_number
from pddl2nl.pddl.tree import map_children
from pddl2nl.pictures import hints
from pddl2nl.pictures.roles import LANE, Roles
from pddlval import State
from pddlval.numeric import UndefinedError

Look = Literal["fact", "static", "new", "token", "goal", "met", "missing"]

MOST_LISTED = 3
"""Facts of one predicate that an object's badge lists; of the others it gives the number, and they are told below."""
MOST_CHARACTERS = 40
"""The longest text of a badge or a title."""

Fact = tuple[str, ...]
"""An atom, or for a numeric fluent ``("=", name, *arguments, value)``."""


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text cut to its first characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def fact_text(fact: Fact) -> str:
    """A fact in PDDL."""
    if fact[0] == "=":
        return f"(= ({' '.join(fact[1:-1])}) {fact[-1]})"
    return f"({' '.join(fact)})"


@dataclass(frozen=True)
class Badge:
    """A text at an object or in the status line. ``facts`` are those that it says."""

    text: str
    look: Look
    facts: tuple[Fact, ...] = ()
    dot: str = ""

    @property
    def holding(self) -> tuple[Fact, ...]:
        """The facts of the state that it says; a mark names a condition in PDDL, which is no fact."""
        return tuple(fact for fact in self.facts if not fact[0].startswith("("))


@dataclass
class Box:
    """An object with its badges and what is in and on it; ``fact`` says why it stands where it stands.

    A box without a kind is a region: ``name`` is a fact that is true of all in it.
    """

    name: str
    title: str
    kind: str
    badges: list[Badge] = field(default_factory=list)
    inner: list[Box] = field(default_factory=list)
    tower: list[Box] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    moved: bool = False

    def walk(self) -> Iterator[Box]:
        yield self
        for box in (*self.inner, *self.tower):
            yield from box.walk()


@dataclass
class Scene:
    """A state laid out as a tree."""

    roots: dict[str, Box]
    lines: dict[tuple[str, str], list[Fact]]
    status: list[Badge]
    implied: list[Fact]
    told: dict[str, list[Fact]]
    goals: tuple[bool, ...]

    @property
    def boxes(self) -> Iterator[Box]:
        for root in self.roots.values():
            yield from root.walk()

    @property
    def shown(self) -> list[Fact]:
        """The facts that the picture shows, each once."""
        badges = [badge for box in self.boxes for badge in box.badges] + self.status
        found = [fact for badge in badges for fact in badge.holding]
        found += [fact for box in self.boxes for fact in box.facts]
        found += [fact for facts in self.lines.values() for fact in facts]
        return found + self.implied

    @property
    def left_out(self) -> list[Fact]:
        """The facts that are told below the picture."""
        return [fact for facts in self.told.values() for fact in facts]


class SceneMaker:
    """Makes the scenes of the states of one task."""

    def __init__(self, roles: Roles, state: State):
        self.roles = roles
        self._layout = state.layout
        task = roles.task
        self._order = {name: number for number, name in enumerate(task.objects)}
        predicates = [item.name for item in task.domain.predicates]
        functions = [item.name for item in task.domain.functions]
        self._rank = {name: number for number, name in enumerate((*predicates, *functions))}
        self._keys: dict[Fact, tuple[object, ...]] = {}
        self._goals = tuple(conjuncts(_wished(task.problem.goal)))
        self._map_pairs: dict[Fact, tuple[str, str]] = {}
        for atoms in roles.maps.values():
            for atom in atoms:
                one, other = sorted(atom[1:3], key=self._order.__getitem__)
                self._map_pairs[atom] = one, other
        self._told = self._too_many() | roles.settings.told

    # ── which facts ──────────────────────────────────────────────────────────────────────────────

    def facts(self, state: State) -> list[Fact]:
        """All facts of a state in a fixed order: atoms, derived ones too, and the values of fluents."""
        found: list[Fact] = [*state.atoms, *state.derived]
        found += [("=", *fluent, write_number(Fraction(value))) for fluent, value in state.values.items()]
        return sorted(found, key=self._key)

    def _key(self, fact: Fact) -> tuple[object, ...]:
        known = self._keys.get(fact)
        if known is not None:
            return known
        name, args = (fact[1], fact[2:-1]) if fact[0] == "=" else (fact[0], fact[1:])
        key = self._keys[fact] = (self._rank.get(name, -1), tuple(self._order.get(arg, -1) for arg in args), fact)
        return key

    def _too_many(self) -> frozenset[str]:
        """Static predicates that would fill the boxes with lists: told below the picture."""
        hosts: dict[str, set[str]] = defaultdict(set)
        counts: dict[str, int] = defaultdict(int)
        lists = [*self.roles.static, *(("=", *value.fluent, "") for value in self.roles.task.problem.init_values)]
        for fact in lists:
            if fact in self._map_pairs:
                continue
            name = fact[1] if fact[0] == "=" else fact[0]
            host = self.host(fact)
            hosts[name].add(host)
            counts[name] += 1
        return frozenset(name for name in counts if self._static(name) and counts[name] > 2 * len(hosts[name]))

    def host(self, fact: Fact) -> str:
        """The object at whose box a fact stands: its first drawn argument; empty if there is none."""
        kind, values = self.roles.kind, self.roles.values
        args = fact[2:-1] if fact[0] == "=" else fact[1:]
        drawn = [arg for arg in args if arg in kind and kind[arg] not in values]
        return drawn[0] if drawn else ""

    # ── the scene ────────────────────────────────────────────────────────────────────────────────

    def scene(self, state: State, before: State | None = None, unmet: Iterable[Condition] = ()) -> Scene:
        """The scene of a state; what is new since the state before is marked, and what an action lacked in it."""
        roles = self.roles
        facts = self.facts(state)
        old = frozenset(self.facts(before)) if before is not None else frozenset(facts)
        boxes = {
            name: Box(name, name, roles.kind[name])
            for name in roles.task.objects
            if roles.kind[name] not in roles.values
        }
        scene = Scene({}, defaultdict(list), [], [], defaultdict(list), ())
        rest = self._nest(facts, boxes, scene, old)
        self._badges(rest, boxes, scene, old)
        self._mark_goals(state, boxes, scene)
        for condition in unmet:
            self._mark(condition, "missing", boxes, scene)
        return scene

    def _nest(self, facts: Sequence[Fact], boxes: Mapping[str, Box], scene: Scene, old: frozenset[Fact]) -> list[Fact]:
        """Puts boxes into boxes; the facts that this does not show."""
        roles = self.roles
        up: dict[str, tuple[str, Fact]] = {
            name: (atom[2], atom) for name, atom in roles.part_of.items() if name in boxes and atom[2] in boxes
        }
        rest: list[Fact] = []
        whole = {fact for _, fact in up.values()}
        for fact in facts:
            if fact in self._map_pairs:
                scene.lines[self._map_pairs[fact]].append(fact)
            elif fact not in whole and not self._place(fact, up, boxes):
                rest.append(fact)
        children: dict[str, list[str]] = defaultdict(list)
        for name in boxes:
            parent = up[name][0] if name in up and not _circular(name, up) else ""
            if name in up and not parent:
                rest.append(up.pop(name)[1])
            children[parent].append(name)
        for parent, names in children.items():
            for name in names:
                box = boxes[name]
                if name in up:
                    fact = up[name][1]
                    box.moved = fact not in old
                    if len(fact) > 3:
                        # The picture shows one of its other objects: carry(robot, ball, gripper).
                        box.badges.append(self._badge([fact], name, "new" if box.moved else "fact", scene))
                    else:
                        box.facts.append(fact)
                if not parent:
                    scene.roots[name] = box
                elif parent not in boxes:
                    scene.roots.setdefault(parent, Box(parent, parent[1:-1], "")).inner.append(box)
                elif boxes[parent].kind == box.kind:
                    boxes[parent].tower.append(box)
                else:
                    boxes[parent].inner.append(box)
        for region in self.regions:
            scene.roots.setdefault(region, Box(region, region[1:-1], ""))
        return self._without_implied(sorted(dict.fromkeys(rest), key=self._key), facts, boxes, scene)

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """The regions of a picture: ``(ontable)``, ``(holding)``; drawn even when they are empty."""
        lanes = (slot.predicate for slots in self.roles.slots.values() for slot in slots if slot.parent == LANE)
        return tuple(dict.fromkeys(f"({predicate})" for predicate in lanes))

    def _place(self, fact: Fact, up: dict[str, tuple[str, Fact]], boxes: Mapping[str, Box]) -> bool:
        """Whether a fact says where an object is, which has no other place yet."""
        for child in range(1, len(fact)):
            slot = self.roles.slot_of.get((self.roles.kind.get(fact[child], ""), fact[0], child))
            if slot is not None and fact[child] in boxes and fact[child] not in up:
                parent = f"({fact[0]})" if slot.parent == LANE else fact[slot.parent]
                if slot.parent == LANE or parent in boxes:
                    up[fact[child]] = parent, fact
                    return True
        return False

    def _without_implied(
        self, rest: Sequence[Fact], facts: Sequence[Fact], boxes: Mapping[str, Box], scene: Scene
    ) -> list[Fact]:
        """Leaves out what an empty box says anyway: `roles.emptiness`, unless it is not so in this state."""
        holding: dict[tuple[str, int], set[str]] = defaultdict(set)
        wanted = {
            (slot[0], place) for _, places in self.roles.emptiness.items() for slot in places for place in slot[1:]
        }
        for fact in facts:
            for place in range(1, len(fact)):
                if (fact[0], place) in wanted:
                    holding[fact[0], place].add(fact[place])
        said_anyway: set[Fact] = set()
        for (kind, predicate), places in self.roles.emptiness.items():
            busy = set().union(*(holding[name, place] for name, place in places))
            empty = [name for name in self.roles.members[kind] if name not in busy]
            told = {fact[1] for fact in rest if len(fact) == 2 and fact[0] == predicate and fact[1] in boxes}
            told = {name for name in told if boxes[name].kind == kind}
            if told == set(empty):
                said_anyway |= {(predicate, name) for name in told}
        scene.implied += [fact for fact in rest if fact in said_anyway]
        return [fact for fact in rest if fact not in said_anyway]

    # ── badges ───────────────────────────────────────────────────────────────────────────────────

    def _badges(self, facts: Iterable[Fact], boxes: Mapping[str, Box], scene: Scene, old: frozenset[Fact]) -> None:
        groups: dict[tuple[str, str, int], list[Fact]] = defaultdict(list)
        for fact in facts:
            name = fact[1] if fact[0] == "=" else fact[0]
            host = self.host(fact)
            static = self._static(name)
            if static and len(fact) == 2 and host and self.roles.kind[host] == name:
                boxes[host].facts.append(fact)
            elif name in self._told or (static and not host and len(fact) > 1 and fact[0] != "="):
                scene.told[name].append(fact)
            else:
                # What an object is for ever, in one badge: portable, sliceable.
                group = "" if static and len(fact) == 2 and host else name
                groups[host, group, fact.index(host) if host else 0].append(fact)
        for (host, group, _), found in groups.items():
            badges = boxes[host].badges if host else scene.status
            token = group in self.roles.tokens and bool(host)
            static = not group or self._static(group)
            fresh = [fact for fact in found if fact not in old and not static][:MOST_LISTED]
            # New facts are badges of their own, so that they can be seen.
            badges += [self._badge([fact], host, "token" if token else "new", scene) for fact in fresh]
            if known := [fact for fact in found if fact not in fresh]:
                look: Look = "token" if token else "static" if static else "fact"
                badges.append(self._badge(known, host, look, scene, properties=not group))

    def _static(self, name: str) -> bool:
        return name not in self._layout.dynamic and name not in self._layout.functions

    def _badge(self, facts: Sequence[Fact], host: str, look: Look, scene: Scene, *, properties: bool = False) -> Badge:
        # Fewer of those with more arguments. Their number does not depend on how long names are.
        most = max(1, MOST_LISTED - max(0, len(facts[0]) - 3))
        listed = facts if properties else facts[:most]
        name = facts[0][1] if facts[0][0] == "=" else facts[0][0]
        if len(facts) > len(listed):
            scene.told[name] += facts[len(listed) :]
        if properties:
            text = ", ".join(fact[0] for fact in facts)
        else:
            text = " ".join(filter(None, (name, ", ".join(filter(None, (said(fact, host) for fact in listed))))))
        if len(facts) > len(listed):
            more = f" + {len(facts) - len(listed)} more"
            text = shortened(text, MOST_CHARACTERS - len(more)) + more
        dot = next((word for fact in listed for arg in fact[1:] if arg != host and (word := hints.colour(arg))), "")
        return Badge(text, look, tuple(listed), dot)

    # ── goals and missing facts ──────────────────────────────────────────────────────────────────

    @property
    def goals(self) -> tuple[str, ...]:
        """The members of the goal, in PDDL."""
        return tuple(map(write_condition, self._goals))

    def _mark_goals(self, state: State, boxes: Mapping[str, Box], scene: Scene) -> None:
        met = []
        for goal in self._goals:
            try:
                holds = state.layout.holds(goal, state)
            except UndefinedError:  # it compares a fluent without a value
                holds = False
            met.append(holds)
            self._mark(goal, "met" if holds else "goal", boxes, scene)
        scene.goals = tuple(met)

    def _mark(self, condition: Condition, look: Look, boxes: Mapping[str, Box], scene: Scene) -> None:
        """A mark of a condition at the object that it is about."""
        atom = condition.body if isinstance(condition, Not) else condition
        denied = "not " if isinstance(condition, Not) else ""
        host = ""
        text = write_condition(condition)
        if isinstance(atom, Atom):
            fact = (atom.predicate, *atom.args)
            host = self.host(fact)
            others = said(fact, host)
            text = f"{denied}{atom.predicate}{f' {others}' if others else ''}"
        badges = boxes[host].badges if host in boxes else scene.status
        if look == "met" and isinstance(condition, Atom) and host in boxes:
            for place, badge in enumerate(badges):
                if badge.look == "fact" and badge.facts == (fact,):
                    # One badge says that the fact holds, and that it is a goal.
                    badges[place] = replace(badge, look="met")
                    return
        if look == "missing" or host in boxes:
            badges.append(Badge(text, look, ((write_condition(condition),),)))


def _wished(goal: Condition) -> Condition:
    """A goal with its preferences as if they were required."""
    return _wished(goal.body) if isinstance(goal, Preference) else map_children(goal, _wished)


def said(fact: Fact, host: str) -> str:
    """The arguments of a fact beside its host; ``·`` stands for the host where others come first."""
    args = list(fact[2:-1] if fact[0] == "=" else fact[1:])
    if host and args and args[0] == host:
        args = args[1:]
    elif host in args:
        args[args.index(host)] = "·"
    return " ".join([*args, fact[-1]] if fact[0] == "=" else args)


def _circular(name: str, up: Mapping[str, tuple[str, Fact]]) -> bool:
    """Whether an object would be inside itself."""
    above, seen = up[name][0], {name}
    while above in up and above not in seen:
        seen.add(above)
        above = up[above][0]
    return above == name
