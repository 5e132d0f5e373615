"""Thoughts for a few-shot example, by a model, in one call (section 4 and appendix E of the AutoPlanBench paper).

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                the instruction (``prompts/thoughts.txt``)
user, assistant       a trajectory in Logistics with placeholders for its thoughts, and the thoughts, written by hand
                      (``thoughts_example.txt``, ``thoughts_answer.txt``): the same for every domain
user                  domain, problem, and the example's trajectory: for each step a placeholder, the action and the
                      observation (``thoughts_target.txt``)
assistant, user       where the first answer cannot be used: it, and what is wrong with it (``thoughts_again.txt``)
====================  ==========================================================================================

Nothing in it depends on the mechanism that shows the example, so that CoT and ReAct show the same thoughts and a cache
serves the second of the two.

A reply is untrusted text. Tolerated are marks of bold letters, bullets and fences, placeholders written as ``1.`` or
``Thought 1:``, the label "Thought:" before a thought, the trajectory's own lines repeated between them, thinking in
tags, and a JSON object or array of the thoughts. All else must be as asked, since the thoughts go into a prompt: their
number, and that none is empty or holds a tag of `nl.markers`. After one more try the template's thoughts stand in, and
the record says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pddl2nl.llm import Completion, ContextWindowError, Finish, Message, Model, Request
from pddl2nl.nl.markers import ACTION, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.nl.wording.word_checks import without_thinking
from pddl2nl.policies.prompting import fill, problem_text, prompt_text
from pddl2nl.policies.setting import Example

__all__ = [
    "THOUGHTS_PROMPTS",
    "THOUGHTS_TOKENS",
    "ReadThoughts",
    "placeholder",
    "read_thoughts",
    "think",
    "trajectory",
]


THOUGHTS_PROMPTS = (
    "thoughts.txt",
    "thoughts_example.txt",
    "thoughts_answer.txt",
    "thoughts_target.txt",
    "thoughts_again.txt",
    "problem.txt",
)
"""The files that the prompt is made of."""

THOUGHTS_TOKENS = 2000
"""How long the reply may be (appendix A of the paper)."""

_TRIES = 2
_OBSERVATION = "Observation:"
_TAGS = (ACTION, THOUGHT, _OBSERVATION, PLAN_START, PLAN_END, "[THOUGHT")
"""Marks that a thought must not hold: a model that copies them would produce replies that are misread."""

_STRIPES = " *_`#>•|-"
_MARKS = r"[ \t*_`#>•|-]*"
_TAG = r"[\[(<{]\s*thought\s*#?(?P<tagged>\d{1,4})\s*[\])>}]"
_HEADS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"^{_MARKS}(?:\d{{1,4}}[.)]{_MARKS})?(?:thought\s*:{_MARKS})?{_TAG}",
        _TAG,
        rf"^{_MARKS}(?:"
        r"(?:thought|step|placeholder)\s*\#?(?P<named>\d{1,4})(?=[\s*_`]*(?:[:.)–—-]|$))"
        r"|[\[(](?P<bracketed>\d{1,4})[\])]"
        r"|(?P<plain>\d{1,4})(?:[.):]|\s+[–—-])(?=[\s*_`]|$))",
        rf"^{_MARKS}(?P<label>thought)\s*[*_`]*:",
    )
)
"""Where a thought may begin, the strictest first; the last has no number."""

_LABEL = re.compile(r"thought\s*[*_`]*:", re.IGNORECASE)
_KEYED = re.compile(r"[\"']\s*:")
_FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)\n[^\S\n]*```", re.DOTALL | re.IGNORECASE)
_BARE_HEAD = re.compile(r"(?:step|thought)?\d{0,4}", re.IGNORECASE)
_QUOTES = (('"', '"'), ("“", "”"), ("«", "»"))


@dataclass(frozen=True)
class ReadThoughts:
    """The thoughts of a reply, or, as sentences, what is wrong with it."""

    texts: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def placeholder(number: int) -> str:
    """What stands for a thought; numbers begin with 1."""
    return f"[THOUGHT {number}]"


def trajectory(example: Example) -> str:
    """The steps of an example as ReAct shows them, with placeholders for the thoughts."""
    return "\n\n".join(
        f"{THOUGHT} {placeholder(number)}\n{ACTION} {step.action}\n{_OBSERVATION} {step.observation}"
        for number, step in enumerate(example.steps, 1)
    )


def think(
    example: Example,
    domain_text: str,
    model: Model,
    *,
    seed: int | None = 1,
    temperature: float | None = 0.0,
    max_tokens: int = THOUGHTS_TOKENS,
) -> Example:
    """The example with a model's thoughts in place of its own.

    Where no answer can be used, which includes one that was refused, filtered or cut off, and where the prompt is too
    long for the model, the example keeps its thoughts, and its ``thoughts_note`` says why.

    Args:
        example: told, with the template's thoughts.
        domain_text: its domain, told in the same wording.
        model: asked once, and once more where the first answer cannot be used.
        seed, temperature, max_tokens: of the calls.

    Raises:
        InfrastructureError: no reply could be had.
        ReplyPendingError: a batch will bring it.
    """
    if not example.steps:
        return example
    messages = _opening(example, domain_text)
    notes: list[str] = []
    for _ in range(_TRIES):
        try:
            reply = model.complete(Request(tuple(messages), "thoughts", temperature, seed, max_tokens))
        except ContextWindowError as error:
            notes.append(str(error))
            break
        read = _read(reply, example, max_tokens)
        if not read.faults:
            steps = [replace(step, thought=text) for step, text in zip(example.steps, read.texts, strict=True)]
            return replace(example, steps=tuple(steps), thoughts="llm", thoughts_note="")
        notes.append(" ".join(read.faults))
        messages += [_shown(reply), Message("user", _feedback(read.faults, len(example.steps)))]
    return replace(example, thoughts_note=f"no thoughts of the model's could be used. {' Then: '.join(notes)}")


def _opening(example: Example, domain_text: str) -> list[Message]:
    target = fill("thoughts_target.txt", domain=domain_text, problem=problem_text(example), steps=trajectory(example))
    return [
        Message("system", prompt_text("thoughts.txt")),
        Message("user", prompt_text("thoughts_example.txt")),
        Message("assistant", prompt_text("thoughts_answer.txt")),
        Message("user", target),
    ]


def _feedback(faults: Sequence[str], number: int) -> str:
    every = placeholder(1) if number == 1 else f"{placeholder(1)} to {placeholder(number)}"
    return fill("thoughts_again.txt", faults="\n".join(f"- {fault}" for fault in faults), placeholders=every)


def _shown(reply: Completion) -> Message:
    # Dots for an empty one, which endpoints refuse, and nothing that is no text.
    return Message("assistant", reply.text.encode("utf-8", "replace").decode("utf-8").strip() or "…")


# ── the answer ───────────────────────────────────────────────────────────────────────────────────


def _read(reply: Completion, example: Example, max_tokens: int) -> ReadThoughts:
    short: Mapping[Finish, str] = {
        "length": f"It was cut off after {max_tokens} tokens; be briefer, a sentence for each thought.",
        "refused": "The model refused to answer.",
        "filtered": "The answer was withheld by a filter.",
        "empty": "It is empty.",
    }
    if reply.finish in short:
        return ReadThoughts(faults=(short[reply.finish],))
    return read_thoughts(reply.text, example)


def read_thoughts(text: str, example: Example) -> ReadThoughts:
    """The thoughts in a model's answer: one for each step of the example, checked."""
    number = len(example.steps)
    said = "\n".join(without_thinking(text.encode("utf-8", "replace").decode("utf-8")).splitlines())
    said = _from_json(said) or said
    found = _numbered(said, number)
    faults = _wrong_numbers([place for place, _ in found], number)
    if faults:
        return ReadThoughts(faults=faults)
    own = {_bare(line) for line in trajectory(example).split("\n")}
    texts = tuple(_thought(body, own, last=index == number) for index, (_, body) in enumerate(found, 1))
    faults = tuple(fault for place, thought in enumerate(texts, 1) for fault in _wrong(placeholder(place), thought))
    return ReadThoughts(faults=faults) if faults else ReadThoughts(texts)


