import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, processesWith, uniqueSleep } from "../../../exec/test/support/processes/living-processes.ts";
import { availableStrength } from "../../../exec/test/support/sandbox/available.ts";
import { mcpFile } from "../support/mcp/servers-of.ts";
import { program } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc, textOf } from "../support/scenarios/rpc-child.ts";
import { where } from "../support/where.ts";

// Runs commands of the built program in a real sandbox. test/sandbox tests what a sandbox prevents.

const available = await availableStrength();
const full = where(available.full === "full", "needs bubblewrap, Landlock and seccomp");

const bash = (command: string) => callsTools({ name: "bash", args: { command } });
const isEnd = ({ type }: Frame) => type === "tool_execution_end";

/** A model that runs one command. */
const place = (command: string) => chatPlace(bash(command), says("done"));

full.test("the model's command can read pintle's keys without a sandbox, but not inside one", async () => {
  for (const [mode, seen] of [
    ["off", "SECRET"],
    ["workspace-write", "nothing"],
    ["read-only", "nothing"],
  ] as const) {
    await using at = await place('grep -o SECRET "$PINTLE_HOME/secret" 2>/dev/null || echo nothing');
    writeFileSync(join(at.place.env.PINTLE_HOME as string, "secret"), "SECRET");
    await using rpc = await startRpc([...CHAT, "--sandbox", mode], at.place);
    await rpc.prompt("go");
    expect(textOf(rpc.frames.find(isEnd))).toBe(`${seen}\n`);
  }
});

full.test("a command stopped by the sandbox fails with a line that says so", async () => {
  await using at = await place("echo x > /etc/pintle-was-here");
  await using rpc = await startRpc([...CHAT, "--sandbox", "workspace-write"], at.place);
  await rpc.prompt("go");
  const end = rpc.frames.find(isEnd);
  expect(end?.isError).toBe(true);
  expect(textOf(end)).toMatch(
    /Read-only file system\n\nCommand exited with code 1\n\nThe sandbox \(workspace-write\) in which the command ran may be the cause/,
  );
});

full.test("the mode decides whether the workspace is writable", async () => {
  for (const [mode, isThere] of [
    ["workspace-write", true],
    ["read-only", false],
  ] as const) {
    await using at = await place("echo x > made");
    await using rpc = await startRpc([...CHAT, "--sandbox", mode], at.place);
    await rpc.prompt("go");
    expect(existsSync(join(at.place.cwd, "made"))).toBe(isThere);
  }
});

full.test("a command reaches only the hosts of sandbox.network, and the model sees which were rejected", async () => {
  const asked: string[] = [];
  using web = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      asked.push(new URL(url).pathname);
      return new Response("served\n");
    },
  });
  const curl = "curl -sS --noproxy ''";
  const direct = `curl -sS --noproxy '*' http://127.0.0.1:${web.port}/direct`;
  await using at = await place(
    `${curl} http://localhost:${web.port}/listed; ${curl} http://registry.example/; ${direct} || true`,
  );
  const network = JSON.stringify([`localhost:${web.port}`, `127.0.0.1:${web.port}`]);
  const flags = [...CHAT, "--permissions", "workspace", "--set", `sandbox.network=${network}`];
  await using rpc = await startRpc(flags, at.place);
  await rpc.prompt("go");
  const text = textOf(rpc.frames.find(isEnd));
  expect(text).toStartWith("served\n");
  expect(text).toContain("\n\nnetwork: registry.example is not in sandbox.network.");
  expect(asked).toEqual(["/listed"]);
});

full.test("rejects a list of hosts at a strength that cannot enforce it", async () => {
  await using at = await place("echo ran");
  const around = ["/usr/bin/bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-user"];
  const flags = [...CHAT, "--sandbox", "workspace-write", "--set", 'sandbox.network=["a.example"]'];
  await using rpc = await startRpc(flags, { ...at.place, command: [...around, program] });
  await rpc.prompt("go");
  expect(textOf(rpc.frames.find(isEnd))).toContain("Not started: sandbox.network lists hosts");
});

full.test("the user's own commands run in it only if configured", async () => {
  await using at = await chatPlace(says("done"));
  for (const [settings, seen] of [
    [[], "outside"],
    [["--set", "sandbox.userCommands=true"], "inside"],
  ] as const) {
    await using rpc = await startRpc([...CHAT, "--sandbox", "read-only", ...settings], at.place);
    const { data } = await rpc.call("bash", {
      command: "grep -q '^Seccomp:.*2' /proc/self/status && echo inside || echo outside",
    });
    expect(data.output).toBe(`${seen}\n`);
  }
});

