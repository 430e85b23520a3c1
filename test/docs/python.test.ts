import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PYTHON_FRAMES_PATH, renderPythonFrames } from "../../scripts/docs/python/frames.ts";
import { PYTHON_HANDLERS_PATH, renderPythonHandlers } from "../../scripts/docs/python/handlers.ts";
import { PYTHON_METHODS_PATH, renderPythonMethods } from "../../scripts/docs/python/methods.ts";
import { PYTHON_RESULTS_PATH, renderPythonResults } from "../../scripts/docs/python/results.ts";
import { PYTHON_SYNC_PATH, renderPythonSync } from "../../scripts/docs/python/sync.ts";
import { PythonTypes } from "../../scripts/docs/python/types.ts";

const root = join(import.meta.dir, "../..");

test.each([
  [PYTHON_FRAMES_PATH, renderPythonFrames],
  [PYTHON_HANDLERS_PATH, renderPythonHandlers],
  [PYTHON_METHODS_PATH, renderPythonMethods],
  [PYTHON_RESULTS_PATH, renderPythonResults],
  [PYTHON_SYNC_PATH, renderPythonSync],
])("%s is as the declarations say (npm run docs)", (path, render) => {
  // Compared as a whole: a difference of thousands of lines would bury its cause.
  expect(readFileSync(join(root, path), "utf8") === render()).toBe(true);
});

function declared(name: string, schema: object): string {
  const python = new PythonTypes();
  python.declare(name, schema);
  return python.declarations().join("\n\n");
}

test("what may be missing is a class on top of what may not", () => {
  const properties = { id: { type: "string" }, count: { type: "integer", description: "how many" } };
  expect(declared("Thing", { type: "object", properties, required: ["id"] })).toBe(
    "class _Thing(TypedDict):\n    id: str\n\n\nclass Thing(_Thing, total=False):\n    # how many\n    count: int",
  );
});

test("a key that is a word of Python is declared nevertheless", () => {
  const properties = { from: { type: "string" }, to: { anyOf: [{ type: "string" }, { type: "null" }] } };
  expect(declared("Move", { type: "object", properties, required: ["from", "to"] })).toBe(
    'Move = TypedDict(\n    "Move",\n    {\n        "from": str,\n        "to": Optional[str],\n    },\n)',
  );
});

test("choices are called after what tells them apart, and two shapes never share a name", () => {
  const option = (method: string) => ({
    type: "object",
    properties: { method: { type: "string", const: method } },
    required: ["method"],
  });
  expect(declared("Ask", { anyOf: [option("read"), option("write")] })).toContain('Ask = Union["AskRead", "AskWrite"]');
  const python = new PythonTypes();
  python.declare("AskRead", option("read"));
  expect(() => python.declare("Ask", { anyOf: [option("read"), option("write")] })).toThrow("AskRead");
});
