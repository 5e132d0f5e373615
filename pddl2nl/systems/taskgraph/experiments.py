"""The experiment of the GraphPlan paper that needs models of your own; the others are files in ``specifications``."""

from __future__ import annotations

from pddl2nl.experiments import Column, Experiment


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
        # CoT is GraphPlan without the graph in its prompts and without checks.
        policy = "taskgraph-cot" if name == "w/o graph prompt" else "taskgraph-noverify"
        columns += [Column(policy, name=name, model=model)] if model else []
    return Experiment(
        name="graphplan-table-4",
        domains=[{"shipped": "alfred", "instances": ["s*", "u*", "l*"]}],
        columns=columns,
        models=["qwen2.5-7b-instruct"],
        seeds=[1],
        options={"names": "original"},
        tables=[{"kind": "taskgraph-rewards", "paper": "graphplan-table-4"}],
    )
