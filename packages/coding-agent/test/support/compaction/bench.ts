import { onTestFinished } from "bun:test";
import { Agent, type AgentEvent, type AgentMessage, type RunStopReason, type Tool } from "@pintle/agent";
import {
  AssistantEventStream,
  estimateTextTokens,
  type Model,
  type StreamModel,
  type Usage,
  zeroUsage,
} from "@pintle/ai";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel, scriptedModelInfo } from "@pintle/ai/testing";
import { FakeClock } from "../../../../agent/test/support/fake-clock.ts";
import { quiet } from "../../../../agent/test/support/quiet.ts";
import type { SessionManager } from "../../../../storage/src/session-manager.ts";
import { testStore } from "../../../../storage/test/support/stores.ts";
import type { CompactionHooks } from "../../../src/compaction/compaction-hooks.ts";
import type { CompactionEvent, CompactorParts } from "../../../src/compaction/compaction-types.ts";
import { Compactor } from "../../../src/compaction/compactor.ts";
import { Settings } from "../../../src/config/settings/settings.ts";

export const MODEL: Model = { ...scriptedModelInfo, contextWindow: 100_000, maxTokens: 8_000 };

export interface BenchOptions {
  /** The answers of the agent's model. */
  answers?: readonly ScriptedAnswer[];
  /** The model's answer to a summary request; by default one that names everything it was shown. */
  summaries?: readonly ScriptedAnswer[];
  settings?: Record<string, unknown>;
  model?: Model;
  tools?: readonly Tool[];
  hooks?: CompactionHooks;
  /** Tokens that the provider reports for each answer, in order; the last value repeats. */
  usage?: readonly number[];
  manager?: SessionManager;
  clock?: FakeClock;
  parts?: Partial<CompactorParts>;
}

export interface TestBench {
  compactor: Compactor;
  agent: Agent;
  manager(): SessionManager;
  open(manager: SessionManager): void;
  events: (AgentEvent | CompactionEvent)[];
  hookErrors: string[];
  requests: ScriptedModel["requests"];
  summaryRequests: ScriptedModel["requests"];
  clock: FakeClock;
  model: { current: Model | undefined };
  /** Runs a prompt with everything that follows from it. */
  run(text: string): Promise<void>;
  append(...messages: AgentMessage[]): void;
}

/** A compactor between a real conversation and a real loop; only the model's answers are simulated. */
export function testBench(options: BenchOptions = {}): TestBench {
  const clock = options.clock ?? new FakeClock();
  let manager = options.manager ?? testStore({ clock, fsync: "never" }).store.createInMemory();
  const settings = Settings.inMemory(options.settings);
  const turns = scriptedModel(options.answers ?? []);
  const summaries = scriptedModel(options.summaries ?? Array.from({ length: 1_000 }, () => markSummary));
  const model = { current: options.model ?? MODEL } as TestBench["model"];
  const events: TestBench["events"] = [];
  const hookErrors: string[] = [];
  const countedTurns = withUsage(turns.stream, options.usage ?? []);
  const stream: StreamModel = (asked, context, rest) =>
    isSummaryRequest(context.systemPrompt)
      ? summaries.stream(asked, context, rest)
      : countedTurns(asked, context, rest);
  const agent: Agent = new Agent({
    stream,
    setup: () => ({ model: model.current ?? MODEL, tools: options.tools ?? [] }),
    emit: (event) => {
      if (event.type === "message_end") record(manager, event.message);
      events.push(event);
    },
    next: (outcome, signal) => compactor.next(outcome, signal),
    interruptMode: () => "wait",
    limits: () => ({ maxTurns: 0, abortGraceMs: 5_000 }),
    clock,
  });
  const compactor = new Compactor({
    settings,
    clock,
    stream,
    model: () => model.current,
    requestSetup: async () => ({ apiKey: "key" }),
    session: () => manager,
    messages: () => agent.messages,
    overheadTokens: () => estimateTextTokens("system prompt"),
    adoptContext: () => agent.replaceMessages(manager.buildContext().messages),
    emit: (event) => events.push(event),
    hooks: options.hooks ?? {},
    reportHookError: (hook, error) => hookErrors.push(`${hook}: ${(error as Error).message}`),
    ...options.parts,
  });
  agent.replaceMessages(manager.buildContext().messages);
  onTestFinished(() => compactor.dispose());
  return {
    compactor,
    agent,
    manager: () => manager,
    open: (next) => {
      manager = next;
      agent.replaceMessages(manager.buildContext().messages);
    },
    events,
    hookErrors,
    requests: turns.requests,
    summaryRequests: summaries.requests,
    clock,
    model,
    append: (...messages) => {
      for (const unstamped of messages) {
        const message = { ...unstamped, timestamp: clock.now() };
        record(manager, message);
        agent.append(message);
      }
    },
    run: async (text) => {
      const claim = agent.claim();
      await compactor.beforePrompt(claim.signal);
      await claim.start([{ role: "user", content: text, timestamp: clock.now() }]);
      const end = events.findLast((event) => event.type === "agent_end") as { stopReason: RunStopReason } | undefined;
      await compactor.afterRun(end?.stopReason ?? "stop");
    },
  };
}

