"""The client without asyncio."""

from __future__ import annotations

import inspect
import os
import re
import threading
import unittest
from typing import Any, List, Set

import pintle
from pintle import ProgramNotFoundError, RpcClosedError, RpcTimeoutError, sync, tool
from pintle.sync import Client, GatewayClient

from .support import PROGRAM, Place, Server, until_sync


class SyncCase(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.threads = threading.active_count()

    def tearDown(self) -> None:
        # The thread that waits for a process ends just behind it.
        until_sync(lambda: threading.active_count() <= self.threads)

    def client(self, *args: str, **options: Any) -> Client:
        return Client(
            command=[PROGRAM], cwd=self.place.cwd, env=self.place.env, model="pintle/offline", args=args, **options
        )

    def simulated(self, name: str, **options: Any) -> Client:
        return Client(command=[PROGRAM, "simulate", name], cwd=self.place.cwd, env=self.place.env, **options)

    def test_a_run_is_iterated_and_its_result_waited_for(self) -> None:
        self.place.write("a.txt", "hello\n")
        with self.client("--no-session") as client:
            run = client.run("what files are here")
            kinds = [event["type"] for event in run]
            self.assertIn("a.txt", run.result().text)
            self.assertEqual((kinds[0], kinds[-1]), ("agent_start", "agent_end"))
            self.assertEqual(client.get_state().is_streaming, False)
            events = client.events()
            client.prompt("help")
            for event in events:
                if event["type"] == "agent_settled":
                    break
            events.close()
            client.wait_for_idle()

    def test_handlers_and_tools_may_call_the_client(self) -> None:
        asked: List[str] = []

        with self.client("--no-session", "--permissions", "ask") as client:

            @tool
            def count() -> str:
                """Counts the messages."""
                return f"there are {client.get_state().message_count}"

            def decide(_request: Any) -> Any:
                asked.append(client.get_state().session_id)
                return "allow_once"

            client.set_custom_tools([count])
            remove = client.on_approval(decide)
            result = client.prompt_and_wait("call count")
            remove()
        self.assertEqual(len(asked), 1)
        self.assertIn("there are", str(result.messages))

    def test_a_listener_that_waits_for_the_client_gets_an_error(self) -> None:
        faults: List[Any] = []
        with self.client("--no-session") as client:
            client.on_protocol_error(faults.append)
            client.on("agent_end", lambda _event: client.get_state())
            client.prompt_and_wait("help")
        self.assertIn("cannot wait", str(faults[0]))

    def test_the_end_of_the_process_ends_the_waits(self) -> None:
        with self.simulated("crash-in-answer") as client:
            run = client.run("hello")
            with self.assertRaises(RpcClosedError):
                for _event in run:
                    pass
            with self.assertRaises(RpcClosedError):
                run.result()
            self.assertEqual(client.exited().code, 3)

    def test_a_start_that_fails_leaves_no_thread(self) -> None:
        with self.assertRaises(RpcTimeoutError):
            self.simulated("silent-start", ready_timeout=0.3).start()
        with self.assertRaises(ProgramNotFoundError):
            Client(command=["/nowhere/pintle"]).start()
        with self.assertRaises(RpcClosedError):
            self.client().get_state()

    def test_stop_in_the_middle_and_start_again(self) -> None:
        client = self.client("--no-session")
        client.start()
        failures: List[BaseException] = []

        def wait() -> None:
            try:
                client.prompt_and_wait("run sleep 100")
            except RpcClosedError as error:
                failures.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        until_sync(lambda: not client.is_idle)
        client.stop()
        waiting.join(20)
        self.assertEqual(len(failures), 1)
        client.start()
        client.ping()
        client.restart()
        client.ping()
        client.stop()

    def test_a_gateway(self) -> None:
        run = self.place.root / "run"
        run.mkdir()
        os.chmod(run, 0o700)
        server = Server(self.place, "--listen", "127.0.0.1:0", "--socket", str(run / "p.sock"))
        self.addCleanup(server.end)
        self.threads = threading.active_count()
        found = re.search(r"http://\S+", server.text)
        assert found is not None
        with GatewayClient(url=found.group()) as gateway:
            session = gateway.open(model="pintle/offline")
            self.assertIn("I understand", session.prompt_and_wait("help").text)
            with GatewayClient(socket=str(run / "p.sock")) as other:
                self.assertGreater(other.attach(session.session_id).get_state().message_count, 0)
            self.assertEqual(len(gateway.list().sessions), 1)
            session.close()


# What the connection calls, and what a program without a loop has no use for.
_OF_THE_LOOP: Set[str] = {
    *("begin", "collect_events", "connect", "disconnect", "forget", "introduce", "is_busy", "request", "sessions"),
    *("on_away", "on_caught_up", "on_connected", "on_end", "on_fault", "on_frame", "on_interrupted", "on_link_fault"),
    *("on_protocol_error", "on_state"),
}


def _public(of: type) -> Set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


class SameCallsCase(unittest.TestCase):
    """A call that one of the two ways gets, the other one gets with the same parameters."""

    def test_both_clients_have_the_same_calls(self) -> None:
        for name in ("Client", "GatewaySession", "GatewayClient"):
            there, here = getattr(pintle, name), getattr(sync, name)
            with self.subTest(name):
                self.assertEqual(_public(there) - _public(here) - _OF_THE_LOOP, set())
                self.assertEqual(_public(here) - _public(there), set())
                for call in sorted(_public(here)):
                    if callable(getattr(here, call)):
                        self.assertEqual(_parameters(there, call), _parameters(here, call), call)


def _parameters(of: type, call: str) -> List[Any]:
    parameters = inspect.signature(getattr(of, call)).parameters.values()
    return [(one.name, one.kind, one.default) for one in parameters]
