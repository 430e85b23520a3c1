"""Sessions of `pintle serve`, over real sockets that are cut."""

from __future__ import annotations

import asyncio
import json
import os
import re
from typing import Any, Callable, List, Optional, Set
from urllib.parse import urlsplit

from pintle import GatewayClient, Reconnect, RpcClosedError, RpcRefusedError, tool

from .support import PROGRAM, Place, PlaceCase, Server, texts, until

FAST = Reconnect(min_pause=0.01, max_pause=0.05)


class Relay:
    """Before the server: its connections can be cut."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._writers: Set[asyncio.StreamWriter] = set()
        self._server: Any = None

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        return self._url.replace(str(urlsplit(self._url).port), str(port))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parts = urlsplit(self._url)
        far_reader, far_writer = await asyncio.open_connection(parts.hostname, parts.port)
        own = {writer, far_writer}
        self._writers |= own

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            try:
                while True:
                    data = await source.read(65536)
                    if not data:
                        break
                    target.write(data)
                    await target.drain()
            except (ConnectionError, asyncio.CancelledError):
                pass
            finally:
                for one in own:
                    one.close()

        await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        self._writers -= own

    def cut(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def close(self) -> None:
        self._server.close()
        self.cut()
        await until(lambda: not self._writers)
        await self._server.wait_closed()


class ScriptedGateway:
    """The server's end of a connection. Says what a test has it say."""

    def __init__(self) -> None:
        self.received: List[Any] = []
        self._on_data: Callable[[bytes], None] = lambda _data: None

    async def connect(self) -> "ScriptedGateway":
        return self

    def start(self, on_data: Callable[[bytes], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        self._on_data = on_data
        self.say({"type": "server_ready", "protocolVersion": 1, "epoch": "e1", "limits": {}})

    def write(self, data: bytes) -> None:
        self.received += [json.loads(line) for line in data.decode().splitlines()]

    def room(self) -> None:
        return None

    def close(self) -> None:
        pass

    def say(self, *frames: Any) -> None:
        self._on_data("".join(json.dumps(frame) + "\n" for frame in frames).encode())

    async def next(self, kind: str) -> Any:
        """The first command of that name, when it has come."""
        await until(lambda: any(frame["type"] == kind for frame in self.received))
        return next(frame for frame in self.received if frame["type"] == kind)

    async def accept(self, kind: str, data: Any, *following: Any) -> None:
        command = await self.next(kind)
        answer = {"type": "response", "id": command["id"], "command": kind, "success": True, "data": data}
        self.say(answer, *following)


class Scripted(PlaceCase):
    async def test_a_snapshot_that_waits_keeps_newer_questions_and_drops_ended_ones(self) -> None:
        state = {"isStreaming": False, "isSettled": True, "sessionId": "s1"}
        cursor = {"epoch": "e1", "seq": 9}

        def question(question_id: str) -> Any:
            return {"type": "extension_ui_request", "id": question_id, "method": "confirm", "title": "?", "message": ""}

        server = ScriptedGateway()
        async with GatewayClient(connect=server.connect) as gateway:
            attaching = asyncio.ensure_future(gateway.attach("s1", since="start"))
            pending = [question("ended"), question("still open")]
            snapshot = {"type": "session_snapshot", "sessionId": "s1", "state": state, "leafId": None, "tools": []}
            rest = {"pending": pending, "entries": [], "seq": 9, "cursor": cursor}
            await server.accept("attach_session", {"cursor": cursor, "resync": True}, {**snapshot, **rest})
            session = await attaching
            asked: List[str] = []
            over: List[str] = []
            shown: List[Any] = []

            async def decide(request: Any) -> Any:
                asked.append(request["id"])
                try:
                    if request["id"] != "answered":
                        await asyncio.sleep(1000)
                except asyncio.CancelledError:
                    over.append(request["id"])
                    raise
                return True

            session.on_ui_request(decide)
            session.on("session_snapshot", lambda event: shown.append(event["pending"]))
            await server.accept("set_host_capabilities", {})
            # The answer to get_state holds the snapshot back; the server asks again without waiting for it.
            cancel = {"type": "extension_ui_request", "id": "c", "method": "cancel", "targetId": "ended"}
            for frame in (question("newer"), question("answered"), cancel):
                server.say({"sessionId": "s1", **frame})
            await server.next("extension_ui_response")
            self.assertEqual(shown, [])
            await server.accept("get_state", state)
            await until(lambda: len(asked) == 3)
            self.assertEqual(shown, [[question("still open"), question("newer")]])
            self.assertEqual((asked, over), (["newer", "answered", "still open"], []))


class Simulated(PlaceCase):
    async def test_gateway_scenarios(self) -> None:
        expected = {
            "lost-connection": "before the loss, meanwhile, and after it",
            "lost-acknowledgement": "once",
            "missed-too-much": "half and half",
        }
        for name, text in expected.items():
            with self.subTest(name):
                process = await asyncio.create_subprocess_exec(
                    PROGRAM, "simulate", name, "--listen", "127.0.0.1:0", stderr=asyncio.subprocess.PIPE
                )
                assert process.stderr is not None
                address = (await process.stderr.readline()).decode().split("listening on ")[1].strip()
                async with GatewayClient(url=address, reconnect=FAST) as gateway:
                    session = await gateway.open()
                    self.assertEqual((await session.prompt_and_wait("hello")).text, text)
                self.assertEqual((await process.stderr.read(), await process.wait()), (b"", 0))


class GatewayCase(PlaceCase):
    place: Place

    def setUp(self) -> None:
        super().setUp()
        run = self.place.root / "run"
        run.mkdir()
        os.chmod(run, 0o700)
        self.socket = str(run / "pintle.sock")
        self.server = Server(self.place, "--listen", "127.0.0.1:0", "--socket", self.socket)
        self.addCleanup(lambda: self.server.end(is_kill=True))  # a run that is still at work is not waited for
        found = re.search(r"http://\S+", self.server.text)
        assert found is not None
        self.url = found.group()

    async def test_socket_and_web_socket_behave_the_same(self) -> None:
        self.place.write("a.txt", "hello\n")
        for gateway in (GatewayClient(url=self.url), GatewayClient(socket=self.socket)):
            with self.subTest(gateway=gateway):
                async with gateway:
                    session = await gateway.open(model="pintle/offline", update_mode="delta")
                    run = session.run("what files are here")
                    events = [event async for event in run]
                    self.assertEqual(texts(events)[-1], "agent_end")
                    self.assertIn("a.txt", (await run).text)
                    self.assertEqual((await session.get_state()).session_id, session.session_id)
                    listed = await gateway.list()
                    self.assertIn(session.session_id, [one["sessionId"] for one in listed.sessions])
                    self.assertGreaterEqual((await gateway.server_state()).raw["connections"], 1)
                    await session.close()
                    with self.assertRaises(RpcClosedError):
                        await session.get_state()

    async def test_a_wrong_token_is_not_retried(self) -> None:
        gateway = GatewayClient(url=self.url.split("#")[0], token="wrong")
        with self.assertRaises(RpcRefusedError) as refused:
            await gateway.connect()
        self.assertEqual((refused.exception.status, refused.exception.is_final), (401, True))
        nobody = GatewayClient(url="ws://127.0.0.1:9/ws")
        with self.assertRaises(RpcClosedError):
            await nobody.connect()

    async def test_the_web_socket_carries_a_large_prompt_and_answer(self) -> None:
        words = "x" * 3_000_000
        async with GatewayClient(url=self.url) as gateway:
            session = await gateway.open(model="pintle/offline")
            result = await session.prompt_and_wait(f"write big.txt: {words}")
            self.assertEqual(len((self.place.cwd / "big.txt").read_text().strip()), len(words))
            self.assertTrue(result.agent_invoked)

    async def test_a_lost_connection_loses_nothing(self) -> None:
        relay = Relay(self.url)
        url = await relay.start()
        states: List[str] = []
        calls: List[int] = []

        @tool
        async def count() -> str:
            """Counts calls."""
            calls.append(1)
            return f"called {len(calls)}"

        async with GatewayClient(url=url, reconnect=FAST) as gateway, GatewayClient(socket=self.socket) as other:
            gateway.on_state(lambda state, _reason: states.append(state))
            session = await gateway.open(model="pintle/offline", tools=[count])
            watcher = await other.attach(session.session_id)
            seen: List[str] = []
            expected: List[str] = []
            session.on_event(lambda event: seen.append(event["type"]))
            watcher.on_event(lambda event: expected.append(event["type"]))
            run = session.run("run sleep 0.4")
            async for event in run:
                if event["type"] == "tool_execution_start":
                    break
            relay.cut()
            await until(lambda: session.is_away)
            result = await run
            self.assertEqual(result.stop_reason, "stop")
            await until(lambda: "session_settled" in expected and "session_settled" in seen)
            # Updates may be merged, and the probe of the sandbox may end before the second host is attached.
            def essential(kinds: List[str]) -> List[str]:
                return [kind for kind in kinds if "update" not in kind and kind != "sandbox_status"]

            self.assertEqual(essential(seen), essential(expected))
            relay.cut()
            await until(lambda: session.is_away)
            # A command that is given meanwhile waits, and tools are known again afterwards.
            again = await session.prompt_and_wait("call count")
            self.assertEqual((calls, again.stop_reason), ([1], "stop"))
        self.assertEqual(states[:2], ["away", "connected"])
        self.assertEqual(states[-1], "ended")
        await relay.close()

    async def test_prompts_run_once_however_often_the_connection_is_lost(self) -> None:
        relay = Relay(self.url)
        url = await relay.start()
        async with GatewayClient(url=url, reconnect=FAST) as gateway:
            session = await gateway.open(model="pintle/offline")

            async def cuts() -> None:
                while True:
                    await asyncio.sleep(0.03)
                    relay.cut()

            cutting = asyncio.ensure_future(cuts())
            for number in range(8):
                await session.prompt_and_wait(f"write file-{number}.txt: once")
            cutting.cancel()
            messages = (await session.get_messages()).messages
            said = [one for one in messages if one["role"] == "user"]
            self.assertEqual(len(said), 8)
        await relay.close()

    async def test_another_program_resumes_from_a_cursor(self) -> None:
        async with GatewayClient(url=self.url) as gateway:
            session = await gateway.open(model="pintle/offline")
            await session.prompt_and_wait("help")
            await session.wait_for_idle()
            cursor, session_id = session.cursor, session.session_id
            await session.detach()
            async with GatewayClient(socket=self.socket) as other:
                mine = await other.attach(session_id)
                await mine.prompt_and_wait("help")
            missed: List[str] = []
            # Missed frames are delivered when the caller has the session: a listener that is added immediately receives
            # them.
            (session,) = await asyncio.gather(gateway.attach(session_id, since=cursor))
            session.on_event(lambda event: missed.append(event["type"]))
            await session.prompt_and_wait("help")
            self.assertEqual(missed.count("agent_end"), 2)
            self.assertEqual(len([one for one in (await session.get_messages()).messages if one["role"] == "user"]), 3)

    async def test_a_restarted_server_reopens_the_session(self) -> None:
        server = Server(self.place, "--socket", str(self.place.root / "run" / "second.sock"))
        path = str(self.place.root / "run" / "second.sock")
        async with GatewayClient(socket=path, reconnect=FAST) as gateway:
            session = await gateway.open(model="pintle/offline")
            await session.prompt_and_wait("help")
            run = session.run("run sleep 30")
            async for event in run:
                if event["type"] == "tool_execution_start":
                    break
            await asyncio.get_running_loop().run_in_executor(None, lambda: server.end(is_kill=True))
            await until(lambda: session.is_away)
            server = await asyncio.get_running_loop().run_in_executor(None, lambda: Server(self.place, "--socket", path))
            with self.assertRaisesRegex(Exception, "The server restarted"):
                await run
            result = await session.prompt_and_wait("help")
            self.assertTrue(result.agent_invoked)
        server.end()

    async def test_a_question_waits_for_a_later_host(self) -> None:
        settings = {"permissions.mode": "ask"}
        async with GatewayClient(socket=self.socket) as gateway, GatewayClient(url=self.url) as other:
            session = await gateway.open(model="pintle/offline", settings=settings)
            asked: List[str] = []

            async def never(request: Any) -> Any:
                asked.append(request["id"])
                await asyncio.sleep(1000)

            session.on_approval(never)
            run = session.run("run touch made")
            await until(lambda: len(asked) == 1)
            late = await other.attach(session.session_id, since="start")
            decided: List[str] = []

            def allow(request: Any) -> Any:
                decided.append(request["id"])
                return "allow_once"

            late.on_approval(allow)
            self.assertEqual((await run).stop_reason, "stop")
            self.assertEqual(decided, asked)
        self.assertTrue((self.place.cwd / "made").exists())

    async def test_everything_ends_without_reconnecting(self) -> None:
        relay = Relay(self.url)
        url = await relay.start()
        async with GatewayClient(url=url, reconnect=None) as gateway:
            session = await gateway.open(model="pintle/offline")
            run = session.run("run sleep 30")
            async for event in run:
                if event["type"] == "tool_execution_start":
                    break
            relay.cut()
            with self.assertRaises(RpcClosedError):
                await run
            with self.assertRaises(RpcClosedError):
                await gateway.list()
        await relay.close()
