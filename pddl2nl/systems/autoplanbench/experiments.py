"""The experiments of the AutoPlanBench paper (Stein, Fišer, Hoffmann and Koller, ICAPS 2025).

Its descriptions are worded by a model (``NL``, five seeds: run k with wording k), by templates (``Tpl``), or are PDDL.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments import Column, Experiment
from pddl2nl.experiments.records.reader import read_end
from pddl2nl.experiments.runs import record_path
from pddl2nl.experiments.specification.columns import WALK_SEEDS
from pddl2nl.experiments.specification.estimate import Estimate, estimated_columns
from pddl2nl.experiments.sweep import run_all
from pddl2nl.llm import price_of
from pddl2nl.tasks import shipped_domain, shipped_domains

_PRIMARY = [
    *("blocksworld", "logistics", "depots", "beluga", "ferry", "floortile", "goldminer", "grid", "grippers", "movie"),
    *("rovers", "satellite", "visitall"),
]
_SCALED = ["blocksworld", "ferry", "grippers", "visitall"]
_SETS = [
    {"shipped": _PRIMARY, "set": "primary", "section": "primary"},
    {"shipped": _SCALED, "set": "scaled", "section": "scaled"},
]
_BY_HAND = ("blocksworld", "depots", "logistics")
"""The domains that PlanBench's authors worded by hand."""
_NAMES = {"basic": "Bas", "cot": "CoT", "act": "Act", "react": "ReA"}
_SEARCHES = ["brfs", "lmcut", "ff"]
_LIMITS = {"planner_seconds": 1800, "planner_memory": 8192}
"""The paper's limits of a search: half an hour and 8 GB."""


def table_2(planbench: str = "") -> Experiment:
    """Table 2 of the AutoPlanBench paper: mechanisms on descriptions by a model or templates and in PDDL, and planners.

    Section 5: thirteen domains of twenty tasks and four scaled sets; five seeds; the random walk with ten.

    Args:
        planbench: a checkout of PlanBench; adds the rows of its hand-written descriptions.
    """
    columns = _columns("NL", wording="llm")
    for name in _BY_HAND if planbench else ():
        columns += _columns("NL", **_by_hand(planbench, name), variant="PlanBench")
    columns += _columns("Tpl", ("basic", "act"), wording="template")
    columns += _columns("PDDL", ("basic", "act"), style="pddl")
    columns.append(Column("random"))
    return Experiment(
        name="table-2",
        profile="autoplanbench",
        domains=_SETS,
        columns=columns,
        baselines=_SEARCHES,
        options=_LIMITS,
        tables=[{"kind": "coverage", "title": "Solved tasks by domain", "paper": "table-2"}],
    )


def tables_6_7(planbench: str = "") -> Experiment:
    """Tables 6 and 7 of the AutoPlanBench paper: input tokens of Act by how its tasks are described.

    Appendix F: every step's whole prompt is counted, over the tasks that Act solves under all of the descriptions that
    are compared.

    Args:
        planbench: a checkout of PlanBench, which Table 7 needs.
    """
    title = "Input tokens of a task that Act solves under {} descriptions"
    columns = [
        Column("act", group="NL", wording="llm"),
        Column("act", group="Tpl", wording="template"),
        Column("act", group="PDDL", style="pddl"),
    ]
    compared = ["NL Act", "Tpl Act", "PDDL Act"]
    tables: list[dict[str, Any]] = [
        {"kind": "tokens", "title": title.format("all three"), "paper": "table-6", "columns": compared}
    ]
    if planbench:
        columns += [Column("act", group="PlanBench", **_by_hand(planbench, name)) for name in _BY_HAND]
        compared = ["NL Act", "PlanBench Act"]
        tables.append({"kind": "tokens", "title": title.format("both"), "paper": "table-7", "columns": compared})
    tables.append({"kind": "coverage", "title": "Solved tasks by domain"})
    return Experiment(name="tables-6-7", profile="autoplanbench", domains=_SETS, columns=columns, tables=tables)


def renamed_blocksworld() -> Experiment:
    """Blocksworld whose names say nothing, predicate1 and action1, for Basic and Act, as in section 5.

    A model words the renamed domain by what it finds in it, which came out like templates; the paper reports no solved
    task. Compare with Blocksworld in table-2.
    """
    title = "Solved tasks of Blocksworld under generic names"
    return Experiment(
        name="renamed-blocksworld",
        profile="autoplanbench",
        domains=[{"shipped": "blocksworld", "transform": "obfuscate:generic", "row": "blocksworld"}],
        columns=_columns("NL", ("basic", "act"), wording="llm"),
        tables=[{"kind": "coverage", "title": title, "paper": "renamed-blocksworld"}],
    )


