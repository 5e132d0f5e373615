"""No segment is dropped in silence: whatever names an object or an action of the domain has exactly one named end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.nl import Reader
from pddl2nl.nl.reading.readings import ATTEMPTS
from tests.nl.test_read_figures import _reader
from tests.nl.test_read_paraphrases import DOMAINS, FRAMES, LISTS, STANCES, _world, actions, phrases

NAMED_RULES = {"thought", "label", "claim", "offered"}
"""What a piece is as a whole; every other piece that is no action says its stance."""

REMARKS = (
    "Now {o} is there.", "{o} comes next.", "Grab {o} at once", "What about {o}?", "So it must be {o}, then {o}.",
    "{o} -> {o}", "I like {o}.", "({o} is free)", "After {o}: done", "Well.", "", "{o}", "the other one",
)  # fmt: skip


def _has_one_end(reader: Reader, text: str) -> None:
    placed, layout = reader.placed(text)
    readings = [item.reading for item in placed]
    for item in readings:
        named = item.status in ATTEMPTS, item.rule in NAMED_RULES, bool(item.stance) and item.rule not in NAMED_RULES
        # What is struck out is no longer said.
        if reader.names_object(re.sub(r"~~.*?~~", "", item.text)):
            assert sum(named) == 1, item
    for piece in layout.pieces:
        said = layout.text[piece.start : piece.end]
        if reader.names_object(said) and not said.startswith((";", "<!--")):
            assert any(piece.start <= item.start < piece.end for item in readings), (piece, said)


def test_every_segment_of_the_hard_replies_has_one_end(shared: Path) -> None:
    folder = shared / "replies"
    for line in (folder / "replies.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        _has_one_end(_reader(row, folder, told=False), row["reply"])


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_segment_of_any_text_has_one_end(name: str, data: st.DataObject) -> None:
    objects = sorted(_world(name)[2].to_nl.values())
    lines: list[str] = []
    for number in range(data.draw(st.integers(1, 6))):
        if data.draw(st.booleans()):
            said = data.draw(phrases(name, data.draw(actions(name))))
            frame = data.draw(st.sampled_from((*FRAMES, *STANCES)))
            line = frame.format(a=said, A=said[:1].upper() + said[1:])
        else:
            line = data.draw(st.sampled_from(REMARKS)).format(o=data.draw(st.sampled_from(objects)))
        lines.append(data.draw(st.sampled_from(LISTS)).format(n=number, s=line, S=line))
    _has_one_end(_world(name)[3], "\n".join(lines))
