import { afterEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../ai/test/support/rejection.ts";
import { program } from "../../coding-agent/test/support/program.ts";
import {
  type ChatPlace,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { type Machine, machine } from "../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { type HostTool, RpcClient, type RpcClientOptions, RpcCommandError, type RpcEvent } from "../src/index.ts";

// Runs against the built program, with the offline model, or with a model on loopback where the answer matters.

const open: { stop(): Promise<void> }[] = [];
const places: Disposable[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client.stop();
  for (const place of places.splice(0)) place[Symbol.dispose]();
});

async function started(
  options: RpcClientOptions = {},
  place: Machine = machine(),
): Promise<{ client: RpcClient; place: Machine }> {
  places.push(place);
  const client = new RpcClient({
    command: [program],
    model: "pintle/offline",
    cwd: place.cwd,
    env: place.env,
    ...options,
  });
  open.push(client);
  await client.start();
  return { client, place };
}

const onChat = ({ place }: ChatPlace, options: RpcClientOptions = {}) =>
  started({ model: "local/m", ...options }, place);

describe("lifecycle", () => {
  test("starts the program of the repository without a configured path", async () => {
    const place = machine();
    places.push(place);
    const client = new RpcClient({ model: "pintle/offline", cwd: place.cwd, env: place.env });
    open.push(client);
    expect(await client.start()).toMatchObject({ type: "ready", protocolVersion: 1 });
    expect(client.server?.sessionId).toBe((await client.getState()).sessionId);
    await client.stop();
    expect(await client.exited).toEqual({ code: 0, signal: null });
  });

  test("a failed start includes what the program printed", async () => {
    const place = machine();
    places.push(place);
    const client = new RpcClient({ command: [program], provider: "no-such", cwd: place.cwd, env: place.env });
    expect(await rejection(client.start())).toMatchObject({
      message: expect.stringMatching(/exited with code 2\n.*Unknown provider "no-such"/s),
    });
  });

  test("restart continues the session, with its tools and modes", async () => {
    const echo: HostTool = {
      name: "echo",
      description: "Says it again",
      parameters: { type: "object", properties: { say: { type: "string" } } },
      execute: ({ say }) => `echo ${say}`,
    };
    const { client } = await started({ customTools: [echo], updateMode: "delta", args: ["--continue"] });
    await client.promptAndWait("list");
    const before = await client.getState();
    await client.restart();
    const after = await client.getState();
    expect(after.sessionId).toBe(before.sessionId);
    expect(after.messageCount).toBe(before.messageCount);
    expect((await client.promptAndWait('call echo {"say":"again"}')).text).toContain("echo again");
  });

  test("restart in the middle of a run rejects that run, and the next one works", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("after all"));
    const { client } = await onChat(chat);
    const run = client.run("long");
    await held.asked;
    const reading = (async () => {
      for await (const _event of run);
    })().catch((error) => error);
    const restarted = client.restart();
    expect(await rejection(run.result)).toMatchObject({ message: expect.stringContaining("The client was stopped") });
    expect(await reading).toMatchObject({ name: "RpcClosedError" });
    await restarted;
    expect(client.isIdle).toBe(true);
    expect((await client.promptAndWait("again")).text).toBe("after all");
  });

  test("restart works after a crash", async () => {
    const place = machine();
    let pid = 0;
    const { client } = await started(
      {
        spawn: (args) => {
          const child = spawn(program, args, { cwd: place.cwd, env: place.env, stdio: "pipe" });
          pid = child.pid ?? 0;
          return child;
        },
      },
      place,
    );
    await client.promptAndWait("list");
    const { messageCount, sessionId } = await client.getState();
    const waiting = client.bash("sleep 60").catch((error) => error);
    process.kill(pid, "SIGKILL");
    expect(await waiting).toMatchObject({ name: "RpcClosedError", signal: "SIGKILL" });
    await client.restart();
    expect(await client.getState()).toMatchObject({ messageCount, sessionId });
  });
});

