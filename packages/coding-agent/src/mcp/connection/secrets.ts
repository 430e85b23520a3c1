import { cutText } from "@pintle/ai";
import { toPlainText } from "../../processes/output/terminal-text.ts";
import type { ServerSpec } from "../config/server-spec.ts";

/** Shorter values are words like "true", and would tear holes into texts that have nothing to do with them. */
const MIN_HEADER_LENGTH = 4;
const MIN_VARIABLE_LENGTH = 8;
const MAX_TEXT = 4_096;

/**
 * For texts about a server, which may quote what it was given and hold whatever it likes: without secrets and control
 * characters, not longer than useful.
 */
export function createRedactor(spec: ServerSpec, more: () => readonly string[] = () => []): (text: string) => string {
  const written = [...secretsOf(spec), ...spec.secrets.filter(isLong)];
  return (text) => {
    const plain = toPlainText(Buffer.from(text), { hasStart: true, hasEnd: true });
    const secrets = [...written, ...more().filter(isLong)].sort((a, b) => b.length - a.length);
    const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), plain);
    return cutText(clean, MAX_TEXT);
  };
}

function secretsOf(spec: ServerSpec): string[] {
  if (spec.transport === "stdio") return Object.values(spec.env).filter(isLong);
  const { search, searchParams } = new URL(spec.url);
  // "Bearer abc": what matters is the last part, which a server may quote alone.
  const inHeaders = Object.values(spec.headers).flatMap((value) => [value, value.split(" ").at(-1)!]);
  return [search, ...searchParams.values(), ...inHeaders].filter((value) => value.length >= MIN_HEADER_LENGTH);
}

function isLong(value: string): boolean {
  return value.length >= MIN_VARIABLE_LENGTH;
}
