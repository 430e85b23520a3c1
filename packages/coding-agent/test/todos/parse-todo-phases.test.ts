import { describe, expect, test } from "bun:test";
import { TODO_STATUSES, type TodoPhase } from "@pintle/wire";
import fc from "fast-check";
import { parseTodoPhases } from "../../src/todos/parse-todo-phases.ts";

function parsed(value: unknown): TodoPhase[] {
  const result = parseTodoPhases(value);
  if (!("phases" in result)) throw new Error(`${result.field} must be ${result.mustBe}`);
  return result.phases;
}

describe("a list from a host", () => {
  test("may be empty", () => {
    expect(parsed([])).toEqual([]);
  });
  test("keeps known fields in order, and drops unknown ones", () => {
    const phases = [
      {
        id: "one",
        name: " Build ",
        colour: "red",
        tasks: [
          { id: "1", content: "a", status: "completed", notes: "n", details: "d", blocker: "x" },
          { id: "2", content: "b", notes: null, details: undefined, status: null },
        ],
      },
      { id: "1", name: "Empty" },
      { id: "3", name: "None", tasks: null },
    ];
    expect(parsed(phases)).toEqual([
      {
        id: "one",
        name: " Build ",
        tasks: [
          { id: "1", content: "a", status: "completed", notes: "n", details: "d" },
          { id: "2", content: "b", status: "pending" },
        ],
      },
      { id: "1", name: "Empty", tasks: [] },
      { id: "3", name: "None", tasks: [] },
    ]);
  });
  test("gets the ids that are missing, repeated or no text, past those that are taken anywhere", () => {
    const task = (id?: unknown) => ({ id, content: "c" });
    const ids = (value: unknown) => parsed(value).map(({ id, tasks }) => [id, ...tasks.map((task) => task.id)]);
    expect(
      ids([
        { name: "A", tasks: [task(), task("task-2"), task("x")] },
        { name: "B", id: "phase-1", tasks: [task(7), task("x"), task("")] },
        { name: "C", id: "phase-1", tasks: [task(null), task("task-1")] },
      ]),
    ).toEqual([
      ["phase-2", "task-3", "task-2", "x"],
      ["phase-1", "task-4", "task-5", "task-6"],
      ["phase-3", "task-7", "task-1"],
    ]);
  });
  test("has at most one task in progress; nothing is promoted", () => {
    const task = (status: string) => ({ content: "c", status });
    const statuses = (value: unknown) => parsed(value).flatMap(({ tasks }) => tasks.map((task) => task.status));
    expect(
      statuses([
        { name: "A", tasks: [task("pending"), task("in_progress"), task("in_progress")] },
        { name: "B", tasks: [task("in_progress"), task("abandoned")] },
      ]),
    ).toEqual(["pending", "in_progress", "pending", "pending", "abandoned"]);
    expect(statuses([{ name: "A", tasks: [task("pending")] }])).toEqual(["pending"]);
  });
  test.each<[unknown, string]>([
    [undefined, "phases must be an array"],
    [{}, "phases must be an array"],
    [[null], "phases[0] must be an object"],
    [[{ name: "A" }, { name: " " }], "phases[1].name must be a non-blank string"],
    [[{}], "phases[0].name must be a non-blank string"],
    [[{ name: "A", tasks: {} }], "phases[0].tasks must be an array"],
    [[{ name: "A", tasks: [[]] }], "phases[0].tasks[0] must be an object"],
    [[{ name: "A", tasks: [{ content: "a" }, {}] }], "phases[0].tasks[1].content must be a non-blank string"],
    [[{ name: "A", tasks: [{ content: "a", notes: 1 }] }], "phases[0].tasks[0].notes must be a string"],
    [[{ name: "A", tasks: [{ content: "a", details: {} }] }], "phases[0].tasks[0].details must be a string"],
    [
      [{ name: "A", tasks: [{ content: "a", status: "blocked" }] }],
      "status must be one of pending, in_progress, completed, abandoned",
    ],
  ])("is refused when it is wrong: %j", (value, text) => {
    expect(() => parsed(value)).toThrow(text);
    expect(parseTodoPhases(value)).toEqual({
      field: text.slice(0, text.indexOf(" must be ")),
      mustBe: text.slice(text.indexOf(" must be ") + 9),
    });
  });
});

const words = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text.trim() !== "");
const id = fc.oneof(
  fc.constant(undefined),
  fc.nat(5).map((n) => `task-${n}`),
  fc.nat(3).map((n) => `phase-${n}`),
  fc.constantFrom("", "x", 7, "task-9007199254740991", "task-1e3"),
);
const anyList = fc.array(
  fc.record({
    id,
    name: words,
    tasks: fc.array(
      fc.record({
        id,
        content: words,
        status: fc.constantFrom(undefined, ...TODO_STATUSES),
        notes: fc.option(words),
        details: fc.option(words),
      }),
      { maxLength: 5 },
    ),
  }),
  { maxLength: 4 },
);

test("what comes back from a list is a list that comes back unchanged", () => {
  fc.assert(
    fc.property(anyList, (sent) => {
      const phases = parsed(sent);
      expect(parsed(structuredClone(phases))).toEqual(phases);
      const tasks = phases.flatMap((phase) => phase.tasks);
      expect(new Set(phases.map(({ id }) => id)).size).toBe(phases.length);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
      expect(phases.map(({ name }) => name)).toEqual(sent.map(({ name }) => name));
      const contents = sent.flatMap(({ tasks }) => tasks.map(({ content }) => content));
      expect(tasks.map(({ content }) => content)).toEqual(contents);
    }),
  );
});
