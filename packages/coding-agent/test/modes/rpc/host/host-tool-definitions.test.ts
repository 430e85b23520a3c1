import { describe, expect, test } from "bun:test";
import { SessionError } from "../../../../../storage/src/session-error.ts";
import { parseHostTools } from "../../../../src/modes/rpc/host/host-tool-definitions.ts";

const parameters = { type: "object", properties: { message: { type: "string" } } };
const echo = { name: "echo", description: "Says it again.", parameters };

const parse = (tools: unknown, taken: string[] = []) => parseHostTools(tools, (name) => taken.includes(name));

async function refusal(tools: unknown, taken: string[] = []): Promise<string> {
  try {
    await parse(tools, taken);
    return "accepted";
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    expect(error.code).toBe("invalid_request");
    return error.message;
  }
}

describe("rejected", () => {
  test.each([
    ["no array", {}, "Invalid set_host_tools: tools must be an array"],
    ["null", null, "Invalid set_host_tools: tools must be an array"],
    ["no object", [echo, 3], "Host tool at index 1 must provide a non-empty name"],
    ["null as a tool", [null], "Host tool at index 0 must provide a non-empty name"],
    ["no name", [{ ...echo, name: undefined }], "Host tool at index 0 must provide a non-empty name"],
    ["blank name", [{ ...echo, name: " \t" }], "Host tool at index 0 must provide a non-empty name"],
    ["no description", [{ ...echo, description: null }], 'Host tool "echo" must provide a non-empty description'],
    ["blank description", [{ ...echo, description: " " }], 'Host tool "echo" must provide a non-empty description'],
    ["no parameters", [{ ...echo, parameters: undefined }], 'Host tool "echo" must provide a JSON Schema object'],
    ["list as parameters", [{ ...echo, parameters: [] }], 'Host tool "echo" must provide a JSON Schema object'],
    ["true as parameters", [{ ...echo, parameters: true }], 'Host tool "echo" must provide a JSON Schema object'],
    ["two equal names", [echo, { ...echo, name: " echo " }], "RPC host tool names must be unique"],
    [
      "bad schema",
      [echo, { ...echo, name: "two", parameters: { type: "objct" } }],
      'Host tool "two" has an invalid JSON Schema: unknown type "objct" at /type',
    ],
    [
      "no limit",
      [{ ...echo, timeoutMs: 0 }],
      "Invalid set_host_tools: tools[0].timeoutMs must be an integer from 1 to 86400000 (milliseconds)",
    ],
  ])("%s", async (_name, tools, text) => {
    expect(await refusal(tools)).toBe(text);
  });

  test("the name of another tool", async () => {
    expect(await refusal([{ ...echo, name: " bash " }], ["bash"])).toBe(
      'RPC host tool "bash" conflicts with an existing tool',
    );
    expect(await refusal([{ ...echo, name: "Bash" }], ["bash"])).toBe("accepted");
  });

  test("a name that another tool claims while the schemas are compiled", async () => {
    const taken: string[] = [];
    const refused = refusal([echo], taken);
    taken.push("echo");
    expect(await refused).toBe('RPC host tool "echo" conflicts with an existing tool');
  });

  test.each(["two words", "a.b", "ü", "1st", "-x", "x".repeat(65), "a\nb"])(
    "a name that providers reject: %j",
    async (name) => {
      const text = await refusal([{ ...echo, name }]);
      expect(text).toStartWith(`Host tool "${name}" has a name that providers refuse`);
    },
  );

  test.each([
    [{ type: "string" }, 'its root must have the type "object", not "string"'],
    [{ type: ["object", "null"] }, 'its root must have the type "object", not ["object","null"]'],
    [{ anyOf: [{ type: "object" }] }, 'its root must be one object, and "anyOf" is not allowed there'],
    [{ type: "object", oneOf: [{}] }, 'its root must be one object, and "oneOf" is not allowed there'],
    [{ enum: [{}] }, 'its root must be one object, and "enum" is not allowed there'],
  ])("a root that is not an object: %j", async (schema, reason) => {
    expect(await refusal([{ ...echo, parameters: schema }])).toBe(
      `Host tool "echo" has an invalid JSON Schema: ${reason}`,
    );
  });

  test("invalid time limits", async () => {
    for (const timeoutMs of [-1, 1.5, 86_400_001, "1000", true, Number.NaN]) {
      expect(await refusal([{ ...echo, timeoutMs }])).toMatch(/^Invalid set_host_tools: tools\[0\]\.timeoutMs must be/);
    }
  });

  test("checks fields before names, names before conflicts, conflicts before schemas", async () => {
    const badSchema = { ...echo, name: "a", parameters: { type: "x" } };
    const taken = { ...echo, name: "bash" };
    expect(await refusal([badSchema, taken, taken, {}], ["bash"])).toMatch(/^Host tool at index 3/);
    expect(await refusal([badSchema, taken, taken], ["bash"])).toBe("RPC host tool names must be unique");
    expect(await refusal([badSchema, taken], ["bash"])).toMatch(/conflicts with an existing tool$/);
    expect(await refusal([badSchema], ["bash"])).toMatch(/invalid JSON Schema/);
  });
});

describe("accepted", () => {
  test("an empty list", async () => {
    expect(await parse([])).toEqual([]);
  });

  test("trims strings, needs no label, and hides only for true", async () => {
    const tools = [
      { name: " a ", label: " A tool ", description: " first ", parameters, hidden: true, timeoutMs: 5000 },
      { name: "b", label: null, description: "second", parameters, hidden: null, timeoutMs: null },
      { name: "c", label: "  ", description: "third", parameters, hidden: "true", unknown: 1 },
      { name: "d", label: 4, description: "fourth", parameters, hidden: 1 },
    ];
    expect(await parse(tools)).toEqual([
      { name: "a", label: "A tool", description: "first", parameters, isHidden: true, timeoutMs: 5000 },
      { name: "b", label: "b", description: "second", parameters, isHidden: false },
      { name: "c", label: "c", description: "third", parameters, isHidden: false },
      { name: "d", label: "d", description: "fourth", parameters, isHidden: false },
    ]);
  });

  test("schemas with an object at the root, and the longest name", async () => {
    for (const schema of [
      {},
      { properties: {} },
      { type: "object" },
      { $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
    ]) {
      expect(await refusal([{ ...echo, name: "x".repeat(64), parameters: schema }])).toBe("accepted");
    }
  });

  test("names that differ only in case, in their original order", async () => {
    const names = ["Zoom", "zoom", "ZOOM", "alpha"];
    const definitions = await parse(names.map((name) => ({ ...echo, name })));
    expect(definitions.map(({ name }) => name)).toEqual(names);
  });
});

describe("annotations", () => {
  test("are stored", async () => {
    const annotations = { title: "Echo", readOnlyHint: true, idempotentHint: false };
    expect(await parse([{ ...echo, annotations }])).toMatchObject([{ name: "echo", annotations }]);
  });

  test.each([
    [{ readOnlyHint: "true" }, 'Host tool "echo" has an annotation readOnlyHint that is not a boolean'],
    [{ readOnlyHint: null }, 'Host tool "echo" has an annotation readOnlyHint that is not a boolean'],
    [[], 'Host tool "echo" has annotations that are not an object'],
    [{ title: 3 }, 'Host tool "echo" has an annotation title that is not a string'],
    [
      { readonlyHint: true },
      'Host tool "echo" has an unknown annotation "readonlyHint": known are title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint',
    ],
  ])("rejects %j", async (annotations, text) => {
    expect(await refusal([{ ...echo, annotations }])).toBe(text);
  });
});
