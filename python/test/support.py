"""What tests share: a place of its own for each, the built program, and waits that end."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from pintle import Client

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PINTLE_PROGRAM", str(ROOT / "dist" / "pintle"))
# For what hangs, not for what a busy machine does slowly.
LIMIT = 50.0


class Place:
    """A directory with a home of its own."""

    def __init__(self) -> None:
        self.root = Path(os.path.realpath(tempfile.mkdtemp(prefix="pintle-python-")))
        self.cwd = self.root / "project"
        self.cwd.mkdir()
        self.home = self.root / ".pintle"

    @property
    def env(self) -> Dict[str, Optional[str]]:
        return {"HOME": str(self.root), "PINTLE_HOME": str(self.home), "PINTLE_PROGRAM": None}

    def client(self, *args: str, **options: Any) -> Client:
        return Client(
            command=[PROGRAM], cwd=self.cwd, env=self.env, model="pintle/offline", args=args, **options
        )

    def simulated(self, *scenario: str, **options: Any) -> Client:
        return Client(command=[PROGRAM, "simulate", *scenario], cwd=self.cwd, env=self.env, **options)

    def script(self, *steps: Dict[str, Any], **fields: Any) -> str:
        path = self.root / f"scenario-{len(list(self.root.iterdir()))}.json"
        path.write_text(json.dumps({"name": "test", "about": "a test", "host": "does it", "steps": steps, **fields}))
        return str(path)

    def write(self, name: str, text: str) -> Path:
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


class PlaceCase(unittest.IsolatedAsyncioTestCase):
    """Tests on the built program. Each has a deadline."""

    def setUp(self) -> None:
        self.place = Place()
        self.addCleanup(self.place.remove)

    def _callTestMethod(self, method: Callable[[], Any]) -> None:
        async def limited() -> None:
            await asyncio.wait_for(method(), LIMIT)

        super()._callTestMethod(limited if inspect.iscoroutinefunction(method) else method)  # type: ignore[misc]


class Server:
    """`pintle serve` until `end()`."""

    def __init__(self, place: Place, *args: str) -> None:
        env = {name: value for name, value in {**os.environ, **place.env}.items() if value is not None}
        self._process = subprocess.Popen(
            [PROGRAM, "serve", *args],
            cwd=place.cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.text = ""
        is_listening = threading.Event()

        def read() -> None:
            assert self._process.stderr is not None
            for line in self._process.stderr:
                self.text += line.decode()
                if "listening on" in self.text:
                    is_listening.set()
            is_listening.set()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        is_listening.wait(LIMIT)
        if "listening on" not in self.text:
            self.end()
            raise AssertionError(f"the server did not start: {self.text}")

    def end(self, is_kill: bool = False) -> None:
        if is_kill:
            self._process.kill()
        else:
            self._process.terminate()
        self._process.wait(LIMIT)
        self._reader.join(LIMIT)
        if self._process.stderr is not None:
            self._process.stderr.close()


async def until(is_true: Callable[[], bool]) -> None:
    while not is_true():
        await asyncio.sleep(0.005)


def until_sync(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not is_true():
        if time.monotonic() > end:
            raise AssertionError("it did not become true")
        time.sleep(0.005)


def texts(events: Sequence[Any]) -> List[str]:
    return [event["type"] for event in events]


