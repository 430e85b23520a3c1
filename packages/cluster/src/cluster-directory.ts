import type { Database } from "./database/database.ts";
import type { SessionOwners } from "./leases.ts";
import type { ClusterNodes } from "./nodes.ts";
import type { NodeAddress, NodeDirectory } from "./relay/directory.ts";

export interface DirectoryTables {
  database: Database;
  leases: SessionOwners;
  nodes: ClusterNodes;
}

/** Finds the node that has a session, or that could serve it, in the tables that all nodes share. */
export class ClusterDirectory implements NodeDirectory {
  readonly #database: Database;
  readonly #owners: SessionOwners;
  readonly #nodes: ClusterNodes;

  constructor({ database, leases, nodes }: DirectoryTables) {
    this.#database = database;
    this.#owners = leases;
    this.#nodes = nodes;
  }

  async ownerOf(sessionId: string): Promise<NodeAddress | undefined> {
    const owner = await this.#owners.find(sessionId);
    if (!owner || owner.nodeId === this.#nodes.self.nodeId) return undefined;
    return { nodeId: owner.nodeId, node: owner.name ?? owner.nodeId, address: owner.address };
  }

  async ownersOf(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.query<{ sessionId: string; nodeId: string }>(
      `SELECT session_id AS "sessionId", node_id AS "nodeId" FROM pintle.leases
       WHERE session_id = ANY (ARRAY(SELECT json_array_elements_text($1::text::json)))
         AND node_id IS NOT NULL AND expires_at > clock_timestamp()`,
      [JSON.stringify(sessionIds)],
    );
    return new Map(rows.map(({ sessionId, nodeId }) => [sessionId, nodeId]));
  }

  async nodeFor({
    labels,
    sessionId,
  }: {
    labels?: readonly string[];
    sessionId?: string;
  }): Promise<NodeAddress | undefined> {
    const needs = await this.#needs(labels, sessionId);
    if (this.#nodes.fits(needs)) return undefined;
    const [node] = await this.#reachable(needs);
    return node;
  }

  async othersFor({ labels, sessionId }: { labels?: readonly string[]; sessionId?: string }): Promise<NodeAddress[]> {
    const { nodeId } = this.#nodes.self;
    return (await this.#reachable(await this.#needs(labels, sessionId))).filter((node) => node.nodeId !== nodeId);
  }

  async #reachable(needs: readonly string[]): Promise<NodeAddress[]> {
    const nodes = await this.#nodes.fitting(needs);
    return nodes.flatMap(({ nodeId, name, address }) => (address === null ? [] : [{ nodeId, node: name, address }]));
  }

  async #needs(labels: readonly string[] | undefined, sessionId: string | undefined): Promise<readonly string[]> {
    return (sessionId === undefined ? undefined : await this.#needsOf(sessionId)) ?? labels ?? [];
  }

  /** Returns undefined if nothing is stored. */
  async #needsOf(sessionId: string): Promise<string[] | undefined> {
    const [row] = await this.#database.query<{ needs: string }>(
      "SELECT to_json(needs)::text AS needs FROM pintle.sessions WHERE session_id = $1",
      [sessionId],
    );
    return row && (JSON.parse(row.needs) as string[]);
  }
}
