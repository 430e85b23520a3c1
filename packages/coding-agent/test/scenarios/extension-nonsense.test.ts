import { describe, expect, test } from "bun:test";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { evaluate, LABORATORY } from "../support/scenarios/extensions/laboratory.ts";
import { withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Extensions are not type-checked. Whatever they return, every frame is valid (each is checked when read), the
// conversation continues, and an invalid answer is treated as none.

const TOOL = `pi.registerTool({ name: "t", description: "d", parameters: pi.typebox.Type.Object({}), execute: async () => ({ content: [{ type: "text", text: "ran" }] }) });`;
const CYCLE = `(() => { const a = {}; a.a = a; return a; })()`;
const faultsIn = (frames: Frame[]) => frames.filter(({ type }) => type === "extension_error").map(({ event }) => event);

const HANDLERS: [event: string, handler: string, isReported: boolean][] = [
  ["tool_result", `() => ({ content: [5] })`, true],
  ["tool_result", `() => ({ content: [{ type: "text", text: 5 }] })`, true],
  ["tool_result", `() => ({ content: [{ type: "image" }] })`, true],
  ["tool_result", `() => ({ details: 10n })`, false],
  ["tool_result", `() => ({ details: ${CYCLE} })`, false],
  ["tool_result", `() => 5`, false],
  ["message_end", `({ message }) => ({ message: { ...message, content: [5] } })`, true],
  ["message_end", `({ message }) => ({ message: { ...message, content: [{ type: "video" }] } })`, true],
  ["message_end", `({ message }) => ({ message: { role: message.role } })`, true],
  ["message_end", `({ message }) => ({ message: { role: message.role, content: message.content } })`, false],
  ["message_end", `({ message }) => ({ message: "text" })`, true],
  ["context", `() => ({ messages: [5] })`, true],
  ["context", `() => ({ messages: [{ role: "user" }] })`, true],
  [
    "context",
    `() => ({ messages: [{ role: "assistant", content: [{ type: "toolCall", id: "x", name: "t" }] }] })`,
    true,
  ],
  ["before_provider_request", `() => 10n`, true],
  ["before_provider_request", `() => (${CYCLE})`, true],
  ["before_provider_request", `({ payload }) => { payload.self = payload; }`, true],
  ["before_provider_request", `() => () => {}`, false],
  ["tool_call", `() => 5`, false],
  ["input", `() => "text"`, false],
  ["input", `() => ({ action: "what" })`, false],
  ["input", `() => ({ images: [5] })`, true],
  ["input", `() => ({ images: [{ type: "text", text: "t" }] })`, true],
  ["input", `() => ({ action: "transform", text: "other", images: "x" })`, true],
  ["before_agent_start", `() => ({ message: { customType: "c", content: [5], display: true } })`, true],
  ["before_agent_start", `() => ({ message: 5 })`, true],
  ["before_agent_start", `() => ({ message: {} })`, true],
  ["before_agent_start", `() => ({ systemPrompt: 5 })`, true],
];

test.each(HANDLERS)("%s: %s", async (event, handler, isReported) => {
  await using run = await withExtensions(`${TOOL} pi.on("${event}", ${handler});`, {
    answers: [callsTools({ name: "t" }), says("ok")],
  });
  await run.rpc.prompt("go");
  expect(new Set(faultsIn(run.rpc.frames))).toEqual(new Set(isReported ? [event] : []));
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(messages.map(({ role }: Frame) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(messages.at(-1).content).toEqual([{ type: "text", text: "ok" }]);
  expect(run.server.requests.map(({ body }) => Array.isArray(body.messages))).toEqual([true, true]);
});

describe("user_bash", () => {
  const rows: [answer: string, expected: object][] = [
    [`{ result: 5 }`, { success: true, data: { output: "" } }],
    [`{ result: { output: 7, exitCode: "x" } }`, { success: true, data: { output: "7", outputLines: 1 } }],
    [
      `{ result: { output: "x\\n".repeat(5000), exitCode: 0 } }`,
      { success: true, data: { truncated: true, totalLines: 5000, outputLines: 3000 } },
    ],
    [`{ operations: { exec: async () => {} } }`, { success: false, error: "The command ended without an exit code" }],
    [`{ operations: { exec: () => ({ exitCode: 1.5 }) } }`, { success: false }],
    [`{ operations: { exec: () => { throw new Error("unreachable") } } }`, { success: false, error: "unreachable" }],
    [
      `{ operations: { exec: (command, cwd, { onData }) => { onData(5); return { exitCode: 1 } } } }`,
      { success: true, data: { output: "5", exitCode: 1 } },
    ],
  ];
  test.each(rows)("%s", async (answer, expected) => {
    await using run = await withExtensions(`pi.on("user_bash", () => (${answer}));`);
    expect(await run.rpc.call("bash", { command: "pwd" })).toMatchObject(expected);
  });
});

describe("messages", () => {
  const rows: [call: string, error: string][] = [
    [`pi.sendMessage({ customType: "c", content: [5], display: true })`, 'content of the role "custom"'],
    [`pi.sendMessage({ customType: "c", content: [{ type: "image" }] })`, 'needs a string in "data"'],
    [`pi.sendMessage()`, "a message needs a customType"],
    [`pi.sendUserMessage(5)`, "sendUserMessage takes a string or a list of text and image blocks"],
    [`pi.sendUserMessage([5])`, "sendUserMessage takes a string or a list"],
    [`pi.setSessionName(5)`, "setSessionName takes a string"],
    [`pi.setActiveTools("x")`, "setActiveTools takes a list of names"],
    [`pi.setActiveTools([5])`, "setActiveTools takes a list of names"],
    [`pi.appendEntry(5)`, "appendEntry takes a string as its type"],
    [`pi.setLabel("x", 5)`, "setLabel takes the id of an entry and a string"],
    [`pi.setModel(null)`, "setModel takes a model"],
    [`pi.setThinkingLevel("deep")`, "setThinkingLevel takes one of off, minimal"],
    [`pi.registerFlag("f")`, "registerFlag takes a name and an object"],
    [`pi.registerCommand(5, {})`, "registerCommand takes a name and an object"],
    [`pi.registerProvider("p")`, "registerProvider takes a name and an object"],
    [`pi.pushPendingAction()`, "A pending action needs a label"],
    [`pi.exec("ls", "-l")`, "exec takes a program and a list of strings"],
  ];
  test("rejects an invalid argument with a message that describes the valid ones, and changes nothing", async () => {
    await using run = await withExtensions(LABORATORY);
    const errors: string[] = [];
    for (const [call] of rows) errors.push(await evaluate(run, `return ${call}`).catch(({ message }) => message));
    expect(errors).toEqual(rows.map(([, error]) => expect.stringContaining(error)));
    expect((await run.rpc.call("get_messages")).data.messages).toEqual([]);
    expect((await run.rpc.call("get_state")).data.sessionName).toBeUndefined();
    await run.rpc.prompt("go");
    expect(run.server.requests[0]?.body.tools).not.toEqual([]);
    expect(faultsIn(run.rpc.frames)).toEqual([]);
  });
});

describe("tools", () => {
  const parameters = `parameters: { type: "object", properties: {} }`;
  const updates = `onUpdate({ content: [5] }); onUpdate({ content: [{ type: "text" }] }); onUpdate({ content: [{ type: "text", text: "half" }] });`;
  const result = `return { content: [{ type: "text", text: "ran" }] };`;

  test.each([
    [
      "extension",
      {
        "it.ts": `pi.registerTool({ name: "t", description: "d", ${parameters}, execute: async (id, args, signal, onUpdate) => { ${updates} ${result} } });`,
      },
      {},
    ],
    [
      "custom tool",
      {},
      {
        "tools/t.ts": `export default () => ({ name: "t", label: "T", description: "d", ${parameters}, execute: async (id, args, onUpdate) => { ${updates} ${result} } });`,
      },
    ],
  ])("omits progress of an %s that cannot be shown", async (_kind, modules, files) => {
    await using run = await withExtensions(modules as Record<string, string>, {
      files: files as Record<string, string>,
      answers: [callsTools({ name: "t" }), says("ok")],
    });
    await run.rpc.prompt("go");
    const shown = run.rpc.frames.filter(({ type }) => type === "tool_execution_update");
    expect(shown.map(({ partialResult }) => partialResult.content)).toEqual([[{ type: "text", text: "half" }]]);
    const { messages } = (await run.rpc.call("get_messages")).data;
    expect(messages[2].content).toEqual([{ type: "text", text: "ran" }]);
  });

  test("rejects the name of pintle's own preview tool, and offers that tool once", async () => {
    const own = `name: "resolve", description: "mine", ${parameters}, execute: async () => ({ content: [] })`;
    await using run = await withExtensions(
      { "it.ts": `${LABORATORY} pi.registerTool({ ${own} });` },
      {
        files: {
          "tools/mine.ts": `export default () => [
            { ${own}, label: "R" },
            { ${own}, label: "S", name: "stages", deferrable: true },
          ];`,
        },
      },
    );
    await evaluate(run, `pi.registerTool({ ${own} });`);
    await run.rpc.prompt("go");
    const named = run.server.requests[0]?.body.tools.filter((tool: Frame) => tool.function.name === "resolve");
    expect(named.map((tool: Frame) => tool.function.description)).toEqual([expect.stringContaining("preview")]);
    const faults = run.rpc.frames.filter(({ type }) => type === "extension_error");
    expect(faults.map(({ event, error }) => [event, error]).sort()).toEqual([
      ["load", expect.stringContaining('"resolve" is taken')],
      ["registerTool", expect.stringContaining('"resolve" is taken')],
      ["registerTool", expect.stringContaining('"resolve" is taken')],
    ]);
  });
});

test("abort_bash ends a command whose operations ignore it, and keeps their output so far", async () => {
  await using run = await withExtensions(
    `pi.on("user_bash", (event, ctx) => ({ operations: { exec: (command, cwd, { onData }) => {
       onData(Buffer.from("half\\n")); tell(ctx, "hangs", 1); return new Promise(() => {});
     } } }));`,
  );
  run.rpc.send({ id: "b", type: "bash", command: "pwd" });
  await run.told("hangs");
  await run.rpc.call("abort_bash");
  const { data } = run.rpc.frames.find(({ id }) => id === "b") ?? (await run.rpc.until(({ id }) => id === "b"));
  expect(data).toMatchObject({ output: "half\nCommand cancelled", cancelled: true });
});

test("abort_bash does not wait for a user_bash handler that hangs", async () => {
  await using run = await withExtensions(
    `pi.on("user_bash", (event, ctx) => { tell(ctx, "hangs", 1); return new Promise(() => {}); });`,
  );
  run.rpc.send({ id: "b", type: "bash", command: "pwd" });
  await run.told("hangs");
  expect(await run.rpc.call("abort_bash")).toMatchObject({ success: true });
  const { data } = run.rpc.frames.find(({ id }) => id === "b") ?? (await run.rpc.until(({ id }) => id === "b"));
  expect(data).toMatchObject({ output: "Command cancelled", cancelled: true });
  expect(faultsIn(run.rpc.frames)).toEqual([]);
  expect((await run.rpc.call("get_messages")).data.messages).toEqual([]);
});
