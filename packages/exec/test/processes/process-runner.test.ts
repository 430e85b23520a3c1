import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { where } from "../../../coding-agent/test/support/where.ts";
import { type ChildExit, ProcessRunner, type StartRequest } from "../../src/processes/process-runner.ts";
import {
  childrenOf,
  eventually,
  groupExists,
  hasProc,
  openDescriptors,
  processesWith,
  uniqueSleep,
} from "../support/processes/living-processes.ts";
import { readAll } from "../support/processes/read-all.ts";

const environment = { PATH: process.env.PATH, HOME: "/home/someone", SECRET_API_KEY: "s3cret", PAGER: "less" };
const cwd = "/";
const sources = join(import.meta.dir, "../../src/processes");
let processRunner = new ProcessRunner({ environment });

afterEach(async () => {
  await processRunner.killAll("shutdown", 0);
  processRunner = new ProcessRunner({ environment });
});

function start(script: string, options: Partial<StartRequest> = {}) {
  return processRunner.start({ command: ["bash", "-c", script], cwd, stderr: "merge", ...options });
}

async function run(script: string, options: Partial<StartRequest> = {}): Promise<{ text: string; exit: ChildExit }> {
  const child = start(script, options);
  return { text: await readAll(child.stdout), exit: await child.exited };
}

describe("a child", () => {
  test("receives its arguments unchanged", async () => {
    const words = ["a b", "$HOME", "", "*", "'\"\\", "é\n"] as const;
    const child = processRunner.start({ command: ["printf", "[%s]", ...words], cwd, stderr: "merge" });
    expect(await readAll(child.stdout)).toBe(words.map((word) => `[${word}]`).join(""));
  });

  test("has no stdin and no descriptor but its own three", async () => {
    expect((await run("cat; echo end")).text).toBe("end\n");
    // ls has opened the directory it lists
    if (hasProc) expect((await run("ls /proc/self/fd")).text).toBe("0\n1\n2\n3\n");
  });

  test("can open its stdout and stderr by name", async () => {
    expect((await run("echo a >/dev/stdout; echo b >/dev/stderr; echo c | tee /dev/stderr")).text).toBe("a\nb\nc\nc\n");
  });

  test("leads a group of its own", async () => {
    const child = start("ps -o pgid= -p $$");
    expect(Number(await readAll(child.stdout))).toBe(child.pid);
  });

  test("ends with a code or a signal", async () => {
    expect((await run("exit 7")).exit).toEqual({ code: 7 });
    expect((await run("kill -USR1 $$")).exit).toEqual({ signal: "SIGUSR1" });
  });

  test("a closed pipe ends it as usual", async () => {
    expect((await run("yes | head -1; echo $" + "{PIPESTATUS[0]}")).text).toBe("y\n141\n");
  });

  test("writes both outputs into one pipe in the order of writing", async () => {
    const { text } = await run("for i in $(seq 300); do echo out$i; echo err$i >&2; done");
    expect(text).toBe(Array.from({ length: 300 }, (_, i) => `out${i + 1}\nerr${i + 1}\n`).join(""));
  });

  test("has its stderr apart, or nowhere, when asked", async () => {
    const child = start("echo out; echo err >&2", { stderr: "separate" });
    expect([await readAll(child.stdout), await readAll(child.stderr!)]).toEqual(["out\n", "err\n"]);
    expect((await run("echo out; echo err >&2", { stderr: "ignore" })).text).toBe("out\n");
  });

  test("that cannot be executed reports the reason", async () => {
    using scratch = scratchDirectory();
    writeFileSync(join(scratch.path, "broken"), "#!/nonexistent/interpreter\n", { mode: 0o755 });
    const child = processRunner.start({ command: ["./broken"], cwd: scratch.path, stderr: "merge" });
    expect(await readAll(child.stdout)).toContain("broken");
    expect(await child.exited).toEqual({ code: 127 });
  });
});

describe("the environment of a child", () => {
  const variables = async (options: Partial<StartRequest> = {}) => (await run("env", options)).text.split("\n");

  test("is ours, adapted for a program without a user", async () => {
    const list = await variables();
    expect(list).toContain("HOME=/home/someone");
    for (const pair of "PAGER=cat GIT_PAGER=cat GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true EDITOR=true TERM=dumb PINTLE=1".split(
      " ",
    )) {
      expect(list).toContain(pair);
    }
  });

  test("lacks the keys that are withheld, also those named later", async () => {
    const keyVariables = ["OTHER"];
    processRunner = new ProcessRunner({ environment, rules: () => ({ keyVariables, withhold: [], pass: [] }) });
    expect(await variables()).toContain("SECRET_API_KEY=s3cret");
    keyVariables.push("SECRET_API_KEY");
    expect((await variables()).join()).not.toContain("s3cret");
  });

  test("has what the caller wants, above all else", async () => {
    const list = await variables({ env: { PAGER: "more", EXTRA: "1", HOME: undefined } });
    expect(list).toContain("PAGER=more");
    expect(list).toContain("EXTRA=1");
    expect(list.join()).not.toContain("HOME=");
  });

  test("names the directory the child is in", async () => {
    using scratch = scratchDirectory();
    expect(await variables({ cwd: scratch.path, env: { OLDPWD: undefined } })).toContain(`PWD=${scratch.path}`);
  });

  test("keeps names that a plain shell would drop", async () => {
    processRunner = new ProcessRunner({
      environment: { ...environment, "a.b": "1", "BASH_FUNC_greet%%": "() { echo hello; }" },
    });
    const child = processRunner.start({ command: ["env"], cwd, stderr: "merge" });
    expect(await readAll(child.stdout)).toContain("a.b=1\n");
    expect((await run("greet")).text).toBe("hello\n");
  });
});

