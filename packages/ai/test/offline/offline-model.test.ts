import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MessageBuilder } from "../../src/message-builder.ts";
import type { ProviderMessage } from "../../src/messages.ts";
import { offlineModel } from "../../src/offline/offline-info.ts";
import { answerOffline } from "../../src/offline/offline-model.ts";
import type { ModelContext } from "../../src/protocols/protocol.ts";
import { streamModel } from "../../src/stream.ts";
import { AssistantEventStream } from "../../src/stream-events.ts";
import { estimateTextTokens } from "../../src/token-estimate.ts";
import { zeroUsage } from "../../src/usage.ts";

const introduction =
  "I am pintle's offline model, a fixed set of rules and not an AI; for a real model, set the variable of an API key " +
  "such as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or describe one in `~/.pintle/models.json`.";

const help = `I understand these requests, including several on separate lines or joined by \`then\`:
- \`list [dir]\`, \`what files are here\`: names and number of the files
- \`read <path>\`, \`show <path>\`: the first lines and the number of lines
- \`search <text> [in <path>]\`, \`find <text> [in <path>]\`: hits per file
- \`run <command>\`, \`$ <command>\`: exit code and the end of the output
- \`write <path>: <text>\`, or with a fenced block: a new file
- \`rename <a> to <b> [in <path>]\`, with \`preview only\` to change nothing: a structural rename of an identifier
- \`plan: a; b; c\`: a todo list, worked through item by item
- \`call <tool> [arguments as JSON]\`: any tool, for example one of your own, and the beginning of its answer
- \`help\`: this list`;

const user = (content: Extract<ProviderMessage, { role: "user" }>["content"]): ProviderMessage => ({
  role: "user",
  content,
  timestamp: 1,
});
const earlier = (from: Partial<Extract<ProviderMessage, { role: "assistant" }>> = {}): ProviderMessage => ({
  role: "assistant",
  content: [{ type: "text", text: "hi" }],
  api: offlineModel.api,
  provider: offlineModel.provider,
  model: offlineModel.id,
  usage: zeroUsage(),
  stopReason: "stop",
  timestamp: 1,
  ...from,
});
const tools = (...names: string[]) => names.map((name) => ({ name, description: name, parameters: {} }));

async function answerTo(context: ModelContext): Promise<string> {
  const { content } = await streamModel(offlineModel, context).result();
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("|");
}

/** A session in which the model has already introduced itself. */
const later = (text: Extract<ProviderMessage, { role: "user" }>["content"], active: string[] = []) =>
  answerTo({ messages: [user("hi"), earlier(), user(text)], tools: tools(...active) });

describe("the first answer", () => {
  test("says in one sentence what it is and how to get a real model", async () => {
    expect(await answerTo({ messages: [user("help")] })).toBe(`${introduction}\n\n${help}`);
  });
  test("refers to this model, not to the session", async () => {
    const messages = [user("hi"), earlier({ provider: "anthropic", model: "claude" }), user("help")];
    expect(await answerTo({ messages })).toBe(`${introduction}\n\n${help}`);
    expect(await later("help")).toBe(help);
  });
  test("is also given to an empty conversation", async () => {
    expect(await answerTo({ messages: [] })).toBe(`${introduction}\n\n${help}`);
  });
});

describe("requests", () => {
  test("that are unknown are answered with the list, once", async () => {
    expect(await later("why?\nwhy not?")).toBe(help);
  });
  test.each([
    ["list src", "the tool `ls` is"],
    ["read a.txt", "the tool `read` is"],
    ["search x", "the tool `grep` is"],
    ["run make", "the tool `bash` is"],
    ["write a: b", "the tool `write` is"],
    ["rename a to b", "the tool `ast_edit` is"],
    ["plan: a", "the tool `todo_write` is"],
    ["call deploy {}", "the tool `deploy` is"],
  ])("%j names the tool that is not active", async (text, missing) => {
    expect(await later(text, ["other"])).toBe(`I cannot do \`${text}\`: ${missing} not active.`);
  });
  test("are answered one after the other, the unknown ones last", async () => {
    expect(await later("why?\nlist then read a")).toBe(
      `I cannot do \`list\`: the tool \`ls\` is not active.\n\nI cannot do \`read a\`: the tool \`read\` is not active.\n\n${help}`,
    );
  });
});

