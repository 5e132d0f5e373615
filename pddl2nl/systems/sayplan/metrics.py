"""The metrics of SayPlan: the paper's, and ours on the search, from a run's events.

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
from functools import lru_cache, partial

from pddl2nl.errors import InputError
from pddl2nl.pddl import parse_task
from pddl2nl.policies.reporting import RunMetric, ScoredRun, Value, events_of, mean_metric
from pddl2nl.systems.sayplan.events import Cause, PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, read_roles, scene_graph


def _of_search(value: Callable[[ScoredRun, SearchEnded], float | None]) -> Value:
    def of(run: ScoredRun) -> float | None:
        ends = events_of(run, SearchEnded)
        return value(run, ends[-1]) if ends else None

    return of


def _of_plan(value: Callable[[PlanChecked], float]) -> Value:
    """A metric of the last plan; 0 for a run that searched and made none."""

    def of(run: ScoredRun) -> float | None:
        plans = events_of(run, PlanChecked)
        if plans:
            return value(plans[-1])
        return None if not events_of(run, SearchEnded) or run.solved else 0.0

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


def _expansions(run: ScoredRun, end: SearchEnded) -> float | None:
    steps = [each for each in events_of(run, SceneSearched) if each.done and each.command.startswith("expand")]
    return float(len(steps)) if end.by not in ("exact", "whole") else float(len(end.expanded))


def _detours(run: ScoredRun, end: SearchEnded) -> float | None:
    """The expansions of a search that shows what is asked for, beyond the fewest that show it."""
    expansions, fewest = _expansions(run, end), _fewest(run)
    return expansions - fewest if _shown(run, end) and expansions is not None and fewest is not None else None


def _spare(run: ScoredRun, end: SearchEnded) -> float | None:
    """The nodes that are expanded at the end of such a search, beyond the fewest."""
    fewest = _fewest(run)
    return max(0.0, float(len(end.expanded) - fewest)) if _shown(run, end) and fewest is not None else None


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


def _revisits(run: ScoredRun, end: SearchEnded) -> float | None:
    steps = [each.node for each in events_of(run, SceneSearched) if each.command.startswith("expand")]
    return float(len(steps) - len({*steps}))


def _peak(run: ScoredRun, end: SearchEnded) -> float | None:
    return float(max((end.tokens, *(each.tokens for each in events_of(run, SceneSearched)))))


def _entities(kinds: tuple[str, ...], run: ScoredRun, end: SearchEnded) -> float | None:
    """The entities of some kinds in the whole graph; of all kinds but poses, as the paper counts, if none is given."""
    return float(sum(count for kind, count in end.counts if (kind in kinds if kinds else kind != "pose")))


def _kind_tokens(kind: str, run: ScoredRun, end: SearchEnded) -> float | None:
    return float(tokens) if (tokens := dict(end.kind_tokens).get(kind)) else None


def _mean_tokens(kind: str, run: ScoredRun, end: SearchEnded) -> float | None:
    tokens, count = dict(end.kind_tokens).get(kind), dict(end.counts).get(kind)
    return tokens / count if tokens and count else None


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


def _number(name: str, of: Value, summary: str) -> RunMetric:
    return mean_metric(name, of, summary, "lower", "")


def _tokens(name: str, of: Value, summary: str) -> RunMetric:
    def estimated(run: ScoredRun) -> bool:
        return any(not end.tokenizer for end in events_of(run, SearchEnded))

    return mean_metric(name, of, summary, "lower", "", guessed=estimated)


METRICS: tuple[RunMetric, ...] = (
    mean_metric("search-success", _of_search(_success), "searches that the model ends with a right answer"),
    mean_metric("search-shown", _of_search(_shown), "searches that show what is asked for at their end"),
    mean_metric(
        "plan-goal",
        _of_plan(lambda plan: 100.0 * plan.goal),
        "plans at whose end the goal holds; of plans that are not executable, failing actions are skipped",
    ),
    mean_metric(
        "plan-executable",
        _of_plan(lambda plan: 100.0 * (plan.executable and bool(plan.calls))),
        "plans whose actions are applicable one after the other",
    ),
    _number("plan-rounds", _of_plan(lambda plan: float(plan.round)), "corrections of a plan"),
    *(
        mean_metric(
            f"plan-{cause}",
            _of_plan(partial(lambda cause, plan: 100.0 * (plan.cause == cause), cause)),
            f"last plans whose first error is this: {text}",
            "lower",
        )
        for cause, text in _ERRORS.items()
    ),
    _number("expansions", _of_search(_expansions), "nodes that were expanded in a scene graph"),
    _number(
        "expansions-beyond",
        _of_search(_detours),
        "nodes that a search expanded beyond the fewest that show what is asked for",
    ),
    _number(
        "expanded-beyond",
        _of_search(_spare),
        "nodes that are expanded at the end of a search beyond the fewest that show what is asked for",
    ),
    _number(
        "queries",
        _of_search(lambda run, end: float(sum(bool(each.answer) for each in events_of(run, SceneSearched)))),
        "answers to queries about the shown graph: counts, distances, what is missing",
    ),
    _number("revisits", _of_search(_revisits), "commands to expand a node that was expanded before"),
    _tokens("view-tokens", _of_search(_peak), "tokens of the largest view of the scene graph"),
    _tokens(
        "end-tokens",
        _of_search(lambda run, end: float(end.tokens)),
        "tokens of the view of the scene graph at the end of a search",
    ),
    *(
        _number(f"scene-{name}", _of_search(partial(_entities, kinds)), f"{name} of the scene graph")
        for name, kinds in _KINDS.items()
    ),
    _number(
        "scene-collapsed",
        _of_search(lambda run, end: float(sum(count for kind, count in end.top if kind != "pose"))),
        "entities of the collapsed scene graph",
    ),
    _tokens("scene-tokens", _of_search(lambda run, end: float(end.full)), "tokens of the scene graph"),
    _tokens(
        "scene-collapsed-tokens",
        _of_search(lambda run, end: float(end.collapsed)),
        "tokens of the collapsed scene graph",
    ),
    *(
        _tokens(f"scene-{name}-tokens", _of_search(partial(_kind_tokens, kind)), f"tokens of {name} in the scene graph")
        for name, kind in _TOKENS.items()
    ),
    *(
        _tokens(
            f"scene-{name}-mean", _of_search(partial(_mean_tokens, kind)), f"mean tokens of {name} in the scene graph"
        )
        for name, kind in _TOKENS.items()
    ),
    mean_metric(
        "compression",
        _of_search(lambda run, end: 100.0 * (1 - end.collapsed / end.full)),
        "tokens that the collapsed scene graph saves of the full one",
    ),
)
"""The metrics of SayPlan, in the order of its tables."""
