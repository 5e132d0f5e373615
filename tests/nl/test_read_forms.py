"""The forms in which models write one action, and several: each with its place in the text and its rule."""

from __future__ import annotations

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl import parse_task

# By the rule that reads them; what is read is always "stack a on b".
PLAIN = {
    "markup": [
        "1. stack a on b",
        "-stack a on b",
        "1.stack a on b",
        "1: stack a on b",
        "1] stack a on b",
        "[1] stack a on b",
        "1.) stack a on b",
        "(1) stack a on b",
        "1 - stack a on b",
        "1 stack a on b",
        "#1 stack a on b",
        "i. stack a on b",
        "ii. stack a on b",
        "(iv) stack a on b",
        "IV) stack a on b",
        "XII. stack a on b",
        "a. stack a on b",
        "a) stack a on b",
        "① stack a on b",
        "1\ufe0f\u20e3 stack a on b",
        "✅ stack a on b",
        "\u2714\ufe0f stack a on b",
        "☑ stack a on b",
        "\U0001f449 stack a on b",
        "\U0001f539 stack a on b",
        "- [ ] stack a on b",
        "- [x] stack a on b",
        "→ stack a on b",
        "=> stack a on b",
        "--> stack a on b",
        "»stack a on b«",
        "„stack a on b“",
        "\u300cstack a on b\u300d",
        "stack a on b\u3002",
        "stack a on b\uff1b",
        "stack a on b\uff0c",
        "1\u3001stack a on b",
        "1\uff0estack a on b",
        "\u200bstack a on b\u200b",
        "\ufeffstack a on b",
        "&nbsp;stack a on b",
        "&quot;stack a on b&quot;",
        "<li>stack a on b</li>",
        "<b>stack a on b</b>",
        "1. <code>stack a on b</code>",
        "<br>stack a on b<br/>",
        "stack a on b<br>",
        "<p>stack a on b</p>",
        "\\text{stack a on b}",
        "$\\text{stack a on b}$",
        "\\boxed{stack a on b}",
        "\\item stack a on b",
        "\\textbf{stack a on b}",
        "| 1 | stack a on b |",
        "| 1 | stack a on b | a is on b |",
        "|stack a on b|",
        "| 1. | `stack a on b` | yes |",
        "*stack a on b*",
        "__stack a on b__",
        "***stack a on b***",
        "`stack a on b`.",
        "`stack a on b`;",
        "'stack a on b'",
        '"stack a on b"',
        "“stack a on b”",
        "‘stack a on b’",
        "(stack a on b)",
        "[stack a on b]",
        "{stack a on b}",
        "<stack a on b>",
        "stack a on b!",
        "stack a on b...",
        "stack a on b ✓",
        "stack a on b ✅",
        "stack a on b \U0001f44d",
        "3 > stack a on b",
        "?stack a on b",
    ],
    "prefix": [
        "[Step 3] stack a on b",
        "Step 1: stack a on b",
        "Step 1. stack a on b",
        "Step 1 - stack a on b",
        "Step 1 – stack a on b",
        "Step 1) stack a on b",
        "Step one: stack a on b",
        "First, stack a on b",
        "Firstly stack a on b",
        "Action: stack a on b",
        "ACTION: stack a on b",
        "action = stack a on b",
        "Action -> stack a on b",
        "Action - stack a on b",
        "Action (1): stack a on b",
        "Action[1]: stack a on b",
        "Action #1: stack a on b",
        "action_1: stack a on b",
        "Execute: stack a on b",
        "Action 3: stack a on b",
        "My action: stack a on b",
        "The next action is: stack a on b",
        "The next action is to stack a on b",
        "The next step is to stack a on b",
        "Next action is stack a on b",
        "I choose to stack a on b",
        "I will stack a on b",
        "Please stack a on b",
        "Now I stack a on b",
        "OK, stack a on b",
        "Okay. stack a on b",
        "Sure! stack a on b",
        "After that, stack a on b",
        "Finally: stack a on b",
        "robot: stack a on b",
        "Robot action: stack a on b",
        "Agent: stack a on b",
        "Assistant: stack a on b",
        "AI: stack a on b",
        "Player: stack a on b",
        "Output: stack a on b",
        "Answer: stack a on b",
        "Final answer: stack a on b",
        "Therefore, stack a on b",
        "So: stack a on b",
        "Move 1: stack a on b",
        "Turn 2: stack a on b",
        "Time 3: stack a on b",
        "t=3: stack a on b",
        "T3: stack a on b",
        "(Step 3) stack a on b",
        "Step-3: stack a on b",
        "step3: stack a on b",
        "Step 3 (unload): stack a on b",
        "Step 3: Action: stack a on b",
        "Step 3: I stack a on b",
        "Action 1 (stack): stack a on b",
    ],
    "markup+prefix": [
        "**Step 1:** stack a on b",
        "**Step 1**: stack a on b",
        "| Step 1 | stack a on b |",
        "**Action 3: stack a on b**",
        "Action: [stack a on b]",
        "Action: <stack a on b>",
        "Action: {stack a on b}",
        'My next action is "stack a on b".',
        "I'm going to stack a on b.",
        "Alright, let's stack a on b!",
        "Sure, I will stack a on b.",
        "Then I will stack a on b.",
        "Final Answer: **stack a on b**",
        "Action: I stack a on b.",
    ],
    "markup+case": ["A. Stack a on b"],
    "prefix+loose-tail": ["Please, stack a on b, thank you"],
    "loose-tail": [
        "stack a on b (b is clear)",
        "stack a on b [b is clear]",
        "stack a on b {b}",
        "stack a on b -- b is clear",
        "stack a on b – b is clear",
        "stack a on b — b is clear",
        "stack a on b # comment",
        "stack a on b // comment",
        "stack a on b ; comment",
        "stack a on b, because b is clear",
        "stack a on b: b is clear",
        "stack a on b → a is on b",
        "stack a on b => a on b",
        "stack a on b. This frees the hand.",
        "stack a on b, freeing the hand",
        "stack a on b, which frees the hand",
        "stack a on b as required",
        "stack a on b now",
        "stack a on b again",
    ],
    "case": ["STACK A ON B", "Stack A On B"],
}
ODD = [
    ("stack\ta on\tb", "stack\ta on\tb", "markup"),
    ("stack\xa0a\xa0on\xa0b", "stack\xa0a\xa0on\xa0b", "markup"),
    ("stack a\u200b on b", "stack a\u200b on b", "markup"),
    ("1. $\\text{stack } a \\text{ on } b$", "stack } a \\text{ on } b", "markup"),
    ("*Stack* **a** on __b__", "Stack* **a** on __b", "markup"),
    ("stack the block a on the block b", "stack the block a on the block b", "loose"),
    ("stack the a block on the b block", "stack the a block on the b block", "loose"),
    ("stack 'a' on 'b'", "stack 'a' on 'b", "markup"),
    ('stack "a" on "b"', 'stack "a" on "b', "markup"),
    ("stack `a` on `b`", "stack `a` on `b", "markup"),
    ("stack (a) on (b)", "stack (a) on (b", "markup"),
    ("stack [a] on [b]", "stack [a] on [b", "markup"),
    ("stack <a> on <b>", "stack <a> on <b", "markup"),
    ("stack block-a on block-b", "stack block-a on block-b", "loose"),
    ("stack block_a on block_b", "stack block_a on block_b", "loose"),
    ("stack blockA on blockB", "stack blockA on blockB", "loose"),
    ("stack Block A on Block B", "stack Block A on Block B", "loose"),
    ("stack: a on b", "stack: a on b", "markup"),
    ("stack(a, b)", "stack(a, b)", "pddl"),
    ("stack(a,b)", "stack(a,b)", "pddl"),
    ("Stack(a, b);", "Stack(a, b)", "pddl"),
    ("stack a, b", "stack a, b", "pddl"),
    ("(stack a b)", "(stack a b)", "pddl"),
    ("( stack a b )", "( stack a b )", "pddl"),
    ("(STACK A B)", "(STACK A B)", "pddl"),
    ("[stack a b]", "stack a b", "markup+pddl"),
    ("stack a b", "stack a b", "pddl"),
    ("1. (stack a b)", "(stack a b)", "markup+pddl"),
    ("- `(stack a b)`", "(stack a b)", "markup+pddl"),
    ("(stack a b);", "(stack a b)", "pddl"),
    ("(stack a b) ; comment", "(stack a b)", "pddl"),
]


