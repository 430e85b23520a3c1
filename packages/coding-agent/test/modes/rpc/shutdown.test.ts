import { expect, test } from "bun:test";
import { Shutdown } from "../../../src/modes/rpc/shutdown.ts";
import { FakeTimers, settle } from "../frames/fake-timers.ts";

/** Every step ends when the test says so; `log` tells which was begun. */
function createShutdown({ isStreaming }: { isStreaming: boolean }) {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const step = (name: string) => {
    log.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const timers = new FakeTimers();
  const shutdown = new Shutdown({
    session: { isStreaming, abort: () => step("abort run"), dispose: () => step("dispose") },
    dispatcher: { abortEarlier: () => void log.push("abort waiting prompts"), settled: () => step("commands") },
    writer: { drain: () => step("drain").then(() => true) },
    timers,
    reportBug: () => {},
    warn: () => {},
  });
  const end = async (name: string) => {
    ends.get(name)!();
    await settle();
  };
  const advance = async (ms: number) => {
    timers.advance(ms);
    await settle();
  };
  return { shutdown, timers, log, end, advance };
}

test("a run is aborted, and each step waits for the one before", async () => {
  const { shutdown, timers, log, end } = createShutdown({ isStreaming: true });
  const result = shutdown.run();
  expect(log).toEqual(["abort waiting prompts", "abort run", "commands"]);
  await end("abort run");
  expect(log.length).toBe(3);
  await end("commands");
  expect(log[3]).toBe("dispose");
  await end("dispose");
  expect(log[4]).toBe("drain");
  await end("drain");
  expect(await result).toBe(true);
  expect(timers.pendingCount).toBe(0);
});

test("without a run nothing is aborted: a compaction that was accepted may finish", async () => {
  const { shutdown, log } = createShutdown({ isStreaming: false });
  void shutdown.run();
  await settle();
  expect(log).toEqual(["abort waiting prompts", "commands"]);
});

test("commands and the session have 5 s each", async () => {
  const { shutdown, log, advance } = createShutdown({ isStreaming: false });
  void shutdown.run();
  await advance(4_999);
  expect(log.at(-1)).toBe("commands");
  await advance(1);
  expect(log.at(-1)).toBe("dispose");
  await advance(4_999);
  expect(log.at(-1)).toBe("dispose");
  await advance(1);
  await advance(250); // for what the end of the session has cancelled
  expect(log.at(-1)).toBe("drain");
});

test("in a hurry everything together has the limit, and closing the session half of it", async () => {
  const { shutdown, log, advance } = createShutdown({ isStreaming: true });
  const result = shutdown.run();
  await advance(1_000);
  shutdown.hurry(800);
  await advance(400);
  expect(log.at(-1)).toBe("dispose");
  await advance(400);
  expect(log.at(-1)).toBe("drain");
  expect(await result).toBe(true);
});
