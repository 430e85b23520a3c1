"""Sends frames to the server in order."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from typing import Awaitable, Callable, List, Optional

from ._frames import Frame, encode

# How many bytes may be queued for a server that does not read; further calls wait.
_MAX_WAITING_BYTES = 8 * 1024 * 1024


class Outlet:
    """The output of an outbox. `room` returns None while frames may be sent, otherwise what to wait
    for."""

    def __init__(self, send: Callable[[Frame], None], room: Callable[[], Optional[Awaitable[object]]]) -> None:
        self.send = send
        self.room = room


class _Waiting:
    def __init__(self, frame: Frame, size: int) -> None:
        self.frame = frame
        self.size = size


class Outbox:
    """Queues frames while the output is full, where they can still be replaced or withdrawn."""

    def __init__(self, outlet: Outlet, max_waiting_bytes: int = _MAX_WAITING_BYTES) -> None:
        self._outlet = outlet
        self._max_waiting_bytes = max_waiting_bytes
        self._waiting: "OrderedDict[object, _Waiting]" = OrderedDict()
        self._bytes = 0
        self._flushing: Optional["asyncio.Task[None]"] = None
        self._room_waiters: List["asyncio.Future[None]"] = []

    def send(self, frame: Frame, key: Optional[object] = None) -> Callable[[], None]:
        """Queues a frame. Returns a function that withdraws it unless it has been sent. A later frame with the same key replaces
        it while it is queued. Raises for values that are not JSON."""
        if self._flushing is None and self._outlet.room() is None:
            self._outlet.send(frame)
            return lambda: None
        own = object() if key is None else key
        self._take_back(own)
        line = encode(frame)
        waiting = _Waiting(json.loads(line), len(line))  # copy now: the host may mutate its objects
        self._waiting[own] = waiting
        self._bytes += waiting.size
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())
        return lambda: self._take_back(own) if self._waiting.get(own) is waiting else None

    @property
    def is_full(self) -> bool:
        return self._bytes > self._max_waiting_bytes and self._flushing is not None

    async def room(self) -> None:
        """Waits until the queue is below its limit."""
        while self.is_full:
            future: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
            self._room_waiters.append(future)
            try:
                await future
            finally:
                if future in self._room_waiters:
                    self._room_waiters.remove(future)

    def close(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
        self._flushing = None
        self._waiting.clear()
        self._bytes = 0
        self._wake()

    def _take_back(self, key: object) -> None:
        waiting = self._waiting.pop(key, None)
        if waiting is not None:
            self._bytes -= waiting.size
            self._wake()

    async def _flush(self) -> None:
        while self._waiting:
            room = self._outlet.room()
            if room is not None:
                await room
                continue
            _key, waiting = self._waiting.popitem(last=False)
            self._bytes -= waiting.size
            self._outlet.send(waiting.frame)
            self._wake()
        self._flushing = None

    def _wake(self) -> None:
        for future in self._room_waiters:
            if not future.done():
                future.set_result(None)
        self._room_waiters = []
