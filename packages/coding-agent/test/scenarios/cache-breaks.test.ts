import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { type CacheBreakCause, type CommandName, commands } from "@pintle/wire";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { VENDOR, vendorPlace, vendorSays } from "../support/scenarios/vendor-place.ts";

interface Row {
  params?: object | ((rpc: RpcChild) => Promise<object>);
  /** What the next request may lose because of it. */
  breaks?: CacheBreakCause;
  /** It is refused here, so it changes nothing. */
  isRefused?: true;
  /** It starts a run itself, so the next prompt has to wait for that. */
  runs?: true;
}

const KEEPS: Row = {};
const REFUSED: Row = { isRefused: true };
const tool = { name: "late", description: "Comes late.", parameters: { type: "object" } };
const sessionFile = async (rpc: RpcChild) => (await rpc.call("get_state")).data.sessionFile;
const lastUserMessage = async (rpc: RpcChild) => (await rpc.call("get_branch_messages")).data.messages.at(-1);

/**
 * Sends every command between two prompts. A command without a row does not compile; one that loses more than its row
 * states fails.
 */
const ROWS: Record<CommandName, Row> = {
  prompt: { params: { message: "a" }, runs: true },
  steer: { params: { message: "a" } },
  follow_up: { params: { message: "a" } },
  abort: KEEPS,
  abort_and_prompt: { params: { message: "a" }, runs: true },
  set_output_schema: KEEPS,
  clear_queue: KEEPS,
  confirm_lease: { params: { ms: 60_000 } },
  store_prompts: { params: { prompts: [{ message: "a", acceptedAt: 0 }], since: "none" }, isRefused: true },
  set_session_name: { params: { name: "a name" } },
  get_state: KEEPS,
  get_messages: KEEPS,
  get_messages_page: KEEPS,
  get_last_assistant_text: KEEPS,
  get_session_stats: KEEPS,
  get_branch_messages: KEEPS,
  get_fork_messages: KEEPS,
  get_entries: KEEPS,
  get_tree: KEEPS,
  list_sessions: KEEPS,
  get_available_models: KEEPS,
  get_available_thinking_levels: KEEPS,
  set_steering_mode: { params: { mode: "all" } },
  set_follow_up_mode: { params: { mode: "all" } },
  set_interrupt_mode: { params: { mode: "wait" } },
  set_update_mode: { params: { mode: "delta" } },
  set_event_filter: { params: { events: null } },
  negotiate_protocol: { params: { protocolVersion: 1 } },
  set_host_tools: { params: { tools: [tool] } },
  set_host_capabilities: KEEPS,
  get_pending: KEEPS,
  get_pending_actions: KEEPS,
  resolve_pending_action: { params: { action: "apply" }, isRefused: true },
  get_pending_file: { params: { path: "a" }, isRefused: true },
  set_policy: { params: { rules: [{ effect: "deny", command: "curl *" }] } },
  get_policy: KEEPS,
  set_permission_mode: { params: { mode: "ask" } },
  set_sandbox_mode: { params: { mode: "read-only" } },
  set_budget: { params: { turns: 1000 } },
  raise_budget: { params: { turns: 2000 } },
  set_todos: { params: { phases: [{ name: "p", tasks: [{ content: "t", status: "completed" }] }] } },
  get_checkpoints: KEEPS,
  get_changes: KEEPS,
  rewind_files: { isRefused: true },
  redo_files: { isRefused: true },
  set_auto_compaction: { params: { enabled: false } },
  set_auto_retry: { params: { enabled: false } },
  abort_retry: KEEPS,
  export_html: KEEPS,
  bash: { params: { command: "echo hello" } },
  abort_bash: KEEPS,
  get_async_jobs: KEEPS,
  get_async_job_output: { params: { jobId: "bg_1" }, isRefused: true },
  cancel_async_job: { params: { jobId: "bg_1" }, isRefused: true },
  background_tool_call: { isRefused: true },
  get_mcp_status: KEEPS,
  reload_mcp: KEEPS,
  get_available_commands: KEEPS,
  get_commands: KEEPS,
  get_login_providers: KEEPS,
  get_subagents: KEEPS,
  set_subagent_subscription: { params: { level: "off" } },
  get_subagent_messages: { params: { subagentId: "none" }, isRefused: true },
  get_agents: KEEPS,
  abort_subagent: { params: { subagentId: "none" }, isRefused: true },
  prompt_subagent: { params: { subagentId: "none", message: "a" }, isRefused: true },
  set_host_uri_schemes: { params: { schemes: [] } },
  set_fast_mode: { params: { enabled: true } },
  open_session: { params: async (rpc) => ({ sessionDir: dirname(await sessionFile(rpc)) }) },
  login: REFUSED,
  handoff: { breaks: "compaction" },
  ping: KEEPS,
  get_settings: KEEPS,
  rename_session: { params: async (rpc) => ({ sessionPath: await sessionFile(rpc), name: "another name" }) },
  delete_session: { params: { sessionPath: "/no/such.jsonl" }, isRefused: true },
  restore_session: { params: { sessionPath: "/no/such.jsonl" }, isRefused: true },
  continue_run: REFUSED,
  set_api_key: { params: { provider: "vendor", key: "another-key-0123456789" } },
  remove_api_key: { params: { provider: "vendor" } },
  complete_path: { params: { query: "x" } },
  set_mcp_servers: { params: { servers: [] } },
  remove_queued: { params: { queueId: "none" }, isRefused: true },
  set_thinking_level: { params: { level: "high" }, breaks: "thinking_changed" },
  cycle_thinking_level: { breaks: "thinking_changed" },
  cycle_model: { breaks: "model_changed" },
  // Back to a model that still has the conversation in its cache.
  set_model: { params: { provider: "vendor", modelId: "first" } },
  compact: { breaks: "compaction" },
  clone: KEEPS,
  move_leaf: { params: lastUserMessage, breaks: "navigation" },
  branch: { params: lastUserMessage, breaks: "session_changed" },
  fork: { params: lastUserMessage, breaks: "session_changed" },
  switch_session: { params: async (rpc) => ({ sessionPath: await sessionFile(rpc) }) },
  new_session: { breaks: "session_changed" },
};

