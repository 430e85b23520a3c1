import type { HostCapability } from "@pintle/wire";
import type { OutgoingFrame } from "../host.ts";

/**
 * A capability that a host must declare to be asked. Only the gateway uses `toolGrace`: workers do not know about
 * connections.
 */
export type Capability = HostCapability | "toolGrace";

/** The hosts that receive a frame; without one, all attached hosts. */
export type Audience =
  | { capability: Capability /** The host that has already answered. */; except?: number }
  | { owner: number };

/** A frame that has left its session, in the form that the ring stores. */
export interface SessionFrame {
  seq: number;
  type: string;
  /** Includes the envelope. A `message_update` is stored in delta mode. */
  json: string;
  merge?: OutgoingFrame["merge"];
  audience?: Audience;
  /** The text for the host that sent the command which the frame is about: it contains the command's id. */
  toSender?: { hostId: number; json: string };
}

const TYPE_START = '{"type":"';

/** Returns the type of a line that begins with it, or undefined for a response, which begins with its id. */
export function frameType(line: string): string | undefined {
  if (!line.startsWith(TYPE_START)) return undefined;
  return line.slice(TYPE_START.length, line.indexOf('"', TYPE_START.length));
}
