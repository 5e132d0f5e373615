"""HVR: hierarchical planning (H), verification (V) and retrieval from a knowledge graph (R), and its ablations.

After Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification" (sections 2 and 3, appendix B.3). A plan is made before anything is executed (``planning``), and then
executed as a whole (``execution``). The run is successful if the goal holds at its end.
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
