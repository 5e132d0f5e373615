"""The check that can fail: told in a broken wording, an oracle that holds the intact one solves less.

Whole runs on shipped instances with every mechanism. In the intact wording all are solved. A run is lost where the
told state lacks a fact that plans need, or where a snippet's two parameters are swapped, be it that of a fact or
that of an action (which is then read back swapped, too).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run
from pddl2nl.nl import Wording, choose_wording
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.tasks import shipped_task

INSTANCES = [(domain, problem) for domain in ("blocksworld", "grippers", "visitall") for problem in ("p01", "p02")]
FACTS = {"blocksworld": "clear", "grippers": "free", "visitall": "at-robot"}
PAIRS = {"blocksworld": "on", "grippers": "at", "visitall": "connected"}
MOVES = {"blocksworld": "stack", "grippers": "move", "visitall": "move"}

pytestmark = pytest.mark.usefixtures("needs_planner")


def _intact(wording: Wording, domain: str) -> Wording:
    return wording


def _fact_dropped(wording: Wording, domain: str) -> Wording:
    silent = replace(wording.predicates[FACTS[domain]], text=None, negated=None)
    return replace(wording, predicates={**wording.predicates, silent.name: silent})


def _fact_swapped(wording: Wording, domain: str) -> Wording:
    snippet = _swapped(wording.predicates[PAIRS[domain]])
    return replace(wording, predicates={**wording.predicates, snippet.name: snippet})


def _action_swapped(wording: Wording, domain: str) -> Wording:
    snippet = _swapped(wording.actions[MOVES[domain]])
    return replace(wording, actions={**wording.actions, snippet.name: snippet})


def _swapped(snippet: Snippet) -> Snippet:
    first, second = (f"{{{parameter}}}" for parameter in snippet.parameters[-2:])
    text = snippet.text.replace(first, "{!}").replace(second, first).replace("{!}", second)
    assert text != snippet.text
    return replace(snippet, text=text)


# In visitall the roads lead both ways, so that swapping them loses nothing: two of the six stay solved.
@pytest.mark.parametrize(
    ("broken", "covered"), [(_intact, 6), (_fact_dropped, 0), (_fact_swapped, 2), (_action_swapped, 0)]
)
@pytest.mark.parametrize("policy", ["basic", "react"])
def test_coverage_falls_with_the_wording(policy: str, broken: Callable[[Wording, str], Wording], covered: int) -> None:
    def play(instance: tuple[str, str]) -> RunRecord:
        task = shipped_task(*instance)
        wording = choose_wording(None, task.domain)
        return run(task, policy, PlanOracle(task.domain, wording), wording=broken(wording, instance[0]))

    # Two at a time, since each waits for planners most of its time.
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(play, INSTANCES))
    # A prompt that the oracle misunderstands is judged; only one that it cannot read is an error of ours.
    failed = [result.message for result in results if result.outcome == "infrastructure-error"]
    assert all(message.startswith("the oracle cannot read this prompt: ") for message in failed)
    assert not failed or broken is _fact_swapped
    assert sum(result.solved for result in results) == covered


@pytest.mark.parametrize("policy", ["basic", "react"])
def test_a_fact_without_words_is_an_error_of_ours_and_no_claim_of_the_model(policy: str) -> None:
    task = shipped_task("blocksworld", "p01")
    result = run(task, policy, "oracle", wording=_fact_dropped(choose_wording(None, task.domain), "blocksworld"))
    assert result.outcome == "infrastructure-error"
    assert "the wording has no words for clear" in result.message
