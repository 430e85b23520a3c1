// A long-running session: one process, one session, thousands of turns with tools and automatic compaction against a
// model on loopback. Prints what should stay flat. `bun bench/soak/long-session.ts [turns]` from the repository's root,
// after a build.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const turns = Number(process.argv[2] ?? 2000);
const program = join(import.meta.dir, "../../dist/pintle");
const home = mkdtempSync(join(tmpdir(), "pintle-soak-"));
const project = join(home, "project");
mkdirSync(project);
writeFileSync(join(project, "notes.txt"), "one line\n".repeat(200));

/** Calls `read` in every second answer; a request without tools asks for a summary. */
let requests = 0;
let summaries = 0;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { tools?: unknown[]; messages: { role: string }[] };
    requests += 1;
    if (!body.tools?.length) {
      summaries += 1;
      return stream([{ content: `## Goal\nKeep going.\n## Progress\nSummary number ${summaries}.` }], "stop");
    }
    const isAnswer = body.messages.at(-1)?.role === "tool";
    if (isAnswer) return stream([{ content: "Read it. ".repeat(20) }], "stop");
    const call = {
      index: 0,
      id: `call_${requests}`,
      type: "function",
      function: { name: "read", arguments: '{"path":"notes.txt"}' },
    };
    return stream([{ tool_calls: [call] }], "tool_calls");
  },
});

function stream(deltas: object[], finish: string): Response {
  const chunk = (choice: object, more: object = {}) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", model: "soak", choices: [choice], ...more })}\n\n`;
  const text = [
    ...deltas.map((delta) => chunk({ index: 0, delta })),
    chunk({ index: 0, delta: {}, finish_reason: finish }),
    "data: [DONE]\n\n",
  ].join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const provider = {
  baseUrl: `http://127.0.0.1:${server.port}/v1`,
  api: "openai-completions",
  apiKey: "none",
  models: [{ id: "soak", contextWindow: 40_000, maxTokens: 2000 }],
};
writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { soak: provider } }), { mode: 0o600 });

const child = Bun.spawn([program, "--mode", "rpc", "--model", "soak/soak", "--tools", "read"], {
  cwd: project,
  env: { PATH: process.env.PATH ?? "", HOME: home, PINTLE_HOME: home },
  stdin: "pipe",
  stdout: "pipe",
  stderr: "inherit",
});

const counts: Record<string, number> = {};
let wake = () => {};
void (async () => {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type } = JSON.parse(line) as { type: string };
      counts[type] = (counts[type] ?? 0) + 1;
      if (type === "agent_settled") wake();
    }
  }
})();

function look(turn: number, msPerTurn: number) {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  const descriptors = readdirSync(`/proc/${child.pid}/fd`).length;
  const sessions = readdirSync(join(home, "sessions"), { recursive: true, encoding: "utf8" });
  const file = sessions.find((name) => name.endsWith(".jsonl"));
  const megabytes = file ? statSync(join(home, "sessions", file)).size / 2 ** 20 : 0;
  console.log(
    [
      `${turn} turns`,
      `${msPerTurn.toFixed(1)} ms each`,
      `RSS ${rss.toFixed(0)} MB`,
      `${descriptors} descriptors`,
      `file ${megabytes.toFixed(1)} MB`,
      `${counts.auto_compaction_end ?? 0} compactions`,
    ].join("   "),
  );
}

const step = Math.max(1, Math.floor(turns / 10));
let since = performance.now();
for (let turn = 1; turn <= turns; turn += 1) {
  const settled = new Promise<void>((resolve) => {
    wake = resolve;
  });
  child.stdin.write(`${JSON.stringify({ type: "prompt", message: `turn ${turn}` })}\n`);
  child.stdin.flush();
  await settled;
  if (turn % step === 0) {
    look(turn, (performance.now() - since) / step);
    since = performance.now();
  }
}
child.stdin.end();
console.log(`exit code ${await child.exited}, ${requests} requests, ${summaries} summaries, events:`, counts);
server.stop(true);
rmSync(home, { recursive: true, force: true });
