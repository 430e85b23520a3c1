import { cutText } from "@pintle/ai";
import { createRedactor as createSecretRedactor } from "@pintle/ai/secrets";
import { toPlainText } from "@pintle/exec";
import type { ServerSpec } from "../config/server-spec.ts";

/** Shorter values are words like "true", and masking them would damage unrelated text. */
const MIN_HEADER_LENGTH = 4;
const MIN_VARIABLE_LENGTH = 8;
const MAX_TEXT = 4_096;
const REDACTION = { mask: "***", shortest: MIN_HEADER_LENGTH };

/**
 * Returns a function for messages about a server, which may quote its credentials and contain anything. The function masks
 * secrets, removes control characters and truncates.
 */
export function createRedactor(spec: ServerSpec, more: () => readonly string[] = () => []): (text: string) => string {
  const written = [...secretsOf(spec), ...spec.secrets.filter(isLong)];
  return (text) => {
    const plain = toPlainText(Buffer.from(text), { hasStart: true, hasEnd: true });
    const clean = createSecretRedactor([...written, ...more().filter(isLong)], REDACTION).text(plain);
    return cutText(clean, MAX_TEXT);
  };
}

function secretsOf(spec: ServerSpec): string[] {
  if (spec.transport === "stdio") return Object.values(spec.env).filter(isLong);
  const { search, searchParams } = new URL(spec.url);
  // For "Bearer abc", also mask the last part, which a server may quote alone.
  const inHeaders = Object.values(spec.headers).flatMap((value) => [value, value.split(" ").at(-1)!]);
  return [search, ...searchParams.values(), ...inHeaders].filter((value) => value.length >= MIN_HEADER_LENGTH);
}

function isLong(value: string): boolean {
  return value.length >= MIN_VARIABLE_LENGTH;
}
