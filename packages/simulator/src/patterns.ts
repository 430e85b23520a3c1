import { isRecord } from "@pintle/ai";
import type { Frame } from "./scenario.ts";

/** The frame has at least the fields of the pattern; lists must be equal in length. */
export function fits(value: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && value.length === pattern.length && pattern.every((one, n) => fits(value[n], one));
  }
  if (!isRecord(pattern)) return value === pattern;
  return isRecord(value) && Object.entries(pattern).every(([key, wanted]) => fits(value[key], wanted));
}

const PLACEHOLDER = /^\$([\w-]+)(?:\.([\w.]+))?$/;

/** Puts fields of kept frames in the place of their names. What is not kept stays as it is written. */
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

/** A copy with a text at `a.b.0.c`; what is missing on the way is made. */
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
