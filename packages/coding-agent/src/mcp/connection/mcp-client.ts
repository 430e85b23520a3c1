import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  type StandardSchemaV1,
  type StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { isRecord, LONGEST_TIMER_MS, onAbort, untilAborted } from "@pintle/ai";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { Sandbox } from "@pintle/exec/sandbox";
import { within } from "@pintle/foundation";
import manifest from "../../../package.json" with { type: "json" };
import type { ServerSpec } from "../config/server-spec.ts";
import type { Elicitations } from "../elicitation/elicitations.ts";
import type { ServerLogin } from "../login/server-login.ts";
import { ForbiddenError, failureText, UnreachableError } from "./failure-text.ts";
import { SilenceLimit } from "./silence-limit.ts";
import { StdioTransport } from "./stdio-transport.ts";

// Loaded with the first server: it brings in the official client, which is large.

export interface RequestOptions {
  /** Maximum time without a response or progress. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Headers for this request only; a server program gets none. */
  headers?: Record<string, string>;
  onProgress?(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void;
}

export interface ClientParts {
  processRunner(): Promise<ProcessRunner>;
  /** Undefined if a server program runs without confinement. */
  sandbox?(): Promise<Pick<Sandbox, "wrap"> | undefined>;
  /** The login for a remote server. */
  login?: ServerLogin | undefined;
  /** Asks the user the server's questions. */
  elicitations?: Elicitations | undefined;
  onToolsChanged(): void;
  onPromptsChanged(): void;
  /** Called if the connection ends without being closed here. */
  onEnd(): void;
}

/** One connection, from handshake to close. */
export class McpClient {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #elicitations: Elicitations | undefined;
  #isOver = false;
  #isClosing = false;

  private constructor(transport: Transport, parts: ClientParts) {
    this.#transport = transport;
    this.#elicitations = parts.elicitations;
    this.#client = new Client(
      { name: "pintle", version: manifest.version },
      {
        // The readers validate results; no server schema is compiled here.
        jsonSchemaValidator: NO_VALIDATOR,
        versionNegotiation: { mode: "auto" },
        ...(parts.elicitations?.isPossible && { capabilities: { elicitation: ELICITATION } }),
        listChanged: {
          tools: { ...AT_ONCE, onChanged: parts.onToolsChanged },
          prompts: { ...AT_ONCE, onChanged: parts.onPromptsChanged },
        },
      },
    );
    // Includes servers that did not announce these notifications.
    this.#client.setNotificationHandler("notifications/tools/list_changed", parts.onToolsChanged);
    this.#client.setNotificationHandler("notifications/prompts/list_changed", parts.onPromptsChanged);
    if (parts.elicitations?.isPossible) this.#answerQuestions(parts.elicitations);
    this.#client.onclose = () => this.#end(parts.onEnd);
  }

