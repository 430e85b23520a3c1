import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { eventually, hasProc, processesWith } from "../../../exec/test/support/processes/living-processes.ts";
import { startHttpServer } from "../support/mcp/http-server.ts";
import { mcpFile, STDIO_SERVER, stdio } from "../support/mcp/servers-of.ts";
import { cleanEnvironment, runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { sessionFiles } from "../support/scenarios/stored-sessions.ts";
import { where } from "../support/where.ts";

/** An empty project and an empty home. Paths that begin with "~/" are in pintle's own directory. */
function place() {
  const scratch = scratchDirectory();
  const [cwd, home] = [join(scratch.path, "project"), join(scratch.path, "home")];
  const at = (path: string) => (path.startsWith("~/") ? join(home, ".pintle", path.slice(2)) : join(cwd, path));
  for (const directory of [cwd, home]) mkdirSync(directory);
  const log = join(scratch.path, "log");
  return {
    cwd,
    env: cleanEnvironment(home),
    log,
    starts: () => (existsSync(log) ? (readFileSync(log, "utf8").match(/started/g)?.length ?? 0) : 0),
    write(path: string, content: string) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const toolNames = async (rpc: RpcChild): Promise<string[]> =>
  (await rpc.call("get_state")).data.dumpTools.map((tool: Frame) => tool.name);

/** Resolves when servers that connect in the background have provided their tools. */
async function untilOffered(rpc: RpcChild, name: string): Promise<void> {
  while (!(await toolNames(rpc)).includes(name)) await Bun.sleep(20);
}

async function untilStates(rpc: RpcChild, expected: Record<string, string>): Promise<void> {
  for (;;) {
    const servers: Frame[] = (await rpc.call("get_mcp_status")).data.servers;
    if (Bun.deepEquals(Object.fromEntries(servers.map(({ name, status }) => [name, status])), expected)) return;
    await Bun.sleep(20);
  }
}

const isEnd = ({ type }: Frame) => type === "tool_execution_end";
const isMcpNotice = ({ type, source }: Frame) => type === "notice" && source === "mcp";

describe("servers of the host", () => {
  const definition = (name: string, ...args: string[]) => ({ name, ...stdio(...args) });

  test("start without a question, are replaced as a whole, and report that the host owns them", async () => {
    await using chat = await chatPlace(callsTools({ name: "mcp__editor__echo", args: { text: "hi" } }), says("done"));
    await using rpc = await startRpc(CHAT, chat.place);
    const { data } = await rpc.call("set_mcp_servers", { servers: [definition("editor")] });
    expect(data.servers).toMatchObject([{ name: "editor", transport: "stdio", file: "", source: "host" }]);
    // The prompt waits for them as a first prompt does.
    await rpc.prompt("go");
    expect(rpc.frames.find(isEnd)).toMatchObject({ toolName: "mcp__editor__echo", isError: false });
    await rpc.call("set_mcp_servers", { servers: [definition("second")] });
    await untilStates(rpc, { second: "connected" });
    await untilOffered(rpc, "mcp__second__echo");
    const wrong = [definition("third"), { name: "fourth" }];
    expect(await rpc.call("set_mcp_servers", { servers: wrong })).toMatchObject({
      success: false,
      error: 'MCP server "fourth": command or url is missing',
    });
    await untilStates(rpc, { second: "connected" });
    await rpc.call("reload_mcp");
    await untilStates(rpc, { second: "connected" });
    expect((await rpc.call("set_mcp_servers", { servers: [] })).data).toEqual({ servers: [] });
    expect((await toolNames(rpc)).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(await rpc.end()).toBe(0);
  });

  test("replace one with the same name in a file, which returns when they are removed", async () => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: stdio() }));
    await using rpc = await startRpc([], here);
    await untilStates(rpc, { one: "connected" });
    const sources = async () =>
      (await rpc.call("get_mcp_status")).data.servers.map(({ name, source }: Frame) => `${name} ${source}`);
    expect(await sources()).toEqual(["one file"]);
    await rpc.call("set_mcp_servers", { servers: [definition("one")] });
    expect(await sources()).toEqual(["one host"]);
    await rpc.call("set_mcp_servers", { servers: [] });
    expect(await sources()).toEqual(["one file"]);
  });

  test("are rejected where servers are disabled", async () => {
    using here = place();
    await using rpc = await startRpc(["--no-mcp"], here);
    expect(await rpc.call("set_mcp_servers", { servers: [definition("one")] })).toMatchObject({
      code: "not_supported",
    });
  });
});

