import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendEvents } from "../../../ai/test/support/loopback-server.ts";
import { startWithLimit } from "../support/clients/limited-lines.ts";
import { program, runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { readSession } from "../support/scenarios/stored-sessions.ts";

// Reads as clients of pi do: lines of limited length, responses matched by id alone, the files in a directory, text
// assembled from deltas or taken from the message.

const PI = ["--dialect", "pi", ...CHAT];
const LINE_LIMIT = 64 * 1024;
/** Each word occurs once, so that repetitions can be counted. */
const wordsOf = (count: number) => Array.from({ length: count }, (_, index) => `word${index} `);
const times = (text: string, part: string) => text.split(part).length - 1;
const updatesOf = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "message_update");

test("a client that names one new session file per conversation finds each conversation in its file", async () => {
  await using chat = await chatPlace(says("one"), says("two"));
  const file = join(chat.place.cwd, "new directory", "chat 1.jsonl");
  const ask = (message: string) =>
    runProgram(["--print", "--mode", "json", "--session", file, ...CHAT, message], {
      ...chat.place,
      env: { ...chat.place.env, PINTLE_DIALECT: "pi" },
      command: [program],
    });
  expect((await ask("first")).code).toBe(0);
  expect((await ask("second")).code).toBe(0);
  expect(readSession(file).prompts).toEqual(["first", "second"]);
  expect(JSON.stringify(chat.server.requests[1]?.body.messages)).toContain("first");
});

test("a message names the model that answered, and whether the provider reported the price", async () => {
  const answer = (...chunks: object[]) =>
    sendEvents([...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));
  const choices = [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }];
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  await using chat = await chatPlace(
    answer(
      { id: "r1", model: "vendor/real-model", choices },
      { id: "r1", choices: [], usage: { ...usage, cost: 0.25 } },
    ),
    answer({ id: "r2", choices }, { id: "r2", choices: [], usage }),
  );
  await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
  const answered = async () => {
    await rpc.prompt("go");
    return rpc.frames.findLast(({ type, message }) => type === "message_end" && message.role === "assistant")?.message;
  };
  expect(await answered()).toMatchObject({
    model: "m",
    responseModel: "vendor/real-model",
    usage: { cost: { total: 0.25, totalFromProvider: true } },
  });
  expect(await answered()).toMatchObject({ model: "m", usage: { cost: { totalFromProvider: false } } });
});

test("the size after a compaction and repeated attempts at its summary are reported", async () => {
  const busy: Parameters<typeof chatPlace>[0] = (response) => {
    response.writeHead(503);
    response.end("busy");
  };
  await using chat = await chatPlace(says("one"), busy, says("a summary"));
  const args = [...CHAT, "--set", "retry.baseDelayMs=1", "--set", "compaction.keepRecentTokens=1"];
  await using rpc = await startRpc(args, { ...chat.place, dialect: "pi" });
  await rpc.prompt("hello");
  const { data } = await rpc.call("compact");
  expect(data).toMatchObject({ summary: expect.any(String), estimatedTokensAfter: expect.any(Number) });
  const told = rpc.frames.filter(({ type }) => type.startsWith("summarization_retry_"));
  expect(told).toEqual([
    {
      type: "summarization_retry_scheduled",
      attempt: 1,
      maxAttempts: expect.any(Number),
      delayMs: 1,
      errorMessage: expect.stringContaining("503"),
    },
    { type: "summarization_retry_attempt_start", source: "compaction", reason: "manual" },
    { type: "summarization_retry_finished" },
  ]);
});

test.each(["text", "thinking"])("a %s block that an abort leaves open is ended before the message", async (kind) => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using rpc = await startRpc(["--model", "local/thinker"], { ...chat.place, dialect: "pi" });
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  if (kind === "text") held.write("half a sentence");
  else held.think("half a thought");
  await rpc.until(({ assistantMessageEvent }) => assistantMessageEvent?.type === `${kind}_delta`);
  rpc.send({ type: "abort" });
  const end = await rpc.until(({ type, message }) => type === "message_end" && message.role === "assistant");
  const before = rpc.frames[rpc.frames.indexOf(end) - 1];
  const content = kind === "text" ? "half a sentence" : "half a thought";
  expect(before).toMatchObject({ type: "message_update", assistantMessageEvent: { type: `${kind}_end`, content } });
  const ends = rpc.frames.filter(({ assistantMessageEvent }) => assistantMessageEvent?.type === `${kind}_end`);
  expect([ends.length, end.message.stopReason]).toEqual([1, "aborted"]);
});

