import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "@pintle/agent";
import type { ScriptedAnswer, ScriptStep } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import fc from "fast-check";
import { propertyRuns } from "../../../../agent/test/support/property-runs.ts";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import {
  forever,
  freshPlace,
  type Place,
  show,
  startSession,
  storedMessages,
  type TestSession,
  violations,
} from "../../support/session/test-session.ts";

/** Maps a rule's name to the head and text of its file. */
type Rules = Record<string, string>;
const NO_FOO: Rules = { "no-foo": "---\ncondition: foo\n---\nSay bar.\n" };

function placeWith(rules: Rules, place: Place = freshPlace()): Place {
  const directory = join(place.cwd, ".pintle", "rules");
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(rules)) writeFileSync(join(directory, `${name}.md`), text);
  return place;
}

interface Options {
  settings?: Record<string, unknown>;
  agentTools?: Tool[];
  rules?: boolean;
  place?: Place;
}

async function start(rules: Rules, answers: readonly ScriptedAnswer[], options: Options = {}): Promise<TestSession> {
  const settings = { "compaction.enabled": false, ...options.settings };
  return startSession(answers, { ...options, settings, place: placeWith(rules, options.place) });
}

async function run(rules: Rules, answers: readonly ScriptedAnswer[], options: Options = {}): Promise<TestSession> {
  const started = await start(rules, answers, options);
  await started.session.prompt("go");
  await check(started);
  return started;
}

/** Checks what must always hold: the event grammar, and that the conversation in memory equals the one in the file. */
async function check({ session, events, home, cwd }: TestSession): Promise<void> {
  expect(violations(events)).toEqual([]);
  const stored = await storedMessages({ home, cwd }, session.sessionFile!);
  expect(JSON.parse(JSON.stringify(stored))).toEqual(JSON.parse(JSON.stringify(session.messages)));
}

function triggered(events: readonly AgentSessionEvent[]): string[][] {
  return events.flatMap((event) => (event.type === "ttsr_triggered" ? [event.rules.map(({ name }) => name)] : []));
}

