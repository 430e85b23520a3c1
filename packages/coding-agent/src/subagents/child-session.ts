import type { AgentMessage } from "@pintle/agent";
import type { ImageContent } from "@pintle/ai";
import type { AgentSessionEvent, PromptResultFrame } from "@pintle/wire";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";

/** How a run of a child ended. */
export type ChildResult = Omit<PromptResultFrame, "type" | "id" | "commandKey" | "sessionSettled">;

/** The session of a subagent, as its parent uses it. */
export interface ChildSession {
  /** Undefined if the session is only in memory. */
  readonly sessionFile: string | undefined;
  readonly messages: readonly AgentMessage[];
  readonly isRunning: boolean;
  /** `provider/id` of its model. */
  readonly modelName: string;
  subscribe(listener: (event: AgentSessionEvent) => void): void;
  /** Resolves when the run is over. Rejects if none could be started. */
  run(text: string, output: CheckedOutputSchema | undefined): Promise<ChildResult>;
  /** Queues a message for the active run. */
  send(message: { text: string; images?: ImageContent[] | undefined }, place: "steer" | "followUp"): void;
  /** Resolves when the run has ended; `why` is a clause. */
  abort(why?: string): Promise<void>;
  /** Releases what the session holds. A stored session can be opened again. */
  close(): Promise<void>;
}
