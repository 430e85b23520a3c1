import { cutText, isRecord } from "@pintle/ai";

/** Why a module or a tool in it is not there. */
export interface LoadFault {
  path: string;
  error: string;
}

const MAX_TEXT = 2_000;

/** A load that failed with a text that says where: at its import, in its factory, or after it. */
export class LoadError extends Error {
  override name = "LoadError";
}

/** What was thrown, as a short text. Code of others may throw anything. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = textOf(thrown);
    return cutText(text, MAX_TEXT);
  } catch {
    return "something that cannot be shown was thrown";
  }
}

function textOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) {
    return thrown.errors.slice(0, 5).map(textOf).join("; ");
  }
  const { message, name, position } = isRecord(thrown) ? thrown : {};
  if (typeof message !== "string") return String(thrown);
  return `${placeOf(position)}${message || name}`;
}

/** Syntax errors carry their place beside the text. */
function placeOf(position: unknown): string {
  const { file, line, column } = isRecord(position) ? position : {};
  return typeof file === "string" && file !== "" ? `${file}:${line}:${column}: ` : "";
}
