import { describe, expect, test } from "bun:test";
import type { Frame } from "../../../../src/modes/frames/update-frames.ts";
import { DIALECTS, type Dialect, parseDialect, toDialect } from "../../../../src/modes/rpc/dialects/dialect.ts";
import {
  assistantMessage,
  StreamedMessage,
  toolEnd,
  toolUpdate,
} from "../../../support/modes/frames/streamed-message.ts";

const user = { role: "user", content: "hi", timestamp: 1 };
const developer = { role: "developer", content: "Remember.", attribution: "agent", timestamp: 2 };
const developerBlocks = { role: "developer", content: [{ type: "text", text: "Remember." }], timestamp: 2 };
const fileMention = {
  role: "fileMention",
  files: [
    { path: "a.ts", content: "let a;" },
    { path: "big.bin", content: "", skippedReason: "tooLarge" },
  ],
  timestamp: 3,
};
const redacted = assistantMessage([
  { type: "redactedThinking", data: "c2VjcmV0" },
  { type: "text", text: "Done." },
]);

const piDeveloper = {
  role: "custom",
  customType: "developer",
  content: "Remember.",
  display: false,
  attribution: "agent",
  timestamp: 2,
};
const piFileMention = {
  role: "custom",
  customType: "file_mention",
  content: [
    {
      type: "text",
      text: '<file name="a.ts">\nlet a;\n</file>\n<file name="big.bin">\n[file too large]\n</file>',
    },
  ],
  display: false,
  timestamp: 3,
};
const piRedacted = {
  ...redacted,
  content: [
    { type: "thinking", thinking: "", thinkingSignature: "c2VjcmV0", redacted: true },
    { type: "text", text: "Done." },
  ],
};

function speak(dialect: Dialect, frame: object, isPreviewByHost = false) {
  const notices: unknown[] = [];
  const written = toDialect(frame as Frame, dialect, {
    isPreviewByHost: () => isPreviewByHost,
    isNamed: () => false,
    config: () => ({ model: { id: "m" }, thinkingLevel: "max" }),
    printNotice: (notice) => notices.push(notice),
  });
  return { written: written as unknown, notices };
}
const pi = (frame: object) => speak("pi", frame).written;

const response = (command: string, data?: object) => ({
  id: "1",
  type: "response",
  command,
  success: true,
  ...(data && { data }),
});

describe("the default dialect", () => {
  test("writes every frame unchanged", () => {
    const frames = [
      { type: "ready", version: "1" },
      { type: "message_start", message: developer },
      { type: "message_end", message: redacted },
      { type: "agent_end", messages: [developer, fileMention], stopReason: "stop" },
      { type: "auto_compaction_start", reason: "idle", action: "context-full" },
      { type: "notice", level: "info", message: "hi" },
      { type: "todo_auto_clear" },
      { type: "prompt_result", agentInvoked: false },
      { type: "pending_action_added", action: {} },
      { type: "toString" },
      response("get_last_assistant_text", { text: null }),
    ];
    for (const frame of frames) expect(speak("seed", frame)).toEqual({ written: frame, notices: [] });
    for (const frame of frames) expect(speak("seed", frame).written).toBe(frame);
  });

  test("emits no events for a compaction that the host requested", () => {
    expect(speak("seed", { type: "compaction_start", reason: "manual" }).written).toBe(undefined);
    expect(speak("seed", { type: "compaction_end", reason: "manual", aborted: false }).written).toBe(undefined);
  });
});

describe("pi: compaction events", () => {
  test("start", () => {
    const start = (reason: string) => pi({ type: "auto_compaction_start", reason, action: "context-full" });
    expect(["threshold", "overflow", "idle"].map(start)).toEqual([
      { type: "compaction_start", reason: "threshold" },
      { type: "compaction_start", reason: "overflow" },
      { type: "compaction_start", reason: "threshold" },
    ]);
    const manual = { type: "compaction_start", reason: "manual" };
    expect(pi(manual)).toBe(manual);
  });

  test("end", () => {
    const base = { type: "auto_compaction_end", action: "context-full", aborted: false, willRetry: false };
    const result = { summary: "s", firstKeptEntryId: "e1", tokensBefore: 9 };
    const end = { type: "compaction_end", aborted: false, willRetry: false };
    expect(pi({ ...base, reason: "overflow", result, willRetry: true })).toEqual({
      ...end,
      reason: "overflow",
      result,
      willRetry: true,
    });
    expect(pi({ ...base, reason: "idle", skipped: true })).toEqual({ ...end, reason: "threshold", result: null });
    expect(pi({ ...base, reason: "threshold", errorMessage: "Auto-compaction failed: x" })).toEqual({
      ...end,
      reason: "threshold",
      result: null,
      errorMessage: "Auto-compaction failed: x",
    });
    expect(pi({ ...base, type: "compaction_end", reason: "manual", aborted: true })).toEqual({
      ...end,
      reason: "manual",
      result: null,
      aborted: true,
    });
  });
});

