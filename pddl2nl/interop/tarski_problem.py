"""Tasks as problems of tarski (https://github.com/aig-upf/tarski)."""

from __future__ import annotations

from typing import Any

from pddl2nl.errors import MissingExtraError, UnsupportedError
from pddl2nl.pddl import Task, write_domain, write_problem

try:
    from tarski.errors import TarskiError
    from tarski.io import PDDLReader
except ImportError as error:
    raise MissingExtraError("tarski", "tarski", "the exchange with tarski") from error


def to_tarski(task: Task) -> Any:
    """The ``tarski.fstrips.Problem`` of a task, as tarski reads its PDDL.

    Raises:
        UnsupportedError: tarski cannot read the task, for example one with derived predicates.
    """
    reader = PDDLReader(raise_on_error=True)
    try:
        reader.parse_domain_string(write_domain(task.domain))
        return reader.parse_instance_string(write_problem(task.problem))
    # Its parser passes on any exception of its tree visitor.
    except (TarskiError, AttributeError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UnsupportedError(f"tarski cannot read {task.problem.name}: {reason}") from error
