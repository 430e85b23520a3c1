import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelCalls } from "../support/scenarios/model-calls.ts";

// Tests several tool calls in one model message, with the built program.

const FULL = ["--permissions", "full"];
/** Exits with 0 only if another command creates the file while this one runs. */
const meets = (own: string, other: string) =>
  `touch ${own}; for i in $(seq 600); do [ -e ${other} ] && exit 0; sleep 0.05; done; exit 1`;

test("commands run in parallel with each other and with reads, and results stay in call order", async () => {
  await using on = await modelCalls(
    [
      [
        ["bash", { command: meets("a", "b") }],
        ["read", { path: "a.txt" }],
        ["bash", { command: meets("b", "a") }],
      ],
    ],
    FULL,
  );
  writeFileSync(join(on.cwd, "a.txt"), "hello\n");
  await using rpc = await on.start();
  await rpc.prompt("go");
  expect(on.results()).toEqual(["(no output)", "hello\n", "(no output)"]);
});

test("a write waits for earlier commands, and later calls see the write", async () => {
  await using on = await modelCalls(
    [
      [
        ["bash", { command: "cat a.txt" }],
        ["write", { path: "a.txt", content: "new\n" }],
        ["bash", { command: "cat a.txt" }],
        ["read", { path: "a.txt" }],
      ],
    ],
    FULL,
  );
  writeFileSync(join(on.cwd, "a.txt"), "old\n");
  await using rpc = await on.start();
  await rpc.prompt("go");
  const [before, , after, read] = on.results();
  expect([before, after, read]).toEqual(["old\n", "new\n", "new\n"]);
});

test("the setting limits how many commands run at once", async () => {
  const count = "ls -d running.* 2>/dev/null | wc -l";
  const command = `touch running.$$; sleep 0.2; ${count}; rm running.$$`;
  await using on = await modelCalls([Array.from({ length: 4 }, () => ["bash", { command }] as const)], FULL);
  writeFileSync(join(on.home, "settings.json"), JSON.stringify({ tools: { maxParallelCommands: 2 } }));
  await using rpc = await on.start();
  await rpc.prompt("go");
  const counts = on.results().map(Number);
  expect(counts).toHaveLength(4);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
});
