"""A proposal compiled into its task, so that a planner finds the valid plan that deviates least from it.

The compiled task knows how much of the proposal is behind. To follow its next action costs nothing; to skip that
action, and every action that is not the proposal's next one, costs 1. All of the proposal must be followed or skipped.
The cost of a plan is thus its distance: the actions it adds to the proposal and those it leaves out, as in an edit
script of insertions and deletions. Between two followed actions skips come first, because their order among the other
actions changes nothing: this keeps the search space small.

An action that can never be applied (an unknown object, a wrong type, a static condition that is false) is skipped from
the start. A proposal of nothing else leaves the task itself with unit costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pddl2nl.macros.library import free_name
from pddl2nl.pddl import ActionSchema, And, Atom, Condition, Domain, Effect, GroundAtom, Not, Predicate, Task
from pddl2nl.pddl.rewriting import substitute
from pddl2nl.tasks.costs import with_unit_costs
from pddlval import BadActionError, GroundAction, Simulator


@dataclass(frozen=True)
class CompiledProposal:
    """A task that prices the distance to a proposal.

    Attributes:
        task: the compiled task.
        follows: the proposal's action behind the name of each action that follows it.
        skips: the names of the actions that skip one.
    """

    task: Task
    follows: Mapping[str, GroundAction]
    skips: frozenset[str]

    def decode(self, plan: Sequence[GroundAction]) -> tuple[GroundAction, ...]:
        """A plan of the compiled task as a plan of the task."""
        kept = [action for action in plan if action.name not in self.skips]
        return tuple(self.follows.get(action.name, action) for action in kept)


def compile_proposal(simulator: Simulator, proposal: Sequence[GroundAction]) -> CompiledProposal:
    """The task of a simulator, compiled with a proposal."""
    task = simulator.task
    possible = [action for action in proposal if _possible(simulator, action)]
    if not possible:
        return CompiledProposal(with_unit_costs(task), {}, frozenset())
    taken = [*(each.name for each in task.domain.predicates), *(each.name for each in task.domain.actions)]
    prefix = free_name("proposal", [name.partition("-")[0] for name in taken])
    behind = [Atom(f"{prefix}-behind-{number}") for number in range(len(possible) + 1)]
    may_skip = Atom(f"{prefix}-may-skip")
    follows, skips = dict[str, GroundAction](), list[str]()
    actions = [replace(each, effect=And((each.effect, Not(may_skip)))) for each in task.domain.actions]
    for number, action in enumerate(possible):
        advance = (Not(behind[number]), behind[number + 1])
        follow, skip = f"{prefix}-follow-{number}", f"{prefix}-skip-{number}"
        precondition, effect = _grounded(task.domain, action)
        condition = And((behind[number], precondition))
        actions.append(ActionSchema(follow, (), condition, And((effect, *advance, may_skip))))
        actions.append(ActionSchema(skip, (), And((behind[number], may_skip)), And(advance)))
        follows[follow] = action
        skips.append(skip)
    named = {term for action in possible for term in action.args}
    problem = task.problem
    domain = replace(
        task.domain,
        constants=(*task.domain.constants, *(item for item in problem.objects if item.name in named)),
        predicates=(*task.domain.predicates, *(Predicate(atom.predicate) for atom in (*behind, may_skip))),
        actions=tuple(actions),
        source=None,
    )
    problem = replace(
        problem,
        objects=tuple(item for item in problem.objects if item.name not in named),
        init=(*problem.init, *(GroundAtom((atom.predicate,)) for atom in (behind[0], may_skip))),
        goal=And((problem.goal, behind[-1])),
        source=None,
    )
    made = with_unit_costs(Task(domain, problem), dict.fromkeys(follows, 0))
    return CompiledProposal(made, follows, frozenset(skips))


def _possible(simulator: Simulator, action: GroundAction) -> bool:
    try:
        return simulator.ground(action).possible
    except BadActionError:
        return False


def _grounded(domain: Domain, action: GroundAction) -> tuple[Condition, Effect]:
    """The precondition and the effect of a ground action."""
    schema = domain.action(action.name)
    assert schema is not None
    binding = dict(zip((item.name for item in schema.parameters), action.args, strict=True))
    return substitute(schema.precondition, binding), substitute(schema.effect, binding)