describe("a server of the user", () => {
  test("has its tools called by the model, and ends with the program", async () => {
    await using chat = await chatPlace(callsTools({ name: "mcp__one__echo", args: { text: "hi" } }), says("done"));
    const home = chat.place.env.PINTLE_HOME as string;
    writeFileSync(join(home, "mcp.json"), mcpFile({ one: stdio("--log", join(home, "log")) }));
    const rpc = await startRpc(CHAT, chat.place);
    await untilOffered(rpc, "mcp__one__echo");
    await rpc.prompt("go");
    const result = rpc.frames.find(isEnd);
    expect(result).toMatchObject({
      toolName: "mcp__one__echo",
      isError: false,
      result: { content: [{ type: "text", text: "echo: hi" }] },
    });
    const { tools } = chat.server.requests[0]?.body ?? {};
    const offered = tools.find((tool: Frame) => tool.function.name === "mcp__one__echo");
    expect(offered.function).toMatchObject({ description: "Repeats a text", parameters: { required: ["text"] } });
    expect(await rpc.end()).toBe(0);
    const pid = Number(readFileSync(join(home, "log"), "utf8").split(" ")[1]);
    expect(existsSync(`/proc/${pid}`) && hasProc).toBe(false);
  });

  test("is awaited by the first prompt, however early it arrives", async () => {
    await using chat = await chatPlace(callsTools({ name: "mcp__one__echo", args: { text: "hi" } }), says("done"));
    const home = chat.place.env.PINTLE_HOME as string;
    const gate = join(home, "gate");
    writeFileSync(join(home, "mcp.json"), mcpFile({ one: stdio("--gate", gate) }));
    await using rpc = await startRpc([...CHAT, "--set", "mcp.startTimeoutMs=60000"], chat.place);
    await rpc.call("prompt", { message: "go" }); // acknowledged nevertheless
    await untilStates(rpc, { one: "connecting" });
    expect(chat.server.requests).toEqual([]);
    writeFileSync(gate, "");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(rpc.frames.find(isEnd)).toMatchObject({ toolName: "mcp__one__echo", isError: false });
    expect((await rpc.call("get_mcp_status")).data.servers).toMatchObject([
      { name: "one", transport: "stdio", file: join(home, "mcp.json"), status: "connected" },
    ]);
  });

  test("is named if it does not connect in time, and the prompt continues without it", async () => {
    await using chat = await chatPlace(says("done"));
    const home = chat.place.env.PINTLE_HOME as string;
    writeFileSync(join(home, "mcp.json"), mcpFile({ late: stdio("--silent"), one: stdio() }));
    await using rpc = await startRpc([...CHAT, "--set", "mcp.startTimeoutMs=4000"], chat.place);
    await rpc.prompt("go");
    expect(rpc.frames.filter(isMcpNotice).map(({ message }) => message)).toEqual([
      'MCP: not connected after 4000 ms, the prompt continues without: "late"',
    ]);
    const before = rpc.frames.length;
    await rpc.prompt("again");
    expect(rpc.frames.slice(before).filter(isMcpNotice)).toEqual([]);
  });

  test("an abort ends the wait for it and the prompt; the next prompt waits again", async () => {
    await using chat = await chatPlace(says("done"));
    const home = chat.place.env.PINTLE_HOME as string;
    const gate = join(home, "gate");
    writeFileSync(join(home, "mcp.json"), mcpFile({ late: stdio("--gate", gate) }));
    await using rpc = await startRpc([...CHAT, "--set", "mcp.startTimeoutMs=60000"], chat.place);
    await rpc.call("prompt", { message: "go" });
    await untilStates(rpc, { late: "connecting" });
    expect((await rpc.call("abort")).success).toBe(true);
    expect((await rpc.call("get_state")).data.isStreaming).toBe(false);
    await rpc.call("prompt", { message: "again" });
    await untilStates(rpc, { late: "connecting" });
    expect(chat.server.requests).toEqual([]);
    writeFileSync(gate, "");
    await rpc.until(({ type }) => type === "agent_settled");
    const { tools } = chat.server.requests[0]?.body ?? {};
    expect(tools.map((tool: Frame) => tool.function.name)).toContain("mcp__late__echo");
    expect(await rpc.end()).toBe(0);
  });

  test("is retried by reload_mcp after a failure; added servers start and removed ones stop", async () => {
    using here = place();
    const target = join(here.cwd, "server.ts");
    here.write("~/mcp.json", mcpFile({ one: { ...stdio(), args: [target] }, gone: stdio() }));
    await using rpc = await startRpc([], here);
    await untilStates(rpc, { one: "failed", gone: "connected" });
    writeFileSync(target, `import ${JSON.stringify(STDIO_SERVER)};`);
    here.write("~/mcp.json", mcpFile({ one: { ...stdio(), args: [target] }, fresh: stdio() }));
    expect((await rpc.call("reload_mcp")).success).toBe(true);
    await untilStates(rpc, { one: "connected", fresh: "connected" });
    expect(await rpc.end()).toBe(0);
    const told = rpc.frames.filter(({ type }) => type === "mcp_status").map(({ server }) => server);
    expect(told.filter(({ name }) => name === "gone").map(({ status }) => status)).toContain("stopped");
    expect(told.find(({ status }) => status === "failed")).toMatchObject({ name: "one", error: expect.any(String) });
  });

  test.each<[string, readonly string[]]>([
    ["text", ["-p"]],
    ["json", ["--mode", "json"]],
  ])("is available in a single run in %s mode", async (_, flags) => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: stdio() }));
    const { code, stdout } = await runProgram([...flags, 'call mcp__one__echo {"text":"hi"}'], here);
    expect([code, stdout]).toEqual([0, expect.stringContaining("echo: hi")]);
  });

  test("can be reached over HTTP", async () => {
    await using http = await startHttpServer();
    using here = place();
    here.write("~/mcp.json", mcpFile({ web: { url: http.url } }));
    const { code, stdout } = await runProgram(["-p", 'call mcp__web__echo {"text":"hi"}'], here);
    expect([code, stdout]).toEqual([0, expect.stringContaining("echo: hi")]);
  });

  test.each([["--no-mcp"], ["--no-tools"]])("is not started with %s", async (flag) => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: stdio("--log", here.log) }));
    const { code, stderr } = await runProgram([flag, "-p", "help"], here);
    expect([code, stderr.includes("MCP"), here.starts()]).toEqual([0, false, 0]);
  });

  test("can be selected by name before it has connected", async () => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: stdio() }));
    await using rpc = await startRpc(["--tools", "read,mcp__one__echo"], here);
    await untilOffered(rpc, "mcp__one__echo");
    expect((await toolNames(rpc)).sort()).toEqual(["mcp__one__echo", "read"]);
    expect(await rpc.end()).toBe(0);
    expect(await rpc.stderr()).toBe("");
  });

  test("that never answers delays neither the session nor its end", async () => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ slow: stdio("--silent"), gone: { command: "/does/not/exist" } }));
    await using rpc = await startRpc([], here);
    const notice = await rpc.until(isMcpNotice);
    expect(notice).toMatchObject({
      level: "warning",
      message: 'MCP server "gone" cannot be used: Program not found: /does/not/exist',
    });
    await rpc.prompt("help");
    expect(await rpc.end()).toBe(0);
  });

  where(hasProc, "needs /proc").test("does not outlive a killed program", async () => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: stdio("--stubborn", "--log", here.log) }));
    await using rpc = await startRpc([], here);
    await untilOffered(rpc, "mcp__one__echo");
    expect(processesWith(here.log)).toHaveLength(1);
    await rpc.kill("SIGKILL");
    expect(await eventually(() => processesWith(here.log).length === 0)).toBe(true);
  });

  test("that exits during a call causes an error result for the model, and is restarted for the next call", async () => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: stdio("--log", here.log) }));
    await using rpc = await startRpc([], here);
    await untilOffered(rpc, "mcp__one__die");
    await rpc.prompt("call mcp__one__die {}");
    await rpc.prompt('call mcp__one__echo {"text":"back"}');
    const texts = rpc.frames.filter(isEnd).map(({ isError, result }) => [isError, result.content[0].text]);
    expect(texts).toEqual([
      [true, expect.stringContaining("it exited with code 3. It wrote:\nthe server has had enough")],
      [false, "echo: back"],
    ]);
    expect(here.starts()).toBe(2);
  });
});

