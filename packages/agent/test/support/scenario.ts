import { expect } from "bun:test";
import type { StreamModel } from "@pintle/ai";
import { type ScriptedAnswer, scriptedModel } from "@pintle/ai/testing";
import { Agent } from "../../src/agent.ts";
import type { AgentEvent, AgentEventType } from "../../src/events.ts";
import { grammarViolations } from "../../src/testing/event-grammar.ts";
import type { InterruptMode, LoopDeps, LoopLimits, Tool, TurnSetup } from "../../src/types.ts";
import "../../src/tool-calls.ts"; // The loop loads it with the first call; the order of events must not depend on that here.
import { FakeClock } from "./fake-clock.ts";
import { user } from "./messages.ts";
import { notation, shortNotation } from "./notation.ts";

export interface ScenarioOptions
  extends Partial<
    Pick<LoopDeps, "next" | "beforeCall" | "hooks" | "authorizer" | "ready" | "setup" | "model" | "watch" | "output">
  > {
  answers?: readonly ScriptedAnswer[];
  tools?: readonly Tool[];
  limits?: Partial<LoopLimits>;
  interruptMode?: InterruptMode;
  /** Replaces the script. */
  stream?: StreamModel;
}

/** An agent with a scripted model, a clock controlled by the test, and all its events. */
export function scenario(options: ScenarioOptions = {}) {
  const script = scriptedModel(options.answers ?? []);
  const events: AgentEvent[] = [];
  const listeners = new Set<(event: AgentEvent) => void>();
  const clock = new FakeClock();
  const live = { interruptMode: options.interruptMode ?? ("wait" as InterruptMode), tools: options.tools ?? [] };
  const limits: LoopLimits = { maxTurns: 0, abortGraceMs: 5_000, ...options.limits };
  const agent = new Agent({
    stream: options.stream ?? script.stream,
    ...(options.model && { model: options.model }),
    setup: options.setup ?? ((): TurnSetup => ({ model: script.model, systemPrompt: "Be brief.", tools: live.tools })),
    emit: (event) => {
      events.push(event);
      for (const listener of [...listeners]) listener(event);
    },
    interruptMode: () => live.interruptMode,
    limits: () => limits,
    clock,
    ...(options.next && { next: options.next }),
    ...(options.beforeCall && { beforeCall: options.beforeCall }),
    ...(options.hooks && { hooks: options.hooks }),
    ...(options.authorizer && { authorizer: options.authorizer }),
    ...(options.ready && { ready: options.ready }),
    ...(options.watch && { watch: options.watch }),
    ...(options.output && { output: options.output }),
  });
  return {
    agent,
    clock,
    events,
    /** Read by the loop whenever it checks; change it during a run. */
    live,
    limits,
    requests: script.requests,
    model: script.model,
    listen: (listener: (event: AgentEvent) => void) => listeners.add(listener),
    /** Resolves with the next event of this type that is still to come. */
    seen<T extends AgentEventType>(type: T): Promise<Extract<AgentEvent, { type: T }>> {
      return new Promise((resolve) => {
        const listener = (event: AgentEvent) => {
          if (event.type !== type) return;
          listeners.delete(listener);
          resolve(event as Extract<AgentEvent, { type: T }>);
        };
        listeners.add(listener);
      });
    },
    prompt: (text: string) => agent.prompt([user(text)]),
    ofType<T extends AgentEventType>(type: T): Extract<AgentEvent, { type: T }>[] {
      return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
    },
    /** All events so far, checked against the grammar. */
    words(): string[] {
      expect(grammarViolations(events, { expectSettled: false })).toEqual([]);
      return notation(events);
    },
    shortWords(): string[] {
      expect(grammarViolations(events, { expectSettled: false })).toEqual([]);
      return shortNotation(events);
    },
  };
}

export type Scenario = ReturnType<typeof scenario>;
