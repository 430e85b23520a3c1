import { lstatSync, mkdirSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { ServeError } from "../../serve-error.ts";

/** The longest socket address in bytes that all systems accept. */
const MAX_PATH_BYTES = 103;
const OTHERS = 0o077;

/** Ensures that only this user can reach a socket at the path, and that no other server uses it. */
export async function prepareSocketPlace(path: string): Promise<void> {
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
