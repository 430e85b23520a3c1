import type { LinePipe } from "./line-outlet.ts";

/** The streams of the process; the code that starts the server reserves them for the protocol. */
export interface StdioStreams {
  input: ReadableStream<Uint8Array>;
  /** Both methods return a promise if the reader is slow. It resolves when everything was written. */
  output: { write(data: string): unknown; flush(): unknown };
}

/**
 * Opens the streams of the parent: a pipe for lines, and the bytes that arrive until the parent closes its end or
 * exits.
 */
export function openStdio({ input, output }: StdioStreams): { pipe: LinePipe; chunks: AsyncIterable<Uint8Array> } {
  const reading = input.getReader();
  const put = (lines: string) => {
    try {
      const parts = [output.write(lines), output.flush()].filter((part) => part instanceof Promise);
      return parts.length > 0 ? Promise.all(parts).then(() => {}) : undefined;
    } catch (error) {
      return Promise.reject(error); // the reader of stdout has gone
    }
  };
  const close = () => void reading.cancel().catch(() => {}); // errors of an abandoned stream do not matter
  return { pipe: { put, close }, chunks: chunksOf(reading) };
}

async function* chunksOf(reading: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = await next(reading); chunk; chunk = await next(reading)) yield chunk;
}

/** Reads the next chunk. A broken stream means that the parent is gone, like one that ends. */
async function next(reading: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reading.read()).value;
  } catch {
    return undefined;
  }
}
