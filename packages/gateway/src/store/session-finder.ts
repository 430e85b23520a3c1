import { closeSync, openSync, readSync } from "node:fs";
import { isRecord } from "@pintle/ai";
import type { ListedSession } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import { notAllowed, type Roots, realPathOf } from "./roots.ts";
import type { StoredSession } from "./session-store.ts";
import type { StoreEngine } from "./store-engine.ts";

type FileSession = StoredSession & { sessionFile: string };

const MAX_HEADER_BYTES = 64 * 1024;
const PAGE = 256;

/** Finds a session by its id or path. Ids are resolved by the listing only. */
export class SessionFinder {
  readonly #engine: StoreEngine;
  readonly #roots: Roots;

  constructor(engine: StoreEngine, roots: Roots) {
    this.#engine = engine;
    this.#roots = roots;
  }

  /** Rejects with CommandError: `not_found`, or `not_allowed` if the session is outside the roots. */
  async resolve(idOrPath: string): Promise<FileSession> {
    const isPath = /[/\\]|\.jsonl$/.test(idOrPath);
    const found = isPath ? await this.#atPath(idOrPath) : await this.#withId(idOrPath);
    if (!found) throw new CommandError("not_found", `There is no session ${idOrPath}`);
    const cwd = this.#roots.directory(found.cwd);
    return { sessionId: found.sessionId, sessionFile: found.sessionFile, cwd };
  }

  async #withId(id: string): Promise<FileSession | undefined> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#engine.ask("list_sessions", { query: id, limit: PAGE, ...(cursor && { cursor }) });
      const found = page.sessions.find(({ sessionId }: ListedSession) => sessionId === id);
      if (found || page.nextCursor === undefined) return found;
      cursor = page.nextCursor;
    }
  }

  /** Accepts a path that the listing contains or that is inside the roots. */
  async #atPath(path: string): Promise<FileSession | undefined> {
    const real = realPathOf(path);
    const header = real === undefined ? undefined : readHeader(real);
    if (real === undefined || !header) return undefined;
    const listed = await this.#withId(header.id);
    if (listed && realPathOf(listed.sessionFile) === real) return listed;
    if (!this.#roots.has(real)) throw notAllowed(path);
    return { sessionId: header.id, sessionFile: real, cwd: header.cwd };
  }
}

/** Returns id and directory from the first line of a session file, or undefined if it is not one. */
function readHeader(file: string): { id: string; cwd: string } | undefined {
  const bytes = Buffer.alloc(MAX_HEADER_BYTES);
  try {
    const descriptor = openSync(file, "r");
    try {
      const length = readSync(descriptor, bytes);
      const header: unknown = JSON.parse(bytes.toString("utf8", 0, length).split("\n", 1)[0]!);
      const isHeader = isRecord(header) && typeof header.id === "string" && typeof header.cwd === "string";
      return isHeader ? { id: header.id as string, cwd: header.cwd as string } : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined; // unreadable, or not a session file
  }
}
