import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runProgram } from "../support/program.ts";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { evaluate, LABORATORY } from "../support/scenarios/extensions/laboratory.ts";
import { withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

/** Records what it receives, one JSON list per line, and changes the session on request. */
const LOGGER = `
  import { appendFileSync } from "node:fs";
  export default function (pi) {
    const log = (...items) => appendFileSync(process.env.LOG, JSON.stringify(items) + "\\n");
    const said = ({ sessionManager }) => sessionManager.getBranch().flatMap(({ type, message }) =>
      type === "message" ? [message.role + ": " + message.content.map(({ text }) => text).join("")] : []);
    const tries = (name, use) => { try { use(); log(name, "works"); } catch (error) { log(name, error.message); } };
    const settings = (args) => args === "" ? {} : JSON.parse(args);
    pi.on("session_start", ({ reason, previousSessionFile = null }, ctx) => log("start", reason, previousSessionFile, said(ctx).length));
    pi.on("session_shutdown", ({ reason, targetSessionFile = null }) => log("shutdown", reason, targetSessionFile));
    pi.on("session_switch", ({ reason, previousSessionFile = null }) => log("switch", reason, previousSessionFile));
    pi.on("session_branch", ({ previousSessionFile = null }) => log("branch", previousSessionFile));
    pi.on("session_before_switch", ({ reason, targetSessionFile = null }) => log("before switch", reason, targetSessionFile));
    pi.on("session_before_fork", ({ entryId, position }) => {
      log("before fork", entryId, position);
      return JSON.parse(process.env.FORK_ANSWER ?? "null");
    });
    pi.on("session_before_tree", ({ preparation: { customInstructions, replaceInstructions, label, userWantsSummary } }) => {
      log("before tree", { customInstructions, replaceInstructions, label, userWantsSummary });
      return JSON.parse(process.env.TREE_ANSWER ?? "null");
    });
    pi.registerCommand("fresh", { handler: async (args, ctx) => {
      let kept;
      const outcome = await ctx.newSession({
        parentSession: "origin",
        setup: async (manager) => {
          kept = manager;
          manager.appendMessage({ role: "user", content: "said before" });
          manager.appendSessionInfo("prepared");
          tries("ctx in setup", () => ctx.cwd);
          if (args === "fail") throw new Error("changed my mind");
        },
        withSession: async (next) => {
          log("with", next.sessionManager.getSessionName(), said(next));
          await next.sendUserMessage("help");
          await next.waitForIdle();
          log("answered", said(next).length);
        },
      });
      log("outcome", outcome);
      tries("ctx", () => ctx.cwd);
      tries("pi", () => pi.getSessionName());
      tries("manager", () => kept.appendCustomEntry("late"));
    } });
    for (const name of ["fork", "branch"]) {
      pi.registerCommand(name, { handler: async (args, ctx) => {
        const { entry, ...options } = settings(args);
        await ctx[name](entry, { ...options, withSession: (next) => log(name, said(next)) });
      } });
    }
    pi.registerCommand("go", { handler: async (args, ctx) => {
      const { entry, ...options } = settings(args);
      const outcome = await ctx.navigateTree(entry, options);
      const labelled = ctx.sessionManager.getEntries().filter(({ id }) => ctx.sessionManager.getLabel(id) !== undefined);
      const summary = ctx.sessionManager.getEntries().findLast(({ type }) => type === "branch_summary")?.summary;
      log("moved", outcome, labelled.map(({ id, type }) => [type, id === entry, ctx.sessionManager.getLabel(id)]), summary ?? null);
    } });
    pi.registerCommand("again", { handler: (args, ctx) => ctx.reload() });
    pi.registerFlag("level", { type: "string", default: "low" });
    pi.registerFlag("fast", { type: "boolean" });
    log("flags", pi.getFlag("level") ?? null, pi.getFlag("fast") ?? null);
  }`;

interface Place extends Machine {
  logger: string;
  log(): unknown[][];
}

function place(base: Machine = machine(), extra: Record<string, string> = {}): Place {
  const log = join(base.root, "log");
  const logger = join(base.root, "logger.ts");
  writeFileSync(logger, LOGGER);
  return {
    ...base,
    env: { ...base.env, LOG: log, ...extra },
    logger,
    log: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    [Symbol.dispose]: () => base[Symbol.dispose](),
  };
}

/** Runs an extension's command to its end. */
async function command(rpc: RpcChild, text: string): Promise<void> {
  rpc.send({ id: text, type: "prompt", message: text });
  await rpc.until(({ type, id }) => type === "prompt_result" && id === text);
}

const stateOf = async (rpc: RpcChild): Promise<Frame> => (await rpc.call("get_state")).data;
const STALE = expect.stringContaining("stale");

describe("ctx.newSession", () => {
  test("setup writes before any notification, withSession continues in the new session, and the old ctx is stale", async () => {
    using at = place();
    await using rpc = await startRpc(["-e", at.logger], at);
    const before = (await stateOf(rpc)).sessionFile;
    await command(rpc, "/fresh");
    const { sessionFile, sessionName } = await stateOf(rpc);
    expect(sessionName).toBe("prepared");
    expect(JSON.parse(readFileSync(sessionFile, "utf8").split("\n")[0] as string).parentSession).toBe("origin");
    const info = rpc.frames.find(({ type }) => type === "session_info_changed");
    expect(info).toMatchObject({ sessionFile, name: "prepared" });
    expect(await rpc.end()).toBe(0);
    expect(at.log()).toEqual([
      ["flags", "low", null],
      ["start", "startup", null, 0],
      ["before switch", "new", null],
      ["ctx in setup", "works"],
      ["shutdown", "new", sessionFile],
      ["flags", "low", null],
      ["start", "new", before, 1],
      ["switch", "new", before],
      ["with", "prepared", ["user: said before"]],
      ["answered", 3],
      ["outcome", { cancelled: false }],
      ["ctx", STALE],
      ["pi", STALE],
      ["manager", expect.stringContaining("setup is over")],
      ["shutdown", "quit", null],
    ]);
  });

  test("a failing setup keeps the old session and leaves no file", async () => {
    using at = place();
    await using rpc = await startRpc(["-e", at.logger], at);
    await rpc.prompt("help");
    const { sessionId } = await stateOf(rpc);
    await command(rpc, "/fresh fail");
    const fault = rpc.frames.find(({ type }) => type === "extension_error");
    expect(fault).toMatchObject({ extensionPath: "command:fresh", error: expect.stringContaining("changed my mind") });
    expect((await stateOf(rpc)).sessionId).toBe(sessionId);
    expect(sessionFiles(at.sessionDir)).toHaveLength(1);
    expect(await rpc.end()).toBe(0);
    expect(at.log().filter(([event]) => event === "shutdown")).toEqual([["shutdown", "quit", null]]);
  });

  test("a setup cannot change the session again, because it would wait for itself; later code can", async () => {
    await using run = await withExtensions(LABORATORY);
    const errors = await evaluate(
      run,
      `const errors = [];
       const attempt = (work) => work().catch(({ message }) => errors.push(message));
       await ctx.newSession({
         setup: async (manager) => {
           await attempt(() => ctx.newSession());
           await attempt(() => ctx.fork("x"));
           await attempt(() => ctx.switchSession("x"));
           await attempt(() => ctx.navigateTree("x"));
           manager.appendSessionInfo("prepared");
         },
         withSession: async (next) => {
           errors.push(next.sessionManager.getSessionName());
           await next.newSession({ setup: (manager) => void manager.appendSessionInfo("second") });
         },
       });
       return errors;`,
    );
    const refusal = (method: string) => `${method} cannot be called during setup, because it would wait for itself`;
    expect(errors).toEqual([...["newSession", "fork", "switchSession", "navigateTree"].map(refusal), "prepared"]);
    expect((await stateOf(run.rpc)).sessionName).toBe("second");
  });
});

describe("ctx.fork", () => {
  /** Sends three prompts; returns the ids of the user's and the model's messages. */
  async function threePrompts(rpc: RpcChild): Promise<{ users: string[]; answers: string[] }> {
    for (const text of ["one", "two", "three"]) await rpc.prompt(text);
    const { entries } = (await rpc.call("get_entries")).data;
    const ids = (role: string) =>
      entries.filter((entry: Frame) => entry.message?.role === role).map((entry: Frame) => entry.id);
    return { users: ids("user"), answers: ids("assistant") };
  }
  const lastSaid = (at: Place, name: string) => {
    const said = at.log().findLast(([event]) => event === name)?.[1] as string[];
    return said.map((line) => line.replace(/^assistant: [\s\S]*/, "assistant"));
  };
  const TALK = ["user: one", "assistant", "user: two", "assistant", "user: three", "assistant"];

  test.each(["fork", "branch"])("%s ends at that entry, or before that message", async (name) => {
    using at = place();
    await using rpc = await startRpc(["-e", at.logger], at);
    const { users, answers } = await threePrompts(rpc);
    const { sessionFile: first } = await stateOf(rpc);
    await command(rpc, `/${name} ${JSON.stringify({ entry: answers[1], position: "at" })}`);
    expect(lastSaid(at, name)).toEqual(TALK.slice(0, 4));
    const { sessionFile: second, messageCount } = await stateOf(rpc);
    expect(messageCount).toBe(4);
    await command(rpc, `/${name} ${JSON.stringify({ entry: users[1] })}`);
    expect(lastSaid(at, name)).toEqual(TALK.slice(0, 2));
    const { sessionFile: third } = await stateOf(rpc);
    expect(await rpc.end()).toBe(0);
    expect(
      at.log().filter(([event]) => ["before fork", "shutdown", "start", "branch"].includes(event as string)),
    ).toEqual(
      expect.arrayContaining([
        ["before fork", answers[1], "at"],
        ["shutdown", "fork", second],
        ["start", "fork", first, 4],
        ["branch", first],
        ["before fork", users[1], "before"],
        ["shutdown", "fork", third],
        ["start", "fork", second, 2],
      ]),
    );
  });

  test("rejects an entry that does not exist, and keeps the session", async () => {
    using at = place();
    await using rpc = await startRpc(["-e", at.logger], at);
    await rpc.prompt("one");
    const { sessionId } = await stateOf(rpc);
    await command(rpc, '/fork {"entry":"nowhere","position":"at"}');
    expect(rpc.frames.find(({ type }) => type === "extension_error")).toMatchObject({
      extensionPath: "command:fork",
      error: expect.stringContaining("Invalid entry ID for branching"),
    });
    expect((await stateOf(rpc)).sessionId).toBe(sessionId);
  });

  test("with skipConversationRestore the copy contains the whole conversation", async () => {
    using at = place(undefined, { FORK_ANSWER: '{"skipConversationRestore":true}' });
    await using rpc = await startRpc(["-e", at.logger], at);
    const { users } = await threePrompts(rpc);
    const { sessionId } = await stateOf(rpc);
    expect((await rpc.call("branch", { entryId: users[0] })).data).toEqual({ text: "one", cancelled: false });
    const after = await stateOf(rpc);
    expect([after.sessionId === sessionId, after.messageCount]).toEqual([false, 6]);
  });

  test("a veto changes nothing", async () => {
    using at = place(undefined, { FORK_ANSWER: '{"cancel":true,"skipConversationRestore":true}' });
    await using rpc = await startRpc(["-e", at.logger], at);
    const { users } = await threePrompts(rpc);
    const { sessionId } = await stateOf(rpc);
    expect((await rpc.call("branch", { entryId: users[0] })).data).toEqual({ text: "one", cancelled: true });
    expect((await rpc.call("clone")).data).toEqual({ cancelled: true });
    expect((await stateOf(rpc)).sessionId).toBe(sessionId);
  });
});

describe("ctx.navigateTree", () => {
  /** The request to the model that summarizes. */
  async function navigate(options: object, answer: object | null) {
    await using chat = await chatPlace(says("first"), says("second"), says("SUMMARY"));
    const at = place(chat.place, { TREE_ANSWER: JSON.stringify(answer) });
    await using rpc = await startRpc(["-e", at.logger, ...CHAT], at);
    await rpc.prompt("one");
    const target = (await rpc.call("get_entries")).data.leafId;
    await rpc.prompt("two");
    const asked = chat.server.requests.length;
    await command(rpc, `/go ${JSON.stringify({ entry: target, ...options })}`);
    const request = JSON.stringify(chat.server.requests[asked]?.body ?? null);
    const { messages } = (await rpc.call("get_messages")).data;
    expect(await rpc.end()).toBe(0);
    const find = (name: string) => at.log().find(([event]) => event === name);
    return {
      before: find("before tree")?.[1],
      moved: find("moved"),
      request,
      roles: messages.map(({ role }: Frame) => role),
    };
  }

  test("summarizes with the caller's instructions, and labels the summary", async () => {
    const { before, moved, request, roles } = await navigate(
      { summarize: true, customInstructions: "WORDS", label: "old way" },
      null,
    );
    expect(before).toEqual({ customInstructions: "WORDS", label: "old way", userWantsSummary: true });
    expect(request).toContain("WORDS");
    expect(moved).toEqual([
      "moved",
      { cancelled: false },
      [["branch_summary", false, "old way"]],
      expect.stringContaining("SUMMARY"),
    ]);
    expect(roles).toEqual(["user", "assistant", "branchSummary"]);
  });

  test("replacing the instructions makes a shorter request than adding to them", async () => {
    const beside = await navigate({ summarize: true, customInstructions: "WORDS" }, null);
    const instead = await navigate({ summarize: true, customInstructions: "WORDS", replaceInstructions: true }, null);
    expect(instead.request).toContain("WORDS");
    expect(instead.request.length).toBeLessThan(beside.request.length);
    expect(instead.before).toMatchObject({ replaceInstructions: true });
  });

  test("labels the chosen entry if there is no summary", async () => {
    const { moved, request, roles } = await navigate({ label: "here" }, null);
    expect([request, moved]).toEqual(["null", ["moved", { cancelled: false }, [["message", true, "here"]], null]]);
    expect(roles).toEqual(["user", "assistant"]);
  });

  test("an extension's instructions and label override the caller's", async () => {
    const { moved, request } = await navigate(
      { summarize: true, customInstructions: "WORDS", label: "old way" },
      { customInstructions: "OTHERS", label: "hook" },
    );
    expect([request.includes("OTHERS"), request.includes("WORDS")]).toEqual([true, false]);
    expect(moved?.[2]).toEqual([["branch_summary", false, "hook"]]);
  });

  test("an extension's summary needs no model; a veto prevents the navigation", async () => {
    const given = await navigate({ summarize: true }, { summary: { summary: "MINE" }, label: "hook" });
    expect([given.request, given.moved]).toEqual([
      "null",
      ["moved", { cancelled: false }, [["branch_summary", false, "hook"]], "MINE"],
    ]);
    const vetoed = await navigate({ label: "here" }, { cancel: true });
    expect([vetoed.moved, vetoed.roles.length]).toEqual([["moved", { cancelled: true }, [], null], 4]);
  });
});

describe("steer and follow_up", () => {
  const FILES = {
    "prompts/review.md": "Review $1 well.",
    "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: PDFs\n---\nUse the script.",
  };

  function withFiles(at: Machine): void {
    for (const [path, content] of Object.entries(FILES)) {
      const target = join(at.env.PINTLE_HOME as string, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
  }
  const queues = (rpc: RpcChild): [string[], string[]][] =>
    rpc.frames.flatMap(({ type, steering, followUp }) => (type === "queue_update" ? [[steering, followUp]] : []));

  test("expand skills and templates, and keep their order", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("b"), says("c"), says("d"), says("e"));
    const at = place(chat.place);
    withFiles(at);
    await using rpc = await startRpc(["-e", at.logger, ...CHAT], at);
    rpc.send({ id: "p", type: "prompt", message: "begin" });
    await held.asked;
    rpc.send(
      { id: "1", type: "steer", message: "/review a.ts" },
      { id: "2", type: "steer", message: "plain" },
      { id: "3", type: "follow_up", message: "/skill:pdf now" },
      { id: "4", type: "prompt", message: "/review b.ts", streamingBehavior: "followUp" },
      { id: "5", type: "steer", message: "/nothing of the kind" },
      { id: "6", type: "steer", message: "/go x" },
    );
    expect(await rpc.until(({ id }) => id === "6")).toMatchObject({
      success: false,
      error: 'Extension command "/go" cannot be queued. Use prompt() or execute the command when not streaming.',
    });
    const [steering, followUp] = queues(rpc).at(-1) as [string[], string[]];
    expect(steering).toEqual(["Review a.ts well.", "plain", "/nothing of the kind"]);
    expect(followUp).toEqual([expect.stringMatching(/Use the script\.[\s\S]*User: now$/), "Review b.ts well."]);
    expect(queues(rpc).map(([first, second]) => [first.length, second.length])).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
      [2, 2],
      [3, 2],
    ]);
    held.write("a");
    held.finish();
    await rpc.until(({ type }) => type === "agent_settled");
    const told = rpc.frames.flatMap(({ type, message }) =>
      type === "message_end" && message.role === "user" ? [message.content[0].text] : [],
    );
    expect(told).toEqual(["begin", ...steering, ...followUp]);
  });

  test("are acknowledged once queued, even if the first command of a process needs a template", async () => {
    using at = place();
    withFiles(at);
    await using rpc = await startRpc([], at);
    rpc.send(
      { id: "1", type: "steer", message: "/review a.ts" },
      { id: "2", type: "steer", message: "plain" },
      { id: "3", type: "clear_queue" },
    );
    const { data } = await rpc.until(({ id }) => id === "3");
    expect(data).toEqual({ steering: ["Review a.ts well.", "plain"], followUp: [] });
  });
});

