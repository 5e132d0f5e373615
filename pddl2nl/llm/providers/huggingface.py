"""Language models of Hugging Face's transformers, loaded into this process, by ``transformers:PATH``."""

from __future__ import annotations

import re
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pddl2nl.errors import MissingExtraError
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.replies import split_reasoning
from pddl2nl.llm.types import (
    Completion,
    ContextWindowError,
    Finish,
    Message,
    ModelConfigurationError,
    Request,
    Usage,
)
from pddl2nl.llm.written_tools import READ, called, shipped_prompt, written

_DEFAULT_TOKENS = 2000
"""The longest reply to requests without a limit: a small model may never end."""


class TransformersModel:
    """A causal language model with its tokenizer; threads take turns.

    It is loaded at the first call, on a GPU where there is one. Code that comes with a model is not executed.

    Args:
        path: a folder, or a name on the Hugging Face Hub, from where it is fetched.

    Raises:
        ModelConfigurationError: no path.
        MissingExtraError: transformers or torch is not installed.
    """

    def __init__(self, path: str):
        if not path:
            raise ModelConfigurationError("--model transformers needs a folder or a name: transformers:PATH")
        for package in ("transformers", "torch"):
            if find_spec(package) is None:
                raise MissingExtraError(package, "transformers", "--model transformers:PATH")
        self.name = f"transformers:{Path(path).name if Path(path).exists() else path}"
        self._path = path
        self._turn = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def load(self) -> tuple[Any, Any]:
        """The tokenizer and the model.

        Raises:
            ModelConfigurationError: there is no such model, or its files cannot be read.
        """
        if self._loaded is None:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer

            try:
                tokenizer = AutoTokenizer.from_pretrained(self._path)
                model: Any = AutoModelForCausalLM.from_pretrained(self._path, dtype="auto")
            except (OSError, ValueError) as error:
                reason = str(error).strip().partition("\n")[0]
                raise ModelConfigurationError(f"--model transformers:{self._path}: {reason}") from error
            model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
            self._loaded = tokenizer, model
        return self._loaded

    def complete(self, request: Request) -> Completion:
        """The model's reply, or the likelihood of a given one.

        Raises:
            ContextWindowError: the prompt does not fit into the model's context.
            ModelConfigurationError: the model cannot be loaded, or the request has a constraint, which it cannot obey.
        """
        if request.tools:
            # Chat templates take tools, but each family of models writes calls in a form of its own, which servers
            # know and this library does not. So they are told in words, and the reply has to be JSON.
            return called(self.complete(written(request, shipped_prompt())), READ)
        began = time.perf_counter()
        with self._turn:
            tokenizer, model = self.load()
            prompt = _prompt(tokenizer, request.messages)
            longest = getattr(model.config, "max_position_embeddings", None)
            if longest is not None and len(prompt) >= longest:
                raise ContextWindowError(
                    f"{self.name}: a prompt of {len(prompt)} tokens, and {longest} fit the context"
                )
            if request.likelihood and isinstance(request.constraint, Constraint):
                completion = _rated(tokenizer, model, prompt, request.constraint)
            elif request.constraint is not None and not getattr(request.constraint, "optional", False):
                raise ModelConfigurationError(f"{self.name} decodes under no constraint; gguf:PATH does")
            else:
                most = min(request.max_tokens or _DEFAULT_TOKENS, (longest or len(prompt) + 2**20) - len(prompt))
                completion = _written(tokenizer, model, prompt, request, most)
        seconds = time.perf_counter() - began
        return Completion(**{**vars(completion), "model": self.name, "seconds": seconds})


def _prompt(tokenizer: Any, messages: tuple[Message, ...]) -> list[int]:
    """The tokens of a conversation, by the model's chat template; a base model gets its texts one after the other."""
    if tokenizer.chat_template is None:
        text = "\n\n".join([*(message.content for message in messages), ""])
        return list(tokenizer(text).input_ids)
    chat = [{"role": message.role, "content": message.content} for message in messages]
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    return list(tokenizer(text, add_special_tokens=False).input_ids)


def _written(tokenizer: Any, model: Any, prompt: list[int], request: Request, most: int) -> Completion:
    import torch

    def text_of(tokens: Any) -> str:
        return str(tokenizer.decode(tokens, skip_special_tokens=True))

    def is_over(sequences: Any, scores: Any, **more: Any) -> Any:
        said = text_of(sequences[0, len(prompt) :])
        over = any(stop in said for stop in request.stop)
        if request.until:
            over = over or re.search(request.until, split_reasoning(said)[1]) is not None
        return torch.full((1,), over, dtype=torch.bool, device=sequences.device)

    sampling: dict[str, Any] = {"do_sample": bool(request.temperature)}
    if request.temperature:
        sampling["temperature"] = request.temperature
        torch.manual_seed((request.seed or 0) + request.sample)
    given = torch.tensor([prompt], device=model.device)
    with torch.no_grad():
        tokens = model.generate(
            given,
            attention_mask=torch.ones_like(given),
            max_new_tokens=most,
            stopping_criteria=[is_over],
            pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id,
            **sampling,
        )[0, len(prompt) :]
    said = text_of(tokens)
    ended = is_over(torch.cat([given[0], tokens])[None], None).item()
    for stop in request.stop:
        said = said.partition(stop)[0]
    reasoning, text = split_reasoning(said)
    finish: Finish = "text" if text.strip() else "empty"
    if len(tokens) >= most and not ended and int(tokens[-1]) != tokenizer.eos_token_id:
        finish = "length"
    return Completion(text, finish, Usage(len(prompt), len(tokens)), reasoning=reasoning)


def _rated(tokenizer: Any, model: Any, prompt: list[int], constraint: Constraint) -> Completion:
    import torch

    form = tokenizer(constraint.action.rstrip(), add_special_tokens=False).input_ids
    text = f"{constraint.action}{constraint.only}"
    said = tokenizer(text, add_special_tokens=False).input_ids
    # The form may end within a token of the whole; what both have in common stands before the action.
    before = next(
        (place for place, (one, other) in enumerate(zip(form, said, strict=False)) if one != other), len(form)
    )
    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *said]], device=model.device)).logits[0, len(prompt) - 1 : -1]
    logprobs = torch.log_softmax(logits.float(), dim=-1)[range(len(said)), said]
    return Completion(text, usage=Usage(len(prompt) + len(said), 0), logprob=float(logprobs[before:].sum()))
