import { describe, expect, test } from "bun:test";
import type { Tool } from "@pintle/agent";
import { scriptedModel } from "@pintle/ai/testing";
import fc from "fast-check";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import { contextPrefix } from "../../../../ai/src/request-prefix.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import { type LateTools, mergeTools } from "../../../src/session/tools/tool-view.ts";
import { freshPlace, startSession } from "../../support/session/test-session.ts";

const tool = (name: string, fields: Partial<Tool> = {}): Tool => ({ ...makeTool(name), ...fields });
const names = (tools: readonly Tool[]) => tools.map(({ name }) => name).join(" ");
const schema = (...keys: string[]) => ({
  type: "object",
  properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])),
});

/** Requests that declare tools, one after another. */
function declare(mode: LateTools) {
  const state = { isCold: false };
  let sent: readonly Tool[] | undefined;
  const tools = {
    send(wanted: readonly Tool[]): readonly Tool[] {
      const waits = (name: string) => !state.isCold && mode !== "append" && !name.startsWith("own_");
      sent = sent ? mergeTools(sent, wanted, waits) : wanted;
      return sent;
    },
  };
  return { state, tools };
}

const [own, read, late, early] = [tool("own_ask"), tool("read"), tool("late"), tool("a_tool")];

describe("append", () => {
  test("the first request has the list as it is, later tools follow, gone ones leave", () => {
    const { tools } = declare("append");
    expect(names(tools.send([own, read]))).toBe("own_ask read");
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read a_tool late");
    expect(names(tools.send([early, own, read]))).toBe("own_ask read a_tool");
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read a_tool late");
  });

  test("a tool that was derived from another is not derived again", () => {
    const { tools } = declare("append");
    tools.send([tool("late", { parameters: schema("a") as Tool["parameters"] })]);
    const again = tool("late", { parameters: schema("a") as Tool["parameters"] });
    const [derived] = tools.send([again]);
    expect(derived).not.toBe(again);
    expect(tools.send([again])[0]).toBe(derived);
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
  test("late tools wait until the conversation is not cached", () => {
    const { tools, state } = declare("hold");
    tools.send([own, read]);
    expect(names(tools.send([late, own, read]))).toBe("own_ask read");
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read");
    state.isCold = true;
    expect(names(tools.send([early, late, own, read]))).toBe("own_ask read a_tool late");
  });

  test("a tool of our own does not wait", () => {
    const { tools } = declare("hold");
    tools.send([read]);
    expect(names(tools.send([own, read]))).toBe("read own_ask");
    expect(names(tools.send([read]))).toBe("read");
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

describe("a session", () => {
  const change = (session: AgentSession, ...tools: Tool[]) =>
    session.tooling.setCustom(tools.map((one) => ({ tool: one })));

  test("has the same view until something changes, and the same lists while they hold the same tools", async () => {
    const { session } = await startSession([]);
    const { view } = session.tooling;
    expect(session.tooling.view).toBe(view);
    change(session);
    const next = session.tooling.view;
    expect(next).not.toBe(view);
    expect([next.active === view.active, next.declared === view.declared]).toEqual([true, true]);
    change(session, late);
    expect(session.tooling.view.declared).toContainEqual(expect.objectContaining({ name: "late" }));
    await session.dispose();
  });

  test("reports tools that wait once, and again when others join them", async () => {
    const { home, cwd } = freshPlace();
    const { stream } = scriptedModel([[{ text: "1" }], [{ text: "2" }], [{ text: "3" }], [{ text: "4" }]]);
    const { session } = await createAgentSession({
      cwd,
      env: { PINTLE_HOME: home },
      settings: { "cache.lateTools": "hold" },
      stream(model, context, options) {
        options?.onRequest?.(contextPrefix(context)); // as a provider does, so that the conversation counts as cached
        return stream(model, context, options);
      },
    });
    const notices: string[] = [];
    session.subscribe((event) => {
      if (event.type === "notice" && event.source === "cache") notices.push(event.message.split(": ").at(-1) ?? "");
    });
    await session.prompt("one");
    change(session, late);
    await session.prompt("two");
    await session.prompt("three");
    change(session, late, early);
    await session.prompt("four");
    await session.dispose();
    expect(notices).toEqual(["late", "a_tool, late"]);
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
