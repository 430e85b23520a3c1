import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalPaths, isInside, isSystemError } from "@pintle/foundation";
import type { Place } from "../access-plan.ts";
import type { ExecFiles } from "../exec-files.ts";
import type { SandboxPolicy } from "../policy.ts";
import { possibleRedirects, protectedLinks, startUpParts } from "../protected-parts.ts";
import { cleanCommand, waitingProgram } from "./cleaner.ts";
import { cleanUp, type Journal, makePlaceholder, type Placeholder, writeJournal } from "./journal.ts";
import { OwnerLocks } from "./owner-locks.ts";

const RETRY_MS = 5;

interface Owner {
  path: string;
  /** The prefix of its file names. */
  prefix: string;
  locks: OwnerLocks;
}

/**
 * Creates the files that a command needs on the disk only while it runs. A name that does not exist cannot be protected, so a
 * placeholder is created, a mount protects it, and it is removed when the last command that relies on it has ended. The first process of
 * every command holds a lock for each directory with such names; a process that finds the lock free removes what is left. If pintle is
 * killed, a small process that was waiting for this does so; if that is killed too, the next command in the same directory does.
 */
export class Placeholders {
  readonly #files: ExecFiles;
  readonly #policy: SandboxPolicy;
  readonly #owners: readonly Owner[];
  #cleaners: string[][] = [];

  private constructor(files: ExecFiles, policy: SandboxPolicy, owners: readonly Owner[]) {
    this.#files = files;
    this.#policy = policy;
    this.#owners = owners;
  }

  /** Takes the locks. Call this before examining places, because it removes the leftovers of a killed command. */
  static async open(directory: string, files: ExecFiles, policy: SandboxPolicy): Promise<Placeholders> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const owners: Owner[] = [];
    try {
      for (const path of ownersOf(policy)) {
        const name = `placeholders-${new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 32)}`;
        const prefix = join(directory, name);
        const locks = new OwnerLocks(directory, name);
        owners.push({ path, prefix, locks });
        if (locks.tryTo("write")) cleanUpAll(prefix);
        while (!locks.tryTo("read")) await Bun.sleep(RETRY_MS); // another process is cleaning up, which takes a moment
      }
    } catch (error) {
      for (const { locks } of owners) locks.release();
      throw error;
    }
    return new Placeholders(files, policy, owners);
  }

  get locks(): string[] {
    return this.#owners.flatMap(({ locks }) => locks.paths);
  }

  /** Creates the places that are missing. */
  async make(places: readonly Place[]): Promise<void> {
    const unowned = places.find(({ missing }) => missing && !this.#owners.some(({ path }) => path === missing.owner));
    if (unowned) throw new Error(`${unowned.path} is protected and belongs to no directory of the policy`);
    const writable = writablePlaces(this.#policy);
    const links = protectedLinks(this.#policy, (path) => writable.some((place) => isInside(place, path)));
    for (const { path, prefix, locks } of this.#owners) {
      const made = places.flatMap((place) => toPlaceholder(place, path));
      const kept = links.filter(({ owner }) => real(owner)[0] === path);
      const journal: Journal = { made, redirects: possibleRedirects(path), links: kept };
      if (Object.values(journal).every(({ length }) => length === 0)) continue;
      const journalPath = `${prefix}.${crypto.randomUUID()}.json`;
      writeFileSync(`${prefix}.pending`, "", { mode: 0o600 });
      writeJournal(journalPath, journal);
      const image = waitingProgram(process.arch === "arm64" ? "arm64" : "x64", locks.paths, `${prefix}.pending`);
      this.#cleaners.push([await this.#files.program(image), ...cleanCommand(prefix, journalPath, journal)]);
      for (const placeholder of made) makePlaceholder(placeholder);
    }
  }

  /** Returns the command line that starts the cleaners and then becomes the command. */
  guarded(command: readonly [string, ...string[]]): [string, ...string[]] {
    if (this.#cleaners.length === 0) return [...command];
    const starts = this.#cleaners.map(
      (words) => `(cd / && exec ${words.map(quote).join(" ")}) </dev/null >/dev/null 2>&1 4>&- &`,
    );
    return ["/bin/sh", "-c", `${starts.join(" ")} exec "$@"`, "sh", ...command];
  }

  /** Call this once, when the command has ended or was not started. */
  release(): void {
    for (const { prefix, locks } of this.#owners) {
      // Otherwise another command still relies on them, and they are removed when it ends or by its cleaner.
      if (locks.tryTo("write")) cleanUpAll(prefix);
      locks.release();
    }
  }
}

/** Returns the writable directories that have protected parts. */
function ownersOf(policy: SandboxPolicy): string[] {
  if (policy.mode !== "workspace-write") return [];
  const writable = writablePlaces(policy);
  const canonical = canonicalPaths();
  const starting = startUpParts(policy).filter(({ path }) => {
    const real = leadsTo(path, canonical);
    return writable.some((place) => isInside(place, real));
  });
  const repositories = policy.write.flatMap((place) => [place, join(place, ".git")]);
  const owners = [...policy.workspaces, ...repositories, ...starting.map(({ owner }) => owner)];
  return [...new Set(owners.flatMap(real))].sort();
}

function writablePlaces({ workspaces, temp, write }: SandboxPolicy): string[] {
  return [...workspaces, ...temp, ...write].flatMap(real);
}

/** Returns where a path leads, even if it does not exist. */
function leadsTo(path: string, canonical: (path: string) => string): string {
  try {
    return canonical(path);
  } catch (error) {
    if (isSystemError(error)) return path; // no command can reach it either
    throw error;
  }
}

function toPlaceholder({ path, isDirectory, missing }: Place, owner: string): Placeholder[] {
  return missing?.owner === owner ? [{ path, isDirectory, content: isDirectory ? "" : missing.content }] : [];
}

function cleanUpAll(prefix: string): void {
  const directory = dirname(prefix);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (path.startsWith(`${prefix}.`) && path.endsWith(".json")) cleanUp(path);
  }
  rmSync(`${prefix}.pending`, { force: true });
}

function real(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
