import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program, runProgram } from "../support/program.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine, readSession, sessionFiles } from "../support/scenarios/stored-sessions.ts";
import { where } from "../support/where.ts";

const long = (text: string) => `${text} ${"x".repeat(20_000)}`;

function notices(frames: readonly Frame[]): string[] {
  const said = frames.filter(({ type, source }) => type === "notice" && source === "session");
  return said.map(({ level, message }) => `${level}: ${message.replace(/ \(.*?\)\./, " (…).")}`);
}

/** A session directory in which nothing can be created, because it is below a file. Works for root as well. */
function unwritable(place: Machine): string {
  writeFileSync(join(place.root, "file"), "");
  return join(place.root, "file/sessions");
}

describe("when no session can be written", () => {
  test("a conversation continues in memory, and the host is notified once", async () => {
    using place = machine();
    await using rpc = await startRpc(["--session-dir", unwritable(place)], place);
    for (const text of ["one", "two", "three"]) await rpc.prompt(text);
    await rpc.call("set_session_name", { name: "a name" });
    const { data } = await rpc.call("get_state");
    expect({ count: data.messageCount, name: data.sessionName }).toEqual({ count: 6, name: "a name" });
    expect(notices(rpc.frames)).toEqual([
      `error: Cannot write session file ${data.sessionFile} (…). The conversation continues in memory, and each new entry retries the write.`,
    ]);
    await rpc.call("clone");
    await rpc.prompt("four");
    expect((await rpc.call("get_state")).data.messageCount).toBe(8);
    expect(await rpc.end()).toBe(0); // the notice and stderr report the loss
    expect(await rpc.stderr()).toContain("the session could not be saved to");
  });

  test("print mode answers, and reports once on stderr that nothing is stored", async () => {
    using place = machine();
    const { code, stdout, stderr } = await runProgram(["--session-dir", unwritable(place), "-p", "help"], place);
    expect(code).toBe(0);
    expect(stdout).toContain("rules");
    expect(stderr).toContain("the session could not be saved to");
    expect(stderr.match(/Cannot write session file/g)).toHaveLength(1);
  });
});

test("a file that cannot grow keeps its content, and nothing is reported as stored that is not", async () => {
  using place = machine();
  // Every write beyond 8 KiB fails, as it would on a full disk.
  const command = ["sh", "-c", 'trap "" XFSZ; ulimit -f 16; exec "$@"', "sh", program];
  await using rpc = await startRpc([], { ...place, command });
  await rpc.prompt("one");
  const { data } = await rpc.call("get_state");
  const before = readFileSync(data.sessionFile, "utf8");
  await rpc.prompt(long("two"));
  await rpc.prompt("three");
  expect(readFileSync(data.sessionFile, "utf8").startsWith(before)).toBe(true);
  expect(notices(rpc.frames).map((text) => text.slice(0, 32))).toEqual(["error: Cannot write session file"]);
  expect((await rpc.call("get_messages")).data.messages).toHaveLength(6);
  await rpc.end();
  const next = await runProgram(["--continue", "-p", "four"], place);
  expect(next.code).toBe(0);
  expect(wholePrompts(data.sessionFile)).toEqual(["one", "four"]);
});

const NAMESPACE = ["unshare", "--map-root-user", "--mount"];
const canMount = Bun.spawnSync([...NAMESPACE, "sh", "-c", 'mount -t tmpfs -o size=64k none "$0"', "/mnt"]).success;

where(canMount, "needs the right to mount").test("everything is stored when a full disk has space again", async () => {
  using place = machine();
  const disk = join(place.root, "disk");
  mkdirSync(disk);
  const mounted = [...NAMESPACE, "sh", "-c", `mount -t tmpfs -o size=64k none ${disk} && exec "$@"`, "sh", program];
  await using rpc = await startRpc(["--session-dir", disk], { ...place, command: mounted });
  // The same disk, seen from outside.
  const inside = `/proc/${rpc.pid}/root${disk}`;
  await rpc.prompt("one");
  const [file = ""] = sessionFiles(inside);
  expect(readSession(file).prompts).toEqual(["one"]);

  const filler = join(inside, "filler");
  fill(filler);
  await rpc.prompt(long("two"));
  await rpc.prompt("three");
  expect(wholePrompts(file)).toEqual(["one"]);
  expect(notices(rpc.frames)).toHaveLength(1);
  rmSync(filler);
  await rpc.prompt("four");
  expect(readSession(file).prompts).toEqual(["one", long("two"), "three", "four"]);
  expect(notices(rpc.frames).map((text) => text.split(" ")[0])).toEqual(["error:", "info:"]);
  expect(await rpc.end()).toBe(0);
  expect(existsSync(disk)).toBe(true);
});

/** Fills all remaining space. */
function fill(path: string): void {
  for (let size = 32 << 10; size > 0; size >>= 1) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      // no space for a piece of that size
    }
  }
}

/** Returns the prompts in complete lines; the disk may have stored only a part of one. */
function wholePrompts(path: string): string[] {
  const line = /^\{"type":"message".*"role":"user","content":\[\{"type":"text","text":"([^"\n]*)".*\}$/gm;
  return [...readFileSync(path, "utf8").matchAll(line)].map(([, said]) => said as string);
}
