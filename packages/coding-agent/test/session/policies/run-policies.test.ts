import { describe, expect, test } from "bun:test";
import type { AgentEvent, AgentMessage, NextStep, Outcome, ToolResult } from "@pintle/agent";
import type { AssistantMessage, ToolCall } from "@pintle/ai";
import fc from "fast-check";
import type { SessionManager } from "../../../../storage/src/session-manager.ts";
import { NO_HOOKS } from "../../../src/session/attached-hooks.ts";
import type { RunPolicy } from "../../../src/session/policies/policy.ts";
import { RunPolicies, type RunPoliciesParts } from "../../../src/session/policies/run-policies.ts";
import type { SessionHooks } from "../../../src/session/session-hooks.ts";

const answer = { role: "assistant", content: [], timestamp: 1 } as unknown as AssistantMessage;
const outcome = { state: "failed", message: answer, toolResults: [] } as unknown as Outcome;
const call: ToolCall = { type: "toolCall", id: "c", name: "t", arguments: {} };
const saying = (text: string): AgentMessage => ({ role: "developer", content: text, timestamp: 1 });

function join(
  list: readonly RunPolicy[],
  { hooks = () => NO_HOOKS, amend = () => undefined }: Partial<RunPoliciesParts> = {},
) {
  const withdrawn: AgentMessage[][] = [];
  const manager = { appendWithdrawal: (messages: AgentMessage[]) => withdrawn.push(messages) };
  return {
    withdrawn,
    policies: new RunPolicies(list, { manager: () => manager as unknown as SessionManager, hooks, amend }),
  };
}

describe("what follows a turn", () => {
  const wishes = fc.array(fc.constantFrom("retry", "turn", "nothing", "abort", "absent"), { maxLength: 6 });

  test("the first retry decides alone, turns before the end are combined, an abort ends the sequence", async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (all) => {
        const stop = new AbortController();
        const asked: number[] = [];
        const steps: Record<string, (at: number) => NextStep | undefined> = {
          retry: () => ({ kind: "retry" }),
          turn: (at) => ({ kind: "turn", messages: [saying(`${at}`)] }),
          nothing: () => undefined,
          abort: () => void stop.abort(),
        };
        const list = all.map((wish, at): RunPolicy => {
          const decide = steps[wish];
          const name = `${wish} ${at}`;
          if (!decide) return { name };
          const next = async () => {
            asked.push(at);
            return decide(at);
          };
          return { name, next };
        });
        const { policies, withdrawn } = join(list);
        const step = await policies.next(outcome, stop.signal);
        const endAt = all.findIndex((wish) => wish === "retry" || wish === "abort");
        const last = endAt === -1 ? all.length - 1 : endAt;
        const present = all.flatMap((wish, at) => (wish === "absent" ? [] : [at]));
        expect(asked).toEqual(present.filter((at) => at <= last));
        const said = all.flatMap((wish, at) => (wish === "turn" ? [saying(`${at}`)] : []));
        const turn: NextStep | undefined = said.length > 0 ? { kind: "turn", messages: said } : undefined;
        const expected: Record<string, NextStep | undefined> = { retry: { kind: "retry" }, abort: undefined };
        expect(step).toEqual(endAt === -1 ? turn : expected[all[endAt]!]);
        expect(withdrawn).toEqual(all[endAt] === "retry" ? [[answer]] : []);
      }),
    );
  });
});

test("every step is taken in the order of the list, and each is over before the next policy takes it", async () => {
  const seen: string[] = [];
  const slow = (name: string): RunPolicy => {
    const step = async (what: string) => {
      seen.push(`${name} begins ${what}`);
      await Promise.resolve();
      seen.push(`${name} ends ${what}`);
    };
    return {
      name,
      prepare: () => step("prepare"),
      beforeRun: () => step("beforeRun"),
      close: () => step("close"),
    };
  };
  const { policies } = join([slow("a"), { name: "without steps" }, slow("b")]);
  await policies.prepare();
  await policies.beforeRun(new AbortController().signal);
  await policies.close();
  const steps = ["prepare", "beforeRun", "close"];
  expect(seen).toEqual(
    steps.flatMap((step) => ["a", "b"].flatMap((name) => [`${name} begins ${step}`, `${name} ends ${step}`])),
  );
});

test("a policy that throws before a run keeps the run and the later policies from starting", async () => {
  const seen: string[] = [];
  const { policies } = join([
    {
      name: "limit",
      beforeRun: async () => {
        throw new Error("the limit is reached");
      },
    },
    { name: "later", beforeRun: async () => void seen.push("later") },
  ]);
  const failure = await policies.beforeRun(new AbortController().signal).catch((error: Error) => error.message);
  expect({ failure, seen }).toEqual({ failure: "the limit is reached", seen: [] });
});

test("events reach all policies in order, except for updates of an answer", () => {
  const seen: string[] = [];
  const watching = (name: string): RunPolicy => ({
    name,
    before: ({ type }) => void seen.push(`${name} before ${type}`),
    after: ({ type }) => void seen.push(`${name} after ${type}`),
  });
  const { policies } = join([watching("a"), watching("b"), watching("c")]);
  const update = { type: "message_update" } as AgentEvent;
  for (const event of [update, { type: "agent_start" } as const]) {
    policies.before(event);
    policies.after(event);
  }
  expect(seen).toEqual(
    ["before", "after"].flatMap((when) => ["a", "b", "c"].map((name) => `${name} ${when} agent_start`)),
  );
});

test("extensions see a result as it was amended, and decide", async () => {
  const result: ToolResult = { content: [{ type: "text", text: "result" }] };
  let shown: ToolResult | undefined;
  const hooks: SessionHooks = {
    ...NO_HOOKS,
    loop: {
      toolResult: async (_call, given) => {
        shown = given;
        return { isError: true };
      },
    },
  };
  const amend: RunPoliciesParts["amend"] = (_call, { content }) => ({
    content: [...content, { type: "text", text: "a" }],
  });
  const { policies } = join([], { hooks: () => hooks, amend });
  const content = ["result", "a"].map((text) => ({ type: "text" as const, text }));
  expect(await policies.hooks.toolResult?.(call, result)).toEqual({ content, isError: true });
  expect(shown).toEqual({ content });
  expect(await join([]).policies.hooks.toolResult?.(call, result)).toBeUndefined();
});

test("additions to a prompt are given in the order of the list", () => {
  const { policies } = join([
    { name: "behind", onPrompt: () => ({ behind: [saying("behind")] }) },
    { name: "none" },
    { name: "before", onPrompt: (text) => ({ before: [saying(text)] }) },
  ]);
  expect(policies.onPrompt("hello", [])).toEqual([{ behind: [saying("behind")] }, { before: [saying("hello")] }]);
});
