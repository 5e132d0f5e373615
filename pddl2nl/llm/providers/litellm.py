"""Models of a hundred providers (Anthropic, Gemini, Bedrock, …) through the package litellm, by ``litellm:NAME``.

Requests, retries, limits, accounts and errors are those of `OpenAIModel`: litellm takes and gives OpenAI's JSON, and
its exceptions are derived from the openai client's. Keys are where litellm looks for them: ``ANTHROPIC_API_KEY``, say.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pddl2nl.errors import MissingExtraError
from pddl2nl.llm.endpoint.client import OpenAIModel
from pddl2nl.llm.endpoint.faults import fault_in_reply
from pddl2nl.llm.endpoint.redaction import guard_logs
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.llm.types import ModelConfigurationError

if TYPE_CHECKING:
    from openai import OpenAI

    from pddl2nl.llm.endpoint.streaming import ReplyStream
    from pddl2nl.llm.settings import ModelSettings
    from pddl2nl.llm.types import Request

_NOWHERE = "http://127.0.0.1"
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")


class LiteLLMModel(OpenAIModel):
    """A model that litellm reaches, for any number of threads at once.

    Settings that a provider does not take, a seed for instance, are dropped by litellm.

    Args:
        name: as litellm calls it: ``anthropic/claude-sonnet-4-5``, say.
        base_url: an endpoint in place of the provider's own.
        settings: of the model; None for the defaults.
        more: further arguments of `OpenAIModel`.

    Raises:
        MissingExtraError: litellm is not installed.
    """

    def __init__(
        self, name: str, base_url: str | None = None, *, settings: ModelSettings | None = None, **more: Any
    ) -> None:
        if not name:
            raise ModelConfigurationError("--model litellm needs a name: litellm:anthropic/claude-sonnet-4-5, say")
        if find_spec("litellm") is None:
            raise MissingExtraError("litellm", "litellm", "--model litellm:NAME")
        self._asked = name
        self._given = base_url or (settings.base_url if settings is not None else None)
        settings = load_catalogue().of(f"litellm:{name}") if settings is None else settings
        # What errors advise to set.
        settings = replace(settings, key_variable="the provider's variable")
        super().__init__(f"litellm:{name}", self._given or _NOWHERE, settings=settings, **more)

    @property
    def base_url(self) -> str:
        """The endpoint, if one was given."""
        return super().base_url if self._given else "litellm"

    def body(self, request: Request) -> dict[str, Any]:
        """The request as litellm gets it."""
        return self.settings.body(self._asked, request)

    def client(self) -> OpenAI:
        """Raises, since litellm has clients of its own."""
        raise ModelConfigurationError(f"{self.name} has no openai client: provider batches are for OpenAI's protocol")

    def _post(self, path: str, body: dict[str, Any], stream: ReplyStream | None = None) -> Any:
        # Otherwise the import asks the network for prices.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        import litellm
        import openai

        # It prints where to look for help, also in the middle of JSON.
        litellm.suppress_debug_info = True
        self._redactor = self._redactor or self._redacting()
        guard_logs(self._redactor)
        ask: Any = litellm.embedding if path == "/embeddings" else litellm.completion
        where = {"api_base": self._address.whole} if self._given else {}
        bounds = {"timeout": self._timeout, "max_retries": 0, "drop_params": True}
        try:
            answer = ask(**{**body, "model": self._asked}, **where, **bounds)
        except openai.APIStatusError as error:
            # litellm has the provider's message in its own.
            error.body = error.body or {"message": error.message}
            raise
        if stream is None:
            data = answer.model_dump()
        else:
            for chunk in answer:
                if stream.feed(b"data: " + chunk.model_dump_json().encode() + b"\n"):
                    break
            data = stream.completion()
        if (fault := fault_in_reply(data, self.settings.key_variable)) is not None:
            raise fault
        return data

    def _check_key(self) -> None:
        """Leaves it to litellm, which knows where each provider's key is."""

    def _keys(self) -> list[str]:
        # It may send any of them.
        return [value for name, value in os.environ.items() if _SECRET.search(name.upper())]
