import type { ServerLimits, ServerState } from "@pintle/wire";
import type { JobQueue } from "../cluster/job-queue.ts";
import type { Relay } from "../cluster/relay.ts";
import { CommandError } from "../frames/command-error.ts";
import { CommandKeys } from "../sessions/command-keys.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import type { Roots } from "../store/roots.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { WorkerPool } from "../workers/worker-pool.ts";
import type { HostConnection } from "./host-connection.ts";
import type { HostSettings } from "./host-settings.ts";
import type { PathPlace } from "./path-bounds.ts";
import type { PermissionBounds } from "./permission-bounds.ts";

export interface ServerParts {
  version: string;
  epoch: string;
  limits: ServerLimits;
  /** The limits of each worker, without those that the system cannot enforce. */
  workerLimits: ServerState["workerLimits"];
  allowedEnv: readonly string[];
  allowKeys: boolean;
  permissions?: PermissionBounds | undefined;
  hostSettings: HostSettings;
  /** Whether mistakes of hosts are answered with failures. */
  isHostStrict: boolean;
  table: SessionTable;
  pool: WorkerPool;
  store: SessionStore;
  roots: Roots;
  /** The home directory of engines. */
  home: string | undefined;
  /** Routes to the sessions of other nodes; undefined if there are no other nodes. */
  relay: Relay | undefined;
  /** Undefined without a database. */
  jobs: JobQueue | undefined;
  log(text: string): void;
}

const BEGIN_WORK: ReadonlySet<string> = new Set([
  "prompt",
  "steer",
  "follow_up",
  "abort_and_prompt",
  "continue_run",
  "bash",
  "compact",
  "new_session",
  "switch_session",
  "branch",
  "fork",
  "clone",
  "open_session",
  "submit",
]);
/** Commands between the gateway and its engines. A host must not confirm leases or store prompts. */
const INTERNAL: ReadonlySet<string> = new Set(["confirm_lease", "store_prompts"]);
const ABOUT_KEYS: ReadonlySet<string> = new Set(["set_api_key", "remove_api_key"]);

/** What command handlers share: the parts of the gateway, its connections, and whether the server is draining. */
export class Server {
  readonly parts: ServerParts;
  /** The keys of commands that the gateway itself answers. */
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

  /** The number of bytes that hosts have not read. */
  get queuedBytes(): number {
    return [...this.#connections].reduce((sum, { host }) => sum + host.queuedBytes, 0);
  }

  joined(connection: HostConnection): void {
    this.#connections.add(connection);
  }

  left(connection: HostConnection): void {
    this.#connections.delete(connection);
  }

  /** Detaches all connections from a session that is closed. */
  forget(sessionId: string): void {
    for (const connection of this.#connections) connection.sessions.delete(sessionId);
  }

  /** Gives up a session that another node has taken. */
  lose(sessionId: string, node: string | undefined): void {
    void this.parts.table.lose(sessionId, node); // does not reject
  }

  /** Returns why no session accepts the command now, or undefined if the command may run. */
  refusal(type: string): CommandError | undefined {
    if (this.isDraining && BEGIN_WORK.has(type)) return new CommandError("draining", "The server is shutting down");
    if (INTERNAL.has(type)) return new CommandError("not_allowed", `${type} is internal to the server and its engines`);
    if (!this.parts.allowKeys && ABOUT_KEYS.has(type)) {
      return new CommandError("not_allowed", "Hosts of this server cannot change keys (serve.allowKeys)");
    }
    return undefined;
  }

  /** Returns how paths in the commands of a session are resolved. */
  pathPlace(sessionId: string): PathPlace {
    const { roots, table, home } = this.parts;
    const plan = table.get(sessionId)?.plan;
    return { roots, cwd: plan?.cwd ?? roots.first, home: plan?.env.HOME ?? home };
  }

  log(text: string): void {
    this.parts.log(text);
  }
}
