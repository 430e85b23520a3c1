import { expect, test } from "bun:test";
import type { Tool, ToolInvocation } from "@pintle/agent";
import fc from "fast-check";
import { settle } from "../../../support/modes/frames/fake-timers.ts";
import { CountedSignal } from "../../../support/modes/rpc/counted-signal.ts";
import { HostBench } from "../../../support/modes/rpc/host-bench.ts";

// In any order of events, each question ends once, by the first event that can end it.

type Step =
  | { do: "dialog"; method: "select" | "confirm" | "input" | "editor"; timeout: number | undefined }
  | { do: "tool"; timeoutMs: number | undefined }
  | { do: "trust" }
  | { do: "answer" | "update" | "badUpdate" | "wrongKind" | "abort"; which: number }
  | { do: "wait"; ms: number }
  | { do: "hostGone" };

const which = fc.nat({ max: 30 });
const timeout = fc.option(fc.integer({ min: 1, max: 2000 }), { nil: undefined });
const method = fc.constantFrom("select" as const, "confirm" as const, "input" as const, "editor" as const);
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("dialog" as const), method, timeout }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("tool" as const), timeoutMs: timeout }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("trust" as const) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom(
          "answer" as const,
          "update" as const,
          "badUpdate" as const,
          "wrongKind" as const,
          "abort" as const,
        ),
        which,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("wait" as const),
        ms: fc.oneof(fc.integer({ min: 0, max: 1500 }), fc.constantFrom(120_000, 300_000, 600_000)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("hostGone" as const) }) },
  ),
  { maxLength: 40 },
);

type End = "host" | "timeout" | "abort" | "disconnect";

/** One question: what really happened to it, and what should have. */
interface Question {
  id: string;
  kind: "dialog" | "host_tool" | "trust";
  run: CountedSignal;
  /** How often it ended, and with what. */
  ends: unknown[];
  deadline: number;
  durationMs: number;
  expected: End | undefined;
}

const ANSWER_TYPES = { dialog: "extension_ui_response", host_tool: "host_tool_result", trust: "trust_response" };
const ANSWER = { value: "yes", confirmed: true, trusted: true, result: { content: [{ type: "text", text: "yes" }] } };

/** Ways to ask; each returns when it will end by itself. */
const OPENERS = {
  async dialog(bench: HostBench, step: Extract<Step, { do: "dialog" }>, signal: AbortSignal) {
    const ui = bench.channel.ui();
    const options = { ...(step.timeout !== undefined && { timeout: step.timeout }), signal };
    const dialogs = {
      select: () => ui.select("t", ["yes"], options),
      confirm: () => ui.confirm("t", "m", options),
      input: () => ui.input("t", undefined, options),
      editor: () => ui.editor("t", undefined, options),
    };
    return { ended: dialogs[step.method]() as Promise<unknown>, durationMs: step.timeout ?? 600_000 };
  },
  async tool(bench: HostBench, { timeoutMs }: Extract<Step, { do: "tool" }>, signal: AbortSignal) {
    const definition = { name: "tool", description: "d", parameters: {}, timeoutMs };
    const [defined] = await bench.channel.tools.define([definition], () => false);
    return { ended: callTool(defined!.tool, signal), durationMs: timeoutMs ?? 300_000 };
  },
  async trust({ channel }: HostBench, _step: unknown, signal: AbortSignal) {
    channel.capabilities.declare({ trust: true });
    const ended: Promise<unknown> = channel.askForTrust({ project: "p", digest: "d", items: [] }, signal);
    return { ended, durationMs: 120_000 };
  },
};

async function callTool(tool: Tool, signal: AbortSignal): Promise<unknown> {
  const call: ToolInvocation = { id: "t", signal, steeringSignal: signal, update() {}, batch: {} as never };
  try {
    return await tool.execute({} as never, call);
  } catch (error) {
    return (error as Error).message;
  }
}

interface SentFrame {
  type: string;
  id: string;
  targetId?: string;
}

class Play {
  readonly bench = new HostBench();
  readonly questions: Question[] = [];
  #isHostGone = false;
  readonly #frames: SentFrame[] = [];

  /** Performs it without processing the consequences yet. */
  async begin(step: Step): Promise<void> {
    const { bench, questions } = this;
    if (step.do === "dialog" || step.do === "tool" || step.do === "trust") await this.#open(step);
    else if (step.do === "wait") this.#wait(step.ms);
    else if (step.do === "hostGone") {
      this.#isHostGone = true;
      bench.channel.hostGone();
      for (const question of this.#stillOpen) question.expected = "disconnect";
    } else if (questions.length > 0) this.#act(step.do, questions[step.which % questions.length]!);
  }

  async step(step: Step): Promise<void> {
    await this.begin(step);
    await settle();
    this.#takeFrames();
  }

  /** Checks what must hold at any moment. */
  checkList(): void {
    expect(this.bench.channel.list().map(({ id, deadline }) => [id, deadline])).toEqual(
      this.#stillOpen.map(({ id, deadline }) => [id, deadline]),
    );
    expect(this.bench.timers.pendingCount).toBe(this.#stillOpen.length);
  }

  /** Checks what must hold once every party had time to react. */
  check(): void {
    this.checkList();
    for (const { ends, expected, kind } of this.questions) {
      expect(ends.map((end) => isExpected(end, expected, kind))).toEqual(expected ? [true] : []);
    }
  }

  /** Checks what must hold for the frames at the end. */
  checkFrames(): void {
    // A trust question and its outcome share an id; no other two frames do.
    const ids = this.#frames.filter(({ type }) => type !== "trust_resolved").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, expected, kind } of this.questions) {
      const about = this.#frames.filter((frame) => frame.id === id || frame.targetId === id);
      const isCancelled = kind !== "trust" && (expected === "abort" || expected === "timeout");
      // Nothing follows a cancel, and it is sent only for a question that we gave up.
      expect(about.findIndex(({ targetId }) => targetId === id)).toBe(isCancelled ? about.length - 1 : -1);
      expect(about.length).toBe(kind === "trust" || isCancelled ? 2 : 1);
    }
  }

  get #stillOpen(): Question[] {
    return this.questions.filter(({ expected }) => expected === undefined);
  }

