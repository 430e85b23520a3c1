import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { cutText } from "@pintle/ai";

export interface Logger {
  debug(message: string, meta?: unknown): void;
  info(message: string, meta?: unknown): void;
  warn(message: string, meta?: unknown): void;
  error(message: string, meta?: unknown): void;
}

/** Maximum size of the log; one older file is kept next to the current one. */
export const MAX_LOG_BYTES = 1024 * 1024;
const MAX_PART = 4_000;

/**
 * Writes one JSON object per line to `logs/pintle.log` in pintle's home directory, readable only by the user. Several processes
 * may share it. Never throws and never prints, because callers should not have to handle a full disk.
 */
export function createLogger(home: string): Logger {
  const folder = join(home, "logs");
  const file = join(folder, "pintle.log");
  const write = (level: keyof Logger, message: string, meta: unknown) => {
    try {
      const line = toLine(level, message, meta);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size + Buffer.byteLength(line) > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // There is nowhere else to report it.
    }
  };
  const at = (level: keyof Logger) => (message: string, meta?: unknown) => write(level, message, meta);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function toLine(level: string, message: unknown, meta: unknown): string {
  const fields = { time: new Date().toISOString(), level, pid: process.pid, message: cut(String(message)) };
  return `${JSON.stringify({ ...fields, ...(meta !== undefined && { meta: boundedMeta(meta) }) })}\n`;
}

/** Returns the value unchanged if it is small and JSON, otherwise as a string. */
function boundedMeta(meta: unknown): unknown {
  if (meta instanceof Error) return cut(meta.stack ?? meta.message);
  try {
    const json = JSON.stringify(meta);
    return json === undefined || json.length > MAX_PART ? cut(json ?? String(meta)) : meta;
  } catch {
    return cut(String(meta));
  }
}

function cut(text: string): string {
  return cutText(text, MAX_PART);
}
