"""``pddl2nl check``: all errors in PDDL files, and what of them cannot be executed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from pddl2nl.pddl import Checked, Condition, Diagnostic, Domain, Problem

__all__ = ["register"]

T = TypeVar("T", "Domain", "Problem")

_EPILOG = "Example: pddl2nl check domain.pddl problem1.pddl problem2.pddl --json"
_COUNTS = ("types", "predicates", "functions", "actions", "derived", "objects", "init", "goal_atoms")


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("check", epilog=_EPILOG)(_check)


@dataclass(frozen=True)
class _Result:
    """What is told of one file."""

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
        """One line for people: right or not, the name, and what there is of what."""
        name = f" {self.tree.name}" if self.tree is not None else ""
        told = [f"{count} {what.replace('_', ' ')}" for what, count in _counts(self.tree).items() if count]
        errors = sum(item.severity == "error" for item in self.diagnostics)
        for count, word in ((errors, "error"), (len(self.diagnostics) - errors, "warning")):
            if count:
                told.append(f"{count} {word}{'s' if count > 1 else ''}")
        note = f" ({', '.join(told)})" if told else ""
        return f"{self.file}: {self.kind}{name}: {'ok' if self.ok else 'not ok'}{note}"


def _check(
    domain: Annotated[
        str, typer.Argument(metavar="DOMAIN", show_default=False, help="The domain file, or a shipped name.")
    ],
    problems: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PROBLEM…]", show_default=False, help="Problem files, checked against the domain."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a file.")] = False,
) -> None:
    """Check PDDL files: syntax, declarations, arity and types; all errors of a file, not only the first.

    A warning names each construct that is not executed: validate, run and plan refuse such a task. Exit code 0: no
    errors (warnings do not count); 2: errors.
    """
    from pddl2nl.cli.output import BAD_INPUT, DONE, print_json, print_text

    failed = False
    for result in _results(domain, problems or []):
        failed = failed or not result.ok
        for item in result.diagnostics:
            sys.stderr.write(item.render() + "\n")
        if as_json:
            print_json(result.as_json())
        else:
            print_text(result.as_text())
    raise typer.Exit(BAD_INPUT if failed else DONE)


def _results(domain_path: str, problem_paths: list[str]) -> Iterator[_Result]:
    """The files in order, each as soon as it is read."""
    from pddl2nl.cli.files import domain_file, problem_file
    from pddl2nl.pddl import Domain, Problem, check_domain_file, check_problem_file

    tree: Domain | None = None
    domain_path = domain_file(domain_path)

    def read_domain() -> Checked[Domain]:
        nonlocal tree
        checked = check_domain_file(domain_path)
        tree = checked.value
        return checked

    result = _result(domain_path, "domain", read_domain)
    yield replace(result, diagnostics=(*result.diagnostics, *_refused(tree, Problem("", ""))))
    for path in problem_paths:
        file = problem_file(path, domain_path)
        result = _result(file, "problem", partial(check_problem_file, file, tree))
        found = _refused(Domain(""), result.tree) if isinstance(result.tree, Problem) else ()
        yield replace(result, diagnostics=(*result.diagnostics, *found))


def _refused(domain: Domain | None, problem: Problem) -> tuple[Diagnostic, ...]:
    """A warning for each construct that cannot be executed."""
    from pddl2nl.pddl import Diagnostic, Source, Task
    from pddlval.unsupported import refusals

    if domain is None:
        return ()
    return tuple(
        Diagnostic.at(each.source or Source("", ""), each.span.start, each.message, severity="warning", path=each.path)
        for each in refusals(Task(domain, problem))
    )


def _result(file: str, kind: str, check: Callable[[], Checked[T]]) -> _Result:
    from pddl2nl.pddl import Diagnostic, InputError

    try:
        checked = check()
    except InputError as error:
        # The other files are checked all the same; a file that cannot be read has no line to point at.
        reason = str(error).removeprefix(f"{file}: ")
        return _Result(file, kind, None, False, (Diagnostic("error", file, 0, 0, reason),))
    return _Result(file, kind, checked.value, checked.ok, checked.diagnostics)


def _counts(tree: Domain | Problem | None) -> dict[str, int]:
    """How many there are of what in one file; a domain's objects are its constants."""
    from pddl2nl.pddl import Domain, Problem

    counts = dict.fromkeys(_COUNTS, 0)
    if isinstance(tree, Domain):
        counts |= {
            "types": len(tree.types),
            "predicates": len(tree.predicates),
            "functions": len(tree.functions),
            "actions": len(tree.actions) + len(tree.durative_actions),
            "derived": len(tree.derived),
            "objects": len(tree.constants),
        }
    elif isinstance(tree, Problem):
        facts = (tree.init, tree.init_values, tree.init_negative, tree.init_timed)
        counts |= {
            "objects": len(tree.objects),
            "init": sum(map(len, facts)),
            "goal_atoms": _atoms(tree.goal),
        }
    return counts


def _atoms(condition: Condition) -> int:
    """How many atoms and comparisons a condition is made of."""
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
