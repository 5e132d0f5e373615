"""Instructions: what a task asks, in one sentence for each errand, with words drawn from lists; and read back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from pddl2nl.tasks.generators.alfred.classes import ALL_CLASSES, KNIVES
from pddl2nl.tasks.generators.alfred.types import TASK_TYPES, Errand, Step, Treatment, plan_of
from pddl2nl.tasks.generators.draws import Draw

_ADJECTIVES: Mapping[Treatment, tuple[str, ...]] = MappingProxyType(
    {
        "clean": ("clean", "washed", "rinsed"),
        "heat": ("hot", "heated", "warmed"),
        "cool": ("cold", "chilled", "cooled"),
        "cook": ("cooked", "fried"),
        "fill": ("filled", "full"),
        "break": ("broken", "cracked"),
        "use-up": ("used-up", "empty"),
    }
)
_FRAMES = (
    "Put {what} {where}.",
    "Place {what} {where}.",
    "Bring {what} and leave it {where}.",
    "Set {what} down {where}.",
    "I want {what} {where}.",
    "There shall be {what} {where}.",
)
_LIGHT = (
    "Examine {what} under {lamp}.",
    "Look at {what} in the light of {lamp}.",
    "Hold {what} and switch on {lamp}.",
    "Pick up {what} and turn on {lamp}.",
    "Inspect {what} by {lamp}.",
)
_OTHER: Mapping[tuple[Treatment, ...], tuple[str, ...]] = MappingProxyType(
    {
        ("break", "throw"): (
            "Break {what} and throw it {where}.",
            "Crack {what}, then throw it {where}.",
            "Throw {what} {where} after breaking it.",
            "Smash {what} and toss it {where}.",
            "First break {what}, then throw it {where}.",
        ),
        ("use-up", "throw"): (
            "Use up {what} and throw it {where}.",
            "Empty {what}, then throw it {where}.",
            "Throw {what} {where} once it is used up.",
            "Finish {what} and toss it {where}.",
            "First use up {what}, then throw it {where}.",
        ),
        ("push", "pull"): (
            "Push {what} and pull it back.",
            "Push {what}, then pull it.",
            "Move {what} by pushing and then pulling it.",
            "Give {what} a push and a pull.",
            "First push {what}, then pull it.",
        ),
    }
)
_INSIDE = frozenset(("Cabinet", "Drawer", "Fridge", "GarbageCan", "Microwave", "Safe", "SinkBasin", "BathtubBasin"))
_NUMBERS = ("", "a", "two", "three")
_BEFORE: Mapping[str, tuple[Treatment, ...]] = MappingProxyType({"dropped": ("drop",), "soiled": ("soil",)})


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
    told = [draw.pick(_ADJECTIVES[each]) for each in errand.treatments if each in _ADJECTIVES]
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
    """The sentences of a task's errands."""
    sentences = []
    for errand in errands:
        what = _what(errand, draw)
        if errand.light:
            sentence = draw.pick(_LIGHT).format(what=what, lamp=f"the {noun(errand.place)}")
        else:
            where = _where(errand)
            frames = _OTHER.get(errand.treatments, _FRAMES) if not errand.placed else _FRAMES
            sentence = draw.pick(frames).format(what=what, where=where)
            sentence = sentence.replace("leave it", "leave them") if errand.count > 1 else sentence
        sentences.append(sentence)
    return " ".join(sentences)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def plan_in(text: str) -> tuple[Step, ...] | None:
    """The plan of the task that an instruction describes, in classes of objects; None if it is none of ours.

    What the instruction leaves open is chosen: the knife, and where it is put. Where a receptacle is told by what
    stands beside it, its class is in no text, and there is no plan.
    """
    errands = [_errand_in(sentence) for sentence in re.split(r"(?<=\.)\s+", text.strip())]
    if None in errands:
        return None
    return tuple(step for errand in errands if errand is not None for step in plan_of(errand))


def _errand_in(sentence: str) -> Errand | None:
    for pattern, treatments in _sentences():
        match = pattern.fullmatch(sentence)
        if match is not None:
            said = {name: value for name, value in match.groupdict().items() if value is not None}
            return _errand_of(said, treatments)
    return None


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], tuple[Treatment, ...]], ...]:
    """The sentences as patterns, each with the treatments that its verbs say."""
    adjectives = "|".join(word for words in _ADJECTIVES.values() for word in words)
    one, many = "|".join(map(noun, ALL_CLASSES)), "|".join(_plural(noun(name)) for name in ALL_CLASSES)
    what = (
        rf"(?:an? (?P<whole>{one}) with )?(?P<count>an?|two|three) (?P<adjectives>(?:(?:{adjectives}) )*)"
        rf"(?P<thing>{one}|{many})(?: that was (?P<before>dropped|soiled) before)?"
        rf"(?: in it)?(?: in an? (?P<dish>{one}))?"
    )
    slots = {"what": what, "where": rf"(?:in|on) an? (?P<place>{one})", "lamp": rf"the (?P<lamp>{one})"}

    def patterns(
        frames: Sequence[str], treatments: tuple[Treatment, ...] = ()
    ) -> Iterator[tuple[re.Pattern[str], tuple[Treatment, ...]]]:
        for frame in frames:
            text = re.escape(frame).replace("leave\\ it", r"leave\ (?:it|them)")
            for name, pattern in slots.items():
                text = text.replace(re.escape(f"{{{name}}}"), pattern)
            yield re.compile(text), treatments

    return (
        *patterns(_FRAMES),
        *patterns(_LIGHT),
        *(each for key, own in _OTHER.items() for each in patterns(own, key)),
    )


def _errand_of(said: Mapping[str, str], treatments: tuple[Treatment, ...]) -> Errand | None:
    """The errand of a sentence: of those of all types, the one that is told so, with its classes."""
    classes = {noun(name): name for name in ALL_CLASSES}
    classes |= {_plural(told): name for told, name in classes.items()}
    words = {word: each for each, own in _ADJECTIVES.items() for word in own}
    before = _BEFORE[said["before"]] if "before" in said else ()
    thing = classes[said["thing"]]
    dish = said.get("whole", said.get("dish", ""))
    told = Errand(
        treatments=(*before, *(words[word] for word in said["adjectives"].split()), *treatments),
        count=_NUMBERS.index(said["count"].removesuffix("n")),
        sliced=thing.endswith("Sliced"),
        stacked=bool(dish),
        whole="whole" in said,
        light="lamp" in said,
        placed=not treatments,
    )
    errands = (errand for kind in TASK_TYPES.values() for errand in kind.errands)
    errand = next((each for each in errands if replace(each, behind=False) == told), None)
    if errand is None:
        return None
    return replace(
        errand,
        thing=thing.removesuffix("Sliced"),
        dish=classes.get(dish, ""),
        place=classes.get(said.get("place", said.get("lamp", "")), ""),
        knife=KNIVES[0] if told.sliced else "",
        rest="CounterTop" if told.sliced else "",
    )
