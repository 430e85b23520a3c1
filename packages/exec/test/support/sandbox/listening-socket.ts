import { ptr } from "bun:ffi";
import { openLibc } from "../../../src/processes/child/libc.ts";

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;

/** Opens a socket that listens on a free port of loopback, as the inner stage of a command does. */
export function listeningSocket(): { descriptor: number; port: number } {
  const libc = openLibc({
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "i32"], returns: "i32" },
    listen: { args: ["i32", "i32"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  });
  const descriptor = libc.socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const address = Uint8Array.of(AF_INET, 0, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  const length = Uint32Array.of(address.length);
  const results = [
    libc.bind(descriptor, ptr(address), address.length),
    libc.listen(descriptor, 64),
    libc.getsockname(descriptor, ptr(address), ptr(length)),
  ];
  if (descriptor < 0 || results.some((result) => result !== 0)) throw new Error("no listening socket");
  return { descriptor, port: new DataView(address.buffer).getUint16(2) };
}
