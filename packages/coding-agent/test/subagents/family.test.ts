import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalQuestion } from "../../src/permissions/authorizer.ts";
import { nextEvent } from "../support/session/test-session.ts";
import { startFamily, task, taskResult } from "../support/subagents/family.ts";

const GO = "Go";
const write = (path: string) => ({ call: "write", args: { path, content: "x\n" } });

describe("permissions of subagents", () => {
  test("questions reach the host of the session with the subagent, and an answer covers the family", async () => {
    const asked: ApprovalQuestion[] = [];
    const { session, cwd } = await startFamily(
      ({ task: text, turn }) => {
        if (text === GO) {
          if (turn === 0) return [task({ tasks: [{ task: "write one", name: "one", description: "first file" }] })];
          return turn === 1 ? [write("b.txt")] : [{ text: "done" }];
        }
        return turn === 0 ? [write("a.txt")] : [{ text: "written" }];
      },
      {
        settings: { "permissions.mode": "ask" },
        approve: async (question) => {
          asked.push(question);
          return { decision: "allow_session", by: "host", rules: question.suggestedRules };
        },
      },
    );
    await session.prompt(GO);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      subagent: { id: "one", agent: "task", description: "first file" },
      request: { tool: "write" },
    });
    expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([true, true]);
    const [result] = taskResult(session.messages).details.results;
    expect(result?.filesChanged).toEqual([{ path: "a.txt", status: "added", added: 1, removed: 0, binary: false }]);
    expect(session.results.last?.filesChanged?.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
    await session.dispose();
  });

  test("a definition makes them stricter, and never looser", async () => {
    const place = { agents: [{ name: "planner", description: "plans", prompt: "", permissionMode: "plan" as const }] };
    const { session, cwd } = await startFamily(
      ({ task: text, turn }) => {
        if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "p", agent: "planner" }] })] : [{ text: "done" }];
        return turn === 0 ? [write("child.txt")] : [{ text: "denied" }];
      },
      { ...place, settings: { "permissions.mode": "full" } },
    );
    await session.prompt(GO);
    expect(existsSync(join(cwd, "child.txt"))).toBe(false);
    expect(session.results.last?.denials).toMatchObject([{ tool: "write", by: "rule", subagent: "planner-1" }]);
    expect(session.permissions.mode).toBe("full");
    await session.dispose();
  });

  test("deny_and_stop ends the subagent and the run that waits for it", async () => {
    const { session } = await startFamily(
      ({ task: text, turn }) =>
        text === GO && turn === 0 ? [task({ tasks: [{ task: "w", name: "w" }] })] : [write("a.txt")],
      { settings: { "permissions.mode": "ask" }, approve: async () => ({ decision: "deny_and_stop", by: "host" }) },
    );
    const result = await session.prompt(GO);
    expect(result).toMatchObject({ status: "aborted", endedBy: "denied" });
    expect(session.subagents.list({ all: true })).toMatchObject([{ id: "w", status: "aborted" }]);
    await session.dispose();
  });

  test("tools are those of the definition that the parent has", async () => {
    const agents = [
      {
        name: "odd",
        description: "d",
        prompt: "",
        tools: ["read", "bash", "ask", "todo_write", "task"],
        spawns: "*" as const,
      },
    ];
    const { session, requests } = await startFamily(
      ({ task: text, turn }) =>
        text === GO && turn === 0 ? [task({ tasks: [{ task: "t", agent: "odd" }] })] : [{ text: "ok" }],
      { agents, excludeTools: ["bash"] },
    );
    await session.prompt(GO);
    expect(requests[1]?.context.tools?.map(({ name }) => name)).toEqual(["read", "task"]);
    await session.dispose();
  });
});

