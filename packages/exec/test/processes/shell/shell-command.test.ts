import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { ProcessRunner } from "../../../src/processes/process-runner.ts";
import { runShellCommand, type ShellCommand } from "../../../src/processes/shell/shell-command.ts";
import { eventually, groupExists, openDescriptors } from "../../support/processes/living-processes.ts";

const limits = { maxLines: 3000, maxBytes: 51_200 };
let processRunner: ProcessRunner;
let cwd: string;

beforeEach(() => {
  processRunner = new ProcessRunner({ environment: process.env });
  cwd = scratchPath();
});

afterEach(async () => {
  await processRunner.killAll("shutdown", 0);
  rmSync(cwd, { recursive: true, force: true });
});

function run(command: string, options: Partial<ShellCommand> = {}) {
  return runShellCommand(processRunner, { command, cwd, limits, ...options });
}

function spillInto(directory: string, maxBytes = 256 * 1024 * 1024) {
  let count = 0;
  return { maxBytes, newPath: () => join(directory, `${++count}.bash.log`) };
}

describe("the result", () => {
  test("returns the whole result of a command that ended by itself", async () => {
    const { durationMs, ...result } = await run("echo out; echo err >&2; printf last; exit 3");
    expect(result).toEqual({
      output: "out\nerr\nlast",
      end: { kind: "exited", exitCode: 3 },
      truncated: false,
      totalLines: 3,
      totalBytes: 12,
      outputLines: 3,
      outputBytes: 12,
      isFullOutputCapped: false,
    });
    expect(durationMs).toBeGreaterThan(0);
  });

  test.each([
    ["exit 0", { kind: "exited", exitCode: 0 }],
    ["exit 255", { kind: "exited", exitCode: 255 }],
    ["no-such-command-here", { kind: "exited", exitCode: 127 }],
    ["if", { kind: "exited", exitCode: 2 }],
    ["kill -9 $$", { kind: "signalled", signal: "SIGKILL", exitCode: 137 }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM", exitCode: 143 }],
  ])("of %j", async (command, end) => expect((await run(command)).end).toEqual(end as never));

  test.each([
    ["colours", "printf '\\033[31mred\\033[0m\\n'", "red\n", 13],
    ["NUL", "printf 'a\\0b'", "ab", 3],
    ["line endings of Windows", "printf 'a\\r\\nb\\r\\n'", "a\nb\n", 6],
    ["bytes that are no UTF-8", "printf '\\377\\376 ok'", "\ufffd\ufffd ok", 5],
    ["a character in two writes", "printf '\\303'; sleep 0.05; printf '\\244'", "ä", 2],
    ["no output", "true", "", 0],
  ])("with %s", async (_, command, output, totalBytes) => {
    const result = await run(command);
    expect(result).toMatchObject({ output, totalBytes, outputBytes: Buffer.byteLength(output), truncated: false });
  });

  test("shell errors name the shell shortly", async () => {
    expect((await run("no-such-command-here")).output).toMatch(/^(bash|sh): /);
  });
});

describe("the shell", () => {
  test("is the configured one, with the prefix before the command", async () => {
    const shellPath = join(cwd, "my shell");
    symlinkSync("/bin/sh", shellPath);
    const { output } = await run("echo $0 $x", { shellPath, shellPrefix: "x=from-prefix" });
    expect(output).toBe("my shell from-prefix\n");
  });

  test.each(["-x", "+x", "--version"])("runs a command that looks like an option: %s", async (command) => {
    expect((await run(command)).end).toEqual({ kind: "exited", exitCode: 127 });
  });

  test("does not read what a login shell or an interactive one reads", async () => {
    writeFileSync(join(cwd, ".profile"), "echo profile\n");
    writeFileSync(join(cwd, ".bashrc"), "echo bashrc\n");
    expect((await run("echo $-", { env: { HOME: cwd } })).output).not.toMatch(/profile|bashrc|i.*\n/);
  });

  test("is sh where there is no bash", async () => {
    const bin = join(cwd, "bin");
    Bun.spawnSync(["mkdir", bin]);
    symlinkSync("/bin/sh", join(bin, "sh"));
    processRunner = new ProcessRunner({ environment: { PATH: bin } });
    expect((await run("echo $0")).output).toBe("sh\n");
  });

  test.each([
    ["a configured shell that is missing", { shellPath: "/no/such/shell" }, "Shell not found: /no/such/shell"],
    ["a directory that is missing", { cwd: "/no/such/place" }, "Working directory does not exist: /no/such/place"],
    ["a file for a directory", { cwd: "/etc/hosts" }, "Working directory is not a directory: /etc/hosts"],
  ])("%s is an error and nothing is started", async (_, options, message) => {
    const witness = join(cwd, "witness");
    expect(run(`touch ${witness}`, options)).rejects.toMatchObject({ name: "StartError", message });
    expect([processRunner.groupCount, existsSync(witness)]).toEqual([0, false]);
  });

  test("the command receives its own variables and no stdin", async () => {
    expect((await run("echo $X $PINTLE; cat", { env: { X: "1" } })).output).toBe("1 1\n");
  });
});

describe("a command is over", () => {
  test("when it exits, although a child of it holds the pipe", async () => {
    const { output, end } = await run("sleep 300 & echo hi");
    expect({ output, end }).toEqual({ output: "hi\n", end: { kind: "exited", exitCode: 0 } });
    expect(processRunner.groupCount).toBe(1);
  });

  test("even if that child never stops writing", async () => {
    const { end } = await run("yes & echo hi");
    expect(end).toEqual({ kind: "exited", exitCode: 0 });
    expect(processRunner.groupCount).toBe(1);
  });

  test("with everything that was written before its exit", async () => {
    const { totalBytes } = await run("head -c 3000000 /dev/zero; sleep 300 &", {
      limits: { maxLines: 10, maxBytes: 100 },
    });
    expect(totalBytes).toBe(3_000_000);
  });

  test("with everything, however slow the disk is", async () => {
    const slow = spillInto(cwd);
    const newPath = async () => {
      await Bun.sleep(500);
      return slow.newPath();
    };
    // The first part is one byte more than may wait for the disk, so the second one is still in the pipe at the exit.
    const command = "head -c 2097153 /dev/zero; sleep 0.1; echo end; sleep 300 &";
    const { output, totalBytes, fullOutputPath } = await run(command, { spill: { ...slow, newPath } });
    expect([output, totalBytes, statSync(fullOutputPath!).size]).toEqual(["end\n", 2_097_157, 2_097_157]);
  });
});

describe("a time limit", () => {
  test("ends the command and reports it", async () => {
    // A busy machine may not even have started the shell when the time is up, so it gets more time.
    let timeoutMs = 1_500;
    const limited = () => run("echo begun; sleep 300", { timeoutMs });
    let result = await limited();
    for (; result.output === ""; result = await limited()) timeoutMs *= 2;
    const { output, end } = result;
    expect({ output, end }).toEqual({ output: "begun\n", end: { kind: "timed_out", seconds: timeoutMs / 1_000 } });
  });

  test("is at least a second", async () => {
    for (const timeoutMs of [1, -5]) {
      const { end, durationMs } = await run("sleep 300", { timeoutMs });
      expect(end).toEqual({ kind: "timed_out", seconds: 1 });
      expect(durationMs).toBeGreaterThan(990);
    }
  });

  test("holds for a command that ignores SIGTERM", async () => {
    const { end, durationMs } = await run("trap '' TERM; while :; do sleep 0.1; done", { timeoutMs: 1_000 });
    expect(end).toEqual({ kind: "timed_out", seconds: 1 });
    expect(durationMs).toBeGreaterThan(1_400);
  });
});

describe("an abort", () => {
  test("before the start starts nothing", async () => {
    const { durationMs: _, ...result } = await run("touch witness", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ output: "", end: { kind: "cancelled" }, totalBytes: 0 });
    expect([processRunner.groupCount, existsSync(join(cwd, "witness"))]).toEqual([0, false]);
  });

  test("while it runs ends it with the output so far", async () => {
    const controller = new AbortController();
    const onUpdate = () => controller.abort();
    const { output, end } = await run("echo begun; sleep 300", { signal: controller.signal, onUpdate });
    expect({ output, end }).toEqual({ output: "begun\n", end: { kind: "cancelled" } });
    expect(await eventually(() => processRunner.groupCount === 0)).toBe(true);
  });

  test("in the very moment of the start ends it as well", async () => {
    const controller = new AbortController();
    const running = run("sleep 300", { signal: controller.signal });
    controller.abort();
    expect((await running).end).toEqual({ kind: "cancelled" });
  });

  test("has no effect after the end, and no listener is left", async () => {
    const controller = new AbortController();
    const result = await run("echo hi", { signal: controller.signal });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    controller.abort();
    expect(result.end).toEqual({ kind: "exited", exitCode: 0 });
  });

  test("of many at once ends them all", async () => {
    const controller = new AbortController();
    const running = Array.from({ length: 40 }, () => run("sleep 300 & sleep 300", { signal: controller.signal }));
    await Bun.sleep(200);
    controller.abort();
    const results = await Promise.all(running);
    expect(results.every((result) => result.end.kind === "cancelled")).toBe(true);
    expect(await eventually(() => processRunner.groupCount === 0)).toBe(true);
  });

  test("reaches a grandchild that ignores SIGTERM", async () => {
    const controller = new AbortController();
    let group = 0;
    const onUpdate = (output: string) => {
      group = Number(output);
      controller.abort();
    };
    const { end } = await run("(trap '' TERM; echo $$; sleep 300) & wait", {
      signal: controller.signal,
      onUpdate,
    });
    expect(end).toEqual({ kind: "cancelled" });
    expect(await eventually(() => !groupExists(group))).toBe(true);
  });

  test("a change of session leaves a running command alone, and ends what finished ones have left", async () => {
    const controller = new AbortController();
    const running = run("sleep 300", { signal: controller.signal });
    await run("sleep 300 & echo left behind");
    expect(processRunner.groupCount).toBe(2);
    await processRunner.killAll("session_change");
    expect(processRunner.groupCount).toBe(1);
    controller.abort();
    expect((await running).end).toEqual({ kind: "cancelled" });
    expect((await run("echo next")).output).toBe("next\n");
  });
});