  async #open(step: Extract<Step, { do: "dialog" | "tool" | "trust" }>): Promise<void> {
    const { bench } = this;
    const run = new CountedSignal();
    const { ended, durationMs } = await OPENERS[step.do](bench, step as never, run.signal);
    const question = this.#takeFrames().find((frame) => frame.type !== "trust_resolved" && !frame.targetId);
    const kind = step.do === "tool" ? "host_tool" : step.do;
    const ends: unknown[] = [];
    void ended.then((end) => ends.push(end));
    expect(question === undefined).toBe(this.#isHostGone); // no host can be asked after that
    if (question) {
      const deadline = bench.timers.now() + durationMs;
      this.questions.push({ id: question.id, kind, run, ends, deadline, durationMs, expected: undefined });
    } else {
      await settle();
      expect(ends.map((end) => isExpected(end, "disconnect", kind))).toEqual([true]);
    }
  }

  /** Returns the frames sent since the last call. */
  #takeFrames(): SentFrame[] {
    const frames = this.bench.frames() as SentFrame[];
    this.#frames.push(...frames);
    return frames;
  }

  #wait(ms: number): void {
    this.bench.timers.advance(ms);
    for (const question of this.#stillOpen)
      if (question.deadline <= this.bench.timers.now()) question.expected = "timeout";
  }

  #act(action: "answer" | "update" | "badUpdate" | "wrongKind" | "abort", question: Question): void {
    const { bench } = this;
    const { id, kind } = question;
    if (action === "abort") question.run.abort();
    else if (action === "answer") bench.answer({ type: ANSWER_TYPES[kind], id, ...ANSWER });
    else if (action === "update") bench.answer({ type: "host_tool_update", id, partialResult: { content: [] } });
    else if (action === "badUpdate") bench.answer({ type: "host_tool_update", id, partialResult: "?" });
    else
      for (const [other, type] of Object.entries(ANSWER_TYPES))
        if (other !== kind) bench.answer({ type, id, ...ANSWER });

    if (question.expected) return;
    if (action === "abort") question.expected = "abort";
    if (action === "answer") question.expected = "host";
    if (action === "update" && kind === "host_tool") question.deadline = bench.timers.now() + question.durationMs;
  }
}

/** Dialogs and trust questions distinguish only an answer from none; tools say why there is none. */
function isExpected(end: unknown, expected: End | undefined, kind: Question["kind"]): boolean {
  if (kind !== "host_tool") {
    const isYes = end === "yes" || end === true || (end as { isTrusted?: boolean } | undefined)?.isTrusted === true;
    return isYes === (expected === "host");
  }
  if (expected === "host") return typeof end === "object";
  const words = { timeout: "timed out", abort: "was aborted", disconnect: "disconnected" };
  return typeof end === "string" && expected !== undefined && end.includes(words[expected]);
}

test("every request ends exactly once, the list holds the open ones, and nothing follows a cancel", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (script, isBurst) => {
      const play = new Play();
      for (const step of script) {
        await (isBurst ? play.begin(step) : play.step(step));
        if (isBurst) play.checkList();
        else play.check();
      }
      await play.step({ do: "wait", ms: 86_400_000 });
      play.check();
      play.checkFrames();
      expect(play.questions.map(({ run }) => run.listenerCount)).toEqual(play.questions.map(() => 0));
      expect({ list: play.bench.channel.list(), timers: play.bench.timers.pendingCount }).toEqual({
        list: [],
        timers: 0,
      });
    }),
    { numRuns: 300 },
  );
});

test("every request to a silent host ends at its deadline", async () => {
  const silent = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant("dialog" as const), method, timeout }),
      fc.record({ do: fc.constant("tool" as const), timeoutMs: timeout }),
      fc.record({ do: fc.constant("trust" as const) }),
    ),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(silent, async (script) => {
      const play = new Play();
      for (const step of script) await play.step(step);
      const last = Math.max(...play.questions.map(({ deadline }) => deadline));
      await play.step({ do: "wait", ms: last - play.bench.timers.now() });
      play.check();
      play.checkFrames();
      expect(play.questions.map(({ expected }) => expected)).toEqual(play.questions.map(() => "timeout"));
    }),
    { numRuns: 100 },
  );
});
