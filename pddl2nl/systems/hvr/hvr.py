"""HVR: hierarchical planning (H), verification (V) and retrieval from a knowledge graph (R), and its ablations.

After Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification" (sections 2 and 3, appendix B.3). The modules of this package implement the components of its figure 1:

* ``planner``: retrieval, macro plans, conditions, verification and correction of both
* ``blocks``: blocks of actions, with the action mapper (``mapping``), the deterministic repair (``repair``), the
  validator and corrections by the model
* ``execution``: execution, and comparison of expected and observed states
* ``prompts``, ``examples``, ``generation``, ``conditions``, ``graph_teller``: what the model is asked and told
* ``oracle``, ``oracle_world``, ``mistakes``: a planner in place of the model
* ``events``, ``metrics``, ``notes``, ``paper.toml``: what is recorded, measured, shown and compared

A plan is made before anything is executed, and then executed as a whole. The run is successful if the goal holds at its
end. ``Setting.replans`` limits the number of new plans, before and during execution together.
"""

from __future__ import annotations

from pddl2nl.policies.episode import Episode
from pddl2nl.systems.hvr.prompts import MECHANISMS


class HVR:
    """HVR, or one of its ablations.

    Args:
        name: the policy, of `MECHANISMS`, which differ in their components.
    """

    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = False
    needs_model = True
    prompt: str | None = None

    def __init__(self, name: str = "hvr"):
        self.mechanism = MECHANISMS[name]
        self.summary = self.mechanism.summary
        self._name = name

    def run(self, episode: Episode) -> None:
        """Plans and executes; plans again if the world differs from what was expected.

        Raises:
            MissingExtraError: rdflib is not installed, or z3, which proofs need.
        """
        from pddl2nl.systems.hvr.execution import Execution
        from pddl2nl.systems.hvr.planner import HierarchicalPlanner, WholePlanner

        planner = (HierarchicalPlanner if self.mechanism.hierarchy else WholePlanner)(episode, self.mechanism)
        execution = Execution(planner)
        feedback = ""
        while True:
            ended = execution.carry_out(planner.plan(episode.state, execution.done, feedback))
            if not ended.feedback:
                break
            planner.replans_left -= 1
            feedback = ended.feedback
        setting = episode.setting
        if setting.library is not None and ended.status == "executed" and episode.at_goal:
            from pddl2nl.systems.hvr.library import keep_macros

            origin = f"{self._name}, {setting.simulator.task.problem.name}"
            done, graph = execution.done, planner.graph_teller.graph
            keep_macros(setting.library, setting.teller, episode.executed, done, planner.proofs, origin, graph)
        if not episode.executed and ended.status == "executed" and not episode.done:
            episode.end_plan("unreadable", "no action could be read in what the model said")
        episode.end_plan(ended.status, ended.observation)
