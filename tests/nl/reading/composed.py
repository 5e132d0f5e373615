"""Composed replies: random plans of shipped domains in all layouts, with words around them that no reader chose.

`compose(seed)` gives a reply and the plan that a careful person reads in it. Even seeds use the even entries of
``words.toml``, odd seeds the odd ones, so that one half can be kept out of sight while a reader is changed.
"""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pddl2nl.nl import Reader, load_wording, make_names
from pddl2nl.pddl import load_task
from pddlval import GroundAction, Simulator

ROOT = Path(__file__).resolve().parents[3]
WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
DOMAINS = sorted(path.stem for path in (Path(__file__).parent / "replies").glob("*.txt"))


class Domain(NamedTuple):
    """A shipped domain's example task with its reader; ``told`` tells an action, ``walk`` draws a plan."""

    simulator: Simulator
    reader: Reader
    told: Callable[[GroundAction], str]
    to_pddl: dict[str, str]

    def walk(self, rng: random.Random, length: int) -> list[GroundAction]:
        """An applicable sequence of different actions."""
        state, plan = self.simulator.initial, []
        while len(plan) < length:
            choices = [action for action in self.simulator.applicable(state) if action not in plan]
            if not choices:
                break
            # All kinds of actions, however few objects they take.
            name = rng.choice(sorted({action.name for action in choices}))
            plan.append(rng.choice([action for action in choices if action.name == name]))
            successor = self.simulator.step(state, plan[-1]).successor
            assert successor is not None
            state = successor
        return plan


@cache
def domain(name: str) -> Domain:
    """A shipped domain with its example task, wording and typed names."""
    task = load_task(ROOT / "domains" / name / "domain.pddl", ROOT / "instances" / name / "example.pddl")
    wording = load_wording(str(ROOT / "domains" / name / "wording.json"), task.domain)
    names = make_names(task, "typed", wording)
    snippets = wording.actions

    def told(action: GroundAction) -> str:
        return snippets[action.name].fill([names.to_nl.get(arg, arg) for arg in action.args])

    return Domain(Simulator(task), Reader(task, wording, names), told, dict(names.to_pddl))


def _capital(step: str) -> str:
    return step[0].upper() + step[1:]


def _numbered(form: str) -> Callable[[Sequence[str]], str]:
    return lambda steps: "\n".join(
        form.format(n=number, s=step, S=_capital(step)) for number, step in enumerate(steps, 1)
    )


LAYOUTS: dict[str, Callable[[Sequence[str]], str]] = {
    "numbered": _numbered("{n}. {s}"),
    "sentences": _numbered("{n}. {S}."),
    "brackets": _numbered("{n}) {s}"),
    "bold": _numbered("{n}. **{S}**"),
    "bullets": _numbered("- {s}"),
    "stars": _numbered("* {S}"),
    "labels": _numbered("Step {n}: {S}."),
    "bold labels": _numbered("**Step {n}:** {S}"),
    "lines": _numbered("{s}"),
    "tags": lambda steps: "[PLAN]\n" + "\n".join(steps) + "\n[PLAN END]",
    "fence": lambda steps: "```\n" + "\n".join(steps) + "\n```",
    "actions": _numbered("Action {n}: {s}"),
    "boxes": _numbered("- [ ] {s}"),
    "table": lambda steps: "| # | Action |\n|---|---|\n" + _numbered("| {n} | {s} |")(steps),
    "json": lambda steps: "```json\n" + json.dumps({"plan": list(steps)}, indent=2) + "\n```",
    "details": _numbered("{n}. **{S}**\n   - it is possible at this point"),
    "gaps": lambda steps: "\n\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
    "prose": lambda steps: "First, I " + ". Then, I ".join(steps) + ".",
}


class Composed(NamedTuple):
    """A reply, the plan meant in it, its domain, and what it was composed of."""

    domain: str
    reply: str
    plan: list[str]
    parts: str


