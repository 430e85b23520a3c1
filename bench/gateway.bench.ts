// Measures what `pintle serve` costs, against one bare `pintle --mode rpc` in the same run: frame latency, a long
// stream, a new session, memory, commands per second, and a session that sleeps and wakes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { figuresOf } from "./soak/process-figures.ts";
import type { LinePeer } from "./support/line-peer.ts";
import { ServePlace } from "./support/served.ts";
import { median, printTable } from "./support/table.ts";

const DELTAS = 16_000;
const PINGS = 2_000;
const ROUNDS = 15;
const STORED = 200;
const ACTIVE = 20;
const CONNECTIONS = 50;
const COMMANDS = 20_000;
const LONG_MESSAGES = 1_000;

type Target = { sessionId?: string };

/** A model that writes one long answer, as fast as it is read. */
function startStream(): { config: string } & Disposable {
  const line = (delta: object, finish_reason?: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] })}\n\n`;
  const text = `${line({ content: "ten chars " }).repeat(DELTAS)}${line({}, "stop")}data: [DONE]\n\n`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  });
  const provider = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    api: "openai-completions",
    auth: "none",
    models: [{ id: "stream", contextWindow: 100_000_000 }],
  };
  return { config: JSON.stringify({ providers: { bench: provider } }), [Symbol.dispose]: () => void server.stop(true) };
}

async function msOf(job: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await job();
  return performance.now() - start;
}

async function pings(peer: LinePeer, target: Target): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < PINGS; n += 1) times.push(await msOf(() => peer.ask({ type: "ping", ...target })));
  return times.slice(PINGS / 10).sort((a, b) => a - b);
}

async function streamed(peer: LinePeer, target: Target): Promise<number> {
  const settled = peer.until(({ type }) => type === "session_settled");
  return msOf(async () => {
    await peer.ask({ type: "prompt", message: "write", ...target });
    await settled;
  });
}

async function openNew(peer: LinePeer, params: object = {}): Promise<{ sessionId: string; sessionFile: string }> {
  return peer.ask({ type: "open_session", ...params });
}

using model = startStream();
using place = new ServePlace(model.config);
const MODEL = { model: "bench/stream" };

// Latency and throughput of frames: the same session, reached over three transports.
{
  const bare = await place.bare("--model", "bench/stream");
  const served = await place.serve();
  const [socket, web] = [await served.bySocket(), await served.byWebSocket()];
  const ways: [string, LinePeer, Target][] = [
    ["bare --mode rpc", bare.peer, {}],
    ["serve, unix socket", socket, { sessionId: (await openNew(socket, MODEL)).sessionId }],
    ["serve, WebSocket", web, { sessionId: (await openNew(web, MODEL)).sessionId }],
  ];
  const rows: string[][] = [];
  const latencies = new Map<string, number[]>();
  for (const [name, peer, target] of ways) latencies.set(name, await pings(peer, target));
  const walls = new Map<string, number[]>(ways.map(([name]) => [name, []]));
  for (const [, peer, target] of ways) await peer.ask({ type: "set_update_mode", mode: "delta", ...target });
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, peer, target] of ways) {
      const ms = await streamed(peer, target);
      if (round > 0) walls.get(name)?.push(ms); // the first one loads lazy modules
    }
  }
  const baseP50 = median(latencies.get("bare --mode rpc") ?? []);
  const baseWall = median(walls.get("bare --mode rpc") ?? []);
  for (const [name] of ways) {
    const times = latencies.get(name) ?? [];
    const p50 = median(times);
    const wall = median(walls.get(name) ?? []);
    rows.push([
      name,
      p50.toFixed(3),
      `+${(p50 - baseP50).toFixed(3)}`,
      (times[Math.floor(times.length * 0.99)] ?? Number.NaN).toFixed(3),
      wall.toFixed(0),
      (wall / baseWall).toFixed(2),
    ]);
  }
  printTable([["", "ping p50 ms", "added", "p99 ms", `${DELTAS} deltas ms`, "ratio"], ...rows]);
  await bare.end();
  await served.end();
}

// A new session until its first answer.
{
  const times = { bare: [] as number[], opened: [] as number[], prewarmed: [] as number[] };
  const openOnce = async (peer: LinePeer) => {
    const began = performance.now();
    const { sessionId } = await openNew(peer);
    await peer.ask({ type: "get_state", sessionId });
    const ms = performance.now() - began;
    await peer.ask({ type: "close_session", sessionId });
    return ms;
  };
  const served = await place.serve();
  const peer = await served.bySocket();
  for (let round = 0; round < 21; round += 1) {
    const began = performance.now();
    const bare = await place.bare();
    await bare.peer.ask({ type: "get_state" });
    times.bare.push(performance.now() - began);
    await bare.end();
    times.opened.push(await openOnce(peer));
  }
  await served.end();
  const warm = await place.serve({ "serve.prewarm": true });
  const warmPeer = await warm.bySocket();
  for (let round = 0; round < 21; round += 1) {
    times.prewarmed.push(await openOnce(warmPeer));
    await Bun.sleep(200); // the next spare one starts
  }
  await warm.end();
  const base = median(times.bare);
  console.log();
  printTable([
    ["a session to its first answer", "ms", "ratio"],
    ...Object.entries(times).map(([name, all]) => [name, median(all).toFixed(1), (median(all) / base).toFixed(2)]),
  ]);
}

// Memory with stored and active sessions, and commands per second.
{
  const served = await place.serve({ "serve.maxWorkers": 64, "serve.maxConnections": 100 });
  const peer = await served.bySocket();
  const empty = figuresOf(served.pid);
  const first = await openNew(peer, { model: "pintle/offline" });
  await finished(peer, first.sessionId);
  await peer.ask({ type: "close_session", sessionId: first.sessionId });
  for (let n = 0; n < STORED; n += 1) copySession(first, n, 1);
  const { sessions } = await peer.ask<{ sessions: { sessionId: string }[] }>({ type: "list_sessions", limit: STORED });
  const active: string[] = [];
  for (let n = 0; n < ACTIVE; n += 1) active.push((await openNew(peer, { model: "pintle/offline" })).sessionId);
  await Promise.all(active.map((sessionId) => finished(peer, sessionId)));
  const full = figuresOf(served.pid);
  console.log();
  printTable([
    ["memory of the gateway", "RSS MB", "PSS MB", "descriptors"],
    ["empty", empty.rssMb.toFixed(1), empty.pssMb.toFixed(1), empty.descriptors],
    [`${sessions.length} stored, ${ACTIVE} active`, full.rssMb.toFixed(1), full.pssMb.toFixed(1), full.descriptors],
  ]);

  const peers = await Promise.all(Array.from({ length: CONNECTIONS }, () => served.byWebSocket()));
  const bare = await place.bare("--model", "pintle/offline");
  const perSecond = async (job: (n: number) => Promise<unknown>) =>
    (COMMANDS * 1000) / (await msOf(() => inFlight(job)));
  const own = await perSecond((n) => peers[n % CONNECTIONS]!.ask({ type: "get_server_state" }));
  for (const one of peers)
    for (const sessionId of active) await one.ask({ type: "attach_session", sessionId, events: "none" });
  const carried = await perSecond((n) => peers[n % CONNECTIONS]!.ask({ type: "ping", sessionId: active[n % ACTIVE] }));
  const alone = await perSecond(() => bare.peer.ask({ type: "ping" }));
  console.log();
  printTable([
    [`commands over ${CONNECTIONS} connections`, "per second"],
    ["ping of one bare process, for comparison", alone.toFixed(0)],
    ["get_server_state, answered by the gateway", own.toFixed(0)],
    [`ping, carried to ${ACTIVE} sessions`, carried.toFixed(0)],
  ]);
  for (const one of peers) one.close();
  await bare.end();
  await served.end();
}

// A long session that sleeps and wakes.
{
  const served = await place.serve({ "serve.idleMs": 50 });
  const peer = await served.bySocket();
  const first = await openNew(peer, { model: "pintle/offline" });
  await finished(peer, first.sessionId);
  await peer.ask({ type: "close_session", sessionId: first.sessionId });
  const sessionId = copySession(first, STORED + 1, LONG_MESSAGES / 2);
  await openNew(peer, { session: sessionId });
  const wakes: number[] = [];
  for (let round = 0; round < 11; round += 1) {
    await peer.ask({ type: "detach_session", sessionId });
    for (let workers = 2; workers > 1; )
      ({ workers } = await peer.ask<{ workers: number }>({ type: "get_server_state" }));
    wakes.push(
      await msOf(async () => {
        await peer.ask({ type: "attach_session", sessionId });
        await peer.ask({ type: "get_state", sessionId });
      }),
    );
  }
  const state = await peer.ask<{ messageCount: number }>({ type: "get_state", sessionId });
  console.log();
  printTable([
    ["a session that was ended for idleness", "messages", "ms to its first answer"],
    ["", state.messageCount, median(wakes).toFixed(1)],
  ]);
  await served.end();
}

/** Runs at most as many at once as there are connections. */
async function inFlight(job: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < COMMANDS) {
      next += 1;
      await job(next);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

async function finished(peer: LinePeer, sessionId: string): Promise<void> {
  const settled = peer.until((frame) => frame.type === "session_settled" && frame.sessionId === sessionId);
  await peer.ask({ type: "prompt", message: "help", sessionId });
  await settled;
}

/** A copy of a stored session whose messages are repeated. */
function copySession(
  { sessionId, sessionFile }: { sessionId: string; sessionFile: string },
  n: number,
  times: number,
): string {
  const lines = readFileSync(sessionFile, "utf8").trim().split("\n");
  const [header = "", ...entries] = lines;
  const id = sessionId.slice(0, -4) + n.toString(16).padStart(4, "0");
  const parsed = entries.map((line) => JSON.parse(line) as { type: string; id: string; parentId: string | null });
  const messages = parsed.filter(({ type }) => type === "message");
  const out = [header.replace(sessionId, id), ...entries.slice(0, parsed.length)];
  let parentId = parsed.at(-1)?.id ?? null;
  for (let copy = 1; copy < times; copy += 1) {
    for (const [index, message] of messages.entries()) {
      const entryId = (copy * messages.length + index).toString(16).padStart(8, "0");
      out.push(JSON.stringify({ ...message, id: entryId, parentId }));
      parentId = entryId;
    }
  }
  const name = readdirSync(dirname(sessionFile)).find((file) => file.includes(sessionId)) ?? "";
  writeFileSync(join(dirname(sessionFile), name.replace(sessionId, id)), `${out.join("\n")}\n`, { mode: 0o600 });
  return id;
}