@pytest.mark.parametrize(("rule", "line"), [(rule, line) for rule, lines in PLAIN.items() for line in lines])
def test_one_action_in_many_forms(reader: Reader, rule: str, line: str) -> None:
    (reading,) = reader.read(f"\n{line}").readings
    assert (reading.status, str(reading.action), reading.rule) == ("read", "(stack a b)", rule)
    assert (reading.text.casefold(), reading.line) == ("stack a on b", 2)
    assert f"\n{line}"[reading.start : reading.end] == reading.text


@pytest.mark.parametrize(("line", "text", "rule"), ODD)
def test_marks_and_kinds_within_an_action(reader: Reader, line: str, text: str, rule: str) -> None:
    (reading,) = reader.read(line).readings
    assert (str(reading.action), reading.text, reading.rule) == ("(stack a b)", text, rule)
    assert line[reading.start : reading.end] == text


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("stack a on b?", "not-an-action"),
        ("stack a on b? No.", "not-an-action"),
        ("I want to stack a on b", "not-an-action"),
        ("Could you stack a on b?", "not-an-action"),
        ("stacking a on b", "not-an-action"),
        ("stack a and b", "unreadable"),
        ("stack a on b, c", "unreadable"),
        ("stack a on b on c", "unreadable"),
        ("stack a on b if c is clear", "unreadable"),
        ("stack a on", "unreadable"),
        ("(:action stack a b)", "not-an-action"),
        ("stack a on blocks", "unknown-object"),
        ("stack a on z", "unknown-object"),
        ("❌ stack a on b", "not-an-action"),
        ("(now my hand holds a)", "not-an-action"),
        ("stack a on b: impossible, b is under c", "unreadable"),
        ("stack a on b (not applicable)", "unreadable"),
        ("stack a on b - this is wrong", "unreadable"),
        ("stack a on b, which is not allowed here", "unreadable"),
    ],
)
def test_what_is_not_read(reader: Reader, line: str, status: str) -> None:
    reading = reader.read(line).readings[-1]
    assert (reading.status, reading.action) == (status, None)


