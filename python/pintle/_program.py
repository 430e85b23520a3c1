"""Finds the program."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Iterator, List, Mapping, Optional, Set

from .errors import ProgramNotFoundError

PROGRAM_VARIABLE = "PINTLE_PROGRAM"
_NAME = "pintle"
_EXECUTABLE = f"{_NAME}.exe" if os.name == "nt" else _NAME
_SYSTEMS = {"win32": "win32", "darwin": "darwin", "linux": "linux"}
_PROCESSORS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def find_program(environment: Mapping[str, str]) -> str:
    """Returns the program named by PINTLE_PROGRAM, contained in this package, found on the PATH or installed by npm; in a clone,
    the one that was built."""
    named = environment.get(PROGRAM_VARIABLE)
    if named:
        if not os.path.isfile(named):
            raise ProgramNotFoundError(f"{PROGRAM_VARIABLE} is set to {named}, which does not exist")
        return named
    contained = Path(__file__).resolve().parent / "program" / _EXECUTABLE
    if contained.is_file():
        return str(contained)
    on_path = shutil.which(_NAME, path=environment.get("PATH"))
    if on_path is not None and not on_path.lower().endswith((".cmd", ".bat", ".ps1")):
        return on_path
    places = list(_places(environment))
    for place in places:
        if os.access(place, os.X_OK) and place.is_file():
            return str(place)
    raise ProgramNotFoundError(_advice(places))


def _advice(places: List[Path]) -> str:
    return "\n".join(
        [
            f'There is no program "{_NAME}", neither on the PATH nor at',
            *(f"  {place}" for place in places),
            'Install it with "npm install -g pintle", or in the directory of your program with "npm install pintle".',
            "A wheel for your system contains it: pip installs that one instead of the pure wheel if the index has it.",
            f"To use a program at another path, set {PROGRAM_VARIABLE} in the environment or pass the argument command:",
            '  Client(command=["/path/to/pintle"])',
        ]
    )


def _places(environment: Mapping[str, str]) -> Iterator[Path]:
    """Nearest first: this package, the virtual environment and the program that uses it. Never the working directory, which may
    contain someone else's program."""
    seen: Set[Path] = set()
    for start in _starts():
        for directory in [start, *start.parents]:
            if directory in seen:
                break
            seen.add(directory)
            if (directory / "packages" / "client" / "package.json").is_file() and (directory / "python").is_dir():
                yield directory / "dist" / _EXECUTABLE
            elif (directory / "node_modules").is_dir():
                yield from _installed_in(directory / "node_modules")
    node = shutil.which("node", path=environment.get("PATH"))
    if node is not None:
        # Packages that npm installs globally are next to Node.
        home = Path(os.path.realpath(node)).parent
        yield from _installed_in(home / "node_modules" if os.name == "nt" else home.parent / "lib" / "node_modules")


def _starts() -> Iterator[Path]:
    yield Path(__file__).resolve().parent
    yield Path(sys.prefix).resolve()
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if isinstance(main, str):
        yield Path(main).resolve().parent


def _installed_in(modules: Path) -> Iterator[Path]:
    """Prefers the compiled program: the launcher adds the startup time of a runtime, and Windows cannot spawn it."""
    package = _platform_package()
    if package is not None:
        yield modules / "@pintle" / package / "bin" / _EXECUTABLE
        yield modules / _NAME / "node_modules" / "@pintle" / package / "bin" / _EXECUTABLE
    if os.name != "nt":
        yield modules / ".bin" / _NAME


def _platform_package() -> Optional[str]:
    system, processor = _SYSTEMS.get(sys.platform), _PROCESSORS.get(platform.machine().lower())
    if system is None or processor is None:
        return None
    is_musl = system == "linux" and platform.libc_ver()[0] != "glibc"
    return f"{system}-{processor}-musl" if is_musl else f"{system}-{processor}"
