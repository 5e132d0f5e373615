"""What a set has to be as a whole: its numbers, its names, its lengths and its example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pddl2nl.tasks.hopeless import UNSOLVABLE
from pddl2nl.tasks.manifest import ManifestRow
from pddl2nl.tasks.scaling import SCALED
from pddl2nl.tasks.selection import BENCHMARKS, EXAMPLE_LENGTH, LENGTHS

__all__ = ["check_sets"]


def check_sets(rows: Sequence[ManifestRow], sets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the sets of a manifest, as pairs of an instance, empty for a whole set, and a message."""
    if "primary" in sets:
        yield from _primary([row for row in rows if row.set == "primary"])
    for name, size, letter in (("scaled", SCALED, "s"), ("unsolvable", UNSOLVABLE, "u")):
        found = [row for row in rows if row.set == name]
        # Not every domain has these.
        if name in sets and found:
            yield from _numbered(found, size, letter, f"{name} set")


def _primary(rows: Sequence[ManifestRow]) -> Iterator[tuple[str, str]]:
    examples = [row for row in rows if row.role == "example"]
    benchmarks = [row for row in rows if row.role == "benchmark"]
    if len(examples) != 1:
        yield "", f"there are {len(examples)} examples; 1 was expected"
    yield from _numbered(benchmarks, BENCHMARKS, "p", "primary set")
    lengths = [row.optimal_length or 0 for row in benchmarks]
    for row in rows:
        if row.optimal_length not in LENGTHS:
            yield row.instance, f"its length {row.optimal_length} is not from {LENGTHS[0]} to {LENGTHS[-1]}"
    if lengths != sorted(lengths):
        yield "", "the benchmarks are not ordered by length"
    for row in examples:
        best = min(abs(length - EXAMPLE_LENGTH) for length in (*lengths, row.optimal_length or 0))
        if abs((row.optimal_length or 0) - EXAMPLE_LENGTH) != best:
            yield row.instance, f"has {row.optimal_length} steps, and a benchmark is nearer to {EXAMPLE_LENGTH}"
    yield from _even(lengths)


def _even(lengths: Sequence[int]) -> Iterator[tuple[str, str]]:
    """A length may be rarer than others because the domain has few of it, but none may be much more frequent."""
    counts = Counter(lengths)
    if counts:
        length, most = counts.most_common(1)[0]
        share = -(-len(lengths) // len(counts))
        if most > share + 1:
            yield "", f"{most} benchmarks have {length} steps; {share} or so would be an even share"


def _numbered(rows: Sequence[ManifestRow], size: int, letter: str, name: str) -> Iterator[tuple[str, str]]:
    names = [row.instance for row in rows]
    if names != [f"{letter}{number:02}" for number in range(1, size + 1)]:
        wanted = f"{letter}01 to {letter}{size} were expected, in this order"
        yield "", f"the {name} has {len(names)} problems: {', '.join(names) or 'none'}; {wanted}"
