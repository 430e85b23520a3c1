import { MessageRebuilder, type RpcEvent } from "@pintle/client/core";
import type { SessionCursor } from "@pintle/wire";
import type { Host } from "../host.ts";
import { Attachment, type Capabilities, type UpdateMode } from "./attachment.ts";
import type { EventPreset } from "./event-choice.ts";
import type { FrameLog } from "./frame-log.ts";
import { fullUpdateJson, type OpenMessage } from "./open-message.ts";
import type { SessionFrame } from "./session-frame.ts";

export interface AttachOptions {
  since?: SessionCursor | undefined;
  /** The maximum number of entries in a snapshot. */
  lastEntries?: number | undefined;
  mode?: UpdateMode | undefined;
  events?: EventPreset | undefined;
  /** Event types that the host has named with `set_event_filter`. */
  named?: readonly string[] | undefined;
  capabilities?: Capabilities | undefined;
}

/** The hosts of one session. Each receives the frames that it chose, in the form that it chose. */
export class AttachedHosts {
  readonly #log: FrameLog;
  readonly #message: OpenMessage;
  readonly #byHost = new Map<number, Attachment>();

  constructor(log: FrameLog, message: OpenMessage) {
    this.#log = log;
    this.#message = message;
  }

  get size(): number {
    return this.#byHost.size;
  }

  has(hostId: number): boolean {
    return this.#byHost.has(hostId);
  }

  get(hostId: number): Attachment | undefined {
    return this.#byHost.get(hostId);
  }

  all(): Iterable<Attachment> {
    return this.#byHost.values();
  }

  /** Adds a host. One that attaches again keeps its declarations and starts from the beginning. */
  add(host: Host, { mode, events, named, capabilities }: AttachOptions): Attachment {
    const attachment = this.#byHost.get(host.id) ?? new Attachment(host);
    attachment.isLive = false;
    if (mode) attachment.mode = mode;
    if (named) attachment.events.choose(named);
    if (events) attachment.events.prefer(events);
    attachment.capabilities = { ...capabilities, ...attachment.capabilities };
    this.#byHost.set(host.id, attachment);
    return attachment;
  }

  /** Returns the attachment that was removed, or undefined. */
  remove(hostId: number): Attachment | undefined {
    const attachment = this.#byHost.get(hostId);
    this.#byHost.delete(hostId);
    return attachment;
  }

  clear(): void {
    this.#byHost.clear();
  }

  /** Delivers the newest frame to every host. */
  deliverAll(frame: SessionFrame): void {
    let full: string | undefined;
    for (const attachment of this.#byHost.values()) {
      if (!attachment.isLive || !attachment.isFor(frame)) continue;
      if (frame.type === "message_update" && attachment.mode === "full") {
        full ??= this.#log.routed(this.#message.newestInFull(), frame.seq);
        this.#send(attachment, frame, full);
      } else this.deliver(attachment, frame);
    }
  }

  /** Delivers a frame from the ring to one host. */
  deliver(attachment: Attachment, frame: SessionFrame): void {
    const { toSender, json } = frame;
    if (attachment.isFor(frame)) {
      this.#send(attachment, frame, toSender?.hostId === attachment.host.id ? toSender.json : json);
    }
  }

  /** Whether the ring contains everything that the host missed, in a form that the host accepts. */
  canReplay({ mode }: Attachment, since: number): boolean {
    const { ring, seq } = this.#log;
    if (!ring.covers(since, seq)) return false;
    if (mode === "delta") return true;
    // Full updates are rebuilt from the start of their message.
    let hasStart = false;
    for (const frame of ring.kept()) {
      if (frame.type === "message_start") hasStart = true;
      if (frame.type === "message_update" && frame.seq > since && !hasStart) return false;
    }
    return true;
  }

  replay(attachment: Attachment, since: number): void {
    const rebuilder = attachment.mode === "full" ? new MessageRebuilder() : undefined;
    for (const frame of this.#log.ring.kept()) {
      const isMessage = frame.type === "message_start" || frame.type === "message_update";
      const event = isMessage ? rebuilder?.rebuild(JSON.parse(frame.json) as RpcEvent) : undefined;
      if (frame.seq <= since) continue;
      if (event?.type === "message_update") {
        if (attachment.isFor(frame)) this.#send(attachment, frame, fullUpdateJson(event));
      } else this.deliver(attachment, frame);
    }
    attachment.isLive = true;
  }

  #send({ host }: Attachment, { seq, merge }: SessionFrame, json: string): void {
    host.send({ json, sessionId: this.#log.sessionId, seq, ...(merge && { merge }) });
  }
}
