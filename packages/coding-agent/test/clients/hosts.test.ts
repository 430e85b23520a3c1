import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WIRE_VERSIONS } from "../../src/version.ts";
import { program, runProgram } from "../support/program.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { readSession } from "../support/scenarios/stored-sessions.ts";

// Simulates hosts of pi and oh-my-pi: each test starts the program with that host's arguments and reads what it reads. The
// tests are based on what is known of each host's protocol; the hosts themselves do not run.

const PLAIN = ["--provider", "local", "--model", "m"];

/** Runs the program as its launcher does, and returns the lines as objects. */
async function runAs(dialect: "pi" | "omp", args: readonly string[], { place }: ChatPlace) {
  const env = { ...place.env, PINTLE_DIALECT: dialect };
  const { code, stdout, stderr } = await runProgram(args, { cwd: place.cwd, env, command: [program] });
  return {
    code,
    stdout,
    stderr,
    lines: () =>
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Frame),
  };
}

test.each(["pi", "omp"] as const)(
  "prints only the version of %s, for hosts that accept nothing else",
  async (dialect) => {
    await using chat = await chatPlace();
    const { code, stdout, stderr } = await runAs(dialect, ["--version"], chat);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${WIRE_VERSIONS[dialect]}\n`, stderr: "" });
  },
);

describe("takopi", () => {
  // Names a new file below pi's sessions, takes the short id from the first line, and continues by that id.
  test("continues a conversation by the first part of the id", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    const { cwd, root } = chat.place;
    const directory = join(root, ".pi/agent/sessions", `--${cwd.slice(1).replaceAll("/", "-")}--`);
    mkdirSync(directory, { recursive: true });
    const file = join(directory, "2026-11-18T11-00-00-000000+00-00_0123456789abcdef.jsonl");
    const ask = (session: string, message: string) =>
      runAs("pi", ["--print", "--mode", "json", ...PLAIN, "--session", session, message], chat);
    const first = await ask(file, "first");
    const [header] = first.lines();
    expect(header?.type).toBe("session");
    const second = await ask(header?.id.split("-")[0], " -second");
    expect([first.code, second.code, second.stderr]).toEqual([0, 0, ""]);
    expect(readSession(file).prompts).toEqual(["first", " -second"]);
    const end = second.lines().find(({ type }) => type === "agent_end");
    expect(end?.messages.at(-1)).toMatchObject({ role: "assistant", content: [{ type: "text", text: "two" }] });
  });
});

describe("multica", () => {
  // Creates an empty file for each conversation before the start, and offers a fixed list of tools.
  test("continues in an empty file that it created", async () => {
    await using chat = await chatPlace(callsTools({ name: "ls" }), says("one"), says("two"));
    const file = join(chat.place.cwd, "20261118T110000.000000001.jsonl");
    writeFileSync(file, "");
    const tools = ["read", "bash", "edit", "write", "grep", "find", "ls"];
    const ask = (message: string) =>
      runAs(
        "pi",
        [
          "-p",
          "--mode",
          "json",
          "--session",
          file,
          ...PLAIN,
          "--tools",
          tools.join(),
          "--append-system-prompt",
          "extra",
        ].concat(message),
        chat,
      );
    const first = await ask("first");
    expect((await ask("second")).code).toBe(0);
    const [request, , last] = chat.server.requests.map(({ body }) => body);
    expect(request.tools.map(({ function: { name } }: { function: { name: string } }) => name).sort()).toEqual(
      tools.toSorted(),
    );
    expect(JSON.stringify(request.messages[0])).toContain("extra");
    expect(JSON.stringify(last.messages)).toContain("first");
    const lines = first.lines();
    expect(
      lines.filter(({ type }) => type === "turn_end").map(({ message }) => [message.model, message.usage]),
    ).toEqual([
      ["m", expect.objectContaining({ input: expect.any(Number), cacheRead: expect.any(Number) })],
      ["m", expect.objectContaining({ output: expect.any(Number), cacheWrite: expect.any(Number) })],
    ]);
    const text = lines.flatMap(({ assistantMessageEvent: event }) => (event?.type === "text_delta" ? event.delta : []));
    expect(text.join("")).toBe("one");
  });
});

describe("zeroshot with pi", () => {
  const LIMITS = ["--no-session", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-context-files"];

  test("finds every option that restricts a run in the help text, and passes only those", async () => {
    await using chat = await chatPlace(says("done"));
    const { stdout } = await runAs("pi", ["--help"], chat);
    for (const flag of [...LIMITS, "--no-approve", "--mode", "--model"]) expect(stdout).toMatch(RegExp(`${flag}\\b`));
    writeFileSync(join(chat.place.cwd, "AGENTS.md"), "a rule of the project");
    const run = await runAs("pi", ["--mode", "json", ...LIMITS, "--no-approve", ...CHAT, "go"], chat);
    expect(run.code).toBe(0);
    expect(JSON.stringify(chat.server.requests[0]?.body)).not.toContain("a rule of the project");
    const known = /^(session|agent_(start|end|settled)|turn_(start|end)|message_(start|update|end))$/;
    expect(run.lines().filter(({ type }) => !known.test(type))).toEqual([]);
  });
});

describe("plannotator", () => {
  // Reads the thinking levels of each model from `reasoning` and `thinkingLevelMap`, then sets model and level and prompts.
  test("sets a model and the level that the model's map offers", async () => {
    await using chat = await chatPlace(says("done"));
    await using rpc = await startRpc([], { ...chat.place, dialect: "pi" });
    const { models } = (await rpc.call("get_available_models")).data;
    const thinker = models.find(({ id }: Frame) => id === "thinker");
    expect(thinker).toMatchObject({ provider: "local", reasoning: true });
    await rpc.call("set_model", { provider: "local", modelId: "thinker" });
    expect(await rpc.call("set_thinking_level", { level: "high" })).toMatchObject({ success: true });
    expect((await rpc.call("get_state")).data).toMatchObject({ sessionId: expect.any(String), thinkingLevel: "high" });
    await rpc.prompt("go");
    expect(chat.server.requests[0]?.body).toMatchObject({ model: "thinker", reasoning_effort: "high" });
  });
});

describe("claudian", () => {
  // Appends what each snapshot of a tool's output adds, so a snapshot must extend the previous one.
  test("gets snapshots of a tool's output that extend each other, and the whole at the end", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "for i in 1 2 3; do echo line $i; sleep 0.3; done" } }),
      says("done"),
    );
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.prompt("go");
    let shown = "";
    for (const { partialResult } of rpc.frames.filter(({ type }) => type === "tool_execution_update")) {
      const text = partialResult.content.map((part: Frame) => part.text ?? "").join("");
      expect(text.startsWith(shown)).toBe(true);
      shown = text;
    }
    const end = rpc.frames.find(({ type }) => type === "tool_execution_end");
    expect(end?.result.content[0].text.startsWith(shown)).toBe(true);
    expect((await rpc.call("get_session_stats")).data.contextUsage).toMatchObject({
      tokens: expect.any(Number),
      contextWindow: expect.any(Number),
    });
  });

  // Sends `abort` and ends the process at once with SIGTERM.
  test("ends a run by abort and SIGTERM without waiting", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.call("prompt", { message: "go" });
    await held.asked;
    rpc.send({ type: "abort" });
    await rpc.kill("SIGTERM");
    expect(await rpc.stderr()).toBe("");
  });
});

describe("overtchat with omp", () => {
  // Starts `rpc-ui` with an approval mode, demands version 2 if the limits fit, and pages through the messages.
  test("pages through the history and finds each prompt's entry", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    const args = ["--mode", "rpc-ui", "--approval-mode", "always-ask", ...CHAT];
    await using rpc = await startRpc(args, { ...chat.place, dialect: "omp" });
    expect(rpc.frames[0]).toMatchObject({ supportedProtocolVersions: [1, 2], maxReassembledFrameBytes: 64 * 2 ** 20 });
    expect((await rpc.call("negotiate_protocol", { protocolVersion: 2 })).data).toEqual({ protocolVersion: 2 });
    await rpc.prompt("first");
    await rpc.prompt("second");
    const messages: Frame[] = [];
    let page: Frame = {};
    do {
      const { nextCursor } = page;
      page = (await rpc.call("get_messages_page", { ...(nextCursor && { cursor: nextCursor }), limit: 2 })).data;
      messages.push(...page.messages);
    } while (page.nextCursor);
    expect(messages.length).toBe(page.totalMessages);
    const prompts = messages.filter(({ role }) => role === "user").map(({ content }) => content[0].text);
    const { messages: entries } = (await rpc.call("get_branch_messages")).data;
    expect(entries).toEqual(prompts.map((text) => ({ entryId: expect.any(String), text })));
  });

  test("shows the files and the command of a question, and answers with the option itself", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "write", args: { path: "a.txt", content: "text" } }),
      callsTools({ name: "bash", args: { command: "touch b.txt" } }),
      says("done"),
    );
    const args = ["--mode", "rpc-ui", "--approval-mode", "always-ask", ...CHAT];
    await using rpc = await startRpc(args, { ...chat.place, dialect: "omp" });
    await rpc.call("prompt", { message: "go" });
    const shown: unknown[] = [];
    for (const tool of ["write", "bash"]) {
      const { id, method, title, options } = await rpc.until(({ type }) => type === "extension_ui_request");
      expect({ method, options }).toEqual({ method: "select", options: ["Approve", "Deny"] });
      const [heading, ...body] = title.split("\n");
      expect(heading).toBe(`Allow tool: ${tool}`);
      const path = body.find((line: string) => line.startsWith("Path:"));
      const command = /(?:^|\n)Command: ?(.*)$/s.exec(body.join("\n"))?.[1];
      shown.push(tool === "write" ? [path, body.includes("Content:")] : command);
      rpc.send({ type: "extension_ui_response", id, value: options[0] });
    }
    await rpc.until(({ type }) => type === "session_settled");
    expect(shown).toEqual([[`Path: ${join(chat.place.cwd, "a.txt")}`, true], "touch b.txt"]);
  });

  test("accepts the sources of all commands", async () => {
    await using chat = await chatPlace();
    const skill = join(chat.place.env.PINTLE_HOME as string, "skills/look/SKILL.md");
    mkdirSync(join(skill, ".."), { recursive: true });
    writeFileSync(skill, "---\nname: look\ndescription: looks\n---\nLook.\n");
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "omp" });
    const { commands } = (await rpc.call("get_available_commands")).data;
    expect(commands.length).toBeGreaterThan(0);
    const accepted = ["builtin", "extension", "prompt", "skill", "custom", "mcp_prompt", "file"];
    expect(commands.filter(({ source }: Frame) => !accepted.includes(source))).toEqual([]);
  });
});

describe("t3code", () => {
  // Loads its own extension, which asks about calls with `select`, and finds the question by the beginning of its title.
  const ASKS = `export default (pi) => {
    pi.on("tool_call", async ({ toolName, input }, ctx) => {
      const about = JSON.stringify({ tool: toolName, detail: String(input.command) });
      const choice = await ctx.ui.select("HOST_APPROVAL " + about, ["allow", "allow-always", "deny"]);
      return choice === "allow" ? undefined : { block: true, reason: "The user denied this action." };
    });
  };\n`;

  test.each(["pi", "omp"] as const)("decides on calls through its own extension (%s)", async (dialect) => {
    const touch = (name: string) => ({ name: "bash", args: { command: `touch ${name}` }, id: `call_${name}` });
    await using chat = await chatPlace(callsTools(touch("a")), callsTools(touch("b")), says("done"));
    const extension = join(chat.place.root, "approvals.ts");
    writeFileSync(extension, ASKS);
    const args = [...PLAIN, "--thinking", "high", "--append-system-prompt", "extra", "--extension", extension];
    await using rpc = await startRpc(args, { ...chat.place, dialect });
    await rpc.call("prompt", { message: "go" });
    for (const [name, value] of Object.entries({ a: "allow", b: "deny" })) {
      const { id, title, options } = await rpc.until(({ method }) => method === "select");
      expect(title).toBe(`HOST_APPROVAL ${JSON.stringify({ tool: "bash", detail: `touch ${name}` })}`);
      expect(options).toEqual(["allow", "allow-always", "deny"]);
      rpc.send({ type: "extension_ui_response", id, value });
    }
    await rpc.until(({ type }) => type === "agent_settled");
    const ends = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ["call_a", false],
      ["call_b", true],
    ]);
    expect(["a", "b"].map((name) => existsSync(join(chat.place.cwd, name)))).toEqual([true, false]);
  });
});

describe("claude_codex_bridge", () => {
  // Reads the answer from stdout after `agent_settled` and the end of the process, or from the newest file in a directory.
  test("finds the answer on stdout and in the session directory", async () => {
    await using chat = await chatPlace(callsTools({ name: "ls" }), says("the answer"));
    const directory = join(chat.place.root, "sessions of the bridge");
    const agent = join(chat.place.root, "agent");
    const place = { ...chat.place, env: { ...chat.place.env, PI_CODING_AGENT_DIR: agent } };
    const args = ["--mode", "json", "--session-dir", directory, "--no-approve", "--name", "job-1", ...CHAT, "REQ 7 go"];
    const run = await runAs("pi", args, { ...chat, place });
    expect([run.code, run.stdout.endsWith("\n")]).toEqual([0, true]);
    const lines = run.lines();
    expect(lines.at(-1)).toEqual({ type: "agent_settled", aborted: false });
    const spoken = lines.findLast(({ message }) => message?.role === "assistant")?.message;
    expect(spoken).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "the answer" }] });
    const [file] = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
    const stored = readSession(join(directory, file as string));
    expect(stored.prompts).toEqual(["REQ 7 go"]);
  });
});

describe("vibe-kanban", () => {
  const OPTIONS = ["--no-extensions", "--no-skills", "--tools", "read,bash", "--append-system-prompt", "extra"];
  const inVibeKanban = (chat: ChatPlace, args: readonly string[]) =>
    startRpc([...args, ...OPTIONS, ...PLAIN, "--thinking", "off"], { ...chat.place, dialect: "pi" });

  /** Fields without which its reader rejects the line. */
  const REQUIRED: Readonly<Record<string, readonly string[]>> = {
    response: ["command", "success"],
    agent_end: ["messages"],
    turn_end: ["message"],
    message_start: ["message"],
    message_update: ["message"],
    message_end: ["message"],
    tool_execution_start: ["toolCallId", "toolName", "args"],
    tool_execution_update: ["toolCallId", "toolName"],
    tool_execution_end: ["toolCallId", "toolName", "result", "isError"],
    text_delta: ["contentIndex", "delta"],
    text_end: ["contentIndex", "content"],
    toolcall_end: ["contentIndex", "toolCall"],
  };

  // Sends the prompt and `get_state` at once, without waiting for anything, and reads each line into a type with these fields.
  test("reads every line, and finds the session in the state", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "echo hi" } }), says("done"));
    const directory = join(chat.place.root, ".pi/agent/sessions/vibe-kanban");
    await using rpc = await inVibeKanban(chat, ["--session-dir", directory]);
    rpc.send({ id: "vk-1", type: "prompt", message: "go" }, { id: "vk-2", type: "get_state" });
    const state = await rpc.until(({ type, command }) => type === "response" && command === "get_state");
    expect(state).toMatchObject({
      id: "vk-2",
      data: { sessionId: expect.any(String), messageCount: expect.any(Number) },
    });
    await rpc.until(({ type }) => type === "agent_settled");
    const parts = rpc.frames.flatMap((frame) => [frame, frame.assistantMessageEvent ?? []].flat());
    const missing = parts.flatMap((part) => (REQUIRED[part.type] ?? []).filter((name) => part[name] === undefined));
    expect(missing).toEqual([]);
    expect(readdirSync(directory).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  });

  // Continues in `DIRECTORY/<session id>.jsonl`, whether or not that file exists.
  test("continues in a file that it names after the session, and aborts", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    const directory = join(chat.place.root, ".pi/agent/sessions/vibe-kanban");
    mkdirSync(directory, { recursive: true });
    const file = join(directory, "01a1f03b.jsonl");
    await using rpc = await inVibeKanban(chat, ["--session-dir", directory, "--session", file]);
    rpc.send({ id: "vk-1", type: "prompt", message: "more" });
    await held.asked;
    rpc.send({ id: "vk-2", type: "abort" });
    expect(await rpc.until(({ type }) => type === "agent_settled")).toMatchObject({ aborted: true });
    expect(existsSync(file)).toBe(true);
  });
});

describe("Pivot", () => {
  // Starts only a program whose help names `rpc-ui`, then negotiates, resumes by path, and needs the session file.
  test("finds its mode in the help text, negotiates and resumes a session by its path", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    const help = await runAs("omp", ["--help"], chat);
    expect([help.code, help.stdout.includes("rpc-ui")]).toEqual([0, true]);
    const start = async () => {
      const rpc = await startRpc(["--mode", "rpc-ui", ...CHAT], { ...chat.place, dialect: "omp" });
      expect(await rpc.call("negotiate_protocol", { protocolVersion: 2 })).toMatchObject({ success: true });
      return rpc;
    };
    await using first = await start();
    const { sessionFile } = (await first.call("get_state")).data;
    expect(sessionFile).toEndWith(".jsonl");
    await first.prompt("first");
    expect(first.frames.find(({ type }) => type === "agent_end")?.isTerminal).not.toBe(false);
    expect(await first.end()).toBe(0);
    await using second = await start();
    expect(await second.call("switch_session", { sessionPath: sessionFile })).toMatchObject({ success: true });
    expect((await second.call("get_state")).data.sessionFile).toBe(sessionFile);
    await second.prompt("second");
    expect(JSON.stringify(chat.server.requests[1]?.body.messages)).toContain("first");
  });

  test("lists models, commands and login providers, and sets a model by its name", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "omp" });
    const list = async (command: string, field: string): Promise<Frame[]> => (await rpc.call(command)).data[field];
    const models = await list("get_available_models", "models");
    expect(models.filter(({ provider, id }) => typeof provider !== "string" || typeof id !== "string")).toEqual([]);
    const commands = await list("get_available_commands", "commands");
    expect(commands.filter(({ name }) => typeof name !== "string" || name.trim() === "")).toEqual([]);
    expect(await list("get_login_providers", "providers")).toEqual([]);
    const set = await rpc.call("set_model", { provider: "local", modelId: "thinker" });
    expect(set).toMatchObject({ success: true });
  });

  // Shows the settings with their types and descriptions, and looks for more files in the directory.
  test("reads the directory and all settings", async () => {
    await using chat = await chatPlace();
    const config = async (...args: string[]) => {
      const { code, stdout } = await runAs("omp", ["config", ...args], chat);
      expect(code).toBe(0);
      return stdout.trim();
    };
    expect(existsSync(await config("path"))).toBe(true);
    const settings = Object.values<Frame>(JSON.parse(await config("list", "--json")));
    expect(settings.length).toBeGreaterThan(20);
    const isDescribed = ({ type, description }: Frame) => typeof type === "string" && typeof description === "string";
    expect(settings.filter((entry) => !isDescribed(entry))).toEqual([]);
    expect(JSON.parse(await config("get", "steeringMode", "--json"))).toMatchObject({
      key: "steeringMode",
      value: "one-at-a-time",
    });
  });
});
