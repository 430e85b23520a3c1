"""Converts annotations to JSON Schema, and JSON values to annotated types."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import pathlib
import types
import typing
import uuid
from typing import Any, Callable, Dict, List, Literal, Mapping, NamedTuple, Optional, Tuple, Union, cast, get_args, get_origin

from ._frames import is_list, is_mapping

_SCALARS: Dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


class _Standard(NamedTuple):
    schema: Dict[str, Any]
    read: Callable[[Any], Any]


def _iso(kind: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        text = str(value)
        # Before Python 3.11 the parser does not accept the suffix Z.
        return kind.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)

    return read


def _decimal(value: Any) -> Any:
    return decimal.Decimal(str(value))


# Standard-library types that JSON represents as strings or numbers.
_STANDARD: Dict[Any, _Standard] = {
    datetime.datetime: _Standard({"type": "string", "format": "date-time"}, _iso(datetime.datetime)),
    datetime.date: _Standard({"type": "string", "format": "date"}, _iso(datetime.date)),
    datetime.time: _Standard({"type": "string", "format": "time"}, _iso(datetime.time)),
    uuid.UUID: _Standard({"type": "string", "format": "uuid"}, uuid.UUID),
    pathlib.Path: _Standard({"type": "string"}, pathlib.Path),
    pathlib.PurePath: _Standard({"type": "string"}, pathlib.PurePath),
    decimal.Decimal: _Standard({"type": "number"}, _decimal),
}
_SETS = (set, frozenset)
# `X | Y`, since Python 3.10.
_UNIONS: Tuple[Any, ...] = (Union, getattr(types, "UnionType", Union))
_MISSING = inspect.Parameter.empty


class Parameters:
    """The parameters of a function: their schema, and how to convert arguments."""

    def __init__(self, schema: Dict[str, Any], annotations: Mapping[str, Any], context_name: Optional[str]) -> None:
        self.schema = schema
        self.context_name = context_name
        self._annotations = annotations

    def read(self, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """Converts arguments. Keys that the function does not have are dropped, because a model may add some."""
        known = self._annotations
        return {key: read_value(value, known[key]) for key, value in arguments.items() if key in known}


def read_parameters(function: Callable[..., Any], context_type: type) -> Parameters:
    hints = typing.get_type_hints(function, include_extras=True)
    annotations: Dict[str, Any] = {}
    properties: Dict[str, Any] = {}
    required: List[str] = []
    context_name: Optional[str] = None
    maker = _SchemaMaker()
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{function.__name__}: a tool's parameters are passed by name, but {name} cannot be")
        if name not in hints:
            raise TypeError(f"{function.__name__}: {name} needs an annotation")
        if hints[name] is context_type:
            context_name = name
            continue
        annotations[name] = hints[name]
        properties[name] = _with_default(maker.schema_of(hints[name]), parameter.default)
        if parameter.default is _MISSING:
            required.append(name)
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Parameters(maker.with_definitions(schema), annotations, context_name)


def _with_default(schema: Dict[str, Any], default: Any) -> Dict[str, Any]:
    if default is _MISSING or default is None:
        return schema
    if isinstance(default, enum.Enum):
        return {**schema, "default": default.value}
    return {**schema, "default": default} if isinstance(default, (str, int, float, bool)) else schema


def schema_of(annotation: Any) -> Dict[str, Any]:
    """Returns a self-contained schema. Raises TypeError for types that JSON cannot represent."""
    maker = _SchemaMaker()
    schema = maker.schema_of(annotation)
    name = str(schema.get("$ref", "")).replace(_REFERENCE, "")
    return maker.with_definitions(maker.definitions.get(name, schema))


_REFERENCE = "#/$defs/"


class _SchemaMaker:
    """Collects the definitions that schemas refer to: recursive classes, and those of Pydantic."""

    def __init__(self) -> None:
        self.definitions: Dict[str, Any] = {}
        # Classes whose schema is under construction, and the names of those that occurred again inside.
        self._open: List[Any] = []
        self._recursive: Dict[Any, str] = {}

    def with_definitions(self, schema: Dict[str, Any]) -> Dict[str, Any]:
        return {**schema, "$defs": self.definitions} if self.definitions else schema

    def schema_of(self, annotation: Any) -> Dict[str, Any]:
        if annotation is Any or annotation is object:
            return {}
        if inspect.isclass(annotation) and annotation in _SCALARS:
            return {"type": _SCALARS[annotation]}
        if inspect.isclass(annotation) and annotation in _STANDARD:
            return dict(_STANDARD[annotation].schema)
        origin, args = get_origin(annotation), get_args(annotation)
        if origin is typing.Annotated:
            texts = [extra for extra in args[1:] if isinstance(extra, str)]
            parts = [cast(Dict[str, Any], extra) for extra in args[1:] if isinstance(extra, dict)]
            described = {"description": texts[0]} if texts else {}
            return {**self.schema_of(args[0]), **described, **{key: part[key] for part in parts for key in part}}
        if origin is Literal:
            return {"enum": list(args)}
        if origin in _UNIONS:
            return {"anyOf": [self.schema_of(option) for option in args]}
        if annotation in (list, tuple) or origin in (list, tuple, typing.get_origin(typing.Sequence[Any])):
            return self._array_schema(origin, args)
        if annotation in _SETS or origin in _SETS:
            return {**self._array_schema(origin, args), "uniqueItems": True}
        if annotation is dict or origin in (dict, typing.get_origin(typing.Mapping[str, Any])):
            return {"type": "object", "additionalProperties": self.schema_of(args[1])} if args else {"type": "object"}
        if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
            return {"enum": [member.value for member in annotation]}
        if is_pydantic(annotation):
            return self._pydantic_schema(annotation)
        return self._class_schema(annotation)

    def _class_schema(self, annotation: Any) -> Dict[str, Any]:
        if annotation in self._recursive or annotation in self._open:
            name = self._recursive.setdefault(annotation, self._free_name(annotation.__name__))
            return {"$ref": f"{_REFERENCE}{name}"}
        fields = _fields_of(annotation)
        if fields is None:
            text = "annotate with JSON types, dataclasses, TypedDicts or Pydantic models"
            raise TypeError(f"{annotation!r} cannot be converted to JSON Schema: {text}")
        self._open.append(annotation)
        schema = {
            "type": "object",
            "properties": {name: self.schema_of(kind) for name, (kind, _is_required) in fields.items()},
            "required": [name for name, (_kind, is_required) in fields.items() if is_required],
            "additionalProperties": False,
        }
        self._open.pop()
        defined = self._recursive.get(annotation)
        if defined is None:
            return schema
        self.definitions[defined] = schema
        return {"$ref": f"{_REFERENCE}{defined}"}

    def _pydantic_schema(self, annotation: Any) -> Dict[str, Any]:
        schema: Dict[str, Any] = annotation.model_json_schema()
        inner: Dict[str, Any] = schema.pop("$defs", {})
        names = {name: name if self.definitions.get(name) == part else self._free_name(name) for name, part in inner.items()}
        self.definitions.update({names[name]: _renamed(part, names) for name, part in inner.items()})
        return _renamed(schema, names)

    def _free_name(self, name: str) -> str:
        taken = {*self.definitions, *self._recursive.values()}
        return next(free for free in (name, *(f"{name}{number}" for number in range(2, 1000))) if free not in taken)

    def _array_schema(self, origin: Any, args: Tuple[Any, ...]) -> Dict[str, Any]:
        if not args:
            return {"type": "array"}
        if origin is tuple and args[-1] is not Ellipsis:
            items = [self.schema_of(item) for item in args]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": self.schema_of(args[0])}


def is_pydantic(annotation: Any) -> bool:
    """Returns whether this is a Pydantic 2 model. Checks by attribute, so that Pydantic is not imported unless it is used."""
    return inspect.isclass(annotation) and hasattr(annotation, "model_json_schema") and hasattr(annotation, "model_validate")


def _renamed(schema: Dict[str, Any], names: Mapping[str, str]) -> Dict[str, Any]:
    text = json.dumps(schema)
    for old, new in names.items():
        if old != new:
            text = text.replace(json.dumps(f"{_REFERENCE}{old}"), json.dumps(f"{_REFERENCE}{new}"))
    return cast(Dict[str, Any], json.loads(text))


def _fields_of(annotation: Any) -> Optional[Dict[str, Tuple[Any, bool]]]:
    """Returns the annotation of each field of a TypedDict or dataclass, and whether it is required."""
    if not inspect.isclass(annotation):
        return None
    if dataclasses.is_dataclass(annotation):
        hints = typing.get_type_hints(annotation, include_extras=True)
        missing = dataclasses.MISSING
        return {
            one.name: (hints[one.name], one.default is missing and one.default_factory is missing)
            for one in dataclasses.fields(annotation)
            if one.init
        }
    required = getattr(annotation, "__required_keys__", None)
    if required is None:
        return None
    hints = typing.get_type_hints(annotation, include_extras=True)
    return {name: (_bare(kind), name in required) for name, kind in hints.items()}


def _bare(annotation: Any) -> Any:
    """Removes Required and NotRequired, which newer versions have."""
    name = getattr(get_origin(annotation), "_name", None)
    return get_args(annotation)[0] if name in ("Required", "NotRequired") else annotation


def read_value(value: Any, annotation: Any) -> Any:
    """Converts JSON to the annotated type. Creates enumerations, dataclasses, Pydantic models and standard-library types, and
    leaves everything else unchanged. The server has validated the arguments against the schema."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return read_value(value, args[0])
    if origin in _UNIONS:
        return _read_union(value, args)
    if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
        return annotation(value)
    if inspect.isclass(annotation) and annotation in _STANDARD and isinstance(value, (str, int, float)):
        return _STANDARD[annotation].read(value)
    if is_pydantic(annotation):
        model: Any = annotation
        return model.model_validate(value)
    if inspect.isclass(annotation) and dataclasses.is_dataclass(annotation) and is_mapping(value):
        fields = _fields_of(annotation) or {}
        parts: Dict[str, Any] = value
        given = {name: read_value(part, fields[name][0]) for name, part in parts.items() if name in fields}
        return annotation(**given)
    if is_list(value) and args and origin is not None:
        items: List[Any] = value
        if origin is tuple:
            kinds = [args[0]] * len(items) if args[-1] is Ellipsis else list(args)
            return tuple(read_value(item, kind) for item, kind in zip(items, kinds))
        if origin in _SETS:
            members = (read_value(item, args[0]) for item in items)
            return cast(Any, frozenset(members) if origin is frozenset else set(members))
        return [read_value(item, args[0]) for item in items]
    if is_mapping(value) and len(args) == 2:
        mapping: Dict[str, Any] = value
        return {key: read_value(part, args[1]) for key, part in mapping.items()}
    return value


def _read_union(value: Any, options: Tuple[Any, ...]) -> Any:
    """Returns the value as the first option that accepts it."""
    for option in options:
        if inspect.isclass(option) and option in _SCALARS:
            continue
        if isinstance(value, str) and str in options and inspect.isclass(option) and option in _STANDARD:
            continue  # any string would match
        try:
            read = read_value(value, option)
        except (ArithmeticError, AttributeError, TypeError, ValueError):
            continue
        if read is not value:
            return read
    return value
