import { describe, expect, test } from "bun:test";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { type ExtensionRun, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Tests every event that only informs, in the built program: its fields and its order.

const OBSERVED = [
  "session_start",
  "session_switch",
  "session_branch",
  "session_compact",
  "session_tree",
  "session_shutdown",
  "agent_start",
  "agent_end",
  "agent_settled",
  "turn_start",
  "turn_end",
  "message_start",
  "message_update",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
  "after_provider_response",
  "model_select",
  "thinking_level_select",
  "pending_action_added",
  "pending_action_resolved",
  "auto_compaction_start",
  "auto_compaction_end",
  "auto_retry_start",
  "auto_retry_end",
  "ttsr_triggered",
  "todo_reminder",
];
const RECORDER = `for (const name of ${JSON.stringify(OBSERVED)}) pi.on(name, (event) => note(name, event));`;

/** Ends the program and returns what was recorded, without irrelevant kinds. */
async function recorded({ rpc, notes }: ExtensionRun, ...without: string[]): Promise<[string, Frame][]> {
  expect(await rpc.end()).toBe(0);
  expect(rpc.frames.filter(({ type }) => type === "extension_error")).toEqual([]);
  return notes().filter(([name]) => !without.includes(name));
}

const of = (name: string, events: [string, Frame][]) =>
  events.filter(([key]) => key === name).map(([, event]) => event);

test("receive all events of a run with a tool, in the order of the wire", async () => {
  const TOOL = `pi.registerTool({ name: "work", description: "w", parameters: pi.typebox.Type.Object({ n: pi.typebox.Type.Number() }),
    async execute(id, params, signal, onUpdate) {
      onUpdate({ content: [{ type: "text", text: "half" }] });
      return { content: [{ type: "text", text: "done" }], details: { all: true } };
    } });`;
  await using run = await withExtensions(RECORDER + TOOL, {
    answers: [callsTools({ name: "work", args: { n: 1 } }), says("fine")],
  });
  await run.rpc.prompt("go");
  const events = await recorded(run, "message_update");
  expect(events.map(([name]) => name)).toEqual([
    "session_start",
    "agent_start",
    "turn_start",
    "message_start", // of the prompt
    "after_provider_response",
    "message_start",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "message_start",
    "turn_end",
    "turn_start",
    "after_provider_response",
    "message_start",
    "turn_end",
    "agent_end",
    "agent_settled",
    "session_shutdown",
  ]);
  const call = { toolCallId: "call_1", toolName: "work", args: { n: 1 } };
  const done = { content: [{ type: "text", text: "done" }], details: { all: true } };
  const rows: [string, object[]][] = [
    ["session_start", [{ type: "session_start", reason: "startup" }]],
    ["session_shutdown", [{ type: "session_shutdown", reason: "quit" }]],
    ["agent_start", [{ type: "agent_start" }]],
    ["agent_settled", [{ type: "agent_settled", aborted: false }]],
    ["turn_start", [0, 1].map((turnIndex) => ({ type: "turn_start", turnIndex, timestamp: expect.any(Number) }))],
  ];
  for (const [name, expected] of rows) expect(of(name, events)).toEqual(expected as Frame[]);
  expect(of("tool_execution_start", events)).toMatchObject([call]);
  expect(of("tool_execution_update", events)).toMatchObject([
    { ...call, partialResult: { content: [{ type: "text", text: "half" }] } },
  ]);
  expect(of("tool_execution_end", events)).toMatchObject([
    { toolCallId: "call_1", toolName: "work", result: done, isError: false },
  ]);
  const [first, second] = of("turn_end", events) as [Frame, Frame];
  expect(first).toMatchObject({ turnIndex: 0, message: { role: "assistant", stopReason: "toolUse" } });
  expect(first.toolResults).toMatchObject([{ role: "toolResult", toolCallId: "call_1", ...done }]);
  expect(second).toMatchObject({ turnIndex: 1, message: { role: "assistant" }, toolResults: [] });
  const [end] = of("agent_end", events) as [Frame];
  expect(end.stopReason).toBe("stop");
  expect(end.messages.map(({ role }: Frame) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  const deltas = of("message_update", run.notes()).map(({ assistantMessageEvent }) => assistantMessageEvent.type);
  expect(deltas).toEqual(expect.arrayContaining(["toolcall_delta", "text_delta"]));
});

test("receive the old and new session, with reasons and files, when the session changes", async () => {
  await using run = await withExtensions(RECORDER);
  await run.rpc.prompt("go");
  const first = (await run.rpc.call("get_state")).data.sessionFile;
  await run.rpc.call("new_session");
  const second = (await run.rpc.call("get_state")).data.sessionFile;
  await run.rpc.call("switch_session", { sessionPath: first });
  const [{ entryId }] = (await run.rpc.call("get_branch_messages")).data.messages;
  await run.rpc.call("branch", { entryId });
  const third = (await run.rpc.call("get_state")).data.sessionFile;
  expect(third).not.toBe(first);
  const events = (await recorded(run)).filter(([name]) => /^session_/.test(name));
  expect(events.map(([, event]) => event)).toEqual([
    { type: "session_start", reason: "startup" },
    { type: "session_shutdown", reason: "new", targetSessionFile: second },
    { type: "session_start", reason: "new", previousSessionFile: first },
    { type: "session_switch", reason: "new", previousSessionFile: first },
    { type: "session_shutdown", reason: "resume", targetSessionFile: first },
    { type: "session_start", reason: "resume", previousSessionFile: second },
    { type: "session_switch", reason: "resume", previousSessionFile: second },
    { type: "session_shutdown", reason: "fork", targetSessionFile: third },
    { type: "session_start", reason: "fork", previousSessionFile: first },
    { type: "session_branch", previousSessionFile: first },
    { type: "session_shutdown", reason: "quit" },
  ]);
});

test("receive model_select and thinking_level_select", async () => {
  await using run = await withExtensions(RECORDER);
  await run.rpc.call("set_model", { provider: "local", modelId: "thinker" });
  await run.rpc.call("set_thinking_level", { level: "high" });
  await run.rpc.call("cycle_thinking_level");
  await run.rpc.call("cycle_model");
  const events = await recorded(run);
  const model = of("model_select", events).map(({ model, previousModel, source }) => [
    previousModel?.id,
    model.id,
    source,
  ]);
  expect(model.slice(0, 1)).toEqual([["m", "thinker", "set"]]);
  expect(model.at(-1)?.[2]).toBe("cycle");
  const levels = of("thinking_level_select", events).map(({ previousLevel, level }) => [previousLevel, level]);
  expect(levels).toContainEqual([expect.any(String), "high"]);
  for (const [index, [previous]] of levels.entries()) if (index > 0) expect(previous).toBe(levels[index - 1]![1]);
});

describe("events that are also frames have the same fields", () => {
  const answers500 = (response: { writeHead(status: number): { end(text: string): void } }) =>
    response.writeHead(500).end("{}");
  const rows: [names: string[], situation: Parameters<typeof withExtensions>[1], body?: string][] = [
    [
      ["auto_retry_start", "auto_retry_end"],
      { answers: [answers500, says("fine")], settings: { retry: { baseDelayMs: 1 } } },
    ],
    [
      ["pending_action_added", "pending_action_resolved"],
      {
        answers: [
          callsTools({ name: "stage" }),
          callsTools({ name: "resolve", args: { action: "apply", reason: "ok" } }),
          says("fine"),
        ],
      },
      `pi.registerTool({ name: "stage", description: "s", parameters: pi.typebox.Type.Object({}), deferrable: true,
        execute: async () => {
          pi.pushPendingAction({ label: "L", apply: async () => ({ content: [{ type: "text", text: "applied" }] }) });
          return { content: [{ type: "text", text: "staged" }] };
        } });`,
    ],
    [
      ["todo_reminder"],
      {
        answers: [
          callsTools({
            name: "todo_write",
            args: { ops: [{ op: "replace", phases: [{ name: "P", tasks: [{ content: "T" }] }] }] },
          }),
          says("done"),
        ],
        settings: { todo: { reminders: { max: 1 } } },
      },
    ],
    [
      ["ttsr_triggered"],
      { answers: [says("foo"), says("bar")], files: { "rules/no-foo.md": "---\ncondition: foo\n---\nSay bar.\n" } },
    ],
    [
      ["auto_compaction_start", "auto_compaction_end"],
      {
        answers: [says("long ".repeat(3000)), says("a summary")],
        settings: { compaction: { thresholdTokens: 100, keepRecentTokens: 10 } },
      },
    ],
  ];
  test.each(rows)("%j", async (names, situation, body = "") => {
    await using run = await withExtensions(RECORDER + body, situation);
    await run.rpc.prompt("go");
    const events = await recorded(run);
    for (const name of names) {
      const frames = run.rpc.frames.filter(({ type }) => type === name);
      expect(frames.length).toBeGreaterThan(0);
      expect(of(name, events)).toEqual(frames);
    }
  });
});
