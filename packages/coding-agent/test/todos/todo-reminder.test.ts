import { describe, expect, test } from "bun:test";
import type { Outcome } from "@pintle/agent";
import type { TodoPhase } from "@pintle/wire";
import {
  asksUser,
  type TodoReminderDeps,
  type TodoReminderEvent,
  todoReminder,
} from "../../src/todos/todo-reminder.ts";

const call = { type: "toolCall" as const, id: "1", name: "read", arguments: {} };
const result: Outcome["toolResults"][number] = {
  role: "toolResult",
  toolCallId: "1",
  toolName: "read",
  content: [{ type: "text", text: "x" }],
  isError: false,
  timestamp: 1,
};

function answer(text: string, rest: Partial<Outcome["message"]> = {}): Outcome["message"] {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const content = [{ type: "text" as const, text }];
  return {
    role: "assistant",
    content,
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: "stop",
    timestamp: 1,
    ...rest,
  };
}
const stops = (rest: Partial<Outcome> = {}): Outcome => ({
  message: answer("Done."),
  toolResults: [],
  state: "stops",
  ...rest,
});
const works: Outcome = { message: answer("", { content: [call] }), toolResults: [result], state: "continues" };

const phases: TodoPhase[] = [
  {
    id: "phase-1",
    name: "Build",
    tasks: [
      { id: "task-1", content: "one", status: "completed" },
      { id: "task-2", content: "two\nlines", status: "in_progress", notes: "n" },
    ],
  },
  { id: "phase-2", name: "Over", tasks: [{ id: "task-3", content: "three", status: "abandoned" }] },
  { id: "phase-3", name: "Ship", tasks: [{ id: "task-4", content: "four", status: "pending" }] },
];

function open(deps: Partial<TodoReminderDeps> = {}) {
  const events: TodoReminderEvent[] = [];
  const live = { phases };
  const reminder = todoReminder({
    phases: () => live.phases,
    maxAttempts: () => 3,
    isWaiting: () => false,
    emit: (event) => events.push(event),
    now: () => 42,
    ...deps,
  });
  return { reminder, events, live };
}

test("a model that stops with open tasks gets them by phase, and the host is notified", () => {
  const { reminder, events } = open();
  expect(reminder.next(stops())).toEqual({
    kind: "turn",
    messages: [
      {
        role: "developer",
        content: `You stopped while tasks on your todo list are open (reminder 1 of 3):

Build:
- task-2 [in_progress] two lines
Ship:
- task-4 [pending] four

Continue with them. If a task is already done or no longer needed, set it to completed or abandoned with todo_write.`,
        attribution: "agent",
        timestamp: 42,
      },
    ],
  });
  expect(events).toEqual([
    {
      type: "todo_reminder",
      todos: [
        { id: "task-2", content: "two\nlines", status: "in_progress" },
        { id: "task-4", content: "four", status: "pending" },
      ],
      attempt: 1,
      maxAttempts: 3,
    },
  ]);
});

describe("it is not notified", () => {
  test.each<[string, Outcome]>([
    ["when it goes on anyway", stops({ state: "continues" })],
    ["after a failure", stops({ state: "failed", message: answer("", { stopReason: "error" }) })],
    ["after an abort", stops({ message: answer("Half", { stopReason: "aborted" }) })],
    ["when its answer was cut off", stops({ message: answer("Half", { stopReason: "length" }) })],
    ["when its tools ended the run", stops({ message: answer("", { content: [call] }) })],
    ["when the user chose the tool of the turn", stops({ choiceLabel: "user-force" })],
    ["when it asks the user", stops({ message: answer("I found two.\n\nWhich one should I take?") })],
  ])("%s", (_when, outcome) => {
    const { reminder, events } = open();
    expect(reminder.next(outcome)).toBeUndefined();
    expect(events).toEqual([]);
    expect(reminder.next(stops())).toBeDefined();
  });
  test.each<[string, Partial<TodoReminderDeps>]>([
    ["when nothing is open", { phases: () => [phases[1] as TodoPhase] }],
    ["when reminders are off", { maxAttempts: () => 0 }],
    ["while something is waited for", { isWaiting: () => true }],
  ])("%s", (_when, deps) => {
    expect(open(deps).reminder.next(stops())).toBeUndefined();
  });
  test("although another directive chose the tool of the turn", () => {
    expect(open().reminder.next(stops({ choiceLabel: "resolve" }))).toBeDefined();
  });
});

describe("again", () => {
  test("only after it has used a tool, and not more often than is set", () => {
    const { reminder, events } = open();
    for (let turn = 0; turn < 5; turn += 1) {
      reminder.next(stops());
      reminder.next(stops());
      reminder.next(works);
    }
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });
  test("what it did before the reminder does not count", () => {
    const { reminder, events } = open();
    for (const outcome of [works, stops(), stops()]) reminder.next(outcome);
    expect(events).toHaveLength(1);
  });
  test("from the beginning after the next prompt", () => {
    const { reminder, events } = open();
    reminder.next(stops());
    reminder.reset();
    reminder.next(stops());
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
  test("from the beginning when everything had been done in between", () => {
    const { reminder, events, live } = open();
    reminder.next(stops());
    live.phases = [];
    reminder.next(works);
    live.phases = phases;
    reminder.next(stops());
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});

test("a list of any length gives a bounded message", () => {
  const tasks = Array.from({ length: 5000 }, (_, n) => ({
    id: `task-${n}`,
    content: "x".repeat(9999),
    status: "pending" as const,
  }));
  const { reminder } = open({ phases: () => [{ id: "p", name: "P", tasks }] });
  const step = reminder.next(stops());
  const message = step?.kind === "turn" ? step.messages[0] : undefined;
  const text = message?.role === "developer" ? String(message.content) : "";
  expect(text.length).toBeLessThan(25_000);
  expect(text).toContain("… and 4901 more");
});

describe("an answer asks the user", () => {
  test.each([
    "Shall I go on?",
    "Which one? ",
    'Did you mean **"b"?**',
    "続けますか？",
    "Done so far.\nPlease confirm that I may delete it.",
    "Let me know which version you want.",
    "Reply with yes or no.",
    "Please choose one of these.",
    "Tell me whether to continue.",
  ])("%j", (text) => {
    expect(asksUser(text)).toBe(true);
  });
  test.each([
    "",
    "All tests pass.",
    "What does it do? It counts.",
    "Is it fast?\nYes, it is.",
    "I will choose the first.",
    "The user must confirm this in the dialog.",
    "I told the server to reply.",
  ])("not with %j", (text) => {
    expect(asksUser(text)).toBe(false);
  });
});