const causesIn = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === "cache_break").map(({ cause }) => cause as CacheBreakCause);

test("only the listed commands change the cached beginning of the next request", async () => {
  await using vendor = await vendorPlace(vendorSays("well"));
  await using rpc = await startRpc(VENDOR, vendor.place);
  await rpc.prompt("first");
  for (const [command, { params = {}, breaks, isRefused, runs }] of Object.entries(ROWS)) {
    await rpc.prompt("before");
    const from = rpc.frames.length;
    const answer = await rpc.call(command, typeof params === "function" ? await params(rpc) : params);
    if (runs) await rpc.until(({ type }) => type === "agent_settled");
    await rpc.prompt("after");
    const causes = causesIn(rpc.frames.slice(from));
    expect({ command, ok: answer.success, causes }).toEqual({
      command,
      ok: !isRefused,
      causes: breaks ? [breaks] : [],
    });
  }
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(commands).sort());
});

test("reports a cache break with its cost before the answer starts; get_session_stats has the total", async () => {
  await using vendor = await vendorPlace(vendorSays("well"));
  await using rpc = await startRpc([...VENDOR, "--set", "cache.lateTools=append"], vendor.place);
  await rpc.prompt("first");
  expect((await rpc.call("get_session_stats")).data.cacheBreaks).toEqual({ count: 0, bytesLost: 0, tokensLost: 0 });
  await rpc.call("set_host_tools", { tools: [tool] });
  const from = rpc.frames.length;
  await rpc.prompt("second");
  const types = rpc.frames.slice(from).map(({ type }) => type);
  const at = types.indexOf("cache_break");
  expect(at).toBeGreaterThan(types.indexOf("turn_start"));
  expect(types.slice(at).filter((type) => type === "message_start")).toHaveLength(1);
  const { type, cause, ...lost } = rpc.frames[from + at] as Frame;
  expect({ type, cause }).toEqual({ type: "cache_break", cause: "tools_changed" });
  const { tools, system, messages } = vendor.server.requests[0]!.body;
  const all = JSON.stringify([tools, system, messages]).length;
  // Everything except the tools, which still precede the new one.
  expect(lost.bytesLost).toBeGreaterThan(system[0].text.length);
  expect(lost.bytesLost).toBeLessThan(JSON.stringify([system, messages]).length);
  // The vendor reported 2125 tokens for the first request.
  expect(lost.tokensLost / 2125).toBeCloseTo(lost.bytesLost / all, 1);
  expect((await rpc.call("get_session_stats")).data.cacheBreaks).toEqual({ count: 1, ...lost });
  await rpc.call("new_session");
  expect((await rpc.call("get_session_stats")).data.cacheBreaks.count).toBe(0);
});
