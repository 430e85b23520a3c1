"""Prompts and their runs, on the built program."""

from __future__ import annotations

import asyncio
from typing import Any, List

from pintle import RpcClosedError, RpcCommandError, RpcConflictError, RpcTimeoutError

from .support import PlaceCase, texts, until


class Runs(PlaceCase):
    async def test_a_run_is_iterated_and_awaited(self) -> None:
        self.place.write("a.txt", "hello\n")
        async with self.place.client("--no-session") as client:
            run = client.run("what files are here")
            events = [event async for event in run]
            result = await run
        kinds = texts(events)
        self.assertEqual((kinds[0], kinds[-1]), ("agent_start", "agent_end"))
        self.assertIn("tool_execution_end", kinds)
        self.assertIn("a.txt", result.text)
        self.assertEqual((result.agent_invoked, result.stop_reason, result.error_message), (True, "stop", None))
        self.assertFalse(client.is_running)
        self.assertEqual((await client.exited()).code, 0)

    async def test_delta_mode_shows_the_same_messages_as_full_mode(self) -> None:
        self.place.write("a.txt", "hello\n")

        async def shown(mode: Any) -> List[Any]:
            async with self.place.client("--no-session", update_mode=mode) as client:
                events = [event async for event in client.run("what files are here")]
            last: List[Any] = []
            for event in events:
                if event["type"] == "message_update":
                    step = event["assistantMessageEvent"]
                    self.assertEqual(step["partial"], event["message"])
                    last.append(event["message"]["content"])
            # How many updates there are depends on how fast they are read; what the last of each message shows does not.
            return [content for content, after in zip(last, [*last[1:], []]) if len(after) <= len(content)][-1:]

        self.assertEqual(await shown("delta"), await shown("full"))

    async def test_one_session_answers_many_calls_at_once(self) -> None:
        async with self.place.client("--no-session") as client:
            states = await asyncio.gather(*(client.get_state() for _ in range(50)))
            brief = await client.get_state(brief=True)
        self.assertEqual((brief.session_id, "systemPrompt" in brief.raw), (states[0].session_id, False))
        self.assertEqual(len({state.session_id for state in states}), 1)

    async def test_a_rejection_has_a_reason(self) -> None:
        async with self.place.client("--no-session") as client:
            with self.assertRaises(RpcCommandError) as refused:
                await client.set_model("nobody", "nothing")
            with self.assertRaises(RpcCommandError):
                await client.request("no_such_command")
        self.assertEqual((refused.exception.command, refused.exception.code), ("set_model", "not_found"))

    async def test_a_conflict_is_an_exception_of_its_own_class(self) -> None:
        async with self.place.client("--no-session", "--permissions", "full") as client:
            await client.run('call write {"path":"a.txt","content":"one"}')
            path = self.place.write("a.txt", "mine")
            with self.assertRaises(RpcConflictError) as refused:
                await client.rewind_files()
            self.assertIsInstance(refused.exception, RpcCommandError)
            self.assertEqual((refused.exception.command, refused.exception.code), ("rewind_files", "conflict"))
            again = refused.exception.again()
            self.assertEqual((type(again), str(again)), (RpcConflictError, str(refused.exception)))
            self.assertEqual(path.read_text(), "mine")
            kept = await client.rewind_files(on_conflict="keep_both")
            self.assertEqual([entry["copy"] for entry in kept.kept or []], ["a.txt.before-rewind"])

    async def test_a_strict_host_receives_its_mistakes(self) -> None:
        async with self.place.client("--no-session", strict_host=True) as client:
            with self.assertRaises(RpcCommandError) as refused:
                await client.request("ping", {"extra": 1})
            faults: List[Exception] = []
            client.on_protocol_error(faults.append)
            frame = {"type": "host_tool_result", "id": "host_9", "result": {}}
            client._exchange.send(frame)  # pyright: ignore[reportPrivateUsage]
            await client.request("ping")
        self.assertEqual(refused.exception.code, "unknown_field")
        self.assertEqual(len(faults), 1)
        self.assertIn("host_9", str(faults[0]))

    async def test_a_second_prompt_is_rejected_queued_or_sent_later(self) -> None:
        async with self.place.client("--no-session") as client:
            first = client.run("run sleep 0.3")
            async for event in first:
                if event["type"] == "tool_execution_start":
                    break
            with self.assertRaises(RpcCommandError):
                await client.run("help")
            second = await client.run("help", streaming_behavior="followUp")
            self.assertIn("I understand these requests", second.text)
            await client.wait_for_idle()
            self.assertTrue(client.is_idle)

    async def test_collected_events_end_with_the_run(self) -> None:
        async with self.place.client("--no-session") as client:
            collecting = asyncio.ensure_future(client.collect_events())
            await asyncio.sleep(0)
            await client.prompt("help")
            self.assertEqual(texts(await collecting)[-1], "agent_end")

    async def test_listeners_receive_events_and_do_not_affect_each_other(self) -> None:
        faults: List[Any] = []
        heard: List[str] = []

        def broken(_event: Any) -> None:
            raise ValueError("broken")

        async with self.place.client("--no-session") as client:
            client.on_protocol_error(faults.append)
            client.on("agent_end", broken)
            remove = client.on_event(lambda event: heard.append(event["type"]))
            await client.prompt_and_wait("help")
            remove()
            count = len(heard)
            await client.prompt_and_wait("help")
        self.assertIn("agent_end", heard)
        self.assertEqual(len(heard), count)
        self.assertEqual([str(fault) for fault in faults], ["A listener for agent_end has raised ValueError: broken"] * 2)

    async def test_events_are_received_from_the_call_on(self) -> None:
        async with self.place.client("--no-session") as client:
            events = client.events()
            await client.prompt_and_wait("help")
            seen: List[str] = []
            async for event in events:
                seen.append(event["type"])
                if event["type"] == "agent_settled":
                    break
            self.assertIn("agent_start", seen)
            del events
        self.assertTrue(client.is_idle)