describe("extension flags with a separate value", () => {
  const flagsOf = (at: Place) =>
    at
      .log()
      .find(([event]) => event === "flags")
      ?.slice(1);

  test.each([
    [["--level", "high", "help"], ["high", null], 1],
    [["--level=high", "help"], ["high", null], 1],
    [["help", "--level", "high"], ["high", null], 1],
    [["--fast", "help"], ["low", true], 1],
    [["--fast", "help", "--level", "high", "--message", "list"], ["high", true], 2],
    [["--level", "--fast", "help"], ["low", true], 1],
  ])("%j", async (args, flags, prompts) => {
    using at = place();
    const { code, stderr } = await runProgram(["-q", "-e", at.logger, "--model", "pintle/offline", "-p", ...args], at);
    expect([code, stderr, flagsOf(at)]).toEqual([0, "", flags]);
    const [file] = sessionFiles(at.sessionDir);
    const users = readFileSync(file as string, "utf8").match(/"role":"user"/g);
    expect(users).toHaveLength(prompts);
  });

  test("a value alone is not a message", async () => {
    using at = place();
    const { code, stderr } = await runProgram(["-e", at.logger, "-p", "--level", "high"], at);
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no message to answer")]);
  });

  test("in RPC mode the value is not an ignored message, and may look like a file", async () => {
    using at = place();
    await using rpc = await startRpc(["-e", at.logger, "--level", "@high"], at);
    expect(await rpc.end()).toBe(0);
    expect([await rpc.stderr(), flagsOf(at)]).toEqual(["", ["@high", null]]);
    const refused = await runProgram(["--mode", "rpc", "-e", at.logger, "--fast", "@high"], at);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("@file arguments are not supported in RPC mode");
  });
});

