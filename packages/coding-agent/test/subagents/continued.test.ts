import { describe, expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { nextEvent } from "../support/session/test-session.ts";
import { startFamily, task, taskResult } from "../support/subagents/family.ts";

const GO = "Go";
const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };

describe("resume", () => {
  for (const inMemory of [false, true]) {
    test(`continues a finished subagent ${inMemory ? "in memory" : "from its file"}`, async () => {
      const { session } = await startFamily(
        ({ task: text, turn, context }) => {
          if (text === GO) {
            if (turn === 0) return [task({ tasks: [{ task: "first", name: "c" }] })];
            return turn === 1 ? [task({ tasks: [{ task: "second", resume: "c" }] })] : [{ text: "done" }];
          }
          return [{ text: `${context.messages.length} messages` }];
        },
        { session: { inMemory } },
      );
      await session.prompt(GO);
      expect(taskResult(session.messages).details.results).toMatchObject([
        { id: "c", status: "completed", output: "3 messages", requests: 1 },
      ]);
      expect(session.subagents.list({ all: true })).toHaveLength(1);
      await session.dispose();
    });
  }

  test("refuses unknown, running, foreign and own ids", async () => {
    const { session } = await startFamily(({ task: text, turn }) => {
      if (text === GO) {
        if (turn === 0) return [task({ tasks: [{ task: "outer", name: "outer" }] })];
        if (turn > 1) return [{ text: "done" }];
        const tasks = [
          { task: "x", resume: "none" },
          { task: "x", resume: "inner" },
          { task: "x", resume: "outer" },
          { task: "x", resume: "outer" },
          { task: "x", resume: "outer", fork: true },
        ];
        return [task({ tasks })];
      }
      if (text === "outer" && turn === 0)
        return [
          task({
            tasks: [
              { task: "inner", name: "inner" },
              { task: "x", resume: "outer" },
            ],
          }),
        ];
      return [{ text: "ok" }];
    });
    await session.prompt(GO);
    const errors = taskResult(session.messages).details.results.map(({ error }) => error);
    expect(errors).toEqual([
      '"none" cannot be resumed: this session has not started a subagent with this id.',
      '"inner" cannot be resumed: another session has started it.',
      undefined,
      '"outer" cannot be resumed: it is still running.',
      '"outer" cannot be resumed: it is still running.',
    ]);
    await session.dispose();
  });
});

describe("fork", () => {
  test("sends the request of its parent byte for byte, then the assignment", async () => {
    const { session, requests } = await startFamily(({ task: text, turn, results }) => {
      if (text !== GO) return [{ text: "?" }];
      if (turn === 0) return [{ text: "I look" }, { call: "ls", args: {} }];
      if (turn === 1) return [{ text: "now fork" }, task({ tasks: [{ task: "your part", fork: true, name: "f" }] })];
      // The fork has the messages of the second request, and the assignment.
      return results.length > 0 ? [{ text: "parent done" }] : [{ text: "fork done" }];
    });
    await session.prompt(GO);
    const [, parent, fork] = requests;
    const bytes = (value: unknown) => JSON.stringify(value);
    expect(fork?.context.systemPrompt).toBe(parent?.context.systemPrompt as string);
    expect(bytes(fork?.context.tools)).toBe(bytes(parent?.context.tools));
    const before = parent?.context.messages ?? [];
    expect(bytes(fork?.context.messages.slice(0, before.length))).toBe(bytes(before));
    expect(fork?.context.messages.length).toBe(before.length + 1);
    expect(bytes(fork?.context.messages.at(-1))).toContain("Assignment:\\nyour part");
    expect(fork?.options.sessionId).toBe(parent?.options.sessionId as string);
    expect(fork?.options.thinkingLevel).toBe(parent?.options.thinkingLevel as never);
    expect(taskResult(session.messages).details.results).toMatchObject([{ id: "f", status: "completed" }]);
    await session.dispose();
  });

  test("cannot use the tools of the conversation, and needs the parent's tools and model", async () => {
    let answer = "";
    const { session } = await startFamily(({ task: text, context, turn }) => {
      const last = JSON.stringify(context.messages.at(-1));
      if (last.includes("Assignment:")) return [{ call: "todo_write", args: { todos: [{ content: "x" }] } }];
      if (last.includes("todo_write")) {
        answer = last;
        return [{ text: "no todo list" }];
      }
      if (text === GO && turn === 0) {
        return [
          task({
            tasks: [
              { task: "a", fork: true },
              { task: "b", fork: true, agent: "scout" },
            ],
          }),
        ];
      }
      return [{ text: "done" }];
    });
    await session.prompt(GO);
    expect(answer).toContain("no longer available");
    expect(taskResult(session.messages).details.results).toMatchObject([
      { status: "completed", output: "no todo list" },
      {
        status: "failed",
        error: 'A fork uses the tools of its parent, but the agent "scout" defines its own. Omit fork.',
      },
    ]);
    expect(session.todos.store.phases).toEqual([]);
    await session.dispose();
  });
});

