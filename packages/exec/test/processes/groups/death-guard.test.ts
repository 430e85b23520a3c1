import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { where } from "../../../../coding-agent/test/support/where.ts";
import { ProcessRunner } from "../../../src/processes/process-runner.ts";
import {
  childrenOf,
  eventually,
  groupExists,
  hasProc,
  processesWith,
  uniqueSleep,
} from "../../support/processes/living-processes.ts";

const sources = resolve(import.meta.dir, "../../../src/processes");

/** A program in place of pintle: runs the script's statements with a process runner, prints their output, and waits. */
function writeParent(directory: string, statements: string): string {
  const path = join(directory, "parent.ts");
  writeFileSync(
    path,
    `import { ProcessRunner } from ${JSON.stringify(join(sources, "process-runner.ts"))};
    const processRunner = new ProcessRunner({ environment: process.env });
    const start = (script) => processRunner.start({ command: ["bash", "-c", script], cwd: "/", stderr: "merge" });
    async function main() { ${statements} }
    main();
    setInterval(() => {}, 1000);`,
  );
  return path;
}

function startParent(command: string[]) {
  return Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "inherit", detached: true });
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value).trim();
}

const COMMANDS = `
  const running = start("trap '' TERM HUP; (sleep 300; true) | sleep 300 & sleep 300; true");
  const finished = start("sleep 300 & sleep 0.1");
  await finished.exited;
  console.log(JSON.stringify([running.pid, finished.pid]));`;

describe("when pintle is killed", () => {
  test("running commands and what finished ones left behind are killed", async () => {
    using scratch = scratchDirectory();
    const parent = startParent([process.execPath, writeParent(scratch.path, COMMANDS)]);
    const groups: number[] = JSON.parse(await firstLine(parent.stdout));
    expect(groups.map(groupExists)).toEqual([true, true]);
    parent.kill("SIGKILL");
    await parent.exited;
    expect(await eventually(() => !groups.some(groupExists))).toBe(true);
  });

  test("the same holds for a compiled program", async () => {
    using scratch = scratchDirectory();
    const program = join(scratch.path, "parent");
    const source = writeParent(scratch.path, COMMANDS);
    const build = Bun.spawnSync([process.execPath, "build", "--compile", "--bytecode", source, "--outfile", program]);
    expect(build.stderr.toString()).not.toContain("error");
    const parent = startParent([program]);
    const groups: number[] = JSON.parse(await firstLine(parent.stdout));
    expect(groups.map(groupExists)).toEqual([true, true]);
    parent.kill("SIGKILL");
    await parent.exited;
    expect(await eventually(() => !groups.some(groupExists))).toBe(true);
  });

  where(hasProc, "needs /proc").test("a group that a command made for itself is found", async () => {
    using scratch = scratchDirectory();
    const sleep = uniqueSleep();
    const statements = `start("timeout 86400 ${sleep}; true"); console.log("started");`;
    const parent = startParent([process.execPath, writeParent(scratch.path, statements)]);
    await firstLine(parent.stdout);
    expect(await eventually(() => processesWith(sleep).length >= 3)).toBe(true); // shell, timeout, sleep
    parent.kill("SIGKILL");
    await parent.exited;
    expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
  });

  where(hasProc, "needs /proc").test("no moment of a command's start is unguarded", async () => {
    using scratch = scratchDirectory();
    const sleep = uniqueSleep();
    const statements = `console.log("started"); for (;;) { start("${sleep}"); await Bun.sleep(0); }`;
    const path = writeParent(scratch.path, statements);
    for (let round = 0; round < 8; round += 1) {
      const parent = startParent([process.execPath, path]);
      await firstLine(parent.stdout);
      await Bun.sleep(round * 7 + Math.random() * 5);
      parent.kill("SIGKILL");
      await parent.exited;
      expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
    }
  });

  test("an exit without any farewell leaves nothing either", async () => {
    using scratch = scratchDirectory();
    const statements = `const child = start("trap '' TERM; sleep 300; true"); console.log(child.pid); process.exit(3);`;
    const parent = startParent([process.execPath, writeParent(scratch.path, statements)]);
    const group = Number(await firstLine(parent.stdout));
    expect(await parent.exited).toBe(3);
    expect(await eventually(() => !groupExists(group))).toBe(true);
  });
});

where(hasProc, "needs /proc").describe("the guard", () => {
  test("is one process for all commands and goes with the last", async () => {
    const strangers = childrenOf();
    const ours = () => childrenOf().filter((pid) => !strangers.includes(pid));
    const processRunner = new ProcessRunner({ environment: process.env });
    const start = () => processRunner.start({ command: ["sleep", "300"], cwd: "/", stderr: "ignore" });
    const children = [start(), start(), start()];
    expect(ours()).toHaveLength(4);
    await processRunner.killAll("shutdown");
    for (const child of children) void child.stdout.discardRest();
    expect(await eventually(() => ours().length === 0)).toBe(true);
  });

  test("is replaced when someone kills it", async () => {
    using scratch = scratchDirectory();
    const statements = `
      process.on("SIGUSR2", () => console.log("here"));
      const child = start("sleep 300; true"); await Bun.sleep(1200); console.log(child.pid);`;
    const parent = startParent([process.execPath, writeParent(scratch.path, statements)]);
    const group = Number(await firstLine(parent.stdout));
    const guards = () => childrenOf(parent.pid).filter((pid) => pid !== group);
    const [first] = guards();
    process.kill(first!, "SIGKILL");
    expect(await eventually(() => guards().some((pid) => pid !== first))).toBe(true);
    // It was started and received the group in one turn, which has ended when the parent responds.
    parent.kill("SIGUSR2");
    expect(await firstLine(parent.stdout)).toBe("here");
    parent.kill("SIGKILL");
    await parent.exited;
    expect(await eventually(() => !groupExists(group))).toBe(true);
  });
});
