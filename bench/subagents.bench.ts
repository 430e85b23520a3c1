// Measures what subagents cost in the built program. The baselines are of the same run: a request that follows a call of
// `ls` instead of `task`, one subagent instead of eight, and a stream of the parent without subagents.
import { figuresOf } from "./soak/process-figures.ts";
import type { Frame, LinePeer } from "./support/line-peer.ts";
import { ServePlace } from "./support/served.ts";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 15;
const MANY = 8;
/** How long the model takes for each answer of a subagent. */
const ANSWER_MS = 300;
const DELTAS = 400;
const DELTA_MS = 5;

interface Request {
  body: { messages: { role: string; content: unknown; tool_calls?: unknown[] }[]; tools?: unknown[] };
  at: number;
}

type Responder = (request: Request, say: Say) => Promise<void>;

interface Say {
  text(content: string): void;
  call(name: string, args: object): void;
  end(): void;
}

const chunk = (delta: object, finish_reason?: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] })}\n\n`;

/** A model whose answers each measurement chooses. */
class ModelServer implements Disposable {
  respond: Responder = async (_request, say) => say.end();
  readonly requests: Request[] = [];
  readonly #server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: (http) => this.#answer(http) });

  get config(): string {
    const provider = {
      baseUrl: `http://127.0.0.1:${this.#server.port}/v1`,
      api: "openai-completions",
      auth: "none",
      models: [{ id: "m", contextWindow: 1_000_000 }],
    };
    return JSON.stringify({ providers: { bench: provider } });
  }

  async #answer(http: globalThis.Request): Promise<Response> {
    const request = { body: (await http.json()) as Request["body"], at: performance.now() };
    this.requests.push(request);
    const stream = new TransformStream<Uint8Array, Uint8Array>();
    const writer = stream.writable.getWriter();
    const encoder = new TextEncoder();
    const write = (text: string) => void writer.write(encoder.encode(text)).catch(() => {}); // the client may be gone
    let reason: string | undefined;
    void this.respond(request, {
      text(content) {
        reason ??= "stop";
        write(chunk({ content }));
      },
      call(name, args) {
        reason = "tool_calls";
        write(chunk({ tool_calls: [{ index: 0, id: "c", function: { name, arguments: JSON.stringify(args) } }] }));
      },
      end() {
        if (!reason) write(chunk({ content: "ok" })); // an empty answer is asked for again
        write(`${chunk({}, reason ?? "stop")}data: [DONE]\n\n`);
        void writer.close().catch(() => {});
      },
    });
    return new Response(stream.readable, { headers: { "content-type": "text/event-stream" } });
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : ((content as { text?: string }[]) ?? []).map(({ text = "" }) => text).join("");
const lastUser = ({ body }: Request) => textOf(body.messages.findLast(({ role }) => role === "user")?.content);
const isAfterTool = ({ body }: Request) => body.messages.at(-1)?.role === "tool";
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

using model = new ModelServer();
using place = new ServePlace(model.config);

async function withEngine<T>(job: (peer: LinePeer, pid: number) => Promise<T>): Promise<T> {
  const engine = await place.bare("--model", "bench/m", "--set", "async.enabled=true");
  try {
    return await job(engine.peer, engine.pid);
  } finally {
    await engine.end();
  }
}

async function prompt(peer: LinePeer, message: string): Promise<void> {
  const settled = peer.until(({ type }) => type === "session_settled");
  await peer.ask({ type: "prompt", message });
  await settled;
}

/** Milliseconds from the end of an answer with a call to the next request. */
async function firstRequest(peer: LinePeer, name: string, args: object): Promise<number> {
  let calledAt = 0;
  let ms = 0;
  model.respond = async (request, say) => {
    if (lastUser(request) === "go" && !isAfterTool(request)) {
      say.call(name, args);
      calledAt = performance.now();
    } else ms ||= request.at - calledAt;
    say.end();
  };
  await prompt(peer, "go");
  return ms;
}

const tasks = (count: number, fields: object = {}) => ({
  tasks: Array.from({ length: count }, (_, index) => ({ task: `child ${index}`, ...fields })),
});

async function benchFirstRequest(): Promise<void> {
  const [plain, child, fork] = await withEngine(async (peer) => {
    const times: number[][] = [[], [], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const measured = [
        await firstRequest(peer, "ls", {}),
        await firstRequest(peer, "task", tasks(1)),
        await firstRequest(peer, "task", tasks(1, { fork: true })),
      ];
      if (round > 0) for (const [index, ms] of measured.entries()) times[index]?.push(ms); // the first one loads code
    }
    return times.map(median);
  });
  const row = (name: string, ms = Number.NaN) => [name, `${ms.toFixed(1)} ms`, (ms / (plain ?? 1)).toFixed(1)];
  console.log("\nFrom the call to the first request");
  printTable([["", "time", "ratio"], row("ls (baseline)", plain), row("fresh subagent", child), row("fork", fork)]);
}

/** Runs subagents that each make a call and answer. Returns the milliseconds until the parent continues. */
async function family(peer: LinePeer, count: number): Promise<number> {
  let startedAt = 0;
  let ms = 0;
  model.respond = async (request, say) => {
    const asked = lastUser(request);
    if (asked === "go" && !isAfterTool(request)) {
      say.call("task", tasks(count));
      startedAt = performance.now();
    } else if (asked === "go") ms = request.at - startedAt;
    else {
      await sleep(ANSWER_MS);
      if (isAfterTool(request)) say.text("found");
      else say.call("ls", {});
    }
    say.end();
  };
  await prompt(peer, "go");
  return ms;
}

