import { rmSync } from "node:fs";
import { basename } from "node:path";
import {
  Batch,
  type CheckedOut,
  CommandError,
  entryFacts,
  HeldElsewhere,
  type ListQuery,
  type NewSession,
  NoRoom,
  nameEntry,
  type OpenLog,
  type Roots,
  type SessionPage,
  type SessionStore,
  type StartPlan,
  type StoredSession,
} from "@pintle/gateway/cluster";
import { cleanSessionName } from "@pintle/wire";
import { type Database, StoreError } from "../database/database.ts";
import { LeaseTime } from "../lease-time.ts";
import type { Lease, Leases, TakenLease } from "../leases.ts";
import { Blobs } from "../log/blobs.ts";
import { LogTable, type SessionRecord } from "../log/log-table.ts";
import type { ClusterNodes } from "../nodes.ts";
import type { StoreMeter } from "../store-meter.ts";
import { ClusterLog } from "./cluster-log.ts";
import { LostCommands } from "./lost-commands.ts";
import { headerLineOf, SessionFiles } from "./session-files.ts";
import { listFromLog } from "./session-listing.ts";

export interface ClusterStoreParts {
  database: Database;
  nodes: ClusterNodes;
  leases: Leases;
  roots: Roots;
  sessionDir: string;
  blobDir: string;
  meter: StoreMeter;
  leaseMs: number;
  storeTimeoutMs: number;
  onTakeover: "report" | "continue";
  log(text: string): void;
}

/** The stored part of a plan. Versions before 0.2 do not store `first`. */
interface StoredPlan extends Pick<StartPlan, "lasting" | "commands"> {
  /** The model and thinking level for a session that starts like this one. */
  first?: readonly string[];
}

const isOfModel = (flag: string) => /^--(model|thinking)=/.test(flag);

/** Responses to commands that hosts may repeat; as many as a session remembers. */
const MAX_KEYS = 4096;
/** The entries that engines write at the start of a session file. */
const FILE_VERSION = 3;

/** Stores sessions in PostgreSQL. Session files are copies on which this node's engines work. */
export class ClusterStore implements SessionStore {
  readonly #parts: ClusterStoreParts;
  readonly #table: LogTable;
  readonly #blobs: Blobs;
  readonly #files: SessionFiles;

  constructor(parts: ClusterStoreParts) {
    const { database, nodes, sessionDir, blobDir } = parts;
    this.#parts = parts;
    this.#table = new LogTable(database, nodes.self.nodeId);
    this.#blobs = new Blobs(database, blobDir);
    this.#files = new SessionFiles(sessionDir, this.#table, this.#blobs);
  }

