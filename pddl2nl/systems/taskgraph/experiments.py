"""The experiments of the paper "GraphPlan: Graph-Enhanced Planning via Thinking LLMs for Embodied Agents" (under
review), which trained Qwen2.5-7B-Instruct on ALFRED.

They play the shipped tasks; ``pddl2nl taskgraph sets`` makes sets in the paper's sizes. ``--model oracle`` needs no
model.
"""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.experiments import Column, Experiment

_MODEL = "qwen2.5-7b-instruct"
_SHORT = ("s*", "u*")
_PLANNED = ("s*", "u*", "l*")
"""The tasks on which the paper judges plans before they are carried out."""


def _table(name: str, kind: str, instances: Sequence[str], columns: Sequence[str | Column]) -> Experiment:
    return Experiment(
        name=f"graphplan-{name}",
        domains=[{"shipped": "alfred", "instances": list(instances)}],
        columns=[Column(each) if isinstance(each, str) else each for each in columns],
        models=[_MODEL],
        seeds=[1],
        options={"names": "original"},
        tables=[{"kind": kind, "paper": f"graphplan-{name}"}],
    )


def graphplan_table_1() -> Experiment:
    """Table 1 of the GraphPlan paper: success and goal conditions beside those of other systems.

    Section 4.1: ALFRED's tests. The other systems see images in AI2-THOR and are not run here; ours are other tasks,
    without perception.
    """
    return _table("table-1", "taskgraph-test", _SHORT, ["taskgraph"])


def graphplan_table_2() -> Experiment:
    """Table 2 of the GraphPlan paper: success and goal conditions of GraphPlan and its ablations.

    Section 4.2. Beside the seen and unseen tasks stand those with things behind doors and with furniture that is told
    by what stands beside it.
    """
    ablations = ("rag", "noreplan", "noreplan-low", "noreplan-high", "nomemory")
    policies = [*(f"taskgraph-{each}" for each in ablations), "taskgraph"]
    return _table("table-2", "taskgraph", (*_SHORT, "h*", "a*"), policies)


def graphplan_table_3() -> Experiment:
    """Table 3 of the GraphPlan paper: plans of subtasks before they are carried out.

    Section 4.3: which plans are right, without the graph in the prompt and without its verification.
    """
    policies = ("taskgraph-noprompt", "taskgraph-noverify", "taskgraph")
    return _table("table-3", "taskgraph-plans", _PLANNED, policies)


def graphplan_table_4(
    all_rewards: str = "",
    without_format: str = "",
    without_node: str = "",
    without_edge: str = "",
    without_node_and_edge: str = "",
    without_instruction: str = "",
    without_graph: str = "",
) -> Experiment:
    """Tables 4 and 14 of the GraphPlan paper: models trained with some of the rewards, without verification.

    Section 4.4 and appendix C.8. No trained model is shipped: ``pddl2nl training export`` makes rows for training.
    Columns of models that are not named are left out; that without GRPO is the model before training.

    Args:
        all_rewards: the model trained with all rewards.
        without_format: the model trained without the format reward.
        without_node: the model trained without the node reward.
        without_edge: the model trained without the edge reward.
        without_node_and_edge: the model trained without the node and edge rewards.
        without_instruction: the model trained without the instruction reward.
        without_graph: the model trained without the graph in the prompt.
    """
    trained = {
        "w/o format": without_format,
        "w/o node": without_node,
        "w/o edge": without_edge,
        "w/o node and edge": without_node_and_edge,
        "w/o instruction": without_instruction,
        "w/o graph prompt": without_graph,
        "all rewards": all_rewards,
    }
    columns = [Column("taskgraph-noverify", name="w/o GRPO")]
    for name, model in trained.items():
        shown = {"graph_shown": False} if name == "w/o graph prompt" else {}
        columns += [Column("taskgraph-noverify", name=name, model=model, options=shown)] if model else []
    return _table("table-4", "taskgraph-rewards", _PLANNED, columns)


def graphplan_table_5() -> Experiment:
    """Table 5 of the GraphPlan paper: long tasks and other skills, after similar examples and along the graph.

    Section 5. The paper's retrieval draws from ALFRED's training set, ours from the 48 examples of
    domains/alfred/subtasks.json; its line of a fine-tuned model is the paper's alone.
    """
    policies = ("taskgraph-few", "taskgraph-rag", "taskgraph")
    return _table("table-5", "taskgraph-generalization", ("l*", "n*"), policies)


def graphplan_table_7() -> Experiment:
    """Table 7 of the GraphPlan paper: greedy and beam search along the graph, scored by a model, and without one.

    Appendix C.4. The paper gives no width of the beam; ours is three. The exact search knows the goal and asks no
    model: it is what the graph allows. It needs Fast Downward.
    """
    policies = ("taskgraph-greedy", "taskgraph-beam", "taskgraph-exact", "taskgraph")
    return _table("table-7", "taskgraph-search", _PLANNED, policies)


def graphplan_table_8() -> Experiment:
    """Table 8 of the GraphPlan paper: task graphs from plans, from compatible actions, from proofs, and the automaton.

    Appendix C.5.1: which plans are right, by graph. A plan that the graph refuses is wrong. Traversal and sample are
    those of our training set, in which both have all twelve types and so the same pairs.
    """
    names = {"fewshot": "few-shot", "fewshot+compatible": "few-shot + compatible"}
    kinds = ("traversal", "fewshot", "compatible", "fewshot+compatible", "printed", "repaired", "proved", "automaton")
    columns = [Column("taskgraph", name=names.get(kind, kind), options={"graph": kind}) for kind in kinds]
    return _table("table-8", "taskgraph-graphs", _PLANNED, columns)


def graphplan_table_9() -> Experiment:
    """Table 9 of the GraphPlan paper: task graphs of 12, 16 and 21 subtasks.

    Appendix C.5.2: whether subtasks that a task does not need harm its plan. The graphs are proved; that of 16 has
    BreakObject, FillObject, ThrowObject and DirtyObject, which the paper does not say. The tasks with other skills are
    ours: the smaller graphs refuse most of their plans.
    """
    graphs = {"12 nodes": "proved-12", "16 nodes": "proved-16", "21 nodes": "proved"}
    columns = [Column("taskgraph", name=name, options={"graph": graph}) for name, graph in graphs.items()]
    return _table("table-9", "taskgraph-nodes", (*_PLANNED, "n*"), columns)


def graphplan_tables_10_12() -> Experiment:
    """Tables 10 to 12 of the GraphPlan paper: plans of long tasks by their length.

    Appendix C.6: accuracy, legal plans, and the rates of missing, additional and misplaced subtasks. One task of each
    of the 17 long types; ``pddl2nl taskgraph sets long`` makes all 1,396.
    """
    return _table("tables-10-12", "taskgraph-lengths", ("l*",), ["taskgraph"])


def graphplan_table_13() -> Experiment:
    """Table 13 of the GraphPlan paper: success and goal conditions weighted by the length of the run.

    Appendix C.7. The length that a run is compared with is that of the shipped plan.
    """
    return _table("table-13", "taskgraph-efficiency", _SHORT, ("taskgraph-nomemory", "taskgraph"))
