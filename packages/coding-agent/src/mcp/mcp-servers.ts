import type { Tool } from "@pintle/agent";
import { errorText, unlessAborted } from "@pintle/ai";
import type { CompletedPath, McpServerStatus } from "@pintle/wire";
import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { SlashCommand } from "../resources/prompts/slash-commands.ts";
import type { LazySandbox } from "../sandbox/lazy-sandbox.ts";
import type { AskLogin } from "../session/login-request.ts";
import type { PromptText } from "../session/session-hooks.ts";
import { SessionError } from "../storage/session-error.ts";
import type { TraceOf } from "../traces/trace-headers.ts";
import type { McpTrust } from "./config/mcp-config.ts";
import { hasServerFile } from "./config/server-files.ts";
import type { Person } from "./elicitation/person.ts";
import type { RunningServers } from "./running-servers.ts";

/** What servers need of the session they work for. */
export interface McpSession {
  cwd(): string;
  /** The complete new set; counts from the next model call on. */
  offer(tools: readonly { tool: Tool; server?: string }[]): void;
  warn(message: string): void;
  status(server: McpServerStatus): void;
  /** Servers have other prompts. */
  commandsChanged?(): void;
  /** The name of a new private file, for output that is too long for an answer. */
  newSpillPath(tool: string): Promise<string>;
  /** Whether the current model can be shown an image. */
  takesImages(): boolean;
  /** What a call hands on to its server. */
  traceOf: TraceOf;
  askLogin?: AskLogin;
  /** Whom servers may ask something; without it nobody. */
  person?: Person;
}

export interface McpServersParts {
  /** False: no server is ever looked for. */
  isEnabled: boolean;
  /** pintle's own directory. */
  home: string;
  /** For the variables in configuration files. */
  env: Environment;
  trust: McpTrust;
  gateway: Pick<LazyGateway, "open">;
  sandbox?: Pick<LazySandbox, "for">;
  settings: Pick<Settings, "get">;
  session: McpSession;
}

/**
 * The MCP servers of one session. Loaded at every start and therefore small: without a configuration file nothing else is
 * loaded and nothing is started. Only the first prompt waits for servers.
 */
export class McpServers {
  readonly #parts: McpServersParts;
  #running: Promise<RunningServers> | undefined;
  /** The same, once it is there. */
  #loaded: RunningServers | undefined;
  #reviewing: Promise<void> = Promise.resolve();
  #isUsed = false;
  #state: "new" | "started" | "closed" = "new";

  constructor(parts: McpServersParts) {
    this.#parts = parts;
  }

  /** To be called once the session is there and its notices have a listener. Connects in the background. */
  start(): void {
    if (this.#state !== "new" || !this.#parts.isEnabled) return;
    this.#state = "started";
    // Does not reject: it warns.
    void this.review();
  }

  /** Looks again: after consent, after a change of the files or of the directory. Resolves when what is new was begun. */
  review({ isReload = false } = {}): Promise<void> {
    if (this.#state === "started") this.#reviewing = this.#reviewing.then(() => this.#review(isReload));
    return this.#reviewing;
  }

  /** As `review`; in addition those that failed or ended are tried once more. */
  reload(): Promise<void> {
    return this.review({ isReload: true });
  }

  /** There is somebody now who can be asked to log in. */
  async logIn(): Promise<void> {
    await this.#reviewing;
    (await this.#running)?.logIn();
  }

  /** Those of the host, as a whole. Throws SessionError, and then the servers stay as they are. */
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

  #open(): Promise<RunningServers> {
    this.#running ??= import("./running-servers.ts").then(({ RunningServers }) => {
      this.#loaded = new RunningServers(this.#parts);
      return this.#loaded;
    });
    return this.#running;
  }

  /** Prompts of servers, as what a prompt of the user may begin with. */
  commands(): SlashCommand[] {
    return this.#loaded?.commands() ?? [];
  }

  /** undefined: the text calls no prompt of a server. Throws SessionError. */
  async expand(text: string, signal: AbortSignal): Promise<PromptText | undefined> {
    return this.#loaded?.expand(text, signal);
  }

  /** Whether a text has `@server:uri` with a server that has resources. */
  mentions(text: string): boolean {
    return this.#loaded?.mentions(text) ?? false;
  }

  /** The prompt with the resources that the typed text mentions. Rejects only when the signal fires. */
  async attach(prompt: PromptText, typed: string, signal: AbortSignal): Promise<PromptText> {
    return this.#loaded?.attach(prompt, typed, signal) ?? prompt;
  }

  /** Resources for what was typed after an @; undefined: it is not about a server. */
  async complete(query: string, limit: number): Promise<CompletedPath[] | undefined> {
    return this.#loaded?.complete(query, limit);
  }

  /** What those that are connected say about their use, for the system prompt. */
  instructions(): string {
    return this.#loaded?.instructions() ?? "";
  }

  async status(): Promise<McpServerStatus[]> {
    await this.#reviewing;
    return (await this.#running)?.status() ?? [];
  }

  /**
   * Before each prompt. What failed is tried again, and is not waited for. The first prompt waits until every server has
   * connected or failed, at the latest for `mcp.startTimeoutMs`, and then says which ones are missing. Never rejects; an abort
   * ends the wait, and the next prompt is the first then.
   */
  async beforePrompt(signal: AbortSignal): Promise<void> {
    if (this.#state !== "started" || signal.aborted) return;
    await this.#reviewing;
    (await this.#running)?.tryAgain();
    if (this.#isUsed) return;
    await unlessAborted(this.#joinFirst(this.#parts.settings.get("mcp.startTimeoutMs"), signal), signal);
    this.#isUsed = !signal.aborted;
  }

  /** Resolves when every server has connected or failed, at the latest after this time. */
  async connected(limitMs: number): Promise<void> {
    await this.#reviewing;
    await (await this.#running)?.connected(limitMs);
  }

  async #joinFirst(limitMs: number, signal: AbortSignal): Promise<void> {
    await this.connected(limitMs);
    const missing = (await this.status()).filter(({ status }) => status === "connecting");
    if (missing.length === 0 || limitMs === 0 || signal.aborted) return;
    const names = missing.map(({ name }) => `"${name}"`).join(", ");
    this.#parts.session.warn(`MCP: not connected after ${limitMs} ms, the prompt goes on without: ${names}`);
  }

  /** Ends all of them. What a server does not do by itself in a moment is done to it. */
  async close(): Promise<void> {
    this.#state = "closed";
    await this.#reviewing;
    await (await this.#running)?.close();
  }

  async #review(isReload: boolean): Promise<void> {
    const { home, session } = this.#parts;
    if (this.#state !== "started" || (!this.#running && !hasServerFile(session.cwd(), home))) return;
    try {
      const running = await this.#open();
      if (isReload) running.reload();
      else running.review();
    } catch (error) {
      session.warn(`MCP servers cannot be used: ${errorText(error)}`);
    }
  }
}
