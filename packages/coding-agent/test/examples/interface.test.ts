import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { git } from "../support/examples/git.ts";
import { startExample } from "../support/examples/start-example.ts";
import { says } from "../support/scenarios/chat-server.ts";

// Examples that display or record something.

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

test("event-log.ts logs the events without their content", async () => {
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

test("tell-when-done.ts shows a message and passes it to a program", async () => {
  await using run = await startExample("tell-when-done.ts", {
    args: ["--on-done", "./bell"],
    prepare: ({ cwd }) => writeFileSync(`${cwd}/bell`, '#!/bin/sh\necho "$1" > rung; exit 1\n', { mode: 0o755 }),
  });
  await run.rpc.prompt("list then list");
  const { message } = await run.untilShown("notify", ({ notifyType }) => notifyType === "info");
  expect(message).toMatch(/^done: 2 tool calls, \d+ s$/);
  const failed = await run.untilShown("notify", ({ notifyType }) => notifyType === "warning");
  expect([failed.message, readFileSync(run.file("rung"), "utf8")]).toEqual(["./bell failed: ", `${message}\n`]);
});

test("placeholders.ts replaces known placeholders, and hides its help from the model", async () => {
  await using run = await startExample("placeholders.ts", {
    answers: [says("ok")],
    prepare: ({ cwd }) => git(cwd, "init"),
  });
  await run.command("{help}");
  expect([run.shown("notify")[0]?.message, run.requests.length]).toEqual([expect.stringContaining("{branch}"), 0]);
  await run.rpc.prompt("On {branch} and {branch}, {unknown}");
  await run.rpc.prompt("as it is");
  const prompts = run.requests.map(({ body }) => body.messages.at(-1).content);
  expect(prompts).toEqual(["On trunk and trunk, {unknown}", "as it is"]);
});

test("project-facts.ts gives the model facts from the project's files, updated for every prompt", async () => {
  await using run = await startExample("project-facts.ts", { answers: [says("ok")] });
  await run.rpc.prompt("one");
  writeFileSync(run.file("pnpm-lock.yaml"), "");
  writeFileSync(run.file("CONVENTIONS.md"), "Tabs.");
  await run.rpc.prompt("two");
  const told = run.requests.map(({ body }) =>
    ["managed with pnpm", "Conventions of this project:\nTabs."].map((text) => body.messages[0].content.includes(text)),
  );
  expect(told).toEqual([
    [false, false],
    [true, true],
  ]);
});

test("team-pack adds a skill, a template and a rule", async () => {
  await using run = await startExample("team-pack", { answers: [says("ok")] });
  const { commands } = (await run.rpc.call("get_commands")).data;
  expect(commands.map(({ name }: { name: string }) => name)).toContain("changes");
  await run.rpc.prompt("/changes since v1");
  const [system, prompt] = run.requests[0]?.body.messages ?? [];
  expect(prompt.content).toContain("Look at the commits since v1 and tell");
  expect(
    ["release-notes", "a change without a test is not finished"].map((text) => system.content.includes(text)),
  ).toEqual([true, true]);
});
