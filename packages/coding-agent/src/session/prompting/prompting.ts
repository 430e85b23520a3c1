import type { Agent, AgentMessage, CustomMessage, InterruptMode, MessageQueue } from "@pintle/agent";
import { ABORTED_TEXT, type ImageContent, type UserMessage, unlessAborted, untilAborted } from "@pintle/ai";
import { SessionError, type SessionManager } from "@pintle/storage";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import type { CheckedOutputSchema } from "../../schemas/output-schema.ts";
import type { TracePlace } from "../../traces/trace-headers.ts";
import { NO_HOOKS } from "../attached-hooks.ts";
import type { OutputSchemas } from "../output/output-schemas.ts";
import type { OutputPolicy } from "../policies/output-policy.ts";
import { continuationNote, type Interruptions } from "../runs/interruption.ts";
import type { PromptOutcome, RunController, Submission, WaitInRun } from "../runs/run-controller.ts";
import type { CustomMessageInput, InputSource, SessionHooks } from "../session-hooks.ts";
import type { SlashCall } from "./builtin-commands.ts";
import { InputOrder } from "./input-order.ts";
import { type LostPrompt, type LostPrompts, missingPrompts } from "./lost-prompts.ts";
import { mayCallCommand, type SessionCommands } from "./session-commands.ts";
import { type RunStarter, toCustomMessage } from "./start-run.ts";

export interface PromptInput {
  text: string;
  images?: ImageContent[] | undefined;
  /** The queue that receives the prompt if a run is active. */
  streamingBehavior?: "steer" | "followUp" | undefined;
  /** The origin of the text, for extensions. */
  source?: InputSource;
  /** Called before the first event, when nothing can prevent the run any more or the message is queued. */
  onAccepted?: ((outcome: PromptOutcome) => void) | undefined;
  /** The trace that its run belongs to. */
  trace?: TracePlace | undefined;
  /** The schema of the output of its run; `false` overrides the default with none. */
  output?: CheckedOutputSchema | false | undefined;
  /** Ends its run after this time, including waits. */
  timeoutMs?: number | undefined;
  /** Work that a new run waits for after it has started, so that the model sees its outcome. Must not reject. */
  after?: WaitInRun | undefined;
}

type QueuePlace = "steer" | "followUp";

/** A prompt for the queue of the run that was active when it arrived. */
interface QueuedPrompt {
  input: PromptInput;
  place: QueuePlace;
  runSignal: AbortSignal | undefined;
}

export interface CustomMessageOptions {
  /** The queue while a run is active; `nextTurn` always waits for the next prompt. */
  deliverAs?: "steer" | "followUp" | "nextTurn";
  /** Starts a run for the message if none is active. */
  triggerTurn?: boolean;
}

export interface PromptingParts {
  agent: Agent;
  /** The initial mode. */
  interruptMode: InterruptMode;
  manager(): SessionManager;
  runs: RunController;
  starter: RunStarter;
  output: OutputPolicy;
  schemas: OutputSchemas;
  /** Returns the schema that the last user message was stored with. Throws SessionError if it cannot be used. */
  storedSchema(): Promise<CheckedOutputSchema | undefined>;
  hooks(): SessionHooks;
  commands: SessionCommands;
  /** Set while project modules wait for consent or load, and may add commands. Resolves when they are loaded. */
  loading(): Promise<void> | undefined;
  interruptions: Interruptions;
  /** Joins the conversation without a run. */
  append(message: AgentMessage): void;
  now(): number;
}

/** Routes a message into a run or a queue. */
export class Prompting {
  /** For this session only, like the modes of the queue; the user's settings stay as they are. */
  interruptMode: InterruptMode;
  readonly #parts: PromptingParts;
  readonly #order = new InputOrder();
  /** Aborts lookups for queued messages, which may outlast the run. */
  #lookups = new AbortController();

  constructor(parts: PromptingParts) {
    this.#parts = parts;
    this.interruptMode = parts.interruptMode;
  }

