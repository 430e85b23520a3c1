// Measures what tracing costs: CPU time (user and system) of a run of 16,000 deltas with traces and metrics sent to a
// receiver, against the same run without. All variants take turns, each round in a different order, so that other load
// affects all; a second series without traces shows how much of a difference is noise.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LinePeer } from "./support/line-peer.ts";
import { median, printTable } from "./support/table.ts";

const DELTAS = 16_000;
const ROUNDS = Number(Bun.argv[2] ?? 60);

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...fields })}\n\n`;
const part = (delta: object, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta, finish_reason }] });
const usage = { prompt_tokens: 1_000, completion_tokens: DELTAS, total_tokens: DELTAS + 1_000 };
const answer = [
  ...Array.from({ length: DELTAS }, (_, n) => part({ content: ` word${n % 10_000}` })),
  part({}, "stop"),
  chunk({ choices: [], usage }),
  "data: [DONE]\n\n",
].join("");

const received = { traces: 0, metrics: 0 };
using server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const [, kind] = /\/v1\/(traces|metrics)$/.exec(request.url) ?? [];
    if (kind !== "traces" && kind !== "metrics")
      return new Response(answer, { headers: { "content-type": "text/event-stream" } });
    received[kind] += 1;
    return Response.json({});
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

const BASE = "without traces";
const ways: [string, Record<string, string>][] = [
  [BASE, {}],
  ["without, once more", {}],
  ["with traces and metrics", { OTEL_EXPORTER_OTLP_ENDPOINT: address }],
];
const times = new Map<string, number[]>(ways.map(([name]) => [name, []]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const at of ways.keys()) {
    const [name, env] = ways[(at + round) % ways.length]!;
    const cpu = await cpuOf(env);
    if (round > 0) times.get(name)?.push(cpu); // the first round fills the caches of files
  }
}
rmSync(home, { recursive: true, force: true });
if (received.traces < ROUNDS || received.metrics < ROUNDS)
  throw new Error(`the receiver got ${JSON.stringify(received)}`);

const base = times.get(BASE) ?? [];
const quarter = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
const spread = (values: readonly number[]) =>
  `${median(values).toFixed(1)} (${quarter(values, 0.25).toFixed(1)} to ${quarter(values, 0.75).toFixed(1)})`;
printTable([
  [
    `${ROUNDS} rounds`,
    "CPU ms: median (quartiles)",
    "least",
    "more than its neighbour",
    "ratio of medians",
    "of the least",
  ],
  ...ways.map(([name]) => {
    const own = times.get(name) ?? [];
    const more = own.map((cpu, round) => cpu - (base[round] ?? Number.NaN));
    return [
      name,
      spread(own),
      Math.min(...own).toFixed(1),
      name === BASE ? "" : spread(more),
      (median(own) / median(base)).toFixed(3),
      (Math.min(...own) / Math.min(...base)).toFixed(3),
    ];
  }),
]);
