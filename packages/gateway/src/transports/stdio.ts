import type { Connections } from "../connections/connections.ts";
import { openLineHost } from "./line-host.ts";
import { openStdio, type StdioStreams } from "./stdio-pipe.ts";

/** Serves the parent as a host. Resolves when the parent has closed its end and everything that it sent is answered. */
export async function serveStdio(
  streams: StdioStreams,
  connections: Connections,
  { maxFrameBytes }: { maxFrameBytes: number },
): Promise<void> {
  const { pipe, chunks } = openStdio(streams);
  const { connection, reader } = openLineHost(connections, { transport: "stdio", pipe, maxFrameBytes });
  for await (const chunk of chunks) reader.push(chunk);
  reader.end();
  await connection.answered();
  connection.end("ending");
}