describe("host and extension tools of a subagent", () => {
  test("learn which subagent calls them", async () => {
    const callers: unknown[] = [];
    const { session } = await startFamily(({ task: text, turn }) => {
      if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "t", name: "t1" }] })] : [{ text: "ok" }];
      if (text === "t" && turn === 0) return [{ call: "shared" }, task({ tasks: [{ task: "deep", name: "t2" }] })];
      return turn === 0 ? [{ call: "shared" }] : [{ text: "ok" }];
    });
    session.tooling.registry.replace("host", [
      {
        tool: {
          name: "shared",
          label: "Shared",
          description: "d",
          parameters: { type: "object", properties: {} } as never,
          execute: async (_args, call) => {
            callers.push(call.caller?.id);
            return { content: [{ type: "text", text: "ok" }] };
          },
        },
      },
    ]);
    await session.prompt(GO);
    expect(callers).toEqual(["t1", "t2"]);
    await session.dispose();
  });
});

describe("budgets", () => {
  test("count model and tool calls of subagents once, and end the family at a limit", async () => {
    const { session } = await startFamily(
      ({ task: text, turn }) => {
        if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "a" }, { task: "b" }] })] : [{ text: "done" }];
        return turn < 20 ? [{ call: "ls", args: {} }, { text: `${text}${turn}` }] : [{ text: "end" }];
      },
      { budget: { turns: 7, onReached: "stop" } },
    );
    const result = await session.prompt(GO);
    expect(result).toMatchObject({ status: "aborted", endedBy: "budget" });
    expect(session.budget.state?.used.turns).toBe(7);
    expect(session.subagents.list({ all: true }).map(({ status }) => status)).toEqual(["aborted", "aborted"]);
    await session.dispose();
  });

  test("a finished run has used what its subagents used", async () => {
    const { session } = await startFamily(
      ({ task: text, turn }) =>
        text === GO && turn === 0 ? [task({ tasks: [{ task: "a" }, { task: "b" }] })] : [{ text: "ok" }],
      { budget: { turns: 100, tokens: 10_000 } },
    );
    const result = await session.prompt(GO);
    expect(session.budget.state?.used).toMatchObject({ turns: 4, tokens: 60, toolCalls: 1 });
    expect(result).toMatchObject({ turns: 4, toolCalls: 1, usage: { input: 40, output: 20 } });
    expect(result?.models).toMatchObject([{ provider: "acme", turns: 4 }]);
    expect(session.getSessionStats()).toMatchObject({
      tokens: { total: 60 },
      subagents: { count: 2, running: 0, tokens: 30 },
    });
    await session.dispose();
  });

  test("pauses the family once, and all continue when it is raised", async () => {
    let asked = 0;
    const { session, events } = await startFamily(
      ({ task: text, turn }) => {
        if (text === GO)
          return turn === 0 ? [task({ tasks: [{ task: "a" }, { task: "b" }, { task: "c" }] })] : [{ text: "done" }];
        return turn === 0 ? [{ call: "ls", args: {} }] : [{ text: "end" }];
      },
      { budget: { turns: 4 } },
    );
    session.attachHost({
      raiseBudget: async () => {
        asked += 1;
        await new Promise((resolve) => setImmediate(resolve));
        session.budget.raise({ turns: 50 });
      },
    });
    expect(await session.prompt(GO)).toMatchObject({ status: "completed", turns: 8 });
    expect(asked).toBe(1);
    expect(events.filter(({ type }) => type === "budget_reached")).toHaveLength(1);
    await session.dispose();
  });
});

