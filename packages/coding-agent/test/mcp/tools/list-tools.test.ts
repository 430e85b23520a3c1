import { describe, expect, test } from "bun:test";
import { listTools } from "../../../src/mcp/tools/list-tools.ts";

const tool = (name: string, inputSchema: unknown = { type: "object" }) => ({ name, inputSchema });

/** Pages by cursor; the first page has none. */
function pages(byCursor: Record<string, object>) {
  const asked: (string | undefined)[] = [];
  const list = listTools(async (cursor) => {
    asked.push(cursor);
    return (byCursor[cursor ?? ""] ?? {}) as Record<string, unknown>;
  });
  return { asked, list };
}

describe("listing tools", () => {
  test("fetches all pages", async () => {
    const { asked, list } = pages({ "": { tools: [tool("a")], nextCursor: "2" }, "2": { tools: [tool("b")] } });
    expect((await list).tools.map((listed) => listed.tool)).toEqual(["a", "b"]);
    expect(asked).toEqual([undefined, "2"]);
  });

  test("stops when pages form a cycle", async () => {
    const { asked, list } = pages({ "": { tools: [tool("a")], nextCursor: "x" }, x: { tools: [], nextCursor: "x" } });
    expect(await list).toMatchObject({ tools: [{ tool: "a" }], faults: ["its list of tools does not end"] });
    expect(asked).toEqual([undefined, "x"]);
  });

  test("stops when there are always new pages", async () => {
    let pages = 0;
    const list = await listTools(async () => {
      pages += 1;
      return { tools: [], nextCursor: String(pages) };
    });
    expect([pages, list.faults]).toEqual([100, ["its list of tools does not end"]]);
  });

  test("stops after more tools than a model could use", async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => tool(`t${index}`));
    const { tools, faults } = await pages({ "": { tools: many } }).list;
    expect([tools.length, faults]).toEqual([1_000, ["only the first 1000 tools are used"]]);
  });

  test("maps header arguments to the server's names, whatever the model calls them", async () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const marked = tool("a", { type: "object", properties: { "the region": region } });
    const { tools } = await pages({ "": { tools: [marked] } }).list;
    expect(tools[0]?.headers).toEqual([{ name: "Region", path: ["the region"] }]);
    const { properties = {} } = (tools[0]?.parameters ?? {}) as { properties?: object };
    const [known = ""] = Object.keys(properties);
    expect(known).not.toBe("the region");
    expect(tools[0]?.toServer?.({ [known]: "eu" })).toEqual({ "the region": "eu" });
  });

  test("rejects a response that is not a list", async () => {
    const failed = await pages({ "": { tools: "no" } }).list.catch((error: Error) => error.message);
    expect(failed).toBe("its list of tools is not a list");
  });

  test("truncates and sanitizes strings, and fills in missing fields", async () => {
    const given = {
      name: "a\u0007b",
      description: `\u001b[31m${"x".repeat(10_000)}`,
      annotations: { title: "T\u202e" },
    };
    const { tools } = await pages({ "": { tools: [given, tool("plain", {})] } }).list;
    expect(tools[0]?.description).toBe(`${"x".repeat(8_192)}…`);
    expect(tools[0]?.label).toBe("T?");
    expect(tools[0]?.parameters).toEqual({ type: "object", properties: {} } as never);
    expect(tools[1]).toEqual({
      tool: "plain",
      label: "plain",
      description: "plain",
      parameters: { type: "object" } as never,
    });
  });

  test.each<[string, unknown, RegExp]>([
    ["an array", { type: "array" }, /must describe an object/],
    ["no object", "text", /is not an object/],
    ["an unknown type", { type: "object", properties: { a: { type: "strnig" } } }, /unknown type "strnig"/],
    ["a lost reference", { type: "object", properties: { a: { $ref: "#/x" } } }, /unresolvable \$ref/],
    ["an endless reference", { type: "object", $ref: "#" }, /leads back to itself/],
    ["too much", { properties: { ["x".repeat(70_000)]: {} } }, /larger than 64 KiB/],
  ])("omits a tool whose schema is %s, and keeps the others", async (_, schema, fault) => {
    const { tools, faults } = await pages({ "": { tools: [tool("bad", schema), tool("good")] } }).list;
    expect(tools.map((listed) => listed.tool)).toEqual(["good"]);
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  test("keeps a tool whose schema is long or has a pattern in another regex dialect", async () => {
    const property = { type: "string", pattern: "(?i)^a", description: "x".repeat(70_000) };
    const { tools, faults } = await pages({ "": { tools: [tool("odd", { properties: { a: property } })] } }).list;
    const description = `${"x".repeat(200)}…`;
    const parameters = { type: "object", properties: { a: { type: "string", description } } };
    expect([tools, faults]).toEqual([[expect.objectContaining({ tool: "odd", parameters })], []]);
  });

  test("keeps the server's valid annotations", async () => {
    const hints = { readOnlyHint: true, destructiveHint: "no", openWorldHint: false, other: 1, title: "A\u0007b" };
    const entries = [
      { ...tool("a"), annotations: hints },
      { ...tool("b"), annotations: { idempotentHint: null } },
    ];
    const { tools } = await pages({ "": { tools: entries } }).list;
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      { title: "A?b", readOnlyHint: true, openWorldHint: false },
      undefined,
    ]);
  });

  test("omits a tool that only runs as a task", async () => {
    const entries = ["required", "optional", "forbidden"].map((taskSupport) => ({
      ...tool(taskSupport),
      execution: { taskSupport },
    }));
    const { tools, faults } = await pages({ "": { tools: entries } }).list;
    expect(tools.map((listed) => listed.tool)).toEqual(["optional", "forbidden"]);
    expect(faults).toEqual(['tool "required" can only be run as a task']);
  });

  test("omits entries without a usable name", async () => {
    const entries = [null, "text", {}, tool(""), tool("x".repeat(300)), tool("twice"), tool("twice")];
    const { tools, faults } = await pages({ "": { tools: entries } }).list;
    expect(tools.map((listed) => listed.tool)).toEqual(["twice"]);
    expect(faults).toHaveLength(6);
  });
});