def baselines(
    domains: Sequence[str] = (),
    chosen_set: Literal["primary", "scaled"] = "primary",
    seeds: Sequence[int] = WALK_SEEDS,
    seconds: int = 1800,
    memory_mb: int = 8192,
) -> Experiment:
    """The symbolic baselines of the AutoPlanBench paper over a shipped set (section 5, "Symb. Baselines").

    The random walk, with as many steps as the policies of language models get and a walk for every seed; and BrFS,
    LM-cut and FF, searches of Fast Downward with the paper's limits of 30 minutes and 8 GB.

    Args:
        domains: names of shipped domains; none for all that have the set.
        chosen_set: ``primary`` or ``scaled``.
        seeds: of the walks.
        seconds, memory_mb: limits of a search, of CPU time and memory (MiB).

    Raises:
        InputError: an unknown domain, or one without that set.
    """
    shipped = map(shipped_domain, shipped_domains())
    having = [each.name for each in shipped if (each.benchmarks if chosen_set == "primary" else each.scaled)]
    chosen = [shipped_domain(name).name for name in dict.fromkeys(domains or having)]
    if without := [name for name in chosen if name not in having]:
        raise InputError(f"{', '.join(without)}: no {chosen_set} set is shipped; {', '.join(having)} have one")
    return Experiment(
        name=f"baselines-{chosen_set}",
        domains=[{"shipped": chosen, "set": chosen_set, "section": chosen_set}],
        policies=["random"],
        seeds=list(seeds),
        baselines=_SEARCHES,
        options={"planner_seconds": seconds, "planner_memory": memory_mb},
        tables=[{"kind": "coverage", "title": "Solved tasks by domain", "paper": "table-2"}],
    )


def _columns(group: str, policies: Sequence[str] = tuple(_NAMES), **shared: Any) -> list[Column]:
    return [Column(policy, name=_NAMES[policy], group=group, **shared) for policy in policies]


def _by_hand(planbench: str, name: str) -> dict[str, Any]:
    wording = str(Path(planbench).expanduser().absolute() / "configs" / f"{name}.yaml")
    return {"wording": wording, "domains": [name], "sections": ["primary"]}


def tables_3_4(
    suite: str, only: str = "*", searches: str = "runs/tables-3-4-searches", usd: float = 150.0
) -> Experiment:
    """Tables 3 and 4 of the AutoPlanBench paper: the IPC suites of a checkout, CoT and ReAct beside planners.

    Section 5 and appendix B: action costs are stripped; tasks that FF solves within half an hour and 8 GB, and of
    suites that would cost more than 150 USD, those that breadth-first search solves within the same limits; five seeds,
    as the paper says of all its results (``--seeds 1`` is a fifth of it, and of what a suite is estimated to cost).

    The planners run first; what they have found is not searched again.

    Args:
        suite: a folder of suites, such as a checkout of the downward-benchmarks.
        only: which of its suites, as a pattern.
        searches: the folder of the planners' records.
        usd: what a suite may cost.
    """
    folder = str(Path(suite).expanduser().absolute())
    whole = {"suite": folder, "only": only, "transform": "strip-costs"}
    solved = _solved(Experiment(name="searches", domains=[whole], baselines=["ff", "brfs"], options=_LIMITS), searches)
    entries = []
    for name, by_planner in solved.items():
        for planner in ("ff", "brfs"):
            if not by_planner[planner]:
                continue
            own = {**whole, "only": name, "instances": by_planner[planner], "section": f"solved by {planner}"}
            if planner == "brfs" or _usd(_suites([own])) <= usd:
                entries.append(own)
                break
    if not entries:
        raise InputError(f"{suite}: FF solves none of its tasks within the limits")
    return _suites(sorted(entries, key=lambda entry: entry["section"], reverse=True))


def _suites(entries: Sequence[Mapping[str, Any]]) -> Experiment:
    columns = _columns("NL", ("cot", "react"), wording="llm")
    title = "Solved tasks by selected suites, the others summed"
    return Experiment(
        name="tables-3-4",
        profile="autoplanbench",
        domains=list(entries),
        columns=[*columns, Column("random")],
        baselines=_SEARCHES,
        options=_LIMITS,
        tables=[
            {"kind": "families", "title": title, "paper": "table-3"},
            {"kind": "suites", "title": "Solved tasks by suite", "paper": "table-4"},
        ],
    )


def _solved(searches: Experiment, folder: str) -> dict[str, dict[str, list[str]]]:
    """The names of the tasks of each suite that each planner solves."""
    summary = run_all(searches.jobs.values(), Path(folder))
    if summary.interrupted:
        raise KeyboardInterrupt
    if summary.unfinished or summary.failed:
        failed = "; ".join(trouble.message for trouble in (*summary.broken, *summary.bad))
        raise InfrastructureError(f"the searches in {folder} are not finished: {failed or summary.stopped}")
    solved: dict[str, dict[str, list[str]]] = {}
    for domain, task, column, job in searches.searches:
        found = solved.setdefault(domain.row, defaultdict(list))
        end = read_end(record_path(Path(folder), job))
        if end is not None and end.outcome == "solved":
            found[column.policy].append(task.name)
    return solved


def _usd(experiment: Experiment) -> float:
    experiment.prices = {model: price_of(model) for model in experiment.models}
    return sum((one for _, one in estimated_columns(experiment, ()).values()), Estimate()).usd or 0.0
