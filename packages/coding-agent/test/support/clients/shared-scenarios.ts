import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../../ai/test/support/rejection.ts";
import { callsTools, chatPlace, heldAnswer, says } from "../scenarios/chat-server.ts";
import type { ClientClass } from "./client-classes.ts";
import { testIfCan } from "./client-tests.ts";
import { type Event, startClient, textsOf } from "./started-client.ts";

/** The names that a family of clients uses. */
export interface Family {
  args: readonly string[];
  branch: string;
  getBranchMessages: string;
  compactionEvents: readonly string[];
}

/** Text that old line readers treat as the end of a line. */
const SEPARATORS = "a\u2028b\u2029c";

/** Tests what every client of the family must be able to do, whatever its version. */
export function sharedScenarios(client: ClientClass, family: Family): void {
  const test = testIfCan(client, "prompt");
  const start = (chat: Awaited<ReturnType<typeof chatPlace>>, ...args: string[]) =>
    startClient(client, chat, { args: [...family.args, ...args] });

  test("prompt: events to the end of the run, and its answer", async () => {
    await using chat = await chatPlace(says(SEPARATORS));
    await using started = await start(chat);
    const { rpc, events } = started;
    const idle = rpc.waitForIdle();
    await rpc.prompt(SEPARATORS);
    await idle;
    expect(await rpc.getLastAssistantText()).toBe(SEPARATORS);
    const messages = await rpc.getMessages();
    expect(textsOf(messages, "user")).toEqual([SEPARATORS]);
    expect(textsOf(events.find(({ type }) => type === "agent_end")?.messages, "assistant")).toEqual([SEPARATORS]);
    expect(events.some(({ type }) => type === "message_update")).toBe(true);
    expect((await rpc.getSessionStats()).userMessages).toBe(1);
  });

  test("tools: the model's call is carried out and reported", async () => {
    const write = { name: "write", args: { path: "made.txt", content: "by a tool" } };
    await using chat = await chatPlace(callsTools(write), says("done"));
    await using started = await start(chat);
    const { rpc, events } = started;
    const idle = rpc.waitForIdle();
    await rpc.prompt("make it");
    await idle;
    expect(readFileSync(join(chat.place.cwd, "made.txt"), "utf8")).toBe("by a tool");
    const end = events.find(({ type }) => type === "tool_execution_end");
    expect(end).toMatchObject({ toolName: "write", isError: false });
    expect(events.find(({ type }) => type === "tool_execution_start")?.args).toEqual(write.args);
  });

  test("steering and follow-up join the run", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("second"), says("third"));
    await using started = await start(chat);
    const { rpc } = started;
    const idle = rpc.waitForIdle();
    await rpc.prompt("first");
    await held.asked;
    await rpc.followUp("later");
    await rpc.steer("now");
    expect((await rpc.getState()).isStreaming).toBe(true);
    held.write("answer");
    held.finish();
    await idle;
    expect(textsOf(await rpc.getMessages(), "user")).toEqual(["first", "now", "later"]);
  });

  test("abort ends the run; the next prompt is answered", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("again"));
    await using started = await start(chat);
    const { rpc, events } = started;
    await rpc.prompt("long");
    await held.asked;
    held.write("a part");
    await until(() => events.some(({ type }) => type === "message_update"));
    await rpc.abort();
    await held.left;
    const [, aborted] = await rpc.getMessages();
    expect(aborted).toMatchObject({ stopReason: "aborted", content: [{ text: "a part" }] });
    expect((await rpc.getState()).isStreaming).toBe(false);
    const idle = rpc.waitForIdle();
    await rpc.prompt("short");
    await idle;
    expect(await rpc.getLastAssistantText()).toBe("again");
  });

  test("sessions: a new one, and back", async () => {
    await using chat = await chatPlace(says("kept"));
    await using started = await start(chat);
    const { rpc } = started;
    await promptToEnd(rpc, "keep this");
    const { sessionFile, sessionId } = await rpc.getState();
    expect(await rpc.newSession(sessionFile)).toEqual({ cancelled: false });
    const fresh = await rpc.getState();
    expect(fresh.sessionId).not.toBe(sessionId);
    expect(fresh.messageCount).toBe(0);
    expect(await rpc.switchSession(sessionFile)).toEqual({ cancelled: false });
    expect(textsOf(await rpc.getMessages(), "user")).toEqual(["keep this"]);
    expect((await rpc.getState()).sessionId).toBe(sessionId);
  });

  test("a branch ends before the message that was chosen", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    await using started = await start(chat);
    const { rpc } = started;
    await promptToEnd(rpc, "first");
    await promptToEnd(rpc, "second");
    const choices = await rpc[family.getBranchMessages]();
    expect(choices.map(({ text }: Event) => text)).toEqual(["first", "second"]);
    expect(await rpc[family.branch](choices[1].entryId)).toEqual({ text: "second", cancelled: false });
    expect(textsOf(await rpc.getMessages(), "user")).toEqual(["first"]);
  });

  test("compaction leaves a summary", async () => {
    await using chat = await chatPlace(says("one"), says("two"), says("what happened"));
    await using started = await start(chat, "--set", "compaction.keepRecentTokens=1");
    const { rpc, events } = started;
    await promptToEnd(rpc, "first");
    await promptToEnd(rpc, "second");
    const result = await rpc.compact("be short");
    expect(result.summary).toContain("what happened");
    expect((await rpc.getMessages())[0].role).toBe("compactionSummary");
    const heard = events.map(({ type }) => type).filter((type) => type.includes("compaction"));
    expect(heard).toEqual([...family.compactionEvents]);
    await rpc.setAutoCompaction(false);
    expect((await rpc.getState()).autoCompactionEnabled).toBe(false);
  });

  test("bash: output, exit code, and its abort", async () => {
    await using chat = await chatPlace();
    await using started = await start(chat);
    const { rpc } = started;
    expect(await rpc.bash("echo out; exit 3")).toMatchObject({ output: "out\n", exitCode: 3, cancelled: false });
    const endless = rpc.bash("touch started; sleep 60");
    await until(() => Bun.file(join(chat.place.cwd, "started")).exists());
    await rpc.abortBash();
    expect(await endless).toMatchObject({ cancelled: true });
  });

  test("models and thinking", async () => {
    await using chat = await chatPlace();
    await using started = await start(chat);
    const { rpc } = started;
    const ids = (await rpc.getAvailableModels()).map(({ id }: Event) => id);
    expect(ids).toContain("thinker");
    expect(await rpc.setModel("local", "thinker")).toMatchObject({ provider: "local", id: "thinker" });
    await rpc.setThinkingLevel("high");
    expect(await rpc.getState()).toMatchObject({ model: { id: "thinker" }, thinkingLevel: "high" });
    expect(await rpc.cycleThinkingLevel()).toEqual({ level: "off" });
    expect(await rpc.cycleModel()).toMatchObject({ model: { provider: "local", id: "m" }, isScoped: false });
    expect(await rpc.cycleThinkingLevel()).toBeNull();
    expect(await rejection(rpc.setModel("local", "missing"))).toMatchObject({
      message: expect.stringContaining("Model not found: local/missing"),
    });
  });

  test("modes of the queues", async () => {
    await using chat = await chatPlace();
    await using started = await start(chat);
    await started.rpc.setSteeringMode("all");
    await started.rpc.setFollowUpMode("all");
    await started.rpc.setAutoRetry(false);
    await started.rpc.abortRetry();
    expect(await started.rpc.getState()).toMatchObject({ steeringMode: "all", followUpMode: "all" });
  });

  testIfCan(
    client,
    "getEntries",
    "getTree",
  )("entries since one, and the tree", async () => {
    await using chat = await chatPlace(says("one"));
    await using started = await start(chat);
    const { rpc } = started;
    await promptToEnd(rpc, "first");
    const { entries, leafId } = await rpc.getEntries();
    expect(entries.at(-1).id).toBe(leafId);
    const said = entries.findIndex(({ message }: Event) => message?.role === "user");
    expect((await rpc.getEntries(entries[said].id)).entries).toEqual(entries.slice(said + 1));
    const { tree } = await rpc.getTree();
    expect(tree.map(({ entry }: Event) => entry.id)).toEqual([entries[0].id]);
    expect(await rejection(rpc.getEntries("nowhere"))).toMatchObject({
      message: expect.stringContaining("Entry not found: nowhere"),
    });
  });

  testIfCan(client, "getAvailableThinkingLevels")("thinking levels of the model", async () => {
    await using chat = await chatPlace();
    await using started = await start(chat);
    expect(await started.rpc.getAvailableThinkingLevels()).toEqual(["off"]);
    await started.rpc.setModel("local", "thinker");
    expect(await started.rpc.getAvailableThinkingLevels()).toEqual(["off", "minimal", "low", "medium", "high"]);
  });

  testIfCan(client, "setSessionName")("the name of a session", async () => {
    await using chat = await chatPlace();
    await using started = await start(chat);
    await started.rpc.setSessionName("of mine");
    expect((await started.rpc.getState()).sessionName).toBe("of mine");
  });

  test("stop ends the program, and the client can be started again", async () => {
    await using chat = await chatPlace(says("back"));
    await using started = await start(chat);
    await started.rpc.stop();
    await started.rpc.start();
    await promptToEnd(started.rpc, "x");
    expect(await started.rpc.getLastAssistantText()).toBe("back");
  });
}

/** The client's own way to wait for the end of a run. */
export async function promptsAndWaits(client: ClientClass, { args }: Family): Promise<void> {
  await using chat = await chatPlace(says("one"), says("two"));
  await using started = await startClient(client, chat, { args });
  for (const text of ["one", "two"]) {
    const events: Event[] = await started.rpc.promptAndWait("x", undefined, 60_000);
    expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(1);
    expect(await started.rpc.getLastAssistantText()).toBe(text);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: see ClientClass
export async function promptToEnd(rpc: any, message: string): Promise<void> {
  const idle = rpc.waitForIdle();
  await rpc.prompt(message);
  await idle;
}

/** Checks in every turn of the event loop, because these clients offer no promise for it. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
