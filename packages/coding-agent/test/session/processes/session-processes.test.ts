import { expect, test } from "bun:test";
import { LazyProcessRunner } from "../../../../exec/src/processes/lazy-process-runner.ts";
import { Settings } from "../../../src/config/settings/settings.ts";
import { SessionProcesses } from "../../../src/session/processes/session-processes.ts";
import type { BashOperations } from "../../../src/tools/bash/run-command.ts";

test("the end of the session does not wait for a command that an extension runs in its own way", async () => {
  const begun = Promise.withResolvers<void>();
  const operations: BashOperations = {
    exec(_command, _cwd, { signal }) {
      begun.resolve();
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    },
  };
  const recorded: unknown[] = [];
  const processes = new SessionProcesses({
    settings: Settings.inMemory(),
    processRunner: new LazyProcessRunner(),
    cwd: () => "/",
    sessionFile: () => undefined,
    now: () => 0,
    hooks: () => ({ userBash: async () => ({ operations }) }),
    recorder: () => (message) => recorded.push(message),
  });
  const result = processes.runBash({ command: "make" });
  await begun.promise;
  await processes.end("shutdown");
  expect(recorded).toMatchObject([{ command: "make", cancelled: true }]);
  expect(await result).toMatchObject({ cancelled: true });
});
