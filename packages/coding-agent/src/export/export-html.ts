import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { homeDirectory } from "../config/home-dir.ts";
import { replaceFile } from "../files/replace-file.ts";
import { createRedactor } from "../secrets/redact.ts";
import { SessionError } from "../storage/session-error.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import { SessionStore } from "../storage/session-store.ts";
import { checkTarget, defaultPageName } from "./export-target.ts";
import { buildContent } from "./page-content.ts";
import { pageChunks } from "./page-document.ts";

export interface ExportOptions {
  /** An open session, or the file of one; a file is read without a lock and is not changed. */
  source: { manager: SessionManager } | { path: string };
  /** Relative paths are resolved against it. */
  cwd: string;
  /** Default: `pintle-session-<name of the session's file>.html` in `cwd`. */
  outputPath?: string;
  /** Mask known secrets and what looks like a key or a password. Default true. */
  redact?: boolean;
  /** The known ones. */
  secrets?: readonly string[];
  /** Of this program, for the page's footer. */
  version: string;
  /** What the model was told, where that is known; the file does not say. */
  systemPrompt?: string;
  tools?: readonly { name: string; description: string }[];
  /** Default: the one of this user. */
  blobDir?: string;
  /** What is wrong with the session's file, although it can be read. */
  report?: (problem: string) => void;
}

/** Writes a session as one page that needs nothing else. The session is not changed; the page is there as a whole or not. */
export async function exportHtml(options: ExportOptions): Promise<{ path: string }> {
  const { source, cwd } = options;
  const blobDir = options.blobDir ?? join(homeDirectory(process.env), "blobs");
  if ("manager" in source) return writePage(source.manager, { ...options, blobDir });
  const manager = await openForReading(resolve(cwd, source.path), { ...options, blobDir });
  try {
    return await writePage(manager, { ...options, blobDir });
  } finally {
    manager.close();
  }
}

type Prepared = ExportOptions & { blobDir: string };

function openForReading(path: string, { cwd, blobDir, report }: Prepared): Promise<SessionManager> {
  // To a run an empty file is a session that begins; there is nothing in it that a page could show.
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) {
    throw new SessionError("invalid_request", `Cannot export session "${path}": the file is empty`);
  }
  const store = new SessionStore({
    cwd,
    sessionDir: dirname(path),
    blobDir,
    clock: { now: Date.now },
    process: { pid: process.pid, host: "", startedAt: "" }, // only a writer has to say who it is
    notify: ({ message }) => report?.(message),
  });
  return store.open(path, { access: "read" });
}

async function writePage(manager: SessionManager, options: Prepared): Promise<{ path: string }> {
  const { sessionFile } = manager;
  if (sessionFile === undefined) {
    throw new SessionError("invalid_request", "Cannot export in-memory session to HTML");
  }
  const { cwd, outputPath, blobDir, redact = true, secrets = [], version, systemPrompt, tools } = options;
  const path = resolve(cwd, outputPath ?? defaultPageName(sessionFile));
  checkTarget(path, sessionFile);
  const content = await buildContent(manager, {
    generator: `pintle ${version}`,
    blobDir,
    ...(redact && { redactor: createRedactor(secrets) }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(tools && { tools }),
  });
  // A conversation is for its owner alone to read, until the owner says otherwise.
  replaceFile(path, { content: pageChunks(content), isPrivate: true });
  return { path };
}