  submit(input: PromptInput): Submission {
    const { agent } = this.#parts;
    const command = this.#parts.commands.find(input.text);
    if (command) return runCommand(command, input);
    if (agent.isRunning && input.streamingBehavior) {
      refuseOwnRun(input);
      return this.#submitToQueue(input, input.streamingBehavior);
    }
    if (!mayCallCommand(input.text)) return this.#begin(input);
    if (agent.isRunning && this.#parts.loading()) return this.#submitWhenLoaded(input);
    return this.#beginUnlessCommand(input);
  }

  /** Starts a run with a message from pintle itself, without expanding commands or mentions in it. */
  submitPlain(text: string, schema: CheckedOutputSchema | undefined): Submission {
    return this.#parts.starter.startRun({
      prompt: async () => ({ text, schema, messages: () => [this.#toUserMessage({ text }, "agent")] }),
    });
  }

  /** Queues such a message for the active run. */
  queuePlain(prompt: PromptText, place: QueuePlace, by: UserMessage["attribution"]): void {
    this.#queue[place](this.#toUserMessage(prompt, by));
  }

  /** `isCommand` is called when all commands are known. */
  #begin(input: PromptInput, isCommand?: (signal: AbortSignal) => Promise<boolean>): Submission {
    const schema = this.#schemaOf(input);
    return this.#parts.starter.startRun({
      ...input,
      isCommand,
      prompt: async (signal) => {
        const asked = await this.#ask(input, signal);
        return asked && { ...asked, schema, messages: () => [this.#toUserMessage(asked)] };
      },
    });
  }

  /** Returns the schema of a prompt when it is accepted. A default that is set later applies to later prompts. */
  #schemaOf({ output }: PromptInput): CheckedOutputSchema | undefined {
    return output === undefined ? this.#parts.output.default : output || undefined;
  }

