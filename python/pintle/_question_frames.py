"""Which frames ask, answer and withdraw, by the table of the wire."""

from __future__ import annotations

from typing import Optional

from ._frames import Frame
from .protocol import QUESTIONS

# Requests, and the frames that withdraw them.
QUESTION_TYPES = frozenset(
    frame for row in QUESTIONS.values() for frame in (row["request"], row.get("cancel", row["request"]))
)
ANSWER_TYPES = frozenset(
    frame for row in QUESTIONS.values() for frame in (row["answer"], row.get("update", row["answer"]))
)
# The kinds that handlers answer. Calls of host tools are answered by the tools.
_KINDS = {row["request"]: kind for kind, row in QUESTIONS.items() if "capability" in row}
_CANCELS = frozenset(row["cancel"] for row in QUESTIONS.values() if "capability" in row and "cancel" in row)


def handled_kind(frame: Frame) -> Optional[str]:
    """Returns the kind of question whose request has the frame's type, if a handler answers it."""
    return _KINDS.get(frame["type"])


def expects_answer(kind: str, frame: Frame) -> bool:
    """Returns False for a request that only informs, and for one that withdraws another."""
    methods = QUESTIONS[kind].get("methods")
    method = frame.get("method")
    return method != "cancel" if methods is None else method in methods


def withdrawn_id(frame: Frame) -> Optional[str]:
    """Returns the id of the question that a frame withdraws."""
    is_cancel = frame["type"] in _CANCELS and frame.get("method", "cancel") == "cancel"
    return frame.get("targetId") if is_cancel else None
