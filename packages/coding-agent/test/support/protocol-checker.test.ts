import { describe, expect, test } from "bun:test";
import { type JsonSchema, protocolSchema, refName } from "@pintle/wire/schemas";
import { toDialect } from "../../src/modes/rpc/dialects/dialect.ts";
import { checkHostFrame, checkServerFrame } from "./protocol-checker.ts";
import { sampleOf } from "./schema-sample.ts";

const { $defs } = protocolSchema();

function shapesOf(name: string): [string, JsonSchema][] {
  const schema = $defs[name]!;
  return (schema.anyOf ?? []).some(({ $ref }) => $ref)
    ? schema.anyOf!.flatMap(({ $ref }) => shapesOf(refName($ref!)))
    : (schema.anyOf ?? [schema]).map((option) => [name, option]);
}

/** Frames that the default dialect sends. */
const isSent = ([name]: [string, JsonSchema]) => !/^(?:Compaction|SummarizationRetry)/.test(name);

const EVERY_SHAPE = [
  ...shapesOf("ServerFrame")
    .filter(isSent)
    .map(([name, schema]) => [name, schema, checkServerFrame] as const),
  ...shapesOf("HostFrame").map(([name, schema]) => [name, schema, checkHostFrame] as const),
];

describe("every declared frame", () => {
  test("is as declared in the dialect of pi too, or not sent", () => {
    const config = () => ({ model: {}, thinkingLevel: "off" });
    const surroundings = { isPreviewByHost: () => true, isNamed: () => false, config, printNotice() {} };
    const seeds = shapesOf("ServerFrame").map(([, schema]) => sampleOf(schema, $defs) as { type: string });
    const sent = seeds.flatMap((frame) => toDialect(frame, "pi", surroundings) ?? []);
    expect(sent.flatMap((frame) => checkServerFrame(frame, "pi"))).toEqual([]);
    const types = new Set(sent.map(({ type }) => type));
    expect([types.has("ready"), types.has("notice"), types.has("compaction_end")]).toEqual([false, false, true]);
    expect(checkServerFrame({ type: "todo_auto_clear" }, "pi")).not.toEqual([]);
  });

  test("is accepted with its required fields alone, and with more than is declared", () => {
    const refused = EVERY_SHAPE.flatMap(([name, schema, check]) => {
      const frame = sampleOf(schema, $defs) as object;
      return [check(frame), check({ ...frame, aNewKey: { of: "tomorrow" } })]
        .flat()
        .map((fault) => `${name}: ${fault}`);
    });
    expect(refused).toEqual([]);
    expect(EVERY_SHAPE.length).toBeGreaterThan(130);
  });

  test("is refused without any one of them", () => {
    const accepted = EVERY_SHAPE.flatMap(([name, schema, check]) =>
      (schema.required ?? []).flatMap((key) => {
        const { [key]: _left, ...rest } = sampleOf(schema, $defs) as Record<string, unknown>;
        return check(rest).length > 0 ? [] : [`${name} without ${key}`];
      }),
    );
    expect(accepted).toEqual([]);
  });

  test("is refused with a field of another type", () => {
    const isAnything = (field: JsonSchema) => Object.keys(field).every((key) => key === "description");
    const accepted = EVERY_SHAPE.flatMap(([name, schema, check]) =>
      Object.entries(schema.properties ?? {})
        .filter(([, field]) => !isAnything(field))
        .filter(([key]) => check({ ...(sampleOf(schema, $defs) as object), [key]: [null] }).length === 0)
        .map(([key]) => `${name}.${key}`),
    );
    expect(accepted).toEqual([]);
  });
});

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const answer = {
  role: "assistant",
  content: [],
  api: "a",
  provider: "p",
  model: "m",
  stopReason: "stop",
  timestamp: 1,
  usage,
};
const update = (event: object) => ({
  type: "message_update",
  messageId: "m",
  message: answer,
  assistantMessageEvent: event,
});
const user = { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 1 };
const model = {
  id: "i",
  name: "n",
  api: "a",
  provider: "p",
  baseUrl: "b",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1,
  maxTokens: 1,
};

// Frames that make clients of the older protocol drop the connection.
test.each([
  ["an unknown role", { type: "message_start", message: { ...user, role: "system" } }],
  [
    "a block that the role does not have",
    { type: "message_end", message: { ...answer, content: [{ type: "image" }] } },
  ],
  ["an answer without usage", { type: "message_end", message: { ...answer, usage: undefined } }],
  ["a result of another role", { type: "turn_end", message: answer, toolResults: [user] }],
  ["an update without partial", update({ type: "text_delta", contentIndex: 0, delta: "x" })],
  ["half a block", update({ type: "text_delta", contentIndex: 0.5, delta: "x", partial: answer })],
  ["an unknown update", update({ type: "text", contentIndex: 0, delta: "x", partial: answer })],
  ["a delta that is no text", update({ type: "toolcall_delta", contentIndex: 0, delta: {}, partial: answer })],
  ["a reason outside the set", { type: "auto_compaction_start", reason: "manual", action: "context-full" }],
  ["an action outside the set", { type: "auto_compaction_start", reason: "idle", action: "prune" }],
  [
    "a wait that is no integer",
    { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 0.5, errorMessage: "" },
  ],
  ["a null for an integer", { type: "auto_retry_end", success: true, attempt: null }],
  [
    "a status outside the set",
    { type: "todo_reminder", todos: [{ id: "t", content: "c", status: "blocked" }], attempt: 1, maxAttempts: 1 },
  ],
  ["an unknown dialog", { type: "extension_ui_request", id: "u", method: "open_url", url: "u" }],
  ["a limit with a fraction", { type: "extension_ui_request", id: "u", method: "input", title: "t", timeout: 1.5 }],
  ["a seventh thinking level", { type: "thinking_level_changed", level: "max", thinkingLevel: "max" }],
  ["a model with null in it", { type: "model_changed", model: { ...model, contextWindow: null } }],
  ["a response of nobody's", { type: "response", command: "no_such", success: true }],
  ["data of another command", { type: "response", command: "bash", success: true, data: { text: "x" } }],
  ["a failure that looks like an empty success", { type: "response", command: "abort", success: false }],
  ["a failure without a text", { type: "response", command: "bash", success: false }],
  ["an undeclared event", { type: "brand_new" }],
  ["no type", {}],
  ["a list", []],
  ["null", null],
])("refuses %s", (_what, frame) => {
  expect(checkServerFrame(JSON.parse(JSON.stringify(frame)))).not.toEqual([]);
});

test.each([
  ["a message of the user", { type: "message_start", messageId: "m", message: user }],
  ["a delta", update({ type: "text_delta", contentIndex: 0, delta: "x", partial: answer })],
  ["a model", { type: "model_changed", model }],
  ["a failure without an id", { type: "response", command: "x", success: false, error: "Unknown command: x" }],
  ["null where there is nothing to cycle to", { type: "response", command: "cycle_model", success: true, data: null }],
])("accepts %s", (_what, frame) => {
  expect(checkServerFrame(frame)).toEqual([]);
});

test("an answer without text is empty only in the dialect of pi", () => {
  const frame = { type: "response", command: "get_last_assistant_text", success: true, data: {} };
  expect(checkServerFrame(frame, "pi")).toEqual([]);
  expect(checkServerFrame(frame)).toEqual(["/data must have required properties text"]);
});

test("says where the fault is, of the shape that was meant", () => {
  const frame = { type: "extension_ui_request", id: "u", method: "confirm", title: "t", message: 7 };
  expect(checkServerFrame(frame)).toEqual(["/message must be string"]);
});