describe("commands", () => {
  test("return their data; failures reject", async () => {
    const { client } = await started();
    expect((await client.getAvailableModels()).models.map(({ provider, id }) => `${provider}/${id}`)).toContain(
      "pintle/offline",
    );
    expect(await client.setModel("pintle", "offline")).toMatchObject({ id: "offline" });
    const failure = await client.setModel("pintle", "none").catch((error) => error);
    expect(failure).toBeInstanceOf(RpcCommandError);
    expect(failure).toMatchObject({ error: "Model not found: pintle/none", code: "not_found", command: "set_model" });
    expect(await rejection(client.request({ type: "no_such_command" }))).toMatchObject({
      message: expect.stringContaining("Unknown command: no_such_command"),
    });
    expect(await client.bash("echo hi")).toMatchObject({ output: "hi\n", exitCode: 0 });
    expect(await client.setTodos([{ name: "One", tasks: [{ content: "a" }] }])).toMatchObject({
      todoPhases: [{ name: "One" }],
    });
    await client.setSessionName("  my name ");
    expect((await client.getState()).sessionName).toBe("my name");
  });

  test("every read command without parameters succeeds", async () => {
    const { client } = await started();
    await client.promptAndWait("list");
    const answers = await Promise.all([
      client.getMessages(),
      client.getMessagesPage({ limit: 1 }),
      client.getLastAssistantText(),
      client.getSessionStats(),
      client.getBranchMessages(),
      client.getForkMessages(),
      client.getEntries(),
      client.getTree(),
      client.getAvailableThinkingLevels(),
      client.getAvailableCommands(),
      client.getCommands(),
      client.getPending(),
      client.getPendingActions(),
    ]);
    expect(answers.every((answer) => typeof answer === "object")).toBe(true);
  });

  test("the client follows a change of session", async () => {
    const { client } = await started();
    await client.promptAndWait("list");
    const first = client.sessionFile;
    expect(await client.newSession()).toEqual({ cancelled: false });
    // The event about the change follows the response and precedes any later response.
    const { sessionFile } = await client.getState();
    expect(client.sessionFile).toBe(sessionFile!);
    expect(client.sessionFile).not.toBe(first);
    await client.switchSession(first!);
    await client.getState();
    expect(client.sessionFile).toBe(first);
    const [message] = (await client.getBranchMessages()).messages;
    expect(await client.branch(message!.entryId)).toEqual({ text: "list", cancelled: false });
  });
});

describe("runs", () => {
  test("stream their events, and tools really run", async () => {
    const { client, place } = await started();
    writeFileSync(join(place.cwd, "a.txt"), "one\ntwo\n");
    const types = new Set<string>();
    const run = client.run("read a.txt");
    for await (const { type } of run) types.add(type);
    expect([...types]).toEqual(
      expect.arrayContaining(["agent_start", "message_update", "tool_execution_end", "agent_end"]),
    );
    expect((await run.result).text).toContain("a.txt");
    await client.waitForIdle();
    expect(client.isIdle).toBe(true);
  });

  test("a second run at the same time is rejected, a follow-up is not", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("both"));
    const { client } = await onChat(chat);
    const first = client.run("one");
    await held.asked;
    expect(await rejection(client.promptAndWait("two"))).toMatchObject({ code: "busy" });
    const joined = client.run("three", { streamingBehavior: "followUp" });
    for await (const { type } of client.events()) if (type === "queue_update") break;
    held.write("first");
    held.finish();
    expect([(await first.result).text, (await joined.result).text]).toEqual(["both", "both"]);
  });

  test("a signal aborts the run, and the next prompt is accepted at once", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("next"));
    const { client } = await onChat(chat);
    const controller = new AbortController();
    const run = client.run("long", { signal: controller.signal });
    await held.asked;
    held.write("half an ans");
    for await (const { type } of run) if (type === "message_update") break;
    controller.abort(new Error("enough"));
    expect(await run.result).toMatchObject({ status: "aborted", endedBy: "abort", text: "half an ans" });
    expect((await client.promptAndWait("again")).text).toBe("next");
  });

  test("a signal that is aborted before the prompt was read ends it too", async () => {
    const { client } = await started();
    const controller = new AbortController();
    const run = client.run("run sleep 30", { signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(await run.result).toMatchObject({ status: "aborted", endedBy: "abort" });
    await client.waitForIdle();
  });

  test("a prompt that is aborted before its run starts rejects", async () => {
    const { client } = await started();
    const run = client.run("list");
    const aborted = client.abort();
    expect(await rejection(run.result)).toMatchObject({
      message: expect.stringContaining("prompt: Request was aborted"),
    });
    await aborted;
    await client.waitForIdle(); // the run's events were emitted
  });
});