test("a session of pi continues without the messages that were removed in it, and includes its usage entries in the costs", async () => {
  await using chat = await chatPlace(says("ok"));
  const file = join(chat.place.cwd, "of pi.jsonl");
  const entry = (id: string, parentId: string | null, fields: object) => ({
    id,
    parentId,
    timestamp: "2026-11-18T00:00:00.000Z",
    ...fields,
  });
  const user = (text: string) => ({ type: "message", message: { role: "user", content: text, timestamp: 1 } });
  const cost = { input: 0, output: 0, cacheRead: 0.015, cacheWrite: 0, total: 0.015 };
  const usage = { input: 0, output: 0, cacheRead: 50_000, cacheWrite: 0, totalTokens: 50_000, cost };
  const lines = [
    { type: "session", version: 3, id: "s1", timestamp: "2026-11-18T00:00:00.000Z", cwd: chat.place.cwd },
    entry("a1", null, user("a secret word")),
    entry("a2", "a1", user("a long report")),
    entry("a3", "a2", { type: "context_edit", targetId: "a1", replacement: null }),
    entry("a4", "a3", { type: "context_edit", targetId: "a2", replacement: { content: "a summary" } }),
    entry("a5", "a4", { type: "usage", kind: "cache_warm", provider: "local", model: "m", usage }),
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await using rpc = await startRpc(["--session", file, ...CHAT], { ...chat.place, dialect: "pi" });
  await rpc.prompt("go");
  const sent = JSON.stringify(chat.server.requests[0]?.body.messages);
  expect([sent.includes("a secret word"), sent.includes("a long report"), sent.includes("a summary")]).toEqual([
    false,
    false,
    true,
  ]);
  expect((await rpc.call("get_session_stats")).data).toMatchObject({ tokens: { cacheRead: 50_000 }, cost: 0.015 });
});

describe("a reader with lines of 64 KiB", () => {
  test("receives an answer of 40 KB that arrives at once", async () => {
    await using chat = await chatPlace(says("x".repeat(40_000)));
    await using reader = startWithLimit(PI, chat.place, LINE_LIMIT);
    reader.send({ id: "1", type: "prompt", message: "x" });
    await reader.until(({ type }) => type === "agent_settled");
    expect(reader.longest()).toBeLessThan(42_000);
  });

  test("receives an answer of 40 KB that arrives in pieces", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using reader = startWithLimit(PI, chat.place, LINE_LIMIT);
    reader.send({ id: "1", type: "prompt", message: "x" });
    await held.asked;
    for (let count = 0; count < 400; count += 1) held.write("x".repeat(100));
    held.finish();
    await reader.until(({ type }) => type === "agent_settled");
    expect(reader.longest()).toBeLessThan(46_000);
    expect(updatesOf(reader.frames).length).toBeGreaterThan(2);
  });

  test("receives arguments of 40 KB", async () => {
    const args = { path: "made.txt", content: "x".repeat(40_000) };
    await using chat = await chatPlace(callsTools({ name: "write", args }), says("done"));
    await using reader = startWithLimit(PI, chat.place, LINE_LIMIT);
    reader.send({ id: "1", type: "prompt", message: "x" });
    await reader.until(({ type }) => type === "agent_settled");
    expect(reader.longest()).toBeLessThan(46_000);
    expect(existsSync(join(chat.place.cwd, "made.txt"))).toBe(true);
  });

  test("receives the output of a command that writes one long line", async () => {
    await using chat = await chatPlace();
    await using reader = startWithLimit(PI, chat.place, LINE_LIMIT);
    reader.send({ id: "b", type: "bash", command: "head -c 300000 /dev/zero | tr '\\0' x" });
    const answer = await reader.until(({ type }) => type === "response");
    const told = reader.frames.filter(({ type }) => type === "bash_execution_update");
    expect(told.map(({ delta }) => delta).join("")).toBe("x".repeat(300_000));
    expect(answer.data).toMatchObject({ truncated: true, exitCode: 0 });
  });

  test("receives a short line for the state", async () => {
    await using chat = await chatPlace();
    await using reader = startWithLimit(PI, chat.place, 4096);
    reader.send({ id: "s", type: "get_state" });
    const { data } = await reader.until(({ id }) => id === "s");
    expect(data).toMatchObject({ isStreaming: false, isSettled: true, messageCount: 0, pendingMessageCount: 0 });
    expect(Object.keys(data).filter((key) => key === "systemPrompt" || key === "dumpTools")).toEqual([]);
  });
});

