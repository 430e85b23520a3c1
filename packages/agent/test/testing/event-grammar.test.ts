import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../src/events.ts";
import { grammarViolations } from "../../src/testing/event-grammar.ts";
import { assistant, call, result, text, user } from "../support/messages.ts";
import { notation } from "../support/notation.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool, ok } from "../support/tools.ts";

type Event = AgentEvent | { type: string; [key: string]: unknown };

const bare = (events: Event[]) => grammarViolations(events, { expectSettled: false });
const settled = (events: Event[]) => grammarViolations(events, { expectSettled: true });

const ts: Event = { type: "turn_start" };
const start: Event = { type: "agent_start" };
const answer = assistant([text("hi")]);
const failed = assistant([], { stopReason: "error", errorMessage: "boom" });
const blank = assistant([], { stopReason: "stop" });
const whole = (message: ReturnType<typeof user> | ReturnType<typeof result>): Event[] => [
  { type: "message_start", message },
  { type: "message_end", message },
];
const said = (message: ReturnType<typeof assistant>): Event[] => [
  { type: "message_start", message: blank },
  { type: "message_end", message },
];
const turn = (message = answer): Event[] => [ts, ...said(message), { type: "turn_end", message, toolResults: [] }];
const end = (...messages: ReturnType<typeof assistant>[]): Event => ({
  type: "agent_end",
  messages,
  stopReason: "stop",
});
const done: Event = { type: "agent_settled" };

/** A recorded run with everything that a bare agent emits, one call at a time. */
async function recording(): Promise<AgentEvent[]> {
  const tool = makeTool("echo", async (_, { update }) => {
    update(ok("half"));
    return ok("whole");
  });
  const s = scenario({
    answers: [
      [{ thinking: "hm" }, { text: "abc", chunk: 2 }, { call: "echo", args: { long: "argument" } }],
      [{ text: "done" }],
    ],
    tools: [tool],
  });
  await s.prompt("go");
  return s.events;
}

test("a recorded run matches the grammar", async () => {
  expect(bare(await recording())).toEqual([]);
});

test("also after a round trip over the wire", async () => {
  expect(bare(JSON.parse(JSON.stringify(await recording())) as Event[])).toEqual([]);
});

test("without any one of its events it does not, except tool progress", async () => {
  const events = await recording();
  const unnoticed = events.filter((_, index) => bare(events.toSpliced(index, 1)).length === 0);
  expect(unnoticed.map(({ type }) => type)).toEqual(["tool_execution_update"]);
});

test("with any one of its events twice it does not, except tool progress", async () => {
  const events = await recording();
  const unnoticed = events.filter((event, index) => bare(events.toSpliced(index, 0, event)).length === 0);
  expect(unnoticed.map(({ type }) => type)).toEqual(["tool_execution_update"]);
});

test("with any two neighbours swapped it does not, unless they belong to two blocks of one answer", async () => {
  const events = await recording();
  const unnoticed = events.slice(1).filter((event, index) => {
    const before = events[index] as AgentEvent;
    return bare(events.toSpliced(index, 2, event, before)).length === 0;
  });
  expect(notation(unnoticed)).toEqual(["mu:text_start", "mu:toolcall_start"]);
});

