import { expect, test } from "bun:test";
import { startServer } from "../support/running-server.ts";

/** The streams of a parent that writes and reads only when the test says so. */
function parent() {
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const writer = input.writable.getWriter();
  let written = "";
  let reading: PromiseWithResolvers<void> | undefined;
  return {
    streams: {
      input: input.readable,
      output: {
        write(data: string) {
          written += data;
          return data.length;
        },
        flush: () => reading?.promise,
      },
    },
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    close: () => writer.close(),
    stopReading() {
      reading = Promise.withResolvers<void>();
    },
    readOn() {
      reading?.resolve();
      reading = undefined;
    },
    lines: () =>
      written
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

test("the parent is a host, and what it sent before its end is answered", async () => {
  const { streams, send, close, lines } = parent();
  await using server = await startServer({ stdio: streams });
  await send("one\ntw");
  await send("o\nthree");
  await close();
  await server.server.parentGone;
  expect(lines().map(({ type, line }) => line ?? type)).toEqual(["server_ready", "one", "two", "three"]);
});

test("a parent that does not read holds its sessions back and loses nothing", async () => {
  const { streams, stopReading, readOn, lines } = parent();
  await using server = await startServer({ stdio: streams });
  const [host] = server.gateway.hosts;
  stopReading();
  const text = "x".repeat(100_000);
  let seq = 0;
  for (; !host!.backPressure(); seq += 1) {
    host!.send({ json: JSON.stringify({ type: "notice", text, sessionId: "s", seq }), sessionId: "s", seq });
    await Promise.resolve();
  }
  const relief = host!.backPressure();
  readOn();
  await relief;
  while (lines().length < seq + 1) await Bun.sleep(1);
  expect(
    lines()
      .slice(1)
      .map((frame) => frame.seq),
  ).toEqual(Array.from({ length: seq }, (_, index) => index));
});

test("a parent that is gone ends the connection", async () => {
  const { streams, send, close } = parent();
  const broken = { ...streams, output: { write: () => Promise.reject(new Error("EPIPE")), flush: () => undefined } };
  await using server = await startServer({ stdio: broken });
  while (server.gateway.closed === 0) await Bun.sleep(1);
  await send("not heard");
  await close();
  await server.server.parentGone;
  expect(server.gateway.received).toEqual([]);
});
