import { describe, expect, test } from "bun:test";
import type { AssistantMessageEvent } from "../../src/stream-events.ts";
import { checkEvents } from "./event-checker.ts";
import type { ProtocolSamples } from "./fault-matrix.ts";
import { open, splitAtTerminal, TEXT, until } from "./fault-matrix-answer.ts";
import { type LoopbackServer, type Respond, sendEventsAndHang, startLoopbackServer } from "./loopback-server.ts";

/** The caller stops: the terminal event is available immediately, and the server is notified. */
export function describeAborts(samples: ProtocolSamples): void {
  const { before } = splitAtTerminal(samples, samples.text);
  const half = before.join("");

  describe("abort", () => {
    test("before the request sends nothing", async () => {
      await using server = await startLoopbackServer(sendEventsAndHang(half));
      const events = await readWithinATick(open(samples, server, { signal: AbortSignal.abort() }));
      expect(checkEvents(events)).toMatchObject({ failure: { kind: "aborted" }, message: { content: [] } });
      expect(server.requests).toEqual([]);
    });

    test("right after the call", async () => {
      await using server = await startLoopbackServer(sendEventsAndHang(half));
      const controller = new AbortController();
      const stream = open(samples, server, { signal: controller.signal });
      controller.abort();
      expectAborted(await readWithinATick(stream));
    });

    test("while waiting for the headers", async () => {
      await abortWhen(
        () => {},
        ({ requests }) => requests.length === 1,
      );
    });

    test("while waiting for the first event", async () => {
      await abortWhen(sendEventsAndHang(""), ({ requests }) => requests.length === 1);
    });

    test("in the middle of the answer", async () => {
      await using server = await startLoopbackServer(sendEventsAndHang(half));
      const controller = new AbortController();
      const stream = open(samples, server, { signal: controller.signal });
      const events: AssistantMessageEvent[] = [];
      const iterator = stream[Symbol.asyncIterator]();
      while (!events.some(({ type }) => type === "text_delta")) {
        const step = await iterator.next();
        if (step.done) throw new Error("ended before its text");
        events.push(step.value);
      }
      controller.abort();
      events.push(...(await readWithinATick({ [Symbol.asyncIterator]: () => iterator })));
      expectAborted(events);
      await until(() => server.openSockets() === 0);
    });

    test("twice, and after the end, has no effect", async () => {
      await using server = await startLoopbackServer(sendEventsAndHang(samples.text));
      const controller = new AbortController();
      const events: AssistantMessageEvent[] = [];
      for await (const event of open(samples, server, { signal: controller.signal })) events.push(event);
      controller.abort();
      controller.abort();
      expect(checkEvents(events).failure).toBeUndefined();
    });

    test("a reader that stops while the server is silent closes the socket", async () => {
      await using server = await startLoopbackServer(sendEventsAndHang(half));
      let said = "";
      for await (const event of open(samples, server)) {
        if (event.type === "text_delta") said += event.delta;
        if (said !== TEXT) continue;
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        break;
      }
      await until(() => server.openSockets() === 0);
      expect(said).toBe(TEXT);
    });

    test("a reader that stops at the first event closes the socket", async () => {
      await using server = await startLoopbackServer(sendEventsAndHang(half));
      const seen: string[] = [];
      for await (const { type } of open(samples, server)) {
        seen.push(type);
        break;
      }
      await until(() => server.openSockets() === 0);
      expect(seen).toEqual(["start"]);
    });
  });

  async function abortWhen(respond: Respond, isReady: (server: LoopbackServer) => boolean): Promise<void> {
    await using server = await startLoopbackServer(respond);
    const controller = new AbortController();
    const stream = open(samples, server, { signal: controller.signal });
    await until(() => isReady(server));
    controller.abort();
    expectAborted(await readWithinATick(stream));
    await until(() => server.openSockets() === 0);
  }
}

function expectAborted(events: AssistantMessageEvent[]): void {
  const { failure, message } = checkEvents(events);
  expect(failure).toEqual({ kind: "aborted" });
  expect(message).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted" });
}

/** Returns everything that can be read without a turn of the event loop: no timer, no network. */
async function readWithinATick(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const iterator = stream[Symbol.asyncIterator]();
  const late = new Promise<"late">((resolve) => setImmediate(() => resolve("late")));
  const events: AssistantMessageEvent[] = [];
  for (;;) {
    const step = await Promise.race([iterator.next(), late]);
    if (step === "late") throw new Error(`still open after ${events.map(({ type }) => type).join(", ")}`);
    if (step.done) return events;
    events.push(step.value);
  }
}
