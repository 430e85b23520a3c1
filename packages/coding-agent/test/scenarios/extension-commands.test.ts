import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { evaluate, LABORATORY } from "../support/scenarios/extensions/laboratory.ts";
import { extension, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// Tests slash commands of extensions in the built program, and everything that their `ctx` can do.

const settled = ({ type }: Frame) => type === "agent_settled";
const ECHO = (name: string, as = name) =>
  `pi.registerCommand("${name}", { handler: (args, ctx) => tell(ctx, "${as}", args) });`;

describe("a command", () => {
  test("receives the rest of the text unchanged, without a message or a run", async () => {
    await using run = await withExtensions(ECHO("say"));
    for (const message of ["/say  two  blanks \n\tand more ", "/say", "/say\nline"]) {
      await run.command(message);
    }
    expect(await run.told("say", 3)).toEqual([" two  blanks \n\tand more ", "", "line"] as never[]);
    expect((await run.rpc.call("get_messages")).data.messages).toEqual([]);
    expect(run.rpc.frames.some(({ type }) => type === "agent_start")).toBe(false);
  });

  test("runs immediately while the model responds", async () => {
    const held = heldAnswer();
    await using run = await withExtensions(ECHO("say"), { answers: [held.respond] });
    await run.rpc.call("prompt", { message: "go" });
    await held.asked;
    await run.command("/say now");
    expect(await run.told("say")).toEqual(["now"] as never[]);
    for (const type of ["steer", "follow_up"]) {
      expect((await run.rpc.call(type, { message: "/say later" })).error).toContain('"/say" cannot be queued');
    }
    held.write("done");
    held.finish();
    await run.rpc.until(settled);
    expect((await run.rpc.call("get_messages")).data.messages.map(({ role }: Frame) => role)).toEqual([
      "user",
      "assistant",
    ]);
  });

  test("that fails is reported, and the prompt is still accepted", async () => {
    await using run = await withExtensions(
      `pi.registerCommand("bad", { handler: async () => { throw new Error("oh") } }); pi.registerCommand("worse", { handler() { throw "text" } });`,
    );
    for (const name of ["bad", "worse"]) {
      expect(await run.rpc.call("prompt", { message: `/${name}` })).toMatchObject({ success: true });
    }
    const faults = async () => run.rpc.frames.filter(({ type }) => type === "extension_error");
    while ((await faults()).length < 2) await run.rpc.until(({ type }) => type === "extension_error");
    expect(await faults()).toMatchObject([
      { extensionPath: "command:bad", event: "command", error: "oh" },
      { extensionPath: "command:worse", event: "command", error: "text" },
    ]);
  });

  test("is numbered if two extensions register it; an unknown one is a message for the model", async () => {
    await using run = await withExtensions({ "a.ts": ECHO("same", "a"), "b.ts": ECHO("same", "b") + ECHO("own") });
    const { commands } = (await run.rpc.call("get_available_commands")).data;
    expect(commands.map(({ name }: Frame) => name)).toEqual(["same:1", "same:2", "own"]);
    await run.command("/same:2 x");
    await run.command("/same:1 y");
    expect([await run.told("b"), await run.told("a")]).toEqual([["x"], ["y"]] as never);
    await run.rpc.prompt("/same and more");
    expect(JSON.stringify(run.server.requests[0]!.body.messages.at(-1))).toContain("/same and more");
  });

  test("is announced if registered later", async () => {
    await using run = await withExtensions(LABORATORY);
    await evaluate(run, `pi.registerCommand("later", { description: "L", handler() {} })`);
    const isUpdate = ({ type, commands }: Frame) =>
      type === "available_commands_update" && commands.some(({ name }: Frame) => name === "later");
    const { commands } = run.rpc.frames.find(isUpdate) ?? (await run.rpc.until(isUpdate));
    expect(commands.map(({ name, description }: Frame) => [name, description])).toEqual([
      ["do", "Runs code"],
      ["later", "L"],
    ]);
  });
});

describe("available_commands_update", () => {
  const lists = (frames: Frame[]) =>
    frames.flatMap(({ type, commands }) =>
      type === "available_commands_update" ? [commands.map(({ name }: Frame) => name)] : [],
    );
  const SKILL = "---\nname: pdf\ndescription: d\n---\nBody";
  const files = { "skills/pdf/SKILL.md": SKILL, "prompts/fix.md": "Fix" };

  test("is not sent for commands that existed at ready, however often the list is read", async () => {
    await using run = await withExtensions(`${LABORATORY} pi.on("session_start", () => {});`, { files });
    await run.rpc.call("set_host_capabilities", { trust: true });
    await evaluate(run, `await ctx.reload()`);
    await run.rpc.prompt("go");
    await run.rpc.call("new_session");
    expect(await run.rpc.end()).toBe(0);
    expect(lists(run.rpc.frames)).toEqual([]);
  });

  test("is sent once for each change by a handler, by a command, or by a reload that reverts it", async () => {
    await using run = await withExtensions(
      `${LABORATORY} pi.on("session_start", ({ reason }) => { if (reason === "startup") pi.registerCommand("begun", { handler() {} }); });`,
      { files },
    );
    await run.rpc.until(({ type }) => type === "available_commands_update");
    const again = `pi.registerCommand("later", { description: "L", handler() {} });`;
    await evaluate(run, again + again);
    await evaluate(run, `await ctx.reload()`);
    await run.rpc.prompt("go");
    expect(await run.rpc.end()).toBe(0);
    const others = ["skill:pdf", "fix"];
    expect(lists(run.rpc.frames)).toEqual([
      ["do", "begun", ...others],
      ["do", "begun", "later", ...others],
      ["do", ...others],
    ]);
  });

  test.each([
    ["nobody", {}],
    ["an extension of the user", { "it.ts": LABORATORY }],
  ])("is sent once after consent when %s provided commands before", async (_who, bodies) => {
    await using chat = await chatPlace(says("fine"));
    const project = join(chat.place.root, "project");
    const write = (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const [name, body] of Object.entries(bodies))
      write(join(chat.place.env.PINTLE_HOME as string, "extensions", name), extension(body));
    write(join(project, ".pintle/extensions/own.ts"), extension(ECHO("own")));
    write(join(project, ".pintle/prompts/ask.md"), "Ask");
    const env = { ...chat.place.env, NOTES: join(chat.place.root, "notes") };
    await using rpc = await startRpc(CHAT, { cwd: project, env });
    rpc.send({ type: "set_host_capabilities", trust: true });
    const { id } = await rpc.until(({ type }) => type === "trust_request");
    rpc.send({ type: "trust_response", id, trusted: true });
    await rpc.prompt("go");
    expect(await rpc.end()).toBe(0);
    expect(lists(rpc.frames)).toEqual([expect.arrayContaining(["own", "ask"])]);
  });

  test("is sent when a session in another directory has different commands", async () => {
    await using run = await withExtensions({}, { files });
    await run.rpc.prompt("go");
    const { sessionFile } = (await run.rpc.call("get_state")).data;
    await run.rpc.end();
    const cwd = join(run.place.root, "elsewhere");
    mkdirSync(join(cwd, ".pintle/prompts"), { recursive: true });
    writeFileSync(join(cwd, ".pintle/prompts/only-here.md"), "Text");
    await using rpc = await startRpc(CHAT, { cwd, env: run.place.env });
    expect((await rpc.call("switch_session", { sessionPath: sessionFile })).data).toEqual({ cancelled: false });
    await rpc.prompt("go");
    expect(await rpc.end()).toBe(0);
    expect(lists(rpc.frames)).toEqual([["skill:pdf", "fix"]]);
  });
});

test("get_commands reports where an extension comes from", async () => {
  await using chat = await chatPlace(says("fine"));
  const { place } = chat;
  const home = place.env.PINTLE_HOME as string;
  const cwd = join(place.root, "project");
  const paths = {
    own: join(home, "extensions/own.ts"),
    set: join(home, "elsewhere/set.ts"),
    project: join(cwd, ".pintle/extensions/project.ts"),
    flag: join(place.root, "flag.ts"),
  };
  for (const [name, path] of Object.entries(paths)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, extension(ECHO(name)));
  }
  writeFileSync(join(home, "settings.json"), JSON.stringify({ extensions: ["elsewhere/set.ts"] }));
  await using rpc = await startRpc([...CHAT, "--trust", "-e", paths.flag], {
    cwd,
    env: { ...place.env, NOTES: "unused" },
  });
  const { commands } = (await rpc.call("get_commands")).data;
  const rows = commands.map(({ name, sourceInfo: { source, scope }, location }: Frame) => [
    name,
    source,
    scope,
    location,
  ]);
  expect(rows).toEqual([
    ["project", "auto", "project", "project"],
    ["own", "auto", "user", "user"],
    ["set", "local", "user", "user"],
    ["flag", "cli", "temporary", "path"],
  ]);
});

