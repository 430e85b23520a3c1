import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { type CommandName, commands } from "@pintle/wire";
import { knownProviders } from "../../../ai/src/providers/known-providers.ts";
import { CHAT, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startWithLostKey } from "../support/scenarios/lost-key.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

/** Commands that have their own scenario tests. */
type Elsewhere = "compact" | "set_auto_compaction" | "set_todos" | "export_html";

interface Exchange {
  params?: object | ((rpc: RpcChild) => Promise<object>);
  answer: object;
}

/** A model of the catalogue for which there is no key here. */
const LOCKED_MODEL = knownProviders.find(({ id }) => id === "openai")?.defaultModel;

const ok = (data?: unknown) => ({ success: true, ...(data !== undefined && { data }) });
const no = (error: string, code = "invalid_request") => ({ success: false, error, code });
const tool = (more: object = {}) => ({ name: "T", description: "d", parameters: { type: "object" }, ...more });
const png = { type: "image", data: "AAAA", mimeType: "image/png" };
const anything = expect.anything();

const inputFaults = (command: string): Exchange[] => [
  { params: {}, answer: no(`Invalid ${command}: message must be a string`) },
  { params: { message: 7 }, answer: no(`Invalid ${command}: message must be a string`) },
  { params: { message: "" }, answer: no(`Invalid ${command}: message must be a non-empty string`) },
  { params: { message: "", images: [] }, answer: no(`Invalid ${command}: message must be a non-empty string`) },
  { params: { message: "a", images: {} }, answer: no(`Invalid ${command}: images must be an array`) },
  {
    params: { message: "a", images: [png, { ...png, data: "" }] },
    answer: no(`Invalid ${command}: images[1].data must be base64 text without a data: prefix`),
  },
  {
    params: { message: "a", images: [{ ...png, mimeType: "text/plain" }] },
    answer: no(`Invalid ${command}: images[0].mimeType must be an image/* type`),
  },
];
const modeFaults = (command: string, words: string): Exchange[] => [
  { answer: no(`Invalid ${command}: mode must be one of ${words}`) },
  { params: { mode: "ALL" }, answer: no(`Invalid ${command}: mode must be one of ${words}`) },
];
const badTool = (fields: object, error: string): Exchange => ({ params: { tools: [fields] }, answer: no(error) });
const firstMessage = async (rpc: RpcChild) => (await rpc.call("get_branch_messages")).data.messages[0];
const sessionFile = async (rpc: RpcChild) => (await rpc.call("get_state")).data.sessionFile;
const branch: Exchange[] = [
  { answer: no("Invalid NAME: entryId must be a string") },
  { params: { entryId: "none" }, answer: no("Invalid entry ID for branching") },
  { params: firstMessage, answer: ok({ text: "first prompt", cancelled: false }) },
];
const named = (command: string, exchanges: Exchange[]) =>
  JSON.parse(JSON.stringify(exchanges.map(({ answer }) => answer)).replaceAll("NAME", command)).map(
    (answer: object, index: number) => ({ ...exchanges[index], answer }),
  ) as Exchange[];
const branchMessages: Exchange[] = [{ answer: ok({ messages: [{ entryId: anything, text: "first prompt" }] }) }];

