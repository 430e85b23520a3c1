import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startFamily, task, taskResult } from "../support/subagents/family.ts";

describe("the task tool", () => {
  test("runs fresh subagents at the same time and returns their answers in the order of the call", async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const { session, requests } = await startFamily(({ task: text, turn }) => {
      if (text === "Compare them") {
        return turn === 0
          ? [
              task({
                context: "Shared facts",
                tasks: [
                  { task: "first", name: "a" },
                  { task: "second", agent: "scout" },
                ],
              }),
            ]
          : [{ text: "compared" }];
      }
      waiting += 1;
      if (waiting === 2) both.resolve();
      return [{ wait: both.promise }, { text: `answer to ${text.split("\n\n")[1]}` }];
    });
    await session.prompt("Compare them");
    const { content, details, isError } = taskResult(session.messages);
    expect(isError).toBe(false);
    expect(content.map((block) => (block.type === "text" ? block.text : ""))).toEqual([
      expect.stringMatching(
        /^Subagent a \(task\): completed after .* 1 model call, .*\n<answer>\nanswer to first\n<\/answer>$/,
      ),
      expect.stringMatching(/^Subagent scout-1 \(scout\): completed .*\n<answer>\nanswer to second\n<\/answer>$/),
    ]);
    expect(details.results).toMatchObject([
      {
        index: 0,
        id: "a",
        agent: "task",
        agentSource: "bundled",
        status: "completed",
        exitCode: 0,
        output: "answer to first",
      },
      { index: 1, id: "scout-1", agent: "scout", status: "completed", requests: 1, resolvedModel: "acme/large" },
    ]);
    expect(details.usage).toMatchObject({ input: 20, output: 10 });
    const children = requests.filter(({ context }) => JSON.stringify(context.messages).includes("Shared facts\\n"));
    expect(children[0]?.context.messages).toMatchObject([
      { role: "user", content: [{ text: "Shared facts\n\nfirst" }] },
    ]);
    const scout = children.find(({ context }) => context.systemPrompt?.includes("explores code"));
    expect(scout?.context.tools?.map(({ name }) => name)).toEqual(["ast_grep", "find", "grep", "ls", "read"]);
    expect(session.getLastAssistantText()).toBe("compared");
    await session.dispose();
  });

  test("stores each subagent next to the session, with what it started with", async () => {
    const { session } = await startFamily(({ task: text, turn }) =>
      text === "Go" && turn === 0
        ? [task({ tasks: [{ task: "look", name: "eyes", description: "a look" }] })]
        : [{ text: "ok" }],
    );
    await session.prompt("Go");
    const path = join(session.sessionFile!.replace(/\.jsonl$/, ""), "eyes.jsonl");
    const [header, ...entries] = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ type: "session", parentSession: session.sessionFile });
    const init = entries.find(({ type }) => type === "session_init");
    expect(init.task).toBe("look");
    expect(init.tools).toContain("task");
    expect(init.systemPrompt).toContain("You are a subagent");
    expect(init.tools).not.toContain("todo_write");
    expect(taskResult(session.messages).details.results[0]?.sessionFile).toBe(path);
    const records = session.manager.entries().filter((entry) => entry.type === "custom");
    expect(records.map((entry) => (entry as { data?: { event?: string } }).data?.event)).toEqual(["start", "end"]);
    await session.dispose();
  });

  test("sends the same system prompt and tools for equal siblings, byte for byte", async () => {
    const { session, requests } = await startFamily(({ task: text, turn }) =>
      text === "Go" && turn === 0
        ? [
            task({
              tasks: [
                { task: "first", name: "a", description: "one" },
                { task: "second", name: "b", description: "other" },
                { task: "third", name: "c", agent: "scout" },
              ],
            }),
          ]
        : [{ text: "ok" }],
    );
    await session.prompt("Go");
    const prefixOf = (assignment: string) => {
      const { context } = requests.find(({ context: { messages } }) =>
        JSON.stringify(messages[0]).includes(`"${assignment}"`),
      ) as (typeof requests)[number];
      return JSON.stringify([context.systemPrompt, context.tools]);
    };
    expect(prefixOf("second")).toBe(prefixOf("first"));
    expect(prefixOf("third")).not.toBe(prefixOf("first"));
    await session.dispose();
  });

  test("keeps everything in memory if the session is", async () => {
    const { session, home } = await startFamily(
      ({ task: text, turn }) =>
        text === "Go" && turn === 0 ? [task({ tasks: [{ task: "look" }] })] : [{ text: "ok" }],
      { session: { inMemory: true } },
    );
    await session.prompt("Go");
    const [result] = taskResult(session.messages).details.results;
    expect(result).toMatchObject({ id: "task-1", status: "completed" });
    expect(result).not.toHaveProperty("sessionFile");
    expect(existsSync(join(home, "sessions"))).toBe(false);
    await session.dispose();
  });

  test("isolates failures: siblings run, and only a call whose tasks all failed is an error", async () => {
    const { session } = await startFamily(({ task: text, turn }) => {
      if (text === "Go") {
        if (turn === 0)
          return [task({ tasks: [{ task: "x", agent: "nobody-knows" }, { task: "break" }, { task: "work" }] })];
        if (turn === 1) return [task({ tasks: [{ task: "break" }] })];
        return [{ text: "done" }];
      }
      return text === "break" ? [{ fail: "invalid_request", message: "refused" }] : [{ text: "fine" }];
    });
    await session.prompt("Go");
    const results = session.messages.filter((message) => message.role === "toolResult");
    expect(results.map(({ isError }) => isError)).toEqual([false, true]);
    expect((results[0] as ReturnType<typeof taskResult>).details.results).toMatchObject([
      { status: "failed", error: 'Unknown agent "nobody-knows". The agents are: task, scout, reviewer.' },
      { status: "failed", exitCode: 1, error: "refused" },
      { status: "completed", output: "fine" },
    ]);
    await session.dispose();
  });

  test("accepts one task at the top level, and the names of other agents", async () => {
    const { session } = await startFamily(({ task: text, turn }) =>
      text === "Go" && turn === 0
        ? [task({ prompt: "look", subagent_type: "explore", id: "eyes", description: "d" })]
        : [{ text: "ok" }],
    );
    await session.prompt("Go");
    expect(taskResult(session.messages).details.results).toMatchObject([
      { id: "eyes", agent: "scout", task: "look", status: "completed" },
    ]);
    await session.dispose();
  });
});
