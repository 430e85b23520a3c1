/** Optional parts of the contract, one row each with its meaning. */
export const FEATURES = {
  ready: "the first line is `ready`",
  settled: "`agent_settled` follows the end of a run",
  prompt_result: "`prompt_result` ends every accepted prompt",
  parse_failures: 'a line that is not a command is answered with `command: "parse"`',
  field_checks: "a field of the wrong type is refused by name",
  abort_and_prompt: "`abort_and_prompt`",
  clear_queue: "`clear_queue` returns queued messages",
  host_tools: "tools that run in the host",
  delta_updates: "`set_update_mode` with `delta`",
  update_content: "updates carry the message so far",
  dialogs: "dialogs of extensions, loaded with `-e`",
  approvals: "tool calls that wait for `approval_response`, with the preset `ask`",
  previews: "changes that `ast_edit` stages and the host decides on",
  trust: "project code that waits for `trust_response`",
  branching: "`branch` or `fork`",
  paging: "`get_messages_page`",
  retry: "a failed model call is retried, and reported",
  todos: "`set_todos`",
  bash: "`bash`, the user's own commands",
  durations: "`tool_execution_end` reports how long the tool ran",
  tool_patterns: "`--exclude-tools` takes patterns",
  tool_changes: "`--tools` with `+name` and `-name` changes the default set",
  thinking_suffix: "`--model ID:LEVEL` sets the thinking level, including `max`",
  thinking_auto: "the thinking level `auto`",
  interrupt_mode: "`set_interrupt_mode`",
  chunks: "protocol version 2: lines over `maxFrameBytes` are sent as `rpc_chunk` frames",
  host_uris: "URI schemes that the host resolves",
  session_directories: "`open_session`",
  session_files: "`--session` creates the file it names",
  compaction_size: "`compact` answers with the new size",
} as const;

export type Feature = keyof typeof FEATURES;

/** How an agent is started for a check, and which optional parts it declares. */
export interface Profile {
  name: string;
  /** Written into the fresh home directory of each check: path → content. */
  files(modelUrl: string): Record<string, string>;
  /** Added to PATH and HOME. */
  env(home: string): Record<string, string>;
  /** Appended to the user's command. */
  args: readonly string[];
  /** Selects oh-my-pi's form of the protocol, for the rules that only its clients rely on. */
  ompArgs: readonly string[];
  /** Opens a stored session at the start. */
  resume(file: string): readonly string[];
  /** The location of a project extension. */
  projectExtension: string;
  features: readonly Feature[];
}

export const ALL_FEATURES = Object.keys(FEATURES) as Feature[];

/** One model on the check's own server, in the configuration that all agents of the family read. */
export function modelsConfig(baseUrl: string): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 1_000_000, maxTokens: 10_000 };
  const model = { id: "m", name: "m", reasoning: false, input: ["text"], cost, ...limits };
  const checked = { baseUrl, api: "openai-completions", apiKey: "none", models: [model] };
  return JSON.stringify({ providers: { checked } });
}

export const MODEL_ARGS = ["--mode", "rpc", "--provider", "checked", "--model", "m"];
