import { describe, expect, test } from "bun:test";
import type { AssistantMessageEvent } from "../../src/stream-events.ts";
import { type CheckedAnswer, checkEvents, readChecked } from "./event-checker.ts";
import type { ProtocolSamples } from "./fault-matrix.ts";
import { ask, open, splitAtTerminal, TEXT, until } from "./fault-matrix-answer.ts";
import { sendEvents, sendEventsAndHang, sendEventsAndReset, startLoopbackServer } from "./loopback-server.ts";

const IDLE_MS = 40;

/** Network faults during an answer. */
export function describeConnection(samples: ProtocolSamples): void {
  const { before, terminal } = splitAtTerminal(samples, samples.text);
  const half = before.join("");

  describe("connection", () => {
    test("refused", async () => {
      const closed = await startLoopbackServer();
      await closed[Symbol.asyncDispose]();
      const { failure, message } = await readChecked(open(samples, closed));
      expect(failure).toEqual({ kind: "network" });
      expect(message.errorMessage).toContain("connection refused");
    });

    test("reset before the headers", async () => {
      const { failure } = await ask(samples, (_response, _request, socket) => void socket.resetAndDestroy());
      expect(failure).toEqual({ kind: "network" });
    });

    test("reset in the middle", async () => {
      const { failure, message } = await askAndReset(half);
      expect(failure).toEqual({ kind: "network" });
      expect(message.content).not.toEqual([]);
    });

    test("closed in the middle of a chunk", async () => {
      const { failure } = await ask(samples, (response, _request, socket) => {
        response.writeHead(200, { "content-type": "text/event-stream", "content-length": "100000" });
        response.write(half);
        setTimeout(() => socket.end(), 20);
      });
      expect(failure).toEqual({ kind: "network" });
    });

    test("reset after the answer is complete loses nothing", async () => {
      const { failure, message } = await askAndReset(half + terminal);
      expect(failure).toBeUndefined();
      expect(message.stopReason).toBe("stop");
    });

    test.each([
      ["before the headers", () => {}],
      ["after the headers", sendEventsAndHang("")],
      ["in the middle", sendEventsAndHang(half)],
    ])("silence %s is a stall, and the socket is closed", async (_name, respond) => {
      await using server = await startLoopbackServer(respond);
      const { failure, message } = await readChecked(open(samples, server, { idleTimeoutMs: IDLE_MS }));
      expect(failure).toEqual({ kind: "stall" });
      expect(message.errorMessage).toStartWith("stream stall");
      await until(() => server.openSockets() === 0);
    });

    test("silence in the body of an error is a stall as well", async () => {
      const { failure } = await ask(
        samples,
        (response) => void response.writeHead(503, { "content-type": "application/json" }).write('{"err'),
        { idleTimeoutMs: IDLE_MS },
      );
      expect(failure).toEqual({ kind: "stall" });
    });

    test("keep-alives alone do not keep a dead answer alive", async () => {
      await using server = await startLoopbackServer(async (response) => {
        await sendEventsAndHang(half)(response, undefined as never, undefined as never);
        const timer = setInterval(() => response.write(": keep-alive\n\n"), IDLE_MS / 4);
        response.on("close", () => clearInterval(timer));
      });
      const { failure } = await readChecked(open(samples, server, { idleTimeoutMs: IDLE_MS }));
      expect(failure).toEqual({ kind: "stall" });
    });

    test("silence after the answer is complete is not an error", async () => {
      const { failure } = await ask(samples, sendEventsAndHang(half + terminal), { idleTimeoutMs: 500 });
      expect(failure).toBeUndefined();
    });

    test("a server that never closes does not delay the end of the answer", async () => {
      const { failure } = await ask(samples, sendEventsAndHang(samples.text), { idleTimeoutMs: 0 });
      expect(failure).toBeUndefined();
    });

    test("a second request after each fault works", async () => {
      await using server = await startLoopbackServer(sendEventsAndReset(half), sendEvents(samples.text));
      expect((await readChecked(open(samples, server))).failure?.kind).toBe("network");
      expect((await readChecked(open(samples, server))).failure).toBeUndefined();
    });
  });

  /** Resets once the text has been read: with a timer, a busy machine would lose it. */
  async function askAndReset(text: string): Promise<CheckedAnswer> {
    let reset = () => {};
    await using server = await startLoopbackServer((response, request, socket) => {
      reset = () => socket.resetAndDestroy();
      return sendEventsAndHang(text)(response, request, socket);
    });
    const events: AssistantMessageEvent[] = [];
    let said = "";
    for await (const event of open(samples, server)) {
      events.push(event);
      if (event.type === "text_delta") said += event.delta;
      if (said === TEXT) reset();
    }
    return checkEvents(events);
  }
}
