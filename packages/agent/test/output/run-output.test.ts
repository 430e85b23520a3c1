import { describe, expect, test } from "bun:test";
import type { OutputRejection } from "../../src/output/output-attempts.ts";
import { RunOutput, type RunOutputParts } from "../../src/output/run-output.ts";
import type { Tool } from "../../src/types.ts";
import { scenario } from "../support/scenario.ts";

const schema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
const call = (args: object, name = "structured_output") => ({ call: name, args: args as Record<string, unknown> });

function run(answers: Parameters<typeof scenario>[0] & object, parts: Partial<RunOutputParts> = {}) {
  const rejections: OutputRejection[] = [];
  const s = scenario({
    output: () =>
      new RunOutput({
        schema,
        checked: parts.schema ?? schema,
        maxRepairs: 2,
        strategyFor: () => "tool",
        canForce: () => true,
        obstacle: () => undefined,
        onRejected: (rejection) => rejections.push(rejection),
        ...parts,
      }),
    ...answers,
  });
  return { s, rejections };
}

const failing: Tool = {
  name: "check",
  label: "check",
  description: "",
  parameters: { type: "object" } as never,
  execute: async () => {
    throw new Error("broken");
  },
};
const ending: Tool = {
  ...failing,
  name: "report",
  execute: async () => ({ content: [{ type: "text", text: "sent" }], terminate: true }),
};

