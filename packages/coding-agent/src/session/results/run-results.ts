import type { AgentEvent, RunEnd } from "@pintle/agent";
import { cutText, hasKnownPrice, type Model, textsOf, type Usage, zeroUsage } from "@pintle/ai";
import type { ModelUse, PromptResultFrame, RunDenial } from "@pintle/wire";
import { Spending } from "../budgets/spending.ts";
import { usageOf } from "../conversation/session-stats.ts";
import { ChangedFiles } from "./changed-files.ts";

/** What one run returns: `prompt_result` without the fields of the connection. */
export type RunResult = Omit<PromptResultFrame, "type" | "id" | "commandKey" | "sessionSettled">;

export interface RunResultsParts {
  now(): number;
  cwd(): string;
  /** Returns the identity of the open conversation. */
  session(): { sessionId: string; sessionFile: string | undefined };
  /** Finds a model by provider and id, if it is known. */
  findModel(provider: string, id: string): Model | undefined;
}

const MAX_FILES = 500;
const MAX_DENIALS = 100;
/** The longest reason, including the ellipsis of a shortened one. */
const MAX_REASON = 500;

type Message = Extract<AgentEvent, { type: "message_end" }>["message"];

/** Collects the result of one run, from its acceptance. */
export class RunAccount {
  readonly #acceptedAt: number;
  readonly #spending = new Spending();
  readonly #models = new Map<string, ModelUse>();
  readonly #usage = zeroUsage();
  readonly #denials: RunDenial[] = [];
  readonly #delegated = { turns: 0, toolCalls: 0 };
  #omittedDenials = 0;
  #hasUnknownPrice = false;
  readonly #files = new ChangedFiles();
  #text = "";
  #lastTurn: ModelUse | undefined;
  #error: PromptResultFrame["error"];
  #durationMs = 0;
  readonly #parts: RunResultsParts;

  constructor(parts: RunResultsParts) {
    this.#parts = parts;
    this.#acceptedAt = parts.now();
  }

  observe(event: AgentEvent): void {
    if (event.type === "message_end") this.#addMessage(event.message);
    if (event.type === "agent_end") {
      this.#durationMs = this.#parts.now() - this.#acceptedAt;
      if (event.stopReason === "error") this.#error = errorOf(event.messages);
    }
  }