describe("an image", () => {
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  test("cannot be seen", async () => {
    expect(await later([image])).toBe("I cannot see the image: I only read text.");
  });
  test("does not prevent an answer to the text", async () => {
    expect(await later([image, { type: "text", text: "list" }])).toBe(
      "I cannot see the image: I only read text.\n\nI cannot do `list`: the tool `ls` is not active.",
    );
  });
});

describe("a summary", () => {
  test("lists the user's requests and the files, without an introduction", async () => {
    const text = `<conversation>
[User]: list src
[Assistant]: I list it.
[Assistant tool calls]: read(path="src/b.ts", limit=3); edit(path="src/a.ts", edits=[])
[Tool result]: user story: not a request
[User]: now rename
foo to bar
[Assistant]: done
User: thanks
</conversation>

Summarize.
User: not part of it`;
    expect(await answerTo({ messages: [user(text)] })).toBe(
      "The user asked for:\n- list src\n- now rename foo to bar\n- thanks\n\nFiles:\n- src/a.ts\n- src/b.ts",
    );
  });
  test("continues from the previous one", async () => {
    const text =
      "<conversation>\n[User]: b\n</conversation>\n<previous-summary>\nThe user asked for:\n- a\n</previous-summary>";
    expect(await answerTo({ messages: [user(text)] })).toBe("The user asked for:\n- a\n\nThe user asked for:\n- b");
  });
  test("is bounded", async () => {
    const requests = Array.from({ length: 50 }, (_, index) => `[User]: ${index} ${"x".repeat(300)}`);
    const answer = await answerTo({ messages: [user(`<conversation>\n${requests.join("\n")}\n</conversation>`)] });
    const lines = answer.split("\n");
    expect(lines.slice(0, 3)).toEqual(["The user asked for:", "- (10 earlier requests)", `- 10 ${"x".repeat(197)}…`]);
    expect(lines.length).toBe(42);
  });
  test("of an empty conversation says so", async () => {
    expect(await answerTo({ messages: [user("<conversation></conversation>")] })).toBe(
      "The user asked for:\n- (nothing)",
    );
  });
});

test("the same conversation gives the same events: one text in deltas of at most 16 whole characters, then usage", async () => {
  const context: ModelContext = { systemPrompt: "S", messages: [user("hello 🌍")], tools: tools("ls") };
  const read = () => Array.fromAsync(streamModel(offlineModel, context, { now: () => 5 }));
  const events = await read();
  expect(await read()).toEqual(events);
  const answer = `${introduction}\n\n${help}`;
  const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
  expect(deltas.join("")).toBe(answer);
  expect(deltas.filter((delta) => delta.length > 16)).toEqual([]);
  const input =
    estimateTextTokens("S") + estimateTextTokens("hello 🌍") + estimateTextTokens(JSON.stringify(tools("ls")));
  const output = estimateTextTokens(answer);
  expect(events.at(-1)).toMatchObject({
    type: "done",
    reason: "stop",
    message: { usage: { ...zeroUsage(), input, output, totalTokens: input + output } },
  });
});

test("no delta splits a surrogate pair", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom("a", "🌍"), minLength: 1, maxLength: 60 }), async (text) => {
      const context = { messages: [user(`<conversation>\n[User]: ${text}\n</conversation>`)] };
      const events = await Array.fromAsync(streamModel(offlineModel, context));
      const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
      expect(deltas.filter((delta) => delta.length > 16 || !delta.isWellFormed())).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

describe("abort", () => {
  test("before the rules are loaded gives only the aborted message", async () => {
    const controller = new AbortController();
    const stream = streamModel(offlineModel, { messages: [user("help")] }, { signal: controller.signal });
    controller.abort();
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type }) => type)).toEqual(["start", "error"]);
    expect(events.at(-1)).toMatchObject({
      reason: "aborted",
      error: { content: [], errorMessage: "Request was aborted" },
    });
  });
  test("while the answer is written ends it there", () => {
    const stream = new AssistantEventStream();
    const out = new MessageBuilder(stream, offlineModel, { now: () => 0 });
    let appends = 0;
    const append = out.append.bind(out);
    out.append = (index, delta) => {
      append(index, delta);
      appends += 1;
      if (appends === 3) out.abort();
    };
    answerOffline({ messages: [user("help")] }, {}, out);
    expect(appends).toBe(3);
  });
});
