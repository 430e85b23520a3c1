import type { Scenario, Step } from "../scenario.ts";
import {
  ANSWERS,
  answer,
  answerBegins,
  answerEnds,
  delta,
  promptAccepted,
  ready,
  runBegins,
  runEnds,
  says,
  send,
  text,
} from "./frames.ts";

const CALL = { type: "toolCall", id: "call-1", name: "bash", arguments: { command: "npm test" } };
const begins: Step[] = [...promptAccepted, ...runBegins, ...answerBegins];
const ends = (words: string): Step[] => [...answerEnds(words), ...runEnds(answer([text(words)]))];

/** One row per situation that a host has to handle: what happens, and what a good host does. */
const ROWS: Record<string, { about: string; host: string; steps: Step[]; answers?: Scenario["answers"] }> = {
  "plain-answer": {
    about: "one prompt, one answer",
    host: "shows the answer and is ready for the next prompt",
    steps: [ready(), ...says("Hello from the simulator.")],
  },
  "slow-stream": {
    about: "fifty deltas, 40 ms apart",
    host: "shows the text as it arrives",
    steps: [
      ready(),
      ...begins,
      { ...send({ ...(delta("word ") as { send: object }).send }), times: 50, everyMs: 40 },
      ...ends("word ".repeat(50)),
    ],
  },
  "torn-line": {
    about: "a frame arrives in three pieces with pauses between them, cut inside a word",
    host: "waits for the line end before it reads a frame",
    steps: [
      ready(),
      ...begins,
      { raw: '{"type":"notice","kind":"simul' },
      { wait: 200 },
      { raw: 'ated","message":"in three' },
      { wait: 200 },
      { raw: ' pieces"}\n' },
      delta("whole again"),
      ...ends("whole again"),
    ],
  },
  "crash-in-answer": {
    about: "the process dies in the middle of an answer",
    host: "rejects what waits, shows the user the end of stderr, offers to continue",
    steps: [ready(), ...begins, delta("I was about to"), { crash: { code: 3, stderr: "simulated fault\n" } }],
  },
  "killed-in-answer": {
    about: "the process is killed in the middle of a line",
    host: "the same, and ignores the incomplete line",
    steps: [ready(), ...begins, { raw: '{"type":"message_upd' }, { crash: { signal: "SIGKILL" } }],
  },
  resumed: {
    about: "a second start after a crash: the session is back, its last run was interrupted",
    host: "shows the messages of the session and that the run was interrupted; does not resend the prompt",
    answers: {
      get_messages: {
        messages: [
          { role: "user", content: [text("Refactor it")], timestamp: 1 },
          answer([text("I was about to")], "aborted"),
        ],
      },
    },
    steps: [ready({ sessionFile: "/simulated/session.jsonl" }), ...says("Going on.")],
  },
  "late-failure": {
    about: "a prompt is accepted, and then a second response says that there will be no run",
    host: "ends the wait for the run with the second response's error",
    steps: [
      ready(),
      ...promptAccepted,
      { respond: "prompt", error: "No API key found for simulated.", code: "no_credentials" },
    ],
  },
  refused: {
    about: "a prompt is refused because a run is active",
    host: "keeps what the user typed, and offers to queue it",
    steps: [
      ready(),
      ...begins,
      { expect: { type: "prompt" }, as: "second" },
      {
        respond: "second",
        error: "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.",
        code: "busy",
      },
      ...ends("done"),
    ],
  },
  "unknown-event": {
    about: "events and fields of a newer version",
    host: "ignores them",
    steps: [
      ready({ somethingNew: { a: 1 } }),
      send({ type: "event_of_the_future", data: [1, 2, 3] }),
      ...begins,
      send({ type: "another_event_of_the_future" }),
      delta("unmoved"),
      ...ends("unmoved"),
    ],
  },
  "huge-message": {
    about: "an answer of five million characters in one line",
    host: "reads it without a limit on the length of lines",
    steps: [
      ready(),
      ...begins,
      {
        send: { type: "message_end", message: answer([text("")]), messageId: "msg-2" },
        fill: { path: "message.content.0.text", characters: 5_000_000 },
      },
      send({ type: "turn_end", message: answer([text("(long)")]), toolResults: [] }),
      ...runEnds(answer([text("(long)")])),
    ],
  },
  "tool-call": {
    about: "a tool call with progress and a result",
    host: "shows that it runs, its output so far, and the result",
    steps: [
      ready(),
      ...promptAccepted,
      ...runBegins,
      send({ type: "message_start", message: answer([]), messageId: "msg-2" }),
      send({ type: "message_end", message: answer([CALL], "toolUse"), messageId: "msg-2" }),
      send({ type: "tool_execution_start", toolCallId: "call-1", toolName: "bash", args: CALL.arguments }),
      {
        ...send({
          type: "tool_execution_update",
          toolCallId: "call-1",
          toolName: "bash",
          args: CALL.arguments,
          partialResult: { content: [text("1 passed")] },
        }),
        times: 3,
        everyMs: 50,
      },
      send({
        type: "tool_execution_end",
        toolCallId: "call-1",
        toolName: "bash",
        result: { content: [text("3 passed")] },
        isError: false,
      }),
      send({ type: "turn_end", message: answer([CALL], "toolUse"), toolResults: [] }),
      send({ type: "turn_start" }),
      ...answerBegins,
      delta("All pass."),
      ...ends("All pass."),
    ],
  },
  "host-tool": {
    about: "the model calls a host tool",
    host: "runs it and sends the result with the id of the call",
    steps: [
      ready(),
      ...promptAccepted,
      ...runBegins,
      send({
        type: "host_tool_call",
        id: "host-1",
        toolCallId: "call-1",
        toolName: "simulated_tool",
        arguments: { city: "Ulm" },
      }),
      { expect: { type: "host_tool_result", id: "host-1" } },
      ...answerBegins,
      delta("Thanks."),
      ...ends("Thanks."),
    ],
  },
  dialog: {
    about: "an extension asks the user to choose",
    host: "shows the question and sends the answer, or that it was closed",
    steps: [
      ready(),
      send({
        type: "extension_ui_request",
        id: "ui-1",
        method: "select",
        title: "Which one?",
        options: ["red", "blue"],
      }),
      { expect: { type: "extension_ui_response", id: "ui-1" } },
      ...says("Noted."),
    ],
  },
  "question-without-end": {
    about: "a question without a deadline, while the user keeps typing",
    host: "stays usable, and removes the question when the run is aborted",
    steps: [
      ready(),
      ...begins,
      send({ type: "extension_ui_request", id: "ui-1", method: "confirm", title: "Go on?", message: "For ever" }),
      { expect: { type: "abort" }, as: "abort", withinMs: 600_000 },
      send({ type: "extension_ui_request", id: "ui-2", method: "cancel", targetId: "ui-1" }),
      ...runEnds(answer([text("")], "aborted"), "aborted"),
      { respond: "abort" },
    ],
  },
  approval: {
    about: "a tool call waits for approval",
    host: "shows the command, and sends a decision",
    steps: [
      ready(),
      ...begins,
      send({
        type: "approval_request",
        id: "ap-1",
        toolCallId: "call-1",
        toolName: "bash",
        args: CALL.arguments,
        command: "npm test",
        reason: "The preset asks for commands",
        timeoutMs: 60_000,
      }),
      { expect: { type: "approval_response", id: "ap-1" } },
      delta("So be it."),
      ...ends("So be it."),
    ],
  },
  "abort-in-answer": {
    about: "an answer that continues until it is aborted",
    host: "stops immediately, keeps the partial answer, is ready for the next prompt",
    steps: [
      ready(),
      ...begins,
      delta("and so on"),
      { expect: { type: "abort" }, as: "abort", withinMs: 600_000 },
      send({ type: "message_end", message: answer([text("and so on")], "aborted"), messageId: "msg-2" }),
      ...runEnds(answer([text("and so on")], "aborted"), "aborted"),
      { respond: "abort" },
    ],
  },
  "provider-error": {
    about: "the provider refuses, after an attempt that is retried",
    host: "shows the retry, then the error",
    steps: [
      ready(),
      ...promptAccepted,
      ...runBegins,
      send({ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 300, errorMessage: "overloaded" }),
      { wait: 300 },
      send({ type: "auto_retry_end", success: false, attempt: 1, finalError: "overloaded" }),
      ...runEnds({ ...answer([], "error"), errorMessage: "overloaded" }, "error"),
    ],
  },
  "lost-connection": {
    about: "the connection is lost in the middle of an answer, which finishes meanwhile (gateway)",
    host: "reconnects with its cursor, shows every part once, and the end of the run",
    steps: [
      ...begins,
      delta("before the loss, "),
      { disconnect: true },
      delta("meanwhile, "),
      { attached: true },
      delta("and after it"),
      ...ends("before the loss, meanwhile, and after it"),
    ],
  },
  "lost-acknowledgement": {
    about: "the connection is lost before a prompt is acknowledged (gateway)",
    host: "resends the prompt with the same key, and it is not executed twice",
    steps: [
      { expect: { type: "prompt" }, as: "prompt" },
      { disconnect: true },
      { respond: "prompt" },
      ...runBegins,
      ...answerBegins,
      { attached: true },
      delta("once"),
      ...ends("once"),
    ],
  },
  "missed-too-much": {
    about: "the frames that a disconnected host missed are no longer stored (gateway)",
    host: "replaces its state with the session_snapshot, and sees that the run has ended",
    steps: [
      ...begins,
      delta("half"),
      { disconnect: true },
      ...ends("half and half"),
      { forget: true },
      { attached: true },
    ],
  },
  "restarted-server": {
    about: "the server restarts in the middle of an answer (gateway)",
    host: "opens the session again, reports that the run was lost, is ready for the next prompt",
    steps: [
      ...begins,
      delta("never finished"),
      { disconnect: { restart: true } },
      { attached: true },
      ...says("Back again."),
    ],
  },
  "silent-start": {
    about: "the program starts and sends nothing at all",
    host: "gives up after its own timeout and says so",
    steps: [{ hang: true }],
  },
  "silent-command": {
    about: "a command is never answered, others are",
    host: "gives up on that one after its own timeout; the rest works",
    answers: { get_session_stats: null },
    steps: [ready(), ...says("I answer prompts.")],
  },
  "noise-on-stdout": {
    about: "lines that are not frames, as a library that prints would cause",
    host: "ignores them",
    steps: [ready(), { raw: "Debugger listening on ws://127.0.0.1\n" }, ...says("Quiet now.")],
  },
};

export const SCENARIOS: Readonly<Record<string, Scenario>> = Object.fromEntries(
  Object.entries(ROWS).map(([name, { answers, ...row }]) => [
    name,
    { name, ...row, answers: { ...ANSWERS, ...answers } },
  ]),
);
