import type { AgentMessage } from "@pintle/agent";
import { errorText, type Model, type StreamModel, textsOf, type Usage } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelState } from "../models/model-state.ts";
import type { BudgetPolicy } from "../policies/budget-policy.ts";

export interface SessionTitlesParts {
  settings: Settings;
  stream: StreamModel;
  models: Pick<ModelState, "titleModel" | "accessTo">;
  host: Pick<AttachedHost, "isPresent">;
  conversation: Pick<OpenConversation, "manager" | "rename">;
  budget: Pick<BudgetPolicy, "requireRoom" | "addUsage">;
  messages(): readonly AgentMessage[];
  now(): number;
  emit(event: AgentSessionEvent): void;
}

/** How often a title is requested for a conversation, because a run may cancel the request. */
const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 30_000;

/**
 * Names a session that has no name with the model of `session.titleModel`. The request is sent between runs and cancelled when a
 * run starts, so that it never delays one. A name that was set in the meantime is kept.
 */
export class SessionTitles {
  readonly #parts: SessionTitlesParts;
  readonly #attempts = new WeakMap<SessionManager, number>();
  #request: AbortController | undefined;

  constructor(parts: SessionTitlesParts) {
    this.#parts = parts;
  }

  readonly onEvent = ({ type }: AgentSessionEvent): void => {
    if (type === "agent_start") this.cancel();
    if (type === "agent_settled") void this.#name(); // does not reject
  };

  cancel(): void {
    this.#request?.abort();
    this.#request = undefined;
  }

  async #name(): Promise<void> {
    const { settings, host, conversation, messages, emit } = this.#parts;
    const { manager } = conversation;
    const attempts = this.#attempts.get(manager) ?? 0;
    if (settings.get("session.titleModel") === undefined || !host.isPresent) return;
    if (manager.name !== undefined || manager.isReadOnly || attempts === MAX_ATTEMPTS) return;
    const prompt = firstText(messages(), "user");
    const answer = firstText(messages(), "assistant");
    if (prompt === undefined || answer === undefined) return;
    this.cancel();
    const request = new AbortController();
    this.#request = request;
    this.#attempts.set(manager, attempts + 1);
    try {
      const title = await this.#write({ prompt, answer }, manager, request.signal);
      const isStillOpen = conversation.manager === manager && manager.name === undefined && !request.signal.aborted;
      if (title !== undefined && isStillOpen) conversation.rename(title);
    } catch (error) {
      if (request.signal.aborted) return;
      this.#attempts.set(manager, MAX_ATTEMPTS); // the next attempt would fail for the same reason
      const message = `The session has no generated title: ${errorText(error)}`;
      emit({ type: "notice", level: "warning", message, source: "session.titleModel" });
    } finally {
      if (this.#request === request) this.#request = undefined;
    }
  }

  async #write(
    conversation: { prompt: string; answer: string },
    manager: SessionManager,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { models, budget, stream, now } = this.#parts;
    const model = models.titleModel();
    budget.requireRoom(model);
    const access = await models.accessTo(model);
    const { writeTitle } = await import("./write-title.ts");
    return writeTitle(conversation, {
      model,
      stream,
      options: { ...access, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) },
      now: now(),
      onUsage: (usage) => this.#record(usage, model, manager),
    });
  }

  /** Adds the call to the costs of the session. */
  #record(usage: Usage, { provider, id }: Model, manager: SessionManager): void {
    if (this.#parts.conversation.manager !== manager) return;
    this.#parts.budget.addUsage(usage);
    manager.appendModelUsage({ purpose: "title", provider, model: id, usage });
  }
}

function firstText(messages: readonly AgentMessage[], role: "user" | "assistant"): string | undefined {
  for (const message of messages) {
    if (message.role !== role) continue;
    const { content } = message;
    const text = typeof content === "string" ? content : textsOf(content).join("\n");
    if (text.trim() !== "") return text;
  }
  return undefined;
}
