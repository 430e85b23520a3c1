"""Builds the wheel and sdist with the standard library alone (PEP 517). The same sources produce the same bytes."""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import io
import os
import re
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "pintle"

_SETTINGS = Optional[Mapping[str, Any]]
# The earliest date that a zip archive can store.
_EARLIEST = 315532800
# Where a wheel contains the program; pintle/_program.py looks there.
_PROGRAM = "program"

_WHEEL = """\
Wheel-Version: 1.0
Generator: pintle_build
Root-Is-Purelib: {is_pure}
Tag: py3-none-{platform}
"""
_NOTICES = "THIRD-PARTY-NOTICES.txt"


def build_wheel(
    wheel_directory: str, config_settings: _SETTINGS = None, metadata_directory: Optional[str] = None
) -> str:
    """Builds a pure wheel, which looks for the program. With the settings `program`, a directory with the program and its native
    parts, `platform`, a tag such as `manylinux_2_17_x86_64`, and `notices`, the file with the licences of what is in the program,
    the wheel contains the program."""
    files = {f"pintle/{name}": data for name, data in _package_files().items()}
    program = _program_of(config_settings)
    return _write_wheel(wheel_directory, {**files, **_program_files(program)}, program)


def build_editable(
    wheel_directory: str, config_settings: _SETTINGS = None, metadata_directory: Optional[str] = None
) -> str:
    """Links to the sources in place (PEP 660)."""
    return _write_wheel(wheel_directory, {"_pintle_editable.pth": f"{PROJECT}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: _SETTINGS = None) -> str:
    base = f"pintle-{_version()}"
    files = {
        "LICENSE": _license(),
        "PKG-INFO": _metadata(_project()["license-files"]),
        "README.md": (PROJECT / "README.md").read_bytes(),
        "build_backend/pintle_build.py": Path(__file__).read_bytes(),
        "pyproject.toml": (PROJECT / "pyproject.toml").read_bytes(),
        **{f"pintle/{name}": data for name, data in _package_files().items()},
    }
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in sorted(files.items()):
            info = tarfile.TarInfo(f"{base}/{name}")
            info.size, info.mtime, info.mode = len(data), _time(), 0o644
            tar.addfile(info, io.BytesIO(data))
    path = Path(sdist_directory) / f"{base}.tar.gz"
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=_time()) as packed:
        packed.write(archive.getvalue())
    return path.name


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: _SETTINGS = None) -> str:
    folder = f"pintle-{_version()}.dist-info"
    target = Path(metadata_directory) / folder
    target.mkdir(parents=True)
    for name, data in _info_files(_program_of(config_settings)).items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_bytes(data)
    return folder


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: _SETTINGS = None) -> List[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel
get_requires_for_build_editable = get_requires_for_build_wheel


class _Program(NamedTuple):
    directory: Path
    platform: str
    notices: Path


def _program_of(config_settings: _SETTINGS) -> Optional[_Program]:
    settings = config_settings or {}
    given = [settings.get(name) for name in ("program", "platform", "notices")]
    if given == [None, None, None]:
        return None
    directory, platform, notices = given
    if directory is None or platform is None or notices is None:
        raise ValueError("A wheel with the program needs the settings program, platform and notices")
    return _Program(Path(str(directory)), str(platform), Path(str(notices)))


def _program_files(program: Optional[_Program]) -> Dict[str, bytes]:
    if program is None:
        return {}
    executables = [path for path in (program.directory / name for name in ("pintle", "pintle.exe")) if path.is_file()]
    if not executables:
        raise ValueError(f"There is no program in {program.directory}")
    native = [path for path in (program.directory / "native").rglob("*") if path.is_file()]
    return {
        f"pintle/{_PROGRAM}/{path.relative_to(program.directory).as_posix()}": path.read_bytes()
        for path in [*executables, *native]
    }


def _write_wheel(directory: str, files: Dict[str, bytes], program: Optional[_Program] = None) -> str:
    version = _version()
    info = f"pintle-{version}.dist-info"
    contents = {**files, **{f"{info}/{name}": data for name, data in _info_files(program).items()}}
    rows = [(name, _digest(data), str(len(data))) for name, data in sorted(contents.items())]
    record = "".join(",".join(row) + "\n" for row in [*rows, (f"{info}/RECORD", "", "")])
    name = f"pintle-{version}-py3-none-{_platform(program)}.whl"
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        # The metadata folder comes last, as the format recommends.
        for path, data in [*sorted(contents.items(), key=_info_last), (f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(path, time.gmtime(_time())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if f"/{_PROGRAM}/" in path else 0o100644) << 16
            wheel.writestr(entry, data)
    return name


def _info_last(item: Tuple[str, bytes]) -> Tuple[bool, str]:
    return ".dist-info/" in item[0], item[0]


def _info_files(program: Optional[_Program]) -> Dict[str, bytes]:
    wheel = _WHEEL.format(is_pure="false" if program else "true", platform=_platform(program))
    licences = {"LICENSE": _license(), **({_NOTICES: program.notices.read_bytes()} if program else {})}
    return {
        "METADATA": _metadata(list(licences)),
        "WHEEL": wheel.encode(),
        **{f"licenses/{name}": text for name, text in licences.items()},
    }


def _platform(program: Optional[_Program]) -> str:
    return program.platform if program else "any"


def _package_files() -> Dict[str, bytes]:
    """Returns the sources and the `py.typed` marker, and no compiled or leftover files."""
    paths = [*PACKAGE.rglob("*.py"), PACKAGE / "py.typed"]
    return {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in paths}


def _metadata(license_files: List[str]) -> bytes:
    project = _project()
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", _version()),
        ("Summary", project["description"]),
        ("Keywords", ",".join(project["keywords"])),
        ("License-Expression", project["license"]),
        *(("License-File", name) for name in license_files),
        *(("Classifier", name) for name in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
        *_extras(),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{(PROJECT / project['readme']).read_text('utf-8')}".encode()


def _extras() -> List[Tuple[str, str]]:
    fields: List[Tuple[str, str]] = []
    for extra, requirements in _table("project.optional-dependencies").items():
        fields.append(("Provides-Extra", extra))
        fields.extend(("Requires-Dist", f'{requirement}; extra == "{extra}"') for requirement in requirements)
    return fields


def _project() -> Dict[str, Any]:
    return _table("project")


def _table(name: str) -> Dict[str, Any]:
    """Reads a table of pyproject.toml. Python 3.9 and 3.10 have no TOML parser, but our tables contain only strings and lists of
    strings, which are also valid Python."""
    text = (PROJECT / "pyproject.toml").read_text("utf-8")
    table = re.split(rf"^\[{re.escape(name)}\]$", text, flags=re.MULTILINE)[1]
    table = re.split(r"^\[", table, flags=re.MULTILINE)[0]
    entries = re.findall(r"^([a-z-]+) = (\[$.*?^\]|.*?$)", table, re.MULTILINE | re.DOTALL)
    return {key: ast.literal_eval(value) for key, value in entries}


def _license() -> bytes:
    """Returns the repository's licence; a source archive contains its own copy."""
    own = PROJECT / "LICENSE"
    return (own if own.is_file() else PROJECT.parent / "LICENSE").read_bytes()


def _version() -> str:
    found = re.search(r'^VERSION = "(.+)"$', (PACKAGE / "_version.py").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError("pintle/_version.py states no version")
    return found.group(1)


def _time() -> int:
    return max(_EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", _EARLIEST)))


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
