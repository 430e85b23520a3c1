import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelState } from "../models/model-state.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import type { Consent } from "./consent.ts";
import type { SessionGate } from "./session-gate.ts";

export interface RunPreparationParts {
  gate: SessionGate;
  consent: Consent;
  policies: RunPolicies;
  conversation: OpenConversation;
  models: ModelState;
  /** MCP servers: the first prompt waits for them. Must not reject. */
  beforePrompt?(signal: AbortSignal): Promise<void>;
  loadSystemPrompt(): Promise<string>;
}

/** The session is not being changed, and the modules that the project brings are there or refused. */
export async function sessionReady(
  { gate, consent }: Pick<RunPreparationParts, "gate" | "consent">,
  signal: AbortSignal,
): Promise<void> {
  await gate.pass(signal);
  await consent.decided(signal);
}

/** What must be in order before a run may start. Throws why none can. */
export async function prepareRun(parts: RunPreparationParts, signal: AbortSignal): Promise<void> {
  const { policies, conversation, models } = parts;
  await sessionReady(parts, signal);
  await parts.beforePrompt?.(signal);
  await policies.prepare();
  await parts.loadSystemPrompt();
  conversation.requireWritable();
  models.requireUsable();
  await policies.beforeRun(signal);
}
