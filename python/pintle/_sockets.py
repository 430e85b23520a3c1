"""Connects to a gateway over a Unix socket or a WebSocket. The standard library has none, so this is a small one."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import ssl
from typing import Awaitable, Callable, List, Optional, Tuple, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from ._heads import MAX_HEAD_BYTES, Head, read_head
from ._proxy import connect_through
from .errors import RpcClosedError, RpcRefusedError

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
PROTOCOL = "pintle"
LINGER = 1.0
_SHOWN_CHARACTERS = 500
# The same limit as for a line of a process.
MAX_MESSAGE_BYTES = 256 * 1024 * 1024
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
# The ping interval. A server that sends nothing for twice this long is considered lost.
PING_EVERY = 30.0
LOST = "The connection was closed: the server sent nothing, not even a reply to a ping"
_NORMAL_END = (1000).to_bytes(2, "big")

OnData = Callable[[bytes], None]
OnClose = Callable[[Optional[BaseException]], None]


class SocketTransport(asyncio.Protocol):
    """Carries lines over a stream."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket: Optional[asyncio.Transport] = None
        self._room: Optional["asyncio.Future[None]"] = None
        self._on_data: Optional[OnData] = None
        self._on_close: Optional[OnClose] = None
        self._early: List[bytes] = []
        self._end: Optional[BaseException] = None
        self._is_over = False
        self._lingering: Optional[asyncio.TimerHandle] = None

    def start(self, on_data: OnData, on_close: OnClose) -> None:
        self._on_data, self._on_close = on_data, on_close
        early, self._early = self._early, []
        for chunk in early:
            on_data(chunk)
        if self._is_over:
            on_close(self._end)

    def write(self, data: bytes) -> None:
        if self._socket is not None and not self._socket.is_closing():
            self._socket.write(data)

    def room(self) -> Optional[Awaitable[object]]:
        return None if self._room is None else asyncio.shield(self._room)

    def close(self) -> None:
        """Sends what is queued and closes. A server that does not read it must not keep this program alive."""
        if self._socket is None or self._is_over:
            return
        self._socket.close()
        if self._lingering is None:
            self._lingering = self._loop.call_later(LINGER, self._socket.abort)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._socket = cast(asyncio.Transport, transport)

    def pause_writing(self) -> None:
        if self._room is None:
            self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)

    def data_received(self, data: bytes) -> None:
        self._deliver(data)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._is_over = True
        if self._lingering is not None:
            self._lingering.cancel()
        self.resume_writing()
        why = f": {exc}" if exc is not None else ""
        self._end = self._end or RpcClosedError(f"The connection was closed{why}")
        if self._on_close is not None:
            self._on_close(self._end)

    def _deliver(self, data: bytes) -> None:
        if self._on_data is None:
            self._early.append(data)
        else:
            self._on_data(data)


