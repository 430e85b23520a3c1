import type { AgentEndEvent, PromptResultEvent, RpcEvent } from "../protocol.ts";
import { followRun, type OutputOf, type RunOptions } from "./run.ts";
import type { RunPlace, RunResult } from "./run-result.ts";
import type { PromptWatcher } from "./run-tracker.ts";
import { Waits } from "./waits.ts";

type Reported = Omit<PromptResultEvent, "type" | "sessionSettled">;

/** A session that is called directly instead of over a connection. */
export interface LocalSession {
  place(): RunPlace;
  /** Returns a function that unsubscribes the listener. */
  subscribe(listener: (event: { type: string }) => void): () => void;
  /** Resolves when the run is over, with undefined if no model was called. Rejects if the run cannot start. */
  prompt(message: string, options: object): Promise<Reported | undefined>;
  /** Must not reject. */
  abort(): Promise<void>;
  /** The default output schema, for prompts without one of their own. */
  outputSchema(): object | undefined;
}

export type LocalPrompt = <const S = undefined>(
  message: string,
  options?: RunOptions<S>,
) => Promise<RunResult<OutputOf<S>>>;

const HANDLED: Reported = { agentInvoked: false, status: "completed" };
const NO_OUTPUT: Reported = {
  agentInvoked: false,
  status: "error",
  error: { message: "The message was handled without the model, so there is no output", retryable: false },
};

/**
 * Returns a function that prompts the session and resolves with the same result as a client. It passes all other options to the
 * session.
 */
export function localPrompt(session: LocalSession): LocalPrompt {
  return (message, options = {}) => {
    const { images, streamingBehavior, outputSchema, signal, timeoutMs, ...others } = options;
    const parts = {
      waits: new Waits(),
      hasResults: true,
      hasOutputs: true,
      outputSchema: session.outputSchema(),
      place: () => session.place(),
      prompt: async (params: object, watcher: PromptWatcher) =>
        begin(session, { message, options: { ...others, ...params } }, watcher),
      abort: () => void session.abort(), // does not reject
    };
    const ofRun = { images, streamingBehavior, outputSchema, signal, timeoutMs };
    const given = Object.fromEntries(Object.entries(ofRun).filter(([, value]) => value !== undefined));
    return followRun(parts, given) as Promise<never>; // validated against the schema that the type is inferred from
  };
}

function begin(
  session: LocalSession,
  { message, options }: { message: string; options: { outputSchema?: unknown } },
  watcher: PromptWatcher,
): void {
  let end: AgentEndEvent | undefined;
  const forget = session.subscribe((event) => {
    if (event.type === "agent_end") end = event as AgentEndEvent; // narrowed by `type`
    watcher.onEvent(event as RpcEvent); // session events have the same shape as wire events
  });
  const owesOutput = options.outputSchema !== undefined && options.outputSchema !== false;
  void session
    .prompt(message, options)
    .then((result = owesOutput ? NO_OUTPUT : HANDLED) =>
      watcher.onEnd(end, { type: "prompt_result", ...result, sessionSettled: true }),
    )
    .catch((error: Error) => watcher.onFailure(error))
    .finally(forget);
}
