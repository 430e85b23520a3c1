"""Opens a WebSocket with the `websockets` package, which `pip install "pintle[gateway]"` installs. It supports more kinds of
proxies than the built-in client."""

from __future__ import annotations

import asyncio
from collections import deque
from importlib import import_module
from typing import Any, Awaitable, Callable, Deque, Optional, Set
from urllib.parse import unquote, urlsplit

from ._exchange import Transport
from ._proxy import proxy_of
from ._sockets import LINGER, LOST, MAX_MESSAGE_BYTES, PING_EVERY, PROTOCOL, open_own_web_socket, rejected
from .errors import RpcClosedError

# `proxy` exists since this version.
_OLDEST = 15
# More than this waits before further frames are sent.
_MAX_WAITING_BYTES = 64 * 1024


async def open_web_socket(url: str, token: Optional[str], ping_every: float = PING_EVERY) -> Transport:
    """Uses the package if a recent version is installed, otherwise the built-in client."""
    if is_available():
        return await open_with_library(url, token, proxy_of(url), ping_every)
    return await open_own_web_socket(url, token, proxy_of(url), ping_every)


def is_available() -> bool:
    try:
        version: str = import_module("websockets.version").version
    except ImportError:
        return False
    return int(version.partition(".")[0]) >= _OLDEST


async def open_with_library(url: str, token: Optional[str], proxy: Optional[str], ping_every: float) -> "LibraryTransport":
    client, errors = import_module("websockets.asyncio.client"), import_module("websockets.exceptions")
    try:
        connection = await client.connect(
            url,
            additional_headers=None if token is None else {"Authorization": f"Bearer {token}"},
            subprotocols=[PROTOCOL],
            compression=None,
            proxy=proxy and _with_plain_password(proxy),
            open_timeout=None,
            ping_interval=ping_every,
            ping_timeout=ping_every,
            close_timeout=LINGER,
            max_size=MAX_MESSAGE_BYTES,
        )
    except errors.InvalidStatus as error:
        raise rejected(error.response.status_code, error.response.body or b"") from error
    except (OSError, ImportError, errors.WebSocketException) as error:
        raise RpcClosedError(f"Could not connect to the server: {error}") from error
    return LibraryTransport(connection, errors.ConnectionClosed)


def _with_plain_password(proxy: str) -> str:
    """The package sends user and password as they are in the address, so they must not be encoded."""
    parts = urlsplit(proxy)
    user, at, place = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{unquote(user)}{at}{place}"


class LibraryTransport:
    """Carries one frame of the protocol per message, so the reader sees a line."""

    def __init__(self, connection: Any, closed: Any) -> None:
        self._connection = connection
        self._closed_error = closed
        self._waiting: Deque[bytes] = deque()
        self._waiting_bytes = 0
        self._room: Optional["asyncio.Future[None]"] = None
        self._sending: Optional["asyncio.Task[None]"] = None
        self._tasks: Set["asyncio.Task[None]"] = set()

    def start(self, on_data: Callable[[bytes], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        self._run(self._receive(on_data, on_close))

    def write(self, data: bytes) -> None:
        for line in data.split(b"\n"):
            if line:
                self._waiting.append(line)
                self._waiting_bytes += len(line)
        if self._sending is None and self._waiting:
            self._sending = self._run(self._send())

    def room(self) -> Optional[Awaitable[object]]:
        if self._waiting_bytes <= _MAX_WAITING_BYTES:
            return None
        if self._room is None:
            self._room = asyncio.get_running_loop().create_future()
        return asyncio.shield(self._room)

    def close(self) -> None:
        self._run(self._close())

    def _run(self, work: Any) -> "asyncio.Task[None]":
        task: "asyncio.Task[None]" = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _receive(self, on_data: Callable[[bytes], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        try:
            while True:
                on_data(await self._connection.recv(decode=False) + b"\n")
        except self._closed_error as error:
            on_close(_reason(error))

    async def _send(self) -> None:
        try:
            while self._waiting:
                line = self._waiting.popleft()
                await self._connection.send(line, text=True)
                self._waiting_bytes -= len(line)
                if self._waiting_bytes <= _MAX_WAITING_BYTES:
                    self._make_room()
        except self._closed_error:
            # `_receive` reports it. What waits cannot be sent any more.
            self._waiting.clear()
            self._waiting_bytes = 0
        finally:
            self._make_room()
            self._sending = None

    async def _close(self) -> None:
        if self._sending is not None:
            await asyncio.wait([self._sending], timeout=LINGER)
        await self._connection.close()

    def _make_room(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)


def _reason(error: Any) -> RpcClosedError:
    if error.rcvd is not None:
        reason = f": {error.rcvd.reason}" if error.rcvd.reason else ""
        return RpcClosedError(f"The connection was closed{reason} (code {error.rcvd.code})")
    if error.sent is not None and "ping timeout" in error.sent.reason:
        return RpcClosedError(LOST)
    return RpcClosedError(f"The connection was closed: {error}")