TWO = "(stack a b) (pick-up c)"


@pytest.mark.parametrize(
    "reply",
    [
        '["stack a on b", "pick up c"]',
        '[\n  "stack a on b",\n  "pick up c"\n]',
        '```json\n[\n  {"action": "stack a on b"},\n  {"action": "pick up c"}\n]\n```',
        '{"plan": "stack a on b\\npick up c"}',
        '{\n  "plan": [\n    "stack a on b",\n    "pick up c"\n  ]\n}',
        '{"step": 1, "action": "stack a on b"}\n{"step": 2, "action": "pick up c"}',
        '[{"action": "stack", "objects": ["a", "b"]}, {"action": "pick-up", "objects": ["c"]}]',
        '{"reason": "pick up a", "steps": ["stack a on b", "pick up c"]}',
        "plan = ['stack a on b', 'pick up c']",
        'plan = [\n    "stack a on b",  # first\n    "pick up c",\n]',
        '{"1": "stack a on b", "2": "pick up c"}',
        "```plan\n(stack a b)\n(pick-up c)\n```",
        "((stack a b) (pick-up c))",
        "stack(a, b); pick_up(c)",
        "robot.stack(a, b)\nrobot.pick_up(c)",
        'env.step("stack a on b")\nenv.step("pick up c")',
        "| # | Action | Result |\n|---|---|---|\n| 1 | stack a on b | a is on b |\n| 2 | pick up c | c is held |",
        "| Step | State | Action |\n|:--|:--|--:|\n| 1 | hand empty | stack a on b |\n| 2 | a on b | pick up c |",
        "| Step | Action | Object | Target |\n|---|---|---|---|\n| 1 | Stack | a | b |\n| 2 | Pick up | c | |",
        "| 1 | Stack a on b | (stack a b) |\n| 2 | Pick up c | (pick-up c) |",
        "Step | Action\n--- | ---\n1 | stack a on b\n2 | pick up c",
        "1.\nstack a on b\n2.\npick up c",
        "### Step 1\nstack a on b\n### Step 2\npick up c",
        "1. stack a on b\r\n2. pick up c\r\n",
        "1. stack a on b\r2. pick up c\r",
        "1. stack a on b\u20282. pick up c",
        "<think>stack c on a</think>stack a on b\npick up c",
        "<plan>\nstack a on b\npick up c\n</plan>",
        "<action>stack a on b</action>\n<action>pick up c</action>",
        "<answer>\nstack a on b\npick up c\n</answer>",
        "1. ~~pick up a~~ stack a on b\n2. pick up c\n~~3. put down c~~",
        "**[PLAN]**\nstack a on b\npick up c\n**[PLAN END]**",
        "\\[PLAN\\]\nstack a on b\npick up c\n\\[PLAN END\\]",
        "[PLAN]\nstack a on b\npick up c\n[PLAN END]\n\nThis stacks a on b. First, stack a on b. Then pick up c.",
        "\\begin{enumerate}\n\\item stack a on b\n\\item pick up c\n\\end{enumerate}",
        "\\[\n\\text{stack a on b} \\\\\n\\text{pick up c}\n\\]",
        "<ol><li>stack a on b</li><li>pick up c</li></ol>",
        "stack a on b<br>pick up c",
        "Here is the plan: stack a on b, then pick up c.",
        "The plan is: 1) stack a on b 2) pick up c",
        "My plan: stack a on b; pick up c.",
        "1. stack a on b 2. pick up c",
        "Step 1: stack a on b Step 2: pick up c",
        "(1) stack a on b, (2) pick up c",
        "stack a on b -> pick up c",
        "stack a on b & pick up c",
        "stack a on b, followed by pick up c",
        "First I stack a on b. Then I pick up c.",
        "I. Stack a on b\nII. Pick up c",
        "a) stack a on b\nb) pick up c",
        "stack a on b\n↓\npick up c",
        "- [x] stack a on b\n- [ ] pick up c",
        "Thought: x.\nAction: stack a on b\nObservation: I stack a on b.\nThought: next.\nAction: pick up c",
        "[PLAN]\nstack a on b\n(now a is on b)\npick up c\n[PLAN END]",
        "stack a on b\nI cannot stack a on b because a is not clear.\npick up c",
        "Available actions:\n- stack b on a\n- put down a\n\n1. stack a on b\n2. pick up c",
        "I can take the following actions:\n1. stack a on b\n2. pick up c",
    ],
)
def test_two_actions_in_many_forms(reader: Reader, reply: str) -> None:
    readings = reader.read(reply)
    assert " ".join(map(str, readings.plan)) == TWO
    assert readings.complete
    assert all(reply[item.start : item.end] == item.text for item in readings.readings)


