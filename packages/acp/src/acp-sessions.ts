import { realpathSync } from "node:fs";
import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { GatewayCalls } from "@pintle/client/core";
import { CommandError } from "@pintle/gateway";
import { AcpClient } from "./client/acp-client.ts";
import type { ClientAbilities } from "./client/client-capabilities.ts";
import type { GatewayLink } from "./gateway-link.ts";
import { invalidParams, noSession } from "./rpc/rpc-error.ts";
import type { RpcPeer } from "./rpc/rpc-peer.ts";
import { AcpSession, titleOf } from "./session/acp-session.ts";

type Opened = GatewayCalls["open_session"]["result"];
type Listed = GatewayCalls["list_sessions"]["result"];

export interface SessionsParts {
  link: GatewayLink;
  peer: RpcPeer;
  /** Directories of the user that count as inside the workspace, in every session. */
  roots: readonly string[];
  /** The sandbox mode with which every session starts. */
  sandboxMode: string;
}

/** The directory of a session, as the client names it. */
export interface SessionPlace {
  cwd: string;
  additionalDirectories: readonly string[];
}

/** Owns the sessions that the client has open, and finds the stored ones. */
export class AcpSessions {
  readonly #parts: SessionsParts;
  readonly #open = new Map<string, AcpSession>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  all(): Iterable<AcpSession> {
    return this.#open.values();
  }

  find(sessionId: unknown): AcpSession | undefined {
    return this.#open.get(String(sessionId));
  }

  /** Returns an open session. Throws the error for the client if there is none. */
  get(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (!session) throw noSession(sessionId);
    return session;
  }

  begin(place: SessionPlace, able: ClientAbilities): Promise<AcpSession> {
    return this.#enter({ cwd: place.cwd }, place, able);
  }

  /** Returns the existing session if the client already has it open. */
  async resume(sessionId: string, place: SessionPlace, able: ClientAbilities): Promise<AcpSession> {
    await this.#checkDirectory(sessionId, place.cwd);
    return this.#enter({ session: sessionId }, place, able);
  }

  async list(cwd: string | undefined, cursor: string | undefined): Promise<ListSessionsResponse> {
    const page = await this.#parts.link.request<Listed>({
      type: "list_sessions",
      ...(cwd !== undefined && { cwd: realPathOf(cwd) }),
      ...(cursor !== undefined && { cursor }),
    });
    return {
      // A session without messages cannot be loaded.
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

  /** Closes a session and cancels what runs in it. */
  async close(sessionId: string): Promise<void> {
    const session = this.#open.get(sessionId);
    session?.turns.cancel();
    try {
      await this.#parts.link.request({ type: "close_session", sessionId, abort: true });
    } finally {
      session?.lost("The session was closed");
      this.#open.delete(sessionId);
    }
  }

  /** Deletes a session. Deleting one that does not exist succeeds. */
  async delete(sessionId: string): Promise<void> {
    if (this.#open.has(sessionId)) await this.close(sessionId);
    try {
      await this.#parts.link.request({ type: "delete_session", sessionId });
    } catch (error) {
      if (!(error instanceof CommandError && error.code === "not_found")) throw error;
    }
  }

  async #enter(which: object, place: SessionPlace, able: ClientAbilities): Promise<AcpSession> {
    const { link, peer, roots, sandboxMode } = this.#parts;
    const { cwd, additionalDirectories } = place;
    const further = additionalDirectories.length > 0 && {
      settings: { "permissions.roots": [...roots, ...additionalDirectories] },
    };
    const { sessionId } = await link.request<Opened>({ type: "open_session", ...which, ...further }, (opened) => {
      if (this.#open.has(opened.sessionId)) return;
      const client = new AcpClient(opened.sessionId, peer, able);
      const parts = { link, client, cwd, additionalDirectories, state: opened.state, sandboxMode };
      this.#open.set(opened.sessionId, new AcpSession(parts));
    });
    return this.get(sessionId);
  }

  /** Rejects a directory other than the one the session was started in: the client must mean another session. */
  async #checkDirectory(sessionId: string, cwd: string): Promise<void> {
    if (/[/\\]|\.jsonl$/.test(sessionId)) throw noSession(sessionId); // an id, never a path
    const { sessions } = await this.#parts.link.request<Listed>({ type: "list_sessions", query: sessionId });
    const stored = sessions.find((row) => row.sessionId === sessionId);
    if (stored && realPathOf(stored.cwd) !== realPathOf(cwd))
      throw invalidParams(`the session belongs to the directory ${stored.cwd}; pass that as cwd`);
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // the engine reports the reason
  }
}
