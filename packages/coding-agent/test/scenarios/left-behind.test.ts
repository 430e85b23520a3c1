import { expect, test } from "bun:test";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

test("temporary files of killed processes are removed by a later start", async () => {
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
  const fresh = join(home, `.pintle-${crypto.randomUUID()}.tmp`);
  writeFileSync(fresh, "another process is writing this");
  await using rpc = await startRpc([], place);
  while (left.some((path) => existsSync(path))) await Bun.sleep(50);
  expect(existsSync(fresh)).toBe(true);
  expect(await rpc.end()).toBe(0);
});
