// Runs the built program with a provider that fails in every way a server or a network can, in random order: `bun
// bench/soak/faults.ts [runs [seed]]` from the repository's root, after a build. Every run must settle, the next run
// must succeed in the same session, and the program must exit with 0.
import type { Respond } from "../../packages/ai/test/support/loopback-server.ts";
import { randomOf } from "../../packages/coding-agent/test/support/fuzz/random.ts";
import { CHAT, callsTools, chatPlace, says } from "../../packages/coding-agent/test/support/scenarios/chat-server.ts";
import { startRpc } from "../../packages/coding-agent/test/support/scenarios/rpc-child.ts";

const [runs = 500, seed = 1] = process.argv.slice(2).map(Number);
const DEADLINE_MS = 600_000;

const status =
  (code: number, body = "{}", headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(code, { "content-type": "application/json", ...headers }).end(body);
const stream =
  (text: string, end: "end" | "cut" = "end"): Respond =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text);
    if (end === "end") response.end();
    else setTimeout(() => response.destroy(), 10);
  };
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const call = (name: string, args: string, id = "x") =>
  chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: args } }] }, "tool_calls");

const FAULTS: Readonly<Record<string, Respond>> = {
  "400": status(400, '{"error":{"message":"bad request"}}'),
  "401": status(401, '{"error":{"message":"no key"}}'),
  "403 with a page": status(403, "<html>no</html>", { "content-type": "text/html" }),
  "404": status(404, ""),
  "413": status(413, '{"error":{"message":"too large"}}'),
  "429": status(429, "{}", { "retry-after": "0" }),
  "429 for years": status(429, "{}", { "retry-after": "999999999" }),
  "500": status(500, "oops"),
  "503": status(503, "{}"),
  "a redirect": status(302, "", { location: "http://127.0.0.1:9/" }),
  "no content": status(204, ""),
  "an error inside 200": stream('data: {"error":{"message":"overloaded"}}\n\n'),
  "a page inside 200": status(200, "<html></html>", { "content-type": "text/html" }),
  nothing: stream(""),
  "only the end": stream("data: [DONE]\n\n"),
  "no end": stream(chunk({ content: "half" })),
  "cut in a chunk": stream(chunk({ content: "half" }).slice(0, 30), "cut"),
  "cut after text": stream(chunk({ content: "half" }), "cut"),
  "cut in a call": stream(
    chunk({ tool_calls: [{ index: 0, id: "x", function: { name: "read", arguments: '{"pa' } }] }),
    "cut",
  ),
  "not JSON": stream("data: {nope}\n\ndata: [DONE]\n\n"),
  "bytes that are no text": (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(Buffer.from([0xff, 0xfe, 0, 0x80, 0x0a, 0x0a]));
  },
  "a line without end": stream(`data: ${"x".repeat(200_000)}`),
  "an unknown tool": stream(`${call("nothing", "{}")}data: [DONE]\n\n`),
  "arguments that are not JSON": stream(`${call("read", "{{{")}data: [DONE]\n\n`),
  "a call without a name": stream(`${call("", "{}")}data: [DONE]\n\n`),
  "two calls with one id": callsTools({ name: "ls", id: "same" }, { name: "ls", id: "same" }),
  "a reset": (response) => void response.destroy(),
};

const random = randomOf(seed);
const names = Array.from({ length: runs }, () => random.pick(Object.keys(FAULTS)));
let current: Respond = says("ok");
/** How many more requests fail. */
let failing = 0;
const respond: Respond = (...args) => {
  failing -= 1;
  return (failing >= 0 ? current : says("ok"))(...args);
};
await using at = await chatPlace(respond);
const faults: string[] = [];
const flags = [
  "--set",
  "retry.maxRetries=2",
  "--set",
  "retry.baseDelayMs=1",
  "--set",
  "retry.maxDelayMs=100",
  "--set",
  "agent.maxTurns=0",
];
await using rpc = await startRpc([...CHAT, ...flags], at.place);
for (const [index, name] of names.entries()) {
  current = FAULTS[name] as Respond;
  failing = random.pick([1, 1, 5]);
  const timer = setTimeout(() => {
    console.log(`run ${index}, ${name}: did not settle`);
    process.exit(1);
  }, DEADLINE_MS);
  await rpc.prompt(`run ${index}`);
  failing = 0;
  const from = rpc.frames.length;
  await rpc.prompt(`again ${index}`);
  clearTimeout(timer);
  const isAnswered = rpc.frames
    .slice(from)
    .some(({ type, message }) => type === "message_end" && JSON.stringify(message).includes('"ok"'));
  if (!isAnswered) faults.push(`run ${index}, ${name}: the next run has no answer`);
  if ((index + 1) % 50 === 0) console.log(`${index + 1} faults, ${faults.length} wrong`);
}
const code = await rpc.end();
if (code !== 0) faults.push(`ended with ${code}`);
for (const fault of faults) console.log(fault);
console.log(`${runs} faults of ${Object.keys(FAULTS).length} kinds, ${faults.length} wrong`);
process.exitCode = faults.length === 0 ? 0 : 1;
