// Ways to break the contract, and the checks that must detect each. `outgoing` changes what the agent sends, `incoming`
// what it receives.

const on = (fits, change) => (frame, state) => (fits(frame) ? change(frame, state) : [frame]);
const type =
  (...names) =>
  (frame) =>
    names.includes(frame.type);
const response =
  (...names) =>
  (frame) =>
    frame.type === "response" && names.includes(frame.command);
const drop = () => [];
const twice = (frame) => [frame, frame];
const data = (change) => (frame) => [{ ...frame, data: { ...frame.data, ...change } }];
const assistantEnd = ({ type, message }) => type === "message_end" && message.role === "assistant";

/** A command that is accepted but has no effect. */
const swallow =
  (...names) =>
  (line, { tell }) => {
    const { id, type } = read(line);
    if (!names.includes(type)) return [line];
    tell({ id, type: "response", command: type, success: true, data: { cancelled: false } });
    return [];
  };
const rewrite = (name, change) => (line) => {
  const frame = read(line);
  return frame.type === name ? [JSON.stringify({ ...frame, ...change(frame) })] : [line];
};

function read(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

/** Holds back the first matching frame until another has passed. */
function held(fits, passed) {
  let kept;
  return (frame) => {
    if (kept === undefined && fits(frame)) {
      kept = frame;
      return [];
    }
    if (!kept || !passed(frame)) return [frame];
    const both = [frame, kept];
    kept = null;
    return both;
  };
}

export const FAULTS = {
  "no ready": { seenBy: ["framing/ready first"], outgoing: on(type("ready"), drop) },
  "a frame without a type": {
    seenBy: ["framing/objects with a type"],
    outgoing: on(type("agent_start"), (frame) => [frame, { no: "type" }]),
  },
  "a stray line": {
    seenBy: ["runs/one start, one end"],
    outgoing: on(type("agent_start"), (frame) => ["log: hi", frame]),
  },
  "separators are changed": {
    seenBy: ["framing/line separators in strings"],
    incoming: (line) => [line.replaceAll(/\\u202[89]|[\u2028\u2029]/g, " ")],
  },
  "CR is no white space": { seenBy: ["framing/CRLF"], incoming: (line) => (line.endsWith("\r") ? [] : [line]) },
  "blank lines are errors": {
    seenBy: ["framing/blank lines"],
    incoming: (line, { tell }) => {
      if (line.trim() !== "") return [line];
      tell({ type: "response", command: "parse", success: false, error: "Failed to parse command" });
      return [];
    },
  },
  "chunks are decoded one by one": { seenBy: ["framing/cut anywhere"], decode: (chunk) => chunk.toString() },
  "responses change places": {
    seenBy: ["framing/many in one write"],
    outgoing: held(response("set_session_name"), response("set_session_name")),
  },
  "long lines are cut": { seenBy: ["framing/a line of a mebibyte"], incoming: (line) => [line.slice(0, 65_536)] },
  "ends with 1": { seenBy: ["framing/end of stdin", "framing/end of stdin in a run"], exitCode: 1 },
  "responses without a name": {
    seenBy: ["ids/echoed"],
    outgoing: on(type("response"), ({ command: _, ...frame }) => [frame]),
  },
  "made-up ids": { seenBy: ["ids/absent"], outgoing: on(type("response"), (frame) => [{ id: "made up", ...frame }]) },
  "responses come twice": { seenBy: ["ids/one response each"], outgoing: on(response("get_state"), twice) },
  "dies of a line": {
    seenBy: ["malformed/survives lines that are not commands"],
    incoming: (line, { exit }) => (line === "nothing" ? exit() : [line]),
  },
  "silent about lines": {
    seenBy: ["malformed/answers lines that are not commands"],
    outgoing: on(response("parse"), drop),
  },
  "silent about commands": { seenBy: ["malformed/unknown command"], outgoing: on(response("no_such_command"), drop) },
  "failures are called successes": {
    seenBy: [
      "malformed/missing field",
      "malformed/field of a wrong type",
      "malformed/failing command",
      "state/model",
      "runs/refused while running",
      "sessions/a missing session",
    ],
    outgoing: on(
      ({ success }) => success === false,
      (frame) => [{ ...frame, success: true }],
    ),
  },
  "events before the acknowledgement": {
    seenBy: ["runs/acknowledged first"],
    outgoing: held(response("prompt"), type("agent_start")),
  },
  "no turn_start": { seenBy: ["runs/order of a plain answer"], outgoing: on(type("turn_start"), drop) },
  "two ends": { seenBy: ["runs/one start, one end"], outgoing: on(type("agent_end"), twice) },
  "settled twice": { seenBy: ["runs/settled once"], outgoing: on(type("agent_settled"), twice) },
  "two results of a prompt": { seenBy: ["runs/prompt_result"], outgoing: on(type("prompt_result"), twice) },
  "agent_end is empty": {
    seenBy: ["runs/messages of agent_end"],
    outgoing: on(type("agent_end"), (frame) => [{ ...frame, messages: [] }]),
  },
  "messages without an end": {
    seenBy: ["runs/a message has a start and an end"],
    outgoing: on(({ type, message }) => type === "message_end" && message.role === "user", drop),
  },
  "errors are hidden": {
    seenBy: ["runs/an error of the provider ends the run"],
    outgoing: on(assistantEnd, (frame) => [{ ...frame, message: { ...frame.message, stopReason: "stop" } }]),
  },
  "a prompt is lost": {
    seenBy: ["runs/accepted after agent_end"],
    incoming: (line, state) => (line.includes("prompt 3") ? swallow("prompt")(line, state) : [line]),
  },
  "a delta is lost": {
    seenBy: ["updates/deltas add up"],
    outgoing: on(({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta", drop),
  },
  "the end is cut": {
    seenBy: ["updates/the end is whole"],
    outgoing: on(assistantEnd, (frame) => [{ ...frame, message: { ...frame.message, content: [] } }]),
  },
  "updates are empty": {
    seenBy: ["updates/the message so far"],
    outgoing: on(type("message_update"), (frame) => [{ ...frame, message: { ...frame.message, content: [] } }]),
  },
  "delta mode is ignored": { seenBy: ["updates/delta mode"], incoming: swallow("set_update_mode") },
  "ends of other calls": {
    seenBy: ["tools/a call has a start and an end"],
    outgoing: on(type("tool_execution_end"), (frame) => [{ ...frame, toolCallId: "another" }]),
  },
  "results as they come": {
    seenBy: ["tools/results in the order of the calls"],
    outgoing: on(type("turn_end"), (frame) => [{ ...frame, toolResults: frame.toolResults.toReversed() }]),
  },
  "errors of tools are hidden": {
    seenBy: ["tools/an unknown tool", "host tools/failure"],
    outgoing: (frame) => [JSON.parse(JSON.stringify(frame).replaceAll('"isError":true', '"isError":false'))],
  },
  "durations are lost": {
    seenBy: ["tools/duration"],
    outgoing: on(type("tool_execution_end"), ({ durationMs: _, ...frame }) => [frame]),
  },
  "patterns exclude nothing": {
    seenBy: ["tools/excluded by pattern"],
    args: (given) => given.filter((word) => word !== "--exclude-tools" && word !== "ba*"),
  },
  "sizes are lost": {
    seenBy: ["sessions/size after compact"],
    outgoing: on(response("compact"), data({ estimatedTokensAfter: undefined })),
  },
  "commands do not run": { seenBy: ["tools/a failing command"], args: (given) => [...given, "-xt", "bash"] },
  "queued messages are lost": {
    seenBy: ["queues/steer", "queues/follow_up"],
    incoming: swallow("steer", "follow_up"),
  },
  "queued prompts are lost": {
    seenBy: ["queues/prompt with streamingBehavior"],
    incoming: (line, state) => (line.includes("streamingBehavior") ? swallow("prompt")(line, state) : [line]),
  },
  "the queue is not counted": {
    seenBy: ["queues/counted"],
    outgoing: on(response("get_state"), data({ pendingMessageCount: 0, queuedMessageCount: 0 })),
  },
  "steering stops running calls": {
    seenBy: ["queues/a running call finishes"],
    outgoing: on(type("tool_execution_end"), (frame) => [
      { ...frame, isError: true, result: { content: [{ type: "text", text: "begun" }] } },
    ]),
  },
  "the level max is refused": {
    seenBy: ["state/thinking level"],
    outgoing: on(response("set_thinking_level"), (frame) => [{ ...frame, success: false, error: "unknown level" }]),
  },
  "the queue is not given back": {
    seenBy: ["queues/clear_queue"],
    outgoing: on(response("clear_queue"), data({ steering: [], followUp: [] })),
  },
  "an abort of nothing is an end": {
    seenBy: ["aborts/while idle"],
    outgoing: on(response("abort"), (frame) => [{ type: "agent_end", messages: [] }, frame]),
  },
  "aborts do nothing": {
    seenBy: [
      "aborts/before the first byte",
      "aborts/while the answer streams",
      "aborts/while a tool runs",
      "aborts/while it waits to try again",
      "aborts/answered after the end",
    ],
    incoming: swallow("abort"),
  },
  "the prompt behind an abort is lost": {
    seenBy: ["aborts/abort and prompt in one write"],
    incoming: (line, state) => (line.includes('"id":"p"') ? swallow("prompt")(line, state) : [line]),
  },
  "abort_and_prompt does nothing": { seenBy: ["aborts/abort_and_prompt"], incoming: swallow("abort_and_prompt") },
  "host tools are not offered": {
    seenBy: ["host tools/offered"],
    outgoing: on(response("set_host_tools"), data({ toolNames: [] })),
  },
  "calls lose their arguments": {
    seenBy: ["host tools/called and answered"],
    outgoing: on(type("host_tool_call"), (frame) => [{ ...frame, arguments: {} }]),
  },
  "progress is lost": { seenBy: ["host tools/progress"], outgoing: on(type("tool_execution_update"), drop) },
  "the host does not receive aborts": {
    seenBy: ["host tools/cancelled with the run"],
    outgoing: on(type("host_tool_cancel"), drop),
  },
  "stray results are failures": {
    seenBy: ["host tools/stray results"],
    incoming: (line, { tell }) => {
      if (!line.includes('"id":"never"')) return [line];
      tell({ type: "response", command: "host_tool_result", success: false, error: "no such call" });
      return [];
    },
  },
  "dialogs are always closed": {
    seenBy: ["dialogs/select", "dialogs/confirm", "dialogs/input"],
    incoming: rewrite("extension_ui_response", () => ({ cancelled: true, value: undefined, confirmed: undefined })),
  },
  "dialogs are always answered": {
    seenBy: ["dialogs/cancelled"],
    incoming: rewrite("extension_ui_response", () => ({ cancelled: undefined, value: "red", confirmed: true })),
  },
  "extensions are ignored": {
    seenBy: ["dialogs/deadline"],
    outgoing: on(({ method }) => method === "notify", drop),
  },
  "no host is asked": {
    seenBy: [
      "approvals/asked",
      "approvals/allowed once",
      "approvals/allowed for the session",
      "approvals/denied",
      "approvals/denied for good",
      "approvals/taken back",
    ],
    outgoing: on(type("approval_request"), drop),
  },
  "everything is allowed": {
    seenBy: [
      "approvals/asked",
      "approvals/without a host that answers",
      "approvals/denied",
      "approvals/denied for good",
    ],
    incoming: swallow("set_permission_mode"),
  },
  "a permission is kept": {
    seenBy: ["approvals/allowed once"],
    incoming: rewrite("approval_response", ({ decision }) => ({ decision: decision.replace("once", "session") })),
  },
  "a permission is not kept": {
    seenBy: ["approvals/allowed for the session"],
    incoming: rewrite("approval_response", ({ decision }) => ({ decision: decision.replace("session", "once") })),
  },
  "notes are lost": {
    seenBy: ["approvals/denied"],
    incoming: rewrite("approval_response", () => ({ note: undefined })),
  },
  "a denial does not stop": {
    seenBy: ["approvals/denied for good"],
    incoming: rewrite("approval_response", ({ decision }) => ({ decision: decision.replace("_and_stop", "") })),
  },
  "questions are not taken back": {
    seenBy: ["approvals/taken back"],
    outgoing: on(type("approval_cancel"), drop),
  },
  "previews are not reported": {
    seenBy: ["previews/staged", "previews/applied", "previews/discarded", "previews/decided once"],
    outgoing: on(type("pending_action_added"), drop),
  },
  "previews are made at once": {
    seenBy: ["previews/staged", "previews/discarded"],
    incoming: rewrite("resolve_pending_action", () => ({ action: "apply" })),
    outgoing: on(response("get_pending_actions"), data({ actions: [] })),
  },
  "decisions are not reported": {
    seenBy: ["previews/applied"],
    outgoing: on(type("pending_action_resolved"), drop),
  },
  "decisions are always taken": {
    seenBy: ["previews/decided once"],
    outgoing: on(response("resolve_pending_action"), (frame) => [{ ...frame, success: true }]),
  },
  "project code is loaded without asking": {
    seenBy: ["trust/asked", "trust/no", "trust/only an explicit yes", "trust/without a host that answers"],
    args: (given) => [...given, "--trust"],
  },
  "any answer is a yes": {
    seenBy: ["trust/no", "trust/only an explicit yes"],
    incoming: rewrite("trust_response", () => ({ trusted: true })),
  },
  "a yes is ignored": { seenBy: ["trust/yes"], incoming: rewrite("trust_response", () => ({ trusted: false })) },
  "never streaming": { seenBy: ["state/streaming"], outgoing: on(response("get_state"), data({ isStreaming: false })) },
  "modes are ignored": {
    seenBy: ["state/queue modes"],
    incoming: swallow("set_steering_mode", "set_follow_up_mode"),
  },
  "another last text": {
    seenBy: ["state/last text and messages"],
    outgoing: on(response("get_last_assistant_text"), data({ text: "other" })),
  },
  "nothing is counted": {
    seenBy: ["state/statistics"],
    outgoing: on(response("get_session_stats"), data({ userMessages: 0 })),
  },
  "one page only": {
    seenBy: ["state/pages"],
    outgoing: on(response("get_messages_page"), data({ nextCursor: undefined })),
  },
  "todos are lost": { seenBy: ["state/todos"], outgoing: on(response("get_state"), data({ todoPhases: [] })) },
  "sessions do not change": {
    seenBy: ["sessions/new_session", "sessions/fork"],
    incoming: swallow("new_session", "fork"),
  },
  "there is no way back": { seenBy: ["sessions/switch_session"], incoming: swallow("switch_session") },
  "names are lost": { seenBy: ["sessions/name"], incoming: swallow("set_session_name") },
  "nothing is resumed": {
    seenBy: ["sessions/emitted messages are stored", "sessions/a torn line", "sessions/a new file"],
    args: (given) => (given.includes("--session") ? given.slice(0, given.indexOf("--session")) : given),
  },
  "no limits are named": {
    seenBy: ["chunks/limits"],
    outgoing: on(type("ready"), ({ maxFrameBytes: _, ...frame }) => [frame]),
  },
  "a chunk comes twice": {
    seenBy: ["chunks/long lines"],
    outgoing: on(({ type, index }) => type === "rpc_chunk" && index === 1, twice),
  },
  "dies of a chunk": {
    seenBy: ["malformed/stray chunks"],
    incoming: (line, { exit }) => (line.includes("rpc_chunk") ? exit() : [line]),
  },
  "named tools are ignored": {
    seenBy: ["tools/added and removed by name"],
    args: (given) => given.filter((word) => word !== "--tools" && word !== "+grep,-write"),
  },
  "the level is part of the id": {
    seenBy: ["state/level in the model name", "state/automatic level"],
    outgoing: on(response("get_state"), (frame) => [
      { ...frame, data: { ...frame.data, model: { provider: "checked", id: "m:max" } } },
    ]),
  },
  "directories are not opened": { seenBy: ["sessions/open_session"], incoming: swallow("open_session") },
  "steering cancels host calls": {
    seenBy: ["host tools/finishes before a steer"],
    incoming: (line, { tell }) => {
      if (read(line).type === "steer") tell({ type: "host_tool_cancel", id: "cancel", targetId: "call" });
      return [line];
    },
  },
  "the host is not asked for URIs": {
    seenBy: ["host URIs/read", "host URIs/write"],
    outgoing: on(type("host_uri_request"), drop),
  },
  "every scheme is writable": {
    seenBy: ["host URIs/read-only"],
    incoming: rewrite("set_host_uri_schemes", ({ schemes }) => ({
      schemes: schemes.map((scheme) => ({ ...scheme, writable: true })),
    })),
  },
  "URI requests are not cancelled": {
    seenBy: ["host URIs/cancelled with the run"],
    outgoing: on(type("host_uri_cancel"), drop),
  },
  "output is lost": { seenBy: ["bash/output"], outgoing: on(response("bash"), data({ output: "" })) },
  "output stays private": {
    seenBy: ["bash/joins the conversation"],
    incoming: rewrite("bash", () => ({ excludeFromContext: true })),
  },
  "commands are never stopped": {
    seenBy: ["bash/abort_bash"],
    outgoing: on(response("bash"), data({ cancelled: false })),
  },
};
