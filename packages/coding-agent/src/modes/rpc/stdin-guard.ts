/**
 * Takes stdin for the protocol: the stream it returns is the only way left to the host's frames. Code that asks for stdin
 * afterwards (a command-line library in an extension) finds it at its end.
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
  // Loaded when it is asked for: in most processes never.
  empty ??= process.getBuiltinModule("node:stream").Readable.from([]);
  return empty;
}