function entriesOf({ session }: TestSession): Record<string, unknown>[] {
  const lines = readFileSync(session.sessionFile!, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

function injected(started: TestSession): unknown[] {
  return entriesOf(started).flatMap((entry) => (entry.type === "ttsr_injection" ? [entry.injectedRules] : []));
}

/** Roles and content of a request; a rule's text is shortened to its name. */
function request(started: TestSession, index: number): string[] {
  return started.requests[index]!.context.messages.map((message) => {
    const text = show([message])[0]!;
    return text.replace(/Your output is against the rule "(.*?)"[\s\S]*?here on:\n\n/g, "[$1] ");
  });
}

describe("a hit in the text", () => {
  test("stops the answer, sends the rule, and repeats the answer in the same run", async () => {
    const started = await run(NO_FOO, [
      [{ text: "I say foo and more", chunk: 2 }, { wait: forever }],
      [{ text: "bar" }],
    ]);
    const { session, events, cwd } = started;
    const order = events
      .filter(({ type }) => !["message_update", "session_info_update"].includes(type))
      .map((event) => (event.type === "message_end" ? `end of ${event.message.role}` : event.type));
    expect(order).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "end of user",
      "message_start",
      "ttsr_triggered",
      "end of assistant",
      "turn_end",
      "turn_start",
      "message_start",
      "end of custom",
      "message_start",
      "end of assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    const path = join(cwd, ".pintle", "rules", "no-foo.md");
    expect(events.find(({ type }) => type === "ttsr_triggered")).toEqual({
      type: "ttsr_triggered",
      rules: [{ name: "no-foo", path, content: "Say bar.", condition: ["foo"] }],
    });
    const injection = session.messages[1]!;
    expect(injection).toMatchObject({
      role: "custom",
      customType: "ttsr-injection",
      display: false,
      details: { rules: ["no-foo"] },
    });
    expect((injection as { content: string }).content).toContain(`"no-foo" (${path})`);
    expect(request(started, 1)).toEqual(["user: go\n\n[no-foo] Say bar."]);
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "custom", "assistant"]);
    expect(events.find((event) => event.type === "agent_end")).toMatchObject({ stopReason: "stop" });
  });

  test("the stopped answer ends with the piece that matched, and is marked in the file", async () => {
    const started = await run(NO_FOO, [[{ text: "I say foo and more", chunk: 3 }], [{ text: "bar" }]]);
    const kinds = entriesOf(started).map(({ type, excludeFromContext }) => [type, excludeFromContext ?? false]);
    expect(
      kinds.filter(
        ([type]) => !["session", "model_change", "thinking_level_change", "custom"].includes(type as string),
      ),
    ).toEqual([
      ["message", false],
      ["message", true],
      ["custom_message", false],
      ["ttsr_injection", false],
      ["message", false],
    ]);
    const cut = entriesOf(started).find(({ excludeFromContext }) => excludeFromContext)?.message;
    expect(cut).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "I say foo" }] });
    expect(injected(started)).toEqual([["no-foo"]]);
  });

  test("contextMode keep: it stays in the conversation", async () => {
    const started = await run(NO_FOO, [[{ text: "foo" }], [{ text: "bar" }]], {
      settings: { "ttsr.contextMode": "keep" },
    });
    expect(show(started.session.messages).map((line) => line.slice(0, 20))).toEqual([
      "user: go",
      "assistant(aborted): ",
      "custom: Your output ",
      "assistant: bar",
    ]);
    expect(entriesOf(started).some(({ excludeFromContext }) => excludeFromContext)).toBe(false);
  });

  test("is found at the end of the text", async () => {
    const rules = { "no-end": "---\ncondition: 'foo$'\n---\nNo.\n" };
    const { events } = await run(rules, [[{ text: "foolish\nfoo" }], [{ text: "food" }]]);
    expect(triggered(events)).toEqual([["no-end"]]);
  });

  test("the text of a failed attempt is not joined with that of the next", async () => {
    const { events } = await run(NO_FOO, [[{ text: "fo" }, { fail: "overloaded" }], [{ text: "o" }]], {
      settings: { "retry.baseDelayMs": 0 },
    });
    expect(triggered(events)).toEqual([]);
  });

  test("all rules matched in one piece are sent together", async () => {
    const rules = { ...NO_FOO, "a-rule": "---\ncondition: o+\ninterruptMode: never\n---\nNo o.\n" };
    const started = await run(rules, [[{ text: "foo" }], [{ text: "bar" }]]);
    expect(triggered(started.events)).toEqual([["a-rule", "no-foo"]]);
    expect(injected(started)).toEqual([["a-rule", "no-foo"]]);
    expect(request(started, 1)).toEqual(["user: go\n\n[a-rule] No o.\n\n[no-foo] Say bar."]);
  });

  test("thinking is watched when the scope says so", async () => {
    const rules = { quiet: "---\ncondition: foo\nscope: thinking\n---\nNo.\n" };
    const { events } = await run(rules, [[{ thinking: "foo" }, { text: "foo" }], [{ text: "foo" }]]);
    expect(triggered(events)).toEqual([["quiet"]]);
    expect(triggered((await run(NO_FOO, [[{ thinking: "foo" }, { text: "bar" }]])).events)).toEqual([]);
  });
});

