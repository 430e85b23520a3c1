import { expect, test } from "bun:test";
import type { ToolInvocation } from "@pintle/agent";
import type { AskDialogOptions } from "../../src/tools/ask.ts";
import { execute } from "../../src/tools/execute-ask.ts";

/** The outcome of a dialog: an answer, silence until the time limit, or a user who closes it. */
type Reply = string | "TIMEOUT" | "CLOSED";

async function ask(replies: Reply[], question: { multi?: boolean; recommended?: number } = {}) {
  const left = [...replies];
  const reply = async (_title: string, _rest: unknown, { onTimeout }: AskDialogOptions) => {
    const next = left.shift();
    if (next === "TIMEOUT") onTimeout?.();
    return next === "TIMEOUT" || next === "CLOSED" ? undefined : next;
  };
  const options = ["keep", "delete"].map((label) => ({ label }));
  const { content, details } = await execute(
    { questions: [1, 2].map((n) => ({ id: `q${n}`, question: "Files?", options, ...question })) },
    { signal: new AbortController().signal } as ToolInvocation,
    { select: reply, input: reply },
  );
  return { text: content[0], results: (details as { results: object[] }).results, isAllAsked: left.length === 0 };
}

const GUESS = { selected: ["keep"], timedOut: true };

test.each<[string, Reply[], { multi?: boolean; recommended?: number }, object[]]>([
  ["answers", ["delete", "keep"], {}, [{ selected: ["delete"] }, { selected: ["keep"] }]],
  ["silence takes the first option", ["TIMEOUT", "TIMEOUT"], {}, [GUESS, GUESS]],
  [
    "silence takes the model's own recommendation",
    ["TIMEOUT", "keep"],
    { recommended: 1 },
    [{ selected: ["delete"], timedOut: true }, { selected: ["keep"] }],
  ],
  [
    "a recommendation that is none counts as the first",
    ["TIMEOUT", "keep"],
    { recommended: 9 },
    [GUESS, { selected: ["keep"] }],
  ],
  [
    "choices made before the silence are dropped",
    ["delete", "TIMEOUT", "Done"],
    { multi: true },
    [GUESS, { selected: [] }],
  ],
  [
    "silence instead of own words",
    ["Other (type your own answer)", "TIMEOUT", "keep"],
    {},
    [GUESS, { selected: ["keep"] }],
  ],
  ["who closes one question is not asked the next", ["CLOSED"], {}, [{ selected: [], cancelled: true }]],
])("%s", async (_what, replies, question, expected) => {
  const { results, isAllAsked } = await ask(replies, question);
  expect(results).toEqual(expected.map((result, n) => ({ id: `q${n + 1}`, question: "Files?", ...result })));
  expect(isAllAsked).toBe(true);
});

test("the model can distinguish a guess from an answer", async () => {
  const { text } = await ask(["TIMEOUT", "keep"]);
  expect(text).toEqual({ type: "text", text: "q1: no answer in time; using the recommended keep\nq2: keep" });
});
