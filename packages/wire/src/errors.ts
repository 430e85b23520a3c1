/** The values of `code` in a failed response. A new code needs only a row; its text is for the reference. */
export const ERROR_CODES = {
  invalid_request: "the frame is invalid or asks for something impossible: do not resend it unchanged",
  busy: "not now: a run is active, another process has the session open, or too much unread output is waiting",
  not_found: "the model, file, entry or preview does not exist",
  conflict: "the files have changed since, and none was replaced: repeat the command with `onConflict`",
  no_credentials: "the model needs a key, and none is set",
  cancelled: "it was aborted before it was done",
  session_busy: "the history is changing; request the page again when the session is idle",
  stale_cursor: "the history has changed since the cursor was issued; start without one",
  nothing_to_continue: "the last run ended normally, and no message waits: send a prompt",
  not_supported: "this program does not have the feature",
  not_open: "from a gateway: the session is stored or unknown; `open_session` opens it",
  not_attached:
    "from a gateway: this connection is not attached to the session; `attach_session`, or `open_session` where it is not open",
  not_allowed: "from a gateway: outside its roots, or something that its settings do not allow hosts to do",
  worker_exited:
    "from a gateway: the process of the session ended before the response; what it did until then is unknown",
  session_failed: "from a gateway: the process of the session keeps crashing; `open_session` tries again",
  session_moved:
    "from a gateway: the node that had the session was lost before the response; attach again, and repeat the command with its `commandKey`",
  other_node:
    "from a gateway: another node serves the session, or has the labels that it needs, and cannot be reached from here",
  store_unavailable:
    "from a gateway: the database that stores the sessions does not answer, and nothing was done; try again later",
  draining: "from a gateway: it is shutting down and accepts no new sessions and prompts",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
