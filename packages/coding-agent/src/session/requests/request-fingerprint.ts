import type { RequestPrefix } from "@pintle/ai";

/** One piece of a request: its hash and its length. */
interface PieceFingerprint {
  hash: bigint;
  bytes: number;
}

/** The layers of a request in cache order: a change in one invalidates all that follow. */
export type Layer = "tools" | "system" | "tool_choice" | "thinking" | "messages";

/** Kept of a sent request: enough to tell whether the next request begins with it. */
export interface RequestFingerprint {
  tools: readonly PieceFingerprint[];
  system: PieceFingerprint;
  toolChoice: bigint;
  thinking: bigint;
  /**
   * The pieces themselves. They never change, and requests of one conversation share them, so most are compared by
   * identity; text is written and hashed only for those that differ.
   */
  messages: readonly unknown[];
}

export interface PrefixLoss {
  /** Where the two requests begin to differ. */
  layer: Layer;
  /** The bytes of the earlier request from there to its end. */
  bytes: number;
  /** Whether the messages are equal up to the end of the earlier request. */
  keepsMessages: boolean;
}

export function fingerprintRequest(prefix: RequestPrefix): RequestFingerprint {
  const tools = prefix.tools.map((tool) => fingerprint(textOf(tool)));
  const system = fingerprint(textOf(prefix.system));
  return {
    tools,
    system,
    toolChoice: Bun.hash(textOf(prefix.toolChoice)),
    thinking: Bun.hash(textOf(prefix.thinking)),
    messages: prefix.messages,
  };
}

/** Returns the size of the request. */
export function bytesOfRequest({ tools, system, messages }: RequestFingerprint): number {
  return bytesOf(tools) + system.bytes + bytesOf(messages.map(fingerprintPiece));
}

/**
 * Returns what of the earlier request cannot be read from the cache for the later one, or undefined if the later one
 * begins with it.
 */
export function lossBetween(
  earlier: RequestFingerprint,
  later: RequestFingerprint,
  { messages }: Pick<RequestPrefix, "messages">,
): PrefixLoss | undefined {
  const messagesFrom = firstDifference(earlier.messages, messages, isSamePiece);
  const isLast = messagesFrom === earlier.messages.length - 1;
  const keepsMessages =
    messagesFrom === earlier.messages.length ||
    (isLast && continues(textOf(earlier.messages[messagesFrom]), textOf(messages[messagesFrom])));
  const inMessages = (from = 0) => bytesOf(earlier.messages.slice(from).map(fingerprintPiece));
  const loss = (layer: Layer, bytes: number): PrefixLoss => ({ layer, bytes, keepsMessages });

  const toolsFrom = firstDifference(earlier.tools, later.tools, (a, b) => a.hash === b?.hash);
  if (toolsFrom < earlier.tools.length || later.tools.length > earlier.tools.length) {
    return loss("tools", bytesOf(earlier.tools.slice(toolsFrom)) + earlier.system.bytes + inMessages());
  }
  if (earlier.system.hash !== later.system.hash) return loss("system", earlier.system.bytes + inMessages());
  if (earlier.toolChoice !== later.toolChoice) return loss("tool_choice", inMessages());
  if (earlier.thinking !== later.thinking) return loss("thinking", inMessages());
  return keepsMessages ? undefined : loss("messages", inMessages(messagesFrom));
}

function firstDifference<T>(
  earlier: readonly T[],
  later: readonly T[],
  isSame: (a: T, b: T | undefined) => boolean,
): number {
  let at = 0;
  while (at < earlier.length && isSame(earlier[at] as T, later[at])) at += 1;
  return at;
}

function isSamePiece(earlier: unknown, later: unknown): boolean {
  return earlier === later || fingerprintPiece(earlier).hash === fingerprintPiece(later).hash;
}

/**
 * Returns true if the text extends the message: consecutive user messages without an answer are sent as one, which
 * grows.
 */
function continues(earlier: string, later: string): boolean {
  const open = earlier.replace(/["\]}]+$/, ""); // text is appended before the brackets
  return later.length > open.length && later.startsWith(open);
}

/** Pieces never change, and a conversation sends the same ones with each request. */
const known = new WeakMap<object, PieceFingerprint>();

function fingerprintPiece(piece: unknown): PieceFingerprint {
  if (typeof piece !== "object" || piece === null) return fingerprint(textOf(piece));
  const earlier = known.get(piece);
  if (earlier) return earlier;
  const made = fingerprint(textOf(piece));
  known.set(piece, made);
  return made;
}

function fingerprint(text: string): PieceFingerprint {
  return { hash: Bun.hash(text), bytes: Buffer.byteLength(text) };
}

function bytesOf(pieces: readonly PieceFingerprint[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Cache marks move to the end of each request and do not affect what is read. Inside text their quotes are escaped. */
const MARKS = /,?"cache_control":\{[^}]*\}/g;

function textOf(piece: unknown): string {
  const text = JSON.stringify(piece) ?? "";
  return text.includes('"cache_control":') ? text.replace(MARKS, "") : text;
}