/** Run in order, in an idle session that contains one prompt and its answer. */
const ROWS: Record<Exclude<CommandName, Elsewhere>, Exchange[]> = {
  prompt: [
    ...inputFaults("prompt"),
    {
      params: { message: "a", streamingBehavior: "later" },
      answer: no("Invalid prompt: streamingBehavior must be one of steer, followUp"),
    },
    { params: { message: "a", timeoutMs: 0 }, answer: no("Invalid prompt: timeoutMs must be between 1 and 86400000") },
    {
      params: { message: "a", outputSchema: { $ref: "https://example.com/s.json" } },
      answer: no("Invalid outputSchema: /$ref must be a reference into the same schema, such as #/$defs/name"),
    },
    { params: { message: "a", images: null, streamingBehavior: null }, answer: ok() },
  ],
  steer: [...inputFaults("steer"), { params: { message: "a", images: [png] }, answer: ok() }],
  follow_up: [...inputFaults("follow_up"), { params: { message: "", images: [png] }, answer: ok() }],
  set_output_schema: [
    { params: { schema: true }, answer: no("Invalid schema: the schema must be an object") },
    {
      params: { schema: { properties: { a: { type: "text" } } } },
      answer: no("Invalid schema: /properties/a/type must be the name of a JSON type, or a list of them"),
    },
    { params: { schema: { type: "object" } }, answer: ok({ outputSchema: { type: "object" } }) },
    { answer: ok({ outputSchema: null }) },
  ],
  abort: [{ answer: ok() }],
  abort_and_prompt: [...inputFaults("abort_and_prompt"), { params: { message: "a" }, answer: ok() }],
  store_prompts: [
    {
      params: { prompts: [{ message: "a" }] },
      answer: no("Invalid store_prompts: prompts[0].acceptedAt must be a number"),
    },
    { params: { prompts: [] }, answer: ok({ entryIds: [] }) },
    // The prompt of the session was stored after it was accepted; the other was not.
    {
      params: {
        prompts: [
          { message: "first prompt", acceptedAt: 0 },
          { message: "another", acceptedAt: 0 },
        ],
      },
      answer: ok({ entryIds: [expect.any(String)] }),
    },
  ],
  confirm_lease: [
    { params: { ms: 0 }, answer: no("Invalid confirm_lease: ms must be between 1 and 2147483647") },
    { params: { ms: 60_000 }, answer: ok() },
  ],
  clear_queue: [{ answer: ok({ steering: [], followUp: [] }) }],
  continue_run: [
    { answer: no("There is nothing to continue: the last run finished", "nothing_to_continue") },
    {
      params: async (rpc) => {
        await rpc.call("follow_up", { message: "later" });
        return {};
      },
      answer: ok(),
    },
  ],
  remove_queued: [
    { answer: no("Invalid remove_queued: queueId must be a string") },
    { params: { queueId: "none" }, answer: no("No message with this id is queued: none", "not_found") },
    {
      params: async (rpc) => {
        await rpc.call("follow_up", { message: "later" });
        const { followUpIds } = (await rpc.call("get_state")).data.queue;
        return { queueId: followUpIds[0] };
      },
      answer: ok({ queue: "followUp", text: "later" }),
    },
  ],

  new_session: [
    { params: { parentSession: 7 }, answer: no("Invalid new_session: parentSession must be a string") },
    { params: { parentSession: "/need/not/exist.jsonl" }, answer: ok({ cancelled: false }) },
  ],
  switch_session: [
    { answer: no("Invalid switch_session: sessionPath must be a string") },
    {
      params: { sessionPath: "/no/such.jsonl" },
      answer: no("Session file not found: /no/such.jsonl", "not_found"),
    },
    {
      params: { sessionPath: "broken.jsonl" },
      answer: no('Cannot open session "PLACE/broken.jsonl": header is missing or malformed'),
    },
    { params: async (rpc) => ({ sessionPath: await sessionFile(rpc) }), answer: ok({ cancelled: false }) },
  ],
  branch: named("branch", branch),
  fork: named("fork", branch),
  clone: [
    { answer: ok({ cancelled: false }) },
    {
      params: async (rpc) => {
        await rpc.call("new_session");
        return {};
      },
      answer: no("Cannot clone session: no current entry selected"),
    },
  ],
  set_session_name: [
    { answer: no("Invalid set_session_name: name must be a string") },
    { params: { name: " \u0000\n " }, answer: no("Session name cannot be empty") },
    { params: { name: "a  name" }, answer: ok() },
  ],
  move_leaf: [
    { answer: no("Invalid move_leaf: entryId must be a string") },
    { params: { entryId: "none" }, answer: no("Entry not found: none", "not_found") },
    { params: firstMessage, answer: ok({ cancelled: false, leafId: expect.any(String), text: "first prompt" }) },
  ],
  rename_session: [
    { answer: no("Invalid rename_session: name must be a string") },
    {
      params: { name: "n", sessionId: "a", sessionPath: "b" },
      answer: no("Invalid rename_session: sessionPath must be left out when sessionId is given"),
    },
    { params: { name: "n", sessionId: "../x" }, answer: no("Session not found: ../x", "not_found") },
    { params: { name: " " }, answer: no("Session name cannot be empty") },
    { params: { name: "n" }, answer: ok({ sessionId: expect.any(String), sessionFile: expect.any(String) }) },
  ],
  get_checkpoints: [
    { params: { limit: 0 }, answer: no("Invalid get_checkpoints: limit must be at least 1") },
    { answer: ok({ checkpoints: [] }) },
  ],
  get_changes: [
    { params: { files: [] }, answer: no("Invalid get_changes: files must be absent or a non-empty list") },
    { params: { since: "none" }, answer: no("No checkpoint or entry: none", "not_found") },
    { params: { files: ["a.txt"] }, answer: no("No change of the session in a.txt") },
    { answer: ok({ files: [], added: 0, removed: 0, coverage: "tools", warnings: [] }) },
  ],
  rewind_files: [
    { params: { files: [] }, answer: no("Invalid rewind_files: files must be absent or a non-empty list") },
    { params: { files: ["../a"] }, answer: no('Invalid rewind_files: files must be without "..": ../a') },
    { params: { hunks: [] }, answer: no("Invalid rewind_files: hunks must be absent or a non-empty list") },
    {
      params: { onConflict: "force" },
      answer: no("Invalid rewind_files: onConflict must be one of refuse, skip, merge, keep_both"),
    },
    { params: { to: "none" }, answer: no("No checkpoint or entry to rewind to: none", "not_found") },
    { answer: no("Nothing to undo", "not_found") },
  ],
  redo_files: [
    { params: { rewindId: "rw_none" }, answer: no("No rewind to redo: rw_none", "not_found") },
    { answer: no("Nothing to redo", "not_found") },
  ],
  delete_session: [
    { answer: no("Invalid delete_session: sessionId must be given, or sessionPath") },
    { params: { sessionId: "none" }, answer: no("Session not found: none", "not_found") },
    {
      params: { sessionPath: "broken.jsonl" },
      answer: no("Session file not found: PLACE/broken.jsonl", "not_found"),
    },
    {
      params: async (rpc) => ({ sessionPath: await sessionFile(rpc) }),
      answer: no("The session is open here: open another one first", "busy"),
    },
  ],
  restore_session: [
    { answer: no("Invalid restore_session: sessionId must be a string") },
    { params: { sessionId: "none" }, answer: no("Deleted session not found: none", "not_found") },
  ],

  get_state: [
    { answer: ok(expect.objectContaining({ isStreaming: false, messageCount: 2, queuedMessageCount: 0 })) },
    { params: { brief: true }, answer: ok(expect.not.objectContaining({ systemPrompt: anything })) },
  ],
  get_messages: [
    {
      answer: ok({
        messages: [expect.objectContaining({ role: "user" }), expect.objectContaining({ role: "assistant" })],
      }),
    },
  ],
  get_messages_page: [
    { params: { limit: 0 }, answer: no("Invalid get_messages_page: limit must be between 1 and 256") },
    { params: { limit: 257 }, answer: no("Invalid get_messages_page: limit must be between 1 and 256") },
    { params: { limit: 1.5 }, answer: no("Invalid get_messages_page: limit must be an integer") },
    { params: { cursor: "x" }, answer: no("Invalid get_messages_page: cursor must come from an earlier page") },
    { params: { limit: 2, cursor: null }, answer: ok({ messages: [anything, anything], totalMessages: 2 }) },
    { params: { limit: 1 }, answer: ok({ messages: [anything], totalMessages: 2, nextCursor: expect.any(String) }) },
    {
      params: async (rpc) => {
        const { nextCursor } = (await rpc.call("get_messages_page", { limit: 1 })).data;
        await rpc.call("bash", { command: "true" });
        return { cursor: nextCursor };
      },
      answer: no("The history has changed; start again without a cursor", "stale_cursor"),
    },
  ],
  get_last_assistant_text: [
    { answer: ok({ text: "first answer" }) },
    {
      params: async (rpc) => {
        await rpc.call("new_session");
        return {};
      },
      answer: ok({ text: null }),
    },
  ],
  get_session_stats: [
    { answer: ok(expect.objectContaining({ userMessages: 1, assistantMessages: 1, totalMessages: 2, cost: 0 })) },
  ],
  get_branch_messages: branchMessages,
  get_fork_messages: branchMessages,
  get_entries: [
    { params: { since: "none" }, answer: no("Entry not found: none", "not_found") },
    {
      params: async (rpc) => ({ since: (await rpc.call("get_entries")).data.leafId }),
      answer: ok({ entries: [], leafId: expect.any(String) }),
    },
    { params: { limit: 0 }, answer: no("Invalid get_entries: limit must be between 1 and 256") },
    { params: { before: "none" }, answer: no("Entry not found: none", "not_found") },
    {
      params: async (rpc) => ({ before: (await rpc.call("get_entries")).data.entries[1].id, limit: 2 }),
      answer: ok({ entries: [expect.any(Object)], leafId: expect.any(String), first: 0 }),
    },
    {
      params: { limit: 1 },
      answer: ok({ entries: [expect.any(Object)], leafId: expect.any(String), first: expect.any(Number) }),
    },
  ],
  list_sessions: [
    { params: { limit: 0 }, answer: no("Invalid list_sessions: limit must be between 1 and 256") },
    { params: { cursor: "x" }, answer: no("Invalid list_sessions: cursor must come from an earlier page") },
    { params: { status: "gone" }, answer: no(expect.stringContaining("Invalid list_sessions: status")) },
    { params: { query: "no such words" }, answer: ok({ sessions: [] }) },
  ],
  complete_path: [
    { answer: no("Invalid complete_path: query must be a string") },
    { params: { query: "a", limit: 0 }, answer: no("Invalid complete_path: limit must be between 1 and 256") },
    {
      params: { query: "broken", limit: 1 },
      answer: ok({ paths: [{ path: "broken.jsonl", isDirectory: false }], isComplete: true }),
    },
  ],
  get_settings: [
    {
      answer: ok({
        settings: expect.arrayContaining([
          { key: "steeringMode", value: "one-at-a-time", source: "default", meaning: expect.any(String) },
        ]),
      }),
    },
  ],
  get_tree: [{ answer: ok({ tree: [anything], leafId: expect.any(String) }) }],

  set_model: [
    { answer: no("Invalid set_model: provider must be a string") },
    { params: { provider: "local", modelId: "M" }, answer: no("Model not found: local/M", "not_found") },
    {
      params: { provider: "openai", modelId: LOCKED_MODEL },
      answer: no(`No API key for openai/${LOCKED_MODEL}`, "no_credentials"),
    },
    {
      params: { provider: "local", modelId: "m" },
      answer: ok(expect.objectContaining({ provider: "local", id: "m" })),
    },
  ],
  cycle_model: [
    { answer: ok({ model: expect.objectContaining({ id: "thinker" }), thinkingLevel: "off", isScoped: false }) },
    { answer: ok({ model: expect.objectContaining({ id: "m" }), thinkingLevel: "off", isScoped: false }) },
  ],
  get_available_models: [
    {
      answer: ok({
        models: ["m", "thinker", "offline"].map((id) => expect.objectContaining({ id })),
      }),
    },
  ],
  set_api_key: [
    { answer: no("Invalid set_api_key: provider must be the name of a provider") },
    {
      params: { provider: "../x", key: "k" },
      answer: no("Invalid set_api_key: provider must be the name of a provider"),
    },
    { params: { provider: "openai", key: " " }, answer: no("Invalid set_api_key: key must be a non-empty string") },
    {
      params: { provider: "openai", key: "!echo key" },
      answer: no("A key that starts with ! or is the name of a variable would be read as a command or a reference"),
    },
    { params: { provider: "openai", key: "sk-0123456789abcdef" }, answer: ok() },
  ],
  remove_api_key: [
    { params: { provider: "openai" }, answer: no("No key for openai is stored", "not_found") },
    {
      params: async (rpc) => {
        await rpc.call("set_api_key", { provider: "openai", key: "sk-0123456789abcdef" });
        return { provider: "openai" };
      },
      answer: ok(),
    },
  ],
  set_thinking_level: [
    {
      params: { level: "ultra" },
      answer: no("Invalid set_thinking_level: level must be one of off, minimal, low, medium, high, xhigh, max, auto"),
    },
    { params: { level: "high" }, answer: ok() },
  ],
  cycle_thinking_level: [
    { answer: ok(null) },
    {
      params: async (rpc) => {
        await rpc.call("set_model", { provider: "local", modelId: "thinker" });
        await rpc.call("set_thinking_level", { level: "high" });
        return {};
      },
      answer: ok({ level: "off" }),
    },
  ],
  get_available_thinking_levels: [{ answer: ok({ levels: ["off"] }) }],

  set_steering_mode: [
    ...modeFaults("set_steering_mode", "all, one-at-a-time"),
    { params: { mode: "all" }, answer: ok() },
  ],
  set_follow_up_mode: [
    ...modeFaults("set_follow_up_mode", "all, one-at-a-time"),
    { params: { mode: "all" }, answer: ok() },
  ],
  set_interrupt_mode: [
    ...modeFaults("set_interrupt_mode", "immediate, wait"),
    { params: { mode: "wait" }, answer: ok() },
  ],
  set_update_mode: [...modeFaults("set_update_mode", "full, delta"), { params: { mode: "delta" }, answer: ok() }],

  set_event_filter: [
    { params: { events: "agent_end" }, answer: no("Invalid set_event_filter: events must be an array") },
    { params: { events: [""] }, answer: no("Invalid set_event_filter: events[0] must be the type of an event") },
    { params: { events: ["agent_end", "agent_end"] }, answer: ok({ events: ["agent_end"] }) },
    { params: { events: null }, answer: ok({ events: null }) },
  ],
  ping: [{ answer: ok() }],
  negotiate_protocol: [{ params: { protocolVersion: 2 }, answer: ok({ protocolVersion: 1 }) }],
  get_login_providers: [{ answer: ok({ providers: [] }) }],
  get_subagents: [{ answer: ok({ subagents: [] }) }, { params: { all: true }, answer: ok({ subagents: [] }) }],
  set_subagent_subscription: [
    {
      params: { level: "all" },
      answer: no("Invalid set_subagent_subscription: level must be one of off, progress, events"),
    },
    { params: { level: "events" }, answer: ok({ level: "events" }) },
    { params: { level: "off" }, answer: ok({ level: "off" }) },
  ],
  get_subagent_messages: [
    { answer: no("get_subagent_messages requires subagentId or sessionFile") },
    {
      params: { subagentId: "none" },
      answer: no("Unknown subagent or session file unavailable: none", "not_found"),
    },
    {
      params: { subagentId: "../../etc/passwd" },
      answer: no("Unknown subagent or session file unavailable: ../../etc/passwd", "not_found"),
    },
    { params: { sessionFile: "/etc/passwd" }, answer: no("Unknown subagent session file", "not_found") },
    {
      params: async (rpc) => ({ sessionFile: await sessionFile(rpc) }),
      answer: no("Unknown subagent session file", "not_found"),
    },
    {
      params: { subagentId: "a", fromByte: -1 },
      answer: no("Invalid get_subagent_messages: fromByte must be 0 or more"),
    },
  ],
  get_agents: [
    {
      answer: ok({
        agents: ["task", "scout", "reviewer"].map((name) => expect.objectContaining({ name, source: "bundled" })),
      }),
    },
  ],
  abort_subagent: [
    { answer: no("Invalid abort_subagent: subagentId must be the `id` of a subagent") },
    { params: { subagentId: "none" }, answer: no("Unknown subagent: none", "not_found") },
  ],
  prompt_subagent: [
    {
      params: { subagentId: "none", message: "" },
      answer: no("Invalid prompt_subagent: message must be a non-empty string"),
    },
    { params: { subagentId: "none", message: "a" }, answer: no("Unknown subagent: none", "not_found") },
  ],
  set_host_uri_schemes: [
    { params: { schemes: [] }, answer: ok({ schemes: [] }) },
    { params: { schemes: [{ scheme: "db" }] }, answer: ok({ schemes: [], notSupported: expect.any(String) }) },
  ],
  set_fast_mode: [
    { params: { enabled: false }, answer: ok({ enabled: false, active: false }) },
    { params: { enabled: true }, answer: ok({ enabled: false, active: false, notSupported: expect.any(String) }) },
  ],
  login: [
    { params: { providerId: "nowhere" }, answer: no("Unknown provider: nowhere", "not_found") },
    {
      params: { providerId: "openai" },
      answer: no(
        "openai has no login flow in pintle: set its key with set_api_key, in auth.json or in the environment",
        "not_supported",
      ),
    },
  ],
  handoff: [
    {
      params: { customInstructions: "x".repeat(20_001) },
      answer: no("Invalid handoff: customInstructions must be a string of at most 20000 characters"),
    },
    { answer: ok({}) },
  ],
  open_session: [
    { answer: no("Invalid open_session: sessionDir must be the path of a directory") },
    {
      params: { sessionDir: "other sessions" },
      answer: ok({ cancelled: false, resumed: false, sessionId: expect.any(String), sessionFile: expect.any(String) }),
    },
  ],

  set_host_tools: [
    { params: { tools: {} }, answer: no("Invalid set_host_tools: tools must be an array") },
    badTool({}, "Host tool at index 0 must provide a non-empty name"),
    badTool(tool({ name: " " }), "Host tool at index 0 must provide a non-empty name"),
    badTool(tool({ description: " " }), 'Host tool "T" must provide a non-empty description'),
    badTool(tool({ parameters: [] }), 'Host tool "T" must provide a JSON Schema object'),
    { params: { tools: [tool(), tool()] }, answer: no("RPC host tool names must be unique") },
    badTool(tool({ name: "resolve" }), 'RPC host tool "resolve" conflicts with an existing tool'),
    badTool(
      tool({ parameters: { type: "nonsense" } }),
      'Host tool "T" has an invalid JSON Schema: unknown type "nonsense" at /type',
    ),
    {
      params: { tools: [tool({ name: " Mixed_Case " }), tool({ hidden: true })] },
      answer: ok({ toolNames: ["Mixed_Case", "T"] }),
    },
    { params: { tools: [] }, answer: ok({ toolNames: [] }) },
  ],
  set_host_capabilities: [
    { params: { ui: "yes" }, answer: no("Invalid set_host_capabilities: ui must be a boolean") },
    {
      answer: ok({
        ui: true,
        trust: false,
        resolvePreviews: false,
        approvals: false,
        budgets: false,
        fs: false,
        terminal: false,
        mcpAuth: false,
        asyncWork: false,
      }),
    },
    {
      params: { ui: false, trust: null },
      answer: ok({
        ui: false,
        trust: false,
        resolvePreviews: false,
        approvals: false,
        budgets: false,
        fs: false,
        terminal: false,
        mcpAuth: false,
        asyncWork: false,
      }),
    },
    {
      params: { resolvePreviews: true },
      answer: ok({
        ui: false,
        trust: false,
        resolvePreviews: true,
        approvals: false,
        budgets: false,
        fs: false,
        terminal: false,
        mcpAuth: false,
        asyncWork: false,
      }),
    },
  ],
  set_policy: [
    { answer: no("Invalid set_policy: rules must be an array") },
    { params: { rules: [{ effect: "maybe" }] }, answer: no("rule 1: effect must be allow, ask, deny") },
    {
      params: { rules: [{ effect: "deny", tools: "x" }] },
      answer: no("rule 1 has the unknown field tools; did you mean tool?"),
    },
    {
      params: { rules: [{ effect: "deny", command: "'x" }] },
      answer: no('rule 1: Unbalanced quotes in the command pattern "\'x".'),
    },
    { params: { rules: [{ effect: "deny", path: "src/[" }] }, answer: no("rule 1: path has an open bracket") },
    { params: { rules: [{ effect: "deny", command: "curl *" }] }, answer: ok() },
  ],
  get_policy: [{ answer: ok({ mode: "full", rules: [] }) }],
  set_permission_mode: [
    {
      params: { mode: "yolo" },
      answer: no("Invalid set_permission_mode: mode must be one of plan, ask, workspace, full"),
    },
    { params: { mode: "full" }, answer: ok() },
  ],
  set_sandbox_mode: [
    {
      params: { mode: "yolo" },
      answer: no("Invalid set_sandbox_mode: mode must be one of auto, off, workspace-write, read-only"),
    },
    { params: { mode: "off" }, answer: ok() },
  ],
  set_budget: [
    { params: { costUsd: "2" }, answer: no("Invalid set_budget: costUsd must be a number") },
    { params: { turns: 1.5 }, answer: no("Invalid set_budget: turns must be an integer") },
    { params: { turns: 0 }, answer: no("turns must be an integer above 0") },
    { params: { turns: 1, scope: "day" }, answer: no("Invalid set_budget: scope must be one of run, session") },
    { params: { turns: 1, onReached: "cry" }, answer: no("Invalid set_budget: onReached must be one of pause, stop") },
    {
      params: { turns: 5, scope: "session", onReached: "stop" },
      answer: ok(
        expect.objectContaining({
          scope: "session",
          onReached: "stop",
          used: expect.objectContaining({ turns: 1, toolCalls: 0 }),
          left: { turns: 4 },
        }),
      ),
    },
    { answer: ok(null) },
  ],
  raise_budget: [
    { params: { turns: 5 }, answer: no("There is no budget to raise") },
    {
      params: async (rpc) => {
        await rpc.call("set_budget", { turns: 5 });
        return { turns: 4 };
      },
      answer: no("turns must be at least 5"),
    },
    { params: { tokens: 4 }, answer: no("The budget has no limit tokens") },
    { answer: no("No new limit is given") },
    { params: { turns: 6 }, answer: ok(expect.objectContaining({ scope: "run", left: { turns: 5 } })) },
  ],
  get_pending: [{ answer: ok({ pending: [] }) }],
  get_pending_actions: [{ answer: ok({ actions: [] }) }],
  resolve_pending_action: [
    { answer: no("Invalid resolve_pending_action: action must be one of apply, discard") },
    {
      params: { action: "apply", hunks: [] },
      answer: no("Invalid resolve_pending_action: hunks must be a list of at least one hunk"),
    },
    {
      params: { action: "apply", hunks: [1] },
      answer: no("Invalid resolve_pending_action: hunks[0] must be a string"),
    },
    {
      params: { action: "apply", edits: [{ path: "a" }] },
      answer: no("Invalid resolve_pending_action: edits[0].content must be a string"),
    },
    {
      params: { action: "discard", edits: [{ path: "a", content: "" }] },
      answer: no("Invalid resolve_pending_action: edits must be left out when the preview is discarded"),
    },
    {
      params: { action: "discard", files: ["a"] },
      answer: no("Invalid resolve_pending_action: files must be left out when the preview is discarded"),
    },
    {
      params: { action: "apply", files: [] },
      answer: no("Invalid resolve_pending_action: files must be a list of at least one file"),
    },
    {
      params: { action: "apply" },
      answer: no("No pending action to resolve. Nothing to apply or discard.", "not_found"),
    },
    { params: { action: "discard", actionId: "a7" }, answer: no("Pending action not found: a7", "not_found") },
  ],
  get_pending_file: [
    { answer: no("Invalid get_pending_file: path must be a string") },
    {
      params: { path: "a" },
      answer: no("No pending action to resolve. Nothing to apply or discard.", "not_found"),
    },
    { params: { path: "a", actionId: "a7" }, answer: no("Pending action not found: a7", "not_found") },
  ],

  set_auto_retry: [
    { params: { enabled: "true" }, answer: no("Invalid set_auto_retry: enabled must be a boolean") },
    { params: { enabled: false }, answer: ok() },
  ],
  abort_retry: [{ answer: ok() }],
  bash: [
    { answer: no("Invalid bash: command must be a string") },
    { params: { command: " \n" }, answer: no("Invalid bash: command must be a non-empty string") },
    {
      params: { command: "echo out; echo err >&2; exit 3" },
      answer: ok(expect.objectContaining({ output: "out\nerr\n", exitCode: 3, cancelled: false, truncated: false })),
    },
  ],
  abort_bash: [{ answer: ok() }],
  get_async_jobs: [
    { answer: ok({ jobs: [] }) },
    { params: { all: 1 }, answer: no("Invalid get_async_jobs: all must be a boolean") },
  ],
  get_async_job_output: [
    { params: { jobId: "bg_7" }, answer: no("Unknown job: bg_7", "not_found") },
    {
      params: { jobId: "bg_7", maxBytes: 0 },
      answer: no("Invalid get_async_job_output: maxBytes must be an integer from 1 to 1048576"),
    },
  ],
  cancel_async_job: [{ params: { jobId: "bg_7" }, answer: no("Unknown job: bg_7", "not_found") }],
  background_tool_call: [
    { answer: no("Async work is off: declare asyncWork, or set async.enabled", "invalid_request") },
  ],
  get_available_commands: [{ answer: ok({ commands: expect.any(Array) }) }],
  get_mcp_status: [{ answer: ok({ servers: [] }) }],
  set_mcp_servers: [
    { params: { servers: {} }, answer: no("Invalid set_mcp_servers: servers must be an array") },
    { params: { servers: [7] }, answer: no("MCP server 1 must be an object") },
    {
      params: { servers: [{ name: "a b", command: "x" }] },
      answer: no('MCP server 1 "a b" needs a name of letters, digits, _ . and -'),
    },
    {
      params: { servers: [{ name: "a", command: "x", url: "http://localhost" }] },
      answer: no('MCP server "a": command and url exclude each other'),
    },
    { params: { servers: [] }, answer: ok({ servers: [] }) },
  ],
  reload_mcp: [{ answer: ok({ servers: [] }) }],
  get_commands: [{ answer: ok({ commands: expect.any(Array) }) }],
};

