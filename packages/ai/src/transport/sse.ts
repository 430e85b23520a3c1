import { createParser } from "eventsource-parser";
import { ProviderError } from "../errors.ts";

export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** One event may contain a whole base64 image, but must not grow without limit. */
const MAX_EVENT_CHARS = 64 * 1024 * 1024;

export interface EventReader {
  /** Accepts bytes of the body, split anywhere. */
  feed(bytes: Uint8Array): void;
  /** Called at the end of the body. Delivers the last event even if the server omitted the final blank line. */
  end(): void;
}

export function createEventReader(onEvent: (event: ServerEvent) => void): EventReader {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent,
    maxBufferSize: MAX_EVENT_CHARS,
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") {
        throw new ProviderError("protocol", `The server sent an event of more than ${MAX_EVENT_CHARS} characters`);
      }
      // Unknown fields and invalid `retry:` lines are ignored.
    },
  });
  return {
    feed: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
    end: () => parser.feed(`${decoder.decode()}\n\n`),
  };
}
