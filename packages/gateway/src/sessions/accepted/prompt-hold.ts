import { isRecord } from "@pintle/ai";
import type { FrameHold, HoldTarget, OpenHold, OutgoingCommand } from "../frame-hold.ts";
import { isSuccess } from "../sent-commands.ts";
import { frameType } from "../session-frame.ts";
import { dataIn } from "../snapshot.ts";
import { AcceptedCommands } from "./accepted-commands.ts";
import { Batch } from "./batch.ts";
import { entryFacts } from "./entry-facts.ts";
import { type LostPrompts, PromptFile, type SentAt } from "./prompt-file.ts";

type Change = ((batch: Batch) => void) | undefined;

const ID_START = '{"id":"';
const STORE_ID = "accepted";
const AT_ONCE = Promise.resolve();

/**
 * The hold of a session without a log. The engine stores everything before it reports it, except prompts, which it first accepts.
 * The hold keeps a prompt until its entry is reported, and sends it to the next engine if this one dies before that.
 */
export class PromptHold implements FrameHold {
  readonly #session: HoldTarget;
  readonly #file: PromptFile;
  readonly #accepted = new AcceptedCommands(0);
  #lost: LostPrompts;
  #lastEntryId: string | undefined;
  #asked = 0;
  readonly #sentAt = new Map<string, SentAt>();

  constructor(session: HoldTarget, file: PromptFile) {
    this.#session = session;
    this.#file = file;
    this.#lost = file.read();
    if (this.#lost.prompts.length === 0) file.clear();
  }

  introduction(): string[] {
    const { prompts, since } = this.#lost;
    if (prompts.length === 0) return [];
    this.#asked += 1;
    const lost = prompts.map(({ text, images, acceptedAt }) => ({
      message: text,
      acceptedAt,
      ...(images.length > 0 && { images }),
    }));
    return [JSON.stringify({ type: "store_prompts", id: this.#storeId, prompts: lost, since })];
  }

  sending(id: string, command: OutgoingCommand): void {
    this.#accepted.sending(id, command);
    if (this.#accepted.isSent(id)) this.#sentAt.set(id, { acceptedAt: Date.now(), since: this.#lastEntryId });
  }

  push(line: string): void {
    if (line.startsWith(`${ID_START}${this.#storeId}"`)) this.#stored(line);
    else {
      const change = this.#changeOf(line);
      if (change) this.#write(change);
      this.#session.pass(line);
    }
  }

  afterHeld(action: () => void): void {
    action();
  }

  workerDied(): void {
    this.#accepted.forgetSent();
    this.#accepted.allEnded("worker_exited");
    this.#sentAt.clear();
    const { prompts, since } = this.#lost;
    this.#lost = { prompts: [...prompts, ...this.#file.takeOpen()], since: this.#lastEntryId ?? since };
  }

  backPressure(): undefined {
    return undefined;
  }

  drained(): Promise<void> {
    return AT_ONCE;
  }

  get #storeId(): string {
    return `${STORE_ID}${this.#asked}`;
  }

  #stored(line: string): void {
    const tail = line.slice(line.indexOf('"', ID_START.length) + 2);
    if (!isSuccess(tail)) return; // the next engine receives the prompt again
    const data = dataIn(tail);
    const ids = isRecord(data) && Array.isArray(data.entryIds) ? data.entryIds : [];
    this.#lastEntryId = (ids.at(-1) as string | undefined) ?? this.#lastEntryId;
    this.#lost = { prompts: [], since: undefined };
    this.#file.clear();
  }

  #write(change: Exclude<Change, undefined>): void {
    const batch = new Batch();
    change(batch);
    this.#file.write(batch, (ref) => this.#takeSentAt(ref));
  }

  #takeSentAt(ref: string): SentAt {
    const sent = this.#sentAt.get(ref) ?? { acceptedAt: Date.now(), since: this.#lastEntryId };
    this.#sentAt.delete(ref);
    return sent;
  }

  #changeOf(line: string): Change {
    const type = frameType(line);
    if (type === undefined) return this.#changeOfResponse(line);
    if (type === "entry_appended") return this.#entryAppended(line);
    if (type === "prompt_result") return this.#accepted.ended(line);
    return type === "session_settled" ? this.#accepted.allEnded("settled") : undefined;
  }

  #changeOfResponse(line: string): Change {
    if (!line.startsWith(ID_START)) return undefined;
    const end = line.indexOf('"', ID_START.length);
    const id = line.slice(ID_START.length, end);
    return this.#accepted.answered(id, line.slice(end + 2));
  }

  #entryAppended(line: string): Change {
    const { entry } = JSON.parse(line) as { entry: Record<string, unknown> };
    this.#lastEntryId = String(entry.id);
    const { userText } = entryFacts(entry);
    return userText === undefined ? undefined : this.#accepted.entered(this.#lastEntryId, userText);
  }
}

/** Keeps the prompts in a file next to `sessionFile`. */
export function promptHold(sessionFile: string, log: (text: string) => void): OpenHold {
  return (session) => new PromptHold(session, new PromptFile(`${sessionFile}.accepted`, log));
}
