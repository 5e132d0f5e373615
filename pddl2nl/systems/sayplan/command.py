"""``pddl2nl scene``: the scene graph of a task, whole and in part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFile, argument, domain_file, option
from pddl2nl.cli.output import FAILED, plural, print_result, print_text

if TYPE_CHECKING:
    from pddl2nl.systems.sayplan.scene_graph import SceneGraph, SceneView

Top = Annotated[str | None, option("LEVEL", "The top level of the graph.", "that of scene.json")]
Nodes = Annotated[list[str], argument("NODE...", "Nodes to expand, one after the other.")]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="The scene graph of a task whose domain has a scene.json beside it.")
    group.command("show", epilog="Example: pddl2nl scene show building p01")(_show)
    group.command("collapse", epilog="Example: pddl2nl scene collapse building hs01 --top floor")(_collapse)
    group.command("expand", epilog="Example: pddl2nl scene expand building p01 kitchen cafeteria --json")(_expand)
    group.command("path", epilog="Example: pddl2nl scene path building p01 nikos_office kitchen")(_path)
    group.command("problem", epilog='Example: pddl2nl scene problem home.json "(in-hand apple)" > apple.pddl')(_problem)
    app.add_typer(group, name="scene")


def _show(domain: DomainFile, problem: ProblemFile, top: Top = None, as_json: JsonOption = False) -> None:
    """Print the whole graph as a tree; with --json as models read it."""
    _print(_graph(domain, problem, top).full(), as_json)


def _collapse(domain: DomainFile, problem: ProblemFile, top: Top = None, as_json: JsonOption = False) -> None:
    """Print the top level of the graph; with --json as models read it."""
    _print(_graph(domain, problem, top).collapsed(), as_json)


def _expand(
    domain: DomainFile, problem: ProblemFile, nodes: Nodes, top: Top = None, as_json: JsonOption = False
) -> None:
    """Print the graph with some nodes expanded; with --json as models read it."""
    view = _graph(domain, problem, top).collapsed()
    for name in nodes:
        view = view.expand(name)
    _print(view, as_json)


def _path(
    domain: DomainFile,
    problem: ProblemFile,
    start: Annotated[str, argument("FROM", "A place.")],
    end: Annotated[str, argument("TO", "A place.")],
    as_json: JsonOption = False,
) -> None:
    """Print a shortest way along links. Exit code 1: there is none."""
    graph = _graph(domain, problem, None)
    for name in (start, end):
        graph.full().node(name)
    way = graph.way(start, end)
    print_result({"way": way}, "no way" if way is None else "\n".join(way), as_json=as_json)
    if way is None:
        raise typer.Exit(FAILED)


def _problem(
    scene: Annotated[Path, argument("SCENE", "A scene graph in JSON, as scene show --json prints it.")],
    goal: Annotated[str, argument("GOAL", "The goal, in PDDL.")],
    domain: Annotated[str, option("DOMAIN", "The domain, which has a scene.json beside it.")] = "building",
) -> None:
    """Print the PDDL problem of your own scene graph, to be run with the domain."""
    from pddl2nl.files import read_text
    from pddl2nl.pddl import Task, load_domain, parse_problem
    from pddl2nl.systems.sayplan.scene_graph import roles_beside, scene_graph, scene_problem

    path = Path(domain_file(domain))
    roles, parsed = roles_beside(path), load_domain(path)
    text = scene_problem(read_text(scene, "scene graph"), parsed, roles, goal, scene.stem)
    scene_graph(Task(parsed, parse_problem(text, parsed, str(scene))), roles)
    print_text(text.rstrip())


def _graph(domain: Path, problem: Path, top: str | None) -> SceneGraph:
    from pddl2nl.files import read_text
    from pddl2nl.pddl import Task, load_domain, load_problem, parse_problem
    from pddl2nl.systems.sayplan.scene_graph import roles_beside, scene_graph, scene_problem

    roles, read = roles_beside(domain), load_domain(domain)
    if problem.suffix == ".json":
        # A graph can be looked at without a goal.
        text = scene_problem(read_text(problem, "scene graph"), read, roles, "(and)", problem.stem)
        task = Task(read, parse_problem(text, read, str(problem)))
    else:
        task = Task(read, load_problem(problem, read))
    return scene_graph(task, roles if top is None else roles.shown_from(top))


def _print(view: SceneView, as_json: bool) -> None:
    from pddl2nl.systems.sayplan.tokens import tokenizer_name

    if as_json:
        print_text(view.text)
        return
    lines = [] if view.graph.location is None else [f"agent in {view.graph.location or 'no place'}"]
    lines += [_line(view, node.name) for node in view.nodes]
    lines += [f"{one} ↔ {other}" for one, other in view.links if view.graph.nodes[other].parent != one]
    counts = ", ".join(plural(count, kind) for kind, count in view.counts.items() if kind != "links")
    tokens = f"{view.tokens} tokens ({tokenizer_name() or 'estimated'})"
    print_text("\n".join([*lines, f"{counts}; {plural(len(view.links), 'link')}; {tokens}"]))


def _line(view: SceneView, name: str) -> str:
    node = view.graph.nodes[name]
    about = [" ".join(value) if isinstance(value, tuple) else value for value in node.fields.values()]
    return "  " * len([*view.graph.above(name)]) + "  ".join([f"{node.kind} {name}", *about])
