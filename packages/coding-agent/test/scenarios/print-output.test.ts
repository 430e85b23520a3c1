import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import type { Machine } from "../support/scenarios/stored-sessions.ts";

const schema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
const gives = (args: object) => callsTools({ name: "structured_output", args, id: "out" });
const FILE = ["--output-schema", "schema.json"];

function print(place: Machine, ...args: string[]): Promise<Finished> {
  writeFileSync(join(place.cwd, "schema.json"), JSON.stringify(schema));
  return runProgram(["-p", ...CHAT, ...args], place);
}
const results = ({ stdout }: Finished) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("-p --output-schema prints the output and nothing else", async () => {
  await using chat = await chatPlace(gives({ line: 7 }));
  const { stdout, code } = await print(chat.place, ...FILE, "go");
  expect({ stdout, code }).toEqual({ stdout: '{"line":7}\n', code: 0 });
});

test("-p --output-schema prints nothing without an output, reports why, and exits with 1", async () => {
  const wrong = gives({ line: "x" });
  await using chat = await chatPlace(wrong, wrong, wrong);
  const { stdout, stderr, code } = await print(chat.place, ...FILE, "go");
  expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
  expect(stderr).toContain("/line: must be integer");
});

test("-p --json prints a result per message, including a failed one", async () => {
  const wrong = gives({ line: "x" });
  await using chat = await chatPlace(wrong, gives({ line: 2 }));
  const set = ["--set", "output.maxRepairs=0"];
  const finished = await print(chat.place, ...FILE, ...set, "--json", "one", "--message", "two");
  expect(finished.code).toBe(1);
  expect(results(finished)).toMatchObject([
    { type: "prompt_result", status: "error", endedBy: "output", rejectedOutput: { line: "x" } },
    { type: "prompt_result", status: "completed", endedBy: "stop", output: { line: 2 }, outputAttempts: 1 },
  ]);
});

test("-p --json exits with 0 when all messages are completed, and --mode json ends with the result", async () => {
  await using chat = await chatPlace(says("one"), says("two"));
  const finished = await print(chat.place, "--json", "go");
  expect([finished.code, results(finished).map(({ text }) => text)]).toEqual([0, ["one"]]);
  const events = await runProgram(["--mode", "json", ...CHAT, "go"], chat.place);
  expect(results(events).at(-1)).toMatchObject({ type: "prompt_result", status: "completed", text: "two" });
});

test("a file that is missing, not JSON or not a schema exits with 2 before anything starts", async () => {
  await using chat = await chatPlace();
  writeFileSync(join(chat.place.cwd, "text.json"), "{");
  writeFileSync(join(chat.place.cwd, "wrong.json"), '{"properties":{"a":{"minimum":"1"}}}');
  for (const [file, reason] of [
    ["missing.json", "no such file"],
    ["text.json", "--output-schema text.json"],
    ["wrong.json", "/properties/a/minimum must be a number"],
  ] as const) {
    const { stdout, stderr, code } = await print(chat.place, "--output-schema", file, "go");
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr).toContain(reason);
  }
  expect(chat.server.requests).toEqual([]);
});
