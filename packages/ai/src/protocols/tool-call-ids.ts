/** The tool-call ids that a provider accepts. */
export interface ToolCallIdRule {
  /** Matches a whole id that can be sent unchanged. */
  accepts: RegExp;
  /** Length of a generated id. */
  length: number;
  /** Keeps the readable start of the foreign id, for people who read logs. Only where `_` and `-` are allowed. */
  readable: boolean;
}

/** Letters, digits, `_` and `-`, up to the given length, as most APIs accept. */
export function wordIds(maxLength: number): ToolCallIdRule {
  return { accepts: new RegExp(`^[A-Za-z0-9_-]{1,${maxLength}}$`), length: maxLength, readable: true };
}

/** Exactly this many letters and digits. */
export function alphanumericIds(length: number): ToolCallIdRule {
  return { accepts: new RegExp(`^[A-Za-z0-9]{${length}}$`), length, readable: false };
}

/**
 * Maps the ids of one conversation, for calls and results. An id depends only on what precedes it, so a longer
 * conversation keeps its earlier ids and with them the provider's cached prefix. Two ids never map to one.
 */
export function createToolCallIdMapper(rule: ToolCallIdRule): (id: string) => string {
  const mapped = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const known = mapped.get(id);
    if (known !== undefined) return known;
    let candidate = rule.accepts.test(id) ? id : madeUpId(id, rule);
    for (let salt = 1; taken.has(candidate); salt += 1) candidate = madeUpId(`${id}\n${salt}`, rule);
    mapped.set(id, candidate);
    taken.add(candidate);
    return candidate;
  };
}

const HASH_LENGTH = 9;

function madeUpId(id: string, { length, readable }: ToolCallIdRule): string {
  const hash = alphanumericHash(id, Math.min(length, HASH_LENGTH));
  if (!readable || length <= HASH_LENGTH + 1) return hash;
  const start = id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, length - HASH_LENGTH - 1);
  return `${start}_${hash}`;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Distributes ids evenly. It need not resist attackers, because collisions are detected and resolved. */
function alphanumericHash(text: string, length: number): string {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  }
  let result = "";
  while (result.length < length) {
    low = Math.imul(low ^ (low >>> 15) ^ high, 0x2c1b3c6d);
    high = Math.imul(high ^ (high >>> 12) ^ low, 0x297a2d39);
    result += DIGITS[((low ^ (high >>> 7)) >>> 0) % DIGITS.length];
  }
  return result;
}
