import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TOOL_NAMES } from "./host-tools.ts";
import type { Random } from "./random.ts";
import { anyShellCommand } from "./texts.ts";

type Answer = (response: ServerResponse, random: Random) => void | Promise<void>;

const EVENT_STREAM = { "content-type": "text/event-stream" };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const delta = (fields: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason }] })}\n\n`;
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } })}\n\n`;
const DONE = `${USAGE}data: [DONE]\n\n`;

async function stream(response: ServerResponse, random: Random, events: readonly string[]): Promise<void> {
  response.writeHead(200, EVENT_STREAM);
  const bytes = Buffer.from(events.join(""));
  for (let at = 0; at < bytes.length && !response.destroyed; ) {
    const size = 1 + random.int(random.chance(0.5) ? 40 : 4_000);
    response.write(bytes.subarray(at, at + size));
    at += size;
    if (random.chance(0.2)) await pause(random.int(8));
  }
}

function words(random: Random): string[] {
  const count = random.chance(0.1) ? 2_000 : random.int(30);
  return Array.from({ length: count }, () => delta({ content: random.pick(["word ", "漢字", "\u2028", "\n", "😀"]) }));
}

const ARGUMENTS = ['{"message":"hi"}', '{"count":3}', '{"count":"x"}', "{}", '{"name":"n"}', "{not json", "", "[]"];

function calls(random: Random): string[] {
  return Array.from({ length: 1 + random.int(3) }, (_, index) => {
    const name = random.pick(TOOL_NAMES);
    const question = { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }] };
    const fitting: Record<string, object> = { bash: { command: anyShellCommand(random) }, ask: question };
    const text = Object.hasOwn(fitting, name) ? JSON.stringify(fitting[name]) : random.pick(ARGUMENTS);
    const cut = random.int(text.length + 1);
    const id = random.chance(0.05) ? "same" : `call_${index}_${random.int(1e9)}`;
    return (
      delta({ tool_calls: [{ index, id, function: { name, arguments: text.slice(0, cut) } }] }) +
      delta({ tool_calls: [{ index, function: { arguments: text.slice(cut) } }] })
    );
  });
}

const says: Answer = async (response, random) => {
  await stream(response, random, [...words(random), delta({}, random.pick(["stop", "stop", "length"])), DONE]);
  response.end();
};

const callsTools: Answer = async (response, random) => {
  await stream(response, random, [...words(random), ...calls(random), delta({}, "tool_calls"), DONE]);
  response.end();
};

const thinks: Answer = async (response, random) => {
  const thought = Array.from({ length: random.int(9) }, () => delta({ reasoning_content: "hm " }));
  await stream(response, random, [...thought, ...words(random), delta({}, "stop"), DONE]);
  response.end();
};

const refuses: Answer = (response, random) => {
  const status = random.pick([400, 401, 404, 429, 500, 503]);
  const message = random.pick(["no", "maximum context length is 10 tokens", "overloaded"]);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
};

const stalls: Answer = (response, random) => stream(response, random, [...words(random), ...calls(random)]);

const breaksOff: Answer = async (response, random) => {
  await stream(response, random, words(random));
  response.destroy();
};

const raves: Answer = (response, random) => {
  response
    .writeHead(200, EVENT_STREAM)
    .end(random.pick(["", "data: {\n\n", "data: 7\n\n", "<html>", "data: [DONE]\n\n"]));
};

const ANSWERS: Answer[] = [
  says,
  says,
  says,
  callsTools,
  callsTools,
  callsTools,
  thinks,
  refuses,
  stalls,
  breaksOff,
  raves,
];

/** A vendor that answers anything and tolerates a client that disconnects in the middle of a request. */
export async function startFuzzModel(random: Random): Promise<{ url: string } & Disposable> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const own = random.fork(requests);
    for (const stream of [request, response]) stream.on("error", () => {});
    request.on("end", () => void own.pick(ANSWERS)(response, own)).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
