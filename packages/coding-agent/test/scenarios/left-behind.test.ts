import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mcpFile, stdio } from "../support/mcp/servers-of.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

test("temporary files and folders of killed processes are removed at a later start", async () => {
  using place = machine();
  const home = place.env.PINTLE_HOME as string;
  const project = join(place.sessionDir, "project");
  mkdirSync(project, { recursive: true });
  const id = crypto.randomUUID();
  const left = [
    join(home, `.pintle-${id}.tmp`),
    join(place.cwd, `.pintle-${id}.tmp`),
    join(project, `.a.jsonl.${id}.tmp`),
  ];
  for (const path of left) {
    writeFileSync(path, "half of a file");
    utimesSync(path, 1, 1);
  }
  const ended = Bun.spawnSync(["true"]).pid;
  const results = join(place.root, "temporary", `pintle-${ended}-abcdef`);
  mkdirSync(results, { recursive: true });
  utimesSync(results, 1, 1);
  left.push(results);
  const fresh = join(home, `.pintle-${crypto.randomUUID()}.tmp`);
  writeFileSync(fresh, "another process is writing this");
  const env = { ...place.env, TMPDIR: join(place.root, "temporary") };
  await using rpc = await startRpc([], { ...place, env });
  while (left.some((path) => existsSync(path))) await Bun.sleep(50);
  expect(existsSync(fresh)).toBe(true);
  expect(await rpc.end()).toBe(0);
});

describe("the folder for long results of an in-memory session", () => {
  async function withFolder() {
    const place = machine();
    const temporary = join(place.root, "temporary");
    mkdirSync(temporary);
    mkdirSync(place.env.PINTLE_HOME as string, { recursive: true });
    writeFileSync(join(place.env.PINTLE_HOME as string, "mcp.json"), mcpFile({ one: stdio() }));
    const env = { ...place.env, TMPDIR: temporary };
    const folders = () => readdirSync(temporary).filter((name) => name.startsWith("pintle-"));
    const rpc = await startRpc(["--no-session"], { ...place, env });
    await rpc.prompt('call mcp__one__lines {"count":5000}');
    expect(folders()).toHaveLength(1);
    return { rpc, folders, [Symbol.dispose]: () => place[Symbol.dispose]() };
  }

  test("is removed with the session", async () => {
    using at = await withFolder();
    expect(await at.rpc.end()).toBe(0);
    expect(at.folders()).toEqual([]);
  });

  test("is removed when the program is asked to exit", async () => {
    using at = await withFolder();
    await at.rpc.kill("SIGTERM");
    await at.rpc.exited;
    expect(at.folders()).toEqual([]);
  });
});
