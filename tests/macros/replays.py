"""Macros against what they stand for: the simulator applies a macro as one action, and its steps one by one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

from pddl2nl.macros.compose import compose, compose_block, lifted_steps, total_functions
from pddl2nl.macros.macro import CannotComposeError, Macro
from pddl2nl.pddl import GroundAtom, Task, changed_predicates
from pddlval import GroundAction, Simulator, State

Snapshot = tuple[frozenset[GroundAtom], frozenset[tuple[GroundAtom, Fraction]]]


def snapshot(state: State) -> Snapshot:
    """What a state says, whichever simulator it belongs to."""
    return frozenset(state.atoms), frozenset((fluent, Fraction(value)) for fluent, value in state.values.items())


def replayed(simulator: Simulator, state: State, actions: Sequence[GroundAction]) -> State | None:
    """The state after some actions, None where one of them is not applicable."""
    followed = simulator.follow(state, actions)
    return followed.state if followed.complete else None


class Twin:
    """A task, and the same task with one more action: a macro."""

    def __init__(self, simulator: Simulator, macro: Macro):
        task = simulator.task
        assert task.domain.action(macro.name) is None
        domain = replace(task.domain, actions=(*task.domain.actions, macro.schema))
        self.simulator, self.macro = simulator, macro
        self.extended = Simulator(Task(domain, task.problem))
        self.changing = changed_predicates(task.domain) - {rule.name for rule in task.domain.derived}

    def difference(self, state: State, args: tuple[str, ...]) -> str:
        """What differs between the macro and its steps in a state; empty where nothing does."""
        one = replayed(self.simulator, state, self.macro.expand(args))
        atoms = [atom for atom in state.atoms if atom.predicate in self.changing]
        values = {fluent: Fraction(value) for fluent, value in state.values.items()}
        other = self.extended.step(self.extended.state(atoms, values), GroundAction(self.macro.name, args)).successor
        if (one is None) is not (other is None):
            return f"{GroundAction(self.macro.name, args)}: its steps run: {one is not None}, in {state}"
        if one is None or other is None or snapshot(one) == snapshot(other):
            return ""
        return f"{GroundAction(self.macro.name, args)}: {snapshot(one)} is not {snapshot(other)}"


def random_walk(simulator: Simulator, rng: random.Random, steps: int) -> State:
    """A reachable state."""
    state = simulator.initial
    for _, after in islice(simulator.walk(state, rng), steps):
        state = after
    return state


def random_block(simulator: Simulator, state: State, rng: random.Random, steps: int) -> list[GroundAction]:
    """Actions in a row, most of which are applicable where they come."""
    task, block = simulator.task, list[GroundAction]()
    here: State | None = state
    for _ in range(steps):
        action = simulator.sample(here, rng) if here is not None and rng.random() < 0.9 else None
        if action is None:
            schema = rng.choice(task.domain.actions)
            pools = [task.objects_of(parameter.types) for parameter in schema.parameters]
            if not all(pools):
                continue
            action = GroundAction(schema.name, tuple(map(rng.choice, pools)))
        block.append(action)
        here = simulator.step(here, action).successor if here is not None else None
    return block


def arbitrary_state(simulator: Simulator, base: State, rng: random.Random, near: Sequence[str]) -> State:
    """A state like another one, but with some atoms flipped, often those of certain objects, and other numbers."""
    task = simulator.task
    changing = changed_predicates(task.domain) - {rule.name for rule in task.domain.derived}
    declared = [item for item in task.domain.predicates if item.name in changing]
    # Through a dictionary: the order of a set changes from process to process.
    atoms = dict.fromkeys(sorted(atom for atom in base.atoms if atom.predicate in changing))
    for _ in range(rng.choice((0, 1, 2, 5, 20)) if declared else 0):
        predicate = rng.choice(declared)
        pools = [task.objects_of(parameter.types) for parameter in predicate.parameters]
        if not all(pools):
            continue
        args = [rng.choice(near) if near and rng.random() < 0.6 else rng.choice(pool) for pool in pools]
        atom = GroundAtom((predicate.name, *args))
        if atom in atoms:
            del atoms[atom]
        else:
            atoms[atom] = None
    kept = [atom for atom in atoms if rng.random() > 0.05]
    values = {}
    for fluent, value in sorted(base.values.items()):
        other = Fraction(rng.choice((0, 1, 2, 3, 5, -1, 100, value + 1, value - 1)))
        values[fluent] = Fraction(value) if rng.random() < 0.5 or fluent in _fixed(simulator) else other
    return simulator.state(kept, values)


def _fixed(simulator: Simulator) -> Collection[GroundAtom]:
    return simulator.initial.layout.static_values.keys()


@dataclass
class Tally:
    """What a run of the property met: comparisons, those where the steps ran, refusals by their reason."""

    compared: int = 0
    applicable: int = 0
    macros: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def check_blocks(simulator: Simulator, rng: random.Random, blocks: int, tally: Tally) -> None:
    """Compares macros of random blocks with their steps, in reachable and in arbitrary states.

    A block becomes a macro without parameters, or one with a parameter for each object, or one whose parameters are
    all different; the second is tried with equal objects too.
    """
    for _ in range(blocks):
        state = random_walk(simulator, rng, rng.randrange(15))
        mode = rng.choice(("ground", "lifted", "distinct"))
        block = random_block(
            simulator, state, rng, rng.choice((1, 2, 2, 3, 3, 4, 6, 10) if mode == "ground" else (2, 3, 4))
        )
        if not block:
            continue
        try:
            if mode == "ground":
                macro = compose_block(simulator.task, block, name="the-macro")
            else:
                task, steps = simulator.task, lifted_steps(simulator.task, block)
                total, distinct = total_functions(task), mode == "distinct"
                macro = compose(task.domain, steps, name="the-macro", total=total, distinct=distinct)
        except CannotComposeError as refusal:
            tally.refused[refusal.reason] += 1
            continue
        tally.macros += 1
        _compare(Twin(simulator, macro), state, block, rng, tally, distinct=mode == "distinct")


def _compare(
    twin: Twin, state: State, block: Sequence[GroundAction], rng: random.Random, tally: Tally, *, distinct: bool
) -> None:
    simulator, macro = twin.simulator, twin.macro
    bound = {
        term: name
        for step, action in zip(macro.steps, block, strict=True)
        for term, name in zip(step.args, action.args, strict=True)
    }
    first = tuple(bound[parameter.name] for parameter in macro.parameters)
    choices = [first]
    for _ in range(2 if first else 0):
        own = [
            _another(simulator.task, name, first, item.types, rng)
            for name, item in zip(first, macro.parameters, strict=True)
        ]
        if not distinct or len(set(own)) == len(own):
            choices.append(tuple(own))
    for args in choices:
        near = sorted({name for action in macro.expand(args) for name in action.args})
        for at in range(5):
            here = state if at == 0 else arbitrary_state(simulator, state, rng, near)
            tally.compared += 1
            tally.applicable += replayed(simulator, here, macro.expand(args)) is not None
            found = twin.difference(here, args)
            if found:
                tally.failures.append(f"{[str(action) for action in block]}: {found}")


def _another(task: Task, name: str, names: Sequence[str], types: tuple[str, ...], rng: random.Random) -> str:
    if rng.random() < 0.5:
        return name
    near = [other for other in names if task.is_a(other, types)]
    return rng.choice(near if rng.random() < 0.7 else task.objects_of(types))
