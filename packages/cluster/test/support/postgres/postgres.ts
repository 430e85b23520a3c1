import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { SQL } from "bun";
import { sharedTemporary } from "../../../../coding-agent/test/support/other-user.ts";
import { endingWithUs, giveToPlainUser, plainUser } from "./plain-user.ts";
import { npmPostgres, type PostgresBuild } from "./postgres-builds.ts";
import { freshData, PASSWORD, SUPERUSER } from "./postgres-data.ts";
import { childrenOf, isAlive, killIfThere, signalIfThere } from "./processes.ts";

/** The role of a gateway: owns its database, and has no other privileges. */
const ROLE = "pintle";
/** Generous, for a machine that is busy with other tests. */
const START_MS = 60_000;

/**
 * A crash of the server loses nothing that the system has accepted, so nothing needs to reach the disk here. Shared memory is
 * in the data directory, and is removed with it.
 */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  dynamic_shared_memory_type: "mmap",
  fsync: "off",
  shared_buffers: "16MB",
  max_connections: "200",
  max_wal_senders: "0",
  wal_level: "minimal",
  min_wal_size: "4MB",
  max_wal_size: "64MB",
  log_min_messages: "warning",
  lc_messages: "C",
};

/** The servers that tests of this process share, by the directory of their programs. */
const sharedServers = new Map<string, Promise<PostgresServer>>();

/** Followed by the id of the process that created it. */
const DATA_NAME = "pintle-pg-";
const MEMORY = "/dev/shm";
/** For a few servers at once; containers often have less. */
const MEMORY_BYTES = 2 ** 30;
/** No test process runs this long. */
const LEFTOVER_MS = 3_600_000;

/**
 * Directory for the data of servers: in memory if there is enough, because a server has a thousand files, and creating and
 * removing them takes longer than most tests. Removes what a killed test process has left there.
 */
function dataPlace(): string {
  if (!existsSync(MEMORY)) return sharedTemporary();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < MEMORY_BYTES) return sharedTemporary();
  removeLeftovers();
  return MEMORY;
}