describe("long output", () => {
  test("is cut to its last lines and kept whole in a file", async () => {
    const { durationMs: _, ...result } = await run("seq 1 10000", { spill: spillInto(cwd) });
    const lines = Array.from({ length: 10_000 }, (_, i) => `${i + 1}\n`);
    const kept = lines.slice(-3000).join("");
    expect(result).toEqual({
      output: kept,
      end: { kind: "exited", exitCode: 0 },
      truncated: true,
      totalLines: 10_000,
      totalBytes: 48_894,
      outputLines: 3000,
      outputBytes: kept.length,
      omitted: { lines: 7000, bytes: 48_894 - kept.length },
      fullOutputPath: join(cwd, "1.bash.log"),
      isFullOutputCapped: false,
    });
    expect(readFileSync(join(cwd, "1.bash.log"), "utf8")).toBe(lines.join(""));
    expect(statSync(join(cwd, "1.bash.log")).mode & 0o777).toBe(0o600);
  });

  test("is cut to its last bytes, with all of the text in the file", async () => {
    const line = "\\033[32mgrün\\033[0m €\\r\\n";
    const command = `for i in $(seq 20000); do printf '${line}'; done`;
    const result = await run(command, { spill: spillInto(cwd), limits: { maxLines: 1e6, maxBytes: 1000 } });
    expect(result.output).toBe("grün €\n".repeat(Math.floor(1000 / Buffer.byteLength("grün €\n"))));
    expect(result).toMatchObject({ truncated: true, totalLines: 20_000, outputLines: 100, outputBytes: 1000 });
    expect(readFileSync(result.fullOutputPath!, "utf8") === "grün €\n".repeat(20_000)).toBe(true);
  });

  test("needs no file when it fits without its colours", async () => {
    const command = "for i in $(seq 100); do printf '\\033[1;31mx\\033[0m'; done";
    const result = await run(command, { spill: spillInto(cwd), limits: { maxLines: 10, maxBytes: 400 } });
    expect(result).toMatchObject({ output: "x".repeat(100), truncated: false, totalBytes: 1200, outputBytes: 100 });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("the file stops at the limit, and the result reports it", async () => {
    const command = "seq 1 100000";
    const result = await run(command, { spill: spillInto(cwd, 299_999), limits: { maxLines: 2, maxBytes: 1000 } });
    expect(result).toMatchObject({ output: "99999\n100000\n", isFullOutputCapped: true, totalLines: 100_000 });
    const whole = Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join("");
    const kept = readFileSync(result.fullOutputPath!, "utf8");
    expect(kept.slice(0, 299_999) === whole.slice(0, 299_999)).toBe(true);
    expect(kept.slice(299_999)).toBe("\n[pintle: only the first 299999 bytes of the output are kept]\n");
  });

  test("that cannot be stored still gives a result", async () => {
    const result = await run("seq 1 10000", { spill: spillInto(join(cwd, "missing")) });
    expect(result).toMatchObject({ truncated: true, outputLines: 3000, spillError: { code: "ENOENT" } });
    expect(result.fullOutputPath).toBeUndefined();
  });

  test.each([
    ["without a newline", "head -c 1000000000 /dev/zero | tr '\\0' x", 1, "x".repeat(51_200)],
    ["in short lines", "yes | head -c 1000000000", 500_000_000, "y\n".repeat(3000)],
    ["of nothing but NUL", "head -c 1000000000 /dev/zero", 1, ""],
  ])(
    "of a gigabyte %s costs no memory",
    async (_, command, totalLines, output) => {
      Bun.gc(true);
      const before = process.memoryUsage.rss();
      let peak = before;
      const onUpdate = () => {
        peak = Math.max(peak, process.memoryUsage.rss());
      };
      const result = await run(command, { onUpdate });
      expect(result).toMatchObject({ truncated: true, totalBytes: 1_000_000_000, totalLines });
      expect(result.output === output).toBe(true);
      expect(peak - before).toBeLessThan(500_000_000); // half of what was written; the rest is other tests' garbage
    },
    120_000,
  );

  test("that goes to a file costs no memory either", async () => {
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let peak = before;
    const onUpdate = () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    };
    const command = "head -c 400000000 /dev/zero | tr '\\0' x";
    const result = await run(command, { onUpdate, spill: spillInto(cwd, 100_000_000) });
    expect(result).toMatchObject({ isFullOutputCapped: true, totalBytes: 400_000_000 });
    expect(peak - before).toBeLessThan(500_000_000);
  }, 120_000);
});

describe("updates", () => {
  test("come at most every 100 ms, each with the end of the output in 8 KiB, and none after the result", async () => {
    const updates: { output: string; at: number }[] = [];
    const onUpdate = (output: string) => {
      updates.push({ output, at: performance.now() });
      if (output.endsWith("end\n")) writeFileSync(join(cwd, "seen"), "");
    };
    const command =
      "for i in $(seq 100); do seq 1 2000; sleep 0.01; done; echo end; until [ -e seen ]; do sleep 0.01; done";
    const result = await run(command, { onUpdate });
    const count = updates.length;
    expect(count).toBeWithin(2, 1 + result.durationMs / 100);
    for (const [i, { output, at }] of updates.entries()) {
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(8192);
      if (i > 0) expect(at - updates[i - 1]!.at).toBeGreaterThan(98);
    }
    expect(result.output.endsWith(updates.at(-1)!.output)).toBe(true);
    await Bun.sleep(150);
    expect(updates).toHaveLength(count);
  });

  test("never show half a character", async () => {
    const updates: string[] = [];
    const command = "for i in $(seq 4); do printf '\\360\\237'; sleep 0.12; printf '\\230\\200'; done";
    const { output } = await run(command, { onUpdate: (output) => updates.push(output) });
    expect(output).toBe("😀😀😀😀");
    expect(updates.join("")).not.toContain("\ufffd");
  });
});

test("five hundred commands leak no descriptor, listener or group", async () => {
  const controller = new AbortController();
  const one = () =>
    run("echo hi; seq 1 100", {
      signal: controller.signal,
      spill: spillInto(cwd),
      limits: { maxLines: 5, maxBytes: 99 },
    });
  const many = async (count: number) => {
    for (let i = 0; i < count / 10; i += 1) {
      await Promise.all(Array.from({ length: 10 }, one));
      for (const file of readdirSync(cwd)) rmSync(join(cwd, file));
    }
  };
  await many(20);
  await eventually(() => processRunner.groupCount === 0);
  await Bun.sleep(100); // the guard exits too
  const before = { descriptors: openDescriptors(), listeners: process.listenerCount("exit") };
  await many(500);
  expect(await eventually(() => processRunner.groupCount === 0 && openDescriptors() <= before.descriptors)).toBe(true);
  expect(process.listenerCount("exit")).toBe(before.listeners);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
});