describe("every row of the table, idle", () => {
  test.each(Object.entries(ROWS))("%s", async (command, exchanges) => {
    await using chat = await chatPlace(says("first answer"), says("second answer"));
    writeFileSync(join(chat.place.cwd, "broken.jsonl"), "no header\n");
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("first prompt");
    for (const { params = {}, answer } of exchanges) {
      const given = typeof params === "function" ? await params(rpc) : params;
      const { id, type, ...rest } = await rpc.call(command, given);
      expect(JSON.parse(JSON.stringify(rest).replaceAll(chat.place.cwd, "PLACE"))).toEqual({ command, ...answer });
    }
    expect(await rpc.end()).toBe(0);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
    // A refused command had no effect: only accepted prompts caused a run or a second response.
    expect(rpc.frames.filter((frame) => frame.command === "parse")).toEqual([]);
  });

  test("every command has a row", () => {
    const elsewhere = ["compact", "set_auto_compaction", "set_todos", "export_html"];
    expect([...Object.keys(ROWS), ...elsewhere].sort()).toEqual(Object.keys(commands).sort());
  });
});

test("a prompt without credentials is accepted and then fails, under the same id and without a run", async () => {
  await using chat = await chatPlace(says("never"));
  await using rpc = await startWithLostKey(["--model", `openai/${LOCKED_MODEL}`], chat.place);
  for (const command of ["prompt", "abort_and_prompt"]) {
    const first = await rpc.call(command, { message: "x" });
    const second = await rpc.until((frame) => frame.type === "response");
    expect([first, second]).toEqual([
      { id: first.id, type: "response", command, success: true },
      { id: first.id, type: "response", command, success: false, error: anything, code: "no_credentials" },
    ]);
    expect(second.error.split("\n")[0]).toBe("No API key found for openai.");
  }
  expect((await rpc.call("get_state")).data).toMatchObject({ isStreaming: false, messageCount: 0 });
  expect(rpc.frames.map(({ type }) => type)).not.toContain("agent_start");
});

test("a session that another process has open cannot be opened, and the error names the process", async () => {
  await using chat = await chatPlace(says("hello"));
  await using holder = await startRpc(CHAT, chat.place);
  await holder.prompt("mine");
  const { sessionFile: held } = (await holder.call("get_state")).data;
  await using rpc = await startRpc(CHAT, chat.place);
  const before = (await rpc.call("get_state")).data.sessionId;
  expect(await rpc.call("switch_session", { sessionPath: held })).toMatchObject({
    success: false,
    error: `Session is in use by another process (pid ${holder.pid})`,
  });
  expect((await rpc.call("get_state")).data.sessionId).toBe(before);
});
