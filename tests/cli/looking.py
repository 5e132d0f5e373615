"""A model that never comes to an end by itself, for experiments that are stopped."""

from __future__ import annotations

from pddl2nl.llm import Completion, Request


class Looking:
    """Looks around for ever."""

    name = "looking"

    def complete(self, request: Request) -> Completion:
        """The same reply, whatever is asked."""
        return Completion("Action: look around")
