"""The prompt of the T-LLM (sections 4, appendix A and D of the AutoPlanBench paper, "T-LLM").

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                the instruction, every action snippet with its PDDL form, the objects: first the invented
                      ones of the examples, then the task's (``prompts/translator.txt``)
user, assistant, …    up to five actions on invented objects, each with its translation, as chat history
user                  the line to translate
====================  ==========================================================================================

The prompt depends on the domain, its wording and a seed only, so it is the same for every mechanism and, except for the
list of objects, for every problem of the domain. Objects have their told names in it, in language and in PDDL, because
a model has seen no other names.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Line, Slot
from pddl2nl.nl import Names, Reader, Wording
from pddl2nl.nl.reading.words import words_of
from pddl2nl.pddl.task import Task, changed_predicates, supertypes
from pddl2nl.pddl.tree import ActionSchema, Atom, Domain, TypedName, conjuncts
from pddl2nl.policies.prompts import CORE_PROMPTS
from pddl2nl.policies.translating import FINISHED, LOOK_AROUND, NO_ACTION

TRANSLATOR_PROMPT = "translator.txt"
"""The file of the prompt for one line."""

REPLY_PROMPT = "translator_reply.txt"
"""The file of the prompt for a whole reply."""

EXAMPLES = 5
"""The most actions that are shown translated."""

_NUMBERS = range(701, 1000)
"""The numbers of invented objects, far above those of the task's objects."""


def translation_opening(task: Task, wording: Wording, names: Names, seed: int = 1) -> tuple[Message, ...]:
    """The conversation up to the line to translate.

    Args:
        task: its domain's actions and its objects are listed.
        wording: of the actions.
        names: of the objects.
        seed: selects the actions of the examples and the numbers of their objects.
    """
    rng = random.Random(seed)
    drawn = rng.sample(list(task.domain.actions), len(task.domain.actions))
    first = {len(schema.parameters): schema for schema in reversed(drawn)}
    # One of each number of parameters, then any others.
    shown = sorted(drawn, key=lambda schema: first[len(schema.parameters)] is not schema)[:EXAMPLES]
    stems = _Stems(task.domain, wording, names.scheme, rng)
    invented = _Invented(_taken(task, wording, names), rng)
    history: list[Message] = []
    for schema in shown:
        objects = invented.objects([stems.of(parameter, schema) for parameter in schema.parameters])
        history.append(Message("user", wording.actions[schema.name].fill(objects)))
        history.append(Message("assistant", _pddl(schema.name, objects)))
    told = (names.to_nl.get(name, name) for name in task.objects)
    listed = ", ".join([*invented.names, *told]) or "none"
    actions = _actions(task, wording)
    system = CORE_PROMPTS.fill(TRANSLATOR_PROMPT, actions=actions, objects=listed, no_action=NO_ACTION)
    return (Message("system", system), *history)


def reply_opening(task: Task, wording: Wording, names: Names) -> tuple[Message, ...]:
    """The conversation up to a whole reply to translate: the instruction, the actions and the task's objects."""
    objects = ", ".join(names.to_nl.get(name, name) for name in task.objects) or "none"
    said = {"no_action": NO_ACTION, "look_around": LOOK_AROUND, "finished": FINISHED}
    return (
        Message("system", CORE_PROMPTS.fill(REPLY_PROMPT, actions=_actions(task, wording), objects=objects, **said)),
    )


def pddl_lines(task: Task, names: Names) -> tuple[Line, ...]:
    """The task's ground actions in PDDL with told names of objects, by slots."""
    lines: list[Line] = []
    for schema in task.domain.actions:
        parts: list[str | Slot] = [f"({schema.name}"]
        for parameter in schema.parameters:
            parts += [" ", tuple(names.to_nl.get(name, name) for name in task.objects_of(parameter.types))]
        if all(parts):
            lines.append((*parts, ")"))
    return tuple(lines)


def _actions(task: Task, wording: Wording) -> str:
    """Every action snippet with its PDDL form, a line each."""
    snippets = ((schema.name, wording.actions[schema.name]) for schema in task.domain.actions)
    return "\n".join(f"{item.fill(item.parameters)}: {_pddl(name, item.parameters)}" for name, item in snippets)


def _pddl(name: str, args: Sequence[str]) -> str:
    return f"({' '.join((name, *args))})"


class _Stems:
    """The name of an object before its number, by the parameter that it fills, as in typed names."""

    def __init__(self, domain: Domain, wording: Wording, scheme: str, rng: random.Random):
        self._above = supertypes(domain)
        self._changed = changed_predicates(domain)
        self._inferred = scheme == "inferred" and not any(item.name != "object" for item in domain.types)
        self._general = re.sub(r"[^\w-]+", "_", wording.types.get("object", "")).strip("_").lower() or "object"
        self._rng = rng

    def of(self, parameter: TypedName, schema: ActionSchema) -> str:
        """The stem for a parameter: a most specific type below its own, as most objects have one."""
        if self._inferred:
            static = (
                part.predicate
                for part in conjuncts(schema.precondition)
                if isinstance(part, Atom) and part.args == (parameter.name,) and part.predicate not in self._changed
            )
            return next(static, self._general)
        below = [kind for kind, above in self._above.items() if any(wanted in above for wanted in parameter.types)]
        leaves = [kind for kind in below if not any(kind in self._above[other] for other in below if other != kind)]
        leaves = [kind for kind in leaves or parameter.types if kind != "object"]
        return self._rng.choice(leaves) if leaves else self._general


class _Invented:
    """Invented objects, a stem with a number each; ``names`` holds all of them, in order of use."""

    def __init__(self, taken: Callable[[str], bool], rng: random.Random):
        self.names: list[str] = []
        self._taken = taken
        self._rng = rng
        self._made: defaultdict[str, list[str]] = defaultdict(list)
        self._numbers: dict[str, Iterator[int]] = {}

    def objects(self, stems: Sequence[str]) -> list[str]:
        """Distinct objects, one for each stem; those of earlier examples are used again, in any order."""
        free: dict[str, list[str]] = {}
        for stem in stems:
            if stem not in free:
                made = self._made[stem]
                made += [self._new(stem) for _ in range(stems.count(stem) - len(made))]
                free[stem] = self._rng.sample(made, len(made))
        return [free[stem].pop() for stem in stems]

    def _new(self, stem: str) -> str:
        if stem not in self._numbers:
            self._numbers[stem] = chain(self._rng.sample(_NUMBERS, len(_NUMBERS)), count(_NUMBERS.stop))
        name = next(name for number in self._numbers[stem] if not self._taken(name := f"{stem}_{number}"))
        self.names.append(name)
        return name


def _taken(task: Task, wording: Wording, names: Names) -> Callable[[str], bool]:
    """Tells whether a name could mean an object of the task, in any spelling that a reader accepts."""
    lexicon = Reader(task, wording, names).lexicon
    spelled = {_squeezed(name) for name in (*task.objects, *names.to_nl.values(), *names.aliases)}

    def taken(name: str) -> bool:
        words = words_of(name)
        return _squeezed(name) in spelled or any(lexicon.at(words, index)[0] for index in range(len(words)))

    return taken


def _squeezed(name: str) -> str:
    return re.sub(r"[-_]", "", name).casefold()
