"""What ``pddl2nl check`` reports of PDDL files: all errors, the constructs that cannot be executed, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pddl2nl.lean import dataclass
from pddl2nl.pddl import (
    Checked,
    Diagnostic,
    Domain,
    InputError,
    Problem,
    Source,
    Task,
    check_domain_file,
    check_problem_file,
)
from pddlval.formulas import LITERAL, subformulas
from pddlval.unsupported import refusals

_COUNTS = ("types", "predicates", "functions", "actions", "derived", "objects", "init", "goal_atoms")


@dataclass(frozen=True)
class CheckedFile:
    """The report on one file.

    Attributes:
        file: its path.
        kind: ``domain`` or ``problem``.
        tree: the domain or problem; None if the file cannot be read.
        ok: whether there are no errors.
        diagnostics: errors and warnings.
    """

    file: str
    kind: str
    tree: Domain | Problem | None
    ok: bool
    diagnostics: tuple[Diagnostic, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many types, predicates, … the file declares; a domain's objects are its constants."""
        counts, tree = dict.fromkeys(_COUNTS, 0), self.tree
        if isinstance(tree, Domain):
            counts |= {name: len(getattr(tree, name)) for name in ("types", "predicates", "functions", "derived")}
            counts |= {"actions": len(tree.actions) + len(tree.durative_actions), "objects": len(tree.constants)}
        elif isinstance(tree, Problem):
            goal_atoms = sum(isinstance(part, LITERAL) for part in subformulas(tree.goal))
            facts = (tree.init, tree.init_values, tree.init_negative, tree.init_timed)
            counts |= {"objects": len(tree.objects), "init": sum(map(len, facts)), "goal_atoms": goal_atoms}
        return counts

    def as_json(self) -> dict[str, object]:
        """The object that ``pddl2nl check --json`` prints."""
        return {
            "file": self.file,
            "kind": self.kind,
            "name": self.tree.name if self.tree is not None else None,
            "ok": self.ok,
            "requirements": list(self.tree.requirements) if self.tree is not None else [],
            "counts": self.counts,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }


def check_files(domain: str, problems: Iterator[str]) -> Iterator[CheckedFile]:
    """Checks a domain file and problem files against it, in order; each is reported as soon as it is read."""
    report = report_on(domain, "domain", lambda: check_domain_file(domain))
    yield report
    tree = report.tree if isinstance(report.tree, Domain) else None
    for file in problems:
        yield report_on(file, "problem", lambda file=file: check_problem_file(file, tree))  # type: ignore[misc]


def report_on(file: str, kind: str, check: Callable[[], Checked[Domain] | Checked[Problem]]) -> CheckedFile:
    """The report on one file, or on a text under that name, which is read by a function."""
    try:
        checked = check()
    except InputError as error:
        # The other files are checked all the same; a file that cannot be read has no line to point at.
        reason = str(error).removeprefix(f"{file}: ")
        return CheckedFile(file, kind, None, False, (Diagnostic("error", file, 0, 0, reason),))
    return CheckedFile(file, kind, checked.value, checked.ok, (*checked.diagnostics, *_not_executed(checked.value)))


def _not_executed(tree: Domain | Problem | None) -> Iterator[Diagnostic]:
    if tree is None:
        return
    task = Task(tree, Problem("", "")) if isinstance(tree, Domain) else Task(Domain(""), tree)
    for refusal in refusals(task, timed=True):
        source = refusal.source or Source("", "")
        yield Diagnostic.at(source, refusal.span.start, refusal.message, severity="warning", path=refusal.path)