/** Shorter than a test's time limit, so that the failure says what it waited for. */
const PATIENCE_MS = 30_000;

/** Waits for something that needs no further input. Fails if it does not happen. */
export async function until(condition: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!condition()) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`it did not happen: ${condition}`);
    await quiet();
  }
}

function record(manager: SessionManager, message: AgentMessage): void {
  if (message.role === "custom") manager.appendCustomMessage(message);
  else manager.appendMessage(message);
}

export function isSummaryRequest(systemPrompt: string | undefined): boolean {
  return systemPrompt?.startsWith("You write summaries") ?? false;
}

export function promptOf({ context }: { context: { messages: readonly { content: unknown }[] } }): string {
  return String(context.messages[0]?.content);
}

/** Words of the form `m12`, by which tests identify messages. */
export function marks(text: string): string[] {
  return [...new Set(text.match(/\bm\d+\b/g) ?? [])];
}

/** A faithful summary, which names everything that it was made from. */
export const markSummary: ScriptedAnswer = (context) => [
  { text: `About ${marks(String(context.messages[0]?.content)).join(" ")}` },
];

/** The same events, with other token counts. */
function withUsage(stream: StreamModel, counts: readonly number[]): StreamModel {
  let answered = 0;
  return (model, context, options) => {
    const out = new AssistantEventStream();
    void (async () => {
      for await (const event of stream(model, context, options)) {
        if (event.type !== "done") out.push(event);
        else {
          const tokens = counts[Math.min(answered, counts.length - 1)];
          answered += 1;
          const usage = tokens === undefined ? event.message.usage : usageOf(tokens);
          out.push({ ...event, message: { ...event.message, usage } });
        }
      }
      out.end();
    })();
    return out;
  };
}

export function usageOf(tokens: number): Usage {
  return { ...zeroUsage(), input: tokens, totalTokens: tokens };
}

/** Formats events as `agent_start turn_start …`, with the relevant fields of compactions. */
export function eventWords(events: TestBench["events"]): string[] {
  return events.flatMap((event) => {
    if (event.type.startsWith("message_")) return [];
    if (event.type === "auto_compaction_start" || event.type === "compaction_start") return [`start ${event.reason}`];
    if (event.type !== "auto_compaction_end" && event.type !== "compaction_end") return [event.type];
    const words = [
      event.result ? "result" : "",
      event.aborted ? "aborted" : "",
      event.willRetry ? "willRetry" : "",
      "skipped" in event ? "skipped" : "",
      event.errorMessage ?? "",
    ];
    return [["end", event.reason, ...words.filter((word) => word !== "")].join(" ")];
  });
}
