import type { OutgoingFrame } from "../host.ts";
import type { FrameFacts } from "./frame-log.ts";
import { QUESTION_TYPES } from "./host-questions.ts";
import type { ListedFacts } from "./listed-facts.ts";
import type { QuestionDesk } from "./question-desk.ts";
import { isSentId, type SentCommand } from "./sent-commands.ts";
import { frameType } from "./session-frame.ts";
import type { SessionOutput } from "./session-output.ts";
import { type SessionPicture, toolCallIdOf } from "./session-picture.ts";
import type { Settling } from "./settling.ts";
import type { UndeliveredEntries } from "./undelivered-entries.ts";
import type { WorkerCommands } from "./worker-commands.ts";

type Fields = Record<string, unknown>;

/** Events after which nothing may be in progress. */
const MAY_SETTLE: ReadonlySet<string> = new Set(["agent_settled", "async_job_end", "session_settled"]);

export interface FrameRouterParts {
  output: SessionOutput;
  desk: QuestionDesk;
  commands: Pick<WorkerCommands, "sent" | "spans">;
  picture: SessionPicture;
  listed: ListedFacts;
  settling: Settling;
  undelivered: UndeliveredEntries;
  /** Returns why the server ended the run, or undefined if it did not. */
  limit(): string | undefined;
  onRunStart(): void;
  onStored(): void;
  /** Called when an extension has opened another session in the worker. */
  onMoved(sessionId: string, sessionFile: string): void;
  /** Called when the session may have become idle. */
  onProgress(): void;
}

/** Routes each line of the worker: a response to its command, a question to the desk, every other frame to the hosts. */
export class FrameRouter {
  readonly #parts: FrameRouterParts;

  constructor(parts: FrameRouterParts) {
    this.#parts = parts;
  }

  receive(line: string): void {
    const type = frameType(line);
    if (type === undefined) this.#parts.commands.sent.onResponse(line);
    else if (type === "response") this.#onRefusal(line);
    else this.#onEvent(type, line);
  }

  /** Handles a response without an id: the worker did not know the command, or could not use the answer. */
  #onRefusal(line: string): void {
    const { output, desk, commands } = this.#parts;
    const { requestId, ...response } = JSON.parse(line) as Fields;
    if (typeof requestId === "string" && isSentId(requestId))
      commands.sent.settle(requestId, JSON.stringify(response).slice(1));
    else {
      const { log } = output;
      desk.senderOf(requestId)?.send({ json: log.routed(line), sessionId: log.sessionId });
    }
  }

  #onEvent(type: string, line: string): void {
    const { picture, listed, settling, undelivered, output, commands, onRunStart, onStored, onProgress } = this.#parts;
    picture.observe(type, line);
    listed.observe(type, line);
    if (type === "agent_start") onRunStart();
    if (type === "entry_appended") {
      onStored();
      undelivered.observe(line);
    }
    const route = Object.hasOwn(ROUTES, type) ? ROUTES[type] : undefined;
    if (route) route(this.#parts, type, line);
    else output.emit(type, line, mergeFacts(output.log.sessionId, type, line));
    settling.observe(type, picture.awaitsJobs && !commands.sent.hasWork);
    if (MAY_SETTLE.has(type)) onProgress();
  }
}

function mergeFacts(sessionId: string, type: string, line: string): FrameFacts | undefined {
  const merge = mergeKey(type, line);
  return merge && { merge: { ...merge, key: `${sessionId}:${merge.key}` } };
}

type Route = (parts: FrameRouterParts, type: string, line: string) => void;

const question: Route = ({ desk }, type, line) => desk.question(type, line);
const toolCall: Route = ({ desk }, type, line) => desk.toolCall(type, line);
const toolCancel: Route = ({ desk }, type, line) => desk.toolCancel(type, line);

/** Returns the host that sent the command, or undefined if it was the gateway. */
function senderOf(sent: SentCommand | undefined): Exclude<SentCommand["from"], "gateway"> | undefined {
  return sent?.from === "gateway" ? undefined : sent?.from;
}

/**
 * Routes a frame that names a command by the gateway's id: the sender receives its own id instead, other hosts none.
 */
const aboutCommand: Route = ({ commands: { sent, spans }, limit, output, onProgress }, type, line) => {
  const { id, commandId, ...rest } = JSON.parse(line) as Fields;
  const command = sent.find(id ?? commandId);
  if (type === "prompt_result" && typeof id === "string") {
    sent.promptEnded(id);
    spans.end(id, String(rest.status), rest.status === "completed" ? undefined : String(rest.status));
  }
  const from = senderOf(command);
  const reason = type === "prompt_result" && rest.status === "aborted" ? limit() : undefined;
  const fields = {
    ...rest,
    ...(reason !== undefined && { error: { message: reason, retryable: false } }),
    ...(command?.key !== undefined && { commandKey: command.key }),
  };
  const own = { [id === undefined ? "commandId" : "id"]: from?.id };
  const toSender = from && { hostId: from.host.id, line: JSON.stringify({ ...fields, ...own }) };
  output.emit(type, JSON.stringify(fields), toSender && { toSender });
  onProgress();
};

/** Routes a notice about a mistake in a command, which names the command in the same way. */
const notice: Route = ({ commands, output }, type, line) => {
  const { requestId, ...fields } = JSON.parse(line) as Fields;
  if (!isSentId(requestId)) {
    output.emit(type, line);
    return;
  }
  const from = senderOf(commands.sent.find(requestId));
  const toSender = from && { hostId: from.host.id, line: JSON.stringify({ ...fields, requestId: from.id }) };
  output.emit(type, JSON.stringify(fields), toSender && { toSender });
};

/**
 * Routes `session_info`. The envelope already contains the `sessionId` of the route. If the event names another
 * session, the next worker opens that one.
 */
const sessionInfo: Route = ({ onMoved, output }, type, line) => {
  const { sessionId, ...fields } = JSON.parse(line) as Fields;
  const { sessionFile } = fields;
  if (typeof sessionId === "string" && typeof sessionFile === "string") onMoved(sessionId, sessionFile);
  output.emit(type, JSON.stringify(fields));
};

/** Frames that are not sent unchanged to all hosts. */
const ROUTES: Readonly<Record<string, Route>> = {
  ...Object.fromEntries(QUESTION_TYPES.map((type) => [type, question])),
  host_tool_call: toolCall,
  host_tool_cancel: toolCancel,
  prompt_result: aboutCommand,
  bash_execution_update: aboutCommand,
  notice,
  session_info_changed: sessionInfo,
};

const STEP = '"assistantMessageEvent":{"type":"';
const DELTA = /(text_delta|thinking_delta|toolcall_delta)","contentIndex":(\d+),/y;

/**
 * Returns the key of updates that may replace this one for a slow host. Works on the text, so that no delta is parsed.
 */
function mergeKey(type: string, line: string): OutgoingFrame["merge"] {
  if (type === "message_update") {
    const at = line.indexOf(STEP);
    if (at < 0) return undefined;
    DELTA.lastIndex = at + STEP.length;
    const found = DELTA.exec(line);
    return found ? { key: `${found[1]}:${found[2]}`, kind: "delta" } : undefined;
  }
  if (type !== "tool_execution_update") return undefined;
  const id = toolCallIdOf(line);
  return id === undefined ? undefined : { key: `tool:${id}`, kind: "last" };
}
