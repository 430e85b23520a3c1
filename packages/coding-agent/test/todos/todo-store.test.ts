import { describe, expect, test } from "bun:test";
import { TodoStore } from "../../src/todos/todo-store.ts";
import { ManualTimers } from "../support/todos/manual-timers.ts";
import { shortForm } from "../support/todos/short-form.ts";

function open(delaySeconds = 60) {
  const timers = new ManualTimers();
  const seen: string[] = [];
  const live = { delaySeconds };
  const store = new TodoStore({
    timers,
    clearDelaySeconds: () => live.delaySeconds,
    onAutoClear: () => seen.push("auto clear"),
  });
  store.subscribe((phases) => seen.push(shortForm(phases).join("; ")));
  return { store, timers, seen, live, list: () => shortForm(store.phases) };
}

const plan = (...contents: string[]) => ({
  op: "replace" as const,
  phases: [{ name: "Work", tasks: contents.map((content) => ({ content })) }],
});
const finish = (id: string) => ({ op: "update" as const, id, status: "completed" as const });

describe("a finished task", () => {
  test("leaves after the delay, with one notice, listeners first", () => {
    const { store, timers, seen, list } = open();
    store.applyOps([plan("a", "b"), finish("task-1")]);
    timers.pass(59.9);
    expect(list()).toEqual(["phase-1 Work: ✓task-1 a, →task-2 b"]);
    seen.length = 0;
    timers.pass(0.1);
    expect(seen).toEqual(["phase-1 Work: →task-2 b", "auto clear"]);
  });
  test("leaves together with those that were finished in the same change, and takes its empty phase along", () => {
    const { store, timers, seen, list } = open();
    store.applyOps([plan("a", "b"), { op: "add_phase", name: "Empty" }, finish("task-1")]);
    store.applyOps([{ op: "update", id: "task-2", status: "abandoned" }]);
    seen.length = 0;
    timers.pass(60);
    expect(list()).toEqual(["phase-2 Empty: "]);
    expect(seen).toEqual(["phase-2 Empty: ", "auto clear"]);
    expect(timers.count).toBe(0);
  });
  test("has its own time", () => {
    const { store, timers, list } = open();
    store.applyOps([plan("a", "b", "c"), finish("task-1")]);
    timers.pass(30);
    store.applyOps([finish("task-2")]);
    timers.pass(30);
    expect(list()).toEqual(["phase-1 Work: ✓task-2 b, →task-3 c"]);
    timers.pass(30);
    expect(list()).toEqual(["phase-1 Work: →task-3 c"]);
  });
  test("that is taken up again stays, and gets its full time later", () => {
    const { store, timers, list } = open();
    store.applyOps([plan("a"), finish("task-1")]);
    timers.pass(30);
    store.applyOps([{ op: "update", id: "task-1", status: "pending" }]);
    timers.pass(60);
    expect(list()).toEqual(["phase-1 Work: →task-1 a"]);
    store.applyOps([finish("task-1")]);
    timers.pass(59);
    expect(list()).toEqual(["phase-1 Work: ✓task-1 a"]);
    timers.pass(1);
    expect(list()).toEqual([]);
  });
  test("comes back to its place when it is updated after it left, its phase too", () => {
    const { store, timers, list } = open();
    store.applyOps([plan("a", "b", "c"), { op: "add_phase", name: "Last", tasks: [{ content: "d" }] }]);
    store.applyOps([finish("task-2")]);
    timers.pass(60);
    store.applyOps([{ op: "update", id: "task-2", status: "pending" }]);
    expect(list()[0]).toBe("phase-1 Work: →task-1 a, ○task-2 b, ○task-3 c");
    store.applyOps(["task-1", "task-2", "task-3"].map(finish));
    timers.pass(60);
    expect(list()).toEqual(["phase-2 Last: →task-4 d"]);
    expect(store.applyOps([{ op: "update", id: "task-3", notes: "n" }]).errors).toEqual([]);
    expect(list()).toEqual(["phase-1 Work: ✓task-3 c", "phase-2 Last: →task-4 d"]);
    timers.pass(60);
    expect(list()).toEqual(["phase-2 Last: →task-4 d"]);
  });
  test("comes back as it last was, however often it left", () => {
    const { store, timers, list } = open();
    store.applyOps([plan("a", "b"), finish("task-1")]);
    timers.pass(60);
    store.applyOps([{ op: "update", id: "task-1", content: "A" }]);
    timers.pass(60);
    store.applyOps([{ op: "update", id: "task-1", notes: "n" }]);
    expect(list()).toEqual(["phase-1 Work: ✓task-1 A, →task-2 b"]);
  });
  test("cannot return to a list that the model has restarted", () => {
    const { store, timers } = open();
    store.applyOps([plan("a", "b"), finish("task-2")]);
    timers.pass(60);
    store.applyOps([plan("x")]);
    expect(store.applyOps([finish("task-2")]).errors).toEqual(['Task "task-2" not found']);
  });
  test("cannot come back after it was removed on purpose", () => {
    const { store, timers } = open();
    store.applyOps([plan("a", "b"), finish("task-1")]);
    timers.pass(60);
    expect(store.applyOps([{ op: "remove_task", id: "task-1" }, finish("task-1")]).errors).toEqual([
      'Task "task-1" not found',
    ]);
  });
  test("never gives its id to another one, until the next replace", () => {
    const { store, timers, list } = open();
    store.applyOps([plan("a", "b"), finish("task-2")]);
    timers.pass(60);
    store.applyOps([{ op: "add_task", phase: "Work", content: "c" }]);
    expect(list()).toEqual(["phase-1 Work: →task-1 a, ○task-3 c"]);
    store.applyOps([{ op: "remove_task", id: "task-3" }]);
    store.applyOps([{ op: "add_task", phase: "phase-1", content: "d" }]);
    expect(list()).toEqual(["phase-1 Work: →task-1 a, ○task-4 d"]);
    store.applyOps([plan("x")]);
    expect(list()).toEqual(["phase-1 Work: →task-1 x"]);
  });
});