class WebSocketTransport(SocketTransport):
    """Carries one frame of the protocol per message, so the reader sees a line."""

    def __init__(self, request: bytes, key: str, ping_every: float) -> None:
        super().__init__()
        self._ping_every = ping_every
        self._has_received = True
        self._pinging: Optional[asyncio.TimerHandle] = None
        self._request = request
        self._accepted = base64.b64encode(hashlib.sha1(key.encode() + _GUID).digest()).decode()
        self.opened: "asyncio.Future[None]" = self._loop.create_future()
        self._received = bytearray()
        self._refusal: Optional[Head] = None
        self._parts: List[bytes] = []
        self._parts_length = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        cast(asyncio.Transport, transport).write(self._request)

    def write(self, data: bytes) -> None:
        for line in data.split(b"\n"):
            if line:
                self._send(_TEXT, line)

    def close(self) -> None:
        if not self._is_over and self.opened.done():
            self._send(_CLOSE, _NORMAL_END)
        super().close()

    def data_received(self, data: bytes) -> None:
        self._has_received = True
        self._received += data
        if not self.opened.done():
            self._read_head()
        if self.opened.done():
            try:
                self._read_messages()
            except ValueError as error:
                self._end = RpcClosedError(f"The connection was closed: {error}")
                if self._socket is not None:
                    self._socket.abort()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        if self._pinging is not None:
            self._pinging.cancel()
        if not self.opened.done():
            self.opened.set_exception(self._why_refused(exc))
        super().connection_lost(exc)

    def _read_head(self) -> None:
        if self._refusal is not None:
            return  # wait for the rest of the message
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            if len(self._received) > MAX_HEAD_BYTES and self._socket is not None:
                self._socket.abort()
            return
        head = read_head(bytes(self._received[:end]))
        del self._received[: end + 4]
        if head.status != 101:
            self._refusal = head
            if self._socket is not None:
                self._lingering = self._loop.call_later(LINGER, self._socket.close)
            length = head.headers.get("content-length", "")
            if length.isdigit() and len(self._received) >= int(length) and self._socket is not None:
                self._socket.close()
        elif head.headers.get("sec-websocket-accept") != self._accepted:
            self._refusal = Head(0, "", {})
            if self._socket is not None:
                self._socket.abort()
        else:
            self.opened.set_result(None)
            self._pinging = self._loop.call_later(self._ping_every, self._ping)

    def _ping(self) -> None:
        """Pings the server, because a dead network looks like an idle connection and proxies close idle connections."""
        if self._has_received:
            self._has_received = False
            self._send(_PING, b"")
            self._pinging = self._loop.call_later(self._ping_every, self._ping)
        elif self._socket is not None:
            self._end = self._end or RpcClosedError(LOST)
            self._socket.abort()

    def _why_refused(self, exc: Optional[Exception]) -> Exception:
        if self._refusal is None:
            return RpcClosedError(f"Could not connect to the server: {exc or 'it was closed'}")
        status = self._refusal.status
        if status == 0:
            return RpcClosedError("The server did not complete the WebSocket handshake")
        return rejected(status, bytes(self._received))

    def _send(self, opcode: int, payload: bytes) -> None:
        super().write(encode_frame(opcode, payload, os.urandom(4)))

    def _read_messages(self) -> None:
        while True:
            frame = _take_frame(self._received)
            if frame is None:
                return
            opcode, is_last, payload = frame
            if opcode == _PING:
                self._send(_PONG, payload)
            elif opcode == _CLOSE:
                self._closed_by_server(payload)
            elif opcode <= _BINARY:
                self._parts.append(payload)
                self._parts_length += len(payload)
                if self._parts_length > MAX_MESSAGE_BYTES:
                    raise ValueError("a message is too long")
                if is_last:
                    message = b"".join([*self._parts, b"\n"])
                    self._parts, self._parts_length = [], 0
                    self._deliver(message)

    def _closed_by_server(self, payload: bytes) -> None:
        reason = payload[2:].decode("utf-8", "replace")
        code = f" (code {int.from_bytes(payload[:2], 'big')})" if len(payload) >= 2 else ""
        self._end = self._end or RpcClosedError(f"The connection was closed{f': {reason}' if reason else ''}{code}")
        self._send(_CLOSE, payload[:2])
        super().close()


def encode_frame(opcode: int, payload: bytes, mask: bytes) -> bytes:
    """Encodes a frame. Clients must mask what they send."""
    length = len(payload)
    if length < 126:
        head = bytes([0x80 | opcode, 0x80 | length])
    elif length < 65536:
        head = bytes([0x80 | opcode, 0x80 | 126]) + length.to_bytes(2, "big")
    else:
        head = bytes([0x80 | opcode, 0x80 | 127]) + length.to_bytes(8, "big")
    return head + mask + _masked(payload, mask)


def _masked(payload: bytes, mask: bytes) -> bytes:
    """Masks the payload as one large number: byte by byte, a large frame would take seconds."""
    length = len(payload)
    repeated = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")).to_bytes(length, "little")


