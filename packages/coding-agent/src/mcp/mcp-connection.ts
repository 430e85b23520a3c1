import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { untilAborted } from "@pintle/ai";
import { UpdateThrottle } from "@pintle/exec";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { Sandbox } from "@pintle/exec/sandbox";
import { within } from "@pintle/foundation";
import type { McpServerStatus } from "@pintle/wire";
import type { TraceHeaders } from "../traces/trace-headers.ts";
import type { ConfiguredServer } from "./config/mcp-config.ts";
import { sourceOf } from "./config/server-name.ts";
import type { ServerSpec } from "./config/server-spec.ts";
import { failureText, mayPass, UnreachableError } from "./connection/failure-text.ts";
import { failureOf, McpClient, type RequestOptions } from "./connection/mcp-client.ts";
import { parameterHeaders } from "./connection/parameter-headers.ts";
import { RetryTimer } from "./connection/retry-timer.ts";
import { createRedactor } from "./connection/secrets.ts";
import { Elicitations } from "./elicitation/elicitations.ts";
import type { Person } from "./elicitation/person.ts";
import { addressesRequiredBy } from "./elicitation/required-addresses.ts";
import type { ServerLogin } from "./login/server-login.ts";
import type { ServerPrompt } from "./prompts/server-prompt.ts";
import { ServerPrompts } from "./prompts/server-prompts.ts";
import type { ListedTool } from "./tools/list-tools.ts";
import { ServerTools } from "./tools/server-tools.ts";
import { type ResultContext, toToolResult } from "./tools/tool-result.ts";

export interface ConnectionParts {
  processRunner(): Promise<ProcessRunner>;
  /** Undefined if a server program runs without confinement. */
  sandbox?(): Promise<Pick<Sandbox, "wrap"> | undefined>;
  /** Called when the set of tools changes. */
  onTools(): void;
  onPrompts?(): void;
  onStatus(status: McpServerStatus): void;
  warn(message: string): void;
  /** The login for this server, if it has one. */
  login?(spec: ServerSpec): Promise<ServerLogin | undefined>;
  /** Answers the server's questions. */
  person?: Person | undefined;
}

interface ConnectionRequestOptions extends Omit<RequestOptions, "timeoutMs" | "headers"> {
  signal: AbortSignal;
  /** Called once the protocol of the server is known. */
  headersFor?(): Record<string, string>;
}

const UPDATE_MS = 100;
/** How long the connection waits for the list of prompts; they may arrive later. */
const PROMPTS_MS = 2_000;
const MAX_PROGRESS = 4_096;
/** Logins per request: the first one, and one more if permissions turn out to be missing. */
const MAX_LOGINS = 2;

/**
 * Owns the connection to one server. Tools stay when the server dies, and the next call to one of them makes one
 * attempt to reconnect.
 */
export class McpConnection {
  readonly #server: ConfiguredServer;
  readonly #parts: ConnectionParts;
  readonly #redact: (text: string) => string;
  readonly #closing = new AbortController();
  readonly #tools: ServerTools;
  readonly #prompts: ServerPrompts;
  readonly #elicitations: Elicitations | undefined;
  #client: McpClient | undefined;
  #instructions = "";
  #hasResources = false;
  #login: ServerLogin | undefined;
  #opening: Promise<McpClient> | undefined;
  /** Remembers that the server lacks the newer protocol or transport. */
  #known = { isLegacy: false, isSse: false };
  /** The last attempt failed because a login is needed, which only a user can do. */
  #isLoginMissing = false;
  readonly #retry = new RetryTimer(() => void this.tryAgain()); // does not reject
  #lastWarning = "";
  #status: McpServerStatus["status"] = "connecting";
  #error: string | undefined;