describe("the end of a subagent", () => {
  test("an abort of the run ends its subagents, and theirs, before it is answered", async () => {
    const deep = Promise.withResolvers<void>();
    const { session } = await startFamily(({ task: text, turn }) => {
      if (text === GO && turn === 0) return [task({ tasks: [{ task: "middle", name: "middle" }] })];
      if (text === "middle" && turn === 0) return [task({ tasks: [{ task: "deep", name: "deep" }] })];
      deep.resolve();
      return [{ text: "half an answer" }, { wait: new Promise(() => {}) }];
    });
    const run = session.prompt(GO);
    await deep.promise;
    await session.abort();
    expect(session.subagents.running).toEqual([]);
    expect(session.subagents.list({ all: true })).toMatchObject([
      { id: "middle", status: "aborted", depth: 1 },
      { id: "deep", status: "aborted", parentId: "middle", depth: 2 },
    ]);
    expect(await run).toMatchObject({ status: "aborted" });
    await session.dispose();
  });

  test("abort_subagent ends one, and its parent receives what it has", async () => {
    const begun = Promise.withResolvers<void>();
    const { session } = await startFamily(({ task: text, turn }) => {
      if (text === GO)
        return turn === 0 ? [task({ tasks: [{ task: "slow", name: "slow" }, { task: "quick" }] })] : [{ text: "done" }];
      if (text === "quick") return [{ text: "here" }];
      if (turn === 0) return [{ text: "so far" }, { call: "ls", args: {} }];
      begun.resolve();
      return [{ wait: new Promise(() => {}) }];
    });
    const run = session.prompt(GO);
    await begun.promise;
    expect(await session.subagents.abort("slow")).toBe("aborted");
    expect(await session.subagents.abort("slow")).toBe("aborted");
    expect(await run).toMatchObject({ status: "completed", text: "done" });
    expect(taskResult(session.messages).details.results).toMatchObject([
      { id: "slow", status: "aborted", aborted: true, abortReason: "the host ended it", output: "so far" },
      { status: "completed", output: "here" },
    ]);
    expect(() => session.subagents.abort("none")).toThrow("Unknown subagent: none");
    await session.dispose();
  });

  test("prompt_subagent steers a running one; an ended one is refused", async () => {
    const begun = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    let seen = "";
    const { session } = await startFamily(({ task: text, turn, context }) => {
      if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "listen", name: "ear" }] })] : [{ text: "done" }];
      if (turn === 0) {
        begun.resolve();
        return [{ wait: sent.promise }, { call: "ls", args: {} }];
      }
      seen = JSON.stringify(context.messages);
      return [{ text: "heard" }];
    });
    const run = session.prompt(GO);
    await begun.promise;
    session.subagents.prompt({ subagentId: "ear", message: "/new is no command here" });
    sent.resolve();
    await run;
    expect(seen).toContain("/new is no command here");
    expect(() => session.subagents.prompt({ subagentId: "ear", message: "more" })).toThrow(
      "The subagent ear is not running",
    );
    await session.dispose();
  });

  test("stops one at its limit of model calls, after asking it to conclude", async () => {
    let asked = "";
    const { session } = await startFamily(
      ({ task: text, turn, context }) => {
        if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "long" }] })] : [{ text: "done" }];
        if (turn === 2) asked = JSON.stringify(context.messages.at(-1));
        return [{ text: `step ${turn}` }, { call: "ls", args: { path: `${turn}` } }];
      },
      { settings: { "permissions.mode": "full", "task.softRequestBudget": 2 } },
    );
    await session.prompt(GO);
    expect(asked).toContain("Conclude now");
    expect(taskResult(session.messages).details.results).toMatchObject([
      {
        status: "aborted",
        requests: 3,
        output: "step 2",
        abortReason: "it made 3 model calls (task.softRequestBudget)",
      },
    ]);
    await session.dispose();
  });

  test("stops one at its time limit, and its parent receives what it has", async () => {
    const LIMIT_MS = 7_654_321; // no other timer has this duration
    const timers = spyOn(globalThis, "setTimeout");
    const begun = Promise.withResolvers<void>();
    const { session } = await startFamily(
      ({ task: text, turn }) => {
        if (text === GO) return turn === 0 ? [task({ tasks: [{ task: "slow" }] })] : [{ text: "done" }];
        if (turn === 0) return [{ text: "so far" }, { call: "ls", args: {} }];
        begun.resolve();
        return [{ wait: new Promise(() => {}) }];
      },
      { settings: { "permissions.mode": "full", "task.maxRuntimeMs": LIMIT_MS } },
    );
    try {
      const run = session.prompt(GO);
      await begun.promise;
      const limits = timers.mock.calls.filter(([, ms]) => ms === LIMIT_MS);
      expect(limits).toHaveLength(1);
      for (const [onTime] of limits) (onTime as () => void)();
      expect(await run).toMatchObject({ status: "completed", text: "done" });
    } finally {
      timers.mockRestore();
    }
    expect(taskResult(session.messages).details.results).toMatchObject([
      {
        status: "aborted",
        aborted: true,
        output: "so far",
        abortReason: `it ran for ${LIMIT_MS / 1000} s (task.maxRuntimeMs)`,
      },
    ]);
    await session.dispose();
  });
});

