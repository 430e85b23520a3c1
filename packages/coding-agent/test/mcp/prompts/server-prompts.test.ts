import { expect, test } from "bun:test";
import type { McpClient } from "../../../src/mcp/connection/mcp-client.ts";
import { readPrompt } from "../../../src/mcp/prompts/server-prompt.ts";
import { ServerPrompts } from "../../../src/mcp/prompts/server-prompts.ts";

test("sends one list request at a time to a server that constantly reports changes", async () => {
  const open: ((answer: Record<string, unknown>) => void)[] = [];
  let asked = 0;
  const client = {
    isOver: false,
    offers: () => true,
    request: () => {
      asked += 1;
      return new Promise((resolve) => open.push(resolve));
    },
  } as unknown as McpClient;
  const closing = new AbortController();
  const told = Promise.withResolvers<void>();
  const prompts = new ServerPrompts({
    timeoutMs: 60_000,
    closing: closing.signal,
    onPrompts: () => told.resolve(),
    warn: () => {},
  });
  const first = prompts.read(client);
  for (let count = 0; count < 5; count += 1) prompts.changed();
  expect(asked).toBe(1);
  open.shift()?.({ prompts: [{ name: "a" }] });
  await first;
  expect(prompts.list.map(({ word }) => word)).toEqual(["a"]);
  expect(asked).toBe(2); // changed while it was being read
  for (let count = 0; count < 5; count += 1) prompts.changed();
  expect(asked).toBe(2);
  await told.promise;
  closing.abort();
  open.shift()?.({ prompts: [] });
});

test("drops an argument with an overlong name", () => {
  const read = readPrompt({ name: "p", arguments: [{ name: "x".repeat(100_000) }, { name: "path" }] });
  expect(read?.arguments.map(({ name }) => name)).toEqual(["path"]);
});
