"""The package works with Python 3.9 and the standard library alone, whichever Python runs the tests."""

from __future__ import annotations

import ast
import importlib.util
import sysconfig
import unittest
from pathlib import Path
from typing import Iterator, List, Set, Tuple

from .support import ROOT

PACKAGE = ROOT / "python" / "pintle"

# What is newer than 3.9 and easily written by accident: name of the module, then the names in it.
NEWER = {
    "typing": {
        "Concatenate LiteralString Never NotRequired ParamSpec ParamSpecArgs Required Self TypeAlias TypeGuard TypeIs",
        "TypeVarTuple Unpack assert_never assert_type dataclass_transform override reveal_type is_typeddict TypeAliasType",
    },
    "asyncio": {"Runner TaskGroup Timeout timeout timeout_at Barrier eager_task_factory QueueShutDown"},
    "dataclasses": {"KW_ONLY"},
    "enum": {"StrEnum EnumCheck FlagBoundary verify member nonmember ReprEnum"},
    "types": {"UnionType NoneType EllipsisType NotImplementedType get_original_bases"},
    "inspect": {"get_annotations getmembers_static markcoroutinefunction"},
    "itertools": {"pairwise batched"},
    "contextlib": {"aclosing chdir AsyncContextDecorator"},
    "functools": {"Placeholder"},
}
NEWER_NAMES = {"ExceptionGroup", "BaseExceptionGroup", "aiter", "anext", "EncodingWarning", "PythonFinalizationError"}
NEWER_ARGUMENTS = {
    "dataclass": {"kw_only", "slots", "match_args", "weakref_slot"},
    "zip": {"strict"},
    "create_task": {"eager_start"},
}


def sources() -> Iterator[Tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 9))


class Syntax(unittest.TestCase):
    def test_the_grammar_is_that_of_3_9(self) -> None:
        for path, tree in sources():
            with self.subTest(path.name):
                statements = [type(node).__name__ for node in ast.walk(tree)]
                self.assertNotIn("Match", statements)
                # Annotations with newer notation are never evaluated.
                first = [node for node in tree.body if isinstance(node, ast.ImportFrom)][:1]
                self.assertEqual([node.module for node in first], ["__future__"])

    def test_no_newer_library_features_are_used(self) -> None:
        found = [f"{path.name}: {what}" for path, tree in sources() for node in ast.walk(tree) for what in newer_in(node)]
        self.assertEqual(found, [])

    def test_newer_features_would_be_detected(self) -> None:
        text = "from typing import Self\nasyncio.timeout(1)\nanext(x)\n@dataclass(slots=True)\nclass A: pass\n"
        found = [what for node in ast.walk(ast.parse(text)) for what in newer_in(node)]
        self.assertEqual(sorted(found), ["Self", "anext", "slots", "timeout"])

    def test_only_the_standard_library_is_imported(self) -> None:
        libraries = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
        for path, tree in sources():
            # What only type checkers read is never imported.
            unread = {
                inner
                for node in ast.walk(tree)
                if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
                for inner in ast.walk(node)
            }
            for node in ast.walk(tree):
                if node in unread:
                    continue
                names = (
                    [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else [str(node.module)]
                    if isinstance(node, ast.ImportFrom) and node.level == 0
                    else []
                )
                for name in names:
                    self.assertTrue(is_standard(name.split(".")[0], libraries), f"{path.name}: {name}")

    def test_a_third_party_package_would_be_detected(self) -> None:
        libraries = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
        self.assertEqual([is_standard(name, libraries) for name in ("json", "sys", "pintle", "no_such")], [True, True, False, False])


def is_standard(name: str, libraries: Set[str]) -> bool:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin in (None, "built-in", "frozen"):
        return spec is not None
    return "site-packages" not in str(spec.origin) and any(str(spec.origin).startswith(place) for place in libraries)


def newer_in(node: ast.AST) -> List[str]:
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [alias.name for alias in node.names if alias.name in newer(str(node.module))]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return [node.attr] if node.attr in newer(node.value.id) else []
    if isinstance(node, ast.Name):
        return [node.id] if node.id in NEWER_NAMES else []
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return [word.arg for word in node.keywords if word.arg in NEWER_ARGUMENTS.get(name, set()) and word.arg]
    return []


def newer(module: str) -> Set[str]:
    return {name for names in NEWER.get(module, ()) for name in names.split()}
