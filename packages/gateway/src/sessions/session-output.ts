import type { AttachedHosts } from "./attached-hosts.ts";
import type { FrameFacts, FrameLog } from "./frame-log.ts";
import type { SessionFrame } from "./session-frame.ts";

/** Numbers the frames of a session and delivers them to the attached hosts. */
export class SessionOutput {
  readonly log: FrameLog;
  readonly hosts: AttachedHosts;

  constructor(log: FrameLog, hosts: AttachedHosts) {
    this.log = log;
    this.hosts = hosts;
  }

  /** Emits a frame of the worker. */
  emit(type: string, line: string, about?: FrameFacts): SessionFrame {
    const frame = this.log.append(type, line, about);
    this.hosts.deliverAll(frame);
    return frame;
  }

  /** Emits an event of the gateway itself. */
  emitOwn(type: string, fields: Record<string, unknown>): void {
    this.emit(type, JSON.stringify({ type, ...fields }));
  }
}
