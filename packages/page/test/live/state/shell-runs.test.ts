import { describe, expect, test } from "bun:test";
import type { RpcEvent } from "@pintle/client/core";
import { ShellRuns } from "../../../src/live/state/shell-runs.ts";

const written = { type: "bash_execution_update", delta: "a line\n" } as RpcEvent;
const told = { type: "session_snapshot", entries: [], leafId: null, tools: [] } as unknown as RpcEvent;

function shell() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const runs = new ShellRuns({ bash: () => promise, abortBash: async () => {} } as never);
  return { runs, end: resolve };
}

describe("the commands of users", () => {
  test("one that was started elsewhere is not this page's own", async () => {
    const { runs, end } = shell();
    runs.apply(written);
    expect([runs.isAtWork, runs.hasOwn]).toEqual([true, false]);
    const own = runs.run("ls", false);
    expect(runs.hasOwn).toBe(true);
    end();
    await own;
    expect(runs.hasOwn).toBe(false);
  });

  test("one that was started elsewhere may have ended while the page was away", async () => {
    const { runs, end } = shell();
    runs.apply(written);
    const own = runs.run("ls", false);
    runs.apply(told);
    expect(runs.runs.value.map(({ command }) => command)).toEqual(["ls"]);
    runs.apply({ type: "worker_exited" } as RpcEvent);
    expect(runs.isAtWork).toBe(false);
    end();
    await own;
  });
});
