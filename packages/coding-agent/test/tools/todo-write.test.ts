import { afterEach, describe, expect, test } from "bun:test";
import { Agent, type AgentEvent, createSystemClock } from "@pintle/agent";
import { scriptedModel } from "@pintle/ai/testing";
import { TodoStore } from "../../src/todos/todo-store.ts";
import { createTool } from "../../src/tools/define-tool.ts";
import { todoWriteTool } from "../../src/tools/todo-write.ts";

let store: TodoStore;
afterEach(() => store.clear());

/** Calls the tool through the loop, as a model would: arguments are prepared, checked, and executed. */
async function call(...calls: Record<string, unknown>[]) {
  store = new TodoStore({ clearDelaySeconds: () => 60, onAutoClear: () => {} });
  const tool = createTool(todoWriteTool, { todos: store, storage: () => "memory" as const });
  const script = scriptedModel([...calls.map((args) => [{ call: "todo_write", args }]), [{ text: "done" }]]);
  const ends: Extract<AgentEvent, { type: "tool_execution_end" }>[] = [];
  const agent = new Agent({
    stream: script.stream,
    setup: () => ({ model: script.model, tools: [tool] }),
    emit: (event) => {
      if (event.type === "tool_execution_end") ends.push(event);
    },
    interruptMode: () => "wait",
    limits: () => ({ maxTurns: 0, abortGraceMs: 5000 }),
    clock: createSystemClock(),
  });
  await agent.prompt([{ role: "user", content: "go", timestamp: 1 }]);
  return ends.map(({ isError, result }) => ({
    isError,
    text: result.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    details: result.details,
  }));
}

const replace = {
  op: "replace",
  phases: [
    {
      name: "Build",
      tasks: [{ content: "a", status: "completed" }, { content: "b", details: "first\nsecond" }, { content: "c" }],
    },
    {
      name: "Ship",
      tasks: [
        { content: "d", status: "abandoned" },
        { content: "e", details: "hidden" },
      ],
    },
  ],
};

describe("the whole list as todos", () => {
  test("prints it once", async () => {
    const [result] = await call({ todos: [{ content: "a", status: "completed" }, { content: "b" }] });
    expect(result).toMatchObject({ isError: false, text: "Open tasks: 1 of 2.\n✓ task-1 a\n→ task-2 b" });
  });

  test("keeps ids, phases and details of tasks that stay", async () => {
    const results = await call(
      { ops: [replace] },
      { todos: [{ content: "b", status: "completed" }, { content: "new" }, { content: "e", status: "in_progress" }] },
    );
    expect(results[1]?.text).toBe(
      "Open tasks: 2 of 3.\nBuild (phase-1)\n✓ task-2 b\n○ task-6 new\nShip (phase-2)\n→ task-5 e\n    hidden",
    );
  });

  test.each<[string, object]>([
    ["as codex sends it", { explanation: "why", plan: [{ step: "a", status: "in_progress" }] }],
    ["as text", { todos: '[{"content":"a"}]' }],
    ["with contents alone", { todos: ["a"] }],
    ["with ids and forms of other agents", { todos: [{ id: "1", content: "a", activeForm: "A", priority: "high" }] }],
    ["with another word for a status", { todos: [{ content: "a", status: "not_started" }] }],
  ])("is understood %s", async (_, args) => {
    const [result] = await call({ ...args });
    expect(result).toMatchObject({ isError: false, text: "Open tasks: 1 of 1.\n→ task-1 a" });
  });

  test("an empty list clears", async () => {
    const results = await call({ todos: ["a"] }, { todos: [] });
    expect(results[1]?.text).toBe("Todo list cleared.");
  });

  test("together with single changes is refused", async () => {
    const [result] = await call({ todos: ["a"], ops: [{ op: "replace", phases: [] }] });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("not both") });
  });
});