def compose(seed: int) -> Composed:
    """The reply of a seed: a plan, a rejected plan and a corrected one, or a plan and a shorter one."""
    rng = random.Random(seed)
    leads, corrections, closings = (WORDS[kind][seed % 2 :: 2] for kind in ("leads", "corrections", "closings"))
    name = rng.choice(DOMAINS)
    home = domain(name)
    plan = home.walk(rng, rng.randint(2, 6))
    layout = rng.choice(list(LAYOUTS))
    # "I let robot_0 …" is no sentence that anyone would write.
    if layout == "prose" and any(home.told(action).startswith("let ") for action in plan):
        layout = "lines"
    write = LAYOUTS[layout]
    told = [home.told(action) for action in plan]
    blocks: list[str] = []
    lead = rng.choice(leads) if rng.random() < 0.85 else ""
    if lead:
        blocks.append(lead)
    kind = rng.random()
    correction = ""
    if kind < 0.45:
        bad = [*told] if len(told) > 2 else []
        if rng.random() < 0.4 and len(set(told)) > 2:
            # The good plan is a part of the bad one: a step less, or one at the end.
            told = [step for step in bad if step != bad[rng.randrange(len(bad))]]
            plan = [action for action in plan if home.told(action) in told]
        elif rng.random() < 0.5 and bad:
            rng.shuffle(bad)
        else:
            bad = [home.told(action) for action in home.walk(rng, rng.randint(1, 5))]
        if bad != told:
            correction = rng.choice(corrections)
            blocks += [write(bad), correction]
    blocks.append(write(told))
    closing = rng.choice(closings) if rng.random() < 0.7 else ""
    if closing:
        blocks.append(closing)
    parts = " | ".join((layout, lead, correction, closing))
    return Composed(name, "\n\n".join(blocks), [str(action) for action in plan], parts)


class Written(NamedTuple):
    """A whole reply as a model writes one, the plan that was written down before it, and how it is asked for.

    ``reported``: the reply leaves open what is meant, so that something has to be reported.
    """

    id: str
    domain: str
    turn: bool
    reported: bool
    plan: list[str]
    reply: str


def written() -> list[Written]:
    """The whole replies of the folder ``replies``, in order."""
    found: list[Written] = []
    for path in sorted((Path(__file__).parent / "replies").glob("*.txt")):
        to_pddl = domain(path.stem).to_pddl
        for entry in path.read_text(encoding="utf-8").split("=== ")[1:]:
            head, _, reply = entry.partition("\n---\n")
            title, expected, *mode = head.split("\n")
            plan = [
                "(" + " ".join(to_pddl.get(word, word) for word in action.split()) + ")"
                for action in expected.replace("REPORT", "").strip(" ()").split(") (")
                if action
            ]
            if expected in ("DONE", "LOOK"):
                plan = [expected]
            found.append(
                Written(f"{path.stem}: {title}", path.stem, "TURN" in mode, "REPORT" in expected, plan, reply.strip())
            )
    return found


CLAIMS = {"claimed-done": ["DONE"], "look-around": ["LOOK"]}


def scored(reader: Reader, reply: str, plan: list[str], turn: bool = False, reported: bool = False) -> str:
    """``right``, ``flagged`` (what was not read is reported), ``silent`` (a step is lost), or ``false``."""
    if turn:
        reading = reader.read_turn(reply)
        found = CLAIMS.get(reading.status, [str(reading.action)] if reading.action else [])
        failed = reading.status in ("unreadable", "ambiguous", "unknown-object")
    else:
        readings = reader.read(reply)
        found = [str(action) for action in readings.plan]
        failed = not readings.complete
    if found == plan and failed == reported:
        return "right"
    if any(action not in plan for action in found) or (found and not _is_part(found, plan)):
        return "false"
    return "flagged" if failed else "silent"


def _is_part(some: Sequence[str], of: Sequence[str]) -> bool:
    rest = iter(of)
    return all(action in rest for action in some)
