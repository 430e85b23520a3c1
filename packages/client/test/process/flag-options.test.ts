import { describe, expect, test } from "bun:test";
import { RpcClient } from "../../src/index.ts";
import { flagArgs } from "../../src/process/flag-options.ts";

test("options become flags", () => {
  const options = {
    ...({ model: "m", permissions: "ask", sandbox: "off", thinking: "low", noSession: true, trust: false } as const),
    systemPrompt: "notes.md",
    appendSystemPrompt: ["@here", "- list"],
    addDirs: ["/a", "/b"],
    settings: { "output.strategy": "tool", "host.toolTimeoutMs": 5 },
    builtinTools: ["read"],
    replaySpeed: 2,
  };
  expect(flagArgs(options)).toEqual([
    "--model",
    "m",
    "--thinking",
    "low",
    "--no-session",
    "--system-prompt",
    "notes.md\n",
    "--append-system-prompt",
    "\n@here",
    "--append-system-prompt=- list\n",
    "--permissions",
    "ask",
    "--sandbox",
    "off",
    "--no-trust",
    "--add-dir",
    "/a",
    "--add-dir",
    "/b",
    "--set",
    'output.strategy="tool"',
    "--set",
    "host.toolTimeoutMs=5",
    "--tools",
    "read",
    "--replay-speed",
    "2",
  ]);
});

describe("an option that contradicts args throws", () => {
  test.each([
    [{ permissions: "ask", args: ["--permissions", "full"] }, "permissions"],
    [{ permissions: "ask", args: ["--permissions=full"] }, "permissions"],
    [{ noSession: true, args: ["--continue"] }, "noSession"],
    [{ session: "x", args: ["-r", "y"] }, "session"],
    [{ trust: true, args: ["-na"] }, "trust"],
    [{ builtinTools: ["read"], args: ["--no-tools"] }, "builtinTools"],
    [{ policy: [], args: ["--policy", "f"] }, "policy"],
    [{ budget: { turns: 1 }, args: ["--max-time=3"] }, "budget"],
    [{ outputSchema: {}, args: ["--output-schema", "f"] }, "outputSchema"],
    [{ settings: { a: 1 }, args: ["--set", "a=2"] }, "settings"],
    [{ noSession: true, session: "x" }, "session"],
  ] as const)("%j", (options, name) => {
    expect(() => new RpcClient(options)).toThrow(TypeError);
    expect(() => new RpcClient(options)).toThrow(name);
  });

  test.each([
    [{ permissions: "ask", args: ["--permissions", "ask"] }],
    [{ permissions: "ask", args: ["--permissions=ask", "--tools", "read"] }],
    [{ trust: true, args: ["--trust"] }],
    [{ settings: { a: 1 }, args: ["--set", "a=1", "--set", "b=2"] }],
    [{ addDirs: ["/a"], args: ["--add-dir", "/b"] }],
  ] as const)("but not %j", (options) => {
    expect(() => new RpcClient(options)).not.toThrow();
  });
});
