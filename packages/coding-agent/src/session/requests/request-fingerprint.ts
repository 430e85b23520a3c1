import type { RequestPrefix } from "@pintle/ai";

/** One piece of a request: its hash and its length. */
interface PieceFingerprint {
  hash: bigint;
  bytes: number;
}

/** The layers of a request in cache order: a change in one invalidates all that follow. */
export type Layer = "tools" | "system" | "tool_choice" | "thinking" | "messages";

/** Kept of a sent request, a few bytes per message: enough to tell whether the next request begins with it. */
export interface RequestFingerprint {
  tools: readonly PieceFingerprint[];
  system: PieceFingerprint;
  toolChoice: bigint;
  thinking: bigint;
  messages: readonly PieceFingerprint[];
  /** The last message without its closing brackets, because text may be appended there. */
  open: { hash: bigint; chars: number };
  bytes: number;
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
  const messages = prefix.messages.map(fingerprintPiece);
  const open = textOf(prefix.messages.at(-1) ?? "").replace(/["\]}]+$/, "");
  return {
    tools,
    system,
    toolChoice: Bun.hash(textOf(prefix.toolChoice)),
    thinking: Bun.hash(textOf(prefix.thinking)),
    messages,
    open: { hash: Bun.hash(open), chars: open.length },
    bytes: bytesOf(tools) + system.bytes + bytesOf(messages),
  };
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
  const messagesFrom = firstDifference(earlier.messages, later.messages);
  const isLast = messagesFrom === earlier.messages.length - 1;
  const keepsMessages =
    messagesFrom === earlier.messages.length || (isLast && continues(earlier.open, textOf(messages[messagesFrom])));
  const inMessages = bytesOf(earlier.messages);
  const loss = (layer: Layer, bytes: number): PrefixLoss => ({ layer, bytes, keepsMessages });

  const toolsFrom = firstDifference(earlier.tools, later.tools);
  if (toolsFrom < earlier.tools.length || later.tools.length > earlier.tools.length) {
    return loss("tools", bytesOf(earlier.tools.slice(toolsFrom)) + earlier.system.bytes + inMessages);
  }
  if (earlier.system.hash !== later.system.hash) return loss("system", earlier.system.bytes + inMessages);
  if (earlier.toolChoice !== later.toolChoice) return loss("tool_choice", inMessages);
  if (earlier.thinking !== later.thinking) return loss("thinking", inMessages);
  return keepsMessages ? undefined : loss("messages", bytesOf(earlier.messages.slice(messagesFrom)));
}

function firstDifference(earlier: readonly PieceFingerprint[], later: readonly PieceFingerprint[]): number {
  let at = 0;
  while (at < earlier.length && earlier[at]?.hash === later[at]?.hash) at += 1;
  return at;
}

/**
 * Returns true if the text extends the message: consecutive user messages without an answer are sent as one, which
 * grows.
 */
function continues({ hash, chars }: RequestFingerprint["open"], text: string): boolean {
  return text.length > chars && Bun.hash(text.slice(0, chars)) === hash;
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
