"""What is taken out of a reply before it is read, and that readings still point into the reply as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.reading.segments import clean
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl import parse_task

DOMAIN = "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x ?y) :effect (p ?x)))"


def reader_of(text: str, objects: str) -> Reader:
    task = parse_task(DOMAIN, f"(define (problem q) (:domain d) (:objects {objects}) (:init) (:goal (and)))")
    return Reader(task, Wording("d", {}, {"go": Snippet("go", ("?x", "?y"), text)}), make_names(task, "original"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain words\r\nin two lines, no_noise", "plain words\r\nin two lines, no_noise"),
        ("go\u200b now\ufeff", "go  now "),
        ("a\xa0b\u3000c", "a b c"),
        ("one\rtwo\u2028three", "one\vtwo\vthree"),
        ("a &amp; b &lt;c&gt; &#65;", "a &     b <   c>    A    "),
        ("<ol><li>one</li></ol>", "\v   \v-  one\v    \v    "),
        ("<b>one</b> <a> <i>", "   one     <a> <i>"),
        ("x<br/>y", "x\v    y"),
        ("<action>go</action>", "\vAction:go\v        "),
        ("$\\text{go} x$", "       go} x "),
        ("\\item x \\to y", "-     x →   y"),
        ("\\*now\\*", "* now* "),
        ("1️⃣ go ② stop", "1.  go • stop"),
        ("1、go：y", "1,go:y"),
        ("✅ go 👍", "  go  "),
        ("❌ go", "❌ go"),
        ("~~go~~ stop ~5", "       stop ~5"),
        ("__go__ a_b", "  go   a_b"),
        ("x \\n y", "x ;  y"),
        ("x–y ‑ z", "x–y - z"),
    ],
)
def test_noise_is_replaced_by_what_it_stands_for(text: str, left: str) -> None:
    assert clean(text) == left


@given(st.text("ab <>&;\\{}$_\u200b\xa0。✅\r\nli/bu#65", max_size=40))
def test_every_character_keeps_its_place(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert all(after in (before, " ", "&") or before not in "ab" for before, after in zip(text, cleaned, strict=True))


def test_places_in_the_reply_as_it_was() -> None:
    reader = reader_of("go from {?x} to {?y}", "r1 r2")
    text = "<p>Plan:</p>\u200b\r\n<ul><li>go&nbsp;from r1 to r2</li>\n<li><b>go from</b> r2\u200b to r1</li></ul>"
    first, second = (item for item in reader.read(text).readings if item.status == "read")
    assert (first.text, first.line, first.rule) == ("go&nbsp;from r1 to r2", 2, "markup")
    assert (second.text, second.line) == ("go from</b> r2\u200b to r1", 3)
    assert all(text[item.start : item.end] == item.text for item in reader.read(text).readings)
    turn = reader.read_turn(f"Thought: now.\n\u200bAction: {text[23:45]}")
    assert (turn.line, turn.text) == (2, "go&nbsp;from r1 to r2")


def test_what_a_wording_itself_says_is_no_noise() -> None:
    reader = reader_of("go ✅ from {?x} to {?y}", "_r1 r2_")
    (reading,) = reader.read("go ✅ from _r1 to r2_").readings
    assert (str(reading.action), reading.rule) == ("(go _r1 r2_)", "exact")
    (wide,) = reader_of("走 {?x} 。 {?y}", "r1 r2").read("走 r1 。 r2").readings
    assert (str(wide.action), wide.rule) == ("(go r1 r2)", "exact")
