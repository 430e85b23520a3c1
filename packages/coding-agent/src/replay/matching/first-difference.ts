import { isRecord } from "@pintle/ai";
import type { CanonicalRequest } from "./canonical-request.ts";

/** Describes the first difference between two requests. */
export interface Difference {
  where: string;
  recorded: string;
  now: string;
}

type Fields = Record<string, unknown>;

const SHOWN_CHARS = 200;
/** Length of the equal text shown before the difference. */
const LEAD_CHARS = 40;
/** The names of the conversation and of the system prompt in the APIs. */
const MESSAGE_KEYS = ["messages", "contents", "input"];
const SYSTEM_KEYS = ["system", "instructions", "systemInstruction"];

/** Counts the equal messages at the beginning. */
export function commonMessages(a: CanonicalRequest, b: CanonicalRequest): number {
  const [left, right] = [messagesOf(a.body), messagesOf(b.body)];
  const at = left.findIndex((message, index) => !isSame(message, right[index]));
  return at === -1 ? left.length : at;
}

export function messagesOf(body: unknown): readonly unknown[] {
  const lists = MESSAGE_KEYS.map((key) => fieldsOf(body)[key]);
  return lists.find(Array.isArray) ?? [];
}

/** Compares in the order in which a developer would look: model, instructions, conversation, the rest. */
export function firstDifference(recorded: CanonicalRequest, now: CanonicalRequest): Difference | undefined {
  for (const key of ["subagent", "provider", "model", "api", "path"] as const) {
    if (recorded[key] !== now[key]) return differ(key, recorded[key], now[key]);
  }
  const [left, right] = [fieldsOf(recorded.body), fieldsOf(now.body)];
  return (
    inKeys(SYSTEM_KEYS, left, right, () => "system prompt") ??
    inMessages(messagesOf(left), messagesOf(right)) ??
    inTools(left.tools, right.tools) ??
    inKeys(Object.keys({ ...left, ...right }).sort(), left, right, (key) => key)
  );
}

function inMessages(left: readonly unknown[], right: readonly unknown[]): Difference | undefined {
  const at = Array.from({ length: Math.max(left.length, right.length) }).findIndex(
    (_, index) => !isSame(left[index], right[index]),
  );
  if (at === -1) return undefined;
  const { role, type } = fieldsOf(right[at] ?? left[at]);
  return inValue(`message ${at + 1} (${role ?? type ?? "unknown"})`, left[at], right[at]);
}

function inTools(left: unknown, right: unknown): Difference | undefined {
  if (!Array.isArray(left) || !Array.isArray(right)) return undefined;
  const [before, after] = [toolsByName(left), toolsByName(right)];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (isSame(before.get(name), after.get(name))) continue;
    if (!after.has(name)) return { where: `tool "${name}"`, recorded: "offered", now: "not offered" };
    if (!before.has(name)) return { where: `tool "${name}"`, recorded: "not offered", now: "offered" };
    return inValue(`tool "${name}"`, before.get(name), after.get(name));
  }
  return undefined;
}

/** OpenAI wraps a tool in a `function`, Google all of them in `functionDeclarations`. */
function toolsByName(tools: readonly unknown[]): Map<string, unknown> {
  const flat = tools.map(fieldsOf).flatMap((tool) => {
    const { functionDeclarations } = tool;
    return Array.isArray(functionDeclarations) ? functionDeclarations.map(fieldsOf) : [tool];
  });
  return new Map(flat.map((tool) => [String(tool.name ?? fieldsOf(tool.function).name), tool]));
}

function inKeys(
  keys: readonly string[],
  left: Fields,
  right: Fields,
  nameOf: (key: string) => string,
): Difference | undefined {
  const key = keys.find((candidate) => !isSame(left[candidate], right[candidate]));
  return key === undefined ? undefined : inValue(nameOf(key), left[key], right[key]);
}

/** Descends as long as both sides have the same shape. */
function inValue(where: string, left: unknown, right: unknown): Difference {
  if (Array.isArray(left) && Array.isArray(right)) {
    const index = Array.from({ length: Math.max(left.length, right.length) }).findIndex(
      (_, at) => !isSame(left[at], right[at]),
    );
    return inValue(`${where}[${index}]`, left[index], right[index]);
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = Object.keys({ ...left, ...right }).sort();
    const key = keys.find((candidate) => !isSame(left[candidate], right[candidate]))!;
    return inValue(`${where}${where.endsWith(")") || where.endsWith('"') ? ", " : "."}${key}`, left[key], right[key]);
  }
  return differ(where, left, right);
}

function differ(where: string, left: unknown, right: unknown): Difference {
  const [a, b] = [show(left), show(right)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const from = a.length > SHOWN_CHARS || b.length > SHOWN_CHARS ? Math.max(0, at - LEAD_CHARS) : 0;
  return { where, recorded: excerpt(a, from), now: excerpt(b, from) };
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

function excerpt(text: string, from: number): string {
  const part = text.slice(from, from + SHOWN_CHARS).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from + SHOWN_CHARS < text.length ? "…" : ""}`;
}

/** A recording may have been edited, so a value that is not an object has no fields. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** Both are canonical: keys are sorted. */
function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