describe("ctx reads", () => {
  test("the session, the models and the environment", async () => {
    await using run = await withExtensions(LABORATORY);
    await run.rpc.prompt("go");
    const { sessionId, sessionFile } = (await run.rpc.call("get_state")).data;
    const { entries, leafId } = (await run.rpc.call("get_entries")).data;
    const rows: [code: string, value: unknown][] = [
      ["ctx.cwd", run.place.cwd],
      ["ctx.hasUI", true],
      ["ctx.model.id", "m"],
      ["ctx.isIdle()", true],
      ["ctx.signal ?? null", null],
      ["ctx.hasPendingMessages()", false],
      ["ctx.hasQueuedMessages()", false],
      ["ctx.isProjectTrusted()", expect.any(Boolean)],
      ["ctx.getSystemPrompt().length > 100", true],
      ["ctx.getContextUsage()", expect.objectContaining({ contextWindow: expect.any(Number) })],
      ["ctx.sessionManager.getSessionId()", sessionId],
      ["ctx.sessionManager.getSessionFile()", sessionFile],
      ["ctx.sessionManager.getSessionName() ?? null", null],
      ["ctx.sessionManager.getCwd()", run.place.cwd],
      ["ctx.sessionManager.getHeader().id", sessionId],
      ["ctx.sessionManager.getLeafId()", leafId],
      ["ctx.sessionManager.getLeafEntry().id", leafId],
      ["ctx.sessionManager.getEntries()", entries],
      ["ctx.sessionManager.getBranch()", entries],
      ["ctx.sessionManager.getBranch(ctx.sessionManager.getEntries()[0].id).length", 1],
      ["ctx.sessionManager.getEntry(ctx.sessionManager.getLeafId()).message.role", "assistant"],
      ["ctx.sessionManager.getChildren(ctx.sessionManager.getEntries().at(-2).id).map(({ id }) => id)", [leafId]],
      ["ctx.sessionManager.getLabel(ctx.sessionManager.getLeafId()) ?? null", null],
      ["ctx.modelRegistry.find('local', 'thinker').id", "thinker"],
      ["ctx.modelRegistry.find('local', 'nobody') ?? null", null],
      ["ctx.modelRegistry.getAll().length > ctx.modelRegistry.getAvailable().length", true],
      ["ctx.modelRegistry.getAvailable().some(({ id }) => id === 'm')", true],
      ["ctx.modelRegistry.hasConfiguredAuth(ctx.model)", true],
      ["(await ctx.modelRegistry.getApiKeyAndHeaders(ctx.model)).ok", true],
      [
        `(await ctx.modelRegistry.getApiKeyAndHeaders(ctx.modelRegistry.getAll().find(({ provider }) => provider === "anthropic"))).ok`,
        false,
      ],
      ["(await ctx.modelRegistry.getApiKey(ctx.model)) ?? null", null],
    ];
    const values = await evaluate(run, `return [${rows.map(([code]) => code).join(",\n")}]`);
    expect(values).toEqual(rows.map(([, value]) => value));
  });

  test("a run: busy, with a signal and its queue; abort ends it and waitForIdle waits for it", async () => {
    const held = heldAnswer();
    await using run = await withExtensions(LABORATORY, { answers: [held.respond, says("next")] });
    await run.rpc.call("prompt", { message: "go" });
    await held.asked;
    await run.rpc.call("follow_up", { message: "later" });
    expect(
      await evaluate(
        run,
        `return [ctx.isIdle(), ctx.signal.aborted, ctx.hasPendingMessages(), ctx.hasQueuedMessages()]`,
      ),
    ).toEqual([false, false, true, true]);
    await run.rpc.call("clear_queue");
    expect(await evaluate(run, `ctx.abort(); await ctx.waitForIdle(); return ctx.isIdle()`)).toBe(true);
    expect(run.rpc.frames.find(({ type }) => type === "agent_end")?.stopReason).toBe("aborted");
  });

  test("compact reports the outcome", async () => {
    await using run = await withExtensions(LABORATORY, { settings: { compaction: { keepRecentTokens: 1 } } });
    const compact = `return await new Promise((resolve) => ctx.compact({ customInstructions: "short",
      onComplete: ({ summary }) => resolve(["done", typeof summary]), onError: (error) => resolve(["failed", error.message]) }))`;
    expect((await evaluate(run, compact))[0]).toBe("failed");
    await run.rpc.prompt("one");
    await run.rpc.prompt("two");
    expect(await evaluate(run, compact)).toEqual(["done", "string"]);
    expect(JSON.stringify(run.server.requests.at(-1)!.body)).toContain("short");
  });
});

