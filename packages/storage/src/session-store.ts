import { join, resolve } from "node:path";
import type { Clock } from "@pintle/agent";
import { type Disk, type ProcessIdentity, systemDisk } from "@pintle/foundation";
import { BlobStore } from "./entries/blob-store.ts";
import { type IdSource, randomIds } from "./entries/entry-ids.ts";
import { createHeader, type SessionEnvironment } from "./file/session-environment.ts";
import type { FsyncPolicy, StorageNotice } from "./file/session-file.ts";
import { SessionLock } from "./file/session-lock.ts";
import { cwdDirectoryName, sessionFileName } from "./file/session-paths.ts";
import { type ListingReader, systemListingReader } from "./listing/listing-reader.ts";
import { SessionListing } from "./listing/session-listing.ts";
import type { SessionPage, SessionQuery } from "./listing/session-page.ts";
import type { SessionSummary } from "./listing/session-summary.ts";
import { openSession } from "./open-session.ts";
import { SessionError } from "./session-error.ts";
import { SessionManager } from "./session-manager.ts";
import { SessionTrash } from "./session-trash.ts";

export interface SessionStoreOptions {
  /** Working directory of new sessions; relative paths are resolved against it. */
  cwd: string;
  sessionDir: string;
  /** Directory for new files; by default one directory per working directory. */
  isFlat?: boolean;
  blobDir: string;
  clock: Pick<Clock, "now">;
  /** Identity of this process for locks. */
  process: ProcessIdentity;
  /** When data must be flushed to disk. Default `turn`: whenever `sync` is called. */
  fsync?: FsyncPolicy;
  /** Where large images are stored. Default `blob`; programs without blob support need `inline`. */
  images?: "blob" | "inline";
  /** Receives notices for the user. */
  notify?: (notice: StorageNotice) => void;
  ids?: IdSource;
  disk?: Disk;
  listingReader?: ListingReader;
}

export interface NewSessionOptions {
  id?: string;
  /** Origin of the session, as stated by the host. */
  parentSession?: string;
  /** Default: that of the store. */
  cwd?: string;
  /** Default: a new name in `sessionDir`. */
  path?: string;
}

/** Names a session by its id or its path. */
export interface SessionReference {
  sessionId?: string | undefined;
  sessionPath?: string | undefined;
}

const MAX_REMEMBERED = 1_000;

/** Stores sessions. Creating one is cheap: no file is touched before there is something to store. */
export class SessionStore {
  readonly #options: SessionStoreOptions;
  readonly #environment: SessionEnvironment;
  readonly #listing: SessionListing;
  readonly #trash: SessionTrash;
  /** Sessions created here, by path. A host may return to one even if nothing was stored. */
  readonly #unwritten = new Map<string, SessionManager>();

