import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { startExample } from "../support/examples/start-example.ts";

// Examples that show something, or write it down.

test("hello.ts answers its command", async () => {
  await using run = await startExample("hello.ts");
  await run.command("/hello");
  await run.command("/hello Ada");
  expect(run.shown("notify").map(({ message }) => message)).toEqual(["Hello, world!", "Hello, Ada!"]);
  expect((await run.rpc.call("get_messages")).data.messages).toEqual([]);
});

test("panel.ts shows a widget, a status and a title", async () => {
  await using run = await startExample("panel.ts", { files: { "a.txt": "x" }, env: { PI_RPC_EMIT_TITLE: "1" } });
  await run.rpc.prompt("read a.txt then read a.txt then read none.txt");
  const widget = await run.untilShown("setWidget", ({ widgetLines }) => widgetLines?.[0]?.includes("failed"));
  expect([widget.widgetLines, widget.widgetPlacement]).toEqual([["read × 3, 1 failed"], "belowEditor"]);
  await run.untilShown("setStatus", ({ statusText }) => /^context \d+ %$/.test(statusText));
  expect(run.shown("setTitle")[0]?.title).toBe(`pintle – ${basename(run.place.cwd)}`);
});

test("event-log.ts writes what happened, and no texts", async () => {
  await using run = await startExample("event-log.ts", {
    args: ["--event-log=log/../events.jsonl"],
    files: { "a.txt": "the content" },
  });
  await run.rpc.prompt("read a.txt");
  expect(await run.rpc.end()).toBe(0);
  const text = readFileSync(run.file("events.jsonl"), "utf8");
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ event }) => event)).toEqual(["session", "tool", "turn", "turn", "end"]);
  expect(events[1]).toMatchObject({ toolName: "read", isError: false, ms: expect.any(Number) });
  expect(events[3]).toMatchObject({ turnIndex: 1, model: "pintle/offline", stopReason: "stop" });
  expect(text).not.toContain("content");
});
