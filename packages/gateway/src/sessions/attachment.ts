import type { Host } from "../host.ts";
import { EventChoice } from "./event-choice.ts";
import type { Capability, SessionFrame } from "./session-frame.ts";

export type UpdateMode = "full" | "delta";
export type Capabilities = Partial<Record<Capability, boolean>>;

/** The attachment of one host to one session: the events that it receives and the questions that it can answer. */
export class Attachment {
  readonly host: Host;
  readonly events = new EventChoice();
  mode: UpdateMode = "full";
  capabilities: Capabilities = {};
  /** False until the host has received the frames that it missed, including those that arrive in the meantime. */
  isLive = false;

  constructor(host: Host) {
    this.host = host;
  }

  isFor({ type, audience }: SessionFrame): boolean {
    if (!this.events.isWanted(type)) return false;
    if (!audience) return true;
    if ("owner" in audience) return audience.owner === this.host.id;
    return this.capabilities[audience.capability] === true && audience.except !== this.host.id;
  }
}
