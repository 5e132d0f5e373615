"""SayPlan: a model searches a scene graph, plans on what it found, and corrects its plan until it can be executed.

After Rana et al., "SayPlan: Grounding Large Language Models using 3D Scene Graphs for Scalable Robot Task Planning"
(CoRL 2023, section 3.3, Algorithm 1). The modules of this package:

* ``searching``: stage 1, which expands and contracts nodes of the collapsed graph
* ``planning``: stage 2, which completes ways, simulates the plan and asks again
* ``calls``, ``checking``, ``prompts``: how actions are called, what the simulator says, what the model is asked
* ``oracle``, ``mistakes``: a planner in place of the model
* ``events``, ``metrics``, ``notes``, ``paper.toml``: what is recorded, measured, shown and compared

The paper gives no bound on the search and tells the model only whether its plan is executable. Ours bounds the search
(`pddl2nl.systems.sayplan.searching`). With ``goal_feedback`` the model is also told that its plan misses the goal; and
if it is proved that nothing it has found can reach the goal (``relaxing``), it searches once more.
"""

from __future__ import annotations

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller, make_names
from pddl2nl.policies.episode import Episode
from pddl2nl.systems.sayplan.checking import PlanSimulator
from pddl2nl.systems.sayplan.planning import exact_plan, execute, model_plan
from pddl2nl.systems.sayplan.prompts import MECHANISMS, ScenePrompter
from pddl2nl.systems.sayplan.relaxing import cannot_be_enough
from pddl2nl.systems.sayplan.searching import ended, search
from pddl2nl.worlds.scene_graph import scene_graph

_NOT_ENOUGH = "Nothing that the graph shows can do the task: search again."


class SayPlan:
    """SayPlan, or one of its ablations.

    Args:
        name: the policy, of `MECHANISMS`, which differ in their components.
    """

    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = False
    prompt: str | None = None

    def __init__(self, name: str = "sayplan"):
        self.mechanism = MECHANISMS[name]
        self.summary = self.mechanism.summary
        self.needs_model = self.mechanism.search != "exact"

    def run(self, episode: Episode) -> None:
        """Searches, plans and executes.

        Raises:
            InputError: the domain has no scene graph.
            MissingExtraError: networkx is not installed, which completes ways.
        """
        setting, mechanism = episode.setting, self.mechanism
        roles, task = setting.scene, setting.simulator.task
        if roles is None:
            raise InputError(f"{task.domain.name} has no scene.json, which SayPlan needs; name a file by --scene FILE")
        graph = scene_graph(task, roles, episode.state.atoms)
        # The names of the graph are those of the task, which say what things are.
        teller = Teller(task, setting.teller.wording, make_names(task, "original", setting.teller.wording))
        checker = PlanSimulator(setting.simulator, roles, teller, setting.signal)
        if episode.done:
            return
        if mechanism.search == "exact":
            execute(episode, exact_plan(episode, checker, graph))
            return
        text, wording = setting.task_text or teller.goal_text(), setting.teller.wording
        prompter = ScenePrompter(text, task.domain, roles, mechanism, wording=wording, style=setting.signal)
        plan: object = None
        if mechanism.search == "whole":
            view = graph.full()
            episode.note(ended("whole", view, ()))
        else:
            memory: list[str] = []
            view, plan = search(episode, graph.collapsed(), prompter, memory=memory)
            if setting.goal_feedback and cannot_be_enough(task, episode.state, view):
                view, plan = search(episode, view, prompter, memory=memory, feedback=_NOT_ENOUGH)
        if episode.done:
            return
        execute(episode, model_plan(episode, checker, prompter, view, plan, mechanism))
