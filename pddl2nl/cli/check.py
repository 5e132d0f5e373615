"""``pddl2nl check``: all errors in PDDL files, and the constructs that cannot be executed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import argument, domain_file, problem_file, switch
from pddl2nl.cli.output import BAD_INPUT, DONE, plural, print_result

if TYPE_CHECKING:
    from pddl2nl.pddl import Checked, Condition, Diagnostic, Domain, Problem

__all__ = ["register"]

_EPILOG = "Example: pddl2nl check domain.pddl problem1.pddl problem2.pddl --json"
_COUNTS = ("types", "predicates", "functions", "actions", "derived", "objects", "init", "goal_atoms")


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("check", epilog=_EPILOG)(_check)


def _check(
    domain: Annotated[Path, argument("DOMAIN", "The domain file, or the name of a shipped domain.")],
    problems: Annotated[
        list[Path] | None, argument("[PROBLEM]...", "Problem files, or names of the shipped domain's instances.")
    ] = None,
    as_json: Annotated[bool, switch("--json", "Print JSON, one object per file.", "Output")] = False,
) -> None:
    """Check PDDL files: syntax, declarations, arity and types; all errors of a file, not only the first.

    A warning names each construct that is not executed: validate, run and plan refuse such a task. Exit code 0: no
    errors (warnings do not count); 2: errors.
    """
    failed = False
    for checked in _checked(domain_file(str(domain)), [str(path) for path in problems or ()]):
        failed = failed or not checked.ok
        for item in checked.diagnostics:
            sys.stderr.write(item.render() + "\n")
        print_result(checked.as_json(), checked.as_text(), as_json=as_json)
    raise typer.Exit(BAD_INPUT if failed else DONE)


@dataclass(frozen=True)
class _CheckedFile:
    """What was found in one file; ``tree`` is None if it cannot be read."""

    file: str
    kind: str
    tree: Domain | Problem | None
    ok: bool
    diagnostics: tuple[Diagnostic, ...]

    def as_json(self) -> dict[str, object]:
        """INTERFACE's object, in its order."""
        return {
            "file": self.file,
            "kind": self.kind,
            "name": self.tree.name if self.tree is not None else None,
            "ok": self.ok,
            "requirements": list(self.tree.requirements) if self.tree is not None else [],
            "counts": _counts(self.tree),
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }

    def as_text(self) -> str:
        """One line: the file, ok or not, and how many there are of what."""
        name = f" {self.tree.name}" if self.tree is not None else ""
        told = [f"{count} {what.replace('_', ' ')}" for what, count in _counts(self.tree).items() if count]
        errors = sum(item.severity == "error" for item in self.diagnostics)
        warnings = len(self.diagnostics) - errors
        told += [plural(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count]
        note = f" ({', '.join(told)})" if told else ""
        return f"{self.file}: {self.kind}{name}: {'ok' if self.ok else 'not ok'}{note}"


def _checked(domain: str, problems: list[str]) -> Iterator[_CheckedFile]:
    """The files in order, each as soon as it is read."""
    from pddl2nl.pddl import Domain, check_domain_file, check_problem_file

    found = _read(domain, "domain", lambda: check_domain_file(domain))
    yield found
    tree = found.tree if isinstance(found.tree, Domain) else None
    for name in problems:
        file = problem_file(name, domain)
        yield _read(file, "problem", lambda file=file: check_problem_file(file, tree))  # type: ignore[misc]


def _read(file: str, kind: str, check: Callable[[], Checked[Domain] | Checked[Problem]]) -> _CheckedFile:
    from pddl2nl.errors import InputError
    from pddl2nl.pddl import Diagnostic

    try:
        checked = check()
    except InputError as error:
        # The other files are checked all the same; a file that cannot be read has no line to point at.
        reason = str(error).removeprefix(f"{file}: ")
        return _CheckedFile(file, kind, None, False, (Diagnostic("error", file, 0, 0, reason),))
    return _CheckedFile(file, kind, checked.value, checked.ok, (*checked.diagnostics, *_not_executed(checked.value)))


def _not_executed(tree: Domain | Problem | None) -> Iterator[Diagnostic]:
    """A warning for each construct that cannot be executed."""
    from pddl2nl.pddl import Diagnostic, Domain, Problem, Source, Task
    from pddlval.unsupported import refusals

    if tree is None:
        return
    task = Task(tree, Problem("", "")) if isinstance(tree, Domain) else Task(Domain(""), tree)
    for each in refusals(task):
        source = each.source or Source("", "")
        yield Diagnostic.at(source, each.span.start, each.message, severity="warning", path=each.path)


def _counts(tree: Domain | Problem | None) -> dict[str, int]:
    """How many there are of what in one file; a domain's objects are its constants."""
    from pddl2nl.pddl import Domain, Problem

    counts = dict.fromkeys(_COUNTS, 0)
    if isinstance(tree, Domain):
        counts |= {name: len(getattr(tree, name)) for name in ("types", "predicates", "functions", "derived")}
        counts |= {"actions": len(tree.actions) + len(tree.durative_actions), "objects": len(tree.constants)}
    elif isinstance(tree, Problem):
        facts = (tree.init, tree.init_values, tree.init_negative, tree.init_timed)
        counts |= {"objects": len(tree.objects), "init": sum(map(len, facts)), "goal_atoms": _atoms(tree.goal)}
    return counts


def _atoms(condition: Condition) -> int:
    """How many atoms and comparisons a condition consists of."""
    from pddl2nl.pddl import And, Exists, Forall, Imply, Modal, Not, Or, Preference, Timed

    match condition:
        case And(parts=parts) | Or(parts=parts) | Modal(parts=parts):
            return sum(map(_atoms, parts))
        case Not(body=body) | Forall(body=body) | Exists(body=body) | Preference(body=body) | Timed(body=body):
            return _atoms(body)
        case Imply(left=left, right=right):
            return _atoms(left) + _atoms(right)
        case _:
            return 1
