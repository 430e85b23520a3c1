// What tracing costs: CPU time of a run of 16,000 deltas with traces and metrics sent to a receiver, against the same run without.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LinePeer } from "./support/line-peer.ts";
import { median, printTable } from "./support/table.ts";

const DELTAS = 16_000;
const ROUNDS = 15;

const line = (delta: object, finish_reason?: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] })}\n\n`;
const text = `${line({ content: "ten chars " }).repeat(DELTAS)}${line({}, "stop")}data: [DONE]\n\n`;
let received = 0;
using server = Bun.serve({
  ...{ hostname: "127.0.0.1", port: 0 },
  fetch(request) {
    if (request.url.endsWith("/v1/traces")) received += 1;
    if (/\/v1\/(traces|metrics)$/.test(request.url)) return Response.json({});
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  },
});
const address = `http://127.0.0.1:${server.port}`;
const home = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const models = [{ id: "stream", contextWindow: 100_000_000 }];
const providers = { bench: { baseUrl: `${address}/chat`, api: "openai-completions", auth: "none", models } };
writeFileSync(join(home, "models.json"), JSON.stringify({ providers }));

/** CPU time of the whole process, in ms. */
async function cpuOf(env: Record<string, string>): Promise<number> {
  const child = Bun.spawn(
    [join(import.meta.dir, "../dist/pintle"), "--mode", "rpc", "--model", "bench/stream", "--no-session"],
    {
      cwd: home,
      env: { PATH: process.env.PATH ?? "", PINTLE_HOME: home, ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    },
  );
  const peer = await LinePeer.ofChild(child);
  await peer.ask({ type: "set_update_mode", mode: "delta" });
  const settled = peer.until(({ type }) => type === "agent_settled");
  await peer.ask({ type: "prompt", message: "write" });
  await settled;
  child.stdin.end();
  await child.exited;
  return Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000;
}

const ways: [string, Record<string, string>][] = [
  ["without traces", {}],
  ["with traces and metrics", { OTEL_EXPORTER_OTLP_ENDPOINT: address }],
];
const times = new Map<string, number[]>(ways.map(([name]) => [name, []]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, env] of ways) {
    const cpu = await cpuOf(env);
    if (round > 0) times.get(name)?.push(cpu);
  }
}
rmSync(home, { recursive: true, force: true });
if (received < ROUNDS) throw new Error("the receiver got no traces");
const base = times.get("without traces") ?? [];
printTable([
  ["", "CPU ms, median", "least", "ratio of medians", "of the least"],
  ...ways.map(([name]) => {
    const own = times.get(name) ?? [];
    return [
      name,
      median(own).toFixed(1),
      Math.min(...own).toFixed(1),
      (median(own) / median(base)).toFixed(3),
      (Math.min(...own) / Math.min(...base)).toFixed(3),
    ];
  }),
]);
