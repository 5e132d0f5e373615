"""What reports show of SayPlan: the paper's metrics and ours on the search, from a run's events, and notes on pages.

Rana et al., "SayPlan: Grounding Large Language Models using 3D Scene Graphs for Scalable Robot Task Planning" (CoRL
2023, section 4). Where the paper has people judge, ours is exact:

* *Search success*: the model ended the search with a right answer to the task: it names all nodes of one right answer,
  and besides them only nodes above or below one, or of another right answer. If the right answer is that there is
  none, every room where one must look was expanded, because anything else is a guess.
* *Search shown*: the model ended the search, and what is shown at its end contains what the task asks for, whatever the
  model says. A search that expands every room passes.
* *Correctness*: the goal holds at the end of the plan. Of a plan that is not executable, failing actions are skipped.
* *Executability*: all actions of the plan are applicable one after the other.
* *Types of errors*: the kind of the first error of the last plan (`pddl2nl.systems.sayplan.events.Cause`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Literal, TypeVar

from pddl2nl.errors import InputError
from pddl2nl.pddl import parse_task
from pddl2nl.policies.events import RunEvent
from pddl2nl.policies.reporting import RunMetric, ScoredRun
from pddl2nl.systems.sayplan.events import Cause, PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, read_roles, scene_graph

_E = TypeVar("_E", bound=RunEvent)


def _all(run: ScoredRun, kind: type[_E]) -> list[_E]:
    return [event for event in run.events if isinstance(event, kind)]


def _of_search(value: Callable[[ScoredRun, SearchEnded], float | None]) -> Callable[[ScoredRun], float | None]:
    """A metric of runs that searched a graph."""

    def of(run: ScoredRun) -> float | None:
        ends = _all(run, SearchEnded)
        return value(run, ends[-1]) if ends else None

    return of


def _of_plan(value: Callable[[PlanChecked], float]) -> Callable[[ScoredRun], float | None]:
    """A metric of the last plan; 0 for a run that searched and made none."""

    def of(run: ScoredRun) -> float | None:
        plans = _all(run, PlanChecked)
        if plans:
            return value(plans[-1])
        return None if not _all(run, SearchEnded) or run.solved else 0.0

    return of


def _success(run: ScoredRun, end: SearchEnded) -> float | None:
    reference = run.reference
    if reference is None or not reference.asked or end.by in ("exact", "whole"):
        return None
    named = {*(end.answer or ())}
    if end.answer is None or end.by != "model":
        return 0.0
    if not named:
        return 100.0 * (() in reference.asked and {*reference.searched} <= {*end.memory})
    right = frozenset(node for answer in reference.asked for node in answer)
    graph = _graph_of(run)
    near = right if graph is None else right.union(*(_around(graph, node) for node in right))
    return 100.0 * (named <= near and any(answer and named >= {*answer} for answer in reference.asked))


def _around(graph: SceneGraph, node: str) -> frozenset[str]:
    """The nodes above and below a node."""
    return frozenset((*graph.above(node), *(each for each in graph.nodes if node in graph.above(each))))


def _shown(run: ScoredRun, end: SearchEnded) -> float | None:
    reference = run.reference
    if reference is None or not (reference.answers or reference.searched):
        return None
    if reference.searched:
        good = {*reference.searched} <= {*end.memory, *end.expanded}
    else:
        good = any({*answer} <= {*end.shown} for answer in reference.answers)
    return 100.0 * (good and end.by in ("model", "exact", "whole"))


def _rounds(plan: PlanChecked) -> float:
    return float(plan.round)


def _executable(plan: PlanChecked) -> float:
    return 100.0 * (plan.executable and bool(plan.calls))


def _correct(plan: PlanChecked) -> float:
    return 100.0 * plan.goal


def _caused(cause: str, plan: PlanChecked) -> float:
    return 100.0 * (plan.cause == cause)


def _expansions(run: ScoredRun, end: SearchEnded) -> float | None:
    steps = [each for each in _all(run, SceneSearched) if each.done and each.command.startswith("expand")]
    return float(len(steps)) if end.by not in ("exact", "whole") else float(len(end.expanded))


def _detours(run: ScoredRun, end: SearchEnded) -> float | None:
    """The expansions of a search that shows what is asked for, beyond the fewest that show it."""
    expansions, fewest = _expansions(run, end), _fewest(run)
    return expansions - fewest if _shown(run, end) and expansions is not None and fewest is not None else None


def _spare(run: ScoredRun, end: SearchEnded) -> float | None:
    """The nodes that are expanded at the end of such a search, beyond the fewest."""
    fewest = _fewest(run)
    return max(0.0, float(len(end.expanded) - fewest)) if _shown(run, end) and fewest is not None else None


def _end_tokens(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(end.tokens)


def _fewest(run: ScoredRun) -> int | None:
    """The fewest expansions after which an answer is shown; None if the record lacks the scene's roles."""
    reference, graph = run.reference, _graph_of(run)
    if reference is not None and reference.searched:
        return len({*reference.searched})
    try:
        return None if reference is None or graph is None else len(graph.cheapest(reference.answers))
    except KeyError:  # the record of another version
        return None


def _graph_of(run: ScoredRun) -> SceneGraph | None:
    """The scene graph of a run; None if its record lacks it."""
    scene = run.started.spec.get("files", {}).get("scene.json")
    try:
        return _graph(run.started.domain_pddl, run.started.problem_pddl, scene) if isinstance(scene, str) else None
    except InputError:  # the record of another version
        return None


