import { JsonlReader } from "@pintle/wire";
import type { Connection } from "../connections/connection.ts";
import type { Connections } from "../connections/connections.ts";
import type { Transport } from "../host.ts";
import { LineOutlet, type LinePipe } from "./line-outlet.ts";

/** A connection whose frames are lines, with the reader for the host's bytes. */
export interface LineHost {
  connection: Connection;
  reader: JsonlReader;
}

export function openLineHost(
  connections: Connections,
  { transport, pipe, maxFrameBytes }: { transport: Transport; pipe: LinePipe; maxFrameBytes: number },
): LineHost {
  const outlet = new LineOutlet(pipe);
  const connection = connections.open(transport, outlet);
  outlet.listener = connection;
  const reader = new JsonlReader(
    {
      onLine: (line, isDamaged) => connection.receive(line, isDamaged),
      onOverlongLine: () => connection.refuse(`the frame is longer than ${maxFrameBytes} bytes`),
    },
    maxFrameBytes,
  );
  return { connection, reader };
}
