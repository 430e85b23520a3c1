import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";
import { sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Tests every event whose answer has an effect, in the built program, with two extensions where answers are chained.

const textOf = ({ content }: Frame): string =>
  typeof content === "string" ? content : content.map((block: Frame) => block.text ?? "").join("");
const resultsIn = (frames: Frame[]) => frames.filter(({ type }) => type === "tool_execution_end");
const errorsIn = (frames: Frame[]) =>
  frames.filter(({ type }) => type === "extension_error").map(({ event, error }) => [event, error]);

/** A tool that reports its arguments and counts its calls. */
const ECHO = `
  let ran = 0;
  pi.registerTool({
    name: "echo", description: "e", parameters: pi.typebox.Type.Object({ n: pi.typebox.Type.Number() }),
    execute: async (id, params) => ({ content: [{ type: "text", text: "n=" + params.n }], details: { ran: ++ran, kept: 1 } }),
  });
`;
const ECHO_CALL = callsTools({ name: "echo", args: { n: 1 } });

describe("tool_call", () => {
  const rows: [what: string, bodies: string[], expected: object][] = [
    [
      "blocks with its reason, and later handlers are not called",
      [`(event) => ({ block: true, reason: "not " + event.toolName })`, `() => note("second", 1)`],
      { isError: true, text: "not echo" },
    ],
    ["blocks without a reason", [`() => ({ block: true })`], { isError: true }],
    [
      "replaces the arguments; the next handler sees them",
      [`(event) => ({ input: { n: event.input.n + 1 } })`, `(event) => { event.input.n *= 10; }`],
      { isError: false, text: "n=20", effective: { n: 20 } },
    ],
    [
      "that changes the arguments to invalid ones makes the call fail",
      [`() => ({ input: { n: "x" } })`],
      { isError: true },
    ],
    ["that throws blocks the call", [`() => { throw new Error("no idea") }`], { isError: true, text: "no idea" }],
    [
      "that rejects blocks the call",
      [`async () => { throw new Error("no idea") }`],
      { isError: true, text: "no idea" },
    ],
    ["that returns nothing lets the call run", [`() => undefined`], { isError: false, text: "n=1" }],
  ];
  test.each(rows)("a handler %s", async (_what, handlers, expected) => {
    const bodies = handlers.map((handler, n) => [`${n}.ts`, `pi.on("tool_call", ${handler});`]);
    await using run = await withExtensions(Object.fromEntries([...bodies, ["echo.ts", ECHO]]), {
      answers: [ECHO_CALL, says("done")],
    });
    await run.rpc.prompt("go");
    const [{ isError, result }] = resultsIn(run.rpc.frames) as [Frame];
    const effective = result.details?.effectiveArguments;
    expect({ isError, text: textOf(result), ...(effective && { effective }) }).toMatchObject(expected);
    expect(run.notes()).toEqual([]);
    // The conversation keeps what the model sent.
    const sent = run.server.requests[1]!.body.messages.find(({ tool_calls }: Frame) => tool_calls).tool_calls[0];
    expect(JSON.parse(sent.function.arguments)).toEqual({ n: 1 });
  });

  test("is emitted when the session already contains the message with the call", async () => {
    await using run = await withExtensions(
      `${ECHO} pi.on("tool_call", (event, ctx) => tell(ctx, "call", { event, leaf: ctx.sessionManager.getLeafEntry() }));`,
      { answers: [ECHO_CALL, says("done")] },
    );
    await run.rpc.prompt("go");
    const [{ event, leaf }] = (await run.told("call")) as [Frame];
    expect(event).toEqual({ type: "tool_call", toolCallId: "call_1", toolName: "echo", input: { n: 1 } });
    expect(leaf.message.content).toMatchObject([{ type: "toolCall", id: "call_1" }]);
  });
});

test("tool_result: each handler patches the result of the previous one", async () => {
  await using run = await withExtensions(
    {
      "a.ts": `${ECHO} pi.on("tool_result", (event, ctx) => {
        tell(ctx, "first", event);
        return { content: [{ type: "text", text: "patched" }], details: { mine: 1 } };
      });`,
      "b.ts": `pi.on("tool_result", (event, ctx) => { tell(ctx, "second", event); return { isError: true }; });
        pi.on("tool_result", () => ({ content: "not a list" }));`,
    },
    { answers: [ECHO_CALL, says("done")] },
  );
  await run.rpc.prompt("go");
  const call = { type: "tool_result", toolCallId: "call_1", toolName: "echo", input: { n: 1 }, isError: false };
  const patched = { content: [{ type: "text", text: "patched" }], details: { mine: 1 } };
  expect(await run.told("first")).toEqual([
    { ...call, content: [{ type: "text", text: "n=1" }], details: { ran: 1, kept: 1 } },
  ]);
  expect(await run.told("second")).toEqual([{ ...call, ...patched }]);
  expect(resultsIn(run.rpc.frames)).toMatchObject([{ isError: true, result: patched }]);
  expect(errorsIn(run.rpc.frames)).toEqual([["tool_result", "content must be a list"]]);
  expect(textOf(run.server.requests[1]!.body.messages.at(-1))).toBe("patched");
});

describe("input", () => {
  const rows: [what: string, handlers: string[], expected: { said: string[]; told: string[] }][] = [
    ["continue", [`() => ({ action: "continue" })`], { said: ["hello"], told: [] }],
    [
      "transforms are chained",
      [
        `({ text }) => ({ action: "transform", text: text + "1" })`,
        `({ text }) => ({ action: "transform", text: text + "2" })`,
      ],
      { said: ["hello12"], told: [] },
    ],
    [
      "handled, and later handlers are not called",
      [`() => ({ action: "handled" })`, `() => note("asked", 1)`],
      { said: [], told: [] },
    ],
    ["the older form of handled", [`() => ({ handled: true })`], { said: [], told: [] }],
    ["the older form of transform", [`({ text }) => ({ text: text.toUpperCase() })`], { said: ["HELLO"], told: [] }],
    ["throw", [`() => { throw new Error("oh") }`], { said: ["hello"], told: ["oh"] }],
    [
      "an invalid text",
      [`() => ({ action: "transform", text: 5 })`],
      { said: ["hello"], told: ["text must be a string"] },
    ],
  ];
  test.each(rows)("%s", async (_what, handlers, { said, told }) => {
    await using run = await withExtensions(handlers.map((handler) => `pi.on("input", ${handler});`).join("\n"));
    await run.rpc.call("prompt", { message: "hello" });
    const end = said.length > 0 ? "agent_settled" : "prompt_result";
    await run.rpc.until(({ type }) => type === end);
    const asked = run.server.requests.map(({ body }) => textOf(body.messages.at(-1)));
    expect(asked).toEqual(said);
    expect(errorsIn(run.rpc.frames)).toEqual(told.map((error) => ["input", error]));
    expect(run.notes()).toEqual([]);
  });

  test("includes images and the source; a handler can change the images", async () => {
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    await using run = await withExtensions(
      `pi.on("input", (event, ctx) => { tell(ctx, "input", event); return { action: "transform", text: event.text, images: [] } });
       pi.registerCommand("say", { handler: (args) => pi.sendUserMessage(args) });`,
    );
    await run.rpc.call("prompt", { message: "look", images: [image] });
    await run.rpc.until(({ type }) => type === "agent_settled");
    await run.rpc.prompt("/say from me");
    expect(await run.told("input", 2)).toEqual([
      { type: "input", text: "look", images: [image], source: "rpc" },
      { type: "input", text: "from me", source: "extension" },
    ]);
    const users = (await run.rpc.call("get_messages")).data.messages.filter(({ role }: Frame) => role === "user");
    expect(users[0].content).toEqual([{ type: "text", text: "look" }]);
  });
});

test("before_agent_start collects all messages and chains the system prompt, for this run only", async () => {
  const one = (n: number) => `pi.on("before_agent_start", (event, ctx) => {
    tell(ctx, "start", [event.prompt, event.systemPrompt.endsWith("<1>"), typeof event.systemPromptOptions]);
    if (event.prompt === "plain") return undefined;
    return { systemPrompt: event.systemPrompt + "<${n}>", message: { customType: "c${n}", content: "note ${n}", display: true, details: { n: ${n} } } };
  });`;
  await using run = await withExtensions({ "a.ts": one(1), "b.ts": one(2) });
  await run.rpc.prompt("go");
  await run.rpc.prompt("plain");
  expect(await run.told("start", 4)).toEqual([
    ["go", false, "object"],
    ["go", true, "object"],
    ["plain", false, "object"],
    ["plain", false, "object"],
  ]);
  const [first, second] = run.server.requests.map(({ body }) => body.messages);
  expect([textOf(first[0]).endsWith("<1><2>"), textOf(second[0]).includes("<1>")]).toEqual([true, false]);
  expect(first.slice(1).map(textOf)).toEqual(["go\n\nnote 1\n\nnote 2"]); // the model receives all of them as the user's
  const custom = (await run.rpc.call("get_messages")).data.messages.filter(({ role }: Frame) => role === "custom");
  expect(custom).toMatchObject([
    { customType: "c1", content: "note 1", display: true, details: { n: 1 } },
    { customType: "c2", content: "note 2" },
  ]);
});

test("context passes a copy that handlers change for one request, never for the session", async () => {
  const add = (text: string) => `pi.on("context", ({ messages }) => {
    messages[0].content = "spoiled";
    return { messages: [...messages, { role: "user", content: "${text}", timestamp: 1 }] };
  });`;
  await using run = await withExtensions({
    "a.ts": add("first"),
    "b.ts": `${add("second")} pi.on("context", () => ({ messages: "all" }));`,
  });
  await run.rpc.prompt("go");
  const sent = run.server.requests[0]!.body.messages.slice(1).map(textOf);
  expect(sent).toEqual(["spoiled\n\nfirst\n\nsecond"]);
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(messages.map(textOf)).toEqual(["go", "fine"]);
  expect(errorsIn(run.rpc.frames)).toEqual([["context", "messages must be a list"]]);
});

test("before_provider_request replaces the body, after_provider_response receives status and headers", async () => {
  await using run = await withExtensions({
    "a.ts": `pi.on("before_provider_request", ({ payload }, ctx) => { tell(ctx, "payload", payload); return { ...payload, seen: 1 }; });
      pi.on("after_provider_response", (event, ctx) => tell(ctx, "response", event));`,
    "b.ts": `pi.on("before_provider_request", ({ payload }) => { payload.inPlace = payload.seen + 1; });
      pi.on("before_provider_request", () => { throw new Error("oh") });`,
  });
  await run.rpc.prompt("go");
  const { body } = run.server.requests[0]!;
  expect([body.seen, body.inPlace]).toEqual([1, 2]);
  const [payload] = (await run.told("payload")) as [Frame];
  const { seen, inPlace, ...rest } = body;
  expect(payload).toEqual(rest);
  const [response] = (await run.told("response")) as [Frame];
  expect(response).toMatchObject({ status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } });
  expect(errorsIn(run.rpc.frames)).toEqual([["before_provider_request", "oh"]]);
});

