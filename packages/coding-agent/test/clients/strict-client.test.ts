import { describe, expect } from "bun:test";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { type Respond, sendEvents, sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { program, runProgram } from "../support/program.ts";
import { callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { testWith } from "../support/system-tool.ts";

// A host that gives up at the first invalid frame, written in another language and with the flags that such hosts pass.

const python = testWith("python3");

/** Sends text, then nothing until the client disconnects. */
const hangs: Respond = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "a part" } }] })}\n\n`);
};

const waits = callsTools({ name: "bash", args: { command: "sleep 0.3" } });
const usage = { prompt_tokens: 60_000, completion_tokens: 10, total_tokens: 60_010 };
const fills = (text: string): Respond =>
  sendEvents(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: "stop" }], usage })}\n\ndata: [DONE]\n\n`,
  );

interface Play {
  answers: Respond[];
  args?: string[];
  outcome: object;
}

const PLAYS: Record<string, Play> = {
  conversation: {
    answers: [says("hi \u2028 you"), says("again")],
    outcome: { answer: "hi \u2028 you", again: "again", stats: 2, last: "again" },
  },
  tools: {
    answers: [callsTools({ name: "weather", args: { city: "Ulm" } }), says("It is sunny.")],
    outcome: { names: ["weather"], answer: "It is sunny.", results: ["sunny in Ulm"] },
  },
  queues: { answers: [waits, says("second"), says("third")], outcome: { said: ["first", "now", "later"] } },
  aborts: {
    answers: [hangs, says("after all")],
    outcome: {
      busy: "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.",
      ended: true,
      "late failures": 1,
      answer: "after all",
    },
  },
  sessions: {
    answers: [says("one"), says("two"), says("what happened")],
    args: ["--set", "compaction.keepRecentTokens=1"],
    outcome: {
      new: { cancelled: false },
      back: { cancelled: false },
      branch: { text: "second", cancelled: false },
      kept: 2,
      summary: expect.stringContaining("what happened"),
      "begins with": "compactionSummary",
      name: "mine",
    },
  },
  settings: {
    answers: [says("done")],
    outcome: {
      models: ["m", "thinker"],
      level: "high",
      refused: "Model not found: local/missing",
      unknown: "Unknown command: no_such_command",
      todos: [{ id: "phase-1", name: "One", tasks: [{ id: "task-1", content: "write", status: "pending" }] }],
      reminded: true,
    },
  },
  commands: { answers: [], outcome: { done: ["out\n", 3, false], cancelled: true } },
  recovery: {
    answers: [sendStatus(503, '{"error":{"message":"overloaded"}}'), says("recovered")],
    args: ["--set", "retry.baseDelayMs=1"],
    outcome: { answer: "recovered", retries: ["auto_retry_start", "auto_retry_end"] },
  },
  compaction: {
    answers: [fills("long"), says("what happened"), says("end")],
    args: ["--set", "compaction.thresholdTokens=50000", "--set", "compaction.keepRecentTokens=1"],
    outcome: { compacted: true, "begins with": "compactionSummary" },
  },
};

describe("a strict host", () => {
  for (const [scenario, { answers, args = [], outcome }] of Object.entries(PLAYS)) {
    python(scenario, async () => {
      await using chat = await chatPlace(...answers);
      const { place } = chat;
      const { code, stdout, stderr } = await runProgram(
        [scenario, program, "--mode", "rpc", ...flags(place.sessionDir), ...args],
        { ...place, command: ["python3", "-B", join(import.meta.dir, "../support/clients/strict-client.py")] },
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { exit, ...seen } = JSON.parse(stdout);
      expect(seen).toEqual({ ...outcome, balance: 0 });
      expect([0, 143]).toContain(exit);
    });
  }
});

/** As such hosts pass them, in this order. */
function flags(sessionDir: string): string[] {
  return [
    "--provider",
    "local",
    "--model",
    "m",
    "--session-dir",
    sessionDir,
    "--thinking",
    "off",
    "--append-system-prompt",
    "Be brief.",
    "--provider-session-id",
    "of-the-host",
    "--tools",
    "read,bash,write",
    "--no-skills",
    "--no-rules",
    "--no-title",
  ];
}

const assistant = { role: "assistant", content: [] };
const update = (event: object) => ({
  type: "message_update",
  message: assistant,
  assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "x", partial: assistant, ...event },
});

const FRAMES: [string, object | string | number][] = [
  ["ok", { type: "something_new", anything: null }],
  ["ok", update({})],
  ["the line is JSON", "no JSON"],
  ["a frame is an object", 3],
  ["success is a boolean", { type: "response", command: "x", success: "yes" }],
  ["data is an object or nothing", { type: "response", command: "x", success: true, data: [] }],
  ["error is a string", { type: "response", command: "x", success: false }],
  ["role 'tool' is known", { type: "message_end", message: { role: "tool" } }],
  ["the role is toolResult", { type: "turn_end", message: assistant, toolResults: [assistant] }],
  ["messages is a list", { type: "agent_end" }],
  ["contentIndex is an integer", update({ contentIndex: 0.5 })],
  ["a message is an object", update({ partial: undefined })],
  ["delta is a string", update({ delta: undefined })],
  ["assistantMessageEvent.type 'image_delta' is known", update({ type: "image_delta" })],
  ["toolCall is an object", update({ type: "toolcall_end", toolCall: undefined })],
  ["intent is a string", { type: "tool_execution_start", toolCallId: "1", toolName: "x", intent: null }],
  ["reason 'manual' is known", { type: "auto_compaction_start", reason: "manual", action: "context-full" }],
  ["delayMs is an integer", { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1.5, errorMessage: "" }],
  [
    "status 'blocked' is known",
    { type: "todo_reminder", todos: [{ content: "", status: "blocked" }], attempt: 1, maxAttempts: 1 },
  ],
  ["items of rules are dict", { type: "ttsr_triggered", rules: ["x"] }],
  ["error is a string", { type: "extension_error", extensionPath: "", event: "" }],
  ["timeout is an integer", { type: "extension_ui_request", id: "1", method: "input", timeout: 0.5 }],
  ["method 'open_url' is known", { type: "extension_ui_request", id: "1", method: "open_url" }],
  ["arguments is an object", { type: "host_tool_call", id: "1", toolCallId: "1", toolName: "x", arguments: [] }],
];

python("the strict host refuses what such hosts refuse", async () => {
  using scratch = scratchDirectory();
  const input = FRAMES.map(([, frame]) => (frame === "no JSON" ? "{" : JSON.stringify(frame))).join("\n");
  const { stdout } = await runProgram([], {
    cwd: scratch.path,
    env: { PATH: process.env.PATH ?? "" },
    input,
    command: ["python3", "-B", join(import.meta.dir, "../support/clients/strict_frames.py")],
  });
  const verdicts = stdout.trimEnd().split("\n");
  expect(verdicts).toHaveLength(FRAMES.length);
  for (const [index, [rule]] of FRAMES.entries()) expect(verdicts[index]).toContain(rule);
});
