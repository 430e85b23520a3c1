import { basename, join } from "node:path";
import { isSameFile } from "@pintle/foundation";
import { cwdDirectoryName } from "../file/session-paths.ts";
import { deletedPaths } from "./deleted-paths.ts";
import {
  type Candidate,
  candidatesIn,
  type ListingReader,
  mapLimited,
  pathsBelow,
  sessionPaths,
} from "./listing-reader.ts";
import { type SessionPage, type SessionQuery, sessionPage } from "./session-page.ts";
import { readSummary, type SessionSummary } from "./session-summary.ts";

/** Finds sessions by the beginning of their files, newest first. */
export class SessionListing {
  readonly #reader: ListingReader;
  readonly #sessionDir: string;

  constructor(reader: ListingReader, sessionDir: string) {
    this.#reader = reader;
    this.#sessionDir = sessionDir;
  }

  /** Returns the sessions of a working directory that have a message. */
  async list(cwd: string): Promise<SessionSummary[]> {
    const summaries = await this.#summaries(await this.#candidates(await this.#pathsFor(cwd)));
    return summaries.filter((summary) => summary.cwd === cwd && summary.hasMessages);
  }

  async listAll(): Promise<SessionSummary[]> {
    const summaries = await this.#summaries(await this.#candidates(await this.#allPaths()));
    return summaries.filter(({ hasMessages }) => hasMessages);
  }

  /** One page of the matching sessions that have a message. */
  async page(query: SessionQuery): Promise<SessionPage> {
    const paths = await this.#pathsOf(query);
    // A whole id is in the file's name. To search for it, every message of every session would be read.
    const named = paths.filter((path) => basename(path, ".jsonl").endsWith(`_${query.query?.trim()}`));
    const candidates = await this.#candidates(named.length > 0 ? named : paths);
    return sessionPage(this.#reader, this.#sessionDir, candidates, query);
  }

  /** Unique id prefixes, as far as the file names show. */
  async shortIds(ids: readonly string[]): Promise<Map<string, string>> {
    const names = (await this.#allPaths()).map((path) => basename(path, ".jsonl").replace(/^.*?_/, ""));
    return shortestPrefixes([...names, ...ids]);
  }

  /** Stops at the first match. */
  async mostRecent(cwd: string): Promise<SessionSummary | undefined> {
    for (const { path, modifiedAt } of await this.#candidates(await this.#pathsFor(cwd))) {
      const summary = await readSummary(this.#reader, path, modifiedAt);
      if (summary?.hasMessages && summary.cwd === cwd) return summary;
    }
    return undefined;
  }

  /** Sessions with this id prefix, including those without a message. Usually reads only file names. */
  async find(idPrefix: string): Promise<SessionSummary[]> {
    return this.#find(idPrefix, await this.#allPaths());
  }

  async findDeleted(id: string): Promise<SessionSummary[]> {
    const found = await this.#find(id, await deletedPaths(this.#reader, this.#sessionDir));
    return found.filter((session) => session.id === id);
  }

  /** Returns the session at a path, if the listing contains it. */
  async at(path: string): Promise<SessionSummary | undefined> {
    const known = (await this.#allPaths()).filter(
      (each) => each === path || (basename(each) === basename(path) && isSameFile(each, path)),
    );
    return (await this.#summaries(await this.#candidates(known.slice(0, 1))))[0];
  }

  async #find(idPrefix: string, paths: readonly string[]): Promise<SessionSummary[]> {
    const named = paths.filter((path) => basename(path).includes(`_${idPrefix}`));
    for (const candidates of [named, paths]) {
      const summaries = await this.#summaries(await this.#candidates(candidates));
      const found = summaries.filter(({ id }) => id.startsWith(idPrefix));
      if (found.length > 0) return found;
    }
    return [];
  }

  async #pathsOf({ cwd, deleted }: SessionQuery): Promise<string[]> {
    if (deleted) return deletedPaths(this.#reader, this.#sessionDir);
    return cwd === undefined ? this.#allPaths() : this.#pathsFor(cwd);
  }

  /** Two working directories may share a session directory, so the header decides. */
  async #pathsFor(cwd: string): Promise<string[]> {
    const directories = [join(this.#sessionDir, cwdDirectoryName(cwd)), this.#sessionDir];
    return (await Promise.all(directories.map((directory) => sessionPaths(this.#reader, directory)))).flat();
  }

  async #allPaths(): Promise<string[]> {
    return pathsBelow(this.#reader, this.#sessionDir);
  }

  #candidates(paths: readonly string[]): Promise<Candidate[]> {
    return candidatesIn(this.#reader, paths);
  }

  async #summaries(candidates: readonly Candidate[]): Promise<SessionSummary[]> {
    const read = ({ path, modifiedAt }: Candidate) => readSummary(this.#reader, path, modifiedAt);
    return (await mapLimited(candidates, read)).filter((summary) => summary !== undefined);
  }
}

const MIN_LENGTH = 8;

/** Returns the shortest unique prefix of each id, with a minimum length. */
export function shortestPrefixes(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1] ?? ""), sharedLength(id, sorted[at + 1] ?? ""));
      return [id, id.slice(0, Math.max(MIN_LENGTH, shared + 1))];
    }),
  );
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
