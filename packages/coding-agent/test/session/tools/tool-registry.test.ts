import { describe, expect, test } from "bun:test";
import type { Tool } from "@pintle/agent";
import { ToolRegistry } from "../../../src/session/tools/tool-registry.ts";

function tool(name: string, label = name): Tool {
  return { name, label, description: "", parameters: { type: "object" }, execute: async () => ({ content: [] }) };
}

const labels = (registry: ToolRegistry) => registry.active().map(({ label }) => label);

describe("a tool that an extension wraps", () => {
  test("is back when the extension is gone", () => {
    const registry = new ToolRegistry();
    registry.replace("builtin", [{ tool: tool("read") }, { tool: tool("write") }]);
    registry.replace("extension", [{ tool: tool("read", "wrapped") }]);
    expect(labels(registry)).toEqual(["wrapped", "write"]);
    registry.replace("extension", []);
    expect(labels(registry)).toEqual(["read", "write"]);
  });

  test("is not, if it was not offered before", () => {
    const registry = new ToolRegistry({ noBuiltin: true });
    registry.replace("builtin", [{ tool: tool("read") }]);
    registry.replace("extension", [{ tool: tool("read", "wrapped") }]);
    expect(labels(registry)).toEqual(["wrapped"]);
    registry.replace("extension", []);
    expect(labels(registry)).toEqual([]);
  });
});

test("a requested hidden tool stays while its source keeps offering it", () => {
  const registry = new ToolRegistry();
  registry.replace("custom", [{ tool: tool("secret"), isHidden: true }]);
  registry.setOffered("secret", true);
  registry.replace("custom", [{ tool: tool("secret", "again"), isHidden: true }]);
  expect(labels(registry)).toEqual(["again"]);
  registry.replace("custom", []);
  expect(labels(registry)).toEqual([]);
});

test("an excluded tool is not offered, whatever its source", () => {
  const registry = new ToolRegistry({ except: ["bash", "secret"] });
  registry.replace("builtin", [
    { tool: tool("bash") },
    { tool: tool("read") },
    { tool: tool("secret"), isHidden: true },
  ]);
  registry.replace("extension", [{ tool: tool("bash", "wrapped") }]);
  registry.setOffered("secret", true);
  expect(labels(registry)).toEqual(["read"]);
  expect(registry.setActive(["bash", "read", "nothing"])).toEqual(["nothing"]);
  expect(labels(registry)).toEqual(["read"]);
});

test("the tools that servers list are known by name, not those that read their resources nor those in their place", () => {
  const registry = new ToolRegistry();
  const server = "one";
  registry.replace("mcp", [
    { tool: tool("mcp__one__a"), server },
    { tool: tool("mcp__one__b"), server },
    { tool: tool("list_resources") },
  ]);
  expect([...registry.mcpNames()]).toEqual(["mcp__one__a", "mcp__one__b"]);
  registry.replace("extension", [{ tool: tool("mcp__one__a", "wrapped") }]);
  expect([...registry.mcpNames()]).toEqual(["mcp__one__b"]);
});

test("a tool that has left is judged by where it came from, and one that was never there is not built in", () => {
  const registry = new ToolRegistry();
  registry.replace("mcp", [{ tool: tool("mcp__one__a"), server: "one" }, { tool: tool("read_resource") }]);
  registry.replace("host", [{ tool: tool("open_file") }]);
  registry.replace("mcp", []);
  registry.replace("host", []);
  const names = ["mcp__one__a", "read_resource", "open_file", "nothing", "resolve", "call_late_tool"];
  expect(names.map((name) => registry.originOf(name))).toEqual([
    "mcp:one",
    "mcp",
    "host",
    "custom",
    "builtin",
    "builtin",
  ]);
  registry.replace("extension", [{ tool: tool("mcp__one__a", "wrapped") }]);
  expect(registry.originOf("mcp__one__a")).toBe("custom");
});