async function benchParallel(): Promise<void> {
  const [one, many] = await withEngine(async (peer) => {
    const times: number[][] = [[], []];
    await family(peer, 1);
    for (let round = 0; round < 7; round += 1) {
      times[0]?.push(await family(peer, 1));
      times[1]?.push(await family(peer, MANY));
    }
    return times.map(median);
  });
  console.log(`\nEqual subagents at the same time, two model calls of ${ANSWER_MS} ms each`);
  printTable([
    ["subagents", "time", "ratio"],
    [1, `${one?.toFixed(0)} ms`, "1.00"],
    [MANY, `${many?.toFixed(0)} ms`, ((many ?? 0) / (one ?? 1)).toFixed(2)],
  ]);
}

/** Memory of the engine while all subagents wait for the model. */
async function heldMemory(peer: LinePeer, pid: number, count: number): Promise<number> {
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let waiting = 0;
  model.respond = async (request, say) => {
    const asked = lastUser(request);
    if (asked === "go" && !isAfterTool(request)) say.call("task", tasks(count));
    else if (asked !== "go" && !isAfterTool(request)) say.call("ls", {});
    else if (asked !== "go") {
      waiting += 1;
      if (waiting === count) arrived.resolve();
      await release.promise;
    }
    say.end();
  };
  const done = prompt(peer, "go");
  await arrived.promise;
  await sleep(1_000);
  const { pssMb } = figuresOf(pid);
  release.resolve();
  await done;
  return pssMb;
}

async function benchMemory(): Promise<void> {
  const each: number[] = [];
  let alone = 0;
  for (let round = 0; round < 3; round += 1) {
    await withEngine(async (peer, pid) => {
      await family(peer, 1);
      alone = await heldMemory(peer, pid, 1);
      each.push(((await heldMemory(peer, pid, MANY)) - alone) / (MANY - 1));
    });
  }
  console.log(`\nMemory of a running subagent: ${median(each).toFixed(1)} MB, engine with one: ${alone.toFixed(0)} MB`);
}

/** The requests as a provider's cache reads them. */
const prefixOf = ({ body }: Request) => JSON.stringify([body.tools, body.messages]).slice(0, -2);

async function sharedPrefix(fork: boolean): Promise<string[]> {
  let turn = 0;
  let at = 0;
  model.requests.length = 0;
  model.respond = async (_request, say) => {
    if (turn < 20)
      say.call("grep", { pattern: `word${turn}` }); // the same call would end the run as a loop
    else if (turn === 20) {
      say.call("task", tasks(1, { fork }));
      at = model.requests.length; // the next request is that of the subagent
    }
    turn += 1;
    say.end();
  };
  await withEngine((peer) => prompt(peer, "go"));
  const [parent, child] = [prefixOf(model.requests[at - 1]!), prefixOf(model.requests[at]!)];
  let same = 0;
  while (same < parent.length && parent[same] === child[same]) same += 1;
  return [fork ? "fork" : "fresh", `${parent.length}`, `${same}`, `${((same / parent.length) * 100).toFixed(1)}%`];
}

async function benchFork(): Promise<void> {
  console.log("\nPrefix that a subagent shares with its parent's last request");
  const rows = [await sharedPrefix(false), await sharedPrefix(true)];
  printTable([["", "characters of the parent", "shared", "share"], ...rows]);
}

/** Milliseconds from the server's write to the host's frame, for each delta of the parent. */
async function latencies(peer: LinePeer, children: number): Promise<number[]> {
  const found: number[] = [];
  const stop = Promise.withResolvers<void>();
  let isOver = false;
  let running = 0;
  const started = Promise.withResolvers<void>();
  model.respond = async (request, say) => {
    const asked = lastUser(request);
    if (asked === "go" && !isAfterTool(request) && children > 0) say.call("task", { ...tasks(children), async: true });
    else if (asked === "go") {
      if (children > 0) await started.promise;
      for (let index = 0; index < DELTAS; index += 1) {
        say.text(`<${performance.now().toFixed(2)}>`);
        await sleep(DELTA_MS);
      }
      isOver = true;
      stop.resolve();
    } else {
      running += 1;
      if (running === children) started.resolve();
      while (!isOver) {
        say.text("ten chars ");
        await sleep(DELTA_MS);
      }
      await stop.promise;
    }
    say.end();
  };
  peer.onFrame = (frame: Frame) => {
    const at = performance.now();
    const { assistantMessageEvent: event } = frame as { assistantMessageEvent?: { type: string; delta?: string } };
    if (event?.type !== "text_delta") return;
    for (const [, sent] of (event.delta ?? "").matchAll(/<([\d.]+)>/g)) found.push(at - Number(sent));
  };
  await prompt(peer, "go");
  peer.onFrame = () => {};
  return found;
}

async function benchLatency(): Promise<void> {
  const rows = await withEngine(async (peer) => {
    await latencies(peer, 0);
    const [alone, busy] = [await latencies(peer, 0), await latencies(peer, MANY)];
    const percentile = (values: number[], share: number) =>
      values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
    return [0.5, 0.95].map((share) => {
      const [one, other] = [percentile(alone, share), percentile(busy, share)];
      return [`p${share * 100}`, `${one.toFixed(2)} ms`, `${other.toFixed(2)} ms`, (other / one).toFixed(2)];
    });
  });
  console.log(`\nLatency of the parent's deltas, alone and with ${MANY} streaming subagents in the background`);
  printTable([["", "alone", `with ${MANY}`, "ratio"], ...rows]);
}

await benchFirstRequest();
await benchParallel();
await benchMemory();
await benchFork();
await benchLatency();
