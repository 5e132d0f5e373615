"""Settling what is ambiguous in a plan by the states that the plan runs through (``--on-ambiguous state``)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pddl2nl.nl.reading.readings import Reading, Readings, settle
from pddlval import Simulator, State

__all__ = ["settle_plan"]


def settle_plan(readings: Readings, simulator: Simulator) -> Readings:
    """The same readings, the plan's ambiguous lines settled: each by the state in which its turn comes.

    The plan is followed from the initial state. Behind the first line that is not read, or not applicable, no
    state is known, so nothing more is settled. Lines that the reading policy left out stay as they are.
    """
    state: State | None = simulator.initial
    settled: dict[tuple[int, int], Reading] = {}
    chosen: list[Reading] = []
    for reading in readings.chosen:
        if state is not None:
            reading = settle(reading, partial(simulator.is_applicable, state))
            state = None if reading.action is None else simulator.step(state, reading.action).successor
        settled[reading.start, reading.end] = reading
        chosen.append(reading)
    everything = tuple([settled.get((item.start, item.end), item) for item in readings.readings])
    return replace(readings, readings=everything, chosen=tuple(chosen))
