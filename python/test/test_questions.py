"""What the server asks, and host tools, on the built program."""

from __future__ import annotations

import asyncio
import enum
import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, Awaitable, Callable, Dict, List, Optional
from urllib.parse import urlsplit
from urllib.request import urlopen

from pintle import Client, ToolContext, tool
from pintle import protocol as p
from pintle.questions import PreviewAnswer

from .login_server import LoginServer
from .support import ROOT, PlaceCase, until

STAMP = """
module.exports = () => ({
  name: "stamp", label: "Stamp", description: "Stamps", parameters: { type: "object" },
  execute: async () => ({ content: [{ type: "text", text: "stamped" }] }),
});"""


def tool_text(messages: Any) -> str:
    results = [message for message in messages if message["role"] == "toolResult"]
    return "\n".join(block.get("text", "") for message in results for block in message["content"])


class Approvals(PlaceCase):
    async def test_a_plain_function_can_decide(self) -> None:
        asked: List[Any] = []

        def decide(request: Any) -> Any:
            asked.append(request["request"])
            return "allow_once" if len(asked) == 1 else {"decision": "deny", "note": "not twice"}

        async with self.place.client("--no-session", "--permissions", "ask") as client:
            client.on_approval(decide)
            first = await client.prompt_and_wait("run touch allowed")
            second = await client.prompt_and_wait("run touch denied")
        self.assertEqual(first.stop_reason, "stop")
        self.assertTrue((self.place.cwd / "allowed").exists())
        self.assertFalse((self.place.cwd / "denied").exists())
        self.assertIn("not twice", tool_text(second.messages))
        self.assertEqual(len(asked), 2)

    async def test_a_handler_that_raises_denies(self) -> None:
        faults: List[Any] = []

        async def decide(_request: Any) -> Any:
            raise RuntimeError("no idea")

        async with self.place.client("--no-session", "--permissions", "ask") as client:
            client.on_protocol_error(faults.append)
            client.on_approval(decide)
            result = await client.prompt_and_wait("run echo denied > made.txt")
        self.assertFalse((self.place.cwd / "made.txt").exists())
        self.assertTrue(result.agent_invoked)
        self.assertIn("no idea", str(faults[0]))

    async def test_a_withdrawn_question_cancels_its_handler(self) -> None:
        states: List[str] = []

        async def decide(_request: Any) -> Any:
            states.append("asked")
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                states.append("cancelled")
                raise

        async with self.place.client("--no-session", "--permissions", "ask") as client:
            client.on_approval(decide)
            run = client.run("run touch later")
            await until(lambda: states == ["asked"])
            run.abort()
            await run
            await until(lambda: states == ["asked", "cancelled"])