def test_a_repertoire_offers_actions_and_chooses_none() -> None:
    domain = """(define (domain d) (:predicates (p)) (:action rest :effect (p)) (:action wait :effect (p)))"""
    task = parse_task(domain, "(define (problem q) (:domain d) (:init) (:goal (p)))")
    actions = {name: Snippet(name, (), f"{name} a while") for name in ("rest", "wait")}
    reader = Reader(task, Wording("d", {}, actions), make_names(task))
    told = "These are the actions that I can take:\nrest a while\nwait a while\n\nrest a while"
    assert [item.line for item in reader.read(told).readings if item.status == "read"] == [5]
    assert reader.read_turn("Possible actions:\n- rest a while\n- wait a while").status == "not-an-action"


def test_turns_in_tags_and_ruled_out_actions(reader: Reader) -> None:
    reading = reader.read_turn("<thinking>stack c on a</thinking>\n<action>stack a on b</action>")
    assert (str(reading.action), reading.line, reading.text) == ("(stack a b)", 2, "stack a on b")
    assert reader.read_turn("<action>snatch a</action>").status == "unreadable"
    assert reader.read_turn("Possible action: stack a on b").status == "not-an-action"
    assert reader.read_turn("Thought: and now?\nAction:\u00a0**stack\u200b a on b**").rule == "markup"
    assert reader.read_turn("Thought: nothing. Action:").status == "not-an-action"


STRUCTURED = {
    "tool_calls": '{"tool_calls": [{"name": "stack", "arguments": {"x": "a", "y": "b"}}]}',
    "JSON in a string": '{"function": {"name": "stack", "arguments": "{\\"x\\": \\"a\\", \\"y\\": \\"b\\"}"}}',
    "keys in another order": '{"name": "stack", "arguments": {"y": "b", "x": "a"}}',
    "YAML": 'tool_calls:\n  - name: stack\n    arguments: {"x": "a", "y": "b"}',
    "YAML without quotes": "- name: stack\n  arguments: {x: a, y: b}",
    "a label": "Tool call: stack(a, b)",
    "keywords in another order": "stack(y=b, x=a)",
}


@pytest.mark.parametrize("form", STRUCTURED)
def test_tool_calls(reader: Reader, form: str) -> None:
    readings = reader.read(STRUCTURED[form])
    assert [str(action) for action in readings.plan] == ["(stack a b)"]
    assert readings.complete


def test_a_call_with_the_parameter_from() -> None:
    domain = "(define (domain d) (:predicates (at ?x)) (:action move :parameters (?from ?to) :effect (at ?to)))"
    task = parse_task(domain, "(define (problem p) (:domain d) (:objects a b) (:init (at a)) (:goal (at b)))")
    wording = Wording("d", {}, {"move": Snippet("move", ("?from", "?to"), "move from {?from} to {?to}")})
    reader = Reader(task, wording, make_names(task, "original"))
    assert [str(action) for action in reader.read('move(from="a", to="b")').plan] == ["(move a b)"]