describe("a start-up file for bash", () => {
  test.each([["plain"], ["a.b"]])("is read once, with a variable named %s", async (name) => {
    using scratch = scratchDirectory();
    const BASH_ENV = join(scratch.path, "start-up");
    writeFileSync(BASH_ENV, "echo start-up\n");
    expect((await run("echo end", { env: { BASH_ENV, [name]: "1" } })).text).toBe("start-up\nend\n");
  });
});

describe("what cannot be started", () => {
  test.each([
    ["no such directory", { cwd: "/no/such/place" }, "bad_cwd", "/no/such/place"],
    ["a file for a directory", { cwd: "/etc/hosts" }, "bad_cwd", "/etc/hosts"],
    ["below a file", { cwd: "/etc/hosts/x" }, "bad_cwd", "/etc/hosts/x"],
    ["no such program", { command: ["no-such-program"] }, "program_not_found", "no-such-program"],
    ["an argument with NUL", { command: ["echo", "a\0b"] }, "spawn_failed", "echo"],
    ["too long an argument", { command: ["echo", "x".repeat(4_000_000)] }, "spawn_failed", "echo"],
  ] as const)("%s is an error that names it", async (_, options, code, name) => {
    const descriptors = openDescriptors();
    let error: unknown;
    try {
      start("true", options as Partial<StartRequest>);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: "StartError", code, message: expect.stringContaining(name) });
    expect(processRunner.groupCount).toBe(0);
    expect(await eventually(() => openDescriptors() <= descriptors)).toBe(true);
  });
});

describe("stopping", () => {
  test("ends the whole group", async () => {
    const child = start("sleep 300 | sleep 300 & sleep 300");
    child.stop("aborted");
    expect(await child.exited).toEqual({ signal: "SIGTERM", stoppedFor: "aborted" });
    expect(await eventually(() => !groupExists(child.pid))).toBe(true);
    void child.stdout.discardRest();
  });

  test("kills after the grace what does not listen", async () => {
    const child = start("trap '' TERM; echo ready; while :; do sleep 1; done");
    await child.stdout.read();
    const before = performance.now();
    child.stop("timed_out");
    expect(await child.exited).toEqual({ signal: "SIGKILL", stoppedFor: "timed_out" });
    expect(performance.now() - before).toBeGreaterThan(400);
    void child.stdout.discardRest();
  });

  test("kills descendants that do not listen although their parent did", async () => {
    const child = start("(trap '' TERM; echo ready; sleep 300) & wait");
    await child.stdout.read();
    child.stop("aborted", 3_600_000);
    expect((await child.exited).signal).toBe("SIGTERM");
    expect(groupExists(child.pid)).toBe(true);
    child.stop("aborted", 500);
    expect(await eventually(() => !groupExists(child.pid) && processRunner.groupCount === 0)).toBe(true);
    void child.stdout.discardRest();
  });

  where(hasProc, "needs /proc").test("reaches processes that made a group of their own", async () => {
    const sleep = uniqueSleep();
    const child = start(`set -m; ${sleep} & echo ready; timeout 86400 ${sleep}; true`);
    await child.stdout.read();
    await eventually(() => processesWith(sleep).length >= 4); // both, timeout and the shell
    child.stop("aborted");
    await child.exited;
    expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
    void child.stdout.discardRest();
  });

  test("the first reason stays, and one after the end is none", async () => {
    const child = start("sleep 300");
    child.stop("timed_out");
    child.stop("aborted");
    expect((await child.exited).stoppedFor).toBe("timed_out");
    const ended = start("exit 3");
    const exit = await ended.exited;
    ended.stop("aborted");
    expect(exit).toEqual({ code: 3 });
    void Promise.all([child.stdout.discardRest(), ended.stdout.discardRest()]);
  });
});

