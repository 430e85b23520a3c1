import { describe, expect, test } from "bun:test";
import type { AgentMessage, Tool } from "@pintle/agent";
import fc from "fast-check";
import { findTools, rankTools } from "../../../src/session/tools/find-tools.ts";
import { DeferredToolNews, listText } from "../../../src/session/tools/tool-news.ts";
import { type Division, divideTools } from "../../../src/session/tools/tool-view.ts";

const tool = (name: string, description = `Does ${name}.`): Tool => ({
  name,
  label: name,
  description,
  parameters: { type: "object", properties: {} } as never,
  execute: async () => ({ content: [] }),
});
const mcp = (count: number) => Array.from({ length: count }, (_, index) => tool(`mcp__s__t${index}`));
const builtin = [tool("read"), tool("bash")];
const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);

function owner(given: { deferAbove?: number; maxTools?: number } = {}) {
  const state = { isCold: true, sent: undefined as readonly Tool[] | undefined, deferAbove: 3, ...given };
  let loaded: string[] = [];
  let wasMany = false;
  const deferred = {
    load(more: string[]) {
      loaded = [...loaded, ...more];
    },
    divide(tools: readonly Tool[]): Omit<Division, "isMany"> {
      const facts = { ...state, maxTools: state.maxTools, wasMany, loaded };
      const isMcp = (name: string) => name.startsWith("mcp__");
      const isBuiltin = (name: string) => names(builtin).includes(name);
      const { isMany, ...division } = divideTools(tools, { ...facts, isMcp, isBuiltin });
      wasMany = isMany;
      return division;
    },
  };
  /** Sends a request. */
  const send = (tools: readonly Tool[]) => {
    state.sent = deferred.divide(tools).declared;
    state.isCold = false;
  };
  return { deferred, state, send };
}

