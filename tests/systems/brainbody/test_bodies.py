"""The bodies: what turns a step of a plan into a command."""

from __future__ import annotations

import pytest
from tests.policies.brainbody.conftest import TABLE_3, household

from pddl2nl.systems.brainbody.bodies import EmbeddingBody, ReaderBody

SETTING = household("v02")
assert SETTING.robot is not None
READER, LETTERS = ReaderBody(SETTING.teller, SETTING.robot), EmbeddingBody(SETTING.teller, SETTING.robot, None)


@pytest.mark.parametrize("step", TABLE_3)
def test_the_reader_is_right_on_the_lines_of_table_3(step: str) -> None:
    assert READER.act(step).text == TABLE_3[step]


def test_letters_find_what_is_named_and_never_pass() -> None:
    said = {step: LETTERS.act(step).text for step in TABLE_3}
    assert said["close the fridge"] == TABLE_3["close the fridge"]
    assert said["wait for the toast"] != "<pass>"


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("I walk to the kitchen.", "<char0> [walk] <kitchen>"),
        ("Walk to the salmon", "<char0> [walk] <salmon>"),
        ("Take the salmon", "<char0> [grab] <salmon>"),
        ("put the salmon in the microwave", "<char0> [putin] <salmon> <microwave>"),
        ("put the mug on the desk", "<char0> [put] <mug> <desk>"),
        ("Turn on the microwave", "<char0> [switchon] <microwave>"),
        ("Stand up.", "<char0> [standup]"),
        ("Do something useful", "<pass>"),
        ("", "<pass>"),
    ],
)
def test_the_reader_reads_steps_in_words(step: str, line: str) -> None:
    assert READER.act(step).text == line


def test_an_embedding_model_is_asked_for_the_nearest_command() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float("tv" in text.split()), float("switchon" in text.split()), 0.1] for text in texts]

    body = EmbeddingBody(SETTING.teller, SETTING.robot, embed)  # type: ignore[arg-type]
    assert body.act("tv switchon please").text == "<char0> [switchon] <tv>"
