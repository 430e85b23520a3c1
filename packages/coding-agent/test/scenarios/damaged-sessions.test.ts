import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Opens session files with unreadable lines in the built program.

const damaged = ({ code }: Record<string, unknown>) => code === "damaged_session";

test("a damaged session opens with a notice that lists the damaged lines, and keeps them", async () => {
  using place = machine();
  {
    await using rpc = await startRpc([], place);
    await rpc.prompt("one");
    await rpc.prompt("two");
    await rpc.end();
  }
  const [file] = sessionFiles(place.sessionDir) as [string];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const at = lines.flatMap((line, index) => (line.startsWith('{"type":"message"') ? [index] : []));
  const [torn, wrong] = [at[0], at[2]] as [number, number];
  lines[torn] = (lines[torn] as string).slice(0, -20);
  lines[wrong] = JSON.stringify({ ...JSON.parse(lines[wrong] as string), message: 5 });
  writeFileSync(file, `${lines.join("\n")}\n`);

  await using rpc = await startRpc(["--session", file], place);
  expect(await rpc.until(damaged)).toMatchObject({
    type: "notice",
    level: "warning",
    source: "session",
    count: 2,
    lines: [torn + 1, wrong + 1],
    message: expect.stringContaining(`: ${torn + 1}, ${wrong + 1}.`),
  });
  await rpc.prompt("three");
  // Switching to another session and back repeats the notice.
  await rpc.call("new_session");
  await rpc.call("switch_session", { sessionPath: file });
  expect(await rpc.until(damaged)).toMatchObject({ count: 2 });
  await rpc.end();
  const after = readFileSync(file, "utf8").split("\n");
  expect([after[torn], after[wrong]]).toEqual([lines[torn], lines[wrong]] as never);

  const listed = await runProgram(["sessions"], place);
  expect(listed.stdout).toContain("(damaged lines: 2)");
  const json = await runProgram(["sessions", "--json"], place);
  expect(JSON.parse(json.stdout)).toMatchObject([{ damagedLines: 2 }]);
});

test("an intact session causes no notice and is not marked as damaged", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  await rpc.prompt("one");
  await rpc.end();
  const listed = await runProgram(["sessions"], place);
  expect(listed.stdout).not.toContain("damaged");
});
