"""Every real task at hand is accepted, and says what other parsers say it says."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from pddl2nl.pddl import Diagnostic, check_domain_file, check_problem_file, conjuncts, load_task


def tasks(shared: Path) -> Iterator[tuple[Path, Path]]:
    """Domain and problem of every task in the reference material."""
    for pattern in ("ipc/*/*", "numeric/*/*", "speed/*"):
        for domain in sorted(shared.glob(f"{pattern}/domain.pddl")):
            # The largest takes as long as all others together, and is a plain list of one kind of atom.
            if "visitall-gen150" not in domain.parts:
                yield domain, domain.with_name("problem.pddl")
    for domain in sorted(shared.glob("autoplanbench/*/domain.pddl")):
        for problem in sorted(domain.parent.glob("instances/**/*.pddl")):
            yield domain, problem
    for domain in sorted(shared.glob("planbench/instances/**/generated_domain.pddl")):
        for problem in sorted(domain.parent.glob("generated*/*.pddl")):
            yield domain, problem


@pytest.fixture(scope="module")
def found(shared: Path) -> list[tuple[Path, tuple[Diagnostic, ...]]]:
    """Every file of the reference material and its diagnostics."""
    domains = {path: check_domain_file(path) for path in {domain for domain, _ in tasks(shared)}}
    result = [(path, checked.diagnostics) for path, checked in domains.items()]
    for domain, problem in tasks(shared):
        result.append((problem, check_problem_file(problem, domains[domain].value).diagnostics))
    return result


def test_no_errors(found: list[tuple[Path, tuple[Diagnostic, ...]]]) -> None:
    assert len(found) > 1500
    errors = [item.render() for _, diagnostics in found for item in diagnostics if item.severity == "error"]
    assert errors == []


def test_few_warnings(found: list[tuple[Path, tuple[Diagnostic, ...]]]) -> None:
    warned = [path for path, diagnostics in found if diagnostics]
    assert len(warned) < len(found) / 10


def test_the_same_counts_as_fast_downward(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("fast_downward") is None:
        pytest.skip("Fast Downward's translator is absent: pip install 'pddl2nl[planners]'")
    # Its options read the command line when they are imported.
    monkeypatch.setattr("sys.argv", ["translate", "domain.pddl", "problem.pddl"])
    parser = importlib.import_module("fast_downward.translate.pddl_parser")
    for domain in sorted(shared.glob("ipc/*/*/domain.pddl")):
        problem = domain.with_name("problem.pddl")
        with contextlib.redirect_stdout(io.StringIO()):
            theirs = parser.open(str(domain), str(problem))
        ours = load_task(domain, problem)
        equalities = len({item.name for item in theirs.objects})
        atoms = {str(atom) for atom in theirs.init if "Atom" in str(atom)}
        assert len(ours.objects) == len(theirs.objects), domain
        assert len(set(ours.problem.init)) == len(atoms) - equalities, domain
        assert [action.name for action in ours.domain.actions] == [action.name for action in theirs.actions], domain
        assert [len(action.parameters) for action in ours.domain.actions] == [
            len(action.parameters) for action in theirs.actions
        ], domain
        assert len(ours.domain.derived) == len(theirs.axioms), domain
        goal = getattr(theirs.goal, "parts", ()) or (theirs.goal,)
        assert len(list(conjuncts(ours.problem.goal))) == len(goal), domain