describe("a hit in a call", () => {
  const calls: string[] = [];
  const tool = (name: string) =>
    makeTool(name, async () => {
      calls.push(name);
      return { content: [{ type: "text", text: `${name} done` }] };
    });
  const agentTools = [tool("poke"), tool("prod")];

  test.each<[string, string, ScriptStep]>([
    ["as it streams", "condition: foo", { call: "poke", args: { text: "foo" } }],
    ["in what the JSON stands for", "condition: '^say \"foo\"$'", { call: "poke", args: { text: 'a\nsay "foo"\nb' } }],
    ["in a file it names", "condition: .+\nscope: 'poke(*.ts)'", { call: "poke", args: { path: "src/a.ts" } }],
  ])("%s: the call is never run, nor those before it", async (_, head, step) => {
    calls.length = 0;
    const rules = { r: `---\n${head}\n---\nNo.\n` };
    const started = await run(rules, [[{ call: "prod" }, step], [{ text: "bar" }]], { agentTools });
    expect(triggered(started.events)).toEqual([["r"]]);
    expect(calls).toEqual([]);
    expect(request(started, 1)).toEqual(["user: go\n\n[r] No."]);
  });

  test("of another file or tool, or one whose name only begins like it: the call runs", async () => {
    calls.length = 0;
    const rules = { r: "---\ncondition: .+\nscope: 'poke(*.js)'\n---\nNo.\n" };
    const answers: ScriptedAnswer[] = [
      [
        { call: "prod", args: { path: "a.js" } },
        { call: "poke", args: { path: "a.json", more: "long enough to be read" } },
      ],
      [{ text: "done" }],
    ];
    const { events } = await run(rules, answers, { agentTools });
    expect(triggered(events)).toEqual([]);
    expect(calls.sort()).toEqual(["poke", "prod"]); // they run in parallel
  });

  test("that must not interrupt: the rule precedes the result", async () => {
    const rules = { r: "---\ncondition: foo\ninterruptMode: prose-only\n---\nNo.\n" };
    const answers: ScriptedAnswer[] = [
      [
        { call: "poke", args: { text: "foo" } },
        { call: "prod", args: { text: "foo" } },
      ],
      [{ call: "poke", args: { text: "foo" } }],
      [{ text: "done" }],
    ];
    const started = await run(rules, answers, { agentTools });
    expect(triggered(started.events)).toEqual([]);
    expect(request(started, 1).slice(2)).toEqual(["toolResult: [r] No.poke done", "toolResult: prod done"]);
    expect(request(started, 2).at(-1)).toBe("toolResult: poke done");
    expect(injected(started)).toEqual([["r"]]);
  });

  test("that was not run sends nothing, and the rule is sent at the next", async () => {
    const rules = { r: "---\ncondition: foo\ninterruptMode: never\n---\nNo.\n" };
    const answers: ScriptedAnswer[] = [
      [{ call: "poke", args: { text: "foo" } }, { fail: "auth" }],
      [{ call: "poke", args: { text: "foo" } }],
      [{ text: "done" }],
    ];
    const started = await run(rules, answers, { agentTools });
    expect(injected(started)).toEqual([]);
    await started.session.prompt("again");
    expect(injected(started)).toEqual([["r"]]);
    await check(started);
  });
});

describe("a hit in the text that must not interrupt", () => {
  const rules = { r: "---\ncondition: foo\ninterruptMode: tool-only\n---\nNo.\n" };

  test("is sent after the answer, and the model continues", async () => {
    const started = await run(rules, [[{ text: "foo" }], [{ text: "foo again" }]]);
    expect(triggered(started.events)).toEqual([]);
    expect(request(started, 1)).toEqual(["user: go", "assistant: foo", "user: [r] No."]);
    expect(started.requests).toHaveLength(2);
    expect(injected(started)).toEqual([["r"]]);
  });

  test("is not sent if the answer failed, and not lost either", async () => {
    const started = await run(rules, [[{ text: "foo" }, { fail: "auth" }], [{ text: "foo" }], [{ text: "bar" }]]);
    expect(injected(started)).toEqual([]);
    expect(started.requests).toHaveLength(1);
    await started.session.prompt("again");
    expect(injected(started)).toEqual([["r"]]);
    await check(started);
  });
});

test("more than five interrupts in a run become notes; the next run may interrupt again", async () => {
  const rules = Object.fromEntries(
    Array.from({ length: 7 }, (_, n) => [`r${n}`, `---\ncondition: word${n}\n---\nNo ${n}.\n`]),
  );
  const say = (n: number): ScriptStep[] => [{ text: `word${n}` }];
  const started = await run(rules, [
    say(0),
    say(1),
    say(2),
    say(3),
    say(4),
    say(5),
    [{ text: "done" }],
    say(6),
    [{ text: "x" }],
  ]);
  expect(triggered(started.events)).toEqual([["r0"], ["r1"], ["r2"], ["r3"], ["r4"]]);
  expect(request(started, 6).slice(-2)).toEqual(["assistant: word5", "user: [r5] No 5."]);
  await started.session.prompt("again");
  expect(triggered(started.events).at(-1)).toEqual(["r6"]);
  await check(started);
});

