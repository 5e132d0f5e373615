"""What the replies of a run took, by the role in which its models were asked; counted from its events alone.

An endpoint that counts no tokens reports none. What such a reply took is estimated from its characters
(`pddl2nl.llm.tokens.CHARACTERS_A_TOKEN`), of its prompt from all messages that were sent, those kept of earlier turns
included, as Tables 6 and 7 of the AutoPlanBench paper count them; an estimate says so wherever it goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.policies.events import Event, Prompted, Replied, Started

__all__ = ["Usage", "total_usage", "usage_by_role"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What the replies in one role, or in all, took when they were paid, whoever paid them.

    Attributes:
        calls: answered ones.
        prompt_tokens: sent; where an endpoint counted none, estimated, and then ``prompt_estimated``.
        completion_tokens: received, likewise, and ``completion_estimated``.
        cached_tokens: of those sent, which the provider had cached.
        reasoning_tokens: of those received, which are reasoning.
        cache_hits: replies that our own cache had.
        usd: money; None where the price of a call is not known, or an endpoint did not count its tokens.
        prompt_estimated, completion_estimated: whether an estimate is among the tokens.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_hits: int = 0
    usd: float | None = 0.0
    prompt_estimated: bool = False
    completion_estimated: bool = False

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def estimated(self) -> bool:
        """Whether an estimate is among the tokens of either kind."""
        return self.prompt_estimated or self.completion_estimated

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cache_hits + other.cache_hits,
            # An unknown price is never taken for zero.
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            self.prompt_estimated or other.prompt_estimated,
            self.completion_estimated or other.completion_estimated,
        )


def usage_by_role(events: Iterable[Event]) -> Mapping[str, Usage]:
    """The usage of each role that got a reply, in the order of their first ones."""
    found: dict[str, Usage] = {}
    prompts: dict[str, list[int]] = {}
    role, asked = "", list[int]()
    endpoint = False
    for event in events:
        if isinstance(event, Prompted):
            # A record holds what is new since the last prompt of this role that was answered.
            role = event.purpose
            asked = [*prompts.get(role, ())[: event.kept], *(len(message.content) for message in event.messages)]
        elif isinstance(event, Replied):
            prompts[role] = asked
            usage = _of_reply(event, asked, endpoint)
            found[role] = found[role] + usage if role in found else usage
        elif isinstance(event, Started):
            endpoint = event.base_url is not None
    return found


def total_usage(roles: Iterable[Usage]) -> Usage:
    """Several roles together."""
    whole = Usage()
    for usage in roles:
        whole += usage
    return whole


def _of_reply(reply: Replied, asked: Sequence[int], endpoint: bool) -> Usage:
    no_prompt = not reply.prompt_tokens and any(asked)
    no_completion = not reply.completion_tokens and bool(reply.text)
    usd = reply.usd
    if endpoint and (no_prompt or no_completion) and not usd:
        # What uncounted tokens cost was reckoned as nothing, and nobody knows it.
        usd = None
    return Usage(
        1,
        estimate_tokens(sum(asked)) if no_prompt else reply.prompt_tokens,
        estimate_tokens(len(reply.text)) if no_completion else reply.completion_tokens,
        reply.cached_tokens,
        reply.reasoning_tokens,
        int(reply.from_cache),
        usd,
        no_prompt,
        no_completion,
    )
