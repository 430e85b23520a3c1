// A small host: starts the built program, talks to it over stdin and stdout, and tells what it sees. No key, no network.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "./ensure.mjs";
import { program } from "./paths.mjs";

await ensureBuilt();

const home = mkdtempSync(join(tmpdir(), "pintle-demo-"));
const agent = spawn(program, ["--mode", "rpc", "--model", "pintle/offline", "--no-session"], {
  cwd: home,
  env: { ...process.env, PINTLE_HOME: home },
  stdio: ["pipe", "pipe", "inherit"],
});

const started = performance.now();
const frames = readFrames(agent.stdout);
let requests = 0;

say("starting   pintle --mode rpc --model pintle/offline");
const ready = await until((frame) => frame.type === "ready");
say(
  `ready      version ${ready.version}, protocol ${ready.protocolVersion}, ${Math.round(performance.now() - started)} ms after the start`,
);

say("\n1. A prompt is acknowledged at once; the answer streams.");
await runPrompt("help");

say("\n2. State and messages can be asked for at any time.");
const state = await call({ type: "get_state" });
say(
  `           model ${state.model.provider}/${state.model.id}, ${state.messageCount} messages, streaming: ${state.isStreaming}`,
);
const { messages } = await call({ type: "get_messages" });
say(`           roles: ${messages.map((message) => message.role).join(", ")}`);

say("\n3. A line that is not JSON is answered, and the program lives on.");
agent.stdin.write("this is not JSON\n");
const complaint = await until((frame) => frame.command === "parse");
say(`           ${complaint.error}`);

say("\n4. An abort is always answered, also when there is nothing to stop.");
await call({ type: "abort" });
say("           aborted");

say("\n5. When the host closes stdin, the program ends by itself.");
agent.stdin.end();
const code = await new Promise((resolve) => agent.on("exit", resolve));
say(`           exit code ${code}`);
rmSync(home, { recursive: true, force: true });
process.exit(code === 0 ? 0 : 1);

async function runPrompt(message) {
  say(`host →     {"type":"prompt","message":${JSON.stringify(message)}}`);
  await call({ type: "prompt", message });
  say("pintle →   accepted");
  let updates = 0;
  for (;;) {
    const frame = await next();
    if (frame.type === "message_update") {
      updates += 1;
      if (frame.assistantMessageEvent.type === "text_delta") process.stdout.write(frame.assistantMessageEvent.delta);
    } else if (frame.type === "message_start" && frame.message.role === "assistant") {
      process.stdout.write("\n");
    } else if (frame.type === "agent_settled") {
      say(`pintle →   agent_end, agent_settled (${updates} updates)`);
      return;
    } else if (frame.type === "agent_end") {
      process.stdout.write("\n\n");
    }
  }
}

async function call(command) {
  requests += 1;
  const id = `demo_${requests}`;
  agent.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
  const response = await until((frame) => frame.type === "response" && frame.id === id);
  if (!response.success) throw new Error(response.error);
  return response.data;
}

async function until(wanted) {
  for (;;) {
    const frame = await next();
    if (wanted(frame)) return frame;
  }
}

async function next() {
  const { value, done } = await frames.next();
  if (done) throw new Error("pintle ended before the demo did");
  return value;
}

/** One JSON object per line; LF is the only separator. */
async function* readFrames(stream) {
  let rest = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

function say(text) {
  console.log(text);
}
