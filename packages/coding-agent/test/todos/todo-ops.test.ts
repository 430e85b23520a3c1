import { describe, expect, test } from "bun:test";
import { TODO_STATUSES, type TodoPhase } from "@pintle/wire";
import fc from "fast-check";
import { TODO_OPS, type TodoOp } from "../../src/todos/todo-ops.ts";
import { isOpen } from "../../src/todos/todo-phases.ts";
import { TodoStore } from "../../src/todos/todo-store.ts";
import { ManualTimers } from "../support/todos/manual-timers.ts";
import { shortForm } from "../support/todos/short-form.ts";

const newStore = (timers = new ManualTimers()) =>
  new TodoStore({ timers, clearDelaySeconds: () => 60, onAutoClear: () => {} });

function after(...ops: TodoOp[]) {
  const { phases, errors } = newStore().applyOps(ops);
  return { list: shortForm(phases), errors, phases };
}

const task = (content: string, rest: object = {}) => ({ content, ...rest });

describe("names", () => {
  const [longest, tooLong] = ["x".repeat(500), "x".repeat(501)];
  const changes = (text: string): TodoOp[] => [
    { op: "replace", phases: [{ name: text, tasks: [task("a")] }] },
    { op: "replace", phases: [{ name: "A", tasks: [task(text)] }] },
    { op: "add_phase", name: text },
    { op: "add_phase", name: "A", tasks: [task(text)] },
    { op: "add_task", phase: "P", content: text },
    { op: "update", id: "task-1", content: text },
  ];

  test.each(changes(tooLong).map((op, index) => [op.op, op, changes(longest)[index]!] as const))(
    "of %s have at most 500 characters",
    (_name, refused, accepted) => {
      const list: TodoOp = { op: "replace", phases: [{ name: "P", tasks: [task("t")] }] };
      const { errors, list: kept } = after(list, refused);
      expect(errors).toEqual([expect.stringContaining("has at most 500 characters: put the rest into notes")]);
      expect(kept).toEqual(after(list).list);
      expect(after(list, accepted).errors).toEqual([]);
    },
  );
});

describe("the changes", () => {
  test("are made in order, numbers run across the phases", () => {
    const { list, errors } = after(
      {
        op: "replace",
        phases: [
          { name: "A", tasks: [task("a", { status: "completed" }), task("b")] },
          { name: "B", tasks: [task("c")] },
        ],
      },
      { op: "add_phase", name: "C", tasks: [task("d", { status: "abandoned" })] },
      { op: "add_phase", name: "D" },
      { op: "add_task", phase: "phase-2", content: "e" },
      { op: "add_task", phase: "D", content: "f" },
      { op: "remove_task", id: "task-3" },
      { op: "update", id: "task-5", content: "E" },
    );
    expect(errors).toEqual([]);
    expect(list).toEqual([
      "phase-1 A: ✓task-1 a, →task-2 b",
      "phase-2 B: ○task-5 E",
      "phase-3 C: ✗task-4 d",
      "phase-4 D: ○task-6 f",
    ]);
  });
  test("keep notes and details, and change only what is given", () => {
    const { phases } = after(
      { op: "replace", phases: [{ name: "A", tasks: [task("a", { notes: "n", details: "d" }), task("b")] }] },
      { op: "update", id: "task-1", details: "D" },
      { op: "add_task", phase: "A", content: "c", notes: "N" },
    );
    expect(phases[0]?.tasks).toEqual([
      { id: "task-1", content: "a", status: "in_progress", notes: "n", details: "D" },
      { id: "task-2", content: "b", status: "pending" },
      { id: "task-3", content: "c", status: "pending", notes: "N" },
    ]);
  });
  test("that fail are named and do not keep the others", () => {
    const { list, errors } = after(
      { op: "add_task", phase: "A", content: "x" },
      { op: "update", id: "task-1", status: "completed" },
      { op: "add_phase", name: "A", tasks: [task("a")] },
      { op: "add_task", phase: "a", content: "x" },
      { op: "update", id: "task-9" },
      { op: "remove_task", id: "task-9" },
      { op: "add_task", phase: "A", content: "b" },
    );
    const hint = " (the todo list is empty: create one with replace or add_phase)";
    expect(errors).toEqual([
      `Phase "A" not found${hint}`,
      `Task "task-1" not found${hint}`,
      'Phase "a" not found',
      'Task "task-9" not found',
      'Task "task-9" not found',
    ]);
    expect(list).toEqual(["phase-1 A: →task-1 a, ○task-2 b"]);
  });
  test.each<[TodoOp, string]>([
    [{ op: "replace" }, "replace needs phases"],
    [{ op: "replace", phases: [{ name: " " }] }, "replace needs a name for every phase"],
    [{ op: "replace", phases: [{ name: "B", tasks: [task("")] }] }, "replace: every task needs content"],
    [{ op: "add_phase" }, "add_phase needs a name"],
    [{ op: "add_phase", name: "B", tasks: [task(" ")] }, "add_phase: every task needs content"],
    [{ op: "add_task", content: "x" }, "add_task needs a phase and content"],
    [{ op: "add_task", phase: "A" }, "add_task needs a phase and content"],
    [{ op: "update" }, "update needs the id of a task"],
    [{ op: "update", id: "task-1", content: " " }, 'Task "task-1" needs content'],
    [{ op: "remove_task" }, "remove_task needs the id of a task"],
  ])("need their fields: %j", (op, error) => {
    const { list, errors } = after({ op: "add_phase", name: "A", tasks: [task("a")] }, op);
    expect(errors).toEqual([error]);
    expect(list).toEqual(["phase-1 A: →task-1 a"]);
  });
  test("prefer the id of a phase to a name that looks like one", () => {
    const { list } = after(
      { op: "replace", phases: [{ name: "phase-2" }, { name: "B" }] },
      { op: "add_task", phase: "phase-2", content: "a" },
    );
    expect(list).toEqual(["phase-1 phase-2: ", "phase-2 B: →task-1 a"]);
  });
});