def _take_frame(received: bytearray) -> Optional[Tuple[int, bool, bytes]]:
    """Removes and returns the first complete frame."""
    if len(received) < 2:
        return None
    is_masked = bool(received[1] & 0x80)
    length = received[1] & 0x7F
    start = 2
    if length >= 126:
        size = 2 if length == 126 else 8
        if len(received) < start + size:
            return None
        length = int.from_bytes(received[start : start + size], "big")
        start += size
    if length > MAX_MESSAGE_BYTES:
        raise ValueError("a frame is too long")
    if is_masked:
        raise ValueError("the server masked a frame, which only clients may do")
    end = start + length
    if len(received) < end:
        return None
    first, payload = received[0], bytes(received[start:end])
    del received[:end]
    return first & 0x0F, bool(first & 0x80), payload


def rejected(status: int, body: bytes) -> RpcRefusedError:
    text = body.decode("utf-8", "replace").strip()[:_SHOWN_CHARACTERS]
    return RpcRefusedError(status, f"The server rejected the connection ({status}): {text}")


def gateway_url(text: str, token: Optional[str] = None) -> Tuple[str, Optional[str]]:
    """Returns the WebSocket URL of a gateway. Also accepts the address that `pintle serve` prints for a browser, which carries
    the token in its fragment because browsers never send fragments to a server."""
    parts = urlsplit(text)
    fragment = unquote(parts.fragment)
    fragment = fragment[len("token=") :] if fragment.startswith("token=") else fragment
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
    if scheme not in ("ws", "wss") or not parts.hostname:
        advice = "Pass the address that `pintle serve` prints, or ws://host:port/ws"
        raise ValueError(f'"{text.split("#")[0]}" is not the URL of a gateway. {advice}')
    path = "/ws" if parts.path in ("", "/") else parts.path
    return urlunsplit((scheme, parts.netloc, path, parts.query, "")), token or fragment or None


async def open_own_web_socket(
    url: str, token: Optional[str], proxy: Optional[str] = None, ping_every: float = PING_EVERY
) -> SocketTransport:
    parts = urlsplit(url)
    is_secure = parts.scheme == "wss"
    key = base64.b64encode(os.urandom(16)).decode()
    target = urlunsplit(("", "", parts.path, parts.query, ""))
    headers = {
        "Host": parts.netloc.rpartition("@")[2],
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Protocol": PROTOCOL,
        **({} if token is None else {"Authorization": f"Bearer {token}"}),
    }
    if any("\r" in value or "\n" in value for value in headers.values()):
        raise ValueError("The URL or the token contains a line break")
    lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    request = "\r\n".join(lines).encode("latin-1")
    context: Optional[ssl.SSLContext] = ssl.create_default_context() if is_secure else None
    host, port = parts.hostname or "", parts.port or (443 if is_secure else 80)
    try:
        transport = await _connect(host, port, context, proxy, lambda: WebSocketTransport(request, key, ping_every))
    except OSError as error:
        raise RpcClosedError(f"Could not connect to the server: {error}") from error
    try:
        await transport.opened
    except BaseException:
        transport.close()
        raise
    return transport


async def _connect(
    host: str,
    port: int,
    context: Optional[ssl.SSLContext],
    proxy: Optional[str],
    make: Callable[[], WebSocketTransport],
) -> WebSocketTransport:
    if proxy is not None:
        return await connect_through(proxy, host, port, context, make)
    loop = asyncio.get_running_loop()
    _socket, transport = await loop.create_connection(make, host, port, ssl=context)
    return transport


async def open_unix_socket(path: str) -> SocketTransport:
    loop = asyncio.get_running_loop()
    if not hasattr(loop, "create_unix_connection"):
        raise RpcClosedError("Python has no Unix sockets on this system; use url instead")
    try:
        _socket, transport = await loop.create_unix_connection(SocketTransport, path)
    except OSError as error:
        raise RpcClosedError(f"Could not connect to the server: {error}") from error
    return transport
