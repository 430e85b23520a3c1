import { expect, test } from "bun:test";
import { NotSavedError } from "../../../../storage/src/session-error.ts";
import { Shutdown } from "../../../src/modes/rpc/shutdown.ts";
import { FakeTimers, settle } from "../../support/modes/frames/fake-timers.ts";

/** The test decides when each step ends; `log` records which have begun. */
interface Given {
  isStreaming: boolean;
  isRead?: boolean;
  isLost?: boolean;
  areWaiting?: boolean;
}

function createShutdown({ isStreaming, isRead = true, isLost = false, areWaiting = false }: Given) {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const step = (name: string) => {
    log.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const timers = new FakeTimers();
  const parts = { dispose: () => step("dispose") };
  const shutdown = new Shutdown({
    session: { isStreaming, abort: () => step("abort run"), dispose: () => parts.dispose() },
    dispatcher: {
      abortEarlier: () => void log.push("abort waiting prompts"),
      started: () => (areWaiting ? step("start") : undefined),
      hostGone: () => ends.get("start")?.(),
      settled: () => step("commands"),
    },
    writer: { drain: () => step("drain").then(() => isRead), progress: () => step("read"), isLost },
    timers,
    reportBug: (error) => void log.push(`bug: ${error}`),
    warn: (text) => void log.push(`warned: ${text}`),
  });
  const end = async (name: string) => {
    ends.get(name)!();
    await settle();
  };
  const advance = async (ms: number) => {
    timers.advance(ms);
    await settle();
  };
  return { shutdown, parts, timers, log, end, advance };
}

test("aborts the run, and each step waits for the previous one", async () => {
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

test("aborts nothing without a run, so an accepted compaction may finish", async () => {
  const { shutdown, log } = createShutdown({ isStreaming: false });
  void shutdown.run();
  await settle();
  expect(log).toEqual(["abort waiting prompts", "commands"]);
});

test("allows commands and the session 5 s each", async () => {
  const { shutdown, log, advance } = createShutdown({ isStreaming: false });
  void shutdown.run();
  await advance(4_999);
  expect(log.at(-1)).toBe("commands");
  await advance(1);
  expect(log.at(-1)).toBe("dispose");
  await advance(4_999);
  expect(log.at(-1)).toBe("dispose");
  await advance(1);
  await advance(250); // time for work that the end of the session cancelled
  expect(log.at(-1)).toBe("drain");
});

test("when forced, limits the whole shutdown, and closing the session to half of that", async () => {
  const { shutdown, log, advance } = createShutdown({ isStreaming: true });
  const result = shutdown.run();
  await advance(1_000);
  shutdown.hurry(800);
  await advance(400);
  expect(log.at(-1)).toBe("dispose");
  await advance(400);
  expect(log).toContain("drain");
  expect(await result).toBe(false); // neither finished in time
});

test("reports output that the host has not read as lost", async () => {
  const { shutdown, log, end } = createShutdown({ isStreaming: false, isRead: false });
  const result = shutdown.run();
  for (const step of ["commands", "dispose", "drain"]) await end(step);
  expect(await result).toBe(false);
  expect(log.at(-1)).toBe("warned: the host did not read the end of the output, which is lost");
});

test("reports nothing when the host has closed the pipe", async () => {
  const { shutdown, log, end } = createShutdown({ isStreaming: false, isRead: false, isLost: true });
  const result = shutdown.run();
  for (const step of ["commands", "dispose", "drain"]) await end(step);
  expect(await result).toBe(false);
  expect(log.at(-1)).toBe("drain");
});

test("reports an unsaved session in one sentence, not as a bug", async () => {
  const { shutdown, parts, log, end } = createShutdown({ isStreaming: false });
  parts.dispose = () => Promise.reject(new NotSavedError("/s.jsonl"));
  const result = shutdown.run();
  await end("commands");
  await end("drain");
  expect(await result).toBe(true);
  expect(log).toContain("warned: the session could not be saved to /s.jsonl");
  expect(log.join()).not.toContain("bug");
});

test("commands wait as long as the host keeps reading, then their own timeout starts", async () => {
  const { shutdown, log, end, advance } = createShutdown({ isStreaming: false, areWaiting: true });
  void shutdown.run();
  for (let count = 0; count < 3; count += 1) {
    await advance(4_999);
    await end("read");
  }
  expect(log).not.toContain("commands");
  await end("start");
  await end("read");
  expect(log.at(-1)).toBe("commands");
  await advance(5_000);
  expect(log.at(-1)).toBe("dispose");
});

test("commands that wait for a reader that has stopped never start", async () => {
  const { shutdown, log, advance } = createShutdown({ isStreaming: false, areWaiting: true });
  void shutdown.run();
  await settle();
  expect(log.at(-1)).toBe("read");
  await advance(5_000);
  expect(log.at(-1)).toBe("commands");
});