describe("pi: frames that are not sent", () => {
  test("omits frames and events that pi does not know", () => {
    const types = [
      "ready",
      "todo_reminder",
      "todo_auto_clear",
      "ttsr_triggered",
      "retry_fallback_applied",
      "retry_fallback_succeeded",
      "prompt_result",
      "model_changed",
      "available_commands_update",
      "pending_action_added",
      "pending_action_resolved",
    ];
    expect(types.map((type) => speak("pi", { type }))).toEqual(types.map(() => ({ written: undefined, notices: [] })));
  });

  test("sends previews to a host that decides on them", () => {
    for (const type of ["pending_action_added", "pending_action_resolved"]) {
      const frame = { type, actionId: "a" };
      expect(speak("pi", frame, true).written).toBe(frame);
    }
  });

  test("reports notices separately", () => {
    const notice = { type: "notice", level: "warning", message: "disk full", source: "session" };
    expect(speak("pi", notice)).toEqual({ written: undefined, notices: [notice] });
  });

  test("sends everything else", () => {
    const types = [
      "agent_start",
      "agent_settled",
      "turn_start",
      "tool_execution_start",
      "session_info_changed",
      "thinking_level_changed",
      "auto_retry_start",
      "auto_retry_end",
      "extension_error",
      "extension_ui_request",
      "host_tool_call",
      "host_tool_cancel",
      "trust_request",
      "trust_resolved",
      "compaction_start",
    ];
    const frames = [...types.map((type) => ({ type })), toolUpdate("t1", "x"), toolEnd("t1")];
    for (const frame of frames) expect(pi(frame)).toBe(frame);
  });
});

describe("pi: messages", () => {
  test("are converted in events", () => {
    expect(pi({ type: "message_start", message: developer })).toEqual({ type: "message_start", message: piDeveloper });
    expect(pi({ type: "message_start", message: developerBlocks })).toEqual({
      type: "message_start",
      message: {
        role: "custom",
        customType: "developer",
        content: developerBlocks.content,
        display: false,
        timestamp: 2,
      },
    });
    expect(pi({ type: "message_end", message: redacted })).toEqual({ type: "message_end", message: piRedacted });
    expect(pi({ type: "turn_end", message: redacted, toolResults: [] })).toEqual({
      type: "turn_end",
      message: piRedacted,
      toolResults: [],
    });
    expect(pi({ type: "agent_end", messages: [user, developer, redacted, fileMention], stopReason: "stop" })).toEqual({
      type: "agent_end",
      messages: [user, piDeveloper, piRedacted, piFileMention],
      stopReason: "stop",
      willRetry: false,
    });
  });

  test("are converted while they stream; message and partial stay the same object", () => {
    const event = { type: "text_delta", contentIndex: 1, delta: "D", partial: redacted };
    const written = pi({ type: "message_update", message: redacted, assistantMessageEvent: event }) as {
      message: object;
      assistantMessageEvent: { partial: object };
    };
    expect(written as unknown).toEqual({
      type: "message_update",
      message: piRedacted,
      assistantMessageEvent: { ...event, partial: piRedacted },
    });
    expect(written.assistantMessageEvent.partial).toBe(written.message);
  });

  test("that pi knows stay the same object", () => {
    const answer = new StreamedMessage();
    const update = answer.startText();
    const frames = [update, { type: "message_end", message: answer.message }, { type: "message_start", message: user }];
    for (const frame of frames) expect(pi(frame)).toBe(frame);
  });

  test("are converted in responses", () => {
    expect(pi(response("get_messages", { messages: [user, developer] }))).toEqual(
      response("get_messages", { messages: [user, piDeveloper] }),
    );
    expect(pi(response("get_messages_page", { messages: [fileMention], totalMessages: 1 }))).toEqual(
      response("get_messages_page", { messages: [piFileMention], totalMessages: 1 }),
    );
    const entry = { type: "message", id: "e1", parentId: null, message: developer };
    const piEntry = { ...entry, message: piDeveloper };
    const other = { type: "model_change", id: "e2", parentId: "e1" };
    expect(pi(response("get_entries", { entries: [entry, other], leafId: "e2" }))).toEqual(
      response("get_entries", { entries: [piEntry, other], leafId: "e2" }),
    );
    const tree = (first: object) => [{ entry: other, label: "x", children: [{ entry: first, children: [] }] }];
    expect(pi(response("get_tree", { tree: tree(entry), leafId: "e1" }))).toEqual(
      response("get_tree", { tree: tree(piEntry), leafId: "e1" }),
    );
  });
});

