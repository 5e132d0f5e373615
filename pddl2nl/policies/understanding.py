"""What an episode understands of a reply: the reader first, then the state, then the T-LLM, each where it is in force.

A statement that there is no plan (`pddl2nl.nl.reading.read_no_plan`) is looked for where the reader found no action.

An action that fits several readings equally well is *ambiguous*. ``refuse`` leaves it so; ``state`` takes the only
one of them that is applicable, in a turn now, in a plan when its turn comes (as long as everything before it can be
executed), and the reading's rule says so (`pddl2nl.nl.reading.readings.settle`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pddl2nl.nl import Reading, Readings
from pddl2nl.nl.markers import NO_PLAN
from pddl2nl.nl.reading.read_no_plan import is_marked_no_plan, no_plan_said, no_plan_said_in_turn
from pddl2nl.nl.reading.readings import settle
from pddlval import BadActionError, GroundAction, Simulator, State

if TYPE_CHECKING:
    from pddl2nl.policies.policy import Setting
    from pddl2nl.policies.translating import Ask

__all__ = ["ON_AMBIGUOUS", "Understanding"]

ON_AMBIGUOUS: tuple[str, ...] = ("refuse", "state")
"""What may be done about an ambiguous reading."""


class Understanding:
    """Reads the replies of one episode.

    Args:
        setting: the reader, the translator if there is one, and what is done about ambiguous readings.
        ask: asks the T-LLM.
    """

    def __init__(self, setting: Setting, ask: Ask):
        self._setting = setting
        self._ask = ask

    def turn(self, text: str, state: State) -> Reading:
        """The one action, look-around or claim of a turn."""
        reading = self._settled(self._setting.reader.read_turn(text), state)
        if reading.status in ("unreadable", "not-an-action") and (said := no_plan_said_in_turn(text)):
            begin = text.find(said)
            if begin >= 0:
                line = text.count("\n", 0, begin) + 1
                reading = reading._replace(line=line, start=begin, end=begin + len(said))
            return reading._replace(text=said, status="claimed-unsolvable", rule="no-plan", reason="")
        translator = self._setting.translator
        return reading if translator is None else translator.turn(text, reading, self._ask)

    def plan(self, text: str) -> Readings:
        """The lines of a plan as the reader finds them; ``chosen`` are those that `lines` goes through."""
        readings = self._setting.reader.read(text, self._setting.reading)
        translator = self._setting.translator
        chosen = readings.chosen if translator is None else translator.lines(text, readings)
        return replace(readings, chosen=tuple(self._without_claim(chosen)))

    def no_plan(self, text: str, plan: Readings) -> str | None:
        """The sentence that says that there is no plan; None where no sentence does, or a plan was read."""
        if is_marked_no_plan(text):
            return NO_PLAN
        if any(reading.status != "unreadable" for reading in plan.chosen):
            return None
        return no_plan_said(text)

    def lines(self, plan: Readings, state: State) -> Iterator[Reading]:
        """The plan's lines, settled and translated one by one, which may end the episode by its budget."""
        here: State | None = state
        translator = self._setting.translator
        for line in plan.chosen:
            reading: Reading | None = self._settled(line, here)
            if translator is not None and reading is not None:
                reading = translator.line(reading, self._ask)
            if reading is not None:
                here = self._after(here, reading.action)
                yield reading

    def _settled(self, reading: Reading, state: State | None) -> Reading:
        if self._setting.on_ambiguous != "state" or reading.status != "ambiguous" or state is None:
            return reading
        return settle(reading, lambda action: _is_applicable(self._setting.simulator, state, action))

    def _after(self, state: State | None, action: GroundAction | None) -> State | None:
        if self._setting.on_ambiguous != "state" or state is None or action is None:
            return None
        try:
            return self._setting.simulator.step(state, action).successor
        except BadActionError:
            return None

    def _without_claim(self, lines: Sequence[Reading]) -> Sequence[Reading]:
        """The plan without "finished" as its last line: a claim to be done, and not meant as an action."""
        if lines and lines[-1].status != "read":
            claimed = self._setting.reader.read_turn(lines[-1].text).status == "claimed-done"
            return lines[:-1] if claimed else lines
        return lines


def _is_applicable(simulator: Simulator, state: State, action: GroundAction) -> bool:
    try:
        return simulator.is_applicable(state, action)
    except BadActionError:
        return False
