import { StartUpError } from "../../config/start-up-error.ts";
import type { Frame } from "../frames/update-frames.ts";
import { toPiEntry, toPiMessage, toPiTree } from "./pi-messages.ts";

export type Dialect = "seed" | "pi";

/** Which dialect to speak: the flag, else the environment, else `seed`. Any other word is a reason not to start. */
export function parseDialect(flag: string | undefined, environment: string | undefined): Dialect {
  const word = flag ?? (environment || "seed"); // set to nothing is not set
  if (word === "seed" || word === "pi") return word;
  throw new StartUpError(`Unknown dialect "${word}": it must be seed or pi`);
}

/** What the frames cannot say themselves. */
export interface DialectSurroundings {
  /** Previews are decided by the host, so it must hear of them in every dialect. */
  isPreviewByHost(): boolean;
  /** Takes a notice that has no frame. */
  printNotice(notice: { level: string; message: string }): void;
}

/** undefined: the frame is not sent. */
type Rewrite = (frame: never, surroundings: DialectSurroundings) => Frame | undefined;

interface DialectRules {
  /** When `prompt` and `abort_and_prompt` are answered: at once with a late failure possible, or once, after the preflight. */
  promptAnswer: "at-once" | "after-preflight";
  /** By type. Frames without a row leave as they are. */
  frames: Readonly<Record<string, Rewrite>>;
}

const notSent: Rewrite = () => undefined;
const onlyForDecidingHost: Rewrite = (frame, { isPreviewByHost }) => (isPreviewByHost() ? frame : undefined);

/** The whole difference between the dialects (RPC 10.3). Nothing else may ask which one is spoken. */
export const DIALECTS: Record<Dialect, DialectRules> = {
  seed: {
    promptAnswer: "at-once",
    frames: {
      // The `compact` command; its reason is outside the set that hosts of the older protocol accept.
      compaction_start: notSent,
      compaction_end: notSent,
    },
  },
  pi: {
    promptAnswer: "after-preflight",
    frames: {
      ready: notSent,
      response: toPiResponse,
      auto_compaction_start: toPiCompactionStart,
      auto_compaction_end: toPiCompactionEnd,
      compaction_end: toPiCompactionEnd,
      message_start: withPiMessage,
      message_update: toPiUpdate,
      message_end: withPiMessage,
      turn_end: withPiMessage,
      agent_end: withPiMessages,
      notice: (frame, { printNotice }) => void printNotice(frame),
      pending_action_added: onlyForDecidingHost,
      pending_action_resolved: onlyForDecidingHost,
      todo_reminder: notSent,
      todo_auto_clear: notSent,
      ttsr_triggered: notSent,
      retry_fallback_applied: notSent,
      retry_fallback_succeeded: notSent,
      prompt_result: notSent,
      model_changed: notSent,
      available_commands_update: notSent,
    },
  },
};

/** The frame as it is written in a dialect; undefined when it is not sent. A frame that needs no change is the same object. */
export function toDialect<F extends Frame>(
  frame: F,
  dialect: Dialect,
  surroundings: DialectSurroundings,
): Frame | undefined {
  const { frames } = DIALECTS[dialect];
  return Object.hasOwn(frames, frame.type) ? frames[frame.type]!(frame as never, surroundings) : frame;
}

type Data = Record<string, unknown>;
type ResponseFrame = Frame & { command: string; success: boolean; data?: unknown };

/** By command. */
const PI_DATA: Readonly<Record<string, (data: Data) => Data>> = {
  // Clients of pi 1 read it from every accepted message; what became of a prompt only its handler knows.
  steer: () => ({ disposition: "queued" }),
  follow_up: () => ({ disposition: "queued" }),
  get_last_assistant_text: (data) => (data.text === null ? {} : data),
  get_messages: withPiMessages,
  get_messages_page: withPiMessages,
  get_entries: (data) => ({ ...data, entries: (data.entries as Data[]).map(toPiEntry) }),
  get_tree: (data) => ({ ...data, tree: (data.tree as Data[]).map(toPiTree) }),
};

function toPiResponse(frame: ResponseFrame): Frame {
  const { command, success, data = {} } = frame;
  if (!success || !Object.hasOwn(PI_DATA, command)) return frame;
  return { ...frame, data: PI_DATA[command]!(data as Data) } as Frame;
}

function withPiMessages<T extends object>(holder: T & { messages?: unknown }): T {
  return { ...holder, messages: (holder.messages as Data[]).map(toPiMessage) };
}

function withPiMessage<T extends Frame>(frame: T & { message: object }): T {
  const message = toPiMessage(frame.message);
  return message === frame.message ? frame : { ...frame, message };
}

type UpdateFrame = Frame & { message: object; assistantMessageEvent: { partial: object } };

/** `message` and `partial` stay the same object where they were: it is written once for both. */
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

/** pi has no idle compaction. */
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
