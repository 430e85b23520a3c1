/**
 * Reserves stdin for the protocol. Only the returned stream receives the host's frames. Code that opens stdin later, such as
 * a command-line library in an extension, finds it at its end.
 */
export function guardStdin(): ReadableStream<Uint8Array> {
  const stream = Bun.stdin.stream();
  Object.assign(Bun, { stdin: Bun.file("/dev/null") });
  Object.assign(process, { stdin: undefined });
  Object.defineProperty(process, "stdin", { configurable: true, enumerable: true, get: emptyStdin });
  return stream;
}

let empty: NodeJS.ReadableStream | undefined;

function emptyStdin(): NodeJS.ReadableStream {
  // Loaded on demand, which most processes never need.
  empty ??= process.getBuiltinModule("node:stream").Readable.from([]);
  return empty;
}
