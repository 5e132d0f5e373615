"""A task in a scene: its problem in PDDL, what it asks in words, and its plan in subtasks.

The goals have the form of ALFRED's: something of a class shall be in something of a class. With ``hidden``, the only
things of the class are behind doors; with ``ambiguous``, the receptacle is told by what stands beside it, and only
someone who has seen the room knows which one is meant. These make the two kinds of replanning of the GraphPlan paper
necessary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from pddl2nl.errors import InputError
from pddl2nl.pddl import And, Atom, Condition, Equality, Exists, Not, TypedName
from pddl2nl.systems.taskgraph.alfred.scenes import LAYOUTS, SEEN_LAYOUTS, AlfredScene, make_scene
from pddl2nl.systems.taskgraph.alfred.types import (
    AFFORDANCES,
    DATA,
    FIXTURES,
    KNIVES,
    LAMPS,
    MOVABLES,
    OPENABLE,
    SKILLS,
    SLICEABLE,
    TASK_TYPES,
    Errand,
    Step,
    TaskType,
    plan_of,
    sliced_class,
    type_of,
)
from pddl2nl.tasks.generators.generator import ATTEMPTS, Draw, Generator, Parameter, ParameterValues, Sketch

_INSIDE = frozenset(("Cabinet", "Drawer", "Fridge", "GarbageCan", "Microwave", "Safe", "SinkBasin", "BathtubBasin"))
_NUMBERS = ("", "a", "two", "three")


def noun(name: str) -> str:
    """A class in words: ``SideTable`` is a side table, ``AppleSliced`` an apple slice."""
    words = " ".join(re.findall(r"CD|[A-Z][a-z]+", name)).lower()
    return words.replace(" sliced", " slice") if name != "CD" else "CD"


def _plural(words: str) -> str:
    if re.search(r"(?:s|x|ch|sh|ato)$", words):
        return f"{words}es"
    if words.endswith("knife"):
        return f"{words[:-2]}ves"
    return f"{words[:-1]}ies" if re.search(r"[^aeiou]y$", words) else f"{words}s"


def _article(words: str) -> str:
    return f"an {words}" if words[0].lower() in "aeiou" else f"a {words}"


def _what(errand: Errand, draw: Draw) -> str:
    treatments = [DATA["treatments"][each] for each in errand.treatments]
    told = [draw.pick(each["words"]) for each in treatments if "words" in each]
    # What is broken or thrown in the sentence itself is no property before it.
    told = told if errand.placed else []
    words = " ".join((*told, noun(errand.target)))
    what = _article(words) if errand.count == 1 else f"{_NUMBERS[errand.count]} {_plural(words)}"
    if "drop" in errand.treatments or "soil" in errand.treatments:
        done = "dropped" if "drop" in errand.treatments else "soiled"
        what = f"{what} that was {done} before"
    if errand.stacked and errand.whole:
        return f"{_article(noun(errand.dish))} with {what} in it"
    return f"{what} in {_article(noun(errand.dish))}" if errand.stacked else what


def _where(errand: Errand) -> str:
    if errand.beside:
        return f"on what stands beside the {noun(errand.beside)}"
    return f"{'in' if errand.place in _INSIDE else 'on'} {_article(noun(errand.place))}"


def instruction(errands: Sequence[Errand], draw: Draw) -> str:
    sentences, frames = [], DATA["frames"]
    for errand in errands:
        what = _what(errand, draw)
        if errand.light:
            sentence = draw.pick(frames["light"]).format(what=what, lamp=f"the {noun(errand.place)}")
        else:
            where = _where(errand)
            own = "" if errand.placed else " ".join(errand.treatments)
            sentence = draw.pick(frames.get(own, frames["put"])).format(what=what, where=where)
            sentence = sentence.replace("leave it", "leave them") if errand.count > 1 else sentence
        sentences.append(sentence)
    return " ".join(sentences)


Fact = tuple[str, ...]

_UNFIT = frozenset(
    ("CoffeeMachine", "Microwave", "SinkBasin", "BathtubBasin", "Toilet", "ToiletPaperHanger", "StoveBurner")
)
"""Where no errand ends."""
RESTS = ("CounterTop", "SinkBasin")
"""Where a knife is put after slicing."""


@dataclass(frozen=True)
class AlfredTask:
    """A task in a scene: its errands with their classes, its goal, its instruction and its plan in subtasks."""

    kind: TaskType
    scene: AlfredScene
    errands: tuple[Errand, ...]
    goal: Condition
    text: str
    plan: tuple[Step, ...]


def make_task(
    kind: TaskType, draw: Draw, *, unseen: bool = False, hidden: bool = False, ambiguous: bool = False
) -> AlfredTask | None:
    """A task of a type; None if what was drawn cannot be done.

    With `unseen` the layout is none of those seen in training, with `hidden` the things are behind doors, and with
    `ambiguous` the receptacle is told by what stands beside it.
    """
    layout = draw.between(SEEN_LAYOUTS + 1, LAYOUTS) if unseen else draw.between(1, SEEN_LAYOUTS)
    room = draw.pick(kind.rooms)
    bare = make_scene(room, layout, Draw(draw.below(10**9)))
    errands: list[Errand] = []
    for each in kind.errands:
        errand = _drawn(each, bare, draw, {used.thing for used in errands} | {used.dish for used in errands})
        if errand is None:
            return None
        errands.append(errand)
    sliced = [errand.thing for errand in errands if errand.sliced]
    scene = make_scene(room, layout, Draw(draw.below(10**9)), sliced)
    scene = _arranged(scene, errands, draw, hidden=hidden)
    if ambiguous:
        marked = _marked(errands[-1], scene, draw)
        if marked is None:
            return None
        errands[-1] = marked
    plan = tuple(step for errand in errands for step in plan_of(errand))
    goals = tuple(_goal(errand, scene) for errand in errands)
    if any(len(scene.of(errand.thing)) < errand.count for errand in errands):
        return None
    text = instruction(errands, draw)
    return AlfredTask(kind, scene, tuple(errands), goals[0] if len(goals) == 1 else And(goals), text, plan)


def _drawn(errand: Errand, scene: AlfredScene, draw: Draw, used: set[str]) -> Errand | None:
    """An errand with the classes of a scene, none of which is in use, or None."""
    treatments = [DATA["treatments"][each] for each in errand.treatments]
    needs = [each["needs"] for each in treatments if "needs" in each]

    def fits(name: str) -> bool:
        handled = sliced_class(name) if errand.sliced else name
        allowed = all(handled in {**AFFORDANCES, **SKILLS}[need] for need in needs)
        return allowed and (name in SLICEABLE if errand.sliced else name not in KNIVES) and name not in used

    classes = dict.fromkeys(scene.classes[each] for each in scene.things)
    dishes = [name for name in classes if name in MOVABLES and name not in used and name != "Box"]
    things = [
        name
        for name in classes
        if fits(name) and len(scene.of(name)) >= errand.count and not (errand.stacked and name in MOVABLES)
    ]
    lamps = [name for name in dict.fromkeys(scene.classes.values()) if name in LAMPS]
    places = [each for each in dict.fromkeys(map(scene.classes.__getitem__, scene.places)) if each not in _UNFIT]
    if not things or (errand.stacked and not dishes) or (errand.light and not lamps):
        return None
    thing = draw.pick(things)
    place = draw.pick(lamps if errand.light else [each for each in places if each not in ("Fridge",)])
    knife = draw.pick(KNIVES) if errand.sliced else ""
    rest = draw.pick(RESTS) if errand.sliced else ""
    dish = draw.pick(dishes) if errand.stacked else ""
    return replace(errand, thing=thing, dish=dish, place=place, knife=knife, rest=rest)


def _arranged(scene: AlfredScene, errands: Sequence[Errand], draw: Draw, *, hidden: bool) -> AlfredScene:
    """The scene with what the errands handle in view, or where it has to be."""
    doors = [each for each in scene.places if scene.classes[each] in OPENABLE and scene.classes[each] != "Microwave"]
    open_places = [
        each for each in scene.places if scene.classes[each] not in OPENABLE and scene.classes[each] not in _UNFIT
    ]
    where = dict(scene.where)
    for errand in errands:
        ends = {each for each in scene.places if scene.classes[each] == errand.place}
        behind = draw.pick(doors) if doors else ""
        for thing in scene.of(errand.thing):
            if errand.behind:
                where[thing] = next(iter(scene.of("Fridge")))
            elif hidden and behind:
                where[thing] = behind
            elif where[thing] in ends or where[thing] in doors:
                where[thing] = draw.pick([each for each in open_places if each not in ends] or open_places)
    return replace(scene, where=where)


def _marked(errand: Errand, scene: AlfredScene, draw: Draw) -> Errand | None:
    """The errand with another receptacle, told by what stands beside it; None if no such place is unique."""
    kinds = scene.classes
    neighbours = {one: {kinds[two] for each, two in scene.beside if each == one} for one in scene.places}
    choices = [
        (place, mark)
        for place in scene.places
        if kinds[place] not in _UNFIT and kinds[place] not in OPENABLE
        for mark in sorted(neighbours[place])
        if len(scene.of(mark)) == 1
        and sum(mark in neighbours[each] for each in scene.places if kinds[each] not in OPENABLE) == 1
    ]
    if errand.light or not errand.placed or not choices:
        return None
    place, mark = draw.pick(choices)
    return replace(errand, place=place, beside=mark)


def _goal(errand: Errand, scene: AlfredScene) -> Condition:
    kind = type_of(errand.target)
    names = [f"?x{number}" for number in range(1, errand.count + 1)] if errand.count > 1 else ["?x"]
    variables = [TypedName(name, (kind,)) for name in names]
    treatments = [DATA["treatments"][each] for each in errand.treatments]
    parts: list[Condition] = [Not(Equality(one, two)) for place, one in enumerate(names) for two in names[place + 1 :]]
    for name in names:
        parts += [Atom(each["result"], (name,)) for each in treatments if "result" in each]
        if errand.light:
            parts += [Atom("holding", (name,)), Atom("lit", (name,))]
        elif errand.placed:
            parts.append(Atom("inside", (name, "?m")) if errand.stacked else Atom("in", (name, "?p")))
    known = errand.place if errand.beside else "?p"
    if errand.stacked:
        variables.append(TypedName("?m", (type_of(errand.dish),)))
        parts.append(Atom("in", ("?m", known)))
    elif errand.beside:
        parts = [_bound(part, errand.place) for part in parts]
    if not errand.light and errand.placed and not errand.beside:
        variables.append(TypedName("?p", (type_of(errand.place),)))
    return Exists(tuple(variables), parts[0] if len(parts) == 1 else And(tuple(parts)))


def _bound(part: Condition, place: str) -> Condition:
    if isinstance(part, Atom):
        return Atom(part.predicate, tuple(place if term == "?p" else term for term in part.args))
    return part


def problem_facts(scene: AlfredScene, *, skills: bool) -> Iterator[tuple[Fact, ...]]:
    """The initial facts, in groups; with ``skills`` the affordances of those that ALFRED does not use."""
    kinds = scene.classes
    yield (("at", scene.start), ("hand-empty",))
    yield tuple(
        fact
        for each in scene.places
        if kinds[each] in OPENABLE
        for fact in (("openable", each), ("shut", each), *((("cools", each),) if kinds[each] == "Fridge" else ()))
    )
    yield tuple(("in", thing, place) for thing, place in scene.where.items())
    yield tuple(("slice-of", each, whole) for each, whole in scene.slices.items())
    yield tuple(
        ("stands" if kinds[device] in LAMPS else "runs-into", device, place) for device, place in scene.devices.items()
    )
    yield tuple(("beside", one, two) for one, two in scene.beside)
    carried = (*scene.things, *scene.slices)
    for predicate, classes in ({**AFFORDANCES, **SKILLS} if skills else AFFORDANCES).items():
        yield tuple((predicate, each) for each in carried if kinds[each] in classes)


def object_groups(scene: AlfredScene) -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = dict.fromkeys(scene.classes.values())
    ordered = sorted(names, key=lambda name: (name not in FIXTURES, [*names].index(name)))
    return tuple((type_of(name), scene.of(name)) for name in ordered)


_WIDTH = 90
"""The longest line of an instruction in a problem's comment."""

