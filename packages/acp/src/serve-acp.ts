import { delay } from "@pintle/ai";
import { type Hosts, LineOutlet, openStdio, type StdioStreams } from "@pintle/gateway";
import { JsonlReader } from "@pintle/wire";
import { AcpAgent } from "./acp-agent.ts";
import { CODES } from "./rpc/rpc-error.ts";

/** Unread bytes past which the sessions stop reading their engines. */
const PRESSURE_BYTES = 1024 * 1024;
/** How long what was asked for may take when the client sends no more: a script may still read. */
const FAREWELL_MS = 5_000;

export interface ServeAcpOptions {
  gateway: Hosts;
  stdio: StdioStreams;
  version: string;
  /** Bytes of one line of the client. */
  maxLineBytes: number;
  /** `permissions.roots` of the user. */
  roots: readonly string[];
  /** `sandbox.mode` of the user. */
  sandboxMode: string;
}

/** Speaks ACP with the parent until it has closed its side and what it asked for is answered. */
export async function serveAcp(options: ServeAcpOptions): Promise<void> {
  const { gateway, stdio, version, maxLineBytes, roots, sandboxMode } = options;
  const { pipe, chunks } = openStdio(stdio);
  const outlet = new LineOutlet(pipe);
  const pressure = new Pressure(outlet);
  const agent = new AcpAgent({
    ...{ hosts: gateway, version, roots, sandboxMode },
    write: (json) => void outlet.write(json),
    unsentBytes: () => outlet.unsentBytes,
    pressure: () => pressure.now(),
  });
  outlet.listener = {
    goOn: () => pressure.relieve(),
    closed: () => {
      pressure.relieve();
      pipe.close(); // a client that does not read is gone
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

/** A client that does not read holds its sessions up, and they the model: nothing of what it asked for is dropped. */
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
