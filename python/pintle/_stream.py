"""Buffers events for one reader."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Callable, Deque, List, Optional

from ._frames import Frame
from .errors import RpcLaggedError, again

# The limit after merging. A reader that lags further has stopped reading.
_MAX_WAITING = 50_000


class EventStream:
    """Buffers events. While the reader lags, an event that a newer one supersedes is merged into it; all others are kept, up to a
    limit. Beyond it the reader receives what is buffered and then an error, so nothing is dropped silently."""

    def __init__(self, on_leave: Optional[Callable[[], None]] = None, max_waiting: int = _MAX_WAITING) -> None:
        self._on_leave = on_leave
        self._max_waiting = max_waiting
        self._events: Deque[Frame] = deque()
        # Deltas merged into the last event, joined when it is read: joining each time would copy all of them.
        self._deltas: List[str] = []
        self._is_over = False
        self._error: Optional[BaseException] = None
        self._waiters: Deque["asyncio.Future[None]"] = deque()

    def push(self, event: Frame) -> None:
        if self._is_over:
            return
        if not self._merge(event):
            self._join_deltas()
            if len(self._events) >= self._max_waiting:
                self.fail(RpcLaggedError(f"{self._max_waiting} events were not read, so newer ones were dropped; read faster or stop iterating"))
                return
            self._events.append(event)
        self._wake()

    def close(self) -> None:
        """Ends the stream. Buffered events can still be read."""
        self._finish(None)

    def fail(self, error: BaseException) -> None:
        """Ends the stream with an error, which the reader receives after the buffered events."""
        self._finish(error)

    def leave(self) -> None:
        """Called when the reader stops."""
        self._events.clear()
        self._deltas = []
        self._finish(None)

    async def next(self) -> Frame:
        """Raises StopAsyncIteration at the end. The error is raised once; later calls only report
        the end."""
        while not self._events:
            if self._is_over:
                error, self._error = self._error, None
                if error is not None:
                    raise again(error)
                raise StopAsyncIteration
            waiter: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                await waiter
            finally:
                if waiter in self._waiters:
                    self._waiters.remove(waiter)
        if len(self._events) == 1:
            self._join_deltas()
        return self._events.popleft()

    def _merge(self, event: Frame) -> bool:
        """Merges the event into a waiting one that it supersedes, and returns whether it did. Only the last event qualifies, or
        an update of the same call followed by nothing but tool updates; every other event keeps its position."""
        kind = event["type"]
        if not self._events or kind not in ("message_update", "tool_execution_update"):
            return False
        return self._merge_delta(event) if kind == "message_update" else self._merge_progress(event)

    def _merge_progress(self, event: Frame) -> bool:
        for index in range(len(self._events) - 1, -1, -1):
            other = self._events[index]
            if other["type"] != event["type"]:
                return False
            if other.get("toolCallId") == event.get("toolCallId"):
                del self._events[index]
                self._events.append(event)
                return True
        return False

    def _merge_delta(self, event: Frame) -> bool:
        last = self._events[-1]
        if last["type"] != "message_update":
            return False
        older, newer = last["assistantMessageEvent"], event["assistantMessageEvent"]
        if "delta" not in older or "delta" not in newer:
            return False
        if (older["type"], older["contentIndex"]) != (newer["type"], newer["contentIndex"]):
            return False
        if not self._deltas:
            self._deltas.append(older["delta"])
        self._deltas.append(newer["delta"])
        self._events[-1] = event
        return True

    def _join_deltas(self) -> None:
        if not self._deltas:
            return
        event = self._events[-1]
        self._events[-1] = {
            **event,
            "assistantMessageEvent": {**event["assistantMessageEvent"], "delta": "".join(self._deltas)},
        }
        self._deltas = []

    def _finish(self, error: Optional[BaseException]) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._error = error
        if self._on_leave is not None:
            self._on_leave()
        self._wake()

    def _wake(self) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
