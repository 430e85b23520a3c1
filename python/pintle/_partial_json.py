"""Parses the start of a JSON document."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Optional

_WORD = re.compile(r"[^\s,\]}]*")
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*', re.DOTALL)
_CUT_EXPONENT = re.compile(r"(?<=\d)[eE][+-]?$")
_WORDS: Dict[str, Any] = {"null": None, "true": True, "false": False}


class _End(Exception):
    """Raised where the text ends."""


def parse_partial_object(text: str) -> Optional[Dict[str, Any]]:
    """Returns complete values, and truncated ones as far as possible. Returns None if it is not an
    object."""
    start = len(text) - len(text.lstrip())
    if not text.startswith("{", start):
        return None
    try:
        return _PartialParser(text, start).object()
    except (ValueError, RecursionError, _End):
        return None  # not JSON, or nested too deeply


class _PartialParser:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at

    def object(self) -> Dict[str, Any]:
        result: Dict[str, Any] = {}

        def read() -> None:
            key = self._string()
            self._skip_space()
            self._at += 1  # skip the colon
            result[key] = self._value()

        self._items("}", read)
        return result

    def _array(self) -> List[Any]:
        result: List[Any] = []
        self._items("]", lambda: result.append(self._value()))
        return result

    def _items(self, close: str, read: Callable[[], None]) -> None:
        """Reads items up to the closing bracket or the end of the text."""
        self._at += 1
        try:
            self._skip_space()
            while self._text[self._at] != close:
                read()
                self._skip_space()
                if self._text[self._at] == ",":
                    self._at += 1
                self._skip_space()
        except _End:
            pass
        self._at += 1

    def _value(self) -> Any:
        self._skip_space()
        first = self._text[self._at]
        if first == '"':
            return self._string()
        if first == "{":
            return self.object()
        if first == "[":
            return self._array()
        return self._word()

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            raise ValueError("a string was expected")
        start, end = self._at, match.end()
        self._at = end + 1
        if end < len(self._text) and self._text[end] == '"':
            return _text_of(self._text[start : end + 1])
        cut = self._text[start:]
        try:
            return _text_of(f'{cut}"')
        except ValueError:
            return _text_of(f'{cut[: cut.rfind(chr(92))]}"')  # drop an escape that is cut off

    def _word(self) -> Any:
        """Reads a number, `true`, `false` or `null`, which may be cut off."""
        match = _WORD.match(self._text, self._at)
        word = match.group() if match else ""
        if word == "":
            raise ValueError("a value was expected")
        self._at += len(word)
        if self._at < len(self._text):
            return json.loads(word)
        for full, value in _WORDS.items():
            if full.startswith(word):
                return value
        number = _CUT_EXPONENT.sub("", word)
        if number[-1] in "-.":
            raise _End  # no digit of it is known yet
        return json.loads(number)

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        if self._at >= len(self._text):
            raise _End


def _text_of(literal: str) -> str:
    value = json.loads(literal)
    if not isinstance(value, str):
        raise ValueError("a string was expected")
    return value