describe("a server of a project", () => {
  const FILES = ["mcp.json", ".mcp.json", ".pintle/mcp.json"];

  test.each<[string, readonly string[]]>([
    ["rpc", ["--mode", "rpc"]],
    ["text", ["-p", "help"]],
    ["json", ["--mode", "json", "help"]],
  ])("does not run and is not contacted in %s mode without consent", async (_, flags) => {
    await using http = await startHttpServer();
    using here = place();
    for (const file of FILES) here.write(file, mcpFile({ one: stdio("--log", here.log), web: { url: http.url } }));
    const { code, stdout, stderr } = await runProgram(flags, here);
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("6 items of this project were withheld");
    expect([here.starts(), http.requests.length]).toEqual([0, 0]);
  });

  test("runs when the host agrees, but not if the file has changed by the next start", async () => {
    using here = place();
    here.write(".mcp.json", mcpFile({ one: stdio("--log", here.log) }));
    const rpc = await startRpc([], here);
    await rpc.call("set_host_capabilities", { trust: true });
    const question = await rpc.until(({ type }) => type === "trust_request");
    expect(question.items).toMatchObject([{ kind: "mcp_server", name: "one" }]);
    expect(here.starts()).toBe(0);
    rpc.send({ type: "trust_response", id: question.id, trusted: true, remember: true });
    await untilOffered(rpc, "mcp__one__echo");
    await rpc.end();
    const again = await runProgram(["-p", 'call mcp__one__echo {"text":"hi"}'], here);
    expect([again.stdout.includes("echo: hi"), here.starts()]).toEqual([true, 2]);
    here.write(".mcp.json", mcpFile({ one: stdio("--log", here.log, "--other") }));
    await runProgram(["-p", "help"], here);
    expect(here.starts()).toBe(2);
  });

  test("does not run if its program was replaced after consent", async () => {
    using here = place();
    const program = `import ${JSON.stringify(STDIO_SERVER)};\n`;
    here.write("server.ts", program);
    here.write(".mcp.json", mcpFile({ one: { command: process.execPath, args: ["server.ts", "--log", here.log] } }));
    const rpc = await startRpc([], here);
    await rpc.call("set_host_capabilities", { trust: true });
    const question = await rpc.until(({ type }) => type === "trust_request");
    rpc.send({ type: "trust_response", id: question.id, trusted: true, remember: true });
    await untilOffered(rpc, "mcp__one__echo");
    await rpc.end();
    await runProgram(["-p", "help"], here);
    expect(here.starts()).toBe(2);
    here.write("server.ts", `${program}// another one\n`);
    const { stderr } = await runProgram(["-p", "help"], here);
    expect([stderr.includes("withheld"), here.starts()]).toEqual([true, 2]);
  });

  test("replaces the user's server of the same name only with consent", async () => {
    using here = place();
    here.write("~/mcp.json", mcpFile({ one: { ...stdio(), env: { WHOSE: "users" } } }));
    here.write(".pintle/mcp.json", mcpFile({ one: { ...stdio(), env: { WHOSE: "projects" } } }));
    const ask = ["-p", 'call mcp__one__surroundings {"names":["WHOSE"]}'];
    expect((await runProgram(ask, here)).stdout).toContain("users");
    expect((await runProgram(["--trust", ...ask], here)).stdout).toContain("projects");
  });
});

