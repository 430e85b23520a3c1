import { delay } from "@pintle/ai";
import { type Hosts, LineOutlet, openStdio, type StdioStreams } from "@pintle/gateway";
import { JsonlReader } from "@pintle/wire";
import { AcpAgent } from "./acp-agent.ts";
import { CODES } from "./rpc/rpc-error.ts";

/** Above this number of unread bytes, the sessions stop reading from their engines. */
const PRESSURE_BYTES = 1024 * 1024;
/** How long pending requests may take after the client has closed its side, because a script may still read. */
const FAREWELL_MS = 5_000;

export interface ServeAcpOptions {
  gateway: Hosts;
  stdio: StdioStreams;
  version: string;
  /** Maximum length of a line from the client, in bytes. */
  maxLineBytes: number;
  /** The user's setting `permissions.roots`. */
  roots: readonly string[];
  /** The user's setting `sandbox.mode`. */
  sandboxMode: string;
}

/** Speaks ACP with the parent process until it has closed its side and all its requests have their responses. */
export async function serveAcp(options: ServeAcpOptions): Promise<void> {
  const { gateway, stdio, version, maxLineBytes, roots, sandboxMode } = options;
  const { pipe, chunks } = openStdio(stdio);
  const outlet = new LineOutlet(pipe);
  const pressure = new Pressure(outlet);
  const agent = new AcpAgent({
    hosts: gateway,
    version,
    roots,
    sandboxMode,
    write: (json) => void outlet.write(json),
    unsentBytes: () => outlet.unsentBytes,
    pressure: () => pressure.now(),
  });
  outlet.listener = {
    drained: () => pressure.relieve(),
    closed: () => {
      pressure.relieve();
      pipe.close(); // the client no longer reads: treat it as gone
    },
  };
  const reader = new JsonlReader(
    {
      onLine: (line) => agent.peer.receive(line),
      onOverlongLine: () => agent.peer.refuse(CODES.invalidRequest, `the line is longer than ${maxLineBytes} bytes`),
    },
    maxLineBytes,
  );
  for await (const chunk of chunks) reader.push(chunk);
  reader.end();
  const isOver = new AbortController();
  await Promise.race([agent.finish(), delay(FAREWELL_MS, isOver.signal)]);
  isOver.abort();
  agent.close();
  outlet.end("ending");
}

/** A client that does not read slows down its sessions, and they slow down the model. Nothing it requested is dropped. */
class Pressure {
  readonly #outlet: LineOutlet;
  #relief: PromiseWithResolvers<void> | undefined;

  constructor(outlet: LineOutlet) {
    this.#outlet = outlet;
  }

  now(): Promise<void> | undefined {
    if (this.#outlet.unsentBytes <= PRESSURE_BYTES) return undefined;
    this.#relief ??= Promise.withResolvers<void>();
    return this.#relief.promise;
  }

  relieve(): void {
    this.#relief?.resolve();
    this.#relief = undefined;
  }
}
