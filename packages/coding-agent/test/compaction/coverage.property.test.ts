import { expect, test } from "bun:test";
import { type AgentMessage, buildContext } from "@pintle/agent";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import type { SessionEntry } from "@pintle/wire";
import fc from "fast-check";
import { FakeClock } from "../../../agent/test/support/fake-clock.ts";
import { pairingFaults } from "../../../agent/test/support/pairing.ts";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { microtasks, quiet } from "../../../agent/test/support/quiet.ts";
import { isEntry } from "../../../storage/src/entries/entries.ts";
import { freshDirectory, testStore } from "../../../storage/test/support/stores.ts";
import { markSummary, marks, type TestBench, testBench } from "../support/compaction/bench.ts";
import { answer, bash, custom, developer, long, result, user } from "../support/compaction/messages.ts";

// Invariants: every message of the conversation is in the context or named by a summary made from it; the live context
// equals that after a reload; the order is kept; no call is separated from its result; an abort changes nothing.

type Size = number;
type Action =
  | { do: "turn"; sizes: Size[]; calls: number; isWedged: boolean }
  | { do: "say"; who: "bash" | "custom" | "developer" | "failed" | "aborted"; size: Size }
  | { do: "outputs"; size: Size }
  | {
      do: "compact" | "afterRun" | "overflow";
      during: "nothing" | "a message" | "an abort";
      moment: number;
      fails: boolean;
    }
  | { do: "navigate"; where: number; summarize: boolean }
  | { do: "branch"; where: number }
  | { do: "reload" }
  | { do: "state" };

const size = fc.nat(150);
const work = fc.record({
  do: fc.constantFrom("compact" as const, "afterRun" as const, "overflow" as const),
  during: fc.constantFrom("nothing" as const, "a message" as const, "an abort" as const),
  moment: fc.nat(80),
  fails: fc.nat(3).map((one) => one === 0),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      sizes: fc.array(size, { minLength: 3, maxLength: 3 }),
      calls: fc.nat(3),
      isWedged: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      who: fc.constantFrom("bash", "custom", "developer", "failed", "aborted"),
      size,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("outputs" as const), size: fc.integer({ min: 8_000, max: 30_000 }) }),
  },
  { weight: 5, arbitrary: work },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("navigate" as const), where: fc.nat(30), summarize: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("branch" as const), where: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("reload" as const, "state" as const) }) },
);

