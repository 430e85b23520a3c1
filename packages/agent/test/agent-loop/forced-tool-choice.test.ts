// Forced tool choices in the loop; tool-choice.test.ts tests the queue itself.

import { expect, test } from "bun:test";
import type { ToolChoice } from "@pintle/ai";
import type { ToolChoiceDirective } from "../../src/tool-choice.ts";
import { quiet } from "../support/quiet.ts";
import { scenario } from "../support/scenario.ts";
import { GatedTool, makeTool } from "../support/tools.ts";

/** A directive that records its outcome. */
function tracked(choices: readonly ToolChoice[], putBack = false) {
  const log: string[] = [];
  const name = (choice: ToolChoice) => (typeof choice === "string" ? choice : choice.name);
  const directive: ToolChoiceDirective = {
    label: "user-force",
    choices,
    onResolved: (choice) => log.push(`resolved ${name(choice)}`),
    onRejected: (choice) => {
      log.push(`rejected ${name(choice)}`);
      return putBack;
    },
  };
  return { directive, log };
}

test("a directive supplies one choice per model call and is resolved turn by turn", async () => {
  const s = scenario({ answers: [[{ call: "echo" }], [{ text: "a" }], [{ text: "b" }]], tools: [makeTool("echo")] });
  const { directive, log } = tracked([{ name: "echo" }, "none"]);
  s.agent.toolChoice.push(directive);
  await s.prompt("go");
  expect(s.requests.map(({ options }) => options.toolChoice)).toEqual([{ name: "echo" }, "none"]);
  expect(log).toEqual(["resolved echo", "resolved none"]);
  await s.prompt("again");
  expect(s.requests[2]?.options.toolChoice).toBeUndefined();
});

test("a choice is in flight until turn_end, and next learns whose it was", async () => {
  const labels: unknown[] = [];
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "a" }]],
    tools: [makeTool("echo")],
    next: async ({ choiceLabel }) => {
      labels.push(choiceLabel);
      return undefined;
    },
  });
  const { directive, log } = tracked([{ name: "echo" }]);
  s.agent.toolChoice.push(directive);
  const seen: unknown[] = [];
  s.listen((event) => {
    if (event.type === "tool_execution_end" || event.type === "turn_end")
      seen.push([s.agent.toolChoice.label, [...log]]);
  });
  await s.prompt("go");
  expect(seen).toEqual([
    ["user-force", []],
    ["user-force", []],
    [undefined, ["resolved echo"]],
  ]);
  expect(labels).toEqual(["user-force", undefined]);
});

test("an error rejects it; put back, it is the choice of the retry", async () => {
  const s = scenario({
    answers: [[{ fail: "overloaded" }], [{ call: "echo" }], [{ text: "a" }]],
    tools: [makeTool("echo")],
    next: async ({ state }) => (state === "failed" ? { kind: "retry" } : undefined),
  });
  const { directive, log } = tracked([{ name: "echo" }, "none"], true);
  s.agent.toolChoice.push(directive);
  await s.prompt("go");
  expect(s.requests.map(({ options }) => options.toolChoice)).toEqual([{ name: "echo" }, { name: "echo" }, "none"]);
  expect(log).toEqual(["rejected echo", "resolved echo", "resolved none"]);
});

test("rejected and not put back, the rest of the directive goes too", async () => {
  const s = scenario({ answers: [[{ fail: "server" }], [{ text: "a" }]], tools: [makeTool("echo")] });
  const { directive, log } = tracked([{ name: "echo" }, "none"]);
  s.agent.toolChoice.push(directive);
  await s.prompt("go");
  await s.prompt("again");
  expect(s.requests.map(({ options }) => options.toolChoice)).toEqual([{ name: "echo" }, undefined]);
  expect(log).toEqual(["rejected echo"]);
});

test("an abort rejects it, even before anything was produced", async () => {
  const s = scenario({ answers: [[{ wait: new Promise(() => {}) }]], tools: [makeTool("echo")] });
  const { directive, log } = tracked([{ name: "echo" }]);
  s.agent.toolChoice.push(directive);
  const run = s.prompt("go");
  await quiet();
  await s.agent.abort();
  await run;
  expect(log).toEqual(["rejected echo"]);
});

test("an abort while its tool runs rejects it: the turn did not end normally", async () => {
  const slow = new GatedTool("slow");
  const s = scenario({ answers: [[{ call: "slow" }]], tools: [slow.tool] });
  const { directive, log } = tracked([{ name: "slow" }]);
  s.agent.toolChoice.push(directive);
  const run = s.prompt("go");
  await quiet();
  const aborted = s.agent.abort();
  slow.at("call_1").finish();
  await aborted;
  await run;
  expect(log).toEqual(["rejected slow"]);
});

test("a stream function that throws rejects it", async () => {
  const s = scenario({
    stream: () => {
      throw new Error("no");
    },
    tools: [makeTool("echo")],
  });
  const { directive, log } = tracked([{ name: "echo" }]);
  s.agent.toolChoice.push(directive);
  await s.prompt("go");
  expect(log).toEqual(["rejected echo"]);
});

test("a named tool that is not active is dropped before the call, and the next choice applies", async () => {
  const s = scenario({ answers: [[{ text: "a" }]], tools: [makeTool("echo")] });
  const gone = tracked([{ name: "gone" }]);
  const required = tracked(["required"]);
  s.agent.toolChoice.push(gone.directive);
  s.agent.toolChoice.push(required.directive);
  await s.prompt("go");
  expect(s.requests[0]?.options.toolChoice).toBe("required");
  expect(gone.log).toEqual([]);
});

test("a standing choice applies to every call, after the directives", async () => {
  let isPending = true;
  const s = scenario({
    answers: [[{ call: "echo" }], [{ call: "resolve" }], [{ text: "done" }]],
    tools: [
      makeTool("echo"),
      makeTool("resolve", async () => {
        isPending = false;
        return { content: [{ type: "text", text: "applied" }] };
      }),
    ],
  });
  s.agent.toolChoice.setStanding(() => (isPending ? { label: "resolve", choice: { name: "resolve" } } : undefined));
  s.agent.toolChoice.push(tracked([{ name: "echo" }]).directive);
  await s.prompt("go");
  expect(s.requests.map(({ options }) => options.toolChoice)).toEqual([
    { name: "echo" },
    { name: "resolve" },
    undefined,
  ]);
});
