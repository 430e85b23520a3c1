import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentMessage, createSystemClock } from "@pintle/agent";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { describeProcess } from "../../../foundation/src/files/process-identity.ts";
import type { SessionHeader } from "../../src/entries/entries.ts";
import type { StorageNotice } from "../../src/file/session-file.ts";
import type { SessionManager } from "../../src/session-manager.ts";
import { SessionStore, type SessionStoreOptions } from "../../src/session-store.ts";

export const CWD = "/home/project";
export const THIS_PROCESS = describeProcess();

/** A directory for the running test, removed when it ends. */
export function freshDirectory(): string {
  const path = scratchPath();
  return path;
}

export interface TestStore {
  store: SessionStore;
  home: string;
  notices: StorageNotice[];
}

export function testStore(options: Partial<SessionStoreOptions> & { home?: string } = {}): TestStore {
  const { home = freshDirectory(), ...rest } = options;
  const notices: StorageNotice[] = [];
  const store = new SessionStore({
    cwd: CWD,
    sessionDir: join(home, "sessions"),
    blobDir: join(home, "blobs"),
    clock: createSystemClock(),
    process: THIS_PROCESS,
    notify: (notice) => notices.push(notice),
    ...rest,
  });
  return { store, home, notices };
}

export function header(fields: Partial<SessionHeader> = {}): SessionHeader {
  return { type: "session", version: 3, id: "s-1", timestamp: "2026-01-01T00:00:00.000Z", cwd: CWD, ...fields };
}

/** Returns a message entry with the given id, as in a line of a file. */
export function messageEntry(id: string, parentId: string | null, message: AgentMessage): Record<string, unknown> {
  return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:01.000Z", message };
}

export function stateEntry(
  type: string,
  id: string,
  parentId: string | null,
  fields: object = {},
): Record<string, unknown> {
  return { type, id, parentId, timestamp: "2026-01-01T00:00:01.000Z", ...fields };
}

/** Writes a file with these records; strings are written unchanged. */
export function writeSession(
  records: readonly (object | string)[],
  path = join(freshDirectory(), "session.jsonl"),
): string {
  writeFileSync(
    path,
    records.map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`).join(""),
  );
  return path;
}

export function recordsOf(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Returns the text of a conversation, for easy comparison. */
export function texts(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => {
    if ("summary" in message) return `[${message.summary}]`;
    if (!("content" in message)) return message.role;
    if (typeof message.content === "string") return message.content;
    return message.content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("");
  });
}

/** Returns everything in a session that a reload must restore. */
export function stateOf(session: SessionManager): unknown {
  return JSON.parse(
    JSON.stringify({
      id: session.sessionId,
      name: session.name,
      header: session.header,
      entries: session.entries(),
      labels: [...session.labels],
      tree: session.tree(),
      users: session.userMessages(),
      context: session.buildContext(),
    }),
  );
}
