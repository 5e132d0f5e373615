"""PDDL text to syntax tree and back: reading, checking, writing.

Follows the manuals of PDDL 1.2, 2.1, 2.2 and 3.0. `load_task` and `parse_task` give a `Task` or raise
`PDDLError` with everything that is wrong; `check_domain` and `check_problem` give errors and warnings and
never raise; `write_domain`, `write_problem` and `write_condition` give text.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError, Pddl2nlError, UnsupportedError
from pddl2nl.pddl.diagnostics import NOWHERE, Diagnostic, PDDLError, Source, Span
from pddl2nl.pddl.task import Task, changed_predicates, supertypes
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Domain,
    DurativeAction,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    Function,
    GroundAtom,
    Imply,
    Metric,
    Modal,
    Not,
    Number,
    Or,
    Predicate,
    Preference,
    Problem,
    Special,
    Timed,
    TimedLiteral,
    TypedName,
    Update,
    When,
    conjuncts,
    is_variable,
)

if TYPE_CHECKING:
    from pddl2nl.pddl.reader import (
        Checked,
        check_domain,
        check_domain_file,
        check_problem,
        check_problem_file,
        load_domain,
        load_problem,
        load_task,
        parse_domain,
        parse_problem,
        parse_task,
    )
    from pddl2nl.pddl.rewriting import substitute
    from pddl2nl.pddl.stratification import stratify
    from pddl2nl.pddl.tree import write_number
    from pddl2nl.pddl.writer import text_of, write_condition, write_domain, write_problem

__all__ = [
    "ActionSchema",
    "And",
    "Arithmetic",
    "Atom",
    "Checked",
    "Comparison",
    "Condition",
    "DerivedPredicate",
    "Diagnostic",
    "Domain",
    "DurativeAction",
    "Effect",
    "Equality",
    "Exists",
    "Expression",
    "Fluent",
    "FluentValue",
    "Forall",
    "Function",
    "GroundAtom",
    "Imply",
    "InfrastructureError",
    "InputError",
    "Metric",
    "MissingExtraError",
    "Modal",
    "NOWHERE",
    "Not",
    "Number",
    "Or",
    "PDDLError",
    "Pddl2nlError",
    "Predicate",
    "Preference",
    "Problem",
    "Source",
    "Span",
    "Special",
    "Task",
    "Timed",
    "TimedLiteral",
    "TypedName",
    "UnsupportedError",
    "Update",
    "When",
    "changed_predicates",
    "check_domain",
    "check_domain_file",
    "check_problem",
    "check_problem_file",
    "conjuncts",
    "is_variable",
    "load_domain",
    "load_problem",
    "load_task",
    "parse_domain",
    "parse_problem",
    "parse_task",
    "stratify",
    "substitute",
    "text_of",
    "supertypes",
    "write_condition",
    "write_domain",
    "write_number",
    "write_problem",
]

_LAZY = {
    "reader": "Checked check_domain check_domain_file check_problem check_problem_file load_domain load_problem "
    "load_task parse_domain parse_problem parse_task",
    "stratification": "stratify",
    "rewriting": "substitute",
    "tree": "write_number",
    "writer": "text_of write_condition write_domain write_problem",
}
_HOME = {name: module for module, names in _LAZY.items() for name in names.split()}


def __getattr__(name: str) -> object:
    # Imported on first use: code that needs only the tree does not wait for the reader.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