@lru_cache(maxsize=8)
def _graph(domain: str, problem: str, scene: str) -> SceneGraph:
    return scene_graph(parse_task(domain, problem), read_roles(scene))


def _queries(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(sum(bool(each.answer) for each in _all(run, SceneSearched)))


def _revisits(run: ScoredRun, end: SearchEnded) -> float | None:
    steps = [each.node for each in _all(run, SceneSearched) if each.command.startswith("expand")]
    return float(len(steps) - len({*steps}))


def _peak(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(max((end.tokens, *(each.tokens for each in _all(run, SceneSearched)))))


def _compression(run: ScoredRun, end: SearchEnded) -> float | None:
    return 100.0 * (1 - end.collapsed / end.full)


def _full_tokens(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(end.full)


def _collapsed_tokens(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(end.collapsed)


def _entities(kinds: tuple[str, ...], run: ScoredRun, end: SearchEnded) -> float | None:
    """The entities of some kinds in the whole graph; of all kinds but poses, as the paper counts, if none is given."""
    return float(sum(count for kind, count in end.counts if (kind in kinds if kinds else kind != "pose")))


def _kind_tokens(kind: str, run: ScoredRun, end: SearchEnded) -> float | None:
    return float(tokens) if (tokens := dict(end.kind_tokens).get(kind)) else None


def _mean_tokens(kind: str, run: ScoredRun, end: SearchEnded) -> float | None:
    tokens, count = dict(end.kind_tokens).get(kind), dict(end.counts).get(kind)
    return tokens / count if tokens and count else None


def _estimated(run: ScoredRun) -> bool:
    return any(not end.tokenizer for end in _all(run, SearchEnded))


def _top_entities(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(sum(count for kind, count in end.top if kind != "pose"))


_KINDS: Mapping[str, tuple[str, ...]] = {
    "rooms": ("room",),
    "assets": ("asset",),
    "objects": ("object",),
    "links": ("links",),
    "entities": (),
}
_TOKENS: Mapping[str, str] = {
    "rooms": "room",
    "assets": "asset",
    "objects": "object",
    "agent": "agent",
    "links": "links",
}

_ERRORS: dict[Cause, str] = {
    "missing-action": "an action is missing before the first one that fails",
    "missing-pose": "a movement skips a place, or an asset is used from elsewhere",
    "wrong-action": "no single action mends it",
    "incomplete-search": "a node was not shown",
    "hallucinated-node": "a node does not exist",
}


def _share(
    name: str, summary: str, of: Callable[[ScoredRun], float | None], better: Literal["higher", "lower"] = "higher"
) -> RunMetric:
    return RunMetric(name, summary, better, "mean", of, "%", "always")


def _number(name: str, summary: str, of: Callable[[ScoredRun], float | None]) -> RunMetric:
    return RunMetric(name, summary, "lower", "mean", of, "", "always")


def _tokens(name: str, summary: str, of: Callable[[ScoredRun], float | None]) -> RunMetric:
    return replace(_number(name, summary, of), guessed=_estimated)


METRICS: tuple[RunMetric, ...] = (
    _share("search-success", "searches that the model ends with a right answer", _of_search(_success)),
    _share("search-shown", "searches that show what is asked for at their end", _of_search(_shown)),
    _share(
        "plan-goal",
        "plans at whose end the goal holds; of plans that are not executable, failing actions are skipped",
        _of_plan(_correct),
    ),
    _share("plan-executable", "plans whose actions are applicable one after the other", _of_plan(_executable)),
    _number("plan-rounds", "corrections of a plan", _of_plan(_rounds)),
    *(
        _share(
            f"plan-{cause}", f"last plans whose first error is this: {text}", _of_plan(partial(_caused, cause)), "lower"
        )
        for cause, text in _ERRORS.items()
    ),
    _number("expansions", "nodes that were expanded in a scene graph", _of_search(_expansions)),
    _number(
        "expansions-beyond",
        "nodes that a search expanded beyond the fewest that show what is asked for",
        _of_search(_detours),
    ),
    _number(
        "expanded-beyond",
        "nodes that are expanded at the end of a search beyond the fewest that show what is asked for",
        _of_search(_spare),
    ),
    _number(
        "queries", "answers to queries about the shown graph: counts, distances, what is missing", _of_search(_queries)
    ),
    _number("revisits", "commands to expand a node that was expanded before", _of_search(_revisits)),
    _tokens("view-tokens", "tokens of the largest view of the scene graph", _of_search(_peak)),
    _tokens("end-tokens", "tokens of the view of the scene graph at the end of a search", _of_search(_end_tokens)),
    *(
        _number(f"scene-{name}", f"{name} of the scene graph", _of_search(partial(_entities, kinds)))
        for name, kinds in _KINDS.items()
    ),
    _number("scene-collapsed", "entities of the collapsed scene graph", _of_search(_top_entities)),
    _tokens("scene-tokens", "tokens of the scene graph", _of_search(_full_tokens)),
    _tokens("scene-collapsed-tokens", "tokens of the collapsed scene graph", _of_search(_collapsed_tokens)),
    *(
        _tokens(f"scene-{name}-tokens", f"tokens of {name} in the scene graph", _of_search(partial(_kind_tokens, kind)))
        for name, kind in _TOKENS.items()
    ),
    *(
        _tokens(
            f"scene-{name}-mean", f"mean tokens of {name} in the scene graph", _of_search(partial(_mean_tokens, kind))
        )
        for name, kind in _TOKENS.items()
    ),
    _share(
        "compression",
        "tokens that the collapsed scene graph saves of the full one",
        _of_search(_compression),
    ),
)
"""The metrics of SayPlan, in the order of its tables."""