describe("what a finished command left in the background", () => {
  test("lives on, stays registered and goes with the session", async () => {
    const child = start("sleep 300 & echo hi");
    expect(await child.exited).toEqual({ code: 0 });
    void child.stdout.discardRest();
    await Bun.sleep(400); // after several checks
    expect([groupExists(child.pid), processRunner.groupCount]).toEqual([true, 1]);
    await processRunner.killAll("session_change");
    expect([groupExists(child.pid), processRunner.groupCount]).toEqual([false, 0]);
    expect((await run("echo next session")).text).toBe("next session\n");
  });

  test("may go on writing to its discarded output", async () => {
    using scratch = scratchDirectory();
    const child = start("(for i in $(seq 20); do echo line; sleep 0.01; done; echo alive >done) & ", {
      cwd: scratch.path,
    });
    await child.exited;
    void child.stdout.discardRest();
    expect(await eventually(() => Bun.file(join(scratch.path, "done")).size > 0)).toBe(true);
  });

  test("is forgotten when it ends", async () => {
    using scratch = scratchDirectory();
    const child = start("until [ -e stop ]; do sleep 0.05; done &", { cwd: scratch.path });
    await child.exited;
    void child.stdout.discardRest();
    expect(processRunner.groupCount).toBe(1);
    writeFileSync(join(scratch.path, "stop"), "");
    expect(await eventually(() => processRunner.groupCount === 0)).toBe(true);
  });

  where(hasProc, "needs /proc").test("is remembered in a group of its own as well", async () => {
    const sleep = uniqueSleep();
    const child = start(`timeout 86400 ${sleep} >/dev/null 2>&1 &`);
    await child.exited;
    await Bun.sleep(400);
    expect(processRunner.groupCount).toBe(1);
    await processRunner.killAll("session_change");
    expect(processesWith(sleep)).toEqual([]);
    void child.stdout.discardRest();
  });
});

describe("ending everything", () => {
  test("stops many at once and starts nothing after a shutdown", async () => {
    const children = Array.from({ length: 30 }, () => start("sleep 300 & sleep 300"));
    await processRunner.killAll("shutdown");
    const exits = await Promise.all(children.map((child) => child.exited));
    expect(exits.every((exit) => exit.stoppedFor === "shutdown")).toBe(true);
    expect(children.filter((child) => groupExists(child.pid))).toEqual([]);
    expect(() => start("true")).toThrow("pintle is ending");
    for (const child of children) void child.stdout.discardRest();
  });

  test("is cut short when there is no time", async () => {
    const child = start("trap '' TERM; echo ready; sleep 300");
    await child.stdout.read();
    const patient = processRunner.killAll("shutdown", 3_600_000);
    await Promise.all([processRunner.killAll("shutdown", 0), patient]);
    expect(groupExists(child.pid)).toBe(false);
    void child.stdout.discardRest();
  });

  test("closes the pipe that a process out of reach still holds", async () => {
    const before = openDescriptors();
    const child = start("setsid sleep 3 & sleep 0.2");
    await child.exited;
    void child.stdout.discardRest();
    await processRunner.killAll("session_change");
    expect(await eventually(() => openDescriptors() <= before)).toBe(true);
  });
});

describe("bookkeeping", () => {
  test("leaks no descriptor, listener, registration or process", async () => {
    const runMany = (count: number) =>
      Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let i = 0; i < count / 10; i += 1) await run("echo hi; true");
        }),
      );
    const strangers = hasProc ? childrenOf() : [];
    const isQuiet = () =>
      processRunner.groupCount === 0 && (!hasProc || childrenOf().every((pid) => strangers.includes(pid)));
    await runMany(20);
    await eventually(isQuiet);
    await Bun.sleep(100);
    const before = { descriptors: openDescriptors(), listeners: process.listenerCount("exit") };
    await runMany(500);
    expect(await eventually(isQuiet)).toBe(true);
    expect(await eventually(() => openDescriptors() <= before.descriptors)).toBe(true);
    expect(process.listenerCount("exit")).toBe(before.listeners);
  });
});

test("works without /proc and without a C library", () => {
  using scratch = scratchDirectory();
  const script = join(scratch.path, "script.ts");
  writeFileSync(
    script,
    `Object.defineProperty(process, "platform", { value: "unheard-of" });
    const { ProcessRunner } = await import(${JSON.stringify(join(sources, "process-runner.ts"))});
    const { runShellCommand } = await import(${JSON.stringify(join(sources, "shell/shell-command.ts"))});
    const processRunner = new ProcessRunner({ environment: process.env });
    const limits = { maxLines: 10, maxBytes: 100 };
    const { output } = await runShellCommand(processRunner, { command: "echo a; echo b >&2; sleep 300 &", cwd: "/", limits });
    await Bun.sleep(300);
    const before = processRunner.groupCount;
    await processRunner.killAll("session_change");
    console.log(JSON.stringify({ output, before, after: processRunner.groupCount }));`,
  );
  const { stdout, stderr } = Bun.spawnSync([process.execPath, script]);
  expect(stderr.toString()).toBe("");
  expect(JSON.parse(stdout.toString())).toEqual({ output: "a\nb\n", before: 1, after: 0 });
});
