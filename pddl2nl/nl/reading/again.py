"""Steps that a reply says by other steps of it: a repetition, or a correction of one object.

"Repeat steps 1 to 3 with c in place of a", "the same with c", "in step 2 it must be c". What leaves an object or a step
open stands for none: it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pddl2nl.nl.reading.clauses import ActionGrammar
from pddl2nl.nl.reading.lexicon import KnownObject
from pddl2nl.nl.reading.stance import amended
from pddl2nl.nl.reading.words import says, word_table
from pddlval import GroundAction

_NUMBERS = word_table("numbers")
_RANGE = re.compile(r"\bsteps? #?(?P<first>\d+) ?(?:to|through|[-–]) ?#?(?P<last>\d+)\b", re.IGNORECASE)
_COUNT = re.compile(rf"\bsame (?P<count>\d+|{'|'.join(_NUMBERS)}) (?:steps|actions|moves)\b", re.IGNORECASE)
# "In step 4 it has to be d, because c is …", "Step 4: a is blocked by b, so c has to go to d"
_BECAUSE = re.compile(r"\b(?:because|since|as)\b.*", re.DOTALL)
_REMARK = re.compile(r"(?:[,;(]|\s[-–—]|\.\s).*", re.DOTALL)
_INSTEAD = re.compile(
    r"\b(?:(?:instead|in place) of|rather than|not|replace|swap|exchange|change|for)\b", re.IGNORECASE
)
_SO = re.compile(r".*\b(?:so|therefore|thus|hence)\b", re.DOTALL | re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?])\s")
_SAME = re.compile(r"\bthe same\b|\blikewise\b", re.IGNORECASE)
# "Repeat steps 1 to 3 with c in place of a, and all four balls are in b": what stands behind "and" repeats nothing.
_AND_SO = re.compile(r",? and (?:all|then|now|so|everything|the goal|that|this)\b.*", re.DOTALL | re.IGNORECASE)
_FOR = re.compile(r"\b(?:in place|instead) of\b", re.IGNORECASE)


def repeated(
    grammar: ActionGrammar, text: str, plan: Sequence[tuple[int | None, GroundAction | None]]
) -> list[GroundAction]:
    """The steps of "Repeat steps 1 to 3 with c in place of a"; none where a step or an object is left open.

    ``plan``: the steps before it with their numbers; "the same three steps" are the last ones.
    """
    text = next((said for said in _SENTENCES.split(text) if says("unsaid", said)), text)
    if says("varied", text):
        return []
    before = set[str]()
    if found := _RANGE.search(text):
        first, last = int(found["first"]), int(found["last"])
        steps = [action for number, action in plan if number is not None and first <= number <= last]
        count = last - first + 1
    elif found := _COUNT.search(text):
        said = found["count"].lower()
        count = int(said if said.isdigit() else _NUMBERS[said][0])
        steps = [action for _, action in plan[-count:]]
    elif found := _SAME.search(text):
        # "Do the same with c and d" repeats one step.
        count, steps = 1, [action for _, action in plan[-1:]]
        before = {arg for _, action in plan[:-1] if action for arg in action.args}
    else:
        return []
    known = [step for step in steps if step is not None]
    other = _exchanges(grammar, text[found.end() :], known)
    used = {arg for step in known for arg in step.args}
    # Of several steps that speak of a, "the same with c" may mean all.
    if len(known) != count or not used.issuperset(other) or before.issuperset(other):
        return []
    return [step._replace(args=tuple(other.get(arg, arg) for arg in step.args)) for step in known]


def _fits(grammar: ActionGrammar, steps: Sequence[GroundAction], arg: str, item: KnownObject) -> bool:
    """Whether an object can stand wherever another one stands in steps."""
    places = (
        (grammar.frames.frames[step.name], at) for step in steps for at, own in enumerate(step.args) if own == arg
    )
    return all(grammar.suits(frame, at, item) for frame, at in places)


def _exchanges(grammar: ActionGrammar, text: str, steps: Sequence[GroundAction]) -> dict[str, str]:
    """The objects in place of others in "c and d in place of a and b"; empty where one is left over.

    "With c and d" alone puts them in place of the steps' objects of their kinds, if there are as many.
    """
    new, *runs = (grammar.objects_in(run) for run in _FOR.split(_AND_SO.sub("", text)))
    if not runs and new:
        used = dict.fromkeys(arg for step in steps for arg in step.args)
        kinds = [[arg for arg in used if _fits(grammar, steps, arg, item)] for item in new]
        if any(len(kind) != kinds.count(kind) for kind in kinds):
            return {}
        # Those of one kind in their order: balls for balls, and persons for persons.
        return {kind[kinds[:at].count(kind)]: item.pddl for at, (kind, item) in enumerate(zip(kinds, new, strict=True))}
    other: dict[str, str] = {}
    for run in runs:
        other |= {old.pddl: item.pddl for old, item in zip(run, new, strict=False)}
        new = run[len(new) :] if len(run) >= len(new) else new
    return {} if new else other


def exchanged(grammar: ActionGrammar, text: str, step: GroundAction) -> list[GroundAction]:
    """The ways to put the one object of a text that a step does not name into it, for the other one or any."""
    text = next((said for said in _SENTENCES.split(text) if amended(said)), text)
    behind = _SO.sub("", text)
    for said in (behind,) if behind != text else (text, _BECAUSE.sub("", text), _REMARK.sub("", text)):
        objects = {item.pddl: item for item in grammar.objects_in(said)}
        new = [item for name, item in objects.items() if name not in step.args]
        if len(new) == 1:
            # "d, not b" puts d in the place of b; "a has to go onto d" leaves a where it is.
            mark = _INSTEAD.search(said)
            others = grammar.objects_in(said[mark.end() :]) if mark else []
            old = next((item.pddl for item in others if item.pddl in step.args), "")
            places = [at for at, arg in enumerate(step.args) if (arg == old if old else arg not in objects)]
            return _with(grammar, new[0], step, places)
    return []


def _with(grammar: ActionGrammar, item: KnownObject, step: GroundAction, places: Iterable[int]) -> list[GroundAction]:
    """A step with an object put into each of the places that it fits."""
    frame = grammar.frames.frames[step.name]
    fitting = [place for place in places if grammar.suits(frame, place, item)]
    return [step._replace(args=(*step.args[:at], item.pddl, *step.args[at + 1 :])) for at in fitting]
