import type { GatewayFixture } from "./gateway-fixture.ts";
import type { Cursor } from "./session-talk.ts";
import type { Frame, TestHost } from "./test-host.ts";

interface Message {
  role: string;
  content: { text?: string }[];
}

/** A host that reads irregularly, loses its connection with everything unread, and reconnects with its cursor. */
export class FlakyHost {
  /** What it has received: messages by entry, in entry order. */
  readonly messages = new Map<string, string>();
  resyncs = 0;
  #host: TestHost | undefined;
  #read = 0;
  #cursor: Cursor | undefined;
  /** The text of the open message so far, from deltas. */
  #open: string | undefined;
  readonly #served: GatewayFixture;
  readonly #sessionId: string;

  constructor(served: GatewayFixture, sessionId: string, cursor: Cursor) {
    this.#served = served;
    this.#sessionId = sessionId;
    this.#cursor = cursor;
  }

  connect(): void {
    if (this.#host) return;
    this.#host = this.#served.host();
    this.#read = 0;
    this.#host.write({
      type: "attach_session",
      sessionId: this.#sessionId,
      since: this.#cursor,
      mode: "delta",
      id: "attach",
    });
  }

  /** Sends a prompt that another host may repeat, without waiting for the outcome. */
  prompt(message: string): void {
    this.#host?.write({ type: "prompt", sessionId: this.#sessionId, message, commandKey: message, id: message });
  }

  disconnect(): void {
    this.#host?.leave();
    this.#host = undefined;
  }

  /** Reads at most this many of the waiting frames. */
  read(count: number): void {
    if (!this.#host) return;
    const frames = this.#host.frames.slice(this.#read, this.#read + count);
    this.#read += frames.length;
    for (const frame of frames) this.see(frame);
  }

  async readUntilQuiet(seq: number): Promise<void> {
    await this.#served.until(
      () => {
        this.connect();
        this.read(Number.POSITIVE_INFINITY);
        return (this.#cursor?.seq ?? 0) >= seq;
      },
      `frame ${seq}, at ${JSON.stringify(this.#cursor)}`,
    );
  }

  see(frame: Frame): void {
    const { type, seq, cursor } = frame;
    if (type === "response" && frame.id === "attach" && frame.success !== true) {
      this.disconnect(); // the engine died during the snapshot; a host retries
      return;
    }
    if (type === "session_snapshot") this.#takeSnapshot(frame);
    else if (typeof seq === "number" && this.#cursor && seq <= this.#cursor.seq)
      throw new Error(`frame ${seq} came twice`);
    SEEN[type]?.(this, frame);
    if (cursor) this.#cursor = cursor as Cursor;
    else if (typeof seq === "number" && this.#cursor) this.#cursor = { ...this.#cursor, seq };
  }

  #takeSnapshot({ entries, message }: Frame): void {
    this.resyncs += 1;
    for (const { id, message: stored } of entries as { id: string; message?: Message }[])
      if (stored) this.messages.set(id, textOf(stored));
    this.#open = message ? textOf(message as Message) : undefined;
  }

  started(): void {
    this.#open = "";
  }

  grew(delta: string): void {
    if (this.#open !== undefined) this.#open += delta;
  }

  ended(entryId: string, message: Message): void {
    const text = textOf(message);
    if (message.role === "assistant" && this.#open && this.#open !== text) {
      throw new Error(`the deltas said "${this.#open}", the end "${text}"`);
    }
    this.#open = undefined;
    this.messages.set(entryId, text);
  }

  lost(): void {
    this.#open = undefined;
  }
}

const SEEN: Record<string, (host: FlakyHost, frame: Frame) => void> = {
  message_start: (host) => host.started(),
  message_update(host, { assistantMessageEvent }) {
    const { type, delta } = assistantMessageEvent as { type: string; delta?: string };
    if (type === "text_delta") host.grew(delta ?? "");
  },
  message_end: (host, { cursor, message }) => host.ended((cursor as Cursor).entryId ?? "", message as Message),
  worker_exited: (host) => host.lost(),
  session_moved: (host) => host.disconnect(),
};

function textOf({ content }: Message): string {
  return content[0]?.text ?? "";
}