  /** Releases the claimed run if a module that loads meanwhile provides the command that the text calls. */
  #beginUnlessCommand(input: PromptInput): Submission {
    let command: SlashCall | undefined;
    const { started, finished } = this.#begin(input, async (signal) => {
      await this.#parts.starter.ready(signal);
      await unlessAborted(this.#parts.hooks().loading, signal);
      command = signal.aborted ? undefined : this.#parts.commands.find(input.text);
      return command !== undefined;
    });
    const next = started.then((outcome): Submission => {
      if (command) return runCommand(command, input);
      return { started: Promise.resolve(outcome), finished };
    });
    return flattened(next);
  }

  /** Waits for the modules: while a run is active, only a command needs no place in its queue. */
  #submitWhenLoaded(input: PromptInput): Submission {
    return flattened(this.#loaded(this.#lookupSignal()).then(() => this.submit(input)));
  }

  /** Resolves when all commands are known. Rejects if the signal fires first. */
  async #loaded(signal: AbortSignal): Promise<void> {
    const aborted = () => new SessionError("cancelled", ABORTED_TEXT);
    for (let loading = this.#parts.loading(); loading; loading = this.#parts.loading()) {
      await untilAborted(loading, signal, aborted);
    }
  }

  /** Resolves when all commands are known, even if a module that adds some has failed to load. */
  async commandsLoaded(): Promise<void> {
    for (let loading = this.#parts.loading(); loading; loading = this.#parts.loading()) {
      try {
        await loading;
      } catch {
        return; // the session reports the fault; the commands that did load are known
      }
    }
  }

  /** Starts a run without a new user message. Throws if there is nothing to continue. */
  continueRun({ onAccepted, after, trace }: Pick<PromptInput, "onAccepted" | "after" | "trace">): Submission {
    if (!this.#parts.agent.isRunning) this.#requireUnfinished();
    return this.#parts.starter.startRun({
      onAccepted,
      after,
      trace,
      prompt: async () => {
        this.#requireUnfinished();
        const schema = await this.#parts.storedSchema();
        return { text: "", schema, messages: () => this.#continuation() };
      },
    });
  }

  /** Appends prompts that an earlier process accepted and did not store. Returns the ids of their entries. */
  storePrompts(lost: LostPrompts): string[] {
    if (this.#parts.agent.isRunning)
      throw new SessionError("busy", "Prompts of an earlier process are stored before the next run");
    const manager = this.#parts.manager();
    return missingPrompts(manager, lost).map((prompt) => {
      this.#store(prompt);
      return manager.entries().at(-1)?.id ?? "";
    });
  }

  #store({ message: text, images, outputSchema, acceptedAt }: LostPrompt): void {
    const message = { ...this.#toUserMessage({ text, images }), timestamp: acceptedAt };
    this.#parts.schemas.mark(message, outputSchema);
    this.#parts.append(message);
  }

  #requireUnfinished(): void {
    if (this.#parts.interruptions.find() || !this.#queue.isEmpty) return;
    throw new SessionError("nothing_to_continue", "There is nothing to continue: the last run finished");
  }

  /** Excludes steering messages, which the run takes by itself. */
  #continuation(): AgentMessage[] {
    const found = this.#parts.interruptions.find();
    const content = found && continuationNote(found);
    if (content === undefined) return found || this.#queue.hasSteering ? [] : this.#queue.takeFollowUp();
    return [toCustomMessage({ customType: "continue-run", content, display: false }, this.#parts.now())];
  }

  /** Queues a message for the next turn boundary; if no run is active, it is sent with the next run. */
  steer(input: PromptInput): void | Promise<void> {
    return this.#enqueue(input, "steer");
  }

  /** Queues a message for the moment when the run would otherwise end. */
  followUp(input: PromptInput): void | Promise<void> {
    return this.#enqueue(input, "followUp");
  }

  /** Cancels messages that wait for a lookup and have no place yet. Their senders receive an error. */
  giveUpLookups(): void {
    this.#lookups.abort(
      new SessionError("cancelled", "The message was cancelled before the resources that it mentions were loaded"),
    );
    this.#lookups = new AbortController();
  }

  /** Returns the signal for a message that has just arrived; an abort does not affect later messages. */
  #lookupSignal(): AbortSignal {
    const run = this.#parts.runs.signal;
    return run ? AbortSignal.any([run, this.#lookups.signal]) : this.#lookups.signal;
  }

  /** Resolves when every message accepted so far is in a queue or a run. */
  placed(): Promise<void> {
    return this.#order.settled();
  }

  /** Sends a message of an extension. Rejects if no run could be started for it. */
  async sendCustom(input: CustomMessageInput, { deliverAs, triggerTurn }: CustomMessageOptions): Promise<void> {
    const message: CustomMessage = toCustomMessage(input, this.#parts.now());
    if (deliverAs === "nextTurn") this.#queue.withNextPrompt(message);
    else if (this.#parts.agent.isRunning) this.#queue[deliverAs ?? "steer"](message);
    else if (triggerTurn) await this.#runFor(message);
    else this.#parts.append(message);
  }

  async #runFor(message: CustomMessage): Promise<void> {
    const text = typeof message.content === "string" ? message.content : "";
    await this.#parts.starter.startRun({ prompt: async () => ({ text, custom: message, messages: () => [message] }) })
      .started;
  }

  /** Applies extensions and the user's templates to a prompt. Returns undefined if an extension has handled it. */
  async #ask(input: PromptInput, signal: AbortSignal): Promise<PromptText | undefined> {
    const asked = await this.#parts.hooks().input(input, input.source ?? "interactive");
    if (asked.kind === "handled") return undefined;
    return this.#expand(asked.prompt, signal);
  }

  #expand(prompt: PromptText, signal: AbortSignal): PromptText | Promise<PromptText> {
    if (!this.#parts.commands.isExpandable(prompt.text)) return prompt;
    const expanding = this.#parts.commands.expand(prompt.text, signal);
    return expanding.then(({ text, images = [] }) => ({ text, images: [...(prompt.images ?? []), ...images] }));
  }

  #enqueue({ text, images }: PromptInput, place: QueuePlace): void | Promise<void> {
    this.#refuseCommand(text);
    const signal = this.#lookupSignal();
    return this.#order.add(() => {
      const put = (sent: PromptText) => this.#queue[place](this.#toUserMessage(sent));
      const prompt = { text, ...(images && { images }) };
      const expanded = this.#isUndecided(text)
        ? this.#expandUnlessCommand(prompt, signal)
        : this.#expand(prompt, signal);
      return expanded instanceof Promise ? expanded.then(put) : put(expanded);
    });
  }

  async #expandUnlessCommand(prompt: PromptText, signal: AbortSignal): Promise<PromptText> {
    await this.#loaded(signal);
    this.#refuseCommand(prompt.text);
    return this.#expand(prompt, signal);
  }

  #refuseCommand(text: string): void {
    const command = this.#parts.commands.ofExtension(text);
    if (command) throw new SessionError("invalid_request", refusalText(command.name));
  }

  /** Whether the text may call a command of a module that is not loaded yet. */
  #isUndecided(text: string): boolean {
    return mayCallCommand(text) && this.#parts.loading() !== undefined;
  }

  /** Queues a prompt while a run is active. Waits only if an extension must be asked or something looked up. */
  #submitToQueue(input: PromptInput, place: QueuePlace): Submission {
    const queued: QueuedPrompt = { input, place, runSignal: this.#parts.runs.signal };
    const isPlain = this.#parts.hooks() === NO_HOOKS && !this.#parts.commands.isExpandable(input.text);
    const signal = this.#lookupSignal();
    const placing = this.#order.add(() => (isPlain ? this.#place(queued, input) : this.#askAndPlace(queued, signal)));
    return placing instanceof Promise ? flattened(placing) : placing;
  }

  async #askAndPlace(queued: QueuedPrompt, signal: AbortSignal): Promise<Submission> {
    if (this.#isUndecided(queued.input.text)) {
      await this.#loaded(signal);
      const command = this.#parts.commands.find(queued.input.text);
      if (command) return runCommand(command, queued.input);
    }
    const asked = await this.#ask(queued.input, signal);
    if (asked) return this.#place(queued, asked);
    queued.input.onAccepted?.("handled");
    return { started: Promise.resolve("handled"), finished: Promise.resolve(undefined) };
  }

  /** Starts a run if the active one has ended in the meantime, because nothing else would deliver the prompt. */
  #place({ input, place, runSignal }: QueuedPrompt, prompt: PromptText): Submission {
    const { agent, runs } = this.#parts;
    if (!agent.isRunning && !runSignal?.aborted) {
      const schema = this.#schemaOf(input);
      return this.#parts.starter.startRun({
        ...input,
        prompt: async () => ({ ...prompt, schema, messages: () => [this.#toUserMessage(prompt)] }),
      });
    }
    this.#queue[place](this.#toUserMessage(prompt));
    input.onAccepted?.("queued");
    return { started: Promise.resolve("queued"), finished: runs.result() };
  }

  get #queue(): MessageQueue {
    return this.#parts.agent.queue;
  }

  #toUserMessage({ text, images = [] }: PromptText, attribution: UserMessage["attribution"] = "user"): UserMessage {
    const texts = text === "" ? [] : [{ type: "text" as const, text }];
    return { role: "user", content: [...texts, ...images], attribution, timestamp: this.#parts.now() };
  }
}

/** Throws if a queued message sets what only the prompt that starts a run can set. */
function refuseOwnRun({ output, timeoutMs }: PromptInput): void {
  const field = output !== undefined ? "outputSchema" : timeoutMs !== undefined ? "timeoutMs" : undefined;
  if (field === undefined) return;
  const text = `${field} cannot be set on a message for the active run: it belongs to the prompt that started the run`;
  throw new SessionError("invalid_request", text);
}

function refusalText(command: string): string {
  return `Extension command "/${command}" cannot be queued. Use prompt() or execute the command when not streaming.`;
}

/** Returns a submission whose details are known later. */
function flattened(later: Promise<Submission>): Submission {
  const started = later.then((submission) => submission.started);
  const finished = later.then((submission) => submission.finished);
  for (const end of [started, finished]) end.catch(() => {}); // a caller may use only one of the two
  return { started, finished };
}

/** Runs a command, even while a run is active: it is not a message and needs no model. */
function runCommand(command: SlashCall, { onAccepted }: PromptInput): Submission {
  const finished = command.run().then(() => {
    onAccepted?.("handled");
    return undefined;
  });
  return { started: finished.then(() => "handled"), finished };
}
