"""The examples and the programs of the documentation, as a reader would start them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from typing import Dict, List
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from .support import LIMIT, PROGRAM, ROOT, Place, Server

EXAMPLES = ROOT / "examples" / "python"


class ExampleCase(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Place()
        self.addCleanup(self.place.remove)

    @property
    def env(self) -> Dict[str, str]:
        given = {**os.environ, **self.place.env, "PINTLE_PROGRAM": PROGRAM, "PYTHONPATH": str(ROOT / "python")}
        return {name: value for name, value in given.items() if value is not None}

    def run_python(self, *args: str, code: int = 0) -> List[str]:
        done = subprocess.run(
            [sys.executable, "-B", *args],
            cwd=self.place.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=LIMIT,
        )
        self.assertEqual((done.returncode, done.stderr.decode()), (code, ""))
        return done.stdout.decode().splitlines()


class Examples(ExampleCase):
    def test_the_evaluation_runs_all_tasks_and_sees_a_wrong_one(self) -> None:
        script = str(EXAMPLES / "evaluate.py")
        lines = self.run_python(script, str(EXAMPLES / "tasks.json"), "--parallel", "3")
        self.assertRegex(lines[-1], r"^4 of 4 passed, \d+ tokens")
        wrong = self.place.write("wrong.json", json.dumps([{"name": "w", "prompt": "help", "expect": {"a": "b"}}]))
        lines = self.run_python(script, str(wrong), code=1)
        self.assertEqual(json.loads(lines[0])["why"], "a was not written")

    def test_the_policy_allows_and_denies(self) -> None:
        script = str(EXAMPLES / "approve_by_policy.py")
        decisions = {
            prompt: json.loads(self.run_python(script, prompt)[0])["decision"]
            for prompt in ("run touch a", "run rm a", "write .env: x", "write ../out.txt: x", "write in.txt: x")
        }
        self.assertEqual(list(decisions.values()), ["allow_once", "deny", "deny", "deny", "allow_once"])
        self.assertEqual(sorted(path.name for path in self.place.cwd.iterdir() if path.is_file()), ["a", "in.txt"])
        self.assertFalse((self.place.root / "out.txt").exists())

    def test_the_chat_answers_only_its_own_page(self) -> None:
        server = subprocess.Popen(
            [sys.executable, "-B", str(EXAMPLES / "web_chat.py")],
            cwd=self.place.cwd,
            env=self.env,
            stdout=subprocess.PIPE,
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().decode().strip()
            with urlopen(address, timeout=LIMIT) as response:
                page = response.read().decode()
            token = re.search(r'"x-token": "([^"]+)"', page)
            assert token is not None
            request = Request(f"{address}prompt", b"run echo hi", {"x-token": token.group(1)})
            with urlopen(request, timeout=LIMIT) as response:
                pieces = [json.loads(line) for line in response.read().decode().splitlines()]
            self.assertIn({"tool": "bash"}, pieces)
            self.assertIn("hi", "".join(piece.get("text", "") for piece in pieces))
            with self.assertRaises(HTTPError) as refused:
                urlopen(Request(f"{address}prompt", b"run echo hi", {"x-token": "wrong"}), timeout=LIMIT)
            self.assertEqual(refused.exception.code, 403)
            refused.exception.close()
        finally:
            server.terminate()
            server.communicate(timeout=LIMIT)


class Documentation(ExampleCase):
    def test_every_program_in_the_docs_runs(self) -> None:
        (self.place.cwd / "run").mkdir(mode=0o700)
        server = Server(self.place, "--socket", str(self.place.cwd / "run" / "pintle.sock"))
        self.addCleanup(lambda: server.end(is_kill=True))
        count = 0
        for page in ("docs/python.md", "python/README.md"):
            text = (ROOT / page).read_text("utf-8")
            for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
                count += 1
                with self.subTest(f"{page}: {code.splitlines()[0]} … ({count})"):
                    script = self.place.root / f"block-{count}.py"
                    script.write_text(code)
                    self.assertNotEqual(self.run_python(str(script)), [])
        self.assertEqual(count, 7)

    def test_the_table_lists_every_example(self) -> None:
        import pintle

        text = (ROOT / "docs" / "python.md").read_text("utf-8")
        table = text.split("## What there is")[1].split("\n- ")[0]
        names = re.findall(r"`\.?(\w+)\(", table) + re.findall(r"`(on_\w+)`", table)
        owners = (pintle.Client, pintle.Run, pintle.Query)
        missing = [name for name in names if not any(hasattr(owner, name) for owner in owners)]
        self.assertEqual((missing, len(names) > 15), ([], True))
