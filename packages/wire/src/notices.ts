/** A host's mistakes that no response reports: notices with the source `host`. One row each, with its meaning. */
export const HOST_MISTAKES = {
  invalid_answer:
    "an answer to a question, a `host_tool_result` or a `host_tool_update` has a wrong shape; the default applies, and the model gets an error instead of a result",
  unknown_question: "an answer, result or update names a question or call that was never sent",
  answered_late:
    "an answer, result or update arrived after its question or call had ended by a deadline or an abort, and has no effect",
  answered_twice: "an answer, result or update arrived after the question or call was answered, and has no effect",
  unknown_field: "a frame has a field that its type does not have, and the field has no effect",
  invalid_id:
    "the `id` of a frame is neither a string nor a number; the response has the JSON text of the `id` in `requestId`",
  invalid_utf8: "a line has bytes that are not UTF-8; each became U+FFFD",
} as const;

export type HostMistakeCode = keyof typeof HOST_MISTAKES;

/** The values of `code` in a notice. A new code needs only a row; its text is for the reference. */
export const NOTICE_CODES = {
  ...HOST_MISTAKES,
  no_progress: "the model repeats the same calls with the same results (`agent.maxIdenticalCalls`)",
  no_input: "the run had many turns without a user message (`agent.askAfterTurns`)",
  damaged_session:
    "lines of the session file cannot be read; the session opens without them, and they stay in the file",
} as const;
