"""``pddl2nl taskgraph``: which subtask may follow which in a domain, proved, and plans of subtasks checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, argument, option
from pddl2nl.cli.output import DONE, FAILED, plural, print_json, print_result, print_table, warn
from pddl2nl.cli.progress import bar_shown
from pddl2nl.cli.run_options import WordingOption, wording_of
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.pddl import Condition
    from pddl2nl.systems.taskgraph.graph import TaskGraph
    from pddl2nl.systems.taskgraph.proving import EdgeProof, EdgeProver
    from pddl2nl.systems.taskgraph.subtasks import Subtasks

_SHOW = "Example: pddl2nl taskgraph show alfred --graph printed"
_BUILD = "Example: pddl2nl taskgraph build blocksworld --by proved"
_CHECK = "Example: pddl2nl taskgraph check alfred subtasks.txt --graph printed"
_PROVE = "Example: pddl2nl taskgraph prove blocksworld pick-up unstack"
_SETS = "Example: pddl2nl taskgraph sets long new --out sets --size 50"

SubtasksOption = Annotated[
    list[Path] | None,
    option(
        "PATH",
        "What the subtasks are: a subtasks.json, or files and folders of macro-actions; can be repeated.",
        "the subtasks.json beside DOMAIN, or else each action",
        flag="--subtasks",
    ),
]
GraphOption = Annotated[
    str | None,
    option(
        "NAME",
        "A graph of subtasks.json, or several united by +.",
        "proved, where there is one",
        flag="--graph",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Task graphs: which subtask may follow which.")
    group.command("show", epilog=_SHOW)(_show)
    group.command("build", epilog=_BUILD)(_build)
    group.command("check", epilog=_CHECK)(_check)
    group.command("prove", epilog=_PROVE)(_prove)
    group.command("sets", epilog=_SETS)(_sets)
    app.add_typer(group, name="taskgraph")


def _show(
    domain: DomainFile, graph: GraphOption = None, subtasks: SubtasksOption = None, as_json: JsonOption = False
) -> None:
    """Print a graph: its subtasks, and the labels of those that may follow each."""
    read = _subtasks(domain, subtasks)
    shown = _graph(read, graph)
    if shown is None:
        raise InputError(f"{domain}: no graph comes with these subtasks; 'pddl2nl taskgraph build' makes one")
    _print_graph(shown, as_json)


def _print_graph(graph: TaskGraph, as_json: bool) -> None:
    if as_json:
        print_json(graph.as_json())
        return
    labels = {node.name: node.label for node in graph.nodes}
    rows = [(node.label, node, " ".join(labels[name] for name in graph.after(node.name))) for node in graph.nodes]
    title = f"{graph.name}: {plural(len(graph.nodes), 'subtask')}, {plural(len(graph.edges), 'edge')}"
    print_table(title, ("label", "subtask", "what may follow"), rows)


def _build(
    domain: DomainFile,
    plans: Annotated[
        list[Path] | None,
        argument(
            "[PLAN]...", "For traversal and fewshot: plans, a subtask a line, or a tasks.json with ground truths."
        ),
    ] = None,
    by: Annotated[
        str, option("KIND", "traversal, fewshot (98 plans), compatible, proved, or several united by +.")
    ] = "proved",
    seed: Annotated[int, option("N", "Seed of the plans that fewshot draws.", min=0)] = 1,
    subtasks: SubtasksOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build a graph: an edge for each pair of subtasks that follow each other in a plan, whose actions are compatible,
    or that is proved to be possible in some problem of the domain.

    Proofs of many subtasks take minutes: alfred has 441 pairs.
    """
    from pddl2nl.systems.taskgraph.graph import build_graph
    from pddl2nl.systems.taskgraph.replies import load_plans

    read = _subtasks(domain, subtasks)
    shown = [plan for path in plans or () for plan in load_plans(path)]
    _print_graph(build_graph(by, read, shown, seed), as_json)


