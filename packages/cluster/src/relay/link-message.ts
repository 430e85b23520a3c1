import type { OutgoingFrame } from "@pintle/gateway/cluster";

/** Metadata of a frame; the host's node needs it if the host reads slowly. */
type RelayedHead = Pick<OutgoingFrame, "sessionId" | "seq" | "merge" | "merged">;

/** Sent by the node where hosts are connected. `ch` is the number of one host on this link. */
export type EntryMessage =
  | { type: "open"; ch: number /** Its sessions wait for the host: it is on stdio. */; waits?: true }
  /** A line from the host, as the payload. */
  | { type: "line"; ch: number }
  | { type: "pause" | "resume" | "close"; ch: number }
  | { type: "ping" };

/** How a node introduces itself on a link. */
export interface Hello {
  epoch: string;
  /** The longest line of a host that it accepts. */
  maxLineBytes: number;
  /** Missing from nodes of a version before 0.2. */
  nodeId?: string | undefined;
  version?: string | undefined;
}

/** Sent by the node that has the sessions. */
export type OwnerMessage =
  | ({ type: "hello" } & Hello)
  /** A frame for the host, as the payload. */
  | ({ type: "frame"; ch: number } & RelayedHead)
  /** Acknowledges this many characters of lines. */
  | { type: "taken"; ch: number; chars: number }
  | { type: "ended"; ch: number }
  | { type: "pong" };

/** The path where other nodes connect; hosts connect elsewhere. */
export const NODE_PATH = "/node";

/** Space for the head of a message in addition to the longest line. */
export const HEAD_BYTES = 256;

/** The head is a line, followed by the payload unchanged: it is neither parsed nor escaped in transit. */
export function encodeMessage(head: EntryMessage | OwnerMessage, payload = ""): string {
  return `${JSON.stringify(head)}\n${payload}`;
}

export interface ReceivedMessage<M> {
  head: M;
  payload: string;
}

/**
 * Parses a message. The other side has the cluster token, so its heads are trusted. Returns undefined if it is not a message.
 */
export function decodeMessage<M extends EntryMessage | OwnerMessage>(text: string): ReceivedMessage<M> | undefined {
  const end = text.indexOf("\n");
  try {
    return { head: JSON.parse(text.slice(0, end)) as M, payload: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}