def _from_json(said: str) -> str | None:
    """The thoughts of a JSON object or array as lines behind their placeholders; None where the answer is neither."""
    fenced = _FENCED.search(said)
    try:
        data = json.loads(fenced[1] if fenced else said)
        while isinstance(data, dict) and len(data) == 1 and isinstance(inner := next(iter(data.values())), dict | list):
            data = inner
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict | list):
        return None
    items = list(data.items()) if isinstance(data, dict) else [(str(place), item) for place, item in enumerate(data, 1)]
    lines = []
    for place, (key, item) in enumerate(items, 1):
        if isinstance(item, dict):
            item = next((value for name, value in item.items() if "thought" in name.lower()), None)
        if not isinstance(item, str):
            return None
        digits = re.search(r"\d{1,4}", key)
        lines.append(f"{placeholder(int(digits[0]) if digits else place)} {item}")
    return "\n".join(lines)


def _numbered(said: str, number: int) -> list[tuple[int, str]]:
    """What stands behind each placeholder, with its number, up to the next: as told apart where that comes out even."""
    ways = [_parted(said, heads) for heads in _HEADS]
    wanted = list(range(1, number + 1))
    even = (way for way in ways if [place for place, _ in way] == wanted)
    return next(even, None) or next((way for way in ways if way), [])


