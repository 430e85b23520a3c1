import { describe, expect, test } from "bun:test";
import type { Denial, PermitCall, ToolAuthorizer } from "../src/types.ts";
import { user } from "./support/messages.ts";
import { scenario } from "./support/scenario.ts";
import { makeTool, ok } from "./support/tools.ts";

/** An authorizer whose questions the test answers by call id. */
class AskingAuthorizer implements ToolAuthorizer {
  readonly announced: string[][] = [];
  readonly asked: PermitCall[] = [];
  readonly #answers = new Map<string, (denial: Denial | undefined) => void>();
  #onAsked: () => void = () => {};

  announce(calls: readonly PermitCall[]): void {
    this.announced.push(calls.map(({ id }) => id));
  }

  permit(call: PermitCall, signal: AbortSignal): Promise<Denial | undefined> {
    this.asked.push(call);
    return new Promise((resolve) => {
      this.#answers.set(call.id, resolve);
      signal.addEventListener("abort", () => resolve({ text: "withdrawn" }), { once: true });
      this.#onAsked();
    });
  }

  async questions(count: number): Promise<void> {
    while (this.asked.length < count) {
      await new Promise<void>((resolve) => {
        this.#onAsked = resolve;
      });
    }
  }

  answer(index: number, text?: string): void {
    const call = this.asked[index];
    if (!call) throw new Error(`No question ${index}`);
    this.#answers.get(call.id)?.(text === undefined ? undefined : { text });
  }
}

const echo = makeTool("echo", async () => ok("ran"));
const resultTexts = (s: ReturnType<typeof scenario>) =>
  s
    .ofType("tool_execution_end")
    .map(({ result }) => result.content.map((block) => (block.type === "text" ? block.text : "")).join(""));

describe("the authorizer", () => {
  test("a denied call does not run and its reason is the result", async () => {
    const authorizer: ToolAuthorizer = { announce: () => {}, permit: async () => ({ text: "Not allowed." }) };
    const s = scenario({ answers: [[{ call: "echo", args: { a: 1 } }], [{ text: "ok" }]], tools: [echo], authorizer });
    await s.prompt("go");
    expect(resultTexts(s)).toEqual(["Not allowed."]);
    expect(s.ofType("tool_execution_end")[0]?.isError).toBe(true);
    expect(s.ofType("agent_end")[0]?.stopReason).toBe("stop");
  });

  test("waiting for a decision is not part of a call's duration; a denied call has none", async () => {
    const clock = { turn: (_ms: number) => {} };
    const slow = makeTool("slow", async (_args, { untimed }) => {
      clock.turn(2_000);
      await untimed?.(Promise.resolve().then(() => clock.turn(60_000)));
      clock.turn(3_000);
      return ok("ran");
    });
    const authorizer: ToolAuthorizer = {
      announce: () => {},
      permit: async ({ args }) => {
        clock.turn(90_000);
        return args.denied === true ? { text: "Not allowed." } : undefined;
      },
    };
    const answers = [[{ call: "slow" }, { call: "slow", args: { denied: true } }], [{ text: "ok" }]];
    const s = scenario({ answers, tools: [slow], authorizer });
    clock.turn = (ms) => s.clock.advance(ms);
    await s.prompt("go");
    const seconds = s.ofType("tool_execution_end").map(({ durationMs = -1 }) => Math.floor(durationMs / 1_000));
    expect(seconds.toSorted()).toEqual([0, 5]);
    expect(s.ofType("turn_end")[0]?.toolResults.map(({ durationMs }) => durationMs)).toEqual(
      ["call_1", "call_2"].map(
        (id) => s.ofType("tool_execution_end").find(({ toolCallId }) => toolCallId === id)?.durationMs,
      ),
    );
  });

  test("an authorizer that throws denies", async () => {
    const authorizer: ToolAuthorizer = {
      announce: () => {},
      permit: () => Promise.reject(new Error("the authorizer is broken")),
    };
    const s = scenario({ answers: [[{ call: "echo", args: { a: 1 } }], [{ text: "ok" }]], tools: [echo], authorizer });
    await s.prompt("go");
    expect(resultTexts(s)).toEqual(["the authorizer is broken"]);
  });

  test("it decides on the arguments that a hook produced", async () => {
    const authorizer = new AskingAuthorizer();
    const hooks = { toolCall: async () => ({ arguments: { a: 2 } }) };
    const s = scenario({
      answers: [[{ call: "echo", args: { a: 1 } }], [{ text: "ok" }]],
      tools: [echo],
      hooks,
      authorizer,
    });
    const over = s.prompt("go");
    await authorizer.questions(1);
    expect(authorizer.asked[0]?.args).toEqual({ a: 2 });
    authorizer.answer(0);
    await over;
    expect(resultTexts(s)).toEqual(["ran"]);
  });

  test("all calls of a message are announced before the first question, and allowed ones continue", async () => {
    const authorizer = new AskingAuthorizer();
    const calls = [1, 2].map((a) => ({ call: "echo", args: { a } }));
    const s = scenario({ answers: [calls, [{ text: "ok" }]], tools: [echo], authorizer });
    const over = s.prompt("go");
    await authorizer.questions(2);
    expect(authorizer.announced.map((ids) => ids.length)).toEqual([2]);
    const second = s.seen("tool_execution_end");
    authorizer.answer(1);
    expect((await second).toolCallId).toBe(authorizer.asked[1]?.id ?? "");
    authorizer.answer(0, "No.");
    await over;
    const results = s.ofType("turn_end")[0]?.toolResults.map(({ isError }) => isError);
    expect(results).toEqual([true, false]);
  });

  test("an abort withdraws the question and the run ends", async () => {
    const authorizer = new AskingAuthorizer();
    const s = scenario({ answers: [[{ call: "echo", args: { a: 1 } }]], tools: [echo], authorizer });
    const over = s.prompt("go");
    await authorizer.questions(1);
    await s.agent.abort();
    await over;
    expect(resultTexts(s)).toEqual([expect.stringContaining("was aborted")]);
    expect(s.ofType("agent_end")[0]).toMatchObject({ stopReason: "aborted" });
    expect(s.ofType("agent_end")[0]?.endedBy).toBeUndefined();
  });

  test("a run that ends because of denials says so, and the result contains the denial", async () => {
    const authorizer: ToolAuthorizer = {
      announce: () => {},
      permit: async () => ({ text: "Denied for good.", endsRun: true }),
    };
    const s = scenario({ answers: [[{ call: "echo", args: { a: 1 } }]], tools: [echo], authorizer });
    await s.prompt("go");
    expect(resultTexts(s)).toEqual(["Denied for good."]);
    expect(s.ofType("agent_end")[0]).toMatchObject({ stopReason: "aborted", endedBy: "denied" });
  });

  test("an interrupting user message withdraws the question: the call is skipped", async () => {
    const authorizer = new AskingAuthorizer();
    const s = scenario({
      answers: [[{ call: "echo", args: { a: 1 } }], [{ text: "ok" }]],
      tools: [echo],
      authorizer,
      interruptMode: "immediate",
    });
    const over = s.prompt("go");
    await authorizer.questions(1);
    s.agent.queue.steer(user("stop"));
    await over;
    expect(resultTexts(s)).toEqual([expect.stringContaining("Skipped")]);
  });
});
