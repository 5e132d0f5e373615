"""Every task of the reference set is told, and every sentence of it is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.nl.wording.english import article
from pddl2nl.pddl import load_task

_BEFORE_A_NAME = re.compile(r"(?<![\w'])(?:an?|every|no) (?=[A-Z]\d*(?!\w))")


def faults(text: str, names: frozenset[str]) -> Iterator[str]:
    """What no told line may have: an open bracket, a brace, a wrong article, two blanks, a lost full stop."""
    for line in text.split("\n"):
        if line.count("(") != line.count(")"):
            yield f"brackets: {line}"
        if "{" in line or "}" in line or "  " in line or " ," in line or " ." in line:
            yield f"form: {line}"
        if _BEFORE_A_NAME.search(line):
            yield f"an article before a letter: {line}"
        for said, word in re.findall(r"(?<![\w'-])(an?) ('?[A-Za-z][\w-]*)", line):
            if said != article(word):
                yield f"'{said} {word}': {line}"
            if word in names:
                yield f"an article before a name, '{said} {word}': {line}"


@pytest.mark.parametrize("folder", ["ipc/*/*", "numeric/*/*", "speed/*"])
def test_every_task_is_told_in_whole_sentences(shared: Path, folder: str) -> None:
    count = 0
    for path in sorted(shared.glob(f"{folder}/domain.pddl")):
        # The largest tasks take seconds to read and have the domains of smaller ones.
        if path.with_name("problem.pddl").stat().st_size > 1_000_000:
            continue
        task = load_task(path, path.with_name("problem.pddl"))
        teller = Teller(task, template_wording(task.domain), make_names(task))
        names = frozenset(teller.names.to_nl.values())
        # A long condition is a list, whose items belong to the sentence above them.
        domain = re.sub(r"\n +", " ", teller.domain_text())
        texts = (domain, teller.objects_text(), teller.init_text(), teller.goal_text())
        found = [fault for text in texts for fault in faults(text, names)]
        assert not found, f"{path}: {found[:3]}"
        told = [line for line in domain.split("\n") if line.startswith(("I can ", "Once I ", "For every ", "It is "))]
        assert all(line.endswith(".") for line in told), path
        assert sum(line.startswith("I can ") for line in told) >= len(task.domain.actions), path
        assert sum(line.startswith("Once I ") for line in told) >= len(task.domain.actions), path
        count += 1
    assert count >= 9
