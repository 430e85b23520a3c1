import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProviderMessage } from "../../src/messages.ts";
import { offlineModel } from "../../src/offline/offline-info.ts";
import type { ToolChoice } from "../../src/protocols/protocol.ts";
import { streamModel } from "../../src/stream.ts";
import { readChecked } from "../support/event-checker.ts";
import { ask, developer, greeting, play, toolResult, user } from "../support/offline/play.ts";

const tools = {
  read: () => "x",
  ls: () => "a",
  resolve: () => "Applied: it.",
  deploy: () => "staged",
  todo_write: () => "ok",
};

describe("a forced tool", () => {
  test("resolve applies", async () => {
    expect(await ask("list", { tools, choices: [{ name: "resolve" }] })).toEqual([
      'off_1 resolve {"action":"apply","reason":"The request was: list"}',
      "Applied: it.",
      "off_2 ls {}",
      "This directory has 1 entry: a",
    ]);
  });
  test.each(["call deploy, preview only", "discard it", "Please discard that change"])(
    "resolve discards when the request is %j",
    async (text) => {
      const [call] = await ask(text, { tools, choices: [{ name: "resolve" }] });
      expect(call).toBe(`off_1 resolve {"action":"discard","reason":"The request was: ${text}"}`);
    },
  );
  test("resolve discards if the user says so meanwhile", async () => {
    const note = '"it" is a preview. Call the tool resolve with action "apply" or "discard".';
    const play = (text: string) =>
      ask("call deploy", { tools, choices: ["auto", { name: "resolve" }], meanwhile: { 0: [user(text)] } });
    expect((await play(`discard it\n\n${note}`))[1]).toContain('"action":"discard"');
    expect((await play(note))[1]).toContain('"action":"apply"');
  });
  test("that comes next anyway is called with its arguments", async () => {
    expect(await ask("read a.txt", { tools, choices: [{ name: "read" }] })).toEqual([
      'off_1 read {"path":"a.txt"}',
      "`a.txt` has 1 line:\n```\nx\n```",
    ]);
  });
  test("that comes next anyway is called for the current request", async () => {
    expect((await ask("read a then read b", { tools, choices: ["auto", { name: "read" }] })).slice(1, 3)).toEqual([
      "`a` has 1 line:\n```\nx\n```",
      'off_2 read {"path":"b"}',
    ]);
  });
  test("that a later request uses is called with the arguments of that request", async () => {
    expect((await ask("list then read b", { tools, choices: [{ name: "read" }, "none"] })).slice(0, 2)).toEqual([
      'off_1 read {"path":"b"}',
      "`read` answered:\n```\nx\n```\n\nI would need the tool `ls`, but may not call one now.",
    ]);
  });
  test("that no request needs is called without arguments, and its answer is reported", async () => {
    expect(await ask("list", { tools, choices: [{ name: "deploy" }] })).toEqual([
      "off_1 deploy {}",
      "`deploy` answered:\n```\nstaged\n```",
      "off_2 ls {}",
      "This directory has 1 entry: a",
    ]);
    const failing = { ...tools, deploy: () => ({ error: "no" }) };
    expect((await ask("list", { tools: failing, choices: [{ name: "deploy" }] }))[1]).toBe("`deploy` failed: no");
  });
  test("todo_write gets the requests as items, which are then worked through", async () => {
    expect(await ask("list\nmake tea", { tools, choices: [{ name: "todo_write" }] })).toEqual([
      'off_1 todo_write {"ops":[{"op":"replace","phases":[{"name":"Plan","tasks":[{"content":"list"},{"content":"make tea"}]}]}]}',
      "off_2 ls {}",
      "This directory has 1 entry: a",
      'off_3 todo_write {"ops":[{"op":"update","id":"task-1","status":"completed"}]}',
      "1 of 2 items of the plan done; left open: `make tea`.",
    ]);
  });
  test("todo_write called by a request is left unchanged", async () => {
    expect(await ask('call todo_write {"ops":[]}', { tools, choices: [{ name: "todo_write" }] })).toEqual([
      'off_1 todo_write {"ops":[]}',
      "`todo_write` answered:\n```\nok\n```",
    ]);
  });
  test("that is not active is ignored", async () => {
    expect((await ask("list", { tools, choices: [{ name: "gone" }] }))[0]).toBe("off_1 ls {}");
  });
});