def _check(
    domain: DomainFile,
    plan: Annotated[
        Path, argument("PLAN", "A subtask a line, PutObject(Apple, Fridge), or a model's reply; - is standard input.")
    ],
    graph: GraphOption = None,
    subtasks: SubtasksOption = None,
    wording: WordingOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a plan of subtasks against a graph and the automaton, which knows what pairs of subtasks cannot show.

    Exit code 1: something is wrong with the plan.
    """
    from pddl2nl.systems.taskgraph.automaton import TaskAutomaton, teller_of

    read = _subtasks(domain, subtasks)
    steps, lines, form = _plan(plan)
    tell = teller_of(wording_of(wording, read.domain, domain), read.domain)
    faults = TaskAutomaton(read, tell).faults(steps, graph=_graph(read, graph))
    data: list[dict[str, object]] = [{"step": None, "line": None, "kind": "form", "text": text} for text in form]
    told = [f"{plan}: {text}" for text in form]
    for fault in faults:
        step, line = fault.place + 1, lines[fault.place] if lines else None
        data.append({"step": step, "line": line, "kind": fault.kind, "text": fault.text})
        told.append(f"{plan}:{line}: {fault.text}" if line else f"{plan}: step {step}: {fault.text}")
    print_result({"ok": not data, "steps": len(steps), "faults": data}, "\n".join(told) or "no faults", as_json=as_json)
    raise typer.Exit(FAILED if data else DONE)


def _plan(path: Path) -> tuple[list[tuple[str, ...]], list[int], tuple[str, ...]]:
    """The steps of a plan, their lines in a file of one a line, and what is wrong with the form of a reply."""
    from pddl2nl.files import read_text
    from pddl2nl.systems.taskgraph.replies import read_plan, read_plan_reply

    text = read_text(path, "plan of subtasks")
    if text.lstrip().startswith(("<", "{", "`")):
        reply = read_plan_reply(text)
        return [*reply.steps], [], reply.faults
    steps = read_plan(text, str(path))
    return [*steps.values()], [*steps], ()


def _prove(
    domain: DomainFile,
    first: Annotated[str | None, argument("[FIRST]", "A subtask, by name or label.", "all pairs")] = None,
    second: Annotated[str | None, argument("[SECOND]", "One that shall follow it.")] = None,
    subtasks: SubtasksOption = None,
    wording: WordingOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove whether one subtask can directly follow another, for all problems of the domain; of all pairs without two.

    An edge is possible, with a problem as its witness; certain, if the second is possible in every state after the
    first; or refuted, with the preconditions that contradict each other. Proofs take the invariants of subtasks.json
    for granted; that actions keep them is proved along with all pairs.

    Exit code 1: the edge is refuted or undecided; of all pairs, an invariant is broken or a pair undecided.
    """
    from pddl2nl.pddl import write_problem
    from pddl2nl.systems.taskgraph.automaton import teller_of
    from pddl2nl.systems.taskgraph.proving import EdgeProver

    read = _subtasks(domain, subtasks)
    tell = teller_of(wording_of(wording, read.domain, domain), read.domain)
    prover = EdgeProver(read)
    if first is None or second is None:
        if first is not None:
            raise InputError("two subtasks are expected, or none for all pairs")
        _prove_all(prover, tell, as_json)
        return
    proof = prover.prove(first, second)
    lines = [f"{proof.first} → {proof.second}: {proof.kind}", *(f"  {text}" for text in proof.reasons(tell))]
    if proof.witness is not None:
        lines += [*(f"  {action}" for action in proof.witness.plan), "in", write_problem(proof.witness.task.problem)]
    print_result(_proof_json(proof, tell), "\n".join(lines), as_json=as_json)
    raise typer.Exit(DONE if proof.witness is not None else FAILED)


def _prove_all(prover: EdgeProver, tell: Callable[[Condition], str], as_json: bool) -> None:
    nodes = [node.name for node in prover.subtasks.nodes]
    proofs = []
    with bar_shown("proving pairs of subtasks", lines=True) as update:
        for number, (first, second) in enumerate(product(nodes, repeat=2)):
            update(f"proving pairs of subtasks: {number} of {len(nodes) ** 2}", number, len(nodes) ** 2)
            proofs.append(prover.prove(first, second))
    broken = [f"{action} does not keep that {tell(condition)}" for action, condition in prover.broken_invariants()]
    lines = [f"{each.first} → {each.second}: {'; '.join((each.kind, *each.reasons(tell)[:1]))}" for each in proofs]
    counts = Counter(each.kind for each in proofs)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    data = {"edges": [_proof_json(each, tell) for each in proofs], "broken_invariants": broken}
    print_result(data, "\n".join([*lines, *broken, told]), as_json=as_json)
    raise typer.Exit(FAILED if broken or counts["undecided"] else DONE)


def _proof_json(proof: EdgeProof, tell: Callable[[Condition], str]) -> dict[str, object]:
    from pddl2nl.pddl import write_problem

    witness = proof.witness
    return {
        "first": proof.first,
        "second": proof.second,
        "kind": proof.kind,
        "reasons": list(proof.reasons(tell)),
        "witness": witness
        and {
            "problem": write_problem(witness.task.problem),
            "plan": [str(action) for action in witness.plan],
            "of_first": witness.split,
        },
    }


def _sets(
    names: Annotated[list[str] | None, argument("[SET]...", "Sets to write; without one they are listed.")] = None,
    out: Annotated[
        Path | None, option("DIR", "The folder; each set gets one of its name in it.", "needed with SET")
    ] = None,
    size: Annotated[int | None, option("N", "How many tasks of each set.", "as many as in the paper", min=1)] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the GraphPlan paper's sets of household tasks: problems, instructions, and ground truths in subtasks.

    The tasks are generated in the paper's numbers, the same on every machine; manifest.csv has the seed and the digest
    of each. The sets are a collection: domains = [{ suite = "DIR" }] in an experiment plays them.
    """
    from pddl2nl.systems.taskgraph.alfred.sets import SUITE_SIZES, write_set

    if not names:
        text = "\n".join(f"{name}: {plural(number, 'task')}" for name, number in SUITE_SIZES.items())
        print_result(dict(SUITE_SIZES), text, as_json=as_json)
        return
    if out is None:
        raise InputError("--out DIR is needed: the folder that the sets are written into")
    written = {}
    for name in names:
        with bar_shown(name) as update:
            written[name] = write_set(out, name, size, update)
    print_result(
        written, "\n".join(f"{out / name}: {plural(n, 'task')}" for name, n in written.items()), as_json=as_json
    )


def _subtasks(domain: Path, paths: list[Path] | None) -> Subtasks:
    from pddl2nl.macros.library import load_macros
    from pddl2nl.pddl import load_domain
    from pddl2nl.systems.taskgraph.subtasks import load_subtasks, subtasks_of_actions, subtasks_of_macros

    read = load_domain(domain)
    beside = domain.resolve().parent / "subtasks.json"
    if not paths:
        return load_subtasks(beside, read) if beside.is_file() else subtasks_of_actions(read)
    if len(paths) == 1 and paths[0].suffix == ".json":
        return load_subtasks(paths[0], read)
    return subtasks_of_macros(read, [stored.macro for stored in load_macros(paths, read, warn)])


def _graph(subtasks: Subtasks, name: str | None) -> TaskGraph | None:
    """The graph of a name; without one the proved graph, or None if none comes with the subtasks."""
    from pddl2nl.systems.taskgraph.graph import graph_named

    if name is None and "proved" not in subtasks.graphs:
        return None
    return graph_named(name or "proved", subtasks)
