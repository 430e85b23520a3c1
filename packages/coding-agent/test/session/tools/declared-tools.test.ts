import { describe, expect, test } from "bun:test";
import type { Tool } from "@pintle/agent";
import fc from "fast-check";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import { DeclaredTools, type LateTools } from "../../../src/session/tools/declared-tools.ts";

const tool = (name: string, fields: Partial<Tool> = {}): Tool => ({ ...makeTool(name), ...fields });
const names = (tools: readonly Tool[]) => tools.map(({ name }) => name).join(" ");
const schema = (...keys: string[]) => ({
  type: "object",
  properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])),
});

function declare(mode: LateTools) {
  const state = { mode, isCold: false };
  const held: string[] = [];
  const tools = new DeclaredTools({
    mode: () => state.mode,
    isCold: () => state.isCold,
    mayWait: (name) => !name.startsWith("own_"),
    onHeld: (some) => held.push(some.join(" ")),
  });
  return { state, held, tools };
}

const [own, read, late, early] = [tool("own_ask"), tool("read"), tool("late"), tool("a_tool")];

describe("append", () => {
  test("the first request has the list as it is, later tools follow, gone ones leave", () => {
    const { tools, held } = declare("append");
    expect(names(tools.send([own, read]))).toBe("own_ask read");
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read a_tool late");
    expect(names(tools.send([early, own, read]))).toBe("own_ask read a_tool");
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read a_tool late");
    expect(held).toEqual([]);
  });

  test("the list is the same while the wanted one is, before and after it is sent", () => {
    const { tools } = declare("append");
    const wanted = [own, read];
    tools.send(wanted);
    expect(tools.list(wanted)).toBe(wanted);
    const more = [early, own, read];
    const list = tools.list(more);
    expect(tools.send(more)).toBe(list);
    expect(tools.list(more)).toBe(list);
  });

  test("a tool that is redefined identically keeps its description, and runs as the new one", async () => {
    const { tools } = declare("append");
    const before = tool("late", { parameters: schema("a", "b") as Tool["parameters"] });
    tools.send([before]);
    const result = { content: [{ type: "text" as const, text: "new" }] };
    const again = tool("late", { parameters: schema("b", "a") as Tool["parameters"], execute: async () => result });
    const [declared] = tools.send([again]);
    expect(JSON.stringify(declared?.parameters)).toBe(JSON.stringify(before.parameters));
    expect(await declared?.execute({}, {} as never)).toBe(result);
    const other = tool("late", { description: "another", parameters: before.parameters });
    expect(tools.send([other])[0]?.description).toBe("another");
  });
});

describe("hold", () => {
  test("late tools wait until the conversation is not cached; each is announced once", () => {
    const { tools, state, held } = declare("hold");
    tools.send([own, read]);
    expect(names(tools.send([late, own, read]))).toBe("own_ask read");
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read");
    tools.send([early, late, own, read]);
    expect(held).toEqual(["late", "a_tool late"]);
    state.isCold = true;
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read a_tool late");
  });

  test("a tool of our own does not wait", () => {
    const { tools, held } = declare("hold");
    tools.send([read]);
    expect(names(tools.send([own, read]))).toBe("read own_ask");
    expect(names(tools.send([read]))).toBe("read");
    expect(held).toEqual([]);
  });

  test("a tool that is gone stays declared and says so, until nothing is lost by its leaving", async () => {
    const { tools, state } = declare("hold");
    tools.send([late, read]);
    const [gone, kept] = tools.send([read]);
    expect(gone).toMatchObject({ name: "late", description: late.description, parameters: late.parameters });
    expect(kept).toBe(read);
    await expect(gone?.execute({}, {} as never)).rejects.toThrow("The tool late is no longer available.");
    const [back] = tools.send([late, read]);
    expect((await back?.execute({}, {} as never))?.content).toBeArray();
    tools.send([read]);
    state.isCold = true;
    expect(names(tools.send([read]))).toBe("read");
  });

  test("another description waits as well", () => {
    const { tools, state } = declare("hold");
    tools.send([late]);
    const other = tool("late", { description: "another" });
    expect(tools.send([other])[0]?.description).toBe(late.description);
    state.isCold = true;
    expect(tools.send([other])[0]?.description).toBe("another");
  });
});

test("whatever comes and goes, each list begins with what it shares with the one before, and holds all that is wanted", () => {
  const pool = [..."abcdefgh"].map((name) => tool(name));
  const wishes = fc.array(fc.subarray(pool), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(wishes, (rounds) => {
      const { tools } = declare("append");
      let before: readonly Tool[] = [];
      for (const wanted of rounds) {
        const now = tools.send(wanted);
        expect(new Set(now)).toEqual(new Set(wanted));
        expect(now).toHaveLength(wanted.length);
        const stay = before.filter((one) => wanted.includes(one));
        expect(now.slice(0, stay.length)).toEqual(stay);
        before = now;
      }
    }),
  );
});
