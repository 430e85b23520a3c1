import { realpathSync } from "node:fs";
import type { AuthMethod, InitializeResponse, ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { GatewayCalls } from "@pintle/client/core";
import { CommandError } from "../frames/command-error.ts";
import type { Hosts } from "../host.ts";
import { AcpClient } from "./client/acp-client.ts";
import { type ClientAbilities, readAbilities } from "./client/client-capabilities.ts";
import { readMcpServers } from "./client/mcp-servers.ts";
import { readPrompt } from "./client/prompt-input.ts";
import { GatewayLink } from "./gateway-link.ts";
import { optionalStringIn, pathIn, pathsIn, stringIn } from "./rpc/read-params.ts";
import { CODES, invalidParams, noSession, RpcError } from "./rpc/rpc-error.ts";
import { type IncomingRequest, RpcPeer } from "./rpc/rpc-peer.ts";
import { AcpSession, titleOf } from "./session/acp-session.ts";

const PROTOCOL_VERSION = 1;

type Params = Record<string, unknown>;
type Opened = GatewayCalls["open_session"]["result"];
type Listed = GatewayCalls["list_sessions"]["result"];

/** The client starts this program in a terminal, with these words behind its own. */
const LOGIN: AuthMethod = {
  type: "terminal",
  id: "api-key",
  name: "Store an API key",
  description: "Asks for a provider and its key, and keeps the key for all sessions",
  args: ["--login"],
};

export interface AcpOptions {
  hosts: Hosts;
  version: string;
  /** Of every session: directories of the user that count as inside. */
  roots: readonly string[];
  /** Of every session that begins. */
  sandboxMode: string;
  write(json: string): void;
  unsentBytes(): number;
  pressure(): Promise<void> | undefined;
}

/** The agent's side of one ACP connection: its methods, and the sessions that the client has open. */
export class AcpAgent {
  readonly peer: RpcPeer;
  readonly #options: AcpOptions;
  readonly #link: GatewayLink;
  readonly #sessions = new Map<string, AcpSession>();
  /** Undefined until the client has said what it can do. */
  #able: ClientAbilities | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#link = new GatewayLink(options.hosts, {
      unsentBytes: options.unsentBytes,
      pressure: options.pressure,
      onFrame: (sessionId, frame) => this.#sessions.get(sessionId)?.onFrame(frame),
    });
    const ready =
      <R>(handle: (params: Params, request: IncomingRequest) => R) =>
      (params: Params, request: IncomingRequest) => {
        if (!this.#able) throw new RpcError(CODES.invalidRequest, "initialize comes first");
        return handle(params, request);
      };
    this.peer = new RpcPeer(
      {
        requests: {
          initialize: (params) => this.#initialize(params),
          authenticate: ready((params) => this.#authenticate(params)),
          "session/new": ready((params, request) => this.#begin(params, request)),
          "session/load": ready((params, request) => this.#resume(params, request, { replays: true })),
          "session/resume": ready((params, request) => this.#resume(params, request, { replays: false })),
          "session/list": ready((params) => this.#list(params)),
          "session/close": ready((params) => this.#close(this.#session(params).id)),
          "session/delete": ready((params) => this.#delete(stringIn(params, "sessionId"))),
          "session/prompt": ready((params, { signal }) => this.#session(params).prompt(readPrompt(params), signal)),
          "session/set_mode": ready((params) => this.#session(params).config.setMode(stringIn(params, "modeId"))),
          "session/set_config_option": ready((params) => this.#choose(params)),
        },
        notifications: {
          "session/cancel": ({ sessionId }) => this.#sessions.get(String(sessionId))?.turns.cancel(),
          "$/cancel_request": ({ requestId }) => this.peer.cancel(requestId),
        },
      },
      options.write,
    );
  }

  /** The client sends no more: nothing can be asked of it, and what runs is cancelled. Resolves when all is answered. */
  async finish(): Promise<void> {
    this.peer.inputEnded();
    for (const { turns } of this.#sessions.values()) turns.cancel();
    await this.peer.answered();
  }

  /** The client is gone. */
  close(): void {
    this.peer.close();
    this.#link.close();
  }

  async #initialize(params: Params): Promise<InitializeResponse> {
    if (!Number.isInteger(params.protocolVersion)) throw invalidParams("protocolVersion must be an integer");
    const able = readAbilities(params.clientCapabilities);
    this.#able = able;
    // Sent at once: a session that is opened meanwhile begins with both.
    await Promise.all([
      this.#link.request({ type: "set_update_mode", mode: "delta" }),
      this.#link.request({
        type: "set_host_capabilities",
        ...{ ui: true, trust: true, approvals: true },
        ...{ fs: able.readsFiles || able.writesFiles, terminal: able.hasTerminal },
      }),
    ]);
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "pintle", title: "Pintle", version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
      authMethods: able.hasLoginTerminal ? [LOGIN] : [],
    };
  }

  /** A login happens in a terminal; there is nothing that this method could do. */
  #authenticate(params: Params): never {
    throw invalidParams(`${stringIn(params, "methodId")} is not a method to authenticate with`);
  }

  async #begin(params: Params, request: IncomingRequest): Promise<object> {
    const cwd = pathIn(params, "cwd");
    const servers = readMcpServers(params);
    const session = await this.#open(params, { cwd });
    return this.#introduce(session, servers, request, async (introduced) => {
      if (request.signal.aborted) {
        await this.#close(session.id);
        throw new RpcError(CODES.cancelled, "The request was cancelled");
      }
      return { sessionId: session.id, ...introduced };
    });
  }

  async #resume(params: Params, request: IncomingRequest, { replays }: { replays: boolean }): Promise<object> {
    const sessionId = stringIn(params, "sessionId");
    const cwd = pathIn(params, "cwd");
    const servers = readMcpServers(params);
    await this.#checkDirectory(sessionId, cwd);
    const session = await this.#open(params, { cwd, session: sessionId });
    return this.#introduce(session, servers, request, async (introduced) => {
      if (replays) await session.replay();
      return introduced;
    });
  }

  async #introduce(
    session: AcpSession,
    servers: ReturnType<typeof readMcpServers>,
    request: IncomingRequest,
    finish: (introduced: object) => Promise<object>,
  ): Promise<object> {
    await session.connectServers(servers);
    const introduced = await session.config.introduce();
    await session.decidePreviewsIn(session.config.state.permissionMode);
    const answer = await finish(introduced);
    request.afterAnswer(() => void session.tellRest().catch(() => {})); // an engine that is gone has told so
    return answer;
  }

  /** A session that the client has open already is the same one again. */
  async #open(params: Params, { cwd, session }: { cwd: string; session?: string }): Promise<AcpSession> {
    const { roots, sandboxMode } = this.#options;
    const additionalDirectories = pathsIn(params, "additionalDirectories");
    const settings =
      additionalDirectories.length > 0
        ? { settings: { "permissions.roots": [...roots, ...additionalDirectories] } }
        : undefined;
    const place = session === undefined ? { cwd } : { session };
    const { sessionId } = await this.#link.request<Opened>(
      { type: "open_session", ...place, ...settings },
      (opened) => {
        if (this.#sessions.has(opened.sessionId)) return;
        const client = new AcpClient(opened.sessionId, this.peer, this.#able!);
        const parts = { link: this.#link, client, cwd, additionalDirectories, state: opened.state, sandboxMode };
        this.#sessions.set(opened.sessionId, new AcpSession(parts));
      },
    );
    return this.#session({ sessionId });
  }

  /** A session lives where it began; a client that names another place means another session. */
  async #checkDirectory(sessionId: string, cwd: string): Promise<void> {
    if (/[/\\]|\.jsonl$/.test(sessionId)) throw noSession(sessionId); // an id, never a path
    const { sessions } = await this.#link.request<Listed>({ type: "list_sessions", query: sessionId });
    const stored = sessions.find((row) => row.sessionId === sessionId);
    if (stored && realPathOf(stored.cwd) !== realPathOf(cwd)) throw invalidParams(`the session lives in ${stored.cwd}`);
  }

  async #list(params: Params): Promise<ListSessionsResponse> {
    const cwd = params.cwd === undefined || params.cwd === null ? undefined : realPathOf(pathIn(params, "cwd"));
    const cursor = optionalStringIn(params, "cursor");
    const page = await this.#link.request<Listed>({
      type: "list_sessions",
      ...(cwd !== undefined && { cwd }),
      ...(cursor !== undefined && { cursor }),
    });
    return {
      // What holds no message yet cannot be loaded.
      sessions: page.sessions
        .filter(({ messageCount }) => messageCount > 0)
        .map(({ sessionId, cwd: directory, name, firstMessage, updatedAt }) => ({
          sessionId,
          cwd: directory,
          title: name ?? titleOf(firstMessage ?? ""),
          updatedAt,
        })),
      ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    };
  }

  /** What goes on in it is cancelled. */
  async #close(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    session?.turns.cancel();
    try {
      await this.#link.request({ type: "close_session", sessionId, abort: true });
    } finally {
      session?.lost("The session was closed");
      this.#sessions.delete(sessionId);
    }
  }

  /** One that does not exist is deleted already. */
  async #delete(sessionId: string): Promise<void> {
    if (this.#sessions.has(sessionId)) await this.#close(sessionId);
    try {
      await this.#link.request({ type: "delete_session", sessionId });
    } catch (error) {
      if (!(error instanceof CommandError && error.code === "not_found")) throw error;
    }
  }

  async #choose(params: Params): Promise<object> {
    return { configOptions: await this.#session(params).config.choose(stringIn(params, "configId"), params.value) };
  }

  #session(params: Params): AcpSession {
    const sessionId = stringIn(params, "sessionId");
    const session = this.#sessions.get(sessionId);
    if (!session) throw noSession(sessionId);
    return session;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // the engine says what is wrong with it
  }
}