test("a session in another directory has the user's servers there, and none of the previous project", async () => {
  using here = place();
  const other = join(dirname(here.cwd), "other");
  mkdirSync(other);
  here.write("~/mcp.json", mcpFile({ one: stdio("--log", here.log) }));
  here.write(".mcp.json", mcpFile({ theirs: stdio() }));
  await runProgram(["-p", "help"], { ...here, cwd: other });
  const [sessionPath] = sessionFiles(join(here.env.PINTLE_HOME as string, "sessions"));
  await using rpc = await startRpc(["--trust"], here);
  await untilOffered(rpc, "mcp__one__echo");
  await untilOffered(rpc, "mcp__theirs__echo");
  await rpc.call("switch_session", { sessionPath });
  expect(await eventually(() => here.starts() === 3)).toBe(true); // one for each directory that pintle was in
  await untilOffered(rpc, "mcp__one__echo");
  expect(await toolNames(rpc)).not.toContain("mcp__theirs__echo");
  await rpc.prompt("call mcp__one__surroundings {}");
  const result = rpc.frames.findLast(isEnd);
  expect(JSON.parse(result?.result.content[0].text)).toMatchObject({ cwd: other });
});

describe("/mcp list", () => {
  const SERVERS = mcpFile({ good: stdio(), bad: { command: "/no/such/program" } });

  test("returns the servers and their state without a model call", async () => {
    await using chat = await chatPlace();
    writeFileSync(join(chat.place.env.PINTLE_HOME as string, "mcp.json"), SERVERS);
    await using rpc = await startRpc(CHAT, chat.place);
    const { id } = await rpc.call("prompt", { message: "/mcp list" });
    const result = await rpc.until(({ type }) => type === "prompt_result");
    expect(result).toMatchObject({ id, agentInvoked: false, status: "completed" });
    const [output, ...others] = rpc.frames.filter(({ type }) => type === "command_output");
    expect(others).toEqual([]);
    expect(output).toMatchObject({ command: "mcp" });
    expect(output?.text).toMatch(/^MCP servers:\n {2}/);
    expect(output?.text).toMatch(/^ {2}good \(stdio\): connected, \d+ tools?$/m);
    expect(output?.text).toMatch(/^ {2}bad \(stdio\): failed: ./m);
    expect(chat.server.requests).toEqual([]);
  });

  test("reports that there are no servers; a pi client is shown the text", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    expect(await rpc.call("prompt", { message: "/mcp list" })).toMatchObject({ data: { disposition: "handled" } });
    expect(rpc.frames.filter(({ type }) => type !== "response")).toEqual([
      {
        type: "extension_ui_request",
        id: expect.any(String),
        method: "notify",
        message: "No MCP servers are configured.",
      },
    ]);
  });

  test("is printed on the command line", async () => {
    using here = place();
    const { code, stdout } = await runProgram(["-p", "/mcp list"], here);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "No MCP servers are configured.\n" });
  });
});