describe("structured results", () => {
  const run = async (answers: string[], item: object) => {
    let count = 0;
    const { session } = await startFamily(
      ({ task: text, turn }) => {
        if (text === GO)
          return turn === 0 ? [task({ tasks: [{ task: "t", outputSchema: SCHEMA, ...item }] })] : [{ text: "done" }];
        count += 1;
        return [{ text: answers[Math.min(count, answers.length) - 1] ?? "" }];
      },
      { settings: { "permissions.mode": "full", "output.maxRepairs": 1 } },
    );
    await session.prompt(GO);
    const [result] = taskResult(session.messages).details.results;
    await session.dispose();
    return result;
  };

  test("are repaired, and returned as data", async () => {
    expect(await run(["nonsense", '{"n": 3}'], {})).toMatchObject({
      status: "completed",
      output: '{"n":3}',
      structuredOutput: { source: "caller", mode: "permissive", status: "valid", data: { n: 3 } },
    });
  });

  test("that stay invalid fail a strict task, and no other", async () => {
    expect(await run(["nonsense"], { schemaMode: "strict" })).toMatchObject({
      status: "failed",
      exitCode: 1,
      structuredOutput: { mode: "strict", status: "invalid" },
    });
    expect(await run(["nonsense"], {})).toMatchObject({
      status: "completed",
      output: "nonsense",
      structuredOutput: { mode: "permissive", status: "invalid" },
    });
  });

  test("of a definition are required as well, and a bad schema of a call starts nothing", async () => {
    const agents = [{ name: "counter", description: "d", prompt: "", output: SCHEMA }];
    const { session, requests } = await startFamily(
      ({ task: text, turn }) => {
        if (text !== GO) return [{ text: '{"n": 1}' }];
        if (turn === 0)
          return [
            task({
              tasks: [
                { task: "t", agent: "counter" },
                { task: "f", fork: true, outputSchema: SCHEMA },
              ],
            }),
          ];
        return turn === 1
          ? [task({ tasks: [{ task: "x" }, { task: "t", outputSchema: { type: 3 } }] })]
          : [{ text: "done" }];
      },
      { agents },
    );
    await session.prompt(GO);
    const results = session.messages.filter((message: AgentMessage) => message.role === "toolResult");
    expect((results[0] as ReturnType<typeof taskResult>).details.results[0]).toMatchObject({
      structuredOutput: { source: "agent", status: "valid", data: { n: 1 } },
    });
    expect(results[1]).toMatchObject({ isError: true });
    expect(JSON.stringify(results[1])).toContain("tasks[1].outputSchema cannot be used");
    expect(session.subagents.list({ all: true })).toHaveLength(2);
    expect(requests.length).toBeGreaterThan(3);
    await session.dispose();
  });
});