describe("sequences of a session", () => {
  const retryStart = { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "boom" };
  const retryEnd = (success: boolean) => ({ type: "auto_retry_end", success, attempt: 1 });
  const compaction = [{ type: "auto_compaction_start" }, { type: "auto_compaction_end" }];
  const [turnStart, messageStart, messageEnd, turnEnd] = turn() as [Event, Event, Event, Event];
  const rows: [what: string, events: Event[]][] = [
    ["a plain run", [start, ...turn(), end(answer), done]],
    ["two runs", [start, ...turn(), end(answer), done, start, ...turn(), end(answer), done]],
    ["compaction before and after a run", [...compaction, start, ...turn(), end(answer), ...compaction, done]],
    ["compaction between turns", [start, ...turn(), ...compaction, ...turn(), end(answer, answer), done]],
    ["compaction while idle", [...compaction, ...compaction]],
    ["a reminder", [start, ...turn(), { type: "todo_reminder" }, ...turn(), end(answer, answer), done]],
    [
      "a retry that works; the failed message is withdrawn",
      [
        start,
        ...turn(failed),
        retryStart,
        turnStart,
        messageStart,
        messageEnd,
        retryEnd(true),
        turnEnd,
        end(answer),
        done,
      ],
    ],
    [
      "a retry that gives up",
      [start, ...turn(failed), retryStart, ...turn(failed), retryEnd(false), end(failed), done],
    ],
    ["a retry that is cancelled", [start, ...turn(failed), retryStart, retryEnd(false), end(failed), done]],
    [
      "a stream rule",
      [start, turnStart, messageStart, { type: "ttsr_triggered" }, messageEnd, turnEnd, end(answer), done],
    ],
    [
      "frames that may stand anywhere",
      [
        { type: "ready" },
        start,
        { type: "queue_update" },
        ...turn(),
        { type: "response" },
        end(answer),
        { type: "notice" },
        done,
      ],
    ],
    ["the pi dialect", [start, ...turn(), end(answer), { type: "compaction_start" }, { type: "compaction_end" }, done]],
  ];
  for (const [what, events] of rows) test(what, () => expect(settled(events)).toEqual([]));

  const broken: [what: string, events: Event[], violation: RegExp][] = [
    ["no agent_settled", [start, ...turn(), end(answer)], /stream ends in phase ended/],
    ["agent_settled before agent_end", [start, ...turn(), done, end(answer)], /agent_settled: in phase run/],
    ["a run inside of a run", [start, ...turn(), start], /agent_start: in phase run/],
    ["a run before the last has settled", [start, ...turn(), end(answer), start], /agent_start: in phase ended/],
    ["a second agent_end", [start, ...turn(), end(answer), end(answer)], /agent_end: in phase ended/],
    ["a run without a turn", [start, end(), done], /without a turn/],
    [
      "a turn without an answer",
      [start, ts, { type: "turn_end", message: answer, toolResults: [] }],
      /without an assistant message/,
    ],
    ["two answers in a turn", [start, ts, ...said(answer), ...said(answer)], /second assistant/],
    ["a user message behind the answer", [start, ts, ...said(answer), ...whole(user("x"))], /after the answer/],
    ["an answer that does not start empty", [start, ts, { type: "message_start", message: answer }], /start empty/],
    [
      "an answer that starts with usage",
      [start, ts, { type: "message_start", message: { ...blank, usage: { ...blank.usage, totalTokens: 5 } } }],
      /zero usage/,
    ],
    [
      "a message that changes between start and end",
      [start, ts, { type: "message_start", message: user("a") }, { type: "message_end", message: user("b") }],
      /differ/,
    ],
    [
      "a turn_end about another answer",
      [start, ts, ...said(answer), { type: "turn_end", message: failed, toolResults: [] }],
      /not the answer/,
    ],
    [
      "an answer with open blocks",
      [
        start,
        ts,
        { type: "message_start", message: blank },
        {
          type: "message_update",
          message: answer,
          assistantMessageEvent: { type: "text_start", contentIndex: 0, partial: answer },
        },
        { type: "message_end", message: answer },
      ],
      /blocks never ended: 0/,
    ],
    ["a list that lacks a message", [start, ...turn(), ...turn(), end(answer)], /message 1 of the list/],
    ["a list with a message of nobody", [start, ...turn(), end(answer, answer)], /2 messages, of which 1/],
    ["compaction inside of a turn", [start, ts, ...compaction], /inside of a turn/],
    ["compaction before the first turn", [start, ...compaction], /not directly after a turn/],
    [
      "two recoveries in a row",
      [start, ...turn(), ...compaction, { type: "todo_reminder" }],
      /not directly after a turn/,
    ],
    ["a turn while compacting", [start, ...turn(), { type: "auto_compaction_start" }, ts], /while compacting/],
    ["two compactions after a run", [start, ...turn(), end(answer), ...compaction, ...compaction, done], /second one/],
    ["compaction that never ends", [{ type: "auto_compaction_start" }], /compaction never ended/],
    ["the end of no compaction", [{ type: "auto_compaction_end" }], /not compacting/],
    ["a retry after a good answer", [start, ...turn(), retryStart], /did not fail/],
    ["the end of no retry", [start, ...turn(failed), retryEnd(false)], /no retry is open/],
    ["a retry left open", [start, ...turn(failed), retryStart, end(failed)], /still open/],
    ["a turn after giving up", [start, ...turn(failed), retryStart, retryEnd(false), ts], /gave up/],
    [
      "a success told too late",
      [
        start,
        ...turn(failed),
        retryStart,
        ts,
        ...said(assistant([call("a")])),
        { type: "tool_execution_start", toolCallId: "a", toolName: "echo", args: {} },
        retryEnd(true),
      ],
      /not directly after the answer/,
    ],
    ["a stream rule outside of a stream", [start, ts, { type: "ttsr_triggered" }], /no assistant message/],
    [
      "an update after a stream rule",
      [
        start,
        ts,
        { type: "message_start", message: blank },
        { type: "ttsr_triggered" },
        {
          type: "message_update",
          message: answer,
          assistantMessageEvent: { type: "text_start", contentIndex: 0, partial: answer },
        },
      ],
      /after a stream rule/,
    ],
  ];
  for (const [what, events, violation] of broken) {
    test(`not: ${what}`, () => expect(settled(events).join("\n")).toMatch(violation));
  }
});

