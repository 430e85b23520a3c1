import type { Agent, AgentMessage, CustomMessage, MessageQueue } from "@pintle/agent";
import { ABORTED_TEXT, type ImageContent, type UserMessage, untilAborted } from "@pintle/ai";
import type { Interruption } from "@pintle/wire";
import { SessionError } from "../../storage/session-error.ts";
import type { RunTrace } from "../../traces/run-trace.ts";
import type { TracePlace } from "../../traces/trace-headers.ts";
import { NO_HOOKS } from "../attached-hooks.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import { continuationNote } from "../runs/interruption.ts";
import type { PromptOutcome, RunController, Submission, WaitInRun } from "../runs/run-controller.ts";
import type { CustomMessageInput, InputSource, PromptText, SessionHooks } from "../session-hooks.ts";
import type { SlashCall } from "./builtin-commands.ts";
import { InputOrder } from "./input-order.ts";
import type { LostPrompt } from "./lost-prompts.ts";
import type { SessionSystemPrompt } from "./system-prompt.ts";

export interface PromptInput {
  text: string;
  images?: ImageContent[];
  /** Where the text goes when a run is active. */
  streamingBehavior?: "steer" | "followUp";
  /** Who wrote it, for extensions. */
  source?: InputSource;
  /** Called when nothing can stop the run from starting any more, or the message is queued: before its first event. */
  onAccepted?(outcome: PromptOutcome): void;
  /** Where the run belongs that it begins. */
  trace?: TracePlace | undefined;
  /** Work whose outcome the model is to see: a run of the prompt's own waits for it, in the run. Must not reject. */
  after?: WaitInRun | undefined;
}

type QueuePlace = "steer" | "followUp";

/** A prompt on its way into the queue of the run that was active when it came. */
interface QueuedPrompt {
  input: PromptInput;
  place: QueuePlace;
  runSignal: AbortSignal | undefined;
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
  policies: RunPolicies;
  systemPrompt: SessionSystemPrompt;
  trace: RunTrace;
  hooks(): SessionHooks;
  /** What a text calls that is neither an extension's nor the model's. */
  builtin(text: string): SlashCall | undefined;
  /** Skills, templates and prompts of servers that a text calls by name, with a slash in front, and resources it mentions. */
  expand(text: string, signal: AbortSignal): Promise<PromptText>;
  /** Whether a text names resources of servers. */
  mentions(text: string): boolean;
  /** While the project's modules wait for consent or load, so that more commands may come: resolves when they are there. */
  loading(): Promise<void> | undefined;
  /** Resolves when the session is not being changed, and what it loads is there. */
  ready(signal: AbortSignal): Promise<void>;
  /** What must be in order before a run may start. Throws why none can. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Of the last run. */
  interruption(): Omit<Interruption, "promptEntryId"> | undefined;
  /** Joins the conversation without a run. */
  append(message: AgentMessage): void;
  now(): number;
}

/** The way of a text into a run or a queue. */
export class Prompting {
  readonly #parts: PromptingParts;
  readonly #order = new InputOrder();
  /** For what is looked up for a queue: a run may end before it, or there is none. */
  #lookups = new AbortController();

  constructor(parts: PromptingParts) {
    this.#parts = parts;
  }

  submit(input: PromptInput): Submission {
    const { agent } = this.#parts;
    const command = this.#command(input.text);
    if (command) return runCommand(command, input);
    if (agent.isRunning && input.streamingBehavior) return this.#submitToQueue(input, input.streamingBehavior);
    if (!mayCallCommand(input.text)) return this.#begin(input);
    if (agent.isRunning && this.#parts.loading()) return this.#submitWhenLoaded(input);
    return this.#beginUnlessCommand(input);
  }

  #command(text: string): SlashCall | undefined {
    return this.#parts.hooks().command(text) ?? this.#parts.builtin(text);
  }

