import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "@pintle/agent";
import { textOf } from "../../../agent/test/support/tools.ts";
import {
  eventually,
  hasProc,
  processesWith,
  uniqueSleep,
} from "../../../exec/test/support/processes/living-processes.ts";
import type { BashArguments, BashDetails } from "../../src/tools/bash/execute.ts";
import { timeoutSeconds } from "../../src/tools/bash/execute.ts";
import { toToolResult } from "../../src/tools/bash/result.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession();
});

afterEach(() => session.close());

function bash(command: string, options: Omit<BashArguments, "command"> = {}, call = {}) {
  return session.call(bashTool, { command, ...options }, call);
}

async function reopen(settings: Record<string, unknown>, environment?: Record<string, string | undefined>) {
  await session.close();
  session = openToolSession({ settings, ...(environment && { environment }) });
}

function withoutDuration(result: ToolResult<BashDetails>) {
  const { durationMs, ...details } = result.details!;
  expect(Number.isInteger(durationMs)).toBe(true);
  return { text: textOf(result), isError: result.isError ?? false, details };
}

describe("the result of a command", () => {
  test.each([
    ["that succeeds", "echo out; echo err >&2", "out\nerr\n", 0],
    ["without a last newline", "printf out", "out", 0],
    ["that prints nothing", "true", "(no output)", 0],
    ["that prints white space only", "printf ' \\n\\n'", "(no output)", 0],
    ["that fails", "echo no; exit 3", "no\n\nCommand exited with code 3", 3],
    ["that fails without a last newline", "printf no; exit 3", "no\n\nCommand exited with code 3", 3],
    ["that fails in silence", "exit 7", "(no output)\n\nCommand exited with code 7", 7],
    ["that begins with a dash", "-x || echo $?", "bash: line 1: -x: command not found\n127\n", 0],
    [
      "that a signal kills",
      "echo a; kill -SEGV $$",
      "a\n\nCommand was killed by signal SIGSEGV\nCommand exited with code 139",
      139,
    ],
    ["with NUL, colours and broken UTF-8", "printf 'a\\0\\033[31mb\\033[0m\\377'", "ab\ufffd", 0],
  ])("%s", async (_, command, text, exitCode) => {
    expect(withoutDuration(await bash(command))).toEqual({ text, isError: exitCode !== 0, details: { exitCode } });
  });

  test("that runs too long has the output so far and no exit code", async () => {
    // A busy machine may not even have started the shell when the time is up, so it gets more time.
    let timeout = 1;
    const limited = () => bash("echo begun; sleep 600", { timeout });
    let result = await limited();
    for (; !textOf(result).includes("begun"); result = await limited()) timeout *= 2;
    expect(withoutDuration(result)).toEqual({
      text: expect.stringContaining(
        `begun\n\nCommand timed out after ${timeout} seconds\nIt was stopped. If it needs more time`,
      ),
      isError: true,
      details: {},
    });
  });

  test("that is aborted has the output so far", async () => {
    const stop = new AbortController();
    const sleep = uniqueSleep();
    const result = await bash(
      `echo begun; ${sleep} & ${sleep}`,
      {},
      { signal: stop.signal, update: () => stop.abort() },
    );
    expect(withoutDuration(result)).toEqual({ text: "begun\n\nInterrupted by the user.", isError: true, details: {} });
    if (hasProc) expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
  });

  test("that is aborted before it starts is short", async () => {
    const result = await bash("touch witness", {}, { signal: AbortSignal.abort() });
    expect(withoutDuration(result)).toEqual({ text: "Interrupted by the user.", isError: true, details: {} });
    expect(await bash("test -e witness")).toMatchObject({ isError: true });
  });

  test("that ignores SIGTERM is killed", async () => {
    const stop = new AbortController();
    const sleep = uniqueSleep();
    const command = `trap '' TERM; echo ready; while :; do ${sleep}; done`;
    const result = await bash(command, {}, { signal: stop.signal, update: () => stop.abort() });
    expect(textOf(result)).toBe("ready\n\nInterrupted by the user.");
    if (hasProc) expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
  });

  test("does not wait for a grandchild that holds the pipe, which a change of session ends", async () => {
    const sleep = uniqueSleep();
    expect(textOf(await bash(`(${sleep}; echo late) & echo now`))).toBe("now\n");
    if (hasProc) expect(processesWith(sleep).length).toBeGreaterThan(0);
    await session.processRunner.killAll("session_change", 0);
    if (hasProc) expect(processesWith(sleep)).toEqual([]);
  });
});

