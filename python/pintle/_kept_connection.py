"""A connection that reconnects when it is lost."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Optional, Protocol

from ._exchange import Transport
from ._frames import Frame, decode, encode
from ._lines import LineReader
from .errors import RpcClosedError, RpcProtocolError, RpcRefusedError, RpcTimeoutError

# Opens a new connection on each call. Raises if that fails; cancellation stops the attempt.
Connect = Callable[[], Awaitable[Transport]]


@dataclass(frozen=True)
class Reconnect:
    """How to reconnect after a lost connection. Times are in seconds."""

    # The pause before the first attempt, doubled after each.
    min_pause: float = 0.1
    # The longest pause.
    max_pause: float = 10.0
    # Ends all sessions after this time without a connection; None means never.
    give_up_after: Optional[float] = None

    def pause_before(self, attempt: int) -> float:
        """Half of the pause is random, so that hosts that lost the same server do not all reconnect at once."""
        longest = min(self.max_pause, self.min_pause * 2.0 ** min(attempt, 30))
        return longest / 2 + random.random() * longest / 2


class KeeperListener(Protocol):
    def on_connected(self, ready: Frame) -> None:
        """Called after every connect, as soon as the first frame is read and before any later frame."""
        ...

    def on_frame(self, frame: Frame) -> None: ...

    def on_away(self, reason: BaseException) -> None: ...

    def on_end(self, reason: BaseException) -> None:
        """Called once: the client was closed, or it stopped trying to reconnect."""
        ...

    def on_fault(self, fault: RpcProtocolError) -> None: ...


class KeptConnection:
    def __init__(
        self, connect: Connect, reconnect: Optional[Reconnect], ready_timeout: float, listener: KeeperListener
    ) -> None:
        self._connect_to = connect
        self._reconnect = reconnect
        self._ready_timeout = ready_timeout
        self._listener = listener
        self._connection: Optional[_Connection] = None
        self._is_started = False
        self._is_ended = False
        self._attempts: Optional["asyncio.Task[None]"] = None

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    async def start(self) -> None:
        """Opens the first connection, without retrying."""
        if self._is_started:
            raise RuntimeError("Client already started")
        self._is_started = True
        try:
            await self._connect()
        except BaseException:
            self._is_ended = True
            raise

    def send(self, frame: Frame) -> None:
        """Sends a frame. Raises if it is not JSON, even while there is no connection."""
        line = encode(frame)
        if self._connection is not None:
            self._connection.transport.write(line)

    def room(self) -> Optional[Awaitable[object]]:
        return None if self._connection is None else self._connection.transport.room()

    def end(self, reason: BaseException) -> None:
        """Closes the connection and stops reconnecting."""
        if self._is_ended:
            return
        self._is_ended = True
        if self._attempts is not None and self._attempts is not _current_task():
            self._attempts.cancel()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        self._listener.on_end(reason)

    async def ended(self) -> None:
        """Waits until all attempts have finished."""
        if self._attempts is not None:
            await asyncio.wait({self._attempts})

    async def _connect(self) -> None:
        """Applies one deadline to the whole attempt, because a server may accept a connection and then send nothing."""
        attempt: "asyncio.Future[None]" = asyncio.ensure_future(self._attempt())
        try:
            await asyncio.wait({attempt}, timeout=self._ready_timeout)
            if not attempt.done():
                raise RpcTimeoutError(f"Starting took longer than {self._ready_timeout:g} s")
            attempt.result()
        finally:
            if not attempt.done():
                attempt.cancel()
                await asyncio.wait({attempt})

    async def _attempt(self) -> None:
        transport = await self._connect_to()
        if self._is_ended:
            transport.close()
            raise RpcClosedError("The client was stopped")
        connection = _Connection(transport, self)
        try:
            await connection.ready()
        except BaseException:
            connection.close()
            raise

    # Callbacks of the connection.

    def connected(self, connection: "_Connection", ready: Frame) -> None:
        self._connection = connection
        self._listener.on_connected(ready)

    def received(self, frame: Frame) -> None:
        try:
            self._listener.on_frame(frame)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            # The frame lacks fields that its type requires.
            self.fault(RpcProtocolError(f"A frame could not be processed: {error!r}", str(frame)))

    def fault(self, fault: RpcProtocolError) -> None:
        self._listener.on_fault(fault)

    def lost(self, connection: "_Connection", reason: BaseException) -> None:
        if self._connection is not connection:
            return
        self._connection = None
        if self._reconnect is None:
            self.end(reason)
            return
        self._listener.on_away(reason)
        self._attempts = asyncio.get_running_loop().create_task(self._make_again(self._reconnect))

    async def _make_again(self, how: Reconnect) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        attempt = 0
        while not self._is_ended:
            await asyncio.sleep(how.pause_before(attempt))
            attempt += 1
            try:
                await self._connect()
                return
            except Exception as error:
                if self._is_ended:
                    return
                if isinstance(error, RpcRefusedError) and error.is_final:
                    self.end(error)
                elif how.give_up_after is not None and loop.time() - start >= how.give_up_after:
                    self.end(RpcClosedError(f"Could not reconnect: {error}"))


class _Connection:
    """One connection, from its first frame until it closes."""

    def __init__(self, transport: Transport, keeper: KeptConnection) -> None:
        self.transport = transport
        self._keeper = keeper
        self._is_over = False
        self._ready: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()

    async def ready(self) -> None:
        """Waits for the server's first frame."""
        reader = LineReader(
            on_line=self._receive,
            on_overlong_line=lambda: self._keeper.fault(RpcProtocolError("A line is too long", "")),
        )

        def on_close(reason: Optional[BaseException]) -> None:
            reader.end()
            self._end(reason or RpcClosedError("The connection was closed"))

        self.transport.start(reader.push, on_close)
        await self._ready

    def close(self) -> None:
        """Closes the connection. No callback follows."""
        self._is_over = True
        self.transport.close()

    def _end(self, reason: BaseException) -> None:
        if self._is_over:
            return
        self._is_over = True
        if self._ready.done():
            self._keeper.lost(self, reason)
        else:
            self._ready.set_exception(reason)

    def _receive(self, line: str) -> None:
        if self._is_over:
            return
        frame = decode(line, self._keeper.fault)
        if frame is None:
            return
        if self._ready.done():
            self._keeper.received(frame)
        elif frame["type"] == "server_ready":
            self._begin(frame)
        else:
            self._keeper.fault(RpcProtocolError("The server's first frame was not server_ready", line))

    def _begin(self, ready: Frame) -> None:
        if ready.get("protocolVersion") != 1:
            told = f"version {ready.get('protocolVersion')} of the protocol, but this client supports only version 1"
            self._end(RpcClosedError(f"The server speaks {told}"))
            return
        self._ready.set_result(None)
        self._keeper.connected(self, ready)


def _current_task() -> Optional["asyncio.Task[Any]"]:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
