import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { readChecked } from "../../../ai/test/support/event-checker.ts";
import { replayResponse, type Wait } from "../../src/replay/replayed-response.ts";
import { answersIn, claudeSays, exchanges, freshDirectory, network, says } from "../support/replay/exchanges.ts";

const EVENTS = '{"status":200,"headers":{"content-type":"text/event-stream"}}';
const at = (...lines: object[]) => `${[EVENTS, ...lines.map((line) => JSON.stringify(line))].join("\n")}\n`;
const restore = (text: string) => text;
const never = new AbortController().signal;

function recorder(): { wait: Wait; pauses: number[] } {
  const pauses: number[] = [];
  return { pauses, wait: async (ms) => void pauses.push(ms) };
}

async function pausesOf(speed: number | undefined): Promise<number[]> {
  const { wait, pauses } = recorder();
  const text = at({ t: 100, data: "a" }, { t: 100, data: "b" }, { t: 350, data: "c" }, { t: 360, end: "done" });
  const response = await replayResponse(text, { restore, pace: { speed, wait }, signal: never });
  expect(await response.text()).toBe("data: a\n\ndata: b\n\ndata: c\n\n");
  return pauses;
}

describe("pace", () => {
  test("has no pauses by default", async () => {
    expect(await pausesOf(undefined)).toEqual([]);
  });

  test("is as recorded, or a multiple of it", async () => {
    expect(await pausesOf(1)).toEqual([100, 250, 10]);
    expect(await pausesOf(2)).toEqual([50, 125, 5]);
    expect(await pausesOf(0.5)).toEqual([200, 500, 20]);
  });

  test("follows the configured speed", async () => {
    const directory = freshDirectory();
    await exchanges({ record: directory }, network({ body: claudeSays([{ text: "a" }]) }).fetch).ask({
      context: says("hi"),
    });
    const [file] = answersIn(directory);
    const body = claudeSays([{ text: "a" }])
      .trim()
      .split("\n\n");
    const lines = body.map((event, index) => ({ t: index * 10, data: event.split("data: ")[1] }));
    writeFileSync(file as string, at(...lines, { t: 100, end: "done" }));
    for (const [settings, total] of [
      [{}, 0],
      [{ speed: 1 }, 50],
      [{ speed: 5 }, 10],
    ] as const) {
      const { wait, pauses } = recorder();
      const { failure } = await exchanges({ replay: directory, wait, ...settings }).ask({ context: says("hi") });
      expect(failure).toBeUndefined();
      // Bytes after the last event are read in the background.
      expect(pauses.slice(0, lines.length - 1).reduce((sum, ms) => sum + ms, 0)).toBe(total);
    }
  });
});

describe("a replayed response behaves like one from the network", () => {
  const long = claudeSays([{ text: "word ".repeat(2000) }], 5);

  async function recordedLong(): Promise<string> {
    const directory = freshDirectory();
    await exchanges({ record: directory }, network({ body: long, chunk: 5000 }).fetch).ask({ context: says("hi") });
    return directory;
  }

  test("waits for a reader that does not read", async () => {
    const text = at(...Array.from({ length: 1000 }, (_, t) => ({ t, data: String(t) })), { t: 1000, end: "done" });
    let parsed = 0;
    const counting = (data: string) => {
      parsed += 1;
      return data;
    };
    const { wait } = recorder();
    const response = await replayResponse(text, { restore: counting, pace: { speed: undefined, wait }, signal: never });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let n = 0; n < 3; n += 1) await reader.read();
    for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(parsed).toBe(3);
    await reader.cancel();
  });

  test("leaves a truncated event open, and sends nothing after an abort", async () => {
    const { wait } = recorder();
    const abort = new AbortController();
    const text = at({ t: 1, data: "a" }, { t: 2, data: "b", cut: true }, { t: 2, end: "done" });
    const options = { restore, pace: { speed: undefined, wait } };
    const whole = await replayResponse(text, { ...options, signal: never });
    expect(await whole.text()).toBe("data: a\n\ndata: b");
    const response = await replayResponse(text, { ...options, signal: abort.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    abort.abort(new Error("enough"));
    expect(reader.read()).rejects.toThrow("enough");
  });

  test("yields to other tasks, so a timer can abort it in the middle", async () => {
    const directory = await recordedLong();
    const abort = new AbortController();
    const events = exchanges({ replay: directory }).start({ context: says("hi"), options: { signal: abort.signal } });
    setImmediate(() => setImmediate(() => abort.abort()));
    const { failure, events: seen } = await readChecked(events);
    expect(failure).toEqual({ kind: "aborted" });
    expect(seen.length).toBeLessThan(1500);
  });

  test("an abort ends a recorded pause immediately", async () => {
    const directory = await recordedLong();
    const abort = new AbortController();
    const paused = Promise.withResolvers<void>();
    const wait: Wait = (_ms, signal) => {
      paused.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    };
    const [file] = answersIn(directory);
    writeFileSync(file as string, at({ t: 3_600_000, data: "{}" }, { t: 3_600_000, end: "done" }));
    const { start } = exchanges({ replay: directory, speed: 1, wait });
    const answer = readChecked(start({ context: says("hi"), options: { signal: abort.signal } }));
    await paused.promise;
    abort.abort();
    expect((await answer).failure).toEqual({ kind: "aborted" });
  });

  test("a real pause is a timer that an abort clears", async () => {
    const directory = await recordedLong();
    const [file] = answersIn(directory);
    writeFileSync(file as string, at({ t: 3_600_000, data: "{}" }, { t: 3_600_000, end: "done" }));
    const abort = new AbortController();
    const { start } = exchanges({ replay: directory, speed: 1 });
    const answer = readChecked(start({ context: says("hi"), options: { signal: abort.signal } }));
    setTimeout(() => abort.abort(), 5);
    expect((await answer).failure).toEqual({ kind: "aborted" });
  });
});
