import { errorText, isRecord } from "@pintle/ai";
import {
  AcceptedCommands,
  Batch,
  entryFacts,
  type FrameHold,
  frameType,
  type HoldTarget,
  isSuccess,
  keepsForNext,
  type OutgoingCommand,
  RepeatedCommands,
  type Spoken,
  spokenEntry,
} from "@pintle/gateway/cluster";
import { LogWriter, type LogWriterParts } from "./log-writer.ts";

export interface CommitBufferParts extends Omit<LogWriterParts, "listener"> {
  session: HoldTarget;
  /** Id of the newest entry in the log. */
  lastEntryId: string | undefined;
  /** The first line of the session file, once it exists. Undefined if it is already stored. */
  header: (() => string | undefined) | undefined;
  log(text: string): void;
}

/** A line to pass on, or an action in its place, and what must be committed first. */
interface Held {
  line?: string;
  action?: () => void;
  effect?: ((batch: Batch) => void) | undefined;
}

const ENTRY_START = '{"type":"entry_appended","entry":';
const ID_START = '{"id":"';
/** Held back while the database is unavailable. Above this, the worker is no longer read. */
const MAX_HELD_CHARS = 32 * 1024 * 1024;

/**
 * Commits what a worker reports as stored or promised before anything later is passed on. What arrives during a commit is part
 * of the next one.
 */
export class CommitBuffer implements FrameHold {
  readonly #parts: CommitBufferParts;
  readonly #writer: LogWriter;
  readonly #accepted: AcceptedCommands;
  readonly #repeated = new RepeatedCommands();
  readonly #repeatable = new Map<string, OutgoingCommand>();
  #queue: Held[] = [];
  #heldChars = 0;
  #isPumping = false;
  #isClosed = false;
  #whenDrained: (() => void)[] = [];
  /** Entries since the session was opened. A new worker may report them again. */
  readonly #known = new Set<string>();
  #lastEntryId: string | undefined;
  #header: (() => string | undefined) | undefined;
  /** The log contains something that the session file lacks, so the next worker needs a new file. */
  isFileBehind = false;
  #questions = 0;
  /** Id of the request for the existing entries, and what arrived before its response. */
  #asking: { id: string; early: string[] } | undefined;