describe("ctx changes the session", () => {
  const AFTER = `withSession: async (next) => {
    note("next", [next.sessionManager.getSessionId(), next.isIdle()]);
    await next.sendMessage({ customType: "c", content: "hello", display: true });
  }`;
  const rows: [what: string, change: string][] = [
    ["newSession", `ctx.newSession({ parentSession: ctx.sessionManager.getSessionFile(), ${AFTER} })`],
    [
      "fork",
      `ctx.fork(ctx.sessionManager.getEntries().find(({ message }) => message?.role === "user").id, { ${AFTER} })`,
    ],
    [
      "branch",
      `ctx.branch(ctx.sessionManager.getEntries().find(({ message }) => message?.role === "user").id, { ${AFTER} })`,
    ],
    ["switchSession", `ctx.switchSession(ctx.sessionManager.getSessionFile(), { ${AFTER} })`],
  ];
  test.each(rows)("%s, and continues there; the previous context is stale", async (what, change) => {
    await using run = await withExtensions(LABORATORY);
    await run.rpc.prompt("go");
    const before = (await run.rpc.call("get_state")).data;
    const used = [
      "pi.getActiveTools()",
      "ctx.cwd",
      "ctx.ui",
      "pi.on('input', () => {})",
      "ctx.isIdle()",
      "pi.events.emit('x')",
    ];
    const outcome = await evaluate(
      run,
      `const outcome = await ${change};
       const texts = [${used.map((use) => `() => ${use}`)}].map((use) => { try { use(); return "works"; } catch (error) { return error.message; } });
       return [outcome, [...new Set(texts)]]`,
    );
    expect(outcome).toEqual([{ cancelled: false }, [expect.stringContaining("stale")]]);
    const after = (await run.rpc.call("get_state")).data;
    expect(after.sessionId === before.sessionId).toBe(what === "switchSession");
    expect(run.notes().find(([key]) => key === "next")?.[1]).toEqual([after.sessionId, true] as never);
    expect((await run.rpc.call("get_messages")).data.messages.at(-1)).toMatchObject({
      role: "custom",
      content: "hello",
    });
  });

  test.each([
    ["newSession()"],
    ["switchSession('x.jsonl')"],
    ["fork(ctx.sessionManager.getEntries().find(({ message }) => message?.role === 'user').id)"],
  ])("%s can be cancelled by an extension", async (change) => {
    const refuse = `for (const name of ["session_before_switch", "session_before_fork"]) pi.on(name, () => ({ cancel: true }));`;
    await using run = await withExtensions(LABORATORY + refuse);
    await run.rpc.prompt("go");
    expect(await evaluate(run, `return [await ctx.${change}, ctx.isIdle()]`)).toEqual([{ cancelled: true }, true]);
  });

  test("only from commands", async () => {
    await using run = await withExtensions(
      `pi.on("agent_end", (event, ctx) => tell(ctx, "has", ["newSession", "fork", "navigateTree", "switchSession", "reload", "waitForIdle"].filter((name) => name in ctx)));`,
    );
    await run.rpc.prompt("go");
    expect(await run.told("has")).toEqual([[]] as never);
  });
});

test("shutdown ends the program after the run and all responses", async () => {
  const held = heldAnswer();
  await using run = await withExtensions(
    `${LABORATORY} pi.on("session_shutdown", ({ reason }) => note("shutdown", reason));`,
    {
      answers: [held.respond],
    },
  );
  await run.rpc.call("prompt", { message: "go" });
  await held.asked;
  await evaluate(run, "ctx.shutdown()");
  expect((await run.rpc.call("get_state")).data.isStreaming).toBe(true);
  held.write("done");
  held.finish();
  await run.rpc.until(settled);
  await run.rpc.until(() => false).catch(() => {}); // until the program has exited by itself
  expect(await run.rpc.end()).toBe(0);
  expect(run.notes().at(-1)).toEqual(["shutdown", "quit" as never]);
});