describe("delta mode", () => {
  const script = () => [
    callsTools(
      { name: "ls", args: { path: "." } },
      { name: "write", args: { path: "b.txt", content: "text\n".repeat(200) } },
    ),
    says("All **done** – ünïcode ☃ 𝄞".repeat(20)),
  ];

  /** What a listener sees of the answers: the message of every update, and the deltas concatenated. */
  async function seen(updateMode: "full" | "delta") {
    await using chat = await chatPlace(...script());
    const { client } = await onChat(chat, { updateMode });
    const updates: Extract<RpcEvent, { type: "message_update" }>[] = [];
    client.on("message_update", (event) => updates.push(event));
    const { messages } = await client.promptAndWait("go");
    await client.stop();
    for (const { message, assistantMessageEvent } of updates) expect(assistantMessageEvent.partial).toEqual(message);
    const content = updates.map(({ message }) => message.content);
    return { content: content.filter((_, index) => isEnd(updates[index]!)), roles: messages.map(({ role }) => role) };
  }

  const isEnd = ({ assistantMessageEvent: { type } }: { assistantMessageEvent: { type: string } }) =>
    type.endsWith("_end");

  test("listeners see the same as in full mode", async () => {
    const full = await seen("full");
    expect(await seen("delta")).toEqual(full);
    expect(full.content.length).toBeGreaterThanOrEqual(3);
  });
});

describe("host tools", () => {
  const slow = (execute: HostTool["execute"]): HostTool => ({
    name: "slow",
    description: "Takes its time",
    parameters: { type: "object", properties: {} },
    execute,
  });

  test("run in this process and report progress like any tool", async () => {
    const { client } = await started();
    await client.setCustomTools([
      slow(async (_args, { sendUpdate }) => {
        sendUpdate("half way");
        return "arrived";
      }),
    ]);
    const progress: unknown[] = [];
    client.on("tool_execution_update", ({ partialResult }) => progress.push(partialResult.content));
    const { text } = await client.promptAndWait("call slow {}");
    expect(text).toContain("arrived");
    expect(progress).toEqual([[{ type: "text", text: "half way" }]]);
  });

  test("are cancelled with the run", async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const { client } = await started({
      customTools: [
        slow((_args, { signal }) => {
          called.resolve(signal);
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        }),
      ],
    });
    const run = client.run("call slow {}");
    const signal = await called.promise;
    await client.abort();
    expect(signal.aborted).toBe(true);
    expect((await run.result).stopReason).toBe("aborted");
  });

  test("fail the start if the server rejects one of them", async () => {
    const place = machine();
    places.push(place);
    const tool = { ...slow(() => ""), name: "read" };
    const client = new RpcClient({
      command: [program],
      model: "pintle/offline",
      cwd: place.cwd,
      env: place.env,
      customTools: [tool],
    });
    expect(await rejection(client.start())).toMatchObject({
      message: expect.stringContaining('RPC host tool "read" conflicts with an existing tool'),
    });
    expect(await client.exited).toMatchObject({ code: 0 });
  });
});
