// A small host: starts the built program, talks to it over stdin and stdout, and tells what it sees. No key, no network.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DemoAgent } from "./demo-agent.mjs";
import { ensureBuilt } from "./ensure.mjs";

await ensureBuilt();

const home = mkdtempSync(join(tmpdir(), "pintle-demo-"));
const start = () => new DemoAgent(home, ["--mode", "rpc", "--model", "pintle/offline"]);

say("starting   pintle --mode rpc --model pintle/offline");
let agent = start();
const ready = await agent.until((frame) => frame.type === "ready");
say(`ready      version ${ready.version}, protocol ${ready.protocolVersion}, after ${agent.age()} ms`);

say("\n1. A prompt is acknowledged at once; the answer streams.");
await tellRun("help");

say("\n2. What the user adds meanwhile is queued, and delivered in the same run.");
agent.send({ type: "prompt", message: "what can you do?" }, { type: "steer", message: "be brief" });
const end = await agent.until((frame) => frame.type === "agent_end");
say(`           this run: ${end.messages.map((message) => message.role).join(", ")}`);

say("\n3. State can be asked for at any time.");
const state = await agent.call({ type: "get_state" });
say(
  `           model ${state.model.provider}/${state.model.id}, ${state.messageCount} messages, streaming: ${state.isStreaming}`,
);

say("\n4. A command of the user runs beside the agent; a long one can be stopped.");
const listed = await agent.call({ type: "bash", command: "echo from the shell" });
say(`           echo: exit code ${listed.exitCode}, output ${JSON.stringify(listed.output)}`);
const sleeping = agent.call({ type: "bash", command: "sleep 600" });
await agent.call({ type: "abort_bash" });
say(`           sleep 600: cancelled ${(await sleeping).cancelled}`);

say("\n5. A session branches before any earlier message.");
const { messages } = await agent.call({ type: "get_branch_messages" });
const { text } = await agent.call({ type: "branch", entryId: messages[1].entryId });
const branched = await agent.call({ type: "get_state" });
say(`           back before ${JSON.stringify(text)}: ${branched.messageCount} messages in the new session`);

say("\n6. kill -9, and nothing that was announced is lost.");
await tellRun("are you still there?");
const { sessionFile, messageCount } = await agent.call({ type: "get_state" });
agent.kill();
agent = new DemoAgent(home, ["--mode", "rpc", "--session", sessionFile]);
const resumed = await agent.call({ type: "get_state" });
say(`           before: ${messageCount} messages, after: ${resumed.messageCount}`);

say("\n7. A line that is not JSON is answered, and the program lives on.");
agent.writeRaw("this is not JSON\n");
say(`           ${(await agent.until((frame) => frame.command === "parse")).error}`);

say("\n8. When the host closes stdin, the program ends by itself.");
const code = await agent.close();
say(`           exit code ${code}`);
rmSync(home, { recursive: true, force: true });
process.exit(code === 0 && resumed.messageCount === messageCount ? 0 : 1);

async function tellRun(message) {
  say(`host →     {"type":"prompt","message":${JSON.stringify(message)}}`);
  await agent.call({ type: "prompt", message });
  say("pintle →   accepted\n");
  let updates = 0;
  await agent.until((frame) => {
    if (frame.type === "message_update") {
      updates += 1;
      if (frame.assistantMessageEvent.type === "text_delta") process.stdout.write(frame.assistantMessageEvent.delta);
    }
    return frame.type === "agent_settled";
  });
  say(`\n\npintle →   agent_end, agent_settled (${updates} updates)`);
}

function say(line) {
  console.log(line);
}