describe("the other choices", () => {
  test("none: makes no call, and says so", async () => {
    expect(await ask("list", { tools, choices: ["none"] })).toEqual([
      "I would need the tool `ls`, but may not call one now.",
    ]);
  });
  test("required: makes a harmless call if there is nothing to call", async () => {
    const words = await ask("why?", { tools, choices: ["required"] });
    expect(words[0]).toBe("off_1 ls {}");
    expect(words[1]).toStartWith("`ls` answered:\n```\na\n```\n\nI understand these requests");
    expect((await ask("why?", { tools: { deploy: tools.deploy }, choices: ["required"] }))[0]).toBe("off_1 deploy {}");
    expect((await ask("read b", { tools, choices: ["required"] }))[0]).toBe('off_1 read {"path":"b"}');
    expect((await ask("why?", { choices: ["required"] }))[0]).toStartWith("I understand these requests");
  });
});

describe("a message that arrives while tools run", () => {
  const during = (...messages: ProviderMessage[]) =>
    ask("list then read b", { tools, meanwhile: { 0: [developer("x"), ...messages] } });
  const undisturbed = ["off_1 ls {}", "This directory has 1 entry: a", 'off_2 read {"path":"b"}'];
  test.each<[string, ProviderMessage]>([
    ["a note for the model", developer("read c")],
    ["a note that is shown as the user's", user("This was a preview, nothing has changed yet.")],
    ["nothing but such a note", user("<note>\nread c\n</note>")],
    ["a remark of the user", user("nice")],
  ])("%s does not interrupt", async (_what, message) => {
    expect((await during(message)).slice(0, 3)).toEqual(undisturbed);
  });
  test("with another request takes over", async () => {
    expect(await during(user("list c"))).toEqual(["off_1 ls {}", 'off_2 ls {"path":"c"}', "`c` has 1 entry: a"]);
  });
  test("after a failure is a request of its own", async () => {
    const failed: ProviderMessage[] = [
      user("run sleep 100"),
      { ...greeting, content: [{ type: "toolCall", id: "off_1", name: "bash", arguments: {} }], stopReason: "toolUse" },
      toolResult("off_1", "bash", { error: "Command aborted" }),
      user("hello"),
    ];
    expect((await play(failed, { tools: { bash: () => "x" } })).words[0]).toStartWith("I understand these requests");
  });
  test("that is an empty note after a failure is not a request", async () => {
    const words = await ask("list", {
      tools: { ls: () => ({ error: "no" }) },
      meanwhile: { 0: [user("<note>\nTry again.\n</note>")] },
    });
    expect(words).toEqual(["off_1 ls {}", "`list` failed: no"]);
  });
});

test("when asked to continue after its answer, it repeats the answer and says that nothing is left", async () => {
  const { conversation } = await play([user("hi"), greeting, user("plan: make tea")], { tools });
  const { words } = await play([...conversation, developer("Tasks are open: make tea")], { tools });
  expect(words).toEqual([
    "0 of 1 item of the plan done; left open: `make tea`.\n\nI have nothing left to do: I have no rule for what is still open.",
  ]);
});

test("a conversation about summaries is not a request for one while there are tools", async () => {
  expect((await ask("search <conversation>", { tools: { grep: () => "No matches found." } }))[0]).toBe(
    'off_1 grep {"pattern":"<conversation>","literal":true}',
  );
});

test("consecutive user messages all apply, with or without notes between them", async () => {
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  const messages = [
    user("hi"),
    greeting,
    user([image, { type: "text", text: "list" }]),
    developer("x"),
    user("read a"),
  ];
  expect((await play(messages, { tools })).words).toEqual([
    "I cannot see the image: I only read text.",
    "off_1 ls {}",
    "This directory has 1 entry: a",
    'off_2 read {"path":"a"}',
    "`a` has 1 line:\n```\nx\n```",
  ]);
});

