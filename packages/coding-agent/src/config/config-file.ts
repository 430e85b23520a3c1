import { readFileSync, statSync } from "node:fs";

/** Says what is wrong with the configuration. The text names file and field, and never holds a value from the file. */
export type ReportProblem = (text: string) => void;

export interface FileFacts {
  /** Changes whenever the file does. */
  version: string;
  /** Permission bits. */
  mode: number;
}

/** undefined: there is no such file, which is the usual case. */
export function fileFacts(path: string): FileFacts | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && { version: `${stats.ino}:${stats.mtimeMs}:${stats.size}`, mode: stats.mode & 0o777 };
  } catch {
    return { version: "unreadable", mode: 0 }; // reading it will say why
  }
}

/** The content of a file that may hold keys. Engines quote the text they stumble over, so their messages are not used. */
export function readConfigFile(path: string): { value: unknown } | { problem: string } {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, ""); // editors on Windows put a byte order mark first
  } catch (error) {
    return { problem: `cannot be read (${errorCode(error)})` };
  }
  const isYaml = path.endsWith(".yml");
  try {
    return { value: isYaml ? Bun.YAML.parse(text) : JSON.parse(text) };
  } catch {
    return { problem: isYaml ? "is not valid YAML" : "is not valid JSON (no comments, no trailing commas)" };
  }
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}
