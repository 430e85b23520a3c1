import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentMessage } from "@pintle/agent";
import { textsOf } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import { grammarViolations } from "../../../agent/src/testing/event-grammar.ts";
import { startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { createAgentSession } from "../../src/sdk/create-session.ts";
import { git } from "../support/examples/git.ts";
import { allText, freshDirectory } from "../support/replay/exchanges.ts";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { taskResult } from "../support/subagents/family.ts";

/** An environment with a project of one file, and a session in it whose model is at that address. */
async function run(directory: string, mode: "record" | "replay", baseUrl: string, prompts: readonly string[]) {
  const base = freshDirectory();
  const [cwd, home] = [join(base, mode), join(base, "home")];
  for (const path of [cwd, home]) mkdirSync(path);
  await git(cwd, "init", "--quiet");
  writeFileSync(join(cwd, "notes.txt"), "three\nshort\nlines\n");
  const provider = { baseUrl, api: "openai-completions", apiKey: "key-of-the-provider", models: [{ id: "m" }] };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));
  const { session } = await createAgentSession({
    cwd,
    env: { PINTLE_HOME: home, HOME: base },
    [mode]: directory,
    report: (problem) => expect(problem).toBe(""),
    flags: { model: "local/m" },
    settings: { "permissions.mode": "full" },
  });
  const events: AgentSessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  for (const prompt of prompts) await session.prompt(prompt);
  await session.dispose();
  return { events, cwd, messages: session.messages };
}

const allTexts = (message: AgentMessage | undefined) =>
  message && "content" in message && Array.isArray(message.content) ? textsOf(message.content).join() : "";

/** Events without times, and with a placeholder for the directory. */
function comparable({ events, cwd }: Awaited<ReturnType<typeof run>>): unknown[] {
  const skipped = new Set(["timestamp", "duration", "ttft", "durationMs"]);
  const text = JSON.stringify(events, (key, value) => (skipped.has(key) ? undefined : value));
  return JSON.parse(text.replaceAll(cwd, "<cwd>"));
}

describe("a session on recordings", () => {
  test("emits the same events in another directory, runs its tools and needs no server", async () => {
    const directory = freshDirectory();
    const server = await startLoopbackServer(
      // One after another, because the order of parallel calls is not known.
      callsTools({ name: "read", args: { path: "notes.txt" } }),
      callsTools({ name: "ls", args: {} }),
      says("It has three lines."),
      says("You are welcome."),
    );
    const prompts = ["What is in notes.txt?", "Thank you"];
    const live = await run(directory, "record", server.url, prompts);
    await server[Symbol.asyncDispose]();
    expect(server.requests).toHaveLength(4);
    const again = await run(directory, "replay", "http://127.0.0.1:9", prompts);
    expect(comparable(again)).toEqual(comparable(live));
    expect(grammarViolations(again.events, { expectSettled: true })).toEqual([]);
    expect(JSON.stringify(again.events)).toContain("three\\nshort\\nlines");
    expect(allText(directory)).not.toContain("key-of-the-provider");
  });

  test("replays each subagent's own answers, also in a worktree with another name", async () => {
    const directory = freshDirectory();
    const tasks = [0, 1].map(() => ({ task: "look", isolation: "worktree" }));
    const server = await startLoopbackServer(
      callsTools({ name: "task", args: { tasks } }),
      says("seen by one"),
      says("seen by the other"),
      says("They have looked."),
    );
    const answers = async (mode: "record" | "replay", url: string) => {
      const { messages } = await run(directory, mode, url, ["Let two look"]);
      const { details } = taskResult(messages);
      return [...details.results.map(({ output }) => output), allTexts(messages.at(-1))];
    };
    const live = await answers("record", server.url);
    await server[Symbol.asyncDispose]();
    expect(live.toSorted()).toEqual(["They have looked.", "seen by one", "seen by the other"]);
    expect(await answers("replay", "http://127.0.0.1:9")).toEqual(live);
    const requests = allText(directory);
    for (const place of ["1.0", "1.1"]) expect(requests).toContain(`"subagent": "${place}"`);
  });

  test("a changed word in the prompt causes a miss that names it, and the run fails without a retry", async () => {
    const directory = freshDirectory();
    await using server = await startLoopbackServer(says("Hello."));
    await run(directory, "record", server.url, ["Say hello"]);
    const { events } = await run(directory, "replay", server.url, ["Say goodbye"]);
    expect(server.requests).toHaveLength(1);
    const [end] = events.filter((event) => event.type === "message_end").slice(-1);
    const { message } = end as { message: { stopReason: string; errorMessage: string } };
    expect(message.stopReason).toBe("error");
    expect(message.errorMessage).toContain('message 2 (user), content: recorded "Say hello", now "Say goodbye"');
    expect(events.filter(({ type }) => type.startsWith("auto_retry"))).toEqual([]);
  });
});
