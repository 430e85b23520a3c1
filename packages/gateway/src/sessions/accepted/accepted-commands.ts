import { isRecord } from "@pintle/ai";
import type { OutgoingCommand } from "../frame-hold.ts";
import { isSuccess } from "../sent-commands.ts";
import { dataIn } from "../snapshot.ts";
import type { AcceptedCommand, Batch } from "./batch.ts";

/** Commands whose acceptance is a promise: what they ask for comes later, and must survive the node. */
const PROMISES: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt", "continue_run"]);
/** Commands whose message becomes part of the conversation. */
const SPOKEN: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"]);

/** They take back what waits in a queue, and answer with what they took. */
const TAKES_BACK: ReadonlySet<string> = new Set(["clear_queue", "remove_queued"]);

type Change = (batch: Batch) => void;

/** What a command says in the conversation. */
export interface Spoken {
  text: string;
  images: unknown[];
}

/** The promises that this owner of the session has given and not kept yet. */
export class AcceptedCommands {
  readonly #fence: number;
  readonly #sent = new Map<string, OutgoingCommand>();
  /** By ref: the message, until it is in the conversation, then undefined. */
  readonly #open = new Map<string, Spoken | undefined>();

  constructor(fence: number) {
    this.#fence = fence;
  }

  sending(id: string, command: OutgoingCommand): void {
    if (PROMISES.has(command.command) || TAKES_BACK.has(command.command)) this.#sent.set(id, command);
  }

  /** Whether the engine has not answered it yet, and its answer would be a promise. */
  isSent(id: string): boolean {
    return this.#sent.has(id);
  }

  /** A response of the engine. Undefined if it promises nothing. */
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

  /** A message of the user has been stored: it is what one of them said, the oldest if none has that text. */
  entered(entryId: string, text: string): Change | undefined {
    const waiting = [...this.#open].filter(([, said]) => said !== undefined);
    const ref = (waiting.find(([, said]) => said?.text === text) ?? waiting[0])?.[0];
    if (ref === undefined) return undefined;
    this.#open.set(ref, undefined);
    return (batch) => batch.change({ fence: this.#fence, ref, entryId, outcome: null }, true);
  }

  /** `prompt_result`. */
  ended(line: string): Change | undefined {
    const { id, status } = JSON.parse(line) as { id?: unknown; status?: unknown };
    return typeof id === "string" && this.#open.has(id) ? this.#end(id, String(status)) : undefined;
  }

  /** Nothing is left to do for any of them. */
  allEnded(outcome: string): Change | undefined {
    if (this.#open.size === 0) return undefined;
    const ends = [...this.#open.keys()].map((ref) => this.#end(ref, outcome));
    return (batch) => {
      for (const end of ends) end(batch);
    };
  }

  /** Messages that are not stored yet, the oldest first. */
  unspoken(): Spoken[] {
    return [...this.#open.values()].filter((said) => said !== undefined);
  }

  /** The engine is gone: what it has not answered it will not. */
  forgetSent(): void {
    this.#sent.clear();
  }

  #end(ref: string, outcome: string, response?: string): Change {
    this.#open.delete(ref);
    const change = { fence: this.#fence, ref, entryId: null, outcome, ...(response !== undefined && { response }) };
    return (batch) => batch.change(change, true);
  }
}

/** The message of a stored command; undefined if it has none of its own. */
export function spokenIn(command: string, frame: string): Spoken | undefined {
  if (!SPOKEN.has(command)) return undefined;
  const fields: unknown = JSON.parse(frame);
  if (!isRecord(fields) || typeof fields.message !== "string") return undefined;
  return { text: fields.message, images: Array.isArray(fields.images) ? fields.images : [] };
}

/** The name of a session, in the form in which an engine stores it. */
export function nameEntry(name: string, parentId: string | null) {
  return { type: "session_info", id: newEntryId(), parentId, timestamp: new Date().toISOString(), name };
}

function newEntryId(): string {
  return crypto.getRandomValues(new Uint8Array(6)).toHex();
}

/** A message of the user, in the words of the host. */
export function spokenEntry({ text, images }: Spoken, parentId: string | null, time: Date) {
  const id = newEntryId();
  const content = [{ type: "text", text }, ...images];
  const message = { role: "user", content, timestamp: time.getTime() };
  return { type: "message", id, parentId, timestamp: time.toISOString(), message };
}
