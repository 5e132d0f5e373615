"""HVR: hierarchical planning (H), verification (V) and retrieval from a knowledge graph (R), and its ablations.

After Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification" (sections 2 and 3, appendix B.3). What stands in the paper's figure 1, and where:

* retrieval: `hvr_planner.Planner.objects`, on `pddl2nl.worlds.knowledge_graph`
* macro plan, conditions, verification and correction of both: `hvr_hierarchy`
* blocks, with the action mapper (`hvr_mapping`), the deterministic repair (`hvr_repair`), the validator and the
  correction by the model: `hvr_blocks`
* the whole plan at once, for what has no hierarchy: `hvr_planner.WholePlanner`
* execution, alignment of expected and observed states: `hvr_execution`
* what the model is asked: `hvr_prompts`, examples: `hvr_examples`

A plan is made on paper, in the ideal world, before anything is executed; then the whole of it is carried out. Its end
decides, as for every plan given at once: the goal must hold there. ``Setting.replans`` bounds how often a new plan is
made, on paper and at runtime together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pddl2nl.policies.episode import Episode
from pddl2nl.policies.hvr.plan import Mechanism, Part

__all__ = ["HR", "HV", "HVR", "LLM", "MECHANISMS", "VR", "R"]


class _Hierarchical:
    """What all six share; they differ in the components that they have."""

    mechanism: ClassVar[Mechanism]
    summary: str
    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = False
    needs_model = True
    prompt: str | None = None

    def run(self, episode: Episode) -> None:
        """Plans, executes, and plans anew where the world is other than expected.

        Raises:
            MissingExtraError: rdflib is not installed, or z3 where conditions are proved.
        """
        from pddl2nl.policies.hvr.execution import Execution
        from pddl2nl.policies.hvr.hierarchy import HierarchicalPlanner
        from pddl2nl.policies.hvr.planner import WholePlanner

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

    mechanism = Mechanism(hierarchy=True, verification=True, retrieval=True)
    summary = "macro-actions, verified and corrected, on what is retrieved from a knowledge graph"


class HV(_Hierarchical):
    """Without retrieval: the whole graph is in the prompts."""

    mechanism = Mechanism(hierarchy=True, verification=True)
    summary = "HVR without retrieval: the whole knowledge graph in the prompt"


class HR(_Hierarchical):
    """Without verification: no repair, no feedback, no correction."""

    mechanism = Mechanism(hierarchy=True, retrieval=True)
    summary = "HVR without verification: no feedback and no correction"


class VR(_Hierarchical):
    """Without hierarchy: the whole plan at once, verified and corrected."""

    mechanism = Mechanism(verification=True, retrieval=True)
    summary = "HVR without hierarchy: the whole plan at once"


class R(_Hierarchical):
    """Retrieval alone."""

    mechanism = Mechanism(retrieval=True)
    summary = "retrieval from a knowledge graph, and the whole plan at once"


class LLM(_Hierarchical):
    """None of the three: the whole graph in the prompt, and the whole plan at once."""

    mechanism = Mechanism()
    summary = "the whole knowledge graph in the prompt, and the whole plan at once"


MECHANISMS: Mapping[str, Mechanism] = {kind.__name__.lower(): kind.mechanism for kind in (HVR, HV, HR, VR, R, LLM)}
"""The components of each of them, by the policy's name."""
