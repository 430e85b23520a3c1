import type { ServerLimits, ServerState } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { JobQueue } from "../jobs/job-queue.ts";
import type { Library } from "../library/library.ts";
import type { Roots } from "../library/roots.ts";
import type { Carrier } from "../nodes/entry/carrier.ts";
import { CommandKeys } from "../sessions/command-keys.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import type { WorkerPool } from "../workers/worker-pool.ts";
import type { HostConnection } from "./host-connection.ts";
import type { HostSettings } from "./host-settings.ts";
import type { PathPlace } from "./path-bounds.ts";
import type { PermissionBounds } from "./permission-bounds.ts";

export interface ServerParts {
  version: string;
  epoch: string;
  limits: ServerLimits;
  /** Of each worker; what the system cannot limit is absent. */
  workerLimits: ServerState["workerLimits"];
  allowedEnv: readonly string[];
  allowKeys: boolean;
  permissions?: PermissionBounds | undefined;
  hostSettings: HostSettings;
  table: SessionTable;
  pool: WorkerPool;
  library: Library;
  roots: Roots;
  /** The home directory of engines. */
  home: string | undefined;
  /** The way to the sessions of other nodes; undefined: there are no other nodes. */
  carrier: Carrier | undefined;
  /** undefined: there is no store that could keep them. */
  jobs: JobQueue | undefined;
  log(text: string): void;
}

const BEGIN_WORK: ReadonlySet<string> = new Set([
  ...["prompt", "steer", "follow_up", "abort_and_prompt", "continue_run", "bash", "compact"],
  ...["new_session", "switch_session", "branch", "fork", "clone", "open_session", "submit"],
]);
/** Between the gateway and its engines: a host must not say who has a session, or what it was told. */
const INTERNAL: ReadonlySet<string> = new Set(["confirm_lease", "store_prompts"]);
const ABOUT_KEYS: ReadonlySet<string> = new Set(["set_api_key", "remove_api_key"]);

/** What the handlers of commands share: the parts of the gateway, its connections, and whether it is about to end. */
export class Server {
  readonly parts: ServerParts;
  /** Of commands that the gateway itself answers. */
  readonly keys = new CommandKeys();
  readonly startedAt = performance.now();
  isDraining = false;
  readonly #connections = new Set<HostConnection>();

  constructor(parts: ServerParts) {
    this.parts = parts;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Bytes that hosts have not read. */
  get queuedBytes(): number {
    return [...this.#connections].reduce((sum, { host }) => sum + host.queuedBytes, 0);
  }

  joined(connection: HostConnection): void {
    this.#connections.add(connection);
  }

  left(connection: HostConnection): void {
    this.#connections.delete(connection);
  }

  /** A session is closed: no connection is attached to it any more. */
  forget(sessionId: string): void {
    for (const connection of this.#connections) connection.sessions.delete(sessionId);
  }

  /** Another node has the session. */
  lose(sessionId: string, node: string | undefined): void {
    void this.parts.table.lose(sessionId, node); // ends a process, which does not reject
  }

  /** Why a command is not taken now, whatever its session. */
  refusal(type: string): CommandError | undefined {
    if (this.isDraining && BEGIN_WORK.has(type)) return new CommandError("draining", "The server is about to end");
    if (INTERNAL.has(type)) return new CommandError("not_allowed", `${type} is between the server and its engines`);
    if (!this.parts.allowKeys && ABOUT_KEYS.has(type)) {
      return new CommandError("not_allowed", "This server does not let hosts change keys (serve.allowKeys)");
    }
    return undefined;
  }

  /** Where the paths in commands of a session are looked up. */
  pathPlace(sessionId: string): PathPlace {
    const { roots, table, home } = this.parts;
    const plan = table.get(sessionId)?.plan;
    return { roots, cwd: plan?.cwd ?? roots.first, home: plan?.env.HOME ?? home };
  }

  log(text: string): void {
    this.parts.log(text);
  }
}
