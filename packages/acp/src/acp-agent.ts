import type { AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk";
import type { Hosts } from "@pintle/gateway";
import { AcpSessions, type SessionPlace } from "./acp-sessions.ts";
import { type ClientAbilities, readAbilities } from "./client/client-capabilities.ts";
import { readMcpServers } from "./client/mcp-servers.ts";
import { readPrompt } from "./client/prompt-input.ts";
import { GatewayLink } from "./gateway-link.ts";
import { optionalPathIn, optionalStringIn, pathIn, pathsIn, stringIn } from "./rpc/read-params.ts";
import { CODES, invalidParams, RpcError } from "./rpc/rpc-error.ts";
import { type IncomingRequest, RpcPeer } from "./rpc/rpc-peer.ts";
import type { AcpSession } from "./session/acp-session.ts";
import { UNDO_METHODS } from "./undo/file-undo.ts";

const PROTOCOL_VERSION = 1;

type Params = Record<string, unknown>;

/** The client starts this program in a terminal, with these arguments appended. */
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
  /** Directories of the user that count as inside the workspace, in every session. */
  roots: readonly string[];
  /** The sandbox mode with which every session starts. */
  sandboxMode: string;
  write(json: string): void;
  unsentBytes(): number;
  pressure(): Promise<void> | undefined;
}

/** The agent's side of one ACP connection: its methods. */
export class AcpAgent {
  readonly peer: RpcPeer;
  readonly #options: AcpOptions;
  readonly #link: GatewayLink;
  readonly #sessions: AcpSessions;
  /** Undefined until the client has declared its capabilities. */
  #able: ClientAbilities | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#link = new GatewayLink(options.hosts, {
      unsentBytes: options.unsentBytes,
      pressure: options.pressure,
      onFrame: (sessionId, frame) => this.#sessions.find(sessionId)?.onFrame(frame),
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
          "session/list": ready((params) =>
            this.#sessions.list(optionalPathIn(params, "cwd"), optionalStringIn(params, "cursor")),
          ),
          "session/close": ready((params) => this.#sessions.close(this.#session(params).id)),
          "session/delete": ready((params) => this.#sessions.delete(stringIn(params, "sessionId"))),
          "session/prompt": ready((params, { signal }) => this.#session(params).prompt(readPrompt(params), signal)),
          "session/set_mode": ready((params) => this.#session(params).config.setMode(stringIn(params, "modeId"))),
          "session/set_config_option": ready((params) => this.#choose(params)),
          ...Object.fromEntries(
            Object.entries(UNDO_METHODS).map(([method, command]) => [
              method,
              ready((params, { signal }) => this.#session(params).undo.send(command, params, signal)),
            ]),
          ),
        },
        notifications: {
          "session/cancel": ({ sessionId }) => this.#sessions.find(sessionId)?.turns.cancel(),
          "$/cancel_request": ({ requestId }) => this.peer.cancel(requestId),
        },
      },
      options.write,
    );
    const { roots, sandboxMode } = options;
    this.#sessions = new AcpSessions({ link: this.#link, peer: this.peer, roots, sandboxMode });
  }

  /**
   * Called when the client sends nothing more: its requests can no longer be answered, and running work is cancelled. Resolves
   * when every request has its response.
   */
  async finish(): Promise<void> {
    this.peer.inputEnded();
    for (const { turns } of this.#sessions.all()) turns.cancel();
    await this.peer.answered();
  }

  /** Called when the client is gone. */
  close(): void {
    this.peer.close();
    this.#link.close();
  }

  async #initialize(params: Params): Promise<InitializeResponse> {
    if (!Number.isInteger(params.protocolVersion)) throw invalidParams("protocolVersion must be an integer");
    const able = readAbilities(params.clientCapabilities);
    this.#able = able;
    // Sent immediately: a session that is opened in the meantime starts with both.
    await Promise.all([
      this.#link.request({ type: "set_update_mode", mode: "delta" }),
      this.#link.request({
        type: "set_host_capabilities",
        ui: true,
        trust: true,
        approvals: true,
        fs: able.readsFiles || able.writesFiles,
        terminal: able.hasTerminal,
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
        _meta: { "pintle/methods": Object.keys(UNDO_METHODS) },
      },
      authMethods: able.hasLoginTerminal ? [LOGIN] : [],
    };
  }

  /** Always fails: a login happens in a terminal, so this method has nothing to do. */
  #authenticate(params: Params): never {
    throw invalidParams(
      `${stringIn(params, "methodId")} cannot be used here: run \`pintle acp --login\` in a terminal`,
    );
  }

  async #begin(params: Params, request: IncomingRequest): Promise<object> {
    const [place, servers] = [placeIn(params), readMcpServers(params)];
    const session = await this.#sessions.begin(place, this.#able!);
    return this.#orClose(session, async () => {
      const introduced = await this.#introduce(session, servers, request);
      if (request.signal.aborted) throw new RpcError(CODES.cancelled, "The request was cancelled");
      return { sessionId: session.id, ...introduced };
    });
  }

  async #resume(params: Params, request: IncomingRequest, { replays }: { replays: boolean }): Promise<object> {
    const sessionId = stringIn(params, "sessionId");
    const [place, servers] = [placeIn(params), readMcpServers(params)];
    const isNew = this.#sessions.find(sessionId) === undefined;
    const session = await this.#sessions.resume(sessionId, place, this.#able!);
    const work = async () => {
      const introduced = await this.#introduce(session, servers, request);
      if (replays) await session.replay();
      return introduced;
    };
    return isNew ? this.#orClose(session, work) : work();
  }

  /** Closes the session if the work fails: the client does not know it yet, so it must not stay open. */
  async #orClose(session: AcpSession, work: () => Promise<object>): Promise<object> {
    try {
      return await work();
    } catch (error) {
      await this.#sessions.close(session.id).catch(() => {}); // report the first failure
      throw error;
    }
  }

  async #introduce(
    session: AcpSession,
    servers: ReturnType<typeof readMcpServers>,
    request: IncomingRequest,
  ): Promise<object> {
    await session.connectServers(servers);
    const introduced = await session.config.introduce();
    await session.decidePreviewsIn(session.config.state.permissionMode);
    request.afterAnswer(() => void session.tellRest().catch(() => {})); // an engine that has ended reports so itself
    return introduced;
  }

  async #choose(params: Params): Promise<object> {
    return { configOptions: await this.#session(params).config.choose(stringIn(params, "configId"), params.value) };
  }

  #session(params: Params): AcpSession {
    return this.#sessions.get(stringIn(params, "sessionId"));
  }
}

function placeIn(params: Params): SessionPlace {
  return { cwd: pathIn(params, "cwd"), additionalDirectories: pathsIn(params, "additionalDirectories") };
}
