// A process to be killed: `crash-child.ts <home> <cwd> <place> <count>` runs prompts endlessly. Each message_end that a
// host would have read is a line on stdout. When it reaches the place for the count-th time, it reports that and stops.
import { writeSync } from "node:fs";
import type { Tool } from "@pintle/agent";
import { type ScriptedAnswer, scriptedModel } from "@pintle/ai/testing";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";

const [home = "", cwd = "", place = "anywhere", count = "1"] = process.argv.slice(2);

/** Synchronous: written frames have left the process. Without a listener it ends. */
function say(value: unknown): void {
  try {
    writeSync(1, `${JSON.stringify(value)}\n`);
  } catch {
    process.exit(1);
  }
}

let visits = 0;
/** Stops there, with everything else in the process, until it is killed or abandoned. */
function pass(name: string): void {
  if (name !== place) return;
  visits += 1;
  if (visits < Number(count)) return;
  say({ standing: name });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
  process.exit(1);
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

const work: Tool = {
  name: "work",
  label: "Work",
  description: "Works for a moment",
  parameters: {},
  async execute(_args, { id }) {
    pass("tool running");
    await soon();
    return { content: [{ type: "text", text: `result of ${id} ${"x".repeat(3000)}` }] };
  },
};

const image = { type: "image" as const, mimeType: "image/png", data: Buffer.alloc(2000, 1).toString("base64") };
const talk = Array.from({ length: 5 }, () => [{ text: "some words ", chunk: 3 }, { wait: soon() }]).flat();
const callsTools: ScriptedAnswer = () => {
  pass("before the first delta");
  return [{ wait: soon() }, ...talk, { call: "work" }, { call: "work" }];
};
const answers = Array.from({ length: 3000 }, (_, n): ScriptedAnswer => (n % 3 === 2 ? talk : callsTools));

async function liveOn(session: AgentSession): Promise<never> {
  for (let n = 0; ; n += 1) {
    const file = session.sessionFile;
    await session.prompt(`prompt ${n}`, n % 3 === 0 ? { images: [image] } : {});
    if (n % 4 === 1) await session.changes.clone();
    if (n % 4 === 3) await session.changes.newSession(file === undefined ? {} : { parentSession: file });
    if (n % 4 === 2) session.conversation.rename(`after ${n}`);
  }
}

const { session } = await createAgentSession({
  cwd,
  env: { PINTLE_HOME: home },
  stream: scriptedModel(answers).stream,
  agentTools: [work],
  // Needed only against power failure; without it there are more kills per minute.
  settings: { "session.fsync": place === "anywhere" ? "never" : "turn", "compaction.enabled": false },
});
session.subscribe((event) => {
  if (event.type === "message_update") pass("streaming");
  if (event.type === "message_end") pass("between write and message_end");
  if (event.type === "turn_end") pass("between turns");
  if (event.type === "agent_settled") pass("between runs");
  if (event.type === "session_info_changed") pass("between sessions");
});
session.subscribe((event) => {
  if (event.type !== "message_end") return;
  say({ ended: event.message, file: session.sessionFile });
  pass("right after message_end");
});
say({ ready: process.pid });
await liveOn(session);
