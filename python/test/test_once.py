"""One prompt with a program of its own, typed outputs, and options."""

from __future__ import annotations

import asyncio
import os
import signal
import unittest
from dataclasses import dataclass
from typing import Any, Dict, List, TypedDict

from pintle import Client, RpcClosedError, RpcCommandError, query, run, sync, tool
from pintle._options import flag_args
from pintle._output import Output, OutputMismatch

from .support import PROGRAM, PlaceCase


@dataclass
class Defect:
    file: str
    line: int
    severity: str = "low"


class Report(TypedDict):
    defects: List[str]


class Model:
    """What a Pydantic model has."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @classmethod
    def model_json_schema(cls) -> Dict[str, Any]:
        return {"type": "object"}

    @classmethod
    def model_validate(cls, value: Any) -> "Model":
        if "bad" in value:
            raise ValueError("bad is not allowed")
        return cls(value)


@tool(read_only=True, timeout=5)
def owner(path: str) -> str:
    """Team that owns a file"""
    return f"{path}: core team"


class Once(PlaceCase):
    def options(self, **more: Any) -> Dict[str, Any]:
        return {
            "command": [PROGRAM],
            "cwd": self.place.cwd,
            "env": self.place.env,
            "model": "pintle/offline",
            "no_session": True,
            **more,
        }

    async def test_run_starts_the_program_returns_the_result_and_stops_it(self) -> None:
        result = await run('call owner {"path": "a.txt"}', tools=[owner], **self.options())
        self.assertEqual((result.status, result.ended_by, result.turns, result.tool_calls), ("completed", "stop", 2, 1))
        self.assertIn("a.txt: core team", result.text)
        self.assertIsNone(result.session_file)
        self.assertNotEqual(result.session_id, "")

    async def test_query_yields_events_and_has_the_result(self) -> None:
        types: List[str] = []
        async with query("list", **self.options()) as events:
            async for event in events:
                types.append(event["type"])
            self.assertEqual((await events.result).status, "completed")
        self.assertIn("agent_end", types)

    async def test_closing_a_query_aborts_the_run_and_stops_the_program(self) -> None:
        events = query("run sleep 60", **self.options())
        async for event in events:
            if event["type"] == "tool_execution_start":
                break
        await events.aclose()
        result = await events.result
        self.assertEqual((result.status, result.ended_by), ("aborted", "abort"))

    async def test_a_cancelled_run_leaves_no_process(self) -> None:
        started = asyncio.Event()

        def begin(args: List[str]) -> List[str]:
            started.set()
            return ["sh", "-c", f'echo $$ > "{self.place.root}/pid"; exec "$0" "$@"', PROGRAM, *args]

        task = asyncio.ensure_future(run("run sleep 60", **self.options(command=begin)))
        await started.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        pid = self.place.root / "pid"
        if pid.exists() and pid.read_text().strip():
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid.read_text()), 0)

    async def test_a_client_is_used_and_not_stopped(self) -> None:
        async with Client(**self.options()) as client:
            self.assertEqual((await run("list", client=client)).status, "completed")
            self.assertEqual((await run("list", client=client)).status, "completed")
            with self.assertRaises(TypeError):
                await run("list", client=client, permissions="ask")

    async def test_handlers_are_options(self) -> None:
        asked: List[str] = []

        def deny(request: Any) -> str:
            asked.append(request["request"]["kind"])
            return "deny"

        await run("run touch made.txt", **self.options(permissions="ask", on_approval=deny))
        self.assertEqual(asked, ["execute"])
        self.assertFalse((self.place.cwd / "made.txt").exists())

    async def test_an_unknown_option_is_rejected(self) -> None:
        with self.assertRaises(TypeError):
            await run("x", **self.options(permission="ask"))
        with self.assertRaises(TypeError):
            Client(**self.options(permission="ask"))

    async def test_invalid_schemas_limits_and_tools_are_rejected_with_a_reason(self) -> None:
        cases: List[Any] = [
            ({"output_schema": True}, "not True"),
            ({"output_schema": "{}"}, "not '{}'"),
            ({"budget": {"turn": 3}}, "turn is not a limit or field of budget"),
            ({"tools": [len]}, "is not a tool. Decorate the function with @tool"),
            ({"permission": "ask"}, "run got an unexpected keyword argument 'permission'"),
        ]
        for wrong, text in cases:
            with self.subTest(wrong=wrong), self.assertRaises(TypeError) as raised:
                await run("list", **self.options(**wrong))
            self.assertIn(text, str(raised.exception))

    async def test_the_result_says_why_a_run_ended(self) -> None:
        budget = await run("list", budget={"turns": 1}, **self.options())
        self.assertEqual(budget.error_message, "The run was ended: the budget is used up: turns 1 of 1 (run)")
        timeout = await run("run sleep 60", timeout=0.3, **self.options())
        self.assertEqual((timeout.status, timeout.ended_by), ("aborted", "timeout"))
        self.assertIn("timeoutMs: 300", timeout.error_message or "")

    async def test_a_killed_program_leaves_a_partial_result(self) -> None:
        def begin(args: List[str]) -> List[str]:
            return ["sh", "-c", f'echo $$ > "{self.place.root}/pid"; exec "$0" "$@"', PROGRAM, *args]

        events = query("run sleep 60", **self.options(command=begin))
        with self.assertRaises(RpcClosedError) as raised:
            async for event in events:
                if event["type"] == "tool_execution_start":
                    os.kill(int((self.place.root / "pid").read_text()), signal.SIGKILL)
        self.assertIn("SIGKILL", str(raised.exception))
        with self.assertRaises(RpcClosedError) as again:
            await events.result
        for error in (raised.exception, again.exception):
            self.assertTrue(error.partial is not None and error.partial.agent_invoked)

    async def test_an_older_server_rejects_an_output_schema(self) -> None:
        script = self.place.script({"send": {"type": "ready", "capabilities": []}}, {"expect": {"type": "ping"}})
        async with self.place.simulated(script) as client:
            with self.assertRaises(RpcCommandError) as raised:
                client.run("x", output_schema=Defect)
            self.assertEqual(raised.exception.code, "not_supported")

    def test_run_and_query_work_without_asyncio(self) -> None:
        result = sync.run('call owner {"path": "a.txt"}', tools=[owner], **self.options())
        self.assertEqual(result.status, "completed")
        with sync.query("list", **self.options()) as events:
            types = [event["type"] for event in events]
            self.assertEqual(events.result().status, "completed")
        self.assertIn("agent_end", types)
        with sync.query("run sleep 60", **self.options()) as left:
            for event in left:
                if event["type"] == "tool_execution_start":
                    break
        self.assertEqual(left.result().ended_by, "abort")


class Outputs(unittest.TestCase):
    def test_a_dataclass_becomes_a_schema_and_the_output_an_instance(self) -> None:
        output = Output(Defect)
        self.assertEqual(output.schema["required"], ["file", "line"])
        self.assertEqual(output.read({"file": "a", "line": 3}), Defect("a", 3))

    def test_a_typed_dict_and_a_mapping_stay_mappings(self) -> None:
        self.assertEqual(Output(Report).read({"defects": ["x"]}), {"defects": ["x"]})
        schema = {"type": "object"}
        self.assertEqual(Output(schema).schema, schema)

    def test_a_pydantic_model_validates(self) -> None:
        self.assertEqual(Output(Model).read({"a": 1}).value, {"a": 1})
        with self.assertRaises(OutputMismatch):
            Output(Model).read({"bad": 1})


class Flags(unittest.TestCase):
    def test_options_become_flags(self) -> None:
        options = {"permissions": "ask", "no_session": True, "trust": False, "system_prompt": "notes.md"}
        expected = ["--no-session", "--system-prompt", "notes.md\n", "--permissions", "ask", "--no-trust"]
        self.assertEqual(flag_args(options, []), expected)
        self.assertEqual(flag_args({"settings": {"a.b": "x"}}, []), ["--set", 'a.b="x"'])

    def test_conflicting_options_are_rejected(self) -> None:
        cases: List[Any] = [
            ({"permissions": "ask"}, ["--permissions", "full"]),
            ({"permissions": "ask"}, ["--permissions=full"]),
            ({"no_session": True}, ["--continue"]),
            ({"budget": {"turns": 1}}, ["--max-time=3"]),
            ({"settings": {"a": 1}}, ["--set", "a=2"]),
            ({"no_session": True, "session": "x"}, []),
        ]
        for options, args in cases:
            with self.subTest(options=options, args=args), self.assertRaises(TypeError):
                flag_args(options, args)
        flag_args({"permissions": "ask", "settings": {"a": 1}}, ["--permissions=ask", "--set", "a=1"])
