"""How a run was made: its models, prompts, wording, limits and versions, and what its replies were.

`conditions_of` gives what many runs have in common as pairs of a topic and a value; `replies_of` counts. Both come from
the record alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from pddl2nl.experiments.records.stored import PlannerRecord, Record, RunRecord
from pddl2nl.policies.events import Failed, Prompted, Read, Replied, Started

Conditions = tuple[tuple[str, str], ...]
"""Pairs of a topic, one of `TOPICS`, and a value; a topic may have several values."""

Replies = tuple[tuple[str, int], ...]
"""Pairs of what is counted (`replies_of`) and its number."""

TOPICS = (
    "model",
    "temperature",
    "reply limit",
    "prompt",
    "wording",
    "reading",
    "step limit",
    "retries",
    "planner",
    "version",
    "machine",
)

DEFAULT = "the model's own"
"""The reply limit of a run that sets none."""


def conditions_of(record: Record) -> Conditions:
    """How the run was made."""
    if isinstance(record, PlannerRecord):
        return (("planner", record.planned.planner), *_versions(record.planned.versions))
    if isinstance(record, RunRecord):
        return tuple(_of_run(record))
    return ()


def _of_run(record: RunRecord) -> Iterator[tuple[str, str]]:
    started, spec = record.started, record.started.spec
    if record.model:
        yield from (("model", said) for said in _models(record))
        yield from (("temperature", str(value)) for value in [spec.get("temperature")] if value is not None)
        limit = spec.get("max_tokens") or started.model_settings.get("max_tokens")
        yield "reply limit", DEFAULT if limit is None else f"{limit} tokens"
        yield from (("prompt", f"{name} {digest[:12]}") for name, digest in sorted(started.prompts.items()))
        if started.style == "nl":
            yield "wording", _wording(started)
            yield "reading", _reading(started)
        else:
            yield "wording", "none: PDDL"
    if (steps := spec.get("steps")) is not None:
        yield "step limit", str(steps)
    if (retries := started.model_settings.get("max_retries")) is not None:
        yield "retries", f"at most {retries} a call"
    yield from _versions(started.versions)


def _models(record: RunRecord) -> Iterator[str]:
    """The models by role, each with the version strings that its endpoint gave."""
    answered: dict[str, dict[str, None]] = {role: {} for role in record.started.models}
    role = ""
    for event in record.events:
        if isinstance(event, Prompted):
            role = event.purpose
        elif isinstance(event, Replied):
            answered.setdefault(role, {})[" ".join(filter(None, (event.model, event.fingerprint)))] = None
    for role, versions in answered.items():
        asked = record.started.models.get(role, record.model)
        others = [version for version in versions if version not in ("", asked)]
        named = asked if role == "planner" else f"{asked} as {role}"
        yield f"{named}: answered by {', '.join(others)}" if others else named


def _wording(started: Started) -> str:
    source = (started.wording or {}).get("source")
    if not isinstance(source, Mapping):
        return "a file"
    named = {"method": "", "model": "by ", "date": "of ", "prompt_sha256": "prompt "}
    return " ".join(f"{before}{str(source[name])[:40]}" for name, before in named.items() if source.get(name))


def _reading(started: Started) -> str:
    spec = started.spec
    version = "" if started.reading_version is None else f", version {started.reading_version}"
    by = "" if spec.get("translator", "reader") == "reader" else f", translator {spec['translator']}"
    return f"{spec.get('reading', 'default')}{version}{by}"


def _versions(versions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, version in versions.items():
        yield ("machine", version) if name == "machine" else ("version", f"{name} {version}")


def replies_of(record: Record) -> Replies:
    """The numbers of replies, and of those that fell short, by their finish; of failed calls; of lines that were read.

    ``lines`` are those meant as actions, ``doubtful`` those of them that the reader could not decide: ambiguous or
    unreadable ones. ``asked`` are replies that an endpoint gave for this run, ``retries`` how often requests for them
    were sent again, and ``unknown`` those of them whose record does not say so.
    """
    endpoint = isinstance(record, RunRecord) and record.started.base_url is not None
    found: Counter[str] = Counter()
    for event in record.events:
        if isinstance(event, Replied):
            found["replies"] += 1
            if event.finish != "text":
                found[event.finish] += 1
            if event.retries is not None or (endpoint and not event.from_cache):
                found["asked"] += 1
                found["retries"] += event.retries or 0
                found["unknown"] += event.retries is None
        elif isinstance(event, Failed):
            found["failed"] += 1
        elif isinstance(event, Read) and event.status in ("read", "ambiguous", "unreadable", "unknown-object"):
            found["lines"] += 1
            if event.status in ("ambiguous", "unreadable"):
                found["doubtful"] += 1
    return tuple(found.items())