describe("message_end", () => {
  const REPLACE = `({ message }) => message.role === "assistant"
    ? { message: { ...message, content: [{ type: "text", text: message.content[0].text + "!" }] } } : undefined`;
  const rows: [what: string, handlers: string[], text: string, faults: string[]][] = [
    ["replacements are chained", [REPLACE, REPLACE], "fine!!", []],
    [
      "a replacement with another role is rejected",
      [`({ message }) => message.role === "assistant" ? { message: { role: "user", content: "x" } } : undefined`],
      "fine",
      ['the role of the message must stay "assistant"'],
    ],
    [
      "throws",
      [`({ message }) => { if (message.role === "assistant") throw new Error("oh") }`, REPLACE],
      "fine!",
      ["oh"],
    ],
  ];
  test.each(rows)("%s", async (_what, handlers, text, faults) => {
    await using run = await withExtensions(handlers.map((handler) => `pi.on("message_end", ${handler});`).join("\n"));
    await run.rpc.prompt("go");
    const ended = run.rpc.frames.filter(({ type, message }) => type === "message_end" && message.role === "assistant");
    expect(ended.map(({ message }) => textOf(message))).toEqual([text]);
    expect(errorsIn(run.rpc.frames)).toEqual(faults.map((fault) => ["message_end", fault]));
    const { messages } = (await run.rpc.call("get_messages")).data;
    expect(textOf(messages.at(-1))).toBe(text);
    expect(await run.rpc.end()).toBe(0);
    const stored = readFileSync(sessionFiles(run.place.sessionDir)[0]!, "utf8");
    expect(stored.includes(JSON.stringify({ type: "text", text }))).toBe(true);
  });
});

