// Speaks the wire as an engine does, with entries in a file per session, and does what prompts tell it to: for tests of a gateway,
// whose other side must be a real process. Each executed command is written to a journal, so that a test can count.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const directory = process.env.FAKE_WORKER_DIR ?? ".";
const flag = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const isLibrarian = process.argv.includes("--no-session");
const fileOf = (id: string) => join(directory, `${id}.entries`);
/** One of its own, or one that a store has written. */
const given = flag("session");
const sessionId =
  flag("session-id") ??
  (given === undefined ? `s-${process.pid}-${Date.now().toString(36)}` : basename(given).replace(/\.\w+$/, ""));
const file = given ?? fileOf(sessionId);

type Fields = Record<string, unknown>;
type Entry = { type: string; id: string; parentId: string | null; timestamp: string; message: Fields };

/** Behind the first line, which says what session it is. */
const entries: Entry[] = existsSync(file)
  ? readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .slice(1)
      .map((line) => JSON.parse(line) as Entry)
  : [];
let messages = entries.length;
let isRunning = false;
let questions = 0;
const waiting = new Map<string, (answer: Fields) => void>();

const send = (frame: Fields) => process.stdout.write(`${JSON.stringify(frame)}\n`);
const journal = (text: string) => appendFileSync(join(directory, "journal"), `${sessionId} ${text}\n`);
const respond = (command: Fields, data?: unknown) =>
  send({ id: command.id, type: "response", command: command.type, success: true, ...(data !== undefined && { data }) });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** As an engine: stored first, told with the entry behind. */
function finish(message: Fields, messageId: string): void {
  const entry: Entry = {
    type: "message",
    id: `e${entries.length + 1}`,
    parentId: entries.at(-1)?.id ?? null,
    timestamp: new Date().toISOString(),
    message,
  };
  entries.push(entry);
  if (!existsSync(file)) appendFileSync(file, `${JSON.stringify({ type: "session", version: 3, id: sessionId })}\n`);
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
  send({ type: "message_end", message, messageId });
  send({ type: "entry_appended", entry });
}

async function ask(question: Fields, prefix: string): Promise<Fields> {
  const id = `${prefix}_${++questions}`;
  const answer = new Promise<Fields>((resolve) => waiting.set(id, resolve));
  send({ ...question, id });
  return answer;
}

/** What a prompt may tell the worker to do, word by word. */
const DEEDS: Record<string, (rest: string) => Promise<string> | string> = {
  say: async (text) => text,
  deltas: async (count) => Array.from({ length: Number(count) }, (_, i) => `${i} `).join(""),
  die: async () => process.exit(3),
  kill: async () => {
    process.kill(process.pid, "SIGKILL");
    return "";
  },
  loop: () => {
    for (;;);
  },
  slow: async (ms) => {
    await pause(Number(ms));
    return "slow";
  },
  confirm: async () => {
    const { confirmed } = await ask(
      { type: "extension_ui_request", method: "confirm", title: "t", message: "m" },
      "ui",
    );
    return `confirmed ${String(confirmed)}`;
  },
  approve: async () => {
    const question = { type: "approval_request", request: {}, reason: "r", suggestedRules: [], expiresAt: 0 };
    return `decided ${String((await ask({ ...question, default: "deny" }, "approval")).decision)}`;
  },
  file: async (path) => {
    const { content, notOpen, error } = await ask({ type: "host_fs_request", method: "read", path }, "fs");
    return `file ${String(content ?? error ?? notOpen)}`;
  },
  call: async (toolName) => {
    const answer = await ask({ type: "host_tool_call", toolCallId: "c1", toolName, arguments: {} }, "host");
    return `result ${JSON.stringify(answer.result)} ${String(answer.isError)}`;
  },
  env: async (name) => `${name}=${process.env[name] ?? ""}`,
  args: async () => process.argv.slice(2).join(" "),
};

async function run(command: Fields): Promise<void> {
  isRunning = true;
  journal(`run ${String(command.message)}`);
  const [word = "", ...rest] = String(command.message).split(" ");
  send({ type: "agent_start" });
  const user = { role: "user", content: [{ type: "text", text: command.message }], timestamp: ++messages };
  send({ type: "message_start", message: user, messageId: `m${messages}` });
  finish(user, `m${messages}`);
  const messageId = `m${++messages}`;
  const head = { role: "assistant", content: [] as unknown[], provider: "fake", model: "fake", timestamp: messages };
  send({ type: "message_start", message: head, messageId });
  const text = await (DEEDS[word] ?? DEEDS.say)!(rest.join(" "));
  const update = (assistantMessageEvent: Fields) =>
    send({
      type: "message_update",
      messageId,
      message: head,
      assistantMessageEvent: { ...assistantMessageEvent, partial: head },
    });
  update({ type: "text_start", contentIndex: 0 });
  for (const piece of text.match(/\S+\s*/g) ?? []) {
    update({ type: "text_delta", contentIndex: 0, delta: piece });
    if (messages % 7 === 0) await pause(0);
  }
  update({ type: "text_end", contentIndex: 0, content: text });
  finish({ ...head, content: [{ type: "text", text }] }, messageId);
  isRunning = false;
  send({ type: "agent_end", messages: [], stopReason: "stop" });
  send({ type: "agent_settled", aborted: false });
  send({ type: "prompt_result", id: command.id, agentInvoked: true, status: "completed", sessionSettled: true });
  send({ type: "session_settled" });
}

function onFrame(frame: Fields): void {
  const type = String(frame.type);
  if (type.endsWith("_response") || type.endsWith("_result")) {
    waiting.get(String(frame.id))?.(frame);
    waiting.delete(String(frame.id));
    return;
  }
  journal(`${frame.id === undefined ? "told" : "command"} ${type}`);
  if (type === "prompt") {
    if (isRunning)
      return void send({ id: frame.id, type: "response", command: type, success: false, error: "busy", code: "busy" });
    respond(frame);
    void run(frame);
  } else if (type === "get_state") respond(frame, { sessionId, isStreaming: isRunning, messageCount: entries.length });
  else if (type === "get_entries") {
    const at = entries.findIndex(({ id }) => id === frame.since);
    if (frame.since !== undefined && at < 0) {
      send({
        id: frame.id,
        type: "response",
        command: type,
        success: false,
        error: "no such entry",
        code: "not_found",
      });
    } else respond(frame, { entries: entries.slice(at + 1), leafId: entries.at(-1)?.id ?? null });
  } else if (type === "set_host_tools")
    respond(frame, { toolNames: (frame.tools as { name: string }[]).map(({ name }) => name) });
  else if (type === "list_sessions") respond(frame, { sessions: isLibrarian ? stored(String(frame.query ?? "")) : [] });
  else if (type === "unknown")
    send({ type: "response", command: type, success: false, error: "Unknown", requestId: frame.id });
  else if (type === "big") respond(frame, { text: "x".repeat(Number(frame.size)) });
  else if (type !== "never") respond(frame);
}

function stored(query: string): Fields[] {
  if (!existsSync(fileOf(query))) return [];
  const times = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
  return [
    { sessionId: query, sessionFile: fileOf(query), cwd: directory, ...times, messageCount: 1, status: "stored" },
  ];
}

if (process.argv.includes("--name=broken")) {
  console.error("pintle: it cannot start");
  process.exit(2);
}
journal("start");
send({ type: "ready", version: "0", protocolVersion: 1, sessionId, sessionFile: file, capabilities: [] });
send({ type: "notice", level: "info", message: "started" });
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) onFrame(JSON.parse(line) as Fields);
});
process.stdin.on("end", () => {
  journal("end");
  process.exit(0);
});
