"""Models of Pydantic 2 as parameters and outputs. scripts/testing/python-packages.mjs installs it where it may."""

from __future__ import annotations

import datetime
import os
import unittest
from typing import Any, Dict, List

from pintle import tool
from pintle._schema import read_value


def is_installed() -> bool:
    try:
        import pydantic
    except ImportError:
        return False
    return hasattr(pydantic, "TypeAdapter")


class Pydantic(unittest.TestCase):
    def setUp(self) -> None:
        if is_installed():
            return
        if os.environ.get("CI") == "true":
            self.fail("Pydantic 2 is not installed")
        self.skipTest("Pydantic 2 is not installed")

    def test_models_provide_their_own_schema(self) -> None:
        import pydantic

        inner = pydantic.create_model("Inner", size=(int, ...))
        other = pydantic.create_model("Inner", label=(str, ...))
        outer = pydantic.create_model("Outer", inner=(inner, ...), when=(datetime.date, ...))
        namespace: Dict[str, Any] = {"outer": outer, "wrapped": pydantic.create_model("Wrapped", inner=(other, ...))}

        def keep(first: Any, second: Any) -> None:
            """Keeps both."""

        keep.__annotations__ = {"first": outer, "second": namespace["wrapped"], "return": None}
        parameters: Any = tool(keep).definition()["parameters"]
        self.assertEqual(parameters["properties"]["first"]["properties"]["inner"], {"$ref": "#/$defs/Inner"})
        self.assertEqual(parameters["properties"]["second"]["properties"]["inner"], {"$ref": "#/$defs/Inner2"})
        self.assertEqual(set(parameters["$defs"]["Inner"]["properties"]), {"size"})
        self.assertEqual(set(parameters["$defs"]["Inner2"]["properties"]), {"label"})
        read = read_value([{"inner": {"size": 1}, "when": "2026-01-02"}], List[outer])  # type: ignore[valid-type]
        self.assertEqual(read, [outer(inner=inner(size=1), when=datetime.date(2026, 1, 2))])
        with self.assertRaises(ValueError):
            read_value({"inner": {}}, outer)
