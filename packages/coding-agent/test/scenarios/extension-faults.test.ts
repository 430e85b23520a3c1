import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTools, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { evaluate, LABORATORY } from "../support/scenarios/extensions/laboratory.ts";
import { type ExtensionRun, extension, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";
import { sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Faults in extensions stay contained: the built program continues, reports what happened, and writes only frames to
// stdout.

const isFault = ({ type }: Frame) => type === "extension_error";
const HELLO = `pi.registerCommand("hello", { handler: (args, ctx) => tell(ctx, "hello", "there") });`;

/** Checks the number of faults, and that the other extensions and the model still work. */
async function faultsOf(run: ExtensionRun, count = 1): Promise<Frame[]> {
  while (run.rpc.frames.filter(isFault).length < count) await run.rpc.until(isFault);
  await run.rpc.prompt("still there?");
  return run.rpc.frames.filter(isFault);
}

describe("a module that cannot be loaded", () => {
  const rows: [what: string, code: string, error: string][] = [
    ["throws", `throw new Error("no luck");`, "no luck"],
    ["throws something odd", `throw { toString() { throw 1 } };`, "cannot be shown"],
    ["awaits a rejected promise", `await Promise.reject(new Error("later"));`, "later"],
    ["has a syntax error", `export default {{{`, ":1:"],
    ["exports no function", `export const a = 1;`, "No function exported"],
    ["imports a missing file", `import "./nowhere.ts";`, "nowhere"],
    ["has a factory that throws", `export default () => { throw new Error("in the factory") };`, "in the factory"],
    [
      "has a factory that rejects",
      `export default async () => { throw new Error("in the factory") };`,
      "in the factory",
    ],
    ["acts too early", `export default (pi) => { pi.sendUserMessage("hi") };`, "not ready"],
    ["leaves", `process.exit(3);`, "process.exit"],
    ["leaves in its factory", `export default () => { process.exit(3); };`, "process.exit"],
    ["leaves without a frame", `export default () => process.exit(3);`, "process.exit"],
  ];
  test("is reported, and the others still load", async () => {
    const files = Object.fromEntries(rows.map(([, code], index) => [`extensions/bad${index}.ts`, code]));
    await using run = await withExtensions({ "good.ts": HELLO }, { files });
    const faults = await faultsOf(run, rows.length);
    const told = rows.map((_row, index) =>
      faults.find(({ extensionPath }) => extensionPath.endsWith(`bad${index}.ts`)),
    );
    expect(told.map((fault) => [fault?.event, fault?.error])).toEqual(
      rows.map(([, , error]) => ["load", expect.stringContaining(error)]),
    );
    await run.command("/hello");
    expect(await run.told("hello")).toEqual(["there"] as never[]);
    expect(await run.rpc.end()).toBe(0);
  });
});

describe("uncaught errors", () => {
  const rows: [what: string, code: string, error: string][] = [
    ["a timer", `setTimeout(() => { throw new Error("tick") }, 1)`, "tick"],
    ["a floating promise", `Promise.reject(new Error("lost"))`, "lost"],
    ["a promise rejected with undefined", `setTimeout(async () => { await null; throw undefined; }, 1)`, "undefined"],
    ["process.exit in a timer", `setTimeout(() => { process.exit(4); }, 1)`, "process.exit"],
    ["process.exit that leaves no frame", `setTimeout(() => process.exit(4), 1)`, "process.exit"],
    ["a listener", `new (require("node:events"))().emit("error", new Error("emitted"))`, "emitted"],
    ["a microtask", `queueMicrotask(() => { throw new Error("micro") })`, "micro"],
  ];
  test.each(rows)("%s is reported and the process continues", async (_what, code, error) => {
    await using run = await withExtensions(
      `pi.registerCommand("go", { handler: () => { setTimeout(() => { ${code}; }, 0); } });`,
    );
    await run.command("/go");
    expect(await faultsOf(run)).toMatchObject([{ event: "unhandled", error: expect.stringContaining(error) }]);
    expect(await run.rpc.end()).toBe(0);
  });

  test("the stack identifies the extension, also through a file that it imports", async () => {
    await using run = await withExtensions(
      {
        "a.ts": `const { later } = await import("./lib/helper.ts"); pi.registerCommand("go", { handler: () => later() });`,
      },
      {
        files: {
          "extensions/lib/helper.ts": `export const later = () => { setTimeout(() => { throw new Error("deep") }, 1); };`,
        },
      },
    );
    await run.command("/go");
    const [fault] = (await faultsOf(run)) as [Frame];
    expect(fault.extensionPath).toEndWith("extensions/a.ts");
  });
});

test("process.exit in a handler only fails that handler", async () => {
  await using run = await withExtensions(
    `pi.on("agent_end", () => process.exit(5)); pi.on("input", () => process.exit(5)); pi.registerCommand("bye", { handler: () => process.exit(5) });`,
  );
  await run.command("/bye");
  const faults = await faultsOf(run, 1);
  expect(faults.map(({ event }) => event).slice(0, 2)).toEqual(["command", "input"]);
  expect(await run.rpc.end()).toBe(0);
  expect(run.rpc.frames.filter(isFault).at(-1)).toMatchObject({
    event: "agent_end",
    error: expect.stringContaining("process.exit"),
  });
});

test("failing observers are reported, and the next one is notified", async () => {
  const names = [
    "agent_start",
    "turn_start",
    "message_start",
    "message_update",
    "turn_end",
    "agent_end",
    "agent_settled",
  ];
  await using run = await withExtensions({
    "a.ts": `for (const name of ${JSON.stringify(names)}) pi.on(name, async () => { throw new Error("x".repeat(5000)) });`,
    "b.ts": `for (const name of ${JSON.stringify(names)}) pi.on(name, () => note(name, 1));`,
  });
  await run.rpc.prompt("go");
  await run.rpc.end();
  const faults = run.rpc.frames.filter(isFault);
  expect(new Set(faults.map(({ event }) => event))).toEqual(new Set(names));
  expect(faults.every(({ error }) => error.length < 2100)).toBe(true);
  expect(new Set(run.notes().map(([name]) => name))).toEqual(new Set(names));
});

test("an observer that hangs delays neither the wire nor the disk, and receives all the text", async () => {
  const held = heldAnswer();
  await using run = await withExtensions(
    `const gate = Promise.withResolvers();
     pi.on("message_update", ({ assistantMessageEvent }) => { note("delta", assistantMessageEvent.delta ?? ""); return gate.promise; });
     pi.on("agent_settled", () => note("settled", 1));
     pi.registerCommand("open", { handler: () => gate.resolve() });`,
    { answers: [held.respond, says("again")] },
  );
  await run.rpc.call("prompt", { message: "go" });
  await held.asked;
  const words = Array.from({ length: 20 }, (_, index) => `w${index} `);
  for (const word of words) {
    held.write(word);
    await run.rpc.until(({ assistantMessageEvent }) => assistantMessageEvent?.delta?.includes(word));
  }
  held.finish();
  await run.rpc.until(({ type }) => type === "agent_settled");
  expect(run.notes().length).toBe(1);
  expect(readFileSync(sessionFiles(run.place.sessionDir)[0]!, "utf8")).toContain(words.join(""));
  await run.rpc.prompt("and again");
  await run.command("/open");
  expect(await run.rpc.end()).toBe(0);
  const told = run
    .notes()
    .filter(([key]) => key === "delta")
    .map(([, delta]) => delta);
  expect(told.join("")).toBe(`${words.join("")}again`);
  expect(told.length).toBeLessThan(words.length); // waiting updates arrived as one
});

describe("a handler that hangs", () => {
  const HANGS = (event: string) =>
    `pi.on("${event}", (event, ctx) => { tell(ctx, "hangs", 1); return new Promise(() => {}); });`;
  const EVENTS = ["input", "before_agent_start", "context", "before_provider_request", "tool_call"];

  test.each(EVENTS)("%s does not delay an abort", async (event) => {
    await using run = await withExtensions(HANGS(event), { answers: [callsTools({ name: "ls" }), says("ok")] });
    run.rpc.send({ id: "p", type: "prompt", message: "go" });
    await run.told("hangs");
    expect(await run.rpc.call("abort")).toMatchObject({ success: true });
    expect(run.rpc.frames.filter(isFault)).toEqual([]);
    expect((await run.rpc.call("get_state")).data.isStreaming).toBe(false);
    expect(await run.rpc.end()).toBe(0);
  });

  test.each(EVENTS)("%s does not keep the program alive", async (event) => {
    await using run = await withExtensions(HANGS(event), { answers: [callsTools({ name: "ls" }), says("ok")] });
    run.rpc.send({ id: "p", type: "prompt", message: "go" });
    await run.told("hangs");
    expect(await run.rpc.end()).toBe(0);
  });
});

describe("stdout is reserved for the protocol", () => {
  const WRITES = [
    `console.log("NOISE 0"); console.info("NOISE 1"); console.debug("NOISE 2"); console.warn("NOISE 3"); console.assert(false, "\\nNOISE 4")`,
    `process.stdout.write("NOISE 5\\n"); console.group("NOISE 6"); console.groupEnd(); console.trace("NOISE 7")`,
    `await Bun.write(Bun.stdout, "NOISE 8\\n"); require("node:fs").writeSync(1, "NOISE 9\\n")`,
    `require("node:fs").appendFileSync("/dev/stdout", "NOISE 10\\n"); const sink = Bun.file(1).writer(); sink.write("NOISE 11\\n"); await sink.end()`,
    `await Bun.spawn(["echo", "NOISE 12"], { stdio: ["ignore", "inherit", "inherit"] }).exited`,
    `require("node:child_process").spawnSync("echo", ["NOISE 13"], { stdio: "inherit" }); await Bun.$\`echo NOISE 14\``,
  ].join(";\n");
  test("output printed at load, in a handler or in a command goes elsewhere", async () => {
    await using run = await withExtensions(
      `async function shout() { ${WRITES} } await shout(); pi.on("input", shout); pi.registerCommand("shout", { handler: shout });`,
    );
    await run.rpc.prompt("go"); // every line that is read must be a frame
    await run.command("/shout");
    expect(run.rpc.frames.filter(isFault)).toEqual([]);
    expect(await run.rpc.end()).toBe(0);
    const stderr = await run.rpc.stderr();
    // Output that bypasses JavaScript is lost where stderr cannot be reopened.
    for (let n = 0; n <= 8; n += 1) expect([n, stderr.match(new RegExp(`NOISE ${n}\\b`, "g"))?.length]).toEqual([n, 3]);
  });
});

describe("reload", () => {
  const path = (run: ExtensionRun, name: string) => join(run.place.env.PINTLE_HOME as string, "extensions", name);
  const toolText = (text: string) =>
    `pi.registerTool({ name: "t", description: "${text}", parameters: pi.typebox.Type.Object({}), execute: async () => ({ content: [] }) });`;

  test("reads changed, broken, new and removed files", async () => {
    await using run = await withExtensions({
      "a.ts": `${LABORATORY} pi.on("session_start", ({ reason }) => note("start", reason)); pi.on("session_shutdown", ({ reason }) => note("end", reason));`,
      "changed.ts": toolText("before"),
      "breaks.ts": HELLO,
      "gone.ts": `pi.registerCommand("gone", { handler() {} });`,
    });
    writeFileSync(path(run, "changed.ts"), extension(toolText("after")));
    writeFileSync(path(run, "breaks.ts"), "throw new Error('broken now')");
    writeFileSync(path(run, "new.ts"), extension(`pi.registerCommand("new", { handler() {} });`));
    rmSync(path(run, "gone.ts"));
    const texts = await evaluate(
      run,
      `await ctx.reload(); try { ctx.isIdle(); } catch (error) { return error.message; }`,
    );
    expect(texts).toContain("stale");
    const faults = await faultsOf(run);
    expect(faults).toMatchObject([{ event: "load", error: expect.stringContaining("broken now") }]);
    const names = (await run.rpc.call("get_available_commands")).data.commands.map(({ name }: Frame) => name);
    expect(names).toEqual(["do", "new"]);
    const tool = run.server.requests[0]!.body.tools.find(({ function: { name } }: Frame) => name === "t");
    expect(tool.function.description).toBe("after");
    const life = run.notes().filter(([key]) => key !== "did");
    expect(life).toEqual([
      ["start", "startup"],
      ["end", "reload"],
      ["start", "reload"],
    ] as never);
  });

  test("a call waits for the gate that is being reloaded", async () => {
    await using run = await withExtensions(LABORATORY);
    writeFileSync(
      path(run, "gate.ts"),
      extension(`await Bun.sleep(50); pi.on("input", () => ({ action: "handled" }));`),
    );
    run.rpc.send({ id: "r", type: "prompt", message: "/do await ctx.reload()" });
    run.rpc.send({ id: "p", type: "prompt", message: "hello" });
    await run.rpc.until(({ type, id }) => type === "prompt_result" && id === "p");
    expect(run.server.requests).toEqual([]);
  });
});

test("the limits are 5 s for loading and for message_end, and 2 s at shutdown", async () => {
  const load = async () => {
    await using run = await withExtensions(
      {
        "never.ts": `await new Promise(() => {});`,
        "late.ts": `while (!existsSync("go")) await Bun.sleep(10); pi.on("session_start", (event, ctx) => tell(ctx, "late", event)); ${HELLO}
          pi.on("resources_discover", () => ({ promptPaths: ["later"] }));`,
      },
      {
        files: {
          "extensions/stuck.ts": "await new Promise(() => {}); export default () => {};",
          "extensions/later/fix.md": "Fix",
        },
      },
    );
    expect((await run.rpc.call("get_available_commands")).data.commands).toEqual([]);
    writeFileSync(join(run.place.cwd, "go"), "");
    expect(await run.told("late")).toEqual([{ type: "session_start", reason: "startup" }]);
    await run.command("/hello");
    expect(await run.told("hello")).toEqual(["there"] as never[]);
    const names = (await run.rpc.call("get_available_commands")).data.commands.map(({ name }: Frame) => name);
    expect(names).toEqual(["hello", "fix"]);
    expect(await run.rpc.end()).toBe(0); // although two are still loading
  };
  const messageEnd = async () => {
    const hangs = `pi.on("message_end", ({ message }) => message.role === "assistant" ? new Promise(() => {}) : undefined);`;
    await using run = await withExtensions(hangs + hangs);
    await run.rpc.prompt("go");
    const faults = run.rpc.frames.filter(isFault);
    expect(faults.map(({ event, error }) => [event, error])).toEqual([
      ["message_end", "no answer within 5 s"],
      ["message_end", "no answer within 0 s"],
    ]);
    expect((await run.rpc.call("get_messages")).data.messages.at(-1).content).toEqual([{ type: "text", text: "fine" }]);
  };
  const end = async () => {
    await using run = await withExtensions(
      `pi.on("session_shutdown", () => new Promise(() => {})); pi.on("agent_end", () => new Promise(() => {}));`,
    );
    await run.rpc.prompt("go");
    expect(await run.rpc.end()).toBe(0);
    expect(run.rpc.frames.filter(isFault)).toMatchObject([
      { event: "session_shutdown", error: "no answer within 2 s" },
    ]);
  };
  await Promise.all([load(), messageEnd(), end()]);
});
