"""Parts that need no program."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import enum
import json
import os
import random
import shutil
import subprocess
import sys
import unittest
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, Optional, Tuple, TypedDict, Union

from pintle import ProgramNotFoundError, RpcLaggedError, results, tool
from pintle._frames import encode
from pintle._lines import LineReader
from pintle._outbox import Outbox, Outlet
from pintle._partial_json import parse_partial_object
from pintle._program import find_program
from pintle._rebuild import MessageRebuilder
from pintle._schema import read_value, schema_of
from pintle._stream import EventStream
from pintle.client import with_session

from .support import ROOT


class Lines(unittest.TestCase):
    def read(self, chunks: List[bytes], limit: int = 1000) -> List[Optional[str]]:
        lines: List[Optional[str]] = []
        reader = LineReader(lines.append, lambda: lines.append(None), limit)
        for chunk in chunks:
            reader.push(chunk)
        reader.end()
        return lines

    def test_lines_do_not_depend_on_chunk_boundaries(self) -> None:
        text = '\ufeff{"a":"ü\u2028\u0085😀"}\r\n\n  \n{"b":1}\nlast'.encode()
        expected = ['{"a":"ü\u2028\u0085😀"}', '{"b":1}', "last"]
        for cut in range(len(text)):
            self.assertEqual(self.read([text[:cut], text[cut:]]), expected)
        self.assertEqual(self.read([bytes([byte]) for byte in text]), expected)

    def test_an_endless_line_is_not_buffered(self) -> None:
        self.assertEqual(self.read([b"x" * 600, b"x" * 600, b"\nok\n"]), [None, "ok"])

    def test_broken_characters_are_replaced(self) -> None:
        self.assertEqual(self.read([b'"\xff\xc3"\n']), ['"\ufffd\ufffd"'])

    def test_half_a_surrogate_pair_is_written_as_an_escape(self) -> None:
        line = encode({"type": "prompt", "message": "\ud83d"})
        self.assertEqual(json.loads(line)["message"], "\ud83d")
        with self.assertRaises(ValueError):
            encode({"type": "x", "value": float("nan")})


class PartialJson(unittest.TestCase):
    def test_every_prefix_parses_to_a_partial_value(self) -> None:
        value = {"a": [1, -2.5e3, True, None], "b": {"c": 'x"\\\n\u00fc'}, "d": "😀", "e": False}
        for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
            for end in range(1, len(text)):
                self.assertIsInstance(parse_partial_object(text[:end]), dict, text[:end])
            self.assertEqual(parse_partial_object(text), value)

    def test_text_that_is_not_an_object_returns_none(self) -> None:
        for text in ("", "[1]", "nonsense", '{"a":}x', '{"a" 1'):
            self.assertIn(parse_partial_object(text), (None, {}), text)
        self.assertIsNone(parse_partial_object('{"a":' * 100_000))

    def test_truncated_strings_and_numbers_are_kept(self) -> None:
        self.assertEqual(parse_partial_object('{"path": "src/ma'), {"path": "src/ma"})
        self.assertEqual(parse_partial_object('{"n": 12.'), {})
        self.assertEqual(parse_partial_object('{"n": 12e+'), {"n": 12})
        self.assertEqual(parse_partial_object('{"t": tr'), {"t": True})
        self.assertEqual(parse_partial_object('{"u": "x\\u00'), {"u": "x"})


def update(kind: str, index: int, **fields: Any) -> Dict[str, Any]:
    message: Dict[str, Any] = {"role": "assistant", "content": []}
    step = {"type": kind, "contentIndex": index, **fields, "partial": message}
    return {"type": "message_update", "message": message, "assistantMessageEvent": step}


class Rebuilding(unittest.TestCase):
    def test_blocks_grow(self) -> None:
        rebuilder = MessageRebuilder()
        rebuilder.rebuild({"type": "message_start", "message": {"role": "assistant", "content": []}})
        arguments = json.dumps({"path": "a" * 40})
        call = {"id": "c1", "name": "read"}
        steps = [
            update("thinking_start", 0),
            update("thinking_delta", 0, delta="hm"),
            update("thinking_end", 0, content="hmm"),
            update("text_start", 2),
            update("text_delta", 2, delta="Hel"),
            update("text_delta", 2, delta="lo"),
            update("toolcall_start", 3, toolCall=call),
            update("toolcall_delta", 3, delta=arguments[:30], toolCall=call),
            update("new_kind_of_step", 3),
        ]
        shown = [rebuilder.rebuild(step)["message"]["content"] for step in steps]
        self.assertEqual(shown[1], [{"type": "thinking", "thinking": "hm"}])
        self.assertEqual(
            shown[-1],
            [
                {"type": "thinking", "thinking": "hmm"},
                {"type": "redactedThinking", "data": ""},
                {"type": "text", "text": "Hello"},
                {"type": "toolCall", **call, "arguments": {"path": "a" * 20}},
            ],
        )
        self.assertEqual(shown[4][2]["text"], "Hel", "what was shown before must not change")

    def test_full_updates_pass_through_unchanged(self) -> None:
        whole = update("text_delta", 0, delta="x")
        whole["message"]["content"] = [{"type": "text", "text": "abx"}]
        self.assertIs(MessageRebuilder().rebuild(whole), whole)


class Streams(unittest.IsolatedAsyncioTestCase):
    async def test_a_slow_reader_receives_merged_deltas_and_the_rest_in_order(self) -> None:
        stream = EventStream()
        for event in (
            {"type": "agent_start"},
            update("text_delta", 0, delta="a"),
            update("text_delta", 0, delta="b"),
            update("text_delta", 0, delta="c"),
            update("text_delta", 1, delta="d"),
            {"type": "tool_execution_update", "toolCallId": "1", "n": 1},
            {"type": "tool_execution_update", "toolCallId": "2", "n": 1},
            {"type": "tool_execution_update", "toolCallId": "1", "n": 2},
            {"type": "agent_end"},
        ):
            stream.push(event)
        stream.close()
        read: List[Any] = []
        with self.assertRaises(StopAsyncIteration):
            while True:
                event = await stream.next()
                read.append(event.get("n") or event.get("assistantMessageEvent", {}).get("delta") or event["type"])
        self.assertEqual(read, ["agent_start", "abc", "d", 1, 2, "agent_end"])

    async def test_no_character_is_lost_for_any_interleaving_of_pushes_and_reads(self) -> None:
        for seed in range(50):
            chance = random.Random(seed)
            stream, said, heard = EventStream(), "", ""
            for number in range(200):
                if chance.random() < 0.6:
                    text = str(number)
                    said += text
                    stream.push(update("text_delta", 0, delta=text))
                elif chance.random() < 0.3:
                    stream.push({"type": "notice"})
                elif stream._events:  # pyright: ignore[reportPrivateUsage]
                    event = await stream.next()
                    heard += event.get("assistantMessageEvent", {}).get("delta", "")
            stream.close()
            try:
                while True:
                    heard += (await stream.next()).get("assistantMessageEvent", {}).get("delta", "")
            except StopAsyncIteration:
                pass
            self.assertEqual(heard, said, f"seed {seed}")

    async def test_a_reader_that_stopped_reading_gets_an_error(self) -> None:
        stream = EventStream(max_waiting=3)
        for number in range(10):
            stream.push({"type": "notice", "n": number})
        self.assertEqual([(await stream.next())["n"] for _ in range(3)], [0, 1, 2])
        with self.assertRaises(RpcLaggedError):
            await stream.next()
        with self.assertRaises(StopAsyncIteration):
            await stream.next()

    async def test_a_cancelled_reader_leaves_the_next_one_its_event(self) -> None:
        stream = EventStream()
        first = asyncio.ensure_future(stream.next())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait({first})
        second = asyncio.ensure_future(stream.next())
        await asyncio.sleep(0)
        stream.push({"type": "notice"})
        self.assertEqual(await second, {"type": "notice"})


class Boxes(unittest.IsolatedAsyncioTestCase):
    async def test_queued_frames_keep_their_order_and_can_be_replaced_or_withdrawn(self) -> None:
        sent: List[Any] = []
        gate: Dict[str, Any] = {"room": asyncio.get_running_loop().create_future()}

        def room() -> Any:
            return gate["room"]

        box = Outbox(Outlet(lambda frame: sent.append(frame["n"]), room), max_waiting_bytes=20)
        box.send({"type": "x", "n": 1})
        box.send({"type": "x", "n": 2}, "key")
        take_back = box.send({"type": "x", "n": 3})
        box.send({"type": "x", "n": 4}, "key")
        take_back()
        self.assertTrue(box.is_full)
        waiting = asyncio.ensure_future(box.room())
        await asyncio.sleep(0)
        self.assertFalse(waiting.done())
        gate["room"].set_result(None)
        gate["room"] = None
        await waiting
        while sent != [1, 4]:
            await asyncio.sleep(0)
        box.send({"type": "x", "n": 5})
        self.assertEqual(sent, [1, 4, 5])


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Options(TypedDict, total=False):
    deep: bool


@dataclass
class Box:
    size: Size
    label: str = ""


@dataclass
class Folder:
    name: str
    parts: List["Folder"] = field(default_factory=lambda: [])


class Schemas(unittest.TestCase):
    def test_annotations_become_a_schema(self) -> None:
        @tool
        def everything(
            text: Annotated[str, "what to say"],
            count: Annotated[int, {"minimum": 1}],
            ratio: float,
            box: Box,
            mode: Literal["a", "b"],
            names: List[str],
            pair: Tuple[int, str],
            extra: Dict[str, bool],
            options: Options,
            anything: Any,
            either: Union[int, str, None] = None,
            flag: bool = True,
        ) -> None:
            """Takes everything."""

        schema: Any = everything.definition()["parameters"]
        self.assertEqual(
            schema["properties"],
            {
                "text": {"type": "string", "description": "what to say"},
                "count": {"type": "integer", "minimum": 1},
                "ratio": {"type": "number"},
                "box": {
                    "type": "object",
                    "properties": {"size": {"enum": ["small", "large"]}, "label": {"type": "string"}},
                    "required": ["size"],
                    "additionalProperties": False,
                },
                "mode": {"enum": ["a", "b"]},
                "names": {"type": "array", "items": {"type": "string"}},
                "pair": {
                    "type": "array",
                    "prefixItems": [{"type": "integer"}, {"type": "string"}],
                    "minItems": 2,
                    "maxItems": 2,
                },
                "extra": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "options": {
                    "type": "object",
                    "properties": {"deep": {"type": "boolean"}},
                    "required": [],
                    "additionalProperties": False,
                },
                "anything": {},
                "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
                "flag": {"type": "boolean", "default": True},
            },
        )
        self.assertEqual(schema["required"], [name for name in schema["properties"] if name not in ("either", "flag")])

    def test_standard_library_types_are_sent_as_strings_and_converted_back(self) -> None:
        cases: List[Tuple[Any, Any, Dict[str, Any], Any]] = [
            (datetime.datetime, "2026-01-02T03:04:05Z", {"type": "string", "format": "date-time"},
             datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)),
            (datetime.date, "2026-01-02", {"type": "string", "format": "date"}, datetime.date(2026, 1, 2)),
            (datetime.time, "03:04:05", {"type": "string", "format": "time"}, datetime.time(3, 4, 5)),
            (uuid.UUID, "12345678123456781234567812345678", {"type": "string", "format": "uuid"}, uuid.UUID(int=0x12345678123456781234567812345678)),
            (Path, "a/b", {"type": "string"}, Path("a/b")),
            (decimal.Decimal, 1.5, {"type": "number"}, decimal.Decimal("1.5")),
            (FrozenSet[int], [1, 2], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, frozenset({1, 2})),
            (Optional[Path], "a", {"anyOf": [{"type": "string"}, {"type": "null"}]}, Path("a")),
            (Optional[Path], None, {"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
            (Union[str, datetime.date], "2026-01-02", {"anyOf": [{"type": "string"}, {"type": "string", "format": "date"}]}, "2026-01-02"),
        ]
        for annotation, given, schema, expected in cases:
            with self.subTest(annotation=annotation):
                self.assertEqual(schema_of(annotation), schema)
                self.assertEqual(read_value(given, annotation), expected)
                self.assertIs(type(read_value(given, annotation)), type(expected))

    def test_a_recursive_class_becomes_a_definition(self) -> None:
        folder = {
            "type": "object",
            "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/Folder"}}},
            "required": ["name"],
            "additionalProperties": False,
        }
        self.assertEqual(schema_of(Folder), {**folder, "$defs": {"Folder": folder}})
        read = read_value({"name": "a", "parts": [{"name": "b"}]}, Folder)
        self.assertEqual(read, Folder("a", [Folder("b")]))

        @tool
        def pack(folder: Folder, other: Folder) -> None:
            """Packs a folder."""

        parameters: Any = pack.definition()["parameters"]
        self.assertEqual(parameters["properties"], {name: {"$ref": "#/$defs/Folder"} for name in ("folder", "other")})
        self.assertEqual(parameters["$defs"], {"Folder": folder})

    def test_types_without_a_json_schema_are_rejected_immediately(self) -> None:
        def nameless(*values: int) -> None:
            """Takes values."""

        def untyped(value) -> None:  # type: ignore[no-untyped-def]
            """Takes a value."""

        def strange(value: unittest.TestCase) -> None:
            """Takes a test."""

        def undescribed(value: int) -> None:
            pass

        for function in (nameless, untyped, strange, undescribed):
            with self.assertRaises(TypeError):
                tool(function)


class Programs(unittest.TestCase):
    def test_the_variable_takes_precedence_over_the_path_and_npm(self) -> None:
        with TemporaryDirectory() as place:
            program = Path(place) / "pintle"
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
            self.assertEqual(find_program({"PATH": place}), str(program))
            self.assertEqual(find_program({"PINTLE_PROGRAM": str(program), "PATH": ""}), str(program))
            with self.assertRaisesRegex(ProgramNotFoundError, "PINTLE_PROGRAM is set to"):
                find_program({"PINTLE_PROGRAM": f"{place}/missing", "PATH": place})

    def test_a_program_installed_by_npm_is_found_and_a_missing_one_explained(self) -> None:
        code = "from pintle._program import find_program; print(find_program({'PATH': ''}))"
        with TemporaryDirectory() as scratch:
            place = Path(os.path.realpath(scratch))
            # Next to the package, as in a virtual environment inside a project. Not that of the working directory.
            package = place / "project" / "environment" / "pintle"
            shutil.copytree(ROOT / "python" / "pintle", package, ignore=shutil.ignore_patterns("__pycache__"))
            stranger = place / "elsewhere" / "node_modules" / ".bin" / "pintle"
            own = place / "project" / "node_modules" / ".bin" / "pintle"

            def look() -> "subprocess.CompletedProcess[str]":
                return subprocess.run(
                    [sys.executable, "-B", "-c", code],
                    cwd=stranger.parents[2],
                    env={"PYTHONPATH": str(package.parent), "PATH": ""},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    universal_newlines=True,
                )

            for program in (stranger, own):
                program.parent.mkdir(parents=True)
                program.write_text("#!/bin/sh\n")
                program.chmod(0o755)
            self.assertEqual(look().stdout.strip(), str(own))
            own.unlink()
            missing = look()
            self.assertNotEqual(missing.returncode, 0)
            self.assertIn(f"  {own}\n", missing.stderr)
            self.assertIn('Install it with "npm install -g pintle"', missing.stderr)
            self.assertNotIn(str(stranger), missing.stderr)

    def test_the_session_of_a_restart_replaces_the_chosen_one(self) -> None:
        args = ["--session", "a", "--continue", "-r", "--fork=x", "--resume", "id", "--flag", "--session-id", "b"]
        self.assertEqual(with_session(args, "f"), ["--flag", "--session", "f"])


class Results(unittest.TestCase):
    def test_results_are_frozen_and_keep_unknown_fields(self) -> None:
        data = {"steering": ["a"], "followUp": [], "newer": 1}
        result = results.ClearQueueResult.from_json(data)
        self.assertEqual((result.steering, result.follow_up, result.raw["newer"]), (["a"], [], 1))
        with self.assertRaises(AttributeError):
            result.steering = []  # type: ignore[misc]
