import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { errorText, onAbort, untilAborted } from "@pintle/ai";
import manifest from "../../../package.json" with { type: "json" };
import { within } from "../../async/deadline.ts";
import type { ProcessGateway } from "../../processes/process-gateway.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ServerSpec } from "../config/server-spec.ts";
import { StdioTransport } from "./stdio-transport.ts";

// Loaded with the first server: it brings in the official client, which is large.

export interface RequestOptions {
  /** Without a sign of life; progress is one. */
  timeoutMs: number;
  signal?: AbortSignal;
  onProgress?(progress: { progress: number; total?: number; message?: string }): void;
}

export interface ClientParts {
  gateway(): Promise<ProcessGateway>;
  /** undefined: a server that is a program runs as it is. */
  sandbox?(): Promise<Pick<Sandbox, "wrap"> | undefined>;
  onToolsChanged(): void;
  /** The connection is over although it was not ended here. */
  onEnd(): void;
}

/** One connection, from the handshake to its end. */
export class McpClient {
  readonly #client: Client;
  readonly #transport: Transport;
  #isOver = false;
  #isClosing = false;

  private constructor(client: Client, transport: Transport) {
    this.#client = client;
    this.#transport = transport;
  }

  /** Rejects after the server's time, or when the signal fires; nothing is left running then. */
  static async connect(spec: ServerSpec, parts: ClientParts, signal: AbortSignal): Promise<McpClient> {
    const transport = await openTransport(spec, parts);
    // Results are checked by who reads them, in their own words: no schema of a server is compiled here.
    const client = new Client({ name: "pintle", version: manifest.version }, { jsonSchemaValidator: NO_VALIDATOR });
    const connection = new McpClient(client, transport);
    client.setNotificationHandler(ToolListChangedNotificationSchema, parts.onToolsChanged);
    client.onclose = () => connection.#end(parts.onEnd);
    const stop = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => stop.reject(new Error(`it did not answer within ${spec.timeoutMs / 1000} s`)),
      spec.timeoutMs,
    );
    try {
      signal.throwIfAborted();
      const connected = client.connect(transport, { timeout: spec.timeoutMs + 1_000 });
      await untilAborted(Promise.race([connected, stop.promise]), signal);
      return connection;
    } catch (error) {
      const explained = new Error(connection.#explain(error), { cause: error });
      await connection.close();
      throw explained;
    } finally {
      clearTimeout(timer);
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasTools(): boolean {
    return this.#client.getServerCapabilities()?.tools !== undefined;
  }

  /** Why it ended, with the last that the server wrote. */
  get stderrEnd(): string {
    return this.#explain(undefined);
  }

  /** Rejects with what the server answered, or with what became of the connection. */
  async request(
    method: string,
    params: Record<string, unknown>,
    { timeoutMs, signal, onProgress }: RequestOptions,
  ): Promise<Record<string, unknown>> {
    signal?.throwIfAborted();
    // The official client listens on, and would tell the server to stop what has long been answered.
    const stop = new AbortController();
    const forget = onAbort(signal, () => stop.abort(signal?.reason));
    try {
      return await this.#client.request({ method, params }, ResultSchema, {
        timeout: timeoutMs,
        resetTimeoutOnProgress: true,
        signal: stop.signal,
        ...(onProgress && { onprogress: onProgress }),
      });
    } finally {
      forget();
    }
  }

  /** Never rejects; bounded. */
  async close(): Promise<void> {
    const wasOver = this.#isOver;
    this.#isClosing = true;
    this.#isOver = true;
    if (!wasOver) await terminateSession(this.#transport);
    await this.#transport.close().catch(() => {}); // it is the end in any case
  }

  #end(tell: () => void): void {
    this.#isOver = true;
    if (!this.#isClosing) tell();
  }

  #explain(error: unknown): string {
    const { end = textOf(error), stderrEnd } = this.#transport instanceof StdioTransport ? this.#transport : NO_PROCESS;
    return stderrEnd === "" ? end : `${end}. It wrote:\n${stderrEnd}`;
  }
}

const TERMINATE_MS = 500;
const NO_PROCESS = { end: undefined, stderrEnd: "" };
const NO_VALIDATOR = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
};

async function openTransport(spec: ServerSpec, { gateway, sandbox }: ClientParts): Promise<Transport> {
  if (spec.transport === "stdio") return new StdioTransport(spec, await gateway(), await sandbox?.());
  const { openHttpTransport } = await import("./http-transport.ts");
  return openHttpTransport(spec);
}

/** A server elsewhere may keep what it knows of us for long. Who does not answer is not waited for. */
async function terminateSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport)) return;
  const ended = (transport as StreamableHTTPClientTransport).terminateSession().catch(() => {});
  await within(TERMINATE_MS, ended);
}

function textOf(error: unknown): string {
  if (error === undefined) return "the connection was closed";
  return errorText(error);
}
