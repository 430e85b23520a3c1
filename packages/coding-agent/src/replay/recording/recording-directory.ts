import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@pintle/ai";
import { errorCode, isMissing, replaceFile } from "@pintle/foundation";
import type { CanonicalRequest } from "../matching/canonical-request.ts";
import type { ExtraRule } from "../matching/normalize-text.ts";

/** A problem with a directory that the user named. */
export class RecordingsError extends Error {
  override name = "RecordingsError";
}

/** One exchange of a directory: the files `<name>.request.json` and `<name>.stream.jsonl`. */
export interface RecordingName {
  name: string;
  number: number;
  key: string;
  /** False if the process ended before the answer did. */
  isComplete: boolean;
}

const REQUEST = ".request.json";
const STREAM = ".stream.jsonl";
const NAME = /^(\d{4,})-([0-9a-f]{12})$/;

/** Returns the exchanges in the order in which they were made; none if the directory does not exist. */
export function listRecordings(directory: string): RecordingName[] {
  const files = new Set(filesIn(directory));
  const found: RecordingName[] = [];
  for (const file of files) {
    if (!file.endsWith(REQUEST)) continue;
    const name = file.slice(0, -REQUEST.length);
    const [, number, key] = NAME.exec(name) ?? [];
    if (number === undefined || key === undefined) continue;
    found.push({ name, number: Number(number), key, isComplete: files.has(name + STREAM) });
  }
  return found.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1));
}

export function recordingName(number: number, key: string): string {
  return `${String(number).padStart(4, "0")}-${key}`;
}

/** Creates a private directory, because only the owner may read a conversation. An existing directory keeps its mode. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Claims the name for this request. Returns false if another process has it. */
export function claimRecording(directory: string, name: string, request: string): boolean {
  try {
    writeFileSync(join(directory, name + REQUEST), request, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Writes atomically, because half an answer would be replayed as a complete one. */
export function writeStream(directory: string, name: string, text: string): void {
  replaceFile(join(directory, name + STREAM), { content: Buffer.from(text), mode: 0o600 });
}

export function readStream(directory: string, name: string): string {
  return readFileSync(join(directory, name + STREAM), "utf8");
}

/** Returns undefined if the file is not a request. It is used only for explanations. */
export function readRequest(directory: string, name: string): CanonicalRequest | undefined {
  try {
    const value = readJson(join(directory, name + REQUEST));
    return typeof value === "object" && value !== null && "body" in value ? (value as CanonicalRequest) : undefined;
  } catch (error) {
    if (error instanceof RecordingsError) return undefined;
    throw error;
  }
}

/** User-defined rules for other differences between runs: a list of `{pattern, replace}`. */
export function readExtraRules(directory: string): ExtraRule[] {
  const file = join(directory, "normalize.json");
  const value = readJson(file);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new RecordingsError(`${file} is not a list of {"pattern", "replace"}`);
  return value.map((rule: unknown, index) => {
    const { pattern, replace }: Record<string, unknown> = isRecord(rule) ? rule : {};
    if (typeof pattern !== "string" || typeof replace !== "string") {
      throw new RecordingsError(`${file}: entry ${index + 1} is not {"pattern": text, "replace": text}`);
    }
    try {
      return { pattern: new RegExp(pattern, "g"), replace };
    } catch {
      throw new RecordingsError(`${file}: the pattern of entry ${index + 1} is not a valid regular expression`);
    }
  });
}

/** Returns undefined if there is no such file. Invalid JSON is an error, because the file was edited by hand. */
export function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RecordingsError(`${file} is not valid JSON`);
  }
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
