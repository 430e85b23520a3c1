/** Parts of the contract that not every agent of the family has. A row each, with what it means. */
export const FEATURES = {
  ready: "the first line is `ready`",
  settled: "`agent_settled` follows the end of a run",
  prompt_result: "`prompt_result` ends every accepted prompt",
  parse_failures: 'a line that is no command is answered with `command: "parse"`',
  field_checks: "a field of the wrong type is refused by name",
  abort_and_prompt: "`abort_and_prompt`",
  clear_queue: "`clear_queue` gives queued messages back",
  host_tools: "tools that run in the host",
  delta_updates: "`set_update_mode` with `delta`",
  update_content: "updates carry the message so far",
  dialogs: "dialogs of extensions, loaded with `-e`",
  approvals: "tool calls that wait for `approval_response`, with the preset `ask`",
  previews: "changes that `ast_edit` stages and the host decides on",
  trust: "code of a project that waits for `trust_response`",
  branching: "`branch` or `fork`",
  paging: "`get_messages_page`",
  retry: "a failed model call is tried again, and told",
  todos: "`set_todos`",
  bash: "`bash`, the user's own commands",
} as const;

export type Feature = keyof typeof FEATURES;

/** How an agent is started for a check, and which optional parts it declares. */
export interface Profile {
  name: string;
  /** Written into the fresh home directory of each check: path → content. */
  files(modelUrl: string): Record<string, string>;
  /** Added to PATH and HOME. */
  env(home: string): Record<string, string>;
  /** Behind the command of the user. */
  args: readonly string[];
  /** Opens a stored session at the start. */
  resume(file: string): readonly string[];
  /** Where an extension of a project lies. */
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
