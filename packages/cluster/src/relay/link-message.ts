import type { OutgoingFrame } from "@pintle/gateway/cluster";

/** Metadata of a frame; the host's node needs it if the host reads slowly. */
type RelayedHead = Pick<OutgoingFrame, "sessionId" | "seq" | "merge" | "merged">;

/** The node where hosts are connected says. `ch` is the number of one host on this link. */
export type EntryMessage =
  | { type: "open"; ch: number /** Its sessions wait for the host: it is on stdio. */; waits?: true }
  /** A line of the host; it is the payload. */
  | { type: "line"; ch: number }
  | { type: "pause" | "resume" | "close"; ch: number }
  | { type: "ping" };

/** How a node introduces itself on a link. */
export interface Hello {
  epoch: string;
  /** The longest line of a host that it takes. */
  maxLineBytes: number;
  /** Absent from a node of a version before 0.2. */
  nodeId?: string | undefined;
  version?: string | undefined;
}

/** The node that has the sessions says. */
export type OwnerMessage =
  | ({ type: "hello" } & Hello)
  /** A frame for the host; it is the payload. */
  | ({ type: "frame"; ch: number } & RelayedHead)
  /** So many characters of lines were taken. */
  | { type: "taken"; ch: number; chars: number }
  | { type: "ended"; ch: number }
  | { type: "pong" };

/** Where other nodes connect; hosts connect elsewhere. */
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
 * The other side has the cluster token, so its heads are as declared. Returns undefined if it is not a message at all.
 */
export function decodeMessage<M extends EntryMessage | OwnerMessage>(text: string): ReceivedMessage<M> | undefined {
  const end = text.indexOf("\n");
  try {
    return { head: JSON.parse(text.slice(0, end)) as M, payload: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}
