import type { Tool } from "@pintle/agent";
import { within } from "@pintle/foundation";
import type { CompletedPath, McpServerStatus } from "@pintle/wire";
import type { PromptText } from "../resources/prompts/prompt-text.ts";
import type { SlashCommand } from "../resources/prompts/slash-commands.ts";
import { readHostServers } from "./config/host-servers.ts";
import { type ConfiguredServer, readMcpConfig } from "./config/mcp-config.ts";
import { sourceOf } from "./config/server-name.ts";
import type { ServerSpec } from "./config/server-spec.ts";
import { instructionsText } from "./instructions/instructions-text.ts";
import type { ServerLogin } from "./login/server-login.ts";
import type { McpConnection } from "./mcp-connection.ts";
import type { McpServersParts, McpSession } from "./mcp-servers.ts";
import { expandCommand, type PromptServer, promptCommands } from "./prompts/prompt-commands.ts";
import { toPromptText } from "./prompts/prompt-messages.ts";
import { completeResource } from "./resources/complete-resource.ts";
import { attachResources, mentionsIn } from "./resources/mentions.ts";
import type { ResourceServer } from "./resources/resource-server.ts";
import { resourceTools } from "./resources/resource-tools.ts";
import { nameTools } from "./tools/tool-names.ts";
import type { ResultContext } from "./tools/tool-result.ts";

/** With more problems than this, the whole file is reported instead. */
const MAX_PROBLEMS = 20;

type RunningServersParts = McpServersParts & { session: McpSession };

interface Running {
  server: ConfiguredServer;
  connecting: Promise<void>;
  /** Undefined while its code is loading. */
  connection: McpConnection | undefined;
}

/** Owns the configured servers and their tools. Loaded only if a configuration file exists. */
export class RunningServers {
  readonly #parts: RunningServersParts;
  /** Keyed by the whole definition: a server whose definition changes is a different server. */
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  readonly #reportedProblems = new Set<string>();
  #ofHost: readonly ConfiguredServer[] = [];
  #ofExtensions: readonly ConfiguredServer[] = [];
  #isClosed = false;

  constructor(parts: RunningServersParts) {
    this.#parts = parts;
  }

  /** Throws HostServersError and leaves the servers unchanged if the list is invalid. */
  setHostServers(definitions: readonly unknown[]): void {
    const { env, session } = this.#parts;
    this.#ofHost = readHostServers(definitions, { cwd: session.cwd(), env });
    this.review();
  }

  /** Takes effect at the next review. Throws HostServersError and leaves the servers unchanged if the list is invalid. */
  useExtensionServers(definitions: readonly unknown[]): void {
    const { env, session } = this.#parts;
    this.#ofExtensions = readHostServers(definitions, { cwd: session.cwd(), env });
  }