  constructor(options: SessionStoreOptions) {
    const { disk = systemDisk, ids = randomIds, clock, process } = options;
    const now = () => clock.now();
    this.#options = options;
    this.#environment = {
      disk,
      ids,
      now,
      fsync: options.fsync ?? "turn",
      images: options.images ?? "blob",
      blobs: new BlobStore(disk, options.blobDir),
      notify: options.notify ?? (() => {}),
      // The message clock may run ahead, because no two messages share a time; other processes do not know it.
      lock: (path) => SessionLock.acquire(path, { disk, process, now: Date.now }),
    };
    this.#listing = new SessionListing(options.listingReader ?? systemListingReader, options.sessionDir);
    const { lock } = this.#environment;
    this.#trash = new SessionTrash({ disk, sessionDir: options.sessionDir, lock, now: Date.now });
  }

  create({ path, ...fields }: NewSessionOptions = {}): SessionManager {
    const { cwd, sessionDir, isFlat = false } = this.#options;
    const header = createHeader(this.#environment, { cwd, ...fields });
    const fileName = sessionFileName(Date.parse(header.timestamp), header.id);
    const directory = isFlat ? sessionDir : join(sessionDir, cwdDirectoryName(cwd));
    const file = { path: path === undefined ? join(directory, fileName) : resolve(cwd, path) };
    const made = new SessionManager(this.#environment, { header, file });
    return this.#remember(file.path, made);
  }

  /** Creates a session whose file is directly in a directory. */
  createIn(directory: string): SessionManager {
    const id = this.#environment.ids.session();
    return this.create({ id, path: join(directory, sessionFileName(this.#environment.now(), id)) });
  }

  createInMemory(fields: Omit<NewSessionOptions, "path"> = {}): SessionManager {
    return new SessionManager(this.#environment, {
      header: createHeader(this.#environment, { cwd: this.#options.cwd, ...fields }),
    });
  }

  /** Opens a session again that was only in memory and has been closed. */
  reopen(left: SessionManager): SessionManager {
    return new SessionManager(this.#environment, { header: left.header, entries: left.entries() });
  }

  /** Opens a session and locks its file unless it is read-only. A failure changes nothing. */
  async open(path: string, { access = "write" }: { access?: "write" | "read" } = {}): Promise<SessionManager> {
    const { cwd } = this.#options;
    const absolute = resolve(cwd, path);
    const left = this.#unwritten.get(absolute);
    if (left?.isUnwritten && !isThere(this.#environment.disk, absolute)) return this.#again(left, absolute);
    return openSession(this.#environment, { path: absolute, cwd, access });
  }

  /** Reopens a session for which nothing was stored. */
  #again(left: SessionManager, path: string): SessionManager {
    const { header } = left;
    return this.#remember(
      path,
      new SessionManager(this.#environment, { header, entries: left.entries(), file: { path } }),
    );
  }

  #remember(path: string, made: SessionManager): SessionManager {
    for (const [known, { isUnwritten }] of this.#unwritten) {
      if (!isUnwritten || this.#unwritten.size >= MAX_REMEMBERED) this.#unwritten.delete(known);
    }
    this.#unwritten.set(path, made);
    return made;
  }

  /** Opens the newest session of this working directory, or a new one. */
  async continueRecent(): Promise<SessionManager> {
    const recent = await this.#listing.mostRecent(this.#options.cwd);
    return recent ? this.open(recent.path) : this.create();
  }

  /** Lists the sessions of a working directory that have a message, newest first. */
  list(cwd: string = this.#options.cwd): Promise<SessionSummary[]> {
    return this.#listing.list(cwd);
  }

  listAll(): Promise<SessionSummary[]> {
    return this.#listing.listAll();
  }

  /** Returns one page of the matching sessions, newest first. */
  page(query: SessionQuery): Promise<SessionPage> {
    return this.#listing.page(query);
  }

  /** Returns the shortest unique prefix of each id. */
  shortIds(ids: readonly string[]): Promise<Map<string, string>> {
    return this.#listing.shortIds(ids);
  }

  /** Finds a stored session by its full id, or by a path from the listing. */
  async locate({ sessionId, sessionPath }: SessionReference): Promise<SessionSummary> {
    if (sessionId === undefined) {
      const path = resolve(this.#options.cwd, sessionPath ?? "");
      const found = await this.#listing.at(path);
      if (!found) throw new SessionError("not_found", `Session file not found: ${path}`);
      return found;
    }
    const found = (await this.find(sessionId)).filter(({ id }) => id === sessionId);
    const [only, second] = found;
    if (!only) throw new SessionError("not_found", `Session not found: ${sessionId}`);
    if (second) throw new SessionError("invalid_request", `${found.length} files have this id: give the path of one`);
    return only;
  }

  /** Moves a session to the trash folder. Throws if a process has it open. */
  delete({ path }: SessionSummary): void {
    this.#trash.put(path);
  }

  /** Restores a session. If several have this id, the one that was deleted last. */
  async restore(sessionId: string): Promise<SessionSummary> {
    const found = await this.#listing.findDeleted(sessionId);
    // The name of a trash folder starts with the time of the deletion.
    const [last] = found.sort((a, b) => (a.path < b.path ? 1 : -1));
    if (!last) throw new SessionError("not_found", `Deleted session not found: ${sessionId}`);
    return { ...last, path: this.#trash.restore(last.path) };
  }

  /** Sessions with this id prefix, including those without a message, newest first. */
  find(idPrefix: string): Promise<SessionSummary[]> {
    return this.#listing.find(idPrefix);
  }
}

function isThere(disk: Disk, path: string): boolean {
  return disk.statSync(path, { throwIfNoEntry: false }) !== undefined;
}