describe("how often a rule is sent", () => {
  test("once per conversation", async () => {
    const started = await run(NO_FOO, [[{ text: "foo" }], [{ text: "foo" }], [{ text: "foo" }]]);
    await started.session.prompt("again");
    expect(triggered(started.events)).toHaveLength(1);
    expect(started.requests).toHaveLength(3);
    await check(started);
  });

  test("after-gap: again after so many finished turns", async () => {
    const settings = { "ttsr.repeatMode": "after-gap", "ttsr.repeatGap": 2 };
    const foo: ScriptStep[] = [{ text: "foo" }];
    const started = await run(NO_FOO, [foo, foo, [{ fail: "auth" }], foo, foo, [{ text: "bar" }]], { settings });
    expect(triggered(started.events)).toHaveLength(1);
    await started.session.prompt("fails");
    await started.session.prompt("second");
    expect(triggered(started.events)).toHaveLength(1);
    await started.session.prompt("third");
    expect(triggered(started.events)).toHaveLength(2);
    await check(started);
  });

  test("a gap of zero does not repeat the rule forever", async () => {
    const settings = { "ttsr.repeatMode": "after-gap", "ttsr.repeatGap": 0, "ttsr.interruptMode": "never" };
    const foo: ScriptStep[] = [{ text: "foo" }];
    const started = await run(NO_FOO, [foo, foo, foo, foo], { settings });
    expect(started.requests).toHaveLength(2);
  });
});

describe("sent rules belong to the conversation", () => {
  const foo: ScriptStep[] = [{ text: "foo" }];
  const bar: ScriptStep[] = [{ text: "bar" }];

  test("new_session starts over, switch_session restores them", async () => {
    const started = await run(NO_FOO, [foo, bar, foo, bar, foo]);
    const { session, events } = started;
    const first = session.sessionFile!;
    await session.changes.newSession();
    await session.prompt("in the second");
    expect(triggered(events)).toHaveLength(2);
    await session.changes.switchSession(first);
    await session.prompt("in the first again");
    expect(triggered(events)).toHaveLength(2);
    await check(started);
  });

  test("branch: a rule sent before the branch point counts, one after it does not", async () => {
    const started = await start(NO_FOO, [bar, foo, bar, foo, foo, foo, bar]);
    const { session, events } = started;
    for (const text of ["one", "two", "three"]) await session.prompt(text);
    expect(triggered(events)).toHaveLength(1);
    const [, two, three] = session.manager.userMessages();
    await session.changes.branch(three!.entryId);
    await session.prompt("again three");
    expect(triggered(events)).toHaveLength(1);
    await session.changes.branch(two!.entryId);
    await session.prompt("again two");
    expect(triggered(events)).toHaveLength(2);
    await check(started);
  });

  test("a reopened session knows which rules were sent", async () => {
    const first = await run(NO_FOO, [foo, bar]);
    await first.session.dispose();
    const again = await startSession([foo], { place: first });
    await again.session.changes.switchSession(first.session.sessionFile!);
    await again.session.prompt("go on");
    expect(triggered(again.events)).toEqual([]);
  });
});

describe("switched off", () => {
  test.each<[string, Options]>([
    ["by the setting", { settings: { "ttsr.enabled": false } }],
    ["for the session", { rules: false }],
  ])("%s", async (_, options) => {
    const started = await run(NO_FOO, [[{ text: "foo" }]], options);
    expect(triggered(started.events)).toEqual([]);
    expect(started.requests).toHaveLength(1);
    expect(injected(started)).toEqual([]);
  });
});

test("a match in a chain of retries: the chain continues and ends normally", async () => {
  const answers: ScriptedAnswer[] = [
    [{ fail: "overloaded" }],
    [{ text: "foo" }],
    [{ fail: "overloaded" }],
    [{ text: "bar" }],
  ];
  const started = await run(NO_FOO, answers, { settings: { "retry.baseDelayMs": 0 } });
  expect(triggered(started.events)).toHaveLength(1);
  expect(started.events.filter(({ type }) => type === "auto_retry_end")).toMatchObject([{ success: true, attempt: 2 }]);
  expect(started.session.messages.map(({ role }) => role)).toEqual(["user", "custom", "assistant"]);
});

