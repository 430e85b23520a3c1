import { chmodSync, lstatSync, mkdirSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { Connections } from "../../connections/connections.ts";
import { ServeError } from "../../serve-error.ts";
import { type LineHost, openLineHost } from "../line-host.ts";
import { SocketPipe } from "./socket-pipe.ts";

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

/** The longest socket address in bytes that all systems accept. */
const MAX_PATH_BYTES = 103;
const OTHERS = 0o077;

/** Ensures that only this user can reach a socket at the path, and that no other server uses it. */
async function prepareSocketPlace(path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new ServeError(`the path of a socket may have at most ${MAX_PATH_BYTES} bytes: ${path}`);
  checkDirectory(dirname(path));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new ServeError(`${path} exists and is not a socket`);
  if (await isLive(path)) throw new ServeError(`another server listens on ${path}`);
  unlinkSync(path); // left behind by a server that was killed
}

/** Checks the directory of the socket. Does not change the mode of an existing one, because others may rely on it. */
function checkDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(directory);
  if (uid !== process.getuid?.()) throw new ServeError(`${directory} belongs to another user`);
  if ((mode & OTHERS) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw new ServeError(
      `${directory} is open to other users (mode ${shown}); use a directory of mode 700 for the socket`,
    );
  }
}

async function isLive(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
