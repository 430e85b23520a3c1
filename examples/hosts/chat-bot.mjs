// A chat bot: one conversation per user, with streamed answers. Messages arrive as lines `user: text` on stdin; replace
// stdin and `reply` with your chat service. Conversations are stored, so the bot continues them after a restart.
import { createInterface } from "node:readline";
import { RpcClient, tool } from "@pintle/client";

const reply = (user, text) => console.log(`@${user} ${text}`);
const clock = tool({
  name: "clock",
  description: "Tells the time",
  readOnly: true,
  execute: () => new Date().toISOString(),
});

/** user → their started client */
const clients = new Map();

function clientOf(user) {
  const known = clients.get(user);
  if (known) return known;
  const client = new RpcClient({
    model: process.env.MODEL, // without it, the model of your settings
    args: ["--session-id", `chat-${user}`],
    tools: [clock],
    permissions: "ask",
    systemPrompt: "You answer questions in a chat. Be brief.",
    // No person watches the bot, so it denies whatever needs an approval.
    onApproval: async () => ({ decision: "deny", note: "The chat bot may not do this." }),
  });
  const started = client.start().then(() => client);
  clients.set(user, started);
  return started;
}

async function answer(user, text) {
  const client = await clientOf(user);
  // A message during an active run joins that run, which already has its limit.
  const options = client.isIdle ? { timeoutMs: 600_000 } : { streamingBehavior: "followUp" };
  const { status, text: said, error } = await client.promptAndWait(text, options);
  reply(user, status === "completed" ? said : `Sorry: ${error?.message ?? status}`);
}

const answers = [];
for await (const line of createInterface({ input: process.stdin })) {
  const [, user, text] = /^(\w+): (.*)$/.exec(line) ?? [];
  if (user) answers.push(answer(user, text));
}
await Promise.all(answers);
for (const client of clients.values()) await (await client).stop();
