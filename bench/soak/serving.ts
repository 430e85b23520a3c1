// Runs one `pintle serve` with many sessions while it and its workers are killed with SIGKILL, on session files and on
// PostgreSQL. Every prompt has a unique message. At the end each session contains every acknowledged prompt exactly
// once, and no other prompt twice. `bun bench/soak/serving.ts --minutes 30 --sessions 50 --kills 1000 [--store
// files|postgres] [--seed 7]` from the repository's root, after a build. Without --store, both run one after another.
// Linux only.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ClusterNode } from "../../packages/cluster/test/support/cluster/cluster-node.ts";
import { RecordingHost, Refused } from "../../packages/cluster/test/support/cluster/recording-host.ts";
import { Random } from "../../packages/cluster/test/support/faults/random.ts";
import { freePort, PostgresServer } from "../../packages/cluster/test/support/postgres/postgres.ts";
import { killIfThere } from "../../packages/cluster/test/support/postgres/processes.ts";
import { figuresOf } from "./process-figures.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    sessions: { type: "string", default: "50" },
    kills: { type: "string", default: "1000" },
    store: { type: "string" },
    seed: { type: "string", default: "7" },
  },
});
const [minutes, count, kills] = [Number(values.minutes), Number(values.sessions), Number(values.kills)];
const STORES = ["files", "postgres"] as const;
const TOKEN = "a-token-of-more-than-thirty-two-characters";
/** One kill in this many ends the server and all its workers. */
const SERVER_EVERY = 8;
const REPORT_EVERY = 50;
const LEASE_MS = 2_000;
/** A run that has not ended by then was lost with its engine or its server. */
const RUN_MS = 60_000;
const SETTINGS = {
  "serve.leaseMs": LEASE_MS,
  "serve.heartbeatMs": LEASE_MS / 5,
  "serve.maxWorkers": count * 2,
  "permissions.mode": "full",
};

interface Talk {
  sessionId: string;
  acknowledged: Set<string>;
  /** Prompts that were sent and never answered: each may or may not be in the conversation. */
  unknown: Set<string>;
}

interface Entry {
  message?: { role: string; content: { text?: string }[] };
}

async function soak(store: (typeof STORES)[number]): Promise<string[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pintle-soak-")));
  const root = join(base, "root");
  mkdirSync(root);
  writeFileSync(join(base, "token"), TOKEN, { mode: 0o600 });
  const server = store === "postgres" ? await PostgresServer.start() : undefined;
  const node = new ClusterNode({
    name: "soak",
    port: await freePort(),
    root,
    home: join(base, "home"),
    tokenFile: join(base, "token"),
    store: server ? (await server.database()).url : "",
    settings: SETTINGS,
  });
  await node.start();
  const ending = new AbortController();
  const hosts: RecordingHost[] = [];
  const began = performance.now();
  const first = figuresOf(node.pid);
  try {
    const talks = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const host = new RecordingHost(`h${n}`, base, TOKEN);
        hosts.push(host);
        return talk(host, node, n, ending.signal);
      }),
    );
    const running = talks.map(({ over }) => over);
    const sum = (of: (state: Talk) => number) => talks.reduce((total, { state }) => total + of(state), 0);
    const done = await killAll(node, (kills) =>
      console.log(`${store}: ${kills} kills, ${sum(({ acknowledged }) => acknowledged.size)} acknowledged prompts`),
    );
    ending.abort();
    await Promise.all(running);
    const violations = (await Promise.all(talks.map(({ state }, n) => check(hosts[n]!, node, state)))).flat();
    const last = figuresOf(node.pid);
    console.log(
      `${store}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes, ${count} sessions, ${done.workers} workers and ${done.servers} servers killed, ` +
        `${sum(({ acknowledged }) => acknowledged.size)} acknowledged prompts, ${sum(({ unknown }) => unknown.size)} unanswered; ` +
        `server ${JSON.stringify(first)} at first, ${JSON.stringify(last)} at the end; ${violations.length} violations`,
    );
    return violations.map((text) => `${store}: ${text}`);
  } finally {
    for (const host of hosts) host[Symbol.dispose]();
    await node.kill();
    await server?.[Symbol.asyncDispose]();
    rmSync(base, { recursive: true, force: true });
  }
}

