"""Sends commands and matches responses, over one connection at a time."""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, Dict, Mapping, Optional, Protocol

from ._frames import Frame, decode, encode
from ._lines import LineReader
from ._outbox import Outbox, Outlet
from ._tracker import PromptWatcher, RunTracker
from ._waits import Waits
from .errors import RpcClosedError, RpcCommandError, RpcConflictError, RpcProtocolError

# Commands that start a run: acknowledged immediately, and a second, failed response may follow.
_PROMPTS = frozenset(["prompt", "abort_and_prompt", "continue_run"])
# Commands without a default timeout.
_UNLIMITED = frozenset(
    ["bash", "compact", "new_session", "switch_session", "branch", "fork", "clone", "export_html", "resolve_pending_action"]
)
# Unlimited commands that do not delay the commands after them.
_DETACHED = frozenset(["bash", "resolve_pending_action"])


class Transport(Protocol):
    """A connection to a server. Anything that carries bytes in both directions, in order, will do."""

    def start(self, on_data: Callable[[bytes], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        """Called once. Chunks may be split anywhere; `on_close` is called once, with the reason if it is known."""
        ...

    def write(self, data: bytes) -> None:
        """Writes one or more whole lines."""
        ...

    def room(self) -> Optional[Awaitable[object]]:
        """Returns None while there is room, otherwise an awaitable to wait for before the next `write`."""
        ...

    def close(self) -> None: ...


class FrameTransport(Protocol):
    """One session's channel over a shared connection: carries frames instead of bytes, and survives the connection."""

    def start_frames(self, on_frame: Callable[[Frame], None], on_close: Callable[[Optional[BaseException]], None]) -> None: ...

    def send(self, frame: Frame) -> None: ...

    def room(self) -> Optional[Awaitable[object]]: ...


class FrameHandlers(Protocol):
    def on_frame(self, frame: Frame) -> None:
        """Handles every frame except `ready` and responses."""
        ...

    def on_fault(self, fault: RpcProtocolError) -> None: ...

    def on_end(self, reason: BaseException) -> None:
        """Called when the transport closes on its own."""
        ...


class _Pending:
    def __init__(
        self,
        command: str,
        is_unlimited: bool,
        future: "asyncio.Future[Any]",
        on_success: Optional[Callable[[Any], None]],
    ) -> None:
        self.command = command
        self.is_unlimited = is_unlimited
        self.future = future
        self.on_success = on_success


class PendingRequests:
    """Commands that have been sent and have no response yet, in the order they were sent."""

    def __init__(self, waits: Waits, default_timeout: float) -> None:
        self._waits = waits
        self._default_timeout = default_timeout
        self._pending: Dict[str, _Pending] = {}

    async def open(
        self,
        request_id: str,
        command: str,
        send: Callable[[], Callable[[], None]],
        timeout: Optional[float],
        on_success: Optional[Callable[[Any], None]] = None,
    ) -> Any:
        """Calls `on_success` the moment the response is read, before any frame after it. `send`
        returns a function that withdraws the frame if it has not been sent."""
        is_unlimited = timeout is None and command in _UNLIMITED
        future = self._waits.future()
        self._pending[request_id] = _Pending(command, is_unlimited, future, on_success)
        take_back: Callable[[], None] = _nothing
        try:
            take_back = send()
            limit = None if is_unlimited else (self._default_timeout if timeout is None else timeout)
            # The server runs commands in order, so a command queued after a long one is not late.
            return await self._waits.wait(
                future, command, limit, lambda: timeout is None and self._is_behind_long(request_id)
            )
        finally:
            self._waits.forget(future)
            self._pending.pop(request_id, None)
            take_back()

    def answer(self, request_id: str, response: Frame) -> bool:
        """Returns False if no call is waiting for this response."""
        pending = self._pending.pop(request_id, None)
        if pending is None or pending.future.done():
            return False
        if response.get("success") is True:
            if pending.on_success is not None:
                pending.on_success(response.get("data"))
            pending.future.set_result(response.get("data"))
        else:
            pending.future.set_exception(to_error(response))
        return True

    def find_by_command(self, command: str) -> Optional[str]:
        """Returns the request that a failure without an id belongs to, if there is only one candidate."""
        ids = [key for key, pending in self._pending.items() if pending.command == command]
        if len(ids) == 1:
            return ids[0]
        return next(iter(self._pending)) if command == "parse" and len(self._pending) == 1 else None

    def _is_behind_long(self, request_id: str) -> bool:
        for key, pending in self._pending.items():
            if key == request_id:
                return False
            if pending.is_unlimited and pending.command not in _DETACHED:
                return True
        return False


class Exchange:
    def __init__(self, ready_timeout: float, request_timeout: float) -> None:
        self.waits = Waits()
        self.tracker = RunTracker()
        self._pending = PendingRequests(self.waits, request_timeout)
        self._ready_timeout = ready_timeout
        self._request_timeout = request_timeout
        self._outbox: Optional[Outbox] = None
        self._handlers: Optional[FrameHandlers] = None
        self._start: Optional["asyncio.Future[Any]"] = None
        self._requests = 0

    @property
    def is_open(self) -> bool:
        return self._outbox is not None

    async def open(self, transport: Transport, handlers: FrameHandlers) -> Frame:
        """Returns `ready`, the server's first frame."""
        outbox = self._begin(Outlet(lambda frame: transport.write(encode(frame)), transport.room), handlers)
        reader = LineReader(
            on_line=lambda line: self._read(outbox, handlers, line),
            on_overlong_line=lambda: handlers.on_fault(RpcProtocolError("A line is too long", "")),
        )

        def on_close(reason: Optional[BaseException]) -> None:
            reader.end()
            self._ended(outbox, handlers, reason)

        self._start = self.waits.future()
        transport.start(reader.push, on_close)
        try:
            return await self.waits.wait(self._start, "The start", self._ready_timeout)
        finally:
            self._start = None

    def join(self, transport: FrameTransport, handlers: FrameHandlers) -> None:
        """Joins a shared connection that is already open."""
        outbox = self._begin(Outlet(transport.send, transport.room), handlers)
        transport.start_frames(
            lambda frame: self._take(outbox, handlers, frame),
            lambda reason: self._ended(outbox, handlers, reason),
        )

    def take(self, frame: Frame) -> None:
        """Injects a frame as if the server had sent it."""
        if self._outbox is not None and self._handlers is not None:
            self._take(self._outbox, self._handlers, frame)

    def close(self, reason: BaseException) -> None:
        """Rejects everything that is waiting and ignores further data from the transport."""
        if self._outbox is not None:
            self._outbox.close()
        self._outbox = None
        self.tracker.reset()
        self.waits.reject_all(reason)

    def send(self, frame: Frame, key: Optional[object] = None) -> None:
        """Sends a frame that has no response; a later frame with the same key replaces it while it is queued."""
        if self._outbox is not None:
            self._outbox.send(frame, key)

    async def request(
        self,
        command: str,
        params: Mapping[str, Any],
        timeout: Optional[float] = None,
        watcher: Optional[PromptWatcher] = None,
        on_success: Optional[Callable[[Any], None]] = None,
    ) -> Any:
        outbox = self._outbox
        if outbox is None:
            raise RpcClosedError("The client is not started")
        open_outbox: Outbox = outbox
        if outbox.is_full:
            room = asyncio.ensure_future(outbox.room())
            await self.waits.wait(room, command, self._request_timeout if timeout is None else timeout)
        if self._outbox is not outbox:
            raise RpcClosedError("The connection was closed")
        self._requests += 1
        request_id = f"req_{self._requests}"
        is_prompt = command in _PROMPTS
        is_accepted = False

        def succeeded(data: Any) -> None:
            nonlocal is_accepted
            is_accepted = True
            if is_prompt:
                self.tracker.acknowledged(request_id)
            if on_success is not None:
                on_success(data)

        def send() -> Callable[[], None]:
            if is_prompt:
                self.tracker.sent(request_id, watcher)
            given = {key: value for key, value in params.items() if value is not None}
            return open_outbox.send({"id": request_id, **given, "type": command})

        try:
            return await self._pending.open(request_id, command, send, timeout, on_success=succeeded)
        finally:
            if is_prompt and not is_accepted:
                self.tracker.refused(request_id)

    def _begin(self, outlet: Outlet, handlers: FrameHandlers) -> Outbox:
        if self._outbox is not None:
            raise RuntimeError("Client already started")
        self._outbox = Outbox(outlet)
        self._handlers = handlers
        return self._outbox

    def _ended(self, outbox: Outbox, handlers: FrameHandlers, reason: Optional[BaseException]) -> None:
        if self._outbox is outbox:
            handlers.on_end(reason or RpcClosedError("The connection was closed"))

    def _read(self, outbox: Outbox, handlers: FrameHandlers, line: str) -> None:
        frame = decode(line, handlers.on_fault)
        if frame is not None:
            self._take(outbox, handlers, frame)

    def _take(self, outbox: Outbox, handlers: FrameHandlers, frame: Frame) -> None:
        """Ignores frames of any connection except the current one, because a handler may have closed it in the middle of a chunk."""
        if self._outbox is not outbox:
            return
        try:
            if frame["type"] == "response":
                self._answer(frame, handlers)
            elif frame["type"] == "ready":
                if self._start is not None and not self._start.done():
                    self._start.set_result(frame)
            else:
                handlers.on_frame(frame)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            # The frame lacks fields that its type requires.
            handlers.on_fault(RpcProtocolError(f"A frame could not be processed: {error!r}", str(frame)))

    def _answer(self, response: Frame, handlers: FrameHandlers) -> None:
        is_success = response.get("success") is True
        request_id = response.get("id")
        if request_id is None and not is_success:
            request_id = response.get("requestId")
            if request_id is None:
                request_id = self._pending.find_by_command(str(response.get("command")))
        if request_id is None:
            what = "A response" if is_success else f"A failure ({response.get('error')})"
            handlers.on_fault(RpcProtocolError(f"{what} matches no request", str(response)))
        elif not self._pending.answer(str(request_id), response) and not is_success:
            if response.get("command") == "parse":
                handlers.on_fault(RpcProtocolError(str(response.get("error")), str(response)))
            else:
                self.tracker.failed_late(str(request_id), to_error(response))
        # Any other response is late: its caller has stopped waiting.


def to_error(response: Frame) -> RpcCommandError:
    command, error, code = str(response.get("command")), str(response.get("error")), response.get("code")
    if code == "conflict":
        return RpcConflictError(command, error)
    return RpcCommandError(command, error, code if isinstance(code, str) else None)


def _nothing() -> None:
    pass
