import type { Usage } from "@pintle/ai";
import type { FileSummary, SubagentProgress } from "@pintle/wire";

/** Whether a result that does not match its schema fails the task. */
export type SchemaMode = "permissive" | "strict";

/** The outcome of a result with a schema. */
export interface StructuredOutput {
  /** Who required it: the call, or the definition of the agent. */
  source: "caller" | "agent";
  mode: SchemaMode;
  /** `unavailable` if the subagent ended before it returned a result. */
  status: "valid" | "invalid" | "unavailable";
  data?: unknown;
  error?: string;
}

/** The result of one task, in the form of oh-my-pi with additions. */
export interface TaskResult {
  index: number;
  id: string;
  agent: string;
  agentSource: "bundled" | "user" | "project";
  task: string;
  exitCode: number;
  output: string;
  stderr: string;
  truncated: boolean;
  durationMs: number;
  tokens: number;
  requests: number;
  usage?: Usage;
  error?: string;
  aborted?: true;
  abortReason?: string;
  outputPath?: string;
  structuredOutput?: StructuredOutput;
  patchPath?: string;
  resolvedModel?: string;
  status: "completed" | "failed" | "aborted";
  sessionFile?: string;
  cost: number | null;
  filesChanged: FileSummary[];
}

export interface TaskDetails {
  /** The project's folder with definitions; null if there is none. */
  projectAgentsDir: string | null;
  results: TaskResult[];
  totalDurationMs: number;
  usage?: Usage;
  progress?: SubagentProgress[];
  /** Set if the subagents continue without the call. */
  async?: { state: "running"; jobId: string; jobIds: string[]; type: "task" };
}
