/** What `code` of a failed command can be. A row is all that a new one needs; its text is for the reference. */
export const ERROR_CODES = {
  invalid_request: "the frame, or what it asks for, cannot be: do not send it again as it is",
  busy: "not now: a run is active, another process has the session, or the output is not read and too much waits for that",
  not_found: "there is no such model, file, entry or preview",
  no_credentials: "the model needs a key, and there is none",
  cancelled: "it was aborted before it was done",
  session_busy: "the history is changing; ask for the page again when the session is idle",
  stale_cursor: "the history has changed since the cursor was given; start without one",
  nothing_to_continue: "the last run came to its end, and no message waits: send a prompt",
  not_supported: "this program has no such feature",
  not_open: "of a gateway: the session is stored or unknown; `open_session` opens it",
  not_attached:
    "of a gateway: this connection is not attached to the session; `attach_session`, or `open_session` where it is not open",
  not_allowed: "of a gateway: outside its roots, or something that its settings do not let hosts do",
  worker_exited: "of a gateway: the process of the session ended before the answer; what it did until then is unknown",
  session_failed: "of a gateway: the process of the session ends again and again; `open_session` tries once more",
  session_moved:
    "of a gateway: the node that had the session is gone before the answer; attach again, and repeat the command with its `commandKey`",
  other_node:
    "of a gateway: another node serves the session, or has the labels that it needs, and cannot be reached from here",
  store_unavailable:
    "of a gateway: the database that keeps the sessions does not answer, and nothing was done; try again later",
  draining: "of a gateway: it is about to end and takes no new sessions and prompts",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
