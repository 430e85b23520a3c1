import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTools, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { evaluate, LABORATORY } from "../support/scenarios/extensions/laboratory.ts";
import { type ExtensionRun, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Tests every method of `pi` in the built program by an effect on the host, the model or the disk.

const start = (situation?: Parameters<typeof withExtensions>[1], more: Record<string, string> = {}) =>
  withExtensions({ "it.ts": LABORATORY, ...more }, situation);
const toolNames = ({ body }: { body: Frame }): string[] =>
  (body.tools ?? []).map(({ function: { name } }: Frame) => name);
const messagesOf = async ({ rpc }: ExtensionRun): Promise<Frame[]> => (await rpc.call("get_messages")).data.messages;
const settled = ({ type }: Frame) => type === "agent_settled";
const DOUBLE = `{ name: "double", label: "Double", description: "Doubles", parameters: pi.typebox.Type.Object({ n: pi.typebox.Type.Number() }),
  execute: async (id, { n }) => ({ content: [{ type: "text", text: String(2 * n) }] }) }`;

describe("registration", () => {
  test("registerTool works at any time, applies from the next model call, and may replace a built-in tool", async () => {
    await using run = await start({
      answers: [says("ok"), callsTools({ name: "double", args: { n: 4 } }), says("ok")],
      settings: { cache: { lateTools: "append" } },
    });
    await run.rpc.prompt("before");
    await evaluate(
      run,
      `pi.registerTool(${DOUBLE}); pi.registerTool({ ...${DOUBLE}, name: "ls", description: "Mine" });`,
    );
    await run.rpc.prompt("after");
    expect(run.server.requests.map((request) => toolNames(request).includes("double"))).toEqual([false, true, true]);
    const ls = run.server.requests[1]!.body.tools.filter((tool: Frame) => tool.function.name === "ls");
    expect(ls.map((tool: Frame) => tool.function.description)).toEqual(["Mine"]);
    expect((await messagesOf(run)).at(-2)).toMatchObject({
      role: "toolResult",
      content: [{ type: "text", text: "8" }],
    });
  });

  test("supports hidden, inactive and exclusive tools and prepared arguments, and reports an invalid tool", async () => {
    const calls = [{ name: "prepared", args: { text: "5" } }];
    await using run = await start({ answers: [callsTools(...calls), says("ok")] });
    await evaluate(
      run,
      `const tool = ${DOUBLE};
       pi.registerTool({ ...tool, name: "hidden", hidden: true });
       pi.registerTool({ ...tool, name: "inactive", defaultInactive: true });
       pi.registerTool({ ...tool, name: "prepared", prepareArguments: ({ text }) => ({ n: Number(text) }) });
       pi.registerTool({ name: "broken" });`,
    );
    await run.rpc.prompt("go");
    const offered = toolNames(run.server.requests[0]!);
    expect(["hidden", "inactive", "prepared", "broken"].map((name) => offered.includes(name))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect((await messagesOf(run)).at(-2)).toMatchObject({ content: [{ type: "text", text: "10" }] });
    const faults = run.rpc.frames.filter(({ type }) => type === "extension_error");
    expect(faults.map(({ event }) => event)).toEqual(["registerTool"]);
  });

  test("the first of two extensions with the same tool wins, and the conflict is reported once", async () => {
    const mine = (text: string) => `pi.registerTool({ ...${DOUBLE}, description: "${text}" });`;
    await using run = await withExtensions({ "a.ts": mine("first"), "b.ts": mine("second") });
    await run.rpc.prompt("go");
    const [tool] = run.server.requests[0]!.body.tools.filter(({ function: { name } }: Frame) => name === "double");
    expect(tool.function.description).toBe("first");
    const faults = run.rpc.frames.filter(({ type }) => type === "extension_error");
    expect(faults).toMatchObject([{ event: "registerTool", error: expect.stringContaining("already registered") }]);
  });

  test("flags are read from the command line, only by the extension that registered them", async () => {
    const flags = `pi.registerFlag("loud", { type: "boolean", default: false }); pi.registerFlag("who", { type: "string", default: "me" });
      pi.registerFlag("silent", { type: "boolean" }); pi.registerFlag("free", { type: "string", default: "d" });`;
    await using run = await start(
      { args: ["--loud", "--who=you", "--silent=false"] },
      {
        "b.ts": `${flags} note("flags", ["loud", "who", "silent", "free", "nobody"].map((name) => pi.getFlag(name)));`,
      },
    );
    expect(await evaluate(run, `return [pi.getFlag("loud")]`)).toEqual([null]);
    expect(run.notes()[0]).toEqual(["flags", [true, "you", false, "d", null] as never]);
  });

  test("terminal features are accepted and have no effect", async () => {
    await using run = await start();
    const code = `pi.registerShortcut("ctrl+x", { handler() {} }); pi.registerMessageRenderer("t", () => {}); pi.setLabel("My extension");`;
    expect(await evaluate(run, code)).toBeNull();
  });

  test("registerProvider works while loading and later; unregisterProvider reverts it", async () => {
    await using other = await start({ answers: [says("from the other")] });
    const provider = `{ baseUrl: "${other.server.url}", apiKey: "KEY_OF_IT", api: "openai-completions", models: [{ id: "late", name: "Late" }] }`;
    await using run = await start(
      { env: { KEY_OF_IT: "k1" } },
      { "p.ts": `pi.registerProvider("early", ${provider});` },
    );
    await evaluate(run, `pi.registerProvider("added", ${provider})`);
    const ids = async () =>
      (await run.rpc.call("get_available_models")).data.models.map(({ provider, id }: Frame) => `${provider}/${id}`);
    expect(await ids()).toEqual(expect.arrayContaining(["early/late", "added/late"]));
    await run.rpc.call("set_model", { provider: "added", modelId: "late" });
    await run.rpc.prompt("go");
    expect(other.server.requests[0]!.headers.authorization).toBe("Bearer k1");
    await evaluate(run, `pi.unregisterProvider("added")`);
    expect(await ids()).not.toContain("added/late");
  });
});

describe("messages", () => {
  test("sendMessage without a run appends the message, and with triggerTurn starts a run", async () => {
    await using run = await start();
    const message = `{ customType: "mine", content: "look", display: false, details: { a: 1 } }`;
    await evaluate(run, `pi.sendMessage(${message})`);
    expect(await messagesOf(run)).toMatchObject([
      { role: "custom", customType: "mine", content: "look", display: false, details: { a: 1 } },
    ]);
    expect(run.server.requests).toEqual([]);
    await evaluate(run, `pi.sendMessage(${message}, { triggerTurn: true })`);
    if (!run.rpc.frames.some(settled)) await run.rpc.until(settled);
    expect((await messagesOf(run)).map(({ role }) => role)).toEqual(["custom", "custom", "assistant"]);
    await evaluate(run, `pi.sendMessage(${message}, { deliverAs: "nextTurn" })`);
    expect((await messagesOf(run)).length).toBe(3);
    await run.rpc.prompt("next");
    expect((await messagesOf(run)).map(({ role }) => role).slice(3)).toEqual(["user", "custom", "assistant"]);
  });

  test.each([
    ["sendMessage steers by default", `pi.sendMessage({ customType: "c", content: "psst", display: true })`, "custom"],
    [
      "sendMessage as a follow-up",
      `pi.sendMessage({ customType: "c", content: "psst", display: true }, { deliverAs: "followUp" })`,
      "custom",
    ],
    ["sendUserMessage as a follow-up", `pi.sendUserMessage("psst", { deliverAs: "followUp" })`, "user"],
    [
      "sendUserMessage that steers",
      `pi.sendUserMessage([{ type: "text", text: "psst" }], { deliverAs: "steer" })`,
      "user",
    ],
  ])("during a run: %s", async (_what, code, role) => {
    const held = heldAnswer();
    await using run = await start({ answers: [held.respond, says("heard")] });
    await run.rpc.call("prompt", { message: "go" });
    await held.asked;
    await evaluate(run, code);
    held.write("one");
    held.finish();
    await run.rpc.until(settled);
    expect((await messagesOf(run)).map((message) => message.role)).toEqual(["user", "assistant", role, "assistant"]);
    expect(JSON.stringify(run.server.requests[1]!.body.messages.at(-1))).toContain("psst");
  });

  test("sendUserMessage starts a turn when idle, fails in a run without deliverAs, and runs commands", async () => {
    const held = heldAnswer();
    await using run = await start({ answers: [says("one"), held.respond] });
    await evaluate(run, `pi.sendUserMessage("hello")`);
    if (!run.rpc.frames.some(settled)) await run.rpc.until(settled);
    expect((await messagesOf(run)).map(({ role }) => role)).toEqual(["user", "assistant"]);
    await run.rpc.call("prompt", { message: "go" });
    await held.asked;
    const refused = await evaluate(run, `pi.sendUserMessage("now")`).catch((error: Error) => error.message);
    expect(refused).toContain("deliverAs");
    await evaluate(run, `pi.sendUserMessage("/do note('by command', 1)")`);
    held.write("two");
    held.finish();
    await run.rpc.until(settled);
    expect(run.notes().map(([key]) => key)).toContain("by command");
  });

  test("appendEntry stores an entry that the model does not see", async () => {
    await using run = await start();
    await run.rpc.prompt("go");
    await evaluate(run, `pi.appendEntry("counter", { n: 3 }); pi.appendEntry("bare")`);
    const { entries } = (await run.rpc.call("get_entries")).data;
    const own = entries.filter(({ type }: Frame) => type === "custom");
    expect(own).toMatchObject([{ customType: "counter", data: { n: 3 } }, { customType: "bare" }]);
    await run.rpc.prompt("again");
    expect(JSON.stringify(run.server.requests.at(-1)!.body)).not.toContain("counter");
  });
});

test("sets names and labels", async () => {
  await using run = await start();
  await run.rpc.prompt("go");
  expect(
    await evaluate(
      run,
      `const before = pi.getSessionName() ?? "none"; pi.setSessionName("mine"); return [before, pi.getSessionName()]`,
    ),
  ).toEqual(["none", "mine"]);
  expect(run.rpc.frames.some(({ type, name }) => type === "session_info_changed" && name === "mine")).toBe(true);
  expect((await run.rpc.call("get_state")).data.sessionName).toBe("mine");
  const label = (value: string) =>
    evaluate(
      run,
      `const id = ctx.sessionManager.getLeafId(); pi.setLabel(id, ${value}); return ctx.sessionManager.getLabel(id)`,
    );
  expect([await label('"here"'), await label("undefined")]).toEqual(["here", null]);
  const wrong = await evaluate(run, `pi.setLabel("nowhere", "x")`).catch((error: Error) => error.message);
  expect(wrong).toContain("nowhere");
});

test("lists all tools and commands and the active ones", async () => {
  await using run = await start(
    {},
    { "b.ts": `pi.registerTool(${DOUBLE}); pi.registerCommand("other", { handler() {} });` },
  );
  const [active, all, commands] = await evaluate(
    run,
    `return [pi.getActiveTools(), pi.getAllTools(), pi.getCommands()]`,
  );
  expect(active).toEqual(expect.arrayContaining(["double", "read"]));
  const double = all.find(({ name }: Frame) => name === "double");
  expect(double).toMatchObject({
    description: "Doubles",
    parameters: { type: "object" },
    sourceInfo: { path: expect.stringContaining("b.ts") },
  });
  expect(commands).toMatchObject([
    { name: "other", source: "extension" },
    { name: "do", description: "Runs code" },
  ]);
  await evaluate(run, `pi.setActiveTools(["read", "nothing"])`);
  await run.rpc.prompt("go");
  expect(toolNames(run.server.requests[0]!)).toEqual(["read", "call_late_tool"]);
  const notice = run.rpc.frames.find(({ type, source }) => type === "notice" && source === "extension");
  expect(notice?.message).toContain("nothing");
});

test("the active tools can be set again unchanged", async () => {
  await using run = await start();
  const isSame = `const before = pi.getActiveTools(); pi.setActiveTools(before); return [before, pi.getActiveTools()]`;
  const [before, after] = await evaluate(run, isSame);
  expect([after, before.includes("ast_edit")]).toEqual([before, true]);
  await run.rpc.call("get_state");
  expect(run.rpc.frames.filter(({ source }) => source === "extension")).toEqual([]);
});

test("sets the model and the thinking level", async () => {
  await using run = await start();
  const set = (id: string) =>
    evaluate(run, `return pi.setModel(ctx.modelRegistry.find("local", "${id}") ?? { provider: "local", id: "${id}" })`);
  expect([await set("thinker"), (await run.rpc.call("get_state")).data.model.id]).toEqual([true, "thinker"]);
  expect(await evaluate(run, `pi.setThinkingLevel("high"); return pi.getThinkingLevel()`)).toBe("high");
  expect((await run.rpc.call("get_state")).data.thinkingLevel).toBe("high");
  await set("m");
  expect(await evaluate(run, `pi.setThinkingLevel("high"); return pi.getThinkingLevel()`)).toBe("off");
  const keyless = `pi.setModel(ctx.modelRegistry.getAll().find(({ provider }) => provider === "anthropic"))`;
  expect(await evaluate(run, `return ${keyless}`)).toBe(false);
});

describe("process", () => {
  test.each([
    [
      `pi.exec("sh", ["-c", "echo out; echo err >&2; exit 3"])`,
      { stdout: "out\n", stderr: "err\n", code: 3, killed: false },
    ],
    [`pi.exec("pwd", [], { cwd: "/" })`, { stdout: "/\n", code: 0 }],
    [`pi.exec("sleep", ["60"], { timeout: 20 })`, { killed: true }],
    [`pi.exec("sleep", ["60"], { signal: AbortSignal.timeout(20) })`, { killed: true }],
  ])("%s", async (code, expected) => {
    await using run = await start();
    expect(await evaluate(run, `return ${code}`)).toMatchObject(expected);
  });

  test("events reach other extensions, and a failing listener does not stop the others", async () => {
    await using run = await start(
      {},
      {
        "b.ts": `pi.events.on("ping", () => { throw new Error("oh") }); pi.events.on("ping", (data) => note("heard", data));`,
      },
    );
    await evaluate(
      run,
      `const off = pi.events.on("ping", () => note("off", 1)); off(); pi.events.emit("ping", { n: 1 })`,
    );
    expect(run.notes().filter(([key]) => key !== "did")).toEqual([["heard", { n: 1 }]]);
    const fault = run.rpc.frames.find(({ type }) => type === "extension_error");
    expect(fault).toMatchObject({ extensionPath: expect.stringContaining("b.ts"), event: "events:ping", error: "oh" });
  });

  test("provides logger, typebox, pi and pushPendingAction", async () => {
    await using run = await start();
    const file = join(run.place.cwd, "applied");
    writeFileSync(file, "no");
    expect(
      await evaluate(
        run,
        `pi.logger.warn("careful", { a: 1 });
         pi.pushPendingAction({ label: "Write", apply: async () => { await Bun.write(${JSON.stringify(file)}, "yes"); return { content: [] }; } });
         return [typeof pi.typebox.Type.Object, typeof pi.pi.createAgentSession, typeof pi.pi.defineTool]`,
      ),
    ).toEqual(["function", "function", "function"]);
    expect(readFileSync(join(run.place.env.PINTLE_HOME!, "logs/pintle.log"), "utf8")).toContain('"message":"careful"');
    const [{ actionId }] = (await run.rpc.call("get_pending_actions")).data.actions;
    await run.rpc.call("resolve_pending_action", { actionId, action: "apply" });
    expect(readFileSync(file, "utf8")).toBe("yes");
  });
});
