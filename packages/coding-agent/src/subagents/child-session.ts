import type { AgentMessage } from "@pintle/agent";
import type { ImageContent } from "@pintle/ai";
import type { AgentSessionEvent, PromptResultFrame } from "@pintle/wire";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import type { Child } from "./child.ts";

/** How a run of a child ended. */
export type ChildResult = Omit<PromptResultFrame, "type" | "id" | "commandKey" | "sessionSettled">;

/** The options with which a subagent's session is opened. */
export interface ChildRequest {
  child: Child;
  agent: AgentDefinition;
  /** Names of the tools that it may use. */
  tools: readonly string[];
  /**
   * Whether it begins with nothing, with the conversation of its parent, or with its own earlier conversation, which is
   * stored in the file or only in memory.
   */
  from: "nothing" | "parent" | { file: string } | { memory: ChildSession };
  /** Its working directory, if it differs from its parent's. */
  cwd: string | undefined;
  /** The schema of its result, for its session file. */
  outputSchema: object | undefined;
}

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
  send(message: { text: string; images?: ImageContent[] | undefined }, place: "steer" | "followUp", by?: "agent"): void;
  /** Resolves when the run has ended. */
  abort(): Promise<void>;
  /** Releases what the session holds. A stored session can be opened again. */
  close(): Promise<void>;
}
