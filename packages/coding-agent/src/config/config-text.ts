import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { errorCode as codeOf } from "@pintle/foundation";

/** Configuration is written by hand, so a larger file is something else. */
const MAX_BYTES = 1024 * 1024;

export interface ConfigText {
  /** Without the byte order mark that editors on Windows add. */
  text: string;
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
}

/** Contains no text from the file, because any of it may be a key. */
export type FileProblem = { problem: string };

/** Returns undefined if there is no such file. */
export function readConfigText(path: string): ConfigText | FileProblem | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe would block the program at startup.
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

/** Derived from the file's name, not from the target of a link with that name. */
export type FileFormat = "json" | "yaml";

export function formatOf(path: string): FileFormat {
  return path.endsWith(".yml") ? "yaml" : "json";
}

/** Parsers that report where an error is. Most files need neither, because the runtime's own parsers read them. */
export const documents = {
  get json(): typeof import("./documents/json-document.ts") {
    return require("./documents/json-document.ts");
  },
  get yaml(): typeof import("./documents/yaml-document.ts") {
    return require("./documents/yaml-document.ts");
  },
};

type Parsed = { value: unknown } | FileProblem;

const PARSERS: Record<FileFormat, { parse: (text: string) => unknown; parseAgain: (text: string) => Parsed }> = {
  json: { parse: JSON.parse, parseAgain: parseJsonc },
  yaml: { parse: (text) => Bun.YAML.parse(text) ?? {}, parseAgain: notYaml }, // an empty file is null
};

function parseJsonc(text: string): Parsed {
  try {
    const read = documents.json.readJsonc(text);
    if ("value" in read) return read;
    return { problem: `is not valid JSON at line ${read.fault.line}, column ${read.fault.column}` };
  } catch (error) {
    if (error instanceof RangeError) return { problem: "is not valid JSON: it is nested too deeply" };
    throw error;
  }
}

function notYaml(text: string): FileProblem {
  try {
    const line = documents.yaml.findYamlFault(text);
    return { problem: line === undefined ? "is not valid YAML" : `is not valid YAML at line ${line}` };
  } catch (error) {
    if (error instanceof RangeError) return { problem: "is not valid YAML: it is nested too deeply" };
    throw error;
  }
}

/**
 * Parses the text. Drops the parsers' messages, because they quote the text. JSON may contain comments and trailing commas.
 */
export function parseConfigText(text: string, format: FileFormat): Parsed {
  const { parse, parseAgain } = PARSERS[format];
  try {
    return { value: parse(text) };
  } catch {
    return parseAgain(text);
  }
}

export function unreadable(error: unknown): FileProblem {
  return { problem: `cannot be read (${errorCode(error)})` };
}

export function errorCode(error: unknown): string {
  return codeOf(error) ?? "unknown error";
}
