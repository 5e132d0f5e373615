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

CoT and ReAct ask the same and show the same thoughts, so a cache serves the second of the two.

A reply is untrusted text. Bold letters, bullets, fences, placeholders written as ``1.`` or ``Thought 1:``, repeated
lines of the trajectory and thinking in tags are tolerated. The number of thoughts must be as asked, and none may be
empty or hold a tag of `nl.markers`, since they go into a prompt. After one more try the template's thoughts stand in,
and the record says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pddl2nl.llm import ContextWindowError, Finish, Message, Model, Request
from pddl2nl.nl.markers import ACTION, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.nl.wording.word_checks import without_thinking
from pddl2nl.policies.prompting import problem_text
from pddl2nl.policies.prompts import CORE_PROMPTS
from pddl2nl.policies.setting import Example

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

_MARKS = " \t*_`#>•|-"
_TAG = r"[\[(<{]\s*thought\s*#?(\d{1,4})\s*[\])>}]"
_HEADS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"^[{_MARKS}]*(?:\d{{1,4}}[.)][{_MARKS}]*)?(?:thought\s*:[{_MARKS}]*)?{_TAG}",
        _TAG,
        rf"^[{_MARKS}]*(?:thought|step|placeholder)?\s*[#(\[]?(\d{{1,4}})(?=[\s*_`]*(?:[\]:.)–—-]|$))",
    )
)
"""Where a thought may begin, the strictest first."""
_LABEL = re.compile(r"thought\s*[*_`]*:", re.IGNORECASE)
_NO_THOUGHT = re.compile(r"(?:step|thought)?\d{0,4}", re.IGNORECASE)
"""The letters of a line that holds no thought: "Step 2", "3.", "Thought:", "---", a fence."""
_SHORT: Mapping[Finish, str] = {
    "length": "It was cut off after {tokens} tokens; be briefer, a sentence for each thought.",
    "refused": "The model refused to answer.",
    "filtered": "The answer was withheld by a filter.",
    "empty": "It is empty.",
}


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
    example: Example, domain_text: str, model: Model, *, seed: int | None = 1, temperature: float | None = 0.0
) -> Example:
    """The example with a model's thoughts in place of its own.

    Where no answer can be used, also because it was refused, filtered or cut off, or the prompt is too long for the
    model, the example keeps its thoughts, and its ``thoughts_note`` says why.

    Args:
        example: told, with the template's thoughts.
        domain_text: its domain, told in the same wording.
        model: asked once, and once more where the first answer cannot be used.
        seed, temperature: of the calls.

    Raises:
        InfrastructureError: there is no reply.
        ReplyPendingError: a batch will bring it.
    """
    if not example.steps:
        return example
    every = placeholder(1) if len(example.steps) == 1 else f"{placeholder(1)} to {placeholder(len(example.steps))}"
    steps, problem = trajectory(example), problem_text(example)
    messages = [
        Message("system", CORE_PROMPTS.text("thoughts.txt")),
        Message("user", CORE_PROMPTS.text("thoughts_example.txt")),
        Message("assistant", CORE_PROMPTS.text("thoughts_answer.txt")),
        Message("user", CORE_PROMPTS.fill("thoughts_target.txt", domain=domain_text, problem=problem, steps=steps)),
    ]
    notes: list[str] = []
    for _ in range(_TRIES):
        try:
            reply = model.complete(Request(tuple(messages), "thoughts", temperature, seed, THOUGHTS_TOKENS))
        except ContextWindowError as error:
            notes.append(str(error))
            break
        text = reply.text.encode("utf-8", "replace").decode("utf-8")
        short = _SHORT.get(reply.finish, "").format(tokens=reply.usage.completion_tokens or THOUGHTS_TOKENS)
        read = ReadThoughts(faults=(short,)) if short else read_thoughts(text, example)
        if not read.faults:
            thinking = [replace(step, thought=text) for step, text in zip(example.steps, read.texts, strict=True)]
            return replace(example, steps=tuple(thinking), thoughts="llm", thoughts_note="")
        notes.append(" ".join(read.faults))
        faults = "\n".join(f"- {fault}" for fault in read.faults)
        messages += [
            # Dots for an empty one, which endpoints refuse.
            Message("assistant", text.strip() or "…"),
            Message("user", CORE_PROMPTS.fill("thoughts_again.txt", faults=faults, placeholders=every)),
        ]
    return replace(example, thoughts_note=f"no thoughts of the model's could be used. {' Then: '.join(notes)}")


