import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment } from "../program.ts";

/** An environment for the built program: a home, and working directories. */
export interface Machine extends Disposable {
  root: string;
  cwd: string;
  env: Record<string, string>;
  sessionDir: string;
}

/** Answers come from the offline model, which needs no key and no network. */
export function machine(extra: Record<string, string> = {}): Machine {
  const scratch = scratchDirectory();
  return {
    root: scratch.path,
    cwd: scratch.path,
    env: cleanEnvironment(scratch.path, extra),
    sessionDir: join(scratch.path, ".pintle/sessions"),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

/** Returns all session files below a directory, oldest name first. */
export function sessionFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(directory, name));
}

export interface StoredSession {
  id: string;
  cwd: string;
  parentSession?: string;
  name?: string;
  /** Returns the user's messages. */
  prompts: string[];
}

/** Reads a file's content without the session store. */
export function readSession(path: string): StoredSession {
  const [header, ...entries] = readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const name = entries.findLast((entry) => entry.type === "session_info")?.name;
  const said = entries.filter((entry) => entry.type === "message" && entry.message.role === "user");
  return {
    id: header.id,
    cwd: header.cwd,
    ...(header.parentSession !== undefined && { parentSession: header.parentSession }),
    ...(name !== undefined && { name }),
    prompts: said.map((entry) => entry.message.content.map((block: { text: string }) => block.text).join("")),
  };
}
