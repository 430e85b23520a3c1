import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import type { ExtensionFactory, ExtensionToolContext } from "../../../src/extensibility/api/extension-types.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { show } from "../../support/session/test-session.ts";

type Work = (ctx: ExtensionToolContext) => Promise<unknown>;

const calling = [[{ call: "composite", args: {} }], [{ text: "done" }]];

/** An extension with one tool that does `work`. */
const composite =
  (work: Work): ExtensionFactory =>
  (pi) =>
    pi.registerTool({
      name: "composite",
      description: "Uses other tools",
      parameters: Type.Object({}),
      async execute(_id, _params, _signal, _onUpdate, ctx) {
        return { content: [{ type: "text", text: JSON.stringify(await work(ctx)) }] };
      },
    });

const write = (ctx: ExtensionToolContext) => ctx.executeTool("write", { path: "new.txt", content: "text" });

test("an extension's tool calls a built-in tool, and handlers see the parent call", async () => {
  const seen: unknown[] = [];
  const watching: ExtensionFactory = (pi) => {
    pi.on("tool_call", ({ toolName, toolCallId, parentToolCallId }) => {
      seen.push([toolName, parentToolCallId !== undefined && toolCallId === `${parentToolCallId}/1`]);
    });
    pi.on(
      "tool_result",
      ({ toolName, parentToolCallId }) => void seen.push([toolName, parentToolCallId !== undefined]),
    );
  };
  await using harness = await startExtensions(calling, {
    inline: [
      watching,
      composite(async (ctx) => [(await write(ctx)).isError, ctx.tools.some(({ name }) => name === "read")]),
    ],
  });
  await harness.prompt("go");
  expect(readFileSync(join(harness.cwd, "new.txt"), "utf8")).toBe("text");
  expect(seen).toEqual([
    ["composite", false],
    ["write", true],
    ["write", true],
    ["composite", false],
  ]);
  expect(show(harness.session.messages)).toContain("toolResult: [false,true]");
  const nested = harness.events.flatMap((event) => ("parentToolCallId" in event ? event.type : []));
  expect(nested).toEqual(["tool_execution_start", "tool_execution_end"]);
});

test("a handler that blocks the inner call blocks it", async () => {
  await using harness = await startExtensions(calling, {
    inline: [
      composite(write),
      (pi) => pi.on("tool_call", ({ toolName }) => (toolName === "write" ? { block: true, reason: "read only" } : {})),
    ],
  });
  await harness.prompt("go");
  expect(existsSync(join(harness.cwd, "new.txt"))).toBe(false);
  expect(String(show(harness.session.messages))).toContain("read only");
});

test("an inner call needs the same permission and does not run without approval", async () => {
  await using harness = await startExtensions(calling, {
    inline: [composite(write)],
    settings: { "permissions.mode": "ask", "permissions.rules": [{ effect: "allow", tool: "composite" }] },
  });
  await harness.prompt("go");
  expect(existsSync(join(harness.cwd, "new.txt"))).toBe(false);
  const ends = harness.events.flatMap((event) => (event.type === "tool_execution_end" ? [event] : []));
  expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual([
    ["write", true],
    ["composite", false],
  ]);
});

test("inner calls count toward the budget of tool calls", async () => {
  await using harness = await startExtensions(calling, {
    inline: [composite((ctx) => Promise.all([1, 2, 3].map(() => ctx.executeTool("ls", {}))))],
  });
  harness.session.budget.set({ toolCalls: 2, scope: "run", onReached: "stop" });
  await harness.prompt("go");
  expect(harness.requests).toHaveLength(1);
});

test("rejects an invalid call and a call to a hidden tool", async () => {
  const hidden: ExtensionFactory = (pi) =>
    pi.registerTool({
      name: "unreachable",
      description: "Never called",
      parameters: Type.Object({}),
      exposure: "hidden",
      execute: async () => ({ content: [{ type: "text", text: "ran" }] }),
    });
  const refused = async (call: Promise<unknown>) =>
    call.then(
      () => "ran",
      (error: Error) => error.message,
    );
  await using harness = await startExtensions(calling, {
    inline: [
      hidden,
      composite(async (ctx) => [
        await refused(ctx.executeTool(5 as never, {})),
        await refused(ctx.executeTool("ls", "x" as never)),
        (await ctx.executeTool("unreachable", {})).isError,
      ]),
    ],
  });
  await harness.prompt("go");
  const result = show(harness.session.messages).find((line) => line.startsWith("toolResult"));
  expect(result).toContain("takes the name of a tool");
  expect(result).toContain("as an object");
  expect(result).toContain(",true]");
});
