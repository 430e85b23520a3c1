import type { HostCapability } from "@pintle/wire";
import type { OutgoingFrame } from "../host.ts";

/** What a host must have declared to be asked. `toolGrace` is the gateway's own: workers know nothing of connections. */
export type Capability = HostCapability | "toolGrace";

/** Which of the attached hosts a frame is for; all of them without one. */
export type Audience =
  | { capability: Capability /** The host that has answered already. */; except?: number }
  | { owner: number };

/** A frame that has left its session, as the ring keeps it. */
export interface SessionFrame {
  seq: number;
  type: string;
  /** With the envelope; of a `message_update` in delta mode. */
  json: string;
  merge?: OutgoingFrame["merge"];
  audience?: Audience;
  /** The text for the host that sent the command which the frame is about: with the command's id. */
  toSender?: { hostId: number; json: string };
}

const TYPE_START = '{"type":"';

/** The type of a line that begins with it; undefined for a response, which begins with its id. */
export function frameType(line: string): string | undefined {
  if (!line.startsWith(TYPE_START)) return undefined;
  return line.slice(TYPE_START.length, line.indexOf('"', TYPE_START.length));
}
