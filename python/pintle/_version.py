"""The version of all packages. Written by scripts/release.mjs, together with every package.json."""

from __future__ import annotations

VERSION = "0.1.0"