_KINDS: Mapping[str, TaskType] = {name.lower().replace("&", "-"): kind for name, kind in TASK_TYPES.items()}
"""The types by their names as parameters, ``slice-clean-place``."""


def _task_drawn(values: ParameterValues, draw: Draw) -> AlfredTask | None:
    return make_task(
        _KINDS[values["task"]],
        draw,
        unseen=values["layout"] == "unseen",
        hidden=values["things"] == "hidden",
        ambiguous=values["place"] == "ambiguous",
    )


def _sketch(task: AlfredTask) -> Sketch:
    return Sketch(
        objects=object_groups(task.scene),
        init=tuple(problem_facts(task.scene, skills=task.kind.group == "new")),
        goal=(task.goal,),
        summary="\n; ".join(wrap(task.text.removesuffix("."), _WIDTH)),
    )


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    task = _task_drawn(values, draw)
    return None if task is None else _sketch(task)


def task_of_seed(seed: int, given: Mapping[str, int | str]) -> AlfredTask:
    """The task whose problem ``generate("alfred", seed, …)`` writes; raises `InputError` as it does."""
    values, draw = GENERATOR.values(given), Draw(seed)
    drawn = (_task_drawn(values, draw) for _ in range(ATTEMPTS))
    task = next((each for each in drawn if each is not None and not _sketch(each).trivial), None)
    if task is None:
        raise InputError(f"{ATTEMPTS} draws with {values} gave no valid problem of alfred. Try another seed.")
    return task


def _small(draw: Draw) -> Mapping[str, int | str]:
    return {"task": draw.pick(tuple(_KINDS)), "layout": draw.pick(("seen", "unseen"))}


GENERATOR = Generator(
    domain="alfred",
    pddl_name="alfred",
    summary="a task of ALFRED's types, or of the GraphPlan paper's longer ones, in a room of about 68 objects; "
    "all that it needs is there, so every problem has a plan",
    parameters=(
        Parameter("task", "the type of the task", "pick-place", choices=tuple(_KINDS)),
        Parameter("layout", "whether the furniture is arranged as in training", "seen", choices=("seen", "unseen")),
        Parameter(
            "things", "whether things of the class can be seen, or are behind doors", "seen", choices=("seen", "hidden")
        ),
        Parameter(
            "place",
            "whether the receptacle is told by its class, or by what stands beside it",
            "class",
            choices=("class", "ambiguous"),
        ),
    ),
    make=_make,
    small=_small,
)
