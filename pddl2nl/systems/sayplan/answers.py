"""How the oracle answers SayPlan's prompts: from the task and what the view shows, with mistakes on purpose.

It knows what a task asks for: of a shipped search its answers, of a shipped task the objects of its plan, else those of
the goal. It does not look where anything is. A search expands the rooms that the text names, then the others in the
order of the graph, and contracts those without anything that it needs. A plan is one for the task that the view shows;
if something is missing there, it is empty.

===================  ==============================================================================================
mistake              what is wrong; most end when feedback tells of them
===================  ==============================================================================================
hallucinated-node    the plan begins with a movement to a node that does not exist
missing-open         the first ``open`` is missing
missing-access       each ``access`` is missing
full-hand            the first ``pickup`` comes twice
missing-pose         movements name only where they end, also if no path planner adds the places on the way
early-stop           the search ends before it has begun
revisit              the search expands the node again that it expanded last, unless it is told that this is no use
no-contract          the search contracts nothing
bad-json             the first reply is cut off in the middle
===================  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pddl2nl.pddl import And, Atom, Condition, Not, Or, Task, is_variable, write_condition
from pddl2nl.systems.sayplan.plans import SceneActions, SceneCalled, json_reply, plain_name, without_ways
from pddl2nl.systems.sayplan.scene_graph import SceneRoles, SceneView
from pddl2nl.tasks.reference_files import TaskReference
from pddl2nl.tasks.references import reference_of
from pddlval import GroundAction, Simulator, State

if TYPE_CHECKING:
    from pddl2nl.baselines.oracle import PlanOracle

MISTAKES = (
    "hallucinated-node",
    "missing-open",
    "missing-access",
    "full-hand",
    "missing-pose",
    "early-stop",
    "revisit",
    "no-contract",
    "bad-json",
)
"""The names of all mistakes."""

_NOWHERE = "secret_room"


@dataclass(frozen=True)
class SceneAnswers:
    """The answers to one prompt about a task that it calls `text`, with what was told of the last command or plan."""

    oracle: PlanOracle
    task: Task
    text: str
    roles: SceneRoles
    view: SceneView
    state: State
    feedback: str

    @cached_property
    def _reference(self) -> TaskReference | None:
        return reference_of(self.task)

    @cached_property
    def _wanted(self) -> tuple[frozenset[str], ...]:
        """Sets of nodes each of which suffices."""
        if self._reference is None:
            named = {*write_condition(self.task.problem.goal).replace("(", " ").replace(")", " ").split()}
            return (frozenset(named & self.task.objects.keys()),)
        if self._reference.searched:
            return ()
        answers = tuple(map(frozenset, self._reference.answers))
        return answers or (frozenset(node for call in self._calls(self._known) for node in call.nodes),)

    def command(self, memory: Sequence[str], *, contraction: bool) -> str:
        """The next command of the search; `memory` has the nodes ever expanded, as far as the prompt lists them."""
        mistake = "" if self.feedback else self.oracle.mistake
        if mistake == "bad-json" and not memory:
            return '{"mode": "exploring", "command": "expand('
        if mistake == "early-stop" and not memory:
            return self._end("this will do")
        if mistake == "revisit" and memory:
            return json_reply("once more", command=f"expand({memory[-1]})")
        if self._complete(memory):
            return self._end("the graph shows all that the task needs")
        below: dict[str, set[str]] = {}
        for node in self.view.nodes:
            for name in self.view.graph.above(node.name):
                below.setdefault(name, set()).add(node.name)
        closed = [node.name for node in self.view.nodes if node.opens]
        opened = [name for name in closed if name in below]
        wanted = frozenset[str]().union(*self._wanted)
        # A floor is not useless while some of its rooms are unexplored.
        unseen = {name for name in closed if name not in memory}
        useless = [name for name in opened if below[name].isdisjoint(wanted | unseen)]
        if useless and contraction and self.oracle.mistake != "no-contract":
            return json_reply(f"nothing in {useless[0]} matters", command=f"contract({useless[0]})")
        waiting = [name for name in self._order(closed) if name not in memory and name not in opened]
        if not waiting:
            return self._end("no node is left that can have it")
        return json_reply(f"{waiting[0]} may have what the task needs", command=f"expand({waiting[0]})")

    def _end(self, thought: str) -> str:
        """The end of the search, with the first of the right answers if the task asks for something."""
        asked = () if self._reference is None else self._reference.asked
        answer = f"({', '.join(asked[0]) or 'none'})" if asked else ""
        return json_reply(thought, command=f"terminate{answer}")

    def _complete(self, memory: Sequence[str]) -> bool:
        if self._reference is not None and self._reference.searched:
            return {*self._reference.searched} <= {*memory}
        shown = any(self.view.hidden.isdisjoint(answer) for answer in self._wanted)
        return shown and (self._reference is not None or self._plan() is not None)

    def _order(self, closed: Sequence[str]) -> Iterable[str]:
        """The nodes that can be expanded: those that must be, those that the task names, the others."""
        text = plain_name(self.text.replace("'", ""))
        words = {name: name.rstrip("0123456789").split("_") for name in closed}
        named = (name for name in closed if any(len(word) > 3 and word in text for word in words[name]))
        searched = () if self._reference is None else self._reference.searched
        return dict.fromkeys((*searched, *named, *closed))

    def plan(self, *, paths: bool) -> str:
        """The plan, or an empty one if the view lacks something; ``paths``: whether ways are completed."""
        mistake, moves = self.oracle.mistake, self.roles.moves
        calls = self._calls((self._known if mistake == "early-stop" else self._plan()) or ())
        if paths or mistake == "missing-pose":
            calls = without_ways(calls, moves)
        if not (_NOWHERE in self.feedback if mistake == "hallucinated-node" else self.feedback):
            calls = _mistaken(mistake, calls, moves)
        thought = "each step is possible after those before it" if calls else "nothing shown can do the task"
        return json_reply(thought, plan=calls)

    @cached_property
    def _known(self) -> tuple[GroundAction, ...]:
        """A plan that may need what is hidden."""
        if self._reference is not None:
            return tuple(map(GroundAction.parse, self._reference.ways[0].plan))
        return self.oracle.plan(self.task, self.state) or ()

    def _plan(self) -> tuple[GroundAction, ...] | None:
        """A plan with what is shown; None if the view lacks something."""
        shown = self.view.task_of(self.task, self.state)
        shown = Task(shown.domain, replace(shown.problem, goal=_among(self.task.problem.goal, shown.objects)))
        return self.oracle.plan(shown, Simulator(shown).initial)

    def _calls(self, actions: Iterable[GroundAction]) -> tuple[SceneCalled, ...]:
        return SceneActions(self.task, self.roles).calls(actions)


def _mistaken(mistake: str, plan: Sequence[SceneCalled], moves: str) -> tuple[SceneCalled, ...]:
    """A plan with the mistake, or the plan itself if it cannot be made in it."""
    if mistake == "hallucinated-node":
        return (SceneCalled(moves, (_NOWHERE,)), *plan)
    if mistake == "full-hand":
        after = next((place for place, call in enumerate(plan, 1) if call.name == "pickup"), 0)
        return (*plan[:after], *(plan[after - 1 : after] if after else ()), *plan[after:])
    if mistake == "missing-access":
        return tuple(call for call in plan if call.name != "access")
    opened = [place for place, call in enumerate(plan) if call.name == "open"] if mistake == "missing-open" else []
    return tuple(call for place, call in enumerate(plan) if place not in opened[:1])


def _among(condition: Condition, objects: Collection[str]) -> Condition:
    """A condition restricted to some objects: atoms about others count as false.

    If a goal can be reached in several ways, a prompt need not tell what the others would need.
    """
    match condition:
        case Atom(args=args):
            return condition if all(is_variable(term) or term in objects for term in args) else Or(())
        case And(parts=parts) | Or(parts=parts):
            return replace(condition, parts=tuple(_among(part, objects) for part in parts))
        case Not(body=body):
            about = _among(body, objects)
            return And() if about == Or(()) else Not(about)
    return condition
