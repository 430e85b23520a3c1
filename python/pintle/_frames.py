"""Encodes and decodes frames."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Mapping, Optional, cast

from .errors import RpcProtocolError

Frame = Dict[str, Any]


def is_mapping(value: object) -> bool:
    """Narrows a value to a mapping with untyped content."""
    return isinstance(value, Mapping)


def is_list(value: object) -> bool:
    return isinstance(value, list)


def encode(frame: Frame) -> bytes:
    """Encodes a frame as one line. Raises for values that are not JSON. A lone surrogate, which UTF-8 cannot represent, is
    escaped."""
    text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(frame, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: str, on_fault: Callable[[RpcProtocolError], None]) -> Optional[Frame]:
    """Decodes a line. Reports a fault and returns None if it is not a frame. No malformed line can stop reading."""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        on_fault(RpcProtocolError(f"A line could not be parsed: {error}", line))
        return None
    frame = cast(Frame, value) if isinstance(value, dict) else None
    if frame is None or not isinstance(frame.get("type"), str):
        on_fault(RpcProtocolError("A line is not a frame", line))
        return None
    return frame