describe("one task at a time", () => {
  test("the first in progress stays, later ones wait", () => {
    const { list } = after({
      op: "replace",
      phases: [
        { name: "A", tasks: [task("a"), task("b", { status: "in_progress" })] },
        { name: "B", tasks: [task("c", { status: "in_progress" })] },
      ],
    });
    expect(list).toEqual(["phase-1 A: ○task-1 a, →task-2 b", "phase-2 B: ○task-3 c"]);
  });
  test("to finish one and begin another in one call leaves those between alone", () => {
    const { list } = after(
      { op: "replace", phases: [{ name: "A", tasks: [task("a"), task("b"), task("c")] }] },
      { op: "update", id: "task-1", status: "completed" },
      { op: "update", id: "task-3", status: "in_progress" },
    );
    expect(list).toEqual(["phase-1 A: ✓task-1 a, ○task-2 b, →task-3 c"]);
  });
});

const text = fc.constantFrom("a", "b", "", " ", "phase-1", "Work", "task-1");
const id = fc.nat(12).map((n) => `task-${n}`);
const newTask = fc.record(
  { content: text, status: fc.constantFrom(...TODO_STATUSES), notes: text },
  { requiredKeys: ["content"] },
);
const anyOp: fc.Arbitrary<TodoOp> = fc.record(
  {
    op: fc.constantFrom(...TODO_OPS),
    phases: fc.array(fc.record({ name: text, tasks: fc.array(newTask, { maxLength: 4 }) }), { maxLength: 3 }),
    name: text,
    tasks: fc.array(newTask, { maxLength: 3 }),
    phase: fc.oneof(
      text,
      fc.nat(4).map((n) => `phase-${n}`),
    ),
    id,
    content: text,
    status: fc.constantFrom(...TODO_STATUSES),
    details: text,
  },
  { requiredKeys: ["op"] },
);
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyOp, { maxLength: 4 }).map((ops) => ({ ops })) },
  { weight: 1, arbitrary: fc.nat(90).map((seconds) => ({ seconds })) },
);

/** Checks what must hold for every list, whatever was done to it. */
function violations(phases: readonly TodoPhase[]): string[] {
  const tasks = phases.flatMap((phase) => phase.tasks);
  const ids = [...phases, ...tasks].map((item) => item.id);
  const inProgress = tasks.filter(({ status }) => status === "in_progress").length;
  return [
    ...(new Set(ids).size < ids.length ? ["an id occurs twice"] : []),
    ...(inProgress > 1 ? ["several tasks in progress"] : []),
    ...(inProgress === 0 && tasks.some(isOpen) ? ["nothing in progress although something waits"] : []),
    ...([...phases.map(({ name }) => name), ...tasks.map(({ content }) => content)].some((text) => text.trim() === "")
      ? ["a blank text"]
      : []),
  ];
}

test("any sequence of changes keeps the list in order and never gives an id to a second task", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 25 }), (steps) => {
      const timers = new ManualTimers();
      const store = newStore(timers);
      let given = new Set<string>();
      for (const step of steps) {
        const before = store.phases.flatMap(({ tasks }) => tasks.map((task) => task.id));
        if ("seconds" in step) timers.pass(step.seconds);
        else {
          const { errors } = store.applyOps(step.ops);
          expect(errors.length).toBeLessThanOrEqual(step.ops.length);
        }
        const ids = store.phases.flatMap(({ tasks }) => tasks.map((task) => task.id));
        const ops = "ops" in step ? step.ops : [];
        if (ops.some(({ op }) => op === "replace")) given = new Set();
        else {
          // An id that was assigned before denotes the same task: only an update brings it back.
          const updated = new Set(ops.map((op) => op.id));
          const back = ids.filter((id) => given.has(id) && !before.includes(id) && !updated.has(id));
          expect(back).toEqual([]);
        }
        for (const id of ids) given.add(id);
        expect(violations(store.phases)).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});