describe("calls", () => {
  const two = assistant([call("a"), call("b")]);
  const xs = (toolCallId: string): Event => ({ type: "tool_execution_start", toolCallId, toolName: "echo", args: {} });
  const xu = (toolCallId: string): Event => ({
    type: "tool_execution_update",
    toolCallId,
    toolName: "echo",
    args: {},
    partialResult: ok(""),
  });
  const xe = (toolCallId: string): Event => ({
    type: "tool_execution_end",
    toolCallId,
    toolName: "echo",
    result: ok(""),
    isError: false,
  });
  const te = (...ids: string[]): Event => ({
    type: "turn_end",
    message: two,
    toolResults: ids.map((id) => result(id)),
  });
  const open = [start, ts, ...said(two)];
  const ended = (id: string) => [xe(id), ...whole(result(id))];
  const list: Event = { type: "agent_end", messages: [two, result("a"), result("b")], stopReason: "stop" };

  test("may interleave and end in any order; lists are in the order of the calls", () => {
    expect(
      bare([...open, xs("a"), xs("b"), xu("a"), ...ended("b"), xu("a"), ...ended("a"), te("a", "b"), list]),
    ).toEqual([]);
  });

  const broken: [what: string, events: Event[], violation: RegExp][] = [
    [
      "results in order of completion",
      [...open, xs("a"), xs("b"), ...ended("b"), ...ended("a"), te("b", "a")],
      /do not match calls/,
    ],
    [
      "a list in order of completion",
      [
        ...open,
        xs("a"),
        xs("b"),
        ...ended("b"),
        ...ended("a"),
        te("a", "b"),
        { ...list, messages: [two, result("b"), result("a")] },
      ],
      /message 1 of the list/,
    ],
    ["an update after the end", [...open, xs("a"), ...ended("a"), xu("a")], /update: call is not open/],
    ["an end without a start", [...open, xe("a")], /end: call is not open/],
    ["a second start", [...open, xs("a"), ...ended("a"), xs("a")], /id used twice/],
    ["a call nobody made", [...open, xs("z")], /no such call/],
    [
      "a call before the answer has ended",
      [start, ts, { type: "message_start", message: blank }, xs("a")],
      /no such call/,
    ],
    ["the end of another call before the result", [...open, xs("a"), xs("b"), xe("a"), xe("b")], /must follow its end/],
    [
      "another call's result",
      [...open, xs("a"), xs("b"), xe("a"), ...whole(result("b"))],
      /without the end of its call/,
    ],
    [
      "an event inside of the result message",
      [...open, xs("a"), xs("b"), xe("a"), { type: "message_start", message: result("a") }, xu("b")],
      /inside of a result message/,
    ],
    ["a result without its call", [...open, ...whole(result("a"))], /without the end of its call/],
    ["a user message instead of the result", [...open, xs("a"), xe("a"), ...whole(user("x"))], /instead of a result/],
    ["the end of the turn with an open call", [...open, xs("a"), te("a", "b")], /calls are open/],
    ["a turn that forgets a call", [...open, xs("a"), ...ended("a"), te("a")], /do not match calls/],
    [
      "a result that was announced otherwise",
      [...open, xs("a"), xs("b"), ...ended("a"), xe("b"), ...whole(result("b", "other")), te("a", "b")],
      /result of b was not announced so/,
    ],
  ];
  for (const [what, events, violation] of broken) {
    test(`not: ${what}`, () => expect(bare(events).join("\n")).toMatch(violation));
  }
});
