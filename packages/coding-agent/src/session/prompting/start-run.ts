import type { Agent, AgentMessage, CustomMessage } from "@pintle/agent";
import type { McpServers } from "../../mcp/mcp-servers.ts";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import type { CheckedOutputSchema } from "../../schemas/output-schema.ts";
import type { RunTrace } from "../../traces/run-trace.ts";
import type { TracePlace } from "../../traces/trace-headers.ts";
import { NO_HOOKS } from "../attached-hooks.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelState } from "../models/model-state.ts";
import type { OutputPolicy } from "../policies/output-policy.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import type { ChangeLock } from "../runs/change-lock.ts";
import type { Consent } from "../runs/consent.ts";
import type { PromptOutcome, RunController, RunOptions, Submission } from "../runs/run-controller.ts";
import type { CustomMessageInput, RunAdditions, SessionHooks } from "../session-hooks.ts";
import type { SessionSystemPrompt } from "./system-prompt.ts";

/** The prompt that a run begins with. */
export interface FirstPrompt extends PromptText {
  schema?: CheckedOutputSchema | undefined;
  /** Set if an extension's message begins the run. */
  custom?: CustomMessage;
  /** Returns the messages; called when nothing can prevent the start any more. */
  messages(): AgentMessage[];
}

export interface RunRequest extends RunOptions {
  /** The trace that the run belongs to. */
  trace?: TracePlace | undefined;
  /** Returns true if a loaded module provides the command that the text calls; then no run is prepared. */
  isCommand?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Resolves the prompt, in a session that is ready for a run. Returns undefined if an extension has handled it. */
  prompt(signal: AbortSignal): Promise<FirstPrompt | undefined>;
  /** Called when nothing can prevent the start any more, before the first event of the run. */
  onAccepted?: ((outcome: PromptOutcome) => void) | undefined;
}

export interface RunStarterParts {
  agent: Agent;
  runs: RunController;
  changeLock: ChangeLock;
  consent: Consent;
  mcp: Pick<McpServers, "beforePrompt">;
  policies: RunPolicies;
  conversation: OpenConversation;
  models: ModelState;
  systemPrompt: SessionSystemPrompt;
  output: OutputPolicy;
  trace: RunTrace;
  hooks(): SessionHooks;
  now(): number;
}

/** Starts every run of a session. */
export class RunStarter {
  readonly #parts: RunStarterParts;

  constructor(parts: RunStarterParts) {
    this.#parts = parts;
  }

  /**
   * Claims the run immediately, so that a second one is refused, and then performs the steps of its start in this
   * order.
   */
  startRun(request: RunRequest): Submission {
    const { agent, runs, mcp, policies, conversation, models, systemPrompt, output, trace } = this.#parts;
    return runs.begin(async (signal) => {
      if (await request.isCommand?.(signal)) return undefined;
      // The previous run has settled: everything that happens from here on belongs to the new one.
      trace.begin(request.trace);
      await this.ready(signal);
      await mcp.beforePrompt(signal); // the first prompt waits for the servers
      await policies.prepare();
      await systemPrompt.load();
      conversation.requireWritable();
      models.requireUsable();
      await policies.beforeRun(signal);
      const prompt = await request.prompt(signal);
      if (!prompt) {
        request.onAccepted?.("handled");
        return undefined;
      }
      const added = await this.#askExtensions(prompt);
      const createOutput = await output.prepareFor(prompt.schema);
      return () => {
        request.onAccepted?.("run");
        output.begin(createOutput, prompt.schema?.schema);
        systemPrompt.setForRun(added.systemPrompt);
        const additions = policies.onPrompt(prompt.text, agent.messages);
        for (const { directive } of additions) if (directive) agent.toolChoice.push(directive);
        const fromExtensions = added.messages.map((message) => toCustomMessage(message, this.#parts.now()));
        const before = additions.flatMap((addition) => addition.before ?? []);
        const behind = additions.flatMap((addition) => addition.behind ?? []);
        return [...before, ...prompt.messages(), ...agent.queue.takeNextTurn(), ...fromExtensions, ...behind];
      };
    }, request);
  }

  /** Resolves when no session change is in progress and the project's modules are loaded or refused. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#parts.changeLock.pass(signal);
    await this.#parts.consent.decided(signal);
  }

  /** Returns what extensions add to the run. Builds nothing for them if there are none. */
  async #askExtensions({ text, images, custom }: FirstPrompt): Promise<Omit<RunAdditions, "promptSuffix">> {
    const { systemPrompt } = this.#parts;
    const hooks = this.#parts.hooks();
    if (hooks === NO_HOOKS) return { messages: [] };
    const { promptSuffix, ...added } = await hooks.beforeRun({
      messageType: custom ? "custom" : "user",
      ...(custom && { message: structuredClone(custom) }),
      prompt: text,
      ...(images && { images }),
      // An extension may have changed the tools while it handled the input.
      systemPrompt: await systemPrompt.load(),
      systemPromptOptions: await systemPrompt.options(),
    });
    // Build the prompt again: an extension may have changed the tools, and with them the prompt.
    return promptSuffix === undefined
      ? added
      : { ...added, systemPrompt: `${await systemPrompt.load()}\n\n${promptSuffix}` };
  }
}

export function toCustomMessage(message: CustomMessageInput, timestamp: number): CustomMessage {
  return { role: "custom", ...message, attribution: "agent", timestamp };
}
