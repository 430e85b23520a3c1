import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import type { NestedOutcome, NestedTools, Tool, ToolAuthorizer } from "../src/types.ts";
import { quiet } from "./support/quiet.ts";
import { type ScenarioOptions, scenario } from "./support/scenario.ts";
import { GatedTool, makeTool, ok } from "./support/tools.ts";

const answers = [[{ call: "outer", args: {} }], [{ text: "done" }]];

/** A tool that performs `work` with the other tools. */
function outer(work: (nested: NestedTools) => Promise<unknown>): Tool {
  return makeTool("outer", async (_args, { nested }) => ok(JSON.stringify((await work(nested!)) ?? null)));
}

function start(tools: readonly Tool[], options: ScenarioOptions = {}) {
  return scenario({ answers, tools, ...options });
}

const text = ({ result }: NestedOutcome) => result.content.map((block) => (block.type === "text" ? block.text : ""));

describe("a tool calls other tools", () => {
  test("events name the parent, ids are <parent>/<n>, and no message contains them", async () => {
    const inner = makeTool("inner", async (_args, call) => {
      call.update(ok("half"));
      return ok(`inner ${call.id}`);
    });
    const updates: unknown[] = [];
    const s = start([
      inner,
      outer(async (nested) => [
        text(await nested.call("inner", { a: 1 }, { onUpdate: ({ content }) => updates.push(content) })),
        text(await nested.call("inner", {})),
      ]),
    ]);
    await s.prompt("go");
    const [own] = s.ofType("tool_execution_start");
    const id = own!.toolCallId;
    const nested = s.events.filter((event) => "parentToolCallId" in event);
    expect(nested.map((event) => [event.type, "toolCallId" in event && event.toolCallId])).toEqual([
      ["tool_execution_start", `${id}/1`],
      ["tool_execution_update", `${id}/1`],
      ["tool_execution_end", `${id}/1`],
      ["tool_execution_start", `${id}/2`],
      ["tool_execution_update", `${id}/2`],
      ["tool_execution_end", `${id}/2`],
    ]);
    expect(nested.every((event) => "parentToolCallId" in event && event.parentToolCallId === id)).toBe(true);
    expect(updates).toEqual([[{ type: "text", text: "half" }]]);
    expect(s.agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(JSON.stringify(s.agent.messages[2])).toContain(`inner ${id}/2`);
    expect(s.words().at(-1)).toBe("agent_end(stop)");
  });

  test("hooks and the authorizer decide on each call", async () => {
    const asked: string[] = [];
    const authorizer: ToolAuthorizer = {
      announce: () => {},
      permit: async ({ id, tool: { name }, args }) => {
        asked.push(`${name} ${id.split("/").slice(1)} ${JSON.stringify(args)}`);
        return args.path === "secret" ? { text: "not that one" } : undefined;
      },
    };
    const ran: unknown[] = [];
    const inner = makeTool("inner", async (args) => ok(`got ${JSON.stringify(ran.push(args) && args)}`), {
      parameters: Type.Object({ path: Type.String() }),
    });
    const results: NestedOutcome[] = [];
    const s = start(
      [
        inner,
        outer(async (nested) => {
          for (const path of ["blocked", "secret", "changed", 5, "fine"])
            results.push(await nested.call("inner", { path }));
          results.push(await nested.call("nothing", {}));
        }),
      ],
      {
        authorizer,
        hooks: {
          toolCall: async ({ parentToolCallId, arguments: args }) => {
            if (parentToolCallId === undefined) return undefined;
            if (args.path === "changed") return { arguments: { path: "secret" } };
            return args.path === "blocked" ? { block: true, reason: "a hook says no" } : undefined;
          },
          toolResult: async ({ parentToolCallId }, { isError }) =>
            parentToolCallId === undefined || isError ? undefined : { content: [{ type: "text", text: "amended" }] },
        },
      },
    );
    await s.prompt("go");
    expect(asked).toEqual([
      "outer  {}",
      'inner 2 {"path":"secret"}',
      'inner 3 {"path":"secret"}',
      'inner 5 {"path":"fine"}',
    ]);
    expect(results.map((result) => [result.isError, text(result)[0]!.split(/[.:"]/)[0]])).toEqual([
      [true, "a hook says no"],
      [true, "not that one"],
      [true, "not that one"],
      [true, "Validation failed for tool "],
      [false, "amended"],
      [true, "Tool nothing not found"],
    ]);
    expect(ran).toEqual([{ path: "fine" }]);
  });

  test("a denial that ends the run ends it", async () => {
    const authorizer: ToolAuthorizer = {
      announce: () => {},
      permit: async ({ tool: { name } }) => (name === "inner" ? { text: "stop", endsRun: true } : undefined),
    };
    const s = start([makeTool("inner"), outer((nested) => nested.call("inner", {}))], { authorizer });
    await s.prompt("go");
    expect(s.ofType("agent_end")[0]).toMatchObject({ stopReason: "aborted", endedBy: "denied" });
    expect(s.words().at(-1)).toContain("agent_end");
  });

  test("a tool for the model alone cannot be called, and a recursive tool is stopped", async () => {
    const only = makeTool("only", undefined, { modelOnly: true });
    let deepest = 0;
    const recursive = makeTool("recursive", async (_args, { id, nested }) => {
      deepest = Math.max(deepest, id.split("/").length);
      return (await nested!.call("recursive", {})).result;
    });
    const seen: unknown[] = [];
    const s = start([
      only,
      recursive,
      outer(async (nested) => {
        seen.push(
          nested.tools.map(({ name }) => name),
          text(await nested.call("only", {})),
        );
        seen.push(text(await nested.call("recursive", {})));
      }),
    ]);
    await s.prompt("go");
    expect(seen).toEqual([
      ["recursive", "outer"],
      ["Only the model can call the tool only"],
      ["A tool may call tools that call tools, at most 8 times"],
    ]);
    expect(deepest).toBe(9);
  });

  test("an exclusive call runs alone among those of one parent", async () => {
    const shared = new GatedTool("shared");
    const alone = new GatedTool("alone", { concurrency: "exclusive" });
    const s = start([
      shared.tool,
      alone.tool,
      outer((nested) => Promise.all(["shared", "alone", "shared"].map((name) => nested.call(name, {})))),
    ]);
    const done = s.prompt("go");
    await quiet();
    const [first] = shared.started;
    expect([shared.started.length, alone.started.length]).toEqual([1, 0]);
    shared.at(first!).finish();
    await quiet();
    expect([shared.started.length, alone.started.length]).toEqual([1, 1]);
    alone.at(alone.started[0]!).finish();
    await quiet();
    expect(shared.started.length).toBe(2);
    shared.at(shared.started[1]!).finish();
    await done;
    expect(s.words().at(-1)).toBe("agent_end(stop)");
  });

  test("nested calls follow the rules for the calls of a message", async () => {
    const read = new GatedTool("read", { concurrency: "read" });
    const write = new GatedTool("write", { concurrency: "write", serializeOn: () => ["a.txt"] });
    const s = start([
      read.tool,
      write.tool,
      outer((nested) => Promise.all(["read", "read", "write", "write", "read"].map((name) => nested.call(name, {})))),
    ]);
    const done = s.prompt("go");
    const started = async () => {
      await quiet();
      return [read.started.length, write.started.length];
    };
    expect(await started()).toEqual([2, 0]);
    for (const id of read.started) read.at(id).finish();
    expect(await started()).toEqual([2, 1]);
    write.at(write.started[0]!).finish();
    expect(await started()).toEqual([2, 2]);
    write.at(write.started[1]!).finish();
    expect(await started()).toEqual([3, 2]);
    read.at(read.started[2]!).finish();
    await done;
    expect(s.words().at(-1)).toBe("agent_end(stop)");
  });

  test("the commands of a message and those of its tools share one limit", async () => {
    const command = new GatedTool("command", { concurrency: "command" });
    const s = start([command.tool, outer((nested) => Promise.all([1, 2].map(() => nested.call("command", {}))))], {
      answers: [
        [
          { call: "outer", args: {} },
          { call: "command", args: {} },
        ],
        [{ text: "done" }],
      ],
      limits: { maxParallelCommands: 1 },
    });
    const done = s.prompt("go");
    for (const count of [1, 2, 3]) {
      await quiet();
      expect(command.started).toHaveLength(count);
      command.at(command.started.at(-1)!).finish();
    }
    await done;
    expect(s.words().at(-1)).toBe("agent_end(stop)");
  });

  test("a command that makes commands does not wait for its own slot", async () => {
    const inner = makeTool("inner", undefined, { concurrency: "command" });
    const parent = {
      ...outer(async (nested) => text(await nested.call("inner", {}))),
      concurrency: "command" as const,
    };
    const s = start([inner, parent], { limits: { maxParallelCommands: 1 } });
    await s.prompt("go");
    expect(s.words().at(-1)).toBe("agent_end(stop)");
  });

  test("calls that their tool does not await are stopped with it", async () => {
    const inner = makeTool("inner", (_args, { signal }) => {
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    let late: Promise<NestedOutcome> | undefined;
    let kept: NestedTools | undefined;
    const s = start([
      inner,
      outer(async (nested) => {
        kept = nested;
        late = nested.call("inner", {});
      }),
    ]);
    await s.prompt("go");
    expect((await late!).isError).toBe(true);
    expect(text(await kept!.call("inner", {}))).toEqual(["The tool that makes this call has ended"]);
    expect(s.ofType("tool_execution_start")).toHaveLength(2);
    expect(s.words().at(-1)).toBe("agent_end(stop)");
  });

  test("its own signal stops one call, an abort stops all", async () => {
    const inner = new GatedTool("inner");
    const own = new AbortController();
    const outcomes: NestedOutcome[] = [];
    const s = start([
      inner.tool,
      outer(async (nested) => {
        const first = nested.call("inner", {}, { signal: own.signal });
        const second = nested.call("inner", {});
        outcomes.push(await first, await second);
      }),
    ]);
    const done = s.prompt("go");
    await quiet();
    const [one, two] = inner.started.map((id) => inner.at(id));
    own.abort();
    expect([one!.call.signal.aborted, two!.call.signal.aborted]).toEqual([true, false]);
    one!.fail(one!.call.signal.reason);
    await quiet();
    void s.agent.abort(); // does not reject
    expect(two!.call.signal.aborted).toBe(true);
    two!.fail(two!.call.signal.reason);
    await done;
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true]);
    expect(s.words().at(-1)).toContain("agent_end");
  });

  test("a call that does not stop after an abort is abandoned, and ends before its parent does", async () => {
    const inner = new GatedTool("inner");
    const s = start([inner.tool, outer((nested) => nested.call("inner", {}))]);
    const done = s.prompt("go");
    await quiet();
    void s.agent.abort(); // does not reject
    await s.clock.advance(5_000);
    await done;
    const ends = s.ofType("tool_execution_end").map(({ toolCallId }) => toolCallId.includes("/"));
    expect(ends).toEqual([true, false]);
    expect(s.words().at(-1)).toContain("agent_end");
  });
});
