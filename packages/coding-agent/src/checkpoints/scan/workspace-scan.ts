import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isSystemError } from "@pintle/foundation";
import type { CoverageReason } from "../coverage.ts";
import { isSameRecorded, type PathChange, type Recorded, type RecordedState } from "../recorded-state.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { type IgnorePattern, lastMatch, parsePatterns } from "./ignore-patterns.ts";
import { IgnoreFiles, type IgnoreRules } from "./ignore-rules.ts";
import { lstatIfThere, readState } from "./read-state.ts";
import type { ScanCache } from "./scan-cache.ts";

export type ScanFailure = Exclude<CoverageReason, "home_directory" | "setting">;

/** The workspace cannot be scanned within the limits. */
export class ScanRefused extends Error {
  readonly reason: ScanFailure;

  constructor(reason: ScanFailure) {
    super(`The workspace cannot be scanned: ${reason}`);
    this.reason = reason;
  }
}

export interface ScanLimits {
  maxFileBytes: number;
  maxFiles: number;
  /** Of the first scan. */
  maxBytes: number;
  /** Of the first scan. */
  timeoutMs: number;
}

export interface WorkspaceScanParts {
  /** Real paths of directories. */
  roots: readonly string[];
  /** The real path of pintle's own directory, which is never scanned. */
  home: string;
  /** Patterns of ignored files that are covered nevertheless. */
  include: readonly string[];
  limits: ScanLimits;
  objects: ObjectStore;
  cache: ScanCache;
}

/** The covered files of the workspace at a point in time. */
export interface Snapshot {
  states: Map<string, RecordedState>;
  rules: IgnoreRules;
}

/** How long the event loop may be blocked. */
const SLICE_MS = 15;
/** A file that changed this recently may change again without a new time stamp. */
const RACY_MS = 50;
const CHECK_EVERY = 128;
/** Equal to none of a file. */
const NO_VERSION = { ino: 0, size: 0, mode: 0, mtimeMs: -1, ctimeMs: -1 };

/** Finds the files of a workspace by the rules of `find` and `grep`, and stores the contents of those that have changed. */
export class WorkspaceScan {
  readonly #parts: WorkspaceScanParts;
  readonly #ignoreFiles = new IgnoreFiles();
  readonly #included: readonly IgnorePattern[];

  constructor(parts: WorkspaceScanParts) {
    this.#parts = parts;
    this.#included = parsePatterns(parts.include.join("\n"));
  }

  /** Throws ScanRefused above a limit, and the signal's reason. */
  async scan(signal?: AbortSignal): Promise<Snapshot> {
    const { objects, cache, roots } = this.#parts;
    const pass: Pass = {
      snapshot: { states: new Map(), rules: this.#ignoreFiles.begin() },
      pack: objects.openPack(),
      isFirst: !cache.isComplete,
      startedAt: Date.now(),
      sliceEnd: performance.now() + SLICE_MS,
      count: 0,
      signal,
    };
    try {
      for (const root of roots) await this.#walk(root, pass);
      pass.pack.commit();
      pass.pack.close();
    } catch (error) {
      pass.pack.discard();
      const isFull = errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";
      throw isFull ? new ScanRefused("disk_space") : error;
    }
    cache.finish(pass.snapshot.states);
    return pass.snapshot;
  }

  /** Returns what differs in the later snapshot. */
  compare(earlier: Snapshot, later: Snapshot): PathChange[] {
    const changes: PathChange[] = [];
    for (const [path, after] of later.states) {
      const before = earlier.states.get(path) ?? null;
      if (before === after || isSameRecorded(before, after)) continue;
      // A file that was ignored until now is not new.
      if (before || !this.#wasHidden(earlier, path)) changes.push({ path, before, after });
    }
    for (const [path, before] of earlier.states) {
      if (later.states.has(path)) continue;
      // A file that is ignored from now on is not deleted.
      const after = lstatIfThere(path) ? this.#read(path) : null;
      if (!isSameRecorded(before, after)) changes.push({ path, before, after });
    }
    return changes;
  }

  #read(path: string): Recorded {
    const { objects, limits } = this.#parts;
    return readState(path, { maxFileBytes: limits.maxFileBytes, put: (bytes) => objects.put(bytes) });
  }

  #wasHidden({ rules }: Snapshot, path: string): boolean {
    const root = this.#parts.roots.find((directory) => path.startsWith(withSlash(directory)));
    return root !== undefined && rules.wasIgnored(root, path) && !this.#isIncluded(path);
  }

