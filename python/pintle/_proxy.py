"""Finds the HTTP proxy of an address and connects through it."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import ssl
from typing import Any, Callable, Optional, TypeVar, cast
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ._heads import MAX_HEAD_BYTES, Head, read_head
from .errors import RpcClosedError

_Protocol = TypeVar("_Protocol", bound=asyncio.Protocol)
_ADVICE = {407: "Add user and password to its address (http://user:…@host:port)"}
_OTHER_ADVICE = "Allow the connection there, or add the host to NO_PROXY to connect directly"


def proxy_of(url: str) -> Optional[str]:
    """Returns the address of the proxy that the environment or the system names for a WebSocket URL, or None if the connection is
    direct. Servers on this machine are never reached through a proxy."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _is_loopback(host) or proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return None
    proxies = getproxies()
    found = proxies.get("https" if parts.scheme == "wss" else "http") or proxies.get("all")
    return f"http://{found}" if found and "://" not in found else found


async def connect_through(
    proxy: str, host: str, port: int, context: Optional[ssl.SSLContext], make: Callable[[], _Protocol]
) -> _Protocol:
    """Opens a connection to the host through the proxy, with TLS if there is a context."""
    parts = urlsplit(proxy)
    named = f"The proxy {parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if parts.scheme != "http" or not parts.hostname:
        advice = f'Install "pintle[gateway]", which supports other proxies, or add {host} to NO_PROXY'
        raise RpcClosedError(f"{named} is not supported: only http://host:port is. {advice}")
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}")
    request = "\r\n".join([*lines, "", ""]).encode("latin-1")
    loop = asyncio.get_running_loop()
    try:
        transport, tunnel = await loop.create_connection(lambda: _Tunnel(request), parts.hostname, parts.port or 80)
    except OSError as error:
        raise RpcClosedError(f"{named} cannot be reached: {error}") from error
    try:
        head = await tunnel.answered
        if head.status != 200:
            advice = _ADVICE.get(head.status, _OTHER_ADVICE)
            raise RpcClosedError(f"{named} refused a connection to {target} ({head.status} {head.reason}). {advice}")
        secure: Any = transport if context is None else await loop.start_tls(transport, tunnel, context, server_hostname=host)
    except BaseException:
        transport.abort()
        raise
    protocol = make()
    secure.set_protocol(protocol)
    protocol.connection_made(secure)
    return protocol


class _Tunnel(asyncio.Protocol):
    """Asks the proxy for a connection."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._received = b""
        self.answered: "asyncio.Future[Head]" = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if self.answered.done():
            return
        if end >= 0:
            self.answered.set_result(read_head(self._received[:end]))
        elif len(self._received) > MAX_HEAD_BYTES:
            self.answered.set_exception(RpcClosedError("The proxy's answer is too long"))

    def connection_lost(self, exc: Optional[Exception]) -> None:
        if not self.answered.done():
            self.answered.set_exception(RpcClosedError(f"The proxy closed the connection without an answer: {exc or 'no reason given'}"))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
