import type { Duplex } from "node:stream";
import { RpcClosedError } from "../core/errors.ts";
import type { GatewayTransport } from "../core/gateway/gateway-transport.ts";

/** Carries lines over a byte stream. */
export function streamTransport(stream: Duplex): GatewayTransport {
  let failure: Error | undefined;
  stream.on("error", (error) => {
    failure ??= error;
  });
  return {
    write(text) {
      if (!stream.writable || stream.write(text)) return;
      return roomIn(stream);
    },
    onData: (listener) => void stream.on("data", listener),
    onClose(listener) {
      stream.on("end", () => stream.end());
      stream.on("close", () => {
        const cause = failure && { cause: failure };
        listener(new RpcClosedError(`The connection was closed${failure ? `: ${failure.message}` : ""}`, cause));
      });
    },
    close: () => void stream.destroy(),
  };
}

/** Settles when the buffer has drained or the stream has closed. */
export function roomIn(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
  });
}
