"""Tools for models that know none: told in the prompt, and called by a line of JSON that is decoded under a schema.

A chat template without tools drops them in silence, and no reply then calls one (llama.cpp, for SmolLM2 and others). So
the tools are appended to the system message, earlier calls and their answers become texts, and the reply has to be one
call, whatever the request's ``tool_choice``. What comes back is a reply with a call, as from any other model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any

from pddl2nl.llm.types import Completion, Message, Request, Tool, ToolCall

READ = "the tools were told in the prompt, and the call was read from the text"
REMARK = "the model's template knows no tools: they were told in the prompt, and the call was decoded under a schema"


@lru_cache
def shipped_prompt() -> str:
    """How a model is told to call tools, unless its settings say otherwise."""
    return (resources.files(__package__) / "prompts" / "written_tools.txt").read_text(encoding="utf-8").strip()


def written(request: Request, prompt: str) -> Request:
    """The request with its tools in the messages, told as ``prompt`` says."""
    system = [message for message in request.messages if message.role == "system"]
    others = [told for message in request.messages if message.role != "system" for told in _told(message)]
    text = "\n\n".join([*(message.content for message in system), tools_text(request.tools, prompt)])
    return replace(request, messages=(Message("system", text), *others), tools=())


def tools_text(tools: Sequence[Tool], prompt: str) -> str:
    """The tools as a prompt tells them."""
    lines = [json.dumps(tool.to_json()["function"], ensure_ascii=False) for tool in tools]
    return "\n".join([prompt, *lines])


def _told(message: Message) -> Iterator[Message]:
    if message.role == "tool":
        yield Message("user", message.content)
    elif message.tool_calls:
        calls = [f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}' for call in message.tool_calls]
        yield Message("assistant", "\n".join(filter(None, [message.content, *calls])))
    else:
        yield message


def call_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """The JSON schema of a call of one of the tools."""
    calls = [
        {
            "type": "object",
            "properties": {"name": {"const": tool.name}, "arguments": tool.parameters},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def response_format(tools: Sequence[Tool]) -> dict[str, Any]:
    """The field of a request's body by which the reply is decoded under the schema of a call."""
    return {"type": "json_schema", "json_schema": {"name": "call", "schema": call_schema(tools), "strict": True}}


def called(completion: Completion, remark: str = REMARK) -> Completion:
    """A reply whose text is a call as a reply with that call; another one, such as one that was cut off, as it is."""
    try:
        data = json.loads(completion.text)
        call = ToolCall("", str(data["name"]), json.dumps(data["arguments"], ensure_ascii=False))
    except (ValueError, KeyError, TypeError, RecursionError):
        return completion
    remark = "; ".join(filter(None, (completion.remark, remark)))
    return replace(completion, text="", tool_calls=(call,), remark=remark)
