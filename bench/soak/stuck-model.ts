// Runs models that repeat themselves forever: `bun bench/soak/stuck-model.ts [runs]` from the repository's root, after
// a build. Each run gets a model with a cycle of one to three calls, or one that polls; every cycle must be stopped at
// the limit, and no other run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRpc } from "../../packages/coding-agent/test/support/scenarios/rpc-child.ts";
import { machine } from "../../packages/coding-agent/test/support/scenarios/stored-sessions.ts";

const [runs = 60] = process.argv.slice(2).map(Number);
const LIMIT = 20;
/** A model that makes progress ends by itself after this many calls. */
const PROGRESS = 60;

const CALLS = [
  { name: "ls", arguments: "{}" },
  { name: "find", arguments: '{"pattern":"*.none"}' },
  { name: "ls", arguments: '{"path":"."}' },
];
const TICK = { name: "bash", arguments: JSON.stringify({ command: "echo x >> log; wc -l < log" }) };

let period = 1;
let requests = 0;
using place = machine();
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    await request.text();
    requests += 1;
    const isOver = period === 0 && requests > PROGRESS;
    const call = period === 0 ? TICK : CALLS[requests % period];
    const delta = isOver ? { content: "done" } : { tool_calls: [{ index: 0, id: `c${requests}`, function: call }] };
    const body = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: isOver ? "stop" : "tool_calls" }] });
    return new Response(`data: ${body}\n\ndata: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  },
});
const home = place.env.PINTLE_HOME as string;
mkdirSync(home, { recursive: true });
const provider = { baseUrl: server.url.origin, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));

const began = performance.now();
const figures = { stopped: 0, paused: 0, finished: 0, requests: 0, faults: 0 };
for (let run = 0; run < runs; run += 1) {
  period = run % 4;
  requests = 0;
  const isAnswered = Math.floor(run / 4) % 2 === 1;
  await using rpc = await startRpc(["--model", "local/m", "--permissions", "full"], place);
  if (isAnswered) await rpc.call("set_host_capabilities", { budgets: true });
  await rpc.call("prompt", { message: "go" });
  let expected = period === 0 ? PROGRESS + 1 : LIMIT * period;
  if (isAnswered && period > 0) {
    await rpc.until(({ type, reason }) => type === "budget_reached" && reason === "no_progress");
    await rpc.call("raise_budget", { identicalCalls: 2 * LIMIT });
    await rpc.until(({ type }) => type === "budget_reached");
    expected *= 2;
    figures.paused += 2;
    await rpc.call("abort");
  } else await rpc.until(({ type }) => type === "agent_settled");
  const end = rpc.frames.find(({ type }) => type === "agent_end");
  const text = String(end?.messages.at(-1).errorMessage ?? "");
  const isRight = period === 0 ? end?.stopReason === "stop" : isAnswered || text.includes("agent.maxIdenticalCalls");
  if (period === 0) figures.finished += 1;
  else figures.stopped += 1;
  figures.requests += requests;
  if (!isRight || requests !== expected) {
    figures.faults += 1;
    console.log(`run ${run}: period ${period}, ${requests} requests instead of ${expected}, ${text}`);
  }
}
server.stop(true);
console.log(`${runs} runs: ${JSON.stringify(figures)}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = figures.faults === 0 ? 0 : 1;
