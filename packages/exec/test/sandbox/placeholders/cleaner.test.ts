import { beforeEach, expect } from "bun:test";
import { readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { where } from "../../../../coding-agent/test/support/where.ts";
import { ExecFiles } from "../../../src/sandbox/exec-files.ts";
import { waitingProgram } from "../../../src/sandbox/placeholders/cleaner.ts";
import { FileLock } from "../../../src/sandbox/placeholders/file-lock.ts";
import { eventually } from "../../support/processes/living-processes.ts";

const linux = where(process.platform === "linux", "needs Linux");

let directory: string;
beforeEach(() => {
  directory = scratchPath();
});

/** Starts the program with two held locks. `isAt` says whether it has opened the lock. */
async function startWaiting() {
  const paths = ["shared", "own"].map((name) => join(directory, name));
  const [shared, own] = paths.map((path) => new FileLock(path)) as [FileLock, FileLock];
  for (const lock of [shared, own]) lock.tryTo("read");
  writeFileSync(join(directory, "pending"), "");
  const architecture = process.arch === "arm64" ? "arm64" : "x64";
  const image = waitingProgram(architecture, paths, join(directory, "pending"));
  const program = await new ExecFiles(join(directory, "programs")).program(image);
  const child = Bun.spawn([program, "/bin/echo", "cleaned"], { stdin: "ignore", stderr: "ignore" });
  const isAt = (name: string) => child.exitCode !== null || openFiles(child.pid).includes(join(directory, name));
  return { shared, own, isAt, output: new Response(child.stdout).text() };
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return []; // the process ended, or closed a file meanwhile
  }
}

linux.test("cleans up after a process that is killed and releases its locks one after another", async () => {
  const { shared, own, isAt, output } = await startWaiting();
  await eventually(() => isAt("shared"));
  shared.release();
  await eventually(() => isAt("own"));
  own.release();
  expect(await output).toBe("cleaned\n");
});

linux.test("leaves the cleaning to a command that starts in between", async () => {
  const { shared, own, isAt, output } = await startWaiting();
  await eventually(() => isAt("shared"));
  shared.release();
  await eventually(() => isAt("own"));
  const next = new FileLock(join(directory, "shared"));
  next.tryTo("read");
  own.release();
  rmSync(join(directory, "pending"));
  next.release();
  expect(await output).toBe("");
});