test.each(["ttsr_triggered", "turn_end"] as const)(
  "an abort at %s wins: nothing is sent, and the rule stays unused",
  async (moment) => {
    const started = await start(NO_FOO, [[{ text: "foo" }], [{ text: "foo" }], [{ text: "bar" }]]);
    const { session, events } = started;
    const unsubscribe = session.subscribe(({ type }) => {
      if (type === moment) void session.abort();
    });
    await session.prompt("go");
    unsubscribe();
    expect(injected(started)).toEqual([]);
    expect(started.requests).toHaveLength(1);
    expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "aborted" });
    expect(violations(events)).toEqual([]);
    expect(show(await storedMessages(started, session.sessionFile as string))).toEqual(show(session.messages));
    await session.prompt("again");
    expect(triggered(events)).toHaveLength(2);
    expect(injected(started)).toEqual([["no-foo"]]);
  },
);

test("mistakes in a rule are reported, and the others work", async () => {
  const rules = { ...NO_FOO, broken: "---\ncondition: '('\n---\nNo.\n", slow: "---\ncondition: '(a+)+$'\n---\nNo.\n" };
  const { events } = await run(rules, [[{ text: "foo" }], [{ text: "bar" }]]);
  expect(triggered(events)).toEqual([["no-foo"]]);
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  expect(notices).toHaveLength(2);
  expect(notices[0]).toContain('broken.md: the condition "(" is skipped');
  expect(notices[1]).toContain("repeats something that repeats");
});

test("whatever is found and sent, memory and file agree", async () => {
  const modes = ["", "interruptMode: never\n", "interruptMode: tool-only\n", "interruptMode: prose-only\n"];
  const rules = Object.fromEntries(
    modes.map((mode, n) => [`r${n}`, `---\ncondition: ${"abcd"[n]}\nscope: text, thinking, tool\n${mode}---\nNo.\n`]),
  );
  const words = fc.string({ unit: fc.constantFrom(..."abcdxyz "), maxLength: 6 });
  const step: fc.Arbitrary<ScriptStep> = fc.oneof(
    words.map((text) => ({ text, chunk: 2 })),
    words.map((thinking) => ({ thinking })),
    words.map((text) => ({ call: "poke", args: { text } })),
  );
  const ending = fc.constantFrom<ScriptStep[]>([], [], [], [{ fail: "overloaded" }], [{ stop: "length" }]);
  const answer = fc.tuple(fc.array(step, { maxLength: 3 }), ending).map(([steps, end]) => [...steps, ...end]);
  const action = fc.constantFrom("prompt", "prompt", "new", "reopen", "branch");
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { minLength: 15, maxLength: 15 }),
      fc.array(action, { minLength: 1, maxLength: 5 }),
      fc.record({
        "ttsr.contextMode": fc.constantFrom("discard", "keep"),
        "ttsr.repeatMode": fc.constantFrom("once", "after-gap"),
        "ttsr.repeatGap": fc.nat(2),
      }),
      async (answers, actions, ttsr) => {
        const settings = { ...ttsr, "session.fsync": "never", "retry.baseDelayMs": 0, "agent.maxTurns": 12 };
        const started = await start(rules, answers, { settings, agentTools: [makeTool("poke")] });
        const { session } = started;
        for (const [index, act] of actions.entries()) {
          if (act === "prompt") await session.prompt(`prompt ${index}`);
          else if (act === "new") await session.changes.newSession();
          else if (act === "reopen") await session.changes.switchSession(session.sessionFile!).catch(() => {});
          else await session.changes.branch(session.manager.userMessages().at(-1)?.entryId ?? "").catch(() => {});
          if (await Bun.file(session.sessionFile!).exists()) await check(started);
        }
        await session.dispose();
      },
    ),
    propertyRuns({ numRuns: 30, seed: 5 }),
  );
}, 600_000);
