import { statSync } from "node:fs";
import { type FileProblem, formatOf, parseConfigText, readConfigText } from "./config-text.ts";

/** Reports a problem with the configuration. The text names file and field, and never contains a value from the file. */
export type ReportProblem = (text: string) => void;

export interface FileFacts {
  /** Changes whenever the file does. */
  version: string;
  /** Permission bits. */
  mode: number;
}

/** Returns undefined if there is no such file, which is the usual case. */
export function fileFacts(path: string): FileFacts | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && { version: `${stats.ino}:${stats.mtimeMs}:${stats.size}`, mode: stats.mode & 0o777 };
  } catch {
    return { version: "unreadable", mode: 0 }; // reading it reports the reason
  }
}

/** Reads a file that may contain keys. */
export function readConfigFile(path: string): { value: unknown } | FileProblem {
  const content = readConfigText(path) ?? { problem: "cannot be read (ENOENT)" };
  return "problem" in content ? content : parseConfigText(content.text, formatOf(path));
}