describe("a session in another directory", () => {
  /** Records when it is loaded and what it receives, and can be called. */
  const projectCode = (name: string): Record<string, string> => ({
    ".pintle/extensions/own.ts": `
      import { appendFileSync } from "node:fs";
      export default function (pi) {
        const log = (...items) => appendFileSync(process.env.LOG, JSON.stringify(["${name}", ...items]) + "\\n");
        pi.on("session_start", ({ reason }) => log("start", reason));
        pi.on("session_shutdown", ({ reason }) => log("shutdown", reason));
        pi.registerCommand("hello-${name}", { handler() {} });
      }`,
    ".pintle/tools/own.js": `
      module.exports = () => ({ name: "tool_${name}", label: "T", description: "T", parameters: { type: "object" },
        execute: async () => ({ content: [{ type: "text", text: "done" }] }) });`,
  });

  /** Two projects with code, each with a stored session. */
  async function twoProjects() {
    const at = place();
    const projects: Record<string, { cwd: string; session: string }> = {};
    for (const name of ["a", "b"]) {
      const cwd = join(realpathSync(at.root), name);
      mkdirSync(cwd);
      const known = sessionFiles(at.sessionDir);
      await runProgram(["-p", "help"], { ...at, cwd });
      const session = sessionFiles(at.sessionDir).find((file) => !known.includes(file)) as string;
      for (const [path, content] of Object.entries(projectCode(name))) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), content);
      }
      projects[name] = { cwd, session };
    }
    const { a, b } = projects as Record<"a" | "b", { cwd: string; session: string }>;
    return { ...at, cwd: a.cwd, a, b };
  }
  const loaded = async (rpc: RpcChild) => {
    const { commands } = (await rpc.call("get_available_commands")).data;
    const names = [...commands, ...(await stateOf(rpc)).dumpTools].map(({ name }: Frame) => name);
    return names.filter((name: string) => /^(hello-|tool_)/.test(name)).sort();
  };
  const isRequest = ({ type }: Frame) => type === "trust_request";
  const isResolved = ({ type }: Frame) => type === "trust_resolved";
  /** Stored, as a host of an earlier process requested. */
  async function rememberConsent(at: Place, cwd: string) {
    await using rpc = await startRpc(["--no-session"], { ...at, cwd });
    await rpc.call("set_host_capabilities", { trust: true });
    rpc.send({ type: "trust_response", id: (await rpc.until(isRequest)).id, trusted: true, remember: true });
    await rpc.prompt("help");
    expect(await rpc.end()).toBe(0);
    rmSync(at.env.LOG as string);
  }
  const heard = (at: Place, name: string) =>
    at.log().flatMap(([who, ...what]) => (who === name ? [what.join(" ")] : []));

  test("asks the host, and replaces the resources of the old directory", async () => {
    using at = await twoProjects();
    await using rpc = await startRpc(["-e", at.logger], at);
    await rpc.call("set_host_capabilities", { trust: true });
    const first = await rpc.until(isRequest);
    expect(first.project).toBe(at.a.cwd);
    rpc.send({ type: "trust_response", id: first.id, trusted: true });
    await rpc.until(isResolved);
    await rpc.prompt("help");
    expect(await loaded(rpc)).toEqual(["hello-a", "tool_a"]);

    rpc.send({ id: "s", type: "switch_session", sessionPath: at.b.session });
    const second = await rpc.until(isRequest);
    expect(second.project).toBe(at.b.cwd);
    rpc.send({ id: "p", type: "prompt", message: "help" });
    expect(await rpc.until(({ id, type }) => id === "p" && type === "response")).toMatchObject({ success: true });
    expect(rpc.frames.find(({ id }) => id === "s")).toMatchObject({ data: { cancelled: false } });
    expect(await loaded(rpc)).toEqual([]);
    const begun = rpc.frames.filter(({ type }) => type === "agent_start").length;
    rpc.send({ type: "trust_response", id: second.id, trusted: true });
    await rpc.until(({ type }) => type === "agent_settled");
    expect(rpc.frames.filter(({ type }) => type === "agent_start")).toHaveLength(begun + 1);
    expect(await loaded(rpc)).toEqual(["hello-b", "tool_b"]);
    expect(heard(at, "a")).toEqual(["start startup", "shutdown resume"]);
    expect(heard(at, "b")).toEqual(["start startup"]);

    const lists = rpc.frames.flatMap(({ type, commands }) =>
      type === "available_commands_update" ? [JSON.stringify(commands)] : [],
    );
    expect(lists.at(-1)).toContain("hello-b");
    expect(lists.some((list, index) => list === lists[index - 1])).toBe(false);

    // Back in the first project, whose content has not changed, so the answer is known.
    expect((await rpc.call("switch_session", { sessionPath: at.a.session })).data).toEqual({ cancelled: false });
    expect(await loaded(rpc)).toEqual(["hello-a", "tool_a"]);
    expect(await rpc.end()).toBe(0);
    expect(rpc.frames.filter(isRequest)).toHaveLength(2);
    expect(heard(at, "a").slice(2)).toEqual(["start resume", "shutdown quit"]);
    expect(heard(at, "b")).toEqual(["start startup", "shutdown resume"]);
    const users = at
      .log()
      .filter(([event]) => event === "start")
      .map(([, reason]) => reason);
    expect(users).toEqual(["startup", "resume", "resume"]);
  });

  test("withdraws an open question when its directory is left", async () => {
    using at = await twoProjects();
    await using rpc = await startRpc([], at);
    await rpc.call("set_host_capabilities", { trust: true });
    const first = await rpc.until(isRequest);
    rpc.send({ id: "s", type: "switch_session", sessionPath: at.b.session });
    expect(await rpc.until(isResolved)).toMatchObject({ id: first.id, trusted: false, by: "abort" });
    const second = await rpc.until(isRequest);
    expect(second.project).toBe(at.b.cwd);
    rpc.send(
      { type: "trust_response", id: first.id, trusted: true },
      { type: "trust_response", id: second.id, trusted: true },
    );
    await rpc.prompt("help");
    expect(await loaded(rpc)).toEqual(["hello-b", "tool_b"]);
    // It was not answered, so it is still open.
    await rpc.call("switch_session", { sessionPath: at.a.session });
    expect((await rpc.until(isRequest)).project).toBe(at.a.cwd);
  });

  test("asks the host again when the content has changed, and drops what the host rejects", async () => {
    using at = await twoProjects();
    await using rpc = await startRpc(["-e", at.logger], at);
    await rpc.call("set_host_capabilities", { trust: true });
    const first = await rpc.until(isRequest);
    rpc.send({ type: "trust_response", id: first.id, trusted: true });
    await rpc.prompt("help");
    expect(await loaded(rpc)).toEqual(["hello-a", "tool_a"]);
    await command(rpc, "/again");
    appendFileSync(join(at.a.cwd, ".pintle/tools/own.js"), "// more");
    await command(rpc, "/again");
    const second = await rpc.until(isRequest);
    expect([second.project, second.digest === first.digest]).toEqual([at.a.cwd, false]);
    expect(await loaded(rpc)).toEqual([]);
    rpc.send({ type: "trust_response", id: second.id, trusted: false });
    await rpc.until(isResolved);
    await command(rpc, "/again");
    await rpc.prompt("help");
    expect([await loaded(rpc), rpc.frames.filter(isRequest).length]).toEqual([[], 2]);
    expect(await rpc.end()).toBe(0);
    expect(heard(at, "a")).toEqual(["start startup", "shutdown reload", "start reload", "shutdown reload"]);
  });

  test("tells a host that answers no such questions what was withheld, and runs none of it", async () => {
    using at = await twoProjects();
    await using rpc = await startRpc([], at);
    const isNotice = ({ type, source }: Frame) => type === "notice" && source === "trust";
    await rpc.until(isNotice);
    expect((await rpc.call("switch_session", { sessionPath: at.b.session })).data).toEqual({ cancelled: false });
    await rpc.prompt("help");
    expect(rpc.frames.filter(isNotice).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^2 items /),
      expect.stringMatching(/^2 items /),
    ]);
    expect(await loaded(rpc)).toEqual([]);
    expect(rpc.frames.filter(isRequest)).toEqual([]);
  });

  test("a session opened at startup loads the resources of its own directory", async () => {
    using at = await twoProjects();
    await rememberConsent(at, at.b.cwd);
    await using rpc = await startRpc(["--session", at.b.session, "-e", "../logger.ts"], at);
    expect(await loaded(rpc)).toEqual(["hello-b", "tool_b"]);
    expect(await rpc.end()).toBe(0);
    expect([heard(at, "a"), heard(at, "b"), heard(at, "start")]).toEqual([
      [],
      ["start startup", "shutdown quit"],
      ["startup  2"],
    ]);
  });

  test("with remembered consent, the directory's resources are loaded when the switch is answered", async () => {
    using at = await twoProjects();
    await rememberConsent(at, at.b.cwd);
    await using rpc = await startRpc(["--trust"], at);
    expect(await loaded(rpc)).toEqual(["hello-a", "tool_a"]);
    await rpc.call("switch_session", { sessionPath: at.b.session });
    expect(await loaded(rpc)).toEqual(["hello-b", "tool_b"]);
    expect(await rpc.end()).toBe(0);
    expect(heard(at, "a")).toEqual(["start startup", "shutdown resume"]);
    expect(heard(at, "b")).toEqual(["start resume", "shutdown quit"]);
  });
});
