// The client with the built program, under Node: real sockets, real sessions, cut connections.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect as connectTcp, createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { Conversation, GatewayClient, RpcRefusedError } from "../../packages/client/dist/index.js";
import { dist, root } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

const place = scratchPath();
const socket = join(place, "run", "pintle.sock");
mkdirSync(join(place, "run"));
chmodSync(join(place, "run"), 0o700);
writeFileSync(join(place, "a.txt"), "hello\n");

const running = new Set();
/** Closed at the end of the file: one that a failed test leaves would reconnect forever. */
const clients = [];

function client(options) {
  const made = new GatewayClient(options);
  clients.push(made);
  return made;
}

/** Returns the server and what it printed. */
async function serve(...args) {
  const server = spawn(join(dist, "pintle"), ["serve", ...args], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: place, PINTLE_HOME: join(place, ".pintle") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => server.once("exit", resolve));
  const end = (signal) => {
    running.delete(end);
    server.kill(signal);
    return exited;
  };
  running.add(end);
  let text = "";
  await new Promise((resolve, reject) => {
    server.stderr.on("data", (chunk) => {
      text += chunk;
      if (text.includes("listening on")) resolve();
    });
    server.once("exit", (code) => reject(new Error(`the server has exited with ${code}: ${text}`)));
  });
  return { text, end };
}

after(async () => {
  for (const one of clients) one.end();
  await Promise.all([...running].map((end) => end()));
  rmSync(place, { recursive: true, force: true });
});

const { text: printed } = await serve("--listen", "127.0.0.1:0", "--socket", socket);
const [url] = printed.match(/http:\/\/\S+/);

async function until(isTrue) {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A proxy in front of the server, whose connections the test can cut. */
async function relay() {
  const pairs = new Set();
  const { hostname, port } = new URL(url);
  const listener = createServer((near) => {
    const far = connectTcp(Number(port), hostname);
    const pair = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const end of pair) end.on("error", () => {});
    for (const end of pair) end.on("close", () => pairs.delete(pair));
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const pair of pairs) for (const end of pair) end.destroy();
  };
  return {
    url: url.replace(port, String(listener.address().port)),
    cut,
    close() {
      listener.close();
      cut();
    },
  };
}

const model = "pintle/offline";
const tool = {
  name: "place",
  description: "Where this runs",
  parameters: { type: "object" },
  execute: () => "in the host",
};

for (const [name, way] of [
  ["a WebSocket", { url }],
  ["a unix socket", { socket }],
]) {
  test(`sessions over ${name}: a run, a host tool, the list, the trash`, async () => {
    const gateway = client(way);
    const ready = await gateway.connect();
    assert.equal(ready.protocolVersion, 1);
    const session = await gateway.open({ model, customTools: [tool], updateMode: "delta" });
    const run = session.run("call place {}");
    let streamed = "";
    for await (const event of run) {
      const step = event.type === "message_update" ? event.assistantMessageEvent : {};
      if (step.type === "text_delta") streamed += step.delta;
    }
    const { text, stopReason } = await run.result;
    assert.match(text, /in the host/);
    assert.deepEqual([stopReason, streamed.endsWith(text)], ["stop", true]);
    const { sessions } = await gateway.list();
    assert.equal(sessions.find(({ sessionId }) => sessionId === session.sessionId)?.messageCount, 4);
    assert.equal(await gateway.open({ session: session.sessionId }), session);
    await session.close();
    await assert.rejects(session.getState(), { name: "RpcClosedError" });
    await gateway.delete(session.sessionId);
    await gateway.restore(session.sessionId);
    const again = await gateway.open({ session: session.sessionId });
    assert.equal((await again.getMessages()).messages.length, 4);
    gateway.end();
  });
}

test("two hosts of a session see the same", async () => {
  const [one, two] = [client({ url }), client({ socket })];
  await Promise.all([one.connect(), two.connect()]);
  const session = await one.open({ model });
  const other = await two.attach(session.sessionId, { since: "start" });
  const [mine, theirs] = await Promise.all([Conversation.follow(session), Conversation.follow(other)]);
  await session.promptAndWait("read a.txt");
  await until(() => theirs.messages.length === 4);
  assert.equal(mine.messages.length, 4);
  assert.deepEqual(theirs.messages, mine.messages);
  one.end();
  two.end();
});

