import { cutText, isRecord } from "@pintle/ai";

/** Why a module, or a tool in it, could not be loaded. */
export interface LoadFault {
  path: string;
  error: string;
}

const MAX_TEXT = 2_000;

/** A failed load. Its message says where: at its import, in its factory, or afterwards. */
export class LoadError extends Error {
  override name = "LoadError";
}

/** Converts a thrown value to a short string. Foreign code may throw anything. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = textOf(thrown);
    return cutText(text, MAX_TEXT);
  } catch {
    return "it threw a value that cannot be shown";
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

/** Syntax errors have their position in a separate field. */
function placeOf(position: unknown): string {
  const { file, line, column } = isRecord(position) ? position : {};
  return typeof file === "string" && file !== "" ? `${file}:${line}:${column}: ` : "";
}