  /** Finds a session by its id. A path is that of a copy, whose name is the id or ends with it. */
  async resolve(idOrPath: string): Promise<StoredSession> {
    const record = await this.#find(idFrom(idOrPath));
    if (!record || record.isDeleted) throw new CommandError("not_found", `There is no session ${idOrPath}`);
    return { sessionId: record.sessionId, sessionFile: undefined, cwd: this.#parts.roots.directory(record.cwd) };
  }

  async checkOut({ sessionId }: StoredSession): Promise<CheckedOut> {
    return orWhyNot(async () => {
      const { database } = this.#parts;
      const before = await this.#known(sessionId);
      this.checkNeeds(before.needs);
      const lease = await this.#take(sessionId);
      return this.#orGiveBack(lease, async () => {
        if (lease.wasHeld) this.#parts.meter.tookOver();
        const lost = lease.wasHeld ? await LostCommands.of(database, sessionId) : undefined;
        const { record, path, lastEntryId } = await this.#settle(lease, lost);
        return {
          sessionFile: path,
          plan: JSON.parse(record.plan) as CheckedOut["plan"],
          log: await this.#open({
            lease,
            record,
            lastEntryId,
            lost,
            file: path,
            hasHeader: true,
            wasHandedOver: lease.wasHandedOver,
          }),
        };
      });
    });
  }

  /** Rejects with NoRoom on a node without the session's labels, because another node may have them. */
  async startedWith({ sessionId, cwd }: StoredSession): Promise<StartPlan> {
    const { plan, needs } = await orWhyNot(() => this.#known(sessionId));
    if (!this.#parts.nodes.fits(needs)) throw new NoRoom();
    const { lasting, commands, first = [] } = JSON.parse(plan) as StoredPlan;
    return { cwd, env: {}, lasting, commands, first, needs, isEphemeral: false, isStored: false };
  }

  async withFile<T>({ sessionId }: StoredSession, use: (file: string) => Promise<T>): Promise<T> {
    const { path } = await orWhyNot(async () => this.#files.write(await this.#known(sessionId), "read"));
    try {
      return await use(path);
    } finally {
      rmSync(path, { force: true });
    }
  }

  checkNeeds(needs: readonly string[]): void {
    if (this.#parts.nodes.fits(needs)) return;
    throw new CommandError("other_node", `The session needs a node with the labels ${needs.join(", ")}`);
  }

  begin({ sessionId, sessionFile, plan }: NewSession): Promise<OpenLog> {
    return orWhyNot(async () => {
      const { cwd, needs, lasting, commands, first } = plan;
      const lease = await this.#take(sessionId);
      const header = {
        type: "session",
        version: FILE_VERSION,
        id: sessionId,
        timestamp: new Date().toISOString(),
        cwd,
      };
      return this.#orGiveBack(lease, async () => {
        await this.#table.create({
          sessionId,
          cwd,
          needs,
          header: JSON.stringify(header),
          plan: JSON.stringify({ lasting, commands, first: first.filter(isOfModel) } satisfies StoredPlan),
        });
        const record = await this.#known(sessionId);
        const isNew = { lastEntryId: undefined, lost: undefined, wasHandedOver: false, hasHeader: false };
        return this.#open({ lease, record, file: sessionFile, ...isNew });
      });
    });
  }

  list(query: ListQuery): Promise<SessionPage> {
    return orWhyNot(() => listFromLog(this.#parts.database, this.#parts.roots.all, query));
  }

  /** Writes the entry itself, because an engine would occupy a worker that others may need. */
  async rename({ sessionId }: StoredSession, name: string): Promise<void> {
    const cleaned = cleanSessionName(name);
    if ("error" in cleaned) throw new CommandError("invalid_request", cleaned.error);
    await orWhyNot(async () => {
      const lease = await this.#take(sessionId);
      try {
        const record = await this.#known(sessionId); // the lease is taken: no other node appends from now on
        const parentId = (await this.#table.lastEntryId(record)) ?? null;
        const entry = nameEntry(cleaned.name, parentId);
        const batch = new Batch();
        batch.append({ entryId: entry.id, line: JSON.stringify(entry) }, entryFacts(entry));
        await this.#table.write(lease, record.writes, batch);
      } finally {
        await this.#parts.leases.putBack(lease).catch(() => {}); // the lease expires by itself
      }
    });
  }

  /** Deletes under a lease of its own, so that a node that still had the session open is refused from then on. */
  remove(sessionId: string): Promise<void> {
    return this.#mark(sessionId, "deleted_at = clock_timestamp()");
  }

  async restore(sessionId: string): Promise<void> {
    const record = await this.#find(sessionId);
    if (!record?.isDeleted) throw new CommandError("not_found", `Deleted session not found: ${sessionId}`);
    await this.#mark(sessionId, "deleted_at = NULL");
  }

  async close(): Promise<void> {
    this.#files.removeAll();
  }

  async #mark(sessionId: string, change: "deleted_at = clock_timestamp()" | "deleted_at = NULL"): Promise<void> {
    await orWhyNot(async () => {
      const lease = await this.#take(sessionId);
      await this.#orGiveBack(lease, () =>
        this.#parts.database.query(`UPDATE pintle.sessions SET ${change} WHERE session_id = $1`, [sessionId]),
      );
      await this.#parts.leases.release(lease);
    });
  }

  #find(sessionId: string): Promise<SessionRecord | undefined> {
    return orWhyNot(() => this.#table.find(sessionId));
  }

  async #known(sessionId: string): Promise<SessionRecord> {
    const record = await this.#table.find(sessionId);
    if (!record) throw new CommandError("not_found", `There is no session ${sessionId}`);
    return record;
  }

  async #take(sessionId: string): Promise<TakenLease> {
    const taken = await this.#parts.leases.take(sessionId);
    if (taken) return taken;
    const owner = await this.#parts.leases.find(sessionId);
    const where = owner?.name ? `the node ${owner.name}` : "another node";
    throw new HeldElsewhere(`The session is served by ${where}`);
  }

  /** A lease without a session would be extended forever. */
  async #orGiveBack<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.#parts.leases.release(lease).catch(() => {}); // the first failure is the reason; the lease expires
      throw error;
    }
  }

  /** Returns the session for its new owner, including what was accepted but not written. */
  async #settle(lease: Lease, lost: LostCommands | undefined) {
    const record = await this.#known(lease.sessionId); // after the lease was taken: no other node appends from now on
    const written = await this.#files.write(record);
    const unspoken = lost?.unspoken(written.lastEntryId);
    if (!unspoken) return { record, ...written };
    await this.#table.write(lease, record.writes, unspoken);
    const now = await this.#known(lease.sessionId);
    return { record: now, ...(await this.#files.write(now)) };
  }

  async #open(found: {
    lease: TakenLease;
    record: SessionRecord;
    lastEntryId: string | undefined;
    lost: LostCommands | undefined;
    wasHandedOver: boolean;
    file: string | undefined;
    hasHeader: boolean;
  }): Promise<OpenLog> {
    const { leases, leaseMs, meter, storeTimeoutMs, onTakeover, log } = this.#parts;
    const { lease, record, lastEntryId, lost, wasHandedOver, file, hasHeader } = found;
    return new ClusterLog({
      table: this.#table,
      blobs: this.#blobs,
      leases,
      lease,
      lastEntryId,
      lost,
      storeTimeoutMs,
      onTakeover,
      log,
      wasHandedOver,
      meter,
      leaseTime: new LeaseTime(leaseMs, lease.takenAt),
      writes: record.writes,
      header: hasHeader ? undefined : () => headerLineOf(file),
      answered: await this.#answered(lease.sessionId),
      kept: JSON.parse(record.kept) as string[],
      onUnstored: () => this.#files.keep(),
      writeFile: () =>
        orWhyNot(async () => {
          const now = await this.#known(lease.sessionId);
          return now.position === 0 ? undefined : (await this.#files.write(now)).path;
        }),
    });
  }

  async #answered(sessionId: string): Promise<{ key: string; tail: string }[]> {
    const rows = await this.#parts.database.query<{ key: string; tail: string }>(
      `SELECT command_key AS key, response AS tail FROM pintle.commands
       WHERE session_id = $1 AND command_key IS NOT NULL ORDER BY accepted_at DESC LIMIT ${MAX_KEYS}`,
      [sessionId],
    );
    return rows.reverse();
  }
}

function idFrom(idOrPath: string): string {
  return /[/\\]|\.jsonl$/.test(idOrPath) ? (basename(idOrPath, ".jsonl").split("_").at(-1) ?? "") : idOrPath;
}

async function orWhyNot<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError ? new CommandError("store_unavailable", error.message) : error;
  }
}
