"""Builds wheel and sdist with the standard library alone (PEP 517). The same sources give the same bytes."""

from __future__ import annotations

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
from typing import Any, Dict, List, Mapping, Optional, Tuple

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "pintle"

_SETTINGS = Optional[Mapping[str, Any]]
# The first day that an archive of this kind can name.
_EARLIEST = 315532800

_METADATA = """\
Metadata-Version: 2.1
Name: pintle
Version: {version}
Summary: Embed pintle, a coding agent, in a Python program
License: MIT
License-File: LICENSE
Requires-Python: >=3.9
Classifier: Framework :: AsyncIO
Classifier: Intended Audience :: Developers
Classifier: License :: OSI Approved :: MIT License
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{description}"""

_WHEEL = """\
Wheel-Version: 1.0
Generator: pintle_build
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(
    wheel_directory: str, config_settings: _SETTINGS = None, metadata_directory: Optional[str] = None
) -> str:
    return _write_wheel(wheel_directory, {f"pintle/{name}": data for name, data in _package_files().items()})


def build_editable(
    wheel_directory: str, config_settings: _SETTINGS = None, metadata_directory: Optional[str] = None
) -> str:
    """The sources where they are (PEP 660)."""
    return _write_wheel(wheel_directory, {"_pintle_editable.pth": f"{PROJECT}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: _SETTINGS = None) -> str:
    base = f"pintle-{_version()}"
    files = {
        "LICENSE": _license(),
        "PKG-INFO": _metadata(),
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
    for name, data in _info_files().items():
        (target / name).write_bytes(data)
    return folder


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: _SETTINGS = None) -> List[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel
get_requires_for_build_editable = get_requires_for_build_wheel


def _write_wheel(directory: str, files: Dict[str, bytes]) -> str:
    version = _version()
    info = f"pintle-{version}.dist-info"
    contents = {**files, **{f"{info}/{name}": data for name, data in _info_files().items()}}
    rows = [(name, _digest(data), str(len(data))) for name, data in sorted(contents.items())]
    record = "".join(",".join(row) + "\n" for row in [*rows, (f"{info}/RECORD", "", "")])
    name = f"pintle-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        # The folder about the package comes last, as the format recommends.
        for path, data in [*sorted(contents.items(), key=_info_last), (f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(path, time.gmtime(_time())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data)
    return name


def _info_last(item: Tuple[str, bytes]) -> Tuple[bool, str]:
    return ".dist-info/" in item[0], item[0]


def _info_files() -> Dict[str, bytes]:
    return {"LICENSE": _license(), "METADATA": _metadata(), "WHEEL": _WHEEL.encode()}


def _package_files() -> Dict[str, bytes]:
    """Sources and the mark that they are typed; nothing that was compiled or left behind."""
    paths = [*PACKAGE.rglob("*.py"), PACKAGE / "py.typed"]
    return {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in paths}


def _metadata() -> bytes:
    description = (PROJECT / "README.md").read_text("utf-8")
    return _METADATA.format(version=_version(), description=description).encode()


def _license() -> bytes:
    """Of the repository; a source archive has its own copy."""
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
