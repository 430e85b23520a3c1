import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readChecked } from "../../../../ai/test/support/event-checker.ts";
import {
  answersIn,
  claudeSays,
  exchanges,
  freshDirectory,
  hello,
  network,
  says,
} from "../../support/replay/exchanges.ts";

describe("abort", () => {
  const beginning = claudeSays([{ text: "Once upon a time" }], 4).split("event: content_block_stop")[0] as string;

  test("records an aborted answer up to the abort, and replays it as aborted", async () => {
    const directory = freshDirectory();
    const run = async (settings: object, fetch?: Parameters<typeof exchanges>[1]) => {
      const abort = new AbortController();
      const events = exchanges(settings, fetch).start({ context: says("tell"), options: { signal: abort.signal } });
      const seen = [];
      for await (const event of events) {
        seen.push(event.type);
        if ("partial" in event && JSON.stringify(event.partial).includes("a time")) abort.abort();
      }
      return seen;
    };
    const live = await run({ record: directory }, network({ body: beginning, hangs: true }).fetch);
    expect(live.at(-1)).toBe("error");
    expect(readFileSync(answersIn(directory)[0] as string, "utf8")).toContain('"end":"aborted"}');
    expect(await run({ replay: directory })).toEqual(live);
  });

  test("fails with an explanation if the caller does not abort this time", async () => {
    const directory = freshDirectory();
    const abort = new AbortController();
    const live = exchanges({ record: directory }, network({ body: beginning, hangs: true }).fetch);
    const events = live.start({ context: says("tell"), options: { signal: abort.signal } });
    for await (const event of events) if (event.type === "text_delta") abort.abort();
    const waited: number[] = [];
    const wait = async (ms: number) => void waited.push(ms);
    const { failure, message } = await exchanges({ replay: directory, wait }).ask({ context: says("tell") });
    expect(failure).toEqual({ kind: "not_found" });
    expect(message.errorMessage).toBe("The recording of this answer was aborted here, and this time it was not");
    expect(waited).toEqual([5000]);
  });

  test("leaves no listeners on the signal of a run that makes many requests", async () => {
    const abort = new AbortController();
    const listeners = new Set<unknown>();
    const { signal } = abort;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (type: string, listener: never) => {
      listeners.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: never) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    const { ask } = exchanges({ record: freshDirectory() }, network(hello).fetch);
    await ask({ context: says("hi"), options: { signal } });
    await new Promise((resolve) => setImmediate(resolve)); // the adapter reads to the end of the body
    expect(listeners.size).toBe(0);
  });

  test("treats a reader that stops in the middle as an abort", async () => {
    const directory = freshDirectory();
    const live = exchanges({ record: directory }, network({ body: beginning, hangs: true }).fetch);
    for await (const event of live.start({ context: says("tell") })) if (event.type === "text_delta") break;
    expect(readFileSync(answersIn(directory)[0] as string, "utf8")).toContain('"end":"aborted"}');
  });

  test("stores a complete answer once the reader has it, however long the connection stays open", async () => {
    const directory = freshDirectory();
    const { start } = exchanges({ record: directory }, network({ ...hello, hangs: true }).fetch);
    const { message } = await readChecked(start({ context: says("hi") }));
    const stored = readFileSync(answersIn(directory)[0] as string, "utf8");
    expect([message.stopReason, stored.endsWith('"end":"done"}\n')]).toEqual(["stop", true]);
  });

  test("ignores an abort after the end of a complete answer", async () => {
    const directory = freshDirectory();
    const abort = new AbortController();
    const net = network({ ...hello, hangs: true }); // the connection stays open after the last event
    const { start } = exchanges({ record: directory }, net.fetch);
    const { failure } = await readChecked(start({ context: says("hi"), options: { signal: abort.signal } }));
    expect(failure).toBeUndefined();
    abort.abort();
    expect(readFileSync(answersIn(directory)[0] as string, "utf8")).toContain('"end":"done"}');
  });
});