  constructor(parts: CommitBufferParts) {
    const { session, lease, storeTimeoutMs } = parts;
    this.#parts = parts;
    this.#lastEntryId = parts.lastEntryId;
    this.#header = parts.header;
    this.#accepted = new AcceptedCommands(lease.fence);
    const seconds = Math.round(storeTimeoutMs / 1_000);
    this.#writer = new LogWriter({
      ...parts,
      listener: {
        degraded: (reason) => {
          parts.log(`session ${lease.sessionId}: ${reason}; its output is held back`);
          session.emit("store_degraded", { message: "The session's output is held back until it is stored" });
        },
        tooLong: () => {
          session.abort();
          const message = `The database has been unavailable for ${seconds} s: the run is aborted`;
          session.emit("store_degraded", { message, aborted: true });
        },
        recovered: () => session.emit("store_degraded", { message: "The database answers again", recovered: true }),
      },
    });
  }

  /**
   * Returns the lines that request entries which were stored but never emitted: the start of a copy, or the last ones of a
   * worker that died.
   */
  introduction(): string[] {
    this.#questions += 1;
    const id = `log${this.#questions}`;
    this.#asking = { id, early: [] };
    const since = this.#lastEntryId === undefined ? {} : { since: this.#lastEntryId };
    return [JSON.stringify({ type: "get_entries", id, ...since })];
  }

  sending(id: string, command: OutgoingCommand): void {
    this.#accepted.sending(id, command);
    if (keepsForNext(command.command)) this.#repeatable.set(id, command);
  }

  push(line: string): void {
    if (this.#isClosed) return;
    const asking = this.#asking;
    if (!asking) this.#hold({ line, effect: this.#effectOf(line) });
    else if (!line.startsWith(`${ID_START}${asking.id}"`)) asking.early.push(line);
    else {
      this.#asking = undefined;
      if (this.#takeEntries(line)) for (const one of asking.early) this.push(one);
    }
  }

  afterHeld(action: () => void): void {
    this.#passEarly();
    if (this.#isClosed) action();
    else this.#hold({ action });
  }

  workerDied(): void {
    this.#passEarly();
    this.#accepted.forgetSent();
    this.#repeatable.clear();
    const spoken = this.#accepted.unspoken().map((one) => this.#speak(one));
    const ended = this.#accepted.allEnded("worker_exited");
    if (!ended) return;
    if (spoken.length > 0) this.isFileBehind = true;
    this.#hold({
      effect: (batch) => {
        for (const effect of [...spoken, ended]) effect?.(batch);
      },
    });
  }

  /** Appends a prompt that was accepted but never written by the engine, in the host's words. */
  #speak(spoken: Spoken): ((batch: Batch) => void) | undefined {
    const entry = spokenEntry(spoken, this.#lastEntryId ?? null, new Date());
    return this.#append(entry, () => JSON.stringify(entry));
  }

  /** Commits what the new owner records about the commands of previous owners. */
  record(effect: (batch: Batch) => void): void {
    this.#hold({ effect });
  }

  backPressure(): Promise<void> | undefined {
    return this.#heldChars > MAX_HELD_CHARS ? this.drained() : undefined;
  }

  drained(): Promise<void> {
    if (this.isDrained) return Promise.resolve();
    return new Promise((resolve) => this.#whenDrained.push(resolve));
  }

  get isDrained(): boolean {
    return this.#isClosed || !this.#isPumping;
  }

  /** From now on nothing is committed or passed on. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#heldChars = 0;
    this.#writer.close();
    for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  #hold(held: Held): void {
    if (!this.#isPumping && !held.effect) {
      this.#release(held);
      return;
    }
    this.#queue.push(held);
    this.#heldChars += held.line?.length ?? 0;
    if (this.#isPumping) return;
    this.#isPumping = true;
    queueMicrotask(() => void this.#pump()); // output in the same chunk is included; never rejects
  }

  async #pump(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = new Batch();
      let count = 0;
      for (const { effect } of this.#queue) {
        if (batch.isFull) break;
        effect?.(batch);
        count += 1;
      }
      if (!batch.isEmpty && !(await this.#commit(batch))) return;
      if (this.#isClosed) return;
      for (const held of this.#queue.splice(0, count)) this.#release(held);
    }
    this.#isPumping = false;
    for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  /** Returns false if it will never be committed. */
  async #commit(batch: Batch): Promise<boolean> {
    const header = batch.entries.length > 0 ? this.#header?.() : undefined;
    if (header !== undefined) batch.header = header;
    try {
      await this.#writer.commit(batch);
      if (header !== undefined) this.#header = undefined;
      return true;
    } catch (error) {
      if (this.#isClosed) return false;
      this.#parts.log(errorText(error));
      this.#giveUp();
      return false;
    }
  }

  /** Gives up, so that the session is reopened from the log. */
  #giveUp(): void {
    this.close();
    this.#parts.session.moved();
  }

  #release({ line, action }: Held): void {
    if (line !== undefined) {
      this.#heldChars -= this.#isPumping ? line.length : 0;
      this.#parts.session.pass(line);
    }
    action?.();
  }

  #passEarly(): void {
    const early = this.#asking?.early ?? [];
    this.#asking = undefined;
    for (const line of early) this.push(line);
  }

  /** Handles the response to the request from `introduction`. Returns false if the worker's history differs from the log. */
  #takeEntries(line: string): boolean {
    const { success, data, error } = JSON.parse(line) as { success: boolean; data?: unknown; error?: string };
    if (!success || !isRecord(data) || !Array.isArray(data.entries)) {
      this.#parts.log(
        `the engine of the session ${this.#parts.lease.sessionId} has a different history from the log: ${error}`,
      );
      this.#giveUp();
      return false;
    }
    for (const entry of data.entries) {
      if (isRecord(entry)) this.#hold({ effect: this.#append(entry, () => JSON.stringify(entry)) });
    }
    return true;
  }

  #effectOf(line: string): ((batch: Batch) => void) | undefined {
    const type = frameType(line);
    if (type === undefined) return this.#effectOfResponse(line);
    if (type === "entry_appended") return this.#entryAppended(line);
    if (type === "session_info_changed") return this.#sessionChanged(line);
    if (type === "prompt_result") return this.#accepted.ended(line);
    return type === "session_settled" ? this.#accepted.allEnded("settled") : undefined;
  }

  #effectOfResponse(line: string): ((batch: Batch) => void) | undefined {
    if (!line.startsWith(ID_START)) return undefined;
    const end = line.indexOf('"', ID_START.length);
    const [id, tail] = [line.slice(ID_START.length, end), line.slice(end + 2)];
    const repeatable = this.#repeatable.get(id);
    if (!repeatable) return this.#accepted.answered(id, tail);
    this.#repeatable.delete(id);
    if (!isSuccess(tail)) return undefined;
    this.#repeated.accepted(repeatable.command, repeatable.fields);
    const kept = JSON.stringify(this.#repeated.lines());
    return (batch) => {
      batch.kept = kept;
    };
  }

  /** Restores commands that apply to the session and are not in its file, as the previous owner stored them. */
  keep(lines: readonly string[]): void {
    for (const line of lines) this.#repeated.keep(line);
  }

  #entryAppended(line: string): ((batch: Batch) => void) | undefined {
    const { entry } = JSON.parse(line) as { entry: Record<string, unknown> };
    return this.#append(entry, () =>
      line.startsWith(ENTRY_START) ? line.slice(ENTRY_START.length, -1) : JSON.stringify(entry),
    );
  }

  /** If an extension opens another session in the worker, its entries must not be appended to this one. */
  #sessionChanged(line: string): undefined {
    const { sessionId } = JSON.parse(line) as { sessionId?: unknown };
    const { lease, log } = this.#parts;
    if (sessionId === undefined || sessionId === lease.sessionId) return;
    log(`an extension has opened another session in the engine of ${lease.sessionId}, which a store does not follow`);
    this.#giveUp();
  }

  #append(entry: Record<string, unknown>, line: () => string): ((batch: Batch) => void) | undefined {
    const entryId = String(entry.id);
    if (this.#known.has(entryId)) return undefined;
    this.#known.add(entryId);
    this.#lastEntryId = entryId;
    const facts = entryFacts(entry);
    const logged = { entryId, line: line() };
    const entered = facts.userText === undefined ? undefined : this.#accepted.entered(entryId, facts.userText);
    return (batch) => {
      batch.append(logged, facts);
      entered?.(batch);
    };
  }
}