describe("user_bash", () => {
  const result = { output: "elsewhere", exitCode: 0, cancelled: false, truncated: false };
  const rows: [what: string, handler: string, expected: object][] = [
    ["a result", `() => ({ result: ${JSON.stringify(result)} })`, { output: "elsewhere", exitCode: 0 }],
    [
      "operations",
      `() => ({ operations: { exec: async (command, cwd, { onData }) => { onData(Buffer.from("ran " + command)); return { exitCode: 3 }; } } })`,
      { output: "ran pwd", exitCode: 3 },
    ],
    ["nothing", `() => undefined`, { exitCode: 0 }],
    ["a fault", `() => { throw new Error("oh") }`, { exitCode: 0 }],
  ];
  test.each(rows)("%s", async (_what, handler, expected) => {
    await using run = await withExtensions(`pi.on("user_bash", (event, ctx) => { tell(ctx, "bash", event); });
      pi.on("user_bash", ${handler}); pi.on("user_bash", () => ({ result: { output: "last", exitCode: 9, cancelled: false, truncated: false } }));`);
    const { data } = await run.rpc.call("bash", { command: "pwd" });
    const isFirst = (expected as Frame).output !== undefined;
    expect(data).toMatchObject(isFirst ? expected : { output: "last", exitCode: 9 });
    expect(await run.told("bash")).toEqual([
      { type: "user_bash", command: "pwd", excludeFromContext: false, cwd: run.place.cwd },
    ]);
  });
});

