/**
 * What the server can do beyond the commands of the first clients; listed in `ready`. One row each, with its meaning.
 */
export const SERVER_CAPABILITIES = {
  update_mode: "`set_update_mode`: updates that contain only what is new",
  paging: "`get_messages_page`",
  entries: "`get_entries`, `get_tree`",
  pending: "`get_pending`: everything that waits for the host, with its deadline",
  resolve: "`get_pending_actions`, `resolve_pending_action`: the host decides about previews",
  trust: "`trust_request`: the question whether project code may run",
  sandbox: "`sandbox` in this frame and in `get_state`, `sandbox_status`",
  approvals:
    "`approval_request`: the question whether a tool call may run; `set_policy`, `get_policy`, `set_permission_mode`",
  budgets: "`set_budget`, `raise_budget`, `budget_warning`, `budget_reached`",
  continue_run: "`continue_run`; `interrupted` in `get_state`",
  store_prompts: "`store_prompts`",
  confirm_lease: "`confirm_lease`",
  queue_ids: "`remove_queued`; ids in `queue_update` and `get_state`",
  move_leaf: "`move_leaf`, `leaf_moved`",
  entry_appended:
    "`entry_appended` for hosts that name it in `set_event_filter`: each stored entry, before any event that refers to it",
  api_keys: "`set_api_key`, `remove_api_key`",
  complete_path: "`complete_path`",
  preview_files: "`files` of `resolve_pending_action`, for previews that have `files`",
  preview_hunks:
    "`hunks` and `edits` of `resolve_pending_action`, for previews that have `changes`; `get_pending_file`; `applied`, `discarded` and `edited` in the outcome",
  checkpoints:
    "`get_checkpoints`, `get_changes`, `rewind_files`, `redo_files`; `files` of `move_leaf`, `branch` and `fork`; `checkpoint_created`, `files_changed`, `files_rewound`; `undo` in `get_state`",
  host_mcp_servers: "`set_mcp_servers`",
  host_fs: "`host_fs_request`: files that are open in an editor are read and written there",
  host_terminal: "`host_terminal_request`: the model's commands run in a terminal of the host",
  sessions: "`list_sessions`, `rename_session`, `delete_session`, `restore_session`",
  settings: "`get_settings`",
  ping: "`ping`",
  cache_breaks: "`cache_break`, and its total in `get_session_stats`",
  mcp_auth: "`mcp_auth_request`: a person has to log in to an MCP server",
  async_jobs:
    "`asyncWork` of `set_host_capabilities`; `get_async_jobs`, `get_async_job_output`, `cancel_async_job`, `background_tool_call`, `async_job_start`, `async_job_end`, `scope` of `abort`",
  subagents:
    "`get_subagents`, `set_subagent_subscription`, `get_subagent_messages`, `get_agents`, `abort_subagent`, `prompt_subagent`, `subagent_lifecycle`, `subagent_progress`, `subagent_event`; `subagent` in questions",
  output_schema: "`outputSchema` and `timeoutMs` of `prompt`, `set_output_schema`, `output_rejected`",
  run_result: "the result of the run in `prompt_result`: text, output, usage, cost, files, denials",
  host_tool_annotations: "`annotations` of host tools, `terminate` of `host_tool_result`",
  mcp: "`get_mcp_status`, `reload_mcp`, `mcp_status`",
} as const;

/** What a gateway can do; listed in `server_ready`, in addition to the capabilities of its sessions. */
export const GATEWAY_CAPABILITIES = {
  sessions: "many sessions on one connection, many connections on one session",
  cursor: "`since` of `open_session` and `attach_session`: a host that was disconnected misses nothing",
  command_key: "`commandKey`: a repeated command is not executed again",
} as const;
