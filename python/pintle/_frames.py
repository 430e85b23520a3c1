"""Frames as text and back."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Mapping, Optional, cast

from .errors import RpcProtocolError

Frame = Dict[str, Any]


def is_mapping(value: object) -> bool:
    """Says so without a type of its own: what is inside is as untyped as the frame it came in."""
    return isinstance(value, Mapping)


def is_list(value: object) -> bool:
    return isinstance(value, list)


def encode(frame: Frame) -> bytes:
    """One line. Raises for what is no JSON; half of a surrogate pair, which UTF-8 cannot carry, is written as an escape."""
    text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(frame, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: str, on_fault: Callable[[RpcProtocolError], None]) -> Optional[Frame]:
    """None, and a fault, when the line is no frame. No line can stop the reading."""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        on_fault(RpcProtocolError(f"A line cannot be read: {error}", line))
        return None
    frame = cast(Frame, value) if isinstance(value, dict) else None
    if frame is None or not isinstance(frame.get("type"), str):
        on_fault(RpcProtocolError("A line is no frame", line))
        return None
    return frame