  /** Starts new servers and stops removed ones, without waiting. */
  review(): void {
    if (this.#isClosed) return;
    const { home, env, trust, session } = this.#parts;
    const { servers, problems } = readMcpConfig({ cwd: session.cwd(), home, env, trust });
    this.#warn(problems);
    // For servers with the same name, the host's wins, then the one from a file.
    const byName = new Map([...this.#ofExtensions, ...servers, ...this.#ofHost].map((one) => [one.spec.name, one]));
    const all = [...byName.values()];
    const wanted = new Map(all.map((server) => [JSON.stringify([server.path, server.spec]), server]));
    for (const [key, running] of this.#running) if (!wanted.has(key)) this.#end(key, running);
    for (const [key, server] of wanted) if (!this.#running.has(key)) this.#start(key, server);
  }

  /** Reads the files again, and retries servers that failed or ended. Waits for nothing. */
  reload(): void {
    this.review();
    for (const running of this.#running.values()) {
      running.connecting = running.connecting.then(() => running.connection?.reconnect());
    }
  }

  /** Retries unreachable servers when a prompt arrives, without waiting. */
  tryAgain(): void {
    for (const { connection } of this.#running.values()) void connection?.tryAgain(); // does not reject
  }

  /** Server prompts as slash commands. */
  commands(): SlashCommand[] {
    return promptCommands(this.#promptServers());
  }

  /** Returns undefined if the message calls no server prompt. Throws SessionError. */
  expand(text: string, signal: AbortSignal): Promise<PromptText | undefined> {
    return expandCommand(text, this.#promptServers(), signal);
  }

  /** Returns whether a message has `@server:uri` with a server that has resources. */
  mentions(text: string): boolean {
    return mentionsIn(text, this.#resourceServers()).length > 0;
  }

  /** Adds the mentioned resources to the prompt. Rejects only if the signal fires. */
  attach(prompt: PromptText, typed: string, signal: AbortSignal): Promise<PromptText> {
    const { session } = this.#parts;
    const context = this.#resultContext("mcp-resource");
    const warn = (message: string) => session.warn(message);
    return attachResources(prompt, mentionsIn(typed, this.#resourceServers()), { context, warn, signal });
  }

  /** Returns undefined if the query does not name a server. */
  complete(query: string, limit: number): Promise<CompletedPath[] | undefined> {
    return completeResource(query, this.#resourceServers(), limit);
  }

  #promptServers(): PromptServer[] {
    const context = this.#resultContext("mcp-prompt");
    return [...this.#running.values()].flatMap(({ connection }) => {
      if (!connection || connection.prompts.length === 0) return [];
      const { name, prompts } = connection;
      const getPrompt: PromptServer["getPrompt"] = async (prompt, values, signal) =>
        toPromptText(await connection.ask("prompts/get", { name: prompt, arguments: values }, signal), context);
      return [{ name, prompts, getPrompt }];
    });
  }

  #resultContext(tool: string): ResultContext {
    const { settings, session } = this.#parts;
    return { settings, takesImages: session.takesImages, newSpillPath: () => session.newSpillPath(tool) };
  }

  /** Instructions for the system prompt. */
  instructions(): string {
    const said = [...this.#running.values()].flatMap(({ connection }) =>
      connection && connection.instructions !== "" ? [{ server: connection.name, text: connection.instructions }] : [],
    );
    return said.length === 0 ? "" : instructionsText(said);
  }

  status(): McpServerStatus[] {
    return [...this.#running.values()].map(({ connection, server }) => connection?.status ?? notYet(server));
  }

  async connected(limitMs: number): Promise<void> {
    await within(limitMs, Promise.all([...this.#running.values()].map(({ connecting }) => connecting)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [key, running] of this.#running) this.#end(key, running);
    await Promise.all(this.#ending);
  }

  #start(key: string, server: ConfiguredServer): void {
    const running: Running = { server, connection: undefined, connecting: Promise.resolve() };
    running.connecting = this.#connect(server, running);
    this.#running.set(key, running);
  }

  async #connect(server: ConfiguredServer, running: Running): Promise<void> {
    const { processRunner, sandbox, session } = this.#parts;
    const { McpConnection } = await import("./mcp-connection.ts");
    if (![...this.#running.values()].includes(running)) return; // removed before it started
    running.connection = new McpConnection(server, {
      processRunner: () => processRunner.open(),
      sandbox: async () => sandbox?.for("mcp"),
      onTools: () => this.#offer(),
      onPrompts: () => session.commandsChanged?.(),
      onStatus: (status) => session.status(status),
      warn: (message) => session.warn(message),
      login: (spec) => this.#login(spec),
      person: session.person,
    });
    await running.connection.connect();
  }

  /** Retries servers that need a login, now that a user can be asked. Does not wait. */
  logIn(): void {
    for (const running of this.#running.values()) {
      running.connecting = running.connecting.then(() => running.connection?.logIn());
    }
  }

  async #login(spec: ServerSpec): Promise<ServerLogin | undefined> {
    if (spec.transport === "stdio" || !spec.oauth) return undefined;
    const { home, session } = this.#parts;
    const { createLogin } = await import("./login/server-login.ts");
    return createLogin(spec, home, async (url, signal) => session.askLogin?.({ server: spec.name, url, signal }));
  }

  #end(key: string, { connection, server }: Running): void {
    this.#running.delete(key);
    const { error: _, ...last } = connection?.status ?? notYet(server);
    if (!this.#isClosed) this.#parts.session.status({ ...last, status: "stopped", tools: 0 });
    if (!connection) return;
    const ending = connection.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    if (connection.tools.length > 0 || connection.hasResources) this.#offer();
    if (connection.prompts.length > 0 && !this.#isClosed) this.#parts.session.commandsChanged?.();
  }

  #offer(): void {
    if (this.#isClosed) return;
    const origins = [...this.#running.values()].flatMap(({ connection }) =>
      connection ? connection.tools.map((listed) => ({ ...listed, server: connection.name, connection })) : [],
    );
    const { named, collisions } = nameTools(origins);
    this.#warn(
      collisions.map((name) => `Several MCP tools would be called ${name}; all but the first get a hash appended`),
    );
    const ofServers = named.map(({ name, origin }) => ({ tool: this.#toTool(name, origin), server: origin.server }));
    this.#parts.session.offer([...ofServers, ...this.#resourceTools()]);
  }

  #resourceTools(): { tool: Tool }[] {
    if (this.#resourceServers().length === 0) return [];
    const servers = () => this.#resourceServers();
    return resourceTools({ servers, contextFor: (tool) => this.#resultContext(tool) }).map((tool) => ({ tool }));
  }

  #resourceServers(): ResourceServer[] {
    return [...this.#running.values()].flatMap(({ connection }) => (connection?.hasResources ? [connection] : []));
  }

  #toTool(name: string, { connection, tool, label, description, parameters, annotations, toServer }: Origin): Tool {
    const { session } = this.#parts;
    const context = this.#resultContext(name);
    return {
      name,
      label,
      description,
      parameters,
      ...(annotations && { annotations }),
      execute: (args, { id, signal, update }) => {
        const invocation = { signal, update, trace: session.traceOf(id) };
        const given = args as Record<string, unknown>;
        return connection.call(tool, toServer ? toServer(given) : given, invocation, context);
      },
    };
  }

  /** Reports each problem once, however often the files are read. */
  #warn(problems: readonly string[]): void {
    const fresh = problems.filter((problem) => !this.#reportedProblems.has(problem));
    for (const problem of fresh) this.#reportedProblems.add(problem);
    for (const problem of fresh.slice(0, MAX_PROBLEMS)) this.#parts.session.warn(problem);
    if (fresh.length > MAX_PROBLEMS)
      this.#parts.session.warn(`and ${fresh.length - MAX_PROBLEMS} more problems with MCP servers`);
  }
}

/** Returns the status of a server while the code for its connection loads. */
function notYet({ spec, path }: ConfiguredServer): McpServerStatus {
  return { name: spec.name, transport: spec.transport, ...sourceOf(path), status: "connecting", tools: 0 };
}

type Origin = McpConnection["tools"][number] & { server: string; connection: McpConnection };
