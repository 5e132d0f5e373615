"""HVR: hierarchical planning (H), verification (V) and retrieval from a knowledge graph (R), and its ablations.

After Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification" (sections 2 and 3, appendix B.3). The modules of this package implement the components of its figure 1:

* ``planner``: retrieval, macro plans, conditions, verification and correction of both
* ``blocks``: blocks of actions, with the action mapper (``mapping``), the deterministic repair (``repair``), the
  validator and corrections by the model
* ``execution``: execution, and comparison of expected and observed states
* ``prompts``, ``examples``, ``generation``, ``conditions``, ``sight``: what the model is asked and told
* ``oracle``, ``oracle_world``, ``mistakes``: a planner in place of the model
* ``events``, ``metrics``, ``notes``, ``paper.toml``: what is recorded, measured, shown and compared

A plan is made before anything is executed, and then executed as a whole. The run is successful if the goal holds at its
end. ``Setting.replans`` limits the number of new plans, before and during execution together.
"""

from __future__ import annotations

from typing import ClassVar

from pddl2nl.policies.episode import Episode
from pddl2nl.policies.hvr.blocks import Part
from pddl2nl.policies.hvr.prompts import MECHANISMS, Mechanism

__all__ = ["HR", "HV", "HVR", "LLM", "VR", "R"]


class _Hierarchical:
    """Base of the six policies, which differ in their components."""

    mechanism: ClassVar[Mechanism]
    summary: str
    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = False
    needs_model = True
    prompt: str | None = None

    def run(self, episode: Episode) -> None:
        """Plans and executes; plans again if the world differs from what was expected.

        Raises:
            MissingExtraError: rdflib is not installed, or z3, which proofs need.
        """
        from pddl2nl.policies.hvr.execution import Execution
        from pddl2nl.policies.hvr.planner import HierarchicalPlanner, WholePlanner

        planner = (HierarchicalPlanner if self.mechanism.hierarchy else WholePlanner)(episode, self.mechanism)
        execution = Execution(planner)
        done: tuple[Part, ...] = ()
        feedback = ""
        while True:
            parts = planner.plan(episode.state, done, feedback)
            carried = execution.carry_out(parts)
            done = (*done, *carried.done)
            if not carried.feedback:
                break
            planner.replans_left -= 1
            feedback = carried.feedback
        library = episode.setting.library
        if library is not None and carried.status == "executed" and episode.at_goal:
            from pddl2nl.policies.hvr.library import keep_macros

            task = episode.setting.simulator.task
            origin = f"{type(self).__name__.lower()}, {task.problem.name}"
            graph = planner.sight.graph
            keep_macros(library, episode.setting.teller, episode.executed, done, planner.proofs, origin, graph)
        if not episode.executed and carried.status == "executed" and not episode.done:
            episode.end_plan("unreadable", "no action could be read in what the model said")
        episode.end_plan(carried.status, carried.observation)


class HVR(_Hierarchical):
    """All three components."""

    mechanism = MECHANISMS["hvr"]
    summary = "macro-actions, verified and corrected, on what is retrieved from a knowledge graph"


class HV(_Hierarchical):
    """Without retrieval: the whole graph is in the prompts."""

    mechanism = MECHANISMS["hv"]
    summary = "HVR without retrieval: the whole knowledge graph in the prompt"


class HR(_Hierarchical):
    """Without verification: no repair, no feedback, no correction."""

    mechanism = MECHANISMS["hr"]
    summary = "HVR without verification: no feedback and no correction"


class VR(_Hierarchical):
    """Without hierarchy: the whole plan at once, verified and corrected."""

    mechanism = MECHANISMS["vr"]
    summary = "HVR without hierarchy: the whole plan at once"


class R(_Hierarchical):
    """Retrieval only."""

    mechanism = MECHANISMS["r"]
    summary = "retrieval from a knowledge graph, and the whole plan at once"


class LLM(_Hierarchical):
    """None of the three: the whole graph in the prompt, and the whole plan at once."""

    mechanism = MECHANISMS["llm"]
    summary = "the whole knowledge graph in the prompt, and the whole plan at once"
