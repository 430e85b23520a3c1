// A small host: starts the built program, talks to it over stdin and stdout, and prints what it sees. No key, no
// network.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DemoAgent } from "./demo-agent.mjs";
import { ensureBuilt } from "./ensure.mjs";

await ensureBuilt();

const place = mkdtempSync(join(tmpdir(), "pintle-demo-"));
// Separate directories: tools change nothing inside pintle's own directory.
const [home, project] = [join(place, "home"), join(place, "project")];
for (const directory of [home, project]) mkdirSync(directory);
writeFileSync(join(project, "greet.ts"), 'export function greet(name: string) {\n  return "greet " + name;\n}\n');
writeFileSync(join(project, "main.ts"), 'import { greet } from "./greet";\nconsole.log(greet("you"));\n');
const start = (...args) => new DemoAgent({ home, cwd: project }, ["--mode", "rpc", ...args]);

say("starting   pintle --mode rpc --model pintle/offline");
let agent = start("--model", "pintle/offline");
const ready = await agent.until((frame) => frame.type === "ready");
say(`ready      version ${ready.version}, protocol ${ready.protocolVersion}, after ${agent.age()} ms`);

say("\n1. A prompt is acknowledged at once; the answer streams, the tools really run.");
await tellRun("list then read greet.ts");

say("\n2. What the user adds meanwhile is queued, and delivered in the same run.");
agent.send({ type: "prompt", message: "search greet" }, { type: "steer", message: "list" });
const end = await agent.until((frame) => frame.type === "agent_end");
say(`           this run: ${end.messages.map((message) => message.role).join(", ")}`);

say("\n3. A host tool: the model calls it, this program answers.");
const weather = {
  name: "weather",
  description: "The weather at a place",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
await agent.call({ type: "set_host_tools", tools: [weather] });
agent.send({ type: "prompt", message: 'call weather {"place":"Oslo"}' });
const hostCall = await agent.until((frame) => frame.type === "host_tool_call");
say(`pintle →   host_tool_call ${hostCall.toolName} ${JSON.stringify(hostCall.arguments)}`);
const result = { content: [{ type: "text", text: "rain, 7 degrees" }] };
agent.send({ type: "host_tool_result", id: hostCall.id, result });
say('host →     host_tool_result "rain, 7 degrees"');
say(`           answer: ${JSON.stringify(lastText(await agent.until((frame) => frame.type === "agent_end")))}`);

say("\n4. A structural rename is previewed, and applied through resolve.");
agent.send({ type: "prompt", message: "rename greet to welcome" });
const { action } = await agent.until((frame) => frame.type === "pending_action_added");
say(`           preview: ${action.label}\n${indent(action.details.diff)}`);
const decided = await agent.until((frame) => frame.type === "pending_action_resolved");
say(`           ${decided.action} by the ${decided.by}: ${decided.text}`);
await agent.until((frame) => frame.type === "agent_settled");
say(`           greet.ts now: ${JSON.stringify(readFileSync(join(project, "greet.ts"), "utf8").split("\n")[0])}`);

say("\n5. Or the host decides: the run waits, and nothing but an explicit yes applies.");
await agent.call({ type: "set_host_capabilities", resolvePreviews: true });
agent.send({ type: "prompt", message: "rename welcome to greet" });
await agent.until((frame) => frame.type === "tool_execution_update");
const decision = await agent.call({ type: "resolve_pending_action", action: "discard", reason: "keep it" });
say(`           ${decision.text}`);
await agent.until((frame) => frame.type === "agent_settled");

say("\n6. A long command is aborted; nothing of it is left.");
agent.send({ type: "prompt", message: "run sleep 600" });
await agent.until((frame) => frame.type === "tool_execution_start");
const abortedAt = performance.now();
agent.send({ type: "abort" });
const aborted = await agent.until((frame) => frame.type === "agent_end");
say(`           ${aborted.stopReason} after ${Math.round(performance.now() - abortedAt)} ms`);

say("\n7. A session branches before any earlier message.");
const { messages } = await agent.call({ type: "get_branch_messages" });
const { text } = await agent.call({ type: "branch", entryId: messages[1].entryId });
const branched = await agent.call({ type: "get_state" });
say(`           back before ${JSON.stringify(text)}: ${branched.messageCount} messages in the new session`);

say("\n8. kill -9, and nothing that was announced is lost.");
await tellRun("list");
const { sessionFile, messageCount } = await agent.call({ type: "get_state" });
await agent.kill();
agent = start("--session", sessionFile);
const resumed = await agent.call({ type: "get_state" });
say(`           before: ${messageCount} messages, after: ${resumed.messageCount}`);

say("\n9. A line that is not JSON is answered, and the program lives on until the host closes stdin.");
agent.writeRaw("this is not JSON\n");
say(`           ${(await agent.until((frame) => frame.command === "parse")).error}`);
const code = await agent.close();
say(`           exit code ${code}`);

const isGood =
  code === 0 && resumed.messageCount === messageCount && decided.action === "apply" && aborted.stopReason === "aborted";
rmSync(place, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);

async function tellRun(message) {
  say(`host →     {"type":"prompt","message":${JSON.stringify(message)}}`);
  await agent.call({ type: "prompt", message });
  say("pintle →   accepted\n");
  const tools = [];
  await agent.until((frame) => {
    if (frame.type === "tool_execution_start") tools.push(frame.toolName);
    if (frame.type === "message_update" && frame.assistantMessageEvent.type === "text_delta") {
      process.stdout.write(frame.assistantMessageEvent.delta);
    }
    if (frame.type === "message_end" && frame.message.role === "assistant") say("");
    return frame.type === "agent_settled";
  });
  say(`\npintle →   agent_end, agent_settled (tools: ${tools.join(", ") || "none"})`);
}

function lastText({ messages }) {
  const { content } = messages.findLast((message) => message.role === "assistant");
  return content.map((block) => block.text ?? "").join("");
}

function indent(text) {
  return text.replace(/^/gm, "             ").trimEnd();
}

function say(line) {
  console.log(line);
}
