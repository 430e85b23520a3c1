import { describe, expect, test } from "bun:test";
import type { TodoItem, TodoPhase } from "@pintle/wire";
import { restoreTodos } from "../../src/todos/restore-todos.ts";
import { shortForm } from "../support/todos/short-form.ts";

const item = (id: string, status: TodoItem["status"] = "pending"): TodoItem => ({ id, content: `do ${id}`, status });
const phase = (id: string, ...tasks: TodoItem[]): TodoPhase => ({ id, name: id, tasks });
const result = (phases: unknown, rest: object = {}) => ({
  type: "message",
  message: { role: "toolResult", toolName: "todo_write", isError: false, details: { phases }, ...rest },
});
const edit = (phases: unknown) => ({ type: "custom", customType: "user_todo_edit", data: { phases } });
const other = { type: "message", message: { role: "user", content: "hi" } };

const restored = (...path: { type: string }[]) => shortForm(restoreTodos(path).phases);

describe("the newest list on the path counts", () => {
  const old = [phase("phase-1", item("task-1"))];
  const newer = [phase("phase-1", item("task-2"))];
  test.each([
    ["a result of the tool", result(newer)],
    ["a list set from outside", edit(newer)],
  ])("%s", (_what, entry) => {
    expect(restored(result(old), edit(old), entry, other)).toEqual(["phase-1 phase-1: ○task-2 do task-2"]);
  });
  test("an emptied one too", () => {
    expect(restored(result(old), edit([]))).toEqual([]);
  });
  test.each([
    ["a failed call", result(newer, { isError: true })],
    ["a call without a list", result(undefined)],
    ["the result of another tool", result(newer, { toolName: "read" })],
    ["another kind of entry", { type: "custom", customType: "other", data: { phases: newer } }],
    ["an entry without data", { type: "custom", customType: "user_todo_edit" }],
    ["a message without content", { type: "message" }],
  ])("but not %s", (_what, entry) => {
    expect(restored(edit(old), entry)).toEqual(["phase-1 phase-1: ○task-1 do task-1"]);
  });
  test("and nothing before a new beginning", () => {
    expect(restored(edit(old), { type: "reset_boundary" }, other)).toEqual([]);
  });
  test("and without any there is none", () => {
    expect(restoreTodos([other])).toEqual({ phases: [], numbers: { phase: 0, task: 0 } });
  });
});

test("finished tasks and phases without tasks are left out", () => {
  const phases = [
    phase("phase-1", item("task-1", "completed")),
    phase("phase-2"),
    phase("phase-3", item("task-2", "abandoned"), item("task-3", "in_progress")),
  ];
  expect(restored(edit(phases))).toEqual(["phase-3 phase-3: →task-3 do task-3"]);
});

test("numbers that were given anywhere on the path are known", () => {
  const path = [
    result([phase("phase-7", item("task-20", "completed"))]),
    edit([phase("phase-2", item("task-3"), item("own"))]),
  ];
  expect(restoreTodos(path).numbers).toEqual({ phase: 7, task: 20 });
});

test("the list of omp, whose tasks have no ids, is understood", () => {
  const phases = [
    { name: "A", tasks: [{ content: "a", status: "completed" }] },
    {
      name: "B",
      tasks: [
        { content: "b", status: "blocked", blocker: "the key" },
        { content: "c", status: "in_progress" },
        { content: "d" },
      ],
    },
  ];
  expect(restoreTodos([result(phases, { toolName: "todo" })]).phases).toEqual([
    {
      id: "phase-2",
      name: "B",
      tasks: [
        { id: "task-2", content: "b", status: "pending", notes: "the key" },
        { id: "task-3", content: "c", status: "in_progress" },
        { id: "task-4", content: "d", status: "pending" },
      ],
    },
  ]);
});

test("what cannot be read is left out, the rest is put in order", () => {
  const phases = [
    null,
    {
      tasks: [
        "x",
        { content: 7 },
        { id: "task-1", content: "a", status: "in_progress", details: "d" },
        { id: "task-1", content: "b", status: "in_progress" },
      ],
    },
    { id: "phase-1", name: "P", tasks: "none" },
  ];
  expect(restoreTodos([edit(phases)]).phases).toEqual([
    {
      id: "phase-2",
      name: "Tasks",
      tasks: [
        { id: "task-1", content: "a", status: "in_progress", details: "d" },
        { id: "task-2", content: "b", status: "pending" },
      ],
    },
  ]);
});