# ── the answer ───────────────────────────────────────────────────────────────────────────────────


def read_thoughts(text: str, example: Example) -> ReadThoughts:
    """The thoughts in a model's answer: one for each step of the example, checked."""
    reply = "\n".join(without_thinking(text.encode("utf-8", "replace").decode("utf-8")).splitlines())
    # A head may follow marks and blanks: thousands of blank lines would each be tried up to the end.
    reply = re.sub(r"\n\s*\n", "\n\n", reply)
    wanted = list(range(1, len(example.steps) + 1))
    attempts = [_parts(reply, heads) for heads in _HEADS]
    complete = (parts for parts in attempts if [number for number, _ in parts] == wanted)
    parts = next(complete, None) or next(filter(None, attempts), [])
    if faults := _wrong_numbers([number for number, _ in parts], wanted):
        return ReadThoughts(faults=faults)
    own = {_bare(line) for line in trajectory(example).split("\n")}
    texts = tuple(_thought(body, own, last=number == len(wanted)) for number, body in parts)
    faults = tuple(fault for number, thought in enumerate(texts, 1) for fault in _wrong(placeholder(number), thought))
    return ReadThoughts(faults=faults) if faults else ReadThoughts(texts)


def _parts(reply: str, heads: re.Pattern[str]) -> list[tuple[int, str]]:
    """What follows each head up to the next, with its number."""
    matches = list(heads.finditer(reply))
    ends = [*(match.start() for match in matches[1:]), len(reply)]
    return [(int(match[1]), reply[match.end() : end]) for match, end in zip(matches, ends, strict=False)]


def _wrong_numbers(numbers: Sequence[int], wanted: Sequence[int]) -> tuple[str, ...]:
    if numbers == wanted:
        return ()
    missing = [placeholder(number) for number in wanted if number not in numbers]
    others = [placeholder(number) for number in dict.fromkeys(numbers) if number not in wanted]
    faults = [f"The thought for {enumerate_words(missing)} is missing."] if missing else []
    faults += [f"There is no placeholder {enumerate_words(others)}."] if others else []
    return tuple(faults) or ("The thoughts are not in the order of their placeholders, one for each.",)


def _thought(body: str, own: set[str], *, last: bool) -> str:
    """A thought as one line, without what a model wraps around it and without the trajectory's own lines."""
    if last:
        # What comes after a blank line or a closing fence behind the last one is thought to us: "Let me know if …".
        body = re.split(r"\n[^\S\n]*(?:\n|```)", body.strip(), maxsplit=1)[0]
    lines = [
        line
        for line in body.split("\n")
        if _bare(line) not in own and not _NO_THOUGHT.fullmatch(re.sub(r"[\W_]+", "", line))
    ]
    thought = " ".join(" ".join(lines).split()).rstrip(_MARKS).lstrip(_MARKS + ":.)]=–—")
    return _LABEL.sub("", thought, count=1).strip(_MARKS) if _LABEL.match(thought) else thought


def _bare(line: str) -> str:
    return re.sub(r"[\s*_`#>•-]+", " ", line).strip(" .;").lower()


def _wrong(place: str, thought: str) -> list[str]:
    if not any(character.isalnum() for character in thought):
        return [f"The thought for {place} is empty."]
    held = [tag for tag in _TAGS if tag.lower() in thought.lower()]
    return [f'The thought for {place} holds "{held[0]}", which is no part of a thought.'] if held else []
