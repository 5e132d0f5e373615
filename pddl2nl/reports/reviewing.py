"""What a reviewer asks of a report: how its runs were made, and what to doubt; both from the records alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from pddl2nl.reports.conditions import TOPICS
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered, own_tables
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection

_LISTED = 12
"""The most values of a topic that are listed."""

_FEW = 5
"""With fewer tasks a column that solves all or none of them is no sign of anything."""

_MOST_DOUBTFUL = 0.02
"""The share of lines that the reader may leave undecided before the report says so."""

_SHORT = {"length": "cut off", "refused": "refused", "filtered": "filtered", "empty": "empty"}
"""The replies that fell short, by their finish, in words."""


def how_table(gathered: Gathered) -> Table:
    """How the runs were made, a line a topic: models, dates, limits, prompts, wordings, seeds, replies, versions."""
    runs = [*gathered.runs.values()]
    found: dict[str, Counter[str]] = {topic: Counter() for topic in TOPICS}
    for run in runs:
        for topic, value in run.conditions:
            found[topic][value] += 1
    facts = {
        "runs": _runs(gathered),
        "dates": _span([run.began for run in runs if run.began]),
        "seeds": _numbers({run.seed for run in runs if run.seed is not None}),
        "replies": _replies(runs),
    }
    facts |= {topic: _listed(values) for topic, values in found.items()}
    facts["retries"] = "; ".join(filter(None, (_retries(runs), facts["retries"])))
    steps = found["step limit"]
    facts["step limit"] = _span(sorted(steps, key=int)) if all(map(str.isdigit, steps)) else _listed(steps)
    lines = tuple(TableLine(_PLURALS.get(name, name), (TableCell(facts[name]),)) for name in _ORDER if facts[name])
    return Table("how", "How this was run", "what", (Heading("how"),), (TableSection(lines),), prose=True)


_ORDER = (
    *("runs", "dates", "model", "temperature", "reply limit", "prompt", "wording", "reading", "seeds", "step limit"),
    *("retries", "replies", "planner", "version", "machine"),
)
_PLURALS = {"model": "models", "prompt": "prompts", "wording": "wordings", "planner": "planners", "version": "versions"}


def _runs(gathered: Gathered) -> str:
    parts = [f"{len(gathered.runs) - len(gathered.broken)} scored"]
    for number, what in (
        (len(gathered.broken), "left out for infrastructure errors"),
        (len(gathered.doubted), "left out as not as recorded"),
        (len(gathered.missing), "not run yet"),
    ):
        parts += [f"{number} {what}"] if number else []
    return ", ".join(parts)


def _span(values: Sequence[str]) -> str:
    if not values:
        return ""
    first, last = (values[0], values[-1]) if values[0].isdigit() else (min(values), max(values))
    return first if first == last else f"{first} to {last}"


def _numbers(seeds: Iterable[int]) -> str:
    """``1 to 5, 8``."""
    parts: list[list[int]] = []
    for seed in sorted(seeds):
        if parts and seed == parts[-1][-1] + 1:
            parts[-1].append(seed)
        else:
            parts.append([seed])
    return ", ".join(f"{part[0]} to {part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def _replies(runs: Iterable[RunSummary]) -> str:
    total = _totals(runs)
    if not total["replies"] and not total["failed"]:
        return ""
    parts = [f"{total['replies']:,}", *(f"{total[kind]:,} {words}" for kind, words in _SHORT.items() if total[kind])]
    if total["failed"]:
        parts.append(f"{total['failed']:,} calls without one, after all retries")
    return ", ".join(parts)


def _retries(runs: Sequence[RunSummary]) -> str:
    """How often requests to endpoints were sent again, where records say so."""
    total = _totals(runs)
    retries, asked, unknown = total["retries"], total["asked"], total["unknown"]
    if not unknown:
        return f"{retries:,} made" if asked else ""
    return "made: not recorded" if unknown == asked else f"{retries:,} made, of {unknown:,} replies not recorded"


def _listed(values: Counter[str]) -> str:
    """The values, the most frequent first; how many runs have each, where several exclude each other."""
    names = [name for name, _ in sorted(values.items(), key=lambda item: (-item[1], item[0]))]
    more = f"; and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return "; ".join(names[:_LISTED]) + more


# ── what to doubt ────────────────────────────────────────────────────────────────────────────────


def doubts(gathered: Gathered) -> tuple[str, ...]:
    """What may mislead a reader of the tables, a sentence each; empty if nothing was found."""
    return tuple(sentence for check in _CHECKS for sentence in check(gathered))


def _columns(gathered: Gathered) -> Iterator[tuple[str, list[RunSummary], str]]:
    """The label, the runs and the model of each column of a language model, on the rows that are not variants."""
    rows = [number for number, row in enumerate(gathered.layout.rows) if not row.variant]
    for number, column in enumerate(gathered.layout.columns):
        runs = gathered.runs_in(rows, number)
        if column.kind == "model" and runs:
            yield column.label, runs, column.model or runs[0].model


def _different_tasks(gathered: Gathered) -> Iterator[str]:
    if own_tables(gathered.runs.values()):
        # Each question is a task of its own, and each column asks others.
        return
    tasks: dict[frozenset[object], list[str]] = defaultdict(list)
    for label, runs, _ in _columns(gathered):
        tasks[frozenset(run.task_key for run in runs if not run.infrastructure)].append(label)
    if len(tasks) > 1:
        most_first = sorted(tasks.items(), key=lambda item: -len(item[0]))
        parts = (f"{len(those)} of {_names(labels)}" for those, labels in most_first)
        yield (
            f"The columns do not have the same tasks: {'; '.join(parts)}. Sums and means are of different tasks; the "
            "paired comparisons are not."
        )


def _cut_off(gathered: Gathered) -> Iterator[str]:
    for kind, words in _SHORT.items():
        parts = []
        for label, runs, _ in _columns(gathered):
            total = _totals(runs)
            parts += [f"{total[kind]} of {total['replies']} of {label}"] if total[kind] else []
        if parts:
            yield f"Replies were {words}: {_some(parts)}."


def _totals(runs: Iterable[RunSummary]) -> Counter[str]:
    """The sums of `RunSummary.replies`."""
    total: Counter[str] = Counter()
    for run in runs:
        for name, number in run.replies:
            total[name] += number
    return total


def _saturated(gathered: Gathered) -> Iterator[str]:
    for solved, what in ((1.0, "every task, so that they show no difference to a better one"), (0.0, "no task")):
        labels = []
        for label, runs, model in _columns(gathered):
            coverage = coverage_of(runs)
            # The oracle is meant to solve everything.
            if coverage.share == solved and coverage.tasks >= _FEW and not model.startswith("oracle"):
                labels.append(f"{label} ({coverage.tasks})")
        if labels:
            yield f"Saturated columns, which solve {what}: {_names(labels)}."


def _undecided(gathered: Gathered) -> Iterator[str]:
    parts = []
    for label, runs, _ in _columns(gathered):
        total = _totals(runs)
        doubtful, lines = total["doubtful"], total["lines"]
        if doubtful > _MOST_DOUBTFUL * lines:
            parts.append(f"{doubtful} of {lines} of {label} ({100 * doubtful / lines:.0f} %)")
    if parts:
        yield (
            f"Lines that the reader found ambiguous or could not read, more than {_MOST_DOUBTFUL:.0%}: {_some(parts)}. "
            "Look at some of them: a model may have meant the right action."
        )


def _other_models(gathered: Gathered) -> Iterator[str]:
    """Models that answered under another name than the one that was asked, and models that answered as several."""
    answered: dict[str, dict[str, None]] = {}
    for run in gathered.runs.values():
        for topic, value in run.conditions:
            asked, answers, by = value.partition(": answered by ")
            if topic == "model" and answers:
                answered.setdefault(asked.partition(" as ")[0], {}).update(dict.fromkeys(by.split(", ")))
    for asked, versions in answered.items():
        named = {version.partition(" ")[0] for version in versions}
        if others := sorted(name for name in named if not _same_model(asked, name)):
            yield f"Another model answered for '{asked}': {_names(others)}."
        elif len(versions) > 1:
            yield f"'{asked}' answered in {len(versions)} versions: {_names(sorted(versions))}."


def _same_model(asked: str, answered: str) -> bool:
    """Whether one name is the other with a version: ``gpt-4o-2024-08-06`` is ``gpt-4o``, and ``gpt-4o-mini`` is not."""
    # A path or a provider before the name says nothing.
    one, other = (set(re.findall("[a-z]+|[0-9]+", name.lower().rpartition("/")[2])) for name in (asked, answered))
    more = one ^ other
    return (one <= other or other <= one) and all(part.isdigit() or part in _EDITIONS for part in more)


_EDITIONS = frozenset(("latest", "preview", "exp", "instruct", "chat", "it", "hf", "gguf", "q", "k", "m", "v", "b"))
"""What may stand behind a model's name and tells no other model."""


def _judged_otherwise(gathered: Gathered) -> Iterator[str]:
    if number := len(gathered.doubted):
        runs = "1 run, judged again, is" if number == 1 else f"{number} runs, judged again, are"
        yield f"{runs} not as recorded and left out."


_CHECKS: tuple[Callable[[Gathered], Iterator[str]], ...] = (
    _judged_otherwise,
    _different_tasks,
    _cut_off,
    _other_models,
    _undecided,
    _saturated,
)


def _names(names: Sequence[str]) -> str:
    return _some(names, last=" and ")


def _some(parts: Sequence[str], last: str = ", ") -> str:
    """The first parts as a list: ``a, b and c``."""
    if len(parts) > _LISTED:
        return f"{', '.join(parts[:_LISTED])} and {len(parts) - _LISTED} more"
    return last.join(filter(None, (", ".join(parts[:-1]), parts[-1])))
