"""Files and batches of the loopback server, as OpenAI's reference describes them, with faults on purpose.

A batch goes from stage to stage of its `BatchPlan`, one stage each time it is asked for, and answers its lines when
it reaches the last one. As at the provider, lines that were answered stand in the output file, in no particular
order, and all others in the error file.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

_ENDED = ("completed", "failed", "expired", "cancelled")
_UNFINISHED = {
    "expired": ("batch_expired", "This request could not be executed before the completion window expired."),
    "cancelled": ("batch_cancelled", "This request was not executed before the batch was cancelled."),
}


class Refusal(Exception):
    """A call that is wrong, with the HTTP status that says so."""

    def __init__(self, status: int, message: str, code: str | None = None):
        super().__init__(message)
        self.status = status
        self.error = {"message": message, "type": "invalid_request_error", "code": code}

    @property
    def body(self) -> bytes:
        """The error as an endpoint sends it."""
        return json.dumps({"error": self.error}).encode("utf-8")


@dataclass(frozen=True)
class LineFault:
    """What becomes of a line of a batch instead of its answer.

    A response with ``status``; without one, an error object and no response; with ``missing``, nothing at all.
    """

    status: int | None = None
    code: str | None = "server_error"
    message: str = "made to fail"
    missing: bool = False


@dataclass(frozen=True)
class BatchPlan:
    """What becomes of a batch.

    Args:
        stages: its status when it is made, and then each time it is asked for; the last one stays.
        answered: how many lines are answered before an end as expired or cancelled; None for all of them.
        errors: code and message of what the batch as a whole failed with.
        line: the fault of a line, by its custom id and how often that id was answered or failed before.
    """

    stages: tuple[str, ...] = ("validating", "in_progress", "finalizing", "completed")
    answered: int | None = None
    errors: tuple[tuple[str, str], ...] = ()
    line: Callable[[str, int], LineFault | None] | None = None


@dataclass
class ServedBatch:
    """A batch at the desk; ``asked`` counts how often its state was asked for."""

    id: str
    made: Mapping[str, Any]
    lines: list[dict[str, Any]]
    plan: BatchPlan
    status: str
    asked: int = 0
    files: dict[str, str] = field(default_factory=dict)
    errors: tuple[tuple[str, str], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    created: int = field(default_factory=lambda: int(time.time()))

    @property
    def custom_ids(self) -> list[str]:
        """The ids of its lines."""
        return [str(line.get("custom_id")) for line in self.lines]

    def to_json(self) -> dict[str, Any]:
        """The batch as the endpoint shows it."""
        return {
            "id": self.id,
            "object": "batch",
            "status": self.status,
            "created_at": self.created,
            "errors": {
                "object": "list",
                "data": [{"code": code, "message": message, "line": None} for code, message in self.errors],
            }
            if self.errors
            else None,
            "request_counts": {"total": len(self.lines), "completed": 0, "failed": 0, **self.counts},
            "output_file_id": self.files.get("output"),
            "error_file_id": self.files.get("error"),
            **{name: self.made.get(name) for name in ("endpoint", "input_file_id", "completion_window", "metadata")},
        }


class BatchDesk:
    """Takes in files and batches, and answers the lines of the batches.

    Args:
        answers: what answers a line's body, by the address that the line names; may raise `Refusal`.
        plan: what becomes of every batch, or a function of the batch's number (from 0).
    """

    def __init__(
        self,
        answers: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]],
        plan: BatchPlan | Callable[[int], BatchPlan] | None = None,
    ):
        self.batches: list[ServedBatch] = []
        self.files: dict[str, dict[str, Any]] = {}
        self._answers = answers
        self.plan = plan
        self._treated: Counter[str] = Counter()
        self._numbers = count(1)
        # One call at a time: what is kept here is small, and the order of ids is then that of the calls.
        self._lock = threading.RLock()

    @property
    def submitted(self) -> list[str]:
        """The custom ids of all lines of all batches, as often as they were submitted."""
        return [name for batch in self.batches for name in batch.custom_ids]

    def handle(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """The answer to a call below ``/v1``; raises `Refusal` for one that is wrong."""
        room, *rest = path.strip("/").split("/")
        with self._lock:
            match method, room, rest:
                case "POST", "files", []:
                    return _sent(self._upload(body))
                case "GET", "files", [name, "content"]:
                    return str(self._file(name)["content"]).encode("utf-8")
                case "POST", "batches", []:
                    return _sent(self._create(body).to_json())
                case "GET", "batches", [name]:
                    return _sent(self._advance(self._batch(name)).to_json())
        raise Refusal(404, f"no such path: {method} /v1{path}")

    def _upload(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(body.get("file"), str) or not body.get("purpose"):
            raise Refusal(400, "an upload needs 'file' and 'purpose'")
        file = self._keep(body["file"], str(body["purpose"]), str(body.get("filename", "upload")))
        return {name: value for name, value in file.items() if name != "content"}

    def _keep(self, content: str, purpose: str, filename: str) -> dict[str, Any]:
        name = f"file-{next(self._numbers):04}"
        self.files[name] = {
            "id": name,
            "object": "file",
            "bytes": len(content.encode("utf-8")),
            "created_at": int(time.time()),
            "filename": filename,
            "purpose": purpose,
            "status": "processed",
            "content": content,
        }
        return self.files[name]

    def _file(self, name: str) -> dict[str, Any]:
        if name not in self.files:
            raise Refusal(404, f"No such File object: {name}")
        return self.files[name]

    def _batch(self, name: str) -> ServedBatch:
        for batch in self.batches:
            if batch.id == name:
                return batch
        raise Refusal(404, f"No batch found with id '{name}'.")

    def _create(self, body: Mapping[str, Any]) -> ServedBatch:
        if body.get("completion_window") != "24h" or body.get("endpoint") not in self._answers:
            raise Refusal(400, f"'completion_window' must be 24h and 'endpoint' one of {', '.join(self._answers)}")
        file = self._file(str(body.get("input_file_id")))
        if file["purpose"] != "batch":
            raise Refusal(400, "the input file's purpose must be 'batch'")
        number = len(self.batches)
        plan = self.plan(number) if callable(self.plan) else self.plan or BatchPlan()
        batch = ServedBatch(f"batch_{number + 1:04}", dict(body), [], plan, plan.stages[0])
        try:
            batch.lines = [json.loads(line) for line in file["content"].splitlines() if line.strip()]
        except ValueError:
            batch.errors = (("invalid_json_line", "a line is no JSON"),)
        batch.errors = batch.errors or tuple(_wrong_lines(batch))
        if batch.errors:
            batch.plan = BatchPlan(("validating", "failed"), errors=batch.errors)
        self.batches.append(batch)
        return self._enter(batch, batch.plan.stages[0])

    def _advance(self, batch: ServedBatch) -> ServedBatch:
        if batch.status not in _ENDED:
            batch.asked += 1
            self._enter(batch, batch.plan.stages[min(batch.asked, len(batch.plan.stages) - 1)])
        return batch

    def _enter(self, batch: ServedBatch, status: str) -> ServedBatch:
        batch.status = status
        if status == "failed":
            batch.errors = batch.plan.errors or (("server_error", "made to fail"),)
        elif status in _ENDED:
            self._answer(batch)
        return batch

    def _answer(self, batch: ServedBatch) -> None:
        answered: list[str] = []
        failed: list[str] = []
        most = len(batch.lines) if batch.plan.answered is None else batch.plan.answered
        for number, line in enumerate(batch.lines):
            name = line["custom_id"]
            if number >= most and batch.status in _UNFINISHED:
                code, message = _UNFINISHED[batch.status]
                failed.append(_line(name, None, {"code": code, "message": message}))
                continue
            fault = batch.plan.line(name, self._treated[name]) if batch.plan.line is not None else None
            self._treated[name] += 1
            if fault is None:
                status, body = self._reply(line)
                (answered if status == 200 else failed).append(_line(name, _response(status, body), None))
            elif not fault.missing:
                error = {"code": fault.code, "message": fault.message}
                response = _response(fault.status, {"error": error}) if fault.status is not None else None
                failed.append(_line(name, response, None if response else error))
        batch.counts = {"completed": len(answered), "failed": len(batch.lines) - len(answered)}
        for kind, lines in (("output", answered), ("error", failed)):
            if lines:
                # No order is promised.
                content = "".join(reversed(lines))
                batch.files[kind] = self._keep(content, "batch_output", f"{batch.id}_{kind}.jsonl")["id"]

    def _reply(self, line: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        try:
            return 200, self._answers[line["url"]](line["body"])
        except Refusal as refusal:
            return refusal.status, {"error": refusal.error}


def uploaded(kind: str, data: bytes) -> dict[str, str]:
    """The fields of a ``multipart/form-data`` body (RFC 7578), with the name of its file under ``filename``.

    Raises:
        ValueError: it has no boundary, or its texts are not UTF-8.
    """
    boundary = re.search(r'boundary="?([^";]+)"?', kind)
    if boundary is None:
        raise ValueError("an upload without a boundary")
    fields: dict[str, str] = {}
    for part in data.split(b"--" + boundary[1].encode("latin-1"))[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        names = dict(re.findall(r'\b(name|filename)="([^"]*)"', head.decode("utf-8")))
        fields[names.get("name", "")] = content.removesuffix(b"\r\n").decode("utf-8")
        if "filename" in names:
            fields["filename"] = names["filename"]
    return fields


def _wrong_lines(batch: ServedBatch) -> list[tuple[str, str]]:
    """What the provider finds wrong with an input file before it begins."""
    found = []
    if not batch.lines:
        found.append(("empty_file", "The input file is empty."))
    if len(set(batch.custom_ids)) < len(batch.lines):
        found.append(("duplicate_custom_id", "The custom_id of a request is not unique."))
    if any(line.get("method") != "POST" or line.get("url") != batch.made["endpoint"] for line in batch.lines):
        found.append(("invalid_url", "A request's method or url does not fit the batch's endpoint."))
    if len({str(line.get("body", {}).get("model")) for line in batch.lines}) > 1:
        found.append(("mismatched_model", "All requests of a batch must be for the same model."))
    return found


def _line(name: str, response: object, error: object) -> str:
    return json.dumps({"id": f"batch_req_{name[:8]}", "custom_id": name, "response": response, "error": error}) + "\n"


def _response(status: int, body: object) -> dict[str, object]:
    return {"status_code": status, "request_id": "req_loopback", "body": body}


def _sent(data: object) -> bytes:
    return json.dumps(data).encode("utf-8")