test("a run survives cut connections: every prompt once, every event once", async () => {
  const way = await relay();
  const gateway = client({ url: way.url, reconnect: { minMs: 5, maxMs: 20 } });
  await gateway.connect();
  const session = await gateway.open({ model, updateMode: "delta" });
  const conversation = await Conversation.follow(session);
  const direct = client({ socket });
  await direct.connect();
  const stayed = await Conversation.follow(await direct.attach(session.sessionId));
  let cuts = 0;
  gateway.onState((state) => {
    if (state === "away") cuts += 1;
  });
  const texts = [];
  for (let index = 0; index < 12; index += 1) {
    // At a different moment each time: before the frame was sent, before its response, in the middle of the run.
    const result = session.promptAndWait(`say ${index}`);
    if (index % 3 === 0) way.cut();
    else if (index % 3 === 1) setImmediate(way.cut);
    else session.on("agent_start", way.cut);
    texts.push((await result).text);
  }
  const prompts = ({ messages }) => messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const expected = Array.from({ length: 12 }, (_, index) => [{ type: "text", text: `say ${index}` }]);
  assert.deepEqual(prompts(conversation), expected);
  await until(() => stayed.messages.length === conversation.messages.length);
  assert.deepEqual(conversation.messages, stayed.messages);
  assert.equal(texts.length, 12);
  assert.ok(cuts >= 4, `${cuts} cuts`);
  gateway.end();
  direct.end();
  way.close();
});

test("a server that was killed and restarted: the session is opened again, unanswered commands fail", async () => {
  const path = join(place, "run", "second.sock");
  const first = await serve("--socket", path);
  const gateway = client({ socket: path, reconnect: { minMs: 5, maxMs: 20 } });
  await gateway.connect();
  const session = await gateway.open({ model, customTools: [tool] });
  const conversation = await Conversation.follow(session);
  await session.promptAndWait("read a.txt");
  const before = conversation.messages;
  const waiting = session.bash("sleep 60");
  const refused = assert.rejects(waiting, { code: "worker_exited" });
  await session.getState(); // earlier frames have arrived
  await first.end("SIGKILL");
  await serve("--socket", path);
  await refused;
  const { text } = await session.promptAndWait("call place {}");
  assert.match(text, /in the host/);
  assert.deepEqual(conversation.messages.slice(0, 4), before);
  const added = conversation.messages.slice(4).map(({ role }) => role);
  // The process stored the end of the command before it ended.
  assert.deepEqual(added, ["bashExecution", "user", "assistant", "toolResult", "assistant"]);
  gateway.end();
});

test("the example: a web server with a session per user", async () => {
  mkdirSync(join(place, "node_modules/@pintle"), { recursive: true });
  symlinkSync(join(root, "packages/client"), join(place, "node_modules/@pintle/client"));
  const web = spawn(process.execPath, [join(root, "examples/web-server.mjs"), socket], {
    cwd: place,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const address = await new Promise((resolve) => web.stdout.once("data", (text) => resolve(String(text).trim())));
    const ask = async (user, text) => {
      const headers = { cookie: `user=${user}` };
      const sent = await fetch(`${address}prompt`, { method: "POST", body: text, headers });
      assert.equal(sent.status, 204);
      const ending = new AbortController();
      let shown = "";
      const { body } = await fetch(`${address}events`, { headers, signal: ending.signal });
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        shown += chunk;
        if (/assistant: .*hello/s.test(shown)) break;
      }
      ending.abort();
      return shown;
    };
    const [ada, bob] = await Promise.all([ask("ada", "read a.txt"), ask("bob", "run echo hello bob")]);
    assert.match(ada, /user: read a\.txt/);
    assert.doesNotMatch(ada, /bob/);
    assert.match(bob, /hello bob/);
    assert.match(await (await fetch(address)).text(), /EventSource/);
  } finally {
    web.kill();
  }
});

test("a wrong token is reported immediately, and nothing is retried", async () => {
  const gateway = client({ url: new URL(url).origin, token: "wrong" });
  await assert.rejects(gateway.connect(), (error) => error instanceof RpcRefusedError && error.status === 401);
});
