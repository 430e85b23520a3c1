import type { Tool } from "@pintle/agent";
import { errorText, unlessAborted } from "@pintle/ai";
import type { LazyProcessRunner, LazySandbox } from "@pintle/exec";
import { SessionError } from "@pintle/storage";
import type { McpServerStatus } from "@pintle/wire";
import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { TraceOf } from "../traces/trace-headers.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { McpTrust } from "./config/mcp-config.ts";
import { hasServerFile } from "./config/server-files.ts";
import type { Person } from "./elicitation/person.ts";
import type { AskLogin } from "./login/login-request.ts";
import type { RunningServers } from "./running-servers.ts";

/** The parts of a session that servers use. */
export interface McpSession {
  cwd(): string;
  /** Replaces all tools; takes effect at the next model call. */
  offer(tools: readonly { tool: Tool; server?: string }[]): void;
  warn(message: string): void;
  status(server: McpServerStatus): void;
  /** Called when server prompts change. */
  commandsChanged?(): void;
  /** Returns the path of a new private file, for output that is too long for a result. */
  newSpillPath(tool: string): Promise<string>;
  /** Whether the current model accepts images. */
  takesImages(): boolean;
  /** Trace context that a call passes to its server. */
  traceOf: TraceOf;
  askLogin?: AskLogin;
  /** Answers the servers' questions; if unset, servers cannot ask. */
  person?: Person;
  /** Asks for consent to project content that a reload found. */
  askConsentAgain?(): void;
}

export interface McpServersParts {
  /** If false, no servers are used. */
  isEnabled: boolean;
  /** pintle's own directory. */
  home: string;
  /** Environment for variables in configuration files. */
  env: Environment;
  trust: McpTrust & Pick<ProjectTrust, "review" | "state">;
  processRunner: Pick<LazyProcessRunner, "open">;
  sandbox?: Pick<LazySandbox, "for">;
  settings: Pick<Settings, "get">;
}

/**
 * The MCP servers of one session. Loaded at every start and therefore small: without a configuration file nothing else is
 * loaded and nothing is started. Only the first prompt waits for servers. Exists before its session, which is attached.
 */
export class McpServers {
  readonly #parts: McpServersParts;
  #session: McpSession | undefined;
  #running: Promise<RunningServers> | undefined;
  #loaded: RunningServers | undefined;
  #reviewing: Promise<void> = Promise.resolve();
  #isUsed = false;
  #state: "new" | "started" | "closed" = "new";

  constructor(parts: McpServersParts) {
    this.#parts = parts;
  }

  /** Returns the running servers: their prompts, resources and instructions. Undefined while no server was looked for. */
  get loaded(): RunningServers | undefined {
    return this.#loaded;
  }

  /** Connects the servers to their session: it gets their tools, and their problems become its notices. */
  attach(session: McpSession): void {
    this.#session = session;
  }

  /** Connects in the background. Call it after `attach`, once notices of the session have a listener. */
  start(): void {
    if (this.#state !== "new" || !this.#parts.isEnabled) return;
    this.#state = "started";
    // Never rejects; failures become warnings.
    void this.review();
  }

  /** Reads the configuration again after consent or a change of files or directory. Resolves once new servers are starting. */
  review({ isReload = false } = {}): Promise<void> {
    if (this.#state === "started") this.#reviewing = this.#reviewing.then(() => this.#review(isReload));
    return this.#reviewing;
  }

  /** Like `review`, but also reads changed project files and retries servers that failed or ended. */
  async reload(): Promise<void> {
    await this.#parts.trust.review();
    await this.review({ isReload: true });
    if (this.#parts.trust.state === "withheld") this.#session?.askConsentAgain?.();
  }

  /** Called when a user can be asked to log in. */
  async logIn(): Promise<void> {
    await this.#reviewing;
    (await this.#running)?.logIn();
  }

  /** Replaces the host's servers. Throws SessionError and leaves them unchanged if one is invalid. */
  async setHostServers(definitions: readonly unknown[]): Promise<void> {
    if (!this.#parts.isEnabled) throw new SessionError("not_supported", "MCP servers are switched off");
    await this.#reviewing;
    if (this.#state !== "started") throw new SessionError("busy", "The session is not ready for MCP servers");
    const { HostServersError } = await import("./config/host-servers.ts");
    try {
      (await this.#open()).setHostServers(definitions);
      this.#isUsed = false; // the next prompt waits for them
    } catch (error) {
      throw error instanceof HostServersError ? new SessionError("invalid_request", error.message) : error;
    }
  }

  /** Replaces the servers of extensions. Throws SessionError and leaves them unchanged if one is invalid. */
  async setExtensionServers(definitions: readonly unknown[]): Promise<void> {
    if (!this.#parts.isEnabled) throw new SessionError("not_supported", "MCP servers are switched off");
    if (definitions.length === 0 && !this.#running) return;
    const { HostServersError } = await import("./config/host-servers.ts");
    try {
      (await this.#open()).useExtensionServers(definitions);
    } catch (error) {
      throw error instanceof HostServersError ? new SessionError("invalid_request", error.message) : error;
    }
    this.#isUsed = false; // the next prompt waits for them
    await this.review();
  }

  #open(): Promise<RunningServers> {
    const session = this.#session;
    if (!session) throw new Error("MCP servers are used before a session is attached");
    this.#running ??= import("./running-servers.ts").then(({ RunningServers }) => {
      this.#loaded = new RunningServers({ ...this.#parts, session });
      return this.#loaded;
    });
    return this.#running;
  }

  async status(): Promise<McpServerStatus[]> {
    await this.#reviewing;
    return (await this.#running)?.status() ?? [];
  }

  /**
   * Called before each prompt. Retries failed servers without waiting. The first prompt waits until every server has
   * connected or failed, at most `mcp.startTimeoutMs`, and then reports the missing ones. Never rejects; an abort
   * ends the wait, and the next prompt waits again.
   */
  async beforePrompt(signal: AbortSignal): Promise<void> {
    if (this.#state !== "started" || signal.aborted) return;
    await this.#reviewing;
    (await this.#running)?.tryAgain();
    if (this.#isUsed) return;
    await unlessAborted(this.#joinFirst(this.#parts.settings.get("mcp.startTimeoutMs"), signal), signal);
    this.#isUsed = !signal.aborted;
  }

  /** Resolves when every server has connected or failed, or after this time. */
  async connected(limitMs: number): Promise<void> {
    await this.#reviewing;
    await (await this.#running)?.connected(limitMs);
  }

  async #joinFirst(limitMs: number, signal: AbortSignal): Promise<void> {
    await this.connected(limitMs);
    const missing = (await this.status()).filter(({ status }) => status === "connecting");
    if (missing.length === 0 || limitMs === 0 || signal.aborted) return;
    const names = missing.map(({ name }) => `"${name}"`).join(", ");
    this.#session?.warn(`MCP: not connected after ${limitMs} ms, the prompt continues without: ${names}`);
  }

  /** Stops all servers, and kills those that do not exit promptly. */
  async close(): Promise<void> {
    this.#state = "closed";
    await this.#reviewing;
    await (await this.#running)?.close();
  }

  async #review(isReload: boolean): Promise<void> {
    const session = this.#session;
    if (!session || this.#state !== "started") return;
    if (!this.#running && !hasServerFile(session.cwd(), this.#parts.home)) return;
    try {
      const running = await this.#open();
      if (isReload) running.reload();
      else running.review();
    } catch (error) {
      session.warn(`MCP servers cannot be used: ${errorText(error)}`);
    }
  }
}
