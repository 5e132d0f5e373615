"""The pictures of a run's states, as its page shows them beside the steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from pddl2nl.experiments.records.stored import Record, task_of
from pddl2nl.pddl import GroundAtom, InputError
from pddl2nl.pictures import PictureFrame, Pictures
from pddl2nl.reports.html.run import Step
from pddlval import Simulator, State, acting_simulator

MOST_FRAMES = 150
"""Of longer runs the first steps are drawn."""
MOST_BYTES = 60_000
"""The size of a figure of up to 20 steps; larger figures are left out, with a sentence that says so."""

_TERMS = re.compile(r"[^\s()]+")


def run_figure(record: Record, steps: Sequence[Step]) -> str:
    """A figure with the states of a run, in HTML; empty if no action was tried or the texts cannot be read."""
    tried = [step for step in steps if step.action and (step.status == "executed" or step.unmet)]
    if not tried:
        return ""
    try:
        task = task_of(record)
        simulator = acting_simulator(task)
        frames, places = _frames(simulator, tried[:MOST_FRAMES])
        pictures = Pictures(task, frames)
        mistake = next((place for place, frame in enumerate(frames) if frame.failed), len(frames) - 1)
        figure = pictures.figure(mistake, places)
    except InputError:
        return ""
    size = len(figure.encode("utf-8"))
    if size > MOST_BYTES * max(20, len(frames)) / 20:
        return f'<p class="hint">The pictures of this run take {size // 1000} KB: pddl2nl picture draws them.</p>'
    return figure


def _frames(simulator: Simulator, steps: Sequence[Step]) -> tuple[list[PictureFrame], dict[int, int]]:
    """The states as the record has them, faults of the world included, and the frame of each step."""
    state = simulator.initial
    frames = [PictureFrame(state, "initial state")]
    places: dict[int, int] = {}
    for step in steps:
        places[step.number] = len(frames)
        if step.status == "executed":
            state = _after(simulator, state, step)
            frames.append(PictureFrame(state, step.action or ""))
        else:
            unmet = () if step.status == "claimed-done" else simulator.step(state, step.action or "").unmet
            frames.append(PictureFrame(state, f"{step.action}: {step.label}", unmet, failed=True))
    return frames, places


def _after(simulator: Simulator, before: State, step: Step) -> State:
    atoms = (before.atoms - {_atom(text) for text in step.deleted}) | {_atom(text) for text in step.added}
    values = dict(before.values) | _values(step.changed)
    return simulator.state(atoms, values)


def _atom(text: str) -> GroundAtom:
    return GroundAtom(_TERMS.findall(text))


def _values(changed: Sequence[str]) -> dict[GroundAtom, Fraction]:
    """``(= (fuel t) 3)`` as recorded, by fluent."""
    found = {}
    for text in changed:
        _, *fluent, value = _TERMS.findall(text)
        try:
            found[GroundAtom(fluent)] = Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise InputError(f"a record has '{text}', which is no value") from None
    return found
