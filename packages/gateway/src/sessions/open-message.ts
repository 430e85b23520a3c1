import { MessageRebuilder, type MessageUpdateEvent, type RpcEvent } from "@pintle/client/core";

/**
 * The most characters of kept lines before they are folded into the message: the metadata of each is many times longer
 * than its delta.
 */
const FOLD_CHARS = 256 * 1024;

/**
 * The message that the model is writing. Updates are kept as received, and parsed only when a host needs the message so far, which
 * is rare.
 */
export class OpenMessage {
  readonly #rebuilder = new MessageRebuilder();
  #lines: string[] = [];
  #chars = 0;
  #newest: MessageUpdateEvent | undefined;

  /** Handles a `message_start`. */
  start(line: string): void {
    this.end();
    this.#keep(line);
  }

  /** Handles a `message_update` of delta mode. */
  update(line: string): void {
    this.#keep(line);
    if (this.#chars > FOLD_CHARS) this.#fold();
  }

  end(): void {
    this.#lines = [];
    this.#chars = 0;
    this.#newest = undefined;
  }

  /** Returns the message so far, or undefined if there was no update. */
  soFar(): Pick<MessageUpdateEvent, "message" | "messageId"> | undefined {
    this.#fold();
    return this.#newest && { message: this.#newest.message, messageId: this.#newest.messageId };
  }

  /**
   * Returns the newest update in the form of full mode. `message` and `partial` are the same object, so it is
   * serialized once and inserted twice.
   */
  newestInFull(): string {
    this.#fold();
    return fullUpdateJson(this.#newest!);
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length;
  }

  #fold(): void {
    for (const line of this.#lines) {
      const event = this.#rebuilder.rebuild(JSON.parse(line) as RpcEvent);
      if (event.type === "message_update") this.#newest = event;
    }
    this.#lines = [];
    this.#chars = 0;
  }
}

export function fullUpdateJson({ message, assistantMessageEvent, ...rest }: MessageUpdateEvent): string {
  const { partial: _same, ...step } = assistantMessageEvent as typeof assistantMessageEvent & { partial?: unknown };
  const messageText = JSON.stringify(message);
  const openRest = JSON.stringify(rest).slice(0, -1);
  const openStep = JSON.stringify(step).slice(0, -1);
  return `${openRest},"message":${messageText},"assistantMessageEvent":${openStep},"partial":${messageText}}}`;
}
