import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { errorCode as codeOf } from "../files/system-error.ts";
import { findJsonFault } from "./json-place.ts";
import { findYamlFault } from "./yaml-place.ts";

/** Configuration is written by hand; what is larger than this is something else. */
const MAX_BYTES = 1024 * 1024;

export interface ConfigText {
  /** Without a byte order mark, which editors on Windows put first. */
  text: string;
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
}

/** Holds no text of the file: any of it may be a key. */
export type FileProblem = { problem: string };

/** undefined: there is no such file. */
export function readConfigText(path: string): ConfigText | FileProblem | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe would stop the program at its start.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : unreadable(error);
  }
  try {
    return readOpenFile(descriptor);
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(descriptor);
  }
}

function readOpenFile(descriptor: number): ConfigText | FileProblem {
  const facts = fstatSync(descriptor);
  if (!facts.isFile()) return { problem: "is not a file" };
  if (facts.size > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES / 1024} KiB and is not read` };
  const bytes = readFileSync(descriptor);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, bytes, mode: facts.mode & 0o777 };
  } catch {
    return { problem: "is not UTF-8 text" };
  }
}

/** Follows from the name a file is looked for under, not from where a link by that name leads. */
export type FileFormat = "json" | "yaml";

export function formatOf(path: string): FileFormat {
  return path.endsWith(".yml") ? "yaml" : "json";
}

const PARSERS: Record<FileFormat, { parse: (text: string) => unknown; problem: (text: string) => string }> = {
  json: { parse: JSON.parse, problem: notJson },
  yaml: { parse: (text) => Bun.YAML.parse(text) ?? {}, problem: notYaml }, // an empty file holds null
};

function notJson(text: string): string {
  const { line, column } = findJsonFault(text);
  return `is not valid JSON at line ${line}, column ${column} (no comments, no trailing commas)`;
}

function notYaml(text: string): string {
  return `is not valid YAML at line ${findYamlFault(text, isYaml)}`;
}

function isYaml(text: string): boolean {
  try {
    Bun.YAML.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Engines quote the text they stumble over, so their messages are not used. */
export function parseConfigText(text: string, format: FileFormat): { value: unknown } | FileProblem {
  const { parse, problem } = PARSERS[format];
  try {
    return { value: parse(text) };
  } catch {
    return { problem: problem(text) };
  }
}

export function unreadable(error: unknown): FileProblem {
  return { problem: `cannot be read (${errorCode(error)})` };
}

export function errorCode(error: unknown): string {
  return codeOf(error) ?? "unknown error";
}
