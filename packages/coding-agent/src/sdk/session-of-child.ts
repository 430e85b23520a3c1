import { errorText } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import type { AgentSession } from "../session/agent-session.ts";
import type { ChildResult, ChildSession } from "../subagents/child-session.ts";

/** The session of a subagent, as its parent uses it. */
export class SessionOfChild implements ChildSession {
  readonly manager: SessionManager;
  readonly #session: AgentSession;
  readonly #outputSchema: object | undefined;

  constructor(session: AgentSession, manager: SessionManager, outputSchema: object | undefined) {
    this.#session = session;
    this.manager = manager;
    this.#outputSchema = outputSchema;
  }

  get sessionFile(): string | undefined {
    return this.manager.sessionFile;
  }

  get messages() {
    return this.#session.messages;
  }

  get isRunning(): boolean {
    return this.#session.isStreaming;
  }

  get modelName(): string {
    const { provider, id } = this.#session.model;
    return `${provider}/${id}`;
  }

  subscribe(listener: (event: AgentSessionEvent) => void): void {
    this.#session.subscribe(listener);
  }

  async run(text: string, output: CheckedOutputSchema | undefined): Promise<ChildResult> {
    const { systemPrompt, tooling, prompting } = this.#session;
    this.manager.appendSessionInit({
      systemPrompt: await systemPrompt.load(),
      task: text,
      tools: tooling.view.declared.map(({ name }) => name),
      ...(this.#outputSchema && { outputSchema: this.#outputSchema }),
    });
    const result = await prompting.submitPlain(text, output).finished;
    if (!result) throw new Error("The run of the subagent could not be started");
    return result;
  }

  send(message: Parameters<ChildSession["send"]>[0], place: "steer" | "followUp", by?: "agent"): void {
    this.#session.prompting.queuePlain(message, place, by ?? "user");
  }

  abort(): Promise<void> {
    return this.#session.abort();
  }

  async close(): Promise<void> {
    try {
      await this.#session.dispose();
    } catch (error) {
      const message = `The session of a subagent was not stored completely: ${errorText(error)}`;
      this.#session.events.emit({ type: "notice", level: "error", message, source: "subagents" });
    }
  }
}
