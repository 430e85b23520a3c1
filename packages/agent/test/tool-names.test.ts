import { expect, test } from "bun:test";
import { scenario } from "./support/scenario.ts";
import { makeTool } from "./support/tools.ts";

/** The tools that run for calls with these names. */
async function called(...names: string[]): Promise<(string | undefined)[]> {
  const ran = new Map<string, string>();
  const tool = (name: string, aliases: string[] = []) =>
    makeTool(
      name,
      async (_, { id }) => {
        ran.set(id, name);
        return { content: [{ type: "text", text: name }] };
      },
      { aliases },
    );
  const tools = [tool("read", ["view", "cat"]), tool("todo_write"), tool("Cat"), tool("a_b"), tool("ab")];
  const calls = names.map((name, index) => ({ call: name, id: String(index) }));
  const s = scenario({ answers: [calls, [{ text: "done" }]], tools });
  await s.prompt("go");
  expect(s.words()).not.toBeEmpty();
  return names.map((_, index) => ran.get(String(index)));
}

test("a tool is found by its name, an alias, and either with different capitals and separators", async () => {
  expect(await called("read", "view", "Read", "READ", "View", "TodoWrite", "todo-write", "functions.read")).toEqual([
    "read",
    "read",
    "read",
    "read",
    "read",
    "todo_write",
    "todo_write",
    "read",
  ]);
});

test("a tool's own name wins over an alias, and a spelling that matches two tools finds none", async () => {
  expect(await called("Cat", "cat", "CAT", "a-b", "a_b", "nothing")).toEqual([
    "Cat",
    "read",
    "Cat",
    undefined,
    "a_b",
    undefined,
  ]);
});

test("events and hooks name the tool that runs; the conversation keeps the name that was sent", async () => {
  const hooked: string[] = [];
  const s = scenario({
    answers: [[{ call: "Read", args: { file_path: "x" } }], [{ text: "done" }]],
    tools: [
      makeTool("read", undefined, { parameterNames: { aliases: { file_path: "path" } }, unknownParameters: "note" }),
    ],
    hooks: {
      async toolCall(call) {
        hooked.push(`${call.name} ${JSON.stringify(call.arguments)}`);
        return undefined;
      },
    },
  });
  await s.prompt("go");
  expect(hooked).toEqual(['read {"path":"x"}']);
  expect(s.ofType("tool_execution_start")).toMatchObject([{ toolName: "read", args: { file_path: "x" } }]);
  const sent = s.agent.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  expect(sent).toMatchObject([{ type: "toolCall", name: "Read" }, { type: "text" }]);
});
