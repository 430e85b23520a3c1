import { expect, test } from "bun:test";
import type { Tool } from "@pintle/agent";
import { findTools } from "../../../src/session/tools/find-tools.ts";

test("of an endless query the beginning is searched for", () => {
  const tool = { name: "mcp__web__open", label: "Open", description: "Opens a page", parameters: {} } as Tool;
  const filler = "zzz ".repeat(1_000);
  expect(findTools(`open ${filler}`, [tool]).names).toEqual([tool.name]);
  expect(findTools(`${filler} open`, [tool]).names).toEqual([]);
});