describe("text while it streams", () => {
  test("the end of a block contains it once, and deltas and message agree with it", async () => {
    const held = heldAnswer();
    const words = wordsOf(300);
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    for (const word of words) held.write(word);
    held.finish();
    await rpc.until(({ type }) => type === "agent_settled");
    const text = words.join("");
    const updates = updatesOf(rpc.frames);
    const deltas = updates.flatMap(({ assistantMessageEvent: { delta } }) => delta ?? []);
    expect(deltas.join("")).toBe(text);
    const end = updates.find(({ assistantMessageEvent: { type } }) => type === "text_end") as Frame;
    expect(end.assistantMessageEvent.content).toBe(text);
    expect(times(JSON.stringify(end), "word150 ")).toBe(1);
    expect(updates.every(({ usage }) => typeof usage.totalTokens === "number")).toBe(true);
    let soFar = "";
    for (const { message, assistantMessageEvent } of updates.filter(({ assistantMessageEvent: e }) => e.delta)) {
      soFar += assistantMessageEvent.delta;
      expect(message.content).toEqual([{ type: "text", text: soFar }]);
      expect(assistantMessageEvent.partial.content).toEqual([]);
    }
  });

  test("a call starts with its id and the name of the tool", async () => {
    await using chat = await chatPlace(callsTools({ name: "ls", id: "call_7" }), says("done"));
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.prompt("x");
    const starts = updatesOf(rpc.frames).filter(({ assistantMessageEvent: { type } }) => type === "toolcall_start");
    expect(starts.map(({ assistantMessageEvent: { id, toolName } }) => ({ id, toolName }))).toEqual([
      { id: "call_7", toolName: "ls" },
    ]);
  });
});

test("a client that matches responses only by id finds that of an unknown command", async () => {
  await using chat = await chatPlace();
  for (const dialect of ["pi", "omp"] as const) {
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect });
    const answer = await rpc.call("no_such_command");
    expect(answer).toMatchObject({ success: false, error: "Unknown command: no_such_command" });
  }
});

describe("the end of a run", () => {
  test("reports that no retry follows and that the user did not abort it", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.prompt("x");
    expect(rpc.frames.find(({ type }) => type === "agent_end")).toMatchObject({ willRetry: false });
    expect(rpc.frames.at(-1)).toEqual({ type: "agent_settled", aborted: false });
  });

  test("reports that it was aborted", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    await rpc.call("abort");
    expect(rpc.frames.find(({ type }) => type === "agent_settled")).toEqual({ type: "agent_settled", aborted: true });
  });
});

test("output of a command is sent with its id while it runs", async () => {
  await using chat = await chatPlace();
  await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
  const command = "mkfifo gate; printf '\\033[31mone\\033[0m\\n'; cat gate"; // continues when the test opens the gate
  rpc.send({ id: "b1", type: "bash", command });
  const first = await rpc.until(({ type }) => type === "bash_execution_update");
  expect(first).toEqual({ type: "bash_execution_update", id: "b1", delta: "one\n" });
  writeFileSync(join(chat.place.cwd, "gate"), "two\n");
  const answer = await rpc.until(({ id, type }) => id === "b1" && type === "response");
  expect(answer.data).toMatchObject({ output: "one\ntwo\n", exitCode: 0 });
});

describe("what extensions do outside a run", () => {
  const SENDS = `pi.registerCommand("go", { handler: async () => {
    pi.sendMessage({ customType: "note", content: "from an extension", display: true });
    pi.appendEntry("kept", { n: 1 });
    pi.setSessionName("named");
  } });`;

  test("is sent before the response to the command that caused it", async () => {
    await using run = await withExtensions(SENDS, { dialect: "pi" });
    const answer = await run.rpc.call("prompt", { message: "/go" });
    expect(answer.data).toEqual({ disposition: "handled" });
    const shown = run.rpc.frames.map(({ type, message, entry }) => [type, message?.customType ?? entry?.customType]);
    expect(shown).toEqual([
      ["message_start", "note"],
      ["message_end", "note"],
      ["entry_appended", "kept"],
      ["session_info_changed", undefined],
      ["response", undefined],
    ]);
    const [start, end] = run.rpc.frames;
    expect(start).toMatchObject({ message: { role: "custom", content: "from an extension", display: true } });
    expect(end?.message).toEqual(start?.message);
    expect(end?.messageId).toBe(start?.messageId);
    expect((await run.rpc.call("get_messages")).data.messages).toEqual([start?.message]);
  });

  test("has no such event in the default dialect, unless the host asks for it", async () => {
    await using run = await withExtensions(SENDS);
    await run.command("/go");
    const types = () => run.rpc.frames.map(({ type }) => type);
    expect(types().filter((type) => /^message_|^entry_/.test(type))).toEqual([]);
    await run.rpc.call("set_event_filter", { events: ["*", "message_appended", "entry_appended"] });
    const before = run.rpc.frames.length;
    await run.command("/go");
    const told = run.rpc.frames.slice(before).map(({ type, entry }) => (entry ? `${type} ${entry.type}` : type));
    expect(told).toEqual([
      "response",
      "entry_appended custom_message",
      "message_appended",
      "entry_appended custom",
      "entry_appended session_info",
      "session_info_changed",
      "prompt_result",
    ]);
  });

  test("setTitle reaches clients of pi and oh-my-pi, and other hosts only on request", async () => {
    const TITLE = 'pi.registerCommand("go", { handler: async (_args, ctx) => ctx.ui.setTitle("a title") });';
    const titles = async (situation: object) => {
      await using run = await withExtensions(TITLE, situation);
      await run.rpc.call("prompt", { message: "/go" });
      await run.rpc.call("get_state");
      return run.rpc.frames.flatMap(({ method, title }) => (method === "setTitle" ? title : []));
    };
    expect(await titles({ dialect: "pi" })).toEqual(["a title"]);
    expect(await titles({ dialect: "omp" })).toEqual(["a title"]);
    expect(await titles({})).toEqual([]);
    expect(await titles({ env: { PI_RPC_EMIT_TITLE: "1" } })).toEqual(["a title"]);
  });
});

