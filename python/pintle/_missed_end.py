"""Reconstructs the end of a run that was missed."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set

from ._frames import Frame

_STOP_REASONS = frozenset(["stop", "length", "error", "aborted"])


def missed_end(seen: List[Frame], snapshot: Mapping[str, Any]) -> Frame:
    """Builds an `agent_end` from the run's received messages and the snapshot."""
    entries: Dict[str, Frame] = {entry["id"]: entry for entry in snapshot["entries"]}
    path = path_to(entries, snapshot.get("leafId"))
    messages = _joined(seen, [entry["message"] for entry in path if entry["type"] == "message" and "message" in entry])
    answer = next((one for one in reversed(messages) if one["role"] == "assistant"), None)
    reason = answer.get("stopReason") if answer else None
    return {"type": "agent_end", "messages": messages, "stopReason": reason if reason in _STOP_REASONS else "aborted"}


def path_to(entries: Mapping[str, Frame], leaf_id: Optional[str]) -> List[Frame]:
    """Returns the entries up to and including the leaf, oldest known entry first."""
    path: List[Frame] = []
    seen: Set[str] = set()
    entry = entries.get(leaf_id or "")
    while entry is not None and entry["id"] not in seen:
        seen.add(entry["id"])
        path.append(entry)
        entry = entries.get(entry.get("parentId") or "")
    return path[::-1]


def _joined(seen: List[Frame], told: List[Frame]) -> List[Frame]:
    """Joins both lists. The snapshot starts after the received messages, or long before them; then the run starts at the first
    received message."""
    if seen:
        first = (seen[0]["role"], seen[0].get("timestamp"))
        starts = [index for index, one in enumerate(told) if (one["role"], one.get("timestamp")) == first][:1]
    else:
        starts = [index for index, one in enumerate(told) if one["role"] == "user"][-1:]
    return told[starts[0] :] if starts else [*seen, *told]