describe("pi: responses", () => {
  test("get_last_assistant_text has no text before the first answer", () => {
    expect(pi(response("get_last_assistant_text", { text: null }))).toEqual(response("get_last_assistant_text", {}));
    expect(pi(response("get_last_assistant_text", { text: "" }))).toEqual(
      response("get_last_assistant_text", { text: "" }),
    );
  });

  test("get_session_stats covers the whole session", () => {
    const lifetime = { tokens: { total: 9 }, cost: 2 };
    const stats = { totalMessages: 3, tokens: { total: 4 }, cost: 1, lifetime };
    const expected = { totalMessages: 3, ...lifetime, lifetime };
    expect(pi(response("get_session_stats", stats))).toEqual(response("get_session_stats", expected));
  });

  test("all others are unchanged", () => {
    const frames = [
      response("prompt"),
      response("get_available_models", { models: [] }),
      { type: "response", command: "get_messages", success: false, error: "x" },
      { ...response("constructor", {}) },
    ];
    for (const frame of frames) expect(pi(frame)).toBe(frame);
  });
});

test("converts the longest session without exhausting the stack", () => {
  const leaf = { entry: { type: "message", message: developer }, children: [] as object[] };
  let node = leaf;
  for (let depth = 0; depth < 50_000; depth++) node = { entry: leaf.entry, children: [node] };
  const written = pi(response("get_tree", { tree: [node] })) as { data: { tree: (typeof leaf)[] } };
  let deepest = written.data.tree[0]!;
  while (deepest.children.length > 0) deepest = deepest.children[0] as typeof leaf;
  expect(deepest.entry.message as unknown).toEqual(piDeveloper);
  expect(leaf.entry.message).toBe(developer);
});

test("each dialect has its time to answer a prompt", () => {
  expect([DIALECTS.seed.promptAnswer, DIALECTS.pi.promptAnswer]).toEqual(["at-once", "after-preflight"]);
});

test("the flag overrides the environment, and unknown dialects are rejected", () => {
  expect([
    parseDialect(undefined, undefined),
    parseDialect(undefined, ""),
    parseDialect(undefined, "pi"),
    parseDialect("seed", "pi"),
    parseDialect("pi", "nonsense"),
  ]).toEqual(["seed", "seed", "pi", "seed", "pi"]);
  expect(() => parseDialect("PI", undefined)).toThrow('Unknown dialect "PI": it must be seed, pi or omp');
  expect(() => parseDialect("", "pi")).toThrow('Unknown dialect "": it must be seed, pi or omp');
  expect(() => parseDialect(undefined, "toString")).toThrow('Unknown dialect "toString": it must be seed, pi or omp');
});

test("pi clients receive the output of a run only in agent_end", () => {
  const end = { type: "agent_end", messages: [], stopReason: "stop", output: { line: 1 } } as const;
  const rejected = { type: "output_rejected", attempt: 1, attemptsLeft: 2, errors: [] } as const;
  const config = () => ({ model: {}, thinkingLevel: "off" });
  const surroundings = { isPreviewByHost: () => false, isNamed: () => false, config, printNotice: () => {} };
  expect(toDialect(end, "pi", surroundings)).toEqual<unknown>({ ...end, willRetry: false });
  expect(toDialect(rejected, "pi", surroundings)).toBeUndefined();
  expect(toDialect(rejected, "omp", surroundings)).toBe(rejected);
});
