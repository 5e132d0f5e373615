"""Beam search over nodes of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Node = TypeVar("Node")


def beam_search(
    start: Node,
    successors: Callable[[Node], Iterable[Node]],
    ranked: Callable[[Sequence[Node]], Sequence[Node]],
    width: int,
) -> Iterator[Sequence[Node]]:
    """The beams one after the other, until no node has a successor. The caller looks for goals in them.

    Args:
        start: the only node of the first beam.
        successors: of a node; those that were reached before can be left out.
        ranked: sorts nodes, the best first.
        width: how many nodes a beam keeps.
    """
    beam: Sequence[Node] = (start,)
    while beam:
        yield beam
        beam = ranked([new for node in beam for new in successors(node)])[:width]
