// Measures many sessions of `pintle serve` against as many engines that a host starts itself, in the same run: CPU, latency and
// memory while all of them stream, then 1,000 idle sessions and the list of 10,000 stored ones.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cpuMs, pssMb } from "./side-by-side/usage.ts";
import { figuresOf } from "./soak/process-figures.ts";
import type { Frame, LinePeer } from "./support/line-peer.ts";
import { ServePlace } from "./support/served.ts";
import { median, printTable } from "./support/table.ts";

const SESSIONS = 50;
const PER_SECOND = 50;
const DELTAS = 400;
const IDLE = 1_000;
const STORED = 10_000;
const LISTS = 21;
/** How many idle sessions are opened at the same time. */
const OPENING = 8;

/** Writes an answer at an even pace. Each delta is the time at which it was sent. */
function startStream(): { config: string } & Disposable {
  const line = (delta: object, finish_reason?: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] })}\n\n`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          type: "direct",
          async pull(controller: { write(piece: string): void; flush(): void; close(): void }) {
            const start = performance.now();
            for (let n = 0; n < DELTAS; n += 1) {
              await Bun.sleep(Math.max(0, start + (n * 1000) / PER_SECOND - performance.now()));
              controller.write(line({ content: `${performance.now()} ` }));
              controller.flush();
            }
            controller.write(`${line({}, "stop")}data: [DONE]\n\n`);
            controller.flush();
            controller.close();
          },
        } as unknown as UnderlyingSource),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const provider = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    api: "openai-completions",
    auth: "none",
    models: [{ id: "stream", contextWindow: 1_000_000 }],
  };
  return { config: JSON.stringify({ providers: { bench: provider } }), [Symbol.dispose]: () => void server.stop(true) };
}

interface Streaming {
  peer: LinePeer;
  target: { sessionId?: string };
}

interface Measured {
  cpuPerDelta: number;
  /** Sorted. */
  latencies: number[];
}

/** Has all sessions stream at once. `pids` are the processes that do the work. */
async function streamAll(sessions: readonly Streaming[], pids: readonly number[]): Promise<Measured> {
  const cpu = () => sum(pids);
  const latencies: number[] = [];
  const onFrame = (frame: Frame) => {
    if (frame.type !== "message_update") return;
    const event = frame.assistantMessageEvent as { type: string; delta?: string };
    if (event.type !== "text_delta" || event.delta === undefined) return;
    for (const sent of event.delta.trim().split(" ")) latencies.push(performance.now() - Number(sent));
  };
  for (const peer of new Set(sessions.map((session) => session.peer))) peer.onFrame = onFrame;
  const before = cpu();
  await Promise.all(
    sessions.map(async ({ peer, target }) => {
      const settled = peer.until(
        (frame) => frame.type === "session_settled" && (!target.sessionId || frame.sessionId === target.sessionId),
      );
      await peer.ask({ type: "prompt", message: "write", ...target });
      await settled;
    }),
  );
  const cpuPerDelta = ((cpu() - before) * 1000) / (SESSIONS * DELTAS);
  return { cpuPerDelta, latencies: latencies.sort((a, b) => a - b) };
}

const at = (sorted: readonly number[], part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;

const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + cpuMs(pid), 0);

/** A process and its children. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [pid, ...children.flatMap((child) => family(Number(child)))];
}

using model = startStream();
using place = new ServePlace(model.config);

{
  const direct: Streaming[] = [];
  const ends: (() => Promise<void>)[] = [];
  const pids: number[] = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    const { peer, pid, end } = await place.bare("--model", "bench/stream", "--no-session");
    await peer.ask({ type: "set_update_mode", mode: "delta" });
    direct.push({ peer, target: {} });
    pids.push(pid);
    ends.push(end);
  }
  await streamAll(direct, pids); // loads lazy modules
  const alone = await streamAll(direct, pids);
  const alonePss = pids.reduce((sum, pid) => sum + pssMb(pid), 0) / SESSIONS;
  await Promise.all(ends.map((end) => end()));

  const served = await place.serve({ "serve.maxWorkers": SESSIONS + 10 });
  const peer = await served.bySocket();
  await peer.ask({ type: "set_update_mode", mode: "delta" });
  const through: Streaming[] = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    const { sessionId } = await peer.ask<{ sessionId: string }>({ type: "open_session", model: "bench/stream" });
    through.push({ peer, target: { sessionId } });
  }
  const everyone = family(served.pid);
  await streamAll(through, everyone);
  const gateway = await streamAll(through, everyone);
  const gatewayPss = pssMb(served.pid) / SESSIONS;
  await served.end();

  const row = (name: string, { cpuPerDelta, latencies }: Measured, pss: number) => [
    name,
    cpuPerDelta.toFixed(0),
    (cpuPerDelta / alone.cpuPerDelta).toFixed(2),
    at(latencies, 0.5).toFixed(2),
    at(latencies, 0.99).toFixed(2),
    pss.toFixed(1),
    (pss / alonePss).toFixed(2),
  ];
  printTable([
    [
      `${SESSIONS} sessions, ${PER_SECOND} deltas/s`,
      "CPU µs/delta",
      "ratio",
      "p50 ms",
      "p99 ms",
      "PSS MB each",
      "ratio",
    ],
    row("engines of their own", alone, alonePss),
    row("serve, unix socket", gateway, gatewayPss),
  ]);
}

{
  const served = await place.serve({ "serve.maxWorkers": 20, "serve.idleMs": 50 });
  const peer = await served.bySocket();
  const empty = figuresOf(served.pid);
  /** A session with a message, detached. */
  const openOne = async () => {
    const opened = await peer.ask<{ sessionId: string; sessionFile: string }>({
      type: "open_session",
      model: "pintle/offline",
    });
    const { sessionId } = opened;
    const settled = peer.until((frame) => frame.type === "session_settled" && frame.sessionId === sessionId);
    await peer.ask({ type: "prompt", message: "help", sessionId });
    await settled;
    await peer.ask({ type: "detach_session", sessionId });
    return opened;
  };
  copyTimes(await openOne(), STORED);
  const list = async () => {
    const began = performance.now();
    const { sessions } = await peer.ask<{ sessions: unknown[] }>({ type: "list_sessions", limit: 100 });
    if (sessions.length === 0) throw new Error("no session is listed");
    return performance.now() - began;
  };
  const cold = await list();
  const warm: number[] = [];
  const listers = family(served.pid);
  const cpuBefore = sum(listers);
  for (let n = 0; n < LISTS; n += 1) warm.push(await list());
  const listCpu = (sum(listers) - cpuBefore) / LISTS;

  console.log();
  printTable([
    ["", "first ms", "later ms", "CPU ms"],
    [`the newest 100 of ${STORED} stored sessions`, cold.toFixed(1), median(warm).toFixed(1), listCpu.toFixed(1)],
  ]);

  let opened = 0;
  const openAll = async () => {
    while (opened < IDLE) {
      opened += 1;
      await openOne();
    }
  };
  await Promise.all(Array.from({ length: OPENING }, openAll));
  for (
    let workers = 2;
    workers > 1;
    await Bun.sleep(100) // one worker remains: it lists the stored sessions
  )
    ({ workers } = await peer.ask<{ workers: number }>({ type: "get_server_state" }));
  const idle = figuresOf(served.pid);
  const before = cpuMs(served.pid);
  await Bun.sleep(5_000);
  const cpu = (cpuMs(served.pid) - before) / 5;
  console.log();
  printTable([
    ["the gateway", "PSS MB", "kB per session", "CPU ms per s"],
    ["empty", empty.pssMb.toFixed(1), "", ""],
    [
      `${IDLE} idle sessions`,
      idle.pssMb.toFixed(1),
      (((idle.pssMb - empty.pssMb) * 1024) / IDLE).toFixed(1),
      cpu.toFixed(2),
    ],
  ]);
  await served.end();
}

/** Copies a stored session under other ids. */
function copyTimes({ sessionId, sessionFile }: { sessionId: string; sessionFile: string }, count: number): void {
  const text = readFileSync(sessionFile, "utf8");
  const name = readdirSync(dirname(sessionFile)).find((file) => file.includes(sessionId)) ?? "";
  for (let n = 0; n < count; n += 1) {
    const id = sessionId.slice(0, -6) + n.toString(16).padStart(6, "0");
    const path = join(dirname(sessionFile), name.replace(sessionId, id));
    writeFileSync(path, text.replace(sessionId, id), { mode: 0o600 });
  }
}
