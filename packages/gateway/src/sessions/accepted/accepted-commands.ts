import { isRecord } from "@pintle/ai";
import type { OutgoingCommand } from "../frame-hold.ts";
import { isSuccess } from "../sent-commands.ts";
import { dataIn } from "../snapshot.ts";
import type { AcceptedCommand, Batch } from "./batch.ts";

/** Commands that start work after their response. Work that was accepted must survive the loss of the node. */
const PROMISES: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt", "continue_run"]);
/** Commands whose message becomes part of the conversation. */
const SPOKEN: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"]);

/** Commands that remove queued messages and return them. */
const TAKES_BACK: ReadonlySet<string> = new Set(["clear_queue", "remove_queued"]);

type Change = (batch: Batch) => void;

/** The message that a command adds to the conversation. */
export interface Spoken {
  text: string;
  images: unknown[];
}

/** The commands that this owner of the session has accepted but not finished. */
export class AcceptedCommands {
  readonly #fence: number;
  readonly #sent = new Map<string, OutgoingCommand>();
  /** By ref: the message, or undefined once it is part of the conversation. */
  readonly #open = new Map<string, Spoken | undefined>();

  constructor(fence: number) {
    this.#fence = fence;
  }

  sending(id: string, command: OutgoingCommand): void {
    if (PROMISES.has(command.command) || TAKES_BACK.has(command.command)) this.#sent.set(id, command);
  }

  /** Whether the engine has not responded yet, and success would start work. */
  isSent(id: string): boolean {
    return this.#sent.has(id);
  }

  /** Handles a response of the engine. Returns undefined if it starts no work. */
  answered(id: string, tail: string): Change | undefined {
    if (this.#open.has(id)) return isSuccess(tail) ? undefined : this.#end(id, "failed", tail); // a late failure
    const sent = this.#sent.get(id);
    if (!sent) return undefined;
    this.#sent.delete(id);
    if (!isSuccess(tail)) return undefined;
    const { command, key, fields } = sent;
    if (TAKES_BACK.has(command)) return this.#takeBack(dataIn(tail));
    const frame = JSON.stringify(fields);
    this.#open.set(id, spokenIn(command, frame));
    const accepted: AcceptedCommand = {
      ref: id,
      key: key ?? null,
      command,
      frame,
      response: tail,
      entryId: null,
      outcome: null,
    };
    return (batch) => batch.accept(accepted);
  }

  #takeBack(data: unknown): Change | undefined {
    const { steering = [], followUp = [], text } = (isRecord(data) ? data : {}) as Record<string, unknown>;
    const ends = [steering, followUp, text].flat().flatMap((taken) => {
      const ref = [...this.#open].find(([, said]) => said !== undefined && said.text === taken)?.[0];
      return ref === undefined ? [] : [this.#end(ref, "taken_back")];
    });
    if (ends.length === 0) return undefined;
    return (batch) => {
      for (const end of ends) end(batch);
    };
  }

  /** Matches a stored user message with the command that sent it: the oldest one, if none has that text. */
  entered(entryId: string, text: string): Change | undefined {
    const waiting = [...this.#open].filter(([, said]) => said !== undefined);
    const ref = (waiting.find(([, said]) => said?.text === text) ?? waiting[0])?.[0];
    if (ref === undefined) return undefined;
    this.#open.set(ref, undefined);
    return (batch) => batch.change({ fence: this.#fence, ref, entryId, outcome: null }, true);
  }

  /** Handles `prompt_result`. */
  ended(line: string): Change | undefined {
    const { id, status } = JSON.parse(line) as { id?: unknown; status?: unknown };
    return typeof id === "string" && this.#open.has(id) ? this.#end(id, String(status)) : undefined;
  }

  /** Ends all commands, because nothing is left to do for any of them. */
  allEnded(outcome: string): Change | undefined {
    if (this.#open.size === 0) return undefined;
    const ends = [...this.#open.keys()].map((ref) => this.#end(ref, outcome));
    return (batch) => {
      for (const end of ends) end(batch);
    };
  }

  /** Returns the messages that are not stored yet, oldest first. */
  unspoken(): Spoken[] {
    return [...this.#open.values()].filter((said) => said !== undefined);
  }

  /** Drops the commands without a response, because the engine is gone. */
  forgetSent(): void {
    this.#sent.clear();
  }

  #end(ref: string, outcome: string, response?: string): Change {
    this.#open.delete(ref);
    const change = { fence: this.#fence, ref, entryId: null, outcome, ...(response !== undefined && { response }) };
    return (batch) => batch.change(change, true);
  }
}

/** Returns the message of a stored command, or undefined if it has none. */
export function spokenIn(command: string, frame: string): Spoken | undefined {
  if (!SPOKEN.has(command)) return undefined;
  const fields: unknown = JSON.parse(frame);
  if (!isRecord(fields) || typeof fields.message !== "string") return undefined;
  return { text: fields.message, images: Array.isArray(fields.images) ? fields.images : [] };
}

/** Returns the name of a session in the form in which an engine stores it. */
export function nameEntry(name: string, parentId: string | null) {
  return { type: "session_info", id: newEntryId(), parentId, timestamp: new Date().toISOString(), name };
}

function newEntryId(): string {
  return crypto.getRandomValues(new Uint8Array(6)).toHex();
}

/** Returns the user message as the host sent it. */
export function spokenEntry({ text, images }: Spoken, parentId: string | null, time: Date) {
  const id = newEntryId();
  const content = [{ type: "text", text }, ...images];
  const message = { role: "user", content, timestamp: time.getTime() };
  return { type: "message", id, parentId, timestamp: time.toISOString(), message };
}