  /** Adds a model call outside the turns, for a summary. */
  addCall(model: Pick<Model, "provider" | "id">, usage: Usage): void {
    this.#spending.addUsage(usage);
    addUsage(this.#usage, usage);
    this.#addToModel(model.provider, model.id, usage, 0);
  }

  /** Adds what a subagent did, except its usage: the result of the call that waited for it has that. */
  addSubagent({ models = [], turns = 0, toolCalls = 0 }: RunResult): void {
    this.#delegated.turns += turns;
    this.#delegated.toolCalls += toolCalls;
    for (const use of models) {
      const known = this.#models.get(`${use.provider}\n${use.model}`);
      if (use.cost === null) this.#hasUnknownPrice = true;
      if (!known) {
        this.#models.set(`${use.provider}\n${use.model}`, structuredClone(use));
        continue;
      }
      known.turns += use.turns;
      addUsage(known.usage, use.usage);
      if (known.cost !== null) known.cost = use.cost === null ? null : known.usage.cost.total;
    }
  }

  addDenial({ reason, ...denial }: RunDenial): void {
    if (this.#denials.length < MAX_DENIALS) this.#denials.push({ ...denial, reason: cutReason(reason) });
    else this.#omittedDenials += 1;
  }

  /** Must be called before a file tool writes. */
  beforeWrite(real: string): void {
    this.#files.beforeWrite(real);
  }

  async finish(end: RunEnd): Promise<RunResult> {
    // The last message of such a run only states why it ended: no model was called for it.
    const isWithoutCall = end.endedBy === "turn_limit" || end.endedBy === "output";
    if (isWithoutCall && this.#lastTurn) this.#lastTurn.turns -= 1;
    const { turns, toolCalls } = this.#spending.used(0);
    const files = await this.#files.summaries(this.#parts.cwd());
    const omitted = {
      ...(files.length > MAX_FILES && { filesChanged: files.length - MAX_FILES }),
      ...(this.#omittedDenials > 0 && { denials: this.#omittedDenials }),
    };
    const error = this.#error ?? (end.why === undefined ? undefined : endError(end.why));
    const status = end.stopReason === "aborted" ? "aborted" : end.stopReason === "error" ? "error" : "completed";
    return {
      agentInvoked: true,
      status,
      ...(error && { error }),
      stopReason: end.stopReason,
      endedBy: end.endedBy,
      text: this.#text,
      ...(end.output && { output: end.output.value }),
      ...(end.rejectedOutput && { rejectedOutput: end.rejectedOutput.value }),
      ...(end.outputAttempts !== undefined && { outputAttempts: end.outputAttempts }),
      usage: this.#usage,
      cost: this.#hasUnknownPrice ? null : this.#usage.cost.total,
      models: [...this.#models.values()],
      turns: (isWithoutCall ? turns - 1 : turns) + this.#delegated.turns,
      toolCalls: toolCalls + this.#delegated.toolCalls,
      durationMs: this.#durationMs,
      ...sessionFields(this.#parts),
      filesChanged: files.slice(0, MAX_FILES),
      denials: this.#denials,
      ...(Object.keys(omitted).length > 0 && { omitted }),
    };
  }

  #addMessage(message: Message): void {
    const turns = this.#spending.used(0).turns;
    this.#spending.addMessage(message);
    const usage = usageOf(message);
    if (usage) addUsage(this.#usage, usage);
    if (message.role !== "assistant") return;
    const text = textsOf(message.content).join("");
    if (text !== "") this.#text = text;
    const isTurn = this.#spending.used(0).turns > turns;
    if (isTurn && message.provider !== "none") {
      this.#addToModel(message.provider, message.model, message.usage, 1);
    }
  }

  #addToModel(provider: string, id: string, usage: Usage, turns: number): void {
    const key = `${provider}\n${id}`;
    const model = this.#parts.findModel(provider, id);
    const isPriced = model !== undefined && hasKnownPrice(model);
    this.#hasUnknownPrice ||= !isPriced;
    const use = this.#models.get(key) ?? {
      provider,
      model: id,
      turns: 0,
      usage: zeroUsage(),
      cost: isPriced ? 0 : null,
    };
    use.turns += turns;
    addUsage(use.usage, usage);
    if (use.cost !== null) use.cost = use.usage.cost.total;
    this.#models.set(key, use);
    if (turns > 0) this.#lastTurn = use;
  }
}

/**
 * Collects the result of each run. One account is active at a time; a prompt that waits for the previous run has its
 * own.
 */
export class RunResults {
  readonly #parts: RunResultsParts;
  #active: RunAccount | undefined;
  #last: RunResult | undefined;

  constructor(parts: RunResultsParts) {
    this.#parts = parts;
  }

  /** Opens an account for a prompt that was just accepted. */
  open(): RunAccount {
    return new RunAccount(this.#parts);
  }

  /**
   * Makes the account the active one. The previous run has settled: everything that happens now belongs to this one.
   */
  activate(account: RunAccount): void {
    this.#active = account;
  }

  /** The active account; undefined between runs. */
  get active(): RunAccount | undefined {
    return this.#active;
  }

  /** The result of the run that settled last. */
  get last(): RunResult | undefined {
    return this.#last;
  }

  async finish(account: RunAccount, end: RunEnd): Promise<RunResult> {
    const result = await account.finish(end);
    this.#last = result;
    if (this.#active === account) this.#active = undefined;
    return result;
  }

  /** Returns the result of a prompt that had no run. */
  without(fields: Pick<RunResult, "status" | "endedBy" | "error">): RunResult {
    return { agentInvoked: false, ...fields, ...sessionFields(this.#parts) };
  }
}

/** Returns the error of a run that pintle itself ended: at a limit, or after denials. */
export function endError(why: string): NonNullable<PromptResultFrame["error"]> {
  return { message: `The run was ended: ${why}`, retryable: false };
}

function sessionFields({ session }: RunResultsParts): Pick<RunResult, "sessionId" | "sessionFile"> {
  const { sessionId, sessionFile } = session();
  return { sessionId, ...(sessionFile !== undefined && { sessionFile }) };
}

function errorOf(messages: readonly Message[]): PromptResultFrame["error"] {
  const answer = messages.findLast((message) => message.role === "assistant");
  const { errorMessage = "The model failed", provider, model } = answer ?? {};
  // Errors that are worth another attempt were retried before the run ended.
  return { message: errorMessage, retryable: false, ...(provider && { provider }), ...(model && { model }) };
}

/** Adds usage that may lack fields: tools of others report what their own model calls used. */
function addUsage(total: Usage, usage: Partial<Usage>): void {
  for (const kind of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const) {
    total[kind] += finite(usage[kind]);
  }
  if (usage.reasoning !== undefined) total.reasoning = (total.reasoning ?? 0) + finite(usage.reasoning);
  if (usage.premiumRequests !== undefined) {
    total.premiumRequests = (total.premiumRequests ?? 0) + finite(usage.premiumRequests);
  }
  for (const kind of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) {
    total.cost[kind] += finite(usage.cost?.[kind]);
  }
}

function cutReason(reason: string): string {
  return reason.length > MAX_REASON ? cutText(reason, MAX_REASON - 1) : reason;
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
