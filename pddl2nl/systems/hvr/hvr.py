"""HVR: hierarchical planning (H), verification (V) and retrieval from a knowledge graph (R), and its ablations.

After Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification" (sections 2 and 3, appendix B.3). The modules of this package implement the components of its figure 1:

* ``planning``: retrieval, macro plans, their conditions (``conditions``), and blocks of actions, with the action mapper
  (``mapping``), the deterministic repair (``repair``), the validator, and corrections by the model
* ``execution``: execution, comparison of expected and observed states, and recovery
* ``ontology``, ``knowledge_graph``, ``library``: what is known, and what is learned
* ``prompting``: what the model is asked and told
* ``answers``: what the oracle answers in place of the model
* ``command``: conditions of macro-actions that a user names, ``pddl2nl macro generate``
* ``events``, ``metrics``, ``notes``, ``paper.toml``: what is recorded, measured, shown and compared

A plan is made before anything is executed, and then executed as a whole. The run is successful if the goal holds at its
end.
"""

from __future__ import annotations

from pddl2nl.policies.episode import Episode
from pddl2nl.systems.hvr.options import HVROptions


class HVR(HVROptions):
    """HVR, or one of its ablations."""

    summary = "macro-actions, verified and corrected, on what is retrieved from a knowledge graph"

    def run(self, episode: Episode) -> None:
        """Plans and executes; plans again if the world differs from what was expected.

        Raises:
            MissingExtraError: rdflib is not installed, or z3, which proofs need.
        """
        from pddl2nl.systems.hvr.execution import Execution
        from pddl2nl.systems.hvr.planning import HierarchicalPlanner, WholePlanner

        planner = (HierarchicalPlanner if self.hierarchy else WholePlanner)(episode, self)
        execution = Execution(planner)
        feedback = ""
        while True:
            ended = execution.carry_out(planner.plan(episode.state, execution.done, feedback))
            if not ended.feedback:
                break
            planner.replans_left -= 1
            feedback = ended.feedback
        if ended.status == "executed" and episode.at_goal:
            planner.keep(execution.done)
        if not episode.executed and ended.status == "executed" and not episode.done:
            episode.end_plan("unreadable", "no action could be read in what the model said")
        episode.end_plan(ended.status, ended.observation)
