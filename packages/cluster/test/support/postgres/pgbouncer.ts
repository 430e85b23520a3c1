import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { sharedTemporary } from "../../../../coding-agent/test/support/other-user.ts";
import { endingWithUs, giveToPlainUser, plainUser } from "./plain-user.ts";
import { freePort, type PostgresServer, type TestDatabase } from "./postgres.ts";
import { PASSWORD } from "./postgres-data.ts";

/** Debian's version, or the one that the variable names, for trying another version. */
export const PGBOUNCER = process.env.PINTLE_TEST_PGBOUNCER ?? "/usr/sbin/pgbouncer";

/** Runs PgBouncer in transaction mode in front of the test's server: each statement may use another connection. */
export class PgBouncer {
  readonly url: string;
  readonly #child: Bun.Subprocess<"ignore", "ignore", "ignore">;
  readonly #folder: string;

  private constructor(url: string, folder: string, child: Bun.Subprocess<"ignore", "ignore", "ignore">) {
    this.url = url;
    this.#folder = folder;
    this.#child = child;
  }

  static async start(server: PostgresServer, { name, url }: TestDatabase): Promise<PgBouncer> {
    const folder = scratchPath(sharedTemporary());
    const port = await freePort();
    const settings = {
      listen_addr: "127.0.0.1",
      listen_port: port,
      unix_socket_dir: "",
      auth_type: "plain",
      auth_file: join(folder, "users"),
      pool_mode: "transaction",
      default_pool_size: 4,
      max_client_conn: 200,
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
    const target = `host=127.0.0.1 port=${server.port} user=pintle password=${PASSWORD} dbname=${name}`;
    writeFileSync(join(folder, "pgbouncer.ini"), `[databases]\n${name} = ${target}\n[pgbouncer]\n${lines.join("")}`);
    writeFileSync(join(folder, "users"), `"pintle" "${PASSWORD}"\n`);
    giveToPlainUser(folder);
    const child = Bun.spawn(endingWithUs([PGBOUNCER, "-q", join(folder, "pgbouncer.ini")]), {
      cwd: folder,
      env: {},
      ...plainUser(),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    const through = new URL(url);
    through.port = String(port);
    const bouncer = new PgBouncer(through.href, folder, child);
    await bouncer.#answers();
    return bouncer;
  }

  async #answers(): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`pgbouncer ended with ${this.#child.exitCode}`);
      try {
        await using sql = new Bun.SQL({ url: this.url, max: 1, prepare: false });
        return void (await sql`SELECT 1`.simple());
      } catch {
        await Bun.sleep(50);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