describe("events", () => {
  test("of a subagent reach the host only inside subagent_event, and only if it asked for them", async () => {
    const { session, events } = await startFamily(({ task: text, turn }) =>
      text === GO && turn === 0
        ? [task({ tasks: [{ task: "t", name: "t1" }] })]
        : [{ text: text === GO ? "parent" : "child" }],
    );
    await session.prompt(GO);
    expect(events.some(({ type }) => type.startsWith("subagent"))).toBe(false);
    expect(JSON.stringify(events.filter(({ type }) => type === "message_update"))).not.toContain("child");
    await session.dispose();
  });

  test("report the start and the end of each run, once", async () => {
    const { session, events } = await startFamily(({ task: text, turn }) =>
      text === GO && turn === 0 ? [task({ tasks: [{ task: "t", name: "t1" }] })] : [{ text: "ok" }],
    );
    session.subagents.level = "events";
    const settled = nextEvent(session, "agent_settled");
    await session.prompt(GO);
    await settled;
    const lifecycle = events.flatMap((event) => (event.type === "subagent_lifecycle" ? [event.payload] : []));
    expect(lifecycle.map(({ id, status }) => [id, status])).toEqual([
      ["t1", "started"],
      ["t1", "completed"],
    ]);
    const own = events.flatMap((event) =>
      event.type === "subagent_event" ? [event.payload.event as { type: string }] : [],
    );
    expect(own.filter(({ type }) => type === "agent_start")).toHaveLength(1);
    expect(own.at(-1)?.type).toBe("agent_settled");
    expect(events.filter(({ type }) => type === "agent_start")).toHaveLength(1);
    await session.dispose();
  });
});

describe("what a session finds when it is opened again", () => {
  test("a subagent without an end is reported to the model once, and can be continued", async () => {
    const begun = Promise.withResolvers<void>();
    const first = await startFamily(({ task: text, turn }) => {
      if (text === GO && turn === 0) return [task({ tasks: [{ task: "unfinished", name: "lost" }] })];
      if (turn === 0) return [{ text: "half" }, { call: "ls", args: {} }];
      begun.resolve();
      return [{ wait: new Promise(() => {}) }];
    });
    const run = first.session.prompt(GO);
    await begun.promise;
    // As a kill leaves it: nothing is written any more.
    const file = first.session.sessionFile!;
    const stored = readFileSync(file);
    const childFile = join(file.replace(/\.jsonl$/, ""), "lost.jsonl");
    const storedChild = readFileSync(childFile);
    await first.session.abort();
    await run;
    await first.session.dispose();
    writeFileSync(file, stored);
    writeFileSync(childFile, storedChild);

    const second = await startFamily(
      ({ task: text, context, turn }) => {
        const last = JSON.stringify(context.messages.at(-1));
        if (text === GO && last.includes("Continue please"))
          return [task({ tasks: [{ task: "finish it", resume: "lost" }] })];
        if (text === "unfinished") return [{ text: `continued after ${turn} answers` }];
        return [{ text: "ok" }];
      },
      { place: first.place, session: { open: file } },
    );
    await second.session.prompt("Continue please");
    const reports = second.session.messages.filter((message) => message.role === "custom");
    expect(reports).toMatchObject([
      {
        customType: "async-result",
        details: { jobs: [{ jobId: "lost", type: "task", status: "aborted", abortReason: "engine ended" }] },
      },
    ]);
    expect(taskResult(second.session.messages).details.results).toMatchObject([
      { id: "lost", status: "completed", output: "continued after 1 answers" },
    ]);
    await second.session.prompt("Once");
    expect(second.session.messages.filter((message) => message.role === "custom")).toHaveLength(1);
    await second.session.dispose();
  });
});
