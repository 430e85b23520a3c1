"""Splits bytes into lines."""

from __future__ import annotations

from typing import Callable, List

# Longer lines are discarded; reading resumes after their LF.
_MAX_LINE_BYTES = 256 * 1024 * 1024
_BYTE_ORDER_MARK = "\ufeff"


class LineReader:
    """Splits bytes into lines. Only LF ends a line, and it is searched for in the bytes: other separators are legal inside a JSON
    string, and a character split across two chunks is decoded as a whole. Bytes that are not UTF-8 are replaced."""

    def __init__(
        self,
        on_line: Callable[[str], None],
        on_overlong_line: Callable[[], None],
        max_line_bytes: int = _MAX_LINE_BYTES,
    ) -> None:
        self._on_line = on_line
        self._on_overlong_line = on_overlong_line
        self._max_line_bytes = max_line_bytes
        self._pieces: List[bytes] = []
        self._length = 0
        self._is_overlong = False
        self._is_at_start = True

    def push(self, chunk: bytes) -> None:
        start = 0
        end = chunk.find(b"\n")
        while end != -1:
            self._keep(chunk[start:end])
            self._finish_line()
            start = end + 1
            end = chunk.find(b"\n", start)
        self._keep(chunk[start:])

    def end(self) -> None:
        """Flushes the last line, which may lack its LF."""
        self._finish_line()

    def _keep(self, piece: bytes) -> None:
        if not piece or self._is_overlong:
            return
        self._length += len(piece)
        if self._length <= self._max_line_bytes:
            self._pieces.append(piece)
        else:
            self._is_overlong = True
            self._pieces = []

    def _finish_line(self) -> None:
        pieces, is_overlong = self._pieces, self._is_overlong
        self._pieces, self._length, self._is_overlong = [], 0, False
        if is_overlong:
            self._on_overlong_line()
        elif pieces:
            self._deliver(b"".join(pieces))

    def _deliver(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        if text.endswith("\r"):
            text = text[:-1]
        if self._is_at_start:
            self._is_at_start = False
            if text.startswith(_BYTE_ORDER_MARK):
                text = text[1:]
        if text.strip():
            self._on_line(text)
