import { isRecord } from "@pintle/ai";
import type { Frame } from "../gateway-link.ts";
import { NOTICES, type Notice } from "../updates/notices.ts";
import type { AcpSession } from "./acp-session.ts";
import { QUESTION_FRAMES } from "./question-frames.ts";

type Handler = (session: AcpSession, frame: Frame) => void;
type Fields = Record<string, unknown>;

/** Converts the events of a session. Clients have no use for events without a row. */
const EVENTS: Readonly<Record<string, Handler>> = {
  message_update(session, { messageId, assistantMessageEvent }) {
    if (!isRecord(assistantMessageEvent)) return;
    const { type } = assistantMessageEvent;
    if (Object.hasOwn(STEPS, String(type))) STEPS[String(type)]!(session, assistantMessageEvent, String(messageId));
  },
  message_end({ usage }, { message }) {
    if (isRecord(message) && message.role === "assistant") usage.changed();
  },
  tool_execution_start({ calls }, { toolCallId, toolName, args }) {
    calls.start(String(toolCallId), String(toolName), isRecord(args) ? args : {});
  },
  tool_execution_update({ calls }, { toolCallId, partialResult }) {
    if (isRecord(partialResult)) calls.progress(String(toolCallId), partialResult);
  },
  tool_execution_end(session, { toolCallId, toolName, result, isError }) {
    const outcome = isRecord(result) ? result : {};
    session.calls.end(String(toolCallId), outcome, isError === true);
    if (toolName === "todo_write" && isRecord(outcome.details)) session.tellPlan(outcome.details.phases);
  },
  agent_start: ({ turns }) => turns.runBegan(),
  agent_end(session, frame) {
    session.runEnd = frame;
  },
  prompt_result: (session, frame) => session.promptEnded(frame),
  session_settled: (session) => session.settled(),
  worker_exited: (session) => session.lost("The engine of the session ended before it responded"),
  session_closed: (session) => session.lost("The session was closed"),
  permission_mode_changed(session, { mode }) {
    session.client.update({ sessionUpdate: "current_mode_update", currentModeId: String(mode) });
    session.modeChanged(String(mode));
  },
  model_changed: ({ config }) => config.changed(),
  thinking_level_changed: ({ config }) => config.changed(),
  session_info_changed(session, { name }) {
    if (typeof name === "string") session.tellTitle(name);
  },
  available_commands_update: (session, frame) => session.tellCommands(frame),
  todo_auto_clear: (session) => session.readPlan(),
  command_output: (session, { text }) => session.say(String(text)),
  auto_compaction_start(session) {
    session.compactions += 1;
    tellCompaction(session, "in_progress", {});
  },
  auto_compaction_end(session, { result, aborted, errorMessage }) {
    const summary = isRecord(result) && typeof result.summary === "string" ? result.summary : undefined;
    if (summary !== undefined) tellCompaction(session, "completed", { summary: [{ type: "text", text: summary }] });
    else if (typeof errorMessage === "string") tellCompaction(session, "failed", { error: errorMessage });
    else tellCompaction(session, aborted === true ? "cancelled" : "completed", {});
    session.usage.changed();
  },
};

/** Handles one update of the model's answer. */
const STEPS: Readonly<Record<string, (session: AcpSession, step: Fields, messageId: string) => void>> = {
  text_delta: (session, step, messageId) => chunk(session, "agent_message_chunk", step, messageId),
  thinking_delta: (session, step, messageId) => chunk(session, "agent_thought_chunk", step, messageId),
  text_end: (session, step, messageId) => whole(session, "agent_message_chunk", step, messageId),
  thinking_end: (session, step, messageId) => whole(session, "agent_thought_chunk", step, messageId),
  toolcall_start({ calls }, { toolCall }) {
    if (isRecord(toolCall)) calls.announce(String(toolCall.id), String(toolCall.name));
  },
  toolcall_end({ calls }, { toolCall }) {
    if (!isRecord(toolCall) || !isRecord(toolCall.arguments)) return;
    calls.announce(String(toolCall.id), String(toolCall.name), toolCall.arguments);
  },
};

type Kind = "agent_message_chunk" | "agent_thought_chunk";

function chunk(session: AcpSession, kind: Kind, { delta, contentIndex }: Fields, messageId: string): void {
  if (typeof delta !== "string" || delta === "") return;
  session.streamed = `${messageId} ${String(contentIndex)}`;
  session.client.update({ sessionUpdate: kind, messageId, content: { type: "text", text: delta } });
}

/** Sends a block that arrived whole, without updates. */
function whole(session: AcpSession, kind: Kind, { content, contentIndex }: Fields, messageId: string): void {
  if (session.streamed === `${messageId} ${String(contentIndex)}`) return;
  chunk(session, kind, { delta: content, contentIndex }, messageId);
}

function tellCompaction(
  session: AcpSession,
  status: string,
  fields: { error?: string; summary?: { type: "text"; text: string }[] },
): void {
  const { client } = session;
  if (!client.able.showsCompaction) return;
  client.update({ sessionUpdate: "compaction_update", compactionId: `live_${session.compactions}`, status, ...fields });
}

const noticeOf =
  (toNotice: (frame: Frame) => Notice | undefined): Handler =>
  (session, frame) => {
    const notice = toNotice(frame);
    if (notice) session.notice(notice);
  };

/** Sends a notice before the event takes effect, so that a turn which ends with it states the reason first. */
function noticedFirst(type: string, notice: Handler): Handler {
  const event = EVENTS[type];
  if (!event) return notice;
  return (session, frame) => {
    notice(session, frame);
    event(session, frame);
  };
}

/** All handled events, by type. */
export const SESSION_FRAMES: Readonly<Record<string, Handler>> = {
  ...EVENTS,
  ...QUESTION_FRAMES,
  ...Object.fromEntries(Object.entries(NOTICES).map(([type, of]) => [type, noticedFirst(type, noticeOf(of))])),
};
