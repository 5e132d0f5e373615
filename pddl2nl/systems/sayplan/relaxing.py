"""Whether what a view shows can be enough, by the delete relaxation of the task restricted to it.

If the goal cannot be reached although nothing that became true ever becomes false again, no plan with the shown nodes
reaches it: this is a proof. The opposite proves nothing.
"""

from __future__ import annotations

from dataclasses import replace

from pddl2nl.pddl import And, Atom, Condition, Not, Or, Task
from pddl2nl.search.grounding import GroundActions, bits
from pddl2nl.search.relaxation import Relaxation
from pddl2nl.worlds.scene_graph import SceneView
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.semantics import unmet


def cannot_be_enough(task: Task, state: State, view: SceneView) -> bool:
    """Whether no plan from a state reaches the goal by what it does to shown nodes; False if this cannot be proved.

    Facts about other nodes stay as they are.
    """
    hidden = view.graph.nodes.keys() - {node.name for node in view.nodes}
    objects = tuple(item for item in task.problem.objects if item.name not in hidden)
    init = tuple(atom for atom in sorted(state.atoms) if hidden.isdisjoint(atom[1:]))
    simulator = Simulator(Task(task.domain, replace(task.problem, objects=objects, init=init, goal=And())))
    ground = GroundActions(simulator)
    if ground.actions is None:
        return False
    holding = ground.holding(simulator.initial)
    reached = Relaxation(ground.actions, len(ground.numbered)).supporters(holding).keys()

    def may_hold(goal: Condition) -> bool:
        match goal:
            case And(parts=parts):
                return all(map(may_hold, parts))
            case Or(parts=parts):
                return any(map(may_hold, parts))
            case Atom(args=args) | Not(body=Atom(args=args)) if not hidden.isdisjoint(args):
                return not unmet(goal, state)
            case Atom() | Not():
                return reached >= {*bits(ground.needs(goal))}
        return True

    return not may_hold(negation_normal(task.problem.goal))
