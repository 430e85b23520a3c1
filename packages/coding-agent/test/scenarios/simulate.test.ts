import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCENARIOS } from "@pintle/simulator";
import { RpcClient } from "../../../client/src/index.ts";
import { program, runProgram } from "../support/program.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Tests `pintle simulate` in place of the agent, with the client as its host.

const host = (name: string) => new RpcClient({ command: [program, "simulate", name], stopGraceMs: 10_000 });

async function started(name: string): Promise<RpcClient> {
  const client = host(name);
  await client.start();
  return client;
}

describe("pintle simulate", () => {
  const answered: Record<string, string> = {
    "plain-answer": "Hello from the simulator.",
    "slow-stream": "word ".repeat(50),
    "torn-line": "whole again",
    resumed: "Going on.",
    "unknown-event": "unmoved",
    "huge-message": "(long)",
    "tool-call": "All pass.",
    "silent-command": "I answer prompts.",
    "noise-on-stdout": "Quiet now.",
  };
  for (const [name, text] of Object.entries(answered)) {
    test(`${name}: a prompt is answered, and the program exits cleanly`, async () => {
      const client = await started(name);
      expect((await client.promptAndWait("hello")).text).toBe(text);
      await client.stop();
      expect(await client.exited).toEqual({ code: 0, signal: null });
    });
  }

  for (const [name, reason] of [
    ["crash-in-answer", "code 3\nsimulated fault"],
    ["killed-in-answer", "SIGKILL"],
    ["late-failure", "No API key found for simulated."],
  ] as const) {
    test(`${name}: pending requests are rejected with the reason`, async () => {
      const client = await started(name);
      const failure = await client.promptAndWait("hello").then(
        () => "no failure",
        (error) => String(error),
      );
      expect(failure).toContain(reason);
      await client.stop();
    });
  }

  test("abort-in-answer and question-without-end wait for the abort", async () => {
    for (const name of ["abort-in-answer", "question-without-end"]) {
      const client = await started(name);
      const ended = client.promptAndWait("hello");
      await client.abort();
      expect((await ended).stopReason).toBe("aborted");
      await client.stop();
    }
  });

  test("reports a host that does not follow the scenario on stderr and exits with 1", async () => {
    using place = machine();
    const file = join(place.cwd, "mine.json");
    writeFileSync(file, JSON.stringify({ name: "mine", steps: [{ expect: { type: "prompt" } }] }));
    const { code, stderr } = await runProgram(["simulate", file, "--mode", "rpc"], place);
    expect([code, stderr]).toEqual([
      1,
      'pintle: simulate mine: steps[0], {"expect":{"type":"prompt"}}: the host closed stdin\n',
    ]);
  });

  test("exits with 2 for a mistake in a file and for an unknown name", async () => {
    using place = machine();
    const file = join(place.cwd, "wrong.json");
    writeFileSync(file, '{"steps":[{"sned":{}}]}');
    const wrong = await runProgram(["simulate", file], place);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("steps[0] must have exactly one of")]);
    const missing = await runProgram(["simulate", "nothing-like-it"], place);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("pintle simulate --list")]);
  });

  test("--list shows every scenario; --print writes one as a file that behaves the same", async () => {
    using place = machine();
    const { stdout } = await runProgram(["simulate", "--list"], place);
    expect(stdout.split("\n").map((line) => line.split(":")[0])).toEqual([...Object.keys(SCENARIOS), ""]);
    const file = join(place.cwd, "copy.json");
    writeFileSync(file, (await runProgram(["simulate", "plain-answer", "--print"], place)).stdout);
    const client = await started(file);
    expect((await client.promptAndWait("hello")).text).toBe(answered["plain-answer"]!);
    await client.stop();
  });

  test("--capture makes a scenario of a real run, which then answers the same", async () => {
    using place = machine();
    const file = join(place.cwd, "captured.json");
    const real = [program, "--mode", "rpc", "--model", "pintle/offline", "--no-session"];
    const client = new RpcClient({
      command: () => [program, "simulate", "--capture", file, "--", ...real],
      cwd: place.cwd,
    });
    await client.start();
    const { text } = await client.promptAndWait("help");
    await client.stop();
    expect(JSON.parse(readFileSync(file, "utf8")).steps.length).toBeGreaterThan(5);
    const again = await started(file);
    expect((await again.promptAndWait("help")).text).toBe(text);
    await again.stop();
  });
});