describe("the delay", () => {
  test("of 0 lets the change be seen and then clears at once", () => {
    const { store, timers, seen } = open(0);
    const { phases } = store.applyOps([plan("a"), finish("task-1")]);
    expect(shortForm(phases)).toEqual(["phase-1 Work: ✓task-1 a"]);
    timers.pass(0);
    expect(seen).toEqual(["phase-1 Work: ✓task-1 a", "", "auto clear"]);
  });
  test("when negative keeps everything and sets no timer", () => {
    const { store, timers, list } = open(-1);
    store.applyOps([plan("a"), finish("task-1")]);
    expect(timers.count).toBe(0);
    expect(list()).toEqual(["phase-1 Work: ✓task-1 a"]);
  });
  test("is read when a task is finished", () => {
    const { store, timers, list, live } = open(60);
    store.applyOps([plan("a", "b"), finish("task-1")]);
    live.delaySeconds = 10;
    store.applyOps([finish("task-2")]);
    timers.pass(10);
    expect(list()).toEqual(["phase-1 Work: ✓task-1 a"]);
  });
});

describe("another list", () => {
  const item = (id: string, status: "pending" | "completed") => ({ id, content: id, status });
  test("from outside is taken as it is, and numbers go on behind both", () => {
    const { store, list } = open();
    store.applyOps([plan("a", "b", "c")]);
    store.replace([{ id: "p", name: "Host", tasks: [item("task-2", "pending"), item("x", "completed")] }]);
    expect(list()).toEqual(["p Host: ○task-2 task-2, ✓x x"]);
    store.applyOps([{ op: "add_task", phase: "p", content: "d" }]);
    expect(list()).toEqual(["p Host: →task-2 task-2, ✓x x, ○task-4 d"]);
  });
  test("may have ids with numbers too large to count on from", () => {
    const { store } = open();
    const last = "task-9007199254740991";
    store.replace([{ id: "p", name: "Host", tasks: [item(last, "pending")] }]);
    store.applyOps(["a", "b"].map((content) => ({ op: "add_task", phase: "p", content })));
    expect(store.phases[0]?.tasks.map(({ id }) => id)).toEqual([last, "task-1", "task-2"]);
  });
  test.each([
    ["set", (store: TodoStore) => store.replace([{ id: "phase-1", name: "N", tasks: [item("task-1", "completed")] }])],
    [
      "replaced by the model",
      (store: TodoStore) =>
        store.applyOps([{ op: "replace", phases: [{ name: "N", tasks: [{ content: "n", status: "completed" }] }] }]),
    ],
  ] as const)("%s does not inherit the times of the old one", (_how, change) => {
    const { store, timers } = open();
    store.applyOps([plan("a"), finish("task-1")]);
    timers.pass(40);
    change(store);
    timers.pass(40);
    expect(store.phases).toHaveLength(1);
    timers.pass(20);
    expect(store.phases).toHaveLength(0);
  });
  test("forgets the tasks that had left the old one", () => {
    const { store, timers } = open();
    store.applyOps([plan("a", "b"), finish("task-1")]);
    timers.pass(60);
    store.replace([]);
    expect(store.applyOps([finish("task-1")]).errors).toEqual([
      'Task "task-1" not found (the todo list is empty: create one with replace or add_phase)',
    ]);
  });
  test("is empty after clear, which also ends the timers and the numbers", () => {
    const { store, timers, seen, list } = open();
    store.applyOps([plan("a", "b"), finish("task-1")]);
    store.clear();
    expect(timers.count).toBe(0);
    timers.pass(100);
    expect(seen).not.toContain("auto clear");
    store.applyOps([{ op: "add_phase", name: "P", tasks: [{ content: "t" }] }]);
    expect(list()).toEqual(["phase-1 P: →task-1 t"]);
  });
  test("is restored with the numbers of its past", () => {
    const { store, list } = open();
    store.restore({
      phases: [{ id: "phase-2", name: "P", tasks: [item("task-3", "pending")] }],
      numbers: { phase: 4, task: 9 },
    });
    store.applyOps([{ op: "add_phase", name: "Q", tasks: [{ content: "t" }] }]);
    expect(list()).toEqual(["phase-2 P: →task-3 task-3", "phase-5 Q: ○task-10 t"]);
  });
});