describe("clients that look for session files", () => {
  const filesIn = (directory: string) =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  const prompted = async (args: readonly string[], place: { cwd: string; env: Record<string, string> }) => {
    await using rpc = await startRpc([...CHAT, ...args], { ...place, dialect: "pi" });
    await rpc.prompt("keep this");
    return (await rpc.call("get_state")).data as Frame;
  };
  const cwdName = (cwd: string) => `--${cwd.slice(1).replaceAll("/", "-")}--`;

  test("find them where pi stores them, if that directory exists", async () => {
    await using chat = await chatPlace(says("a"), says("b"));
    const { cwd, env, root } = chat.place;
    const sessions = join(root, ".pi/agent/sessions");
    const elsewhere = await prompted([], chat.place);
    expect(elsewhere.sessionFile.startsWith(join(env.PINTLE_HOME as string, "sessions"))).toBe(true);
    mkdirSync(sessions, { recursive: true });
    const { sessionFile } = await prompted([], chat.place);
    expect(filesIn(sessions).map((name) => join(sessions, name))).toEqual([sessionFile]);
    expect(sessionFile.startsWith(join(sessions, cwdName(cwd)))).toBe(true);
    expect(readSession(sessionFile).prompts).toEqual(["keep this"]);
  });

  test("find them in the directory of pi's variable, which is created if necessary", async () => {
    await using chat = await chatPlace(says("a"));
    const PI_CODING_AGENT_DIR = join(chat.place.root, "agent");
    const { sessionFile } = await prompted([], { ...chat.place, env: { ...chat.place.env, PI_CODING_AGENT_DIR } });
    expect(sessionFile.startsWith(join(PI_CODING_AGENT_DIR, "sessions", cwdName(chat.place.cwd)))).toBe(true);
    expect(existsSync(sessionFile)).toBe(true);
  });

  test("the default dialect uses its own directory", async () => {
    await using chat = await chatPlace(says("a"));
    mkdirSync(join(chat.place.root, ".pi/agent/sessions"), { recursive: true });
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("x");
    expect(filesIn(join(chat.place.root, ".pi"))).toEqual([]);
  });

  test("--session-dir D contains the files directly, and sessions of both layouts can be opened", async () => {
    await using chat = await chatPlace(says("a"), says("b"));
    const { cwd } = chat.place;
    const own = join(cwd, "own");
    const flat = ["--session-dir", own];
    const { sessionFile } = await prompted(flat, chat.place);
    expect(filesIn(own).map((name) => join(own, name))).toEqual([sessionFile]);
    await using again = await startRpc([...CHAT, ...flat, "--continue"], chat.place);
    expect((await again.call("get_state")).data).toMatchObject({ sessionFile, messageCount: 2 });
    await again.end();

    // The other layout under the same directory, as an earlier version left it.
    const layered = join(own, cwdName(cwd));
    mkdirSync(layered);
    const old = join(layered, "2020-01-01T00-00-00-000Z_old.jsonl");
    await Bun.write(old, (await Bun.file(sessionFile).text()).replace(/"id":"[^"]+"/, '"id":"old"'));
    await using third = await startRpc([...CHAT, ...flat, "--session", "old"], chat.place);
    expect((await third.call("get_state")).data).toMatchObject({ sessionFile: old, sessionId: "old", messageCount: 2 });
    expect(await third.call("switch_session", { sessionPath: sessionFile })).toMatchObject({ success: true });
    const { text } = (await third.call("get_fork_messages")).data.messages[0];
    expect(text).toBe("keep this");
  });
});