def _parted(said: str, heads: re.Pattern[str]) -> list[tuple[int, str]]:
    matches = list(heads.finditer(said))
    begins = [match.start() for match in matches]
    return [
        (_number(match, place), said[match.end() : end])
        for place, (match, end) in enumerate(zip(matches, [*begins[1:], len(said)], strict=False), 1)
    ]


def _number(match: re.Match[str], place: int) -> int:
    said = next(text for text in match.groupdict().values() if text is not None)
    return int(said) if said.isdecimal() else place


def _wrong_numbers(places: Sequence[int], number: int) -> tuple[str, ...]:
    wanted = range(1, number + 1)
    missing = [placeholder(place) for place in wanted if place not in places]
    twice = [placeholder(place) for place in wanted if places.count(place) > 1]
    others = [placeholder(place) for place in dict.fromkeys(places) if place not in wanted]
    there = "is 1 placeholder" if number == 1 else f"are {number} placeholders"
    if list(places) == list(wanted):
        return ()
    found = ["The thoughts are not in the order of their placeholders."] if sorted(places) == list(wanted) else []
    if len(places) != number:
        filled = "none of them is" if not places else f"{len(places)} thought{'s are' if len(places) > 1 else ' is'}"
        found.append(f"There {there}, and {filled} given.")
    if missing and places:
        found.append(f"The thought for {enumerate_words(missing)} is missing.")
    if twice:
        found.append(f"There is more than one thought for {enumerate_words(twice)}.")
    if others:
        found.append(f"There is no placeholder {enumerate_words(others)}.")
    return tuple(found)


def _thought(body: str, own: set[str], *, last: bool) -> str:
    """A thought as one line, without what a model wraps around it and without the trajectory's own lines."""
    if last:
        # What comes after a blank line or a closing fence behind the last one is said to us: "Let me know if …".
        body = re.split(r"\n[^\S\n]*(?:\n|```)", body.strip(), maxsplit=1)[0]
    lines = [line for line in body.split("\n") if not line.strip().startswith("```")]
    said = " ".join(line for line in lines if _bare(line) not in own and not _is_bare_head(line))
    said, before = " ".join(said.split()), ""
    while said != before:
        said, before = _unwrapped(said), said
    return said


def _unwrapped(said: str) -> str:
    said = said.rstrip(_STRIPES).lstrip(_STRIPES + ":.)]=–—")
    label = _LABEL.match(said)
    said = said[label.end() :].strip() if label else said
    for left, right in _QUOTES:
        if len(said) > 1 and said.startswith(left) and said.endswith(right) and left not in said[1:-1]:
            said = said[1:-1].strip()
    return said


def _is_bare_head(line: str) -> bool:
    """Whether a line is nothing but the label or number of what follows: "Step 2", "3.", "Thought:", "---"."""
    return _BARE_HEAD.fullmatch(re.sub(r"[\W_]+", "", line)) is not None


def _bare(line: str) -> str:
    return re.sub(r"[\s*_`#>•-]+", " ", line).strip(" .;").lower()


def _wrong(place: str, thought: str) -> list[str]:
    if not any(character.isalnum() for character in thought):
        return [f"The thought for {place} is empty."]
    if _KEYED.match(thought):
        return [f"The thought for {place} is no plain text."]
    held = [tag for tag in _TAGS if tag.lower() in thought.lower()]
    return [f'The thought for {place} holds "{held[0]}", which is no part of a thought.'] if held else []
