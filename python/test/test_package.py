"""Wheel and source archive: built without a network, the same each time, installed into an environment of their own."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path
from typing import Dict, List

from .support import PROGRAM, ROOT

PROJECT = ROOT / "python"
HOOKS = """
import sys
sys.path.insert(0, "build_backend")
import pintle_build
print(getattr(pintle_build, sys.argv[1])(sys.argv[2]))
"""
HOST = """
import asyncio, sys, pintle, pintle.sync
assert sys.argv[1] in pintle.__file__, pintle.__file__
async def main():
    async with pintle.Client(model="pintle/offline", args=["--no-session"]) as client:
        print((await client.prompt_and_wait("help")).text.split(",")[0])
asyncio.run(main())
with pintle.sync.Client(model="pintle/offline", args=["--no-session"]) as client:
    print(client.get_state().is_streaming, pintle.__version__)
"""


def run(command: List[str], **options: object) -> str:
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PIP_REQUIRE_VIRTUALENV")}
    env.update({"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PINTLE_PROGRAM": PROGRAM, "PINTLE_HOME": f"{options['cwd']}/home"})
    done = subprocess.run(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, **options  # type: ignore[call-overload]
    )
    text: str = done.stdout.decode()
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{text}")
    return text


def built(hook: str, project: Path, place: str) -> Path:
    name = run([sys.executable, "-B", "-c", HOOKS, hook, place], cwd=project).strip().splitlines()[-1]
    return Path(place) / name


class Package(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="pintle-python-package-")
        self.addCleanup(scratch.cleanup)
        self.place = Path(os.path.realpath(scratch.name))

    def folder(self, name: str) -> str:
        (self.place / name).mkdir()
        return str(self.place / name)

    def test_the_same_sources_give_the_same_bytes_also_from_the_source_archive(self) -> None:
        first, second, third = self.folder("1"), self.folder("2"), self.folder("3")
        digests: Dict[str, str] = {}
        for hook in ("build_wheel", "build_sdist"):
            one, two = built(hook, PROJECT, first), built(hook, PROJECT, second)
            digests[hook] = hashlib.sha256(one.read_bytes()).hexdigest()
            self.assertEqual(digests[hook], hashlib.sha256(two.read_bytes()).hexdigest())
        with tarfile.open(next(Path(first).glob("*.tar.gz"))) as archive:
            archive.extractall(third)
        unpacked = next(path for path in Path(third).iterdir())
        for hook, digest in digests.items():
            again = built(hook, unpacked, self.folder(f"again-{hook}"))
            self.assertEqual(hashlib.sha256(again.read_bytes()).hexdigest(), digest)

    def test_a_wheel_holds_every_module_and_says_what_it_holds(self) -> None:
        wheel = built("build_wheel", PROJECT, self.folder("wheel"))
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            record = next(name for name in names if name.endswith("/RECORD"))
            listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
            metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
        self.assertEqual(names, listed)
        modules = {f"pintle/{path.name}" for path in (PROJECT / "pintle").glob("*.py")}
        self.assertLessEqual(modules | {"pintle/py.typed"}, names)
        self.assertIn("Requires-Python: >=3.9", metadata)

    def test_pip_installs_it_into_a_fresh_environment_where_it_runs(self) -> None:
        environment = self.place / "environment"
        try:
            venv.create(environment, with_pip=True)
        except subprocess.CalledProcessError as error:
            if os.environ.get("CI") == "true":
                raise
            self.skipTest(f"this Python makes no environments: {error}")
        python = str(environment / "bin" / "python")
        # From the sources with the project's own backend, then from the wheel that came of it.
        run([python, "-m", "pip", "wheel", "--no-deps", "-w", self.folder("wheels"), str(PROJECT)], cwd=self.place)
        wheel = next((self.place / "wheels").glob("*.whl"))
        run([python, "-m", "pip", "install", "--no-index", "--no-deps", str(wheel)], cwd=self.place)
        text = run([python, "-c", HOST, str(environment)], cwd=self.place)
        self.assertEqual(len(text.strip().splitlines()), 2, text)
        self.assertIn("offline model", text)
        run([python, "-m", "pip", "check"], cwd=self.place)
