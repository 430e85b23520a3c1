import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { runProgram } from "../../coding-agent/test/support/program.ts";
import { machine, sessionFiles } from "../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { TerminalRun } from "./support/terminal-run.ts";

test("opens a damaged session with a notice", async () => {
  using place = machine();
  await runProgram(["-p", "hello"], place);
  const [file] = sessionFiles(place.sessionDir) as [string];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  lines[lines.length - 1] = (lines.at(-1) as string).slice(0, -20);
  writeFileSync(file, `${lines.join("\n")}\n`);
  await using run = new TerminalRun(["--session", file], place, { columns: 160 });
  await run.sees(`: ${lines.length}.`);
  expect(readFileSync(file, "utf8")).toContain(lines.at(-1) as string);
});