describe("which tools are declared", () => {
  test("all, up to the limit; beyond it those of servers wait", () => {
    const { deferred } = owner();
    const few = [...builtin, ...mcp(3)];
    expect(deferred.divide(few)).toEqual({ declared: few, deferred: [], overLimit: 0 });
    const many = [...builtin, ...mcp(4)];
    const division = deferred.divide(many);
    expect([names(division.declared), names(division.deferred)]).toEqual([names(builtin), names(mcp(4))]);
    expect(division.deferred.every(({ explainsFaults }) => explainsFaults)).toBe(true);
    expect(deferred.divide(many)).toEqual(division);
  });

  test("what a provider has in its cache stays: neither more, fewer nor loaded tools change the list", () => {
    const { deferred, state, send } = owner();
    const [three, five] = [
      [...builtin, ...mcp(3)],
      [...builtin, ...mcp(5)],
    ];
    send(three);
    expect(names(deferred.divide(five).declared)).toEqual(names(three));
    deferred.load(["mcp__s__t4"]);
    expect(names(deferred.divide(five).declared)).toEqual(names(three));
    // Once the cache is cold, only the tools that the model has requested are declared.
    state.isCold = true;
    expect(names(deferred.divide(five).declared)).toEqual([...names(builtin), "mcp__s__t4"]);
    send(five);
    expect(names(deferred.divide(three).declared)).toEqual(names(builtin));
    expect(names(deferred.divide(three).deferred)).toEqual(names(mcp(3)));
  });

  test("as many as a request may have: first those of servers wait, then others, built-in ones never", () => {
    const host = [tool("h1"), tool("h2")];
    const { deferred, state } = owner({ deferAbove: 10, maxTools: 8 });
    const tools = [...builtin, ...host, ...mcp(4)];
    expect([names(deferred.divide(tools).declared), deferred.divide(tools).overLimit]).toEqual([
      [...names(builtin), "h1", "h2", "mcp__s__t0"],
      3,
    ]);
    state.maxTools = 6;
    expect(names(deferred.divide(tools).declared)).toEqual([...names(builtin), "h1"]);
    state.maxTools = 1;
    expect(names(deferred.divide(tools).declared)).toEqual(names(builtin));
  });

  test("each tool is either declared or deferred, and no request has too many", () => {
    const step = fc.record({ count: fc.nat(30), cold: fc.boolean(), max: fc.integer({ min: 8, max: 40 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), fc.nat(20), (steps, deferAbove) => {
        const { deferred, state, send } = owner({ deferAbove });
        for (const { count, cold, max } of steps) {
          const before = names(state.sent ?? []);
          const hadRoom = state.maxTools === max;
          Object.assign(state, { isCold: cold || !state.sent || !hadRoom, maxTools: max });
          const tools = [...builtin, ...mcp(count)];
          const { declared, deferred: waiting } = deferred.divide(tools);
          expect([...names(declared), ...names(waiting)].sort()).toEqual(names(tools).sort());
          expect(declared.length).toBeLessThanOrEqual(max - 3);
          // While the conversation is cached, only removed tools leave the list.
          const gone = before.filter((name) => names(tools).includes(name) && !names(declared).includes(name));
          if (!state.isCold) expect(gone).toEqual([]);
          deferred.load(names(waiting).slice(0, 2));
          send(tools);
        }
      }),
    );
  });
});

describe("a search", () => {
  const tools = [
    tool("mcp__hub__create_issue", "Opens a new issue in a repository."),
    tool("mcp__hub__list_issues", "Lists what is open."),
    tool("mcp__mail__sendMail", "Sends a message to people."),
    tool("mcp__mail__move", "Moves a message."),
  ];

  test.each<[string, string[]]>([
    ["create issue", ["mcp__hub__create_issue", "mcp__hub__list_issues"]],
    ["issues", ["mcp__hub__list_issues", "mcp__hub__create_issue"]],
    ["SEND", ["mcp__mail__sendMail"]],
    ["message", ["mcp__mail__move", "mcp__mail__sendMail"]],
    ["mcp__mail__move, mcp__hub__list_issues", ["mcp__hub__list_issues", "mcp__mail__move"]],
    ["xyzzy", []],
    ["", []],
  ])("for %j", (query, expected) => {
    expect(names(rankTools(query, tools)).slice(0, expected.length || 4)).toEqual(expected);
  });

  test("shows a few with their schemas and names some more", () => {
    const found = findTools("does", mcp(100));
    expect(found.names).toHaveLength(8);
    expect(found.text.match(/"parameters"/g)).toHaveLength(8);
    expect(found.text.split("Less fitting: ")[1]?.split(", ")).toHaveLength(30);
    const long = findTools("long", [tool("long_1", "x".repeat(30_000)), tool("long_2", "x".repeat(30_000))]);
    expect(long.names).toEqual(["long_1"]);
  });

  test("without a result says what there is", () => {
    expect(findTools("xyzzy", tools)).toEqual({
      text: `No tool fits "xyzzy". There are: ${names(tools).join(", ")}`,
      names: [],
    });
  });
});

describe("the list in the conversation", () => {
  test("has a line for each, or only names, or only numbers", () => {
    expect(listText([tool("mcp__a__x", "First\tsentence. Second."), tool("mcp__a__y"), tool("plain")])).toEndWith(
      "\n\nNames begin with mcp__a__\nx: First sentence.\ny: Does mcp__a__y.\n\nplain: Does plain.",
    );
    const many = Array.from({ length: 900 }, (_, index) => tool(`mcp__a__tool_${index}`, "word ".repeat(30)));
    expect(listText(many)).toContain("tool_1, tool_2, ");
    expect(listText(many)).not.toContain("word");
    const long = Array.from({ length: 900 }, (_, index) => tool(`mcp__a__${"x".repeat(40)}${index}`));
    expect(listText(long)).toEndWith("\n\nmcp__a__… (900 tools)");
  });

  test("is announced once, and later additions too; again after another conversation", () => {
    const list = new DeferredToolNews();
    const first = list.about(mcp(2), [], 5) as AgentMessage & { content: string };
    expect(first).toEqual({ role: "developer", content: listText(mcp(2)), attribution: "agent", timestamp: 5 });
    expect(list.about(mcp(2), [], 6)).toBeUndefined();
    expect(list.about(mcp(3), [], 7)).toMatchObject({ content: listText(mcp(3).slice(2)) });
    list.forget();
    expect(list.about(mcp(2), [first], 8)).toBeUndefined();
    list.forget();
    expect(list.about(mcp(2), [], 9)).toMatchObject({ content: first.content });
  });
});