describe("a subagent in the background", () => {
  const ON = { settings: { "permissions.mode": "full", "async.enabled": true } };

  test("returns at once, and its result starts a run when the session is idle", async () => {
    const go = Promise.withResolvers<void>();
    const { session, events } = await startFamily(({ task: text, turn, context }) => {
      if (text === GO) {
        const last = JSON.stringify(context.messages.at(-1));
        if (last.includes("background_jobs")) return [{ text: "I have read it" }];
        return turn === 0
          ? [task({ tasks: [{ task: "slow", name: "s", description: "a slow one" }], async: true })]
          : [{ text: "meanwhile" }];
      }
      return [{ wait: go.promise }, { text: "slow answer" }];
    }, ON);
    const result = await session.prompt(GO);
    expect(result).toMatchObject({ text: "meanwhile", status: "completed" });
    expect(taskResult(session.messages).details).toMatchObject({
      results: [],
      async: { state: "running", jobId: "s", jobIds: ["s"], type: "task" },
    });
    expect(session.isSettled).toBe(false);
    expect(session.jobs.list()).toMatchObject([
      { id: "s", type: "task", subagentId: "s", label: "a slow one", status: "running" },
    ]);
    const delivered = nextEvent(session, "agent_settled");
    go.resolve();
    await delivered;
    expect(session.getLastAssistantText()).toBe("I have read it");
    const reports = session.messages.filter((message) => message.role === "custom");
    expect(reports).toMatchObject([
      { details: { jobs: [{ jobId: "s", type: "task", status: "completed", subagentId: "s" }] } },
    ]);
    expect(JSON.stringify(reports)).toContain("<answer>\\nslow answer\\n</answer>");
    expect(session.isSettled).toBe(true);
    expect(events.filter(({ type }) => type === "async_job_end")).toHaveLength(1);
    expect(session.getSessionStats().tokens.total).toBe(60);
    await session.dispose();
  });

  test("survives an abort of the run, and ends with the session", async () => {
    const { session } = await startFamily(
      ({ task: text, turn }) =>
        text === GO && turn === 0
          ? [task({ tasks: [{ task: "slow", name: "s" }], async: true })]
          : [{ wait: new Promise(() => {}) }],
      ON,
    );
    const run = session.prompt(GO);
    await nextEvent(session, "async_job_start");
    await session.abort();
    await run;
    expect(session.subagents.running).toHaveLength(1);
    await session.changes.newSession();
    expect(session.subagents.running).toEqual([]);
    await session.dispose();
  });

  test("is refused while async work is off, or beyond the limit, and nothing runs", async () => {
    const call = ({ task: text, turn }: { task: string; turn: number }) =>
      text === GO && turn === 0 ? [task({ tasks: [{ task: "a" }, { task: "b" }], async: true })] : [{ text: "ok" }];
    for (const [settings, error] of [
      [{}, "setting async.enabled"],
      [{ "async.enabled": true, "async.maxJobs": 1 }, "the limit of the setting async.maxJobs"],
    ] as const) {
      const { session } = await startFamily(call, { settings });
      await session.prompt(GO);
      const result = taskResult(session.messages);
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain(error);
      expect(session.subagents.list({ all: true })).toEqual([]);
      await session.dispose();
    }
  });

  test("may begin as a call that waits", async () => {
    const begun = Promise.withResolvers<void>();
    const { session } = await startFamily(({ task: text, turn }) => {
      if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "slow", name: "s" }] })] : [{ text: "free" }];
      begun.resolve();
      return [{ wait: new Promise(() => {}) }];
    }, ON);
    const run = session.prompt(GO);
    await begun.promise;
    expect(session.jobs.promote()).toEqual(["s"]);
    expect(await run).toMatchObject({ text: "free" });
    expect(await session.subagents.abort("s")).toBe("aborted");
    await session.dispose();
  });
});