full.test("an MCP server runs in it if configured, and its variables stay off the command line", async () => {
  await using at = await chatPlace(says("done"));
  const report = join(at.place.cwd, "report");
  const token = `token-${crypto.randomUUID()}`;
  const script = `grep -q '^Seccomp:.*2' /proc/self/status && where=inside || where=outside
echo "$where $GIVEN_TOKEN" > '${report}.part'; mv '${report}.part' '${report}'; cat`;
  const server = { command: "sh", args: ["-c", script], env: { GIVEN_TOKEN: token } };
  writeFileSync(join(at.place.env.PINTLE_HOME as string, "mcp.json"), mcpFile({ one: server }));
  await using _rpc = await startRpc([...CHAT, "--sandbox", "workspace-write", "--set", "sandbox.mcp=true"], at.place);
  await eventually(() => existsSync(report));
  expect(readFileSync(report, "utf8")).toBe(`inside ${token}\n`);
  expect(processesWith(token)).toEqual([]);
});

full.test("an aborted command is gone, including the daemon it started", async () => {
  const sleep = uniqueSleep();
  await using at = await place(`setsid ${sleep} >/dev/null 2>&1 & echo started; ${sleep}`);
  await using rpc = await startRpc([...CHAT, "--sandbox", "workspace-write"], at.place);
  await rpc.call("prompt", { message: "go" });
  await rpc.until((frame) => frame.type === "tool_execution_update" && /"text":"started/.test(JSON.stringify(frame)));
  await eventually(() => processesWith(sleep).length > 1);
  await rpc.call("abort");
  expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
});

full.test("rejects commands at a strength that the system cannot provide", async () => {
  await using at = await place("echo ran");
  // Inside another sandbox, bubblewrap does not work.
  const around = ["/usr/bin/bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-user"];
  await using rpc = await startRpc([...CHAT, "--sandbox", "workspace-write", "--set", "sandbox.require=full"], {
    ...at.place,
    command: [...around, program],
  });
  await rpc.prompt("go");
  expect(textOf(rpc.frames.find(isEnd))).toContain(
    "Not started: sandbox.require asks for full, and this system gives partial",
  );
});

test("ready and the state report that there is no sandbox", async () => {
  await using at = await chatPlace(says("done"));
  await using rpc = await startRpc(CHAT, at.place);
  const off = { mode: "off", strength: "unknown" };
  expect(rpc.frames.find(({ type }) => type === "ready")?.sandbox).toEqual(off);
  expect((await rpc.call("get_state")).data.sandbox).toEqual(off);
});

test("the place where commands run can be changed while the session is open", async () => {
  await using at = await chatPlace(says("done"));
  await using rpc = await startRpc(CHAT, at.place);
  const mode = async () => (await rpc.call("get_state")).data.sandbox.mode;
  for (const wanted of ["read-only", "workspace-write", "off"]) {
    await rpc.call("set_sandbox_mode", { mode: wanted });
    expect(await mode()).toBe(wanted);
  }
  await rpc.call("set_sandbox_mode", { mode: "auto" }); // off, with the preset `full`
  await rpc.call("set_permission_mode", { mode: "plan" });
  expect(await mode()).toBe("read-only");
  const told = rpc.frames.filter(({ type }) => type === "sandbox_status").map(({ sandbox }) => sandbox.mode);
  // The first get_state determines the strength, which has its own status event.
  expect([...new Set(told)]).toEqual(["read-only", "workspace-write", "off"]);
});

full.test("the strength is unknown until the first command, and known to the next program from the start", async () => {
  await using at = await place("true");
  const modes = { mode: "read-only" };
  {
    await using rpc = await startRpc([...CHAT, "--sandbox", "read-only"], at.place);
    expect(rpc.frames.find(({ type }) => type === "ready")?.sandbox).toEqual({ ...modes, strength: "unknown" });
    await rpc.prompt("go");
    const told = rpc.frames.filter(({ type }) => type === "sandbox_status");
    expect(told).toEqual([{ type: "sandbox_status", sandbox: { ...modes, strength: "full" } }]);
    expect((await rpc.call("get_state")).data.sandbox).toEqual({ ...modes, strength: "full" });
  }
  await using rpc = await startRpc([...CHAT, "--sandbox", "read-only"], at.place);
  expect(rpc.frames.find(({ type }) => type === "ready")?.sandbox).toEqual({ ...modes, strength: "full" });
  await rpc.call("bash", { command: "true" });
  expect(rpc.frames.filter(({ type }) => type === "sandbox_status")).toEqual([]);
});
