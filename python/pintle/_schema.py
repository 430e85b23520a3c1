"""JSON Schema of annotations, and arguments as what the annotations say."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
import typing
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Tuple, Union, cast, get_args, get_origin

from ._frames import is_list, is_mapping

_SCALARS: Dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
# `X | Y` of Python 3.10.
_UNIONS: Tuple[Any, ...] = (Union, getattr(types, "UnionType", Union))
_MISSING = inspect.Parameter.empty


class Parameters:
    """The parameters of a function: their schema, and how arguments are read by it."""

    def __init__(self, schema: Dict[str, Any], annotations: Mapping[str, Any], context_name: Optional[str]) -> None:
        self.schema = schema
        self.context_name = context_name
        self._annotations = annotations

    def read(self, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """Keys that the function does not have are left out: a model may add some."""
        known = self._annotations
        return {key: _read(value, known[key]) for key, value in arguments.items() if key in known}


def read_parameters(function: Callable[..., Any], context_type: type) -> Parameters:
    hints = typing.get_type_hints(function, include_extras=True)
    annotations: Dict[str, Any] = {}
    properties: Dict[str, Any] = {}
    required: List[str] = []
    context_name: Optional[str] = None
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{function.__name__}: arguments of a tool have names, {name} has none")
        if name not in hints:
            raise TypeError(f"{function.__name__}: {name} needs an annotation")
        if hints[name] is context_type:
            context_name = name
            continue
        annotations[name] = hints[name]
        properties[name] = _with_default(schema_of(hints[name]), parameter.default)
        if parameter.default is _MISSING:
            required.append(name)
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Parameters(schema, annotations, context_name)


def _with_default(schema: Dict[str, Any], default: Any) -> Dict[str, Any]:
    if default is _MISSING or default is None:
        return schema
    if isinstance(default, enum.Enum):
        return {**schema, "default": default.value}
    return {**schema, "default": default} if isinstance(default, (str, int, float, bool)) else schema


def schema_of(annotation: Any) -> Dict[str, Any]:
    """Raises TypeError for what JSON cannot say."""
    if annotation is Any or annotation is object:
        return {}
    if inspect.isclass(annotation) and annotation in _SCALARS:
        return {"type": _SCALARS[annotation]}
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        texts = [extra for extra in args[1:] if isinstance(extra, str)]
        parts = [cast(Dict[str, Any], extra) for extra in args[1:] if isinstance(extra, dict)]
        described = {"description": texts[0]} if texts else {}
        return {**schema_of(args[0]), **described, **{key: part[key] for part in parts for key in part}}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in _UNIONS:
        return {"anyOf": [schema_of(option) for option in args]}
    if annotation in (list, tuple) or origin in (list, tuple, typing.get_origin(typing.Sequence[Any])):
        return _array_schema(origin, args)
    if annotation is dict or origin in (dict, typing.get_origin(typing.Mapping[str, Any])):
        return {"type": "object", "additionalProperties": schema_of(args[1])} if args else {"type": "object"}
    if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
        return {"enum": [member.value for member in annotation]}
    fields = _fields_of(annotation)
    if fields is None:
        raise TypeError(f"{annotation!r} cannot be said in JSON")
    return {
        "type": "object",
        "properties": {name: schema_of(kind) for name, (kind, _is_required) in fields.items()},
        "required": [name for name, (_kind, is_required) in fields.items() if is_required],
        "additionalProperties": False,
    }


def _array_schema(origin: Any, args: Tuple[Any, ...]) -> Dict[str, Any]:
    if not args:
        return {"type": "array"}
    if origin is tuple and args[-1] is not Ellipsis:
        items = [schema_of(item) for item in args]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "items": schema_of(args[0])}


def _fields_of(annotation: Any) -> Optional[Dict[str, Tuple[Any, bool]]]:
    """Of a TypedDict or a dataclass: by name its annotation, and whether it is required."""
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
    """Without Required and NotRequired, which newer versions have."""
    name = getattr(get_origin(annotation), "_name", None)
    return get_args(annotation)[0] if name in ("Required", "NotRequired") else annotation


def _read(value: Any, annotation: Any) -> Any:
    """JSON as the annotated type: enumerations and dataclasses are made, everything else is as it came. The server has checked
    the arguments by the schema."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return _read(value, args[0])
    if origin in _UNIONS:
        return _read_union(value, args)
    if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
        return annotation(value)
    if inspect.isclass(annotation) and dataclasses.is_dataclass(annotation) and is_mapping(value):
        fields = _fields_of(annotation) or {}
        parts: Dict[str, Any] = value
        given = {name: _read(part, fields[name][0]) for name, part in parts.items() if name in fields}
        return annotation(**given)
    if is_list(value) and args and origin is not None:
        items: List[Any] = value
        if origin is tuple:
            kinds = [args[0]] * len(items) if args[-1] is Ellipsis else list(args)
            return tuple(_read(item, kind) for item, kind in zip(items, kinds))
        return [_read(item, args[0]) for item in items]
    if is_mapping(value) and len(args) == 2:
        mapping: Dict[str, Any] = value
        return {key: _read(part, args[1]) for key, part in mapping.items()}
    return value


def _read_union(value: Any, options: Tuple[Any, ...]) -> Any:
    """The first option that the value can be read as."""
    for option in options:
        if inspect.isclass(option) and option in _SCALARS:
            continue
        try:
            read = _read(value, option)
        except (TypeError, ValueError):
            continue
        if read is not value:
            return read
    return value
