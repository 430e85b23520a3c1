import type { LinePipe } from "./line-outlet.ts";

/** The process's own streams, reserved for the protocol by the code that starts the server. */
export interface StdioStreams {
  input: ReadableStream<Uint8Array>;
  /** Either call returns a promise if the reader is slow. It resolves when everything was written. */
  output: { write(data: string): unknown; flush(): unknown };
}

/** The parent's two streams: where lines go, and the bytes that come until the parent closes its side or is gone. */
export function openStdio({ input, output }: StdioStreams): { pipe: LinePipe; chunks: AsyncIterable<Uint8Array> } {
  const reading = input.getReader();
  const put = (lines: string) => {
    try {
      const parts = [output.write(lines), output.flush()].filter((part) => part instanceof Promise);
      return parts.length > 0 ? Promise.all(parts).then(() => {}) : undefined;
    } catch (error) {
      return Promise.reject(error); // stdout is not read any more
    }
  };
  const close = () => void reading.cancel().catch(() => {}); // how a stream ends that is not read any more does not matter
  return { pipe: { put, close }, chunks: chunksOf(reading) };
}

async function* chunksOf(reading: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = await next(reading); chunk; chunk = await next(reading)) yield chunk;
}

/** A stream that breaks is a parent that is gone, the same as one that ends. */
async function next(reading: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reading.read()).value;
  } catch {
    return undefined;
  }
}