describe("session changes", () => {
  test("session_before_switch: the first refusal wins, and nothing changes", async () => {
    await using run = await withExtensions({
      "a.ts": `pi.on("session_before_switch", (event, ctx) => { tell(ctx, "switch", event); });
        pi.on("session_before_switch", () => ({ cancel: true }));`,
      "b.ts": `pi.on("session_before_switch", () => note("asked", 1)); pi.on("session_shutdown", () => note("left", 1));`,
    });
    await run.rpc.prompt("go");
    const before = (await run.rpc.call("get_state")).data;
    const target = join(run.place.root, "other.jsonl");
    expect((await run.rpc.call("new_session")).data).toEqual({ cancelled: true });
    expect((await run.rpc.call("switch_session", { sessionPath: target })).data).toEqual({ cancelled: true });
    expect(await run.told("switch", 2)).toEqual([
      { type: "session_before_switch", reason: "new" },
      { type: "session_before_switch", reason: "resume", targetSessionFile: target },
    ]);
    expect((await run.rpc.call("get_state")).data.sessionId).toBe(before.sessionId);
    expect([run.notes(), existsSync(target)]).toEqual([[], false]);
  });

  test.each(["session_before_fork", "session_before_branch"])(
    "%s is emitted for branch (position before) and clone (position at)",
    async (name) => {
      await using run = await withExtensions(
        `pi.on("${name}", (event, ctx) => { tell(ctx, "fork", event); return { cancel: true }; });`,
      );
      await run.rpc.prompt("go");
      const [{ entryId }] = (await run.rpc.call("get_branch_messages")).data.messages;
      expect((await run.rpc.call("branch", { entryId })).data).toEqual({ text: "go", cancelled: true });
      expect((await run.rpc.call("clone")).data).toEqual({ cancelled: true });
      const { entries } = (await run.rpc.call("get_entries")).data;
      expect(await run.told("fork", 2)).toEqual([
        { type: "session_before_fork", entryId, position: "before" },
        { type: "session_before_fork", entryId: entries.at(-1).id, position: "at" },
      ]);
    },
  );
});
