import fc from "fast-check";
import type { AgentEventType } from "../../../src/events.ts";
import type { InterruptMode, QueueMode } from "../../../src/types.ts";

/** Something that happens to the agent from outside. */
export type Input =
  | { do: "prompt" | "claim" | "steer" | "followUp" | "abort" | "clear" | "continue" | "force" }
  | { do: "steeringMode" | "followUpMode"; mode: QueueMode }
  | { do: "interruptMode"; mode: InterruptMode };

export type Action =
  | Input
  /** One of the events that the agent waits for: the model emits something, a tool ends, a hook answers, … */
  | { do: "complete"; pick: number; how: number }
  /** A finished call reports again. */
  | { do: "late"; pick: number; how: number }
  | { do: "pass"; ms: number }
  /** Aborts and ensures that the run ends within the grace period. */
  | { do: "abortAndWait" }
  /** The input comes from a listener during the next such event. */
  | { do: "react"; on: AgentEventType; input: Input };

export interface Step {
  action: Action;
  /** Microtasks before the next step; undefined means until nothing moves. */
  pause: number | undefined;
}

export interface Plan {
  /** The hooks that exist; they answer when the plan says so. */
  hooks: { messageEnd: boolean; toolCall: boolean; toolResult: boolean };
  /** Calls are decided on when the plan says so. */
  hasAuthorizer: boolean;
  /** Model calls wait, are refused or end the run when the plan says so. */
  hasBeforeCall: boolean;
  asyncSetup: boolean;
  hasNext: boolean;
  /** The model's stream does not react to the abort. */
  isDeaf: boolean;
  maxTurns: number;
  steps: Step[];
}

const EVENTS: AgentEventType[] = [
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "message_start",
  "message_update",
  "message_end",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
];

const queueMode = fc.constantFrom<QueueMode>("all", "one-at-a-time");
const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const just = <D extends Input["do"]>(name: D) => fc.constant({ do: name } as Extract<Input, { do: D }>);

const input: fc.Arbitrary<Input> = fc.oneof(
  often(3, just("prompt")),
  often(1, just("claim")),
  often(5, just("steer")),
  often(4, just("followUp")),
  often(3, just("abort")),
  often(1, just("clear")),
  often(1, just("continue")),
  often(1, just("force")),
  often(1, fc.record({ do: fc.constantFrom("steeringMode" as const, "followUpMode" as const), mode: queueMode })),
  often(1, fc.record({ do: fc.constant("interruptMode" as const), mode: fc.constantFrom("immediate", "wait") })),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  often(10, input),
  often(24, fc.record({ do: fc.constant("complete" as const), pick: fc.nat(9), how: fc.nat(99) })),
  often(1, fc.record({ do: fc.constant("late" as const), pick: fc.nat(9), how: fc.nat(1) })),
  often(1, fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(10, 60, 100) })),
  often(1, fc.constant({ do: "abortAndWait" as const })),
  often(3, fc.record({ do: fc.constant("react" as const), on: fc.constantFrom(...EVENTS), input })),
);

const pause = fc.oneof(often(2, fc.constant(undefined)), often(3, fc.nat(3)), often(1, fc.nat(14)));

const rarely = fc.nat(3).map((n) => n === 0);

export const plans: fc.Arbitrary<Plan> = fc.record({
  hooks: fc.record({ messageEnd: rarely, toolCall: rarely, toolResult: rarely }),
  hasAuthorizer: rarely,
  hasBeforeCall: rarely,
  asyncSetup: rarely,
  hasNext: fc.boolean(),
  isDeaf: rarely,
  maxTurns: fc.constantFrom(0, 0, 0, 2),
  steps: fc.array(fc.record({ action, pause }), { minLength: 12, maxLength: 60, size: "max" }),
});
