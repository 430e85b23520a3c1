import type { Connections } from "../connections/connections.ts";
import { openLineHost } from "./line-host.ts";

/** The process's own streams, taken for the protocol by whoever starts the server. */
export interface StdioStreams {
  input: ReadableStream<Uint8Array>;
  /** Either call may return a promise: the reader is slow, and it settles when everything was taken. */
  output: { write(data: string): unknown; flush(): unknown };
}

/** The parent as a host. Resolves when it has closed its side and what it sent is answered. */
export async function serveStdio(
  { input, output }: StdioStreams,
  connections: Connections,
  { maxFrameBytes }: { maxFrameBytes: number },
): Promise<void> {
  const put = (lines: string) => {
    try {
      const parts = [output.write(lines), output.flush()].filter((part) => part instanceof Promise);
      return parts.length > 0 ? Promise.all(parts).then(() => {}) : undefined;
    } catch (error) {
      return Promise.reject(error); // stdout is not read any more
    }
  };
  const reading = input.getReader();
  const pipe = { put, close: () => void reading.cancel().catch(() => {}) }; // how a stream ends that is not read any more does not matter
  const { connection, reader } = openLineHost(connections, { transport: "stdio", pipe, maxFrameBytes });
  for (let chunk = await next(reading); chunk; chunk = await next(reading)) reader.push(chunk);
  reader.end();
  await connection.answered();
  connection.end("ending");
}

/** A stream that breaks is a parent that is gone, the same as one that ends. */
async function next(reading: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reading.read()).value;
  } catch {
    return undefined;
  }
}