const names = ["ls", "read", "grep", "bash", "write", "ast_edit", "resolve", "todo_write", "deploy"];
const text = fc.oneof(
  fc.constantFrom(
    "list",
    "read a then list",
    "run x\nsearch `y` in z",
    "rename a to b, preview only",
    "plan: list; read b; sing; call deploy {}",
    'call deploy {"a":1}',
    "write a\n```\nb\n```",
    "discard it",
    "help",
    "<note>\nlist\n</note>",
    "",
  ),
  fc.string({ unit: fc.constantFrom("a", "`", "\n", "[", "]", ":", "1", "🌍", " ", "<") }),
);
const call = fc.record({
  type: fc.constant("toolCall" as const),
  id: fc.oneof(
    fc.nat(20).map((n) => `off_${n}`),
    fc.constantFrom("x", "off_9999999999999999", ""),
  ),
  name: fc.constantFrom(...names),
  arguments: fc.constant({}),
});
const block = fc.oneof(
  text.map((text) => ({ type: "text" as const, text })),
  fc.constant({ type: "image" as const, data: "aGk=", mimeType: "image/png" }),
);
const message: fc.Arbitrary<ProviderMessage> = fc.oneof(
  text.map(user),
  fc.array(block, { maxLength: 3 }).map(user),
  text.map(developer),
  fc
    .record({
      content: fc.array(
        fc.oneof(
          call,
          text.map((text) => ({ type: "text" as const, text })),
        ),
        { maxLength: 3 },
      ),
      stopReason: fc.constantFrom("stop" as const, "toolUse" as const, "aborted" as const),
    })
    .map((rest) => ({ ...greeting, ...rest })),
  fc
    .record({ id: fc.nat(20), name: fc.constantFrom(...names), content: fc.array(block), isError: fc.boolean() })
    .map(({ id, name, content, isError }) => ({ ...toolResult(`off_${id}`, name, { content }), isError })),
);
const choice: fc.Arbitrary<ToolChoice | undefined> = fc.oneof(
  fc.constantFrom(undefined, "auto" as const, "none" as const, "required" as const),
  fc.constantFrom(...names).map((name) => ({ name })),
);

test("for any conversation the answer is valid, not empty, respects the tool choice and is deterministic", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 12 }),
      fc.subarray(names),
      choice,
      async (messages, active, wanted) => {
        const offered = active.map((name) => ({ name, description: name, parameters: {} }));
        const options = { now: () => 5, ...(wanted && { toolChoice: wanted }) };
        const read = () => readChecked(streamModel(offlineModel, { messages, tools: offered }, options));
        const { events, message, failure } = await read();
        expect((await read()).events).toEqual(events);
        expect(failure).toBeUndefined();
        const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
        expect(message.stopReason).toBe(calls.length > 0 ? "toolUse" : "stop");
        expect(calls.length).toBeLessThanOrEqual(1);
        expect(
          message.content.some((block) => block.type === "toolCall" || (block.type === "text" && block.text !== "")),
        ).toBe(true);
        for (const { name, id } of calls) {
          expect(active).toContain(name);
          expect(id).toMatch(/^off_\d+$/);
        }
        if (wanted === "none") expect(calls).toEqual([]);
        if (wanted === "required" && active.length > 0) expect(calls).toHaveLength(1);
        if (typeof wanted === "object" && active.includes(wanted.name))
          expect(calls.map(({ name }) => name)).toEqual([wanted.name]);
      },
    ),
    { numRuns: 400 },
  );
});

test("terminates whatever the tools answer", async () => {
  const answer = fc.oneof(
    text,
    text.map((error) => ({ error })),
  );
  const requests = fc.array(text, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("\n"));
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.subarray(names),
      fc.array(answer, { minLength: 1 }),
      async (prompt, active, answers) => {
        const tools = Object.fromEntries(
          active.map((name) => [name, (_args: object, nth: number) => answers[nth % answers.length] ?? ""]),
        );
        const { conversation } = await play([user(prompt)], { tools });
        expect(conversation.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
      },
    ),
    { numRuns: 150 },
  );
});