describe("the result", () => {
  test("names errors, how much is open, and the list once", async () => {
    const [result] = await call({ ops: [replace, { op: "update", id: "task-9" }] });
    expect(result?.isError).toBe(false);
    expect(result?.text).toBe(`Errors:
- Task "task-9" not found

Open tasks: 3 of 5.
Build (phase-1)
✓ task-1 a
→ task-2 b
    first
    second
○ task-3 c
Ship (phase-2)
✗ task-4 d
○ task-5 e`);
    expect(result?.details).toEqual({ phases: store.phases, storage: "memory" });
  });
  test("of a list in which everything is finished", async () => {
    const finish = (id: string, status: string) => ({ op: "update", id, status });
    const [result] = await call({
      ops: [replace, finish("task-2", "completed"), finish("task-3", "completed"), finish("task-5", "completed")],
    });
    expect(result?.text).toStartWith("All tasks are finished.\nBuild (phase-1)\n✓ task-1 a\n");
  });
  test("of an emptied list", async () => {
    const results = await call({ ops: [{ op: "replace", phases: [] }] }, { ops: [{ op: "remove_task", id: "x" }] });
    expect(results.map(({ text }) => text)).toEqual([
      "Todo list cleared.",
      'Errors:\n- Task "x" not found (the todo list is empty: create one with replace or add_phase)\n\nTodo list cleared.',
    ]);
  });
  test("is bounded", async () => {
    const tasks = Array.from({ length: 2000 }, () => ({ content: "x".repeat(500), details: "y".repeat(9000) }));
    const [result] = await call({ ops: [{ op: "replace", phases: [{ name: "n".repeat(500), tasks }] }] });
    expect(result?.text.length).toBeLessThan(60_000);
    expect(result?.text).toContain("… and 1900 more");
  });
});

describe("the arguments", () => {
  test.each([
    [{ op: "add_phase", name: "P" }],
    [{ ops: { op: "add_phase", name: "P" } }],
    [{ ops: '[{"op":"add_phase","name":"P"}]' }],
    [{ ops: [{ op: "add_phase", name: "P", tasks: null, id: null }] }],
  ])("are understood as %j", async (args) => {
    const [result] = await call(args);
    expect(result?.isError).toBe(false);
    expect(store.phases).toEqual([{ id: "phase-1", name: "P", tasks: [] }]);
  });
  test.each([
    [
      {
        ops: [{ op: "add_phase", name: "P", tasks: ["a", { content: "b", notes: "n", details: null, status: null }] }],
      },
    ],
    [
      {
        ops: [
          { op: "replace", phases: [{ name: "P", tasks: ["a", { content: "b", notes: "n", status: "pending" }] }] },
        ],
      },
    ],
  ])("hold tasks in every form models use: %j", async (args) => {
    const [result] = await call(args);
    expect(result?.isError).toBe(false);
    const tasks = [
      { id: "task-1", content: "a", status: "in_progress" as const },
      { id: "task-2", content: "b", status: "pending" as const, notes: "n" },
    ];
    expect(store.phases).toEqual([{ id: "phase-1", name: "P", tasks }]);
  });
  test.each([
    [{ content: "x", status: "blocked" }, "status must be one of pending, in_progress, completed, abandoned"],
    [{ content: "x", notes: 1 }, "notes and details must be strings"],
    [{ content: "x", details: {} }, "notes and details must be strings"],
  ])("with a task that no list can hold are refused: %j", async (task, problem) => {
    const [first, second] = await call(
      { ops: [replace] },
      {
        ops: [
          { op: "add_phase", name: "P", tasks: [task] },
          { op: "replace", phases: [{ name: "Q", tasks: [task] }] },
        ],
      },
    );
    expect(second?.text).toStartWith(`Errors:\n- add_phase: ${problem}\n- replace: ${problem}\n`);
    expect(first?.details).toEqual({ phases: store.phases, storage: "memory" });
  });
  test.each([
    [{}],
    [{ ops: [{ op: "explode" }] }],
    [{ ops: [{ op: "update", id: "task-1", status: "blocked" }] }],
    [{ ops: [{ op: "add_phase", name: "P", tasks: [{}] }] }],
  ])("that do not fit change nothing: %j", async (args) => {
    const [first, second] = await call({ ops: [replace] }, args);
    expect(second).toMatchObject({ isError: true });
    expect(second?.text).toStartWith('Validation failed for tool "todo_write":');
    expect(first?.details).toEqual({ phases: store.phases, storage: "memory" });
  });
});

test("it runs alone", () => {
  expect(todoWriteTool.concurrency).toBe("exclusive");
});
