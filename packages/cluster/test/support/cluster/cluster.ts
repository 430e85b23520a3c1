import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { installWitness } from "../audit/witness.ts";
import { freePort, PostgresServer, type TestDatabase } from "../postgres/postgres.ts";
import type { PostgresBuild } from "../postgres/postgres-builds.ts";
import { SmallDisk } from "../postgres/small-disk.ts";
import { ClusterNode } from "./cluster-node.ts";
import { RecordingHost } from "./recording-host.ts";
import { TcpProxy } from "./tcp-proxy.ts";

/** Large enough for the tables of a long run, and small enough to be filled in a moment. */
const DISK_MB = 160;

export interface ClusterOptions {
  nodes: number;
  build?: PostgresBuild;
  /** Arguments for every node, in addition to or instead of those that shorten leases. */
  settings?: Record<string, unknown>;
  /** Arguments for one node. */
  nodeSettings?(index: number): Record<string, unknown>;
  postgres?: Record<string, string>;
  /** Without it, the data is with other temporary files, where the disk cannot become full. */
  hasSmallDisk?: boolean;
  /** Without it, nothing is recorded for an audit. */
  hasWitness?: boolean;
  /** Content of a `models.json` for every node. */
  models?: string;
}

/** A node with its own connections to the database and to the other nodes, which tests can disturb. */
export interface Member {
  node: ClusterNode;
  database: TcpProxy;
  /** The address at which the others reach it. */
  link: TcpProxy;
}

/** Leases short enough for a test to wait for their end. */
export const LEASE_MS = 2_000;
const SETTINGS = {
  "serve.leaseMs": LEASE_MS,
  "serve.heartbeatMs": LEASE_MS / 5,
  "serve.storeTimeoutMs": 4 * LEASE_MS,
  "serve.drainMs": 2_000,
  "permissions.mode": "full",
};

/** Several gateways as real processes on one real database, all on this machine and only for this test. */
export class TestCluster {
  readonly members: Member[] = [];
  /** Directory in which sessions work, for all nodes. */
  readonly root: string;
  /** A file of frames per host. */
  readonly transcripts: string;
  readonly base: string;
  readonly server: PostgresServer;
  readonly database: TestDatabase;
  /** The file system with the server's data, if one can be mounted. */
  readonly disk: SmallDisk | undefined;
  readonly #token = randomBytes(32).toString("hex");
  readonly #hosts: RecordingHost[] = [];
  readonly #ownsServer: boolean;

  private constructor(
    server: PostgresServer,
    database: TestDatabase,
    disk: SmallDisk | undefined,
    ownsServer: boolean,
  ) {
    this.base = scratchPath();
    this.server = server;
    this.database = database;
    this.disk = disk;
    this.#ownsServer = ownsServer;
    this.root = join(this.base, "root");
    this.transcripts = join(this.base, "transcripts");
    for (const path of [this.root, this.transcripts]) mkdirSync(path);
    for (const name of ["token", "cluster-token"])
      writeFileSync(join(this.base, name), name === "token" ? this.#token : randomBytes(32).toString("hex"), {
        mode: 0o600,
      });
  }

  static async start(options: ClusterOptions): Promise<TestCluster> {
    const disk = options.hasSmallDisk === false ? undefined : SmallDisk.make(DISK_MB);
    const { build, postgres: settings } = options;
    const isOwn = disk !== undefined || settings !== undefined;
    const server = isOwn
      ? await PostgresServer.start({
          ...(build && { build }),
          ...(settings && { settings }),
          ...(disk && { dataIn: disk.path }),
        })
      : await PostgresServer.shared(build);
    const cluster = new TestCluster(server, await server.database(), disk, isOwn);
    for (let index = 0; index < options.nodes; index += 1) await cluster.#add(index, options);
    // The first node creates the tables. The witness must be installed before anything happens in them.
    const [first, ...others] = cluster.members;
    await first?.node.start();
    if (options.hasWitness !== false) await installWitness(cluster.database.adminUrl);
    await Promise.all(others.map(({ node }) => node.start()));
    return cluster;
  }

  async #add(index: number, { settings, nodeSettings, models }: ClusterOptions): Promise<void> {
    const port = await freePort();
    const [database, link] = [await TcpProxy.start(this.server.port), await TcpProxy.start(port)];
    const home = join(this.base, `node-${index}`);
    const node = new ClusterNode({
      name: `n${index}`,
      port,
      home,
      root: this.root,
      tokenFile: join(this.base, "token"),
      store: this.database.url.replace(`:${this.server.port}/`, `:${database.port}/`),
      settings: { ...SETTINGS, ...settings, ...nodeSettings?.(index) },
      args: [
        "--web",
        "--cluster-token-file",
        join(this.base, "cluster-token"),
        "--node-address",
        `127.0.0.1:${link.port}`,
      ],
    });
    if (models !== undefined) writeFileSync(join(home, ".pintle", "models.json"), models, { mode: 0o600 });
    this.members.push({ node, database, link });
  }

  host(name: string): RecordingHost {
    const host = new RecordingHost(name, this.transcripts, this.#token);
    this.#hosts.push(host);
    return host;
  }

  /** Ends every fault: resumes what was paused, and restarts what was killed. */
  async heal(): Promise<void> {
    this.disk?.free();
    if (!this.server.isRunning) await this.server.start();
    for (const { node, database, link } of this.members) {
      node.signal("SIGCONT");
      for (const proxy of [database, link]) {
        proxy.delayMs = 0;
        proxy.allow();
        proxy.thaw();
      }
      if (!node.isRunning) await node.start();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts) host[Symbol.dispose]();
    for (const { node } of this.members) {
      node.signal("SIGCONT");
      await node.kill();
    }
    for (const { database, link } of this.members) await Promise.all([database.close(), link.close()]);
    if (this.#ownsServer) await this.server[Symbol.asyncDispose]();
    this.disk?.[Symbol.dispose]();
    rmSync(this.base, { recursive: true, force: true });
  }
}
