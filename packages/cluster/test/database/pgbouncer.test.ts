import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { where } from "../../../coding-agent/test/support/where.ts";
import { BunDatabase } from "../../src/database/bun-database.ts";
import { migrate } from "../../src/database/migrate.ts";
import { ClusterNode } from "../support/cluster/cluster-node.ts";
import { RecordingHost } from "../support/cluster/recording-host.ts";
import { PGBOUNCER, PgBouncer } from "../support/postgres/pgbouncer.ts";
import { freePort, PostgresServer } from "../support/postgres/postgres.ts";

const TOKEN = "a-token-of-more-than-thirty-two-characters";
const withPgBouncer = where(existsSync(PGBOUNCER), "needs pgbouncer");

withPgBouncer.test("PgBouncer in transaction mode: every write succeeds, and notifications bypass it", async () => {
  const server = await PostgresServer.shared();
  const direct = await server.database();
  await using bouncer = await PgBouncer.start(server, direct);
  const database = new BunDatabase({
    url: bouncer.url,
    connections: 8,
    deadlineMs: 10_000,
    isPooled: true,
    listenUrl: direct.url,
  });
  const heard: string[] = [];
  const isListening = Promise.withResolvers<void>();
  database.listen("told", (payload) => {
    heard.push(payload);
    isListening.resolve();
  });
  await isListening.promise;
  await migrate(database);
  await database.query("CREATE TABLE written (n int PRIMARY KEY, text text)");
  const write = (n: number) => database.query("INSERT INTO written VALUES ($1, $2)", [n, `text ${n}`]);
  await Promise.all(Array.from({ length: 600 }, (_, n) => write(n)));
  expect(await database.query("SELECT count(*)::int AS n FROM written")).toEqual([{ n: 600 }]);
  await database.transaction(async (query) => {
    await query("UPDATE written SET text = $1 WHERE n = $2", ["changed", 1]);
    await query("UPDATE written SET text = $1 WHERE n = $2", ["changed", 2]);
  });
  expect(await database.query("SELECT n FROM written WHERE text = $1 ORDER BY n", ["changed"])).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
  await database.query("SELECT pg_notify('told', $1)", ["a job"]);
  while (!heard.includes("a job")) await Bun.sleep(10);
  await database.close();
});

withPgBouncer.test(
  "nodes behind PgBouncer serve sessions, take them over and run jobs",
  async () => {
    const server = await PostgresServer.shared();
    const direct = await server.database();
    await using bouncer = await PgBouncer.start(server, direct);
    const base = scratchPath();
    const [root, tokenFile] = [join(base, "root"), join(base, "token")];
    mkdirSync(root);
    writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
    const nodes = await Promise.all(
      ["n0", "n1"].map(
        async (name) =>
          new ClusterNode({
            name,
            root,
            tokenFile,
            store: bouncer.url,
            port: await freePort(),
            home: join(base, name),
            settings: { "serve.storePooler": true, "serve.leaseMs": 3_000, "serve.heartbeatMs": 500 },
            env: { PINTLE_SERVE_STORE_LISTEN: direct.url },
          }),
      ),
    );
    const host = new RecordingHost("pooled", base, TOKEN);
    const prompt = async (sessionId: string, message: string) => {
      const from = host.count;
      await host.ask({ type: "prompt", sessionId, message });
      await host.until(({ type }) => type === "session_settled", from);
    };
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await host.connect(nodes[0]!.port);
      const opened = await host.ask<{ sessionId: string }>({ type: "open_session", model: "pintle/offline" });
      const { sessionId } = opened;
      await prompt(sessionId, "write one.txt: one");
      await nodes[0]!.kill();
      await host.connect(nodes[1]!.port);
      const isOpen = () =>
        host.ask({ type: "open_session", session: sessionId }).then(
          () => true,
          () => false,
        );
      while (!(await isOpen())) await Bun.sleep(50); // until the lease has expired
      await prompt(sessionId, "write two.txt: two");
      expect(readdirSync(root).sort()).toEqual(["one.txt", "two.txt"]);
      const job = { type: "submit", cwd: root, model: "pintle/offline", prompt: "write three.txt: three" };
      const { jobId } = await host.ask<{ jobId: string }>(job);
      const status = async () => (await host.ask<{ status: string }>({ type: "get_job", jobId })).status;
      while (["queued", "running"].includes(await status())) await Bun.sleep(20);
      expect([await status(), readdirSync(root).length]).toEqual(["done", 3]);
    } finally {
      host[Symbol.dispose]();
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(base, { recursive: true, force: true });
    }
  },
  120_000,
);
