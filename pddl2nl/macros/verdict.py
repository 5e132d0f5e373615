"""What is known about proposed conditions of a macro-action once they were looked at (`pddl2nl.macros.proof`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pddl2nl.macros.macro import Conditions
from pddl2nl.pddl import Condition, GroundAtom
from pddlval import GroundAction

__all__ = ["Counterexample", "Kind", "Lacking", "Part", "Proof", "Relation", "States"]

Part = Literal["proved", "refuted", "undecided"]
"""What has come of one claim; ``undecided`` is rare: nonlinear arithmetic that the solver leaves open."""

Relation = Literal["exact", "stronger", "weaker", "incomparable", "undecided"]
"""How a proposed precondition stands to the weakest one with which the block runs.

``stronger``: it asks for more than is needed; ``weaker``: for less.
"""

States = Literal["all", "changeable"]
"""In which states conditions are decided.

``all``: every combination of the facts that actions of the domain change. ``changeable``: those in which a fact that
no action of the task can change (`changeable.Changeable`) is as at the beginning; all that can be reached are among
them. Somebody who writes conditions for a task sees to no others: that a faucet is not open, where nothing opens one.
"""

Kind = Literal["does-not-run", "effect-fails", "incomplete", "too-strong"]
"""What a counterexample shows: see `Counterexample`."""


@dataclass(frozen=True)
class Counterexample:
    """A state that refutes a claim; ``Simulator(task).state(state, values)`` makes it one to replay.

    ``kind`` says what it shows:

    - ``does-not-run``: the precondition holds, and the block cannot be carried out: action ``step`` (from 1) is not
      applicable, since ``unmet`` fails before it (nothing, where its numeric effects contradict each other).
    - ``effect-fails``: the block runs, and ``unmet``, of what is claimed, is not so after it.
    - ``incomplete``: the block runs and brings about ``unmet``, which the claim does not say.
    - ``too-strong``: the block runs, though ``unmet`` of the precondition fails.

    Attributes:
        state: all atoms that are true, static ones included.
        values: all numeric values.
        kind: what it shows.
        step: the number of the action that is not applicable; else 0.
        unmet: ground literals, or other smallest parts of conditions.
        unlike: in what the state differs from the one that it was sought near, as literals of this state.
    """

    state: frozenset[GroundAtom]
    values: Mapping[GroundAtom, Fraction]
    kind: Kind
    step: int
    unmet: tuple[Condition, ...]
    unlike: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Lacking:
    """A condition of an action of the block that a precondition does not see to.

    The precondition can hold, the actions before number ``step`` (from 1) can be carried out, and ``condition``, of
    that one's own precondition, fails.
    """

    step: int
    condition: Condition


@dataclass(frozen=True)
class Proof:
    """What is known about proposed conditions for a block of actions.

    Attributes:
        block: the actions.
        proposed: the conditions.
        runs: wherever the precondition holds (and the numbers that the effect reads have values, without which no
            action is applicable), the block can be carried out.
        holds: wherever it holds and the block can be, what the effect claims is so after it. Literals are true or
            false afterwards; of ``(when c e)``, c is read in the state before; an update gives the value that it
            says, computed in the state before; of an atom both deleted and added the add wins.
        complete_effect: there, the effect as an action leads to the very state that the block leads to.
        precondition: how it stands to the weakest one with which the block can be carried out.
        vacuous: the precondition holds in no state, so that everything follows from it.
        impossible: the block can be carried out in no state.
        states: in which states all this is so.
        counterexamples: one for each of these that is refuted, in this order, and for a precondition that asks for
            more than is needed.
        lacking: where ``runs`` is refuted, all that the precondition would have to see to; empty where that is no
            condition of an action, but a number without a value or changed in two ways at once.
    """

    block: tuple[GroundAction, ...]
    proposed: Conditions
    runs: Part
    holds: Part
    complete_effect: Part
    precondition: Relation
    vacuous: bool
    impossible: bool
    states: States = "all"
    counterexamples: tuple[Counterexample, ...] = ()
    lacking: tuple[Lacking, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether it is proved that wherever the precondition holds, the block runs and the effect holds after it."""
        return self.runs == self.holds == "proved"

    @property
    def exact(self) -> bool:
        """Whether the conditions are proved to be those of the block: they differ from the exact ones in words only."""
        return self.sound and self.complete_effect == "proved" and self.precondition == "exact"

    def counterexample(self, kind: Kind) -> Counterexample | None:
        """The counterexample of a kind; None where there is none."""
        return next((item for item in self.counterexamples if item.kind == kind), None)
