import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installWitness } from "../audit/witness.ts";
import { freePort, PostgresServer, type TestDatabase } from "../postgres/postgres.ts";
import type { PostgresBuild } from "../postgres/postgres-builds.ts";
import { SmallDisk } from "../postgres/small-disk.ts";
import { ClusterNode } from "./cluster-node.ts";
import { RecordingHost } from "./recording-host.ts";
import { TcpProxy } from "./tcp-proxy.ts";

/** Enough for the tables of a long run; small enough to be filled in a moment. */
const DISK_MB = 160;

export interface ClusterOptions {
  nodes: number;
  build?: PostgresBuild;
  /** For every node, in addition to or instead of those that shorten leases. */
  settings?: Record<string, unknown>;
  /** For one node. */
  nodeSettings?(index: number): Record<string, unknown>;
  postgres?: Record<string, string>;
  /** Without: the data lies with other temporary files, where there is room, and cannot be full. */
  hasSmallDisk?: boolean;
  /** Without: nothing is written down for an audit. */
  hasWitness?: boolean;
  /** Text of a `models.json` for every node. */
  models?: string;
}

/** A node with its own ways to the database and to the other nodes, both of which can be disturbed. */
export interface Member {
  node: ClusterNode;
  database: TcpProxy;
  /** Where the others reach it. */
  link: TcpProxy;
}

/** Leases that a test can outwait. */
export const LEASE_MS = 2_000;
const SETTINGS = {
  ...{ "serve.leaseMs": LEASE_MS, "serve.heartbeatMs": LEASE_MS / 5, "serve.storeTimeoutMs": 4 * LEASE_MS },
  ...{ "serve.drainMs": 2_000, "permissions.mode": "full" },
};

/** Several gateways as real processes on one real database, everything on this machine and of this test. */
export class TestCluster {
  readonly members: Member[] = [];
  /** Where sessions work, for all nodes. */
  readonly root: string;
  /** A file of frames per host. */
  readonly transcripts: string;
  readonly base: string;
  readonly server: PostgresServer;
  readonly database: TestDatabase;
  /** What the server's data lies on, where one may be mounted. */
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
    this.base = realpathSync(mkdtempSync(join(tmpdir(), "pintle-cluster-")));
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
    // The first one makes the tables; the witness must be there before anything happens in them.
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
      ...{ name: `n${index}`, port, home, root: this.root },
      tokenFile: join(this.base, "token"),
      store: this.database.url.replace(`:${this.server.port}/`, `:${database.port}/`),
      settings: { ...SETTINGS, ...settings, ...nodeSettings?.(index) },
      args: [
        "--web",
        ...["--cluster-token-file", join(this.base, "cluster-token")],
        ...["--node-address", `127.0.0.1:${link.port}`],
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

  /** Every fault has ended: what was stopped resumes, what was killed restarts. */
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
