import { describe, expect, test } from "bun:test";
import { callsTools, says } from "./support/chat-server.ts";
import { withExtensions } from "./support/extensions/with-extensions.ts";
import type { Frame } from "./support/rpc-child.ts";

// Extensions are not type-checked. Whatever they answer, every frame is one of the protocol (each is checked as it is read),
// the conversation goes on, and what makes no sense counts as no answer.

const TOOL = `pi.registerTool({ name: "t", description: "d", parameters: pi.typebox.Type.Object({}), execute: async () => ({ content: [{ type: "text", text: "ran" }] }) });`;
const CYCLE = `(() => { const a = {}; a.a = a; return a; })()`;
const faultsIn = (frames: Frame[]) => frames.filter(({ type }) => type === "extension_error").map(({ event }) => event);

const HANDLERS: [event: string, handler: string, isReported: boolean][] = [
  ["tool_result", `() => ({ content: [5] })`, true],
  ["tool_result", `() => ({ content: [{ type: "text", text: 5 }] })`, true],
  ["tool_result", `() => ({ content: [{ type: "image" }] })`, true],
  ["tool_result", `() => ({ details: 10n })`, false],
  ["tool_result", `() => ({ details: ${CYCLE} })`, false],
  ["tool_result", `() => 5`, false],
  ["message_end", `({ message }) => ({ message: { ...message, content: [5] } })`, true],
  ["message_end", `({ message }) => ({ message: { ...message, content: [{ type: "video" }] } })`, true],
  ["message_end", `({ message }) => ({ message: { role: message.role } })`, true],
  ["message_end", `({ message }) => ({ message: { role: message.role, content: message.content } })`, false],
  ["message_end", `({ message }) => ({ message: "text" })`, true],
  ["context", `() => ({ messages: [5] })`, true],
  ["context", `() => ({ messages: [{ role: "user" }] })`, true],
  [
    "context",
    `() => ({ messages: [{ role: "assistant", content: [{ type: "toolCall", id: "x", name: "t" }] }] })`,
    true,
  ],
  ["before_provider_request", `() => 10n`, true],
  ["before_provider_request", `() => (${CYCLE})`, true],
  ["before_provider_request", `({ payload }) => { payload.self = payload; }`, true],
  ["before_provider_request", `() => () => {}`, false],
  ["tool_call", `() => 5`, false],
  ["input", `() => "text"`, false],
  ["input", `() => ({ action: "what" })`, false],
  ["before_agent_start", `() => ({ message: {} })`, true],
  ["before_agent_start", `() => ({ systemPrompt: 5 })`, true],
];

test.each(HANDLERS)("%s: %s", async (event, handler, isReported) => {
  await using run = await withExtensions(`${TOOL} pi.on("${event}", ${handler});`, {
    answers: [callsTools({ name: "t" }), says("ok")],
  });
  await run.rpc.prompt("go");
  expect(new Set(faultsIn(run.rpc.frames))).toEqual(new Set(isReported ? [event] : []));
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(messages.map(({ role }: Frame) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(messages.at(-1).content).toEqual([{ type: "text", text: "ok" }]);
  expect(run.server.requests.map(({ body }) => Array.isArray(body.messages))).toEqual([true, true]);
});

describe("user_bash", () => {
  const rows: [answer: string, expected: object][] = [
    [`{ result: 5 }`, { success: true, data: { output: "" } }],
    [`{ result: { output: 7, exitCode: "x" } }`, { success: true, data: { output: "7", outputLines: 1 } }],
    [
      `{ result: { output: "x\\n".repeat(5000), exitCode: 0 } }`,
      { success: true, data: { truncated: true, totalLines: 5000, outputLines: 3000 } },
    ],
    [`{ operations: { exec: async () => {} } }`, { success: false, error: "The command ended without an exit code" }],
    [`{ operations: { exec: () => ({ exitCode: 1.5 }) } }`, { success: false }],
    [`{ operations: { exec: () => { throw new Error("unreachable") } } }`, { success: false, error: "unreachable" }],
    [
      `{ operations: { exec: (command, cwd, { onData }) => { onData(5); return { exitCode: 1 } } } }`,
      { success: true, data: { output: "5", exitCode: 1 } },
    ],
  ];
  test.each(rows)("%s", async (answer, expected) => {
    await using run = await withExtensions(`pi.on("user_bash", () => (${answer}));`);
    expect(await run.rpc.call("bash", { command: "pwd" })).toMatchObject(expected);
  });
});