describe("long output", () => {
  test("is shown by its first and last lines and kept whole", async () => {
    const result = await bash("seq 5000; exit 2");
    const { fullOutputPath, truncation } = result.details!;
    expect(fullOutputPath).toBe(join(session.spills, "1.bash.log"));
    const lines = Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`);
    const [head, tail] = [lines.slice(0, 500).join(""), lines.slice(-1500).join("")];
    expect(truncation).toEqual({
      truncated: true,
      truncatedBy: "lines",
      totalLines: 5000,
      totalBytes: 23_893,
      outputLines: 2000,
      outputBytes: head.length + tail.length,
      maxLines: 2000,
      maxBytes: 30_720,
    });
    const notice = `[3000 lines (14 KB) omitted here. Full output: ${fullOutputPath}]`;
    expect(textOf(result)).toBe(`${head}${notice}\n${tail}\nCommand exited with code 2`);
    expect(readFileSync(fullOutputPath!, "utf8").split("\n")).toHaveLength(5001);
    expect(statSync(fullOutputPath!).mode & 0o777).toBe(0o600);
  });

  test("keeps the first error of a compiler, however much follows", async () => {
    const result = await bash(
      "echo 'a.c:1: error: no such thing'; seq 200000 | sed 's/^/note: /'; echo '1 error'; exit 1",
    );
    expect(textOf(result)).toStartWith("a.c:1: error: no such thing\nnote: 1\n");
    expect(textOf(result)).toEndWith("note: 200000\n1 error\n\nCommand exited with code 1");
    expect(result.details!.truncation!.outputBytes).toBeLessThanOrEqual(30_720);
    expect(readFileSync(result.details!.fullOutputPath!, "utf8").split("\n")).toHaveLength(200_003);
  });

  test("of one line is cut by bytes", async () => {
    const result = await bash("head -c 100000 /dev/zero | tr '\\0' x");
    expect(textOf(result)).toMatch(/^x{7680}\n\[68 KB omitted here\. Full output: .*\]\nx{23040}$/);
    expect(result.details).toMatchObject({ exitCode: 0, truncation: { truncatedBy: "bytes" } });
  });

  test("of a progress bar is its last state, and needs no file", async () => {
    const bar = "for i in $(seq 20000); do printf '\\r[%-50s] %d%%' '####' $((i / 200)); done; echo; echo done";
    const result = await bash(bar);
    expect(textOf(result)).toBe(`[####${" ".repeat(46)}] 100%\ndone\n`);
    expect(result.details).toEqual({ exitCode: 0, durationMs: expect.any(Number) });
  });

  test("follows the limits of the settings", async () => {
    await reopen({ "tools.maxOutputLines": 3, "tools.maxOutputBytes": 1024, "tools.maxSpillBytes": 10 });
    const result = await bash("seq 1000");
    const path = result.details?.fullOutputPath;
    const where = `The output was too long to keep. Its beginning is in ${path}`;
    expect(textOf(result)).toBe(`[997 lines (3.8 KB) omitted here. ${where}]\n998\n999\n1000\n`);
    expect(readFileSync(path!, "utf8")).toStartWith("1\n2\n3\n4\n5\n[pintle: only the first");
  });

  test("of a gigabyte of anything costs no memory", async () => {
    await reopen({ "tools.maxSpillBytes": 10_000_000 });
    const before = process.memoryUsage.rss();
    let peak = before;
    const update = () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    };
    // No newline, but NUL, a color sequence and a byte that is not UTF-8.
    const mixture = "yes $'\\033[31m\\377x' | tr '\\n' '\\0' | head -c 1000000000; echo; echo end";
    const result = await bash(mixture, {}, { update });
    expect(result.details?.truncation).toMatchObject({ totalBytes: 1_000_000_005, totalLines: 2 });
    expect(textOf(result)).toMatch(/^(?:\ufffdx)*\ufffd?\n\[\d+ MB omitted.*\]\nx?(?:\ufffdx)*\nend\n$/);
    expect(statSync(result.details!.fullOutputPath!).size).toBeLessThan(10_001_000);
    expect(peak - before).toBeLessThan(500_000_000);
  }, 120_000);

  test("can be aborted in the middle, and nothing continues", async () => {
    const stop = new AbortController();
    const mark = `endless-${process.pid}`;
    const result = await bash(`yes ${mark}`, {}, { signal: stop.signal, update: () => stop.abort() });
    expect(textOf(result)).toStartWith(`${mark}\n${mark}\n`);
    expect(textOf(result)).toEndWith("\n\nInterrupted by the user.");
    if (hasProc) expect(await eventually(() => processesWith(mark).length === 0)).toBe(true);
  });

  test("that may not be kept is lost, and the result says so", async () => {
    await reopen({ "tools.maxOutputLines": 1, "tools.maxSpillBytes": 0 });
    const result = await bash("seq 9");
    expect(textOf(result)).toBe("[8 lines (16 bytes) omitted here. The full output was not kept.]\n9\n");
    expect(result.details).not.toHaveProperty("fullOutputPath");
  });

  test("that cannot be kept is lost, and the result says why", async () => {
    await reopen({ "tools.maxOutputLines": 1 });
    rmSync(session.spills, { recursive: true });
    const result = await bash("seq 9");
    expect(textOf(result)).toMatch(/^\[8 lines .*The full output could not be kept: ENOENT.*\]\n9\n$/);
    expect(result.details).toMatchObject({ exitCode: 0 });
    expect(result.details).not.toHaveProperty("fullOutputPath");
  });
});

