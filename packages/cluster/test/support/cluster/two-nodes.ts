import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { freePort, type PostgresServer } from "../postgres/postgres.ts";
import { ClusterNode } from "./cluster-node.ts";
import { RecordingHost } from "./recording-host.ts";

/** Leases short enough for a test to wait until they expire. */
const SETTINGS = {
  "serve.leaseMs": 1_500,
  "serve.heartbeatMs": 300,
  "permissions.mode": "full",
  "serve.drainMs": 1_000,
};

/** Two nodes that share only the database; hosts connect to the node that has the session. */
export class TwoNodes {
  readonly one: ClusterNode;
  readonly other: ClusterNode;
  readonly root: string;
  readonly url: string;
  readonly #base: string;
  readonly #token = randomBytes(32).toString("hex");
  readonly #hosts: RecordingHost[] = [];

  private constructor(url: string, ports: readonly number[], settings: Record<string, unknown>) {
    this.#base = scratchPath();
    this.root = join(this.#base, "root");
    this.url = url;
    mkdirSync(this.root);
    writeFileSync(join(this.#base, "token"), this.#token, { mode: 0o600 });
    const [one, other] = ports.map(
      (port, index) =>
        new ClusterNode({
          name: `n${index}`,
          port,
          root: this.root,
          store: url,
          home: join(this.#base, `n${index}`),
          tokenFile: join(this.#base, "token"),
          settings: { ...SETTINGS, ...settings },
        }),
    );
    this.one = one!;
    this.other = other!;
  }

  static async start(server: PostgresServer, settings: Record<string, unknown> = {}): Promise<TwoNodes> {
    const { url } = await server.database();
    const nodes = new TwoNodes(url, [await freePort(), await freePort()], settings);
    await Promise.all([nodes.one.start(), nodes.other.start()]);
    return nodes;
  }

  async hostOf(node: ClusterNode): Promise<RecordingHost> {
    const host = new RecordingHost(`h${this.#hosts.length}`, this.#base, this.#token);
    this.#hosts.push(host);
    await host.connect(node.port);
    return host;
  }

  /** A session cannot be opened here until the other node's lease has expired. */
  async openWhenFree<T = Record<string, unknown>>(host: RecordingHost, command: Record<string, unknown>): Promise<T> {
    for (;;) {
      try {
        return await host.ask<T>({ type: "open_session", ...command });
      } catch (error) {
        if ((error as { code?: string }).code !== "other_node") throw error;
        await Bun.sleep(50);
      }
    }
  }

  async sql<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    await using sql = new Bun.SQL({ url: this.url, max: 1 });
    return [...((await sql.unsafe(text, values)) as Row[])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts) host[Symbol.dispose]();
    for (const node of [this.one, this.other]) {
      node.signal("SIGCONT");
      await node.kill();
    }
    rmSync(this.#base, { recursive: true, force: true });
  }
}
