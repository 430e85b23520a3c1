"""WebSockets: the built-in client and the `websockets` package, which scripts/testing/python-packages.mjs installs where it
may."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple
from unittest import mock
from urllib.parse import urlsplit

from pintle import GatewayClient, RpcClosedError, RpcRefusedError
from pintle._proxy import proxy_of  # pyright: ignore[reportPrivateUsage]
from pintle._sockets import _take_frame, encode_frame, gateway_url, open_own_web_socket  # pyright: ignore[reportPrivateUsage]
from pintle._websockets import is_available, open_with_library, open_web_socket  # pyright: ignore[reportPrivateUsage]

from .support import PlaceCase, Server

HOST = "gateway.test"
Opener = Callable[[str, Optional[str], Optional[str], float], Awaitable[Any]]
OPENERS: List[Tuple[str, Opener]] = [("built-in", open_own_web_socket)]
# Only here: the other tests run over the built-in client, as most users do.
sys.path.append(str(Path(__file__).parents[2] / "node_modules/.cache/pintle-websockets"))
if is_available():
    OPENERS.append(("websockets", open_with_library))


class WebSocketFrames(unittest.TestCase):
    def test_a_frame_of_any_length_is_masked_and_read(self) -> None:
        for length in (0, 1, 125, 126, 65535, 65536, 3_000_001):
            payload = os.urandom(length)
            sent = encode_frame(1, payload, b"\x01\x02\x03\x04")
            head = len(sent) - length
            unmasked = bytes(byte ^ b"\x01\x02\x03\x04"[index % 4] for index, byte in enumerate(sent[head : head + 1000]))
            self.assertEqual(unmasked, payload[:1000])
            received = bytearray([sent[0], sent[1] & 0x7F]) + sent[2 : head - 4] + payload + b"\x81"
            self.assertEqual(_take_frame(received), (1, True, payload))
            self.assertEqual(bytes(received), b"\x81")

    def test_invalid_frames_from_the_server_are_errors(self) -> None:
        with self.assertRaises(ValueError):
            _take_frame(bytearray(encode_frame(1, b"x", b"abcd")))
        with self.assertRaises(ValueError):
            _take_frame(bytearray([0x81, 127, *b"\xff" * 8]))

    def test_the_printed_address_is_accepted(self) -> None:
        self.assertEqual(gateway_url("http://127.0.0.1:80/#token=a%20b"), ("ws://127.0.0.1:80/ws", "a b"))
        self.assertEqual(gateway_url("wss://x.org/pintle/ws", "t"), ("wss://x.org/pintle/ws", "t"))
        self.assertEqual(gateway_url("ws://[::1]:9#abc"), ("ws://[::1]:9/ws", "abc"))
        with self.assertRaisesRegex(ValueError, '^"file:///x" is not the URL of a gateway. Pass the address'):
            gateway_url("file:///x#secret")


class ScriptedServer:
    """Accepts one WebSocket and then runs `serve`."""

    def __init__(self, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> None:
        self._serve = serve

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/ws"

    async def __aexit__(self, *_exception: object) -> None:
        self._server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        key = next(line.split(": ")[1] for line in head.split("\r\n") if line.lower().startswith("sec-websocket-key"))
        accept = base64.b64encode(hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()).decode()
        lines = ["HTTP/1.1 101 x", "Connection: Upgrade", "Upgrade: websocket", f"Sec-WebSocket-Accept: {accept}"]
        writer.write("\r\n".join([*lines, "Sec-WebSocket-Protocol: pintle", "", ""]).encode())
        try:
            await self._serve(reader, writer)
        finally:
            writer.close()


class Connections(unittest.IsolatedAsyncioTestCase):
    async def closing_reason(self, opener: Opener, serve: Any, ping_every: float = 30.0) -> Tuple[str, bytes]:
        """Returns why the connection ended, and what was received before."""
        received: List[bytes] = []
        async with ScriptedServer(serve) as url:
            transport = await opener(url, None, None, ping_every)
            ended: "asyncio.Future[str]" = asyncio.get_running_loop().create_future()
            transport.start(received.append, lambda reason: ended.set_result(str(reason)))
            reason = await asyncio.wait_for(ended, 30)
        return reason, b"".join(received)

    async def test_a_server_that_does_not_answer_a_ping_is_lost(self) -> None:
        async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await reader.read()

        for name, opener in OPENERS:
            with self.subTest(name):
                reason, _ = await self.closing_reason(opener, silent, 0.05)
                self.assertIn("not even a reply to a ping", reason)

    async def test_a_server_that_answers_pings_is_kept(self) -> None:
        async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for _ in range(3):
                first, second = await reader.readexactly(2)
                self.assertEqual(first, 0x89)
                masked = await reader.readexactly(4 + (second & 0x7F))
                payload = bytes(byte ^ masked[index % 4] for index, byte in enumerate(masked[4:]))
                writer.write(bytes([0x8A, len(payload)]) + payload)
            writer.write(b"\x88\x04\x03\xe8by")
            await reader.read(1)

        for name, opener in OPENERS:
            with self.subTest(name):
                reason, _ = await self.closing_reason(opener, answering, 0.5)
                self.assertEqual(reason, "The connection was closed: by (code 1000)")

    async def test_messages_arrive_as_lines_whether_or_not_they_are_fragmented(self) -> None:
        async def fragmenting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b'\x81\x07{"a":1}' + b'\x01\x04{"b"' + b"\x80\x03:2}" + b"\x88\x02\x03\xe8")
            await reader.read(1)

        for name, opener in OPENERS:
            with self.subTest(name):
                _, received = await self.closing_reason(opener, fragmenting)
                self.assertEqual(received, b'{"a":1}\n{"b":2}\n')

    async def test_a_frame_that_claims_too_many_bytes_ends_the_connection(self) -> None:
        async def boasting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"\x81\x7f" + (2**40).to_bytes(8, "big") + b"x")
            await reader.read(1)

        for name, opener in OPENERS:
            with self.subTest(name):
                reason, received = await self.closing_reason(opener, boasting)
                self.assertRegex(reason, "too long|1009|over size limit|exceeds")
                self.assertEqual(received, b"")

    async def test_a_large_message_is_sent_whole_and_reports_room(self) -> None:
        line = b'"' + b"x" * 30_000_000 + b'"'

        async def counting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(2 + 8 + 4 + len(line))
            writer.write(b"\x88\x02\x03\xe8")
            await reader.read(1)

        for name, opener in OPENERS:
            with self.subTest(name):
                async with ScriptedServer(counting) as url:
                    transport = await opener(url, None, None, 30.0)
                    ended: "asyncio.Future[str]" = asyncio.get_running_loop().create_future()
                    transport.start(lambda _data: None, lambda reason: ended.set_result(str(reason)))
                    transport.write(line + b"\n")
                    room = transport.room()
                    self.assertIsNotNone(room)
                    await asyncio.wait_for(room, 30)
                    self.assertIn("(code 1000)", await asyncio.wait_for(ended, 30))
                    self.assertIsNone(transport.room())


class ProxyChoice(unittest.TestCase):
    def test_the_environment_names_the_proxy(self) -> None:
        a, b = "http://a.test:3128", "http://b.test:8080"
        rows: List[Tuple[str, Dict[str, str], Optional[str]]] = [
            ("ws://x.test", {}, None),
            ("ws://x.test", {"HTTP_PROXY": a}, a),
            ("wss://x.test", {"HTTP_PROXY": a}, None),
            ("wss://x.test", {"HTTP_PROXY": a, "https_proxy": b}, b),
            ("wss://x.test", {"ALL_PROXY": b}, b),
            ("ws://x.test", {"http_proxy": "a.test:3128"}, a),
            ("ws://localhost:7777", {"http_proxy": a}, None),
            ("ws://127.1.2.3", {"http_proxy": a}, None),
            ("ws://[::1]:7777", {"http_proxy": a}, None),
            ("ws://x.test", {"http_proxy": a, "no_proxy": "*"}, None),
            ("ws://a.x.test:81", {"http_proxy": a, "no_proxy": "y.test, .x.test"}, None),
            ("ws://x.test:81", {"http_proxy": a, "no_proxy": "x.test:81"}, None),
            ("ws://yx.test", {"http_proxy": a, "no_proxy": "x.test"}, a),
        ]
        for url, env, expected in rows:
            with self.subTest(f"{url} {env}"), mock.patch.dict(os.environ, env, clear=True):
                self.assertEqual(proxy_of(url), expected)


class ConnectProxy:
    """Understands CONNECT, and connects every allowed `host:port` to a port of this machine."""

    def __init__(self, targets: Dict[str, int], authorization: Optional[str] = None) -> None:
        self._targets = targets
        self._authorization = authorization
        self.requests: List[str] = []

    async def __aenter__(self) -> "ConnectProxy":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self._server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        target = first.split(" ")[1]
        self.requests.append(target)
        headers = {name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines)}
        try:
            if headers.get("proxy-authorization") != self._authorization:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            elif target not in self._targets:
                writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            else:
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._targets[target])
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            writer.close()


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while True:
            data = await source.read(65536)
            if not data:
                break
            target.write(data)
            await target.drain()
    except ConnectionError:
        pass
    finally:
        target.close()


def certificate(folder: Path) -> Optional[Path]:
    """Makes a certificate for the host, together with its key. Returns None if there is no openssl."""
    if shutil.which("openssl") is None:
        return None
    path = folder / "gateway.pem"
    options = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"]
    names = ["-addext", f"subjectAltName=DNS:{HOST}", "-keyout", str(path), "-out", f"{path}.cert"]
    subprocess.run(["openssl", *options, *names], check=True, stderr=subprocess.DEVNULL)
    path.write_text(path.read_text() + Path(f"{path}.cert").read_text())
    return path


class GatewayCase(PlaceCase):
    def serve(self, *args: str) -> str:
        """Starts a gateway and returns the address that it prints."""
        run = self.place.root / "run"
        run.mkdir(mode=0o700)
        server = Server(self.place, "--listen", "127.0.0.1:0", "--socket", str(run / "p.sock"), *args)
        self.addCleanup(server.end)
        return next(word for word in server.text.split() if word.startswith("http://"))


class BehindProxy(GatewayCase):
    async def test_a_gateway_is_reached_through_the_proxy(self) -> None:
        address = urlsplit(self.serve("--public-host", HOST))
        authorization = f"Basic {base64.b64encode(b'ada:p@ss').decode()}"
        async with ConnectProxy({f"{HOST}:80": address.port or 0}, authorization) as proxy:
            env = {"HTTP_PROXY": f"http://ada:p%40ss@{proxy.address}"}
            with mock.patch.dict(os.environ, env), mock.patch("pintle._websockets.is_available", return_value=False):
                async with GatewayClient(url=f"http://{HOST}/#{address.fragment}") as gateway:
                    session = await gateway.open(model="pintle/offline")
                    self.assertEqual((await session.run("help")).stop_reason, "stop")
                with self.assertRaisesRegex(RpcRefusedError, r"rejected the connection \(401\)"):
                    await open_web_socket(f"ws://{HOST}/ws", "wrong")
            self.assertEqual(proxy.requests, [f"{HOST}:80"] * 2)

    async def test_a_refusal_of_the_proxy_says_what_to_do(self) -> None:
        async with ConnectProxy({}, "Basic eDp5") as proxy:
            for credentials, status, advice in (("", "407", "Add user and password"), ("x:y@", "403", "NO_PROXY")):
                with self.assertRaisesRegex(RpcClosedError, rf"refused a connection to {HOST}:80 \({status} .*{advice}"):
                    await open_own_web_socket(f"ws://{HOST}/ws", None, f"http://{credentials}{proxy.address}")
        with self.assertRaisesRegex(RpcClosedError, "http://127.0.0.1:1 cannot be reached"):
            await open_own_web_socket(f"ws://{HOST}/ws", None, "http://127.0.0.1:1")
        with self.assertRaisesRegex(RpcClosedError, r"socks5://a.test:1 is not supported.*pintle\[gateway\]"):
            await open_own_web_socket(f"ws://{HOST}/ws", None, "socks5://x:secret@a.test:1")

    async def test_tls_through_the_proxy_verifies_the_certificate(self) -> None:
        path = certificate(self.place.root)
        if path is None:
            self.skipTest("no openssl")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)

        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\n\r\nnot you")
            writer.close()

        server = await asyncio.start_server(refuse, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        async with ConnectProxy({f"{HOST}:443": port, "other.test:443": port}) as proxy:
            for name, opener in OPENERS:
                with self.subTest(name):
                    through = f"http://{proxy.address}"
                    with mock.patch.dict(os.environ, {"SSL_CERT_FILE": str(path)}):
                        with self.assertRaisesRegex(RpcRefusedError, r"\(403\): not you"):
                            await opener(f"wss://{HOST}/ws", None, through, 30.0)
                        with self.assertRaisesRegex(RpcClosedError, "(?i)hostname mismatch|not valid for"):
                            await opener("wss://other.test/ws", None, through, 30.0)
                    with self.assertRaisesRegex(RpcClosedError, "(?i)self.signed certificate"):
                        await opener(f"wss://{HOST}/ws", None, through, 30.0)
        server.close()


@unittest.skipUnless(is_available(), "websockets 15 or newer is not installed")
class WithLibrary(GatewayCase):
    async def test_sessions_run_over_it(self) -> None:
        url = self.serve()
        async with GatewayClient(url=url) as gateway:
            session = await gateway.open(model="pintle/offline")
            self.assertEqual((await session.run("help")).stop_reason, "stop")
        with self.assertRaisesRegex(RpcRefusedError, r"rejected the connection \(401\)"):
            await open_web_socket(gateway_url(url)[0], "wrong")
