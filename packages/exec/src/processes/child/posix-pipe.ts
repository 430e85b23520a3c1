import { dlopen, ptr } from "bun:ffi";
import { openLibc } from "./libc.ts";

export interface Pipe {
  readEnd: number;
  writeEnd: number;
}

const O_CLOEXEC = 0o2000000; // Linux, on every architecture that Bun supports

let createPipe: ((ends: Int32Array) => number) | undefined;

/**
 * Opens a real pipe. Bun connects children with sockets, and a socket cannot be opened again by name: `echo x >/dev/stderr` and
 * `tee /dev/stdout` would fail in every command. Returns undefined if the C library cannot be loaded.
 */
export function openPipe(): Pipe | undefined {
  createPipe ??= loadPipe() ?? (() => -1);
  const ends = new Int32Array(2);
  if (createPipe(ends) !== 0) return undefined;
  return { readEnd: ends[0]!, writeEnd: ends[1]! };
}

function loadPipe(): ((ends: Int32Array) => number) | undefined {
  try {
    if (process.platform === "linux") return loadLinuxPipe();
    if (process.platform !== "darwin") return undefined;
    // macOS has no pipe2. Bun closes every descriptor that a child was not given, so nothing is inherited there either.
    const { symbols } = dlopen("/usr/lib/libSystem.B.dylib", { pipe: { args: ["ptr"], returns: "i32" } });
    return (ends) => symbols.pipe(ptr(ends));
  } catch {
    return undefined; // an unusual C library; Bun's sockets are enough for all but the commands above
  }
}

function loadLinuxPipe(): (ends: Int32Array) => number {
  const { pipe2 } = openLibc({ pipe2: { args: ["ptr", "i32"], returns: "i32" } });
  return (ends) => pipe2(ptr(ends), O_CLOEXEC);
}
