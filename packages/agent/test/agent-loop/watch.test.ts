import { expect, test } from "bun:test";
import type { NextStep } from "../../src/types.ts";
import { words } from "../support/notation.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool } from "../support/tools.ts";

const again = (): NextStep => ({
  kind: "turn",
  messages: [{ role: "developer", content: "do not", attribution: "agent", timestamp: 1 }],
});

/** Objects to the first piece of text. */
function objecting(discard: boolean) {
  let count = 0;
  return {
    watch: (event: { type: string }) => {
      if (event.type !== "text_delta" || count > 0) return undefined;
      count += 1;
      return { reason: "not so", discard };
    },
    next: async ({ state }: { state: string }) => (state === "failed" ? again() : undefined),
  };
}

test.each([true, false])("an objection stops the answer and the run continues (discarded: %p)", async (discard) => {
  const s = scenario({
    answers: [[{ text: "half and more", chunk: 4 }, { call: "echo" }], [{ text: "better" }]],
    tools: [makeTool("echo")],
    ...objecting(discard),
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:aborted) te ts ms(developer) me(developer) ms(A) mu* me(A:stop) te
      agent_end(stop)`),
  );
  expect(s.ofType("turn_end")[0]?.message).toMatchObject({
    stopReason: "aborted",
    errorMessage: "not so",
    content: [{ type: "text", text: "half" }],
  });
  const roles: string[] = discard
    ? ["user", "developer", "assistant"]
    : ["user", "assistant", "developer", "assistant"];
  expect(s.agent.messages.map(({ role }): string => role)).toEqual(roles);
  expect(s.ofType("agent_end")[0]?.messages).toEqual([...s.agent.messages]);
});

test("a discarded answer also leaves if the run is aborted before anything follows", async () => {
  const { watch } = objecting(true);
  const s = scenario({
    answers: [[{ text: "half and more", chunk: 4 }]],
    watch: (event) => {
      const objection = watch(event);
      if (objection) void s.agent.abort();
      return objection;
    },
  });
  await s.prompt("go");
  expect(s.agent.messages.map(({ role }) => role)).toEqual(["user"]);
});

test("does not ask after an abort", async () => {
  let asked = 0;
  const s = scenario({
    answers: [[{ text: "a b c d", chunk: 1 }]],
    watch: () => {
      asked += 1;
      void s.agent.abort();
      return undefined;
    },
  });
  await s.prompt("go");
  expect(asked).toBe(1);
});
