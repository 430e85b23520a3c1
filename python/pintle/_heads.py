"""Reads the head of an HTTP response."""

from __future__ import annotations

from typing import Dict, NamedTuple

MAX_HEAD_BYTES = 64 * 1024


class Head(NamedTuple):
    status: int
    reason: str
    headers: Dict[str, str]


def read_head(text: bytes) -> Head:
    """Parses everything before the blank line. The status is 0 if the first line has none."""
    first, *lines = text.decode("latin-1").split("\r\n")
    words = [*first.split(" ", 2), "", ""]
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _colon, value in pairs}
    return Head(int(words[1]) if words[1].isdigit() else 0, words[2], headers)