  #isIncluded(path: string): boolean {
    const match = lastMatch(this.#included, path.slice(1), false);
    return match !== undefined && !match.isNegated;
  }

  async #walk(root: string, pass: Pass): Promise<void> {
    const directories = [root];
    for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
      if (directory === this.#parts.home) continue;
      const entries = entriesOf(directory);
      if (!entries) {
        this.#keepKnown(directory, pass);
        continue;
      }
      const { rules } = pass.snapshot;
      const own = rules.enter(directory, new Set(entries.flatMap(({ name }) => (name.startsWith(".") ? name : []))));
      const hasPatterns = rules.hasPatterns(own);
      const prefix = withSlash(directory);
      for (const entry of entries) {
        const { name } = entry;
        if (name === ".git") continue;
        const path = prefix + name;
        const isDirectory = entry.isDirectory();
        const isIgnored = hasPatterns && rules.isIgnored(path, isDirectory, own);
        if (isIgnored && (isDirectory || !this.#isIncluded(path))) continue;
        if (isDirectory) directories.push(path);
        else if (entry.isFile() || entry.isSymbolicLink()) this.#add(path, pass);
        pass.count += 1;
        if (pass.count % CHECK_EVERY === 0) await this.#pause(pass);
      }
    }
  }

  #add(path: string, { snapshot: { states }, pack, ...pass }: Pass): void {
    const { cache, limits } = this.#parts;
    const stats = lstatIfThere(path);
    if (!stats) return;
    if (states.size >= limits.maxFiles) throw new ScanRefused("too_many_files");
    const known = cache.find(path, stats);
    if (known) {
      states.set(path, known);
      return;
    }
    const state = readState(path, { maxFileBytes: limits.maxFileBytes, put: (bytes) => pack.add(bytes) }, stats);
    if (!state) return;
    states.set(path, state);
    // A file that changes while it is read gets a version that no later scan matches.
    const isRacy = stats.ctimeMs > pass.startedAt - RACY_MS;
    cache.put(path, isRacy ? NO_VERSION : stats, state);
  }

  /** A directory that is unreadable now has not lost its files. */
  #keepKnown(directory: string, { snapshot: { states } }: Pass): void {
    if (!lstatIfThere(directory)?.isDirectory()) return;
    for (const [path, state] of this.#parts.cache.below(withSlash(directory))) states.set(path, state);
  }

  async #pause(pass: Pass): Promise<void> {
    const { limits } = this.#parts;
    pass.signal?.throwIfAborted();
    if (pass.isFirst) {
      if (Date.now() - pass.startedAt > limits.timeoutMs) throw new ScanRefused("too_slow");
      if (pass.pack.bytes > limits.maxBytes) throw new ScanRefused("too_large");
    }
    if (performance.now() < pass.sliceEnd) return;
    await new Promise((resolve) => setImmediate(resolve));
    pass.sliceEnd = performance.now() + SLICE_MS;
  }
}

interface Pass {
  snapshot: Snapshot;
  pack: ReturnType<ObjectStore["openPack"]>;
  isFirst: boolean;
  startedAt: number;
  sliceEnd: number;
  count: number;
  signal: AbortSignal | undefined;
}

/** Returns undefined if the directory cannot be read. */
function entriesOf(directory: string): Dirent[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

const withSlash = (directory: string) => (directory.endsWith("/") ? directory : join(directory, "/"));