class Logins(PlaceCase):
    def configure(self, server: LoginServer) -> None:
        self.place.home.mkdir(exist_ok=True)
        servers = {"web": {"url": server.url}}
        (self.place.home / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    async def test_the_redirect_url_completes_the_login(self) -> None:
        asked: List[Any] = []

        def browse(request: Any) -> str:
            asked.append((request["server"], request["default"]))
            return location_of(request["url"])

        with LoginServer() as server:
            self.configure(server)
            async with self.place.client("--no-session") as client:
                client.on_mcp_auth(browse)
                await until_async(lambda: statuses(client), ["connected"])
                result = await client.prompt_and_wait("call mcp__web__now {}")
        self.assertEqual(asked, [("web", "no login")])
        self.assertIn("it works", tool_text(result.messages))

    async def test_the_login_can_be_cancelled(self) -> None:
        faults: List[Any] = []

        async def fail(_request: Any) -> Optional[str]:
            raise RuntimeError("no browser")

        with LoginServer() as server:
            self.configure(server)
            for handler in (lambda _request: None, fail):
                async with self.place.client("--no-session") as client:
                    client.on_protocol_error(faults.append)
                    client.on_mcp_auth(handler)
                    await until_async(lambda: statuses(client), ["failed"])
        self.assertEqual(["no browser" in str(fault) for fault in faults], [True])

    async def test_a_browser_redirect_to_the_server_cancels_the_handler(self) -> None:
        states: List[str] = []

        async def show(request: Any) -> Optional[str]:
            states.append("asked")
            try:
                # It follows the redirect, as browsers do.
                await asyncio.get_running_loop().run_in_executor(None, lambda: urlopen(request["url"]).read())
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                states.append("cancelled")
                raise
            return None

        with LoginServer() as server:
            self.configure(server)
            async with self.place.client("--no-session") as client:
                client.on_mcp_auth(show)
                await until_async(lambda: statuses(client), ["connected"])
                await until(lambda: states == ["asked", "cancelled"])


async def statuses(client: Client) -> List[str]:
    return [server["status"] for server in (await client.get_mcp_status()).servers]


async def until_async(read: Callable[[], Awaitable[Any]], wanted: Any) -> None:
    while await read() != wanted:
        await asyncio.sleep(0.02)


def location_of(url: str) -> str:
    """As a browser whose user agrees: where it is sent back to."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc)
    connection.request("GET", f"{parts.path}?{parts.query}")
    location = connection.getresponse().headers["Location"]
    connection.close()
    return str(location)


class Previews(PlaceCase):
    async def test_the_answer_applies_or_discards(self) -> None:
        path = self.place.write("a.ts", "export const oldName = 1;\n")
        seen: List[Any] = []

        def discard(preview: p.PendingActionInfo) -> PreviewAnswer:
            seen.append(preview)
            return {"action": "discard", "reason": "no"}

        def apply(preview: p.PendingActionInfo) -> PreviewAnswer:
            seen.append(preview)
            return "apply"

        async with self.place.client("--no-session") as client:
            remove = client.on_preview(discard)
            await client.prompt_and_wait("rename oldName to newName")
            self.assertIn("oldName", path.read_text())
            remove()
            client.on_preview(apply)
            await client.prompt_and_wait("rename oldName to newName")
        self.assertIn("newName", path.read_text())
        self.assertEqual(len(seen), 2)

    async def test_the_answer_names_hunks_and_has_edited_text(self) -> None:
        path = self.place.write("a.ts", "oldName(1);\n" + "\n" * 8 + "oldName(2);\n")
        edited = self.place.write("b.ts", "oldName(3);\n")
        ends: List[Any] = []

        def choose(preview: p.PendingActionInfo) -> PreviewAnswer:
            change = next(change for change in preview.get("changes", []) if change["path"] == "a.ts")
            hunks = change.get("hunks", [])
            edits: List[p.ResolvePendingActionEdit] = [{"path": "b.ts", "content": "mine(3);\n"}]
            return {"action": "apply", "hunks": [hunks[1]["hunkId"]], "edits": edits}

        async with self.place.client("--no-session") as client:
            client.on("pending_action_resolved", ends.append)
            client.on_preview(choose)
            await client.prompt_and_wait("rename oldName to newName")
        self.assertEqual(path.read_text(), "oldName(1);\n" + "\n" * 8 + "newName(2);\n")
        self.assertEqual(edited.read_text(), "mine(3);\n")
        self.assertEqual([end["edited"] for end in ends], [["b.ts"]])


class Trust(PlaceCase):
    async def test_project_code_waits_for_consent(self) -> None:
        self.place.write(".pintle/tools/stamp.cjs.js", STAMP)
        for answer, is_there in ((False, False), (True, True)):
            with self.subTest(answer=answer):
                asked: List[Any] = []

                async def decide(request: Any, answer: bool = answer, asked: List[Any] = asked) -> bool:
                    asked.append(request["items"][0]["name"])
                    return answer

                client = self.place.client("--no-session")
                client.on_trust_request(decide)
                async with client:
                    await until(lambda asked=asked: bool(asked))
                    result = await client.prompt_and_wait("call stamp")
                self.assertEqual("stamped" in tool_text(result.messages), is_there)


class Dialogs(PlaceCase):
    async def test_the_answer_is_the_return_value(self) -> None:
        extension = str(ROOT / "examples" / "extensions" / "ask-before-writing.ts")
        for answer, is_written in ((True, True), (False, False), (None, False)):
            with self.subTest(answer=answer):
                name = f"made-{answer}.txt"
                titles: List[str] = []

                def decide(request: Any, answer: Any = answer, titles: List[str] = titles) -> Any:
                    if request["method"] == "confirm":
                        titles.append(request["title"])
                    return answer

                client = self.place.client("--no-session", "--extension", extension)
                client.on_ui_request(decide)
                async with client:
                    await client.prompt_and_wait(f"write {name}: hello")
                self.assertEqual(len(titles), 1)
                self.assertEqual((self.place.cwd / name).exists(), is_written)


class Budgets(PlaceCase):
    async def test_a_raised_budget_lets_the_run_continue(self) -> None:
        reached: List[str] = []

        def more(event: Any) -> Any:
            reached.append(event["limit"])
            return {"turns": 10}

        async with self.place.client("--no-session", "--budget", "turns=1") as client:
            client.on_budget(more)
            result = await client.prompt_and_wait("what files are here")
        self.assertEqual((reached, result.stop_reason), (["turns"], "stop"))


class Workplace(PlaceCase):
    async def test_open_files_are_read_and_written_in_the_editor(self) -> None:
        path = self.place.write("a.txt", "saved\n")
        written: Dict[str, str] = {}

        def files(request: Any) -> Any:
            if request["method"] == "read":
                return "unsaved\n" if request["path"] == str(path) else None
            written[request["path"]] = request["content"]
            return True

        async with self.place.client("--no-session") as client:
            client.on_file_request(files)
            read = await client.prompt_and_wait("read a.txt")
            await client.prompt_and_wait("write b.txt: from the agent")
        self.assertIn("unsaved", tool_text(read.messages))
        self.assertEqual(list(written), [str(self.place.cwd / "b.txt")])
        self.assertFalse((self.place.cwd / "b.txt").exists())

    async def test_commands_run_in_the_hosts_terminal(self) -> None:
        async def terminal(request: Any) -> Any:
            return {"output": f"ran {request['command']} elsewhere", "exitCode": 0}

        async with self.place.client("--no-session") as client:
            client.on_terminal_request(terminal)
            result = await client.prompt_and_wait("run make it")
        self.assertIn("ran make it elsewhere", tool_text(result.messages))


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0


class Tools(PlaceCase):
    async def test_functions_become_tools_for_the_model(self) -> None:
        calls: List[Any] = []

        @tool
        async def paint(point: Point, color: Color, times: int = 1, *, context: ToolContext) -> str:
            """Paints a point."""
            context.send_update("wet")
            calls.append((point, color, times))
            return f"painted {color.name}"

        @tool(name="count_words", description="Counts words.")
        def count(text: str, limit: Optional[int] = None) -> Dict[str, Any]:
            calls.append((text, limit))
            return {"content": [{"type": "text", "text": str(len(text.split()))}], "details": {"limit": limit}}

        async with self.place.client("--no-session", tools=[paint, count]) as client:
            painted = client.run('call paint {"point":{"x":3},"color":"blue"}')
            updates = [event async for event in painted if event["type"] == "tool_execution_update"]
            counted = await client.prompt_and_wait('call count_words {"text":"a b c","limit":9}')
        self.assertEqual(calls, [(Point(3), Color.BLUE, 1), ("a b c", 9)])
        self.assertIn("painted BLUE", tool_text((await painted).messages))
        self.assertEqual(tool_text(counted.messages), "3")
        self.assertEqual([update["partialResult"]["content"][0].get("text") for update in updates], ["wet"])

    async def test_the_model_receives_what_a_tool_raises(self) -> None:
        @tool
        def broken() -> str:
            """Fails."""
            raise ValueError("the disk is on fire")

        @tool
        def wrong() -> Any:
            """Gives what is no result."""
            return 7

        async with self.place.client("--no-session", tools=[broken, wrong]) as client:
            result = await client.prompt_and_wait("call broken")
            other = await client.prompt_and_wait("call wrong")
        self.assertIn("the disk is on fire", tool_text(result.messages))
        self.assertIn("A tool must return", tool_text(other.messages))
        self.assertIs([one for one in result.messages if one["role"] == "toolResult"][0]["isError"], True)

    async def test_an_abort_cancels_the_call(self) -> None:
        states: List[str] = []

        @tool
        async def wait() -> str:
            """Waits."""
            states.append("called")
            try:
                await asyncio.sleep(1000)
            finally:
                states.append("ended")
            return "never"

        async with self.place.client("--no-session", tools=[wait]) as client:
            run = client.run("call wait")
            await until(lambda: states == ["called"])
            run.abort()
            self.assertEqual((await run).stop_reason, "aborted")
            await until(lambda: states == ["called", "ended"])

    async def test_tools_can_be_replaced(self) -> None:
        @tool
        def one() -> str:
            """One."""
            return "1"

        @tool
        def two() -> str:
            """Two."""
            return "2"

        async with self.place.client("--no-session", tools=[one]) as client:
            self.assertEqual(await client.set_custom_tools([two]), ["two"])
            names = [one_tool["name"] for one_tool in (await client.get_state()).raw["dumpTools"]]
            self.assertIn("two", names)
            self.assertNotIn("one", names)
            result = await client.prompt_and_wait(f"call two {json.dumps({})}")
        self.assertEqual(tool_text(result.messages), "2")
