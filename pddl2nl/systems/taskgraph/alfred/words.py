"""Instructions: what a task asks, in one sentence for each errand, with words drawn from lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pddl2nl.systems.taskgraph.alfred.classes import DATA
from pddl2nl.systems.taskgraph.alfred.types import Errand
from pddl2nl.tasks.generators.generator import Draw

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