  #answerQuestions(elicitations: Elicitations): void {
    this.#client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => ({
      ...(await elicitations.answer(params, mcpReq.signal)),
    }));
    this.#client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      elicitations.completed(params.elicitationId),
    );
  }

  /**
   * Connects and negotiates the protocol. Rejects after the server's time limit or when the signal aborts, and then leaves
   * nothing running. A server program gets the older handshake first, and the newer protocol only if it refuses: many programs
   * that do not know the newer one hang or exit on it. A remote server gets the newer protocol first, unless it is known to
   * speak the older one; if it refuses the request, it may still have the older transport.
   */
  static async connect(
    spec: ServerSpec,
    parts: ClientParts,
    signal: AbortSignal,
    { isLegacy = false } = {},
  ): Promise<McpClient> {
    const limit = AbortSignal.timeout(spec.timeoutMs);
    const stop = AbortSignal.any([signal, limit]);
    const first = await McpClient.#open(spec, parts);
    let connection = first;
    try {
      try {
        await first.#connect(spec, stop, isLegacy || spec.transport === "stdio");
      } catch (error) {
        const other = stop.aborted ? undefined : otherWay(spec, error);
        if (!other) throw error;
        await first.close();
        connection = await McpClient.#open(other.spec, parts);
        const otherStop = AbortSignal.any([stop, AbortSignal.timeout(other.limitMs)]);
        await connection.#connect(other.spec, otherStop, other.isLegacy).catch((failure: unknown) => {
          throw other.isGuess ? error : failure;
        });
      }
      return connection;
    } catch (error) {
      const isLate = limit.aborted && !signal.aborted;
      const late = () => new UnreachableError(`it did not answer within ${spec.timeoutMs / 1000} s`);
      const cause = isLate ? late() : error;
      const explained = new Error(connection.#explain(cause), { cause });
      await connection.close();
      throw explained;
    }
  }

  static async #open(spec: ServerSpec, parts: ClientParts): Promise<McpClient> {
    return new McpClient(await openTransport(spec, parts), parts);
  }

  async #connect(spec: ServerSpec, stop: AbortSignal, isLegacy: boolean): Promise<void> {
    stop.throwIfAborted();
    const prior: PriorDiscovery | undefined = isLegacy ? { kind: "legacy" } : undefined;
    const options = { timeout: spec.timeoutMs + 1_000, ...(prior && { prior }) };
    await untilAborted(this.#client.connect(this.#transport, options), stop);
    if (!this.isLegacy) completeResults(this.#transport);
  }

  /** The server uses the protocol with a handshake, so no further probe is needed. */
  get isLegacy(): boolean {
    return this.#client.getProtocolEra() === "legacy";
  }

  /** Whether the server uses the older transport, including when that was only just detected. */
  get isSse(): boolean {
    return this.#transport instanceof SSEClientTransport;
  }

  /** True if arguments that a schema marks are repeated in headers, as remote servers with the newer protocol expect. */
  get repeatsArguments(): boolean {
    return !this.isLegacy && !(this.#transport instanceof StdioTransport);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The server's instructions. */
  get instructions(): string {
    return this.#client.getInstructions() ?? "";
  }

  offers(kind: "tools" | "prompts" | "resources"): boolean {
    return this.#client.getServerCapabilities()?.[kind] !== undefined;
  }

  /** Why it ended, with the server's last output. */
  get stderrEnd(): string {
    return this.#explain(undefined);
  }

  /** Rejects with the server's error or the reason the connection ended. */
  async request(
    method: string,
    params: Record<string, unknown>,
    { timeoutMs, signal, onProgress, headers }: RequestOptions,
  ): Promise<Record<string, unknown>> {
    signal?.throwIfAborted();
    // Otherwise the official client would later cancel a request that was already answered.
    const stop = new AbortController();
    const forget = onAbort(signal, () => stop.abort(signal?.reason));
    const silence = new SilenceLimit({
      ms: timeoutMs,
      question: this.#elicitations,
      onSilence: () => stop.abort(new SdkError(SdkErrorCode.RequestTimeout, "it did not answer in time")),
    });
    try {
      return await this.#client.request({ method, params }, ANY_RESULT, {
        // The official client's limit would include the time in which a user is asked.
        timeout: LONGEST_TIMER_MS,
        signal: stop.signal,
        ...(headers && { headers }),
        ...(onProgress && {
          onprogress: (progress) => {
            silence.sign();
            onProgress(progress);
          },
        }),
      });
    } finally {
      silence.end();
      forget();
    }
  }

  /** Never rejects, and has a time limit. */
  async close(): Promise<void> {
    const wasOver = this.#isOver;
    this.#isClosing = true;
    this.#isOver = true;
    if (!wasOver) await terminateSession(this.#transport);
    await this.#transport.close().catch(() => {}); // closing either way
  }

  #end(notify: () => void): void {
    this.#isOver = true;
    if (!this.#isClosing) notify();
  }

  #explain(error: unknown): string {
    const { end = textOf(error), stderrEnd } = this.#transport instanceof StdioTransport ? this.#transport : NO_PROCESS;
    return stderrEnd === "" ? end : `${end}. It wrote:\n${stderrEnd}`;
  }
}

