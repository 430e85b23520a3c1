"""Typed outputs of runs."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Union, get_origin

from ._frames import is_mapping
from ._schema import read_value, schema_of

# A dataclass, a TypedDict, a Pydantic model or a JSON Schema as a mapping.
OutputSchema = Union[type, Mapping[str, Any]]


class OutputMismatch(Exception):
    """The server accepted the output, but its class rejects it."""


class Output:
    """An output schema: its JSON Schema for the server, and how to convert the output."""

    def __init__(self, schema: OutputSchema) -> None:
        self._type: Optional[Any] = None if is_mapping(schema) else schema
        self.schema: Dict[str, Any] = _json_schema(schema)

    def read(self, value: Any) -> Any:
        if self._type is None:
            return value
        try:
            return read_value(value, self._type)
        except (TypeError, ValueError) as error:
            raise OutputMismatch(f"The output does not match {getattr(self._type, '__name__', self._type)}: {error}") from error


def _json_schema(schema: OutputSchema) -> Dict[str, Any]:
    if isinstance(schema, Mapping):
        return dict(schema)
    given: Any = schema  # programs without a type checker may pass anything
    if not isinstance(given, type) and get_origin(given) is None:
        text = "output_schema must be a dataclass, a TypedDict, a Pydantic model or a JSON Schema as a mapping"
        raise TypeError(f"{text}, not {schema!r}")
    return schema_of(schema)