  constructor(server: ConfiguredServer, parts: ConnectionParts) {
    this.#server = server;
    this.#parts = parts;
    this.#redact = createRedactor(server.spec, () => this.#login?.secrets() ?? []);
    this.#tools = new ServerTools({
      timeoutMs: server.spec.timeoutMs,
      closing: this.#closing.signal,
      onTools: () => {
        parts.onTools();
        if (this.#status === "connected") this.#emitStatus();
      },
      warn: (text) => this.#warn(text),
    });
    const warn = (text: string) => this.#warn(text);
    this.#prompts = new ServerPrompts({
      timeoutMs: server.spec.timeoutMs,
      closing: this.#closing.signal,
      onPrompts: () => parts.onPrompts?.(),
      warn,
    });
    this.#elicitations = parts.person && new Elicitations({ ...parts.person, server: this.name, warn });
  }

  get name(): string {
    return this.#server.spec.name;
  }

  get tools(): readonly ListedTool[] {
    return this.#tools.list;
  }

  get prompts(): readonly ServerPrompt[] {
    return this.#prompts.list;
  }

  /** True while the server is dead as well, because the next request reconnects. */
  get hasResources(): boolean {
    return this.#hasResources;
  }

  /** Instructions of the server. Like its tools, they stay when it dies. */
  get instructions(): string {
    return this.#instructions;
  }

  get status(): McpServerStatus {
    const { spec, path } = this.#server;
    return {
      name: spec.name,
      transport: this.#known.isSse ? "sse" : spec.transport,
      ...sourceOf(path),
      status: this.#status,
      tools: this.tools.length,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  /** Reconnects after a failure or a disconnect; otherwise does nothing. Never rejects. */
  async reconnect(): Promise<void> {
    if (this.#status === "failed" || this.#status === "ended") await this.connect();
  }

  /** Like `reconnect` after a failure, but reports only success, and does nothing while a login is needed. */
  async tryAgain(): Promise<void> {
    if (this.#status !== "failed" || this.#isLoginMissing || this.#closing.signal.aborted) return;
    await this.#open({ isQuiet: true }).catch(() => {}); // reported when it first failed; the status has the latest reason
  }

  /** Retries a connection that failed for lack of a login, now that a user can be asked. Never rejects. */
  async logIn(): Promise<void> {
    if (this.#status === "failed" && this.#login?.person?.isUnasked) await this.connect();
  }

  /** Never rejects: a server that cannot be reached is a warning. */
  async connect(): Promise<void> {
    try {
      await this.#open({ isWarning: true });
    } catch (error) {
      this.#warnUnusable(error); // an attempt that another caller began
    }
  }

  /** Throws an Error whose message the model should read. */
  async call(
    tool: string,
    args: Record<string, unknown>,
    { signal, update, trace }: Pick<ToolInvocation, "signal" | "update"> & { trace?: TraceHeaders | undefined },
    context: ResultContext,
  ): Promise<ToolResult> {
    let progress = "";
    const updates = new UpdateThrottle(() => update({ content: [{ type: "text", text: progress }] }), UPDATE_MS);
    const onProgress: RequestOptions["onProgress"] = (state) => {
      progress = progressText(state);
      updates.notify();
    };
    const params = { name: tool, arguments: args, ...(trace && { _meta: trace }) };
    try {
      const declared = this.tools.find((listed) => listed.tool === tool)?.headers;
      const headersFor = () => (Array.isArray(declared) ? parameterHeaders(declared, args) : {});
      const options = { signal, onProgress, headersFor };
      return await toToolResult(await this.#request("tools/call", params, options), context);
    } finally {
      updates.cancel();
    }
  }

  /** Sends a request on behalf of the user. Throws an Error whose message is for the user. */
  ask(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    return this.#request(method, params, { signal });
  }

  /** Repeats the request if the server was restarted and therefore has not executed it. */
  async #request(
    method: string,
    params: Record<string, unknown>,
    { headersFor, ...options }: ConnectionRequestOptions,
  ): Promise<Record<string, unknown>> {
    const { signal } = options;
    for (let isRepeated = false; ; isRepeated = true) {
      const client = await this.#alive(signal);
      try {
        const headers = client.repeatsArguments ? headersFor?.() : undefined;
        const request = { timeoutMs: this.#server.spec.callTimeoutMs, ...options, ...(headers && { headers }) };
        return await this.#withLogin(signal, () => client.request(method, params, request));
      } catch (error) {
        const addresses = isRepeated || signal.aborted ? undefined : addressesRequiredBy(error);
        if (addresses && (await this.#elicitations?.openAll(addresses, signal))) continue;
        if (signal.aborted) throw signal.reason;
        if (isRepeated || failureOf(error) !== "forgotten") throw this.#callError(client, error);
        await client.close();
      }
    }
  }

  /** Never rejects, and has a time limit. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The session has ended"));
    this.#retry.close();
    this.#tools.close();
    this.#prompts.close();
    await this.#opening?.catch(() => {}); // ends because of the signal
    await this.#client?.close();
  }

  async #alive(signal: AbortSignal): Promise<McpClient> {
    signal.throwIfAborted();
    if (this.#client && !this.#client.isOver) return this.#client;
    try {
      return await untilAborted(this.#open(), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new Error(this.#about(`has ended and could not be started again: ${failureText(error)}`));
    }
  }

  /** Concurrent callers share one attempt. */
  #open({ isQuiet = false, isWarning = false } = {}): Promise<McpClient> {
    if (this.#opening) return this.#opening;
    if (!isQuiet) this.#become("connecting");
    this.#opening = this.#attempt().then(
      (client) => {
        this.#opening = undefined;
        this.#retry.succeeded();
        this.#become("connected");
        return client;
      },
      (error: unknown) => {
        // A listener may start the next attempt at once, which must not join this one.
        this.#opening = undefined;
        this.#known = { isLegacy: this.#known.isLegacy, isSse: false };
        // The warning comes first: hosts drop it when the status of the next attempt arrives.
        if (isWarning) this.#warnUnusable(error);
        if (isQuiet) this.#error = this.#redact(failureText(error));
        else this.#become("failed", failureText(error));
        // Do not restart a failing program in a loop; the next prompt retries it.
        if (!this.#opening && mayPass(error) && this.#server.spec.transport !== "stdio") this.#retry.failed();
        throw error;
      },
    );
    return this.#opening;
  }

  #warnUnusable(error: unknown): void {
    if (!this.#closing.signal.aborted) this.#warn(`cannot be used: ${failureText(error)}`);
  }

  #become(status: McpServerStatus["status"], error?: string): void {
    this.#status = status;
    this.#error = error === undefined ? undefined : this.#redact(error);
    this.#emitStatus();
  }

  #emitStatus(): void {
    if (!this.#closing.signal.aborted) this.#parts.onStatus(this.status);
  }

  async #attempt(): Promise<McpClient> {
    const { spec: written, mayStart } = this.#server;
    const spec: ServerSpec =
      written.transport === "http" && this.#known.isSse ? { ...written, transport: "sse" } : written;
    this.#isLoginMissing = false;
    if (!mayStart()) throw new Error("there is no consent to its configuration any more");
    this.#login ??= await this.#parts.login?.(spec);
    const client = await this.#withLogin(this.#closing.signal, () =>
      McpClient.connect(
        spec,
        {
          ...this.#parts,
          login: this.#login,
          elicitations: this.#elicitations,
          onToolsChanged: () => this.#tools.changed(),
          onPromptsChanged: () => this.#prompts.changed(),
          onEnd: () => this.#onEnd(),
        },
        this.#closing.signal,
        this.#known,
      ),
    );
    this.#client = client;
    this.#known = { isLegacy: client.isLegacy, isSse: client.isSse };
    this.#hasResources = client.offers("resources");
    try {
      // A server may accept the handshake and require a login only now.
      await this.#withLogin(this.#closing.signal, () => this.#tools.read(client));
    } catch (error) {
      await client.close();
      throw new Error(`its tools cannot be listed: ${failureText(error)}`, { cause: error });
    }
    if (!client.offers("tools")) this.#parts.onTools(); // the tools for its resources
    this.#instructions = this.#redact(client.instructions);
    await within(PROMPTS_MS, this.#prompts.read(client));
    return client;
  }

  /**
   * Repeats a request after the login that it needs, a limited number of times.
   */
  async #withLogin<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const person = this.#login?.person;
    for (let logins = 0; ; logins += 1) {
      try {
        return await work();
      } catch (error) {
        if (!person?.isWanted || logins === MAX_LOGINS || signal.aborted) throw error;
        this.#isLoginMissing = true;
        await person.finish(signal);
        this.#isLoginMissing = false;
      } finally {
        if (!person?.isWanted) person?.close();
      }
    }
  }

  #onEnd(): void {
    // While the connection opens, the attempt itself reports failures.
    if (this.#opening || this.#closing.signal.aborted) return;
    this.#become("ended", this.#client?.stderrEnd);
    this.#warn(`has ended: ${this.#client?.stderrEnd}`);
  }

  #callError(client: McpClient, error: unknown): Error {
    if (client.isOver) return new Error(this.#about(`ended during the call: ${client.stderrEnd}`));
    const failure = failureOf(error);
    if (failure === "timeout") {
      return new Error(this.#about(`did not answer within ${this.#server.spec.callTimeoutMs / 1000} s`));
    }
    // Not a response from the server: the connection is broken, and the next call opens a new one.
    if (failure !== "answered") void client.close();
    const what = error instanceof UnreachableError ? "cannot be reached" : "answered with an error";
    return new Error(this.#about(`${what}: ${failureText(error)}`));
  }

  /** Reports a repeated failure once. */
  #warn(text: string): void {
    const message = this.#about(text);
    if (message !== this.#lastWarning) this.#parts.warn(message);
    this.#lastWarning = message;
  }

  #about(text: string): string {
    return this.#redact(`MCP server "${this.name}" ${text}`);
  }
}

function progressText({
  progress,
  total,
  message,
}: {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}): string {
  const amount = total === undefined ? String(progress) : `${progress}/${total}`;
  return (message === undefined ? amount : `${amount} ${message}`).slice(0, MAX_PROGRESS);
}
