"""The oracle's answers to BrainBody's prompts."""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.llm import Message
from pddl2nl.nl import Wording
from pddl2nl.pddl import Domain

__all__ = ["BrainOracle", "oracle"]


class BrainOracle:
    """Answers no prompt yet."""

    def reply(self, messages: Sequence[Message]) -> str | None:
        """None: the prompt is not answered."""
        return None


def oracle(domain: Domain, wording: Wording, mistake: str | None) -> BrainOracle:
    """The oracle for a domain."""
    return BrainOracle()
