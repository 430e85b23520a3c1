import { expect, test } from "bun:test";
import { existsSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createAgentSession } from "../../src/sdk/create-session.ts";
import { runProgram } from "../support/program.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine } from "../support/scenarios/stored-sessions.ts";

/** Creates a file in its project when it is loaded. */
const EXTENSION = `
  require("node:fs").writeFileSync(require("node:path").join(__dirname, "../../LOADED"), "");
  export default () => {};`;
const SERVER = JSON.stringify({ mcpServers: { own: { command: "touch", args: ["LOADED"] } } });
const SETTINGS = JSON.stringify({ shellCommandPrefix: "touch LOADED;" });

interface Place extends Machine {
  /** The directory in which the program is started: a user's project. */
  start: string;
  /** The project that the session file names. */
  named: string;
  /** A foreign session in that project. */
  file: string;
}

/** Both projects have the same parts. */
function place(): Place {
  const base = machine();
  const root = realpathSync(base.root);
  const [start, named] = ["start", "named"].map((name) => {
    const project = join(root, name);
    for (const [path, text] of [
      [".pintle/extensions/a.ts", EXTENSION],
      [".pintle/settings.json", SETTINGS],
      [".mcp.json", SERVER],
    ] as const) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    return project;
  }) as [string, string];
  const file = join(root, "sent.jsonl");
  const header = { type: "session", version: 3, id: "sent", timestamp: "2026-01-01T00:00:00.000Z", cwd: named };
  writeFileSync(file, `${JSON.stringify(header)}\n`);
  return { ...base, cwd: start, start, named, file, [Symbol.dispose]: () => base[Symbol.dispose]() };
}

const hasRun = (project: string) => existsSync(join(project, "LOADED"));
const isNotice = ({ type, source }: Frame) => type === "notice" && source === "trust";

test.each(["--session", "--resume"])(
  "%s FILE --trust does not trust the directory that the file names",
  async (flag) => {
    for (const trust of ["--trust", "--approve"]) {
      using at = place();
      await using rpc = await startRpc([trust, flag, at.file], at);
      expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "withheld" });
      expect(await rpc.until(isNotice)).toMatchObject({ message: expect.stringContaining("in its own directory") });
      await rpc.prompt("help");
      await rpc.call("bash", { command: "true" });
      expect((await rpc.call("bash", { command: "pwd" })).data.output).toBe(`${at.named}\n`);
      expect([hasRun(at.named), hasRun(at.start)]).toEqual([false, false]);
    }
  },
);

test("changing to a session in another directory drops the flag, and changing back restores it", async () => {
  using at = place();
  await using rpc = await startRpc(["--trust", "--no-mcp"], at);
  expect(rpc.frames[0]).toMatchObject({ trust: "trusted" });
  await rpc.prompt("help");
  const { sessionFile } = (await rpc.call("get_state")).data;
  await rpc.call("switch_session", { sessionPath: at.file });
  await rpc.prompt("help");
  expect(rpc.frames.filter(isNotice)).toMatchObject([{ message: expect.stringContaining("in its own directory") }]);
  expect((await rpc.call("bash", { command: "echo plain" })).data.output).toBe("plain\n");
  expect([hasRun(at.named), hasRun(at.start)]).toEqual([false, true]);
  await rpc.call("switch_session", { sessionPath: sessionFile });
  await rpc.call("bash", { command: "rm LOADED" });
  expect([hasRun(at.named), hasRun(at.start)]).toEqual([false, false]);
  await rpc.call("bash", { command: "true" });
  expect([hasRun(at.named), hasRun(at.start)]).toEqual([false, true]);
});

test("a host that answers is asked about the other directory, and about no other", async () => {
  using at = place();
  await using rpc = await startRpc(["--trust"], at);
  await rpc.call("set_host_capabilities", { trust: true });
  await rpc.call("switch_session", { sessionPath: at.file });
  const { id, project } = await rpc.until(({ type }) => type === "trust_request");
  expect([project, hasRun(at.named)]).toEqual([at.named, false]);
  rpc.send({ type: "trust_response", id, trusted: true });
  await rpc.prompt("help");
  expect(hasRun(at.named)).toBe(true);
});

test("a file that names the start directory through a link is covered by the flag", async () => {
  using at = place();
  const link = join(dirname(at.start), "link");
  symlinkSync(at.start, link);
  const header = { type: "session", version: 3, id: "sent", timestamp: "2026-01-01T00:00:00.000Z", cwd: link };
  writeFileSync(at.file, `${JSON.stringify(header)}\n`);
  await using rpc = await startRpc(["--trust", "--session", at.file], at);
  expect(rpc.frames[0]).toMatchObject({ trust: "trusted" });
});

test("a path that leads to the start directory only when opened is not covered by the flag", async () => {
  using at = place();
  const parent = dirname(at.start);
  mkdirSync(join(at.start, "inner"));
  mkdirSync(join(parent, "trap"));
  symlinkSync(join(at.start, "inner"), join(parent, "trap/link"));
  renameSync(at.named, join(parent, "trap/start"));
  // The system follows the link and then goes up; code that only joins the names stays in the trap.
  const trap = `${parent}/trap/link/../start`;
  mkdirSync(join(at.start, "start"));
  expect([realpathSync.native(trap), join(trap)]).toEqual([join(at.start, "start"), join(parent, "trap/start")]);
  const header = { type: "session", version: 3, id: "sent", timestamp: "2026-01-01T00:00:00.000Z", cwd: trap };
  writeFileSync(at.file, `${JSON.stringify(header)}\n`);
  await using rpc = await startRpc(["--trust", "--session", at.file], { ...at, cwd: join(at.start, "start") });
  expect(rpc.frames[0]).toMatchObject({ trust: "withheld" });
  await rpc.prompt("help");
  expect(hasRun(join(parent, "trap/start"))).toBe(false);
  expect((await rpc.call("bash", { command: "pwd -P" })).data.output).toBe(`${join(parent, "trap/start")}\n`);
});

test("a directory that cannot be entered cannot control the terminal of a user who reads the log", async () => {
  using at = place();
  const header = {
    type: "session",
    version: 3,
    id: "sent",
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: "/\u001b[2J\nx",
  };
  writeFileSync(at.file, `${JSON.stringify(header)}\n`);
  const { code, stderr } = await runProgram(["--session", at.file, "--mode", "rpc"], at);
  expect([code, stderr.split("\n")[0]]).toEqual([
    0,
    `pintle: The session's directory /?[2J?x cannot be entered. Working in ${at.start}.`,
  ]);
});

test("single run: stderr reports what was withheld, and none of it runs", async () => {
  using at = place();
  const { code, stderr } = await runProgram(["--trust", "--session", at.file, "-p", "help"], at);
  expect([code, hasRun(at.named), hasRun(at.start)]).toEqual([0, false, false]);
  expect(stderr).toContain("--trust in its own directory");
});

test.each(["open", "trusted"] as const)("the SDK's %p applies to its cwd", async (trust) => {
  using at = place();
  const { session, trust: state } = await createAgentSession({
    cwd: at.start,
    homeDir: join(at.root, ".pintle"),
    env: at.env,
    trust,
    session: { open: at.file },
    enableMCP: false,
  });
  try {
    expect([session.cwd, state.state, hasRun(at.named)]).toEqual([at.named, "withheld", false]);
  } finally {
    await session.dispose();
  }
});
