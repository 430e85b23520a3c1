import { expect, test } from "bun:test";
import { AssistantEventStream } from "@pintle/ai";
import { words } from "../support/notation.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

const NEVER = new Promise<never>(() => {});

test("while text streams, the partial message is kept and marked", async () => {
  const s = scenario({ answers: [[{ text: "so far" }, { wait: NEVER }]] });
  const run = s.prompt("go");
  await s.seen("message_update");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:aborted) te agent_end(aborted)"));
  expect(s.agent.messages.at(-1)).toMatchObject({
    content: [{ type: "text", text: "so far" }],
    stopReason: "aborted",
    errorMessage: "Request was aborted",
  });
});

test("while text streams, complete calls get a result that says they never ran", async () => {
  const s = scenario({ answers: [[{ call: "echo" }, { text: "and" }, { wait: NEVER }]], tools: [makeTool("echo")] });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(A) mu* me(A:aborted) xs:call_1 xe:call_1! ms(T) me(T) te agent_end(aborted)"),
  );
  expect(s.ofType("tool_execution_end")[0]).toMatchObject({
    isError: true,
    result: {
      content: [{ type: "text", text: "Tool execution was aborted: Request was aborted" }],
      details: { __synthetic: true, executed: false, source: "aborted" },
    },
  });
});

test("before the first model byte, the message is empty", async () => {
  const s = scenario({ answers: [[{ wait: NEVER }]] });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.agent.messages.at(-1)).toMatchObject({ content: [], errorMessage: "Request was aborted" });
});

test("during setup, no model call is made", async () => {
  const s = scenario({ setup: () => NEVER });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.requests).toEqual([]);
});

test("while a context hook hangs, no model call is made", async () => {
  const s = scenario({ hooks: { context: () => NEVER } });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
  expect(s.requests).toEqual([]);
});

test("a provider that ignores the signal does not block the abort", async () => {
  const s = scenario({ stream: () => new AssistantEventStream() });
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words()).toEqual(words("agent_start ts ms(U) me(U) ms(A) me(A:aborted) te agent_end(aborted)"));
});

test("an abort while the reader is slow does not wait for the reader", async () => {
  const s = scenario({ answers: [[{ text: "abc", chunk: 1 }, { wait: NEVER }]], ready: () => NEVER });
  const run = s.prompt("go");
  await s.seen("message_start");
  await quiet();
  await s.agent.abort();
  await run;
  expect(s.words().at(-1)).toBe("agent_end(aborted)");
});
