import { expect, test } from "bun:test";
import type { ShellResult } from "@pintle/exec/processes";
import { rejection } from "../../../../ai/test/support/rejection.ts";
import { BackgroundJobs } from "../../../src/jobs/background-jobs.ts";
import { runWithJobs } from "../../../src/tools/bash/in-background.ts";
import type { CommandRequest, CommandRunner } from "../../../src/tools/bash/run-command.ts";

let tried = Promise.withResolvers<void>();

/** Jobs whose session cannot store that one starts. */
const jobs = new BackgroundJobs({
  now: () => 0,
  maxJobs: () => 10,
  isWanted: () => true,
  session: () => ({ id: "s", entries: () => [] }),
  record() {
    tried.resolve();
    throw new Error("the disk is full");
  },
  emit() {},
  startRun: async () => {},
  isIdle: () => true,
} as ConstructorParameters<typeof BackgroundJobs>[0]);

/** A command that runs until it is stopped. */
function endless() {
  const stopped = Promise.withResolvers<void>();
  const run: CommandRunner = async ({ signal, onStart }: CommandRequest) => {
    const ended = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => ended.resolve());
    await Promise.resolve();
    onStart?.();
    await ended.promise;
    stopped.resolve();
    return { end: { kind: "cancelled" } } as unknown as ShellResult;
  };
  return { run, stopped: stopped.promise };
}

const options = { jobs, shownCommand: "sleep", isService: false, isLimited: false, autoAfterMs: undefined };
const command = { command: "sleep", cwd: "/", spill: undefined } as unknown as CommandRequest;

test("a command whose start as a job cannot be stored is stopped, and its call fails", async () => {
  const { run, stopped } = endless();
  const call = { id: "c", signal: new AbortController().signal };
  expect(String(await rejection(runWithJobs(run, command, call, { ...options, isAsync: true })))).toContain(
    "disk is full",
  );
  await stopped;
});

test("a command that cannot become a job stays with its call, which can still be aborted", async () => {
  const { run, stopped } = endless();
  tried = Promise.withResolvers();
  const abort = new AbortController();
  const running = runWithJobs(
    run,
    command,
    { id: "c", signal: abort.signal },
    { ...options, isAsync: false, autoAfterMs: 1 },
  );
  await tried.promise;
  abort.abort();
  await stopped;
  expect(await running).toMatchObject({ result: { end: { kind: "cancelled" } } });
});