describe("a run with a schema", () => {
  test("ends with the arguments of the output tool, without another call", async () => {
    const { s } = run({ answers: [[call({ line: 3 })]] });
    expect(await s.prompt("go")).toEqual({
      stopReason: "stop",
      endedBy: "stop",
      output: { value: { line: 3 } },
      outputAttempts: 1,
    });
    expect(s.ofType("agent_end")[0]).toMatchObject({ stopReason: "stop", output: { line: 3 } });
    expect(s.requests).toHaveLength(1);
    expect(s.requests[0]!.context.tools?.map(({ name }) => name)).toEqual(["structured_output"]);
    s.words();
  });

  test("accepts text that is one JSON value, and wraps what is not an object", async () => {
    const { s } = run({ answers: [[{ text: "[1]" }]] }, { schema: { type: "array" } });
    expect((await s.prompt("go")).output).toEqual({ value: [1] });
    expect(s.requests[0]!.context.tools?.[0]?.parameters).toEqual({
      type: "object",
      properties: { output: { type: "array" } },
      required: ["output"],
      additionalProperties: false,
    });
  });

  test("repairs an invalid, a missing and a truncated output with a forced tool, and forces nothing at first", async () => {
    const { s, rejections } = run({
      answers: [[call({ line: "x" })], [{ text: "done" }], [call({ line: 1 })]],
    });
    const end = await s.prompt("go");
    expect(end).toMatchObject({ endedBy: "stop", outputAttempts: 3, output: { value: { line: 1 } } });
    expect(rejections.map(({ attempt, attemptsLeft }) => [attempt, attemptsLeft])).toEqual([
      [1, 2],
      [2, 1],
    ]);
    expect(rejections[0]!.errors).toEqual([{ path: "/line", message: "must be integer" }]);
    const forced = { name: "structured_output" };
    expect(s.requests.map(({ options }) => options?.toolChoice)).toEqual([undefined, forced, forced]);
    expect(JSON.stringify(s.requests[1]!.context.messages)).toContain("/line: must be integer");
  });

  test("ends with an error after its last attempt, and has no output", async () => {
    const { s } = run({ answers: [[call({ line: "x" })]] }, { maxRepairs: 0 });
    expect(await s.prompt("go")).toEqual({
      stopReason: "error",
      endedBy: "output",
      rejectedOutput: { value: { line: "x" } },
      outputAttempts: 1,
    });
    const [end] = s.ofType("agent_end");
    expect(end).not.toHaveProperty("output");
    expect(end).not.toHaveProperty("endedBy");
    expect(JSON.stringify(end)).toContain("/line: must be integer");
  });

  test("requests the native format without a tool, and keeps it for a repair", async () => {
    const { s } = run({ answers: [[{ text: "x" }], [{ text: '{"line":1}' }]] }, { strategyFor: () => "native" });
    expect((await s.prompt("go")).output).toEqual({ value: { line: 1 } });
    const format = { name: "output", schema };
    expect(s.requests.map(({ options }) => options?.outputFormat)).toEqual([format, format]);
    expect(s.requests.map(({ options }) => options?.toolChoice)).toEqual([undefined, undefined]);
    expect(s.requests[0]!.context.tools).toEqual([]);
  });

  test("chooses the strategy again for another model, and keeps counting attempts", async () => {
    let strategy: "native" | "tool" = "native";
    const { s, rejections } = run(
      { answers: [[{ text: "x" }], [call({ line: "x" })], [call({ line: 1 })]] },
      { strategyFor: () => strategy, onRejected: (rejection) => rejected(rejection) },
    );
    const rejected = (rejection: OutputRejection) => {
      rejections.push(rejection);
      strategy = "tool";
    };
    expect(await s.prompt("go")).toMatchObject({ output: { value: { line: 1 } }, outputAttempts: 3 });
    expect(s.requests.map(({ options }) => options?.outputFormat !== undefined)).toEqual([true, false, false]);
    expect(rejections.map(({ attempt, attemptsLeft }) => [attempt, attemptsLeft])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  test("uses another name if a tool has the usual one", async () => {
    const other = { ...ending, name: "structured_output" };
    const { s } = run({ tools: [other], answers: [[call({ line: 1 }, "structured_output_2")]] });
    expect((await s.prompt("go")).output).toEqual({ value: { line: 1 } });
  });
});

describe("a valid output is set aside, which is not a failed attempt,", () => {
  test("when another call of its message fails", async () => {
    const answers = [[call({}, "check"), call({ line: 1 })], [call({ line: 2 })]];
    const { s, rejections } = run({ tools: [failing], answers });
    expect(await s.prompt("go")).toMatchObject({ output: { value: { line: 2 } }, outputAttempts: 1 });
    expect(rejections).toEqual([]);
  });

  test("when a message is delivered after it", async () => {
    const { s } = run({ answers: [[call({ line: 1 })], [call({ line: 2 })]] });
    s.listen(({ type }) => {
      if (type === "tool_execution_end" && s.requests.length === 1)
        s.agent.queue.followUp(s.agent.messages[0] as never);
    });
    expect(await s.prompt("go")).toMatchObject({ output: { value: { line: 2 } }, outputAttempts: 1 });
    expect(s.requests).toHaveLength(2);
  });

  test("while something else has to be decided first", async () => {
    const obstacles = ["Decide first.", undefined];
    const answers = [[call({ line: 1 })], [call({ line: 1 })]];
    const { s, rejections } = run({ answers }, { obstacle: () => obstacles.shift() });
    expect(await s.prompt("go")).toMatchObject({ output: { value: { line: 1 } }, outputAttempts: 1 });
    expect(rejections).toEqual([]);
  });
});

test("a batch whose results all end the run does not end one that owes an output", async () => {
  const { s } = run({ tools: [ending], answers: [[call({}, "report")], [call({ line: 1 })]] });
  expect((await s.prompt("go")).output).toEqual({ value: { line: 1 } });
});

test("an aborted run has no output, and neither hooks nor permissions see the output tool", async () => {
  const seen: string[] = [];
  const { s } = run({
    tools: [ending],
    answers: [[call({}, "report"), call({ line: 1 })]],
    hooks: {
      toolCall: async ({ name }) => void seen.push(name),
      toolResult: async ({ name }) => void seen.push(name),
    },
    authorizer: {
      announce: (calls) => seen.push(...calls.map(({ tool }) => tool.name)),
      permit: async () => undefined,
    },
  });
  s.listen(({ type }) => {
    if (type === "turn_end") void s.agent.abort();
  });
  const end = await s.prompt("go");
  expect(end).toMatchObject({ stopReason: "aborted", endedBy: "abort" });
  expect(end).not.toHaveProperty("output");
  expect(seen).toEqual(["report", "report", "report"]);
});