test(
  "nothing is lost, whatever was sent, compacted, pruned, branched, reloaded or aborted",
  async () => {
    const home = freshDirectory();
    const settings = fc.record({ keep: fc.integer({ min: 1, max: 400 }), threshold: fc.constantFrom(600, 60_000) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 3, maxLength: 14 }),
        settings,
        async (actions, { keep, threshold }) => {
          const scene = new Scene(home, keep, threshold);
          for (const one of actions) {
            await scene.act(one);
            await scene.check(one.do);
          }
          await scene.close();
        },
      ),
      propertyRuns({ numRuns: 150, seed: 5 }),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

class Scene {
  readonly #store;
  readonly #bench: TestBench;
  readonly #clock = new FakeClock();
  #count = 0;
  #calls = 0;
  #failNext = false;

  constructor(home: string, keep: number, threshold: number) {
    this.#store = testStore({ home, fsync: "never", clock: this.#clock }).store;
    const summary: ScriptedAnswer = (context, options) => {
      if (this.#failNext) return [{ text: "half" }, { fail: "refused" }];
      return typeof markSummary === "function" ? markSummary(context, options) : markSummary;
    };
    this.#bench = testBench({
      manager: this.#store.create(),
      clock: this.#clock,
      settings: { "compaction.thresholdTokens": threshold, "compaction.keepRecentTokens": keep },
      summaries: Array.from({ length: 500 }, () => summary),
    });
  }

  async act(one: Action): Promise<void> {
    const { append, manager } = this.#bench;
    if (one.do === "turn") this.#turn(one);
    else if (one.do === "say") append(this.#word(one.who, one.size));
    else if (one.do === "outputs") append(...this.#outputs(one.size));
    else if (one.do === "state") manager().appendModelChange({ provider: "p", modelId: "m" });
    else if (one.do === "reload") await this.#reload();
    else if (one.do === "branch") this.#branch(one.where);
    else if (one.do === "navigate") await this.#navigate(one);
    else await this.#compact(one);
  }

  #mark(): string {
    this.#count += 1;
    return `m${this.#count}`;
  }

  /**
   * Results are stored as they finish, here the last one first; the live conversation has them in the order of the calls,
   * followed by what was stored while a call was open.
   */
  #turn({ sizes, calls, isWedged }: Extract<Action, { do: "turn" }>): void {
    const text = (index: number) => long(sizes[index] ?? 0, `${this.#mark()} `);
    const ids = Array.from({ length: calls }, () => this.#callId());
    const question = user(text(0));
    const asking = answer(text(1), { calls: ids });
    const [first, ...others] = ids.map((id) => result(id, text(1)));
    const wedged = isWedged && calls > 1 ? [bash(text(1))] : [];
    const end = answer(text(2));
    const { append, manager, agent } = this.#bench;
    append(question);
    const stored = first ? [asking, first, ...wedged, ...others.toReversed()] : [];
    const live = first ? [asking, first, ...others, ...wedged] : [];
    for (const message of stored) manager().appendMessage(message);
    for (const message of live) agent.append(message);
    append(end);
  }

  #callId(): string {
    this.#calls += 1;
    return `c${this.#calls}`;
  }

  #word(who: Extract<Action, { do: "say" }>["who"], tokens: number): AgentMessage {
    const text = long(tokens, `${this.#mark()} `);
    const words: Record<typeof who, () => AgentMessage> = {
      bash: () => bash(text),
      custom: () => custom(text),
      developer: () => developer(text),
      failed: () => answer(text, { stopReason: "error" }),
      aborted: () => answer(text, { stopReason: "aborted" }),
    };
    return words[who]();
  }

  #outputs(tokens: number): AgentMessage[] {
    return Array.from({ length: 5 }, () => {
      const id = this.#callId();
      return [answer(this.#mark(), { calls: [id] }), result(id, long(tokens, `${this.#mark()} `))];
    }).flat();
  }

  async #reload(): Promise<void> {
    const { manager, open } = this.#bench;
    const path = manager().sessionFile as string;
    if (!(await Bun.file(path).exists())) return;
    manager().close();
    open(await this.#store.open(path));
  }

  /** A copy that ends before one of the user's messages. */
  #branch(where: number): void {
    const { manager, open } = this.#bench;
    const ids = manager().userMessages();
    const target = ids[where % Math.max(1, ids.length)];
    if (!target) return;
    const copy = manager().branchBefore(target.entryId);
    manager().close();
    open(copy);
  }

  async #navigate({ where, summarize }: Extract<Action, { do: "navigate" }>): Promise<void> {
    const { manager, compactor } = this.#bench;
    const entries = manager().entries();
    const target = entries[where % Math.max(1, entries.length)];
    if (target) await compactor.navigate(target.id, { summarize });
  }

  async #compact(one: Extract<Action, { during: string }>): Promise<void> {
    const { compactor, manager, agent, append } = this.#bench;
    this.#failNext = one.fails;
    const entries = [...manager().entries()];
    const messages = [...agent.messages];
    const controller = new AbortController();
    const jobs = {
      compact: () => compactor.compact("focus").then(() => {}),
      afterRun: () => compactor.afterRun("stop"),
      overflow: async () => {
        await compactor.beforePrompt(controller.signal);
        const message = { ...answer("", { stopReason: "error" }), errorMessage: "prompt is too long" };
        await compactor.next({ message, toolResults: [], state: "failed" }, controller.signal);
      },
    };
    const job = jobs[one.do]();
    job.catch(() => {});
    let arrived = 0;
    if (one.during === "a message") {
      await microtasks(one.moment);
      arrived = 1;
      append(user(`${this.#mark()} arrived`));
    } else if (one.during === "an abort") {
      await microtasks(one.moment);
      controller.abort();
      await compactor.abort();
    }
    await job.catch(() => {});
    await quiet();
    this.#failNext = false;
    expect(compactor.isCompacting).toBe(false);
    const added = manager().entries().slice(entries.length);
    if (added.length > arrived) return;
    // It had no outcome, so nothing may have changed.
    expect(manager().entries().slice(0, entries.length)).toEqual(entries);
    expect(agent.messages.slice(0, messages.length)).toEqual(messages);
  }

  async check(after: string): Promise<void> {
    const { manager, agent } = this.#bench;
    const live = [...agent.messages];
    expect({ after, context: JSON.parse(JSON.stringify(live)) }).toEqual({
      after,
      context: JSON.parse(JSON.stringify(await this.#stored())),
    });
    const path = manager().path();
    expect({ after, lost: lostMarks(path, live) }).toEqual({ after, lost: [] });
    const order = live.filter(({ role }) => role !== "toolResult").flatMap((message) => numbersOf(message).slice(0, 1));
    expect(order).toEqual(inPathOrder(path, order));
    const sent = await buildContext(live);
    expect(pairingFaults(sent)).toEqual([]);
    expect({ after, parted: partedCalls(path, live) }).toEqual({ after, parted: [] });
  }

  /** The messages that another process reads, or those in memory if a reload would put the leaf elsewhere. */
  async #stored(): Promise<readonly AgentMessage[]> {
    const { manager } = this.#bench;
    const path = manager().sessionFile as string;
    const isAtEnd = manager().entries().at(-1)?.id === manager().leafId;
    if (!isAtEnd || !(await Bun.file(path).exists())) return manager().buildContext().messages;
    return (await this.#store.open(path, { access: "read" })).buildContext().messages;
  }

  async close(): Promise<void> {
    await this.#bench.compactor.dispose();
    this.#bench.manager().close();
  }
}

function textOf(message: AgentMessage): string {
  const { timestamp: _, ...rest } = message;
  return JSON.stringify(rest);
}

function numbersOf(message: AgentMessage): string[] {
  return "summary" in message ? [] : marks(textOf(message));
}

/** Returns the marks of messages on the path that are neither in the context nor named by a summary in it. */
function lostMarks(path: readonly SessionEntry[], live: readonly AgentMessage[]): string[] {
  const found = new Set(live.flatMap((message) => marks(textOf(message))));
  const pruned = new Set(
    path.flatMap((entry) =>
      isEntry(entry, "custom") && entry.customType === "prune" ? (entry.data as { ids: string[] }).ids : [],
    ),
  );
  return path.flatMap((entry) => {
    const isMessage = isEntry(entry, "message") || isEntry(entry, "custom_message");
    if (!isMessage || pruned.has(entry.id)) return [];
    if (isEntry(entry, "message") && entry.message.role === "assistant" && entry.message.stopReason === "error")
      return [];
    return marks(JSON.stringify(entry)).filter((mark) => !found.has(mark));
  });
}

/** Returns calls and results in the context whose counterpart is on the path but not in the context. */
function partedCalls(path: readonly SessionEntry[], live: readonly AgentMessage[]): string[] {
  const all = pairs(path.flatMap((entry) => (isEntry(entry, "message") ? [entry.message] : [])));
  const here = pairs(live);
  const isPair = (id: string) => all.calls.has(id) && all.results.has(id);
  return [...here.calls, ...here.results].filter((id) => isPair(id) && !(here.calls.has(id) && here.results.has(id)));
}

function pairs(messages: readonly AgentMessage[]): { calls: Set<string>; results: Set<string> } {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return {
    calls: new Set(calls.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))),
    results: new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []))),
  };
}

function inPathOrder(path: readonly SessionEntry[], wanted: readonly string[]): string[] {
  const set = new Set(wanted);
  return path
    .flatMap((entry) =>
      entry.type === "message" || entry.type === "custom_message" ? [marks(JSON.stringify(entry))] : [],
    )
    .flatMap((found) => found.slice(0, 1))
    .filter((mark) => set.has(mark));
}