class Endings(PlaceCase):
    async def test_a_process_that_dies_rejects_everything(self) -> None:
        client = self.place.simulated("crash-in-answer")
        await client.start()
        events = client.events()
        run = client.run("hello")
        idle = asyncio.ensure_future(client.wait_for_idle())
        waiting = asyncio.ensure_future(client.request("get_state"))
        with self.assertRaises(RpcClosedError) as died:
            await run
        self.assertEqual(died.exception.code, 3)
        self.assertIn("simulated fault", died.exception.stderr)
        with self.assertRaises(RpcClosedError):
            await idle
        await asyncio.gather(waiting, return_exceptions=True)  # answered or not, it does not hang
        with self.assertRaises(RpcClosedError):
            async for _event in events:
                pass
        with self.assertRaises(RpcClosedError):
            await client.get_state()
        await client.stop()

    async def test_a_killed_process_names_its_signal(self) -> None:
        async with self.place.simulated("killed-in-answer") as client:
            with self.assertRaises(RpcClosedError) as died:
                await client.run("hello")
        self.assertEqual(died.exception.signal, "SIGKILL")

    async def test_restart_continues_the_session(self) -> None:
        async with self.place.client() as client:
            heard: List[str] = []
            client.on("agent_end", lambda _event: heard.append("end"))
            await client.prompt_and_wait("help")
            before = await client.get_state()
            process = client._process  # pyright: ignore[reportPrivateUsage]
            assert process is not None and process._transport is not None  # pyright: ignore[reportPrivateUsage]
            process._transport.kill()  # pyright: ignore[reportPrivateUsage]
            await client.exited()
            await client.restart()
            after = await client.get_state()
            await client.prompt_and_wait("help")
        self.assertEqual((after.session_id, after.message_count), (before.session_id, before.message_count))
        self.assertEqual(heard, ["end", "end"])

    async def test_starting_twice_fails_but_not_after_stop(self) -> None:
        client = self.place.client("--no-session")
        await client.start()
        with self.assertRaises(RuntimeError):
            await client.start()
        await client.stop()
        await client.start()
        await client.ping()
        await client.stop()
        await client.stop()

    async def test_a_cancelled_wait_aborts_the_run_and_leaves_nothing(self) -> None:
        async with self.place.client("--no-session") as client:
            waiting = asyncio.ensure_future(client.prompt_and_wait("run sleep 100"))
            async for event in client.events():
                if event["type"] == "tool_execution_start":
                    break
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            await until(lambda: client.is_idle)
            self.assertEqual((await client.get_state()).is_streaming, False)

    async def test_a_cancelled_start_leaves_no_process(self) -> None:
        client = self.place.simulated("silent-start")
        starting = asyncio.ensure_future(client.start())
        await until(lambda: client.is_running)
        starting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await starting
        self.assertFalse(client.is_running)

    async def test_a_silent_start_and_a_silent_command_time_out(self) -> None:
        silent = self.place.simulated("silent-start", ready_timeout=0.3)
        with self.assertRaises(RpcTimeoutError):
            await silent.start()
        self.assertFalse(silent.is_running)
        script = self.place.script({"send": {"type": "ready"}}, answers={"get_state": None})
        async with self.place.simulated(script) as client:
            with self.assertRaises(RpcTimeoutError):
                await client.get_state(timeout=0.2)
            await client.ping()

    async def test_a_late_failure_ends_the_run(self) -> None:
        async with self.place.simulated("late-failure") as client:
            with self.assertRaises(RpcCommandError):
                await client.run("hello")
            self.assertTrue(client.is_idle)

    async def test_a_run_that_takes_too_long_is_ended(self) -> None:
        async with self.place.client("--no-session") as client:
            result = await client.prompt_and_wait("run sleep 60", timeout=0.3)
            self.assertEqual((result.status, result.ended_by), ("aborted", "timeout"))
            await client.wait_for_idle()

    async def test_an_abort_returns_a_partial_result(self) -> None:
        async with self.place.client("--no-session") as client:
            run = client.run("run sleep 60")
            async for event in run:
                if event["type"] == "tool_execution_start":
                    run.abort()
            result = await run
            self.assertEqual((result.status, result.ended_by), ("aborted", "abort"))

    async def test_a_cancelled_task_aborts_the_run_and_leaves_a_partial_result(self) -> None:
        async with self.place.client("--no-session") as client:
            run = client.run("run sleep 60")
            async for event in run:
                if event["type"] == "tool_execution_start":
                    break
            waiting = asyncio.ensure_future(_awaited(run))
            await asyncio.sleep(0)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            self.assertGreaterEqual(len(run.partial.messages), 1)
            await client.wait_for_idle()

    async def test_a_lost_process_raises_with_a_partial_result(self) -> None:
        async with self.place.simulated("crash-in-answer") as client:
            with self.assertRaises(RpcClosedError) as raised:
                await client.run("hello")
            partial = raised.exception.partial
            self.assertIsNotNone(partial)
            self.assertEqual(partial.text if partial else None, "I was about to")