describe("updates", () => {
  test("contain the end of the output so far, at most 8 KiB", async () => {
    const texts: string[] = [];
    const update = (partial: ToolResult) => {
      texts.push(textOf(partial));
      if (texts.at(-1)?.endsWith("end\n")) writeFileSync(join(session.cwd, "seen"), "");
    };
    await bash("seq 100000; echo end; until [ -e seen ]; do sleep 0.02; done", {}, { update });
    expect(texts.length).toBeGreaterThan(0);
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(8192);
    expect(texts.at(-1)).toEndWith("100000\nend\n");
  });
});

describe("the time limit", () => {
  test("of the settings overrides that of the model", async () => {
    await reopen({ "tools.maxTimeout": 1 });
    expect(textOf(await bash("sleep 60", { timeout: 600 }))).toStartWith("Command timed out after 1 seconds\n");
    expect(textOf(await bash("sleep 60"))).toStartWith("Command timed out after 1 seconds\n");
  });

  test("is at least a second", async () => {
    expect(textOf(await bash("sleep 600", { timeout: -5 }))).toStartWith("Command timed out after 1 seconds\n");
  });

  test("of 10,000 or more is in milliseconds, as other agents send it", () => {
    expect([undefined, 1, 3600, 9_999, 10_000, 120_000].map((asked) => timeoutSeconds(asked, 0))).toEqual([
      300, 1, 3600, 9_999, 10, 120,
    ]);
    expect(timeoutSeconds(120_000, 60)).toBe(60);
  });
});

describe("where and how a command runs", () => {
  test("is the session's directory, or a path from there", async () => {
    mkdirSync(join(session.cwd, "sub"));
    expect(textOf(await bash("pwd"))).toBe(`${session.cwd}\n`);
    expect(textOf(await bash("pwd", { cwd: "@sub" }))).toBe(`${session.cwd}/sub\n`);
  });

  test("may have variables, even empty ones", async () => {
    expect(textOf(await bash('echo "$A|$B|$PINTLE"', { env: { A: "x y", B: "" } }))).toBe("x y||1\n");
  });

  test("follows shellPath and shellCommandPrefix", async () => {
    await reopen({ shellPath: "/bin/sh", shellCommandPrefix: "greet() { echo hello $0; }" });
    expect(textOf(await bash("greet"))).toBe("hello sh\n");
  });

  test.each<[string, Partial<BashArguments>, string | RegExp]>([
    [
      "a directory that is missing",
      { cwd: "no/where" },
      /^Working directory does not exist: \/.*\/project\/no\/where$/,
    ],
    ["a file for a directory", { cwd: "/etc/hosts" }, "Working directory is not a directory: /etc/hosts"],
    ["NUL in the command", { command: "a\0b" }, "The command contains a NUL character, which no shell accepts."],
    ["NUL in a variable", { env: { A: "a\0b" } }, "env: the value of A contains a NUL character."],
    ["a variable with =", { env: { "A=B": "" } }, 'env: "A=B" is not a valid variable name.'],
    ["a variable without a name", { env: { "": "x" } }, 'env: "" is not a valid variable name.'],
    [
      "a command that no system takes",
      { command: `true ${"x".repeat(3_000_000)}` },
      /^Could not start .*(E2BIG|too long)/i,
    ],
  ])("%s is an error, and nothing is started", async (_, args, message) => {
    const call = session.call(bashTool, { command: "touch witness", ...args });
    expect(call).rejects.toThrow(message as string);
    await call.catch(() => {});
    expect(session.processRunner.groupCount).toBe(0);
    expect(textOf(await bash("ls"))).toBe("(no output)");
  });
});

test("a time-out suggests running in the background, except in a sandbox, which ends everything with the command", () => {
  const counts = { totalLines: 0, totalBytes: 0, outputLines: 0, outputBytes: 0, durationMs: 1 };
  const end = { kind: "timed_out", seconds: 2 } as const;
  const result = { output: "", end, truncated: false, isFullOutputCapped: false, ...counts };
  const texts = [false, true].map((isSandboxed) =>
    textOf(toToolResult(result, { maxLines: 1, maxBytes: 1 }, { isSandboxed })),
  );
  const both =
    "Command timed out after 2 seconds\nIt was stopped. If it needs more time, set a higher timeout (at most 3600)";
  expect(texts).toEqual([expect.stringMatching(/background: `nohup/), `${both}.`]);
});
