import { isRecord } from "@pintle/ai";
import type { CommandOnItsWay } from "../../sessions/line-gate.ts";
import { isSuccess } from "../../sessions/sent-commands.ts";
import type { AcceptedCommand, Batch } from "./batch.ts";

/** Commands whose acceptance is a promise: what they ask for comes later, and must survive the node. */
const PROMISES: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt", "continue_run"]);
/** They say something that will stand in the conversation. */
const SPOKEN: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"]);

type Change = (batch: Batch) => void;

/** The promises that this owner of the session has given and not kept yet. */
export class AcceptedCommands {
  readonly #fence: number;
  readonly #sent = new Map<string, CommandOnItsWay>();
  /** By ref: what was said, until it stands in the conversation, then undefined. */
  readonly #open = new Map<string, string | undefined>();

  constructor(fence: number) {
    this.#fence = fence;
  }

  sending(id: string, command: CommandOnItsWay): void {
    if (PROMISES.has(command.command)) this.#sent.set(id, command);
  }

  /** A response of the engine. Undefined: it promises nothing. */
  answered(id: string, tail: string): Change | undefined {
    if (this.#open.has(id)) return isSuccess(tail) ? undefined : this.#end(id, "failed", tail); // a late failure
    const sent = this.#sent.get(id);
    if (!sent) return undefined;
    this.#sent.delete(id);
    if (!isSuccess(tail)) return undefined;
    const { command, key, fields } = sent;
    this.#open.set(id, SPOKEN.has(command) ? String(fields.message ?? "") : undefined);
    const accepted: AcceptedCommand = {
      ...{ ref: id, key: key ?? null, command, response: tail, entryId: null, outcome: null },
      frame: JSON.stringify(fields),
    };
    return (batch) => batch.accept(accepted);
  }

  /** A message of the user has been stored: it is what one of them said, the oldest if none has that text. */
  entered(entryId: string, text: string): Change | undefined {
    const waiting = [...this.#open].filter(([, said]) => said !== undefined);
    const ref = (waiting.find(([, said]) => said === text) ?? waiting[0])?.[0];
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

  /** Something was said that stands nowhere yet. */
  get hasUnspoken(): boolean {
    return [...this.#open.values()].some((said) => said !== undefined);
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

/** What a stored command said; undefined: it says nothing by itself. */
export function spokenIn(command: string, frame: string): { text: string; images: unknown[] } | undefined {
  if (!SPOKEN.has(command)) return undefined;
  const fields: unknown = JSON.parse(frame);
  if (!isRecord(fields) || typeof fields.message !== "string") return undefined;
  return { text: fields.message, images: Array.isArray(fields.images) ? fields.images : [] };
}