function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = new RegExp(`^${DATA_NAME}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      const path = join(MEMORY, name);
      // A container that shares the memory has other process ids.
      if (Date.now() - statSync(path).mtimeMs > LEFTOVER_MS) rmSync(path, { recursive: true, force: true });
    } catch {} // it belongs to another user, or another process is removing it
  }
}

export interface PostgresOptions {
  build?: PostgresBuild;
  /** Lines of postgresql.conf in addition to or instead of those above. */
  settings?: Record<string, string>;
  /**
   * Directory for the data, which must be empty and is not removed; by default a new one below the directory for temporary
   * files.
   */
  dataIn?: string;
}

export interface TestDatabase {
  name: string;
  /** Connects as the unprivileged role. */
  url: string;
  /** Connects as the superuser, for inspection. */
  adminUrl: string;
}

/**
 * A PostgreSQL server for one test, which can be started as an unprivileged user, stopped, killed and restarted at will.
 */
export class PostgresServer {
  readonly port: number;
  /** What the server has written to its log so far. */
  log = "";
  readonly #build: PostgresBuild;
  readonly #base: string;
  readonly #data: string;
  readonly #ownsData: boolean;
  #child: Bun.Subprocess<"ignore", "ignore", "pipe"> | undefined;
  #databases = 0;

  private constructor(options: PostgresOptions, port: number) {
    this.port = port;
    this.#build = options.build ?? npmPostgres();
    this.#base = mkdtempSync(join(dataPlace(), `${DATA_NAME}${process.pid}-`));
    this.#ownsData = options.dataIn === undefined;
    this.#data = join(options.dataIn ?? this.#base, "data");
  }

  /**
   * Returns the server that the tests of this process share, for tests that need a database and do not disturb the server. It
   * ends with the process.
   */
  static shared(build: PostgresBuild = npmPostgres()): Promise<PostgresServer> {
    const known = sharedServers.get(build.bin);
    if (known) return known;
    const started = PostgresServer.start({ build });
    sharedServers.set(build.bin, started);
    void started.then((server) => process.on("exit", () => server.#abandon())); // its tests get the error
    return started;
  }

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(options, await freePort());
    await freshData(server.#build, server.#data);
    const settings = { ...SETTINGS, port: String(server.port), ...options.settings };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = '${value}'\n`);
    writeFileSync(join(server.#data, "postgresql.auto.conf"), lines.join(""));
    giveToPlainUser(server.#base);
    giveToPlainUser(server.#data);
    await server.start();
    await server.admin((sql) =>
      sql.unsafe(`CREATE ROLE ${ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '${PASSWORD}'`),
    );
    return server;
  }

  get pid(): number {
    if (!this.#child) throw new Error("the server does not run");
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Backends that a killed server has left behind notice it within moments; until then a new one refuses to start. */
  async start(): Promise<void> {
    const giveUpAt = Date.now() + START_MS;
    while (!(await this.#tryStart(giveUpAt))) {
      if (Date.now() > giveUpAt) throw new Error(`PostgreSQL does not start:\n${this.log.slice(-4_000)}`);
      await Bun.sleep(50);
    }
  }

  async #tryStart(giveUpAt: number): Promise<boolean> {
    const command = endingWithUs([join(this.#build.bin, "postgres"), "-D", this.#data]);
    const child = Bun.spawn(command, {
      cwd: this.#base,
      env: {},
      ...plainUser(),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    void this.#readLog(child.stderr); // ends with the server
    while (child.exitCode === null && child.signalCode === null && Date.now() < giveUpAt) {
      if (await this.#answers()) {
        this.#child = child;
        // A server that exits, for example with a full disk, can be started again.
        void child.exited.then(() => {
          if (this.#child === child) this.#child = undefined;
        });
        return true;
      }
      await Bun.sleep(20);
    }
    child.kill("SIGKILL");
    await child.exited;
    return false;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.admin((sql) => sql`SELECT 1`);
      return true;
    } catch {
      return false; // starting, or recovering
    }
  }

  async #readLog(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.log += decoder.decode(chunk, { stream: true });
  }

  /** Ends connections and shuts down cleanly. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Kills the server and all its backends, like a power failure. */
  async kill(): Promise<void> {
    const backends = childrenOf(this.pid);
    await this.#end("SIGKILL");
    for (const pid of backends) killIfThere(pid);
  }

  /** Pauses the process with all its backends, one of which may be ending; `SIGCONT` resumes them. */
  signalAll(signal: "SIGSTOP" | "SIGCONT"): void {
    for (const pid of [this.pid, ...childrenOf(this.pid)]) signalIfThere(pid, signal);
  }

  async #end(signal: "SIGINT" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    child.kill(signal);
    await child.exited;
  }

  /** Opens one connection as the superuser. */
  async admin<T>(run: (sql: SQL) => Promise<T>, database = "postgres"): Promise<T> {
    await using sql = new SQL({ url: this.#url(SUPERUSER, database), max: 1, connectionTimeout: 10 });
    return await run(sql);
  }

  /** Creates an empty database that belongs to the unprivileged role. */
  async database(): Promise<TestDatabase> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.admin((sql) => sql.unsafe(`CREATE DATABASE ${name} OWNER ${ROLE}`));
    return { name, url: this.#url(ROLE, name), adminUrl: this.#url(SUPERUSER, name) };
  }

  #url(user: string, database: string): string {
    return `postgres://${user}:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  /** Called at the end of the process, where nothing can be awaited. */
  #abandon(): void {
    if (this.#child) for (const pid of [this.pid, ...childrenOf(this.pid)]) killIfThere(pid);
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child) await this.stop();
    rmSync(this.#base, { recursive: true, force: true });
    if (!this.#ownsData) rmSync(this.#data, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
