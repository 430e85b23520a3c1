import { createConnection } from "node:net";
import type { Connect } from "../core/gateway/gateway-transport.ts";
import { streamTransport } from "./stream-transport.ts";

/** Connects to `pintle serve --socket PATH`. */
export function unixSocket(path: string): Connect {
  return (signal) =>
    new Promise((resolve, reject) => {
      const socket = createConnection({ path, signal });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(streamTransport(socket));
      });
    });
}