class Lines(PlaceCase):
    async def test_a_frame_of_twenty_megabytes_goes_both_ways(self) -> None:
        size = 20 * 1024 * 1024
        script = self.place.script(
            {"send": {"type": "ready"}},
            {"expect": {"type": "prompt"}, "as": "p"},
            {"respond": "p"},
            {"send": {"type": "agent_start"}},
            {
                "send": {"type": "notice", "message": "", "level": "info", "source": "test"},
                "fill": {"path": "message", "characters": size},
            },
            {"send": {"type": "agent_end", "messages": [], "stopReason": "stop"}},
            {"send": {"type": "agent_settled"}},
        )
        async with self.place.simulated(script, request_timeout=45.0) as client:
            run = client.run("x" * size)
            lengths = [len(event["message"]) async for event in run if event["type"] == "notice"]
            await run
        self.assertEqual(lengths, [size])

    async def test_scenarios_that_every_host_must_handle(self) -> None:
        for name in ("torn-line", "huge-message", "unknown-event", "noise-on-stdout", "plain-answer", "provider-error"):
            with self.subTest(name):
                faults: List[Any] = []
                client = self.place.simulated(name)
                client.on_protocol_error(faults.append)
                async with client:
                    result = await client.prompt_and_wait("hello")
                self.assertTrue(result.agent_invoked)
                self.assertEqual(bool(faults), name == "noise-on-stdout")

    async def test_invalid_bytes_and_frames_do_no_harm(self) -> None:
        faults: List[Any] = []
        script = self.place.script(
            {"send": {"type": "ready"}},
            {"expect": {"type": "ping"}, "as": "p"},
            {"raw": "\ufeffnot json\n[1,2]\nnull\n{}\n{\"type\":7}\n{\"type\":\"host_tool_call\"}\n{\"type\":\"message_update\"}\n\n"},
            {"raw": "[" * 100_000 + "\n"},
            {"respond": "p"},
        )
        async with self.place.simulated(script) as client:
            client.on_protocol_error(faults.append)
            await client.ping()
        self.assertEqual(len(faults), 8)


async def _awaited(run: Any) -> Any:
    return await run
