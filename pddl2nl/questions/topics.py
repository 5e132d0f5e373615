"""The registry of kinds of questions."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.questions.acp_topics import ACPBENCH
from pddl2nl.questions.planbench_topics import PLANBENCH
from pddl2nl.questions.topic import OpenTopic

TOPICS: Mapping[str, type[OpenTopic]] = {**ACPBENCH, **PLANBENCH}
"""All kinds by their names (`pddl2nl.questions.question.KINDS`)."""