test("what was handed out does not change any more", () => {
  const { store, timers } = open();
  store.applyOps([plan("a", "b")]);
  const before = store.phases;
  const copy = structuredClone(before);
  store.applyOps([finish("task-1"), { op: "update", id: "task-2", content: "B" }, { op: "remove_task", id: "task-1" }]);
  timers.pass(60);
  expect(before).toEqual(copy);
});

test("a removed listener is not notified", () => {
  const { store } = open();
  const told: number[] = [];
  const leave = store.subscribe(() => told.push(1));
  store.clear();
  leave();
  store.clear();
  expect(told).toEqual([1]);
});

test("a process with a task that waits for its time ends all the same", async () => {
  const program = `
    const { TodoStore } = await import(${JSON.stringify(require.resolve("../../src/todos/todo-store.ts"))});
    const store = new TodoStore({ clearDelaySeconds: () => 1000, onAutoClear() {} });
    store.replace([{ id: "p", name: "P", tasks: [{ id: "t", content: "c", status: "completed" }] }]);
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "ignore", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toBe("");
  expect(await child.exited).toBe(0);
});

test("with the timers of the system tasks leave too", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const store = new TodoStore({ clearDelaySeconds: () => 0, onAutoClear: resolve });
  store.applyOps([plan("a"), finish("task-1")]);
  const keepAlive = setInterval(() => {}, 1000);
  await promise;
  clearInterval(keepAlive);
  expect(store.phases).toEqual([]);
});
