import type { EntryFacts, LoggedEntry } from "./entry-facts.ts";
import { firstMessageText } from "./entry-facts.ts";

/** A prompt, or another command that starts work, that the engine has accepted. */
export interface AcceptedCommand {
  /** The id that the owner of the lease assigned to it. */
  ref: string;
  key: string | null;
  command: string;
  /** The frame as the host sent it. */
  frame: string;
  /** The response without its id. */
  response: string;
  /** Its position in the conversation. */
  entryId: string | null;
  outcome: string | null;
}

/** A change of a command that is already in the table. */
export interface CommandChange {
  fence: number;
  ref: string;
  entryId: string | null;
  /** Set when the command has ended. */
  outcome: string | null;
  /** A later response: a prompt may fail after its first response. */
  response?: string;
}

/**
 * How many characters one commit may contain, so that it does not hold a lock for long. The remaining entries wait for
 * the next.
 */
const MAX_CHARS = 4 * 1024 * 1024;
const MAX_ENTRIES = 500;

/** The changes of one commit. */
export class Batch {
  readonly entries: LoggedEntry[] = [];
  readonly accepted = new Map<string, AcceptedCommand>();
  readonly changes = new Map<string, CommandChange>();
  /** Images that the entries refer to. */
  readonly blobs = new Set<string>();
  /** Commands that the next engine must receive again, as JSON. Undefined if unchanged. */
  kept: string | undefined;
  header: string | undefined;
  messages = 0;
  cost: number | undefined;
  name: string | null | undefined;
  firstMessage: string | undefined;
  /** The number of characters to write. */
  chars = 0;

  get isEmpty(): boolean {
    return this.entries.length + this.accepted.size + this.changes.size === 0 && this.kept === undefined;
  }

  get isFull(): boolean {
    return this.chars >= MAX_CHARS || this.entries.length >= MAX_ENTRIES;
  }

  append(entry: LoggedEntry, { isMessage, name, userText, cost }: EntryFacts): void {
    this.entries.push(entry);
    this.chars += entry.line.length;
    for (const [hash] of entry.line.matchAll(/(?<=blob:sha256:)[0-9a-f]{64}/g)) this.blobs.add(hash);
    if (isMessage) this.messages += 1;
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost;
    if (name !== undefined) this.name = name;
    if (userText) this.firstMessage ??= firstMessageText(userText);
  }

  accept(command: AcceptedCommand): void {
    this.accepted.set(command.ref, command);
    this.chars += command.frame.length;
  }

  /** A command that was accepted in this batch is stored with the change. */
  change(change: CommandChange, isOwn: boolean): void {
    const known = isOwn ? this.accepted.get(change.ref) : undefined;
    const key = `${change.fence} ${change.ref}`;
    const before = known ?? this.changes.get(key);
    const merged = {
      entryId: change.entryId ?? before?.entryId ?? null,
      outcome: change.outcome ?? before?.outcome ?? null,
      ...(change.response !== undefined && { response: change.response }),
    };
    if (known) Object.assign(known, merged);
    else this.changes.set(key, { fence: change.fence, ref: change.ref, ...merged });
  }
}
