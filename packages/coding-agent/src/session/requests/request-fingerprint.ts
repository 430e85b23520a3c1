import type { RequestPrefix } from "@pintle/ai";

/** One piece of a request: what it hashes to, and how long it is. */
interface PieceFingerprint {
  hash: bigint;
  bytes: number;
}

/** The layers of a request in the order of the cache: what changes in one takes all behind it along. */
export type Layer = "tools" | "system" | "tool_choice" | "thinking" | "messages";

/** What stays of a request when it is sent: enough to see whether the next one begins with it, a few bytes per message. */
export interface RequestFingerprint {
  tools: readonly PieceFingerprint[];
  system: PieceFingerprint;
  toolChoice: bigint;
  thinking: bigint;
  messages: readonly PieceFingerprint[];
  /** The last message without what closes it: text that is added to it comes there. */
  open: { hash: bigint; chars: number };
  bytes: number;
}

export interface PrefixLoss {
  /** Where the two begin to differ. */
  layer: Layer;
  /** Of the earlier request, from there to its end. */
  bytes: number;
  /** Messages of both are the same as far as the earlier request goes. */
  keepsMessages: boolean;
}

export function fingerprintRequest(prefix: RequestPrefix): RequestFingerprint {
  const tools = prefix.tools.map((tool) => fingerprint(textOf(tool)));
  const system = fingerprint(textOf(prefix.system));
  const texts = prefix.messages.map(textOf);
  const messages = texts.map(fingerprint);
  const open = (texts.at(-1) ?? "").replace(/["\]}]+$/, "");
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

/** Consecutive user messages without an answer are sent as one, which grows. */
function continues({ hash, chars }: RequestFingerprint["open"], text: string): boolean {
  return text.length > chars && Bun.hash(text.slice(0, chars)) === hash;
}

function fingerprint(text: string): PieceFingerprint {
  return { hash: Bun.hash(text), bytes: Buffer.byteLength(text) };
}

function bytesOf(pieces: readonly PieceFingerprint[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Marks wander to the end of each request and change nothing of what is read. Inside a text their quotes are escaped. */
const MARKS = /,?"cache_control":\{[^}]*\}/g;

function textOf(piece: unknown): string {
  const text = JSON.stringify(piece) ?? "";
  return text.includes('"cache_control":') ? text.replace(MARKS, "") : text;
}
