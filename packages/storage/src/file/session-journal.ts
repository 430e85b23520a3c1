import { dirname, join } from "node:path";
import { isTooDeep, MAX_ENTRY_NESTING, TOO_DEEP_TEXT } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import type { EntryFields, EntryOf, EntryType, SessionHeader } from "../entries/entries.ts";
import { encodeEntry } from "../entries/entry-codec.ts";
import { freshEntryId } from "../entries/entry-ids.ts";
import { EntryLog } from "../entries/entry-log.ts";
import { withoutTransientFields } from "../entries/transient-fields.ts";
import { SessionError } from "../session-error.ts";
import { createHeader, type SessionEnvironment } from "./session-environment.ts";
import { type AppendOutcome, type ExistingFile, SessionFile } from "./session-file.ts";
import { sessionFileName } from "./session-paths.ts";

/** Entries that justify a file; a chosen model or thinking level alone does not. */
const CREATES_FILE: ReadonlySet<string> = new Set<EntryType>(["message", "custom_message"]);

export interface SessionParts {
  header: SessionHeader;
  entries?: Iterable<SessionEntry>;
  /** Undefined if the session is in memory only. */
  file?: { path: string; existing?: ExistingFile };
  /** Session name from the header. */
  title?: string;
  /** Why the session is read-only, for the user. */
  readOnlyReason?: string;
  /** False if no entry refers to an image outside the file. */
  hasBlobs?: boolean;
}

export interface AppendOptions {
  /** Default: a new one. */
  id?: string;
  /** Default: now. */
  timestamp?: number;
  excludeFromContext?: boolean;
  /** Creates the file even if nothing so far justifies one. */
  createFile?: boolean;
}

/** Owns a session's header, entries, leaf and file. An append has reached the operating system when it returns. */
export class SessionJournal {
  readonly log: EntryLog;
  /** Receives every entry after it was written. */
  onAppend: (entry: SessionEntry) => void = () => {};
  readonly #environment: SessionEnvironment;
  readonly #title: string | undefined;
  #header: SessionHeader;
  #file: SessionFile | undefined;
  #leafId: string | null;
  #readOnlyReason: string | undefined;
  #hasBlobs: boolean;

  constructor(environment: SessionEnvironment, parts: SessionParts) {
    const { header, entries, file, title, readOnlyReason, hasBlobs = true } = parts;
    this.#hasBlobs = hasBlobs;
    this.log = new EntryLog(entries);
    this.#environment = environment;
    this.#title = title;
    this.#header = header;
    this.#file = file && this.#makeFile(file.path, file.existing);
    this.#leafId = this.log.all.at(-1)?.id ?? null;
    this.#readOnlyReason = readOnlyReason;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  get path(): string | undefined {
    return this.#file?.path;
  }

  get isUnwritten(): boolean {
    return this.#file?.isAbsent === true;
  }

  get leafId(): string | null {
    return this.#leafId;
  }

  get isReadOnly(): boolean {
    return this.#readOnlyReason !== undefined;
  }

  get name(): string | undefined {
    return this.#orTitle(this.log.name);
  }

  /** The name as it was when that entry was added. */
  nameBefore(id: string): string | undefined {
    return this.#orTitle(this.log.nameBefore(id));
  }

  /** Whether messages may refer to images outside the file. */
  get hasBlobs(): boolean {
    return this.#hasBlobs;
  }

  newEntryId(): string {
    return freshEntryId(this.#environment.ids, (id) => this.log.has(id));
  }

  append<T extends EntryType>(type: T, fields: EntryFields[T], options: AppendOptions = {}): EntryOf<T> {
    this.requireWritable();
    const draft = withoutTransientFields({
      type,
      id: options.id ?? this.newEntryId(),
      parentId: this.#leafId,
      timestamp: new Date(options.timestamp ?? this.#environment.now()).toISOString(),
      ...fields,
      ...(options.excludeFromContext && { excludeFromContext: true }),
    });
    if (isTooDeep(draft, MAX_ENTRY_NESTING)) throw new SessionError("invalid_request", `The entry is ${TOO_DEEP_TEXT}`);
    const file = this.#file;
    const creates = file?.isAbsent && (options.createFile || CREATES_FILE.has(type));
    const { entry, line } = file && (creates || !file.isAbsent) ? this.#encode(draft) : { entry: draft, line: "" };
    this.log.add(entry);
    this.#leafId = entry.id;
    if (file) this.#settle(creates ? file.create() : file.append(line));
    this.onAppend(entry);
    return entry as EntryOf<T>;
  }

  moveLeaf(id: string | null): void {
    if (id !== null) this.log.get(id);
    this.#leafId = id;
  }

  /** Sets a name before the file exists. */
  titleHeader(title: string): void {
    if (!this.#file?.isAbsent) return;
    this.#header = { ...this.#header, title, titleSource: "user" };
  }

  /** Creates the file of a session that starts with a history. */
  storeHistory(): void {
    if (this.#file && this.log.all.some(({ type }) => CREATES_FILE.has(type))) this.#settle(this.#file.createWhole());
  }

  /** Returns false if a write still fails. */
  sync(): boolean {
    if (!this.#file || this.isReadOnly) return true;
    const outcome = this.#file.sync();
    this.#settle(outcome);
    return outcome !== "unsaved";
  }

  /** The same, without waiting for the disk. */
  syncSoon(): void {
    if (this.#file && !this.isReadOnly) this.#settle(this.#file.syncSoon());
  }

  /** Closes the journal; later appends are refused. */
  close(): void {
    this.sync();
    this.#file?.close();
    this.#readOnlyReason ??= "The session is closed";
  }

  requireWritable(): void {
    if (this.#readOnlyReason !== undefined) throw new SessionError("invalid_request", this.#readOnlyReason);
  }

  #orTitle(name: string | null | undefined): string | undefined {
    return name === undefined ? (this.#title ?? this.#header.title) : (name ?? undefined);
  }

  #settle(outcome: AppendOutcome): void {
    if (outcome === "foreign") this.#continueElsewhere();
  }

  /** Two writers would corrupt both conversations, so this one continues in a new file with everything it has. */
  #continueElsewhere(): void {
    const left = this.#file!;
    left.close();
    const title = this.name;
    this.#header = createHeader(this.#environment, {
      cwd: this.#header.cwd,
      parentSession: left.path,
      cacheKey: this.#header.providerPromptCacheKey || this.#header.id,
      ...(title !== undefined && { title }),
    });
    const fileName = sessionFileName(this.#environment.now(), this.#header.id);
    this.#file = this.#makeFile(join(dirname(left.path), fileName));
    this.#file.createWhole();
    this.#environment.notify({
      level: "warning",
      message: `Session file ${left.path} was changed by another process. This conversation continues in ${this.#file.path}.`,
    });
  }

  #makeFile(path: string, existing?: ExistingFile): SessionFile {
    const { disk, fsync, now, notify, lock } = this.#environment;
    const content = {
      header: () => this.#header,
      count: () => this.log.all.length,
      lines: (from: number) => this.#lines(from),
    };
    return new SessionFile({ path, ...content, disk, fsync, now, notify, lock }, existing);
  }

  *#lines(from: number): Iterable<string> {
    for (let index = from; index < this.log.all.length; index += 1) {
      yield this.#encode(this.log.all[index]!).line;
    }
  }

  #encode(entry: SessionEntry): { entry: SessionEntry; line: string } {
    const { images, blobs } = this.#environment;
    const encoded = encodeEntry(entry, images === "blob" ? blobs : undefined);
    if (encoded.entry !== entry) this.#hasBlobs = true;
    return encoded;
  }
}