  /** `findCommand` is asked when it is known which commands there are; the run is not prepared for one. */
  #begin(input: PromptInput, findCommand?: (signal: AbortSignal) => Promise<boolean>): Submission {
    return this.#parts.runs.begin(async (signal) => {
      if (await findCommand?.(signal)) return undefined;
      await this.#prepare(signal, input);
      const asked = await this.#ask(input, signal);
      if (asked) return this.#start(asked, () => [this.#toUserMessage(asked)], input.onAccepted);
      input.onAccepted?.("handled");
      return undefined;
    }, input.after);
  }

  /** The prompt may have come before the module that has its command: the claimed run is given up for the command then. */
  #beginUnlessCommand(input: PromptInput): Submission {
    let command: SlashCall | undefined;
    const { started, finished } = this.#begin(input, async (signal) => {
      await this.#parts.ready(signal);
      command = signal.aborted ? undefined : this.#command(input.text);
      return command !== undefined;
    });
    const next = started.then((outcome): Submission => {
      if (command) return runCommand(command, input);
      return { started: Promise.resolve(outcome), finished };
    });
    return flattened(next);
  }

  /** A run is active, and only a command may join it without a place in its queue. */
  #submitWhenLoaded(input: PromptInput): Submission {
    return flattened(this.#loaded(this.#lookupSignal()).then(() => this.submit(input)));
  }

  /** Resolves when it is known which commands there are. Rejects when the signal fires first. */
  async #loaded(signal: AbortSignal): Promise<void> {
    const aborted = () => new SessionError("cancelled", ABORTED_TEXT);
    for (let loading = this.#parts.loading(); loading; loading = this.#parts.loading()) {
      await untilAborted(loading, signal, aborted);
    }
  }

  /** A run without a new message of the user. Throws when there is nothing to go on with. */
  continueRun({ onAccepted, after, trace }: Pick<PromptInput, "onAccepted" | "after" | "trace">): Submission {
    const { runs, agent } = this.#parts;
    if (!agent.isRunning) this.#requireUnfinished();
    return runs.begin(async (signal) => {
      await this.#prepare(signal, { trace });
      this.#requireUnfinished();
      return this.#start({ text: "" }, () => this.#continuation(), onAccepted);
    }, after);
  }

  /** Appends a prompt without a run. */
  store({ message, images, acceptedAt }: LostPrompt): void {
    this.#parts.append({ ...this.#toUserMessage({ text: message, images }), timestamp: acceptedAt });
  }

  #requireUnfinished(): void {
    if (this.#parts.interruption() || !this.#queue.isEmpty) return;
    throw new SessionError("nothing_to_continue", "There is nothing to continue: the last run came to its end");
  }

  /** Steering is taken by the run itself. */
  #continuation(): AgentMessage[] {
    const found = this.#parts.interruption();
    const content = found && continuationNote(found);
    if (content === undefined) return found || this.#queue.hasSteering ? [] : this.#queue.takeFollowUp();
    return [this.#toCustomMessage({ customType: "continue-run", content, display: false })];
  }

  /** For the next turn boundary; without a run it goes out with the next one. */
  steer(input: PromptInput): void | Promise<void> {
    return this.#enqueue(input, "steer");
  }

  /** For the moment when the run would otherwise end. */
  followUp(input: PromptInput): void | Promise<void> {
    return this.#enqueue(input, "followUp");
  }

  /** Ends the wait for whatever texts name, of those that have no place yet. Their senders hear of it. */
  giveUpLookups(): void {
    this.#lookups.abort(new SessionError("cancelled", "The message was given up before what it names was there"));
    this.#lookups = new AbortController();
  }

  /** As it is when a text comes: an abort is not meant for later ones. */
  #lookupSignal(): AbortSignal {
    const run = this.#parts.runs.signal;
    return run ? AbortSignal.any([run, this.#lookups.signal]) : this.#lookups.signal;
  }

  /** Resolves when everything that was accepted so far has its place in a queue or a run. */
  placed(): Promise<void> {
    return this.#order.settled();
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
      await this.#prepare(signal, {});
      return this.#start({ text }, () => [message]);
    });
    await started;
  }

  /** The run before has settled: what happens from here on belongs to the new one. */
  #prepare(signal: AbortSignal, { trace }: Pick<PromptInput, "trace">): Promise<void> {
    this.#parts.trace.begin(trace);
    return this.#parts.prepare(signal);
  }

  /** What extensions add to the run. Nothing is put together for them when there are none. */
  async #askBeforeRun({ text, images }: PromptText): ReturnType<SessionHooks["beforeRun"]> {
    const { systemPrompt } = this.#parts;
    const hooks = this.#parts.hooks();
    if (hooks === NO_HOOKS) return { messages: [] };
    return hooks.beforeRun({
      prompt: text,
      ...(images && { images }),
      // An extension that looked at the input may have changed the tools.
      systemPrompt: await systemPrompt.load(),
      systemPromptOptions: await systemPrompt.options(),
    });
  }

  /** The last questions before a run; what it gives takes the messages when nothing can stop it any more. */
  async #start(
    prompt: PromptText,
    own: () => AgentMessage[],
    onAccepted?: PromptInput["onAccepted"],
  ): Promise<() => AgentMessage[]> {
    const { agent, policies, systemPrompt } = this.#parts;
    const added = await this.#askBeforeRun(prompt);
    return () => {
      onAccepted?.("run");
      systemPrompt.setForRun(added.systemPrompt);
      const additions = policies.onPrompt(prompt.text, agent.messages);
      for (const { directive } of additions) if (directive) agent.toolChoice.push(directive);
      const fromExtensions = added.messages.map((message) => this.#toCustomMessage(message));
      const before = additions.flatMap((addition) => addition.before ?? []);
      const behind = additions.flatMap((addition) => addition.behind ?? []);
      return [...before, ...own(), ...this.#queue.takeNextTurn(), ...fromExtensions, ...behind];
    };
  }

  /** What extensions and the user's texts make of a prompt; undefined: an extension has dealt with it. */
  async #ask(input: PromptInput, signal: AbortSignal): Promise<PromptText | undefined> {
    const asked = await this.#parts.hooks().input(input, input.source ?? "interactive");
    if (asked.kind === "handled") return undefined;
    return this.#expand(asked.prompt, signal);
  }

  #expand(prompt: PromptText, signal: AbortSignal): PromptText | Promise<PromptText> {
    if (!this.#namesOthers(prompt.text)) return prompt;
    const expanding = this.#parts.expand(prompt.text, signal);
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
    const command = this.#parts.hooks().command(text);
    if (command) throw new SessionError("invalid_request", refusalText(command.name));
  }

  /** It may call a command of a module that is not loaded yet. */
  #isUndecided(text: string): boolean {
    return mayCallCommand(text) && this.#parts.loading() !== undefined;
  }

  /** A prompt while a run is active. It takes time only when an extension has to be asked or something to be looked up. */
  #submitToQueue(input: PromptInput, place: QueuePlace): Submission {
    const queued: QueuedPrompt = { input, place, runSignal: this.#parts.runs.signal };
    const isPlain = this.#parts.hooks() === NO_HOOKS && !this.#namesOthers(input.text);
    const signal = this.#lookupSignal();
    const placing = this.#order.add(() => (isPlain ? this.#place(queued, input) : this.#askAndPlace(queued, signal)));
    return placing instanceof Promise ? flattened(placing) : placing;
  }

  async #askAndPlace(queued: QueuedPrompt, signal: AbortSignal): Promise<Submission> {
    if (this.#isUndecided(queued.input.text)) {
      await this.#loaded(signal);
      const command = this.#command(queued.input.text);
      if (command) return runCommand(command, queued.input);
    }
    const asked = await this.#ask(queued.input, signal);
    if (asked) return this.#place(queued, asked);
    queued.input.onAccepted?.("handled");
    return { started: Promise.resolve("handled"), finished: Promise.resolve() };
  }

  /** The run may have come to its end meanwhile: then the prompt begins one, since nothing else would deliver it. */
  #place({ input, place, runSignal }: QueuedPrompt, prompt: PromptText): Submission {
    const { agent, runs } = this.#parts;
    if (!agent.isRunning && !runSignal?.aborted) {
      return runs.begin(async (signal) => {
        await this.#prepare(signal, input);
        return this.#start(prompt, () => [this.#toUserMessage(prompt)], input.onAccepted);
      }, input.after);
    }
    this.#queue[place](this.#toUserMessage(prompt));
    input.onAccepted?.("queued");
    return { started: Promise.resolve("queued"), finished: runs.settled() };
  }

  /** Something has to be looked up before the text is a message. */
  #namesOthers(text: string): boolean {
    return mayCallCommand(text) || this.#parts.mentions(text);
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

function refusalText(command: string): string {
  return `Extension command "/${command}" cannot be queued. Use prompt() or execute the command when not streaming.`;
}

function mayCallCommand(text: string): boolean {
  return text.startsWith("/");
}

/** The submission that is known later. */
function flattened(later: Promise<Submission>): Submission {
  const started = later.then((submission) => submission.started);
  const finished = later.then((submission) => submission.finished);
  for (const end of [started, finished]) end.catch(() => {}); // a caller may look at one of the two only
  return { started, finished };
}

/** Also while a run is active: it is no message, and no model is asked. */
function runCommand(command: SlashCall, { onAccepted }: PromptInput): Submission {
  const finished = command.run().then(() => onAccepted?.("handled"));
  return { started: finished.then(() => "handled"), finished };
}
