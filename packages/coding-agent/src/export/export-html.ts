import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createRedactor } from "@pintle/ai/secrets";
import { replaceFile } from "@pintle/foundation";
import { SessionError, type SessionManager, SessionStore } from "@pintle/storage";
import { homeDirectory } from "../config/home-dir.ts";
import { checkTarget, defaultPageName } from "./export-target.ts";
import { buildContent } from "./page-content.ts";
import { pageChunks } from "./page-document.ts";
import { storedSubagents } from "./stored-subagents.ts";

export interface ExportOptions {
  /** An open session, or a session file, which is read without a lock and not changed. */
  source: { manager: SessionManager } | { path: string };
  /** Relative paths are resolved against it. */
  cwd: string;
  /** Default: `pintle-session-<name of the session's file>.html` in `cwd`. */
  outputPath?: string;
  /** Whether to mask known secrets and strings that look like a key or password; default: true. */
  redact?: boolean;
  /** The known secrets. */
  secrets?: readonly string[];
  /** Version of this program, for the page's footer. */
  version: string;
  /** The system prompt and tools, if known; the file does not contain them. */
  systemPrompt?: string;
  tools?: readonly { name: string; description: string }[];
  /** Default: the current user's. */
  blobDir?: string;
  /** Problems in the session file that do not prevent the export. */
  report?: (problem: string) => void;
}

/** Writes a session as one self-contained page. The session does not change, and the page is written completely or not at all. */
export async function exportHtml(options: ExportOptions): Promise<{ path: string }> {
  const { source, cwd } = options;
  const blobDir = options.blobDir ?? join(homeDirectory(process.env), "blobs");
  if ("manager" in source) return writePage(source.manager, { ...options, blobDir });
  const manager = await openForReading({ ...options, blobDir }, resolve(cwd, source.path));
  try {
    return await writePage(manager, { ...options, blobDir });
  } finally {
    manager.close();
  }
}

type Prepared = ExportOptions & { blobDir: string };

function openForReading({ cwd, blobDir, report }: Prepared, path: string): Promise<SessionManager> {
  // An empty file is a new session, so there is nothing to export.
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) {
    throw new SessionError("invalid_request", `Cannot export session "${path}": the file is empty`);
  }
  const store = new SessionStore({
    cwd,
    sessionDir: dirname(path),
    blobDir,
    clock: { now: Date.now },
    process: { pid: process.pid, host: "", startedAt: "" }, // only a writer needs an identity
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
  const subagents = storedSubagents(sessionFile, {
    open: (path) => openForReading(options, path),
    report: options.report ?? (() => {}),
  });
  const content = await buildContent(manager, {
    subagents,
    generator: `pintle ${version}`,
    blobDir,
    ...(redact && { redactor: createRedactor(secrets) }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(tools && { tools }),
  });
  // Only the owner may read a conversation, unless the owner decides otherwise.
  replaceFile(path, { content: pageChunks(content), isPrivate: true });
  return { path };
}
