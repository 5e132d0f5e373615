"""Tokens by GPT-4's tokenizer where rs-bpe is installed, and estimates without it."""

from __future__ import annotations

import pytest

from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.systems.sayplan import tokens
from pddl2nl.systems.sayplan.tokens import count_tokens, tokenizer_name

TEXT = '{"id":"kitchen"}'


def test_texts_are_counted_by_gpt_4s_tokenizer() -> None:
    pytest.importorskip("rs_bpe", reason="rs-bpe is not installed: pip install 'pddl2nl[tokens]'")
    # The example of OpenAI's cookbook, "How to count tokens with tiktoken": t, ik, token, is, great, !
    assert (tokenizer_name(), count_tokens("tiktoken is great!")) == ("cl100k_base", 6)
    assert count_tokens("") == 0


def test_without_the_tokenizer_tokens_are_estimated_and_it_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_tokenizer", lambda: None)
    assert (tokenizer_name(), count_tokens(TEXT)) == ("", estimate_tokens(len(TEXT)))