/** Spreads the kills evenly over the time. */
async function killAll(
  node: ClusterNode,
  report: (kills: number) => void,
): Promise<{ workers: number; servers: number }> {
  const random = new Random(Number(values.seed));
  const done = { workers: 0, servers: 0 };
  const everyMs = (minutes * 60_000) / kills;
  const began = performance.now();
  for (let n = 1; n <= kills; n += 1) {
    await Bun.sleep(Math.max(0, began + n * everyMs - performance.now()));
    if (n % REPORT_EVERY === 0) report(n);
    if (n % SERVER_EVERY === 0) {
      await node.kill();
      await node.start();
      done.servers += 1;
      continue;
    }
    // A server that has just started has none yet.
    while (node.workers().length === 0) await Bun.sleep(20);
    killIfThere(random.pick(node.workers()));
    done.workers += 1;
  }
  return done;
}

/** Prompts one session again and again, whatever happens to its engine and its server. */
async function talk(host: RecordingHost, node: ClusterNode, n: number, ending: AbortSignal) {
  const state: Talk = { sessionId: "", acknowledged: new Set(), unknown: new Set() };
  await open(host, node, state);
  const over = (async () => {
    for (let turn = 0; !ending.aborted; turn += 1) {
      const message = `run echo word-${n}-${turn}`;
      try {
        await open(host, node, state);
        state.unknown.add(message);
        const from = host.count;
        await host.ask({ type: "prompt", sessionId: state.sessionId, message });
        state.unknown.delete(message);
        state.acknowledged.add(message);
        const isOver = (type: string) => ["session_settled", "worker_exited", "session_moved"].includes(type);
        await host.until(({ type }) => isOver(type), from, RUN_MS);
      } catch (error) {
        if (error instanceof Refused && error.code !== "worker_exited") state.unknown.delete(message);
        await Bun.sleep(50);
      }
    }
  })();
  return { state, over };
}

/** Retries until the command succeeds, because the server may be down or the lease not expired. */
async function open(host: RecordingHost, node: ClusterNode, state: Talk): Promise<void> {
  for (;;) {
    try {
      if (!host.isConnected) await host.connect(node.port);
      const which = state.sessionId === "" ? { model: "pintle/offline" } : { session: state.sessionId };
      state.sessionId = (await host.ask<{ sessionId: string }>({ type: "open_session", ...which })).sessionId;
      if (which.model === undefined) return;
      // A session without a message is not stored, and would be lost with its engine.
      const from = host.count;
      await host.ask({ type: "prompt", sessionId: state.sessionId, message: "hello" });
      await host.until(({ type }) => type === "session_settled", from, RUN_MS);
      return;
    } catch {
      await Bun.sleep(100);
    }
  }
}

async function check(host: RecordingHost, node: ClusterNode, state: Talk): Promise<string[]> {
  await open(host, node, state);
  const { entries } = await host.ask<{ entries: Entry[] }>({ type: "get_entries", sessionId: state.sessionId }, RUN_MS);
  const counts = new Map<string, number>();
  for (const { message } of entries) {
    const text = message?.role === "user" ? (message.content[0]?.text ?? "") : "";
    if (text.startsWith("run ")) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const lost = [...state.acknowledged].filter((text) => !counts.has(text));
  const twice = [...counts].filter(([, times]) => times > 1).map(([text]) => text);
  return [
    ...lost.map((text) => `${state.sessionId} lost the acknowledged prompt "${text}"`),
    ...twice.map((text) => `${state.sessionId} has the prompt "${text}" more than once`),
  ];
}

const violations: string[] = [];
for (const store of STORES)
  if (values.store === undefined || values.store === store) violations.push(...(await soak(store)));
for (const text of violations) console.log("VIOLATION", text);
process.exitCode = violations.length === 0 ? 0 : 1;
