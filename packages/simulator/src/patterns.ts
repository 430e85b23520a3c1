import { isRecord } from "@pintle/ai";
import type { Frame } from "./scenario.ts";

/** Returns whether the frame has at least the fields of the pattern; lists must have equal length. */
export function fits(value: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && value.length === pattern.length && pattern.every((one, n) => fits(value[n], one));
  }
  if (!isRecord(pattern)) return value === pattern;
  return isRecord(value) && Object.entries(pattern).every(([key, wanted]) => fits(value[key], wanted));
}

const PLACEHOLDER = /^\$([\w-]+)(?:\.([\w.]+))?$/;

/** Replaces names by the fields of kept frames. Unknown names stay as written. */
export function filled(value: unknown, kept: ReadonlyMap<string, Frame>): unknown {
  if (typeof value === "string") return ofPlaceholder(value, kept);
  if (Array.isArray(value)) return value.map((one) => filled(one, kept));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, kept)]));
}

function ofPlaceholder(text: string, kept: ReadonlyMap<string, Frame>): unknown {
  if (text === "$time") return Date.now();
  const [, name = "", path = ""] = PLACEHOLDER.exec(text) ?? [];
  const frame = kept.get(name);
  return frame === undefined ? text : at(frame, path);
}

function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .filter((key) => key !== "")
    .reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), value);
}

/** Returns a copy with a string at `a.b.0.c`; missing parents are created. */
export function withTextAt(frame: Frame, path: string, text: string): Frame {
  const copy = structuredClone(frame);
  const keys = path.split(".");
  const last = keys.pop() as string;
  let part: Record<string, unknown> = copy;
  for (const key of keys) {
    if (typeof part[key] !== "object" || part[key] === null) part[key] = {};
    part = part[key] as Record<string, unknown>;
  }
  part[last] = text;
  return copy;
}
