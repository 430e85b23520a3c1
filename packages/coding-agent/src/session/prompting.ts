import type { Agent, AgentMessage, CustomMessage, MessageQueue } from "@pintle/agent";
import type { ImageContent, UserMessage } from "@pintle/ai";
import type { RunController, Submission } from "./run-controller.ts";
import { SessionError } from "./session-error.ts";
import type { CustomMessageInput, InputSource, PromptText, SessionHooks } from "./session-hooks.ts";
import type { SessionTodos } from "./session-todos.ts";

export interface PromptInput {
  text: string;
  images?: ImageContent[];
  /** Where the text goes when a run is active. */
  streamingBehavior?: "steer" | "followUp";
  /** Who wrote it, for extensions. */
  source?: InputSource;
  /** Called when nothing can stop the run from starting any more, or the message is queued: before its first event. */
  onAccepted?(): void;
}

export interface CustomMessageOptions {
  /** Where it goes while a run is active; `nextTurn` waits for the next prompt in any case. */
  deliverAs?: "steer" | "followUp" | "nextTurn";
  /** Without a run: the model answers it at once. */
  triggerTurn?: boolean;
}

export interface PromptingParts {
  agent: Agent;
  runs: RunController;
  todos: SessionTodos;
  hooks(): SessionHooks;
  /** Skills and templates that a text calls by name. */
  expand(text: string): Promise<string>;
  /** What must be in order before a run may start. Throws why none can. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Messages that go with the prompt. */
  reminders(): AgentMessage[];
  systemPrompt(): string;
  toolNames(): string[];
  cwd(): string;
  /** Joins the conversation without a run. */
  append(message: AgentMessage): void;
  now(): number;
}

/** The way of a text from whoever wrote it into a run or a queue. */
export class Prompting {
  readonly #parts: PromptingParts;
  #runSystemPrompt: string | undefined;

  constructor(parts: PromptingParts) {
    this.#parts = parts;
  }

  /** As the model gets it, with what extensions made of it for the newest run. */
  get systemPrompt(): string {
    return this.#runSystemPrompt ?? this.#parts.systemPrompt();
  }

  submit(input: PromptInput): Submission {
    const { runs, agent, hooks } = this.#parts;
    const command = hooks().command(input.text);
    if (command) return runCommand(command, input);
    if (agent.isRunning && input.streamingBehavior) return this.#enqueue(input);
    return runs.begin(async (signal) => {
      await this.#parts.prepare(signal);
      const asked = await hooks().input(input, input.source ?? "interactive");
      if (asked.kind === "handled") {
        input.onAccepted?.();
        return undefined;
      }
      const { text, images } = asked.prompt;
      const prompt = { text: await this.#parts.expand(text), ...(images && { images }) };
      return this.#start(prompt, () => [this.#toUserMessage(prompt)], input.onAccepted);
    });
  }

  /** For the next turn boundary; without a run it goes out with the next one. */
  steer(input: PromptInput): void {
    this.#refuseCommand(input);
    this.#queue.steer(this.#toUserMessage(input));
  }

  /** For the moment when the run would otherwise end. */
  followUp(input: PromptInput): void {
    this.#refuseCommand(input);
    this.#queue.followUp(this.#toUserMessage(input));
  }

  /** A message of an extension. Rejects when no run could be started for it. */
  async sendCustom(input: CustomMessageInput, { deliverAs, triggerTurn }: CustomMessageOptions): Promise<void> {
    const message: CustomMessage = this.#toCustomMessage(input);
    if (deliverAs === "nextTurn") this.#queue.withNextPrompt(message);
    else if (this.#parts.agent.isRunning) this.#queue[deliverAs ?? "steer"](message);
    else if (triggerTurn) await this.#runFor(message);
    else this.#parts.append(message);
  }

  async #runFor(message: CustomMessage): Promise<void> {
    const text = typeof message.content === "string" ? message.content : "";
    const { started } = this.#parts.runs.begin(async (signal) => {
      await this.#parts.prepare(signal);
      return this.#start({ text }, () => [message]);
    });
    await started;
  }

  /** The last questions before a run; what it gives takes the messages when nothing can stop it any more. */
  async #start(prompt: PromptText, own: () => AgentMessage[], onAccepted?: () => void): Promise<() => AgentMessage[]> {
    const { agent, todos, hooks, reminders } = this.#parts;
    const added = await hooks().beforeRun({
      prompt: prompt.text,
      ...(prompt.images && { images: prompt.images }),
      systemPrompt: this.#parts.systemPrompt(),
      systemPromptOptions: { cwd: this.#parts.cwd(), selectedTools: this.#parts.toolNames() },
    });
    return () => {
      onAccepted?.();
      this.#runSystemPrompt = added.systemPrompt;
      const { notes, directive } = todos.onPrompt(prompt.text, agent.messages);
      if (directive) agent.toolChoice.push(directive);
      const fromExtensions = added.messages.map((message) => this.#toCustomMessage(message));
      return [...notes, ...own(), ...this.#queue.takeNextTurn(), ...fromExtensions, ...reminders()];
    };
  }

  #enqueue(input: PromptInput): Submission {
    if (input.streamingBehavior === "steer") this.steer(input);
    else this.followUp(input);
    input.onAccepted?.();
    return { started: Promise.resolve("queued"), finished: this.#parts.runs.settled() };
  }

  #refuseCommand({ text }: PromptInput): void {
    const command = this.#parts.hooks().command(text);
    if (!command) return;
    throw new SessionError(
      "invalid_request",
      `Extension command "/${command.name}" cannot be queued. Use prompt() or execute the command when not streaming.`,
    );
  }

  get #queue(): MessageQueue {
    return this.#parts.agent.queue;
  }

  #toCustomMessage(message: CustomMessageInput): CustomMessage {
    return { role: "custom", ...message, attribution: "agent", timestamp: this.#parts.now() };
  }

  #toUserMessage({ text, images = [] }: PromptText): UserMessage {
    const texts = text === "" ? [] : [{ type: "text" as const, text }];
    return { role: "user", content: [...texts, ...images], attribution: "user", timestamp: this.#parts.now() };
  }
}

/** Also while a run is active: it is no message, and nobody waits for the model. */
function runCommand(
  command: NonNullable<ReturnType<SessionHooks["command"]>>,
  { onAccepted }: PromptInput,
): Submission {
  const finished = command.run().then(() => onAccepted?.());
  return { started: finished.then(() => "handled"), finished };
}
