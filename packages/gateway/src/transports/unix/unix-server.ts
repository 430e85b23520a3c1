import { chmodSync } from "node:fs";
import type { Connections } from "../../connections/connections.ts";
import { type LineHost, openLineHost } from "../line-host.ts";
import { SocketPipe } from "./socket-pipe.ts";
import { prepareSocketPlace } from "./socket-place.ts";

interface SocketHost extends LineHost {
  pipe: SocketPipe;
}

/** Listens on a socket that only this user can reach. */
export async function serveUnixSocket(
  path: string,
  connections: Connections,
  { maxFrameBytes }: { maxFrameBytes: number },
): Promise<{ stop(): void }> {
  await prepareSocketPlace(path);
  const listener = Bun.listen<SocketHost | undefined>({
    unix: path,
    socket: {
      open(socket) {
        if (!connections.hasRoom()) {
          socket.end();
          return;
        }
        const pipe = new SocketPipe(socket);
        socket.data = { pipe, ...openLineHost(connections, { transport: "socket", pipe, maxFrameBytes }) };
      },
      data: (socket, bytes) => socket.data?.reader.push(bytes),
      drain: (socket) => socket.data?.pipe.drain(),
      close: (socket) => leave(socket.data),
      error: (socket) => leave(socket.data),
    },
  });
  chmodSync(path, 0o600);
  return { stop: () => listener.stop() };
}

function leave(host: SocketHost | undefined): void {
  host?.pipe.lost();
  host?.connection.closed();
}
