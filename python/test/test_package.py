"""Wheel and source archive: built without a network, the same each time, installed into an environment of their own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path
from typing import Dict, List, Optional

from .support import PROGRAM, ROOT

PROJECT = ROOT / "python"
HOOKS = """
import json, sys
sys.path.insert(0, "build_backend")
import pintle_build
settings = [json.loads(text) for text in sys.argv[3:]]
print(getattr(pintle_build, sys.argv[1])(sys.argv[2], *settings))
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


def built(hook: str, project: Path, place: str, settings: Optional[Dict[str, str]] = None) -> Path:
    more = [] if settings is None else [json.dumps(settings)]
    name = run([sys.executable, "-B", "-c", HOOKS, hook, place, *more], cwd=project).strip().splitlines()[-1]
    return Path(place) / name


class Package(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="pintle-python-package-")
        self.addCleanup(scratch.cleanup)
        self.place = Path(os.path.realpath(scratch.name))

    def folder(self, name: str) -> str:
        (self.place / name).mkdir()
        return str(self.place / name)

    def test_the_same_sources_produce_the_same_bytes_even_from_the_sdist(self) -> None:
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

    def test_a_wheel_contains_every_module_and_lists_its_contents(self) -> None:
        wheel = built("build_wheel", PROJECT, self.folder("wheel"))
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            record = next(name for name in names if name.endswith("/RECORD"))
            listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
            metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
        self.assertEqual(names, listed)
        modules = {f"pintle/{path.name}" for path in (PROJECT / "pintle").glob("*.py")}
        self.assertLessEqual(modules | {"pintle/py.typed"}, names)
        for line in ("Metadata-Version: 2.4", "License-Expression: MIT", "License-File: LICENSE", "Requires-Python: >=3.9"):
            self.assertIn(f"\n{line}\n", f"\n{metadata}")
        self.assertIn('\nProvides-Extra: gateway\nRequires-Dist: websockets>=15; extra == "gateway"\n', metadata)
        self.assertIn(record.replace("RECORD", "licenses/LICENSE"), names)
        try:
            from packaging.metadata import Metadata
            from packaging.version import Version
        except ImportError:
            return
        import packaging

        if Version(packaging.__version__) >= Version("24.2"):  # the first to know this version of the metadata
            self.assertEqual(Metadata.from_email(metadata, validate=True).license_expression, "MIT")

    def test_the_backend_reads_the_tables_like_a_toml_parser(self) -> None:
        if sys.version_info < (3, 11):
            self.skipTest("this Python has no parser for TOML")
        import tomllib

        code = "import sys, json; sys.path.insert(0, 'build_backend'); import pintle_build as b; "
        code += "print(json.dumps({**b._project(), 'optional-dependencies': b._table('project.optional-dependencies')}))"
        table = json.loads(run([sys.executable, "-B", "-c", code], cwd=PROJECT))
        self.assertEqual(table, tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"])

    def test_a_wheel_with_the_program_needs_a_platform_and_the_notices(self) -> None:
        with self.assertRaisesRegex(AssertionError, "needs the settings program, platform and notices"):
            built("build_wheel", PROJECT, self.folder("wheel"), {"program": "x"})

    def test_pip_installs_it_into_a_fresh_environment(self) -> None:
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
        self.check_a_wheel_with_the_program(python)

    def check_a_wheel_with_the_program(self, python: str) -> None:
        """A small script takes the place of the program, which has 60 MB."""
        program = Path(self.folder("program"))
        (program / "pintle").write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n')
        (program / "native").mkdir()
        (program / "native" / "rg").write_text("x")
        (self.place / "notices.txt").write_text("notices")
        platform = run([python, "-c", "import sysconfig; print(sysconfig.get_platform())"], cwd=self.place).strip()
        settings = {
            "program": str(program),
            "platform": platform.replace("-", "_").replace(".", "_"),
            "notices": str(self.place / "notices.txt"),
        }
        wheel = built("build_wheel", PROJECT, self.folder("with-program"), settings)
        run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--force-reinstall", str(wheel)], cwd=self.place)
        found = "import os, pintle._program as p; print(p.find_program({'PATH': os.devnull}))"
        place = run([python, "-c", found], cwd=self.place).strip()
        self.assertTrue(place.endswith("site-packages/pintle/program/pintle"), place)
        self.assertTrue(os.access(place, os.X_OK))
        self.assertIn("0.1", run([place, "--version"], cwd=self.place))