/** The state of the connection after a failed request. */
export type RequestFailure =
  /** The server answered, so the connection works. */
  | "answered"
  | "timeout"
  /** The server was restarted and has not executed the request. */
  | "forgotten"
  | "lost";

export function failureOf(error: unknown): RequestFailure {
  if (error instanceof ProtocolError || error instanceof ForbiddenError) return "answered";
  if (error instanceof SdkHttpError && error.status === 404) return "forgotten";
  if (error instanceof SdkHttpError && ABOUT_ONE_REQUEST.has(error.status)) return "answered";
  return (error instanceof SdkError && FAILURES.get(error.code)) || "lost";
}

/** Refusals such as forbidden, too large or too many requests. They do not affect the session or its other requests. */
const ABOUT_ONE_REQUEST: ReadonlySet<number> = new Set([403, 413, 429, 431]);

const FAILURES: ReadonlyMap<string, RequestFailure> = new Map([
  [SdkErrorCode.RequestTimeout, "timeout"],
  // A malformed response fails one call: other calls to the same server continue.
  [SdkErrorCode.InvalidResult, "answered"],
  [SdkErrorCode.UnsupportedResultType, "answered"],
  [SdkErrorCode.CapabilityNotSupported, "answered"],
  [SdkErrorCode.InputRequiredRoundsExceeded, "answered"],
]);

interface OtherWay {
  spec: ServerSpec;
  isLegacy: boolean;
  limitMs: number;
  /** If this fails too, the first failure is reported. */
  isGuess: boolean;
}

/** Status codes with which a server that has only the older transport answers a request of the newer one. */
const NO_SUCH_TRANSPORT: ReadonlySet<number> = new Set([400, 404, 405]);
/** Limits the attempt, because an ordinary web page may keep the connection open. */
const GUESS_MS = 10_000;

function otherWay(spec: ServerSpec, error: unknown): OtherWay | undefined {
  if (spec.transport === "stdio") {
    const isRefused = failureOf(error) === "answered";
    return isRefused ? { spec, isLegacy: false, limitMs: spec.timeoutMs, isGuess: false } : undefined;
  }
  const isRefused = error instanceof SdkHttpError && NO_SUCH_TRANSPORT.has(error.status);
  if (spec.transport === "sse" || !isRefused) return undefined;
  return {
    spec: { ...spec, transport: "sse" },
    isLegacy: true,
    limitMs: Math.min(GUESS_MS, spec.timeoutMs / 2),
    isGuess: true,
  };
}

const TERMINATE_MS = 500;
const AT_ONCE = { autoRefresh: false, debounceMs: 0 };
const ELICITATION = { form: { applyDefaults: true }, url: {} };
const ANY_RESULT: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "pintle",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "it is not an object" }] }),
  },
};
const NO_PROCESS = { end: undefined, stderrEnd: "" };
const NO_VALIDATOR = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
};

async function openTransport(spec: ServerSpec, { processRunner, sandbox, login }: ClientParts): Promise<Transport> {
  if (spec.transport === "stdio") return new StdioTransport(spec, await processRunner(), await sandbox?.());
  const { openHttpTransport } = await import("./http-transport.ts");
  return openHttpTransport(spec, login);
}

/** Treats a result without a kind as complete; the official client would refuse it. */
function completeResults(transport: Transport): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const isUnmarked = "result" in message && isRecord(message.result) && message.result.resultType === undefined;
    receive?.(isUnmarked ? { ...message, result: { ...message.result, resultType: "complete" } } : message, extra);
  };
}

/** Ends the session on a remote server, which may otherwise keep it for long. Does not wait for a silent server. */
async function terminateSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport)) return;
  const ended = (transport as StreamableHTTPClientTransport).terminateSession().catch(() => {});
  await within(TERMINATE_MS, ended);
}

function textOf(error: unknown): string {
  return error === undefined ? "the connection was closed" : failureText(error);
}
