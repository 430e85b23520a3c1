import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { example, hasExamples } from "../../support/extensibility/extensions/pi-examples.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { freshPlace, nextEvent, show } from "../../support/session/test-session.ts";
import { where } from "../../support/where.ts";

const said = (...texts: string[]): ScriptedAnswer[] => texts.map((text) => [{ text }]);
const systemPrompts = ({ requests }: { requests: { context: { systemPrompt?: string } }[] }) =>
  requests.map(({ context }) => context.systemPrompt ?? "");

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's examples that shape the prompt", () => {
  test("pirate changes the system prompt while it is enabled", async () => {
    await using harness = await startExtensions(said("hi", "Arrr", "hi"), { files: [example("pirate")] });
    await harness.prompt("one");
    await harness.prompt("/pirate");
    await harness.prompt("two");
    await harness.prompt("/pirate");
    await harness.prompt("three");
    expect(systemPrompts(harness).map((prompt) => prompt.includes("PIRATE MODE"))).toEqual([false, true, false]);
  });

  test("claude-rules lists the rules of the project", async () => {
    const place = freshPlace();
    mkdirSync(join(place.cwd, ".claude/rules"), { recursive: true });
    writeFileSync(join(place.cwd, ".claude/rules/testing.md"), "Test.");
    await using harness = await startExtensions(said("ok"), { files: [example("claude-rules")], place });
    await harness.prompt("go");
    expect(systemPrompts(harness)[0]).toContain("- .claude/rules/testing.md");
  });

  test("prompt-customizer sees the tools", async () => {
    await using harness = await startExtensions(said("ok"), { files: [example("prompt-customizer")] });
    await harness.prompt("go");
    expect(systemPrompts(harness)[0]).toContain("Execute commands with the `bash` tool");
  });

  test("system-prompt-header shows the length of the effective prompt", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(said("ok"), {
      files: [example("pirate"), example("system-prompt-header")],
      ui,
    });
    await harness.prompt("/pirate");
    await harness.prompt("go");
    expect(ui.shown).toContain(`status system-prompt System: ${systemPrompts(harness)[0]!.length} chars`);
  });

  test("dynamic-resources adds its skill and its prompt", async () => {
    await using harness = await startExtensions([], { files: [example("dynamic-resources")] });
    const folder = dirname(example("dynamic-resources"));
    expect(await harness.runner.resources("startup")).toEqual({
      skillPaths: [join(folder, "SKILL.md")],
      promptPaths: [join(folder, "dynamic.md")],
    });
  });
});

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's examples that send messages", () => {
  test("send-user-message works when idle, while streaming, and with several blocks", async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await using harness = await startExtensions(
      [[{ wait: hold }, { text: "one" }], [{ text: "two" }], [{ text: "three" }], [{ text: "four" }]],
      { files: [example("send-user-message")] },
    );
    const settled = nextEvent(harness.session, "agent_settled");
    await harness.prompt("/ask first");
    await harness.prompt("/steer second");
    await harness.prompt("/followup third");
    release();
    await settled;
    const again = nextEvent(harness.session, "agent_settled");
    await harness.prompt("/askwith fourth");
    await again;
    expect(show(harness.session.messages).filter((line) => line.startsWith("user"))).toEqual([
      "user: first",
      "user: second",
      "user: third",
      expect.stringMatching(/^user: User request: fourth\n?Please respond concisely\.$/),
    ]);
    expect(harness.host.faults).toEqual([]);
  });

  test("message-renderer appends without a run", async () => {
    await using harness = await startExtensions([], { files: [example("message-renderer")] });
    await harness.prompt("/status warn low on disk");
    expect(show(harness.session.messages)).toEqual(["custom: low on disk"]);
    expect(harness.requests).toHaveLength(0);
  });

  test("file-trigger starts a run when a file changes", async () => {
    // The example watches a fixed file, which another user or test run may own, so the test uses a copy that watches its own
    // file.
    const place = freshPlace();
    const trigger = join(place.cwd, "agent-trigger.txt");
    const copy = join(place.cwd, "file-trigger.ts");
    writeFileSync(trigger, "");
    writeFileSync(copy, readFileSync(example("file-trigger"), "utf8").replaceAll("/tmp/agent-trigger.txt", trigger));
    await using harness = await startExtensions(said("on it", "again", "again"), { files: [copy], place });
    const settled = nextEvent(harness.session, "agent_settled");
    writeFileSync(trigger, "run the tests");
    await settled;
    expect(show(harness.session.messages)[0]).toBe("custom: External trigger: run the tests");
  });

  test("session-name and bookmark write to the session", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(said("hi"), {
      files: [example("session-name"), example("bookmark")],
      ui,
    });
    await harness.prompt("hello");
    await harness.prompt("/session-name My work");
    await harness.prompt("/bookmark here");
    expect(harness.session.sessionName).toBe("My work");
    expect([...harness.session.manager.labels.values()].map(({ label }) => label)).toEqual(["here"]);
    await harness.prompt("/unbookmark");
    expect(ui.shown.at(-1)).toBe("notify info Removed bookmark: here");
    expect(harness.session.manager.labels.size).toBe(0);
  });
});

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's examples of compaction", () => {
  const LONG = "word ".repeat(100);
  const settings = { "compaction.reserveTokens": 200, "compaction.keepRecentTokens": 20 };

  test("trigger-compact compacts on command and reports the outcome", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(said(LONG, LONG, ...Array(5).fill("SUMMARY")), {
      files: [example("trigger-compact")],
      ui,
      settings,
    });
    await harness.prompt("one");
    await harness.prompt("two");
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const { notify } = ui;
    ui.notify = (message, type) => {
      notify(message, type);
      if (message !== "Compaction started") resolve();
    };
    await harness.prompt("/trigger-compact be brief");
    await told;
    expect(ui.shown).toEqual(["notify info Compaction started", "notify info Compaction completed"]);
    expect(harness.session.messages[0]!.role).toBe("compactionSummary");
  });

  test("custom-compaction summarizes with a model of its own", async () => {
    const place = freshPlace({ contextWindow: 100_000 });
    const event = { candidates: [{ content: { parts: [{ text: "GEMINI SUMMARY" }] }, finishReason: "STOP" }] };
    let asked = "";
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        asked = await request.text();
        return new Response(`data: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } });
      },
    });
    const file = join(place.home, "models.json");
    const models = await Bun.file(file).json();
    const flash = { id: "gemini-2.5-flash", api: "google-generative-ai" };
    models.providers.google = { baseUrl: `${server.url}v1beta`, apiKey: "k", models: [flash] };
    writeFileSync(file, JSON.stringify(models), { mode: 0o600 });
    await using harness = await startExtensions(said(LONG, LONG), {
      files: [example("custom-compaction")],
      place,
      ui: recordingUi(),
      settings,
    });
    await harness.prompt("one");
    await harness.prompt("two");
    const result = await harness.session.lifecycle.compact();
    expect(result.summary).toContain("GEMINI SUMMARY");
    expect(asked).toContain("<conversation>");
    expect(harness.requests).toHaveLength(2);
  });
});
