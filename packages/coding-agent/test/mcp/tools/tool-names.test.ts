import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { nameTools, toolName } from "../../../src/mcp/tools/tool-names.ts";

describe("names of tools", () => {
  test.each<[string, string, string]>([
    ["github", "create_issue", "mcp__github__create_issue"],
    ["my-server.1", "get/thing now", "mcp__my_server_1__get_thing_now"],
    ["s", "grüße", "mcp__s__gr__e"],
  ])("%s and %s", (server, tool, name) => {
    expect(toolName({ server, tool })).toBe(name);
  });

  test("truncates long names and appends a hash that keeps them unique", () => {
    const [a, b] = ["a", "b"].map((end) => toolName({ server: "server", tool: "x".repeat(80) + end })) as [
      string,
      string,
    ];
    expect([a.length, b.length]).toEqual([64, 64]);
    expect(a.slice(0, 55)).toBe(b.slice(0, 55));
    expect(a).toMatch(/^mcp__server__x+_[0-9a-f]{8}$/);
    expect(a).not.toBe(b);
    expect(toolName({ server: "s", tool: "x".repeat(56) })).toBe(`mcp__s__${"x".repeat(56)}`);
  });

  test("keeps the first of two equal names, whichever server connected first", () => {
    const origins = [
      { server: "a_b", tool: "t" },
      { server: "a.b", tool: "t" },
      { server: "a-b", tool: "t" },
    ];
    const { named, collisions } = nameTools(origins);
    expect(collisions).toEqual(["mcp__a_b__t"]);
    const byServer = Object.fromEntries(named.map(({ name, origin }) => [origin.server, name]));
    expect(byServer["a-b"]).toBe("mcp__a_b__t");
    expect(byServer["a.b"]).toMatch(/^mcp__a_b__t_[0-9a-f]{8}$/);
    expect(new Set(Object.values(byServer)).size).toBe(3);
  });

  test("gives every set of tools unique names that providers accept, in any order", () => {
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.constantFrom("a.b", "a_b", "a-b", "a__b", "b"),
    );
    const origin = fc.record({ server: word, tool: word });
    const origins = fc.uniqueArray(origin, {
      selector: ({ server, tool }) => JSON.stringify([server, tool]),
      maxLength: 12,
    });
    fc.assert(
      fc.property(origins, (all) => {
        const names = nameTools(all).named.map(({ name }) => name);
        expect(new Set(names).size).toBe(all.length);
        for (const name of names) expect(name).toMatch(/^\w{1,64}$/);
        const keyed = (list: typeof all) =>
          new Map(nameTools(list).named.map(({ name, origin: o }) => [name, JSON.stringify(o)]));
        expect(keyed([...all].reverse())).toEqual(keyed(all));
      }),
    );
  });
});
