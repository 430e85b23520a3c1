import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Durations } from "../../src/reading/durations.ts";
import { type ReadableEntry, readEntry } from "../../src/reading/entry-page.ts";
import { ImageTable } from "../../src/reading/image-table.ts";

function reading() {
  return { images: new ImageTable(() => undefined), durations: new Durations(), summaries: new Map<string, string>() };
}

function read(fields: Record<string, unknown>, at = 0) {
  return readEntry({ id: "e", parentId: null, timestamp: "", ...fields } as ReadableEntry, reading(), at);
}

describe("an entry", () => {
  const changes: [Record<string, unknown>, string][] = [
    [{ type: "model_change", provider: "a", modelId: "b/c" }, "Model: a/b/c"],
    [{ type: "model_change", model: "a/b", role: "smol" }, "Model: a/b (smol)"],
    [{ type: "thinking_level_change", thinkingLevel: null }, "Thinking: off"],
    [{ type: "session_info", name: "N" }, "Name: N"],
    [{ type: "title_change", title: "T" }, "Title: T"],
    [{ type: "mode_change", mode: "plan" }, "Mode: plan"],
    [{ type: "service_tier_change", serviceTier: { openai: "flex" } }, 'Service tier: {"openai":"flex"}'],
    [{ type: "label", targetId: "x" }, "Label removed"],
    [{ type: "ttsr_injection", injectedRules: ["r", "s"] }, "Rules injected: r, s"],
    [{ type: "reset_boundary" }, "Conversation cleared"],
    [{ type: "model_usage", purpose: "title", provider: "p", model: "m", usage: {} }, "Model call for title: p/m"],
    [{ type: "usage", kind: "cache_warm", provider: "p", model: "m", usage: {} }, "Model call for cache_warm: p/m"],
    [{ type: "context_edit", targetId: "01", replacement: null }, "A message was removed for the model"],
    [{ type: "context_edit", targetId: "01", replacement: { content: "x" } }, "A message was replaced for the model"],
  ];
  test.each(changes)("%j is a line", (fields, title) => {
    expect(read(fields)).toEqual({ kind: "change", title, body: null });
  });

  const stopped: [string, Record<string, unknown>, string][] = [
    ["Command aborted", {}, "aborted"],
    ["some output\n\nInterrupted by the user.", {}, "aborted"],
    ["Not started", { __synthetic: true, executed: false, source: "aborted" }, "aborted"],
    ["Command aborted", { exitCode: 1 }, "error"],
    ["File not found", {}, "error"],
  ];
  test.each(stopped)("a result %j with details %j is %s", (text, details, state) => {
    const message = { role: "toolResult", toolName: "bash", content: [{ type: "text", text }], details, isError: true };
    expect(read({ type: "message", message })).toMatchObject({ kind: "tool", state });
  });

  test("a reminder that pintle sends is not shown as instructions of the user", () => {
    const message = { role: "developer", content: "Tasks are open.", attribution: "agent" };
    expect(read({ type: "message", message })).toMatchObject({
      kind: "note",
      title: "Reminder to the model: Tasks are open.",
    });
  });

  test("an answer: what a provider alone understands is left out, calls are summarized", () => {
    const message = {
      role: "assistant",
      provider: "p",
      model: "m",
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "opaque" },
        { type: "text", text: "**Look** at `it`", textSignature: "opaque" },
        {
          type: "toolCall",
          id: "c",
          name: "grep",
          arguments: { pattern: "x", path: "src" },
          thoughtSignature: "opaque",
        },
        { type: "redactedThinking", data: "opaque" },
        { type: "novelty", text: "?" },
      ],
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } },
      stopReason: "error",
      errorMessage: "boom",
      duration: 7,
    };
    expect(read({ type: "message", message })).toEqual({
      kind: "assistant",
      title: "Look at it",
      body: {
        blocks: [
          { type: "thinking", text: "hm" },
          { type: "text", text: "**Look** at `it`" },
          { type: "call", id: "c", name: "grep", args: { pattern: "x", path: "src" } },
          { type: "redacted" },
          { type: "missing", note: "Content of type novelty is not shown" },
        ],
        error: "boom",
      },
      model: "p/m",
      calls: [{ id: "c", name: "grep", summary: "x in src" }],
      usage: [1, 2, 3, 4, 0.5],
      ms: 7,
      state: "error",
    });
  });

  test("a result: its duration is stored, or derived from the times", () => {
    const shared = reading();
    const at = Date.UTC(2026, 0, 1);
    const entry = (message: unknown) =>
      ({ type: "message", id: "e", parentId: null, timestamp: "", message }) as ReadableEntry;
    const call = { type: "toolCall", id: "c", name: "bash", arguments: { command: "sleep 1" } };
    readEntry(entry({ role: "assistant", content: [call] }), shared, at);
    const result = { role: "toolResult", toolCallId: "c", toolName: "bash", content: [], timestamp: at + 1500 };
    expect(readEntry(entry(result), shared, at + 9000)).toMatchObject({ kind: "tool", title: "sleep 1", ms: 1500 });
    expect(readEntry(entry({ ...result, details: { durationMs: 3 } }), shared, at)).toMatchObject({ ms: 3 });
    expect(readEntry(entry({ ...result, details: { wallTimeMs: 4 } }), shared, at)).toMatchObject({ ms: 4 });
    expect(readEntry(entry({ ...result, durationMs: 5 }), shared, at)).toMatchObject({ ms: 5 });
    expect(readEntry(entry({ ...result, timestamp: at - 5 }), shared, at)).not.toHaveProperty("ms");
  });

  test("a decision on a preview", () => {
    const details = { action: "discard", reason: "no", sourceToolName: "ast_edit", label: "L" };
    const message = { role: "toolResult", toolCallId: "c", toolName: "resolve", content: [], details };
    expect(read({ type: "message", message })).toMatchObject({
      decision: { verdict: "discard", reason: "no", by: "model", tool: "ast_edit", label: "L" },
    });
  });

  test("commands of users, also in other languages", () => {
    const message = { role: "pythonExecution", code: "1+1", output: "2", exitCode: 1, excludeFromContext: true };
    expect(read({ type: "message", message })).toEqual({
      kind: "shell",
      title: "1+1",
      body: { command: "1+1", output: "2", language: "py", exitCode: 1 },
      state: "error",
      out: "excluded",
    });
  });

  test("unknown entries are shown as data", () => {
    const fields = { type: "message", message: { role: "oracle", words: ["x"] } };
    expect(read(fields)).toEqual({ kind: "data", title: "message", body: { value: fields } });
    expect(read({ type: "custom", customType: "state", data: 1 })).toMatchObject({ kind: "data", title: "state" });
  });

  test("a bottomless value and endless strings are cut", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    const page = read({ type: "custom", customType: "deep", data: { deep, long: "y".repeat(100_000) } });
    expect(JSON.stringify(page).length).toBeLessThan(70_000);
  });

  test("reads anything without failing, and what it gives is JSON", () => {
    const types = [
      "message",
      "custom_message",
      "compaction",
      "branch_summary",
      "session_init",
      "label",
      "constructor",
      "x",
    ];
    const roles = ["user", "assistant", "toolResult", "system", "fileMention", "bashExecution", "toString", "x"];
    const field = fc.constantFrom(
      "content",
      "usage",
      "details",
      "arguments",
      "files",
      "sections",
      "summary",
      "toolName",
      "data",
    );
    const anything = fc.dictionary(field, fc.anything({ maxDepth: 2 }));
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.constantFrom(...roles),
        anything,
        anything,
        (type, role, message, more) => {
          const json = JSON.parse(JSON.stringify({ ...more, message: { ...message, role } }));
          const page = read({ ...json, type });
          expect(typeof page.title).toBe("string");
          expect(JSON.parse(JSON.stringify(page.body))).toEqual(page.body as never);
        },
      ),
    );
  });
});
