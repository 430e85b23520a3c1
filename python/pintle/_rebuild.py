"""Delta mode: restores the full message in every update."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._frames import Frame
from ._partial_json import parse_partial_object

_HIDDEN: Frame = {"type": "redactedThinking", "data": ""}


class MessageRebuilder:
    """Restores the full message. Updates that contain it pass through unchanged. Successive messages share unchanged blocks, so a
    delta costs only what it adds."""

    def __init__(self) -> None:
        self._content: List[Frame] = []
        # The JSON text of each call's arguments so far, by block index.
        self._arguments: Dict[int, _ArgumentsText] = {}

    def rebuild(self, event: Frame) -> Frame:
        kind = event["type"]
        if kind == "message_update":
            return self._update(event)
        if kind == "message_start" and event["message"].get("role") == "assistant":
            self._reset([])
        elif kind == "session_snapshot":
            message: Frame = event.get("message") or {}
            self._reset(message.get("content") or [])
        return event

    def _reset(self, content: List[Frame]) -> None:
        """Resets to a snapshot. Arguments of a call that the snapshot shows in part are complete again when that block ends."""
        self._content = content
        self._arguments = {}

    def _update(self, event: Frame) -> Frame:
        message, step = event["message"], event["assistantMessageEvent"]
        self._collect_arguments(step)
        content: List[Frame] = message["content"]
        if content:  # an update contains at least the block it refers to
            self._content = content
            return event
        self._content = self._apply(step)
        rebuilt = {**message, "content": self._content}
        return {**event, "message": rebuilt, "assistantMessageEvent": {**step, "partial": rebuilt}}

    def _collect_arguments(self, step: Frame) -> None:
        kind, index = step["type"], step["contentIndex"]
        if kind == "toolcall_start":
            self._arguments[index] = _ArgumentsText()
        elif kind == "toolcall_delta" and index in self._arguments:
            self._arguments[index].append(step["delta"])
        elif kind == "toolcall_end":
            self._arguments.pop(index, None)

    def _apply(self, step: Frame) -> List[Frame]:
        index: int = step["contentIndex"]
        content = list(self._content)
        # Hidden reasoning has no events; its content arrives with the end of the message.
        while len(content) < index:
            content.append(_HIDDEN)
        old = content[index] if index < len(content) else None
        block = self._block(step, old)
        if block is not None:
            content[index : index + 1] = [block]
        return content

    def _block(self, step: Frame, old: Optional[Frame]) -> Optional[Frame]:
        kind = step["type"]
        if kind == "toolcall_start":
            return {"type": "toolCall", **step["toolCall"], "arguments": {}}
        if kind == "toolcall_end":
            return dict(step["toolCall"])
        if kind == "toolcall_delta":
            return old if old is None else self._with_arguments(old, step["contentIndex"])
        name, _, part = kind.partition("_")
        if name not in ("text", "thinking"):
            return old  # sent by a newer server
        if part == "start":
            return {"type": name, name: ""}
        if old is None or old.get("type") != name:
            return old
        if part == "delta":
            return {**old, name: old[name] + step["delta"]}
        return {**old, name: step["content"]} if part == "end" else old

    def _with_arguments(self, call: Frame, index: int) -> Frame:
        text = self._arguments.get(index)
        parsed = text.parse() if text and call.get("type") == "toolCall" else None
        return call if parsed is None else {**call, "arguments": parsed}


class _ArgumentsText:
    """Parses again only after the text has grown by a fraction of its size, as the server does, so that total parsing time stays
    linear."""

    def __init__(self) -> None:
        self._pieces: List[str] = []
        self._length = 0
        self._parsed_at = 0

    def append(self, delta: str) -> None:
        self._pieces.append(delta)
        self._length += len(delta)

    def parse(self) -> Optional[Dict[str, Any]]:
        """Returns None if there is nothing new to show."""
        growth = 1.25 if self._parsed_at < 2048 else 1.5
        if self._length < max(self._parsed_at + 16, self._parsed_at * growth):
            return None
        self._parsed_at = self._length
        self._pieces = ["".join(self._pieces)]
        return parse_partial_object(self._pieces[0])
