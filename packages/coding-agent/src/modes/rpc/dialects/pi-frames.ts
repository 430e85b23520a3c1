import type { Frame } from "../../frames/update-frames.ts";
import type { Rewrite } from "./dialect.ts";
import { toPiEntry, toPiMessage, toPiTree } from "./pi-messages.ts";
import { type Data, notSent, onlyForDecidingHost, withData, withoutQueueIds } from "./rewrites.ts";

/** Frames that clients of pi read differently or do not know. */
export const PI_FRAMES: Readonly<Record<string, Rewrite>> = {
  ready: notSent,
  response: withData({
    // Clients of pi 1 read the disposition of every accepted message. For prompts, the handler sets it.
    steer: () => ({ disposition: "queued" }),
    follow_up: () => ({ disposition: "queued" }),
    get_state: withoutDump,
    // pi adds up the whole session, with summaries and `usage` entries.
    get_session_stats: ({ lifetime, ...stats }) => ({ ...stats, ...(lifetime as Data), lifetime }),
    get_last_assistant_text: (data) => (data.text === null ? {} : data),
    get_messages: withPiMessages,
    get_messages_page: withPiMessages,
    get_entries: (data) => ({ ...data, entries: (data.entries as Data[]).map(toPiEntry) }),
    get_tree: (data) => ({ ...data, tree: (data.tree as Data[]).map(toPiTree) }),
  }),
  auto_compaction_start: toPiCompactionStart,
  auto_compaction_end: toPiCompactionEnd,
  compaction_end: toPiCompactionEnd,
  message_start: withPiMessage,
  message_update: toPiUpdate,
  message_end: withPiMessage,
  message_appended: toPiMessagePair,
  turn_end: withPiMessage,
  agent_end: (frame: Frame & { messages: unknown }) => ({
    ...withoutAsyncWork(withPiMessages(frame)),
    willRetry: false,
  }),
  async_job_start: notSent,
  async_job_end: notSent,
  checkpoint_created: notSent,
  files_changed: notSent,
  files_rewound: notSent,
  subagent_lifecycle: notSent,
  subagent_progress: notSent,
  subagent_event: notSent,
  bash_execution_update: toPiBashUpdate,
  entry_appended: toPiEntryAppended,
  command_output: toPiNotification,
  notice: (frame, { printNotice }) => void printNotice(frame),
  pending_action_added: onlyForDecidingHost,
  pending_action_resolved: onlyForDecidingHost,
  todo_reminder: notSent,
  todo_auto_clear: notSent,
  ttsr_triggered: notSent,
  retry_fallback_applied: notSent,
  retry_fallback_succeeded: notSent,
  prompt_result: notSent,
  session_settled: notSent,
  model_changed: notSent,
  queue_update: withoutQueueIds,
  leaf_moved: notSent,
  available_commands_update: notSent,
  cache_break: notSent,
  output_rejected: notSent,
};

/** Removes large fields that no client reads, because some clients limit the length of lines. */
function withoutDump({
  systemPrompt: _prompt,
  dumpTools: _tools,
  queue: _queue,
  interrupted: _interrupted,
  outputSchema: _outputSchema,
  hasPendingAsyncWork: _hasPendingAsyncWork,
  ...state
}: Data): Data {
  return state;
}

function withoutAsyncWork<T extends Frame>({
  awaitingAsyncWork: _awaiting,
  isTerminal: _isTerminal,
  yielded: _yielded,
  ...frame
}: T & { awaitingAsyncWork?: unknown; isTerminal?: unknown; yielded?: unknown }) {
  return frame;
}

function withPiMessages<T extends object>(holder: T & { messages?: unknown }): T {
  return { ...holder, messages: (holder.messages as Data[]).map(toPiMessage) };
}

function withPiMessage<T extends Frame>(frame: T & { message: object }): T {
  const message = toPiMessage(frame.message);
  return message === frame.message ? frame : { ...frame, message };
}

/**
 * Reports a message that an extension sends outside a run as a start and an end, as pi does. pi does not report other
 * appended messages.
 */
function toPiMessagePair({ message }: Frame & { message: { role: string } }): readonly Frame[] | undefined {
  if (message.role !== "custom") return undefined;
  return ["message_start", "message_end"].map((type) => ({ type, message }));
}

type UpdateFrame = Frame & { message: object; assistantMessageEvent: { partial: object } };

/** Keeps `message` and `partial` the same object if they were, so that it is serialized only once. */
function toPiUpdate(frame: UpdateFrame): Frame {
  const message = toPiMessage(frame.message);
  if (message === frame.message) return frame;
  const { partial } = frame.assistantMessageEvent;
  const event = {
    ...frame.assistantMessageEvent,
    partial: partial === frame.message ? message : toPiMessage(partial),
  };
  return { ...frame, message, assistantMessageEvent: event } as Frame;
}

/** Maps the reason `idle`, which pi does not have. */
const toPiReason = (reason: string) => (reason === "idle" ? "threshold" : reason);

function toPiCompactionStart({ reason }: Frame & { reason: string }): Frame {
  return { type: "compaction_start", reason: toPiReason(reason) } as Frame;
}

interface CompactionEnd extends Frame {
  reason: string;
  result?: object;
  aborted: boolean;
  willRetry: boolean;
  errorMessage?: string;
}

function toPiCompactionEnd({ reason, result = undefined, aborted, willRetry, errorMessage }: CompactionEnd): Frame {
  return {
    type: "compaction_end",
    reason: toPiReason(reason),
    result: result ?? null,
    aborted,
    willRetry,
    ...(errorMessage !== undefined && { errorMessage }),
  } as Frame;
}

/** Removes carriage returns, which clients of pi do not expect. */
function toPiBashUpdate({ type, commandId, delta }: Frame & { commandId?: unknown; delta: string }): Frame | undefined {
  const text = delta.replaceAll("\r", "");
  if (text === "") return undefined;
  return { type, ...(commandId !== undefined && { id: commandId }), delta: text } as Frame;
}

/** Converts output to a notification, which clients of pi show to the user. */
function toPiNotification({ text }: Frame & { text: string }): Frame {
  const id = `output_${crypto.randomUUID()}`;
  return { type: "extension_ui_request", id, method: "notify", message: text } as Frame;
}

/** Sends only entries stored by extensions, as pi does. A host that names the event receives all entries. */
function toPiEntryAppended(
  frame: Frame & { entry: { type: string; message?: unknown } },
  { isNamed }: Parameters<Rewrite>[1],
): Frame | undefined {
  if (frame.entry.type !== "custom" && !isNamed(frame.type)) return undefined;
  return { ...frame, entry: toPiEntry(frame.entry) } as Frame;
}
