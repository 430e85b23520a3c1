import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { mcpFile } from "../support/mcp/servers-of.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { VENDOR, vendorPlace, vendorSays } from "../support/scenarios/vendor-place.ts";

const LISTING_SERVER = fileURLToPath(import.meta.resolve("../support/mcp/listing-server.ts"));
const standard = new Ajv({ strict: false, validateFormats: false });

/** Each of these schemas made some API refuse every request, or was left out. */
const ODD: Record<string, object> = {
  marked: { type: "object", properties: { a: { type: "string", required: true }, b: { required: false } } },
  draft4: { type: "object", properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true } } },
  tuple: { type: "object", properties: { p: { type: "array", items: [{ type: "number" }, { type: "number" }] } } },
  union: { anyOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: {} } }] },
  named: { $ref: "#/definitions/Args", definitions: { Args: { type: "object", properties: { a: {} } } } },
  list: { type: ["object"], properties: { a: { type: "array" } } },
  nullable: { type: "object", properties: { a: { type: "string", nullable: true } } },
  regex: { type: "object", properties: { a: { type: "string", pattern: "(?i)^\\A[a-z]++\\z" } } },
  huge: { type: "object", properties: { a: { type: "string", description: "x".repeat(80_000) } } },
  keys: { type: "object", properties: { $top: { type: "integer" }, "in cm": {} }, required: ["$top"] },
  php: { type: "object", properties: [], required: null },
};
const UNUSABLE = [
  { name: "lost", inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/none" } } } },
  { name: "typo", inputSchema: { type: "object", properties: { a: { type: "strnig" } } } },
  { name: "tasky", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
];

function serve({ place }: ChatPlace): void {
  const home = place.env.PINTLE_HOME as string;
  const odd = Object.entries(ODD).map(([name, inputSchema]) => ({ name, description: name, inputSchema }));
  const tools = [
    ...odd,
    ...UNUSABLE,
    { name: "x".repeat(100), inputSchema: {} },
    { name: "näme with/ spaces", inputSchema: { type: "object" } },
  ];
  const file = join(home, "tools.json");
  writeFileSync(file, JSON.stringify(tools));
  writeFileSync(join(home, "mcp.json"), mcpFile({ odd: { command: process.execPath, args: [LISTING_SERVER, file] } }));
}

const LONG = expect.stringMatching(/^mcp__odd__x{45}_[0-9a-f]{8}$/);
const NAMES = [...[...Object.keys(ODD), "n_me_with__spaces"].map((name) => `mcp__odd__${name}`).sort(), LONG];

/** The known requirements of the APIs for a declaration. */
function expectSendable(declared: { name: string; schema: Record<string, unknown> }[]): void {
  expect(declared.map(({ name }) => name).sort()).toEqual(NAMES);
  for (const { name, schema } of declared) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect([name, standard.validateSchema(schema), standard.errors ?? []]).toEqual([name, true, []]);
    expect([name, schema.type, typeof schema.properties]).toEqual([name, "object", "object"]);
    const keys = Object.keys(schema.properties as object);
    expect([name, keys.filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))]).toEqual([name, []]);
    const refused = ["anyOf", "oneOf", "allOf", "enum", "not"].filter((keyword) => keyword in schema);
    expect([name, refused]).toEqual([name, []]);
    expect(JSON.stringify(schema).length).toBeLessThan(65_536);
  }
}

const isOdd = ({ name }: { name: string }) => name.startsWith("mcp__");
const isMcpNotice = ({ type, source }: Frame) => type === "notice" && source === "mcp";

describe("unusual schemas of a server", () => {
  test("are adapted to one API, with a warning about those that cannot be repaired, and calls are validated where possible", async () => {
    const call = (name: string, args: object, id: string) => ({ name: `mcp__odd__${name}`, args, id });
    const calls = [
      call("regex", { a: "anything" }, "c1"),
      call("draft4", { n: 0 }, "c2"),
      call("tuple", { p: [1, 2] }, "c3"),
      call("union", {}, "c4"),
      call("marked", {}, "c5"),
      call("nullable", { a: null }, "c6"),
      call("keys", { _top: 3 }, "c7"),
    ];
    await using chat = await chatPlace(callsTools(...calls), says("done"));
    serve(chat);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("go");
    const tools = chat.server.requests[0]?.body.tools.map((tool: Frame) => tool.function);
    expectSendable(tools.filter(isOdd).map(({ name, parameters }: Frame) => ({ name, schema: parameters })));
    const notices = rpc.frames.filter(isMcpNotice).map(({ message }) => message);
    expect(notices).toEqual([
      'MCP server "odd" has tools that are left out: tool "lost": its schema cannot be used: unresolvable $ref "#/$defs/none" ' +
        'at /properties/a/$ref; tool "typo": its schema cannot be used: unknown type "strnig" at /properties/a/type; ' +
        'tool "tasky" can only be run as a task',
    ]);
    const ends = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    const isError = Object.fromEntries(ends.map(({ toolCallId, isError }) => [toolCallId, isError]));
    expect(isError).toEqual({ c1: false, c2: true, c3: false, c4: false, c5: true, c6: false, c7: false });
    expect(ends.find(({ toolCallId }) => toolCallId === "c7")?.result.content[0].text).toBe('keys {"$top":3}');
  });

  test("are adapted to the other API as well", async () => {
    await using vendor = await vendorPlace(vendorSays("done"));
    serve(vendor);
    await using rpc = await startRpc(VENDOR, vendor.place);
    await rpc.prompt("go");
    const tools: Frame[] = vendor.server.requests[0]?.body.tools;
    expectSendable(
      tools.filter((tool) => isOdd(tool as never)).map(({ name, input_schema }) => ({ name, schema: input_schema })),
    );
  });
});
